"""The files that a visitor has dropped or opened, with their roles, and how they become the loaded files.

Only this module writes the session keys "held", "held_loaded", "uploads_taken", "zone", "new_load"
and "gone_on".
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from layoutcm.errors import InputError
from layoutcm.ui.files.file_facts import (
    COMPANION,
    LAYOUTS,
    UNKNOWN,
    WHOLE_LAYOUT,
    FileFacts,
    facts_of_files,
    facts_of_start,
)
from layoutcm.ui.files.file_roles import GT, PRED, Card, DroppedFile, group_files, make_cards, side_by_name
from layoutcm.ui.files.input_file import InputFile, LoadedFiles, input_from_bytes
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.state import choices, session


@dataclass(frozen=True)
class HeldFiles:
    """All files, and what the visitor said about them."""

    files: tuple[DroppedFile, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)  # chosen, by the number of a card
    separate: tuple[str, ...] = ()  # formats whose files of one page are layouts of their own
    joined: tuple[str, ...] = ()  # formats whose predictions are one prediction
    opened: tuple[int, ...] = ()  # numbers of files that were not dropped: a reload opens them again
    sizes: str = ""  # a page size for files that have none


def current() -> HeldFiles:
    """The files of the cards. If other files were loaded (the sample, a link, a session), they are the cards now."""
    held: HeldFiles = st.session_state.get("held") or HeldFiles()
    files = session.loaded_files()
    if files is not None and _loaded(files) != st.session_state.get("held_loaded"):
        held = _opened(files)
        st.session_state["held"], st.session_state["held_loaded"] = held, _loaded(files)
    return held


def _loaded(files: LoadedFiles | None) -> list[str]:
    """The ground truth and the predictions that are loaded; with names, because two files may be equal."""
    return [f"{one.digest} {one.name}" for one in (files.gt, *files.preds)] if files else []


def _opened(files: LoadedFiles) -> HeldFiles:
    if files.is_result:  # it has no files of layouts
        return HeldFiles()
    given = (files.gt, *files.preds)
    cards = [DroppedFile(one, _facts_of_opened(one), i) for i, one in enumerate(given, 1)]
    numbers = tuple(one.number for one in cards)
    roles = {number: PRED if i else GT for i, number in enumerate(numbers)}
    is_named = bool(choices.current().load)  # the address names them; those of a dropped session are not named
    return HeldFiles(tuple(cards), roles, opened=numbers if is_named else (), sizes=files.sizes)


def _facts_of_opened(given: InputFile) -> FileFacts:
    """An opened file or folder is a whole layout, whatever its format; that of a folder is not known."""
    if given.origin:
        return FileFacts(WHOLE_LAYOUT, given.origin.format)
    if not given.data and not os.path.isfile(given.path):
        return FileFacts(WHOLE_LAYOUT)
    try:
        found = run_guarded(facts_of_start, given, file=given.name, size=0)
    except InputError:
        return FileFacts(WHOLE_LAYOUT)
    return replace(found, kind=WHOLE_LAYOUT)


def cards() -> tuple[Card, ...]:
    held = current()
    return make_cards(group_files(held.files, held.separate), held.roles, held.joined, choices.current().truth)


def missing_sentence() -> str:
    """What to do as long as there is nothing to compare."""
    return "A file is still missing: see the page Data." if cards() else "Nothing loaded yet. Start on the page Data."


def change(**changes: Any) -> None:
    st.session_state["held"] = replace(current(), **changes)


def zone_key() -> str:
    """The key of the drop zone; another key empties it."""
    return f"drop_{session.restarts()}_{st.session_state.get('zone', 0)}"


def take_uploads(uploads: Sequence[Any]) -> bool:
    """Hold what is new in the drop zone, which keeps its files; returns whether there was anything new."""
    taken: set[str] = st.session_state.setdefault("uploads_taken", set())
    new = [one for one in uploads if one.file_id not in taken]
    if not new:
        return False
    files = [input_from_bytes(one.name, one.getvalue()) for one in new]
    _hold(files, _find_facts(files))
    taken.update(one.file_id for one in new)
    return True


def _hold(files: list[InputFile], facts: list[FileFacts]) -> None:
    held = current()
    layouts = [one for one, own in zip(files, facts) if own.kind in LAYOUTS]
    replaces = len(layouts) > 1 and any(side_by_name(one.name) == "gt" for one in layouts)
    kept = tuple(one for one in held.files if not (replaces and one.number in held.opened))
    last = max((one.number for one in held.files), default=0)
    more = [DroppedFile(*pair, last + i) for i, pair in enumerate(zip(files, facts), start=1)]
    change(files=(*kept, *more))


def _find_facts(files: list[InputFile]) -> list[FileFacts]:
    """What the files are. If looking at all of them fails, they are looked at one by one."""
    try:
        return run_guarded(facts_of_files, files, file=files[0].name, size=sum(one.size for one in files))
    except InputError:
        if len(files) == 1:
            return [FileFacts(UNKNOWN)]  # reading it says what is wrong
        return [facts for one in files for facts in _find_facts([one])]


def choose_role(card: Card, role: str) -> None:
    """Give a card a role. There is one ground truth, so the previous one becomes a prediction."""
    before = {one.number: PRED for one in cards() if role == GT and one.role == GT}
    change(roles={**current().roles, **before, card.number: role})


def swap(gt: Card, pred: Card) -> None:
    change(roles={**current().roles, gt.number: PRED, pred.number: GT})


def remove(card: Card) -> None:
    """Forget the files of a card, also lists of names that no other card needs."""
    others = [one for one in cards() if one.number != card.number]
    needed = {file.number for one in others for file in (*one.group.files, *one.group.companions)}
    own = [one for one in card.group.companions if one.facts.kind in (COMPANION, UNKNOWN) and one.number not in needed]
    gone = {one.number for one in (*card.group.files, *own)}
    held = current()
    # Another key of the drop zone lets the server forget uploads that are not needed; what is held stays.
    st.session_state["zone"] = st.session_state.get("zone", 0) + 1
    change(
        files=tuple(one for one in held.files if one.number not in gone),
        roles={number: role for number, role in held.roles.items() if number not in gone},
    )


def load() -> bool:
    """Load the files of the cards; returns whether they changed."""
    found, before = cards(), session.loaded_files()
    gt = next((one for one in found if one.role == GT), None)
    preds = tuple(one.group.input for one in found if one.role == PRED)
    if gt is None or not preds:
        if before is not None and before.is_result and gt is None:
            return False  # page images or families for the result
        if before is not None:
            session.forget_files()
        return before is not None
    files = LoadedFiles(gt.group.input, preds, sizes=current().sizes)
    if _loaded(files) == _loaded(before):
        return False
    st.session_state["held_loaded"] = _loaded(files)
    _load(files, before)
    return True


def _load(files: LoadedFiles, before: LoadedFiles | None) -> None:
    """Load the files, and keep what belonged to the files before: mapping, images, page maps, attributes."""
    truth = choices.current().truth
    if before:
        if before.mapping and not choices.current().mapping:
            choices.put(mapping=before.mapping)  # as a choice, it moves with its prediction
        same_gt = before.gt.digest == files.gt.digest
        maps = before.page_maps if same_gt else ()
        files = replace(files, images=before.images, page_maps=maps, attributes=before.attributes if same_gt else None)
    session.load_files(files)
    choices.put(truth=truth)
    note_new_load()


def note_new_load() -> None:
    """Note that the visitor has loaded something: the first time, the app goes on by itself."""
    st.session_state["new_load"] = True


def take_new_load() -> bool:
    return bool(st.session_state.pop("new_load", False))


def is_first_load(is_compared: bool) -> bool:
    """Whether the visitor has just loaded files, and none were compared before: then the app goes on by itself."""
    was_first = take_new_load() and not st.session_state.get("gone_on")
    if is_compared:
        st.session_state["gone_on"] = True
    return was_first and is_compared
