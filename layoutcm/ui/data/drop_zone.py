"""The parts of the start page around the cards: the drop zone, formats, what is missing, the data folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import streamlit as st

from layoutcm.alignment.no_common_pages import NoCommonPages
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.lazy import pd
from layoutcm.ui.data import card_reviews, label_mapping
from layoutcm.ui.data.card_reviews import Review
from layoutcm.ui.files.file_roles import GT, PRED, SESSION, Card, roles_offered, seem_swapped, seems_no_truth
from layoutcm.ui.files.link_targets import data_files, is_result_path
from layoutcm.ui.files.session_files import is_session_file
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.server.settings import app_folder
from layoutcm.ui.shared import page_shell, take_away
from layoutcm.ui.state import card_state, choices, session, side_files
from layoutcm.ui.state.chosen import Chosen
from layoutcm.wording import agree

DROP = "Drop files here: ground truth, predictions, page images and more"
HELP = (
    "Layouts of any format, zips, all files of a folder together; page images or PDF; a label mapping or families "
    "(YAML, JSON); a page map or page attributes (CSV); a saved session (.layoutcm). Roles are guessed, and can be "
    "changed."
)
_NAME = re.compile(r"`([a-z0-9-]+)`")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"\[([^\]\[]*)\]\([^()]*\)")
MOST_NAMES = 3  # of files in a message
PAGES_SHOWN = 100  # of each side, if no page is on both
FORMAT_TITLES = ("format", "what it is", "page sizes", "notes")


def show_drop_zone() -> None:
    """One zone for everything. What was dropped is loaded as soon as there are a ground truth and a prediction."""
    uploads = st.file_uploader(DROP, key=card_state.zone_key(), help=HELP, accept_multiple_files=True)
    with st.spinner("Looking at the files …"):
        is_new = card_state.take_uploads(uploads)
        cards = card_state.cards()
        if is_new:
            _open_session([one for one in cards if one.role == SESSION])
    side_files.load_images(cards)
    changed = card_state.load()
    if side_files.use_all(cards) or changed:
        st.rerun()


def _open_session(cards: list[Card]) -> None:
    """Open the first session among the cards; if it is wrong, its card says why, and nothing changes."""
    for card in cards:
        try:
            contents = session.read_session_file(card.group.input)
        except InputError:
            continue
        others = [one.name for one in card_state.cards() if one is not card]
        session.start_over()
        session.show_session(contents)
        if others:
            names = ", ".join(others[:MOST_NAMES]) + (" …" if len(others) > MOST_NAMES else "")
            said = f"A session replaces all files. No longer held: {names}."
            st.toast(as_typed(said), icon=":material/info:")
        card_state.note_new_load()
        st.rerun()


def show_buttons(chosen: Chosen) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    is_empty = not card_state.cards()
    if row.button("Try the sample", type="primary" if is_empty and chosen.loaded is None else "secondary"):
        session.open_named("sample")
        card_state.note_new_load()
        st.rerun()
    if row.button("Start over", disabled=is_empty and chosen.loaded is None):
        start_over()
    if chosen.loaded is None:
        if not is_empty:
            row.caption("Dropped files are held for this tab only: a reload forgets them.")
    elif chosen.now.load:  # else the bar on top has the button
        with row:
            take_away.show_save_button(chosen)


def start_over() -> None:
    """Forget the whole session, uploads included."""
    session.start_over()
    st.query_params.clear()
    st.rerun()


def show_data_folder(chosen: Chosen) -> None:
    """Choose from the folder that the app was started with: no upload, no size limit."""
    known = list(data_files())
    results = [name for name, path in data_files().items() if name.endswith("/") and is_result_path(str(path))]
    names = [name for name in known if not is_session_file(name) and not name.startswith(tuple(results))]
    if not known:
        return
    with st.expander("Files and folders of the data folder", expanded=chosen.loaded is None):
        words = chosen.words
        gt = st.selectbox(words.titles[0], names, index=None, key="folder_gt")
        preds = st.multiselect(words.others_title, names, key="folder_preds")
        if st.button("Compare these", disabled=not (gt and preds)):
            _open("|".join([str(gt), *preds]))
        saved = [name for name in known if is_session_file(name)]
        saved_name = st.selectbox("Open a saved session", saved, index=None, key="folder_session") if saved else None
        if saved_name is not None:
            _open(saved_name)
        if results:
            wanted = st.multiselect("Results of compare-parts", results, key="folder_results")
            if st.button("Open these results", disabled=not wanted):
                _open("|".join(wanted))


def _open(name: str) -> None:
    problem = session.open_named(name)
    if problem:
        st.error(as_typed(problem))
        return
    card_state.note_new_load()
    st.rerun()


def show_state(chosen: Chosen, reviews: Sequence[Review]) -> None:
    """Show what is missing, what to decide, or that all is well; the first time, the app then goes on by itself."""
    if chosen.loaded is None:
        st.info(missing_text([one.card for one in reviews], chosen.now.truth))
        return
    compared = chosen.comparison
    gt, preds = (next(one for one in reviews if one.card.role == GT), [one for one in reviews if one.card.role == PRED])
    swapped = _why_swapped(chosen, gt, preds)
    decisions = [*([f"the two sides seem to be swapped ({swapped})"] if swapped else []), *_decisions(chosen, reviews)]
    if chosen.now.truth and not swapped and seems_no_truth(gt.card, gt.has_scores):
        name = as_typed(gt.card.name)
        decisions.append(f"{name} is taken for the ground truth, but has scores. If no file is the truth, say so below")
    if card_state.is_first_load(isinstance(compared, Comparison)) and not decisions:
        page_shell.go_to("models")
    _show_page_maps_to_fill_in(chosen)
    if decisions:
        st.warning(f"Look at this before you go on: {'; '.join(decisions)}.")
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        if isinstance(compared, Comparison):
            warnings = sum(found.severity != "info" for one in reviews for found in one.findings)
            _show_way_on(compared, len(preds), decisions, warnings)
        if GT in roles_offered(preds[chosen.position].card):
            cards = gt.card, preds[chosen.position].card
            st.button(chosen.words.swap, key="swap", type="primary" if swapped else "secondary",
                      icon=":material/swap_vert:", on_click=card_state.swap, args=cards)  # fmt: skip


def _show_page_maps_to_fill_in(chosen: Chosen) -> None:
    """If no page of a prediction is one of the ground truth: why, the names of both, and a page map to fill in."""
    for position, problem in chosen.compare_all():
        if not isinstance(problem, NoCommonPages):
            continue
        st.error(error_text(problem))
        names = [names[:PAGES_SHOWN] for names in problem.names]
        columns = dict(zip(chosen.words.titles, map(list, names)))
        st.dataframe(pd.DataFrame.from_dict(columns, orient="index").T, hide_index=True, key=f"page_names_{position}")
        st.download_button(
            "Download a page map to fill in", problem.page_map, "pages.csv", "text/csv", key=f"page_map_{position}",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip


def missing_text(cards: Sequence[Card], truth: bool) -> str:
    """What is here, and what is still missing for a comparison; `truth`: whether one file is the truth."""
    has_gt, preds = any(one.role == GT for one in cards), sum(one.role == PRED for one in cards)
    if not truth and (has_gt or preds):
        return "A layout is here. Drop another one to compare it with."
    if has_gt:
        return "A ground truth is here. Drop a prediction to compare it with."
    if preds:
        here = "A prediction is here." if preds == 1 else f"{preds} predictions are here."
        return (
            f"{here} Drop a ground truth to compare {agree(preds, 'it', 'them')} with, or change the role of a file. "
            "If no file is the truth, say so below the cards."
        )
    return "Drop a ground truth and a prediction: none of these files is a layout that can be used."


def _why_swapped(chosen: Chosen, gt: Review, preds: Sequence[Review]) -> str:
    if not chosen.now.truth:
        return ""
    return seem_swapped(gt.card, [one.card for one in preds], gt.has_scores, any(one.has_scores for one in preds))


def _decisions(chosen: Chosen, reviews: Sequence[Review]) -> list[str]:
    """What a visitor should look at before going on."""
    errors = sum(bool(one.error) for one in reviews)
    repairs = sum(any(map(card_reviews.has_repair, one.findings)) for one in reviews)
    unmapped = len(suggestions(chosen))
    texts = (
        (errors, f"{plural_spaced(errors, 'file')} cannot be used"),
        (repairs, f"{plural_spaced(repairs, 'file')} {agree(repairs, 'has', 'have')} a finding with a repair"),
        (unmapped, f"{plural_spaced(unmapped, 'prediction')} {agree(unmapped, 'has', 'have')} labels to map"),
    )
    return [text for count, text in texts if count]


def suggestions(chosen: Chosen) -> dict[int, list[str]]:
    """{position of a prediction: its labels that the ground truth does not have}, for those without a mapping."""
    compared = {k: one for k, one in chosen.compare_all() if isinstance(one, Comparison)}
    found = {k: label_mapping.foreign_labels(chosen, k, one) for k, one in compared.items()}
    return {position: labels for position, labels in found.items() if labels}


def _show_way_on(compared: Comparison, preds: int, decisions: list[str], warnings: int) -> None:
    """The button that goes on, and a few words if nothing keeps the visitor here."""
    st.button("Go on to Models", key="go_on", type="secondary" if decisions else "primary",
              icon=":material/arrow_forward:", on_click=page_shell.go_to, args=("models",))  # fmt: skip
    if not decisions:
        pages = plural_spaced(len(compared.pages), "page")
        others = f", {plural_spaced(preds, 'prediction')}" if "models" in compared.vocabulary.parts else ""
        well = ":green[:material/check_circle:] All is well: "
        said = f"{pages}{others} compared, with {plural_spaced(warnings, 'warning')} below."
        st.markdown(said if warnings else f"{well}{pages}{others} compared.", width="content")


def ask_sizes(chosen: Chosen, reviews: Sequence[Review]) -> None:
    """Ask for a page size, for formats without one when no other file provides it."""
    before = card_state.current().sizes
    if not before and not any(one.error and not one.card.group.facts.has_sizes for one in reviews):
        return
    text = st.text_input("Page size for files that have none, such as 1025x1025", before, key="sizes")
    parts = text.lower().replace(" ", "").split("x")
    sizes = "x".join(parts)
    if sizes == before:
        return
    if text and not (len(parts) == 2 and all(part.replace(".", "", 1).isdecimal() for part in parts)):
        st.error("Write width x height, such as 1025x1025.")
        return
    card_state.change(sizes=sizes)
    if chosen.loaded is not None:
        session.change_files(sizes=sizes)
    st.rerun()


def show_truth(chosen: Chosen) -> None:
    """Whether one file is the truth; if not, Models shows how far the files agree."""
    help_text = "Then Models shows how far the files agree, instead of how good they are."
    st.session_state["no_truth"] = not chosen.now.truth
    words = "No file is the truth: call the two sides A and B"
    store = lambda: choices.put(truth=not st.session_state["no_truth"])
    st.toggle(words, key="no_truth", on_change=store, help=help_text)


class FormatRow(NamedTuple):
    name: str
    title: str
    sizes: str
    notes: str


@cache
def format_rows() -> tuple[FormatRow, ...]:
    """One row for each format that the documentation describes; a row of several formats is repeated for each."""
    header: list[str] = []
    found: list[FormatRow] = []
    for line in (app_folder() / "docs" / "formats.md").read_text("utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(line.strip("|"))]
        if cells[0] == "name":
            header = cells
        elif header and line.startswith("| `"):
            row = dict(zip(header, map(_plain, cells)))
            names = [name for name in _NAME.findall(cells[0]) if name in BY_NAME]
            titles = [row["what it is"]] if len(names) == 1 else [BY_NAME[name].title for name in names]
            found += [FormatRow(*pair, row["page sizes"], row["notes"]) for pair in zip(names, titles)]
        elif not line.startswith("|"):
            header = []
    return tuple(found)


def _plain(text: str) -> str:
    """A cell without the signs of Markdown."""
    return _LINK.sub(r"\1", text).replace("`", "")


def formats_with(words: str) -> list[FormatRow]:
    """The formats whose rows contain all of these words."""
    wanted = words.casefold().split()
    return [row for row in format_rows() if all(word in " ".join(row).casefold() for word in wanted)]


def show_formats() -> None:
    with st.expander(f"Formats that are read ({len(format_rows())})"):
        shown = formats_with(st.text_input("Search", key="format_search", placeholder="a tool, a suffix, a word"))
        if shown:
            columns = {title: [row[i] for row in shown] for i, title in enumerate(FORMAT_TITLES)}
            st.dataframe(columns, hide_index=True, key="formats")
        else:
            st.caption("No format has these words. A table in CSV can be read from any tool.")
