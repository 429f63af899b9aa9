"""The candidates for errors of the ground truth: which ones are shown, one on its page, decisions, and files.

Only this module writes the session key "decisions_made"; `session` keeps the decisions.
"""

from __future__ import annotations

import io
import math
from base64 import b64encode
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from layoutcm.drawing.candidate_picture import Box, MarkedBox, draw_part_of_page, overlap, surroundings
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.page_raster import page_boxes
from layoutcm.drawing.palette import label_colours
from layoutcm.layouts.model import Layout
from layoutcm.lazy import pd
from layoutcm.metrics.levels import page_position, pages_at
from layoutcm.models.contradictions import KINDS
from layoutcm.models.suggestions import (
    ACCEPTED,
    CHANGES,
    DECISIONS,
    DISMISSED,
    SUFFIXES,
    WHICH,
    WRITERS,
    chosen_candidates,
)
from layoutcm.tables.command_texts import candidate_table, label_errors_sentence
from layoutcm.tables.tables import Table
from layoutcm.ui.files.page_pictures import shrunk_picture
from layoutcm.ui.ground_truth.all_comparisons import Evidence, FoundErrors, gt_layout
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.shared.downloads import Offer, file_name
from layoutcm.ui.state import choices, session
from layoutcm.ui.state.chosen import Chosen
from layoutcm.wording import score_text, thin_spaced

ROWS_SHOWN = 1000
TABLE_KEY = "candidate_table"
KIND_HELP = (
    "label: the region has another label. missing: there is no region where there should be one. spurious: there is a "
    "region where there should be none. box: its borders are elsewhere."
)
DECIDED = {"": "", ACCEPTED: "✓ accepted", DISMISSED: "✗ dismissed"}
GT_BOX = ("x0", "y0", "x1", "y1")
SUGGESTED_BOX = tuple(f"suggested_{name}" for name in GT_BOX)
PICTURE_SIDE = 1600  # px, the longest side of the picture that a part is cut from
LINES_TEXT = (
    "Thick: the region; thick and dashed: the suggestion; thin: predictions; hairlines: other regions of the truth."
)
TITLES = {"csv": "CSV", "label-studio": "Label Studio", "cvat": "CVAT"}
MIME_TYPES = {"csv": "text/csv", "label-studio": "application/json", "cvat": "application/xml"}
FILE_NAME = "label-errors"
MOST_UNDONE = 1000  # decisions that can be undone


@dataclass(frozen=True, eq=False)
class ShownCandidates:
    """The first rows after filtering, their keys, how many rows the filters leave, and the chosen row."""

    rows: pd.DataFrame
    keys: list[str]
    filtered: int
    chosen: int

    @property
    def record(self) -> Any:
        return self.rows.iloc[self.chosen]


def show_sentence(chosen: Chosen, found: FoundErrors) -> None:
    st.markdown(as_typed(label_errors_sentence(found.table, len(gt_layout(chosen).region_columns))))


def show_filters(chosen: Chosen, evidence: Evidence) -> None:
    """The kinds and labels to show. The labels are those of Filter, because a choice has one value everywhere."""
    known = list(dict.fromkeys(label for c in evidence.comparisons for label in c.labels[1:]))
    choices.put(
        error_kinds=tuple(kind for kind in chosen.now.error_kinds if kind in KINDS),
        labels=tuple(label for label in chosen.now.labels if label in known),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills("Kinds", KINDS, selection_mode="multi", help=KIND_HELP, **choices.bind("error_kinds", "truth"))
        st.multiselect(
            "Labels, now or suggested", known, placeholder="all", width=420, **choices.bind("labels", "truth")
        )


def show_review(evidence: Evidence, found: FoundErrors, chosen: Chosen) -> None:
    """One candidate beside the table of all, the buttons that decide about it, and the files."""
    shown = shown_candidates(chosen, evidence, found)
    if shown is None:
        st.info("No candidate has these kinds and labels.")
    else:
        show_buttons(shown)
        left, right = page_shell.columns(2, 3, key="_candidates")
        with left:
            show_candidate(chosen, evidence, shown)
        with right:
            show_table(evidence, found, shown)
    show_downloads(chosen, found)


def shown_candidates(chosen: Chosen, evidence: Evidence, found: FoundErrors) -> ShownCandidates | None:
    """What the table shows; None if the filters leave nothing."""
    table, keys = found.table, found.keys
    rows = np.flatnonzero(_is_wanted(chosen, table, evidence))
    first = rows[:ROWS_SHOWN]
    if not first.size:
        return None
    shown = [keys[row] for row in first]
    wanted = st.session_state.get("chosen_candidate")
    return ShownCandidates(table.iloc[first], shown, rows.size, shown.index(wanted) if wanted in shown else 0)


def _is_wanted(chosen: Chosen, table: pd.DataFrame, evidence: Evidence) -> Any:
    """bool[rows]: the kinds, labels and level that are chosen."""
    now = chosen.now
    wanted = np.ones(len(table), bool)
    if now.error_kinds:
        wanted &= table["kind"].isin(now.error_kinds).to_numpy()
    if now.labels:
        wanted &= (table["gt_label"].isin(now.labels) | table["suggested"].isin(now.labels)).to_numpy()
    compared = evidence.comparisons[0]
    level = chosen.level(compared)
    pages = pages_at(compared.levels, level.get("page"), level.get("document"))
    if pages is not None:
        wanted &= table["page"].isin([compared.pages[page] for page in pages]).to_numpy()
    return wanted


COLUMNS = {
    "decision": st.column_config.TextColumn("decision", width=96),
    "kind": st.column_config.TextColumn("kind", width=76),
    "evidence": data_tables.plain_number("evidence"),
}


def show_table(evidence: Evidence, found: FoundErrors, shown: ShownCandidates) -> None:
    """The candidates, the strongest evidence first; choosing a row, or a cell of it, shows it beside the table."""
    made = session.decisions()
    table = candidate_table(shown.rows, evidence.columns)
    table.insert(0, "decision", [DECIDED[made.get(key, "")] for key in shown.keys])
    # The table scrolls to a chosen cell, but not to a chosen row.
    selected = {"rows": [shown.chosen], "columns": [], "cells": [[shown.chosen, "kind"]]}
    st.session_state[TABLE_KEY] = {"selection": selected}
    data_tables.show_row_chooser(table, data_tables.COLUMNS | COLUMNS, TABLE_KEY, partial(_choose_row, shown))
    st.caption(_facts(found, shown, made))


def _facts(found: FoundErrors, shown: ShownCandidates, made: Any) -> str:
    counts = [sum(made.get(key) == one for key in made if key in found.rows) for one in (ACCEPTED, DISMISSED)]
    total = plural_spaced(len(found.rows), "candidate")
    parts = [f"{thin_spaced(counts[0])} accepted, {thin_spaced(counts[1])} dismissed of {total}"]
    if shown.filtered < len(found.rows):
        parts.append(f"{plural_spaced(shown.filtered, 'candidate')} after filtering")
    if shown.filtered > len(shown.keys):
        parts.append(f"the first {thin_spaced(len(shown.keys))} are in the table, files have all")
    return "; ".join(parts) + "."


def _choose_row(shown: ShownCandidates) -> None:
    """Go to the row that was clicked. The old row or the old cell may still be selected beside it."""
    selected = st.session_state[TABLE_KEY]["selection"]
    rows = [*selected["rows"], *(row for row, _ in selected["cells"])]
    new = [row for row in rows if row != shown.chosen]
    if new:
        _go_to(shown, new[0])


def show_buttons(shown: ShownCandidates) -> None:
    """Show the buttons to accept, dismiss, undo, and to go on or back; each has a key."""
    key, at, last = shown.keys[shown.chosen], shown.chosen, len(shown.keys) - 1
    decided = session.decisions().get(key, "")
    with st.container(horizontal=True, gap="small"):
        for title, letter, decision in (("Accept", "A", ACCEPTED), ("Dismiss", "D", DISMISSED)):
            st.button(
                title, key=f"candidate_{decision}", shortcut=letter, on_click=_decide, args=(shown, decision),
                type="primary" if decided == decision else "secondary",
            )  # fmt: skip
        st.button("Undo", key="candidate_undo", shortcut="U", disabled=not _undoable(), on_click=undo)
        for title, letter, to in (("Previous", "P", at - 1), ("Next", "N", at + 1)):
            st.button(
                title, key=f"candidate_{title}", shortcut=letter, disabled=not 0 <= to <= last, on_click=_go_to,
                args=(shown, to),
            )  # fmt: skip
        st.button("Open the page", key="candidate_page", on_click=page_shell.open_page, args=(shown.record["page"],))


def _go_to(shown: ShownCandidates, row: int) -> None:
    st.session_state["chosen_candidate"] = shown.keys[min(row, len(shown.keys) - 1)]


def _decide(shown: ShownCandidates, decision: str) -> None:
    decide(shown.keys[shown.chosen], decision)
    _go_to(shown, shown.chosen + 1)


def show_candidate(chosen: Chosen, evidence: Evidence, shown: ShownCandidates) -> None:
    """What is probably wrong, in words and on a part of the page."""
    key, record, compared = shown.keys[shown.chosen], shown.record, evidence.comparisons[0]
    change = CHANGES[record["kind"]].format(**record)
    st.markdown(f"**{as_typed(change)}**, evidence {score_text(record['evidence'])}")
    region = "" if record["kind"] == "missing" else f", region {record['region']}"
    st.caption(f"page {as_typed(record['page'])}{region}")
    picture = chosen.page_images.find(compared, page_position(compared.levels.pages, record["page"]))
    identity = (picture.digest, picture.member, picture.row, picture.page_index) if picture else ()
    address, wide, high = _draw((evidence.content, key, *identity), evidence, record, picture)
    # With its size the browser keeps the place free before it has the picture.
    shown_as = escape(f"{change}, on a part of page {record['page']}")
    st.html(f'<img src="{address}" width="{wide}" height="{high}" style="width:100%;height:auto" alt="{shown_as}">')
    st.caption(LINES_TEXT)
    st.markdown("  \n".join(_prediction_lines(evidence, record)))


def _prediction_lines(evidence: Evidence, record: Any) -> list[str]:
    """The label that each prediction has there, and what the evidence would be without the others."""
    lines = []
    for file, name in zip(evidence.compared, evidence.columns):
        label = record[f"{name}_label"]
        has = as_typed(label) if isinstance(label, str) else "none"
        lines.append(f"{as_typed(file)}: {has} ({score_text(record[f'{name}_evidence'])} by itself)")
    return lines


@st.cache_data(max_entries=50, show_spinner=False, scope="session")
def _draw(key: tuple[Any, ...], _evidence: Evidence, _record: Any, _picture: Picture | None) -> tuple[str, int, int]:
    """The picture as a data address, with its width and height."""
    compared = _evidence.comparisons[0]
    page = page_position(compared.levels.pages, _record["page"])
    size = float(compared.alignment.pages.widths[page]), float(compared.alignment.pages.heights[page])
    focus = [box for names in (GT_BOX, SUGGESTED_BOX) if (box := _box(_record, names))]
    view = surroundings(focus, *size)
    image = shrunk_picture(_picture, PICTURE_SIDE)
    drawn = draw_part_of_page(image, size, view, candidate_marks(_evidence, _record, view))
    out = io.BytesIO()
    drawn.save(out, "JPEG", quality=90, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return f"data:image/jpeg;base64,{b64encode(out.getvalue()).decode()}", *drawn.size


def candidate_marks(evidence: Evidence, record: Any, view: Box) -> list[MarkedBox]:
    """The boxes to draw, the most important ones last: regions of gt around, predictions there, suggestion, region."""
    known = list(dict.fromkeys(label for c in evidence.comparisons for label in c.labels[1:]))
    colours = label_colours(known)
    gt, suggested = _box(record, GT_BOX), _box(record, SUGGESTED_BOX)
    focus = [box for box in (gt, suggested) if box]
    marks = []
    for k, (name, compared) in enumerate(zip(evidence.columns, evidence.comparisons)):
        for one in page_boxes(compared, record["page"]):
            box = (one["x0"], one["y0"], one["x1"], one["y1"])
            if one["side"] == "pred" and any(overlap(box, other) for other in focus):
                marks.append(MarkedBox(box, f"{name}: {one['label']}", one["colour"], "thin"))
            elif one["side"] == "gt" and not k and box != gt and overlap(box, view):
                marks.insert(0, MarkedBox(box, "", one["colour"], "faint"))
    if suggested and record["kind"] != "label":
        marks.append(MarkedBox(suggested, f"suggested: {record['suggested']}", colours[record["suggested"]], "dashed"))
    if gt:
        change = f", suggested: {record['suggested']}" if record["kind"] == "label" else ""
        text = f"ground truth: {record['gt_label']}{change}"
        marks.append(MarkedBox(gt, text, colours[record["gt_label"]], "thick"))
    return marks


def _box(record: Any, names: tuple[str, ...]) -> Box | None:
    """The box in these columns; None if they have none."""
    x0, y0, x1, y1 = (float(record[name]) for name in names)
    return None if math.isnan(x0) else (x0, y0, x1, y1)


def show_downloads(chosen: Chosen, found: FoundErrors) -> None:
    """Which candidates to take, and a button for each format; a file is made when its button is clicked."""
    made = {key: one for key, one in session.decisions().items() if key in found.rows}
    accepted, dismissed = (sum(one == decision for one in made.values()) for decision in DECISIONS)
    counts = dict(zip(WHICH, (len(found.rows), accepted, len(found.rows) - dismissed)))
    which = st.radio(
        "Candidates to take", WHICH, format_func=lambda one: f"{one} ({thin_spaced(counts[one])})", horizontal=True,
        key="candidates_to_take",
    )  # fmt: skip
    gt = gt_layout(chosen)
    table = partial(table_of_candidates, found.table, made, which)
    downloads.offer("candidates", Offer(file_name(FILE_NAME, which), f"Candidates: {which}", table=table))
    with st.container(horizontal=True):
        for suffix, to in SUFFIXES.items():
            st.download_button(
                TITLES[to], partial(file_content, found.table, gt, made, which, to), f"{FILE_NAME}{suffix}",
                MIME_TYPES[to], key=f"take_{to}", on_click="ignore", disabled=not counts[which] and to != "csv",
            )  # fmt: skip
    st.caption(
        "Filters do not change the files. CSV has all numbers; the others are tasks for annotation tools, with the "
        "pages that have candidates."
    )


def table_of_candidates(errors: pd.DataFrame, made: dict[str, str], which: str) -> Table:
    """The candidates; where a region or a label is missing, there is an empty text."""
    rows = chosen_candidates(errors, made, which)
    texts = [name for name, dtype in zip(rows, rows.dtypes) if dtype.kind != "f"]
    plain = {str(name): rows[name].astype(object).where(rows[name].notna(), "") for name in texts}
    return Table(FILE_NAME, "Probable errors of the ground truth", rows.assign(**plain))


def file_content(errors: pd.DataFrame, gt: Layout, made: dict[str, str], which: str, to: str) -> bytes:
    return WRITERS[to](chosen_candidates(errors, made, which), gt)[0]


def decide(candidate: str, decision: str) -> None:
    """Keep a decision; "" takes it back. It can be undone."""
    before = session.decisions().get(candidate, "")
    if before == decision:
        return
    made = st.session_state.setdefault("decisions_made", [])
    st.session_state["decisions_made"] = [*made, (session.gt_key(), candidate, before)][-MOST_UNDONE:]
    _store(candidate, decision)


def undo() -> None:
    """Take the last decision back, if there is one, and return to its candidate."""
    made, own = st.session_state.get("decisions_made", []), _undoable()
    if not own:
        return
    _, candidate, before = made[own[-1]]
    st.session_state["decisions_made"] = [*made[: own[-1]], *made[own[-1] + 1 :]]
    _store(candidate, before)
    st.session_state["chosen_candidate"] = candidate


def _undoable() -> list[int]:
    """The places of the decisions about the loaded ground truth among all that were made."""
    return [k for k, (key, *_) in enumerate(st.session_state.get("decisions_made", [])) if key == session.gt_key()]


def _store(candidate: str, decision: str) -> None:
    own = {key: value for key, value in session.decisions().items() if key != candidate}
    session.keep_decisions({**own, candidate: decision} if decision else own)
