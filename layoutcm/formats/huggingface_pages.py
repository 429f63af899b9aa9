"""Names, sizes and images of the pages of a Hugging Face data set in Parquet, where a page is a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from layoutcm.errors import InputError
from layoutcm.formats.archives import Budget
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.huggingface_columns import HubColumns, find_hub_columns
from layoutcm.formats.image_files import Size, image_size
from layoutcm.formats.nested_values import Column, cell_values, words_of
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.parquet_files import column_paths, iter_nested, iter_row_group, unreadable_refused
from layoutcm.formats.parsing import page_name
from layoutcm.layouts import limits
from layoutcm.layouts.model import Floats
from layoutcm.layouts.page_names import stem

File = tuple[FileContent, HubColumns, int]  # with the number of its rows
NAME_ROLES = ("name", "id", "path")  # in the order in which they are tried


def page_names(files: Sequence[File], given: Mapping[str, list[str]], options: Options) -> list[str]:
    """The names of all pages: a column of names, image ids or the paths of images, else the file's name and the row.

    Of the columns with different texts for all pages, the first is used, or the one that names more pages of the
    reference layout.
    """
    whole = [given[role] for role in NAME_ROLES if all(given[role])]
    unique = [names for names in whole if len(set(names)) == len(names)]
    if unique:
        reference = options.reference_pages
        known = {stem(name) for name in reference.names} if reference else set()
        return max(unique, key=lambda names: sum(stem(name) in known for name in names) if known else 0)
    if any(names is not given["path"] for names in whole):
        return whole[0]  # refused later, with the two rows
    return [page_name(content.stem, row + 1, rows) for content, _, rows in files for row in range(rows)]


def page_sizes(files: Sequence[File], names: Sequence[str], given: Floats, options: Options) -> tuple[Floats, Floats]:
    """The width and height of all pages: as given, else of the image in the row, else from outside the file."""
    sizes = given.copy()
    start = 0
    for content, columns, rows in files:
        missing = np.flatnonzero(np.isnan(sizes[:, start : start + rows]).any(axis=0))
        if len(missing) and columns.image:
            for row, size in _sizes_of_images(content, columns, set(missing.tolist())):
                sizes[:, start + row] = size
        for row in missing[np.isnan(sizes[:, start + missing]).any(axis=0)].tolist():
            size_outside = size_of(names[start + row], options)
            if size_outside is None:
                raise missing_size_error(content.name, f"row {row}", names[start + row], options)
            sizes[:, start + row] = size_outside
        start += rows
    return np.ascontiguousarray(sizes[0]), np.ascontiguousarray(sizes[1])


def _sizes_of_images(content: FileContent, columns: HubColumns, rows: set[int]) -> Iterator[tuple[int, Size]]:
    """(row, size of its image) for rows that have one; only headers are decoded, a few rows at a time."""
    reads = Budget(limits.HEADER_BYTES + limits.READ_RATIO * content.stored_size)
    before, size = b"", (0.0, 0.0)
    for row, data in iter_images(content, columns):
        if row not in rows or not data:
            continue
        if data != before:
            before, size = data, _size_of_image(content.name, row, data, reads)
        yield row, size


def _size_of_image(file: str, row: int, data: bytes, reads: Budget) -> Size:
    own = Budget(limits.HEADER_BYTES)
    try:
        size = image_size(file, data, own)
    except InputError as error:
        raise InputError(file, f"row {row}", error.problem, error.advice) from None
    reads.left -= limits.HEADER_BYTES - own.left
    if reads.left < 0:
        problem = "up to here, the headers of the images have too many parts for the size of the file"
        raise InputError(file, f"row {row}", problem, "Add columns width and height.")
    return size


def iter_images(content: FileContent, columns: HubColumns) -> Iterator[tuple[int, bytes | None]]:
    """(row, bytes of its image, or None) of all rows."""
    row = 0
    column = Column(content.name, columns.image, "bytes")
    with unreadable_refused(content):
        for batch in iter_nested(content, lambda _: [columns.image_bytes], large=True):
            for value in cell_values(batch, column):
                data = value.as_py()
                yield row, data if isinstance(data, bytes) else None
                row += 1


def names_of_images(content: FileContent) -> list[tuple[str, ...]]:
    """The names that each page of a file with images may have, the likeliest first; [] if it has no images.

    Which one its layout uses depends on all files of the data set, of which this is only one.
    """
    columns = find_hub_columns(content.name, column_paths(content))
    if not columns.image:
        return []
    roles = [role for role in NAME_ROLES if role in columns.page]
    paths = [path for path in columns.paths if any(path == columns.page[role].name for role in roles)]
    texts: dict[str, list[str]] = {role: [] for role in NAME_ROLES}
    rows = 0
    with unreadable_refused(content):
        for batch in iter_nested(content, lambda _: paths):
            for role in NAME_ROLES:
                found = words_of(columns.page[role], cell_values(batch, columns.page[role])) if role in roles else []
                texts[role] += found or [""] * batch.num_rows
            rows += batch.num_rows
    files = [(content, columns, rows)]
    without_names = page_names(files, {role: [""] * rows for role in NAME_ROLES}, Options())
    kinds = [page_names(files, texts, Options()), *(texts[role] for role in roles), without_names]
    return [tuple(dict.fromkeys(filter(None, names))) for names in zip(*kinds)]


def image_of_row(content: FileContent, row: int) -> bytes:
    """The bytes of the image of one row, b"" if it has none; only a part of its row group is decoded."""
    columns = find_hub_columns(content.name, column_paths(content))
    column = Column(content.name, columns.image, "bytes")
    if columns.image:
        for first, batch in iter_row_group(content, columns.image_bytes, row):
            if first <= row < first + batch.num_rows:
                data = cell_values(batch, column)[row - first].as_py()
                return data if isinstance(data, bytes) else b""
    return b""
