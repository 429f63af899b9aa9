"""The downloads of Take it away: one table with a preview, and the whole report as a zip."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.tables.extras import Extras
from layoutcm.tables.latex_markdown import latex, markdown
from layoutcm.tables.report_tables import all_tables
from layoutcm.tables.tables import Table, csv_text, object_tables
from layoutcm.ui import choices, family_choice, page_shell, screen_text, selection, session
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.memory import bytes_of
from layoutcm.ui.parts import class_scores, objects
from layoutcm.ui.report_job import make_report
from layoutcm.ui.visitors import kept
from layoutcm.wording import MISSING, make_unique, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.metrics.objects.matched_objects import Objects

PREVIEW_ROWS = 200
# Made only when chosen, because matching objects takes time.
OBJECT_TABLES = {"object_scores": "Objects", "objects": "Objects by class"}


def show_table_download(compared: Comparison, confusion: Confusion) -> None:
    """Choose a table, preview it, download it as CSV or LaTeX, copy it as Markdown."""
    key = (session.comparison_key(), confusion.recipe, choices.current().level, _scope_name())
    known = _tables(key, compared, confusion)
    titles = {name: table.title for name, table in known.items() if name != "classes" or confusion.diagonal}
    titles |= OBJECT_TABLES
    left, right = page_shell.columns(1, 2, key="_table")
    with left:
        name = str(st.selectbox("Table", list(titles), format_func=titles.__getitem__, key="report_table"))
        table = _object_tables(key, objects.objects_of_level(compared))[name] if name in OBJECT_TABLES else known[name]
        row = st.container(horizontal=True)
        row.download_button("CSV", csv_text(table), f"{name}.csv", "text/csv", key="take_csv", on_click="ignore")
        row.download_button("LaTeX", latex(table), f"{name}.tex", "text/x-tex", key="take_tex", on_click="ignore")
        st.caption(
            "CSV has every digit; LaTeX needs booktabs, and graphicx for matrices. A spreadsheet with all tables is in "
            "the whole report."
        )
    with right:
        shown = table.data.head(PREVIEW_ROWS)
        height = 38 + 35 * min(len(shown), 10)
        st.dataframe(_as_text(table, shown), hide_index=True, key="report_preview", height=height)
        for text in filter(None, (table.note, table.recipe)):
            st.caption(screen_text.as_typed(text))
        if len(table.data) > len(shown):
            st.caption(f"The first {len(shown):,} of {len(table.data):,} rows; the file has all of them.")
        with st.expander("Markdown, to copy"):
            st.code(markdown(Table(table.name, table.title, shown, table.matrix, table.pixels)), language=None)


def _as_text(table: Table, shown: pd.DataFrame) -> Any:
    """The rows as text, because the browser cuts long numbers off at the left; with the unique names that it needs."""
    names = make_unique([str(name) for name in shown.columns])
    formatters = {
        "share": partial(score_text, digits=4),
        "whole": thin_spaced,
        "pixels": thin_spaced,
        "fractions": thin_spaced,
    }
    formats: dict[Any, Any] = {name: formatters[kind] for name, kind in zip(names, table.kinds()) if kind in formatters}
    return shown.set_axis(names, axis="columns").style.format(formats, na_rep=MISSING)


def _scope_name() -> str:
    return str(choices.value_of(choices.current().level)) if choices.current().level in ("document", "page") else ""


@kept("Making tables …")
def _tables(key: tuple[str, ...], _compared: Comparison, _confusion: Confusion) -> dict[str, Table]:
    return all_tables(_compared, _confusion)


@kept("Matching objects …")
def _object_tables(key: tuple[str, ...], _objects: Objects) -> dict[str, Table]:
    return {table.name: table for table in object_tables(_objects)}


def show_whole_report(compared: Comparison) -> None:
    """The whole report of the set: made on a click, and kept for this visitor until the comparison changes."""
    families = [choices.value_of(f"family_{choice}") for choice in ("sample", "count", "depth")]
    help_text = "Intervals over documents: whiskers on class bars, and a table"
    intervals = st.toggle("With intervals", key="report_intervals", help=help_text)
    key = (
        session.comparison_key(),
        choices.current().method,
        choices.current().families,
        *families,
        intervals,
        *_image_keys(),
    )
    made = st.session_state.get("report_made")
    if made is None or made[0] != key:
        st.caption("HTML that opens offline, a spreadsheet, JSON, pages as CSV and Parquet, figures, LaTeX tables.")
        if not st.button("Make the report of the whole set", type="primary", key="make_report"):
            return
        st.session_state["report_made"] = (key, _make_report(compared, intervals))
        st.rerun()
    _show_downloads(made[1])


def _image_keys() -> list[str]:
    """Keys for the page images in use."""
    files = session.loaded_files()
    uploaded = (one.digest for zone in st.session_state.get("pictures_given", ()) for one in zone)
    return [files.images if files else "", *uploaded]


def _make_report(compared: Comparison, intervals: bool) -> bytes:
    bar = st.progress(0.0, "Starting …")

    def show_progress(what: str, share: float) -> None:
        bar.progress(share, f"Making the {what} …")

    extras = Extras(
        _explicit_families(compared),
        class_scores.intervals_of(session.comparison_key(), compared) if intervals else None,
    )
    images, method = selection.current_page_images(), choices.current().method
    pictures = images.pictures
    size = bytes_of([compared, pictures])
    task = (make_report, compared, pictures, method, extras)
    archive = run_guarded(*task, file="the report", size=size, show_progress=show_progress)
    bar.empty()
    return archive


def _explicit_families(compared: Comparison) -> FamilyConfusion | None:
    """The families that the visitor chose; the report does not use a default tree."""
    tree = family_choice.explicit_tree(compared)
    if tree is None:
        return None
    sample, count, depth = (choices.value_of(f"family_{choice}") for choice in ("sample", "count", "depth"))
    return compared.families(tree, sample, count or None, depth=depth)


def _show_downloads(archive: bytes) -> None:
    """Buttons that download the zip or one file of it."""
    name = PurePath(session.chosen_pred().name).stem or "prediction"
    whole, one, button = page_shell.columns(2, 3, 2, key="_take")
    whole.download_button(
        f"Everything as a zip ({len(archive) / 1e6:.1f} MB)", archive, f"{name}-report.zip", "application/zip",
        type="primary", key="take_zip", on_click="ignore", width="stretch",
    )  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        members = files.namelist()
        first = members.index("report.html")
        member = str(one.selectbox("or one file of it", members, index=first, key="report_member"))
        data = files.read(member)
    file = PurePath(member).name
    button.download_button(f"Download {file}", data, file, key="take_one", on_click="ignore", width="stretch")
