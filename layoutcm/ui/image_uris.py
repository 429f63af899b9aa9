"""Page images in the dashboard: from the folder given at start or from uploads, sent to the browser by addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.errors import InputError
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.page_pictures import picture_address
from layoutcm.ui.visitor_files import (
    InputFile,
    input_from_path,
    pictures_of_files,
    pictures_of_folder,
    shrunk_image,
    shrunk_jpeg,
)

if TYPE_CHECKING:
    from PIL import Image

# The longer side of a picture in the browser, in pixels: first a small one, then one that is sharp when zoomed in.
# Pages of a PDF have any size.
SMALL, LEAST_LARGE, MOST_LARGE = 900, 2400, 6600


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


def page_image_addresses(picture: Picture | None, longer_side: float) -> dict[str, str | None] | None:
    """Addresses of a small and of a large picture of a page whose longer side has so many pixels; None without one."""
    if picture is None:
        return None
    large = round(min(max(2 * longer_side, LEAST_LARGE), MOST_LARGE))
    return {name: _address(picture, side) for name, side in (("small", SMALL), ("full", large))}


def _address(picture: Picture, side: int) -> str | None:
    key = f"{picture.digest} {picture.member} {picture.row} {picture.place_in_row} {picture.page_index} {side}"
    return picture_address(key, lambda: _run_on_picture(shrunk_jpeg, picture, side), soon=True)
