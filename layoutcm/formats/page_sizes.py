"""Page sizes for formats that have none: from the reference layout, a given size, or a folder of images.

A size is never guessed: with a wrong frame the scores would be wrong but look plausible. A page that the reference
layout does not have is marked as one without a size. It can be left out, but not compared with a page or written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import Options
from layoutcm.formats.image_files import image_size
from layoutcm.formats.source_files import refuse_unlisted
from layoutcm.layouts.model import MAX_PAGE_SIDE, Layout, Pages, find_page
from layoutcm.layouts.page_documents import match_numbers
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, stem

Size = tuple[float, float]
Sizes = tuple[float, float] | Mapping[str, tuple[float, float]] | str | os.PathLike[str] | None


def resolve_sizes(sizes: Sizes) -> tuple[float, float] | dict[str, tuple[float, float] | None] | None:
    """A pair stays a pair; a mapping or a folder of images becomes {name: size} and {stem: size}.

    The value is None for a stem that several pages of different sizes share.
    """
    if sizes is None:
        return None
    if isinstance(sizes, str | os.PathLike):
        by_name = image_sizes(Path(sizes))
    elif isinstance(sizes, Mapping):
        by_name = {str(page): _check_size(size, f"sizes[{short_repr(page)}]") for page, size in sizes.items()}
    else:
        return _check_size(sizes, "sizes")
    by_stem: dict[str, tuple[float, float] | None] = {}
    for name, size in by_name.items():
        by_stem[stem(name)] = size if by_stem.get(stem(name), size) == size else None
    return by_stem | by_name


def _check_size(size: tuple[float, float], place: str) -> tuple[float, float]:
    try:
        width, height = map(float, size)
    except (TypeError, ValueError, OverflowError):
        width = height = 0.0
    if not (0 < width <= MAX_PAGE_SIDE and 0 < height <= MAX_PAGE_SIDE):
        problem = f"{short_repr(size)} is not a width and a height above 0 and at most {MAX_PAGE_SIDE:,.0f}"
        raise InputError("", place, problem, "Write (1025, 1025).")
    return width, height


def image_sizes(folder: Path) -> dict[str, tuple[float, float]]:
    if not os.path.isdir(folder):  # unlike Path.is_dir it accepts any string
        raise InputError(str(folder), "", "there is no folder of this name", hints.NO_FOLDER_OF_IMAGES)
    walked = (Path(where, name) for where, _, names in os.walk(folder, onerror=refuse_unlisted) for name in names)
    found = (path for path in sorted(walked) if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file())
    return {path.relative_to(folder).as_posix(): image_size(str(path), str(path)) for path in found}


def given_size(page: str, options: Options) -> tuple[float, float] | None:
    """Width and height of a page as the user gave them, or of its image; None if there are none."""
    if isinstance(options.sizes, tuple):
        return options.sizes
    return (options.sizes.get(page) or options.sizes.get(stem(page))) if options.sizes else None


def size_of(page: str, options: Options) -> tuple[float, float] | None:
    """Width and height of a page whose file does not state them, or None if they are unknown."""
    if size := given_size(page, options):
        return size
    reference = options.reference_pages
    if reference is None:
        return None
    i = find_page(page, reference)
    return options.sizes_by_number.get(page) if i is None else reference.size(i)


def size_or_median(file: str, place: str, page: str, options: Options, second: str = "") -> tuple[Size, bool]:
    """The size of a page (or of the page with its second name), and whether it is known; else it is the median size."""
    size = size_of(page, options) or (size_of(second, options) if second else None)
    if size is None and options.median_size is None:
        raise MissingSize(file, place, f"the size of page {short_repr(page)} is not known", hints.MISSING_SIZE)
    return cast(Size, size or options.median_size), size is not None


class MissingSize(InputError):
    """The size of a page is not known."""


def read_with_sizes(read: Callable[[Options], Layout], options: Options) -> Layout:
    """Read the layout. A page that `like` has under another name gets the size of the page with the same number.

    Whether both sides count from 0 or from 1 shows in all pages together. So they are read first, with any size.
    A page that `like` does not have is marked as one without a size: a comparison leaves it out.
    """
    try:
        return read(options)
    except MissingSize:
        if options.like is None or not len(options.like.page_columns):
            raise
    options = replace(options, median_size=options.like.page_columns.median_size())
    layout = read(options)
    found = _sizes_by_number(layout.page_columns, options)
    return read(replace(options, sizes_by_number=found)) if found else layout


def _sizes_by_number(pages: Pages, options: Options) -> dict[str, tuple[float, float]]:
    """{page: size} of the pages that a comparison matches by number, because no page of `like` has their name."""
    reference = cast(Pages, options.reference_pages)
    by_name = {name: find_page(name, reference) for name in pages.names}
    taken = set(by_name.values())
    free_in_reference = [i for i in range(len(reference)) if i not in taken]
    free = [j for j, name in enumerate(pages.names) if by_name[name] is None]
    found = match_numbers(reference, pages, (free_in_reference, free))
    return {pages.names[j]: reference.size(i) for matches in found for i, j in matches.pairs}
