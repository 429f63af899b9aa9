"""The pages of the app, the navigation between them, and visits that start at any of them.

With `streamlit run app.py` on a fresh server, a first visit by deep link runs a page script without app.py;
`ensure_routed` then installs the navigation and runs again. `layoutcm app` runs another script and does not need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from PIL import Image, ImageDraw
from streamlit.navigation.page import StreamlitPage

from layoutcm.ui.settings import app_folder

# file in pages/ -> title, icon; the file name is also the address
PAGES = {
    "data": ("Data", ":material/upload_file:"),
    "models": ("Models", ":material/leaderboard:"),
    "errors": ("Errors", ":material/grid_on:"),
    "page": ("Page", ":material/pageview:"),
    "ground_truth": ("Ground truth", ":material/fact_check:"),
    "measures": ("Measures", ":material/straighten:"),
    "method": ("Method", ":material/school:"),
}
START = "data"
# Addresses that are no pages: of the start page by its name, and of earlier versions -> page, further parameters.
OTHER_ADDRESSES: dict[str, tuple[str, dict[str, str]]] = {
    START: (START, {}),
    "compare": (START, {}),
    "overview": ("errors", {}),
    "matrices": ("errors", {}),
    "classes": ("errors", {}),
    "documents": ("errors", {}),
    "viewer": ("page", {}),
    "families": ("measures", {"measure": "families"}),
    "objects": ("measures", {}),
    "report": (START, {}),
}


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
    # The address of the start page is "/"; "/data" is one of the other addresses.
    pages = [
        st.Page(_script(name), title=title, icon=symbol, url_path=name if name != START else "start",
                default=name == START)
        for name, (title, symbol) in PAGES.items()
    ]  # fmt: skip
    hidden = [st.Page(lambda: None, title=name, url_path=name, visibility="hidden") for name in OTHER_ADDRESSES]
    page = st.navigation([*pages, *hidden])
    if page.url_path in OTHER_ADDRESSES:
        name, more = OTHER_ADDRESSES[page.url_path]
        st.switch_page(_script(name), query_params={**st.query_params, **more})
    return page


def _script(name: str) -> Path:
    """The script of a page, by its path: the script that the server runs may be in another folder."""
    return app_folder() / "pages" / f"{name}.py"


@contextmanager
def routing() -> Iterator[None]:
    """Mark that the dashboard is running, for `ensure_routed`."""
    st.session_state["routed"] = True
    st.session_state["arriving"] = False
    try:
        yield
    finally:
        st.session_state["routed"] = False


def ensure_routed() -> None:
    """First line of every page: make sure that the dashboard runs the page."""
    if not st.session_state.get("routed") and not st.session_state.get("arriving"):
        st.session_state["arriving"] = True
        install_pages()
        st.rerun()


def go_to(name: str) -> None:
    """Show another page. Use it as a button's callback: then the current page is not run again first."""
    from layoutcm.ui.link import link_parameters

    st.switch_page(_script(name), query_params=link_parameters())
