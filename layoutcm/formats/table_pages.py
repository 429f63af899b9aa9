"""The pages of a table: what the rows of one page say about it must agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import Options
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.table_values import Coded
from layoutcm.layouts.model import Floats, Indices, Pages, PlaceNamer


class TableRows(NamedTuple):
    """The rows of a file as columns with known meanings, and what turns a row number into a place in the file."""

    file: str
    text: dict[str, list[str]]  # page, document, label, outline
    numbers: dict[str, Floats]  # nan = empty cell
    flags: dict[str, NDArray[np.bool_]]  # those that the table has
    coded: dict[str, Coded]  # those that the table has
    attributes: dict[str, Coded]  # of pages
    boxes: Floats  # [rows, x0 y0 x1 y1]
    place: PlaceNamer
    are_fractions: bool = False  # the boxes, of the sides of their pages

    def take(self, kept: np.ndarray) -> TableRows:
        return TableRows(
            self.file,
            {name: [column[i] for i in kept] for name, column in self.text.items()},
            {name: column[kept] for name, column in self.numbers.items()},
            {name: column[kept] for name, column in self.flags.items()},
            {name: column.take(kept) for name, column in self.coded.items()},
            {name: column.take(kept) for name, column in self.attributes.items()},
            self.boxes[kept],
            self.place_within(kept),
            self.are_fractions,
        )

    def place_within(self, some: np.ndarray) -> PlaceNamer:
        """What turns a position in `some`, which are row numbers, into a place in the file."""
        place = self.place
        return lambda i: place(int(some[i]))


def encode(values: list[str]) -> tuple[Indices, np.ndarray]:
    """int32[rows]: the code of each value, in order of first use; and the row in which each code is first used."""
    position: dict[str, int] = {}
    codes = np.fromiter((position.setdefault(value, len(position)) for value in values), np.int32, len(values))
    first = np.full(len(position), -1)
    first[codes[::-1]] = np.arange(len(values))[::-1]
    return codes, first


def read_pages(rows: TableRows, page: Indices, first_rows: np.ndarray, options: Options) -> Pages:
    """The pages in order of first use; `page` is int32[rows], and `first_rows` the first row of each page."""
    _check_page_names(rows)
    names = tuple(rows.text["page"][row] for row in first_rows)
    frame = _frames(rows, page, len(first_rows))
    for i in np.flatnonzero(np.isnan(frame[:, 0])):
        size = size_of(names[i], options)
        if size is None:
            raise missing_size_error(rows.file, rows.place(int(first_rows[i])), names[i], options)
        frame[i] = size
    return Pages(
        names,
        np.ascontiguousarray(frame[:, 0]),
        np.ascontiguousarray(frame[:, 1]),
        _documents(rows, page, len(first_rows)),
        np.array([number if 0 <= number < 2**31 else -1 for number in rows.numbers["number"][first_rows]], np.int32),
        {name: _attribute(rows, name, page, len(first_rows)) for name in rows.attributes},
    )


def _check_page_names(rows: TableRows) -> None:
    blank = np.array([not name for name in rows.text["page"]], bool)
    if blank.any():
        row = int(np.argmax(blank))
        raise InputError(rows.file, f"{rows.place(row)}, column page", "the page has no name", "Add it.")


def _frames(rows: TableRows, page: Indices, pages: int) -> Floats:
    """float64[pages, width height], nan if no row has them. The first row with a size sets it; others must agree."""
    sizes = np.stack([rows.numbers["width"], rows.numbers["height"]], axis=1)
    known = np.asarray(np.isfinite(sizes).all(axis=1))
    size_row = _first_known_row(page, known, pages)
    clash = known & (sizes != sizes[size_row[page]]).any(axis=1)
    if clash.any():
        row = int(np.argmax(clash))
        before = int(size_row[page[row]])
        raise InputError(
            rows.file,
            f"{rows.place(before)} and {rows.place(row)}",
            f"page {short_repr(rows.text['page'][row])} is {sizes[before, 0]:g} x {sizes[before, 1]:g} and then "
            f"{sizes[row, 0]:g} x {sizes[row, 1]:g}",
            "A page has only one size: repair the size, or rename one of them if these are different pages.",
        )
    return np.where((size_row >= 0)[:, None], sizes[size_row], np.nan) if pages else np.empty((0, 2))


def _first_known_row(page: Indices, known: np.ndarray, pages: int) -> np.ndarray:
    """int64[pages]: the first row of each page with a known value, -1 if there is none."""
    first_row = np.full(pages, -1)
    rows = np.flatnonzero(known)
    first_row[page[rows[::-1]]] = rows[::-1]
    return first_row


def _documents(rows: TableRows, page: Indices, pages: int) -> tuple[str, ...]:
    """The document of each page; two documents are an error, because page "1" of both must not become one page."""
    given = rows.text["document"]
    known = np.array([bool(document) for document in given], bool)
    first_row = _first_known_row(page, known, pages)
    code, _ = encode(given)
    clash = known & (code != code[first_row[page]])
    if clash.any():
        row = int(np.argmax(clash))
        before = int(first_row[page[row]])
        raise InputError(
            rows.file,
            f"{rows.place(before)} and {rows.place(row)}",
            f"page {short_repr(rows.text['page'][row])} is in document {short_repr(given[before])} "
            f"and then in {short_repr(given[row])}",
            "Page names must be unique: write the document into the name of the page.",
        )
    return tuple(given[row] if row >= 0 else "" for row in first_row)


def _attribute(rows: TableRows, name: str, page: Indices, pages: int) -> tuple[str, ...]:
    """The text of each page. The first row with a value sets it; the others must agree."""
    codes, words = rows.attributes[name]
    first_row = _first_known_row(page, codes > 0, pages)
    clash = (codes > 0) & (codes != codes[first_row[page]])
    if clash.any():
        row = int(np.argmax(clash))
        before = int(first_row[page[row]])
        raise InputError(
            rows.file,
            f"{rows.place(before)} and {rows.place(row)}",
            f"the attribute {short_repr(name)} of page {short_repr(rows.text['page'][row])} is "
            f"{short_repr(words[codes[before]])} and then {short_repr(words[codes[row]])}",
            "An attribute has one value for each page: repair it.",
        )
    return tuple(words[codes[row]] if row >= 0 else "" for row in first_row.tolist())
