"""Errors: what is confused with what, and where: the matrix, the pages behind a cell, classes, pages, documents."""

from functools import partial

import streamlit as st

from layoutcm.ui import page_shell, sides
from layoutcm.ui.parts import class_scores, errors, top_bar
from layoutcm.ui.screen_text import error_text

page_shell.ensure_routed()
compared = page_shell.need_comparison()
shown = sides.chosen_sides(compared)
st.title(shown.words.errors, anchor=False)
if shown.problem:
    st.warning(f"The two predictions cannot be compared. {error_text(shown.problem)}")
top_bar.show_facets(compared, shown)
if errors.show_nothing_chosen(shown):
    st.stop()
if shown.is_pair:
    page_shell.guard(partial(class_scores.show_pair, shown))
page_shell.fragment(partial(errors.show_views, shown))()
confusion = shown.own.confusion()
page_shell.show_recipe(confusion.recipe)
for show in errors.BELOW_MATRIX[shown.words.measured]:
    page_shell.guard(partial(show, shown))
page_shell.fragment(partial(errors.show_list, shown))()
errors.show_reminder(compared.findings)
