"""Errors: what is confused with what, and where: the matrix, the pages behind a cell, classes, pages, documents."""

from functools import partial

import streamlit as st

from layoutcm.ui import page_shell, router, sides
from layoutcm.ui.parts import class_scores, errors, facets, findings, pair_table, sentences
from layoutcm.ui.screen_text import error_text

router.ensure_routed()
compared = page_shell.need_comparison()
shown = sides.chosen_sides(compared)
st.title("Errors" if compared.has_truth else "Where A and B differ", anchor=False)
if shown.problem:
    st.warning(f"The two predictions cannot be compared. {error_text(shown.problem)}")
facets.show_facets(compared, shown)
if errors.show_nothing_chosen(shown):
    st.stop()
if shown.is_pair:
    page_shell.guard(partial(pair_table.show_pair, shown))
page_shell.fragment(partial(errors.show_views, shown))()
confusion = shown.own.confusion()
page_shell.show_recipe(confusion.recipe)
if compared.has_truth:
    page_shell.guard(partial(sentences.show_sentence, shown.own))
if shown.is_pair and compared.has_truth:
    page_shell.guard(partial(pair_table.show_classes, shown))
else:
    page_shell.guard(partial(class_scores.show_classes, shown.own))
page_shell.fragment(partial(errors.show_list, shown))()
findings.show_reminder(compared.findings)
