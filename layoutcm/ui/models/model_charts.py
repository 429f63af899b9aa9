"""What Models shows below its table: classes, score thresholds, causes, slices, and the pages that differ most."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.alignment.min_scores import min_score_text
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.score_curves import ALL_LABELS, ScoreCurves
from layoutcm.drawing.cell_charts import model_classes, model_differences
from layoutcm.drawing.line_charts import points_of, threshold_curve, threshold_points
from layoutcm.drawing.paper import charts
from layoutcm.drawing.row_charts import model_cause_bars, slice_dots
from layoutcm.drawing.screen.charts import CONFIG, cell_chart_height, draw, row_chart_height
from layoutcm.filling.result_parts import curves_part, slices_of_comparison
from layoutcm.layouts.model import GT, PRED
from layoutcm.lazy import pd
from layoutcm.models.leaderboard import Leaderboard, cause_row
from layoutcm.results.verdict import BETTER, WORSE
from layoutcm.results.view_types import CurveScores
from layoutcm.tables.interval_texts import CORRECTED_FOR_ALL
from layoutcm.tables.leaderboard_tables import (
    CAUSES,
    CLASSES,
    DOCUMENTS,
    PAGES,
    class_difference_table,
    class_grid,
    class_scores_table,
    classes_in_use,
    level_table,
    short_title,
    table_of_causes,
)
from layoutcm.tables.matrix_views import select
from layoutcm.tables.score_tables import F1_OF_ALONE, gain_sentence, threshold_table
from layoutcm.tables.slice_tables import NONE_DIFFERS, SliceTable, slice_report_table, slice_table
from layoutcm.ui.files.comparisons import comparison_of
from layoutcm.ui.models.predictions import Predictions, is_ready
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, sidebar
from layoutcm.ui.shared.downloads import Offer, file_name, in_state
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen
from layoutcm.wording import MISSING, plain_number, threshold_text

VALUES = {"value": "F1", "difference": "Difference from the baseline"}
GREY = "Blue is better, red is worse, grey is a difference that the test does not show; in points of F1"
SLICES_HEIGHT = 560  # pixels, of nine slices with what is around them
NO_CAUSES = "no causes, because the labels differ from those of the ground truth"
NO_ATTRIBUTES = "No slice of pages is worse than the rest."
MOST_ROWS = 200  # on the screen; the file has all
PAGES_HEIGHT = 560
TITLES = {"page": "Pages", "document": "Documents"}
THRESHOLDS_HEIGHT = 620  # pixels of the chart with what is around it


def classes_height(predictions: Predictions) -> int:
    """The pixels that the heatmap of classes needs, with its heading and its buttons."""
    labels: dict[str, None] = {}
    for compared in predictions.compared.values():
        confusion = compared.confusion()
        labels |= dict.fromkeys(confusion.labels[i] for i in select(confusion).rows if i > 0)
    return cell_chart_height(list(labels), predictions.names) + 210


def causes_height(predictions: Predictions) -> int:
    return row_chart_height("stack", "pixels", len(predictions.compared)) + 90


def show_classes(board: Leaderboard, chosen: Chosen) -> None:
    """F1 of classes x predictions, or the differences from the baseline."""
    grid = class_grid(board.shown)
    if not grid.labels:
        st.info("No prediction has F1 of classes, because its labels differ from those of the ground truth.")
        return
    sidebar.show_segments("model_values", "Show", VALUES, label_visibility="collapsed")
    shows_values = chosen.now.model_values == "value"
    cells = model_classes(grid) if shows_values else model_differences(grid)
    st.plotly_chart(draw(cells, chosen.theme), key="model_classes", config=CONFIG, theme=None)
    first = f"F1 in percent; {as_typed(grid.legend)}" if shows_values else GREY
    hidden = len(classes_in_use(board.shown)) - len(grid.labels)
    rest = f" {hidden} labels with fewer pixels are only in the file." if hidden else ""
    st.caption(f"{first}; {CORRECTED_FOR_ALL}.{rest}")
    file = file_name(CLASSES, *([] if shows_values else ["minus", board.baseline]))
    title = "Classes x predictions" + ("" if shows_values else f", differences from {board.baseline}")
    table = (lambda: class_scores_table(board.shown)) if shows_values else (lambda: class_difference_table(grid))
    downloads.offer("classes", Offer(file, title, partial(charts.draw, cells), table))


def show_causes(predictions: Predictions, board: Leaderboard | None) -> None:
    """Wrong pixels by cause, one bar per prediction."""
    if not is_ready(predictions, _causes, predictions, board):
        return
    table = _causes(predictions, board)
    if table.drop(columns="model").isna().all(axis=None):
        st.info(f"{NO_CAUSES[0].upper()}{NO_CAUSES[1:]}.")
        return
    bars = model_cause_bars(table, next(iter(predictions.compared.values())).recipe)
    st.plotly_chart(draw(bars, predictions.chosen.theme), key="model_causes", config=CONFIG, theme=None)
    none = [name for name, is_none in zip(table["model"], table.isna().any(axis=1)) if is_none]
    rest = f" {as_typed(', '.join(none))}: {NO_CAUSES}." if none else ""
    st.caption(f"Pixels as the matrix counts them: a pixel with several labels may count more than once.{rest}")
    paper = partial(charts.draw, bars)
    downloads.offer("causes", Offer(CAUSES, "Causes of errors", paper, lambda: table_of_causes(table)))


@kept("Looking for causes …")
def _causes(predictions: Predictions, _board: Leaderboard | None) -> pd.DataFrame:
    if _board is not None:
        return _board.causes()
    return pd.DataFrame([cause_row(name, compared.causes()) for name, compared in predictions.by_name.items()])


def show_slices(predictions: Predictions) -> None:
    """The slices of the chosen prediction that explain most of its error."""
    compared, name = predictions.own, predictions.chosen.pred.name
    if compared is None:
        st.info("The chosen prediction cannot be compared.")
        return
    asked = predictions.chosen.key(), predictions.chosen.now.method, compared
    if not is_ready(predictions, _slices, *asked):
        return
    slices = _slices(*asked)
    if not len(slices.data):
        st.info(f"{as_typed(name)}: {NO_ATTRIBUTES[0].lower()}{NO_ATTRIBUTES[1:]}")
        return
    worse = slices.data["verdict"] == WORSE
    text = ", ".join(f"**{as_typed(one)}**" for one, is_worse in zip(slices.names, worse) if is_worse)
    none = NONE_DIFFERS if not slices.data["verdict"].isin([BETTER, WORSE]).any() else "no slice is shown to be worse"
    st.markdown(f"{as_typed(name)}: " + (f"worse than the rest in {text}." if text else f"{none}."))
    dots = slice_dots(slices)
    st.plotly_chart(draw(dots, predictions.chosen.theme), key="model_slices", config=CONFIG, theme=None)
    st.caption(as_typed(f"{slices.tests[0].upper()}{slices.tests[1:]}."))
    file, table = in_state(predictions.chosen, "slices"), lambda: slice_report_table(slices)
    downloads.offer("slices", Offer(file, "Slices", partial(charts.draw, dots), table))


@kept("Looking for slices …")
def _slices(content: str, method: str, _compared: Comparison) -> SliceTable:
    return slice_table(slices_of_comparison(_compared, None, method))


def show_most_different(predictions: Predictions, board: Leaderboard, chosen: Chosen) -> None:
    sidebar.show_segments("differ", "Level", TITLES, label_visibility="collapsed")
    level = chosen.now.differ
    table = _most_different(predictions, level, board)
    shown = table.head(MOST_ROWS)
    columns = {"spread": data_tables.plain_number("largest difference")}
    columns |= {f"f1: {name}": data_tables.plain_number(name) for name in board.models}
    data_tables.show_page_picker(shown, f"differ_{level}", level, columns)
    more = f" The first {len(shown)} of {len(table):,}; the file has all." if len(table) > len(shown) else ""
    st.caption(f"By {short_title(board.figure)}, the largest difference first. Choose a row to open it.{more}")
    name = PAGES if level == "page" else DOCUMENTS
    title = f"{TITLES[level]} on which the predictions differ most"
    downloads.offer("differ", Offer(name, title, table=lambda: level_table(board, name)))


@kept("Scoring pages …")
def _most_different(predictions: Predictions, level: str, _board: Leaderboard) -> pd.DataFrame:
    return _board.pages() if level == "page" else _board.documents()


def show_thresholds(predictions: Predictions) -> None:
    """The curve of the chosen prediction and label, what its best threshold gains, and a button that applies it."""
    chosen, own = predictions.chosen, predictions.own
    if own is None:
        st.info("The chosen prediction cannot be compared.")
        return
    if not own.alignment.layouts[PRED].has_scores:
        _show_others_with_scores(predictions)
        return
    asked = _asked_curves(chosen)
    if not is_ready(predictions, _curves, *asked):
        return
    curves, scores = _curves(*asked)
    if scores is None:
        st.info(f"There is no curve. {curves.why_none}")
        return
    name = lambda label: label or ALL_LABELS
    options = ["", *curves.labels]
    label = sidebar.show_choice("curve_label", "Label", options, "models", format_func=name, width=260) or None
    is_common = label is None or label in own.alignment.layouts[GT].labels
    _show_gain(chosen, scores, label, is_common and not chosen.shows_result)
    figure = draw(threshold_curve(threshold_points(curves, label)), chosen.theme)
    st.plotly_chart(figure, key="threshold_curve", config=CONFIG, theme=None)
    st.caption(f"{as_typed(chosen.pred.name)}. {F1_OF_ALONE}.")
    row = scores.overall if label is None else scores.classes[curves.labels.index(label)]
    points = points_of(label or ALL_LABELS, row.curve)
    paper = partial(charts.draw, threshold_curve(points, own.recipe))
    file = file_name("thresholds", PurePath(chosen.pred.name).stem, label or "")
    title = f"Score threshold, {label or ALL_LABELS}"
    downloads.offer("thresholds", Offer(file, title, paper, lambda: threshold_table(scores)))


def _show_others_with_scores(predictions: Predictions) -> None:
    """Say that the chosen prediction has no scores, and offer the predictions that have some."""
    st.info(f"{as_typed(predictions.chosen.pred.name)} has no scores, so there is no threshold to choose.")
    scored = [k for k, one in predictions.compared.items() if one.alignment.layouts[PRED].has_scores]
    for position in scored:
        text = as_typed(f"Score curve of {predictions.names[position]}")
        changes = {"pred": position, "curve_label": ""}
        st.button(text, key=f"curve_of_{position}", on_click=choices.put, kwargs=changes)


def _asked_curves(chosen: Chosen) -> tuple[str, str, Comparison]:
    """What the curves of all regions are made from, also if a threshold is in force: so the whole curve is seen."""
    options = chosen.options() | {"min_score": None}
    request = chosen.request()
    return request.key, str(sorted(options.items())), comparison_of(request, options)


@kept("Going through the scores …")
def _curves(request: str, options: str, _compared: Comparison) -> tuple[ScoreCurves, CurveScores | None]:
    """The curves, and their part of a result; None if there are no curves."""
    curves = _compared.score_curves()
    return curves, None if curves.why_none else curves_part(curves)


def _show_gain(chosen: Chosen, curves: CurveScores, label: str | None, is_offered: bool) -> None:
    """What the best threshold gains, and the button that applies it; another one removes all thresholds.

    A threshold of a label that gt does not have is not offered: other predictions may not have it. Nor is one for a
    result of parts, which are counted already.
    """
    st.markdown(gain_sentence(curves, label, lambda name: f"**{as_typed(name)}**"))
    row = curves.overall if label is None else next(one for one in curves.classes if one.label == label)
    best = threshold_text(row.threshold)  # rounded down: no region at it is lost
    wanted = _with_threshold(chosen, best, label)
    now = {name: getattr(chosen.now, name) for name in wanted}
    of_all = " of all predictions" if chosen.others else ""
    with st.container(horizontal=True):
        if best != MISSING and is_offered:
            st.button(
                as_typed(f"Apply {best} to {label or ALL_LABELS}{of_all}"), key="apply_best", type="primary",
                disabled=now == wanted, on_click=choices.put, kwargs=wanted,
                help="The bar on top shows it, and removes it.",
            )  # fmt: skip
        scores = chosen.min_scores
        if scores is not None:
            text, none = f"Remove the threshold {min_score_text(scores)}", {"min_score": 0.0, "label_scores": ()}
            st.button(as_typed(text), key="remove_threshold", on_click=choices.put, kwargs=none)


def _with_threshold(chosen: Chosen, best: str, label: str | None) -> dict[str, Any]:
    """The choices with this threshold for a label, beside those of other labels, or with one for all labels."""
    if best == MISSING:
        return {}
    if label is None:
        return {"min_score": float(best), "label_scores": ()}
    scores = choices.scores_by_label(chosen.now.label_scores) | {label: float(best)}
    return {"label_scores": tuple(f"{plain_number(score)}={name}" for name, score in scores.items())}
