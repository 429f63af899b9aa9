"""Four SVG drawings that explain the method: the matrix, its collapse, label sets as bits, the causes of errors.

`python -m layoutcm.drawing.method_drawings FOLDER` writes them, light and dark. The counts in them are computed from
the examples.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.drawing.svg_canvas import Canvas, spans
from layoutcm.layouts.model import Floats
from layoutcm.outputs.files import write_whole
from layoutcm.wording import percent, thin_spaced

Box = tuple[str, int, int, int, int]  # label, x0, y0, x1, y1
# Example of `collapse`: pixels, rows gt, columns pred.
EXAMPLE_LABELS = ("Background", "Text", "Table", "Picture", "Caption")
EXAMPLE = ((812, 14, 3, 6, 2), (21, 240, 4, 0, 7), (6, 5, 96, 12, 0), (9, 0, 8, 131, 3), (4, 11, 0, 5, 28))
# Example of `bit_packing`: a page of 100 x 130 pixels, the marked pixel, and the labels in the order of their bits.
PAGE, PIXEL = (100, 130), (76, 65)
PAGE_LABELS = ("Background", "Picture", "Caption", "Text", "Table")
GT_BOXES: tuple[Box, ...] = (("Picture", 14, 14, 86, 80), ("Caption", 18, 56, 82, 74), ("Text", 14, 90, 86, 118))
PRED_BOXES: tuple[Box, ...] = (("Picture", 14, 14, 86, 80), ("Text", 14, 90, 86, 110))
CAUSES_PAGE = (560, 380)
TOLERANCE = 0.01  # of the longer side: larger than usual, to make slack visible
LEFT, TOP = 28, 84  # of the page in the drawing
COLUMNS, ROWS = 4, 2  # of the examples on the page, one for each cause
CAUSES_GT: tuple[Box, ...] = (
    ("Text", 20, 24, 120, 104), ("Text", 160, 24, 260, 104), ("Picture", 300, 24, 400, 84),
    ("Text", 440, 24, 540, 124), ("Text", 20, 214, 120, 250), ("Text", 20, 268, 120, 304),
    ("Table", 160, 214, 260, 284), ("Caption", 300, 214, 400, 264),
)  # fmt: skip
CAUSES_PRED: tuple[Box, ...] = (
    ("Text", 20, 24, 120, 109), ("Title", 160, 24, 260, 104), ("Picture", 300, 24, 400, 124),
    ("Text", 440, 24, 540, 64), ("Text", 440, 84, 540, 124), ("Text", 20, 214, 120, 304),
    ("Table", 160, 214, 260, 284), ("Table", 172, 240, 276, 300), ("Picture", 440, 214, 540, 294),
)  # fmt: skip
MEANINGS = {
    "slack": "only a border is off, by 1 % of the page or less",
    "label": "the region was found with another label",
    "size": "the region reaches too far, or not far enough",
    "split": "one region became several",
    "merge": "several regions became one",
    "duplicate": "a second region on one that was found",
    "missed": "only the ground truth has the region",
    "invented": "only the prediction has the region",
}


def matrix_structure(dark: bool = False) -> str:
    """Draw where hits and mistakes are in the matrix, for the same and for different labels on both sides."""
    description = "Rows are gt, columns pred. Same taxonomy: a perfect match is the diagonal, mistakes lie off it. "
    description += "Different taxonomies: a perfect match is the block of gt's rows and pred's columns."
    c = Canvas("Structure of the confusion matrix", description, 430, dark)
    c.path([(498, 28), (498, 402)], "edge")
    c.heading(28, 40, "Same taxonomy", "Background, then the common labels")
    columns, rows = spans(112, *[48] * 5), spans(146, *[48] * 5)
    c.grid(columns, rows, ["Smmmm", "mSmmm", "mmSmm", "mmmSm", "mmmmS"])
    c.names(columns, rows, EXAMPLE_LABELS, slant=40)
    c.callout(374, 218, "mistakes", "miss_ink", "off the diagonal")
    c.callout(374, 362, "perfect match\nis the diagonal", "hit_ink")
    _different_taxonomies(c)
    return c.svg()


def _different_taxonomies(c: Canvas) -> None:
    columns, rows = spans(616, *[34] * 7), spans(146, *[34] * 7)
    c.heading(522, 40, "Different taxonomies", "Background, then gt's labels, then pred's labels")
    c.grid(columns, rows, ["S   mmm", *["m   hhh"] * 3, *["       "] * 3])
    c.rect(columns[4][0], rows[1][0], 102, 102, "none", "hit_ink", stroke_width=2.5)
    c.names(columns, rows, ("Background", "Text", "Table", "Figure", "Paragraph", "Grid", "Image"), slant=40)
    for start, text in ((1, "gt's labels"), (4, "pred's labels")):
        x, y = columns[start][0], rows[start][0]
        c.path([(x + 2, 392), (x + 2, 397), (x + 100, 397), (x + 100, 392)], "soft")
        c.text(x + 51, 413, text, "soft", "middle")
        c.path([(536, y + 2), (531, y + 2), (531, y + 100), (536, y + 100)], "soft")
        c.text(523, y + 51, text, "soft", "middle", transform=f"rotate(-90 523 {y + 51:g})")
    c.callout(874, 160, "content missed\nor invented", "miss_ink")
    c.callout(874, 214, "a perfect match\nis a block", "hit_ink", "mistakes have\nno fixed place")
    c.callout(874, 333, "always empty", "soft")


def collapsed_example() -> tuple[int, int, int, int]:
    """The 2x2 cells of the example: Background agreed, content invented, content missed, content found."""
    (agreed, *invented), *rest = EXAMPLE
    return agreed, sum(invented), sum(row[0] for row in rest), sum(sum(row[1:]) for row in rest)


def collapse(dark: bool = False) -> str:
    """Draw how the matrix becomes the 2x2 of Background and Content, and the scores computed from it."""
    description = "The first cell stays. The rest of row 0 is summed: content invented; the rest of column 0: content "
    description += "missed; all other cells: content found. Recall, precision and F1 of Content follow."
    c = Canvas("Collapsing the matrix to Background and Content", description, 412, dark)
    columns, rows = [(116, 80), *spans(206, *[56] * 4)], [(118, 36), *spans(180, *[36] * 4)]
    c.heading(28, 40, "All labels", "pixels of an example")
    c.grid(columns, rows, ["cmmmm", *["lhhhh"] * 4], EXAMPLE)
    c.names(columns, rows, EXAMPLE_LABELS)
    c.heading(468, 40, "Background and Content", "each colour becomes one number, the sum of its cells")
    _two_by_two(c)
    c.arrow([(430, 136), (761, 136), (761, 186)], "miss_ink")
    c.arrow([(156, 154), (156, 163), (456, 163), (456, 244), (550, 244)], "calm_ink")
    c.arrow([(156, 180), (156, 171), (444, 171), (444, 320), (550, 320)], "lost_ink")
    c.arrow([(318, 324), (318, 364), (719, 364), (719, 340)], "hit_ink")
    _content_scores(c)
    c.text(
        116,
        392,
        "A label read as another label is content found: only Background is distinguished from the rest.",
        "soft",
    )
    return c.svg()


def _two_by_two(c: Canvas) -> None:
    columns, rows = spans(551, 112, 112), spans(187, 76, 76)
    c.grid(columns, rows, ["cm", "lh"])
    captions = ("C₀₀", "sum of row 0", "sum of column 0", "sum of the rest")
    for k, (number, caption) in enumerate(zip(collapsed_example(), captions)):
        x, y = columns[k % 2][0] + 56, rows[k // 2][0]
        c.bold(x, y + 38, str(number), anchor="middle", size=20)
        c.text(x, y + 60, caption, anchor="middle", font_size=12)
    c.names(columns, rows, ("Background", "Content"))


def _content_scores(c: Canvas) -> None:
    _, invented, missed, found = collapsed_example()
    figures = {"found": (found, "hit_ink"), "missed": (missed, "lost_ink"), "invented": (invented, "miss_ink")}
    lines = (
        ("recall", found / (missed + found), "found| / (|missed| + |found|)"),
        ("precision", found / (invented + found), "found| / (|invented| + |found|)"),
        ("F1", 2 * found / (2 * found + missed + invented), "2 × |found| / (2 × |found| + |missed| + |invented|)"),
    )
    c.bold(796, 198, "Read off for Content", "accent")
    for y, (name, value, formula) in zip((226, 274, 322), lines):
        c.bold(796, y, name)
        c.bold(974, y, percent(value), anchor="end", size=16)
        runs = (figures.get(part, (part, "ink")) for part in formula.split("|"))
        c.add("text", "".join(f'<tspan fill="{c.theme[name]}">{run}</tspan>' for run, name in runs), x=796, y=y + 18)


def labels_at(boxes: Sequence[Box], x: int, y: int) -> tuple[str, ...]:
    """The labels of a pixel in the order of their bits; Background if no box covers it."""
    found = {label for label, x0, y0, x1, y1 in boxes if x0 <= x < x1 and y0 <= y < y1}
    return tuple(label for label in PAGE_LABELS if label in found) or PAGE_LABELS[:1]


def count_example_pairs() -> Counter[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The number of pixels of the example page for each pair of label sets (gt, pred)."""
    return Counter(
        (labels_at(GT_BOXES, x, y), labels_at(PRED_BOXES, x, y)) for x in range(PAGE[0]) for y in range(PAGE[1])
    )


def bit_packing(dark: bool = False) -> str:
    """Draw the steps from the labels of one pixel to words, pair counts and the matrix."""
    description = "A pixel is Picture and Caption in gt, Picture only in pred. Each side's labels are bits of a 64-bit "
    description += "word; bit 0 is Background. Pairs of words are counted; each pair adds to the matrix by one rule."
    c = Canvas("From pixels to the matrix: label sets as bits of a word", description, 486, dark)
    c.heading(28, 40, "One pixel, two layouts", "a caption that pred does not see", 1)
    _small_page(c, 40, 80, "gt", GT_BOXES, "none")
    _small_page(c, 160, 80, "pred", PRED_BOXES, "4 3")
    c.arrow([(274, 145), (304, 145)], "accent")
    c.heading(322, 40, "Its labels are bits of one 64-bit word a side", "bit 0 is Background, bit i label i", 2)
    _words(c)
    c.path([(28, 252), (972, 252)], "edge")
    c.heading(28, 288, "Equal pairs of words are counted together", "the whole page in a few rows", 3)
    _pair_table(c)
    c.arrow([(410, 412), (440, 412)], "accent")
    c.heading(468, 288, "Each pair adds to the matrix by one rule", "one marked pixel: T = gt set, P = pred set", 4)
    _contribution(c)
    return c.svg()


def _small_page(c: Canvas, left: int, top: int, side: str, boxes: Sequence[Box], dashes: str) -> None:
    c.rect(left, top, *PAGE, "cell", "line")
    for label, x0, y0, x1, y1 in boxes:
        fill = {"Picture": "hit", "Caption": "miss", "Text": "calm"}[label]
        c.rect(left + x0, top + y0, x1 - x0, y1 - y0, fill, f"{fill}_ink", stroke_dasharray=dashes)
        c.text(left + x0 + 4, top + y0 + (24 if label == "Picture" else 14), label, font_size=12)
    c.rect(left + PIXEL[0] - 4, top + PIXEL[1] - 4, 8, 8, "accent", "paper", stroke_width=1.5)
    c.bold(left + 50, top + 150, side, "accent", "middle")


def _words(c: Canvas) -> None:
    bits, columns = (63, 62, 4, 3, 2, 1, 0), spans(366, *[56] * 6, 84)
    c.text(357, 110, "bit", "soft", "end")
    for bit, (x, w) in zip(bits, columns):
        c.text(x + w / 2, 110, "…" if bit == 62 else str(bit), "soft", "middle")
    for label, (x, w) in zip(PAGE_LABELS, reversed(columns)):
        c.text(x + w / 2, 92, label, anchor="middle")
    for side, boxes, y in (("gt", GT_BOXES, 120), ("pred", PRED_BOXES, 170)):
        labels = labels_at(boxes, *PIXEL)
        word = sum(1 << PAGE_LABELS.index(label) for label in labels)
        digits = ["…" if bit == 62 else str(word >> bit & 1) for bit in bits]
        c.grid(columns, [(y, 36)], ["".join("h" if digit == "1" else "-" for digit in digits)], [digits])
        c.bold(357, y + 23, side, "accent", "end")
        c.bold(800, y + 14, f"0b…{word:04b} = {word}")
        c.text(800, y + 32, " + ".join(labels), "soft")


def _pair_table(c: Canvas) -> None:
    marked = labels_at(GT_BOXES, *PIXEL), labels_at(PRED_BOXES, *PIXEL)
    for x, name, anchor in ((38, "gt set", "start"), (192, "pred set", "start"), (382, "pixels", "end")):
        c.text(x, 340, name, "soft", anchor)
    for k, (pair, pixels) in enumerate(count_example_pairs().most_common()):
        y, write = 350 + 23 * k, c.bold if pair == marked else c.text
        c.rect(28, y, 364, 23, "hit" if pair == marked else "cell", "line")
        for x, labels in zip((38, 192), pair):
            write(x, y + 16, "{" + ", ".join(labels) + "}")
        write(382, y + 16, f"{pixels:,}", anchor="end")


def _contribution(c: Canvas) -> None:
    pixels = count_example_pairs()[labels_at(GT_BOXES, *PIXEL), labels_at(PRED_BOXES, *PIXEL)]
    columns, rows = spans(556, 84, 62, 62), spans(359, 34, 34, 34)
    c.grid(columns, rows, ["---", "-S-", "-m-"], ["000", "010", "010"])
    c.names(columns, rows, PAGE_LABELS[:3])
    c.bold(790, 350, "T contains P and more:")
    c.text(790, 370, "(i, i) gets 1 for i in P", "hit_ink")
    c.text(790, 390, "(i, j) gets 1/|P| for i in T\nwithout P and j in P", "miss_ink")
    c.text(790, 430, f"Each gt label adds 1\nto its row in total,\nhere for {pixels:,} pixels.", "soft")


class FoundCauses(NamedTuple):
    """The edges of the tiles, int8[rows, columns]: the main cause of each tile or -1, and the pixels of each cause."""

    x: Floats
    y: Floats
    causes: np.ndarray
    pixels: dict[str, float]

    def main_cause(self, x0: float, y0: float, x1: float, y1: float) -> str:
        """The cause of most wrong pixels in a part of the page."""
        areas = np.outer(np.diff(self.y), np.diff(self.x))
        inside = np.outer((self.y[:-1] >= y0) & (self.y[1:] <= y1), (self.x[:-1] >= x0) & (self.x[1:] <= x1))
        sums = [areas[inside & (self.causes == k)].sum() for k in range(len(CAUSES))]
        return CAUSES[int(np.argmax(sums))]


@cache
def found_causes() -> FoundCauses:
    """What the library finds on the page."""
    from layoutcm.comparison import compare
    from layoutcm.formats import read

    gt, pred = (read((f"{side}.csv", _as_csv(boxes))) for side, boxes in (("gt", CAUSES_GT), ("pred", CAUSES_PRED)))
    compared = compare(gt, pred, taxonomy="same")
    tiles = compared.sources.all_regions.causes.on_tiles(0, TOLERANCE)
    assert tiles is not None
    return FoundCauses(*tiles, compared.causes(tolerance=TOLERANCE).totals)


def _as_csv(boxes: Sequence[Box]) -> bytes:
    rows = [f"p,{CAUSES_PAGE[0]},{CAUSES_PAGE[1]},{','.join(map(str, box))}" for box in boxes]
    return "\n".join(["page,width,height,label,x0,y0,x1,y1", *rows]).encode()


def causes_on_a_page(dark: bool = False) -> str:
    """Draw the page with the tiles of each cause, and what the causes mean."""
    description = "A page with eight examples. Solid lines are regions of gt, dashed lines those of pred. Wrong pixels "
    description += "have the colour of their cause: " + "; ".join(f"{name}: {text}" for name, text in MEANINGS.items())
    c = Canvas("The causes of wrong pixels on a page", description + ".", TOP + CAUSES_PAGE[1] + 24, dark)
    found = found_causes()
    c.heading(LEFT, 40, "One page, eight mistakes", "solid: gt, dashed: pred; colours: the cause that is found")
    _draw_page(c, found)
    c.heading(620, 40, "Every wrong pixel has one cause", "pixels on this page, counted by the library")
    for k, name in enumerate(CAUSES):
        y = TOP + 14 + 47 * k
        c.add("rect", x=620, y=y - 11, width=16, height=16, fill=CAUSE_COLOURS[k], stroke=c.theme["line"])
        c.bold(646, y + 2, name)
        c.text(972, y + 2, thin_spaced(found.pixels[name]), anchor="end")
        c.text(646, y + 20, MEANINGS[name], "soft")
    return c.svg()


def _draw_page(c: Canvas, found: FoundCauses) -> None:
    c.rect(LEFT, TOP, *CAUSES_PAGE, "cell", "line")
    for row, column in np.argwhere(found.causes >= 0).tolist():
        x, y = float(found.x[column]), float(found.y[row])
        width, height = float(found.x[column + 1]) - x, float(found.y[row + 1]) - y
        colour = CAUSE_COLOURS[found.causes[row, column]]
        c.add("rect", x=LEFT + x, y=TOP + y, width=width, height=height, fill=colour)
    for boxes, dashes, colour in ((CAUSES_GT, "none", "ink"), (CAUSES_PRED, "5 4", "accent")):
        for _, x0, y0, x1, y1 in boxes:
            c.rect(LEFT + x0, TOP + y0, x1 - x0, y1 - y0, "none", colour, stroke_width=1.6, stroke_dasharray=dashes)
    width, height = CAUSES_PAGE[0] // COLUMNS, CAUSES_PAGE[1] // ROWS
    for k in range(COLUMNS * ROWS):
        x, y = k % COLUMNS * width, k // COLUMNS * height
        c.bold(LEFT + x + 20, TOP + y + 158, found.main_cause(x, y, x + width, y + height))


DRAWINGS = {
    "matrix-structure": matrix_structure,
    "collapse": collapse,
    "bit-packing": bit_packing,
    "causes": causes_on_a_page,
}


def write_drawings(folder: Path) -> None:
    """Write all drawings into a folder: NAME.svg and NAME-dark.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        write_whole(folder / f"{name}.svg", draw().encode("utf-8"))
        write_whole(folder / f"{name}-dark.svg", draw(dark=True).encode("utf-8"))


if __name__ == "__main__":
    write_drawings(
        Path(sys.argv[1])
        if len(sys.argv) == 2
        else sys.exit("usage: python -m layoutcm.drawing.method_drawings FOLDER")
    )
