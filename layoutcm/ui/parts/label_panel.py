"""The panel of a label that was chosen in the matrix: its numbers and what it is taken for."""

from __future__ import annotations

import streamlit as st

from layoutcm.metrics.confusion import Confusion
from layoutcm.ui import choices, selection
from layoutcm.ui.parts import sentences
from layoutcm.ui.screen_text import SIDE_NAMES, as_typed
from layoutcm.wording import score_text, thin_spaced

MOST_CELLS = 6


def show_label(confusion: Confusion) -> None:
    """The chosen label; nothing if there is none."""
    name = choices.current().class_name
    if name not in confusion.labels:
        return
    st.subheader(as_typed(name), anchor=False)
    values = {
        column: float(of_labels[confusion.labels.index(name)]) for column, of_labels in confusion.class_values().items()
    }
    if confusion.diagonal:
        scores = {"Precision": "precision", "Recall": "recall", "F1": "f1"}
        st.markdown(", ".join(f"{title} {score_text(values[score], 3)}" for title, score in scores.items()))
    gt, pred = (thin_spaced(round(values[side])) for side in ("gt_pixels", "pred_pixels"))
    st.markdown(f"{gt} px in the {SIDE_NAMES[0]}, {pred} px in the {SIDE_NAMES[1]}")
    largest = sentences.confusion_sentences(confusion, selection.chosen_labels(confusion), most=MOST_CELLS, gt=name)
    for text, gt_label, pred_label in largest:
        st.button(text, key=f"label_{gt_label}_{pred_label}", width="stretch", on_click=selection.open_cell,
                  args=(gt_label, pred_label))  # fmt: skip
