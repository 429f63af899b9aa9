"""Page images in Parquet files: data sets of Hugging Face, a row for each page, and docling-eval, lists of images.

Names are read first; the bytes of an image only when it is shown, and only a part of its row group is decoded then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.huggingface_pages import NAME_ROLES, find_hub_columns, page_names
from layoutcm.formats.nested_values import Column, cell_values, words_of
from layoutcm.formats.parquet_files import column_paths, iter_nested, iter_row_group, unreadable_refused
from layoutcm.formats.parsing import page_name
from layoutcm.formats.readers.docling import DOCUMENT_PAGES, GT_COLUMN, PRED_COLUMN, rows_of

IMAGES_OF = {GT_COLUMN: "GroundTruthPageImages", PRED_COLUMN: "PredictionPageImages"}


class StoredImage(NamedTuple):
    """Where an image is, and the names that its page may have."""

    names: tuple[str, ...]
    row: int
    position: int = -1  # in the list of a row, -1 if the row has one image


def images_in(content: FileContent) -> list[StoredImage]:
    """The page images of a file; [] if it has none."""
    paths = column_paths(content)
    for column, images in IMAGES_OF.items():
        if column in paths and _leaf(paths, images, "path") and (found := list(_images_of_documents(content, column))):
            return found
    return [StoredImage(names, row) for row, names in enumerate(_names_of_images(content))]


def image_bytes(content: FileContent, row: int, position: int = -1) -> bytes:
    """The bytes of an image, b"" if there are none."""
    if position < 0:
        return _image_of_row(content, row)
    paths = column_paths(content)
    for images in IMAGES_OF.values():
        if leaf := _leaf(paths, images, "bytes"):
            for first, batch in iter_row_group(content, leaf, row):
                if first <= row < first + batch.num_rows:
                    values = batch.column(0)[row - first].as_py() or []
                    if position < len(values):
                        return (values[position] or {}).get("bytes") or b""
    return b""


def _leaf(paths: list[str], top: str, field: str) -> str:
    """The full name of a field of the structs in a column of lists, "" if there is none."""
    return next((path for path in paths if path.startswith(f"{top}.") and path.endswith(f".{field}")), "")


def _images_of_documents(content: FileContent, column: str) -> Iterator[StoredImage]:
    """The images of each document: one for each of its pages, or for each page that had one."""
    for row, count in zip(rows_of(content, column), _numbers_of_images(content, IMAGES_OF[column])):
        if not count or not row.text:
            continue
        try:
            document = msgspec.json.decode(row.text, type=DOCUMENT_PAGES)
        except DECODE_ERRORS:
            continue
        pages = list(document.pages.values())
        shown = pages if len(pages) == count else [page for page in pages if page.image]
        if len(shown) != count:  # it is not known which page an image shows
            continue
        name = row.document_id or document.name or f"{content.stem}_{row.number + 1}"
        for i, page in enumerate(shown):
            yield StoredImage((page_name(name, page.page_no, len(pages)),), row.number, i)


def _numbers_of_images(content: FileContent, images: str) -> Iterator[int]:
    leaf = _leaf(column_paths(content), images, "path")
    with unreadable_refused(content):
        for batch in iter_nested(content, lambda _: [leaf]):
            for value in batch.column(0):
                yield len(value.as_py() or [])


def _names_of_images(content: FileContent) -> list[tuple[str, ...]]:
    """The names that each page of a file with images may have, the likeliest first; [] if it has no images.

    Which one its layout uses depends on all files of the data set, and this is only one of them.
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


def _image_of_row(content: FileContent, row: int) -> bytes:
    """The bytes of the image of one row, b"" if it has none; only a part of its row group is decoded."""
    columns = find_hub_columns(content.name, column_paths(content))
    column = Column(content.name, columns.image, "bytes")
    if columns.image:
        for first, batch in iter_row_group(content, columns.image_bytes, row):
            if first <= row < first + batch.num_rows:
                data = cell_values(batch, column)[row - first].as_py()
                return data if isinstance(data, bytes) else b""
    return b""
