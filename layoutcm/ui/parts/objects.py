"""The Objects page's parts: COCO's numbers, and at one IoU a table, curves, the matrix and pages behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.screen.matrix import CONFIG
from layoutcm.drawing.screen.object_charts import Curve, curve_points, curves_figure, object_figure, points_figure
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.object_confusion import ObjectConfusion
from layoutcm.metrics.scores import ratio
from layoutcm.ui import choices, page_frame, screen_text, selection, session
from layoutcm.ui.parts import data_tables, matrix_panel
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.wording import percent, score_text

if TYPE_CHECKING:
    import pandas as pd

WIDE = 110  # px of a figure: four of them find room on a narrow screen
CURVES_SHOWN = 6  # where nobody has chosen
OBJECT_VIEW_NAMES = {"pixels": "Objects", "recall": "Recall", "precision": "Precision", "f1": "F1"}
RULE_HELP = (
    "How the area under a curve is taken. coco: precision at 101 recalls. voc: all points of the envelope. "
    "sum: the plain steps, no envelope."
)
HEADLINES = {
    "AP": "Mean over labels and over IoU 0.50, 0.55 ... 0.95, by COCO's rules",
    "AP50": "The same at IoU 0.50 only",
    "AP75": "The same at IoU 0.75 only",
    "AR100": "Average recall, with at most 100 predictions of a label on a page",
}
SCORE_COLUMNS = {
    "found": "found", "precision": "precision", "recall": "recall", "f1": "F1", "ap_at": "AP here", "ap": "AP",
    "ap50": "AP50", "ap75": "AP75", "ar": "AR",
}  # fmt: skip


def control_row() -> Any:
    """Controls and figures beside each other; what finds no room goes to the next line."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def figure_row() -> Any:
    """Figures beside each other, which stay together where other things stand in their row."""
    return st.container(horizontal=True, gap="small", width="content")


def objects_of_level(compared: Comparison) -> Objects:
    """The objects of the chosen level."""
    return _of_level(session.content_key(), session.chosen_level(compared), compared)


@st.cache_resource(max_entries=12, show_spinner="Collecting objects …")
def _of_level(content: str, of: dict[str, str], _compared: Comparison) -> Objects:
    return _compared.objects(of.get("page"), of.get("document"))


def chosen_iou() -> float:
    return round(choices.get("iou"), 2)  # a slider adds up its steps


def ask_objects(compared: Comparison, question: str, *arguments: Any) -> Any:
    """What the objects of the level answer; each question is worked on once."""
    return _ask_objects(
        session.content_key(), session.chosen_level(compared), question, arguments, objects_of_level(compared)
    )


@st.cache_resource(max_entries=64, show_spinner="Matching objects …")
def _ask_objects(content: str, of: dict[str, str], question: str, arguments: tuple[Any, ...], _objects: Objects) -> Any:
    return getattr(_objects, question)(*arguments)


@st.cache_resource(max_entries=6, show_spinner="Matching objects …")
def _cells(content: str, of: dict[str, str], at: float, _objects: Objects) -> ObjectConfusion:
    return _objects.object_confusion_at(at)


@st.cache_resource(max_entries=24, show_spinner="Drawing curves …")
def _curves(content: str, of: dict[str, str], at: float, rule: str, _objects: Objects) -> dict[str, Curve]:
    ap = _objects.ap_at(at, rule)
    return {label: curve_points(label, ap[label], ranked, rule) for label, ranked in _objects.curves(at).items()}


@st.cache_resource(max_entries=24, show_spinner="Ranking objects …", show_time=True)
def _coco(content: str, of: dict[str, str], _objects: Objects) -> tuple[dict[str, float], pd.DataFrame]:
    return _objects.summary, _objects.per_class


def coco_numbers(compared: Comparison) -> tuple[dict[str, float], pd.DataFrame]:
    """COCO's twelve numbers and the table of the labels."""
    return _coco(session.content_key(), session.chosen_level(compared), objects_of_level(compared))


def remember_drawn(compared: Comparison) -> None:
    """The page has been drawn: from now on other pages may ask for its numbers at no cost."""
    st.session_state["objects_drawn"] = (session.content_key(), session.chosen_level(compared))


def is_drawn(compared: Comparison) -> bool:
    return st.session_state.get("objects_drawn") == (session.content_key(), session.chosen_level(compared))


def show_coco_summary(compared: Comparison) -> None:
    """AP and AR by COCO's rules, or why there are none."""
    objects = objects_of_level(compared)
    if objects.why_no_ap:
        st.info(as_typed(f"There is no AP. {objects.why_no_ap}"))
        return
    values, _ = coco_numbers(compared)
    with figure_row():
        for name, text in HEADLINES.items():
            st.metric(name, score_text(values[name]), help=f"{text} ({score_text(values[name], 6)})", width=WIDE)
    others = [f"{name} {score_text(value)}" for name, value in values.items() if name not in HEADLINES]
    st.caption(
        f"{screen_text.join_unbroken(others)}  \n"
        "Sizes by area: small below 32², medium up to 96², large above, in pixels."
    )


def show_one_iou(compared: Comparison) -> None:
    """Everything that depends on the IoU from which on an object counts as found."""
    objects = objects_of_level(compared)
    blind = not objects.space.shared
    scores = ask_objects(compared, "scores_at", chosen_iou(), not blind)
    with control_row():
        st.slider("IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, width=280, **choices.bind("iou"),
                  help="From which overlap (intersection over union) on an object counts as found")  # fmt: skip
        with figure_row():
            for name in ("precision", "recall", "f1"):
                whose = "any" if blind else "same"
                text = f"All objects at IoU {chosen_iou():.2f}, every prediction counted, {whose} label"
                value = scores[name]
                st.metric(name.capitalize(), score_text(value), help=f"{text} ({score_text(value, 6)})", width=WIDE)
    st.markdown(object_sentence(objects, scores, selection.scope(compared), blind))
    cells = _cells(session.content_key(), session.chosen_level(compared), chosen_iou(), objects)
    if blind:
        _tables_of_sides(cells)
    else:
        _class_table(compared, objects)
    left, right = page_frame.columns(3, 2, key="_objects", labels=len(cells.labels) + 1)
    with left:
        _matrix(compared, cells)
    with right:
        if not blind:
            _curves_of_labels(compared, objects)
        _behind(compared, cells)


def object_sentence(objects: Objects, scores: dict[str, float], scope: str, blind: bool) -> str:
    """What a manager can read."""
    gt, pred = int(objects.gt_counts.sum()), int(objects.pred_counts.sum())
    if not gt and not pred:
        return f"There are no objects in {as_typed(scope)}."
    found = (
        f"{percent(scores['recall'])} of {plural_spaced(gt, 'object')} in gt"
        if gt
        else "gt has no objects, and nothing"
    )
    right = (
        f"{percent(scores['precision'])} of {plural_spaced(pred, 'object')} in pred" if pred else "pred has no objects"
    )
    whose = "whatever their labels" if blind else "with their label"
    what = {"box": "boxes", "mask": "masks"}[objects.shapes]
    return (
        f"In {as_typed(scope)}, at an IoU of {chosen_iou():.2f} or more between {what}, {found} are found, {whose}; "
        f"{right}{' are right' if pred and not blind else ' meet one of gt' if pred else ''}."
    ).replace(" %", "\u00a0%")


def _class_table(compared: Comparison, objects: Objects) -> None:
    """One row a label that either side has; columns without any value are left out."""
    import pandas as pd

    table = ask_objects(compared, "class_scores_at", chosen_iou())
    if not objects.why_no_ap:
        at = ask_objects(compared, "ap_at", chosen_iou(), choices.get("ap_rule"))
        _, coco_values = coco_numbers(compared)
        more = coco_values[["ap", "ap50", "ap75", "ar"]]
        table = pd.concat([table.assign(ap_at=table["label"].map(at)), more], axis=1)
    only = choices.get("labels")
    used = (table["gt"] + table["pred"] > 0) & (table["label"].isin(only) if only else True)
    table = table[used].dropna(axis="columns", how="all")
    data_tables.show_table(table, _columns(), key="object_classes")


def _tables_of_sides(cells: ObjectConfusion) -> None:
    """Where labels differ: what of each side's labels meets something on the other side."""
    for side, place in zip((GT, PRED), page_frame.columns(1, 1, key="_sides")):
        table = met_table(cells, side)
        columns = _columns() | {
            "found": st.column_config.NumberColumn(("is met", "meets gt")[side], format="localized")
        }
        only = [label for label in table["label"] if label in choices.get("labels")]
        with place:
            data_tables.show_table(
                table[table["label"].isin(only)] if only else table, columns, key=f"object_side_{side}"
            )


def met_table(cells: ObjectConfusion, side: int) -> pd.DataFrame:
    """One row a label of a side: label, how many objects, how many meet one of the other side, and their share."""
    import pandas as pd

    own = cells.own_labels(side)
    counts = cells.counts[own] if side == GT else cells.counts.T[own]
    total, found = counts.sum(axis=1), counts[:, :-1].sum(axis=1)
    share_of = ("recall", "precision")[side]
    table = {"label": [cells.labels[i] for i in own], SIDES[side]: total, "found": found, share_of: ratio(found, total)}
    return pd.DataFrame(table)[total > 0]


def _columns() -> dict[str, Any]:
    counts = {name: st.column_config.NumberColumn(name, format="localized") for name in ("gt", "pred", "found")}
    here = f"AP at {chosen_iou():.2f}, {choices.get('ap_rule')}"
    scores = {
        name: data_tables.plain_number(here if name == "ap_at" else title) for name, title in SCORE_COLUMNS.items()
    }
    return scores | counts


def _curves_of_labels(compared: Comparison, objects: Objects) -> None:
    """Precision over recall for some labels; a point each where nothing can be ranked."""
    st.subheader("Precision and recall", anchor=False)
    known = [objects.labels[i] for i in np.argsort(-objects.gt_counts, kind="stable") if objects.gt_counts[i]]
    choices.put(curves=tuple(label for label in choices.get("curves") if label in known))
    with control_row():
        if not objects.why_no_ap:
            st.segmented_control(
                "AP rule", choices.CHOICES["ap_rule"], required=True, help=RULE_HELP, **choices.bind("ap_rule")
            )
        st.multiselect("Labels with a curve", known, placeholder="the most frequent", **choices.bind("curves"))
    in_bar = [label for label in known if label in choices.get("labels")]
    chosen = choices.get("curves") or in_bar or known[:CURVES_SHOWN]
    if objects.why_no_ap:
        table = ask_objects(compared, "class_scores_at", chosen_iou())
        figure = points_figure(table[table["label"].isin(chosen)], objects.labels, session.theme())
        words = f"Without a ranking a label has no curve, but one point at IoU {chosen_iou():.2f}."
    else:
        curves = _curves(
            session.content_key(), session.chosen_level(compared), chosen_iou(), choices.get("ap_rule"), objects
        )
        figure = curves_figure([curves[label] for label in chosen], objects.labels, session.theme())
        rule = choices.get("ap_rule")
        words = f"At IoU {chosen_iou():.2f}; the number beside a label is its AP there, by the rule {rule}."
    st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
    st.caption(words)


def _matrix(compared: Comparison, cells: ObjectConfusion) -> None:
    """What was found as what; the chosen cell is that of all matrices, with Background for missed and invented."""
    st.subheader(f"What is found as what, at IoU {chosen_iou():.2f}", anchor=False)
    st.segmented_control(
        "View",
        list(OBJECT_VIEW_NAMES),
        required=True,
        format_func=OBJECT_VIEW_NAMES.__getitem__,
        **choices.bind("object_view"),
    )
    cell, view, labels = chosen_object_cell(compared), choices.get("object_view"), compared.labels
    figure = object_figure(cells, view, session.theme(), choices.get("labels"), cell)
    key = f"objects_{view}"

    def choose() -> None:
        clicked = matrix_panel.clicked(st.session_state.get(key))
        if clicked:
            names = [labels[(position + 1) % len(labels)] for position in clicked]
            choices.put(gt_label=names[GT], pred_label=names[PRED])

    st.plotly_chart(figure, key=key, on_select=choose, selection_mode="points", config=CONFIG, theme=None)
    st.caption(
        "Matched whatever the label, each object once. *missed*: gt that nothing in pred meets; *invented*: pred that "
        "meets nothing in gt."
    )


def chosen_object_cell(compared: Comparison) -> tuple[int, int] | None:
    """The chosen cell as positions in the object matrix, whose margins come last."""
    cell = selection.chosen_cell(compared)
    if cell is None or cell == (0, 0):
        return None
    last = len(compared.labels) - 1
    gt, pred = (position - 1 if position else last for position in cell)
    return gt, pred


def _behind(compared: Comparison, cells: ObjectConfusion) -> None:
    """The pages behind the chosen cell."""
    cell = chosen_object_cell(compared)
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    import pandas as pd

    pages, objects = cells.pages_behind(*cell)
    here = f"{plural_spaced(int(objects.sum()), 'object')} on {plural_spaced(len(pages), 'page')}"
    st.markdown(f"**{as_typed(cell_name(cells, cell))}**: {here}")
    if len(pages):
        documents = compared.alignment.pages.documents
        table = {
            "page": [compared.pages[page] for page in pages],
            "document": [documents[page] for page in pages],
            "objects": objects,
        }
        data_tables.page_picker(pd.DataFrame(table), key="objects_behind")


def cell_name(cells: ObjectConfusion, cell: tuple[int, int]) -> str:
    gt, pred = (cells.labels[position] if position < len(cells.labels) else "" for position in cell)
    if not gt or not pred:
        return f"{gt} missed" if gt else f"{pred} invented"
    return f"{gt} {'meets' if not cells.space.shared else 'found as'} {pred}"


def objects_recipe(compared: Comparison) -> str:
    objects = objects_of_level(compared)
    rule = None if objects.why_no_ap else choices.get("ap_rule")
    return compared.recipe_for(None, objects=objects.shapes, iou=f"{chosen_iou():.2f}", rule=rule)
