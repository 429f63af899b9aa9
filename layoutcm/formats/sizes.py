"""Page sizes and page ids for formats that carry none: from another layout, a given size, or a folder of images.

A size is never guessed: a page scored in the wrong frame gives a number that looks real.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from layoutcm.errors import InputError, shown
from layoutcm.formats.content import Options
from layoutcm.model import MAX_PAGE_SIDE, Layout

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
THREE_WAYS = (
    "Give the ground truth to take it from (like=, or compare it with a file that has sizes), a folder of page "
    "images (sizes=FOLDER, --sizes FOLDER), or one size for all pages (sizes=(1025, 1025), --sizes 1025x1025)."
)
Sizes = tuple[float, float] | Mapping[str, tuple[float, float]] | str | os.PathLike[str] | None


def stem(page: str) -> str:
    """The page's name without folders and image suffix: what two tools usually agree on."""
    name = PurePosixPath(page.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix
    return name[: -len(suffix)] if suffix.lower() in IMAGE_SUFFIXES or suffix.lower() == ".pdf" else name


def resolve_sizes(sizes: Sizes) -> tuple[float, float] | dict[str, tuple[float, float]] | None:
    """A pair stays a pair; a folder of images becomes {stem: (width, height)}."""
    if sizes is None:
        return None
    if isinstance(sizes, Mapping):
        return {stem(str(page)): _pair(size, f"sizes[{shown(page)}]") for page, size in sizes.items()}
    if isinstance(sizes, str | os.PathLike):
        return image_sizes(Path(sizes))
    return _pair(sizes, "sizes")


def _pair(size: tuple[float, float], place: str) -> tuple[float, float]:
    try:
        width, height = map(float, size)
    except (TypeError, ValueError, OverflowError):
        width = height = 0.0
    if not (0 < width <= MAX_PAGE_SIDE and 0 < height <= MAX_PAGE_SIDE):
        problem = f"{shown(size)} is not a width and a height above 0 and at most {MAX_PAGE_SIDE:,.0f}"
        raise InputError("", place, problem, "Write (1025, 1025).")
    return width, height


def image_sizes(folder: Path) -> dict[str, tuple[float, float]]:
    from PIL import Image, UnidentifiedImageError

    if not os.path.isdir(folder):  # unlike Path.is_dir it bears any name
        raise InputError(str(folder), "", "there is no folder of this name", "Give a folder of page images.")
    found: dict[str, tuple[float, float]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file():
            try:
                with Image.open(path) as image:
                    found[stem(path.name)] = (float(image.width), float(image.height))
            except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
                raise InputError(
                    str(path), "", f"this image cannot be read: {error}", "Remove or replace it."
                ) from None
    return found


def size_of(page: str, options: Options) -> tuple[float, float] | None:
    """Width and height of a page whose file does not tell, or None."""
    if isinstance(options.sizes, tuple):
        return options.sizes
    if options.sizes and stem(page) in options.sizes:
        return options.sizes[stem(page)]
    if options.like:
        i = page_in(options.like, page)
        if i is not None:
            return float(options.like.page_columns.widths[i]), float(options.like.page_columns.heights[i])
    return None


def page_in(layout: Layout, page: str) -> int | None:
    """The page of `layout` that has this name."""
    return layout.page_columns.index.get(page)


def missing_size(file: str, place: str, page: str) -> InputError:
    return InputError(file, place, f"the size of page {shown(page)} is not known", THREE_WAYS)
