"""What the report of one prediction shows of the others: their matrices beside its own, and their regions on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.web import page_data
from layoutcm.drawing.web.matrix_data import matrix_data
from layoutcm.drawing.web.model_pairs import difference_of_shown, paired_matrices, shown_in_either
from layoutcm.errors import InputError
from layoutcm.models.cell_differences import cell_differences
from layoutcm.tables.interval_texts import cell_difference_text
from layoutcm.tables.matrix_views import SHARE_VIEWS, select

DIGITS = 6  # of differences; more would only make the file larger


def others_of(comparison: Comparison, models: Mapping[str, Comparison]) -> dict[str, Comparison]:
    return {name: one for name, one in models.items() if one is not comparison}


def pair_data(comparison: Comparison, models: Mapping[str, Comparison], method: str) -> list[dict[str, Any]]:
    """For every other prediction: both matrices on their common pages, and the difference of every cell."""
    own = next((name for name, one in models.items() if one is comparison), "")
    return [_pair(own, comparison, name, other, method) for name, other in others_of(comparison, models).items()]


def _pair(own: str, comparison: Comparison, name: str, other: Comparison, method: str) -> dict[str, Any]:
    try:
        pair = paired_matrices(comparison, other, method)
        found = {view: cell_differences(other, comparison, view, method=method) for view in SHARE_VIEWS}
    except InputError as error:
        return {"name": name, "problem": f"It cannot be compared with {name}: {error.problem}. {error.hint}"}
    shown = shown_in_either([select(one) for one in pair])
    differences = {view: _rounded(difference_of_shown(one, pair, shown)) for view, one in found.items()}
    return {
        "name": name,
        "labels": pair[0].labels,
        "matrix": matrix_data({own: pair[0], name: pair[1]}, "recall", shown),
        "differences": differences,
        "note": cell_difference_text(found["recall"].used, own, name),
    }


def _rounded(difference: dict[str, Any]) -> dict[str, Any]:
    """The noise stays: it was decided with all digits."""
    numbers = {name: difference[name] for name in ("values", "low", "high")}
    return difference | {
        name: [[None if value is None else round(value, DIGITS) for value in row] for row in rows]
        for name, rows in numbers.items()
    }


def regions_of_others(others: Mapping[str, Comparison], page: str, labels: list[str]) -> list[list[Any]]:
    """The regions of the other predictions on a page; they are the sides 2, 3, ... of the viewer."""
    return [
        region
        for side, other in enumerate(others.values(), start=2)
        if page in other.alignment.pages.index
        for region in page_data.region_data(other, page, labels, {"pred": side})
    ]
