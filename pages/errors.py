"""Errors: what is confused with what, and where: the matrix, the pages behind a cell, classes, pages, documents."""

from functools import partial

import streamlit as st

from layoutcm.ui.errors import class_scores, views
from layoutcm.ui.screen_text import error_text
from layoutcm.ui.shared import page_shell, top_bar
from layoutcm.ui.state import selection

chosen = page_shell.start_with_comparison()
shown = selection.chosen_panes(chosen)
st.title(shown.words.errors, anchor=False)
if shown.problem:
    st.warning(f"The two predictions cannot be compared. {error_text(shown.problem)}")
top_bar.show_facets(chosen, shown)
if views.show_nothing_chosen(shown):
    page_shell.end_page()
if shown.is_pair:
    page_shell.guard(partial(class_scores.show_pair, shown))
page_shell.show_part(chosen, partial(views.show_views, shown))
page_shell.show_recipe(shown.own.confusion().recipe)
for show in views.BELOW_MATRIX[shown.words.measured]:
    page_shell.guard(partial(show, chosen, shown))
page_shell.show_part(chosen, partial(views.show_list, shown))
views.show_reminder(chosen.compared.findings)
