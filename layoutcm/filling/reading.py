"""What is computed from a `Result`: its matrices, tables of documents and pages, and sums over documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from layoutcm.alignment.recipe import Recipe
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import Intervals, differences_from, intervals_from
from layoutcm.metrics.levels import AGREEMENT, example_name, level_scores, worst_first
from layoutcm.metrics.matrix_blocks import GroupMatrices, block_size
from layoutcm.metrics.scores import Margins, PixelSums, mean_scores
from layoutcm.metrics.unit_sums import MARGINS, UnitSums, margin_rows, round_for_exact_sums, scores_and_counts
from layoutcm.results.common_parts import PixelMatrix, SparseMatrix
from layoutcm.results.result import Result
from layoutcm.results.types import Level
from layoutcm.results.verdict import CONFIDENCE

PER_PAGE = "Write the result with its pages: layoutcm compare GT PRED --json FILE --per-page."


def dense(matrix: PixelMatrix) -> Floats:
    """float64[gt, pred]"""
    if not isinstance(matrix, SparseMatrix):
        return np.array(matrix, float)
    values = np.zeros(matrix.shape)
    values[matrix.row, matrix.column] = matrix.value
    return values


def confusion_at(result: Result, document: str | None, page: str | None) -> Confusion:
    """The confusion matrix of the whole set, of a document or of a page."""
    if document is not None and page is not None:
        raise InputError("", "page, document", "both are given", "Give a page or a document, not both.")
    if document is None and page is None:
        return _confusion_of(result, result, result.recipe)
    fields = {name: value for name, value in result.recipe_fields.items() if name != "version"}
    recipe = Recipe(fields, result.version).line(document=document, page=page)
    return _confusion_of(result, _find_level(result, document, page), recipe)


def _find_level(result: Result, document: str | None, page: str | None) -> Level:
    kind, name = ("document", document) if page is None else ("page", page)
    if page is not None and result.by_page is None:
        hint = "Write it with its pages: layoutcm compare GT PRED --json FILE --per-page."
        raise InputError("", "by_page", "the matrices of pages are not in the result", hint)
    names = result.documents if page is None else result.pages
    levels = dict(zip(names, (result.by_document if page is None else result.by_page) or ()))
    if not isinstance(name, str) or name not in levels:
        hint = example_name(kind.capitalize(), levels)
        raise InputError("", kind, f"there is no {kind} {short_repr(name)}", hint)
    return levels[name]


def _confusion_of(result: Result, level: Result | Level, recipe: str) -> Confusion:
    gt = len(result.gt_labels)
    sides = (tuple(range(gt + 1)), (0, *range(gt + 1, len(result.labels))))
    right = float("nan") if level.right is None else level.right
    return Confusion(
        list(result.labels),
        result.method,
        *_masses(level),
        np.array(level.pred_pixels),
        diagonal=result.has_classes,
        recipe=recipe,
        sides=None if result.has_classes else sides,
        source=PixelSums(_content(level), right),
        side_names=result.vocabulary.sides,
    )


def _masses(level: Result | Level) -> tuple[Floats, Floats]:
    recall_mass = dense(level.confusion_matrix if isinstance(level, Result) else level.confusion)
    precision_mass = level.precision_mass
    return recall_mass, recall_mass if precision_mass is UNSET else dense(precision_mass)


def _content(level: Result | Level) -> Floats:
    pixels = level.content_pixels
    return np.array([pixels.both, pixels.gt, pixels.pred])


def document_table(result: Result) -> pd.DataFrame:
    """One row per document, the worst first: document, pages, pixels, scores; without a truth, the agreement."""
    names, levels = result.documents, result.by_document or []
    columns = {"document": names, "pages": np.array([level.pages for level in levels], np.int64)}
    return _level_table(result, columns, levels)


def page_table(result: Result) -> pd.DataFrame:
    """One row per page, the worst first: page, document, pixels, scores; without a truth, the agreement."""
    names, scores = result.pages, result.page_scores
    if scores is None:
        levels = result.by_page or []
        return _level_table(result, {"page": names, "document": [level.document for level in levels]}, levels)
    columns = {"page": names, "document": scores.document, "pixels": np.array(scores.pixels, float)}
    return worst_first(columns | {name: np.array(values, float) for name, values in scores.scores.items()})


def _level_table(result: Result, columns: dict[str, Any], levels: Sequence[Level]) -> pd.DataFrame:
    columns["pixels"] = np.array([level.pixels for level in levels], float)
    if result.vocabulary.measured == "agreement":
        # Results of the first schema lack it.
        agreed = [None if level.agreement is UNSET else level.agreement for level in levels]
        return worst_first({**columns, AGREEMENT: np.array(agreed, float)})
    content = np.array([_content(level) for level in levels]).reshape(-1, 3)
    return worst_first({**columns, **level_scores(_blocks(result, levels), content, result.has_classes)})


def _blocks(result: Result, levels: Sequence[Level]) -> Iterator[tuple[range, GroupMatrices]]:
    """Blocks of documents or pages, because the matrices of all of them may not fit into memory."""
    block = block_size(len(result.labels), result.method)
    for first in range(0, len(levels), block):
        part = levels[first : first + block]
        recall_mass, precision_mass = (np.stack(mass) for mass in zip(*map(_masses, part)))
        pred_pixels = np.array([level.pred_pixels for level in part])
        yield range(first, first + len(part)), GroupMatrices(recall_mass, precision_mass, pred_pixels)


def sums_of(result: Result) -> UnitSums:
    """The sums of every document, or of every page if there is one document; means over pages are not among them.

    An InputError says why the result does not have them.
    """
    by_document = result.document_count > 1
    if not by_document and result.by_page is None:
        problem = "intervals need several documents, or the pages of the only one, which this result lacks"
        raise InputError("", "by_page", problem, PER_PAGE)
    names = result.documents if by_document else result.pages
    levels = (result.by_document if by_document else result.by_page) or []
    width = len(result.labels)
    rows = [np.empty((0, len(MARGINS) * width)), *(margin_rows(matrices) for _, matrices in _blocks(result, levels))]
    parts = dict(zip(MARGINS, np.split(np.concatenate(rows), len(MARGINS), axis=1)))
    scores = scores_and_counts(mean_scores(Margins(*parts.values()).without_first(1), "macro"))
    parts["content"] = np.array([_content(level) for level in levels]).reshape(-1, 3)
    if by_document:
        parts["over_documents"] = scores
    rounded = {name: round_for_exact_sums(values) for name, values in parts.items()}
    unit, labels = "document" if by_document else "page", list(result.labels)
    sums = UnitSums(unit, names, labels, result.has_classes, rounded, result.method == "tensor")
    return sums.in_order(sorted(names))


def intervals_of_result(result: Result) -> Intervals:
    """The 95 % intervals of a result."""
    settings = (RESAMPLES, 0, CONFIDENCE, result.method)
    return intervals_from(sums_of(result), lambda method, **more: result.recipe, *settings)


def paired_sums_of(results: Mapping[str, Result]) -> dict[str, UnitSums]:
    """{name: `sums_of`} of results; raise an InputError if their documents differ."""
    sums = {name: sums_of(result) for name, result in results.items()}
    if len({(own.unit, *own.names) for own in sums.values()}) > 1:
        first, *_, last = sums
        problem = f"its {sums[last].unit}s differ from those of the other result"
        raise InputError("", first, problem, "Compare both predictions with the same gt.")
    return sums


def difference_of_results(baseline: Result, result: Result) -> Intervals:
    """A result minus the baseline, paired by document; an InputError says why they cannot be paired."""
    sums = paired_sums_of({"baseline": baseline, "result": result})
    recipes = {name: lambda method, **more: "" for name in sums}
    return differences_from(sums, recipes, RESAMPLES, 0, CONFIDENCE, result.method)["result"]
