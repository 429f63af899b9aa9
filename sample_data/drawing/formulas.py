"""Displayed formulas, composed of small masks: letters, scripts, fractions, sums and roots."""

import math
from dataclasses import dataclass

from PIL import Image, ImageDraw

from .page import SCALE, Page, Style, text_mask, union


@dataclass(frozen=True)
class Piece:
    """A part of a formula: a mask and the y of its axis, the line on which fraction bars lie."""

    mask: Image.Image
    axis: int

    @property
    def below(self) -> int:
        return self.mask.height - self.axis


def minus(size: float = 16) -> Piece:
    """A drawn minus sign: the font has only a hyphen, which is too short."""
    width = round(size * 0.6)
    return Piece(line_mask(width, 3, [(0, 1.5), (width, 1.5)], size * 0.08), 1)


def letters(text: str, size: float = 16, italic: bool = True) -> Piece:
    """Some letters, cropped to their width but not to their height, so that all pieces share a baseline."""
    if " - " in text:
        left, _, right = text.partition(" - ")
        return in_row(letters(left, size, italic), minus(size), letters(right, size, italic))
    mask, base = text_mask(text, Style(size, italic=italic))
    left, _, right, _ = mask.getbbox() or (0, 0, 1, 1)
    return Piece(mask.crop((left, 0, right, mask.height)), base - round(size * 0.3))


def in_row(*pieces: Piece, gap: int = 4) -> Piece:
    """Pieces next to each other on one axis."""
    axis = max(p.axis for p in pieces)
    height = axis + max(p.below for p in pieces)
    mask = Image.new("L", (sum(p.mask.width for p in pieces) + gap * (len(pieces) - 1), height))
    x = 0
    for piece in pieces:
        mask.paste(piece.mask, (x, axis - piece.axis))
        x += piece.mask.width + gap
    return Piece(mask, axis)


def script(base: Piece, below: str = "", above: str = "", size: float = 11) -> Piece:
    """A piece with a subscript, a superscript or both."""
    rows = [(letters(text, size), dy) for text, dy in ((below, 7), (above, -8)) if text]
    width = base.mask.width + 1 + max(p.mask.width for p, _ in rows)
    axis = max(base.axis, *(p.axis - dy for p, dy in rows))
    height = axis + max(base.below, *(p.below + dy for p, dy in rows))
    mask = Image.new("L", (width, height))
    mask.paste(base.mask, (0, axis - base.axis))
    for piece, dy in rows:
        shift = 1 if dy > 0 else -1  # slanted letters end further left at the bottom and further right at the top
        mask.paste(piece.mask, (base.mask.width - shift, axis - piece.axis + dy), piece.mask)
    return Piece(mask, axis)


def fraction(above: Piece, below: Piece) -> Piece:
    top, bottom = above.mask.getbbox(), below.mask.getbbox()
    above_ink, below_ink = above.mask.crop(top), below.mask.crop(bottom)
    width = max(above_ink.width, below_ink.width) + 8
    axis = above_ink.height + 4
    mask = Image.new("L", (width, axis + 5 + below_ink.height))
    mask.paste(above_ink, ((width - above_ink.width) // 2, 0))
    mask.paste(255, (0, axis, width, axis + 1))
    mask.paste(below_ink, ((width - below_ink.width) // 2, axis + 5))
    return Piece(mask, axis)


def line_mask(width: int, height: int, points: list[tuple[float, float]], thickness: float = 1.4) -> Image.Image:
    """A mask of a line through points, with smoothed edges."""
    mask = Image.new("L", (width * SCALE, height * SCALE))
    path = [(x * SCALE, y * SCALE) for x, y in points]
    ImageDraw.Draw(mask).line(path, fill=255, width=math.ceil(thickness * SCALE), joint="curve")
    return mask.reduce(SCALE)


def big_sum(below: str, above: str) -> Piece:
    """A summation sign with its limits; the sign is drawn, because the font has none."""
    sign = line_mask(24, 28, [(21, 7), (21, 2), (3, 2), (12, 14), (3, 26), (21, 26), (21, 21)], 1.8)
    low, high = (letters(text, 10.5).mask for text in (below, above))
    low, high = low.crop(low.getbbox()), high.crop(high.getbbox())
    width = max(24, low.width, high.width)
    mask = Image.new("L", (width, high.height + 3 + 28 + 3 + low.height))
    mask.paste(high, ((width - high.width) // 2, 0))
    mask.paste(sign, ((width - 24) // 2, high.height + 3))
    mask.paste(low, ((width - low.width) // 2, high.height + 34))
    return Piece(mask, high.height + 3 + 14)


def root(inside: Piece) -> Piece:
    ink = inside.mask.crop(inside.mask.getbbox())
    width, height = ink.width + 18, ink.height + 7
    hook = [(1, height * 0.6), (4, height * 0.52), (8, height - 2), (14, 2), (width, 2)]
    mask = line_mask(width, height, hook)
    mask.paste(ink, (16, 6))
    return Piece(mask, 6 + inside.axis - inside.mask.getbbox()[1])


@dataclass(frozen=True)
class Formula:
    """A displayed formula with its number at the right edge; it is placed in a column like a `Paragraph`."""

    piece: Piece
    number: str
    before: int = 8

    def place(self, page: Page, x: int, y: int, width: int, available: int) -> tuple[int, "Formula | None"]:
        """As `Paragraph.place`; a formula that does not fit is not drawn."""
        mask = self.piece.mask
        if mask.height + 10 > available:
            return 0, self
        style = Style(align="right")
        box = page.stamp(mask, x + (width - 30 - mask.width) // 2, y + 2, style.colour)
        number = page.line(x + width, y + 2 + self.piece.axis + 5, f"({self.number})", style)
        page.mark("Formula", union(box, number))
        return mask.height + 10, None


def pieces() -> list[Piece]:
    """Formulas of the kind that a paper on measurement has."""
    plain = {sign: letters(sign, italic=False) for sign in "=+()"}
    plain |= {sign: letters(sign, 36, italic=False) for sign in "[]"}
    eq, plus = plain["="], plain["+"]
    h, r, a = (script(letters(name), "c") for name in "hra")
    reading = in_row(a, script(letters("w"), "c"), letters("(t)"), gap=1)
    line = in_row(in_row(h, letters("(t)"), gap=1), eq, reading, plus, script(letters("b"), "c"))
    decay = in_row(letters("k"), script(letters("(1 - k)"), "", "i"), gap=2)
    past = in_row(script(letters("h"), "g"), letters("(t - d - i)"), gap=1)
    delay = in_row(in_row(r, letters("(t)"), gap=1), eq, big_sum("i = 0", "n"), decay, past)
    square = script(in_row(plain["("], h, minus(), r, plain[")"], gap=2), "", "2")
    spread = in_row(fraction(square, script(letters("s"), "t", "2")), plus, letters("2 log"), script(letters("s"), "t"))
    loss = in_row(letters("L"), eq, big_sum("t = 1", "N"), plain["["], spread, plain["]"], gap=3)
    mean = fraction(letters("1", italic=False), script(letters("N"), "q"))
    error = in_row(script(letters("E"), "q"), eq, root(in_row(mean, big_sum("t in Q", ""), square)))
    share = in_row(
        script(letters("p"), "i"),
        eq,
        fraction(script(letters("n"), "i"), in_row(big_sum("j = 1", "m"), script(letters("n"), "j"))),
    )
    return [line, delay, loss, error, share]
