"""Ground truth: regions of it that are probably wrong, decisions about them, and how far layouts agree."""

import streamlit as st

from layoutcm.ui.ground_truth import all_comparisons, candidates
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import choices, session

page_shell.ensure_routed()
if session.loaded_files() is None:
    page_shell.need_comparison()
st.title("Ground truth", anchor=False)
all_comparisons.show_truth_choice()
measured, every = session.words().measured, all_comparisons.all_comparisons()
used = {"scores": all_comparisons.usable, "agreement": lambda every: every}[measured](every)
all_comparisons.show_left_out(used)
if not every.compared:
    st.stop()


@page_shell.fragment
def review() -> None:
    found = all_comparisons.find_errors(used)
    shown = candidates.shown_candidates(used, found)
    if shown is None:
        st.info("No candidate has these kinds and labels.")
    else:
        candidates.show_buttons(shown)
        left, right = page_shell.columns(2, 3, key="_candidates")
        with left:
            candidates.show_candidate(used, shown.keys[shown.chosen], shown.record)
        with right:
            candidates.show_table(used, found, shown)
    candidates.show_downloads(found)


def probable_errors() -> None:
    if not used.compared or not all_comparisons.are_errors_ready(used):
        return
    found = all_comparisons.find_errors(used)
    candidates.show_sentence(found)
    if len(used.compared) == 1:
        st.info(all_comparisons.ONE_PREDICTION)
    if not found.table.empty:
        candidates.show_filters(used)
        review()


page_shell.guard({"scores": probable_errors, "agreement": lambda: all_comparisons.show_without_truth(used)}[measured])
st.subheader("Agreement", anchor=False)
page_shell.guard(lambda: all_comparisons.show_agreement(every))
page_shell.show_recipe(every.comparisons[0].recipe_for(choices.current().method))
