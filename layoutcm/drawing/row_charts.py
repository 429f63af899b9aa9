"""Charts with a row for each name: bars of classes, stacked bars of causes and families, dots of slices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.charts import Part, RowChart, plotly_text
from layoutcm.drawing.margin_matrices import PART_NAMES, chart_rows
from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES, Floats
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.metrics.family_trees import preferred_name
from layoutcm.metrics.scores import SCORES
from layoutcm.results.verdict import verdict_words
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection
from layoutcm.tables.slice_tables import SliceTable
from layoutcm.tables.why import cause_shares
from layoutcm.wording import (
    MISSING,
    difference_text,
    percent,
    percent_brief,
    pixels_brief,
    pixels_in_full,
    plural,
    score_text,
    thin_spaced,
)

MOST_BARS = 40  # classes of a chart on the screen, unless more are asked for
SMALLEST_WITH_NUMBER = 0.06  # share of a bar below which no number fits


def class_bars(
    confusion: Confusion,
    *,
    most: int | None = None,
    background: bool = False,
    intervals: Mapping[str, Any] | None = None,
    selection: Selection | None = None,
    recipe: str = "",
) -> RowChart:
    """Precision, recall and F1 of the classes in use, or of a selection of them, the largest in gt first.

    With `most`, at most this many classes; Background, which is last, is kept. `intervals` is
    {score: float64[labels, (low, high)]}. `recipe` is the caption; by default it is the recipe of the matrix.
    """
    if not confusion.diagonal:
        raise InputError("", "classes", "the two sides have different labels", "A mapping makes classes comparable.")
    positions = classes_in_use(confusion, background, selection)
    if most is not None and len(positions) > most:
        last = positions[-1:] if positions[-1] == 0 else []
        positions = positions[: most - len(last)] + last
    values = confusion.class_values()
    known = {score: np.asarray(ends, float)[positions] for score, ends in (intervals or {}).items()}
    pixels = [[f"{side} {thin_spaced(float(values[f'{side}_pixels'][i]))} px" for side in SIDES] for i in positions]
    own = {score: values[score][positions] for score in SCORES}
    return score_bars([confusion.labels[i] for i in positions], own, known, pixels, recipe=recipe or confusion.recipe)


def score_bars(
    labels: Sequence[str],
    values: Mapping[str, Floats],
    ends: Mapping[str, Floats] | None = None,
    more: Sequence[Sequence[str]] = (),
    *,
    recipe: str = "",
) -> RowChart:
    """Precision, recall and F1 of labels, {score: float64[labels]}, and their intervals.

    `more` are extra lines of the tooltip.
    """
    known, hover = ends or {}, []
    for i, label in enumerate(labels):
        texts = [f"{SCORE_TITLES[score]} {score_text(float(values[score][i]), 4)}" for score in SCORES]
        for k, score in enumerate(SCORES):
            if score in known:
                low, high = (score_text(float(end)) for end in known[score][i])
                texts[k] += f" ({low} – {high})"
        hover.append("<br>".join([f"<b>{plotly_text(label)}</b>", *texts, *(more[i] if more else ())]))
    parts = [Part(SCORE_TITLES[score], score, values[score], hover, known.get(score)) for score in SCORES]
    numbers = [MISSING if math.isnan(f1) else percent_brief(f1) if f1 else "0" for f1 in values["f1"].tolist()]
    return RowChart("bars", labels, parts, numbers, recipe=recipe)


def slice_dots(slices: SliceTable) -> RowChart:
    """F1 with interval of every slice, in the order of the table, and F1 of all pages as `whole`."""
    rows = slices.data.to_dict("records")
    values = slices.data[slices.figure].to_numpy(float)
    hover = [_slice_hover(*one, slices.unit) for one in zip(slices.names, values.tolist(), rows)]
    dots = Part("F1", "f1", values, hover, slices.data[["low", "high"]].to_numpy(float))
    return RowChart(
        "dots",
        slices.names,
        [dots],
        [score_text(value) for value in values.tolist()],
        unit="score",
        title=slices.title,
        axis_title=slices.figure_title,
        recipe=slices.recipe,
        verdicts=[row["verdict"] or "" for row in rows],
        low=slices.low_end,
        whole=slices.whole,
    )


def _slice_hover(name: str, f1: float, row: Mapping[Any, Any], unit: str) -> str:
    value = f"F1 {score_text(f1)}"
    if not math.isnan(row["low"]):
        value += f" ({score_text(row['low'])} – {score_text(row['high'])})"
    lines = [f"<b>{plotly_text(name)}</b>", value, f"{difference_text(row['difference'])} against the rest"]
    lines += [verdict_words(row["verdict"], unit)] if row["verdict"] else []
    return "<br>".join([*lines, f"{plural(row['pages'], 'page')}, {plural(row['documents'], 'document')}"])


def model_cause_bars(table: pd.DataFrame, recipe: str = "") -> RowChart:
    """One stacked bar of wrong pixels for each prediction; `table` is that of `Leaderboard.causes`."""
    models, causes = table.iloc[:, 0].astype(str).tolist(), [str(name) for name in table.columns[1:]]
    totals = table[causes].sum(axis=1, skipna=False).tolist()
    parts = []
    for cause in causes:
        values = table[cause].to_numpy(float)
        hover = [
            f"<b>{plotly_text(model)}</b><br>{cause}: {percent(value / (total or 1))}, {pixels_in_full(value)} px"
            for model, value, total in zip(models, values.tolist(), totals)
        ]
        parts.append(Part(cause, cause, values, hover))
    numbers = ["n/a" if math.isnan(total) else pixels_brief(total) for total in totals]
    return RowChart("stack", models, parts, numbers, unit="pixels", axis_title="wrong pixels", recipe=recipe)


def cause_bars(causes: Causes, confusion: Confusion, selection: Selection | None = None) -> RowChart:
    """Two stacked bars per label: of its gt pixels those that pred missed, of its pred pixels the extra ones.

    The number of a bar is its length in percent: 1 - recall, and 1 - precision. A label without pixels on a side has no
    bar there. `confusion` is the matrix of the same pages, with method `matrix`.
    """
    if not confusion.diagonal:
        raise InputError("", "causes", "the two sides have different labels", "A mapping makes labels comparable.")
    shares = cause_shares(causes, confusion, selection)
    values = np.stack([shares.gt, shares.pred], axis=1).reshape(-1, shares.gt.shape[1])
    sides = [(side, plotly_text(label)) for label in shares.labels for side in SIDES]
    parts = []
    for k in shares.occurring:
        name, own = causes.names[k], values[:, k]
        hover = [
            f"{side} <b>{label}</b><br>{name}: {percent(value)}" for (side, label), value in zip(sides, own.tolist())
        ]
        parts.append(Part(name, name, own, hover))
    totals = values[:, shares.occurring].sum(axis=1).tolist()
    numbers = ["" if math.isnan(total) else percent_brief(total) if total else "0" for total in totals]
    title = "% of the label: missing in pred (gt), too much (pred)"
    return RowChart("stack", shares.labels, parts, numbers, axis_title=title, recipe=confusion.recipe, lines=SIDES)


def family_bars(families: FamilyConfusion, side: int) -> RowChart:
    """A stacked bar of 100 % for each label of a side: right, in family, out of family; its number is what is right."""
    rows = chart_rows(families, side)
    unit = "px" if families.sample == "pixel" else "pages"
    hover = [_family_hover(row.values, side, unit) if row.values else "" for row in rows]
    parts = []
    for part in PARTS:
        values = np.array([row.values[part] if row.values else np.nan for row in rows], float)
        texts = [percent_brief(value) if value >= SMALLEST_WITH_NUMBER else "" for value in values.tolist()]
        parts.append(Part(PART_NAMES[part], part, values, hover, texts=texts))
    return RowChart(
        "stack",
        [row.name for row in rows],
        parts,
        [percent_brief(row.values["identity"]) if row.values else "" for row in rows],
        axis_title="% of the label; number: % correct",
        recipe=families.recipe,
        headings=frozenset(k for k, row in enumerate(rows) if row.values is None),
    )


def _family_hover(values: Mapping[str, Any], side: int, unit: str) -> str:
    lines = [f"{SIDES[side]} <b>{plotly_text(values['label'])}</b>, {thin_spaced(values['total'])} {unit}"]
    lines += [f"{percent(values[part])} {PART_NAMES[part]}" for part in PARTS]
    if values["preferred"] is not None:
        lines.append(f"mostly confused with {plotly_text(preferred_name(values['preferred']))}")
    return "<br>".join(lines)
