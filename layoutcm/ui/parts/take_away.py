"""Take it away: the figures and tables of the present view, the whole report, the session, in one dialog."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.tables.latex_markdown import latex, markdown
from layoutcm.tables.tables import Table, csv_text
from layoutcm.ui import offers, page_shell, session
from layoutcm.ui.offers import Offer
from layoutcm.ui.parts import report_downloads, saved_sessions
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import MISSING, make_unique, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

OPEN = "take_away_open"  # session key: a run of the whole page, such as after making a report, keeps the dialog open
FIGURE_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
# Suffix of the file -> text of the button, type, how the text is made.
TABLE_TYPES: dict[str, tuple[str, str, Any]] = {
    "csv": ("CSV", "text/csv", csv_text),
    "tex": ("LaTeX", "text/x-tex", latex),
    "md": ("Markdown", "text/markdown", markdown),
}
WIDTHS = {"": "as it fits", "one": "one column (85 mm)", "two": "two columns (178 mm)"}
ABOUT_FILES = (
    "PNG at 300 dpi, SVG with text as text, PDF with its fonts. CSV has every digit; LaTeX needs booktabs, and "
    "graphicx for matrices."
)
NOTHING_HERE = "This page has no figure or table to take away. The whole report has those of the other pages."
PREVIEW_ROWS, PREVIEW_HEIGHT = 200, 388
PREVIEW_WIDTH = {None: 640, "one": 480, "two": 900}  # px


def show_button() -> None:
    """The button that opens the dialog; `show_dialog` shows it after the page has run, when all is offered."""
    st.button(
        "Take it away", key="take_away", icon=":material/download:", on_click=_open,
        disabled=not isinstance(session.current_comparison(), Comparison),
        help="What this page shows as figures and tables, the whole report, the session",
    )  # fmt: skip


def _open() -> None:
    st.session_state[OPEN] = True


def _close() -> None:
    st.session_state[OPEN] = False


def show_dialog() -> None:
    """The dialog, if it is open."""
    compared = session.current_comparison() if st.session_state.get(OPEN) else None
    if isinstance(compared, Comparison):
        _dialog(compared)


@st.dialog("Take it away", width="large", on_dismiss=_close)
def _dialog(compared: Comparison) -> None:
    page_shell.guard(lambda: _show_contents(compared))


def _show_contents(compared: Comparison) -> None:
    """The files of this view, the whole report, the session; last a preview, because it takes longest to draw."""
    offered = offers.current_offers()
    st.subheader("This view", anchor=False)
    look = _choose_look() if any(one.draw for one in offered) else {}
    for number, one in enumerate(offered):
        _show_row(number, one, look)
    st.caption(ABOUT_FILES if offered else NOTHING_HERE)
    st.subheader("Everything", anchor=False)
    report_downloads.show_whole_report(compared)
    with st.container(horizontal=True, vertical_alignment="center"):
        saved_sessions.show_save_button("take_away")
    if offered:
        st.subheader("Preview", anchor=False)
        _show_preview(offered, look)


def _choose_look() -> dict[str, Any]:
    """The width of figures, and whether they have the recipe as a caption."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        width = st.selectbox(
            "Width of figures", list(WIDTHS), format_func=WIDTHS.__getitem__, key="report_width", width=220
        )
        caption = st.toggle("Recipe as a small caption", value=True, key="report_caption")
    return {"width": width or None, "caption": caption}


def _show_row(number: int, one: Offer, look: dict[str, Any]) -> None:
    """The title, and a button for every file."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"take_row_{number}"):
        st.markdown(as_typed(one.title), width="stretch")
        if one.draw:
            for format, kind in FIGURE_TYPES.items():
                _show_button(format.upper(), partial(figure_file, one, format, look), one, format, kind, number)
        if one.table:
            for suffix, (text, kind, write) in TABLE_TYPES.items():
                _show_button(text, partial(table_file, one, write), one, suffix, kind, number)


def _show_button(text: str, make: Any, one: Offer, suffix: str, kind: str, number: int) -> None:
    key = f"take_{suffix}_{number}"
    st.download_button(text, make, f"{one.file}.{suffix}", kind, key=key, on_click="ignore")


def figure_file(one: Offer, format: str, look: dict[str, Any]) -> bytes:
    from layoutcm.drawing.paper.printing import figure_bytes

    assert one.draw is not None
    return figure_bytes(one.draw(**look), format)


def table_file(one: Offer, write: Any) -> str:
    assert one.table is not None
    return write(one.table())


def _show_preview(offered: list[Offer], look: dict[str, Any]) -> None:
    """One of the figures as it will be printed, or one of the tables."""
    titles = [one.title for one in offered]
    number = st.selectbox(
        "Preview", range(len(titles)), format_func=titles.__getitem__, key="take_preview", width=420,
        label_visibility="collapsed",
    )  # fmt: skip
    one = offered[int(number)]
    with st.spinner("Drawing …"):
        try:
            if one.draw:
                st.image(figure_file(one, "png", look), width=PREVIEW_WIDTH[look["width"]])
            elif one.table:
                _preview_table(one.table())
        except InputError as error:
            st.info(as_typed(f"There is no such figure: {error.problem}. {error.advice.on_screen}"))


def _preview_table(table: Table) -> None:
    shown = table.data.head(PREVIEW_ROWS)
    height = min(38 + 35 * len(shown), PREVIEW_HEIGHT)
    st.dataframe(_as_text(table, shown), hide_index=True, key="report_preview", height=height,
                 placeholder=MISSING)  # fmt: skip
    for text in filter(None, (table.note, table.recipe)):
        st.caption(as_typed(text))
    if len(table.data) > len(shown):
        st.caption(f"The first {len(shown):,} of {len(table.data):,} rows; the file has all of them.")


def _as_text(table: Table, shown: pd.DataFrame) -> Any:
    """The rows as text, because the browser cuts long numbers off at the left; with the unique names that it needs."""
    names = make_unique(table.headings())
    formatters = {
        "share": partial(score_text, digits=4),
        "whole": thin_spaced,
        "pixels": thin_spaced,
    }
    formats: dict[Any, Any] = {name: formatters[kind] for name, kind in zip(names, table.kinds()) if kind in formatters}
    return shown.set_axis(names, axis="columns").style.format(formats, na_rep=MISSING)
