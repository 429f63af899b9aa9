"""Page viewer: one page with both layouts, its masks, its numbers."""

import streamlit as st

from layoutcm.ui import choices, page_shell, router
from layoutcm.ui.parts import page_viewer

router.ensure_routed()
compared = page_shell.need_comparison()
if not compared.pages:
    st.info("There are no pages to look at.")
    st.stop()
page = page_viewer.choose_page(compared)
left, right = page_shell.columns(3, 2)
with left:
    page_viewer.show_overlay(compared, page)
with right:
    page_shell.guard(lambda: page_viewer.show_label_set_map(compared, page))
page_viewer.show_numbers(compared, page)
page_shell.show_recipe(compared.recipe_for(choices.current().method, page=page))
