"""The matrix and tables of objects on Measures: matches of labels, scores and AP of labels, ranked pairs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.ranked_pairs import OUTCOMES, PAIRINGS, QUALITIES, ObjectConfusion
from layoutcm.metrics.scores import ratio
from layoutcm.tables.matrix_views import VIEWS, cell_verb
from layoutcm.tables.tables import COUNTS, HEADINGS, RANKED_PAIRS, Table
from layoutcm.ui.screen_text import ScreenWords, as_typed, plural_spaced, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components, data_tables, downloads, matrix_panel, object_numbers, page_shell
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.sidebar import show_segments
from layoutcm.ui.state import choices, selection, session
from layoutcm.wording import as_heading, iou_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

AP_TITLES = {"ap": "AP", "ap50": "AP50", "ap75": "AP75", "ar": "AR", "pq": "PQ", "sq": "SQ", "rq": "RQ"}
UNIT = "objects"
ROWS_SHOWN = data_tables.STYLED_ROWS
OUTCOME_NAMES = dict(zip(OUTCOMES, ("true positive", "false positive", "false negative")))
PAIRING_HELP = (
    "Predictions choose in the order of their scores. coco: each takes the free object of its label with the largest "
    "IoU at or above the threshold, as AP does. ranked: each takes the free object with the largest IoU, even if it is "
    "0, and only then the IoU is compared with the threshold."
)


def show_classes(compared: Comparison, confusion: ObjectConfusion) -> None:
    """One row per label that either side has; one table per side if the labels differ."""
    if compared.space.shared:
        _show_class_table(compared)
    else:
        _show_side_tables(compared, confusion)


def _show_class_table(compared: Comparison) -> None:
    table, words = class_table(compared), words_for(compared)
    data_tables.show_table(table, _columns(words), key="object_classes")
    table = table.rename(columns=words.columns)
    title = f"Objects by label, at IoU {iou_text(object_numbers.chosen_iou())}"
    downloads.offer("classes", Offer(in_state("objects"), title, table=lambda: Table("objects", title, table)))


def class_table(compared: Comparison) -> pd.DataFrame:
    """The scores of every label that either side has; columns without any value are left out."""
    import pandas as pd

    table = object_numbers.object_result(compared, "class_scores_at", object_numbers.chosen_iou()).drop(
        columns="found"
    )  # as tp
    panoptic = object_numbers.object_result(compared, "panoptic")[list(QUALITIES)][:-1]
    if object_numbers.why_no_ap(compared):
        table = pd.concat([table.iloc[:, :3], panoptic, table.iloc[:, 3:]], axis=1)
    else:
        at = object_numbers.object_result(compared, "ap_at", object_numbers.chosen_iou(), choices.current().ap_rule)
        _, coco_values = object_numbers.coco_numbers(compared)
        more = coco_values[["ap", "ap50", "ap75", "ar"]]
        table = pd.concat([table.assign(ap_at=table["label"].map(at)), more, panoptic], axis=1)
    if "outcomes" not in compared.vocabulary.parts:
        table = table.drop(columns=list(COUNTS))
    only = choices.current().labels
    used = (table["gt"] + table["pred"] > 0) & (table["label"].isin(only) if only else True)
    return table[used].dropna(axis="columns", how="all")


def _show_side_tables(compared: Comparison, confusion: ObjectConfusion) -> None:
    """How many objects of every label overlap one of the other side."""
    words = words_for(compared)
    for side, place in zip((GT, PRED), page_shell.columns(1, 1, key="_sides")):
        rows = matched_share_table(confusion, side)
        found = "overlapped" if side == GT else f"overlaps {words.sides[GT]}"
        columns = _columns(words) | {"found": st.column_config.NumberColumn(found, format="localized")}
        only = [label for label in rows["label"] if label in choices.current().labels]
        with place:
            data_tables.show_table(rows[rows["label"].isin(only)] if only else rows, columns, key=f"object_side_{side}")
    for side in (GT, PRED):
        table = Table("objects", f"Objects of {words.named[side]}", matched_share_table(confusion, side))
        offer = Offer(in_state(f"objects-{SIDES[side]}"), table.title, table=partial(replace, table))
        downloads.offer(f"objects_{side}", offer)


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


def _columns(words: ScreenWords) -> dict[str, Any]:
    names = dict(zip(SIDES, words.sides)) | {name: HEADINGS[name] for name in COUNTS}
    counts = {name: st.column_config.NumberColumn(title, format="localized") for name, title in names.items()}
    here = f"AP at {iou_text(object_numbers.chosen_iou())}, {choices.current().ap_rule}"
    titles = words.scores | {"ap_at": here} | AP_TITLES
    return {name: data_tables.plain_number(title) for name, title in titles.items()} | counts


def show_object_matrix(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The object matrix. Its chosen cell is that of all matrices; missed and invented correspond to Background."""
    words = words_for(compared)
    (missed, invented), (gt, pred) = words.only_in, words.named
    st.subheader(f"{words.object_cells}, at IoU {iou_text(object_numbers.chosen_iou())}", anchor=False)
    views = {"pixels": "Objects"} | {view: as_heading(name) for view, name in words.scores.items()}
    show_segments("object_view", "View", {view: views[view] for view in VIEWS})
    cell, view, labels = chosen_object_cell(compared), choices.current().object_view, compared.labels
    matrix, shown = object_as_confusion(confusion, choices.current().labels)
    named = [*matrix.labels[:-2], invented, missed]
    matrix = replace(
        matrix, labels=named, side_names=compared.side_names, recipe=object_numbers.objects_recipe(compared)
    )
    last = len(confusion.labels)  # the position of `invented` among the rows; `missed` follows it

    def choose(picked: dict[str, Any]) -> None:
        if picked["kind"] == "cell":
            # Missed and invented objects are those that meet Background.
            names = [labels[(min(int(picked[side]), last) + 1) % len(labels)] for side in ("row", "column")]
            choices.put(gt_label=names[GT], pred_label=names[PRED])

    chosen = None if cell is None else (cell[GT], last + 1 if cell[PRED] == last else cell[PRED])
    look = MatrixLook(session.theme(), unit=UNIT, clickable=True, chosen=chosen, margins=(last, last + 1))
    components.show_matrix(matrix_data(matrix, view, shown, look), f"objects_{view}", choose)
    st.caption(
        f"Objects are matched whatever their labels, each at most once. *{missed}*: objects of {gt} "
        f"without a match; *{invented}*: objects of {pred} without a match."
    )
    downloads.offer("matrix", matrix_panel.matrix_offer(matrix, view, shown, "Object matrix", unit=UNIT))


def chosen_object_cell(compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell in the object matrix, where missed and invented come last."""
    cell = selection.chosen_cell(compared)
    if cell is None or cell == (0, 0):
        return None
    last = len(compared.labels) - 1
    gt, pred = (position - 1 if position else last for position in cell)
    return gt, pred


def show_pages_behind(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The pages behind the chosen cell."""
    cell = chosen_object_cell(compared)
    downloads.offer("cell")
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    import pandas as pd

    pages, counts = confusion.pages_behind(*cell)
    here = f"{plural_spaced(int(counts.sum()), 'object')} on {plural_spaced(len(pages), 'page')}"
    name = object_cell_name(confusion, cell, words_for(compared))
    st.markdown(f"**{as_typed(name)}**: {here}")
    if not len(pages):
        return
    documents = compared.alignment.pages.documents
    columns = {
        "page": [compared.pages[page] for page in pages],
        "document": [documents[page] for page in pages],
        "objects": counts,
    }
    table = Table("objects_behind", f"Pages with {name}", pd.DataFrame(columns))
    data_tables.show_page_picker(table.data, key="objects_behind")
    downloads.offer("cell", downloads.Offer(downloads.in_state("pages", name), table.title, table=lambda: table))


def object_cell_name(confusion: ObjectConfusion, cell: tuple[int, int], words: ScreenWords) -> str:
    gt, pred = (confusion.labels[position] if position < len(confusion.labels) else "" for position in cell)
    if not gt or not pred:
        missed, invented = words.only_in
        return f"{gt} {missed}" if gt else f"{pred} {invented}"
    return words.object_cell.format(gt=gt, verb=cell_verb(confusion.space.shared, gt == pred), pred=pred)


def show_ranked_pairs(compared: Comparison) -> None:
    """The table is made only if it is open, because it is long for large sets."""
    if reason := words_for(compared).no_pairs:
        st.info(reason)
        return
    if not compared.space.shared:
        st.info("The two sides have different labels, so there are no pairs of one label.")
        return
    downloads.offer("pairs")
    place = st.expander("Which prediction is paired with which object", key="ranked_pairs_open", on_change="rerun")
    if place.open:
        with place:
            _show_pairs(compared, object_numbers.objects_of_level(compared))


def _show_pairs(compared: Comparison, matched: Objects) -> None:
    choices.put(outcomes=tuple(name for name in choices.current().outcomes if name in OUTCOMES))
    with object_numbers.control_row():
        st.segmented_control("Pairing", PAIRINGS, required=True, help=PAIRING_HELP, **choices.bind("pairing"))
        st.multiselect(
            "Outcomes", OUTCOMES, format_func=OUTCOME_NAMES.__getitem__, placeholder="all", **choices.bind("outcomes")
        )
    pairing, iou = choices.current().pairing, object_numbers.chosen_iou()
    level = session.chosen_level(compared)
    pairs = _ranked_pairs(session.comparison_key(), level, iou, pairing, matched)
    st.markdown(outcome_sentence(pairs))
    chosen = chosen_pairs(pairs, choices.current().labels, choices.current().outcomes)
    data_tables.show_page_picker(chosen.head(ROWS_SHOWN), key="ranked_pairs")
    if len(chosen) > ROWS_SHOWN:
        st.caption(f"The first {ROWS_SHOWN:,} of {len(chosen):,} rows; the file has all of them.")
    st.caption("gt and pred are row numbers in the regions of the two files, from 0. Choose a row to open its page.")
    downloads.offer(
        "pairs",
        Offer(in_state(RANKED_PAIRS, pairing), "Ranked pairs",
              table=lambda: Table(RANKED_PAIRS, "Ranked pairs", chosen)),
        Offer(in_state("joint_pairs"), "All pairs of one label",
              table=lambda: Table("joint_pairs", "All pairs of one label", matched.joint_pairs())),
    )  # fmt: skip
    page_shell.show_recipe(compared.recipe_for(None, objects=matched.shapes, iou=iou_text(iou), pairing=pairing))


# The tables of large sets are large.
@kept("Pairing objects …")
def _ranked_pairs(content: str, level: dict[str, str], iou: float, pairing: str, _objects: Objects) -> pd.DataFrame:
    return _objects.ranked_pairs(iou, pairing)


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
