"""The scores of Errors: F1 of classes with intervals, and the figures of two sides beside each other.

Without a truth, it is how much of each label both sides have. Intervals go through all documents again, which takes
seconds on a very large set: there they wait for a click.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.paper import charts
from layoutcm.drawing.row_charts import MOST_BARS, class_bars
from layoutcm.drawing.screen.charts import CONFIG, draw
from layoutcm.errors import InputError
from layoutcm.filling.result_of import MOST_PAGES, intervals_part
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import UNIT_FIGURES, Intervals
from layoutcm.results.measures import figure_title
from layoutcm.tables.interval_texts import CORRECTED_FOR_CLASSES, resampling_text
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.report_tables import AGREEMENT_TITLES
from layoutcm.tables.tables import Table, class_table
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server import background
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import MODELS, PAGES, Panes, Scope
from layoutcm.wording import MISSING, difference_text, plural, score_text

NO_SCORES = (
    "The two sides use different labels, so no class has a recall or a precision. A mapping makes them comparable."
)
Rows = list[dict[str, str]]
UNTESTED = "It is the plain difference, without a test."
PAIRED = "The verdict is that of a paired test over {units}."
UNPAIRED = (
    "The pages differ, so no paired test applies: the test exchanges documents between the two sets. Other differences "
    "between them, such as their labels, are not taken out."
)


def show_classes(chosen: Chosen, shown: Panes) -> None:
    """The numbers of every class beside bars with intervals, or the agreement about every label."""
    st.subheader(shown.words.classes, anchor=False)
    CLASSES[shown.words.measured](chosen, shown)


def _show_scores(chosen: Chosen, shown: Panes) -> None:
    if shown.is_pair:
        _show_classes_of_pair(chosen, shown)
        return
    scope, confusion = shown.own, shown.own.confusion()
    if not confusion.diagonal:
        st.info(NO_SCORES)
        return
    labels = chosen.labels_of(confusion)
    found = intervals_if_ready(scope)
    bars = class_bars(confusion, selection=labels, intervals=found.whiskers() if found else None)
    table = lambda: class_table(confusion, labels, intervals_part(found) if found else None)
    file, paper = downloads.in_state(chosen, "classes"), partial(charts.draw, bars)
    downloads.offer("classes", downloads.Offer(file, "Classes", paper, table))
    left, right = page_shell.columns(6, 5, key="_classes")
    with left:
        # The lowest F1 is on top; classes without a score are last.
        classes = confusion.classes().iloc[labels.rows].sort_values("f1", kind="stable")
        names = ["label", "f1", "precision", "recall", "iou", "gt_pixels", "pred_pixels"]
        data_tables.show_table(classes[names], data_tables.CLASS_COLUMNS, key="class_table")
    with right:
        _show_bars(chosen, scope, confusion)


def _show_agreement(chosen: Chosen, shown: Panes) -> None:
    scope = shown.own
    table = label_agreement(scope.compared.counts(), scope.compared.space)
    if not len(table):
        st.info("A and B have different labels, so that there is no agreement. A mapping makes them comparable.")
        return
    names = chosen.now.labels
    table = table[table["label"].isin(names)] if names else table
    columns = data_tables.COLUMNS | {"agreement": data_tables.plain_number("both of either")}
    data_tables.show_table(table.sort_values("agreement", kind="stable"), columns, key="class_table")


CLASSES = {"scores": _show_scores, "agreement": _show_agreement}


def _show_bars(chosen: Chosen, scope: Scope, confusion: Confusion) -> None:
    found, shown = intervals_if_ready(scope), chosen.labels_of(confusion)
    most = MOST_DRAWN if chosen.now.all_bars else MOST_BARS
    bars = class_bars(confusion, most=most, intervals=found.whiskers() if found else None, selection=shown)
    every = sum(1 for i in shown.rows if i)
    if every > MOST_BARS:
        _say_how_many(min(len(classes_in_use(confusion, False, shown)), most), every)
    st.plotly_chart(draw(bars, chosen.theme), key="class_bars", config=CONFIG, theme=None)
    show_source(found)


def _say_how_many(drawn: int, every: int) -> None:
    """How many labels have bars, and a switch that shows all that can be drawn."""
    with st.container(horizontal=True, vertical_alignment="center"):
        rest = ", those with the most pixels; the table has all" if drawn < every else ""
        st.caption(f"Bars of {drawn} of {plural(every, 'label')}{rest}.")
        st.toggle("All" if every <= MOST_DRAWN else f"The {MOST_DRAWN} largest", **choices.bind("all_bars"))


def intervals_if_ready(scope: Scope) -> Intervals | None:
    """The intervals of the scope; for a large one, None until they are made in the background."""
    is_small = len(scope.compared.pages) <= MOST_PAGES
    return _intervals(scope) if is_small or background.is_ready(_intervals, scope) else None


def show_source(intervals: Intervals | None) -> None:
    """What the intervals are made from; if there are too few documents for intervals, the values of each."""
    if not intervals:
        return
    text = resampling_text(intervals.resampling)
    st.caption(f"{text[0].upper()}{text[1:]}.")
    if intervals.resampling.kind == "none":
        unit = intervals.resampling.unit
        columns = {name: data_tables.plain_number(figure_title(name)) for name in UNIT_FIGURES}
        data_tables.show_table(intervals.by_unit(), columns | {unit: st.column_config.TextColumn(unit)}, key="by_unit")


@kept("Computing intervals …")
def _intervals(scope: Scope) -> Intervals:
    return scope.compared.bootstrap(method=scope.method)


def show_pair(shown: Panes) -> None:
    """A small table: figure, A, B, B minus A, verdict, remark."""
    try:
        rows, note = ROWS[shown.words.measured, shown.kind](shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    _show_rows(shown, rows, {"figure": ""}, "pair_table")
    first, second = map(as_typed, shown.titles)
    st.caption(f"Difference: {second} minus {first}. {note}")


def _show_rows(shown: Panes, rows: Rows, first: dict[str, str], key: str) -> pd.DataFrame:
    """Show the columns that have a value; returns them with their titles. `first` is {column: title} of the first."""
    titles = {**first, "first": shown.titles[0], "second": shown.titles[1], "verdict": "verdict on B",
              "difference": "difference", "remark": "remark"}  # fmt: skip
    used = [name for name in titles if any(row.get(name) for row in rows)]
    table = pd.DataFrame(rows, columns=used)
    data_tables.show_table(table, {name: st.column_config.TextColumn(titles[name]) for name in used}, key=key)
    return table.rename(columns=titles)


def _show_classes_of_pair(chosen: Chosen, shown: Panes) -> None:
    """F1 of every class on both sides, B minus A, and the verdict on B if the two are predictions."""
    try:
        rows = _class_rows(chosen, shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    table = _show_rows(shown, rows, {"label": "label"}, "pair_classes")
    tested = f" {CORRECTED_FOR_CLASSES}." if shown.kind == MODELS else " The plain difference, without a test."
    st.caption(f"F1, and B minus A.{tested}")
    title, file = "Classes of A and B", downloads.in_state(chosen, "classes-A-B")
    offer = downloads.Offer(file, title, table=lambda: Table("classes_of_two", title, table))
    downloads.offer("classes", offer)


def _class_rows(chosen: Chosen, shown: Panes) -> Rows:
    first, second = selection.matrices(shown)
    if not first.diagonal:
        raise InputError("", "", "the labels of the two sides differ", "A mapping makes them comparable.")
    has_tests = shown.kind == MODELS and first.vocabulary.measured == "scores"
    tested = selection.model_difference(shown).class_rows if has_tests else {}
    values = [one.class_values()["f1"] for one in (first, second)]
    return [
        _row({"label": first.labels[i]}, values[0][i], values[1][i], tested.get((first.labels[i], "f1")))
        for i in chosen.labels_of(first).rows
        if i
    ]


def _row(name: dict[str, str], first: float, second: float, test: Mapping[Any, Any] | None = None) -> dict[str, str]:
    """One row with the values of A and B and their difference; `test` has the interval and the verdict."""
    return name | {
        "first": score_text(float(first)),
        "second": score_text(float(second)),
        "difference": _difference(test["value"], test["low"], test["high"]) if test
        else difference_text(float(second - first)),
        "verdict": (test["verdict"] or MISSING) if test else "",
        "remark": test["remark"] if test else "",
    }  # fmt: skip


def _model_rows(shown: Panes) -> tuple[Rows, str]:
    """The rows of the table, and what is said of their verdicts; so do the next two."""
    difference = selection.model_difference(shown)
    first, second = (
        {"macro_f1": one.average("macro")["f1"], "micro_f1": one.average("micro")["f1"],
         "content_f1": one.content()["f1"]} for one in selection.matrices(shown)
    )  # fmt: skip
    return [
        _row({"figure": figure_title(name)}, first[name], second[name], difference.figure_rows[name])
        for name in UNIT_FIGURES
    ], PAIRED.format(units=difference.resampling.units)


def _page_rows(shown: Panes) -> tuple[Rows, str]:
    return [
        {
            "figure": figure_title(row["figure"]),
            **{side: _value(*(row[f"{side}{end}"] for end in ("", "_low", "_high"))) for side in ("first", "second")},
            "difference": _difference(row["difference"], row["difference_low"], row["difference_high"]),
            "verdict": row["verdict"] or MISSING,
        }
        for row in selection.page_difference(shown).to_dict("records")
    ], UNPAIRED


def _agreement_rows(shown: Panes) -> tuple[Rows, str]:
    first, second = (one.compared.agreement() for one in shown.scopes)
    rows = [_row({"figure": title}, first[name], second[name]) for name, title in AGREEMENT_TITLES.items()]
    return rows, UNTESTED


ROWS = {
    ("scores", MODELS): _model_rows,
    ("scores", PAGES): _page_rows,
    ("agreement", MODELS): _agreement_rows,
    ("agreement", PAGES): _agreement_rows,
}


def _value(value: float, low: float, high: float) -> str:
    return score_text(value) if low != low else f"{score_text(value)} ({score_text(low)} – {score_text(high)})"


def _difference(value: float, low: float, high: float) -> str:
    text = difference_text(value)
    return text if low != low else f"{text} ({difference_text(low)} to {difference_text(high)})"
