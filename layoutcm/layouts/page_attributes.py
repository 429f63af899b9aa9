"""Attributes of pages that the caller gives beside a file: by page or by document.

A CSV has a column `page` or `document`; all other columns are attributes. Python also takes {page: {name: value}} and a
DataFrame. What is given here takes precedence over what the file says.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Union

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import csv_rows, decoded, read_bytes
from layoutcm.layouts.model import Finding, Layout, Pages, find_page
from layoutcm.layouts.page_documents import name_documents
from layoutcm.layouts.validation import checked_attributes
from layoutcm.lazy import pd

KEYS = ("page", "document")
# Columns of `Layout.pages` that every page has. A table that was made from these columns can be given as it is.
OWN_COLUMNS = frozenset((*KEYS, "number", "width", "height"))
LARGEST_NUMBER = 10**30  # a whole number of very many digits takes long to write, and groups no pages
HINT = "Write a CSV with the column page or document; all other columns become attributes."


class AttributeRow(NamedTuple):
    """The attributes of one page or document, with the place of this row for messages."""

    key: str
    texts: Mapping[str, str]
    place: str


@dataclass(frozen=True)
class AttributeTable:
    """The rows as given, and whether they are about pages or documents."""

    file: str
    by: str  # "page" or "document"
    names: tuple[str, ...]
    rows: tuple[AttributeRow, ...]


AttributesLike = Union[
    Mapping[str, Mapping[str, object]], "pd.DataFrame", str, os.PathLike[str], tuple[str, bytes], AttributeTable, None
]


def attribute_name(text: str) -> str:
    """The name of an attribute; "" for a blank one and for a column that every page has."""
    name = " ".join(text.split())
    return "" if name in OWN_COLUMNS else name


def attribute_text(value: object) -> str:
    """A value as one text: a list is joined by commas; "" for what is missing or has an inner structure."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | np.integer):
        return str(int(value)) if abs(int(value)) < LARGEST_NUMBER else ""
    if isinstance(value, float | np.floating):
        return f"{float(value):.15g}" if math.isfinite(value) else ""
    if isinstance(value, list | tuple):
        return ", ".join(text for one in value if not isinstance(one, list | tuple) and (text := attribute_text(one)))
    return ""


def load_attributes(attributes: AttributesLike) -> AttributeTable | None:
    """The table in a CSV file, (name, bytes), a dictionary or a DataFrame; None and a table are returned unchanged."""
    match attributes:
        case None | AttributeTable():
            return attributes
        case Mapping():
            return _from_mapping(attributes)
        case str() | os.PathLike():
            return parse_attributes(os.fspath(attributes), read_bytes(attributes))
        case (str() as name, bytes() as data):
            return parse_attributes(name, data)
    if not isinstance(attributes, pd.DataFrame):
        problem = f"{short_repr(attributes)} is not a table of attributes"
        raise InputError("", "attributes", problem, "Give a CSV, {page: {name: value}} or a DataFrame.")
    header = [str(name) for name in attributes.columns]
    rows = ((f"row {i}", list(map(_cell_text, row))) for i, row in enumerate(attributes.itertuples(index=False)))
    return _from_rows("attributes", "columns", header, rows)


def _cell_text(value: object) -> str:
    """The text of a value from Python; dates and other types are written as they print."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # what pandas uses for missing values
        return ""
    known = isinstance(value, str | bool | int | float | np.number | np.bool_ | list | tuple)
    return attribute_text(value) if known else " ".join(str(value).split())


def _from_mapping(attributes: Mapping[str, Mapping[str, object]]) -> AttributeTable:
    rows: list[AttributeRow] = []
    names: dict[str, None] = {}
    for page, given in attributes.items():
        place = f"attributes[{short_repr(page)}]"
        if not isinstance(page, str) or not isinstance(given, Mapping):
            raise InputError("", place, f"{short_repr(given)} is not a mapping", "Give {page: {name: value}}.")
        texts = {name: _cell_text(value) for key, value in given.items() if (name := attribute_name(str(key)))}
        names |= dict.fromkeys(texts)
        rows.append(AttributeRow(page, texts, place))
    return _checked(AttributeTable("", "page", tuple(names), tuple(rows)), "attributes")


def parse_attributes(file: str, data: bytes) -> AttributeTable:
    """The table in the bytes of a CSV file, with commas, semicolons or tabs."""
    rows = csv_rows(file, decoded(file, data), HINT)
    _, header = next(rows, (1, []))
    return _from_rows(file, "row 1", header, ((f"row {i}", cells) for i, cells in rows if any(cells)))


def _from_rows(
    file: str, header_place: str, header: Sequence[str], rows: Iterator[tuple[str, Sequence[str]]]
) -> AttributeTable:
    names = [" ".join(name.split()) for name in header]
    key = next((names.index(key) for key in KEYS if key in names), None)
    if key is None:
        found = ", ".join(map(short_repr, names[:6])) or "none"
        raise InputError(file, header_place, f"there is no column page or document (found: {found})", HINT)
    repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if repeated is not None:
        raise InputError(file, header_place, f"the column {short_repr(repeated)} occurs twice", "Rename one of them.")
    kept = [i for i, name in enumerate(names) if attribute_name(name)]
    found_rows: list[AttributeRow] = []
    for place, cells in rows:
        if len(cells) > len(names) or len(cells) <= key:
            problem = f"there are {len(cells)} cells where the first row has {len(names)}"
            raise InputError(file, place, problem, "Put quotes around texts with commas.")
        texts = {names[i]: " ".join(cells[i].split()) for i in kept if i < len(cells)}
        found_rows.append(AttributeRow(cells[key].strip(), texts, place))
    return _checked(AttributeTable(file, names[key], tuple(names[i] for i in kept), tuple(found_rows)), header_place)


def _checked(table: AttributeTable, header_place: str) -> AttributeTable:
    if len(table.names) > limits.MAX_ATTRIBUTES:
        problem = f"{len(table.names):,} attributes, at most {limits.MAX_ATTRIBUTES:,}"
        raise InputError(table.file, header_place, problem, "Leave out columns that are not attributes.")
    for row in table.rows:
        for text in (row.key, *row.texts, *row.texts.values()):
            if len(text) > limits.MAX_NAME:
                problem = f"{short_repr(text)} has {len(text):,} characters, at most {limits.MAX_NAME:,}"
                raise InputError(table.file, row.place, problem, "Shorten it, or leave out this column.")
    return table


def add_attributes(layout: Layout, table: AttributeTable) -> Layout:
    """The layout with the attributes of the table; findings say what does not fit together."""
    pages = layout.page_columns
    documents = name_documents(pages, None)[0].documents if table.by == "document" else ()
    keys = pages if table.by == "page" else _named(tuple(dict.fromkeys(documents)))
    found, unmatched = _rows_by_key(table, keys)
    position = {name: i for i, name in enumerate(keys.names)}
    rows = [found.get(position[name]) for name in (documents if table.by == "document" else pages.names)]
    given = {name: [row.texts.get(name, "") if row else "" for row in rows] for name in table.names}
    added = {name: tuple(texts) for name, texts in given.items() if any(texts)}
    before = pages.attributes
    both = {
        name: tuple(new or old for new, old in zip(texts, before[name])) if name in before else texts
        for name, texts in added.items()
    }
    findings = [*_unmatched_findings(layout, table, unmatched, rows), *_difference_findings(layout, table, added)]
    columns = checked_attributes(table.file or layout.name, replace(pages, attributes={**before, **both}))
    return replace(layout, page_columns=columns, findings=(*layout.findings, *findings))


def _named(names: tuple[str, ...]) -> Pages:
    """Names as pages without a size, to find them by the rules for page names."""
    none = np.zeros(len(names))
    return Pages(names, none, none, ("",) * len(names), np.full(len(names), -1, np.int32))


def _rows_by_key(table: AttributeTable, keys: Pages) -> tuple[dict[int, AttributeRow], list[AttributeRow]]:
    """{position of a page or document: its row}, and the rows that belong to none."""
    found: dict[int, AttributeRow] = {}
    unmatched: list[AttributeRow] = []
    for row in table.rows:
        at = find_page(row.key, keys) if row.key else None
        if at is None:
            unmatched.append(row)
            continue
        first = found.setdefault(at, row)
        if first.texts != row.texts:
            problem = f"the {table.by} {short_repr(keys.names[at])} has two rows with different values"
            raise InputError(table.file, f"{first.place} and {row.place}", problem, "Keep one of the two.")
    return found, unmatched


def _unmatched_findings(
    layout: Layout, table: AttributeTable, unmatched: list[AttributeRow], rows: Sequence[AttributeRow | None]
) -> list[Finding]:
    findings = []
    names = {"file": layout.name, "table": table.file or "attributes"}
    if unmatched:
        values = {**names, "by": table.by, "rows": len(table.rows), "first": unmatched[0].key}
        findings.append(Finding("attributes-without-page", len(unmatched), values))
    without = [i for i, row in enumerate(rows) if row is None]
    if without:
        first = layout.page_columns.names[without[0]]
        values = {**names, "pages": len(rows), "first": first}
        findings.append(Finding("page-without-attributes", len(without), values))
    return findings


def _difference_findings(layout: Layout, table: AttributeTable, added: Mapping[str, tuple[str, ...]]) -> list[Finding]:
    pages = layout.page_columns
    different = [
        (i, name, old, new)
        for name, texts in added.items()
        for i, (old, new) in enumerate(zip(pages.attributes.get(name, ()), texts))
        if old and new and old != new
    ]
    if not different:
        return []
    i, name, old, new = different[0]
    values = {"file": layout.name, "table": table.file or "attributes", "page": pages.names[i]}
    return [Finding("attribute-replaced", len(different), {**values, "name": name, "old": old, "new": new})]
