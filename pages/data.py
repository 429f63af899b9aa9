"""Data, the start page: load files, see the first matrix, the files and the findings, apply repairs."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import page_shell, router, screen_text, session
from layoutcm.ui.parts import (
    findings,
    format_list,
    label_mapping,
    loading,
    matrix_panel,
    page_matches,
    saved_sessions,
    sentences,
)

router.ensure_routed()
st.title("Compare two layouts", anchor=False)
problem = session.take_load_problem()
if problem:
    st.error(screen_text.as_typed(problem))
if session.loaded_files() is None:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
buttons = st.container(horizontal=True)
if buttons.button("Try the sample", type="primary" if session.loaded_files() is None else "secondary"):
    session.open_named("sample")
    st.rerun()
if buttons.button("Start over", disabled=session.loaded_files() is None):
    loading.start_over()
saving = buttons.container(horizontal=True, vertical_alignment="center", width="content")
page_shell.guard(loading.show_uploads)
loading.show_data_folder()

files = session.loaded_files()
if files is not None:
    compared = session.current_comparison()
    st.divider()
    layouts = loading.describe_files(files)
    if isinstance(compared, Comparison):
        confusion = session.chosen_confusion(compared)
        with saving:
            saved_sessions.show_save_button()
        # Filled after the matrix is drawn, because they take longer.
        mapping, warnings = st.container(), st.container()
        left, right = page_shell.columns(3, 2, labels=matrix_panel.columns_on_screen(confusion))
        with left:
            st.subheader("Recall matrix", anchor=False)
            matrix_panel.show_matrix(compared, confusion, "recall", key="first_matrix")
            page_shell.show_recipe(confusion.recipe)
        with right:
            add_slack = sentences.show_sentence(compared, confusion)
            if len(files.preds) > 1:
                text, icon = "See which model is better", ":material/leaderboard:"
                st.button(text, type="primary", icon=icon, on_click=router.go_to, args=("models",))
            matrix_panel.show_next_steps(compared)
            findings.show_applied_repairs()
            with mapping:
                page_shell.guard(lambda: label_mapping.show_suggestion(compared))
            with st.spinner("Checking the files …"):
                found = compared.findings_by_side
            with warnings:
                findings.show_warnings(found)
            findings.show_notes(found)
            page_shell.guard(lambda: page_matches.show_page_pairs(compared))
            label_mapping.show_taxonomy(compared)
            loading.show_truth()
            add_slack()
    else:
        findings.show_applied_repairs()
        if layouts:
            st.error(screen_text.error_text(compared))
            found = {layout.name: layout.findings for layout in layouts}
            findings.show_warnings(found)
            findings.show_notes(found)
        loading.show_controls_on_failure(files)
else:
    st.caption("Nothing leaves this machine.")
    format_list.show_formats()
