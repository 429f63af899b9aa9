"""The annual report of a harbour: five pages in one column with a cover, lists, tables and charts."""

import math

from .charts import bars, curves, ring
from .page import Page, Paragraph, Style, flow
from .prose import make_blocks, read_parts
from .scenes import harbour
from .tables import Look, draw_table

LEFT, RIGHT, WIDTH = 96, 754, 658
TOP, BOTTOM = 108, 1010
NAVY, GREY = (22, 62, 98), (100, 104, 112)
BODY = Style(14.6, 21)
CAPTION = Style(12.2, 16, GREY, italic=True)
LOOK = Look(Style(13, 18), 5, "rows", head_fill=NAVY, head_colour="white", stripe=(238, 242, 246), total=True)
SHEET = {
    "": Paragraph("Text", "", BODY, before=10),
    "#": Paragraph("Section-header", "", Style(21, 28, NAVY, bold=True), before=24, keep=64),
    "-": Paragraph("List-item", "", BODY, before=8, hang=20, marker="dot"),
}


def start_page(number: int, head: str) -> Page:
    """A new page with its header, footer and page number."""
    page = Page(f"report_p{number}")
    page.fill((0, 0, 850, 8), NAVY)
    page.text("Page-header", LEFT, 50, WIDTH, head.upper(), Style(10.5, 14, GREY, align="right", tracking=1.2))
    page.fill((LEFT, 1034, RIGHT, 1035), (200, 206, 212))
    page.text("Page-footer", LEFT, 1046, 400, "Northmere Harbour Trust, Annual Report 2023", Style(11, 15, GREY))
    page.text("Page-footer", LEFT, 1046, WIDTH, str(number), Style(12, 15, NAVY, bold=True, align="right"))
    return page


def cover() -> Page:
    page = Page("report_p1")
    page.picture(harbour(850, 640), 0, 0)
    page.fill((0, 640, 850, 654), NAVY)
    page.text("Title", LEFT, 712, WIDTH, "Annual Report 2023", Style(52, 64, NAVY, bold=True))
    page.text("Text", LEFT, 796, WIDTH, "Northmere Harbour Trust", Style(26, 34))
    note = "The year to 31 December 2023: the accounts, the traffic of the port and the programme of work for 2024."
    page.text("Text", LEFT, 850, 440, note, BODY)
    page.text(
        "Page-footer",
        LEFT,
        1046,
        WIDTH,
        "Registered as a trust port. The Old Net Loft, Quay Road, Northmere",
        Style(11, 15, GREY),
    )
    return page


def letter(parts: dict) -> Page:
    page = start_page(2, "A letter from the chair")
    blocks = make_blocks(parts["letter"], SHEET)
    split = next(i for i, (_, text) in enumerate(parts["letter"]) if text.startswith("The year at"))  # signature
    y = flow(blocks[:split], page, (LEFT, TOP, RIGHT, BOTTOM))
    y = page.text("Text", LEFT, y + 14, WIDTH, "Runa Aldersey\nChair of the trustees", Style(14.6, 20, italic=True))[3]
    flow(blocks[split:], page, (LEFT, y + 30, RIGHT, BOTTOM))
    return page


ACCOUNTS = [
    ["Thousand crowns", "2021", "2022", "2023", "Change"],
    ["Berths and moorings", "1,204", "1,318", "1,463", "+11 %"],
    ["Landing dues", "412", "431", "419", "-3 %"],
    ["Shore power", "0", "36", "188", ""],
    ["Grants", "150", "640", "520", "-19 %"],
    ["Wages and training", "-771", "-802", "-861", "+7 %"],
    ["Walls, channel and lights", "-498", "-566", "-574", "+1 %"],
    ["Energy and water", "-214", "-391", "-358", "-8 %"],
    ["Insurance and office", "-301", "-310", "-322", "+4 %"],
    ["Result", "-18", "356", "475", ""],
]


def finance(parts: dict) -> Page:
    page = start_page(3, "Income and spending")
    y = flow(make_blocks(parts["finance"], SHEET), page, (LEFT, TOP, RIGHT, BOTTOM))
    y = page.text(
        "Caption", LEFT, y + 14, WIDTH, "Table 1: Income and spending of the last three years", CAPTION, "table"
    )[3]
    y = draw_table(page, LEFT, y + 8, [258, 100, 100, 100, 100], "lrrrr", ACCOUNTS, LOOK)[3]
    y = flow(make_blocks(parts["finance2"], SHEET), page, (LEFT, y + 20, RIGHT, BOTTOM))
    shares = {
        "People": 36,
        "Walls and channel": 24,
        "Light, power, water": 15,
        "Stone": 12,
        "Insurance": 7,
        "Office": 6,
    }
    box = page.picture(ring((420, 152), shares), LEFT + 110, y + 8)
    page.text(
        "Caption", LEFT, box[3] + 8, WIDTH, "Figure 1: How one hundred crowns were spent in 2023", CAPTION, "picture"
    )
    return page


def noise_chart():
    """Noise on two quays over three years; it drops when shore power is switched on."""
    north = [(x / 72, 0.74 + 0.05 * math.sin(x * 0.52) - (0.36 if x > 50 else 0.004 * x)) for x in range(73)]
    store = [(x / 72, 0.6 + 0.04 * math.sin(x * 0.52 + 1) - (0.3 if x > 52 else 0.002 * x)) for x in range(73)]
    years = ("Jan 21", "Jul 21", "Jan 22", "Jul 22", "Jan 23", "Jul 23", "Jan 24")
    series = {"north quay": north, "chandlery": store}
    return curves((WIDTH, 214), series, years, ("20", "30", "40", "50", "60"), ("", "decibels at night"), 110)


def traffic(parts: dict) -> Page:
    page = start_page(4, "Boats and berths")
    y = flow(make_blocks(parts["traffic"], SHEET), page, (LEFT, TOP, RIGHT, BOTTOM))
    calls = {
        "Sailing visitors": [2.1, 2.3, 1.2, 2.4, 2.7, 3.0],
        "Working boats": [1.2, 1.3, 1.1, 1.5, 1.9, 2.4],
        "Fishing": [1.3, 1.2, 1.2, 1.1, 1.1, 1.0],
    }
    years = [str(year) for year in range(2018, 2024)]
    box = page.picture(bars((WIDTH, 250), years, calls, ("0", "1", "2", "3", "4"), 4), LEFT, y + 12)
    y = page.text(
        "Caption", LEFT, box[3] + 8, WIDTH, "Figure 2: Calls by kind of vessel, in thousands", CAPTION, "picture"
    )[3]
    y = flow(make_blocks(parts["traffic2"], SHEET), page, (LEFT, y + 18, RIGHT, BOTTOM))
    box = page.picture(noise_chart(), LEFT, y + 12)
    page.text(
        "Caption", LEFT, box[3] + 8, WIDTH, "Figure 3: Level of sound on two quays, monthly median", CAPTION, "picture"
    )
    return page


WORKS = [
    ["Work", "Begins", "Ends", "Thousand crowns"],
    ["Breakwater, second stage, 110 metres (1)", "April", "September", "1,240"],
    ["Dredging of the inner channel", "January", "February", "310"],
    ["Shore power, berths 39 to 60", "March", "June", "265"],
    ["New lamp and cable for the east light", "May", "May", "48"],
    ["Repairs to the ice house roof", "August", "October", "72"],
    ["Sum", "", "", "1,935"],
]


def programme(parts: dict) -> Page:
    page = start_page(5, "Work planned for 2024")
    y = flow(make_blocks(parts["work"], SHEET), page, (LEFT, TOP, RIGHT, BOTTOM))
    y = page.text("Caption", LEFT, y + 14, WIDTH, "Table 2: Works approved for 2024", CAPTION, "table")[3]
    y = draw_table(page, LEFT, y + 8, [328, 100, 100, 130], "lllr", WORKS, LOOK)[3]
    note = "(1) Of this sum, 400 are met from the coast protection fund and are not yet in the accounts."
    y = page.text("Footnote", LEFT, y + 8, WIDTH, note, Style(11.4, 15, GREY))[3]
    flow(make_blocks(parts["work2"], SHEET), page, (LEFT, y + 22, RIGHT, BOTTOM))
    return page


def draw_report() -> list[Page]:
    parts = read_parts("report")
    return [cover(), letter(parts), finance(parts), traffic(parts), programme(parts)]
