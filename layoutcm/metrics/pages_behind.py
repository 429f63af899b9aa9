"""The pages behind a cell of the matrix, or behind the errors of a label."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, cell_of, side_label
from layoutcm.layouts.model import GT, PRED, Floats
from layoutcm.lazy import pd
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.matrix_blocks import GroupMatrices, matrix_blocks
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.pair_counts import PairCounts


def pages_behind(levels: Levels, alignment: Alignment, gt_label: str, pred_label: str, method: str) -> pd.DataFrame:
    """Pages in descending order of the pixels that they add to a cell: page, document, pixels, share of the cell."""
    gt, pred = side_label(alignment, GT, gt_label), side_label(alignment, PRED, pred_label)
    row, column = cell_of(alignment, gt_label, pred_label)
    have = lambda rows: rows.has(GT, gt) & rows.has(PRED, pred)
    return pages_by_pixels(levels, _page_sums(levels, have, method, lambda one: one.mass_of([row], [column]).ravel()))


def pages_wrong_in(levels: Levels, alignment: Alignment, label: str, method: str) -> pd.DataFrame:
    """Pages in descending order of the pixels off the diagonal in the row and in the column of a label.

    With different taxonomies there is no diagonal: then all pixels of the label count.
    """
    cell = cell_of(alignment, label, label)
    have = rows_with_label(alignment, label)
    return pages_by_pixels(levels, _page_sums(levels, have, method, lambda one: one.off_diagonal(*cell)))


def rows_with_label(alignment: Alignment, label: str) -> Callable[[PairCounts], NDArray[np.bool_]]:
    """A function that marks the rows with a label on either side."""
    gt, pred = (side_label(alignment, side, label) for side in (GT, PRED))
    return lambda rows: rows.has(GT, gt) | rows.has(PRED, pred)


def _page_sums(
    levels: Levels,
    have: Callable[[PairCounts], NDArray[np.bool_]],
    method: str,
    pixels_of: Callable[[GroupMatrices], Floats],
) -> Floats:
    """float64[pages]: `pixels_of` the matrix of each page, computed only for pages that `have` such rows."""
    pixels = np.zeros(levels.page_count)
    for first, own in levels.in_parts():
        counts = own.counts.select(have(own.counts))
        numbers, group = np.unique(counts.page, return_inverse=True)
        blocks = matrix_blocks(counts, levels.space, group, numbers.size, method)
        pixels[first + numbers] = np.concatenate([np.empty(0), *(pixels_of(one) for _, one in blocks)])
    return pixels


def pages_by_pixels(levels: Levels, pixels: Floats) -> pd.DataFrame:
    """The pages with pixels, of float64[pages], in descending order: page, document, pixels, share of all."""
    numbers = np.flatnonzero(pixels > 0)
    numbers = numbers[np.argsort(-pixels[numbers], kind="stable")]
    shares = {"pixels": pixels[numbers], "share": ratio(pixels[numbers], pixels.sum())}
    return pd.DataFrame({**levels.names_at(numbers), **shares})
