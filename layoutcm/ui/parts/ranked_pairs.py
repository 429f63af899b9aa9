"""The part of Measures that shows which prediction is paired with which object of the ground truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.ranked_pairs import OUTCOMES, PAIRINGS
from layoutcm.tables.tables import RANKED_PAIRS, Table
from layoutcm.ui import choices, offers, page_shell, session
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import data_tables, objects
from layoutcm.ui.screen_text import plural_spaced
from layoutcm.ui.visitors import kept
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

ROWS_SHOWN = data_tables.STYLED_ROWS
OUTCOME_NAMES = dict(zip(OUTCOMES, ("true positive", "false positive", "false negative")))
PAIRING_HELP = (
    "Predictions choose in the order of their scores. coco: each takes the free object of its label with the largest "
    "IoU at or above the threshold, as AP does. ranked: each takes the free object with the largest IoU, even if it is "
    "0, and only then the IoU is compared with the threshold."
)


def show_ranked_pairs(compared: Comparison) -> None:
    """The table is made only if it is open, because it is long for large sets."""
    if not compared.has_truth:
        st.info("n/a: neither side is the truth, so there are no predictions to rank against it.")
        return
    if not compared.space.shared:
        st.info("The two sides have different labels, so there are no pairs of one label.")
        return
    offers.offer("pairs")
    place = st.expander("Which prediction is paired with which object", key="ranked_pairs_open", on_change="rerun")
    if place.open:
        with place:
            _show_pairs(compared, objects.objects_of_level(compared))


def _show_pairs(compared: Comparison, matched: Objects) -> None:
    choices.put(outcomes=tuple(name for name in choices.current().outcomes if name in OUTCOMES))
    with objects.control_row():
        st.segmented_control("Pairing", PAIRINGS, required=True, help=PAIRING_HELP, **choices.bind("pairing"))
        st.multiselect(
            "Outcomes", OUTCOMES, format_func=OUTCOME_NAMES.__getitem__, placeholder="all", **choices.bind("outcomes")
        )
    pairing, iou = choices.current().pairing, objects.chosen_iou()
    level = session.chosen_level(compared)
    pairs = _ranked_pairs(session.comparison_key(), level, iou, pairing, matched)
    st.markdown(outcome_sentence(pairs))
    chosen = chosen_pairs(pairs, choices.current().labels, choices.current().outcomes)
    data_tables.show_page_picker(chosen.head(ROWS_SHOWN), key="ranked_pairs")
    if len(chosen) > ROWS_SHOWN:
        st.caption(f"The first {ROWS_SHOWN:,} of {len(chosen):,} rows; the file has all of them.")
    st.caption("gt and pred are row numbers in the regions of the two files, from 0. Choose a row to open its page.")
    offers.offer(
        "pairs",
        Offer(in_state(RANKED_PAIRS, pairing), "Ranked pairs",
              table=lambda: Table(RANKED_PAIRS, "Ranked pairs", chosen)),
        Offer(in_state("joint_pairs"), "All pairs of one label",
              table=lambda: Table("joint_pairs", "All pairs of one label", matched.joint_pairs())),
    )  # fmt: skip
    page_shell.show_recipe(compared.recipe_for(None, objects=matched.shapes, iou=f"{iou:.2f}", pairing=pairing))


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
