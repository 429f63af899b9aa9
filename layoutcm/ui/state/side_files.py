"""Dropped files that are not layouts, used at once: page images, a mapping, families, a page map, page attributes.

Page images may also be in the files of layouts. Only this module writes the session keys "further_used",
"further_problems", "images_of" and "image_problems".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.alignment.taxonomy import PREDS, parse_mapping
from layoutcm.drawing.page_images import PageImages
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES
from layoutcm.layouts.page_attributes import parse_attributes
from layoutcm.layouts.page_maps import parse_page_map, resolve_page_map
from layoutcm.metrics.family_trees import parse_tree
from layoutcm.ui.files import page_pictures
from layoutcm.ui.files.comparisons import gt_layout_of, layouts_of
from layoutcm.ui.files.file_roles import ATTRIBUTES, FAMILIES, GT, IMAGES, MAPPING, PAGE_MAP, PRED, Card
from layoutcm.ui.files.input_file import InputFile
from layoutcm.ui.files.repairs_and_mapping import mapping_to_text
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices, family_choice, session
from layoutcm.ui.state.chosen import read_chosen
from layoutcm.wording import agree

NAMES_SHOWN = 6
_PARSERS: dict[str, Callable[[str, bytes], Any]] = {
    MAPPING: parse_mapping,
    FAMILIES: parse_tree,
    PAGE_MAP: parse_page_map,
    ATTRIBUTES: parse_attributes,
}
ROLES = tuple(_PARSERS)
NEED_PAGES = (PAGE_MAP, ATTRIBUTES)  # of the ground truth


@kept()
def parsed(role: str, given: InputFile) -> Any:
    """What the file holds, as a file of this role; raises InputError."""
    return run_guarded(_PARSERS[role], given.name, given.data, file=given.name, size=given.size)


def describe(role: str, given: InputFile) -> str:
    """What the file holds, in a few words; raises InputError."""
    values = parsed(role, given)
    if role == MAPPING:
        names = [values.get(side, {}) for side in SIDES] + list(values.get(PREDS, {}).values())
        return f"{plural_spaced(sum(map(len, names)), 'label')} renamed"
    if role == FAMILIES:
        count = len(values.families)
        return f"{count} {agree(count, 'family', 'families')}, {plural_spaced(len(values.paths), 'label')}"
    if role == PAGE_MAP:
        return f"{plural_spaced(len(values.entries), 'pair')} of pages"
    names = [*values.names[:NAMES_SHOWN], *(["…"] if len(values.names) > NAMES_SHOWN else [])]
    return f"{', '.join(map(as_typed, names))}, of {plural_spaced(len(values.rows), values.by)}"


def use_all(cards: Iterable[Card]) -> bool:
    """Use the last card of each role for the loaded files; returns whether anything changed."""
    files = session.loaded_files()
    if files is None:
        st.session_state.pop("further_used", None)  # files that are loaded later use them anew
        return False
    used: dict[str, tuple[str, ...]] = st.session_state.setdefault("further_used", {})
    loaded = tuple(one.digest for one in (files.gt, *files.preds))
    changed = False
    for role, (use, forget) in _USES.items():
        card = card_in_use(cards, role)
        if card and role in NEED_PAGES and not can_read_gt():
            continue  # its own card says why
        wanted = (card.group.input.digest, card.name, *loaded) if card else ()
        if wanted != used.get(role, ()):
            if card:
                _try(role, card.group.input, use)
            else:
                forget()
            used[role] = wanted
            changed = True
    return changed


def can_read_gt() -> bool:
    """Whether the loaded ground truth can be read."""
    try:
        gt_layout_of(replace(read_chosen().request(), attributes=None))
    except InputError:
        return False
    return True


def card_in_use(cards: Iterable[Card], role: str) -> Card | None:
    """The last card of a role: a file that is dropped later replaces an earlier one."""
    return next((one for one in reversed(list(cards)) if one.role == role), None)


def _try(role: str, given: InputFile, use: Callable[[InputFile], None]) -> None:
    problems: dict[tuple[str, str], str] = st.session_state.setdefault("further_problems", {})
    try:
        use(given)
        problems.pop((role, given.digest), None)
    except InputError as error:
        problems[role, given.digest] = error_text(error)


def problem_of(role: str, given: InputFile) -> str:
    """Why the file is not used, as Markdown; "" if it is."""
    try:
        parsed(role, given)
    except InputError as error:
        return error_text(error)
    return st.session_state.get("further_problems", {}).get((role, given.digest), "")


def _use_mapping(given: InputFile) -> None:
    """Use the mapping, with positions in place of the names of predictions; what it does not have stays."""
    mapping, files, before = parsed(MAPPING, given), session.loaded_files(), read_chosen().mapping
    assert files is not None
    models = [PurePath(pred.name).stem for pred in files.preds]
    own = {str(i): mapping[PREDS][name] for i, name in enumerate(models) if name in mapping.get(PREDS, {})}
    choices.put(mapping=mapping_to_text({**before, **mapping, PREDS: {**before.get(PREDS, {}), **own}}))


def _use_families(given: InputFile) -> None:
    choices.put(families=family_choice.as_text(parsed(FAMILIES, given)), family="", expanded="[]")


def _use_page_map(given: InputFile) -> None:
    """Use the map for every prediction that has its pages; an InputError if none has them."""
    files, page_map, problem = session.loaded_files(), parsed(PAGE_MAP, given), None
    assert files is not None
    maps = {digest: one for digest, one in files.page_maps if one.digest != given.digest}
    fits = False
    for position, pred in enumerate(files.preds):
        try:
            # A file without page sizes can be read only with the map.
            layouts = layouts_of(replace(read_chosen().request(position), page_map=given))
            resolve_page_map(page_map, *(one.page_columns for one in layouts))
        except InputError as error:
            problem = problem or error
        else:
            maps[pred.digest], fits = given, True
    session.change_files(page_maps=tuple(maps.items()))
    if problem and not fits:
        raise problem


def _use_attributes(given: InputFile) -> None:
    gt_layout_of(replace(read_chosen().request(), attributes=given))
    session.change_files(attributes=given)


_USES: dict[str, tuple[Callable[[InputFile], None], Callable[[], None]]] = {
    ATTRIBUTES: (_use_attributes, lambda: session.change_files(attributes=None)),
    PAGE_MAP: (_use_page_map, lambda: session.change_files(page_maps=())),
    MAPPING: (_use_mapping, lambda: choices.put(mapping="")),
    FAMILIES: (_use_families, lambda: choices.put(families="")),
}


def load_images(cards: Sequence[Card]) -> None:
    """Load the page images of the cards, if the files have changed; a wrong file is left out."""
    own = [one for one in cards if one.role == IMAGES]
    layout_files = [file.given for one in cards if one.role in (GT, PRED) for file in one.group.files]
    others = [one for one in layout_files if one.data and one.origin is None]
    wanted = [(one.name, one.digest) for one in (*(file for card in own for file in _files(card)), *others)]
    if wanted == st.session_state.get("images_of", []):
        return
    problems: dict[int, str] = {}
    with st.spinner("Looking through the page images …"):
        images = _images(own, others, problems)
    session.keep_page_images(images if images.pictures else None)
    st.session_state["images_of"], st.session_state["image_problems"] = wanted, problems


def _files(card: Card) -> list[InputFile]:
    return [one.given for one in card.group.files]


def _images(own: list[Card], others: list[InputFile], problems: dict[int, str]) -> PageImages:
    """The images of all cards except those with a wrong file, whose problem is noted."""
    while True:
        good = [one for one in own if one.number not in problems]
        try:
            return page_pictures.images_of_uploads([file for card in good for file in _files(card)], others)
        except InputError as error:
            wrong = next((one for one in good if any(file.name == error.file for file in _files(one))), None)
            if wrong is None:
                problems.update((one.number, error_text(error)) for one in good)
                return PageImages(())
            problems[wrong.number] = error_text(error)


def image_problem_of(card: Card) -> str:
    """Why the images of a card are not shown, as Markdown; "" if they are."""
    return st.session_state.get("image_problems", {}).get(card.number, "")


def count_images(card: Card) -> int:
    """How many pages the files of a card show."""
    images, digests = session.page_images(), {one.digest for one in _files(card)}
    return sum(one.digest in digests for one in images.pictures) if images else 0
