"""Pieces that several pages share: empty states, messages, the matrix with its cell, tables, the recipe."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.charts import collapsed_figure
from layoutcm.comparison import Comparison
from layoutcm.confusion import Confusion
from layoutcm.errors import InputError
from layoutcm.figures import CONFIG, matrix_figure
from layoutcm.model import Finding
from layoutcm.page_images import PageImages
from layoutcm.tables import share
from layoutcm.ui import page_images, state
from layoutcm.ui.order import ordered
from layoutcm.ui.pictures import thumbnail
from layoutcm.ui.router import go

THUMBNAILS = 4
TABLE_ROWS = 20
VIEW_NAMES = {"recall": "Recall", "precision": "Precision", "f1": "F1", "pixels": "Pixels", "collapsed": "2x2"}


def typed(text: str) -> str:
    """Somebody's text inside Markdown, shown as typed."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@])", r"\\\1", text).replace("\n", " ")


def style() -> None:
    st.html(
        "<style>.block-container{padding:2.6rem 3rem 2rem 3rem}"
        # A button says all it has to say, if need be on two lines.
        "[data-testid=stMain] .stButton button *{white-space:normal;overflow:visible}"
        "h1{font-size:1.6rem!important;padding:0 0 .3rem 0!important}"
        "h2{font-size:1.2rem!important}h3{font-size:1.05rem!important}</style>"
    )


def guarded(work: Callable[[], None]) -> None:
    """Run a part of the app; whatever goes wrong becomes a message, and the rest goes on."""
    try:
        work()
    except InputError as error:
        st.error(typed(str(error)))
    except Exception as error:
        logging.getLogger("layoutcm").exception("a page failed")
        st.error(typed(f"This page could not be shown ({type(error).__name__}). The server's log says where."))


def need_comparison() -> Comparison:
    """The comparison, or an empty state that says what to do."""
    compared = state.comparison()
    if isinstance(compared, Comparison):
        return compared
    if isinstance(compared, InputError):
        st.error(typed(str(compared)))
        if st.button("Choose other files"):
            go("compare")
    else:
        st.info("Nothing to show yet: load a ground truth and a prediction, or the sample.")
        left, right, _ = st.columns([1, 1, 4])
        if left.button("Load files", type="primary"):
            go("compare")
        if right.button("Try the sample"):
            state.open_named("sample")
            st.rerun()
    st.stop()
    raise AssertionError("unreachable")


def recipe(text: str) -> None:
    st.caption(typed(text))


def findings(found: tuple[Finding, ...]) -> None:
    for finding in found:
        show = st.warning if finding.severity == "warning" else st.info
        show(typed(finding.message) + (f"  \n{typed(finding.fix)}" if finding.fix else ""))


def scope(compared: Comparison) -> str:
    """What the numbers on the page are of."""
    if state.get("level") == "document" and state.get("document") in compared.documents:
        return f"document {state.get('document')}"
    if state.get("level") == "page" and state.get("page") in compared.alignment.pages.index:
        return f"page {state.get('page')}"
    return "the whole set"


def matrix(compared: Comparison, confusion: Confusion, view: str, key: str) -> None:
    """The matrix; a click on a cell makes it the chosen one."""
    rows, columns = ordered(confusion, state.get("order"), state.get("empty"))
    figure = matrix_figure(
        confusion, view, rows=rows, columns=columns, theme=state.theme(), log=state.get("log"),
        selected=chosen_cell(compared),
    )  # fmt: skip

    def choose() -> None:
        # Before the page runs, so that one run answers a click. No cell: the chosen one was clicked again, and stays.
        cell = clicked(st.session_state.get(key))
        if cell:
            state.put(gt_label=confusion.labels[cell[0]], pred_label=confusion.labels[cell[1]])

    st.plotly_chart(figure, key=key, on_select=choose, selection_mode="points", config=CONFIG, theme=None)


def clicked(event: Any) -> tuple[int, int] | None:
    """The matrix positions of the clicked cell; Streamlit hands customdata over as a list or as a dict."""
    points = (event or {}).get("selection", {}).get("points", [])
    data = points[0].get("customdata") if points else None
    if isinstance(data, dict):
        data = [data[key] for key in sorted(data, key=int)]
    return (int(data[0]), int(data[1])) if data else None


def chosen_cell(compared: Comparison) -> tuple[int, int] | None:
    gt, pred = state.get("gt_label"), state.get("pred_label")
    if not gt or not pred:
        return None
    try:
        return compared.places(gt, pred)
    except InputError:
        return None


def collapsed(confusion: Confusion) -> None:
    columns = st.columns(4)
    for column, view in zip(columns, ("pixels", "recall", "precision", "f1")):
        column.caption(VIEW_NAMES[view])
        column.plotly_chart(
            collapsed_figure(confusion, view, state.theme()), key=f"collapsed_{view}", config=CONFIG, theme=None
        )


def cell_panel(compared: Comparison, confusion: Confusion) -> None:
    """What a chosen cell means, and the pages behind it, worst first, with exactly its pixels lit."""
    cell = chosen_cell(compared)
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    gt_label, pred_label = state.get("gt_label"), state.get("pred_label")
    verb = "found as" if cell[0] == cell[1] else "read as"
    st.subheader(typed(f"{gt_label} {verb} {pred_label}"), anchor=False)
    pages = compared.pages_behind(gt_label, pred_label, state.get("method"))
    if state.get("level") == "document":
        pages = pages[pages["document"] == state.get("document")].reset_index(drop=True)
    elif state.get("level") == "page":
        pages = pages[pages["page"] == state.get("page")].reset_index(drop=True)
    st.markdown(
        f"{share(float(confusion.recall[cell]))} of {typed(gt_label)}, {confusion.values[cell]:,.0f} px on "
        f"{len(pages):,} of {len(compared.pages):,} pages"
    )
    worst = pages.head(THUMBNAILS)
    places = [column for _ in range(0, len(worst), 2) for column in st.columns(2)]
    for place, page, pixels in zip(places, worst["page"].tolist(), worst["pixels"].tolist()):
        with place:
            _lit_page(compared, page, pixels, (gt_label, pred_label))
    if len(pages):
        with st.expander(f"All {len(pages):,} pages"):
            page_picker(pages, key="behind")


def _lit_page(compared: Comparison, page: str, pixels: float, cell: tuple[str, str]) -> None:
    picture = images().find(compared, compared.page_index(page))
    with st.spinner("Drawing …"):
        small = thumbnail(state.content_key(), compared, page, cell, state.get("method"), picture)
    st.image(small)
    st.markdown(f"{typed(page)}  \n{pixels:,.0f} px")
    if st.button("Open page", key=f"open_{page}"):
        open_page(page)


def table(rows: Any, columns: dict[str, Any], key: str) -> None:
    """A table to read, as high as its rows up to a limit."""
    height = 38 + 35 * min(len(rows), TABLE_ROWS)
    st.dataframe(rows, hide_index=True, column_config=columns, height=height, key=key)


def page_picker(table: Any, key: str, column: str = "page") -> None:
    """A table of pages (or documents); choosing a row opens it."""
    event = st.dataframe(
        table, key=key, hide_index=True, on_select="rerun", selection_mode="single-row", column_config=COLUMNS
    )
    rows = event["selection"]["rows"]
    if rows != st.session_state.get(f"{key}_seen", []):
        st.session_state[f"{key}_seen"] = rows
        if rows and column == "page":
            open_page(str(table["page"].iloc[rows[0]]))
        elif rows:
            state.put(level="document", document=str(table["document"].iloc[rows[0]]))
            st.rerun()


def _score(label: str) -> Any:
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, format="%.3f", width=110)


def plain_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="%.3f")


COLUMNS = {
    "pixels": st.column_config.NumberColumn("pixels", format="localized"),
    "gt_pixels": st.column_config.NumberColumn("gt pixels", format="localized"),
    "pred_pixels": st.column_config.NumberColumn("pred pixels", format="localized"),
    "share": st.column_config.NumberColumn("share of the cell", format="percent"),
    "f1": _score("F1 (macro)"),
    "micro_f1": _score("F1 (micro)"),
    "content_f1": _score("F1 of content"),
    **{name: plain_number(name.replace("_", " "))
       for name in ("precision", "recall", "iou", "content_precision", "content_recall")},
}  # fmt: skip
CLASS_COLUMNS = COLUMNS | {"f1": _score("F1"), "iou": plain_number("IoU")}


def open_page(page: str) -> None:
    state.put(page=page)
    go("viewer")


def images() -> PageImages:
    """Uploaded pictures if there are any, else those of the folder that came with the files."""
    uploaded = st.session_state.get("page_images")
    if uploaded is not None:
        return uploaded
    files = state.loaded()
    return _folder_images(files.images if files else "")


@st.cache_resource(max_entries=4, show_spinner=False)
def _folder_images(folder: str) -> PageImages:
    return page_images.from_folder(folder)
