"""The page images of a visitor, and addresses at which the browser fetches them in two sizes.

`pictures_of_folder`, `pictures_of_files`, `shrunk_image` and `shrunk_jpeg` run in another process (`guarded_reading`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from layoutcm.drawing.page_images import (
    ImageFile,
    PageImages,
    Picture,
    images_from_files,
    images_from_folder,
    images_from_path,
    load_shrunk,
)
from layoutcm.errors import InputError
from layoutcm.ui.files.input_file import InputFile, input_from_path
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.pictures import picture_address
from layoutcm.ui.server.visitors import kept

# The longer side of a picture in the browser, in pixels: first a small one, then one that is sharp when zoomed in.
# Pages of a PDF have any size.
SMALL, LEAST_LARGE, MOST_LARGE = 900, 2400, 6600


def pictures_of_folder(folder: str) -> tuple[Picture, ...]:
    """The pictures below a folder, or in a Parquet file, which may have none."""
    if Path(folder).is_dir():
        return images_from_folder(Path(folder)).pictures
    try:
        return images_from_path(folder).pictures
    except InputError:
        return ()


def pictures_of_files(given: list[InputFile], layout_files: list[InputFile]) -> tuple[Picture, ...]:
    """The pictures in both lists, without the bytes of the files, which the caller has."""
    some, others = ([ImageFile(one.name, one.digest, one.data) for one in files] for files in (given, layout_files))
    return tuple(replace(picture, data=b"") for picture in images_from_files(some, others).pictures)


def shrunk_image(picture: Picture, side: int, data: bytes) -> Image.Image | None:
    """The picture, at most `side` pixels long and wide; None if it is broken. `data` are the bytes of its file."""
    return load_shrunk(replace(picture, data=data), side)


def shrunk_jpeg(picture: Picture, side: int, data: bytes) -> bytes | None:
    """The picture of `shrunk_image` as a JPEG, which is made ten times as fast as WebP."""
    image = shrunk_image(picture, side, data)
    if image is None:
        return None
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85)
    return out.getvalue()


@kept("Looking through the page images …")
def images_of_folder(folder: str) -> PageImages:
    """The page images below a folder, or in a Parquet file; none if the text is empty."""
    if not folder:
        return PageImages(())
    given = input_from_path(Path(folder))
    return PageImages(run_guarded(pictures_of_folder, folder, file=given.name, size=given.size))


def images_of_uploads(files: Iterable[InputFile], layout_files: Iterable[InputFile] = ()) -> PageImages:
    """The page images in `files`, which must be images, zips or PDFs, and in `layout_files`, if these have any."""
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


def page_image_addresses(picture: Picture | None, longer_side: float) -> dict[str, str | None] | None:
    """The addresses of a small and a large picture of a page; None if the page has no picture.

    `longer_side` is that of the page, in pixels.
    """
    if picture is None:
        return None
    large = round(min(max(2 * longer_side, LEAST_LARGE), MOST_LARGE))
    return {name: _address(picture, side) for name, side in (("small", SMALL), ("full", large))}


def _address(picture: Picture, side: int) -> str | None:
    key = f"{picture.digest} {picture.member} {picture.row} {picture.place_in_row} {picture.page_index} {side}"
    return picture_address(key, lambda: _run_on_picture(shrunk_jpeg, picture, side), soon=True)
