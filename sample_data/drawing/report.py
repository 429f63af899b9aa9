"""Reports of trusts and societies in one or two columns, with a cover, lists, tables and charts."""

from dataclasses import dataclass, replace

from .documents import Document
from .floats import make_figure, make_table, numbered
from .page import Colour, Page, Paragraph, Style, flow, unbroken
from .prose import Writer
from .scenes import scene
from .tables import Look

LEFT, RIGHT, WIDTH, GUTTER = 96, 754, 658, 30
TOP, BOTTOM = 108, 1010
GREY = (100, 104, 112)
ACCENTS = ((22, 62, 98), (122, 44, 40), (36, 88, 70), (84, 60, 110), (120, 84, 28))
FULL_PAGE = "report-1_p3"  # a page with a table, a chart and captions, which model A gets wrong


@dataclass
class ReportDesign:
    """The look of one report, and how many figures and tables it has so far."""

    writer: Writer
    accent: Colour
    frames: list[tuple[int, int]]
    sheet: dict[str, Paragraph]
    look: Look
    society: str
    title: str
    figures: int = 0
    tables: int = 0

    @property
    def column_width(self) -> int:
        return self.frames[0][1] - self.frames[0][0]


def make_design(document: Document) -> ReportDesign:
    rng, writer = document.rng("design"), Writer(document)
    accent = rng.choice(ACCENTS)
    two = document.columns == 2
    width = (WIDTH - GUTTER) // 2 if two else WIDTH
    frames = [(LEFT, LEFT + width), (RIGHT - width, RIGHT)] if two else [(LEFT, RIGHT)]
    body = Style(13, 18) if two else rng.choice((Style(14.6, 21), Style(13.8, 20)))
    sheet = {
        "text": Paragraph("Text", "", body, before=10),
        "head": Paragraph("Section-header", "", Style(18 if two else 21, 28, accent, bold=True), before=24, keep=64),
        "item": Paragraph("List-item", "", body, before=8, hang=20, marker="dot"),
    }
    cell = Style(11.6, 16) if two else Style(13, 18)
    look = Look(cell, 5, "rows", accent, "white", rng.choice((None, (238, 242, 246))), total=rng.random() < 0.6)
    if rng.random() < 0.3:
        look = Look(cell, 5, "grid", (232, 234, 238), accent)
    society = f"{writer.word('place')} {rng.choice(('Trust', 'Society', 'Council', 'Fund'))}"
    return ReportDesign(writer, accent, frames, sheet, look, society, writer.title())


def start_page(design: ReportDesign, name: str, number: int, head: str) -> Page:
    """A new page with its header, footer and page number."""
    page = Page(name)
    page.fill((0, 0, 850, 8), design.accent)
    page.text("Page-header", LEFT, 50, WIDTH, head.upper(), Style(10.5, 14, GREY, align="right", tracking=1.2))
    page.fill((LEFT, 1034, RIGHT, 1035), (200, 206, 212))
    page.text("Page-footer", LEFT, 1046, 400, f"{design.society}, {design.title}", Style(11, 15, GREY))
    page.text("Page-footer", LEFT, 1046, WIDTH, str(number), Style(12, 15, design.accent, bold=True, align="right"))
    return page


def draw_cover(document: Document, design: ReportDesign) -> Page:
    rng = document.rng("cover")
    page, height = Page(document.page_names[0]), rng.randint(480, 640)
    page.picture(scene(850, height, rng), 0, 0)
    page.fill((0, height, 850, height + 14), design.accent)
    y = page.text("Title", LEFT, height + 66, WIDTH, design.title, Style(46, 58, design.accent, bold=True))[3]
    y = page.text("Text", LEFT, y + 24, WIDTH, design.society, Style(26, 34))[3]
    page.text("Text", LEFT, y + 26, 440, design.writer.sentence(), design.sheet["text"].style)
    foot = f"Registered office: {rng.randint(2, 60)} Quay Road, {design.writer.word('place')}"
    page.text("Page-footer", LEFT, 1046, WIDTH, foot, Style(11, 15, GREY))
    return page


def draw_title(page: Page, design: ReportDesign) -> int:
    """The title on a page with text, for a report without a cover; returns the y below it."""
    y = page.text("Title", LEFT, 92, WIDTH, design.title, Style(34, 44, design.accent, bold=True))[3]
    y = page.text("Text", LEFT, y + 10, WIDTH, design.society, Style(16, 22, GREY))[3]
    page.fill((LEFT, y + 16, RIGHT, y + 18), design.accent)
    return y + 36


def next_float(design: ReportDesign, rng, table: bool):
    captions = Style(12.2, 16, GREY, italic=True)
    if not table:
        design.figures += 1
        return numbered(make_figure(design.writer, rng, design.column_width, captions), "Figure", design.figures, ": ")
    design.tables += 1
    columns = rng.randint(4, 6) if design.column_width > 500 else 3
    block = make_table(design.writer, rng, columns, rng.randint(4, 8), captions, design.look)
    return numbered(block, "Table", design.tables, ": ")


def make_section(design: ReportDesign, rng, table: bool | None) -> list:
    """A heading with text, perhaps a list, and a table (True), a figure (False) or neither (None)."""
    writer, sheet = design.writer, design.sheet
    blocks: list = [replace(sheet["head"], text=writer.entry("headings"))]
    blocks += [replace(sheet["text"], text=writer.paragraph(2, 5)) for _ in range(rng.randint(1, 2))]
    if table is not None:
        blocks.append(next_float(design, rng, table))
        if table and rng.random() < 0.4:
            note = Paragraph("Footnote", f"(1) {writer.entry('notes')}", Style(11.4, 15, GREY), before=4, whole=True)
            blocks.append(note)
    if rng.random() < 0.45:
        blocks += [replace(sheet["item"], text=writer.entry("items")) for _ in range(rng.randint(2, 4))]
    elif rng.random() < 0.6:
        blocks.append(replace(sheet["text"], text=writer.paragraph(2, 4)))
    return blocks


def page_blocks(design: ReportDesign, rng, name: str) -> list:
    """Sections with floats of seeded kinds; more than fit on a page."""
    kinds: list[bool | None] = [rng.choice((True, False, None)) for _ in range(5)]
    if name == FULL_PAGE:
        kinds[:2] = [True, False]
    elif None not in kinds[:2] and kinds[0] == kinds[1]:
        kinds[1] = not kinds[0]
    return [block for kind in kinds for block in make_section(design, rng, kind)]


def draw_report(document: Document) -> list[Page]:
    design, rng = make_design(document), document.rng("pages")
    with_cover = document.pages >= 3
    pages = [draw_cover(document, design)] if with_cover else []
    for number, name in enumerate(document.page_names[len(pages) :], len(pages) + 1):
        page = start_page(design, name, number, design.title)
        top = draw_title(page, design) if number == 1 else TOP
        # A page begins with its own sections, so text that does not fit is left out; nothing is broken at its end.
        blocks = [unbroken(block) for block in page_blocks(design, rng, name)]
        bottom = BOTTOM - (rng.randint(120, 320) if number == document.pages else 0)
        for x0, x1 in design.frames:
            flow(blocks, page, (x0, top, x1, bottom))
        pages.append(page)
    return pages
