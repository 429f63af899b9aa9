"""The whole report in Take it away: of the prediction, or of all predictions if there are several, as a zip."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.metrics.intervals import Intervals
from layoutcm.report.leaderboard_files import RESERVED_NAMES
from layoutcm.tables.extras import Extras
from layoutcm.tables.leaderboard_tables import INDEX_PAGE
from layoutcm.ui import choices, family_choice, offers, page_shell, selection, session
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.input_files import comparison_of
from layoutcm.ui.memory import bytes_of
from layoutcm.ui.report_job import ReportChoices, make_board_report, make_report
from layoutcm.ui.screen_text import as_typed, error_text
from layoutcm.ui.visitors import kept
from layoutcm.wording import make_unique

CONTENTS = "HTML that opens offline, a spreadsheet, JSON, pages as CSV and Parquet, figures, LaTeX tables."
CONTENTS_OF_ALL = f"A page that compares the predictions, and for each of them: {CONTENTS}"
FILES_OF_RESULT = (
    "There is no report of a result of parts. Its folder has the numbers: result.json, documents.parquet, and the "
    "scores of all pages in the folder pages. To open it again: layoutcm app FOLDER."
)
WHY_HELP = "Causes of wrong pixels, F1 with forgiven borders, score thresholds and calibration. They take longer."


def show_whole_report(compared: Comparison) -> None:
    """The report of the whole set: made on a click, and kept for this visitor until the comparison changes."""
    if session.shows_result():
        st.caption(FILES_OF_RESULT)
        return
    of_all = choices.current().truth and len(session.pred_names()) > 1
    with st.container(horizontal=True, gap="medium"):
        why = compared.has_truth and st.toggle("With the causes of errors", key="report_why", help=WHY_HELP)
        help_text = "Intervals over documents: whiskers on class bars, and a table"
        intervals = not of_all and st.toggle("With intervals", key="report_intervals", help=help_text)
    chosen = ReportChoices(choices.current().method, bool(why), _explicit_families(compared))
    key = (_content(of_all), chosen, intervals, *_image_keys())
    made = st.session_state.get("report_made")
    if made is None or made[0] != key:
        st.caption(f"{CONTENTS_OF_ALL if of_all else CONTENTS} Of the whole set and all labels.")
        text = f"Make the report of all {len(session.pred_names())} predictions" if of_all else "Make the report"
        if not st.button(text, type="primary", key="make_report"):
            return
        st.session_state["report_made"] = (key, *_make(compared, chosen, bool(intervals), of_all))
        st.rerun()
    _, archive, name, problem = made
    if problem:
        st.warning(problem)
    _show_downloads(archive, name)


def _content(of_all: bool) -> tuple[str, ...]:
    if not of_all:
        return (session.comparison_key(),)
    keys = (session.comparison_key(position) for position in range(len(session.pred_names())))
    return (str(choices.current().baseline), *keys)


def _image_keys() -> list[str]:
    """Keys for the page images in use."""
    return [one.digest for one in selection.current_page_images().pictures]


def _explicit_families(compared: Comparison) -> dict[str, Any] | None:
    """The families that the visitor chose; the report does not use a default tree."""
    tree, now = family_choice.explicit_tree(compared), choices.current()
    if tree is None:
        return None
    return {
        "families": tree, "sample": now.family_sample, "count": now.family_count or None, "depth": now.family_depth
    }  # fmt: skip


def _make(compared: Comparison, chosen: ReportChoices, intervals: bool, of_all: bool) -> tuple[bytes, str, str]:
    """The zip, its name, and why it is not of all predictions, or ""."""
    bar, problem = st.progress(0.0, "Starting …"), ""
    try:
        if of_all:
            try:
                return _report_of_all(chosen, bar), f"{_stem(session.loaded_files())}-predictions-report.zip", ""
            except InputError as error:
                problem = f"There is no report of all predictions. {error_text(error)} This is the report of one."
        extras = Extras(intervals=_intervals(session.comparison_key(), chosen.method, compared) if intervals else None)
        pictures = selection.current_page_images().pictures
        archive = run_guarded(
            make_report, compared, pictures, chosen, extras, file="the report", size=bytes_of([compared, pictures]),
            show_progress=partial(_show_progress, bar),
        )  # fmt: skip
        return archive, offers.file_name(PurePath(session.chosen_pred().name).stem, "report") + ".zip", problem
    finally:
        bar.empty()


def _show_progress(bar: DeltaGenerator, what: str, share: float) -> None:
    bar.progress(share, as_typed(f"Making the {what} …"))


def _stem(files: session.LoadedFiles | None) -> str:
    return offers.file_name(PurePath(files.gt.name).stem) if files else ""


def _report_of_all(chosen: ReportChoices, bar: DeltaGenerator) -> bytes:
    """The report of all predictions that can be compared; an InputError if these are fewer than two."""
    folders, pictures = _folder_names(), selection.current_page_images().pictures
    compared = {folders[position]: one for position, one in _comparisons().items()}
    if len(compared) < 2:
        raise InputError("", "", "fewer than two predictions can be compared", "The page Models says why.")
    baseline = folders[min(choices.current().baseline, len(folders) - 1)]
    baseline = baseline if baseline in compared else next(iter(compared))
    return run_guarded(
        make_board_report, compared, baseline, pictures, chosen, file="the report", parts=len(compared),
        size=bytes_of([compared, pictures]),
        show_progress=partial(_show_progress, bar),
    )  # fmt: skip


def _folder_names() -> list[str]:
    """The folder of each prediction in the report of all."""
    stems = [offers.file_name(PurePath(name).stem) or "prediction" for name in session.pred_names()]
    return make_unique([*RESERVED_NAMES, *stems])[len(RESERVED_NAMES) :]


def _comparisons() -> dict[int, Comparison]:
    """{position: comparison} of the predictions that can be compared."""
    found = {}
    for position in range(len(session.pred_names())):
        with suppress(InputError):
            found[position] = comparison_of(session.comparison_request(position), session.compare_options(position))
    return found


@kept("Computing intervals …")
def _intervals(content: str, method: str, _compared: Comparison) -> Intervals:
    return _compared.bootstrap(method=method)


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
