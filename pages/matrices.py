"""Matrices: what is confused with what, and the pages behind a cell."""

import streamlit as st

from layoutcm.ui import choices, router, session, sidebar
from layoutcm.ui.parts import cell, panels, sentences

router.arrive()
compared = panels.need_comparison()
confusion = session.confusion(compared)
st.title("Matrices", anchor=False)


@panels.by_itself
def views() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = panels.VIEW_NAMES
        st.segmented_control("View", list(names), required=True, format_func=names.get, **choices.bound("view"))
        sidebar.choose("order", "Order", choices.CHOICES["order"], width=160)
        st.toggle("Log", help="Colours of mistakes on a log scale", **choices.bound("log"))
        st.toggle("Unused", help="Show labels that nobody uses", **choices.bound("empty"))
        panels.take_matrix(confusion, choices.get("view"))
    if choices.get("view") == "collapsed":
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
            panels.matrix(compared, shown, choices.get("view"), key=f"matrix_{choices.get('view')}")
            scope = panels.typed(panels.scope(compared))
            st.caption(f"Rows are gt, columns are pred, of {scope}. A dot is n/a, a blank is zero.")
        later()


views()
panels.recipe(confusion.recipe)
