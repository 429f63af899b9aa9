"""F1 of classes on Errors: a table and bars with intervals; without a truth, how much of each label both sides have.

Intervals go through all documents again, which takes seconds on a very large set: there they wait for a click.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import MOST_BARS, class_bars
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import UNIT_FIGURES, Intervals
from layoutcm.tables.averages import figure_title
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.interval_texts import resampling_text
from layoutcm.tables.object_texts import MOST_PAGES
from layoutcm.tables.tables import class_table
from layoutcm.ui import background, choices, offers, page_shell, session
from layoutcm.ui.parts import data_tables
from layoutcm.ui.scope import Scope
from layoutcm.ui.selection import chosen_labels
from layoutcm.ui.visitors import kept
from layoutcm.wording import plural

if TYPE_CHECKING:
    import pandas as pd

NO_SCORES = (
    "The two sides use different labels, so no class has a recall or a precision. A mapping makes them comparable."
)


def show_classes(scope: Scope) -> None:
    """The numbers of every class beside bars with intervals."""
    confusion = scope.confusion()
    st.subheader("Classes" if scope.whole.has_truth else "Labels", anchor=False)
    if not scope.whole.has_truth:
        _show_agreement(scope)
        return
    if not confusion.diagonal:
        st.info(NO_SCORES)
        return
    shown = chosen_labels(confusion)
    draw, table = partial(charts.class_bars, confusion, selection=shown), partial(class_table, confusion, shown)
    offers.offer("classes", offers.Offer(offers.in_state("classes"), "Classes", draw, table))
    left, right = page_shell.columns(6, 5, key="_classes")
    with left:
        rows = chosen_labels(confusion).rows
        data_tables.show_table(_class_table(confusion, rows), data_tables.CLASS_COLUMNS, key="class_table")
    with right:
        _show_bars(scope, confusion)


def _class_table(confusion: Confusion, rows: list[int]) -> pd.DataFrame:
    """The table with F1 first, the lowest on top; classes without a score are last."""
    table = confusion.classes().iloc[rows].sort_values("f1", kind="stable")
    return table[["label", "f1", "precision", "recall", "iou", "gt_pixels", "pred_pixels"]]


def _show_agreement(scope: Scope) -> None:
    table = label_agreement(scope.compared.counts(), scope.compared.space)
    if not len(table):
        st.info("A and B have different labels, so that there is no agreement. A mapping makes them comparable.")
        return
    names = choices.current().labels
    table = table[table["label"].isin(names)] if names else table
    columns = data_tables.COLUMNS | {"agreement": data_tables.plain_number("both of either")}
    data_tables.show_table(table.sort_values("agreement", kind="stable"), columns, key="class_table")


def _show_bars(scope: Scope, confusion: Confusion) -> None:
    found = intervals_if_ready(scope)
    shown = chosen_labels(confusion)
    most = MOST_DRAWN if choices.current().all_bars else MOST_BARS
    figure = class_bars(
        confusion, session.theme(), most, intervals=found.whiskers() if found else None, selection=shown
    )
    _say_how_many(confusion, len(classes_in_use(confusion, False, shown)), most)
    st.plotly_chart(figure, key="class_bars", config=CONFIG, theme=None)
    show_source(found)


def _say_how_many(confusion: Confusion, drawn: int, most: int) -> None:
    """How many labels have bars, if some have none, and a switch that shows all that can be drawn."""
    every = sum(1 for i in chosen_labels(confusion).rows if i)
    if every <= MOST_BARS:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        rest = ", those with the most pixels; the table has all" if min(drawn, most) < every else ""
        st.caption(f"Bars of {min(drawn, most)} of {plural(every, 'label')}{rest}.")
        st.toggle("All" if every <= MOST_DRAWN else f"The {MOST_DRAWN} largest", **choices.bind("all_bars"))


def intervals_if_ready(scope: Scope) -> Intervals | None:
    """The intervals of the scope; for a large one, None until they are made in the background."""
    asked = scope.key, choices.current().method, scope.compared
    is_small = len(scope.compared.pages) <= MOST_PAGES
    return _intervals(*asked) if is_small or background.is_ready(_intervals, *asked) else None


def show_source(intervals: Intervals | None) -> None:
    """What the intervals are made from; if there are too few documents for intervals, the values of each."""
    if not intervals:
        return
    text = resampling_text(intervals)
    st.caption(f"{text[0].upper()}{text[1:]}.")
    if intervals.resampling.kind == "none":
        unit = intervals.resampling.unit
        columns = {name: data_tables.plain_number(figure_title(name)) for name in UNIT_FIGURES}
        data_tables.show_table(intervals.by_unit(), columns | {unit: st.column_config.TextColumn(unit)}, key="by_unit")


@kept("Computing intervals …")
def _intervals(key: str, method: str, _compared: Comparison) -> Intervals:
    return _compared.bootstrap(method=method)
