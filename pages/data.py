"""Data, the start page: drop files, see what each one is, apply repairs, confirm a mapping, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import screen_text
from layoutcm.ui.data import card_reviews, file_cards, label_mapping, loading
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import card_state, session

page_shell.ensure_routed()
st.title("Data", anchor=False)
problem = session.take_load_problem()
if problem:
    card_state.take_new_load()  # it is to be read before the app goes on
    st.error(screen_text.as_typed(problem))
page_shell.guard(loading.show_drop_zone)
loading.show_buttons()
loading.show_data_folder()


def show_files() -> None:
    """The cards below a line on what is missing or to decide; then what belongs to all files."""
    state = st.container()
    with st.spinner("Checking the files …"):
        reviews = card_reviews.review_cards(card_state.cards())
        with state:
            loading.show_state(reviews)
    if session.loaded_files() is not None:
        for position, labels in list(loading.suggestions().items())[:1]:
            label_mapping.show_suggestion(position, labels)
    file_cards.show_cards(reviews, folded=session.loaded_files() is not None)
    loading.ask_sizes(reviews)
    loading.show_truth()
    compared = session.current_comparison()
    if isinstance(compared, Comparison):
        file_cards.show_matched_names()
        with st.expander("How pages and labels were matched", expanded=label_mapping.are_unmatched(compared)):
            page_shell.guard(lambda: label_mapping.show_page_pairs(compared))
            label_mapping.show_taxonomy(compared)


if session.shows_result():
    page_shell.guard(file_cards.show_results)
    file_cards.show_cards(card_reviews.review_cards(card_state.cards()), folded=True)
elif card_state.cards():
    page_shell.guard(show_files)
else:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
    st.caption("Nothing leaves this machine.")
loading.show_formats()
