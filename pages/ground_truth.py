"""Ground truth: regions of it that are probably wrong, decisions about them, and how far layouts agree."""

from functools import partial

import streamlit as st

from layoutcm.ui.ground_truth import all_comparisons, candidates
from layoutcm.ui.shared import page_shell

chosen = page_shell.start_with_files()
st.title("Ground truth", anchor=False)
all_comparisons.show_truth_choice(chosen)
measured, every = chosen.words.measured, all_comparisons.all_comparisons(chosen)
used = {"scores": all_comparisons.usable, "agreement": lambda every: every}[measured](every)
all_comparisons.show_left_out(used)
page_shell.show_severe({name: one for name, one in every.compared.items() if one is not chosen.comparison})
if not every.compared:
    page_shell.end_page()


def probable_errors() -> None:
    if not used.compared or not all_comparisons.are_errors_ready(used):
        return
    found = all_comparisons.find_errors(used)
    candidates.show_sentence(chosen, found)
    if len(used.compared) == 1:
        st.info(all_comparisons.ONE_PREDICTION)
    if not found.table.empty:
        candidates.show_filters(chosen, used)
        page_shell.show_part(chosen, partial(candidates.show_review, used, found))


def agreement() -> None:
    all_comparisons.show_without_truth(chosen, used)


page_shell.guard({"scores": probable_errors, "agreement": agreement}[measured])
st.subheader("Agreement", anchor=False)
page_shell.guard(lambda: all_comparisons.show_agreement(every))
page_shell.show_recipe(every.comparisons[0].recipe_for(chosen.now.method))
