"""The switches above the matrix of Errors, in one row."""

from __future__ import annotations

import streamlit as st

from layoutcm.drawing.label_order import WORST_ROWS
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.matrix_views import LETTER_BUTTONS, SHARE_VIEWS, VIEW_BUTTONS
from layoutcm.ui import choices, sidebar
from layoutcm.ui.parts import error_matrix, matrix_panel
from layoutcm.ui.sides import Sides

COUNTED = {"pixels": "Pixels", "objects": "Objects"}
GROUPINGS = {"labels": "Labels", "families": "Families", "2x2": "2x2"}
BESIDE = {"beside": "Side by side", "difference": "Difference"}
CSV_HELP = f"Every digit, up to {MOST_DRAWN} labels. Figures for a paper: Take it away."
IOU_HELP = "The smallest overlap (intersection over union) at which an object counts as found"
COUNTED_HELP = "Pixels of regions, or whole objects that are matched at an IoU (see More)."


def _segments(name: str, title: str, options: dict[str, str], help_text: str = "") -> None:
    st.segmented_control(
        title, list(options), required=True, format_func=options.__getitem__, label_visibility="collapsed",
        help=help_text or None, **choices.bind(name),
    )  # fmt: skip


def show_switches(shown: Sides, confusion: Confusion) -> None:
    """What the matrix shows; `confusion` is that of the chosen side."""
    objects = choices.current().counted == "objects"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="error_switches"):
        _segments("view", "View", _views(shown, objects))
        _segments("counted", "Count", COUNTED, COUNTED_HELP)
        if not objects:
            _show_groupings(confusion, has_groups=not (shown.is_pair and choices.current().beside == "difference"))
        if shown.is_pair:
            _segments("beside", "Two matrices", BESIDE)
        _show_more(shown, confusion, objects)


def _views(shown: Sides, objects: bool) -> dict[str, str]:
    titles = VIEW_BUTTONS if shown.own.whole.has_truth else LETTER_BUTTONS
    return {view: titles[view] for view in SHARE_VIEWS} | {"pixels": "Counts" if objects else titles["pixels"]}


def _show_groupings(confusion: Confusion, has_groups: bool) -> None:
    bound = choices.bind("grouping")
    now = error_matrix.grouping(confusion)
    now = now if has_groups or now != error_matrix.FAMILIES else "labels"
    st.session_state[bound["key"]] = now
    st.segmented_control(
        "Rows and columns", list(GROUPINGS), required=True, format_func=GROUPINGS.__getitem__,
        label_visibility="collapsed", **bound,
    )  # fmt: skip
    if confusion.diagonal and now != "2x2" and matrix_panel.has_many_labels(confusion):
        help_text = f"Only the rows of the {WORST_ROWS} labels with the lowest F1"
        st.toggle(f"{WORST_ROWS} worst rows", help=help_text, **choices.bind("worst_rows"))


def _show_more(shown: Sides, confusion: Confusion, objects: bool) -> None:
    with st.popover("More", icon=":material/tune:"):
        if objects:
            st.slider(
                "IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, help=IOU_HELP, **choices.bind("iou", in_popover=True)
            )
        sidebar.show_choice("order", "Order of labels", choices.CHOICES["order"], in_popover=True)
        st.toggle(
            "Log", help="Colours of cells off the diagonal on a log scale", **choices.bind("log", in_popover=True)
        )
        st.toggle("Unused", help="Show labels that neither side uses", **choices.bind("empty", in_popover=True))
