"""Page images in the dashboard: from the folder given at start or from uploads, sent to the browser as data URIs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.errors import InputError
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.visitor_files import (
    InputFile,
    input_from_path,
    pictures_of_files,
    pictures_of_folder,
    shrunk_image,
    shrunk_webp,
)

if TYPE_CHECKING:
    from PIL import Image

SHOWN_SIDE = 1600  # px, the longest side of an image in the browser


def images_of_folder(folder: str) -> PageImages:
    if not folder:
        return PageImages(())
    given = input_from_path(Path(folder))
    return PageImages(run_guarded(pictures_of_folder, folder, file=given.name, size=given.size))


def images_of_uploads(files: Iterable[InputFile], layout_files: Iterable[InputFile] = ()) -> PageImages:
    """Images of `files`: images, zips or PDFs, else an InputError; and those that `layout_files` contain, if any."""
    given, others = list(files), list(layout_files)
    both = [*given, *others]
    if not both:
        return PageImages(())
    size = sum(one.size for one in both)
    pictures = run_guarded(pictures_of_files, given, others, file=both[0].name, size=size)
    data = {one.digest: one.data for one in both}
    return PageImages(tuple(replace(picture, data=data[picture.digest]) for picture in pictures))


def shrunk_picture(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture, at most `side` pixels long and wide; None if there is no picture or it is broken."""
    return _run_on_picture(shrunk_image, picture, side) if picture else None


def _run_on_picture(work: Callable[[Picture, int, bytes], Any], picture: Picture, side: int) -> Any:
    held, without_data = (picture.digest, picture.data), replace(picture, data=b"")
    try:
        return run_guarded(work, without_data, side, file=picture.file, size=len(picture.data), held=held)
    except InputError:  # it takes too long: not shown, as a broken one
        return None


def picture_uri(picture: Picture | None, side: int = SHOWN_SIDE) -> str | None:
    """The picture as a data URI, at most `side` pixels long and wide; None if there is no picture or it is broken."""
    if picture is None:
        return None
    return _encode((picture.digest, picture.member, picture.page_index, side), picture)


@st.cache_data(max_entries=48, show_spinner=False, scope="session")
def _encode(key: tuple[str, str, int, int], _picture: Picture) -> str | None:
    webp = _run_on_picture(shrunk_webp, _picture, key[-1])
    return webp and "data:image/webp;base64," + base64.b64encode(webp).decode()
