"""Matrices: what is confused with what, and the pages behind a cell."""

import streamlit as st

from layoutcm.ui import choices, page_frame, router, screen_text, selection, session, sidebar
from layoutcm.ui.parts import cell, data_tables, matrix_panel, sentences

router.arrive()
compared = page_frame.need_comparison()
confusion = session.confusion(compared)
st.title("Matrices", anchor=False)


@page_frame.by_itself
def views() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = matrix_panel.VIEW_NAMES
        st.segmented_control("View", list(names), required=True, format_func=names.get, **choices.bound("view"))
        sidebar.choose("order", "Order", choices.CHOICES["order"], width=160)
        st.toggle("Log", help="Colours of mistakes on a log scale", **choices.bound("log"))
        st.toggle("Unused", help="Show labels that nobody uses", **choices.bound("empty"))
        matrix_panel.take_matrix(confusion, choices.get("view"))
    if choices.get("view") == "collapsed":
        st.caption(f"Background against everything else, of {screen_text.typed(selection.scope(compared))}.")
        matrix_panel.collapsed(confusion)
        data_tables.table(
            sentences.collapsed_table(confusion.collapse()), sentences.COLLAPSED_COLUMNS, key="collapsed_table"
        )
    else:
        shown = selection.shown(confusion)
        wide = matrix_panel.width_of(shown)
        left, right = page_frame.beside(3, 2, labels=wide)
        with right:
            later = cell.panel(compared, confusion, across=4 if wide > page_frame.LABELS_BESIDE else 2)
        with left:
            matrix_panel.matrix(compared, shown, choices.get("view"), key=f"matrix_{choices.get('view')}")
            scope = screen_text.typed(selection.scope(compared))
            st.caption(f"Rows are gt, columns are pred, of {scope}. A dot is n/a, a blank is zero.")
        later()


views()
page_frame.recipe(confusion.recipe)
