"""Scientific papers in one or two columns, with formulas, figures, tables, footnotes and references."""

from dataclasses import dataclass, replace

from .documents import Document
from .floats import height_of, make_figure, make_table, numbered
from .formulas import Formula, pieces
from .page import Page, Paragraph, Style, flow
from .prose import REFERENCES, Writer
from .tables import Look

TOP, BOTTOM, GUTTER = 84, 1026, 26
SMALL = Style(11.2, 15, align="justify")
CAPTION = Style(11.8, 15, (50, 50, 54))
GREY = (90, 90, 96)


@dataclass
class PaperDesign:
    """The look of one paper, and how many figures and tables it has so far."""

    writer: Writer
    frames: list[tuple[int, int]]  # left and right edge of each column
    sheet: dict[str, Paragraph]
    figures: int = 0
    tables: int = 0

    @property
    def left(self) -> int:
        return self.frames[0][0]

    @property
    def right(self) -> int:
        return self.frames[-1][1]


def make_design(document: Document) -> PaperDesign:
    rng = document.rng("design")
    size, leading = rng.choice(((13.2, 18), (13.6, 18), (12.6, 17), (14, 19)))
    margin = rng.choice((62, 70)) if document.columns == 2 else rng.choice((104, 120))
    width = (850 - 2 * margin - GUTTER * (document.columns - 1)) // document.columns
    frames = [(margin + i * (width + GUTTER), margin + i * (width + GUTTER) + width) for i in range(document.columns)]
    body = Style(size, leading, align="justify")
    sheet = {
        "text": Paragraph("Text", "", body, before=6, first=rng.choice((0, 14))),
        "head": Paragraph("Section-header", "", Style(size + 2.3, 21, bold=True), before=15, keep=64),
        "item": Paragraph("List-item", "", replace(body, align="left"), before=5, hang=20, marker="dot"),
        "reference": Paragraph("List-item", "", Style(12, 15), before=5, hang=28, role="reference", whole=True),
    }
    return PaperDesign(Writer(document), frames, sheet)


def make_sections(document: Document, design: PaperDesign) -> list:
    """More blocks of text than fit on the pages."""
    rng, writer, sheet = document.rng("sections"), design.writer, design.sheet
    formulas = rng.sample(pieces(), rng.randint(1, 4))
    blocks, number = [], 0
    for section in range(1, 4 * document.pages + 3):
        heading = writer.entry("headings") if section > 1 else "Introduction"
        blocks.append(replace(sheet["head"], text=f"{section}  {heading}"))
        for _ in range(rng.randint(2, 4)):
            blocks.append(replace(sheet["text"], text=writer.paragraph()))
            if formulas and section > 1 and rng.random() < 0.3:
                number += 1
                blocks.append(Formula(formulas.pop(), str(number)))
        if rng.random() < 0.3:
            blocks += [replace(sheet["item"], text=writer.entry("items")) for _ in range(rng.randint(2, 4))]
    return blocks


def make_end(design: PaperDesign, rng) -> list:
    """The last section and the references, which are never broken."""
    writer, sheet = design.writer, design.sheet
    blocks = [replace(sheet["head"], text=writer.entry("ends"))]
    blocks += [replace(sheet["text"], text=writer.paragraph(2, 4), whole=True) for _ in range(rng.randint(1, 2))]
    blocks.append(replace(sheet["head"], text="References"))
    count = rng.randint(5, REFERENCES)
    return blocks + [
        replace(sheet["reference"], text=writer.reference(), marker=f"[{row}]") for row in range(1, count + 1)
    ]


def draw_edges(page: Page, design: PaperDesign, number: int, title: str, first: int) -> None:
    """The page header (not on page 1) and the page footer."""
    small, left, width = Style(11, 14, GREY), design.left, design.right - design.left
    if number > 1:
        page.text("Page-header", left, 44, width, title, small)
        page.fill((left, 64, design.right, 65), (190, 190, 196))
    foot = f"Meeting on Field Measurement {design.writer.document.year}" if number == 1 else str(first + number)
    page.text("Page-footer", left, 1052, width, foot, replace(small, align="centre"))


def footnote(page: Page, column: tuple[int, int], text: str) -> int:
    """A footnote at the bottom of a column, under a short rule; returns the y at which the text above must end."""
    scratch = Page("scratch")
    height = scratch.text("Footnote", 0, 0, column[1] - column[0], text, SMALL)[3] + 4
    top = BOTTOM - height
    page.fill((column[0], top - 7, column[0] + 90, top - 6), (120, 120, 126))
    page.text("Footnote", column[0], top, column[1] - column[0], text, SMALL)
    return top - 16


def draw_head(page: Page, design: PaperDesign, title: str, rng) -> int:
    """Title, authors and abstract; returns the y below them."""
    writer, align = design.writer, rng.choice(("centre", "left"))
    left, width = design.left + 30, design.right - design.left - 60
    y = page.text("Title", left, 60, width, title, Style(25, 33, bold=True, align=align))[3]
    authors = ", ".join(writer.person() for _ in range(rng.randint(1, 4)))
    y = page.text("Text", left, y + 14, width, authors, Style(14, 20, align=align))[3]
    place = f"Institute for {writer.words['field'][0]}, {writer.word('place')}"
    y = page.text("Text", left, y + 4, width, place, Style(12, 17, (80, 80, 86), align=align))[3]
    y = page.text("Section-header", left, y + 16, width, "Abstract", Style(14.5, 20, bold=True, align=align))[3]
    return page.text("Text", left, y + 6, width, writer.paragraph(4, 6), Style(12.6, 17, align="justify"))[3]


def next_float(design: PaperDesign, rng, width: int):
    """A figure or a table with the next number; the first two of a paper are one of each."""
    table = design.tables < design.figures or (design.tables == design.figures and rng.random() < 0.5)
    if not table:
        design.figures += 1
        return numbered(make_figure(design.writer, rng, width, CAPTION, 0.25), "Figure", design.figures)
    design.tables += 1
    columns = rng.randint(5, 7) if width > 500 else rng.randint(3, 4)
    look = rng.choice((Look(), Look(total=True), Look(rules="rows"), Look(rules="grid", head_fill=(236, 238, 242))))
    return numbered(make_table(design.writer, rng, columns, rng.randint(4, 8), CAPTION, look), "Table", design.tables)


def place_floats(page: Page, design: PaperDesign, top: int, rng, count: int) -> list[list[int]]:
    """Draw floats across the page, or at the top or bottom of a column; return the frames left for the text."""
    frames = [[x0, top, x1, BOTTOM] for x0, x1 in design.frames]
    columns = list(range(len(frames)))
    if count and top == TOP and rng.random() < 0.6:
        block = next_float(design, rng, design.right - design.left)
        y = block.draw(page, design.left, TOP, design.right - design.left) + 16
        frames = [[x0, y, x1, bottom] for x0, _, x1, bottom in frames]
        count -= 1
    for column in rng.sample(columns, min(count, len(columns))):
        frame = frames[column]
        width = frame[2] - frame[0]
        block = next_float(design, rng, width)
        height = height_of(block, width)
        if rng.random() < 0.5:
            block.draw(page, frame[0], frame[1], width)
            frame[1] += height + 12
        else:
            block.draw(page, frame[0], frame[3] - height, width)
            frame[3] -= height + 14
    return frames


def draw_paper(document: Document) -> list[Page]:
    design, rng = make_design(document), document.rng("pages")
    title, blocks = design.writer.title(), make_sections(document, design)
    start = rng.randint(20, 300)
    pages = []
    for number, name in enumerate(document.page_names, 1):
        page = Page(name)
        draw_edges(page, design, number, title, start)
        top = TOP if number > 1 else draw_head(page, design, title, rng) + 22
        wanted = rng.randint(1, 2) if 1 < number < document.pages else int(number > 1 or document.pages == 1)
        frames = place_floats(page, design, top, rng, wanted)
        column = rng.randrange(len(frames))
        if rng.random() < 0.6 and frames[column][3] == BOTTOM:
            frames[column][3] = footnote(page, design.frames[column], f"{number} {design.writer.entry('notes')}")
        if number == document.pages:
            blocks = cut(blocks, rng.randint(5, 7)) + make_end(design, rng)
        for frame in frames:
            flow(blocks, page, tuple(frame))
        pages.append(page)
    return pages


def cut(blocks: list, count: int) -> list:
    """The first blocks, without a heading or a formula at their end."""
    kept = blocks[:count]
    while kept and getattr(kept[-1], "label", "") != "Text":
        kept.pop()
    return kept
