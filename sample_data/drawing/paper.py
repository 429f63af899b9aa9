"""The scientific paper: four pages in two columns with formulas, figures, tables, footnotes and references."""

import math

from PIL import Image

from .charts import curves, diagram
from .formulas import Formula, big_sum, fraction, in_row, letters, minus, root, script
from .page import Box, Page, Paragraph, Style, flow
from .prose import make_blocks, read_parts
from .scenes import bridge
from .tables import Look, draw_table

LEFT, RIGHT = (62, 412), (438, 788)
TOP, BOTTOM = 84, 1026
BODY = Style(13.2, 18, align="justify")
SMALL = Style(11.2, 15, align="justify")
CAPTION = Style(11.8, 15, (50, 50, 54))
SHEET = {
    "": Paragraph("Text", "", BODY, before=6, first=14),
    "#": Paragraph("Section-header", "", Style(15.5, 21, bold=True), before=15, keep=46),
    "##": Paragraph("Section-header", "", Style(13.4, 19, bold=True), before=12, keep=46),
    "[": Paragraph("List-item", "", Style(12, 15), before=5, hang=28, role="reference"),
}
TITLE = "Teaching Roadside Cameras to Read a River from a Handful of Gauges"
AUTHORS = "Maren Oduya-Vik, Tobias Fennick, Leila Strand and Ilse Rademaker"
PLACES = "Institute for Inland Waters, Halden Vale · School of Measurement, Port Ansel"
ABSTRACT = (
    "Water level is measured at few places and photographed at many. We show that a camera without a gauge can "
    "learn to report the level of the river below it from gauges elsewhere on the same river, because a rise that "
    "passes one place passes the next after a regular delay. A model that shares a single routing rate between all "
    "cameras of a river, with its zero set from three photographs, reaches a median error of 3.1 cm by day and 5.4 cm "
    "at night on 48 cameras and six rivers. The error hardly grows until fewer than one camera in eight has a gauge."
)


def make_formulas() -> dict[str, Formula]:
    """The displayed formulas of the text, by name."""
    plain = {sign: letters(sign, italic=False) for sign in "=+()"}
    plain |= {sign: letters(sign, 36, italic=False) for sign in "[]"}
    eq, plus = plain["="], plain["+"]
    h, r, a = (script(letters(name), "c") for name in "hra")
    wetness = in_row(a, script(letters("w"), "c"), letters("(t)"), gap=1)
    stage = in_row(in_row(h, letters("(t)"), gap=1), eq, wetness, plus, script(letters("b"), "c"))
    decay = in_row(letters("k"), script(letters("(1 - k)"), "", "i"), gap=2)
    past = in_row(script(letters("h"), "g"), letters("(t - d - i)"), gap=1)
    routing = in_row(in_row(r, letters("(t)"), gap=1), eq, big_sum("i = 0", "n"), decay, past)
    square = script(in_row(plain["("], h, minus(), r, plain[")"], gap=2), "", "2")
    spread = in_row(fraction(square, script(letters("s"), "t", "2")), plus, letters("2 log"), script(letters("s"), "t"))
    pull = in_row(plus, letters("q"), big_sum("c", "C"), script(letters("(a - m)"), "", "2"))
    loss = in_row(letters("L"), eq, big_sum("t = 1", "N"), plain["["], spread, plain["]"], pull, gap=3)
    mean = fraction(letters("1", italic=False), script(letters("N"), "q"))
    inside = in_row(mean, big_sum("t in Q", ""), square)
    silent = in_row(script(letters("E"), "q"), eq, root(inside), letters(",    q = 0.9"))
    pieces = {"stage": stage, "routing": routing, "loss": loss, "silent": silent}
    return {name: Formula(piece, str(number)) for number, (name, piece) in enumerate(pieces.items(), 1)}


def draw_edges(page: Page, number: int) -> None:
    """The page header (not on page 1) and the page footer."""
    small = Style(11, 14, (90, 90, 96))
    if number > 1:
        page.text("Page-header", 62, 44, 500, "Oduya-Vik et al. · Teaching Roadside Cameras to Read a River", small)
        page.fill((62, 64, 788, 65), (190, 190, 196))
    centred = Style(11, 14, (90, 90, 96), align="centre")
    foot = "Meeting on Field Measurement 2023, Port Ansel" if number == 1 else str(211 + number)
    page.text("Page-footer", 62, 1052, 726, foot, centred)


def footnote(page: Page, column: tuple[int, int], text: str, lines: int) -> int:
    """A footnote at the bottom of a column, under a short rule; returns the y at which the text above must end."""
    top = BOTTOM - lines * SMALL.leading
    page.fill((column[0], top - 7, column[0] + 90, top - 6), (120, 120, 126))
    page.text("Footnote", column[0], top, column[1] - column[0], text, SMALL)
    return top - 16


def caption(page: Page, x: int, y: int, width: int, text: str, role: str) -> Box:
    return page.text("Caption", x, y, width, text, CAPTION, role)


def first_page(blocks: list) -> Page:
    page = Page("paper_p1")
    draw_edges(page, 1)
    page.text("Title", 110, 60, 630, TITLE, Style(25, 33, bold=True, align="centre"))
    page.text("Text", 110, 142, 630, AUTHORS, Style(14, 20, align="centre"))
    page.text("Text", 110, 166, 630, PLACES, Style(12, 17, (80, 80, 86), align="centre"))
    page.text("Section-header", 110, 204, 630, "Abstract", Style(14.5, 20, bold=True, align="centre"))
    page.text("Text", 120, 230, 610, ABSTRACT, Style(12.6, 17, align="justify"))
    bottom = footnote(page, LEFT, "1 Write to the second author for the frames: the set is too large to post.", 2)
    flow(blocks, page, (LEFT[0], 364, LEFT[1], bottom))
    flow(blocks, page, (RIGHT[0], 364, RIGHT[1], BOTTOM))
    return page


def second_page(blocks: list) -> Page:
    """A diagram across both columns."""
    page = Page("paper_p2")
    draw_edges(page, 2)
    box = page.picture(diagram((726, 190)), 62, 84)
    text = "Figure 1. From frame and gauge to the loss. Blue steps belong to one camera, sand ones to a whole river."
    top = caption(page, 62, box[3] + 8, 726, text, "picture")[3] + 16
    flow(blocks, page, (LEFT[0], top, LEFT[1], BOTTOM))
    note = "2 A sluice that follows a fixed timetable does no harm, since its delay is regular. It is the keeper’s "
    bottom = footnote(page, RIGHT, note + "judgement that cannot be learned.", 3)
    flow(blocks, page, (RIGHT[0], top, RIGHT[1], bottom))
    return page


def rise(start: float, height: float, width: float) -> list[tuple[float, float]]:
    """A flood wave that rises quickly and falls slowly."""
    points = []
    for step in range(81):
        t = (step / 80 - start) / width
        points.append((step / 80, 0.16 + height * max(t, 0) * math.exp(1 - max(t, 0)) + 0.012 * math.sin(step * 0.9)))
    return points


ERRORS = [
    ["River", "Area, km2", "Cameras", "Gauges", "Waterline", "Per camera", "Shared, day", "Shared, night"],
    ["Arle", "420", "9", "3", "8.8", "4.6", "2.9", "4.7"],
    ["Brannock", "1,160", "11", "4", "11.2", "5.1", "3.4", "6.0"],
    ["Cold Esk", "90", "4", "2", "7.9", "4.0", "2.2", "3.8"],
    ["Lune Fawr", "760", "8", "3", "9.6", "5.7", "3.3", "5.5"],
    ["Skell", "2,300", "10", "4", "12.5", "6.3", "3.6", "6.8"],
    ["Tarn", "310", "6", "3", "10.1", "4.9", "5.2", "7.4"],
    ["All", "", "48", "19", "10.0", "5.1", "3.1", "5.4"],
]


def views() -> Image.Image:
    """Two frames of one camera side by side, by day and by night."""
    strip = Image.new("RGB", (350, 118), "white")
    strip.paste(bridge(172, 118, night=False), (0, 0))
    strip.paste(bridge(172, 118, night=True), (178, 0))
    return strip


def third_page(blocks: list) -> Page:
    """A table across both columns, two camera frames and a line chart."""
    page = Page("paper_p3")
    draw_edges(page, 3)
    text = "Table 1. Median error at the hidden gauges in centimetres: waterline, one model per camera, shared model."
    top = caption(page, 62, TOP, 726, text, "table")[3] + 8
    widths = [126, 80, 80, 80, 90, 90, 90, 90]
    top = draw_table(page, 62, top, widths, "lrrrrrrr", ERRORS, Look(total=True))[3] + 22
    box = page.picture(views(), LEFT[0], top)
    under = caption(page, LEFT[0], box[3] + 7, 350, "Figure 2. Camera 14 on the Skell, by day and by night.", "picture")
    flow(blocks, page, (LEFT[0], under[3] + 16, LEFT[1], BOTTOM))
    bottom = footnote(page, RIGHT, "3 A step is the height of one board in the barriers of the river guard.", 2)
    flow(blocks, page, (RIGHT[0], top, RIGHT[1], bottom - 278))
    waves = {"gauge": rise(0.1, 0.72, 0.1), "routed": rise(0.22, 0.58, 0.15), "camera": rise(0.23, 0.54, 0.16)}
    ticks = ("0", "6", "12", "18", "24", "30", "36")
    chart = curves((350, 230), waves, ticks, ("0.0", "0.5", "1.0", "1.5", "2.0"), ("hours", "m"))
    box = page.picture(chart, RIGHT[0], bottom - 270)
    text = "Figure 3. One rise on the Arle: at the gauge upstream, routed to the camera, and as the camera saw it."
    caption(page, RIGHT[0], box[3] + 6, 350, text, "picture")
    return page


COSTS = [
    ["Over ten years, crowns", "Gauge", "Camera"],
    ["Site and licence", "21,400", "350"],
    ["Instrument", "8,900", "420"],
    ["Survey and visits", "14,600", "1,900"],
    ["Power and telephone", "3,200", "2,750"],
    ["Volunteers", "0", "640"],
    ["Sum", "48,100", "6,060"],
]


def error_chart() -> Image.Image:
    """Error against the number of gauges: almost constant, except when there are few."""
    day = [(x / 40, 0.2 + 0.6 * math.exp(-x / 3.2)) for x in range(1, 41)]
    night = [(x, y * 1.2 + 0.08) for x, y in day]
    x_ticks, y_ticks = ("0", "5", "10", "15", "20"), ("0", "4", "8", "12")
    return curves((350, 226), {"day": day, "night": night}, x_ticks, y_ticks, ("gauges kept", "cm"))


def fourth_page(blocks: list) -> Page:
    """A small table, a chart, the end of the text and the references."""
    page = Page("paper_p4")
    draw_edges(page, 4)
    box = page.picture(error_chart(), LEFT[0], TOP)
    text = "Figure 4. Error against the number of gauges that are kept."
    top = caption(page, LEFT[0], box[3] + 7, 350, text, "picture")[3] + 18
    bottom = footnote(page, LEFT, "4 Crowns of 2022. The volunteers were offered soup, which is not counted.", 2)
    flow(blocks, page, (LEFT[0], top, LEFT[1], bottom))
    top = caption(page, RIGHT[0], TOP, 350, "Table 2. What a gauge and a camera cost.", "table")[3] + 8
    top = draw_table(page, RIGHT[0], top, [190, 80, 80], "lrr", COSTS, Look(total=True))[3] + 20
    flow(blocks, page, (RIGHT[0], top, RIGHT[1], BOTTOM))
    if blocks:
        raise ValueError(f"{len(blocks)} blocks of the paper did not fit on its pages")
    return page


def draw_paper() -> list[Page]:
    blocks = make_blocks(read_parts("paper")[""], SHEET, make_formulas())
    return [draw(blocks) for draw in (first_page, second_page, third_page, fourth_page)]
