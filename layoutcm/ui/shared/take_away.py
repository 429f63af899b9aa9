"""The dialog "Take it away": the figures and tables of the present view, the whole report as a zip, and the session."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.lazy import pd
from layoutcm.report.leaderboard_files import RESERVED_NAMES
from layoutcm.tables.leaderboard_tables import INDEX_PAGE
from layoutcm.tables.tables import SCORE_KINDS, Table
from layoutcm.tables.written_forms import csv_text, latex, markdown
from layoutcm.ui.files.session_files import SUFFIX, SessionContents, picture_bytes, write_session
from layoutcm.ui.screen_text import as_typed, error_text
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import MB, bytes_of, limits
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.shared.downloads import Offer
from layoutcm.ui.shared.long_jobs import ReportChoices, make_board_report, make_report
from layoutcm.ui.state import family_choice, session
from layoutcm.ui.state.chosen import Chosen, read_chosen
from layoutcm.wording import MISSING, make_unique, score_text, thin_spaced

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
CONTENTS = "HTML that opens offline, a spreadsheet, JSON, pages as CSV and Parquet, figures, LaTeX tables."
CONTENTS_OF_ALL = f"A page that compares the predictions, and for each of them: {CONTENTS}"
FILES_OF_RESULT = (
    "There is no report of a result of parts. Its folder has the numbers: result.json, documents.parquet, and the "
    "scores of all pages in the folder pages. To open it again: layoutcm app FOLDER."
)
SAVED = (
    "Files, labels that were mapped, repairs and choices, in one file that opens here again: drop it on the page Data."
)
WITH_IMAGES = "Also the page images; the file is larger."
WHY_HELP = "Causes of wrong pixels, F1 with forgiven borders, score thresholds and calibration. They take longer."


def show_button(chosen: Chosen) -> None:
    """The button that opens the dialog; `show_dialog` shows it after the page has run, when all is offered."""
    st.button(
        "Take it away", key="take_away", icon=":material/download:", on_click=_open,
        disabled=not isinstance(chosen.comparison, Comparison),
        help="What this page shows as figures and tables, the whole report, the session",
    )  # fmt: skip


def _open() -> None:
    st.session_state[OPEN] = True


def _close() -> None:
    st.session_state[OPEN] = False


def show_dialog() -> None:
    """The dialog, if it is open."""
    if st.session_state.get(OPEN) and isinstance(read_chosen().comparison, Comparison):
        _dialog()


@st.dialog("Take it away", width="large", on_dismiss=_close)
def _dialog() -> None:
    page_shell.guard(lambda: _show_contents(read_chosen()))


def _show_contents(chosen: Chosen) -> None:
    """The files of this view, the whole report, the session; last a preview, because it takes longest to draw."""
    offered = downloads.current_offers()
    st.subheader("This view", anchor=False)
    look = _choose_look() if any(one.draw for one in offered) else {}
    for number, one in enumerate(offered):
        _show_row(number, one, look)
    st.caption(ABOUT_FILES if offered else NOTHING_HERE)
    st.subheader("Everything", anchor=False)
    show_whole_report(chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        show_save_button(chosen, "take_away")
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
    from layoutcm.drawing.paper.figure_style import figure_bytes

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
    score = partial(score_text, digits=4)
    formatters = {**dict.fromkeys(SCORE_KINDS, score), "whole": thin_spaced, "pixels": thin_spaced}
    formats: dict[Any, Any] = {name: formatters[kind] for name, kind in zip(names, table.kinds()) if kind in formatters}
    return shown.set_axis(names, axis="columns").style.format(formats, na_rep=MISSING)


def show_whole_report(chosen: Chosen) -> None:
    """The report of the whole set: made on a click, and kept for this visitor until the comparison changes."""
    if chosen.shows_result:
        st.caption(FILES_OF_RESULT)
        return
    parts, count = chosen.compared.vocabulary.parts, len(chosen.names)
    of_all = "models" in parts and count > 1
    with st.container(horizontal=True, gap="medium"):
        why = "causes" in parts and st.toggle("With the causes of errors", key="report_why", help=WHY_HELP)
        help_text = "Intervals over documents: whiskers on class bars, and a table"
        intervals = (
            not of_all and "causes" in parts and st.toggle("With intervals", key="report_intervals", help=help_text)
        )
    # Without a truth a report has neither intervals nor families.
    wanted = ReportChoices(chosen.now.method, bool(why), _explicit_families(chosen) if "causes" in parts else None)
    compared = (str(chosen.now.baseline), *map(chosen.key, range(count))) if of_all else (chosen.key(),)
    key = (compared, wanted, intervals, *(one.digest for one in chosen.page_images.pictures))
    made = st.session_state.get("report_made")
    if made is None or made[0] != key:
        st.caption(f"{CONTENTS_OF_ALL if of_all else CONTENTS} Of the whole set and all labels.")
        text = f"Make the report of all {count} predictions" if of_all else "Make the report"
        if not st.button(text, type="primary", key="make_report"):
            return
        st.session_state["report_made"] = (key, *_make(chosen, wanted, bool(intervals), of_all))
        st.rerun()
    _, archive, name, problem = made
    if problem:
        st.warning(problem)
    _show_downloads(archive, name)


def _explicit_families(chosen: Chosen) -> dict[str, Any] | None:
    """The families that the visitor chose; the report does not use a default tree."""
    now = chosen.now
    tree = family_choice.explicit_tree(chosen.compared, now.families)
    if tree is None:
        return None
    return {
        "families": tree, "sample": now.family_sample, "count": now.family_count or None, "depth": now.family_depth
    }  # fmt: skip


def _make(chosen: Chosen, wanted: ReportChoices, intervals: bool, of_all: bool) -> tuple[bytes, str, str]:
    """The zip, its name, and why it is not of all predictions, or ""."""
    bar, problem, compared = st.progress(0.0, "Starting …"), "", chosen.compared
    stem = lambda given: downloads.file_name(PurePath(given.name).stem)
    try:
        if of_all:
            try:
                return _report_of_all(chosen, wanted, bar), f"{stem(chosen.files.gt)}-predictions-report.zip", ""
            except InputError as error:
                problem = f"There is no report of all predictions. {error_text(error)} This is the report of one."
        found = data_tables.intervals_of(chosen.key(), wanted.method, compared) if intervals else None
        pictures = chosen.page_images.pictures
        archive = run_guarded(
            make_report, compared, pictures, wanted, found, file="the report", size=bytes_of([compared, pictures]),
            show_progress=partial(_show_progress, bar),
        )  # fmt: skip
        return archive, downloads.file_name(PurePath(chosen.pred.name).stem, "report") + ".zip", problem
    finally:
        bar.empty()


def _show_progress(bar: DeltaGenerator, what: str, share: float) -> None:
    bar.progress(share, as_typed(f"Making the {what} …"))


def _report_of_all(chosen: Chosen, wanted: ReportChoices, bar: DeltaGenerator) -> bytes:
    """The report of all predictions that can be compared; an InputError if these are fewer than two."""
    stems = [downloads.file_name(PurePath(name).stem) or "prediction" for name in chosen.names]
    folders = make_unique([*RESERVED_NAMES, *stems])[len(RESERVED_NAMES) :]
    pictures = chosen.page_images.pictures
    compared = {folders[k]: one for k, one in chosen.compare_all() if isinstance(one, Comparison)}
    if len(compared) < 2:
        raise InputError("", "", "fewer than two predictions can be compared", "The page Models says why.")
    baseline = folders[min(chosen.now.baseline, len(folders) - 1)]
    baseline = baseline if baseline in compared else next(iter(compared))
    return run_guarded(
        make_board_report, compared, baseline, pictures, wanted, file="the report", parts=len(compared),
        size=bytes_of([compared, pictures]),
        show_progress=partial(_show_progress, bar),
    )  # fmt: skip


def _show_downloads(archive: bytes, name: str) -> None:
    """Buttons that download the zip or one file of it."""
    whole, one, button = page_shell.columns(2, 3, 2, key="_take")
    whole.download_button(
        f"Everything as a zip ({len(archive) / 1e6:.1f} MB)", archive, name, "application/zip",
        type="primary", key="take_zip", on_click="ignore", width="stretch",
    )  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        members = files.namelist()
        first = next(k for k, member in enumerate(members) if member in (INDEX_PAGE, "report.html"))
        member = str(one.selectbox("or one file of it", members, index=first, key="report_member"))
        data = files.read(member)
    file = PurePath(member).name
    button.download_button(f"Download {file}", data, file, key="take_one", on_click="ignore", width="stretch")


def show_save_button(chosen: Chosen, place: str = "", with_images: bool = True) -> None:
    """A button that saves the session, and a switch for page images if there are any; `place` makes keys unique.

    Without `with_images`, page images are not offered.
    """
    if chosen.shows_result:
        return  # it is a folder already, and the address has the choices
    spot = st.empty()  # the button comes first
    images = chosen.page_images
    offered = with_images and bool(images.pictures)
    wanted = offered and st.toggle("With page images", key=f"save_images{place}", help=WITH_IMAGES)
    if wanted and picture_bytes(images.pictures) > limits().upload:
        spot.warning(f"The page images take more than {limits().upload // MB:,} MB: the file could not be opened.")
        return
    contents = session.session_contents(images if wanted else None)
    spot.download_button(
        "Save this session",
        lambda: session_file(contents),
        f"{PurePath(chosen.files.gt.name).stem or 'session'}{SUFFIX}",
        "application/zip",
        key=f"save_session{place}",
        on_click="ignore",
        icon=":material/save:",
        help=SAVED,
    )


def session_file(contents: SessionContents) -> bytes:
    """The bytes of the session file, made when they are asked for."""
    return run_guarded(write_session, contents, file="the session", size=contents.size)
