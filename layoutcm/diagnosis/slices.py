"""Slices: the figures of pages that have something in common, and how they differ from the rest.

Documents are the units, as in all intervals: a document with pages in a slice and outside of it adds its pages to both,
and is left out of both by the jackknife. So the two sides need not be independent.

Whether a slice differs from the rest is decided by a randomisation test for few documents, by Student's t test for
many. If an attribute makes no difference, it does not matter which pages have it. So documents entirely inside or
entirely outside of the slice swap membership at random. In a mixed document, the inside pages are shifted cyclically by
a random offset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.diagnosis.page_groups import PageGroups, known_attributes, page_groups
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.bootstrap import check_resampling, jackknife_errors, student_ends, student_test
from layoutcm.metrics.intervals import UNIT_FIGURES, holm
from layoutcm.metrics.levels import Levels, page_matrices
from layoutcm.metrics.matrix_blocks import check_method
from layoutcm.metrics.scores import Margins, content_scores, ratio
from layoutcm.metrics.unit_sums import SumsOfTwo, average_over, margin_rows, unit_kind
from layoutcm.results.measures import column_of, direction_of
from layoutcm.results.verdict import CONFIDENCE, FEWEST_UNITS, SAME, Evidence

WORST = 10  # slices listed in the ranking
MOST_EXCHANGED = 100  # units; with more, a t test, which takes less time
COLUMNS = (
    "value", "pages", "documents", *UNIT_FIGURES, "figure", "low", "high", "rest", "difference", "difference_low",
    "difference_high", "p", "verdict", "units", "remark", "error_share", "explained",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class FigureSums:
    """float64[units, numbers]: the numbers of each unit from which one F1 is computed."""

    figure: str
    rows: Floats
    two_masses: bool  # method `tensor`
    signed = False

    def results(self, totals: Floats, whole: Floats | None = None) -> Floats:
        """float64[sums, 1]: the F1 of float64[sums, numbers]; macro over the labels of `whole`, if it is given."""
        if self.figure == "content_f1":
            return content_scores(totals)["f1"][:, None]
        margins = Margins(*np.split(totals, 4, axis=1), two_masses=self.two_masses)
        in_set = None if whole is None else Margins(*np.split(whole[None], 4, axis=1), two_masses=self.two_masses)
        return average_over(margins, self.figure.removesuffix("_f1"), in_set)["f1"][:, None]

    def sizes(self) -> Floats:
        """float64[units, 1]: the pixels of a unit, of gt and pred."""
        parts = np.split(self.rows, 4, axis=1)[2:] if self.figure != "content_f1" else [self.rows[:, 1:]]
        return sum(part.sum(axis=1, keepdims=True) for part in parts) + np.zeros((len(self.rows), 1))

    @cached_property
    def value(self) -> float:
        return float(self.results(self.rows.sum(axis=0, keepdims=True))[0, 0])


class SliceAgainstRest(SumsOfTwo[FigureSums]):
    """The sums of the rest (a) and of a slice (b); the result is the difference of their F1."""

    def sizes(self) -> Floats:
        """The sizes of the side with fewer effective units, which limits what is known of the difference."""
        sizes = [side.sizes() for side in (self.b, self.a)]
        return min(sizes, key=lambda one: float(ratio(one.sum() ** 2, (one**2).sum())))


@dataclass(frozen=True, eq=False)
class SliceSource:
    """The numbers of all pages, from which slices are summed."""

    alignment: Alignment
    levels: Levels
    figure: str  # the one that is tested
    level: float
    seed: int
    pages: dict[str, Floats]  # {figure: float64[pages, numbers]}
    two_masses: bool  # method `tensor`

    @cached_property
    def unit(self) -> NDArray[np.int64]:
        """int64[pages]: the document of a page, or the page itself if there is one document."""
        by_document = unit_kind(self.levels) == "document"
        return self.levels.document_of_page if by_document else np.arange(len(self.levels.pages))

    @cached_property
    def units(self) -> FigureSums:
        return self._sums(self.figure, np.ones(len(self.levels.pages), bool))

    @cached_property
    def errors(self) -> Floats:
        """float64[pages, 2]: wrong and all pixels of gt and pred together; of labels, or content if labels differ."""
        if not self.levels.space.shared:
            both, gt, pred = self.pages["content_f1"].T
            return np.stack([gt + pred - 2 * both, gt + pred], axis=1)
        recall_hit, precision_hit, gt, pred = self.pages["micro_f1"].T
        return np.stack([gt + pred - recall_hit - precision_hit, gt + pred], axis=1)

    def _sums(self, figure: str, inside: NDArray[np.bool_]) -> FigureSums:
        """The sums of every unit over the pages inside a slice."""
        rows, unit, units = self.pages[figure][inside], self.unit[inside], int(self.unit.max(initial=-1)) + 1
        columns = [np.bincount(unit, column, units) for column in rows.T]
        return FigureSums(figure, np.stack(columns, axis=1).astype(float), self.two_masses)

    def _value(self, figure: str, inside: NDArray[np.bool_]) -> float:
        return FigureSums(figure, (inside.astype(float) @ self.pages[figure])[None], self.two_masses).value

    def row(self, name: str, inside: NDArray[np.bool_]) -> dict[str, Any]:
        """The row of one slice, without a verdict because `p` is not corrected yet; `units` counts the smaller side."""
        levels, own = self.levels, self._sums(self.figure, inside)
        rest = replace(own, rows=self.units.rows - own.rows)
        in_units, out_units = np.unique(self.unit[inside]), np.unique(self.unit[~inside])
        own_ends = difference_ends = np.full(2, np.nan)
        p = np.nan
        if in_units.size >= FEWEST_UNITS:
            own_ends = _ends(replace(own, rows=own.rows[in_units]), own.value, self.level)
        difference = own.value - rest.value if out_units.size else np.nan
        units = min(in_units.size, out_units.size)
        if units >= FEWEST_UNITS and np.isfinite(difference):
            against = SliceAgainstRest(rest, own)
            difference_ends = _ends(against, difference, self.level)
            p = self._p_value(against, difference, inside)
        return {
            "value": name,
            "pages": int(inside.sum()),
            "documents": np.unique(levels.document_of_page[inside]).size,
            # A matrix product avoids copying the selected rows.
            **{name: self._value(name, inside) for name in UNIT_FIGURES},
            "figure": self.figure,
            **dict(zip(("low", "high"), own_ends.tolist())),
            "rest": rest.value if out_units.size else np.nan,
            "difference": difference,
            **dict(zip(("difference_low", "difference_high"), difference_ends.tolist())),
            "p": p,
            "units": units,
            **self._share_of_error(inside),
        }

    def _p_value(self, against: SliceAgainstRest, difference: float, inside: NDArray[np.bool_]) -> float:
        if len(against.rows) > MOST_EXCHANGED:
            return float(student_test(np.array([difference]), jackknife_errors(against))[0])
        f1_of = lambda totals: against.b.results(totals)[:, 0]
        return slice_p_value(self.pages[self.figure], self.unit, inside, f1_of, self.seed)

    def _share_of_error(self, inside: NDArray[np.bool_]) -> dict[str, float]:
        """The share of all wrong pixels in a slice, and the share in excess of what the rest's error rate predicts."""
        total, own = self.errors.sum(axis=0), self.errors[inside].sum(axis=0)
        rest = total - own
        expected = own[1] * ratio(rest[0], rest[1])
        return {"error_share": float(ratio(own[0], total[0])), "explained": float(ratio(own[0] - expected, total[0]))}

    def rows(self, groups: PageGroups) -> list[dict[str, Any]]:
        return [self.row(name, groups.group == i) for i, name in enumerate(groups.names)]


def _ends(sums: FigureSums | SliceAgainstRest, value: float, level: float) -> Floats:
    return student_ends(np.array([value]), jackknife_errors(sums), level, sums.signed)[:, 0]


def usual_figure(space: LabelSpace) -> str:
    """The figure that is tested by default: F1 of labels, or of content if the two sides have different labels."""
    return "micro_f1" if space.shared else "content_f1"


def slice_source(
    alignment: Alignment,
    levels: Levels,
    figure: str | None = None,
    method: str = "matrix",
    level: float = CONFIDENCE,
    seed: int = 0,
) -> SliceSource:
    """The source of slices for a figure, one of `UNIT_FIGURES`; None is the usual one."""
    check_method(method)
    check_resampling(1, seed, level)
    figure = column_of(figure or usual_figure(levels.space), UNIT_FIGURES)
    width = len(levels.space.labels)
    of_labels = np.zeros((levels.page_count, 4, width - 1))
    if levels.space.shared:  # without a meaningful diagonal, F1 of labels is undefined
        for block, matrices in page_matrices(levels, method):
            of_labels[block.start : block.stop] = margin_rows(matrices).reshape(len(block), 4, width)[:, :, 1:]
    pages = {
        "micro_f1": of_labels.sum(axis=2),
        "macro_f1": of_labels.reshape(levels.page_count, 4 * (width - 1)),
        "content_f1": levels.page_content,
    }
    return SliceSource(alignment, levels, figure, level, seed, pages, method == "tensor")


def tested_row(source: SliceSource, name: str, inside: NDArray[np.bool_]) -> dict[str, Any]:
    """The row of one slice against the rest, with its verdict; it is the only test, so p is not corrected."""
    return _tested([[source.row(name, inside)]], source)[0]


def slices_of(source: SliceSource, attribute: str | None) -> pd.DataFrame:
    """The slices of one attribute, worst first unless they have an order; with None, the worst of all attributes."""
    if attribute is None:
        return _worst_slices(source)
    groups = page_groups(attribute, source.alignment, source.levels)
    table = _as_table(_tested([source.rows(groups)], source))
    if groups.ordered:
        return table
    lowest_first = direction_of(source.figure) > 0
    return table.sort_values(source.figure, ascending=lowest_first, kind="stable", ignore_index=True)


def _worst_slices(source: SliceSource) -> pd.DataFrame:
    """The slices of all attributes that explain most of the error; slices that explain none are left out."""
    all_groups = [page_groups(name, source.alignment, source.levels) for name in known_attributes(source.levels)]
    # An attribute with very many values identifies pages rather than groups them.
    divided = [groups for groups in all_groups if len(groups.names) > 1 and not groups.joined]
    table = _as_table(_tested([source.rows(groups) for groups in divided], source))
    table.insert(0, "attribute", [groups.attribute for groups in divided for _ in groups.names])
    table = table[table["explained"] > SAME].sort_values("explained", ascending=False, kind="stable")
    return table.head(WORST).reset_index(drop=True)


def _as_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    # A string column would turn None into nan.
    return table.assign(verdict=pd.Series([row["verdict"] for row in rows], table.index, dtype=object))


def _tested(attributes: Sequence[list[dict[str, Any]]], source: SliceSource) -> list[dict[str, Any]]:
    """All rows with corrected p-values and verdicts. Two slices that are each other's rest are one test."""
    tests = [row["p"] for rows in attributes for row in (rows[:1] if len(rows) == 2 else rows)]
    corrected = iter(holm(np.array(tests, float)).tolist())
    of_set: dict[str, Any] = {
        "unit": unit_kind(source.levels),
        "unit_count": len(source.units.rows),
        "level": source.level,
        "tests": int(np.isfinite(tests).sum()),
        "higher_is_better": direction_of(source.figure) > 0,
    }
    answers = []
    for rows in attributes:
        own = [next(corrected)] * 2 if len(rows) == 2 else [next(corrected) for _ in rows]
        for row, p in zip(rows, own):
            ends = (row["difference"], row["difference_low"], row["difference_high"])
            found = Evidence(*ends, p, row["units"], **of_set)
            answers.append(row | {"p": p, "verdict": found.verdict, "remark": found.remark})
    return answers


DRAWS = 4_999
MOST_ROTATIONS = 500  # of the pages of one document


def slice_p_value(
    rows: Floats, unit: NDArray[np.int64], inside: NDArray[np.bool_], f1_of: Callable[[Floats], Floats], seed: int
) -> float:
    """Two-sided p-value of the difference between the pages inside and the rest.

    `rows` is float64[pages, numbers], `unit` int64[pages] the document of a page; `f1_of` turns float64[sums, numbers]
    into float64[sums].
    """
    generator = np.random.default_rng(seed)
    whole = rows.sum(axis=0)
    drawn = _sums_of_whole_units(rows, unit, inside, generator)
    for pages in _pages_of_mixed_units(unit, inside):
        rotated = _rotations(rows[pages], inside[pages], generator)
        drawn += rotated[generator.integers(len(rotated), size=DRAWS)]
    differences = f1_of(drawn) - f1_of(whole - drawn)
    own = rows[inside].sum(axis=0)[None]
    observed = abs(float((f1_of(own) - f1_of(whole - own))[0]))
    defined = np.isfinite(differences)
    large = (np.abs(differences[defined]) >= observed - SAME).sum()
    return float((large + 1) / (defined.sum() + 1))  # the observed slice is one of the draws


def _count_pages(unit: NDArray[np.int64], inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """int64[units] each: the number of pages of a unit, and of its pages inside the slice."""
    return np.bincount(unit), np.bincount(unit, inside).astype(np.int64)


def _sums_of_whole_units(
    rows: Floats, unit: NDArray[np.int64], inside: NDArray[np.bool_], generator: np.random.Generator
) -> Floats:
    """float64[draws, numbers]: sums over randomly drawn unmixed units, as many as are entirely inside."""
    pages, pages_inside = _count_pages(unit, inside)
    whole = np.flatnonzero((pages > 0) & ((pages_inside == 0) | (pages_inside == pages)))
    count = int((pages_inside[whole] > 0).sum())
    sums = np.stack([np.bincount(unit, column, pages.size)[whole] for column in rows.T], axis=1)
    order = generator.random((DRAWS, whole.size)).argsort(axis=1)
    return (order < count).astype(float) @ sums  # a row of `order` is a random permutation


def _pages_of_mixed_units(unit: NDArray[np.int64], inside: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The pages of every unit that has pages inside and outside, in their order."""
    pages, pages_inside = _count_pages(unit, inside)
    mixed = (pages_inside > 0) & (pages_inside < pages)
    order = np.argsort(unit, kind="stable")
    parts = np.split(order, np.cumsum(pages)[:-1])
    return [parts[i] for i in np.flatnonzero(mixed)]


def _rotations(rows: Floats, inside: NDArray[np.bool_], generator: np.random.Generator) -> Floats:
    """float64[rotations, numbers]: sums over the inside pages, for every rotation, or for a random sample of many."""
    count = len(rows)
    steps = np.arange(count) if count <= MOST_ROTATIONS else generator.integers(count, size=MOST_ROTATIONS)
    rotated = inside[(np.arange(count) - steps[:, None]) % count]
    return rotated.astype(float) @ rows
