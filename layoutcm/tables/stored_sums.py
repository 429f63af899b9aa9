"""What adds up over documents, from a result.json: so that two results can be compared as two predictions are."""

from __future__ import annotations

import numpy as np

from layoutcm.errors import InputError
from layoutcm.metrics.bootstrap import CONFIDENCE, RESAMPLES
from layoutcm.metrics.intervals import Intervals, differences_from, intervals_from
from layoutcm.metrics.scores import Margins, mean_scores
from layoutcm.metrics.unit_sums import MARGINS, UnitSums, margin_rows, round_for_exact_sums, scores_and_counts
from layoutcm.tables.loaded_result import Result, content_of

PER_PAGE = "Write both results with their pages: layoutcm compare GT PRED --json FILE --per-page."


def stored_sums(result: Result) -> UnitSums:
    """The sums of every document, or of every page if there is one document; means over pages are not among them.

    An InputError says why the result does not have them.
    """
    by_document = result.stored.documents > 1
    if not by_document and result.stored.by_page is None:
        raise InputError(result.name, "by_page", "one document has no spread, and its pages are missing", PER_PAGE)
    names, levels = (result.documents, result.document_levels) if by_document else (result.pages, result.page_levels)
    width = len(result.labels)
    rows = [np.empty((0, len(MARGINS) * width)), *(margin_rows(matrices) for _, matrices in result.blocks(levels))]
    parts = dict(zip(MARGINS, np.split(np.concatenate(rows), len(MARGINS), axis=1)))
    scores = scores_and_counts(mean_scores(Margins(*parts.values()).without_first(1), "macro"))
    parts["content"] = np.array([content_of(level) for level in levels]).reshape(-1, 3)
    if by_document:
        parts["over_documents"] = scores
    rounded = {name: round_for_exact_sums(values) for name, values in parts.items()}
    sums = UnitSums("document" if by_document else "page", names, list(result.labels), result.has_classes, rounded)
    return sums.in_order(sorted(names))


def stored_intervals(result: Result) -> Intervals:
    """The 95 % intervals of a result."""
    settings = (RESAMPLES, 0, CONFIDENCE, result.method)
    return intervals_from(stored_sums(result), lambda method, **more: result.recipe, *settings)


def stored_difference(baseline: Result, result: Result) -> Intervals:
    """A result minus the baseline, paired by document; an InputError says why they cannot be paired."""
    sums = {"baseline": stored_sums(baseline), "result": stored_sums(result)}
    if len({tuple(own.names) for own in sums.values()}) > 1:
        units = sums["result"].unit
        raise InputError("", "baseline", f"it has other {units}s", "Compare both predictions with the same gt.")
    recipes = {name: lambda method, **more: "" for name in sums}
    return differences_from(sums, recipes, RESAMPLES, 0, CONFIDENCE, result.method)["result"]
