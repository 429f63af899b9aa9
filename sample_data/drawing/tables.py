"""Tables: rows of text in columns, with rules, fills or stripes."""

from dataclasses import dataclass, replace

from .page import Box, Colour, Page, Style, baseline, union

RULE = (120, 120, 126)
CELL = Style(12.2, 16)


@dataclass(frozen=True)
class Look:
    """The look of a table: its rules, its fills and the style of its text."""

    style: Style = CELL
    pad: int = 4  # above and below the text of a row
    rules: str = "book"  # book: a few horizontal rules; rows: one below each row; grid: all
    head_fill: Colour | None = None
    head_colour: Colour = (25, 25, 28)
    stripe: Colour | None = None
    rule: Colour = RULE
    total: bool = False  # the last row is a sum: bold, with a rule above


def row_style(look: Look, row: int, count: int) -> Style:
    if row == 0:
        return replace(look.style, bold=True, colour=look.head_colour)
    return replace(look.style, bold=look.total and row == count - 1)


def row_fill(look: Look, row: int) -> Colour | None:
    if row == 0:
        return look.head_fill
    return look.stripe if row % 2 == 0 else None


def draw_cells(page: Page, x: int, y: int, widths: list[int], aligns: str, cells: list[str], style: Style) -> list[Box]:
    """Draw the texts of one row; the text after a line break in a cell is smaller."""
    boxes = []
    for width, align, cell in zip(widths, aligns, cells, strict=True):
        side = {"l": ("left", x + 7), "c": ("centre", x + width // 2), "r": ("right", x + width - 7)}[align]
        for row, text in enumerate(cell.split("\n") if cell else []):
            small = replace(style, size=style.size - 1.2, colour=(105, 105, 112)) if row else style
            line = replace(small, align=side[0])
            boxes.append(page.line(side[1], baseline(y + row * style.leading, line), text, line))
        x += width
    return boxes


def rule_thickness(look: Look, row: int, count: int) -> int:
    """The thickness of the rule below a row; 0 for none."""
    if row in (0, count - 1):
        return 1 if look.rules != "book" or row == 0 else 2
    if look.total and row == count - 2:
        return 1
    return 1 if look.rules in ("rows", "grid") else 0


def draw_table(page: Page, x: int, y: int, widths: list[int], aligns: str, rows: list[list[str]], look: Look) -> Box:
    """Draw a table with its top left corner at (x, y) and record it; the first row is the header."""
    right, top, boxes = x + sum(widths), y, []
    if look.rules in ("book", "grid"):
        boxes.append(page.fill((x, y, right, y + (2 if look.rules == "book" else 1)), look.rule))
        y += 2
    for number, cells in enumerate(rows):
        style = row_style(look, number, len(rows))
        height = 2 * look.pad + style.leading * max(cell.count("\n") + 1 for cell in cells)
        if fill := row_fill(look, number):
            boxes.append(page.fill((x, y, right, y + height), fill))
        boxes += draw_cells(page, x, y + look.pad, widths, aligns, cells, style)
        y += height
        if thickness := rule_thickness(look, number, len(rows)):
            boxes.append(page.fill((x, y - thickness, right, y), look.rule))
    if look.rules == "grid":
        boxes += draw_column_rules(page, x, top, y, widths, look)
    return page.mark("Table", union(*boxes))


def draw_column_rules(page: Page, x: int, top: int, bottom: int, widths: list[int], look: Look) -> list[Box]:
    """Draw the vertical rules of a grid."""
    edges = [x + sum(widths[:count]) for count in range(len(widths) + 1)]
    return [page.fill((edge - (edge > x), top, edge + (edge == x), bottom), look.rule) for edge in edges]
