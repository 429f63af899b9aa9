"""The parts of the page viewer: the choice of a page, its regions on its image, its masks, its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import AGREEMENT, PageTiles
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.page_boxes import page_boxes
from layoutcm.drawing.palette import AGREEMENT_COLOURS, label_colours
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.label_set_map import label_set_map
from layoutcm.drawing.screen.page_overlay import page_overlay
from layoutcm.layouts.model import SIDES
from layoutcm.tables.matrix_views import COLLAPSED, cell_verb
from layoutcm.ui import choices, page_shell, screen_text, selection, session, sidebar
from layoutcm.ui.image_uris import picture_uri
from layoutcm.ui.parts import data_tables, matrix_panel, sentences
from layoutcm.ui.screen_text import SIDE_TITLES
from layoutcm.wording import thin_spaced

MASK_NAMES = SIDE_TITLES | {"difference": "Difference", "cell": "Chosen cell"}


def choose_page(compared: Comparison) -> str:
    """The select box and the buttons that choose a page; returns the page."""
    current = choices.current().page if choices.current().page in compared.alignment.pages.index else compared.pages[0]
    index = compared.levels.page_index(current)
    choices.put(page=current)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sidebar.show_choice("page", "Page", compared.pages, place="viewer")
        for name, key, to in (("Previous", "Left", index - 1), ("Next", "Right", index + 1)):
            end = not 0 <= to < len(compared.pages)
            st.button(name, disabled=end, shortcut=key, on_click=_turn_to, args=(compared, to))
        chosen = selection.chosen_cell(compared) is not None
        st.button("Back to the cell", disabled=not chosen, on_click=selection.open_chosen_cell)
    document = compared.alignment.pages.documents[index]
    if document != current:
        st.caption(
            f"document {screen_text.as_typed(document)}, "
            f"page {thin_spaced(index + 1)} of {thin_spaced(len(compared.pages))}"
        )
    return current


def _turn_to(compared: Comparison, index: int) -> None:
    choices.put(page=compared.pages[index])


def show_overlay(compared: Comparison, page: str) -> None:
    """The outlines of both layouts on the page image."""
    index = compared.levels.page_index(page)
    pages = compared.alignment.pages
    only = set(_visible_labels(compared))
    boxes = [box for box in page_boxes(compared, page) if box["label"] in only or not box["judged"]]
    sides = st.pills(
        "Show",
        SIDES,
        default=list(SIDES),
        selection_mode="multi",
        format_func=SIDE_TITLES.__getitem__,
        key="viewer_sides",
    )
    boxes = [box for box in boxes if box["side"] in sides]
    image = picture_uri(selection.current_page_images().find(compared, index))
    width, height = float(pages.widths[index]), float(pages.heights[index])
    figure = page_overlay(width, height, boxes, session.theme(), image=image, height_px=_overlay_height(width, height))
    st.caption("Click a legend entry to hide a label, scroll to zoom, hover over the centre of a region for details.")
    st.plotly_chart(figure, key=f"overlay_{page}", config=CONFIG | {"scrollZoom": True}, theme=None)


def _overlay_height(width: float, height: float) -> int:
    """The height of the overlay at which the page fills the width beside the legend on a common screen."""
    return round(min(max(480 * height / max(width, 1), 300), 900)) + 44


def show_label_set_map(compared: Comparison, page: str) -> None:
    """The page coloured by its label sets; the hover text shows the packed words."""
    tiles = compared.page_tiles(page)
    cell = selection.chosen_cell(compared)
    lit = tiles.share_of(cell, choices.current().method) if cell else None
    kind = choices.current().mask
    if not kind or (kind == "cell" and not cell):
        kind = "cell" if lit is not None and lit.any() else "difference"
    _show_mask_buttons(kind, cell is not None)
    colours = label_colours(compared.labels[1:])
    colours = {label: colours[label] for label in _visible_labels(compared)}
    image = picture_uri(selection.current_page_images().find(compared, compared.levels.page_index(page)))
    figure = label_set_map(tiles, kind, colours, session.theme(), lit, image=image)
    st.plotly_chart(figure, key=f"map_{page}_{kind}", config=CONFIG | {"scrollZoom": True}, theme=None)
    _show_legend(tiles, kind, lit)


def _visible_labels(compared: Comparison) -> Sequence[str]:
    """The labels chosen in the sidebar, or all labels."""
    return choices.current().labels or compared.labels[1:]


def _show_mask_buttons(current: str, has_cell: bool) -> None:
    """Buttons, because buttons can have keyboard shortcuts, which they show."""
    with st.container(horizontal=True, gap="small"):
        for key, (kind, title) in enumerate(MASK_NAMES.items(), start=1):
            if kind == "cell" and not has_cell:
                continue
            st.button(
                title, key=f"mask_{kind}", shortcut=str(key), type="primary" if kind == current else "secondary",
                on_click=choices.put, kwargs={"mask": kind},
            )  # fmt: skip


def _show_legend(tiles: PageTiles, kind: str, lit: Any) -> None:
    if kind == "difference":
        kinds = [*range(len(AGREEMENT) - 1), *({len(AGREEMENT) - 1} & set(tiles.agreement().tolist()))]
        named = [(AGREEMENT[kind], AGREEMENT_COLOURS[kind]) for kind in kinds]  # "not judged" is rare
        parts = [f":color[■]{{foreground={colour}}} {name}" for name, colour in named if colour]
        st.markdown(screen_text.join_unbroken(parts))
    elif kind == "cell":
        pixels = thin_spaced(round(float((lit * tiles.pairs.pixels).sum())))
        gt_label, pred_label = (screen_text.as_typed(choices.value_of(side)) for side in ("gt_label", "pred_label"))
        verb = cell_verb(tiles.space.shared, gt_label == pred_label)
        st.markdown(f"{gt_label} {verb} {pred_label}: {pixels} px")
    st.caption(
        "Hover for the label sets of both sides as packed words: bit 0 is Background, bit i the side's i-th label."
    )


def show_numbers(compared: Comparison, page: str) -> None:
    """The page's own matrix, class values and 2x2."""
    confusion = compared.confusion(page=page, method=choices.current().method)
    shown = selection.chosen_labels(confusion)
    left, right = page_shell.columns(1, 1, key="numbers")
    with left:
        st.subheader("This page's matrix", anchor=False)
        view = choices.current().view if choices.current().view != COLLAPSED else "recall"
        ordered = order_labels(confusion, shown, choices.current().order)
        matrix_panel.show_plain_matrix(confusion, view, ordered, f"page_matrix_{page}", log=choices.current().log)
    with right:
        st.subheader("Content against Background", anchor=False)
        data_tables.show_table(
            sentences.collapsed_on_screen(confusion.collapse()), sentences.COLLAPSED_COLUMNS, key="page_collapsed"
        )
        if confusion.diagonal:
            st.subheader("Classes on this page", anchor=False)
            classes = confusion.classes().iloc[shown.rows].drop(columns=["pred_pixels", "iou"])
            data_tables.show_table(classes, data_tables.CLASS_COLUMNS, key="page_classes")
