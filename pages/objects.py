"""Objects: boxes instead of pixels. AP, what is found at one IoU and as what, centres, soft scores."""

import streamlit as st

from layoutcm.ui import page_frame, router
from layoutcm.ui.parts import centroid_match, objects, soft_scores

router.arrive()
compared = page_frame.need_comparison()
st.title("Objects", anchor=False)
objects.summary(compared)


@page_frame.by_itself
def at_one_iou() -> None:
    objects.at_one_iou(compared)
    page_frame.recipe(objects.recipe(compared))


@page_frame.by_itself
def centres() -> None:
    centroid_match.show(compared)
    page_frame.recipe(centroid_match.recipe(compared))


at_one_iou()
st.subheader("Centres that meet", anchor=False)
centres()
st.subheader("Soft scores", anchor=False)
soft_scores.show(compared)
objects.remember(compared)
