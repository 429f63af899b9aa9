"""One figure of Take it away: its choice, a preview as it will be printed, downloads in three formats.

A download is drawn on the click, outside the visitor's session, so everything a figure needs from the session is looked
up before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import Picture
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.report.report_files import CURVES, DIFFERENCES, figure_names, matrix_difference_figure, report_figure
from layoutcm.tables.matrix_views import heading_of_view
from layoutcm.ui import choices, page_shell, screen_text, selection, session
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.input_files import comparison_of
from layoutcm.ui.parts import objects

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_NAMES = {
    "confusion": "Confusion (pixels)",
    "recall": "Recall",
    "precision": "Precision",
    "f1": "F1",
    "collapsed": "Background against Content (2x2)",
    "classes": "Classes",
    CURVES: "Precision over recall (objects)",
    "models": "Difference to another prediction",
    "overlay": "Page with both layouts",
    "gt": "Page, label sets of the ground truth",
    "pred": "Page, label sets of the prediction",
    "difference": "Page, difference",
    "cell": "Page, pixels behind the chosen cell",
}
PAGE_FIGURES = ("overlay", "gt", "pred", "difference", "cell")
TWO_MODELS = "models"
WIDTH_NAMES = {"": "as it fits", "one": "one column (85 mm)", "two": "two columns (178 mm)"}
TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
PICTURE_SIDE = 2000
Draw = Callable[..., "Figure"]


def show_figure(compared: Comparison, confusion: Confusion) -> None:
    """Controls, preview and download buttons."""
    left, right = page_shell.columns(1, 2, key="_figure")
    with left:
        available = _available_figures(compared, confusion)
        names = [name for name in FIGURE_NAMES if name in available]
        name = str(st.selectbox("Figure", names, format_func=FIGURE_NAMES.__getitem__, key="report_figure"))
        file, key, draw = _chosen_figure(compared, confusion, name)
        width = str(st.selectbox("Width", list(WIDTH_NAMES), format_func=WIDTH_NAMES.__getitem__, key="report_width"))
        caption = st.toggle("Recipe as a small caption", value=True, key="report_caption")
        look = {"width": width or None, "caption": caption}
        whole_key = (session.comparison_key(), confusion.recipe, choices.current().method, name, *key, width, caption)
        make = lambda format: _figure_file((*whole_key, format), partial(draw, **look))
    with right, st.spinner("Drawing …"):
        is_drawable = _show_preview(make)
    with left:
        row = st.container(horizontal=True)
        for format, kind in TYPES.items() if is_drawable else ():
            row.download_button(
                format.upper(), partial(make, format), f"{file}.{format}", kind, key=f"take_{format}",
                on_click="ignore",
            )  # fmt: skip
        scope = screen_text.as_typed(
            f"page {choices.current().page}" if name in PAGE_FIGURES else selection.scope_text(compared)
        )
        st.caption(f"Of {scope}. PNG at 300 dpi, SVG with text as text, PDF with its fonts.")


def _show_preview(make: Callable[[str], bytes]) -> bool:
    """Show the figure as it will be printed, or why there is none; returns whether there is one."""
    try:
        st.image(make("png"))
    except InputError as error:
        st.info(screen_text.as_typed(f"There is no such figure: {error.problem}. {error.advice.on_screen}"))
        return False
    return True


def _available_figures(compared: Comparison, confusion: Confusion) -> list[str]:
    """The figures of a report, the difference of two predictions if there are two, and the figures of a page."""
    models = [TWO_MODELS] if len(session.pred_names()) > 1 else []
    pages = [name for name in PAGE_FIGURES if compared.pages and (name != "cell" or selection.chosen_cell(compared))]
    return [*figure_names(confusion, objects.objects_of_level(compared)), *models, *pages]


def _chosen_figure(compared: Comparison, confusion: Confusion, name: str) -> tuple[str, tuple[Any, ...], Draw]:
    """The file name, the rest of the cache key, and a function that draws the figure without the session."""
    if name == TWO_MODELS:
        return _difference_figure(compared)
    if name in PAGE_FIGURES:
        page = _chosen_page(compared)
        picture = selection.current_page_images().find(compared, compared.levels.page_index(page))
        cell = (choices.current().gt_label, choices.current().pred_label) if name == "cell" else None
        key = (page, cell, picture and picture.digest)
        return name, key, partial(_draw_page, compared, page, name, cell, confusion.method, picture)
    shown = selection.chosen_labels(confusion)
    draw = partial(report_figure, name, compared, confusion, objects.objects_of_level(compared), selection=shown)
    return name, tuple(map(tuple, shown)), draw


def _chosen_page(compared: Comparison) -> str:
    if choices.current().page not in compared.alignment.pages.index:
        choices.put(page=compared.pages[0])
    return str(st.selectbox("Page", list(compared.pages), **choices.bind("page", "report")))


def _difference_figure(compared: Comparison) -> tuple[str, tuple[Any, ...], Draw]:
    """The matrix of the chosen prediction minus that of another one, which is chosen here."""
    names, own = session.pred_names(), session.chosen_index()
    others = [k for k in range(len(names)) if k != own]
    other = int(st.selectbox("Prediction to subtract", others, format_func=names.__getitem__, key="report_other"))
    view = str(st.selectbox("View", list(DIFFERENCES), format_func=heading_of_view, key="report_view"))
    request, level = session.comparison_request(other), session.chosen_level(compared)
    titles = (PurePath(names[other]).stem, PurePath(names[own]).stem)
    key = (session.comparison_key(other), view, *titles, *level.items())
    try:
        first = comparison_of(request, session.compare_options(other))
    except InputError as error:
        return DIFFERENCES[view], key, partial(_raise, error)
    return DIFFERENCES[view], key, partial(
        matrix_difference_figure, first, compared, view, titles, method=choices.current().method, **level
    )  # fmt: skip


def _raise(error: InputError, **_: Any) -> Figure:
    raise error


def _draw_page(
    compared: Comparison,
    page: str,
    name: str,
    cell: tuple[str, str] | None,
    method: str,
    picture: Picture | None,
    **look: Any,
) -> Figure:
    from layoutcm.drawing.paper.pages import page_figure, page_overlay

    image = shrunk_picture(picture, PICTURE_SIDE)
    if name == "overlay":
        return page_overlay(compared, page, image=image, **look)
    return page_figure(compared, page, name, cell=cell, method=method, image=image, **look)


@st.cache_data(max_entries=48, show_spinner=False)
def _figure_file(key: tuple[Any, ...], _draw: Callable[[], Figure]) -> bytes:
    from layoutcm.drawing.paper.printing import figure_bytes

    return figure_bytes(_draw(), key[-1])
