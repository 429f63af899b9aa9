"""The pages of the app and the way between them; what all share: style, columns, messages instead of tracebacks.

With `streamlit run app.py` on a fresh server, a first visit by deep link runs a page script without app.py;
`start` then installs the navigation and runs again. `layoutcm app` runs another script and does not need it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

import streamlit as st
from PIL import Image, ImageDraw
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, NotCounted
from layoutcm.layouts.findings import SEVERE, severe_of
from layoutcm.layouts.model import Finding
from layoutcm.ui.screen_text import as_typed, error_text, finding_text
from layoutcm.ui.server import settings
from layoutcm.ui.server.settings import app_folder
from layoutcm.ui.state import address, choices, session
from layoutcm.ui.state.choices import texts_of
from layoutcm.ui.state.chosen import Chosen, read_chosen

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
# Addresses without a page of their own (the start page by its name, pages of earlier versions) -> page, parameters.
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
SEVERE_ICON = ":material/error:"
# {severity: how a finding is shown}
SHOWN: dict[str, Callable[[str], DeltaGenerator]] = {
    "error": partial(st.error, icon=SEVERE_ICON),
    "warning": st.warning,
    "info": st.info,
}
LABELS_BESIDE = 31  # Background included; a matrix with more labels takes the whole width


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
    """Mark that the dashboard is running, for `start`."""
    st.session_state["routed"] = True
    st.session_state["arriving"] = False
    try:
        yield
    finally:
        st.session_state["routed"] = False


def start() -> Chosen:
    """First line of every page: what is chosen. Makes sure that the dashboard runs the page."""
    if not st.session_state.get("routed") and not st.session_state.get("arriving"):
        st.session_state["arriving"] = True
        install_pages()
        st.rerun()
    return read_chosen()


def go_to(name: str) -> None:
    """Show another page. Use it as a button's callback: then the current page is not run again first."""
    st.switch_page(_script(name), query_params=address.link_parameters())


def choose_cell(gt_label: str, pred_label: str) -> None:
    """Choose a cell of the matrix; the 2x2 view, which has no labels, is left."""
    grouping = "" if choices.current().grouping == "2x2" else choices.current().grouping
    choices.put(gt_label=gt_label, pred_label=pred_label, grouping=grouping)


def open_page(page: str, mask: str = "") -> None:
    choices.put(page=page, mask=mask)
    go_to("page")


def compare_predictions(chosen: Chosen, place: DeltaGenerator) -> tuple[dict[int, Comparison], dict[int, InputError]]:
    """{position: comparison} of the predictions, and why others cannot be compared.

    A progress bar is shown in `place`, unless they were compared before.
    """
    names, compared, problems = chosen.names, dict[int, Comparison](), dict[int, InputError]()
    keys = list(map(chosen.key, range(len(names))))
    is_new = len(names) > 1 and st.session_state.get("compared_all") != keys
    for position, name in enumerate(names):
        if is_new:
            place.progress(position / len(names), f"Comparing {as_typed(name)}, {position + 1} of {len(names)} …")
            time.sleep(0.05)  # lets Streamlit send the bar to the browser
        found = chosen.compare_or_error(position)
        if isinstance(found, InputError):
            problems[position] = found
        else:
            compared[position] = found
    st.session_state["compared_all"] = keys
    return compared, problems


def columns(*widths: int, key: str = "", labels: int = 0) -> list[DeltaGenerator]:
    """Columns that become rows on a narrow screen, or if a matrix with this many labels needs the whole width."""
    if labels > LABELS_BESIDE:
        return [st.container() for _ in widths]
    return st.container(key=f"beside{key}").columns(widths, gap="medium")


def control_row() -> DeltaGenerator:
    """Controls in one row, which wraps if it is too long."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def guard(work: Callable[[], None]) -> None:
    """Run a part of the app; show an error as a message, and let the other parts run."""
    try:
        work()
    except NotCounted as error:
        st.info(error_text(error))
    except InputError as error:
        st.error(error_text(error))
    except Exception as error:
        logging.getLogger("layoutcm").exception("a page failed")
        st.error(as_typed(f"This page could not be shown ({type(error).__name__}). The server's log says where."))


def show_part(chosen: Chosen, work: Callable[[Chosen], None]) -> None:
    """Draw a part of a page whose widgets run only this part again, not the whole page; it updates the link, too."""

    @st.fragment
    def run() -> None:
        now = chosen if chosen.now is choices.current() else read_chosen()
        if now.pages_shown != chosen.pages_shown:
            st.rerun()  # a click in this part changed what the whole page shows
        guard(lambda: work(now))
        end_run()

    run()


def end_page() -> NoReturn:
    """End the script of a page early. `st.stop` would end the whole run, without its dialog and its address."""
    raise StopException


def end_run() -> None:
    """At the end of a run, or of a part of it: write the link; give memory back, if a result has read large columns."""
    address.write_link()
    files = session.loaded_files()
    if files is not None and files.is_result:
        settings.trim_memory()


def start_with_comparison() -> Chosen:
    """What is chosen, as `start`; if nothing can be compared, show what to do and stop the page."""
    chosen = start()
    if not isinstance(chosen.comparison, Comparison):
        _show_nothing(chosen.comparison)
    return chosen


def start_with_files() -> Chosen:
    """What is chosen, as `start`; without files, show what to do and stop the page."""
    chosen = start()
    if chosen.loaded is None:
        _show_nothing(None)
    return chosen


def _show_nothing(problem: InputError | None) -> NoReturn:
    """Say why there is nothing to show, and stop the page."""
    if problem:
        st.error(error_text(problem))
        if st.button("Choose other files"):
            go_to("data")
    else:
        st.info(f"Nothing to show yet: load a ground truth and a prediction, or the sample. {_of_lost_files()}".strip())
        left, right, _ = st.columns([1, 1, 4])
        if left.button("Load files", type="primary"):
            go_to("data")
        if right.button("Try the sample"):
            session.open_named("sample")
            st.rerun()
    end_page()


def _of_lost_files() -> str:
    """The message for a link whose files were dropped into another tab, or before a reload."""
    if not texts_of(choices.current()) or choices.current().load:
        return ""
    return (
        "This link belongs to files that were dropped into another tab, or before a reload, and are not held any more. "
        "Drop them again: the choices of the link stay."
    )


def show_recipe(text: str) -> None:
    st.caption(as_typed(text))


def show_findings(found: tuple[Finding, ...]) -> None:
    for finding in found:
        SHOWN[finding.severity](finding_text(finding))


def show_severe(compared: Mapping[str, Comparison]) -> None:
    """A red line for each prediction, {name: comparison}, whose numbers say nothing about a model as they stand."""
    for name, one in compared.items():
        texts = [finding_text(finding) for finding in severe_of(one.findings)]
        if texts:
            st.error("  \n".join([f"**{as_typed(name)}: {SEVERE}.**", *texts]), icon=SEVERE_ICON)
