"""Page images in the dashboard: from the folder given at start or from uploads, sent to the browser as data URIs."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from pathlib import Path

import streamlit as st

from layoutcm.drawing import page_images
from layoutcm.drawing.page_images import ImageFile, PageImages, Picture, load_shrunk
from layoutcm.ui.input_files import InputFile

SHOWN_SIDE = 1600  # px, the longest side of an image in the browser


def images_of_folder(folder: str) -> PageImages:
    return page_images.images_from_folder(Path(folder)) if folder else PageImages(())


def images_of_uploads(files: Iterable[InputFile], layout_files: Iterable[InputFile] = ()) -> PageImages:
    """Images of `files`: images, zips or PDFs, else an InputError; and those that `layout_files` contain, if any."""
    return page_images.images_from_files(
        *([ImageFile(one.name, one.digest, one.data) for one in some] for some in (files, layout_files))
    )


def picture_uri(picture: Picture | None, side: int = SHOWN_SIDE) -> str | None:
    """The picture as a data URI, at most `side` pixels long and wide; None if there is no picture or it is broken."""
    if picture is None:
        return None
    return _encode((picture.digest, picture.member, picture.page_index, side), picture)


@st.cache_data(max_entries=48, show_spinner=False)
def _encode(key: tuple[str, str, int, int], _picture: Picture) -> str | None:
    image = load_shrunk(_picture, key[-1])
    if image is None:
        return None
    out = io.BytesIO()
    image.save(out, "WEBP", quality=80)
    return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode()
