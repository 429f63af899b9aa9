"""Page: one page with both layouts, its masks, its numbers."""

import streamlit as st

from layoutcm.ui.page import page_viewer
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import choices

page_shell.ensure_routed()
compared = page_shell.need_comparison()
if not compared.pages:
    st.info("There are no pages to look at.")
    st.stop()
page = page_viewer.choose_page(compared)
page_shell.fragment(lambda: page_viewer.show_viewer(compared, page))()
page_viewer.show_filmstrip(compared, page)
page_viewer.show_numbers(compared, page)
page_shell.show_recipe(compared.recipe_for(choices.current().method, page=page))
