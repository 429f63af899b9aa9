"""Count the pairs of one page row by row: for pages with outlines or masks, and for pages that the sweep cannot hold.

The page is cut into cells by the edges of its boxes and, around its shapes, by the edges of pixels. Each label has one
bit a cell. Only a strip of rows is held at a time, so the memory does not depend on the page. In a row, the bits that
differ from their left neighbour are where the label set changes.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.layouts.model import X0, X1, Y0, Y1, Floats, Indices
from layoutcm.layouts.shapes import RunMask, Shape
from layoutcm.pixels.shape_fill import GridShape, Spans

Positions = NDArray[np.int64]
Words = NDArray[np.uint64]
STRIP_CELLS, STRIP_WORDS = 1 << 22, 1 << 22  # cells of a strip, and words for the bits of its labels (32 MB)
# A step takes about 2 ns. Outlines of real pages need 10 to 100 steps a point, so that no real data reaches this.
MOST_STEPS, STEPS_PER_POINT = 1 << 32, 1 << 8
CELLS_PER_STEP = 32  # cells are handled by words of 64, in two passes


class PageCells(NamedTuple):
    """The cells of one page, and its boxes and shapes on them."""

    x_edges: Floats
    y_edges: Floats
    column_of_pixel: Positions  # the first cell of each column of pixels, and the end
    row_of_pixel: Positions
    boxes: Positions  # [boxes, x0 y0 x1 y1], in cells
    labels: Indices
    scores: Floats  # of the boxes
    shapes: Sequence[GridShape]

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return len(self.y_edges) - 1, len(self.x_edges) - 1

    def strips(self, words_per_row: int = 1) -> Iterator[tuple[int, int]]:
        """The first row and the end of each strip. `words_per_row` is the memory for the labels of a row."""
        rows, columns = self.size
        step = max(min(STRIP_CELLS // max(columns, 1), STRIP_WORDS // max(words_per_row, 1)), 1)
        for first in range(0, rows, step):
            yield first, min(first + step, rows)

    def spans(self, shape: GridShape, first: int, stop: int) -> list[Spans]:
        """The spans of a shape in the rows of cells first:stop."""
        low = int(np.searchsorted(self.row_of_pixel, first, side="right")) - 1
        return shape.spans(low, int(np.searchsorted(self.row_of_pixel, stop)))


def page_cells(frame: Floats, boxes: Floats, labels: Indices, scores: Floats, shapes: Sequence[GridShape]) -> PageCells:
    """The cells of a page; `frame` (width, height) and `boxes` are rounded already."""
    edges, first_cells = [], []
    around = [shape.box for shape in shapes]
    for axis in (0, 1):
        pixels = np.zeros(int(np.ceil(frame[axis])) + 2, bool)
        for box in around:
            pixels[box[axis] : box[axis + 2] + 1] = True
        pixel_edges = np.minimum(np.flatnonzero(pixels), frame[axis])
        cuts = np.unique(np.concatenate([[0, frame[axis]], boxes[:, axis], boxes[:, axis + 2], pixel_edges]))
        edges.append(cuts)
        first_cells.append(np.minimum(np.searchsorted(cuts, np.arange(pixels.size)), len(cuts) - 1))
    on_cells = np.stack([np.searchsorted(edges[k % 2], boxes[:, k]) for k in range(4)], axis=1)
    (x_edges, y_edges), (columns, rows) = edges, first_cells
    return PageCells(x_edges, y_edges, columns, rows, on_cells, labels, scores, shapes)


class StepLimit:
    """Refuses shapes that would take minutes to fill: few points on huge pages, or many that cross everywhere."""

    def __init__(self, shapes: Iterable[Shape]) -> None:
        self.points = sum(one.runs.size if isinstance(one, RunMask) else sum(map(len, one.rings)) for one in shapes)
        self.steps = 0

    def add(self, shape: GridShape) -> None:
        cells = sum(max(x1 - x0, 0) * max(y1 - y0, 0) for x0, y0, x1, y1 in shape.bounds)
        self.steps += shape.steps + cells // CELLS_PER_STEP
        if self.steps > MOST_STEPS + STEPS_PER_POINT * self.points:
            raise InputError(
                "",
                "outlines",
                f"{self.points:,} points of outlines and masks need more than {self.steps:,} steps to be filled",
                "Check the page sizes and outlines, or use shapes='box'.",
            )


def paint_labels(cells: PageCells, first: int, stop: int, slot_of: dict[int, int]) -> tuple[Words, NDArray[np.bool_]]:
    """uint64[slots, rows, words]: one bit a cell of the rows first:stop for every label; and which rows have any."""
    rows, words = stop - first, cells.size[1] // 64 + 1
    painted, used = np.zeros((len(slot_of), rows, words), np.uint64), np.zeros((len(slot_of), rows), bool)
    slots = np.zeros(max(slot_of, default=0) + 1, np.int64)
    slots[list(slot_of)] = list(slot_of.values())
    _paint_boxes(cells.boxes, slots[cells.labels], first, painted, used)
    for shape in cells.shapes:
        slot = slot_of[shape.label]
        for spans in cells.spans(shape, first, stop):
            _paint_spans(spans, cells.column_of_pixel, cells.row_of_pixel, first, painted[slot], used[slot])
    return painted, used


def paint_scores(cells: PageCells, first: int, stop: int, gt_labels: int) -> tuple[Floats, Floats]:
    """float64[rows, columns] for gt and for pred: the highest score of the boxes and shapes on the cells first:stop."""
    sides = (np.zeros((stop - first, cells.size[1])), np.zeros((stop - first, cells.size[1])))
    for (x0, y0, x1, y1), label, score in zip(cells.boxes.tolist(), cells.labels.tolist(), cells.scores.tolist()):
        part = sides[int(label >= gt_labels)][max(y0 - first, 0) : max(y1 - first, 0), x0:x1]
        np.maximum(part, score, out=part)
    for shape in cells.shapes:
        scores = sides[int(shape.label >= gt_labels)]
        for spans in cells.spans(shape, first, stop):
            _raise_scores(spans, cells.column_of_pixel, cells.row_of_pixel, first, shape.score, scores)
    return sides


@njit(nogil=True, cache=True)
def _raise_scores(spans, column_of_pixel, row_of_pixel, first, score, scores):
    for pixel_row, left, right in spans:
        top, bottom = row_of_pixel[pixel_row] - first, row_of_pixel[pixel_row + 1] - first
        for row in range(max(top, 0), min(bottom, len(scores))):
            for column in range(column_of_pixel[left], column_of_pixel[right]):
                scores[row, column] = max(scores[row, column], score)


@njit(nogil=True, cache=True)
def _paint_boxes(boxes, slots, first, painted, used):
    for i in range(len(boxes)):
        if boxes[i, X0] >= boxes[i, X1]:
            continue
        for row in range(max(boxes[i, Y0] - first, 0), min(boxes[i, Y1] - first, painted.shape[1])):
            _set_bits(painted[slots[i], row], boxes[i, X0], boxes[i, X1])
            used[slots[i], row] = True


@njit(nogil=True, cache=True)
def _paint_spans(spans, column_of_pixel, row_of_pixel, first, painted, used):
    for i in range(len(spans)):
        pixel_row = spans[i, 0]
        left, right = column_of_pixel[spans[i, 1]], column_of_pixel[spans[i, 2]]
        if left >= right:
            continue
        for row in range(
            max(row_of_pixel[pixel_row] - first, 0), min(row_of_pixel[pixel_row + 1] - first, len(painted))
        ):
            _set_bits(painted[row], left, right)
            used[row] = True


@njit(nogil=True, cache=True, inline="always")
def _set_bits(words, start, stop):
    """Set the bits start:stop; at least one."""
    first_word, last_word = start // 64, (stop - 1) // 64
    from_start = ~np.uint64(0) << np.uint64(start % 64)
    to_stop = ~np.uint64(0) >> np.uint64(63 - (stop - 1) % 64)
    if first_word == last_word:
        words[first_word] |= from_start & to_stop
        return
    words[first_word] |= from_start
    for word in range(first_word + 1, last_word):
        words[word] = ~np.uint64(0)
    words[last_word] |= to_stop
