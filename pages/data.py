"""Data, the start page: drop files, see what each one is, apply repairs, confirm a mapping, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import screen_text
from layoutcm.ui.data import card_reviews, drop_zone, file_cards, label_mapping
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import card_state, session
from layoutcm.ui.state.chosen import read_chosen

page_shell.start()
st.title("Data", anchor=False)
problem = session.take_load_problem()
if problem:
    card_state.take_new_load()  # it is to be read before the app goes on
    st.error(screen_text.as_typed(problem))
page_shell.guard(drop_zone.show_drop_zone)
chosen = read_chosen()  # after dropped files were loaded
drop_zone.show_buttons(chosen)
drop_zone.show_data_folder(chosen)


def show_files() -> None:
    """The cards below a line on what is missing or to decide; then what belongs to all files."""
    state = st.container()
    with st.spinner("Checking the files …"):
        reviews = card_reviews.review_cards(chosen, card_state.cards())
        with state:
            drop_zone.show_state(chosen, reviews)
    if chosen.loaded is not None:
        for position, labels in list(drop_zone.suggestions(chosen).items())[:1]:
            label_mapping.show_suggestion(chosen, position, labels)
    file_cards.show_cards(chosen, reviews, folded=chosen.loaded is not None)
    drop_zone.ask_sizes(chosen, reviews)
    drop_zone.show_truth(chosen)
    compared = chosen.comparison
    if isinstance(compared, Comparison):
        file_cards.show_matched_names(chosen)
        with st.expander("How pages and labels were matched", expanded=label_mapping.are_unmatched(chosen, compared)):
            page_shell.guard(lambda: label_mapping.show_page_pairs(chosen, compared))
            label_mapping.show_taxonomy(chosen, compared)


if chosen.shows_result:
    page_shell.guard(lambda: file_cards.show_results(chosen))
    file_cards.show_cards(chosen, card_reviews.review_cards(chosen, card_state.cards()), folded=True)
elif card_state.cards():
    page_shell.guard(show_files)
else:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
    st.caption("Nothing leaves this machine.")
drop_zone.show_formats()
