"""Page: one page with both layouts, its masks, its numbers."""

from functools import partial

import streamlit as st

from layoutcm.ui.page import page_viewer
from layoutcm.ui.shared import page_shell

chosen = page_shell.start_with_comparison()
if not chosen.compared.pages:
    st.info("There are no pages to look at.")
    page_shell.end_page()
page = page_viewer.choose_page(chosen)
page_shell.show_part(chosen, partial(page_viewer.show_viewer, page))
page_viewer.show_filmstrip(chosen, page)
page_viewer.show_numbers(chosen, page)
page_shell.show_recipe(chosen.compared.recipe_for(chosen.now.method, page=page))
