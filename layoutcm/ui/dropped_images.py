"""The page images among the dropped files: in files of their own, and in the files of layouts.

Only this module writes the session keys "images_of" and "image_problems".
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from layoutcm.drawing.page_images import PageImages
from layoutcm.errors import InputError
from layoutcm.ui import image_uris, session
from layoutcm.ui.file_roles import GT, IMAGES, PRED, Card
from layoutcm.ui.screen_text import error_text
from layoutcm.ui.visitor_files import InputFile


def load_images(cards: Sequence[Card]) -> None:
    """Make the page images those of the cards, if the files have changed; a wrong file is left out."""
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
    """The images of all cards but those with a wrong file, whose problem is noted."""
    while True:
        good = [one for one in own if one.number not in problems]
        try:
            return image_uris.images_of_uploads([file for card in good for file in _files(card)], others)
        except InputError as error:
            wrong = next((one for one in good if any(file.name == error.file for file in _files(one))), None)
            if wrong is None:
                problems.update((one.number, error_text(error)) for one in good)
                return PageImages(())
            problems[wrong.number] = error_text(error)


def problem_of(card: Card) -> str:
    """Why the images of a card are not shown, as Markdown; "" if they are."""
    return st.session_state.get("image_problems", {}).get(card.number, "")


def count_images(card: Card) -> int:
    """How many pages the files of a card show."""
    images, digests = session.page_images(), {one.digest for one in _files(card)}
    return sum(one.digest in digests for one in images.pictures) if images else 0
