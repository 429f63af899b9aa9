"""The headline figures of two predictions or of two sets of pages, their difference and what can be said of it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from layoutcm.errors import InputError
from layoutcm.metrics.intervals import UNIT_FIGURES
from layoutcm.tables.agreement_tables import TITLES
from layoutcm.tables.averages import figure_title
from layoutcm.tables.interval_texts import CORRECTED_FOR_CLASSES
from layoutcm.tables.tables import Table
from layoutcm.ui import offers, sides
from layoutcm.ui.parts import data_tables
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.selection import chosen_labels
from layoutcm.ui.sides import MODELS, Sides
from layoutcm.wording import MISSING, difference_text, score_text

Rows = list[dict[str, str]]
UNTESTED = "It is the plain difference, without a test."
PAIRED = "The verdict is that of a paired test over {units}."
UNPAIRED = (
    "The pages differ, so no paired test applies: the test exchanges documents between the two sets. Other differences "
    "between them, such as their labels, are not taken out."
)


def show_pair(shown: Sides) -> None:
    """A small table: figure, A, B, B minus A, verdict."""
    first, second = shown.titles
    try:
        rows = _rows(shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    titles = {"figure": "", "first": first, "second": second, "verdict": "verdict on B", "difference": "difference"}
    used = [name for name in titles if any(row.get(name) for row in rows)]
    columns = {name: st.column_config.TextColumn(titles[name]) for name in used}
    data_tables.show_table(pd.DataFrame(rows)[used], columns, key="pair_table")
    if not shown.own.whole.has_truth:
        note = UNTESTED
    elif shown.kind == MODELS:
        note = PAIRED.format(units=sides.model_difference(shown).resampling.units)
    else:
        note = UNPAIRED
    if any(row["verdict"] in ("better", "worse") and " (-" in row["difference"] and " to +" in row["difference"]
           for row in rows if "verdict" in row):  # fmt: skip
        note += " It may differ from an interval that includes 0: the two are computed in different ways."
    st.caption(f"Difference: {as_typed(second)} minus {as_typed(first)}. {note}")


def show_classes(shown: Sides) -> None:
    """F1 of every class on both sides, B minus A, and the verdict on B if the two are predictions."""
    st.subheader("Classes", anchor=False)
    try:
        rows = _class_rows(shown)
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    titles = {"label": "label", "first": shown.titles[0], "second": shown.titles[1], "verdict": "verdict on B",
              "difference": "difference"}  # fmt: skip
    used = [name for name in titles if any(row.get(name) for row in rows)]
    table = pd.DataFrame(rows, columns=used)
    columns = {name: st.column_config.TextColumn(titles[name]) for name in used}
    data_tables.show_table(table, columns, key="pair_classes")
    tested = f" {CORRECTED_FOR_CLASSES}." if shown.kind == MODELS else " The plain difference, without a test."
    st.caption(f"F1, and B minus A.{tested}")
    offered = Table("classes_of_two", "Classes of A and B", table.rename(columns=titles))
    offers.offer("classes", offers.Offer(offers.in_state("classes-A-B"), "Classes of A and B", table=lambda: offered))


def _class_rows(shown: Sides) -> Rows:
    first, second = sides.matrices(shown)
    if not first.diagonal:
        raise InputError("", "", "the labels of the two sides differ", "A mapping makes them comparable.")
    found = sides.model_difference(shown).classes() if shown.kind == MODELS else None
    tested = {} if found is None else {
        row["label"]: row for row in found.to_dict("records") if row["score"] == "f1"
    }  # fmt: skip
    values = [one.class_values()["f1"] for one in (first, second)]
    rows = []
    for i in chosen_labels(first).rows:
        if not i:
            continue
        own, other, test = float(values[0][i]), float(values[1][i]), tested.get(first.labels[i])
        rows.append(
            {
                "label": first.labels[i],
                "first": score_text(own),
                "second": score_text(other),
                "difference": _difference(test["value"], test["low"], test["high"]) if test
                else difference_text(other - own),
                "verdict": (test["verdict"] or MISSING) if test else "",
            }
        )  # fmt: skip
    return rows


def _rows(shown: Sides) -> Rows:
    if not shown.own.whole.has_truth:
        return _agreement_rows(shown)
    return _model_rows(shown) if shown.kind == MODELS else _page_rows(shown)


def _model_rows(shown: Sides) -> Rows:
    found = sides.model_difference(shown)
    values = [
        {"macro_f1": one.average("macro")["f1"], "micro_f1": one.average("micro")["f1"],
         "content_f1": one.content()["f1"]} for one in sides.matrices(shown)
    ]  # fmt: skip
    return [
        {
            "figure": figure_title(figure),
            "first": score_text(values[0][figure]),
            "second": score_text(values[1][figure]),
            "difference": _difference(*found.figures[figure][:3].tolist()),
            "verdict": found.verdict(figure) or MISSING,
        }
        for figure in UNIT_FIGURES
    ]


def _page_rows(shown: Sides) -> Rows:
    return [
        {
            "figure": figure_title(row["figure"]),
            **{side: _value(*(row[f"{side}{end}"] for end in ("", "_low", "_high"))) for side in ("first", "second")},
            "difference": _difference(row["difference"], row["difference_low"], row["difference_high"]),
            "verdict": row["verdict"] or MISSING,
        }
        for row in sides.page_difference(shown).to_dict("records")
    ]


def _agreement_rows(shown: Sides) -> Rows:
    first, second = (one.compared.agreement() for one in shown.scopes)
    return [
        {
            "figure": title,
            "first": score_text(first[name]),
            "second": score_text(second[name]),
            "difference": difference_text(second[name] - first[name]),
        }
        for name, title in TITLES.items()
    ]


def _value(value: float, low: float, high: float) -> str:
    return score_text(value) if low != low else f"{score_text(value)} ({score_text(low)} – {score_text(high)})"


def _difference(value: float, low: float, high: float) -> str:
    text = difference_text(value)
    return text if low != low else f"{text} ({difference_text(low)} to {difference_text(high)})"
