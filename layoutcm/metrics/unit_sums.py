"""What adds up over units, and every headline figure and class value computed from such sums.

A unit is a document; if there is only one document, it is a page. Resampling units, leaving one out and swapping two
predictions are all sums over units. The scores of such a sum are computed by the same functions as the values
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats
from layoutcm.metrics.bootstrap import UnitRows, resample_weights
from layoutcm.metrics.levels import Levels, document_matrices, level_averages, page_matrices
from layoutcm.metrics.matrix_blocks import GroupMatrices, check_method
from layoutcm.metrics.scores import AVERAGES, SCORES, Margins, class_scores, content_scores, mean_scores, ratio
from layoutcm.results.measures import CLASS_SCORES as CLASS_SCORES
from layoutcm.results.measures import MEASURES

MARGINS = tuple(field.name for field in fields(Margins) if field.name != "two_masses")
MEANS_OVER = ("pages", "documents")
FIGURES = tuple(one.column for one in MEASURES if one.has_interval)  # the order of the columns of `UnitSums.results`
Rows = TypeVar("Rows", bound=UnitRows)
Sums = dict[str, Floats]  # {name: float64[units or sums, numbers]}


def unit_kind(levels: Levels) -> str:
    """The kind of unit: "document", or "page" if there is only one document."""
    return "document" if len(levels.documents) > 1 else "page"


def unit_names(levels: Levels) -> list[str]:
    return levels.documents if unit_kind(levels) == "document" else list(levels.page_names)


@dataclass(frozen=True, eq=False)
class UnitSums:
    """float64[units, numbers] for one comparison: the margins of its matrix, its content, sums of its mean scores."""

    unit: str  # "document" or "page"
    names: list[str]  # of the units
    labels: list[str]
    shared: bool  # whether the two sides have the same labels; if not, only content has scores
    parts: Sums
    two_masses: bool = False  # method `tensor`
    kept: dict[tuple[int, int], Floats] = field(init=False, default_factory=dict)  # {(n, seed): sums of resamples}
    signed = False  # results are scores from 0 to 1

    @cached_property
    def rows(self) -> Floats:
        return np.concatenate(list(self.parts.values()), axis=1)

    @property
    def figures(self) -> tuple[str, ...]:
        """The `FIGURES` that these sums have; sums of a stored result have no means over pages."""
        return tuple(name for name in FIGURES if "over_pages" in self.parts or not name.endswith("_over_pages"))

    def resampled(self, n: int, seed: int) -> Floats:
        """float64[resamples, numbers]; kept, because they are used for the values and for each difference."""
        if (n, seed) not in self.kept:
            rows = self.rows
            self.kept[n, seed] = np.concatenate([block @ rows for block in resample_weights(len(rows), n, seed)])
        return self.kept[n, seed]

    def results(self, totals: Floats, whole: Floats | None = None) -> Floats:
        """float64[sums, results]: all `FIGURES`, then every class score of every label, from float64[sums, numbers].

        Macro averages are over the classes that occur in each sum; with `whole`, over the classes of the whole set,
        whose totals are float64[numbers]. A class that is missing in a sum then counts with its value in the set.
        """
        sums = self._split(totals)
        margins = self._margins(sums)
        scores = class_scores(margins)
        in_set = None if whole is None else self._margins(self._split(whole[None]))
        averages = [
            average_over(margins.without_first(skip), kind, in_set and in_set.without_first(skip))
            for skip in (1, 0)
            for kind in AVERAGES
        ]
        for over in MEANS_OVER:
            # There are no sums over documents if there is one document: its score is the score of the set.
            total = sums.get(f"over_{over}")
            averages.append(averages[1] if total is None else dict(zip(SCORES, ratio(total[:, :3], total[:, 3:]).T)))
        of_labels = [*(one[score] for one in averages for score in SCORES)]
        content = content_scores(sums["content"])
        columns = [*of_labels, *(content[score] for score in SCORES)]
        results = np.concatenate([np.stack(columns, axis=1), *(scores[name] for name in CLASS_SCORES)], axis=1)
        if not self.shared:
            results[:, : len(of_labels)] = np.nan
            results[:, len(FIGURES) :] = np.nan
        return results

    def sizes(self) -> Floats:
        """float64[units, results]: the pixels, pages or documents that a unit adds to each result."""
        gt, pred, content = (self.parts[name] for name in ("gt", "pred", "content"))
        labels = (gt + pred)[:, 1:].sum(axis=1)
        of_averages = [labels, (gt + pred).sum(axis=1)]
        columns = [size for size in of_averages for _ in range(len(AVERAGES) * len(SCORES))]
        for over in MEANS_OVER:
            defined = self.parts.get(f"over_{over}")
            columns += [labels] * len(SCORES) if defined is None else list(defined[:, len(SCORES) :].T)
        columns += [content[:, 1] + content[:, 2]] * len(SCORES)
        of_classes = {"precision": pred, "recall": gt, "f1": gt + pred, "iou": gt + pred}
        return np.concatenate([np.stack(columns, axis=1), *(of_classes[name] for name in CLASS_SCORES)], axis=1)

    def in_order(self, names: Sequence[str]) -> UnitSums:
        """The sums with the units in this order."""
        if list(names) == self.names:
            return self
        position = {name: i for i, name in enumerate(self.names)}
        order = [position[name] for name in names]
        parts = {name: values[order] for name, values in self.parts.items()}
        return replace(self, names=list(names), parts=parts)

    def with_labels(self, labels: Sequence[str]) -> UnitSums:
        """The sums with the margins of these labels; all are 0 for a label that these sums do not have."""
        if list(labels) == self.labels:
            return self
        columns = [self.labels.index(label) if label in self.labels else len(self.labels) for label in labels]
        zero = np.zeros((len(self.names), 1))
        margins = {name: np.concatenate([self.parts[name], zero], axis=1)[:, columns] for name in MARGINS}
        return replace(self, labels=list(labels), parts=self.parts | margins)

    def _margins(self, sums: Sums) -> Margins:
        return Margins(*(sums[name] for name in MARGINS), two_masses=self.two_masses)

    def _split(self, totals: Floats) -> Sums:
        ends = np.cumsum([part.shape[1] for part in self.parts.values()])[:-1]
        return dict(zip(self.parts, np.split(totals, ends, axis=1)))


@dataclass(frozen=True, eq=False)
class SumsOfTwo(Generic[Rows]):
    """The sums of two sides with the same units; a result is the value of b minus the value of a."""

    a: Rows
    b: Rows
    signed = True  # results are differences from -1 to 1

    @cached_property
    def rows(self) -> Floats:
        return np.concatenate([self.a.rows, self.b.rows], axis=1)

    def results(self, totals: Floats, whole: Floats | None = None) -> Floats:
        width = self.a.rows.shape[1]
        whole_a, whole_b = (None, None) if whole is None else (whole[:width], whole[width:])
        return self.b.results(totals[:, width:], whole_b) - self.a.results(totals[:, :width], whole_a)

    def sizes(self) -> Floats:
        return self.a.sizes() + self.b.sizes()


class PairedSums(SumsOfTwo[UnitSums]):
    """The sums of two comparisons with the same units and labels."""

    def resampled(self, n: int, seed: int) -> Floats:
        """float64[resamples, numbers]: the same units are drawn for both."""
        return np.concatenate([one.resampled(n, seed) for one in (self.a, self.b)], axis=1)


def unit_sums(levels: Levels, method: str) -> UnitSums:
    """The sums of every unit of a comparison.

    Sums of page and document scores come with the number of defined scores, so a mean can be computed from them.
    """
    check_method(method)
    by_document = unit_kind(levels) == "document"
    blocks = document_matrices(levels, method) if by_document else page_matrices(levels, method)
    width = len(levels.space.labels)
    # Copied block by block, because a diagonal is a view that keeps its whole block in memory.
    rows = [np.empty((0, len(MARGINS) * width)), *(margin_rows(matrices) for _, matrices in blocks)]
    parts = dict(zip(MARGINS, np.split(np.concatenate(rows), len(MARGINS), axis=1)))
    content = levels.document_content if by_document else levels.page_content
    margins = Margins(*parts.values()).without_first(1)
    parts |= {"content": content}
    scores = scores_and_counts(mean_scores(margins, "macro"))
    if by_document:
        parts["over_documents"] = scores
    if len(levels.pages) != len(scores):
        pages = scores_and_counts(level_averages(page_matrices(levels, method), ["macro"], background=False)["macro"])
        count = len(levels.documents)
        scores = np.stack([np.bincount(levels.document_of_page, column, count) for column in pages.T], axis=1)
    parts["over_pages"] = scores
    rounded = {name: round_for_exact_sums(values) for name, values in parts.items()}
    kind, space = unit_kind(levels), levels.space
    sums = UnitSums(kind, unit_names(levels), list(space.labels), space.shared, rounded, method == "tensor")
    # By name, so random draws do not depend on the order of pages in the files.
    return sums.in_order(sorted(sums.names))


def round_for_exact_sums(rows: Floats) -> Floats:
    """float64[units, numbers]: `rows` rounded very slightly, so sums over a resample fit the 53 bits of a float64.

    Additions are then exact, and their order (block sizes, threads, machines) does not change the result.
    """
    _, exponent = np.frexp(len(rows) * rows.max(axis=0, initial=0))
    step = np.ldexp(1.0, exponent - 52)
    return np.round(rows / step) * step


def margin_rows(matrices: GroupMatrices) -> Floats:
    """float64[units, 4 x labels]: the four margins of all labels."""
    return np.concatenate([matrices.of_all_labels(part) for part in matrices.margins.parts()], axis=1)


def scores_and_counts(scores: Mapping[str, Floats]) -> Floats:
    """float64[groups, 6]: the three scores, 0 where undefined, then 1 for each defined score and 0 otherwise."""
    values = np.stack([scores[name] for name in SCORES], axis=1)
    return np.concatenate([np.nan_to_num(values), np.isfinite(values)], axis=1)


def average_over(of: Margins, kind: str, whole: Margins | None) -> dict[str, Floats]:
    """float64[sums] each: averages over labels; macro averages over the labels of `whole`, if it is given."""
    if kind != "macro" or whole is None:
        return mean_scores(of, kind)
    missing = (of.gt == 0) & (of.pred == 0)
    filled = (np.where(missing, set_part, part) for part, set_part in zip(of.parts(), whole.parts()))
    return mean_scores(Margins(*filled, two_masses=of.two_masses), kind)


def paired_sums(a: UnitSums, b: UnitSums, names: tuple[str, str] = ("c_a", "c_b")) -> PairedSums:
    """The sums of both with the units of a and the labels of both; `names` are for messages."""
    b = b.in_order(a.names)
    check_same_gt(a, b, names)
    labels = list(dict.fromkeys([*a.labels, *b.labels]))
    shared = a.shared and b.shared
    both = (one.with_labels(labels) for one in (a, b))
    return PairedSums(*(one if one.shared == shared else replace(one, shared=shared) for one in both))


def check_same_gt(a: UnitSums, b: UnitSums, names: tuple[str, str]) -> None:
    """Raise an InputError if a label covers a different number of gt pixels in the two comparisons.

    With the same gt these numbers do not depend on pred.
    """
    for i, label in enumerate(a.labels):
        # A page that gt does not have may have another size, and so another Background, in each prediction.
        # Two taxonomies can use the same name; the label of gt comes first.
        if i == 0 or label not in b.labels or i != a.labels.index(label):
            continue
        own, other = a.parts["gt"][:, i], b.parts["gt"][:, b.labels.index(label)]
        differing = np.flatnonzero(~np.isclose(own, other, rtol=1e-9, atol=0))
        if differing.size:
            unit = int(differing[0])
            amounts = f"{own[unit]:,.0f} gt pixels in one comparison and {other[unit]:,.0f} in the other"
            problem = f"on {a.unit} {short_repr(a.names[unit])}, {label} has {amounts}"
            hint = "Compare both predictions with the same gt, the same rounding and the same mapping of gt."
            raise InputError("", ", ".join(names), problem, hint)
