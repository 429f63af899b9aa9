"""The page Errors, scores: F1 of classes with intervals, and the figures of two sides beside each other.

Without a truth, it is how much of each label both sides have. Intervals go through all documents again, which takes
seconds on a very large set: there they wait for a click.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from layoutcm.drawing.charts import RowChart
from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import Theme
from layoutcm.drawing.paper import charts
from layoutcm.drawing.row_charts import MOST_BARS, class_bars
from layoutcm.drawing.screen.charts import CONFIG, draw
from layoutcm.errors import InputError
from layoutcm.filling.result_of import MOST_PAGES, intervals_part
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.intervals import UNIT_FIGURES
from layoutcm.results.measures import Figures, figure_title, measure_of, quoted_measures
from layoutcm.results.result import frame_of
from layoutcm.tables.interval_texts import CORRECTED_FOR_CLASSES, resampling_text
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.matrix_views import select
from layoutcm.tables.report_tables import LABEL_AGREEMENT
from layoutcm.tables.tables import Table, class_table
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server import background
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import MODELS, PAGES, Panes, Scope
from layoutcm.wording import MISSING, plural

NO_SCORES = (
    "The two sides use different labels, so no class has a recall or a precision. A mapping makes them comparable."
)
Rows = list[dict[str, Any]]
ENDS = {"": "", "_low": ", low", "_high": ", high"}  # {end of a column: end of its title}
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
    every = sum(1 for i in chosen.labels_of(confusion).rows if i)
    most = MOST_DRAWN if chosen.now.all_bars else MOST_BARS
    section = _class_section(scope, chosen.now.labels, most, chosen.theme, _are_intervals_ready(scope))
    file, paper = downloads.in_state(chosen, "classes"), partial(charts.draw, section.bars)
    downloads.offer("classes", downloads.Offer(file, "Classes", paper, lambda: section.table))
    left, right = page_shell.columns(6, 5, key="_classes")
    with left:
        data_tables.show_table(section.table.data, data_tables.CLASS_COLUMNS, key="class_table")
    with right:
        if every > MOST_BARS:
            _say_how_many(section.drawn, every)
        st.plotly_chart(section.figure, key="class_bars", config=CONFIG, theme=None)
        if section.source:
            st.caption(section.source)
        if section.by_unit is not None:
            unit = str(section.by_unit.columns[0])
            columns = {name: data_tables.plain_number(figure_title(name)) for name in UNIT_FIGURES}
            columns[unit] = st.column_config.TextColumn(unit)
            data_tables.show_table(section.by_unit, columns, key="by_unit")


class ClassSection(NamedTuple):
    """What is shown about the classes. A click in the matrix does not change it, so it is made once."""

    table: Table
    bars: RowChart  # of all labels that are shown, for a figure on paper
    figure: Any  # the bars on the screen, with Plotly
    drawn: int  # labels with bars on the screen
    source: str = ""  # what the intervals are made from
    by_unit: pd.DataFrame | None = None  # the scores of each document, if there are too few for intervals


@kept()
def _class_section(scope: Scope, names: choices.Names, most: int, theme: Theme, has_intervals: bool) -> ClassSection:
    confusion, found = scope.confusion(), None
    if has_intervals:
        found = data_tables.intervals_of(scope.key, scope.method, scope.compared)
    labels, whiskers = select(confusion, names), found.whiskers() if found else None
    table = worst_classes(class_table(confusion, labels, intervals_part(found) if found else None))
    bars = class_bars(confusion, selection=labels, intervals=whiskers)
    figure = draw(class_bars(confusion, most=most, selection=labels, intervals=whiskers), theme)
    drawn = min(len(classes_in_use(confusion, False, labels)), most)
    if found is None:
        return ClassSection(table, bars, figure, drawn)
    text = resampling_text(found.resampling)
    by_unit = found.by_unit() if found.resampling.kind == "none" else None
    return ClassSection(table, bars, figure, drawn, f"{text[0].upper()}{text[1:]}.", by_unit)


def worst_classes(table: Table) -> Table:
    """The table of classes as it is shown and taken away: F1 first, the lowest on top, classes without F1 last."""
    scores = [name for name in ("f1", "f1_low", "f1_high") if name in table.data]
    others = [name for name in map(str, table.data) if name not in ("label", *scores)]
    names = ["label", *scores, *sorted(others, key=lambda name: name.endswith("pixels"))]
    return replace(table, data=table.data.sort_values("f1", kind="stable", ignore_index=True)[names])


def _show_agreement(chosen: Chosen, shown: Panes) -> None:
    scope = shown.own
    table = label_agreement(scope.compared.counts(), scope.compared.space)
    if not len(table):
        st.info("A and B have different labels, so there is no agreement. A mapping makes them comparable.")
        return
    names = chosen.now.labels
    table = (table[table["label"].isin(names)] if names else table).sort_values("agreement", kind="stable")
    data_tables.show_table(table, data_tables.AGREEMENT_COLUMNS, key="class_table")
    file, title = downloads.in_state(chosen, LABEL_AGREEMENT), shown.words.classes
    downloads.offer("classes", downloads.Offer(file, title, table=lambda: Table(LABEL_AGREEMENT, title, table)))


CLASSES = {"scores": _show_scores, "agreement": _show_agreement}


def _say_how_many(drawn: int, every: int) -> None:
    """How many labels have bars, and a switch that shows all that can be drawn."""
    with st.container(horizontal=True, vertical_alignment="center"):
        rest = ", those with the most pixels; the table has all" if drawn < every else ""
        st.caption(f"Bars of {drawn} of {plural(every, 'label')}{rest}.")
        st.toggle("All" if every <= MOST_DRAWN else f"The {MOST_DRAWN} largest", **choices.bind("all_bars"))


def _are_intervals_ready(scope: Scope) -> bool:
    """Whether the intervals can be shown: at once for a small set, for a large one when they are ready."""
    return len(scope.compared.pages) <= MOST_PAGES or background.is_ready(
        data_tables.intervals_of, scope.key, scope.method, scope.compared
    )


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
    titles = first | {"verdict": "verdict on B", "remark": "remark"}
    for name, title in (("first", shown.titles[0]), ("second", shown.titles[1]), ("difference", "difference")):
        titles |= {f"{name}{end}": f"{title}{text}" for end, text in ENDS.items()}
    order = [*first, *(f"{name}{end}" for name in ("first", "second") for end in ENDS), "verdict"]
    order += [*(f"difference{end}" for end in ENDS), "remark"]
    table = frame_of(rows)
    used = [name for name in order if name in table and (table[name].notna() & (table[name] != "")).any()]
    short = {
        name: titles[name].rpartition(", ")[2] if name.endswith(("_low", "_high")) else titles[name] for name in used
    }
    columns = {name: data_tables.plain_number(short[name]) for name in used}
    columns |= {name: data_tables.difference_number(short[name]) for name in used if name.startswith("difference")}
    columns |= {name: st.column_config.TextColumn(titles[name]) for name in (*first, "verdict", "remark")}
    data_tables.show_table(table[used], columns, key=key)
    return table[used].rename(columns=titles)


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


def _row(name: dict[str, str], first: Any, second: Any, test: Mapping[Any, Any] | None = None) -> dict[str, Any]:
    """One row with the values of A and B and their difference; `test` has the interval and the verdict."""
    values = [math.nan if one is None else float(one) for one in (first, second)]
    found = name | dict(zip(("first", "second"), values))
    if test is None:
        return found | {"difference": values[1] - values[0]}
    ends = {f"difference{end}": test[column] for end, column in zip(ENDS, ("value", "low", "high"))}
    return found | ends | {"verdict": test["verdict"] or MISSING, "remark": test["remark"]}


def _model_rows(shown: Panes) -> tuple[Rows, str]:
    """The rows of the table of two predictions, and a sentence on their verdicts."""
    difference = selection.model_difference(shown)
    first, second = (measures_of(one) for one in shown.scopes)
    return [
        _row({"figure": one.title}, first[one.name], second[one.name], difference.figure_rows[one.column])
        for one in map(measure_of, UNIT_FIGURES)
    ], PAIRED.format(units=difference.resampling.units)


def _page_rows(shown: Panes) -> tuple[Rows, str]:
    rows = selection.page_difference(shown).to_dict("records")
    return [
        row | {"figure": figure_title(row["figure"]), "verdict": row["verdict"] or MISSING} for row in rows
    ], UNPAIRED


def _agreement_rows(shown: Panes) -> tuple[Rows, str]:
    first, second = (measures_of(one) for one in shown.scopes)
    return [
        _row({"figure": one.title}, first[one.name], second[one.name]) for one in quoted_measures("agreement")
    ], UNTESTED


def measures_of(scope: Scope) -> Figures:
    return data_tables.brief_result(scope.key, scope.method, scope.compared).measures


ROWS = {
    ("scores", MODELS): _model_rows,
    ("scores", PAGES): _page_rows,
    ("agreement", MODELS): _agreement_rows,
    ("agreement", PAGES): _agreement_rows,
}
