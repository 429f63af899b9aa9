"""The scores of Errors: F1 of classes with intervals, and the figures of two sides beside each other.

Without a truth, it is how much of each label both sides have. Intervals go through all documents again, which takes
seconds on a very large set: there they wait for a click.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import CONFIG, MOST_BARS, class_bars
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
from layoutcm.ui.state import choices, panes, session
from layoutcm.ui.state.panes import MODELS, PAGES, Panes
from layoutcm.ui.state.selection import Scope, chosen_labels
from layoutcm.wording import MISSING, difference_text, plural, score_text

if TYPE_CHECKING:
    import pandas as pd

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


def show_classes(shown: Panes) -> None:
    """The numbers of every class beside bars with intervals, or the agreement about every label."""
    st.subheader(shown.words.classes, anchor=False)
    CLASSES[shown.words.measured](shown)


def _show_scores(shown: Panes) -> None:
    if shown.is_pair:
        _show_classes_of_pair(shown)
        return
    scope, confusion = shown.own, shown.own.confusion()
    if not confusion.diagonal:
        st.info(NO_SCORES)
        return
    labels = chosen_labels(confusion)
    found = intervals_if_ready(scope)
    draw = partial(charts.class_bars, confusion, selection=labels, intervals=found.whiskers() if found else None)
    table = partial(class_table, confusion, labels, intervals_part(found) if found else None)
    downloads.offer("classes", downloads.Offer(downloads.in_state("classes"), "Classes", draw, table))
    left, right = page_shell.columns(6, 5, key="_classes")
    with left:
        data_tables.show_table(_class_table(confusion, labels.rows), data_tables.CLASS_COLUMNS, key="class_table")
    with right:
        _show_bars(scope, confusion)


def _class_table(confusion: Confusion, rows: list[int]) -> pd.DataFrame:
    """The table with F1 first, the lowest on top; classes without a score are last."""
    table = confusion.classes().iloc[rows].sort_values("f1", kind="stable")
    return table[["label", "f1", "precision", "recall", "iou", "gt_pixels", "pred_pixels"]]


def _show_agreement(shown: Panes) -> None:
    scope = shown.own
    table = label_agreement(scope.compared.counts(), scope.compared.space)
    if not len(table):
        st.info("A and B have different labels, so that there is no agreement. A mapping makes them comparable.")
        return
    names = choices.current().labels
    table = table[table["label"].isin(names)] if names else table
    columns = data_tables.COLUMNS | {"agreement": data_tables.plain_number("both of either")}
    data_tables.show_table(table.sort_values("agreement", kind="stable"), columns, key="class_table")


CLASSES = {"scores": _show_scores, "agreement": _show_agreement}


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
    text = resampling_text(intervals.resampling)
    st.caption(f"{text[0].upper()}{text[1:]}.")
    if intervals.resampling.kind == "none":
        unit = intervals.resampling.unit
        columns = {name: data_tables.plain_number(figure_title(name)) for name in UNIT_FIGURES}
        data_tables.show_table(intervals.by_unit(), columns | {unit: st.column_config.TextColumn(unit)}, key="by_unit")


@kept("Computing intervals …")
def _intervals(key: str, method: str, _compared: Comparison) -> Intervals:
    return _compared.bootstrap(method=method)


def show_pair(shown: Panes) -> None:
    """A small table: figure, A, B, B minus A, verdict, remark."""
    first, second = shown.titles
    try:
        rows, note = ROWS[shown.words.measured, shown.kind](shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    titles = {"figure": "", "first": first, "second": second, "verdict": "verdict on B", "difference": "difference",
              "remark": "remark"}  # fmt: skip
    used = [name for name in titles if any(row.get(name) for row in rows)]
    columns = {name: st.column_config.TextColumn(titles[name]) for name in used}
    data_tables.show_table(pd.DataFrame(rows)[used], columns, key="pair_table")
    st.caption(f"Difference: {as_typed(second)} minus {as_typed(first)}. {note}")


def _show_classes_of_pair(shown: Panes) -> None:
    """F1 of every class on both sides, B minus A, and the verdict on B if the two are predictions."""
    try:
        rows = _class_rows(shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    titles = {"label": "label", "first": shown.titles[0], "second": shown.titles[1], "verdict": "verdict on B",
              "difference": "difference", "remark": "remark"}  # fmt: skip
    used = [name for name in titles if any(row.get(name) for row in rows)]
    table = pd.DataFrame(rows, columns=used)
    columns = {name: st.column_config.TextColumn(titles[name]) for name in used}
    data_tables.show_table(table, columns, key="pair_classes")
    tested = f" {CORRECTED_FOR_CLASSES}." if shown.kind == MODELS else " The plain difference, without a test."
    st.caption(f"F1, and B minus A.{tested}")
    offered = Table("classes_of_two", "Classes of A and B", table.rename(columns=titles))
    downloads.offer(
        "classes", downloads.Offer(downloads.in_state("classes-A-B"), "Classes of A and B", table=lambda: offered)
    )


def _class_rows(shown: Panes) -> Rows:
    first, second = panes.matrices(shown)
    if not first.diagonal:
        raise InputError("", "", "the labels of the two sides differ", "A mapping makes them comparable.")
    tested = panes.model_difference(shown).class_rows if shown.kind == MODELS else {}
    values = [one.class_values()["f1"] for one in (first, second)]
    rows = []
    for i in chosen_labels(first).rows:
        if not i:
            continue
        own, other, test = float(values[0][i]), float(values[1][i]), tested.get((first.labels[i], "f1"))
        rows.append(
            {
                "label": first.labels[i],
                "first": score_text(own),
                "second": score_text(other),
                "difference": _difference(test["value"], test["low"], test["high"]) if test
                else difference_text(other - own),
                "verdict": (test["verdict"] or MISSING) if test else "",
                "remark": test["remark"] if test else "",
            }
        )  # fmt: skip
    return rows


def _model_rows(shown: Panes) -> tuple[Rows, str]:
    """The rows of the table, and what is said of their verdicts; so do the next two."""
    difference = panes.model_difference(shown)
    found = difference.figure_rows
    values = [
        {"macro_f1": one.average("macro")["f1"], "micro_f1": one.average("micro")["f1"],
         "content_f1": one.content()["f1"]} for one in panes.matrices(shown)
    ]  # fmt: skip
    return [
        {
            "figure": figure_title(figure),
            "first": score_text(values[0][figure]),
            "second": score_text(values[1][figure]),
            "difference": _difference(*(found[figure][end] for end in ("value", "low", "high"))),
            "verdict": found[figure]["verdict"] or MISSING,
            "remark": found[figure]["remark"],
        }
        for figure in UNIT_FIGURES
    ], PAIRED.format(units=difference.resampling.units)


def _page_rows(shown: Panes) -> tuple[Rows, str]:
    return [
        {
            "figure": figure_title(row["figure"]),
            **{side: _value(*(row[f"{side}{end}"] for end in ("", "_low", "_high"))) for side in ("first", "second")},
            "difference": _difference(row["difference"], row["difference_low"], row["difference_high"]),
            "verdict": row["verdict"] or MISSING,
        }
        for row in panes.page_difference(shown).to_dict("records")
    ], UNPAIRED


def _agreement_rows(shown: Panes) -> tuple[Rows, str]:
    first, second = (one.compared.agreement() for one in shown.scopes)
    return [
        {
            "figure": title,
            "first": score_text(first[name]),
            "second": score_text(second[name]),
            "difference": difference_text(second[name] - first[name]),
        }
        for name, title in AGREEMENT_TITLES.items()
    ], UNTESTED


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
