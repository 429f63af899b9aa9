"""Invoices of one to three pages, with a table of items, totals, terms and bank details."""

from dataclasses import dataclass, replace

from .documents import Document
from .logos import make_logo
from .page import Colour, Page, Paragraph, Style, flow, union
from .prose import Writer
from .tables import Look, draw_table

LEFT, RIGHT, WIDTH = 64, 786, 722
GREY, INK = (104, 108, 106), (30, 32, 32)
BODY = Style(13, 18, INK)
SMALL = Style(11.2, 15, GREY)
ACCENTS = ((40, 84, 68), (36, 70, 120), (130, 58, 40), (70, 66, 90), (60, 62, 66))
COLUMNS = ("No.", "Description", "Quantity", "Unit", "Price", "Amount")
UNITS = ("pc", "m", "set", "pair", "hour", "lot")
FIRST_ROWS = {1: (6, 11), 2: (18, 20), 3: (18, 20)}  # items on the first page, by the number of pages

Item = tuple[str, int, str, int]  # description, quantity, unit, and price in pence, so that the sums are exact


@dataclass(frozen=True)
class InvoiceDesign:
    """The look and the data of one invoice."""

    writer: Writer
    accent: Colour
    look: Look
    firm: str
    number: str
    date: str
    items: tuple[Item, ...]
    on_first: int  # items on the first page

    @property
    def head(self) -> Style:
        return Style(12.4, 17, self.accent, bold=True)


def make_items(writer: Writer, rng, count: int) -> tuple[Item, ...]:
    items = []
    for _ in range(count):
        text = writer.entry("goods")
        if rng.random() < 0.15:
            text += f"\n{writer.entry('remarks')}"
        items.append((text, rng.randint(1, 40), rng.choice(UNITS), rng.randint(300, 60000) // 5 * 5))
    return tuple(items)


def make_design(document: Document) -> InvoiceDesign:
    rng, writer = document.rng("design"), Writer(document)
    accent, cell = rng.choice(ACCENTS), Style(12.2, 16, INK)
    looks = (
        Look(cell, 6, "rows", accent, "white", rule=(206, 212, 208)),
        Look(cell, 5, "grid", (236, 238, 236), accent, rule=(170, 174, 172)),
        Look(cell, 6, "book", stripe=(243, 245, 244)),
    )
    on_first = rng.randint(*FIRST_ROWS[document.pages])
    count = on_first + (rng.randint(5, 12) if document.pages > 1 else 0)
    firm = f"{writer.word('firm')} {rng.choice(('Ltd', 'and Sons', 'Workshops'))}"
    date = f"{rng.randint(1, 28)} June {document.year}"
    number = f"{firm[:2].upper()}-{rng.randint(10000, 29999)}"
    return InvoiceDesign(
        writer, accent, rng.choice(looks), firm, number, date, make_items(writer, rng, count), on_first
    )


def money(pence: int) -> str:
    return f"{pence // 100:,}.{pence % 100:02d}"


def amount(items: tuple[Item, ...]) -> int:
    return sum(count * price for _, count, _, price in items)


def draw_items(page: Page, design: InvoiceDesign, y: int, first: int, last: int) -> int:
    """The table of some items; returns the y below it."""
    rows = [list(COLUMNS)]
    for number, (text, count, unit, price) in enumerate(design.items[first:last], first + 1):
        rows.append([str(number), text, str(count), unit, money(price), money(count * price)])
    return draw_table(page, LEFT, y, [50, 352, 70, 60, 90, 100], "llrlrr", rows, design.look)[3]


def draw_footer(page: Page, design: InvoiceDesign, number: int, count: int) -> None:
    page.fill((LEFT, 1032, RIGHT, 1033), (206, 212, 208))
    line = f"{design.firm} · Unit 4, Maltings Lane · accounts@{design.firm.split()[0].lower()}.example"
    page.text("Page-footer", LEFT, 1042, 620, line, SMALL)
    page.text("Page-footer", LEFT, 1042, WIDTH, f"Page {number} of {count}", replace(SMALL, align="right"))


def draw_letterhead(page: Page, design: InvoiceDesign, rng) -> None:
    """Logo, sender and title; some invoices have the title on the left."""
    place = design.writer.word("place")
    sender = f"{design.firm}\nUnit 4, Maltings Lane, {place}\nTelephone 0555 010 {rng.randint(100, 999)}"
    style = Style(38, 46, design.accent, bold=True, tracking=2)
    if rng.random() < 0.6:
        page.picture(make_logo(rng, design.accent), LEFT, 54)
        page.text("Text", LEFT + 82, 58, 300, sender, Style(13, 19, INK))
        page.text("Title", LEFT, 54, WIDTH, "INVOICE", replace(style, align="right"))
    else:
        page.text("Title", LEFT, 54, 400, "Invoice", replace(style, tracking=0))
        page.text("Text", LEFT, 58, WIDTH, sender, Style(13, 19, INK, align="right"))


def draw_addresses(page: Page, design: InvoiceDesign, rng) -> None:
    """The address of the customer, perhaps that of the delivery, and the invoice data."""
    writer = design.writer
    heads = ("Billed to", "Delivered to") if rng.random() < 0.5 else ("Billed to",)
    for x, head in zip((LEFT, LEFT + 236), heads, strict=False):
        text = f"{writer.word('firm')}\n{rng.randint(1, 60)} Tenter Street\n{writer.word('place')}"
        page.text("Section-header", x, 164, 220, head, design.head)
        page.text("Text", x, 186, 220, text, BODY)
    facts = [("Invoice", design.number), ("Date", design.date), ("Your order", f"CW/{rng.randint(1000, 1999)}")]
    boxes = []
    for row, (name, value) in enumerate(facts):
        boxes.append(page.line(LEFT + 500, 178 + 22 * row, name, Style(13, 18, GREY)))
        boxes.append(page.line(RIGHT, 178 + 22 * row, value, Style(13, 18, INK, bold=row == 0, align="right")))
    page.mark("Text", union(*boxes))


def draw_totals(page: Page, design: InvoiceDesign, y: int, rng) -> int:
    """The table of totals, on the right below the items; returns the y below it."""
    net = amount(design.items)
    rows = [["Summary", "GBP"], ["Net amount", money(net)]]
    if rng.random() < 0.5:
        discount = net * 25 // 1000
        rows.append(["Trade discount, 2.5 %", f"-{money(discount)}"])
        net -= discount
    tax = net * 20 // 100
    rows += [["Value added tax, 20 %", money(tax)], ["Amount due", money(net + tax)]]
    look = Look(Style(13, 18, INK), 6, "rows", rule=(150, 164, 156), total=True)
    return draw_table(page, RIGHT - 320, y, [200, 120], "lr", rows, look)[3]


def draw_list(page: Page, design: InvoiceDesign, y: int, width: int, count: int) -> int:
    """Numbered terms or notes; returns the y below them."""
    texts = [design.writer.entry("items") for _ in range(count)]
    blocks = [Paragraph("List-item", text, BODY, 8, 0, 22, f"{row}.") for row, text in enumerate(texts, 1)]
    return flow(blocks, page, (LEFT, y, LEFT + width, 1010))


def draw_end(page: Page, design: InvoiceDesign, y: int, rng) -> None:
    """Totals, notes beside them, a request and a footnote."""
    end = draw_totals(page, design, y + 26, rng)
    if rng.random() < 0.7:
        page.text("Section-header", LEFT, y + 30, 300, "Notes", design.head)
        end = max(end, draw_list(page, design, y + 54, 340, rng.randint(2, 3)))
    end = page.text("Text", LEFT, end + 24, WIDTH, design.writer.entry("asks"), BODY)[3]
    if rng.random() < 0.7:
        page.text("Footnote", LEFT, max(end + 30, 960), WIDTH, design.writer.entry("notes"), SMALL)


def draw_terms(page: Page, design: InvoiceDesign, rng) -> None:
    """The last page of a long invoice: terms and how to pay."""
    large = Style(17, 23, design.accent, bold=True)
    page.text("Section-header", LEFT, 92, 400, "Terms of payment", large)
    page.text("Text", LEFT, 124, WIDTH, design.writer.entry("asks"), BODY)
    y = draw_list(page, design, 156, WIDTH, rng.randint(3, 5))
    page.text("Section-header", LEFT, y + 30, 400, "How to pay", large)
    rows = [["By transfer", ""], ["Account name", design.firm], ["Bank", "Corve Valley Savings Bank"]]
    rows += [["Account", f"0417 {rng.randint(1000, 9999)} 0063"], ["Reference", design.number]]
    look = Look(Style(12.6, 17, INK), 6, "grid", head_fill=(232, 240, 234), rule=(150, 164, 156))
    y = draw_table(page, LEFT, y + 64, [180, 300], "ll", rows, look)[3]
    y = page.text("Text", LEFT, y + 20, WIDTH, design.writer.entry("asks"), BODY)[3]
    page.text("Footnote", LEFT, y + 40, WIDTH, design.writer.entry("notes"), SMALL)


def draw_first(page: Page, design: InvoiceDesign, rng) -> int:
    draw_letterhead(page, design, rng)
    draw_addresses(page, design, rng)
    page.fill((LEFT, 272, RIGHT, 274), design.accent)
    y = page.text("Text", LEFT, 288, WIDTH, design.writer.entry("intros"), BODY)[3]
    return draw_items(page, design, y + 18, 0, design.on_first)


def draw_invoice(document: Document) -> list[Page]:
    design, rng = make_design(document), document.rng("pages")
    pages = [Page(name) for name in document.page_names]
    y = draw_first(pages[0], design, rng)
    if document.pages > 1:
        carried = f"Carried over   {money(amount(design.items[: design.on_first]))}"
        style = Style(12.4, 17, INK, italic=True, align="right")
        pages[0].text("Text", LEFT, y + 12, WIDTH - 7, carried, style)
        y = draw_items(pages[1], design, 84, design.on_first, len(design.items))
    draw_end(pages[min(1, document.pages - 1)], design, y, rng)
    for number, page in enumerate(pages, 1):
        if number > 1:
            page.text("Page-header", LEFT, 50, 400, f"Invoice {design.number}, continued", SMALL)
            page.text("Page-header", LEFT, 50, WIDTH, design.date, replace(SMALL, align="right"))
        if number == 3:
            draw_terms(page, design, rng)
        draw_footer(page, design, number, document.pages)
    return pages
