"""A page to draw on; it records every region with the tight box around what was drawn.

All text uses the scalable font that is included in Pillow; bold is a thin stroke and italic a slant, so that the pages
do not depend on installed fonts. Boxes are (x0, y0, x1, y1), x1 and y1 excluded.
"""

import math
from dataclasses import dataclass, replace
from functools import cache

from PIL import Image, ImageChops, ImageDraw, ImageFont

SIZE = (850, 1100)  # US letter at 100 dots per inch
SCALE = 4  # text is drawn larger and then reduced; otherwise letters are set on whole pixels and look uneven
FAINT = 24  # mask values (0 to 255) below this are only a smoothed edge and do not count as ink
SLANT = 0.2

Box = tuple[int, int, int, int]
Colour = tuple[int, int, int] | str


@dataclass(frozen=True)
class Style:
    """The look of a text; sizes are in pixels."""

    size: float = 13.4
    leading: int = 18
    colour: Colour = (25, 25, 28)
    bold: bool = False
    italic: bool = False
    align: str = "left"  # left, centre, right or justify
    tracking: float = 0  # extra space after each letter

    @property
    def stroke(self) -> float:
        return self.size * SCALE * 0.026 if self.bold else 0


@dataclass(frozen=True)
class Region:
    """One region; `role` says more than its label.

    "table" or "picture" for a caption, "chart" for a picture, "reference" for a list item, or "".
    """

    label: str
    box: Box
    role: str = ""


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    # Every Pillow build has the basic layout engine; the other one needs a system library.
    return ImageFont.load_default(size=size * SCALE).font_variant(layout_engine=ImageFont.Layout.BASIC)


def text_width(text: str, style: Style) -> float:
    return font(style.size).getlength(text) / SCALE + style.tracking * len(text)


def union(*boxes: Box) -> Box:
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def wrap(text: str, style: Style, width: float, first: float = 0) -> list[str]:
    """Break text into lines of at most `width`; the first line is shorter by `first`."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        available = width - (0 if lines else first)
        if line and text_width(longer, style) > available:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


def text_mask(text: str, style: Style, stretch: float = 0) -> tuple[Image.Image, int]:
    """A mask of one line of text and the y of its baseline; `stretch` is the total width added between the words.

    The text starts one `size` from the left, which leaves space for slanted and stroked letters.
    """
    pad, height = math.ceil(style.size), math.ceil(style.size * 1.7)
    base = math.ceil(style.size * 1.2)
    width = math.ceil(text_width(text, style) + stretch) + 2 * pad
    mask = Image.new("L", (width * SCALE, height * SCALE))
    draw, face = ImageDraw.Draw(mask), font(style.size)
    gap = stretch / max(text.count(" "), 1)
    x = float(pad)
    for piece in text if style.tracking else text.replace(" ", " \0").split("\0"):
        draw.text((x * SCALE, base * SCALE), piece, 255, face, anchor="ls", stroke_width=style.stroke)
        x += text_width(piece, style) + (gap if piece.endswith(" ") else 0)
    if style.italic:
        shear = (1, SLANT, -SLANT * base * SCALE, 0, 1, 0)
        mask = mask.transform(mask.size, Image.Transform.AFFINE, shear, Image.Resampling.BICUBIC)
    return mask.reduce(SCALE), base


def ink_box(mask: Image.Image) -> Box:
    """The tight box around the visible pixels of a mask."""
    box = mask.point(lambda value: 255 if value >= FAINT else 0).getbbox()
    if box is None:
        raise ValueError("nothing was drawn, so there is no box around it")
    return box


class Page:
    """One page image and the regions drawn on it."""

    def __init__(self, name: str, colour: Colour = "white"):
        self.name = name
        self.image = Image.new("RGB", SIZE, colour)
        self.regions: list[Region] = []

    def mark(self, label: str, box: Box, role: str = "") -> Box:
        """Record a region."""
        self.regions.append(Region(label, box, role))
        return box

    def stamp(self, mask: Image.Image, x: int, y: int, colour: Colour) -> Box:
        """Colour the page through a mask; returns the box of the ink."""
        self.image.paste(Image.new("RGB", mask.size, colour), (x, y), mask)
        box = ink_box(mask)
        return (x + box[0], y + box[1], x + box[2], y + box[3])

    def fill(self, box: Box, colour: Colour) -> Box:
        self.image.paste(colour, box)
        return box

    def line(self, x: float, baseline: int, text: str, style: Style, stretch: float = 0) -> Box:
        """Draw one line of text; x is its left edge, centre or right edge, depending on the alignment of the style."""
        width = text_width(text, style)
        left = x - {"centre": width / 2, "right": width}.get(style.align, 0)
        mask, base = text_mask(text, style, stretch)
        return self.stamp(mask, round(left) - math.ceil(style.size), baseline - base, style.colour)

    def lines(self, x: int, y: int, lines: list[str], style: Style, width: int = 0, first: int = 0, ends=True) -> Box:
        """Draw lines of text below each other from the top y; `ends`: the last line ends a paragraph.

        Justified lines are stretched to the width, except for the end of a paragraph.
        """
        boxes = []
        for row, text in enumerate(lines):
            inset = first if row == 0 else 0
            last = ends and row == len(lines) - 1
            justified = style.align == "justify" and not last
            stretch = width - inset - text_width(text, style) if justified else 0
            line_x = x + {"centre": width / 2, "right": width}.get(style.align, inset)
            boxes.append(self.line(line_x, baseline(y + row * style.leading, style), text, style, stretch))
        return union(*boxes)

    def text(self, label: str, x: int, y: int, width: int, text: str, style: Style, role: str = "") -> Box:
        """Draw a wrapped paragraph from the top y and record it as one region; line breaks in the text are kept."""
        lines = [line for part in text.split("\n") for line in wrap(part, style, width)]
        return self.mark(label, self.lines(x, y, lines, style, width), role)

    def picture(self, picture: Image.Image, x: int, y: int, role: str = "") -> Box:
        """Paste a picture and record it as a region; a white border is not part of its box."""
        self.image.paste(picture, (x, y))
        box = ink_box(ImageChops.invert(picture.convert("L")))
        return self.mark("Picture", (x + box[0], y + box[1], x + box[2], y + box[3]), role)


def baseline(top: int, style: Style) -> int:
    """The baseline of a line of text with this top; the letters are centred a little below its middle."""
    return top + round((style.leading + style.size * 0.7) / 2)


@dataclass(frozen=True)
class Paragraph:
    """A piece of flowing text: paragraph, heading or list item."""

    label: str
    text: str
    style: Style
    before: int = 0  # space above, except at the top of a column
    first: int = 0  # inset of the first line
    hang: int = 0  # inset of all lines; the marker is left of the first line
    marker: str = ""
    keep: int = 0  # space required below, so that a heading never ends a column
    role: str = ""
    whole: bool = False  # never broken into two parts

    def place(self, page: Page, x: int, y: int, width: int, available: int) -> tuple[int, "Paragraph | None"]:
        """Draw the lines that fit into the available height; return the height used and the rest, if any."""
        lines = wrap(self.text, self.style, width - self.hang, self.first)
        count = min(len(lines), (available - self.keep) // self.style.leading)
        if count < len(lines):
            count = min(count, len(lines) - 2)  # neither part of a broken paragraph is a single line
            if count < 2 or self.keep or self.whole:
                return 0, self
        ends = count == len(lines)
        box = page.lines(x + self.hang, y, lines[:count], self.style, width - self.hang, self.first, ends)
        if self.marker:
            box = union(box, draw_marker(page, x, y, self.marker, self.style))
        page.mark(self.label, box, self.role)
        rest = None if ends else replace(self, text=" ".join(lines[count:]), first=0, marker="")
        return count * self.style.leading, rest


def draw_marker(page: Page, x: int, y: int, marker: str, style: Style) -> Box:
    """Draw the marker of a list item; a dot is drawn as a disc, because the font has none."""
    base = baseline(y, style)
    if marker != "dot":
        return page.line(x, base, marker, replace(style, align="left"))
    dot = Image.new("L", (7 * SCALE, 7 * SCALE))
    ImageDraw.Draw(dot).ellipse((SCALE, SCALE, 6 * SCALE, 6 * SCALE), fill=255)
    return page.stamp(dot.reduce(SCALE), x, base - 8, style.colour)


def unbroken(block):
    """A paragraph that is never broken, or a heading with more space below it; other blocks as they are."""
    if not isinstance(block, Paragraph):
        return block
    return replace(block, keep=150) if block.keep else replace(block, whole=True)


def flow(blocks: list, page: Page, frame: Box) -> int:
    """Move blocks from the list into a column until it is full; return the y below the last one."""
    x0, top, x1, bottom = frame
    y = top
    while blocks:
        gap = blocks[0].before if y > top else 0
        used, rest = blocks[0].place(page, x0, y + gap, x1 - x0, bottom - y - gap)
        y += gap + used if used else 0
        if rest is not None:
            blocks[0] = rest
            break
        blocks.pop(0)
    return y
