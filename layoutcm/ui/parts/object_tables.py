"""The tables of objects at one IoU: one row per label, or one table per side if the labels differ."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.object_confusion import ObjectConfusion
from layoutcm.metrics.objects.panoptic import QUALITIES
from layoutcm.metrics.scores import ratio
from layoutcm.tables.tables import COUNTS, HEADINGS, Table
from layoutcm.ui import choices, offers, page_shell
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import data_tables, objects
from layoutcm.ui.side_words import SideWords, words_for

if TYPE_CHECKING:
    import pandas as pd

AP_TITLES = {"ap": "AP", "ap50": "AP50", "ap75": "AP75", "ar": "AR", "pq": "PQ", "sq": "SQ", "rq": "RQ"}


def show_classes(compared: Comparison, confusion: ObjectConfusion) -> None:
    """One row per label that either side has; one table per side if the labels differ."""
    if compared.space.shared:
        _show_class_table(compared)
    else:
        _show_side_tables(compared, confusion)


def _show_class_table(compared: Comparison) -> None:
    table, words = class_table(compared), words_for(compared)
    data_tables.show_table(table, _columns(words), key="object_classes")
    if not compared.has_truth:
        table = table.rename(columns={"gt": "A", "pred": "B", **words.scores})
    title = f"Objects by label, at IoU {objects.chosen_iou():.2f}"
    offers.offer("classes", Offer(in_state("objects"), title, table=lambda: Table("objects", title, table)))


def class_table(compared: Comparison) -> pd.DataFrame:
    """The scores of every label that either side has; columns without any value are left out."""
    import pandas as pd

    table = objects.object_result(compared, "class_scores_at", objects.chosen_iou()).drop(columns="found")  # as tp
    panoptic = objects.object_result(compared, "panoptic")[list(QUALITIES)][:-1]
    if objects.why_no_ap(compared):
        table = pd.concat([table.iloc[:, :3], panoptic, table.iloc[:, 3:]], axis=1)
    else:
        at = objects.object_result(compared, "ap_at", objects.chosen_iou(), choices.current().ap_rule)
        _, coco_values = objects.coco_numbers(compared)
        more = coco_values[["ap", "ap50", "ap75", "ar"]]
        table = pd.concat([table.assign(ap_at=table["label"].map(at)), more, panoptic], axis=1)
    if not compared.has_truth:
        table = table.drop(columns=list(COUNTS))
    only = choices.current().labels
    used = (table["gt"] + table["pred"] > 0) & (table["label"].isin(only) if only else True)
    return table[used].dropna(axis="columns", how="all")


def _show_side_tables(compared: Comparison, confusion: ObjectConfusion) -> None:
    """How many objects of every label overlap one of the other side."""
    words = words_for(compared)
    for side, place in zip((GT, PRED), page_shell.columns(1, 1, key="_sides")):
        rows = matched_share_table(confusion, side)
        found = "overlapped" if side == GT else f"overlaps {words.gt if words.gt == 'A' else 'gt'}"
        columns = _columns(words) | {"found": st.column_config.NumberColumn(found, format="localized")}
        only = [label for label in rows["label"] if label in choices.current().labels]
        with place:
            data_tables.show_table(rows[rows["label"].isin(only)] if only else rows, columns, key=f"object_side_{side}")
    for side in (GT, PRED):
        table = Table("objects", f"Objects of {words.of[side]}", matched_share_table(confusion, side))
        offer = Offer(in_state(f"objects-{SIDES[side]}"), table.title, table=partial(replace, table))
        offers.offer(f"objects_{side}", offer)


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


def _columns(words: SideWords) -> dict[str, Any]:
    names = dict(zip(SIDES, words.of if words.gt == "A" else SIDES)) | {name: HEADINGS[name] for name in COUNTS}
    counts = {name: st.column_config.NumberColumn(title, format="localized") for name, title in names.items()}
    here = f"AP at {objects.chosen_iou():.2f}, {choices.current().ap_rule}"
    titles = words.scores | {"ap_at": here} | AP_TITLES
    return {name: data_tables.plain_number(title) for name, title in titles.items()} | counts
