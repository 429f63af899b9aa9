"""Page viewer: the page with both layouts, its masks and words, its own numbers."""

import streamlit as st

from layoutcm.ui import panels, router, state, viewing

router.arrive()
compared = panels.need_comparison()
if not compared.pages:
    st.info("There are no pages to look at.")
    st.stop()
page = viewing.choose_page(compared)
left, right = panels.beside(3, 2)
with left:
    viewing.overlay(compared, page)
with right:
    viewing.masks(compared, page)
viewing.numbers(compared, page)
panels.recipe(compared.recipe_for(state.get("method"), page=page))
