"""Overview: how good the prediction is, in a sentence, in figures, in the matrix."""

import streamlit as st

from layoutcm.ui import choices, page_shell, router, selection, session
from layoutcm.ui.parts import findings, headlines, matrix_panel, sentences

router.ensure_routed()
compared = page_shell.need_comparison()
confusion = session.chosen_confusion(compared)
st.title("Overview", anchor=False)
add_slack = sentences.show_sentence(compared, confusion)
warnings = st.container()  # filled last, because the checks take longer
figures = st.container(horizontal=True, gap="small")
own = sentences.headline_figures(compared, confusion, choices.current().level)
places = headlines.draw_headlines(figures, own, headlines.PENDING if headlines.intervals_are_shown(compared) else None)
left, right = page_shell.columns(3, 2, labels=matrix_panel.columns_on_screen(confusion))
with left:
    st.subheader("Recall matrix", anchor=False)
    matrix_panel.show_matrix(compared, confusion, "recall", key="overview_matrix")
with right:
    st.subheader("Largest confusions" if confusion.diagonal else "Largest cells", anchor=False)
    for text, gt_label, pred_label in sentences.confusion_sentences(confusion, selection.chosen_labels(confusion)):
        key = f"confusion_{gt_label}_{pred_label}"
        st.button(text, key=key, width="stretch", on_click=selection.open_cell, args=(gt_label, pred_label))
    if selection.chosen_cell(compared):
        st.button("Pages behind the chosen cell", type="primary", on_click=selection.open_chosen_cell)
below = st.container()
page_shell.show_recipe(confusion.recipe)
# Last, because they may take a moment: intervals, then the figures of other views.
with below:
    if confusion.diagonal:
        st.subheader("Classes", anchor=False)
        intervals = headlines.show_class_bars(compared, confusion, key="overview_bars")
    else:
        intervals = headlines.intervals_or_button(compared)
        headlines.show_source(intervals)
headlines.add_intervals(places, own, intervals)
headlines.draw_headlines(figures, headlines.headlines_of_other_views(compared))
with warnings:
    findings.show_reminder(compared.findings)
add_slack()
