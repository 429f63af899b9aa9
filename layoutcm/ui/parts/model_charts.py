"""The charts of the Models page: classes of all predictions, causes of errors, slices of pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.paper import model_classes as on_paper
from layoutcm.drawing.paper import slice_chart, stacked_bars
from layoutcm.drawing.screen.cause_charts import model_cause_bars, model_causes_height
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.model_classes import (
    model_classes_figure,
    model_classes_height,
    model_differences_figure,
)
from layoutcm.drawing.screen.slice_chart import slices_figure
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.models.leaderboard import Leaderboard, cause_row
from layoutcm.tables.interval_texts import CORRECTED_FOR_ALL
from layoutcm.tables.leaderboard_tables import (
    CAUSES,
    CLASSES,
    board_tables,
    class_difference_table,
    class_grid,
    table_of_causes,
)
from layoutcm.tables.matrix_views import select
from layoutcm.tables.slice_tables import NONE_DIFFERS, slice_report_table, slice_table
from layoutcm.tables.slice_views import SliceTable
from layoutcm.ui import choices, offers, session
from layoutcm.ui.offers import Offer, file_name, in_state
from layoutcm.ui.parts import models
from layoutcm.ui.parts.models import Predictions
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

VALUES = {"value": "F1", "difference": "Difference from the baseline"}
GREY = "Blue is better, red is worse, grey is a difference that the test does not show; in points of F1"
SLICES_HEIGHT = 560  # pixels, of nine slices with what is around them
NO_CAUSES = "no causes, because the labels differ from those of the ground truth"
NO_ATTRIBUTES = "No slice of pages is worse than the rest."


def classes_height(predictions: Predictions) -> int:
    """The pixels that the heatmap of classes needs, with its heading and its buttons."""
    labels: dict[str, None] = {}
    for compared in predictions.compared.values():
        confusion = compared.confusion()
        labels |= dict.fromkeys(confusion.labels[i] for i in select(confusion).rows if i > 0)
    return model_classes_height(list(labels), predictions.names) + 210


def causes_height(predictions: Predictions) -> int:
    return model_causes_height(len(predictions.compared)) + 90


def show_classes(board: Leaderboard) -> None:
    """F1 of classes x predictions, or the differences from the baseline."""
    grid, theme = class_grid(board), session.theme()
    if not grid.labels:
        st.info("No prediction has F1 of classes, because its labels differ from those of the ground truth.")
        return
    st.segmented_control(
        "Show", list(VALUES), required=True, format_func=VALUES.__getitem__, label_visibility="collapsed",
        **choices.bind("model_values"),
    )  # fmt: skip
    shows_values = choices.current().model_values == "value"
    figure = model_classes_figure(grid, theme) if shows_values else model_differences_figure(grid, theme)
    st.plotly_chart(figure, key="model_classes", config=CONFIG, theme=None)
    first = f"F1 in percent; {as_typed(grid.legend)}" if shows_values else GREY
    hidden = len(board.classes_in_use) - len(grid.labels)
    rest = f" {hidden} labels with fewer pixels are only in the file." if hidden else ""
    st.caption(f"{first}; {CORRECTED_FOR_ALL}.{rest}")
    draw = on_paper.model_classes_figure if shows_values else on_paper.model_differences_figure
    file = file_name(CLASSES, *([] if shows_values else ["minus", board.baseline]))
    title = "Classes x predictions" + ("" if shows_values else f", differences from {board.baseline}")
    table = (lambda: board_tables(board)[CLASSES]) if shows_values else (lambda: class_difference_table(grid))
    offers.offer("classes", Offer(file, title, partial(draw, grid), table))


def show_causes(predictions: Predictions, board: Leaderboard | None) -> None:
    """Wrong pixels by cause, one bar a prediction."""
    asked = predictions.content, choices.current().method, board, predictions.by_name
    if not models.is_ready(predictions, _causes, *asked):
        return
    table = _causes(*asked)
    if table.drop(columns="model").isna().all(axis=None):
        st.info(f"{NO_CAUSES[0].upper()}{NO_CAUSES[1:]}.")
        return
    st.plotly_chart(model_cause_bars(table, session.theme()), key="model_causes", config=CONFIG, theme=None)
    none = [name for name, is_none in zip(table["model"], table.isna().any(axis=1)) if is_none]
    rest = f" {as_typed(', '.join(none))}: {NO_CAUSES}." if none else ""
    st.caption(f"Pixels as the matrix counts them: a pixel with several labels may count more than once.{rest}")
    draw = partial(stacked_bars.model_cause_bars, table, recipe=next(iter(predictions.compared.values())).recipe)
    offers.offer("causes", Offer(CAUSES, "Causes of errors", draw, lambda: table_of_causes(table)))


@kept("Looking for causes …")
def _causes(
    content: models.Content, method: str, _board: Leaderboard | None, _compared: dict[str, Comparison]
) -> pd.DataFrame:
    import pandas as pd

    if _board is not None:
        return _board.causes()
    return pd.DataFrame([cause_row(name, compared.causes()) for name, compared in _compared.items()])


def show_slices(predictions: Predictions) -> None:
    """The slices of the chosen prediction that explain most of its error."""
    compared, name = predictions.chosen, session.chosen_pred().name
    if compared is None:
        st.info("The chosen prediction cannot be compared.")
        return
    asked = session.comparison_key(), choices.current().method, compared
    if not models.is_ready(predictions, _slices, *asked):
        return
    slices = _slices(*asked)
    if not len(slices.data):
        st.info(f"{as_typed(name)}: {NO_ATTRIBUTES[0].lower()}{NO_ATTRIBUTES[1:]}")
        return
    worse = slices.data["verdict"] == WORSE
    text = ", ".join(f"**{as_typed(one)}**" for one, is_worse in zip(slices.names, worse) if is_worse)
    none = NONE_DIFFERS if not slices.data["verdict"].isin([BETTER, WORSE]).any() else "no slice is shown to be worse"
    st.markdown(f"{as_typed(name)}: " + (f"worse than the rest in {text}." if text else f"{none}."))
    st.plotly_chart(slices_figure(slices, session.theme()), key="model_slices", config=CONFIG, theme=None)
    st.caption(as_typed(f"{slices.tests[0].upper()}{slices.tests[1:]}."))
    draw = partial(slice_chart.slices_figure, slices)
    offers.offer("slices", Offer(in_state("slices"), "Slices", draw, lambda: slice_report_table(slices)))


@kept("Looking for slices …")
def _slices(content: str, method: str, _compared: Comparison) -> SliceTable:
    return slice_table(_compared, None, method)
