"""Save the session as one file, and open such a file: dropped, or from the data folder."""

from __future__ import annotations

from pathlib import PurePath

import streamlit as st

from layoutcm.errors import InputError
from layoutcm.ui import selection, session
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.screen_text import as_typed, error_text
from layoutcm.ui.session_files import SUFFIX, SessionContents, picture_bytes, write_session
from layoutcm.ui.settings import MB, limits
from layoutcm.ui.visitor_files import InputFile

SAVED = "Files, labels that were mapped, repairs and choices, in one file that opens here again: drop it into any zone."
WITH_IMAGES = "Also the page images; the file is larger."


def show_save_button(place: str = "", with_images: bool = True) -> None:
    """A button that saves the session, and a switch for page images if there are any; `place` makes keys unique.

    Without `with_images`, page images are not offered.
    """
    files = session.loaded_files()
    assert files is not None
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


def open_dropped(files: list[InputFile]) -> None:
    """Open the first session among the dropped files; if it is wrong, say why and change nothing."""
    if not files:
        return
    problems: dict[str, str] = st.session_state.setdefault("session_problems", {})
    given = files[0]
    if given.digest not in problems:
        try:
            contents = session.read_session_file(given)
        except InputError as error:
            problems[given.digest] = error_text(error)
        else:
            _show_anew(contents)
    st.error(problems[given.digest])


def _show_anew(contents: SessionContents) -> None:
    """Forget the present session, also the files in the drop zones, and show another."""
    session.start_over()
    session.show_session(contents)
    st.rerun()


def show_choice(names: list[str]) -> None:
    """The sessions of the data folder; choosing one opens it."""
    if not names:
        return
    chosen = st.selectbox("Open a saved session", names, index=None, key="folder_session")
    if chosen is not None:
        problem = session.open_named(chosen)
        st.error(as_typed(problem)) if problem else st.rerun()
