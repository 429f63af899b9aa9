"""Families: how serious confusions are, inside a family of labels or out of it."""

import streamlit as st

from layoutcm.layouts.model import SIDES
from layoutcm.ui import choices, page_shell, router, selection
from layoutcm.ui.parts import families

router.ensure_routed()
compared = page_shell.need_comparison()
st.title("Families", anchor=False)
tree = families.choose_families(compared)
if not tree.paths:
    st.info("No families yet: every label is alone. Choose built-in ones, write your own above, or upload a file.")
counted = families.chosen_family_confusion(compared, tree)
if tree.paths:
    page_shell.show_findings(counted.findings)
side = SIDES.index(choices.current().family_given)
st.markdown(families.family_sentence(counted, side, selection.scope_text(compared)))
families.show_figures(counted, side)
families.show_labels(counted, side)
page_shell.show_recipe(counted.recipe)
st.subheader("Inside a family", anchor=False)
families.show_one_family(counted, side)
st.subheader("The whole matrix in families", anchor=False)
grouped = families.show_whole_matrix(compared, tree)
st.caption("Counted again from pixels: a pixel with two labels of one family has that family once.")
page_shell.show_recipe(grouped.recipe)
