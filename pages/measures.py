"""Measures: the other views. Objects, families of labels, soft scores, calibration and ROC, centroids."""

import streamlit as st

from layoutcm.ui import choices, page_shell, router, scope
from layoutcm.ui.parts import calibration, centroid_match, families, object_view, objects, ranked_pairs, soft_scores

router.ensure_routed()
whole = page_shell.need_comparison()
compared = scope.with_regions(whole)
st.title("Measures", anchor=False)
st.segmented_control(
    "Measure", list(choices.MEASURES), required=True, label_visibility="collapsed",
    format_func=choices.MEASURES.__getitem__, **choices.bind("measure"),
)  # fmt: skip


@page_shell.fragment
def at_one_iou() -> None:
    object_view.show_one_iou(compared)
    page_shell.show_recipe(objects.objects_recipe(compared))
    st.subheader("Ranked pairs", anchor=False)
    ranked_pairs.show_ranked_pairs(compared)


def show_objects() -> None:
    object_view.show_headlines_of_objects(compared)
    at_one_iou()


@page_shell.fragment
def show_centroids() -> None:
    centroid_match.show_centroids(compared)
    page_shell.show_recipe(centroid_match.centroids_recipe(compared))


{
    "objects": show_objects,
    "families": lambda: families.show_families(whole),
    "soft": lambda: soft_scores.show_soft_scores(compared),
    "calibration": lambda: calibration.show_calibration(whole),
    "centroids": show_centroids,
}[choices.current().measure]()
