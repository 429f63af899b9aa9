"""The invoice of a joinery: three pages with a long table of items, totals, terms and bank details."""

from PIL import Image

from .charts import Canvas
from .page import Page, Paragraph, Style, flow, union
from .tables import Look, draw_table

LEFT, RIGHT, WIDTH = 64, 786, 722
GREEN, GREY, INK = (40, 84, 68), (104, 108, 106), (30, 32, 32)
BODY = Style(13, 18, INK)
SMALL = Style(11.2, 15, GREY)
HEAD = Style(12.4, 17, GREEN, bold=True)
LOOK = Look(Style(12.2, 16, INK), 6, "rows", head_fill=GREEN, head_colour="white", rule=(206, 212, 208))
WIDTHS = [50, 352, 70, 60, 90, 100]
COLUMNS = ["No.", "Description", "Quantity", "Unit", "Price", "Amount"]
NUMBER = "BF-20417"

# Description, quantity, unit and price in pence (whole numbers, so that the sums are exact).
ITEMS = [
    ("Oak window seat, oiled, with hinged lid\nFirst floor, north bedroom", 2, "pc", 41850),
    ("Wall panel, tongue and groove, primed", 64, "m", 1240),
    ("Skirting, ogee profile, 145 mm, primed", 118, "m", 685),
    ("Architrave to match skirting", 96, "m", 590),
    ("Door lining, softwood, set", 11, "set", 5420),
    ("Panelled door, four panels, oak veneer\nHung, with butt hinges in brass", 9, "pc", 23600),
    ("Panelled door, glazed, oak veneer", 2, "pc", 31200),
    ("Mortice latch, heavy sprung", 11, "pc", 1875),
    ("Lever handle on rose, aged brass, pair", 11, "pair", 3450),
    ("Sash window, box frame, double glazed\nMade to survey of 4 May, drawing W3", 6, "pc", 98000),
    ("Sash weight, cast iron, pair", 6, "pair", 2260),
    ("Window board, oak, 240 x 32 mm", 14, "m", 4120),
    ("Staircase string, repair in oak", 1, "pc", 36500),
    ("Tread, oak, bullnosed, replaced", 7, "pc", 6480),
    ("Spindle, turned to pattern", 26, "pc", 1490),
    ("Handrail, moulded, sanded and oiled", 8, "m", 7350),
    ("Newel cap, acorn, turned", 2, "pc", 2800),
    ("Larder shelves, beech ply, 18 mm\nCut to template and edged", 12, "pc", 2975),
    ("Kitchen plinth, moisture resistant", 9, "m", 1820),
    ("Bookcase, adjustable, painted carcase", 3, "pc", 64900),
    ("Loft hatch, insulated, with ladder", 1, "pc", 28750),
    ("Threshold strip, oak, tapered", 11, "pc", 1180),
    ("Fixings and adhesives, as listed", 1, "lot", 14360),
    ("Fitting, joiner, first visit", 46, "hour", 4200),
    ("Fitting, joiner, second visit", 31, "hour", 4200),
    ("Fitting, apprentice", 52, "hour", 1950),
    ("Delivery in two loads", 2, "load", 8500),
    ("Removal of old doors and linings", 1, "lot", 19500),
]


def money(pence: int) -> str:
    return f"{pence // 100:,}.{pence % 100:02d}"


def item_rows(first: int, last: int) -> list[list[str]]:
    """The table rows of some items, after the row of column titles."""
    rows = [COLUMNS]
    for number, (text, count, unit, price) in enumerate(ITEMS[first:last], first + 1):
        rows.append([str(number), text, str(count), unit, money(price), money(count * price)])
    return rows


def logo() -> Image.Image:
    """A dovetail joint in a rounded square."""
    canvas = Canvas(64, 64)
    canvas.box(0, 0, 64, 64, GREEN, None, 10)
    xs = (0, 12, 8, 28, 24, 40, 36, 56, 52, 64, 64, 0)
    ys = (40, 40, 18, 18, 40, 40, 18, 18, 40, 40, 46, 46)
    canvas.shape(list(zip(xs, ys, strict=True)), (236, 214, 170))
    return canvas.to_image()


def draw_footer(page: Page, number: int) -> None:
    page.fill((LEFT, 1032, RIGHT, 1033), (206, 212, 208))
    line = "Brightfen Joinery Ltd · Unit 4, Maltings Lane, Corve · accounts@brightfen.example · Company 0482 117"
    page.text("Page-footer", LEFT, 1042, 620, line, SMALL)
    page.text("Page-footer", LEFT, 1042, WIDTH, f"Page {number} of 3", Style(11.2, 15, GREY, align="right"))


def letterhead(page: Page) -> None:
    page.picture(logo(), LEFT, 54)
    sender = "Brightfen Joinery Ltd\nUnit 4, Maltings Lane, Corve\nTelephone 0555 010 417"
    page.text("Text", LEFT + 82, 58, 300, sender, Style(13, 19, INK))
    page.text("Title", LEFT, 54, WIDTH, "INVOICE", Style(38, 46, GREEN, bold=True, align="right", tracking=2))


def addresses(page: Page) -> None:
    """The addresses of the customer and of the delivery, and the invoice data."""
    blocks = [
        ("Billed to", "Calder and Wynn Architects\nAccounts\n18 Tenter Street\nLower Stannet"),
        ("Delivered to", "The Old Rectory\nChurch Walk, Ambleford\nAsk for Mrs Tolland"),
    ]
    for x, (head, text) in zip((LEFT, LEFT + 236), blocks, strict=True):
        page.text("Section-header", x, 164, 220, head, HEAD)
        page.text("Text", x, 186, 220, text, BODY)
    facts = [("Invoice", NUMBER), ("Date", "19 June 2023"), ("Your order", "CW/1183"), ("Due", "19 July 2023")]
    boxes = []
    for row, (name, value) in enumerate(facts):
        boxes.append(page.line(LEFT + 500, 178 + 22 * row, name, Style(13, 18, GREY)))
        boxes.append(page.line(RIGHT, 178 + 22 * row, value, Style(13, 18, INK, bold=row == 0, align="right")))
    page.mark("Text", union(*boxes))


def first_page() -> Page:
    page = Page("invoice_p1")
    letterhead(page)
    addresses(page)
    page.fill((LEFT, 272, RIGHT, 274), GREEN)
    intro = "Work and materials for the refurbishment of the Old Rectory, as ordered on 2 May and amended on 16 May."
    page.text("Text", LEFT, 288, WIDTH, intro, BODY)
    y = draw_table(page, LEFT, 324, WIDTHS, "llrlrr", item_rows(0, 17), LOOK)[3]
    carried = money(sum(count * price for _, count, _, price in ITEMS[:17]))
    page.text(
        "Text", LEFT, y + 12, WIDTH - 7, f"Carried over   {carried}", Style(12.4, 17, INK, italic=True, align="right")
    )
    draw_footer(page, 1)
    return page


def totals(page: Page, y: int) -> int:
    """The table of totals, on the right below the items; returns the y below it."""
    net = sum(count * price for _, count, _, price in ITEMS)
    discount = net * 25 // 1000
    tax = (net - discount) * 20 // 100
    paid = 850000
    rows = [
        ["Summary", "GBP"],
        ["Net amount", money(net)],
        ["Trade discount, 2.5 %", f"-{money(discount)}"],
        ["Value added tax, 20 %", money(tax)],
        ["Paid on account, 8 May", f"-{money(paid)}"],
        ["Amount due", money(net - discount + tax - paid)],
    ]
    look = Look(Style(13, 18, INK), 6, "rows", rule=(150, 164, 156), total=True)
    return draw_table(page, RIGHT - 320, y, [200, 120], "lr", rows, look)[3]


def second_page() -> Page:
    page = Page("invoice_p2")
    page.text("Page-header", LEFT, 50, 400, f"Invoice {NUMBER}, continued", SMALL)
    page.text("Page-header", LEFT, 50, WIDTH, "19 June 2023", Style(11.2, 15, GREY, align="right"))
    y = draw_table(page, LEFT, 84, WIDTHS, "llrlrr", item_rows(17, len(ITEMS)), LOOK)[3]
    end = totals(page, y + 26)
    page.text("Section-header", LEFT, y + 30, 300, "Notes", HEAD)
    notes = [
        "Items 10 and 11 carry a guarantee of ten years from the date of fitting.",
        "The two spare spindles were left in the larder.",
        "Retention of 5 % does not apply to this order.",
    ]
    item = Paragraph("List-item", "", Style(12.6, 17, INK), before=7, hang=18)
    blocks = [Paragraph(item.label, text, item.style, 7, 0, 18, f"{row}.") for row, text in enumerate(notes, 1)]
    flow(blocks, page, (LEFT, y + 54, LEFT + 340, 1000))
    ask = "Please quote the number of this invoice with your payment. The terms and our bank are on the next page."
    page.text("Text", LEFT, end + 24, WIDTH, ask, BODY)
    note = "Prices are those of our quotation Q-3390 of 28 April. Quantities were measured on site by both "
    page.text("Footnote", LEFT, max(end + 40, 960), WIDTH, note + "parties on 14 June and agreed in writing.", SMALL)
    draw_footer(page, 2)
    return page


TERMS = [
    "Payment is due within thirty days of the date of this invoice, without deduction.",
    "Goods remain the property of Brightfen Joinery until they have been paid for in full.",
    "A fault that can be seen must be reported within ten days of fitting. We will put it right at our own cost.",
    "Timber moves. Gaps of up to two millimetres in the first winter are not a fault.",
]


def third_page() -> Page:
    page = Page("invoice_p3")
    page.text("Page-header", LEFT, 50, 400, f"Invoice {NUMBER}, continued", SMALL)
    page.text("Section-header", LEFT, 92, 400, "Terms of payment", Style(17, 23, GREEN, bold=True))
    text = "Thank you for your custom. These are the terms on which the order was accepted; the full text hangs in our "
    page.text("Text", LEFT, 124, WIDTH, text + "office and can be sent on request.", BODY)
    blocks = [Paragraph("List-item", term, BODY, 8, 0, 22, f"{row}.") for row, term in enumerate(TERMS, 1)]
    y = flow(blocks, page, (LEFT, 176, RIGHT, 600))
    page.text("Section-header", LEFT, y + 30, 400, "How to pay", Style(17, 23, GREEN, bold=True))
    rows = [
        ["By transfer", ""],
        ["Account name", "Brightfen Joinery Ltd"],
        ["Bank", "Corve Valley Savings Bank"],
        ["Account", "0417 2290 0063"],
        ["Reference", NUMBER],
    ]
    look = Look(Style(12.6, 17, INK), 6, "grid", head_fill=(232, 240, 234), rule=(150, 164, 156))
    y = draw_table(page, LEFT, y + 64, [180, 300], "ll", rows, look)[3]
    ask = "Questions about this invoice are answered by Petra Lunn on weekdays between nine and four."
    y = page.text("Text", LEFT, y + 20, WIDTH, ask, BODY)[3]
    page.text(
        "Footnote", LEFT, y + 40, WIDTH, "Interest on late payment is charged at 4 % above the rate of the bank.", SMALL
    )
    draw_footer(page, 3)
    return page


def draw_invoice() -> list[Page]:
    return [first_page(), second_page(), third_page()]
