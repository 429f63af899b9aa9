"""How many pixels have which score, by page and label: the sums behind score curves.

At a pixel, the score of a label is the highest score of its pred regions there. The regions of each label of a page are
swept once (`metrics.soft_layouts`); pages with outlines, masks or ignore regions are counted by tiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, page_of_region
from layoutcm.alignment.min_scores import MinScore
from layoutcm.layouts.model import GT, PRED, Floats, Indices, outside_unit_interval
from layoutcm.metrics.scores import ratio
from layoutcm.metrics.soft_layouts import IN_GT, NOT_IN_GT, common_labels, pages_by_tiles, scores_on_tiles, sweep_labels
from layoutcm.pixels.counting import PAGES_PER_CHUNK, map_chunks
from layoutcm.pixels.grid import GridBoxes, alignment_to_grid

NOTHING = -1.0  # the score of pixels without a pred region of the label


class ScoreAreas(NamedTuple):
    """Rows of pixels by page, label and score; a page may have several rows with the same label and score.

    A label that has a region with a score on a page has a row with score 0 there, be it without pixels. So
    regions with score 1 can be told from those without a score.
    """

    page: Indices
    label: Indices  # number of the label, without Background
    score: Floats  # from 0 to 1, or `NOTHING` where only gt has the label
    in_gt: Floats  # pixels where gt has the label, too
    not_in_gt: Floats

    def labels_with_scores(self, labels: int) -> NDArray[np.bool_]:
        """bool[labels]: whether some region has a score."""
        # Below 1 is enough: files of an older version lack the rows without pixels.
        return np.bincount(self.label[(self.score >= 0) & (self.score < 1)], minlength=labels) > 0

    def take(self, rows: NDArray[np.integer] | slice) -> ScoreAreas:
        columns = self.score[rows], self.in_gt[rows], self.not_in_gt[rows]
        return ScoreAreas(self.page[rows], self.label[rows], *columns)


def score_areas(
    alignment: Alignment, rounding: str, min_score: MinScore, threads: int | None, has_scores: bool | None = None
) -> ScoreAreas | None:
    """The rows of all pages, sorted by label; None if labels differ, or pred has no score or one outside 0..1.

    `has_scores`: whether the whole prediction has scores, if this is only a part of it.
    """
    has_scores = alignment.layouts[PRED].has_scores if has_scores is None else has_scores
    if not alignment.space.shared or not has_scores:
        return None
    grid = alignment_to_grid(alignment, rounding, min_score)
    is_pred = grid.labels >= grid.n_labels[GT]
    shapes = (shape for shapes in grid.shapes.values() for shape in shapes)
    of_shapes = [shape.score for shape in shapes if shape.label >= grid.n_labels[GT]]
    if outside_unit_interval(np.append(grid.scores[is_pred], of_shapes)).any():
        return None
    place, pages = common_labels(grid, alignment.space), len(alignment.pages)
    areas = np.zeros((len(grid.boxes), 2))

    def sweep_chunk(first: int) -> list[ScoreAreas]:
        stop, begin, parts = min(first + PAGES_PER_CHUNK, pages), first, []
        for page in pages_by_tiles(first, stop, grid):
            sweep_labels(begin, page, grid, place, areas)
            parts.append(_areas_by_tiles(page, grid, place))
            begin = page + 1
        sweep_labels(begin, stop, grid, place, areas)
        return parts

    chunks = map_chunks(sweep_chunk, range(0, pages, PAGES_PER_CHUNK), threads)
    by_tiles = [part for parts in chunks for part in parts]
    used = np.flatnonzero(areas.any(axis=1))
    by_boxes = ScoreAreas(
        (np.searchsorted(grid.offsets, used, side="right") - 1).astype(np.int32),
        place[grid.labels[used]].astype(np.int32),
        np.where(is_pred[used], np.clip(grid.scores[used], 0, 1), NOTHING),
        areas[used, IN_GT],
        areas[used, NOT_IN_GT],
    )
    marks = _marks_of_scores(alignment, min_score)
    rows = ScoreAreas(*(np.concatenate(columns) for columns in zip(by_boxes, *by_tiles, marks)))
    return rows.take(np.argsort(rows.label.astype(np.int16), kind="stable"))


def scored_regions(alignment: Alignment, min_score: MinScore) -> NDArray[np.int64]:
    """int64[regions]: the regions of pred on the compared pages that have a score, without those below `min_score`."""
    has_score = ~np.isnan(alignment.layouts[PRED].region_columns.scores)
    return np.flatnonzero((page_of_region(alignment, PRED, min_score) >= 0) & has_score)


def _marks_of_scores(alignment: Alignment, min_score: MinScore) -> ScoreAreas:
    """A row without pixels for every page and label that has a region with a score, be it without area."""
    rows, page = scored_regions(alignment, min_score), page_of_region(alignment, PRED)
    regions, labels = alignment.layouts[PRED].region_columns, len(alignment.space.labels)
    place = alignment.space.pred_positions[regions.label[rows] + 1] - 1
    page, label = np.divmod(np.unique(page[rows].astype(np.int64) * labels + place), labels)
    nothing = np.zeros(page.size)
    return ScoreAreas(page.astype(np.int32), label.astype(np.int32), nothing, nothing, nothing)


def _areas_by_tiles(page: int, grid: GridBoxes, place: NDArray[np.int64]) -> ScoreAreas:
    """The rows of a page with outlines, masks or pixels that are not judged."""
    columns = [np.empty((4, 0))]
    for label, gt, pred, pixels in scores_on_tiles(page, grid, place, NOTHING):
        has_gt, counts = gt > NOTHING, pixels > 0
        counts &= has_gt | (pred > NOTHING)
        score = np.where(pred > NOTHING, np.clip(pred, 0, 1), NOTHING)
        rows = np.stack([np.full(gt.size, label), score, pixels * has_gt, pixels * ~has_gt])
        columns.append(rows[:, counts])
    label, score, in_gt, not_in_gt = np.concatenate(columns, axis=1)
    return ScoreAreas(np.full(label.size, page, np.int32), label.astype(np.int32), score, in_gt, not_in_gt)


class ScoreCounts(NamedTuple):
    """Pixels by score: float64[scores] each, for the distinct scores above 0 in ascending order."""

    scores: Floats
    in_gt: Floats
    not_in_gt: Floats
    gt: float  # all pixels of gt
    missed: float  # pixels of gt without a score above 0
    present: Floats  # [in gt, not in gt]: all pixels with a pred region, whatever its score

    @property
    def tp(self) -> Floats:
        """Pixels with at least this score where gt has the label."""
        return at_least(self.in_gt)

    @property
    def pred(self) -> Floats:
        return at_least(self.in_gt + self.not_in_gt)

    @property
    def f1(self) -> Floats:
        return ratio(2 * self.tp, self.gt + self.pred)

    @property
    def present_f1(self) -> float:
        """F1 without a threshold."""
        return float(ratio(2 * self.present[IN_GT], self.gt + self.present.sum()))


def at_least(values: Floats) -> Floats:
    """float64[scores]: the sum of the values at a score and above it."""
    return np.cumsum(values[::-1])[::-1]


def count_scores(rows: ScoreAreas) -> ScoreCounts:
    """Sum the rows by score; rows of several labels are summed, too."""
    scored, has_pred = rows.score > 0, rows.score > NOTHING
    scores, number = np.unique(rows.score[scored], return_inverse=True)
    in_gt, not_in_gt = (
        np.bincount(number, column[scored], scores.size).astype(float) for column in (rows.in_gt, rows.not_in_gt)
    )
    # All sums begin with those of the scores, in one order: where pred is gt, they are equal to the last bit.
    above = [float(at_least(column)[0]) if scores.size else 0.0 for column in (in_gt, not_in_gt)]
    at_zero = [float(column[has_pred & ~scored].sum()) for column in (rows.in_gt, rows.not_in_gt)]
    missed = at_zero[IN_GT] + float(rows.in_gt[~has_pred].sum())
    return ScoreCounts(scores, in_gt, not_in_gt, above[IN_GT] + missed, missed, np.add(above, at_zero))


def thinned(count: int, most: int) -> NDArray[np.intp]:
    """At most `most` of `count` positions, evenly spaced, with the first and the last one."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def thinned_with_best(f1: Floats, most: int) -> tuple[NDArray[np.intp], int]:
    """At most `most` positions of a curve, with its first, its last and its best one; and the best one."""
    best = best_of(f1)
    return np.union1d(thinned(f1.size, most - 1), [best]), best


def best_of(f1: Floats) -> int:
    """The position of the largest F1, the last of equal ones; nan counts as lower than all others."""
    return f1.size - 1 - int(np.argmax(np.nan_to_num(f1, nan=-1.0)[::-1]))
