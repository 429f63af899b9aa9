"""The bar on top of every page while files are loaded: the files, what is in force, filters, settings, downloads."""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import chips, choices, session
from layoutcm.ui.choice_rules import fits_into_address
from layoutcm.ui.parts import facets, saved_sessions, take_away
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.sidebar import show_choice

LOST_ON_RELOAD = "{0} are lost on reload: save the session."
DECIDED = "Rounding, missing pages, taxonomy and thresholds were decided when the parts were counted."
LABELS_HELP = (
    "These and Background keep their rows and columns; all other labels become one, other. Lists and pages keep what "
    "has one of them on either side. Numbers do not change: shares and averages are those of all labels."
)


def show_bar() -> None:
    """The bar. Its place is always there, so that the page below keeps its position; it is empty without files."""
    place = st.container()
    files = session.loaded_files()
    if files is None:
        return
    compared = session.current_comparison()
    with place:
        with st.container(horizontal=True, vertical_alignment="center", key="top_bar"):
            _show_files(files)
            _show_chips()
            st.space("stretch")
            with st.popover("Filter", icon=":material/filter_alt:"):
                _show_filters(compared if isinstance(compared, Comparison) else None)
            with st.popover("Settings", icon=":material/tune:"):
                _show_settings()
            take_away.show_button()
        lost = _lost_on_reload()
        if lost:
            with st.container(horizontal=True, vertical_alignment="center", key="lost_on_reload"):
                st.caption(LOST_ON_RELOAD.format(lost), width="content")
                saved_sessions.show_save_button("bar", with_images=False)


def _lost_on_reload() -> str:
    """What the address cannot hold; "" if it holds everything."""
    if not choices.current().load:
        return "Uploaded files"
    if not fits_into_address(choices.current().mapping):
        return "The label mapping, which is too long for the address, and all it changes"
    return "Decisions about the ground truth" if session.decisions() else ""


def _show_files(files: session.LoadedFiles) -> None:
    st.markdown(f"{as_typed(files.gt.name)} →", width="content")
    names = session.pred_names()
    if len(names) > 1:
        look: Any = {"label_visibility": "collapsed", "width": 190}
        show_choice("pred", "Prediction", range(len(names)), format_func=names.__getitem__, **look)
    else:
        st.markdown(as_typed(names[0]), width="content")


def _show_chips() -> None:
    for chip in chips.chips_in_force():
        st.button(
            as_typed(chip.text), key=f"chip_{chip.key}", icon=":material/close:", icon_position="right",
            on_click=chips.remove, args=(chip,), help="Remove this",
        )  # fmt: skip


def _show_filters(compared: Comparison | None) -> None:
    if compared is None:
        st.caption("There are no filters, because the files cannot be compared as they are.")
        return
    show_choice("level", "Level", choices.CHOICES["level"], in_popover=True)
    if choices.current().level == "document":
        show_choice("document", "Document", compared.documents, in_popover=True)
    elif choices.current().level == "page":
        show_choice("page", "Page", compared.pages, in_popover=True)
    known = list(dict.fromkeys(compared.labels[1:]))
    choices.put(labels=tuple(label for label in choices.current().labels if label in known))
    st.multiselect("Labels", known, placeholder="all", help=LABELS_HELP, **choices.bind("labels", in_popover=True))
    if compared.alignment.layouts[1].has_scores and not session.shows_result():
        st.slider("Score threshold", 0.0, 1.0, step=0.05, **choices.bind("min_score", in_popover=True))
    facets.show_filters(compared)


def _show_settings() -> None:
    how_counted = "How pixels with several labels are counted. See Method."
    covered = "Which pixels a box with fractional edges covers."
    same = "Whether equal names are the same label. auto: if the labels of one side include those of the other."
    show_choice("method", "Method", choices.CHOICES["method"], in_popover=True, help=how_counted)
    if session.shows_result():
        st.caption(DECIDED)
        return
    show_choice("rounding", "Rounding", choices.CHOICES["rounding"], in_popover=True, help=covered)
    show_choice("missing_pages", "Missing pages", choices.CHOICES["missing_pages"], in_popover=True)
    show_choice("taxonomy", "Taxonomy", choices.CHOICES["taxonomy"], place="settings", in_popover=True, help=same)
