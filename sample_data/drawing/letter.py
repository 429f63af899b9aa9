"""Letters of one or two pages, with a letterhead, lists, perhaps a small table, and a signature."""

from dataclasses import dataclass, replace
from itertools import pairwise

from PIL import Image

from .charts import Canvas
from .documents import Document
from .logos import make_logo
from .page import Colour, Page, Paragraph, Style, flow
from .prose import Writer
from .tables import Look, draw_table

BOTTOM = 1010
GREY, INK = (104, 106, 110), (28, 28, 32)
ACCENTS = ((30, 70, 110), (110, 40, 60), (40, 90, 70), (60, 60, 66))


@dataclass(frozen=True)
class LetterDesign:
    """The look of one letter."""

    writer: Writer
    left: int
    right: int
    accent: Colour
    body: Style
    sender: str

    @property
    def width(self) -> int:
        return self.right - self.left


def make_design(document: Document) -> LetterDesign:
    rng, writer = document.rng("design"), Writer(document)
    left = rng.choice((88, 96, 110))
    body = rng.choice((Style(14, 20, INK), Style(14.6, 21, INK), Style(13.4, 19, INK)))
    sender = f"{writer.word('firm')}, {writer.words['field'][0]}"
    return LetterDesign(writer, left, 850 - left, rng.choice(ACCENTS), body, sender)


def draw_letterhead(page: Page, design: LetterDesign, rng) -> int:
    """The sender, with or without a logo; returns the y below it."""
    address = (
        f"{rng.randint(1, 90)} Maltings Lane, {design.writer.word('place')}\nTelephone 0555 010 {rng.randint(100, 999)}"
    )
    if rng.random() < 0.65:
        page.picture(make_logo(rng, design.accent), design.left, 56)
        box = page.text("Text", design.left + 84, 62, 400, f"{design.sender}\n{address}", Style(12.4, 18, GREY))
        return max(box[3], 122)
    page.text(
        "Page-header",
        design.left,
        56,
        design.width,
        design.sender,
        Style(22, 28, design.accent, bold=True, align="right"),
    )
    box = page.text("Text", design.left, 92, design.width, address, Style(12, 17, GREY, align="right"))
    page.fill((design.left, box[3] + 12, design.right, box[3] + 13), design.accent)
    return box[3] + 14


def draw_address(page: Page, design: LetterDesign, y: int, rng) -> int:
    """The receiver on the left, place and date on the right; returns the y below them."""
    writer = design.writer
    text = f"{writer.person()}\n{rng.randint(2, 99)} Tenter Street\n{writer.word('place')}"
    box = page.text("Text", design.left, y + 44, 300, text, design.body)
    month = rng.choice(("January", "March", "May", "June", "October", "November"))
    date = f"{writer.word('place')}, {rng.randint(1, 28)} {month} {writer.document.year}"
    page.text("Text", design.left, box[3] + 26, design.width, date, replace(design.body, align="right"))
    return box[3] + 56


def make_blocks(document: Document, design: LetterDesign) -> list:
    """Greeting, paragraphs, lists and headings of the letter."""
    rng, writer = document.rng("blocks"), design.writer
    text = Paragraph("Text", "", design.body, before=12, whole=True)
    head = Paragraph("Section-header", "", replace(design.body, bold=True, colour=design.accent), before=18, keep=60)
    item = Paragraph("List-item", "", design.body, before=8, hang=24)
    blocks: list = [replace(text, text=writer.entry("greetings"))]
    for part in range(rng.randint(2, 3) + 3 * (document.pages - 1)):
        if part and rng.random() < 0.3 + 0.3 * (document.pages - 1):
            blocks.append(replace(head, text=writer.entry("headings")))
        blocks.append(replace(text, text=writer.paragraph(2, 4)))
        if rng.random() < 0.4:
            marks = rng.choice((("dot",) * 4, ("1.", "2.", "3.", "4."), ("a)", "b)", "c)", "d)")))
            entries = [writer.entry("items") for _ in range(rng.randint(2, 4))]
            blocks += [replace(item, text=one, marker=mark) for one, mark in zip(entries, marks, strict=False)]
    return blocks


def signature(rng) -> Image.Image:
    """A scribble of seeded loops."""
    canvas, x = Canvas(170, 54), 8.0
    points = [(x, 34.0)]
    while x < 150:
        x += rng.uniform(5, 13)
        points.append((x, rng.choice((rng.uniform(6, 20), rng.uniform(30, 48)))))
    smooth = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairwise(points)]
    path = [point for pair in zip(points, smooth, strict=False) for point in pair]
    canvas.line(path, (30, 44, 110), 1.7)
    return canvas.to_image()


def draw_close(page: Page, design: LetterDesign, y: int, rng) -> int:
    """The closing words, the signature and the name; returns the y below them."""
    y = page.text("Text", design.left, y + 22, design.width, design.writer.entry("closings"), design.body)[3]
    y = page.picture(signature(rng), design.left, y + 10)[3]
    role = rng.choice(("Secretary", "For the board", "Head of works", "Treasurer"))
    return page.text("Text", design.left, y + 8, 300, f"{design.writer.person()}\n{role}", design.body)[3]


def draw_foot(page: Page, design: LetterDesign, number: int, count: int) -> None:
    style = Style(11, 15, GREY)
    page.text("Page-footer", design.left, 1046, design.width, f"{design.sender} · Bank of Corve 0417 229", style)
    if count > 1:
        page.text("Page-footer", design.left, 1046, design.width, f"{number} / {count}", replace(style, align="right"))


def draw_table_of_costs(page: Page, design: LetterDesign, y: int, rng) -> int:
    """A small table without a caption; returns the y below it."""
    look = rng.choice((Look(Style(12.6, 17), 5, "rows"), Look(Style(12.6, 17), 5, "grid", (238, 240, 244))))
    names = [design.writer.word("part") for _ in range(rng.randint(3, 5))]
    rows = [
        ["Part", "Number", "Crowns"],
        *([name, str(rng.randint(1, 9)), f"{rng.randint(20, 900)}"] for name in names),
    ]
    return draw_table(page, design.left, y + 16, [220, 90, 110], "lrr", rows, look)[3]


def draw_letter(document: Document) -> list[Page]:
    design, rng = make_design(document), document.rng("pages")
    blocks = make_blocks(document, design)
    table_at = rng.choice((1, document.pages)) if rng.random() < 0.6 else 0
    pages = []
    for number, name in enumerate(document.page_names, 1):
        page, y = Page(name), 96
        if number == 1:
            y = draw_address(page, design, draw_letterhead(page, design, rng), rng)
            title = design.writer.title()
            y = page.text("Title", design.left, y, design.width, title, Style(17, 24, design.accent, bold=True))[3] + 18
        else:
            page.text(
                "Page-header", design.left, 50, design.width, f"{design.sender}, page {number}", Style(11, 15, GREY)
            )
        last = number == document.pages
        bottom = BOTTOM - (190 if last else 0) - (170 if number == table_at else 0)
        share = blocks if last else blocks[: len(blocks) * 2 // 3]
        blocks = [] if last else blocks[len(share) :]
        y = flow(share, page, (design.left, y, design.right, bottom))
        blocks = share + blocks
        if number == table_at:
            y = draw_table_of_costs(page, design, y, rng)
        if last:
            finish(page, design, y, rng)
        draw_foot(page, design, number, document.pages)
        pages.append(page)
    return pages


def finish(page: Page, design: LetterDesign, y: int, rng) -> None:
    y = draw_close(page, design, y, rng)
    if rng.random() < 0.6:
        page.text(
            "Footnote",
            design.left,
            min(y + 24, 1012),
            design.width,
            design.writer.entry("notes"),
            Style(11.4, 15, GREY),
        )
