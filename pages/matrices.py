"""Matrices: what is confused with what, and the pages behind a cell."""

import streamlit as st

from layoutcm.ui import bar, panels, router, state

router.arrive()
compared = panels.need_comparison()
confusion = state.confusion(compared)
st.title("Matrices", anchor=False)


@panels.by_itself
def views() -> None:
    view, order, log, empty = st.columns([5, 3, 2, 2], vertical_alignment="bottom")
    with view:
        names = panels.VIEW_NAMES
        st.segmented_control("View", list(names), required=True, format_func=names.get, **state.bound("view"))
    with order:
        bar.choose("order", "Order", state.CHOICES["order"])
    log.toggle("Log", help="Colours of mistakes on a log scale", **state.bound("log"))
    empty.toggle("Unused", help="Show labels that nobody uses", **state.bound("empty"))
    if state.get("view") == "collapsed":
        st.caption(f"Background against everything else, of {panels.typed(panels.scope(compared))}.")
        panels.collapsed(confusion)
    else:
        left, right = st.columns([3, 2], gap="medium")
        with right:
            panels.cell_panel(compared, confusion)
        with left:
            panels.matrix(compared, confusion, state.get("view"), key=f"matrix_{state.get('view')}")
            scope = panels.typed(panels.scope(compared))
            st.caption(f"Rows are gt, columns are pred, of {scope}. A dot is n/a, a blank is zero.")


views()
panels.recipe(compared.recipe_for(state.get("method")))
