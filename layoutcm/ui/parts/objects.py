"""The objects of Measures: COCO's numbers; and, at one IoU, a table, curves, the matrix, pages behind a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.object_charts import Curve, curve_points, curves_figure, points_figure
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.object_confusion import ObjectConfusion
from layoutcm.metrics.objects.panoptic import mean_qualities
from layoutcm.metrics.scores import ratio
from layoutcm.tables.matrix_views import VIEWS, cell_verb, heading_of_view
from layoutcm.tables.tables import COUNTS, HEADINGS
from layoutcm.ui import choices, components, page_shell, screen_text, selection, session
from layoutcm.ui.parts import data_tables
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.visitors import kept
from layoutcm.wording import percent, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

METRIC_WIDTH = 110  # px; four metrics fit on a narrow screen
CURVES_SHOWN = 6  # if no labels are chosen
OBJECT_VIEW_NAMES = {view: "Objects" if view == "pixels" else heading_of_view(view) for view in VIEWS}
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
PANOPTIC_HEADLINES = {
    "pq": "Panoptic quality: SQ times RQ, mean over labels",
    "sq": "Segmentation quality: mean IoU of the pairs with the same label and an IoU above 0.50",
    "rq": "Recognition quality: F1 of these pairs",
}
SCORE_COLUMNS = {
    "precision": "precision", "recall": "recall", "f1": "F1", "ap_at": "AP here", "ap": "AP", "ap50": "AP50",
    "ap75": "AP75", "ar": "AR", "pq": "PQ", "sq": "SQ", "rq": "RQ",
}  # fmt: skip


def control_row() -> Any:
    """Controls and figures in one row, which wraps if it is too long."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def figure_row() -> Any:
    """Figures that stay together inside a row with other elements."""
    return st.container(horizontal=True, gap="small", width="content")


def objects_of_level(compared: Comparison) -> Objects:
    """The objects of the chosen level."""
    return _objects_of_level(session.comparison_key(), session.chosen_level(compared), compared)


@kept("Collecting objects …")
def _objects_of_level(content: str, level: dict[str, str], _compared: Comparison) -> Objects:
    return _compared.objects(level.get("page"), level.get("document"))


def chosen_iou() -> float:
    return round(choices.current().iou, 2)  # the slider sums its steps, with rounding errors


def object_result(compared: Comparison, method: str, *arguments: Any) -> Any:
    """The result of a method of the chosen level's `Objects`, cached."""
    return _object_result(
        session.comparison_key(), session.chosen_level(compared), method, arguments, objects_of_level(compared)
    )


@kept("Matching objects …")
def _object_result(
    content: str, level: dict[str, str], method: str, arguments: tuple[Any, ...], _objects: Objects
) -> Any:
    return getattr(_objects, method)(*arguments)


@kept("Matching objects …")
def _object_confusion(content: str, level: dict[str, str], at: float, _objects: Objects) -> ObjectConfusion:
    return _objects.object_confusion_at(at)


@kept("Drawing curves …")
def _curves(content: str, level: dict[str, str], at: float, rule: str, _objects: Objects) -> dict[str, Curve]:
    ap = _objects.ap_at(at, rule)
    return {label: curve_points(label, ap[label], ranked, rule) for label, ranked in _objects.curves(at).items()}


@kept("Ranking objects …")
def _coco_numbers(content: str, level: dict[str, str], _objects: Objects) -> tuple[dict[str, float], pd.DataFrame]:
    return _objects.summary, _objects.per_class


def coco_numbers(compared: Comparison) -> tuple[dict[str, float], pd.DataFrame]:
    """COCO's twelve numbers and the table of the labels."""
    return _coco_numbers(session.comparison_key(), session.chosen_level(compared), objects_of_level(compared))


def remember_shown(compared: Comparison) -> None:
    """Note that the page was shown: its results are cached now, so other pages can use them at once."""
    st.session_state["objects_shown"] = (session.comparison_key(), session.chosen_level(compared))


def were_shown(compared: Comparison) -> bool:
    return st.session_state.get("objects_shown") == (session.comparison_key(), session.chosen_level(compared))


def show_coco_summary(compared: Comparison) -> None:
    """AP and AR by COCO's rules, or panoptic quality and the reason why there is no AP."""
    objects = objects_of_level(compared)
    if objects.note:
        st.warning(as_typed(objects.note))
    if objects.headline == "pq":
        _show_metrics(panoptic_means(compared), PANOPTIC_HEADLINES)
    if objects.why_no_ap:
        st.info(as_typed(f"There is no AP. {objects.why_no_ap}"))
        return
    values, _ = coco_numbers(compared)
    _show_metrics(values, HEADLINES)
    others = [f"{name} {score_text(value)}" for name, value in values.items() if name not in HEADLINES]
    st.caption(
        f"{screen_text.join_unbroken(others)}  \n"
        "Sizes by area: small below 32², medium up to 96², large above, in pixels."
    )


def _show_metrics(values: dict[str, float], titles: dict[str, str]) -> None:
    with figure_row():
        for name, text in titles.items():
            title, exact = HEADINGS.get(name, name), f"{text} ({score_text(values[name], 6)})"
            st.metric(title[0].upper() + title[1:], score_text(values[name]), help=exact, width=METRIC_WIDTH)


def panoptic_means(compared: Comparison) -> dict[str, float]:
    """The means over labels: pq, sq, rq."""
    return mean_qualities(object_result(compared, "panoptic"))


def show_one_iou(compared: Comparison) -> None:
    """Everything that depends on the smallest IoU at which an object counts as found."""
    objects = objects_of_level(compared)
    any_label = not objects.space.shared
    scores = object_result(compared, "scores_at", chosen_iou(), not any_label)
    with control_row():
        st.slider("IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, width=280, **choices.bind("iou"),
                  help="The smallest overlap (intersection over union) at which an object counts as found")  # fmt: skip
        condition = "any" if any_label else "same"
        text = f"All objects at IoU {chosen_iou():.2f}, every prediction counted, {condition} label"
        _show_metrics(scores, dict.fromkeys(("precision", "recall", "f1"), text))
    st.markdown(object_sentence(objects, scores, selection.scope_text(compared), any_label))
    counts = object_result(compared, "counts_at", chosen_iou(), not any_label)
    st.caption(screen_text.join_unbroken([f"{HEADINGS[name]} {thin_spaced(n)}" for name, n in counts.items()]))
    confusion = _object_confusion(session.comparison_key(), session.chosen_level(compared), chosen_iou(), objects)
    if any_label:
        _show_side_tables(confusion)
    else:
        _show_class_table(compared, objects)
    left, right = page_shell.columns(3, 2, key="_objects", labels=len(confusion.labels) + 1)
    with left:
        _show_matrix(compared, confusion)
    with right:
        if not any_label:
            _show_curves(compared, objects)
        _show_pages_behind(compared, confusion)


def object_sentence(objects: Objects, scores: dict[str, float], scope: str, any_label: bool) -> str:
    """The result in one sentence, for readers who do not know the metrics."""
    gt, pred = int(objects.gt_counts.sum()), int(objects.pred_counts.sum())
    if not gt and not pred:
        return f"There are no objects in {as_typed(scope)}."
    condition = "whatever their labels" if any_label else "with their label"
    found = f"{percent(scores['recall'])} of {plural_spaced(gt, 'object')} in the ground truth are found, {condition}"
    right = f"{percent(scores['precision'])} of {plural_spaced(pred, 'object')} in the prediction "
    right += "meet one of the ground truth" if any_label else "are right"
    what = {"box": "boxes", "mask": "masks"}[objects.shapes]
    return (
        f"In {as_typed(scope)}, at an IoU of {chosen_iou():.2f} or more between {what}, "
        f"{found if gt else 'the ground truth has no objects'}; {right if pred else 'the prediction has no objects'}."
    ).replace(" %", "\u00a0%")


def _show_class_table(compared: Comparison, objects: Objects) -> None:
    """One row per label that either side has; columns without any value are left out."""
    import pandas as pd

    table = object_result(compared, "class_scores_at", chosen_iou()).drop(columns="found")  # the same as tp
    panoptic = object_result(compared, "panoptic")[list(PANOPTIC_HEADLINES)][:-1]
    if objects.why_no_ap:
        table = pd.concat([table.iloc[:, :3], panoptic, table.iloc[:, 3:]], axis=1)
    else:
        at = object_result(compared, "ap_at", chosen_iou(), choices.current().ap_rule)
        _, coco_values = coco_numbers(compared)
        more = coco_values[["ap", "ap50", "ap75", "ar"]]
        table = pd.concat([table.assign(ap_at=table["label"].map(at)), more, panoptic], axis=1)
    only = choices.current().labels
    used = (table["gt"] + table["pred"] > 0) & (table["label"].isin(only) if only else True)
    table = table[used].dropna(axis="columns", how="all")
    data_tables.show_table(table, _columns(), key="object_classes")


def _show_side_tables(confusion: ObjectConfusion) -> None:
    """One table per side, if the labels differ: how many objects of every label overlap one of the other side."""
    for side, place in zip((GT, PRED), page_shell.columns(1, 1, key="_sides")):
        table = matched_share_table(confusion, side)
        columns = _columns() | {
            "found": st.column_config.NumberColumn(("overlapped", "overlaps gt")[side], format="localized")
        }
        only = [label for label in table["label"] if label in choices.current().labels]
        with place:
            data_tables.show_table(
                table[table["label"].isin(only)] if only else table, columns, key=f"object_side_{side}"
            )


def matched_share_table(confusion: ObjectConfusion, side: int) -> pd.DataFrame:
    """One row per label of a side: label, number of objects, how many have a match on the other side, their share."""
    import pandas as pd

    own = confusion.own_labels(side)
    counts = confusion.counts[own] if side == GT else confusion.counts.T[own]
    total, found = counts.sum(axis=1), counts[:, :-1].sum(axis=1)
    share_of = ("recall", "precision")[side]
    labels = [confusion.labels[i] for i in own]
    table = {"label": labels, SIDES[side]: total, "found": found, share_of: ratio(found, total)}
    return pd.DataFrame(table)[total > 0]


def _columns() -> dict[str, Any]:
    names = {"gt": "gt", "pred": "pred", **{name: HEADINGS[name] for name in COUNTS}}
    counts = {name: st.column_config.NumberColumn(title, format="localized") for name, title in names.items()}
    here = f"AP at {chosen_iou():.2f}, {choices.current().ap_rule}"
    scores = {
        name: data_tables.plain_number(here if name == "ap_at" else title) for name, title in SCORE_COLUMNS.items()
    }
    return scores | counts


def _show_curves(compared: Comparison, objects: Objects) -> None:
    """Precision over recall for some labels; one point per label if predictions cannot be ranked."""
    st.subheader("Precision and recall", anchor=False)
    known = [objects.labels[i] for i in np.argsort(-objects.gt_counts, kind="stable") if objects.gt_counts[i]]
    choices.put(curves=tuple(label for label in choices.current().curves if label in known))
    with control_row():
        if not objects.why_no_ap:
            st.segmented_control(
                "AP rule", choices.CHOICES["ap_rule"], required=True, help=RULE_HELP, **choices.bind("ap_rule")
            )
        st.multiselect("Labels with a curve", known, placeholder="the most frequent", **choices.bind("curves"))
    in_filter = [label for label in known if label in choices.current().labels]
    chosen = choices.current().curves or in_filter or known[:CURVES_SHOWN]
    if objects.why_no_ap:
        table = object_result(compared, "class_scores_at", chosen_iou())
        figure = points_figure(table[table["label"].isin(chosen)], objects.labels, session.theme())
        words = f"Without a ranking a label has no curve, but one point at IoU {chosen_iou():.2f}."
    else:
        curves = _curves(
            session.comparison_key(), session.chosen_level(compared), chosen_iou(), choices.current().ap_rule, objects
        )
        figure = curves_figure([curves[label] for label in chosen], objects.labels, session.theme())
        rule = choices.current().ap_rule
        words = f"At IoU {chosen_iou():.2f}; the number beside a label is its AP there, by the rule {rule}."
    st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
    st.caption(words)


def _show_matrix(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The object matrix. Its chosen cell is that of all matrices; missed and invented correspond to Background."""
    st.subheader(f"What is found as what, at IoU {chosen_iou():.2f}", anchor=False)
    st.segmented_control(
        "View",
        list(OBJECT_VIEW_NAMES),
        required=True,
        format_func=OBJECT_VIEW_NAMES.__getitem__,
        **choices.bind("object_view"),
    )
    cell, view, labels = chosen_object_cell(compared), choices.current().object_view, compared.labels
    matrix, shown = object_as_confusion(confusion, choices.current().labels)
    last = len(confusion.labels)  # the position of `invented` among the rows; `missed` follows it

    def choose(picked: dict[str, Any]) -> None:
        if picked["kind"] == "cell":
            # Missed and invented objects are those that meet Background.
            names = [labels[(min(int(picked[side]), last) + 1) % len(labels)] for side in ("row", "column")]
            choices.put(gt_label=names[GT], pred_label=names[PRED])

    chosen = None if cell is None else (cell[GT], last + 1 if cell[PRED] == last else cell[PRED])
    look = MatrixLook(session.theme(), unit="objects", clickable=True, chosen=chosen, margins=(last, last + 1))
    components.show_matrix(matrix_data(matrix, view, shown, look), f"objects_{view}", choose)
    st.caption(
        "Objects are matched whatever their labels, each at most once. *missed*: objects of the ground truth without a "
        "match; *invented*: objects of the prediction without a match."
    )


def chosen_object_cell(compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell in the object matrix, where missed and invented come last."""
    cell = selection.chosen_cell(compared)
    if cell is None or cell == (0, 0):
        return None
    last = len(compared.labels) - 1
    gt, pred = (position - 1 if position else last for position in cell)
    return gt, pred


def _show_pages_behind(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The pages behind the chosen cell."""
    cell = chosen_object_cell(compared)
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    import pandas as pd

    pages, objects = confusion.pages_behind(*cell)
    here = f"{plural_spaced(int(objects.sum()), 'object')} on {plural_spaced(len(pages), 'page')}"
    st.markdown(f"**{as_typed(cell_name(confusion, cell))}**: {here}")
    if len(pages):
        documents = compared.alignment.pages.documents
        table = {
            "page": [compared.pages[page] for page in pages],
            "document": [documents[page] for page in pages],
            "objects": objects,
        }
        data_tables.show_page_picker(pd.DataFrame(table), key="objects_behind")


def cell_name(confusion: ObjectConfusion, cell: tuple[int, int]) -> str:
    gt, pred = (confusion.labels[position] if position < len(confusion.labels) else "" for position in cell)
    if not gt or not pred:
        return f"{gt} missed" if gt else f"{pred} invented"
    return f"{gt} {cell_verb(confusion.space.shared, gt == pred)} {pred}"


def objects_recipe(compared: Comparison) -> str:
    objects = objects_of_level(compared)
    rule = None if objects.why_no_ap else choices.current().ap_rule
    return compared.recipe_for(None, objects=objects.shapes, iou=f"{chosen_iou():.2f}", rule=rule)
