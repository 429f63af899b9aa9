"""Objects: boxes instead of pixels. AP, the results and the pairs at one IoU, centroids, soft scores."""

import streamlit as st

from layoutcm.ui import page_shell, router
from layoutcm.ui.parts import centroid_match, objects, ranked_pairs, soft_scores

router.ensure_routed()
compared = page_shell.need_comparison()
st.title("Objects", anchor=False)
objects.show_coco_summary(compared)


@page_shell.fragment
def at_one_iou() -> None:
    objects.show_one_iou(compared)
    page_shell.show_recipe(objects.objects_recipe(compared))
    st.subheader("Ranked pairs", anchor=False)
    ranked_pairs.show_ranked_pairs(compared)


@page_shell.fragment
def centroids() -> None:
    centroid_match.show_centroids(compared)
    page_shell.show_recipe(centroid_match.centroids_recipe(compared))


at_one_iou()
st.subheader("Matched centroids", anchor=False)
centroids()
st.subheader("Soft scores", anchor=False)
soft_scores.show_soft_scores(compared)
objects.remember_shown(compared)
