"""Count the pairs of one page row by row: for pages with outlines or masks, and for pages that the sweep cannot hold.

The page is cut into tiles by the edges of its boxes and, around its shapes, by the edges of pixels. Each label has one
bit per tile. Only a strip of rows is held at a time, at least one row, so the memory does not depend on the height of
the page. In a row, the label set changes at the tiles where the bit of a label differs from the bit to its left; the
compiled kernel compares 64 tiles at once, and adds areas to pairs of label sets.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled, compiled_part, inlined
from layoutcm.errors import InputError
from layoutcm.layouts.model import X0, X1, Y0, Y1, Floats, Indices
from layoutcm.layouts.shapes import RunMask, Shape
from layoutcm.pixels.bits import ONE, lowest_bit
from layoutcm.pixels.shape_fill import GridShape, Spans
from layoutcm.pixels.sweep import SET, search_set

# Words of 8 bytes for the distinct label sets of a page: 256 MB.
MOST_SET_WORDS = 1 << 25
_SERIAL = ONE  # the hash table is used for one page only


@compiled
def count_rows(painted, used, slot_codes, edges, n_sets, set_buffers, set_of_tile):
    """Add the tiles of a strip to the sets of the page. Return the number of sets, 0 if they need too much memory.

    `painted` is uint64[slots, rows, words] and `used` bool[slots, rows], as `paint_labels` returns them; `slot_codes`
    has the word, bit and hash of the label of each slot; `edges` are those of the columns and rows. `set_of_tile` is
    int32[rows, columns] for the set of every tile, or empty. Return also the buffers, which may have grown.
    """
    hash_table, sets, bits = set_buffers
    x_edges, y_edges = edges
    n_slots, n_rows, n_columns = painted.shape[0], painted.shape[1], x_edges.size - 1
    active, before = np.empty(n_slots, np.int64), np.empty(n_slots, np.uint64)
    first_change, next_change = np.full(64, -1, np.int64), np.empty(64 * n_slots, np.int64)
    current, n_words = np.zeros(bits.shape[1], np.uint64), bits.shape[1]
    n_sets = np.uint64(n_sets)
    for row in range(n_rows):
        height, n_active = y_edges[row + 1] - y_edges[row], _list_active(used, row, active)
        before[:n_active] = 0
        current[:] = 0
        set_hash, set_index, since = np.uint64(0), np.uint64(0), 0
        for word in range(painted.shape[2] if n_active else 0):
            changed = _list_changes(painted, row, word, active, n_active, before, first_change, next_change)
            while changed != 0:
                bit = lowest_bit(changed)
                changed &= changed - ONE
                column = 64 * word + np.int64(bit)
                _add_tiles(set_index, since, column, height, row, x_edges, sets, set_of_tile)
                set_hash = _apply_changes(bit, set_hash, active, first_change, next_change, slot_codes, current)
                if n_sets + ONE >= np.uint64(sets.size):
                    if 2 * sets.size * n_words > MOST_SET_WORDS:
                        return np.uint64(0), (hash_table, sets, bits)
                    hash_table, sets, bits = _grow(n_sets, hash_table, sets, bits)
                for k in range(n_words):
                    bits[n_sets, k] = current[k]
                set_index = search_set(set_hash, n_sets, _SERIAL, n_words, hash_table, sets, bits)
                n_sets, since = max(n_sets, set_index + ONE), column
        _add_tiles(set_index, since, n_columns, height, row, x_edges, sets, set_of_tile)
    return n_sets, (hash_table, sets, bits)


@inlined
def _list_active(used, row, active):
    """List the slots of the labels that a row has, and return their number."""
    n_active = 0
    for slot in range(used.shape[0]):
        if used[slot, row]:
            active[n_active] = slot
            n_active += 1
    return n_active


@inlined
def _list_changes(painted, row, word, active, n_active, before, first_change, next_change):
    """Return the tiles of a word at which any label changes, and list the labels of each tile.

    `first_change` of a tile is 64 x active label + tile, or -1; `next_change` has the next one of the same tile.
    """
    changed = np.uint64(0)
    for k in range(n_active):
        bits = painted[active[k], row, word]
        changes = bits ^ ((bits << ONE) | before[k])
        before[k] = bits >> np.uint64(63)
        changed |= changes
        while changes != 0:
            bit = lowest_bit(changes)
            changes &= changes - ONE
            number = 64 * k + np.int64(bit)
            next_change[number], first_change[bit] = first_change[bit], number
    return changed


@inlined
def _apply_changes(bit, set_hash, active, first_change, next_change, slot_codes, current):
    """Change all labels that change at a tile in the set `current`. Return its hash."""
    number = first_change[bit]
    while number >= 0:
        code = slot_codes[active[number // 64]]
        current[code.word] ^= code.bit
        set_hash ^= code.hash
        number = next_change[number]
    first_change[bit] = -1
    return set_hash


@inlined
def _add_tiles(set_index, since, column, height, row, x_edges, sets, set_of_tile):
    sets[set_index].area += height * (x_edges[column] - x_edges[since])
    if set_of_tile.size:
        set_of_tile[row, since:column] = set_index


@compiled_part
def _grow(n_sets, hash_table, sets, bits):
    """The buffers with room for twice as many sets."""
    new_table = np.zeros(2 * hash_table.size, hash_table.dtype)
    new_sets = np.empty(2 * sets.size, SET)
    new_bits = np.empty((2 * sets.size, bits.shape[1]), np.uint64)
    new_sets[: sets.size] = sets
    new_bits[: sets.size] = bits
    mask = np.uint64(new_table.size - 1)
    for k in range(n_sets):
        slot = new_sets[k].hash & mask
        while new_table[slot] != 0:
            slot = (slot + ONE) & mask
        new_table[slot] = np.uint64(k) + _SERIAL
    return new_table, new_sets, new_bits


Positions = NDArray[np.int64]
Words = NDArray[np.uint64]
STRIP_TILES, STRIP_WORDS = 1 << 22, 1 << 22  # tiles of a strip, and words for the bits of its labels (32 MB)
# A step takes about 2 ns. Outlines of real pages need 10 to 100 steps per point, so no real data reaches this. Small
# files have few points, so MOST_STEPS limits them to about 2 s; a report fills outlines three times.
MOST_STEPS, STEPS_PER_POINT = 1 << 30, 1 << 8
STEPS_PER_PAGE = 1 << 22  # a page of A4 at 600 dpi takes half of them if the outlines of ten labels cover it
MOST_ROW_WORDS = 1 << 26  # words for the bits of one row (512 MB); a million columns and 4,000 labels need fewer
FEW_STRIPS = 16  # with so few strips, repeated work hardly matters
# An outline that takes many steps is filled once in a strip if it occurs again; the spans of one take up to 24 MB.
MANY_STEPS, KNOWN_OUTLINES = 1 << 24, 4
WORDS_PER_STEP = 4  # of a label in a row that has it
CLEARED_PER_WORD = 8  # a word of a label that is not in its row is only cleared
TILES_PER_STEP = 32  # tiles are handled by words of 64, in two passes


class TileGrid(NamedTuple):
    """The tiles of one page, and its boxes and shapes on them."""

    x_edges: Floats
    y_edges: Floats
    column_of_pixel: Positions  # the first tile of each column of pixels, and the end
    row_of_pixel: Positions
    boxes: Positions  # [boxes, x0 y0 x1 y1], in tiles
    labels: Indices
    scores: Floats  # of the boxes
    shapes: Sequence[GridShape]

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return len(self.y_edges) - 1, len(self.x_edges) - 1

    def strips(self, words_per_row: int = 1) -> list[tuple[int, int]]:
        """The first row and the end of each strip. `words_per_row` is the memory for the labels of a row."""
        rows, columns = self.size
        if words_per_row > MOST_ROW_WORDS:
            problem = f"a page has too many labels for the {columns:,} columns into which its regions divide it"
            raise InputError("", "labels", problem, "Compare fewer labels, or map several labels to one.")
        step = max(min(STRIP_TILES // max(columns, 1), STRIP_WORDS // max(words_per_row, 1)), 1)
        return [(first, min(first + step, rows)) for first in range(0, rows, step)]

    def spans(self, first: int, stop: int) -> Iterator[tuple[GridShape, Spans]]:
        """The spans of every shape in the rows of tiles first:stop."""
        low = int(np.searchsorted(self.row_of_pixel, first, side="right")) - 1
        high = int(np.searchsorted(self.row_of_pixel, stop))
        known: list[tuple[GridShape, list[Spans]]] = []
        for shape in self.shapes:
            found = next((spans for other, spans in known if shape.is_equal(other)), None)
            if found is None:
                found = shape.spans(low, high)
                if shape.steps >= MANY_STEPS and len(known) < KNOWN_OUTLINES:
                    known.append((shape, found))
            for spans in found:
                yield shape, spans

    def steps(self, strips: int) -> int:
        """The work to paint the boxes, a word at a time, and what every strip of rows repeats for the shapes."""
        x0, y0, x1, y1 = self.boxes.T
        words = np.where(x0 < x1, (x1 - 1) // 64 - x0 // 64 + 1, 0)
        repeated = sum(shape.steps_per_strip for shape in self.shapes) if strips > FEW_STRIPS else 0
        return int(((y1 - y0) * words).sum()) + strips * repeated


def tile_grid(frame: Floats, boxes: Floats, labels: Indices, scores: Floats, shapes: Sequence[GridShape]) -> TileGrid:
    """The tiles of a page; `frame` (width, height) and `boxes` are rounded already."""
    edges, first_tiles = [], []
    around = [shape.box for shape in shapes]
    for axis in (0, 1):
        pixels = np.zeros(int(np.ceil(frame[axis])) + 2, bool)
        for box in around:
            pixels[box[axis] : box[axis + 2] + 1] = True
        pixel_edges = np.minimum(np.flatnonzero(pixels), frame[axis])
        cuts = np.unique(np.concatenate([[0, frame[axis]], boxes[:, axis], boxes[:, axis + 2], pixel_edges]))
        edges.append(cuts)
        first_tiles.append(np.minimum(np.searchsorted(cuts, np.arange(pixels.size)), len(cuts) - 1))
    on_tiles = np.stack([np.searchsorted(edges[k % 2], boxes[:, k]) for k in range(4)], axis=1)
    (x_edges, y_edges), (columns, rows) = edges, first_tiles
    decoded = [shape.decoded() for shape in shapes]
    return TileGrid(x_edges, y_edges, columns, rows, on_tiles, labels, scores, decoded)


class StepLimit:
    """Refuses regions that would take minutes to count: few points on huge pages, or many that cross everywhere."""

    def __init__(self, shapes: Iterable[Shape] = ()) -> None:
        self.points = sum(one.runs.size if isinstance(one, RunMask) else sum(map(len, one.rings)) for one in shapes)
        self.steps = 0
        self.pages: set[int] = set()

    def add_shape(self, page: int, shape: GridShape) -> None:
        self.pages.add(page)
        tiles = sum(max(x1 - x0, 0) * max(y1 - y0, 0) for x0, y0, x1, y1 in shape.bounds)
        self._add(shape.steps + tiles // TILES_PER_STEP)

    def add_page(self, tiles: TileGrid, strips: int, words_per_row: int) -> None:
        """Add a page that is counted by rows; a row takes a step for some words of each label that it has."""
        rows_of_regions = (tiles.boxes[:, 3] - tiles.boxes[:, 1]).sum() + sum(
            max(y1 - y0, 0) for shape in tiles.shapes for _, y0, _, y1 in shape.bounds
        )
        words = rows_of_regions * (tiles.size[1] // 64 + 1) + tiles.size[0] * words_per_row // CLEARED_PER_WORD
        self._add(tiles.steps(strips) + int(words) // WORDS_PER_STEP)

    def _add(self, steps: int) -> None:
        self.steps += steps
        if self.steps <= MOST_STEPS + STEPS_PER_POINT * self.points + STEPS_PER_PAGE * len(self.pages):
            return
        if self.points:
            what, hint = f"{self.points:,} points of outlines and masks need", "outlines, or use shapes='box'"
        else:
            what, hint = "the boxes of a page that overlap very often need", "boxes"
        problem = f"{what} at least {self.steps:,} steps to be filled"
        raise InputError("", "regions", problem, f"Check the page sizes and {hint}.")


def paint_labels(tiles: TileGrid, first: int, stop: int, slot_of: dict[int, int]) -> tuple[Words, NDArray[np.bool_]]:
    """uint64[slots, rows, words]: one bit per tile of the rows first:stop for every label; and which rows have any."""
    rows, words = stop - first, tiles.size[1] // 64 + 1
    painted, used = np.zeros((len(slot_of), rows, words), np.uint64), np.zeros((len(slot_of), rows), bool)
    slots = np.zeros(max(slot_of, default=0) + 1, np.int64)
    slots[list(slot_of)] = list(slot_of.values())
    _paint_boxes(tiles.boxes, slots[tiles.labels], first, painted, used)
    for shape, spans in tiles.spans(first, stop):
        slot = slot_of[shape.label]
        _paint_spans(spans, tiles.column_of_pixel, tiles.row_of_pixel, first, painted[slot], used[slot])
    return painted, used


@compiled
def _paint_boxes(boxes, slots, first, painted, used):
    for i in range(len(boxes)):
        if boxes[i, X0] >= boxes[i, X1]:
            continue
        for row in range(max(boxes[i, Y0] - first, 0), min(boxes[i, Y1] - first, painted.shape[1])):
            _set_bits(painted[slots[i], row], boxes[i, X0], boxes[i, X1])
            used[slots[i], row] = True


@compiled
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


@inlined
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
