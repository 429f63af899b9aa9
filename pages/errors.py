"""Errors: what is confused with what, and where: the matrix, the pages behind a cell, classes, pages, documents."""

import streamlit as st

from layoutcm.tables.matrix_views import COLLAPSED, VIEW_BUTTONS
from layoutcm.ui import choices, page_shell, router, screen_text, selection, session, sidebar
from layoutcm.ui.parts import cell, data_tables, error_tables, label_panel, matrix_panel, sentences, two_models

router.ensure_routed()
compared = page_shell.need_comparison()
confusion = session.chosen_confusion(compared)
st.title("Errors", anchor=False)


@page_shell.fragment
def views() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        show = VIEW_BUTTONS.__getitem__
        st.segmented_control("View", list(VIEW_BUTTONS), required=True, format_func=show, **choices.bind("view"))
        sidebar.show_choice("order", "Order", choices.CHOICES["order"], width=160)
        st.toggle("Log", help="Colours of mistakes on a log scale", **choices.bind("log"))
        st.toggle("Unused", help="Show labels that neither side uses", **choices.bind("empty"))
        matrix_panel.download_matrix(confusion, choices.current().view)
    if choices.current().view == COLLAPSED:
        st.caption(f"Background against everything else, of {screen_text.as_typed(selection.scope_text(compared))}.")
        matrix_panel.show_collapsed(confusion)
        data_tables.show_table(
            sentences.collapsed_on_screen(confusion.collapse()), sentences.COLLAPSED_COLUMNS, key="collapsed_table"
        )
    else:
        two_models.show_choice_of_other()
        has_other = two_models.chosen_other() is not None
        width = two_models.columns_on_screen(confusion)
        left, right = page_shell.columns(3, 2, labels=width)
        with right:
            draw_slow_parts = cell.show_cell(compared, confusion, across=4 if width > page_shell.LABELS_BESIDE else 2)
            if selection.chosen_cell(compared) is None:
                label_panel.show_label(confusion)
        with left:
            view = choices.current().view
            if has_other:
                two_models.show_two_matrices(compared, view, key=f"matrices_{view}")
            else:
                matrix_panel.show_matrix(compared, confusion, view, key=f"matrix_{view}", headers=True)
            scope = screen_text.as_typed(selection.scope_text(compared))
            st.caption(f"Rows are the ground truth, columns the prediction, of {scope}. A dot is n/a, a blank is zero.")
        draw_slow_parts()


views()
page_shell.show_recipe(confusion.recipe)
error_tables.show_largest(confusion)
page_shell.guard(lambda: error_tables.show_classes(compared, confusion))
page_shell.guard(lambda: error_tables.show_taken_for(confusion))
page_shell.guard(lambda: error_tables.show_pages_and_documents(compared))
page_shell.guard(lambda: error_tables.show_figures(compared, confusion))
