"""Measures: the other views. Objects, families of labels, soft scores, calibration and ROC, centroids."""

import streamlit as st

from layoutcm.ui.measures import families, object_view, soft_scores
from layoutcm.ui.shared import page_shell, sidebar
from layoutcm.ui.state import choices, selection

chosen = page_shell.start_with_comparison()
st.title("Measures", anchor=False)
sidebar.show_segments("measure", "Measure", choices.MEASURES, label_visibility="collapsed")


def show_objects() -> None:
    object_view.show_headlines_of_objects(selection.level_scope(chosen))
    page_shell.show_part(chosen, object_view.show_one_iou)


{
    "objects": show_objects,
    "families": lambda: families.show_families(chosen),
    "soft": lambda: soft_scores.show_soft_scores(chosen, selection.level_scope(chosen)),
    "calibration": lambda: soft_scores.show_calibration(chosen),
    "centroids": lambda: page_shell.show_part(chosen, object_view.show_centroids),
}[chosen.now.measure]()
