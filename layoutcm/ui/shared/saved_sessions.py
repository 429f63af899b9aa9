"""Save the session as one file, and open such a file: dropped, or from the data folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import streamlit as st

from layoutcm.errors import InputError
from layoutcm.ui.files.file_roles import Card
from layoutcm.ui.files.session_files import SUFFIX, SessionContents, picture_bytes, write_session
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import MB, limits
from layoutcm.ui.state import card_state, selection, session

SAVED = (
    "Files, labels that were mapped, repairs and choices, in one file that opens here again: drop it on the page Data."
)
WITH_IMAGES = "Also the page images; the file is larger."
MOST_NAMES = 3  # of files in a message


def show_save_button(place: str = "", with_images: bool = True) -> None:
    """A button that saves the session, and a switch for page images if there are any; `place` makes keys unique.

    Without `with_images`, page images are not offered.
    """
    files = session.loaded_files()
    assert files is not None
    if files.is_result:
        return  # it is a folder already, and the address has the choices
    spot = st.empty()  # the button comes first
    images = selection.current_page_images()
    wanted = (
        with_images
        and bool(images.pictures)
        and st.toggle("With page images", key=f"save_images{place}", help=WITH_IMAGES)
    )
    if wanted and picture_bytes(images.pictures) > limits().upload:
        spot.warning(f"The page images take more than {limits().upload // MB:,} MB: the file could not be opened.")
        return
    contents = session.session_contents(images if wanted else None)
    spot.download_button(
        "Save this session",
        lambda: save(contents),
        f"{PurePath(files.gt.name).stem or 'session'}{SUFFIX}",
        "application/zip",
        key=f"save_session{place}",
        on_click="ignore",
        icon=":material/save:",
        help=SAVED,
    )


def save(contents: SessionContents) -> bytes:
    """The bytes of the session file, made when they are asked for."""
    return run_guarded(write_session, contents, file="the session", size=contents.size)


def open_dropped(cards: list[Card]) -> None:
    """Open the first session among the cards; if it is wrong, its card says why, and nothing changes."""
    for card in cards:
        try:
            contents = session.read_session_file(card.group.input)
        except InputError:
            continue
        others = [one.name for one in card_state.cards() if one is not card]
        _show_anew(contents, others)


def _show_anew(contents: SessionContents, others: Sequence[str] = ()) -> None:
    """Forget the present session, also the `others` in the drop zone, and show another."""
    session.start_over()
    session.show_session(contents)
    if others:
        names = ", ".join(others[:MOST_NAMES]) + (" …" if len(others) > MOST_NAMES else "")
        said = f"A session replaces all files. No longer held: {names}."
        st.toast(as_typed(said), icon=":material/info:")
    card_state.note_new_load()
    st.rerun()
