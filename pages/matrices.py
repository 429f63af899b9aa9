"""Matrices: what is confused with what, and the pages behind a cell."""

import streamlit as st

from layoutcm.ui import router, sidebar, state
from layoutcm.ui.parts import cell, panels, sentences

router.arrive()
compared = panels.need_comparison()
confusion = state.confusion(compared)
st.title("Matrices", anchor=False)


@panels.by_itself
def views() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = panels.VIEW_NAMES
        st.segmented_control("View", list(names), required=True, format_func=names.get, **state.bound("view"))
        sidebar.choose("order", "Order", state.CHOICES["order"], width=160)
        st.toggle("Log", help="Colours of mistakes on a log scale", **state.bound("log"))
        st.toggle("Unused", help="Show labels that nobody uses", **state.bound("empty"))
        panels.take_matrix(confusion, state.get("view"))
    if state.get("view") == "collapsed":
        st.caption(f"Background against everything else, of {panels.typed(panels.scope(compared))}.")
        panels.collapsed(confusion)
        panels.table(
            sentences.collapsed_table(confusion.collapse()), sentences.COLLAPSED_COLUMNS, key="collapsed_table"
        )
    else:
        shown = panels.shown(confusion)
        wide = panels.width_of(shown)
        left, right = panels.beside(3, 2, labels=wide)
        with right:
            later = cell.panel(compared, confusion, across=4 if wide > panels.LABELS_BESIDE else 2)
        with left:
            panels.matrix(compared, shown, state.get("view"), key=f"matrix_{state.get('view')}")
            scope = panels.typed(panels.scope(compared))
            st.caption(f"Rows are gt, columns are pred, of {scope}. A dot is n/a, a blank is zero.")
        later()


views()
panels.recipe(confusion.recipe)
