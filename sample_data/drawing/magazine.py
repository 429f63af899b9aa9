"""Magazine articles in two or three columns, with titles and captions that lie on top of pictures."""

from dataclasses import dataclass, replace

from PIL import Image

from .charts import sketch_map
from .documents import Document
from .page import Box, Colour, Page, Paragraph, Style, flow, unbroken
from .prose import Writer
from .scenes import LOW_THINGS, scene
from .tables import Look, draw_table

LEFT, RIGHT, GUTTER = 56, 794, 24
TOP, BOTTOM = 92, 1034
GREY, INK, WHITE = (110, 108, 106), (34, 32, 32), (252, 250, 246)
ACCENTS = ((160, 50, 40), (28, 92, 110), (128, 88, 20), (92, 60, 120))
SHADE = 150  # opacity of the dark band under a text on a picture, of 255


@dataclass(frozen=True)
class MagazineDesign:
    """The look of one article."""

    writer: Writer
    accent: Colour
    frames: list[tuple[int, int]]
    sheet: dict[str, Paragraph]
    name: str
    first: int  # number of its first page

    def span(self, count: int) -> int:
        """The width of the first columns."""
        return self.frames[count - 1][1] - LEFT


def make_design(document: Document) -> MagazineDesign:
    rng = document.rng("design")
    accent = rng.choice(ACCENTS)
    width = (RIGHT - LEFT - GUTTER * (document.columns - 1)) // document.columns
    frames = [(LEFT + i * (width + GUTTER), LEFT + i * (width + GUTTER) + width) for i in range(document.columns)]
    body = Style(*rng.choice(((14.2, 20), (13.4, 19), (14.8, 21))), INK)
    sheet = {
        "text": Paragraph("Text", "", body, before=7),
        "head": Paragraph("Section-header", "", Style(17, 22, accent, bold=True), before=18, keep=70),
    }
    name = rng.choice(("SLOW LINES", "THE LONG ROOM", "NEAR AND FAR"))
    return MagazineDesign(Writer(document), accent, frames, sheet, name, rng.randint(8, 60))


def make_story(document: Document, design: MagazineDesign) -> list:
    """More blocks than fit on the pages; single words and short paragraphs are rare."""
    rng, sheet, blocks = document.rng("story"), design.sheet, []
    for part in range(8 * document.pages):
        if part and rng.random() < 0.35:
            blocks.append(replace(sheet["head"], text=design.writer.entry("headings")))
        blocks += [replace(sheet["text"], text=design.writer.paragraph(2, 5)) for _ in range(rng.randint(1, 3))]
    return blocks


def draw_edges(page: Page, design: MagazineDesign, number: int) -> None:
    """The name of the section at the top (not on an opening page), the name of the magazine at the bottom."""
    small = Style(10.2, 14, GREY, tracking=1.6)
    if number > 1:
        head = design.writer.words["field"][0].upper()
        page.text("Page-header", LEFT, 46, 400, head, replace(small, colour=design.accent))
        page.fill((LEFT, 68, RIGHT, 69), (214, 208, 202))
    foot = f"{design.first + number} · {design.name} · AUTUMN {design.writer.document.year}"
    page.text("Page-footer", LEFT, 1058, RIGHT - LEFT, foot, replace(small, align="centre"))


def shaded_caption(page: Page, box: Box, width: int, text: str) -> None:
    """A caption in white inside the lower left corner of a picture, on a darker band."""
    style = Style(12, 16, (250, 248, 244))
    height = Page("scratch").text("Caption", 0, 0, width - 20, text, style)[3] + 18
    band = (box[0], box[3] - height, box[0] + width, box[3])
    under = page.image.crop(band)
    page.image.paste(Image.blend(under, Image.new("RGB", under.size, (18, 16, 18)), SHADE / 255), band[:2])
    page.text("Caption", box[0] + 12, band[1] + 8, width - 20, text, style, "picture")


def pull_quote(page: Page, design: MagazineDesign, column: tuple[int, int], y: int) -> int:
    """A sentence in large letters between two rules; returns the y below it."""
    page.fill((column[0], y, column[1], y + 3), design.accent)
    text, width = design.writer.entry("quotes"), column[1] - column[0]
    box = page.text("Text", column[0], y + 14, width, text, Style(22, 28, INK, italic=True))
    page.fill((column[0], box[3] + 14, column[1], box[3] + 15), design.accent)
    return box[3] + 15


def draw_opening(page: Page, design: MagazineDesign, rng) -> int:
    """A picture over the full width of the page with title, introduction and caption on it; returns the y below."""
    height = rng.randint(440, 700)
    picture = page.picture(scene(850, height, rng, LOW_THINGS), 0, 0)
    top = (0, 0, 850, 290)
    page.image.paste(Image.blend(page.image.crop(top), Image.new("RGB", (850, 290), (18, 24, 34)), 0.35), top[:2])
    y = page.text("Title", LEFT, 60, RIGHT - LEFT, design.writer.title(), Style(50, 60, WHITE, bold=True))[3]
    page.text("Text", LEFT + 2, y + 18, 500, design.writer.entry("intros"), Style(18, 25, WHITE))
    shaded_caption(page, picture, 330, design.writer.entry("captions"))
    byline = f"Words by {design.writer.person()}"
    return page.text("Text", LEFT, height + 20, 500, byline, Style(12, 16, design.accent, bold=True))[3] + 16


def draw_pictures(page: Page, design: MagazineDesign, rng) -> list[list[int]]:
    """One picture across some columns, at the top or the bottom, and a pull quote; returns the frames for the text."""
    frames = [[x0, TOP, x1, BOTTOM] for x0, x1 in design.frames]
    count = rng.randint(1 if len(frames) == 2 else 2, len(frames))
    height, at_top = rng.randint(230, 400), rng.random() < 0.5
    box = page.picture(scene(design.span(count), height, rng), LEFT, TOP if at_top else BOTTOM - height)
    if rng.random() < 0.75:
        shaded_caption(page, box, 220, design.writer.entry("captions"))
        room = 18
    else:
        y = box[3] + 8 if at_top else box[1] - 26
        page.text(
            "Caption", LEFT, y, design.span(count), design.writer.entry("captions"), Style(12, 16, GREY), "picture"
        )
        room = 42
    for frame in frames[:count]:
        frame[1 if at_top else 3] += height + room if at_top else -(height + room)
    if rng.random() < 0.7:
        frames[-1][1] = pull_quote(page, design, design.frames[-1], frames[-1][1] + 4) + 18
    return frames


def draw_guide(page: Page, design: MagazineDesign, rng) -> list[list[int]]:
    """The practical page of a long article: a map and a table of times; returns the frames for the text."""
    writer, caption, width = design.writer, Style(12, 16, GREY), design.span(len(design.frames) - 1)
    page.text("Title", LEFT, 84, RIGHT - LEFT, f"{writer.word('place')}, if you go", Style(40, 50, INK, bold=True))
    names = [writer.word("place"), writer.word("place"), "The Sound"]
    box = page.picture(sketch_map((width, rng.randint(280, 340)), rng, names), LEFT, 156)
    y = page.text("Caption", LEFT, box[3] + 8, width, writer.entry("captions"), caption, "picture")[3]
    rows = [["Winter times", "Leaves", "Arrives"]]
    for hour in sorted(rng.sample(range(6, 21), rng.randint(4, 6))):
        rows.append(
            [f"{writer.word('place')} to {writer.word('place')}", f"{hour}.10", f"{hour + 1}.{rng.randint(10, 59)}"]
        )
    look = Look(Style(12.4, 17, INK), 6, "rows", head_fill=(238, 228, 214), rule=(200, 188, 172))
    table = draw_table(page, LEFT, y + 26, [width - 200, 100, 100], "lrr", rows, look)
    page.text("Caption", LEFT, table[3] + 8, width, writer.entry("notes"), caption, "table")
    below = [[x0, table[3] + 44, x1, BOTTOM] for x0, x1 in design.frames[:-1]]
    return [*below, [design.frames[-1][0], 156, design.frames[-1][1], BOTTOM]]


def draw_magazine(document: Document) -> list[Page]:
    design, rng = make_design(document), document.rng("pages")
    blocks = make_story(document, design)
    pages = []
    for number, name in enumerate(document.page_names, 1):
        is_guide = number == document.pages >= 3
        page = Page(name, (252, 249, 243) if is_guide else "white")
        if number == 1:
            top = draw_opening(page, design, rng)
            frames = [[x0, top, x1, BOTTOM] for x0, x1 in design.frames]
        else:
            frames = (draw_guide if is_guide else draw_pictures)(page, design, rng)
        draw_edges(page, design, number)
        if number == document.pages:
            blocks = [blocks[0], *map(unbroken, blocks[1:])]
        for frame in frames:
            flow(blocks, page, tuple(frame))
        pages.append(page)
    return pages
