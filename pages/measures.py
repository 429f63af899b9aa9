"""Measures: the other views. Objects, families of labels, soft scores, calibration and ROC, centroids."""

import streamlit as st

from layoutcm.ui.measures import families, object_tables, object_view, soft_scores
from layoutcm.ui.shared import object_numbers, page_shell, sidebar
from layoutcm.ui.state import choices, selection

page_shell.ensure_routed()
whole = page_shell.need_comparison()
compared = selection.with_regions(whole)
st.title("Measures", anchor=False)
sidebar.show_segments("measure", "Measure", choices.MEASURES, label_visibility="collapsed")


@page_shell.fragment
def at_one_iou() -> None:
    object_view.show_one_iou(compared)
    page_shell.show_recipe(object_numbers.objects_recipe(compared))
    st.subheader("Ranked pairs", anchor=False)
    object_tables.show_ranked_pairs(compared)


def show_objects() -> None:
    object_view.show_headlines_of_objects(compared)
    at_one_iou()


@page_shell.fragment
def show_centroids() -> None:
    object_view.show_centroids(compared)
    page_shell.show_recipe(object_view.centroids_recipe(compared))


{
    "objects": show_objects,
    "families": lambda: families.show_families(whole),
    "soft": lambda: soft_scores.show_soft_scores(compared),
    "calibration": lambda: soft_scores.show_calibration(whole),
    "centroids": show_centroids,
}[choices.current().measure]()
