"""The parts of the page viewer: choosing a page, outlines on its picture, masks with their words, its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.confusion import Confusion
from layoutcm.figures import CONFIG, matrix_figure
from layoutcm.maps import set_map
from layoutcm.model import SIDES
from layoutcm.overlays import page_overlay
from layoutcm.pageview import AGREEMENT, AGREEMENT_COLOURS, PageCells, page_boxes, page_cells
from layoutcm.palette import label_colours
from layoutcm.ui import panels, state, words
from layoutcm.ui.order import ordered
from layoutcm.ui.page_images import picture_uri
from layoutcm.ui.router import go

MAPS = {"gt": "gt", "pred": "pred", "difference": "Difference", "cell": "Chosen cell"}


def choose_page(compared: Comparison) -> str:
    """Title, previous and next, and the page itself."""
    current = state.get("page") if state.get("page") in compared.alignment.pages.index else compared.pages[0]
    index = compared.page_index(current)
    state.put(page=current)
    title, back, before, after = st.columns([5, 2, 2, 2], vertical_alignment="bottom")
    title.selectbox("Page", list(compared.pages), **state.bound("page", "viewer"))
    if before.button("Previous", disabled=index == 0, shortcut="Left", width="stretch"):
        _turn_to(compared.pages[index - 1])
    if after.button("Next", disabled=index == len(compared.pages) - 1, shortcut="Right", width="stretch"):
        _turn_to(compared.pages[index + 1])
    if back.button("Back to the cell", disabled=panels.chosen_cell(compared) is None, width="stretch"):
        go("matrices")
    document = compared.alignment.pages.documents[index]
    if document != current:
        st.caption(f"document {panels.typed(document)}, page {index + 1:,} of {len(compared.pages):,}")
    return current


def _turn_to(page: str) -> None:
    state.put(page=page)
    st.rerun()


def overlay(compared: Comparison, page: str) -> None:
    index = compared.page_index(page)
    pages = compared.alignment.pages
    drawn = page_boxes(compared, page)
    sides = st.pills("Show", SIDES, default=list(SIDES), selection_mode="multi", key="viewer_sides")
    drawn = [box for box in drawn if box["side"] in sides]
    image = picture_uri(panels.images().find(compared, index))
    width, height = float(pages.widths[index]), float(pages.heights[index])
    figure = page_overlay(width, height, drawn, state.theme(), image=image, height_px=_height(width, height))
    st.caption("Click a legend entry to hide a label, scroll to zoom, hover a centre for details.")
    st.plotly_chart(figure, key=f"overlay_{page}", config=CONFIG | {"scrollZoom": True}, theme=None)


def _height(width: float, height: float) -> int:
    """Of the overlay: what a page needs to fill the width that the legend leaves on a common screen."""
    return round(min(max(480 * height / max(width, 1), 300), 900)) + 44


def masks(compared: Comparison, page: str) -> None:
    """The page coloured by its label sets; the pointer asks for the words."""
    cells = page_cells(compared, page)
    cell = panels.chosen_cell(compared)
    kinds = [kind for kind in MAPS if kind != "cell" or cell]
    lit = cells.share_of(state.get("gt_label"), state.get("pred_label"), state.get("method")) if cell else None
    if cell and st.session_state.get("viewer_cell") != (page, cell):
        st.session_state["viewer_cell"] = (page, cell)
        st.session_state["viewer_kind"] = "cell" if lit is not None and lit.any() else "difference"
    elif st.session_state.get("viewer_kind") not in kinds:
        st.session_state["viewer_kind"] = "difference"
    kind = st.segmented_control("Mask", kinds, format_func=MAPS.__getitem__, key="viewer_kind", required=True)
    colours = label_colours(compared.labels[1:])
    image = picture_uri(panels.images().find(compared, compared.page_index(page)))
    figure = set_map(cells, str(kind), colours, state.theme(), lit, image=image)
    st.plotly_chart(figure, key=f"map_{page}_{kind}", config=CONFIG | {"scrollZoom": True}, theme=None)
    _legend(cells, str(kind), lit)


def _legend(cells: PageCells, kind: str, lit: Any) -> None:
    if kind == "difference":
        parts = [
            f":color[■]{{foreground={colour}}} {name}" for name, colour in zip(AGREEMENT, AGREEMENT_COLOURS) if colour
        ]
        st.markdown(" &nbsp; ".join(parts))
    elif kind == "cell":
        area = np.diff(cells.y_edges)[:, None] * np.diff(cells.x_edges)
        pixels = float((lit * area).sum())
        st.markdown(
            f"{panels.typed(state.get('gt_label'))} read as {panels.typed(state.get('pred_label'))}: {pixels:,.0f} px"
        )
    st.caption(
        "Hover for the label sets of both sides as packed words: bit 0 is Background, bit i the side's i-th label."
    )


def numbers(compared: Comparison, page: str) -> None:
    """The page's own matrix, class values and 2x2."""
    confusion: Confusion = compared.confusion(page=page, method=state.get("method"))
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("This page's matrix", anchor=False)
        view = state.get("view") if state.get("view") != "collapsed" else "recall"
        rows, columns = ordered(confusion, state.get("order"), False)
        figure = matrix_figure(confusion, view, rows=rows, columns=columns, theme=state.theme(), log=state.get("log"))
        st.plotly_chart(figure, key=f"page_matrix_{page}", config=CONFIG, theme=None)
    with right:
        st.subheader("Content against Background", anchor=False)
        panels.table(words.collapsed_table(confusion.collapse()), words.COLLAPSED_COLUMNS, key="page_collapsed")
        if confusion.diagonal:
            st.subheader("Classes on this page", anchor=False)
            classes = words.class_table(confusion).drop(columns=["pred_pixels", "iou"])
            panels.table(classes, panels.CLASS_COLUMNS, key="page_classes")
