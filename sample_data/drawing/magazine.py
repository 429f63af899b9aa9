"""The magazine: four pages in three columns, with a title and captions that lie on top of pictures."""

from dataclasses import replace

from PIL import Image

from .charts import sketch_map
from .page import Box, Page, Paragraph, Style, flow
from .prose import make_blocks, read_parts
from .scenes import letter_box, pier, sound
from .tables import Look, draw_table

COLUMNS = ((56, 286), (310, 540), (564, 794))
TOP, BOTTOM = 92, 1034
RED, GREY, INK = (160, 50, 40), (110, 108, 106), (34, 32, 32)
BODY = Style(14.2, 20, INK)
SHEET = {
    "": Paragraph("Text", "", BODY, before=7),
    "#": Paragraph("Section-header", "", Style(17, 22, RED, bold=True), before=18, keep=48),
}
SHADE = 150  # opacity of the dark band under a caption on a picture, of 255


def draw_edges(page: Page, number: int) -> None:
    """The name of the section at the top, the name of the magazine at the bottom."""
    small = Style(10.2, 14, GREY, tracking=1.6)
    page.text("Page-header", 56, 46, 300, "CROSSINGS", replace(small, colour=RED))
    page.fill((56, 68, 794, 69), (214, 208, 202))
    page.text("Page-footer", 56, 1058, 738, f"{number} · SLOW LINES · AUTUMN", replace(small, align="centre"))


def shaded_caption(page: Page, box: Box, width: int, text: str) -> None:
    """A caption in white inside the lower left corner of a picture, on a darker band."""
    style = Style(12, 16, (250, 248, 244))
    lines = 16 * text.count("\n") + 16
    band = (box[0], box[3] - lines - 16, box[0] + width, box[3])
    under = page.image.crop(band)
    page.image.paste(Image.blend(under, Image.new("RGB", under.size, (18, 16, 18)), SHADE / 255), band[:2])
    page.text("Caption", box[0] + 12, band[1] + 8, width - 20, text, style, "picture")


def pull_quote(page: Page, column: tuple[int, int], y: int, text: str) -> int:
    """A sentence of the article in large letters between two rules; returns the y below it."""
    page.fill((column[0], y, column[1], y + 3), RED)
    width = column[1] - column[0]
    box = page.text("Text", column[0], y + 14, width, text, Style(22, 28, INK, italic=True))
    page.fill((column[0], box[3] + 14, column[1], box[3] + 15), RED)
    return box[3] + 15


def opening(blocks: list) -> Page:
    """The first page: a picture over the full width of the page, with the title on it."""
    page = Page("magazine_p1")
    picture = page.picture(sound(850, 700), 0, 0)
    white = (252, 250, 246)
    page.text("Title", 56, 86, 738, "The Last Ferry to Orrin", Style(62, 74, white, bold=True))
    intro = (
        "In March a bridge will open, and a boat that has carried the post for half a century will stop. "
        "We went over while we still could."
    )
    page.text("Text", 58, 178, 470, intro, Style(18, 25, white))
    shaded_caption(page, picture, 330, "The Margit halfway over, on a still morning in\nOctober. Picture by Hanne Voll")
    page.text("Text", 56, 722, 738, "Words by Edda Marchetti-Coyle", Style(12, 16, RED, bold=True))
    for x0, x1 in COLUMNS:
        flow(blocks, page, (x0, 754, x1, BOTTOM))
    page.text(
        "Page-footer", 56, 1058, 738, "34 · SLOW LINES · AUTUMN", Style(10.2, 14, GREY, align="centre", tracking=1.6)
    )
    return page


def second_page(blocks: list) -> Page:
    """A picture across all columns and a pull quote."""
    page = Page("magazine_p2")
    draw_edges(page, 35)
    box = page.picture(pier(738, 400), COLUMNS[0][0], TOP)
    shaded_caption(page, box, 234, "Skarrow pier, an hour before\nthe boat. The dog is out of view.")
    below = box[3] + 20
    for x0, x1 in COLUMNS[:2]:
        flow(blocks, page, (x0, below, x1, BOTTOM))
    text = "“You can say things on the boat. Nobody has ever been able to walk off in the middle.”"
    y = pull_quote(page, COLUMNS[2], below + 4, text)
    flow(blocks, page, (COLUMNS[2][0], y + 18, COLUMNS[2][1], BOTTOM))
    return page


def third_page(blocks: list) -> Page:
    """A picture at the bottom of two columns, and a pull quote at the top of the third."""
    page = Page("magazine_p3")
    draw_edges(page, 36)
    top = BOTTOM - 330
    flow(blocks, page, (COLUMNS[0][0], TOP, COLUMNS[0][1], top - 14))
    flow(blocks, page, (COLUMNS[1][0], TOP, COLUMNS[1][1], top - 14))
    box = page.picture(letter_box(484, 330), COLUMNS[0][0], top)
    shaded_caption(page, box, 212, "The first letter box on Orrin,\nnot yet in use.")
    y = pull_quote(page, COLUMNS[2], TOP + 4, "The postmistress is eighty-one, and she catches it.")
    flow(blocks, page, (COLUMNS[2][0], y + 18, COLUMNS[2][1], BOTTOM))
    return page


TIMES = [
    ["Winter crossings", "Leaves", "Arrives"],
    ["Skarrow to Orrin", "7.00", "7.50"],
    ["Orrin to Skarrow", "8.20", "9.10"],
    ["Skarrow to Orrin", "15.30", "16.20"],
    ["Orrin to Skarrow", "16.45", "17.35"],
    ["Sundays, either way", "11.00", "11.50"],
]


def guide(blocks: list) -> Page:
    """The practical page: a map, a timetable and short texts."""
    page = Page("magazine_p4", (252, 249, 243))
    draw_edges(page, 37)
    page.text("Title", 56, 84, 738, "Orrin, if you go", Style(40, 50, INK, bold=True))
    box = page.picture(sketch_map((484, 340)), 56, 156)
    caption = Style(12, 16, GREY)
    under = page.text(
        "Caption",
        56,
        box[3] + 8,
        484,
        "The Sound, with the ferry and the new bridge. Not to scale.",
        caption,
        "picture",
    )
    look = Look(Style(12.4, 17, INK), 6, "rows", head_fill=(238, 228, 214), rule=(200, 188, 172))
    table = draw_table(page, 56, under[3] + 26, [264, 110, 110], "lrr", TIMES, look)
    text = "Times until 28 February. The boat does not wait, except for the post."
    page.text("Caption", 56, table[3] + 8, 484, text, caption, "table")
    flow(blocks, page, (COLUMNS[2][0], 156, COLUMNS[2][1], BOTTOM))
    flow(blocks, page, (COLUMNS[0][0], table[3] + 44, COLUMNS[0][1], BOTTOM))
    flow(blocks, page, (COLUMNS[1][0], table[3] + 44, COLUMNS[1][1], BOTTOM))
    return page


def draw_magazine() -> list[Page]:
    parts = read_parts("magazine")
    story = make_blocks(parts["feature"] + parts["life"], SHEET)
    pages = [opening(story), second_page(story), third_page(story)]
    tips = make_blocks(parts["guide"], SHEET)
    pages.append(guide(tips))
    if story or tips:
        raise ValueError(f"{len(story) + len(tips)} blocks of the magazine did not fit on its pages")
    return pages
