"""A canvas for SVG drawings: shapes, texts, arrows and grids in the colours of a theme, given by name.

Drawings have no ids and no external references, so one page can contain several.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

# (light, dark). Text on fills has the colour `ink`; NAME_ink is a darker or lighter form of the fill NAME, for lines
# and text directly on the paper.
DRAWING_COLOURS = {
    "paper": ("#fbfcfd", "#161b22"), "edge": ("#d5dbe2", "#343c46"), "cell": ("#ffffff", "#1e252e"),
    "ink": ("#1b2430", "#e8edf2"), "soft": ("#56616e", "#a7b1bc"), "line": ("#bcc5cf", "#4a5561"),
    "accent": ("#0f766e", "#4fd1c1"), "strong": ("#6ea8e2", "#2b69a6"), "none": ("none", "none"),
    "hit": ("#c5ddf5", "#1f4870"), "miss": ("#fbdcb8", "#5b3d16"), "lost": ("#f7c6ba", "#642f27"),
    "calm": ("#dde4eb", "#333d48"), "hit_ink": ("#1c5fa6", "#8cc4ff"), "miss_ink": ("#9a4a06", "#f5b86e"),
    "lost_ink": ("#a8321f", "#ff9f8c"), "calm_ink": ("#4b5866", "#bcc7d2"),
}  # fmt: skip
# The letters of a grid pattern, one per cell; any other letter is a hatched cell.
FILLS = {"S": "strong", "h": "hit", "m": "miss", "l": "lost", "c": "calm", "-": "cell"}
WIDTH = 1000


Pair = tuple[float, float]  # a point (x, y), or a span (start, length) along one axis


class Canvas:
    """Collects the elements of an SVG drawing; colours are given by name."""

    def __init__(self, title: str, description: str, height: int, dark: bool) -> None:
        self.theme = {name: pair[dark] for name, pair in DRAWING_COLOURS.items()}
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        head += f'height="{height}" role="img" font-family="system-ui, sans-serif" font-size="13">'
        self.parts = [head, f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>"]
        self.rect(0.5, 0.5, WIDTH - 1, height - 1, "paper", "edge", rx=12)

    def add(self, tag: str, inside: str = "", /, **attributes: object) -> None:
        pairs = ((k.replace("_", "-"), f"{v:g}" if isinstance(v, float) else str(v)) for k, v in attributes.items())
        given = "".join(f" {name}={quoteattr(value)}" for name, value in pairs)
        self.parts.append(f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>")

    def rect(self, x: float, y: float, w: float, h: float, fill: str, edge: str, **more: object) -> None:
        self.add("rect", x=x, y=y, width=w, height=h, fill=self.theme[fill], stroke=self.theme[edge], **more)

    def text(self, x: float, y: float, text: str, fill: str = "ink", anchor: str = "start", **more: object) -> None:
        """Text with its first baseline at y; line breaks are kept."""
        for k, line in enumerate(text.splitlines()):
            self.add("text", escape(line), x=x, y=y + 17 * k, fill=self.theme[fill], text_anchor=anchor, **more)

    def bold(self, x: float, y: float, text: str, fill: str = "ink", anchor: str = "start", size: int = 13) -> None:
        self.text(x, y, text, fill, anchor, font_weight=600, font_size=size)

    def path(self, points: Sequence[Pair], colour: str, width: float = 1) -> None:
        d = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        self.add("path", d=d, fill="none", stroke=self.theme[colour], stroke_width=width, stroke_linejoin="round")

    def arrow(self, points: Sequence[Pair], colour: str) -> None:
        """An arrow along the points with its tip at the last one; the last segment is horizontal or vertical."""
        (x0, y0), (x, y) = points[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        bx, by = x - 8 * dx, y - 8 * dy
        self.path([*points[:-1], (bx, by)], colour, 2)
        corners = f"{x:g},{y:g} {bx - 5 * dy:g},{by - 5 * dx:g} {bx + 5 * dy:g},{by + 5 * dx:g}"
        self.add("polygon", points=corners, fill=self.theme[colour])

    def heading(self, x: float, y: float, text: str, note: str, number: int = 0) -> None:
        """A heading with a note below it; a numbered step gets a circle with its number."""
        if number:
            self.add("circle", cx=x + 10, cy=y - 5, r=10, fill=self.theme["accent"])
            self.bold(x + 10, y - 0.5, str(number), "paper", "middle")
        self.bold(x + 28 * bool(number), y, text, size=16)
        self.text(x, y + 20, note, "soft")

    def callout(self, x: float, y: float, text: str, colour: str, note: str = "") -> None:
        """Text to the right of a cell, connected to it by a line."""
        self.path([(x - 32, y), (x - 6, y)], colour, 1.5)
        self.bold(x, y + 4, text, colour)
        self.text(x, y + 21 + 17 * text.count("\n"), note, "soft")

    def grid(self, columns: Sequence[Pair], rows: Sequence[Pair], pattern: Sequence[str], texts: object = None) -> None:
        """Cells filled by a pattern of letters (see FILLS), with optional texts in them."""
        for i, (y, h) in enumerate(rows):
            for j, (x, w) in enumerate(columns):
                self.rect(x, y, w, h, FILLS.get(pattern[i][j], "paper"), "line")
                for a, b in () if pattern[i][j] in FILLS else ((0, 0.5), (0, 1), (0.5, 1)):
                    self.path([(x + a * w, y + b * h), (x + b * w, y + a * h)], "line")
                if isinstance(texts, Sequence):
                    self.text(x + w / 2, y + h / 2 + 5, str(texts[i][j]), anchor="middle")

    def names(self, columns: Sequence[Pair], rows: Sequence[Pair], labels: Sequence[str], slant: int = 0) -> None:
        """The labels of a matrix, rows at the left and columns on top, and the axis names in the corner."""
        left, top = columns[0][0] - 9, rows[0][0] - 9
        for label, (y, h), (x, w) in zip(labels, rows, columns):
            self.text(left, y + h / 2 + 5, label, anchor="end")
            turn = {"transform": f"rotate({-slant} {x + w / 2:g} {top:g})"} if slant else {}
            self.text(x + w / 2, top, label, anchor="start" if slant else "middle", **turn)
        self.bold(left, top - 17, "pred →\ngt ↓", "accent", "end")

    def svg(self) -> str:
        return "\n".join([*self.parts, "</svg>\n"])


def spans(start: float, *sizes: float) -> list[Pair]:
    """(start, size) of adjacent spans, one for each size."""
    return [(start + sum(sizes[:i]), size) for i, size in enumerate(sizes)]
