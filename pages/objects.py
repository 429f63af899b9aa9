"""Objects: boxes instead of pixels. AP, what is found at one IoU and as what, centres, soft scores."""

import streamlit as st

from layoutcm.ui import centroids, objects, panels, router, soft

router.arrive()
compared = panels.need_comparison()
st.title("Objects", anchor=False)
objects.summary(compared)


@panels.by_itself
def at_one_iou() -> None:
    objects.at_one_iou(compared)
    panels.recipe(objects.recipe(compared))


@panels.by_itself
def centres() -> None:
    centroids.show(compared)
    panels.recipe(centroids.recipe(compared))


at_one_iou()
st.subheader("Centres that meet", anchor=False)
centres()
st.subheader("Soft scores", anchor=False)
soft.show(compared)
objects.remember(compared)
