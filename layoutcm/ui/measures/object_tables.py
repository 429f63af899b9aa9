"""The page Measures, objects: their numbers, kept between runs; their matrix, scores and AP of labels, ranked pairs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.line_charts import Curve, curve_points
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.lazy import pd
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.ranked_pairs import OUTCOMES, PAIRINGS, QUALITIES, ObjectConfusion
from layoutcm.metrics.scores import ratio
from layoutcm.tables.matrix_views import VIEWS, cell_verb
from layoutcm.tables.tables import COUNTS, HEADINGS, RANKED_PAIRS, Table
from layoutcm.ui.screen_text import ScreenWords, as_typed, plural_spaced, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, matrix_panel, page_shell
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.lit_pages import pages_with_objects
from layoutcm.ui.shared.sidebar import show_segments
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Scope
from layoutcm.wording import as_heading, iou_text, thin_spaced

AP_TITLES = {"ap": "AP", "ap50": "AP50", "ap75": "AP75", "ar": "AR", "pq": "PQ", "sq": "SQ", "rq": "RQ"}
UNIT = "objects"
OUTCOME_NAMES = dict(zip(OUTCOMES, ("true positive", "false positive", "false negative")))
PAIRING_HELP = (
    "Predictions choose in the order of their scores. coco: each takes the free object of its label with the largest "
    "IoU at or above the threshold, as AP does. ranked: each takes the free object with the largest IoU, even if it is "
    "0, and only then the IoU is compared with the threshold."
)


@kept("Collecting objects …")
def objects_of_level(scope: Scope) -> Objects:
    """The objects of the chosen level."""
    return scope.compared.objects(**scope.level)


def why_no_ap(scope: Scope) -> str:
    """Why there is no AP, or ""."""
    return words_for(scope.compared).no_ap or objects_of_level(scope).why_no_ap


def object_result(scope: Scope, method: str, *arguments: Any) -> Any:
    """The result of a method of the chosen level's `Objects`, kept between runs."""
    return _object_result(scope, method, arguments)


@kept("Matching objects …")
def _object_result(scope: Scope, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(objects_of_level(scope), method)(*arguments)


@kept("Drawing curves …")
def curves_of_labels(scope: Scope, at: float, rule: str) -> dict[str, Curve]:
    """{label: its curve} at an IoU, by a rule for AP."""
    objects = objects_of_level(scope)
    ap = objects.ap_at(at, rule)
    return {label: curve_points(label, ap[label], ranked, rule) for label, ranked in objects.curves(at).items()}


@kept("Ranking objects …")
def coco_numbers(scope: Scope) -> tuple[dict[str, float], pd.DataFrame]:
    """COCO's twelve numbers and the table of the labels."""
    objects = objects_of_level(scope)
    return objects.summary, objects.per_class


def objects_recipe(chosen: Chosen, scope: Scope) -> str:
    rule = None if why_no_ap(scope) else chosen.now.ap_rule
    shapes = objects_of_level(scope).shapes
    return scope.compared.recipe_for(None, objects=shapes, iou=iou_text(chosen.iou), rule=rule)


def show_classes(chosen: Chosen, scope: Scope, confusion: ObjectConfusion) -> None:
    """One row per label that either side has; one table per side if the labels differ."""
    if scope.compared.space.shared:
        _show_class_table(chosen, scope)
    else:
        _show_side_tables(chosen, scope, confusion)


def _show_class_table(chosen: Chosen, scope: Scope) -> None:
    table, words = class_table(chosen, scope), words_for(scope.whole)
    data_tables.show_table(table, _columns(chosen, words), key="object_classes")
    table = table.rename(columns=words.columns)
    title = f"Objects by label, at IoU {iou_text(chosen.iou)}"
    downloads.offer("classes", Offer(in_state(chosen, "objects"), title, table=lambda: Table("objects", title, table)))


def class_table(chosen: Chosen, scope: Scope) -> pd.DataFrame:
    """The scores of every label that either side has; columns without any value are left out."""
    table = object_result(scope, "class_scores_at", chosen.iou).drop(columns="found")  # as tp
    panoptic = object_result(scope, "panoptic")[list(QUALITIES)][:-1]
    if why_no_ap(scope):
        table = pd.concat([table.iloc[:, :3], panoptic, table.iloc[:, 3:]], axis=1)
    else:
        at = object_result(scope, "ap_at", chosen.iou, chosen.now.ap_rule)
        _, coco_values = coco_numbers(scope)
        more = coco_values[["ap", "ap50", "ap75", "ar"]]
        table = pd.concat([table.assign(ap_at=table["label"].map(at)), more, panoptic], axis=1)
    if "outcomes" not in scope.compared.vocabulary.parts:
        table = table.drop(columns=list(COUNTS))
    only = chosen.now.labels
    used = (table["gt"] + table["pred"] > 0) & (table["label"].isin(only) if only else True)
    return table[used].dropna(axis="columns", how="all")


def _show_side_tables(chosen: Chosen, scope: Scope, confusion: ObjectConfusion) -> None:
    """How many objects of every label overlap one of the other side."""
    words = words_for(scope.whole)
    for side, place in zip((GT, PRED), page_shell.columns(1, 1, key="_sides")):
        rows = matched_share_table(confusion, side)
        found = "overlapped" if side == GT else f"overlaps {words.sides[GT]}"
        columns = _columns(chosen, words) | {"found": st.column_config.NumberColumn(found, format="localized")}
        only = [label for label in rows["label"] if label in chosen.now.labels]
        with place:
            data_tables.show_table(rows[rows["label"].isin(only)] if only else rows, columns, key=f"object_side_{side}")
    for side in (GT, PRED):
        table = Table("objects", f"Objects of {words.named[side]}", matched_share_table(confusion, side))
        offer = Offer(in_state(chosen, f"objects-{SIDES[side]}"), table.title, table=partial(replace, table))
        downloads.offer(f"objects_{side}", offer)


def matched_share_table(confusion: ObjectConfusion, side: int) -> pd.DataFrame:
    """One row per label of a side: label, number of objects, how many have a match on the other side, their share."""
    own = confusion.own_labels(side)
    counts = confusion.counts[own] if side == GT else confusion.counts.T[own]
    total, found = counts.sum(axis=1), counts[:, :-1].sum(axis=1)
    share_of = ("recall", "precision")[side]
    labels = [confusion.labels[i] for i in own]
    table = {"label": labels, SIDES[side]: total, "found": found, share_of: ratio(found, total)}
    return pd.DataFrame(table)[total > 0]


def _columns(chosen: Chosen, words: ScreenWords) -> dict[str, Any]:
    names = dict(zip(SIDES, words.sides)) | {name: HEADINGS[name] for name in COUNTS}
    counts = {name: st.column_config.NumberColumn(title, format="localized") for name, title in names.items()}
    here = f"AP at {iou_text(chosen.iou)}, {chosen.now.ap_rule}"
    titles = words.scores | {"ap_at": here} | AP_TITLES
    return {name: data_tables.plain_number(title) for name, title in titles.items()} | counts


def show_object_matrix(chosen: Chosen, scope: Scope, confusion: ObjectConfusion) -> None:
    """The object matrix. Its chosen cell is that of all matrices; missed and invented correspond to Background."""
    words = words_for(scope.whole)
    (missed, invented), (gt, pred) = words.only_in, words.named
    st.subheader(f"{words.object_cells}, at IoU {iou_text(chosen.iou)}", anchor=False)
    views = {"pixels": "Objects"} | {view: as_heading(name) for view, name in words.scores.items()}
    show_segments("object_view", "View", {view: views[view] for view in VIEWS})
    compared, view = scope.compared, chosen.now.object_view
    cell, labels = _place_of_cell(chosen, compared), compared.labels
    matrix, shown = object_as_confusion(confusion, chosen.now.labels)
    named, recipe = [*matrix.labels[:-2], invented, missed], objects_recipe(chosen, scope)
    matrix = replace(matrix, labels=named, side_names=compared.side_names, recipe=recipe)
    last = len(confusion.labels)  # the position of `invented` among the rows; `missed` follows it

    def choose(picked: dict[str, Any]) -> None:
        if picked["kind"] == "cell":
            # Missed and invented objects are those that meet Background.
            names = [labels[(min(int(picked[side]), last) + 1) % len(labels)] for side in ("row", "column")]
            choices.put(gt_label=names[GT], pred_label=names[PRED])

    place = None if cell is None else (cell[GT], last + 1 if cell[PRED] == last else cell[PRED])
    look = MatrixLook(chosen.theme, unit=UNIT, clickable=True, chosen=place, margins=(last, last + 1))
    matrix_panel.show_matrix(matrix_data(matrix, view, shown, look), f"objects_{view}", choose)
    st.caption(
        f"Objects are matched whatever their labels, each at most once. *{missed}*: objects of {gt} "
        f"without a match; *{invented}*: objects of {pred} without a match."
    )
    downloads.offer("matrix", matrix_panel.matrix_offer(chosen, matrix, view, shown, "Object matrix", unit=UNIT))


def _place_of_cell(chosen: Chosen, compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell in the object matrix, where missed and invented come last."""
    names = chosen.cell(compared.labels)
    cell = compared.cell(*names) if names else (0, 0)
    if cell == (0, 0):
        return None
    last = len(compared.labels) - 1
    gt, pred = (position - 1 if position else last for position in cell)
    return gt, pred


def show_pages_behind(chosen: Chosen, scope: Scope, confusion: ObjectConfusion) -> None:
    """The pages behind the chosen cell."""
    compared = scope.compared
    cell = _place_of_cell(chosen, compared)
    downloads.offer("cell")
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    pages = pages_with_objects(compared, confusion, cell)
    here = f"{plural_spaced(int(pages['objects'].sum()), 'object')} on {plural_spaced(len(pages), 'page')}"
    name = object_cell_name(confusion, cell, words_for(compared))
    st.markdown(f"**{as_typed(name)}**: {here}")
    if not len(pages):
        return
    table = Table("objects_behind", f"Pages with {name}", pages)
    data_tables.show_page_picker(table.data, key="objects_behind")
    downloads.offer("cell", Offer(in_state(chosen, "pages", name), table.title, table=lambda: table))


def object_cell_name(confusion: ObjectConfusion, cell: tuple[int, int], words: ScreenWords) -> str:
    gt, pred = (confusion.labels[position] if position < len(confusion.labels) else "" for position in cell)
    if not gt or not pred:
        missed, invented = words.only_in
        return f"{gt} {missed}" if gt else f"{pred} {invented}"
    return words.object_cell.format(gt=gt, verb=cell_verb(confusion.space.shared, gt == pred), pred=pred)


def show_ranked_pairs(chosen: Chosen, scope: Scope) -> None:
    """The table is made only if it is open, because it is long for large sets."""
    if reason := words_for(scope.whole).no_pairs:
        st.info(reason)
        return
    if not scope.compared.space.shared:
        st.info("The two sides have different labels, so there are no pairs of one label.")
        return
    downloads.offer("pairs")
    place = st.expander("Which prediction is paired with which object", key="ranked_pairs_open", on_change="rerun")
    if place.open:
        with place:
            _show_pairs(chosen, scope)


def _show_pairs(chosen: Chosen, scope: Scope) -> None:
    outcomes = tuple(name for name in chosen.now.outcomes if name in OUTCOMES)
    choices.put(outcomes=outcomes)
    with page_shell.control_row():
        st.segmented_control("Pairing", PAIRINGS, required=True, help=PAIRING_HELP, **choices.bind("pairing"))
        st.multiselect(
            "Outcomes", OUTCOMES, format_func=OUTCOME_NAMES.__getitem__, placeholder="all", **choices.bind("outcomes")
        )
    pairing, matched = chosen.now.pairing, objects_of_level(scope)
    pairs = object_result(scope, "ranked_pairs", chosen.iou, pairing)
    st.markdown(outcome_sentence(pairs))
    shown = chosen_pairs(pairs, chosen.now.labels, outcomes)
    data_tables.show_page_picker(shown, key="ranked_pairs", most=data_tables.STYLED_ROWS)
    st.caption("gt and pred are row numbers in the regions of the two files, from 0. Choose a row to open its page.")
    downloads.offer(
        "pairs",
        Offer(in_state(chosen, RANKED_PAIRS, pairing), "Ranked pairs",
              table=lambda: Table(RANKED_PAIRS, "Ranked pairs", shown)),
        Offer(in_state(chosen, "joint_pairs"), "All pairs of one label",
              table=lambda: Table("joint_pairs", "All pairs of one label", matched.joint_pairs())),
    )  # fmt: skip
    recipe = scope.compared.recipe_for(None, objects=matched.shapes, iou=iou_text(chosen.iou), pairing=pairing)
    page_shell.show_recipe(recipe)


def chosen_pairs(pairs: pd.DataFrame, labels: tuple[str, ...], outcomes: tuple[str, ...]) -> pd.DataFrame:
    """The rows with one of these labels and outcomes; all if none are given."""
    for column, wanted in (("label", labels), ("outcome", outcomes)):
        if wanted:
            pairs = pairs[pairs[column].isin(wanted)]
    return pairs


def outcome_sentence(pairs: pd.DataFrame) -> str:
    counts = pairs["outcome"].value_counts()
    tp, fp, fn = (int(counts.get(outcome, 0)) for outcome in OUTCOMES)
    predictions, truth = plural_spaced(tp + fp, "prediction"), plural_spaced(tp + fn, "object")
    return (
        f"True positives: {thin_spaced(tp)} of {predictions}. False positives: {thin_spaced(fp)}. "
        f"False negatives: {thin_spaced(fn)} of {truth} in the ground truth."
    )
