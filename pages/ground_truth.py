"""Ground truth: regions of it that are probably wrong, decisions about them, and how far layouts agree."""

import streamlit as st

from layoutcm.ui import choices, page_shell, router, session
from layoutcm.ui.parts import agreement, candidate_files, candidate_view, candidates, evidence

router.ensure_routed()
if session.loaded_files() is None:
    page_shell.need_comparison()
st.title("Ground truth", anchor=False)
agreement.show_truth_choice()
has_truth = choices.current().truth
every = evidence.all_comparisons(has_truth)
used = evidence.usable(every) if has_truth else every
evidence.show_left_out(used)
if not every.compared:
    st.stop()


@page_shell.fragment
def review() -> None:
    found = evidence.find_errors(used)
    shown = candidates.shown_candidates(used, found)
    if shown is None:
        st.info("No candidate has these kinds and labels.")
    else:
        candidates.show_buttons(shown)
        left, right = page_shell.columns(2, 3, key="_candidates")
        with left:
            candidate_view.show_candidate(used, shown.keys[shown.chosen], shown.record)
        with right:
            candidates.show_table(used, found, shown)
    candidate_files.show_downloads(found)


def probable_errors() -> None:
    if not evidence.are_errors_ready(used):
        return
    found = evidence.find_errors(used)
    candidates.show_sentence(found)
    if len(used.compared) == 1:
        st.info(evidence.ONE_PREDICTION)
    if not found.table.empty:
        candidates.show_filters(used)
        review()


if has_truth and used.compared:
    page_shell.guard(probable_errors)
if not has_truth:
    page_shell.guard(lambda: agreement.show_without_truth(used))
st.subheader("Agreement", anchor=False)
page_shell.guard(lambda: agreement.show_agreement(every))
page_shell.show_recipe(every.comparisons[0].recipe_for(choices.current().method))
