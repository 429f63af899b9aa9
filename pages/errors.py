"""Errors: what is confused with what, and where: the matrix, the pages behind a cell, classes, pages, documents."""

from functools import partial

import streamlit as st

from layoutcm.ui.errors import class_scores, errors
from layoutcm.ui.screen_text import error_text
from layoutcm.ui.shared import page_shell, top_bar
from layoutcm.ui.state import panes

page_shell.ensure_routed()
compared = page_shell.need_comparison()
shown = panes.chosen_panes(compared)
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
