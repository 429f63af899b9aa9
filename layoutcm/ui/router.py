"""The pages of the app, the navigation between them, and visits that start at any of them.

On a fresh server, a first visit by deep link runs a page script without app.py; `ensure_routed` then installs the
navigation and runs again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from PIL import Image, ImageDraw
from streamlit.navigation.page import StreamlitPage

# file in pages/ -> title, icon; the file name is also the address
PAGES = {
    "compare": ("Compare", ":material/upload_file:"),
    "models": ("Models", ":material/leaderboard:"),
    "overview": ("Overview", ":material/dashboard:"),
    "matrices": ("Matrices", ":material/grid_on:"),
    "classes": ("Classes", ":material/label:"),
    "documents": ("Pages and documents", ":material/description:"),
    "viewer": ("Page viewer", ":material/pageview:"),
    "ground_truth": ("Ground truth", ":material/fact_check:"),
    "families": ("Families", ":material/account_tree:"),
    "objects": ("Objects", ":material/category:"),
    "report": ("Report", ":material/download:"),
    "method": ("Method", ":material/school:"),
}

START = "compare"


def draw_icon() -> Image.Image:
    """The icon of the browser tab, drawn here: a named icon would be downloaded from another server."""
    picture = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    for row in range(3):
        for column in range(3):
            x, y = 1 + 10 * column, 1 + 10 * row
            draw.rounded_rectangle((x, y, x + 8, y + 8), 2, fill="#2a6f97" if row == column else "#e9c58a")
    return picture


def install_pages() -> StreamlitPage:
    """Install the pages. The tab icon is set first: without it, the browser would download the icon of the page."""
    st.set_page_config(page_title="layoutcm", page_icon=draw_icon(), layout="wide")
    start, *others = (
        st.Page(f"pages/{name}.py", title=title, icon=symbol, url_path=name if name != START else "start",
                default=name == START)
        for name, (title, symbol) in PAGES.items()
    )  # fmt: skip
    # The address of the first page is "/". A hidden second entry makes "/compare" work too.
    named_start = st.Page(f"pages/{START}.py", title=PAGES[START][0], url_path=START, visibility="hidden")
    page = st.navigation([start, *others, named_start])
    if page.url_path == START:
        st.switch_page(start, query_params=dict(st.query_params))
    return page


@contextmanager
def routing() -> Iterator[None]:
    """Mark that app.py is running, for `ensure_routed`."""
    st.session_state["routed"] = True
    st.session_state["arriving"] = False
    try:
        yield
    finally:
        st.session_state["routed"] = False


def ensure_routed() -> None:
    """First line of every page: make sure that app.py runs the page."""
    if not st.session_state.get("routed") and not st.session_state.get("arriving"):
        st.session_state["arriving"] = True
        install_pages()
        st.rerun()


def go_to(name: str) -> None:
    """Show another page. Use it as a button's callback: then the current page is not run again first."""
    from layoutcm.ui.link import link_parameters

    st.switch_page(f"pages/{name}.py", query_params=link_parameters())
