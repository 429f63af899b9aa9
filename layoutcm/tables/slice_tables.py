"""Slices as terminal text, as JSON and as a table of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.slices import usual_figure
from layoutcm.metrics.bootstrap import CONFIDENCE, FEWEST_UNITS, MOST_JACKKNIFE
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.metrics.unit_sums import unit_kind
from layoutcm.tables.averages import figure_title
from layoutcm.tables.slice_views import SEED, SliceTable
from layoutcm.tables.tables import Table
from layoutcm.wording import MISSING, NAME_LENGTH, difference_text, one_line, percent, plural, score_text, shorten

NONE_DIFFERS = "no slice is shown to be better or worse than the rest"
ALL_ATTRIBUTES = "all"  # in a recipe
TITLES = ("pages", "documents", "F1", "interval", "difference", "p", "error", "explained", "verdict")


def slice_table(comparison: Comparison, attribute: str | None, method: str = "matrix") -> SliceTable:
    figure = usual_figure(comparison.space)
    data = comparison.slices(attribute, figure, method=method, seed=SEED)
    unit = unit_kind(comparison.levels)
    units = len(comparison.documents if unit == "document" else comparison.pages)
    test = "randomisation test" if units <= MOST_JACKKNIFE else "t test"
    over = f"{100 * CONFIDENCE:g} % intervals over {plural(units, unit)} by the jackknife, none below {FEWEST_UNITS}"
    tests = f"{figure_title(figure)}; {over}; p: {test} against the rest, corrected for the number of slices (Holm)"
    settings = {"slices": attribute or ALL_ATTRIBUTES, "figure": figure, "level": CONFIDENCE, "seed": SEED}
    recipe = comparison.recipe_for(method, **settings)
    confusion = comparison.confusion(method=method)
    whole = confusion.average("micro")["f1"] if comparison.space.shared else float(confusion.collapse().f1[1, 1])
    return SliceTable(attribute, data, figure, figure_title(figure), tests, recipe, whole)


def slice_summary(slices: SliceTable) -> str:
    """The slices as terminal text: F1, its interval, the difference from the rest, the part of the error, a verdict."""
    if not len(slices.data):
        return "no slice of pages is worse than the rest"
    names = [shorten(one_line(name), NAME_LENGTH) for name in slices.names]
    heading = one_line(slices.title[0].lower() + slices.title[1:])
    rows = [(heading, *TITLES), *map(_line, names, slices.data.to_dict("records"))]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for name, *numbers, verdict in rows:
        aligned = (f"{text:>{width}}" for text, width in zip(numbers, widths[1:]))
        lines.append("  ".join([f"{name:{widths[0]}}", *aligned, verdict]).rstrip())
    differs = slices.data["verdict"].isin([BETTER, WORSE]).any()
    return "\n".join([*lines, *([] if differs else [NONE_DIFFERS]), *slices.tests.split("; ")])


def _line(name: str, row: Mapping[Any, Any]) -> tuple[str, ...]:
    interval = MISSING if math.isnan(row["low"]) else f"{score_text(row['low'])} – {score_text(row['high'])}"
    return (
        name,
        f"{row['pages']:,}",
        f"{row['documents']:,}",
        score_text(row[row["figure"]]),
        interval,
        difference_text(row["difference"]),
        score_text(row["p"]),
        percent(row["error_share"]),
        percent(row["explained"]) if row["explained"] > 0 else MISSING,
        row["verdict"] or "",
    )


def slice_report_table(slices: SliceTable) -> Table:
    data = slices.data.drop(columns=["figure", "value", "attribute", "rest"], errors="ignore")
    data.insert(0, "slice", slices.names)
    data["verdict"] = data["verdict"].fillna("").astype(str)
    return Table("slices", slices.title, data, note=slices.tests, recipe=slices.recipe)
