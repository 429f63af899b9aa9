"""The pages of the app and how a visit starts, also when it starts in the middle.

A first visit by deep link to a fresh server runs a page script without app.py; the page then calls `arrive`, which
installs the navigation and starts over.
"""

from __future__ import annotations

import streamlit as st
from PIL import Image, ImageDraw
from streamlit.navigation.page import StreamlitPage

# file in pages/ -> title, icon; the file's name is the address
PAGES = {
    "compare": ("Compare", ":material/upload_file:"),
    "overview": ("Overview", ":material/dashboard:"),
    "matrices": ("Matrices", ":material/grid_on:"),
    "classes": ("Classes", ":material/label:"),
    "documents": ("Pages and documents", ":material/description:"),
    "viewer": ("Page viewer", ":material/pageview:"),
    "method": ("Method", ":material/school:"),
}


def icon() -> Image.Image:
    """The picture on the browser's tab, drawn here: a named icon would be fetched from a server elsewhere."""
    picture = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    for row in range(3):
        for column in range(3):
            x, y = 1 + 10 * column, 1 + 10 * row
            draw.rounded_rectangle((x, y, x + 8, y + 8), 2, fill="#2a6f97" if row == column else "#e9c58a")
    return picture


def navigation() -> StreamlitPage:
    """Install the pages. The tab's picture comes first: without one, the browser would fetch the page's icon for it."""
    st.set_page_config(page_title="layoutcm", page_icon=icon(), layout="wide")
    pages = [
        st.Page(f"pages/{name}.py", title=title, icon=icon, url_path=name, default=name == "compare")
        for name, (title, icon) in PAGES.items()
    ]
    return st.navigation(pages)


def arrive() -> None:
    """First line of every page: make sure that app.py has run in this session."""
    if not st.session_state.get("routed"):
        st.session_state["routed"] = True
        navigation()
        st.rerun()


def go(name: str) -> None:
    from layoutcm.ui.state import link_parameters

    st.switch_page(f"pages/{name}.py", query_params=link_parameters())
