"""The difference of two matrices, cell by cell, with a paired interval over documents for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Floats
from layoutcm.metrics.bootstrap import RESAMPLES, Resampling, Spread, check_resampling, resample_weights, unit_counts
from layoutcm.metrics.levels import Levels, document_matrices, levels_of_pages, page_matrices, pages_at
from layoutcm.metrics.matrix_blocks import GroupMatrices
from layoutcm.metrics.scores import harmonic, ratio
from layoutcm.metrics.unit_sums import unit_kind, unit_names
from layoutcm.models.differences import on_common_pages
from layoutcm.results.types import IntervalRow
from layoutcm.results.verdict import BETTER, CONFIDENCE, WORSE, decide

CELL_VIEWS = ("pixels", "recall", "precision", "f1")
# More units are first summed into so many random groups of equal size, and groups are resampled. The intervals stay as
# wide, and the sums of 80 labels fit into memory.
MOST_UNITS = 400
SAME_NUMBER = 1e-9  # a cell and a class score are the same number, computed in different orders


@dataclass(frozen=True, eq=False)
class CellDifferences:
    """b minus a for every cell of two matrices; float64[gt, pred] each, nan where there is no number.

    `low` and `high` are the ends of the intervals, `p` is the p-value of the statistic that they are made from, and
    `units` is the number of units that a cell is computed from. `verdicts` has what `decide` says of each cell: more on
    the diagonal is better, more off it is worse.
    """

    labels: list[str]
    values: Floats
    low: Floats
    high: Floats
    p: Floats
    units: NDArray[np.int64]
    verdicts: NDArray[np.object_]
    used: Resampling

    @property
    def noise(self) -> NDArray[np.bool_]:
        """bool[gt, pred]: the difference may be by chance."""
        return (self.verdicts != BETTER) & (self.verdicts != WORSE)

    def with_class_tests(self, view: str, rows: Iterable[IntervalRow]) -> CellDifferences:
        """The same with p and verdicts of class scores on the diagonal, where these are the same numbers.

        `rows` are the class scores of a difference. A cell without such a row keeps its own test, and so does one that
        is counted on other pages than the row.
        """
        place = {label: k for k, label in reversed(list(enumerate(self.labels)))}
        p, verdicts = self.p.copy(), self.verdicts.copy()
        for row in rows:
            at = place.get(str(row.label), 0)
            if row.score == view and row.value is not None and abs(self.values[at, at] - row.value) < SAME_NUMBER:
                p[at, at], verdicts[at, at] = (np.nan if row.p in (None, UNSET) else row.p), row.verdict or None
        return replace(self, p=p, verdicts=verdicts)

    def of_labels(self, rows: Sequence[str], columns: Sequence[str]) -> CellDifferences:
        """The cells of these labels; the cells of an unknown label are nan."""
        place = {label: k for k, label in enumerate(self.labels)}
        sides = np.ix_(*([place.get(label, len(place)) for label in side] for side in (rows, columns)))
        of_sides = lambda cells, missing: np.pad(cells, (0, 1), constant_values=missing)[sides]
        values, low, high, p = (of_sides(one, np.nan) for one in (self.values, self.low, self.high, self.p))
        units, verdicts = of_sides(self.units, 0), of_sides(self.verdicts, None)
        return CellDifferences(list(rows), values, low, high, p, units, verdicts, self.used)


def cell_differences(
    c_a: Comparison,
    c_b: Comparison,
    view: str = "recall",
    labels: Sequence[str] | None = None,
    *,
    page: str | None = None,
    document: str | None = None,
    n: int = RESAMPLES,
    seed: int = 0,
    level: float = CONFIDENCE,
    method: str = "matrix",
) -> CellDifferences:
    """b minus a for the cells of these labels, or of all; both are counted on the same pages and the same resamples.

    Units are documents, or pages if there is one document. There is no interval with fewer than 6 units, or for a
    cell whose labels fewer than 6 units have. Intervals and verdicts are not corrected for the number of cells.
    """
    check_resampling(n, seed, level)
    check_choice("view", view, CELL_VIEWS)
    pair = on_common_pages({"c_a": c_a, "c_b": c_b})
    if not all(one.space.shared for one in pair):
        problem = "the labels of a prediction differ from those of gt"
        raise InputError("", "c_a, c_b", problem, "Compare with a mapping.")
    chosen = [pages_at(one, page, document) for one in pair]
    pair = [one if pages is None else levels_of_pages(one, pages) for one, pages in zip(pair, chosen)]
    names = _label_names(labels, list(dict.fromkeys(label for one in pair for label in one.space.labels)))
    a, b = (_cell_rows(one, names, view, method, seed) for one in pair)
    sums = CellSums(view, a, b, unit_kind(pair[0]), names)
    _check_same_gt(sums, pair[0].space.labels[0])
    used = Resampling(sums.unit, len(unit_names(pair[0])), n, seed, level)
    spread, units, is_right = Spread(sums, used), unit_counts(sums), np.eye(len(names), dtype=bool)
    tested = (*spread.ends, spread.p, units, is_right.ravel())
    verdicts = [
        decide(value, low, high, p, count, level, right)
        for value, low, high, p, count, right in zip(*(one.tolist() for one in tested))
    ]
    cells = (*spread.ends * sums.scale, *tested[3:5], np.array(verdicts, np.object_))
    value, low, high, p, units, verdicts = (one.reshape(is_right.shape) for one in cells)
    return CellDifferences(names, value, low, high, p, units, verdicts, used)


def _label_names(labels: Sequence[str] | None, known: list[str]) -> list[str]:
    """The given labels, or all; an InputError if one is not known."""
    if labels is None:
        return known
    if isinstance(labels, str):
        raise InputError("", "labels", f"{short_repr(labels)} is one text", "Give a list of labels.")
    for label in labels:
        check_choice("labels", label, known)
    return list(labels)


@dataclass(frozen=True, eq=False)
class CellRows:
    """What adds up over units, float64[units, ...]: masses of cells, totals of labels, the total of all labels."""

    mass: Floats  # [units, gt, pred]
    gt: Floats  # [units, labels]
    precision_mass: Floats  # [units, gt, pred]
    pred: Floats  # [units, labels]
    everything: Floats  # [units, 1]
    two_masses: bool = field(default=False, kw_only=True)  # method `tensor`

    def parts(self) -> tuple[Floats, ...]:
        return self.mass, self.gt, self.precision_mass, self.pred, self.everything

    @cached_property
    def flat(self) -> Floats:
        """float64[units, numbers]"""
        return np.concatenate([part.reshape(len(part), -1) for part in self.parts()], axis=1)

    def from_flat(self, totals: Floats) -> CellRows:
        """Sums of units, float64[sums, numbers], with their parts."""
        ends = np.cumsum([part[0].size for part in self.parts()])[:-1]
        shapes = (part.shape[1:] for part in self.parts())
        parts = (one.reshape(-1, *shape) for one, shape in zip(np.split(totals, ends, axis=1), shapes))
        return CellRows(*parts, two_masses=self.two_masses)

    def values(self, view: str) -> Floats:
        """float64[sums, gt x pred]: the cells of a view; "pixels" as a share of all label pixels of gt."""
        if view == "f1":
            return harmonic(self.values("recall"), self.values("precision"), self.two_masses)
        gt, pred, everything = self.gt[:, :, None], self.pred[:, None, :], self.everything[:, :, None]
        mass = self.precision_mass if view == "precision" else self.mass
        return ratio(mass, {"recall": gt, "precision": pred, "pixels": everything}[view]).reshape(len(mass), -1)

    def sizes(self, view: str) -> Floats:
        """float64[units, gt x pred]: the pixels that a unit adds to what a cell is divided by."""
        gt, pred = np.broadcast_arrays(self.gt[:, :, None], self.pred[:, None, :])
        everything = np.broadcast_to(self.everything[:, :, None], gt.shape)
        found = {"recall": gt, "precision": pred, "f1": gt + pred, "pixels": everything}[view]
        return found.reshape(len(found), -1)


@dataclass(frozen=True, eq=False)
class CellSums:
    """The sums of two comparisons with the same units and labels; the results are cells of b minus cells of a."""

    view: str
    a: CellRows
    b: CellRows
    unit: str
    labels: list[str]
    signed = True  # results are differences from -1 to 1

    @property
    def names(self) -> list[str]:
        return [str(k) for k in range(len(self.a.gt))]

    @cached_property
    def rows(self) -> Floats:
        return np.concatenate([self.a.flat, self.b.flat], axis=1)

    @property
    def scale(self) -> float:
        """By what results are multiplied: pixels are computed as shares of all."""
        return float(self.b.everything.sum()) if self.view == "pixels" else 1.0

    def resampled(self, n: int, seed: int) -> Floats:
        return np.concatenate([weights @ self.rows for weights in resample_weights(len(self.rows), n, seed)])

    def results(self, totals: Floats, whole: Floats | None = None) -> Floats:
        a, b = (rows.from_flat(half) for rows, half in zip((self.a, self.b), np.split(totals, 2, axis=1)))
        # Both as shares of the same number: pages that gt does not have may be larger in one of the predictions.
        return b.values(self.view) - replace(a, everything=b.everything).values(self.view)

    def sizes(self) -> Floats:
        return self.a.sizes(self.view) + self.b.sizes(self.view)


def _cell_rows(levels: Levels, names: list[str], view: str, method: str, seed: int) -> CellRows:
    """The sums of every unit, or of every group of units if they are many."""
    units = unit_names(levels)
    group = _unit_groups(units, seed)
    count, k = int(group.max(initial=-1)) + 1, len(names)
    two_masses = method == "tensor" and view in ("precision", "f1")
    mass, gt, pred = np.zeros((count, k, k)), np.zeros((count, k)), np.zeros((count, k))
    precision_mass, everything = np.zeros((count, k, k)) if two_masses else mass, np.zeros((count, 1))
    by_document = unit_kind(levels) == "document"
    for block, matrices in document_matrices(levels, method) if by_document else page_matrices(levels, method):
        to, margins = group[block.start : block.stop], matrices.margins
        np.add.at(mass, to, _cells(matrices, levels.space.labels, names))
        if two_masses:
            for_precision = replace(matrices, recall_mass=matrices.precision_mass)
            np.add.at(precision_mass, to, _cells(for_precision, levels.space.labels, names))
        of_labels = [matrices.of_all_labels(one) for one in (margins.gt, margins.pred)]
        np.add.at(everything, to, of_labels[0].sum(axis=1, keepdims=True))
        for out, one in zip((gt, pred), of_labels):
            np.add.at(out, to, _of_names(one, levels.space.labels, names))
    return CellRows(mass, gt, precision_mass, pred, everything, two_masses=two_masses)


def _unit_groups(units: Sequence[str], seed: int) -> NDArray[np.int64]:
    """int64[units]: the place of each unit. It is found by name: the order of pages in files does not matter."""
    place = np.empty(len(units), np.int64)
    place[np.argsort(np.array(units, object), kind="stable")] = np.arange(len(units))
    if len(units) <= MOST_UNITS:
        return place
    return np.random.default_rng(seed).permutation(len(units))[place] % MOST_UNITS


def _cells(matrices: GroupMatrices, labels: Sequence[str], names: list[str]) -> Floats:
    """float64[groups, names, names]: the mass for recall; 0 for a label that the matrices do not have."""
    position = {label: i for i, label in enumerate(labels)}
    known = [k for k, name in enumerate(names) if name in position]
    own = [position[names[k]] for k in known]
    found = np.zeros((len(matrices.pred_pixels), len(names), len(names)))
    found[:, np.array(known)[:, None], known] = matrices.mass_of(own, own)
    return found


def _of_names(values: Floats, labels: Sequence[str], names: list[str]) -> Floats:
    position = {label: i for i, label in enumerate(labels)}
    columns = [position.get(name, len(labels)) for name in names]
    return np.concatenate([values, np.zeros((len(values), 1))], axis=1)[:, columns]


def _check_same_gt(sums: CellSums, background: str) -> None:
    """Raise an InputError if a label has another number of gt pixels in one comparison than in the other."""
    a, b = sums.a.gt.sum(axis=0), sums.b.gt.sum(axis=0)
    # A page that gt does not have may have another size, and so another Background, in each prediction.
    for label, own, other in zip(sums.labels, a, b):
        if label != background and own and other and not np.isclose(own, other, rtol=1e-9, atol=0):
            problem = f"{short_repr(label)} has {own:,.0f} gt pixels in one comparison and {other:,.0f} in the other"
            raise InputError("", "c_a, c_b", problem, "Compare both with the same gt and the same mapping of gt.")
