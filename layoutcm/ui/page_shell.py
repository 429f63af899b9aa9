"""What all pages share: style, columns, messages instead of tracebacks, the view before files are loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, NotCounted
from layoutcm.layouts.model import Finding
from layoutcm.ui import choices, link, memory, session
from layoutcm.ui.choice_texts import texts_of
from layoutcm.ui.first_paint import STYLE
from layoutcm.ui.router import go_to
from layoutcm.ui.screen_text import as_typed, error_text, finding_text

LABELS_BESIDE = 31  # Background included; a matrix with more labels takes the whole width


def apply_style() -> None:
    """The style, for `streamlit run app.py`; the server of `layoutcm app` has put it into the page already."""
    st.html(STYLE)


def columns(*widths: int, key: str = "", labels: int = 0) -> list[DeltaGenerator]:
    """Columns that become rows on a narrow screen, or if a matrix with this many labels needs the whole width."""
    if labels > LABELS_BESIDE:
        return [st.container() for _ in widths]
    return st.container(key=f"beside{key}").columns(widths, gap="medium")


def guard(work: Callable[[], None]) -> None:
    """Run a part of the app; show an error as a message, so that the other parts still run."""
    try:
        work()
    except NotCounted as error:
        st.info(error_text(error))
    except InputError as error:
        st.error(error_text(error))
    except Exception as error:
        logging.getLogger("layoutcm").exception("a page failed")
        st.error(as_typed(f"This page could not be shown ({type(error).__name__}). The server's log says where."))


def fragment(work: Callable[[], None]) -> Callable[[], None]:
    """A part of a page whose widgets run only this part again, not the whole page; it updates the link, too."""

    @st.fragment
    def run() -> None:
        guard(work)
        end_run()

    return run


def end_run() -> None:
    """At the end of a run, or of a part of it: write the link; give memory back, if a result has read large columns."""
    link.write_link()
    if session.shows_result():
        memory.give_back_freed_memory()


def need_comparison() -> Comparison:
    """The comparison; without one, show what to do and stop the page."""
    compared = session.current_comparison()
    if isinstance(compared, Comparison):
        return compared
    if isinstance(compared, InputError):
        st.error(error_text(compared))
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
    st.stop()
    raise AssertionError("unreachable")


def _of_lost_files() -> str:
    """What a link says whose files were dropped into another tab, or before a reload."""
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
        show = st.warning if finding.severity == "warning" else st.info
        show(finding_text(finding))
