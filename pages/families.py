"""Families: how serious a confusion is, inside a family of labels or out of it."""

import streamlit as st

from layoutcm.layouts.model import SIDES
from layoutcm.ui import choices, page_frame, router, selection
from layoutcm.ui.parts import families

router.arrive()
compared = page_frame.need_comparison()
st.title("Families", anchor=False)
tree = families.choose(compared)
if not tree.paths:
    st.info("No families yet: every label stands alone. Choose built-in ones, write your own above, or bring a file.")
booked = families.booked(compared, tree)
if tree.paths:
    page_frame.findings(booked.findings)
side = SIDES.index(choices.get("family_given"))
st.markdown(families.sentence(booked, side, selection.scope(compared)))
families.figures_on_top(booked, side)
families.labels(booked, side)
page_frame.recipe(booked.recipe)
st.subheader("Inside a family", anchor=False)
families.inside(booked, side)
st.subheader("The whole matrix in families", anchor=False)
coarse = families.whole_matrix(compared, tree)
st.caption("Counted anew from pixels: one that carries two labels of a family carries that family once.")
page_frame.recipe(coarse.recipe)
