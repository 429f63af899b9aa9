"""Plain tables, CSV or Parquet: page, document, number, width, height, label, x0, y0, x1, y1, score, outline.

Only the label and the box are required; `table_columns` has other usual names of the columns. A row without a label is
a page without regions, and a row with only a label declares that label. Without a page column, all rows are on one page
with the name of the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.parquet_files import is_parquet as is_parquet
from layoutcm.formats.parquet_files import read_columns
from layoutcm.formats.table_columns import (
    CORNERS,
    Columns,
    as_corners,
    check_commas,
    column_key,
    find_columns,
    number_column,
    text_column,
)
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import Shape, is_box
from layoutcm.layouts.validation import PlaceNamers, make_layout

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 1 << 25  # a row of a CSV must fit into a block, and an outline can have more than Arrow's 1 MB

TEXT_COLUMNS = ("page", "document", "label", "outline")
NUMBER_COLUMNS = ("number", "width", "height", "score", "crowd", "area")
MAIN_COLUMNS = ("page", "document", "width", "height", "label", *CORNERS, "score")
_BLANK_LINE = re.compile(rb"\A[\r\n]|\n\r?\n|\r\r")


class TableRows(NamedTuple):
    """The rows of a file as columns with known meanings, and what turns a row number into a place in the file."""

    file: str
    text: dict[str, list[str]]  # by name, as in TEXT_COLUMNS
    numbers: dict[str, Floats]  # by name, as in NUMBER_COLUMNS; nan = empty cell
    boxes: Floats  # [rows, x0 y0 x1 y1]
    place: PlaceNamer

    def take(self, kept: np.ndarray) -> TableRows:
        text = {name: [column[i] for i in kept] for name, column in self.text.items()}
        numbers = {name: column[kept] for name, column in self.numbers.items()}
        return TableRows(self.file, text, numbers, self.boxes[kept], self.place_within(kept))

    def place_within(self, some: np.ndarray) -> PlaceNamer:
        """What turns a position in `some`, which are row numbers, into a place in the file."""
        place = self.place
        return lambda i: place(int(some[i]))


def is_csv(content: FileContent) -> bool:
    if content.json_root or content.data[:1] == b"<":
        return False
    cells = _header(content).decode("utf-8", "replace").split(_delimiter(content))
    names = {column_key(name) for name in cells} if len(cells) > 1 else set()
    if "block_type" in names:  # LayoutParser has its own reader
        return False
    if content.name.lower().endswith((".csv", ".tsv")):
        return True  # even if it is broken: the reader has the best error messages
    if not names:  # the usual case for the many other files of a folder
        return False
    found = find_columns(list(names))
    return {"page", "label"} <= names or (found.box is not None and bool({"page", "label"} & set(found.place)))


def _header(content: FileContent) -> bytes:
    return content.data_without_bom[:4096].lstrip(b"\r\n").split(b"\n", 1)[0].split(b"\r", 1)[0]


def _delimiter(content: FileContent) -> str:
    """Comma, or what spreadsheets write instead if the comma is the decimal sign."""
    header = _header(content)
    return max((",", ";", "\t"), key=lambda sign: header.count(sign.encode()))


def read_csv(content: FileContent, options: Options) -> Layout:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    parse = arrow_csv.ParseOptions(newlines_in_values=True, delimiter=_delimiter(content))
    read = arrow_csv.ReadOptions(block_size=BLOCK_BYTES)
    data = content.data if b"\n" in content.data else content.data + b"\n"  # a header alone is a table without rows
    try:
        data.decode("utf-8")
        _check_number_of_columns(content)
        # Read everything as text: "0001" and "NA" are names, and the message about a bad number must name its row.
        header = arrow_csv.open_csv(pa.BufferReader(data), read_options=read, parse_options=parse).schema.names
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=read,
            parse_options=parse,
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None
    except (pa.ArrowException, ValueError) as error:
        raise _broken_csv(content, error) from None
    return _read_table(content, options, table, "csv", lambda row: _spreadsheet_row(content, row))


def _check_number_of_columns(content: FileContent) -> None:
    """Arrow takes about 10 kB for each column, even if it is not used."""
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding="utf-8-sig", newline="")
    try:
        header = next(filter(None, csv.reader(text, delimiter=_delimiter(content))), [])
    except csv.Error as error:  # a name of more than 128 kB
        raise InputError(content.name, "header", f"cannot be read: {error}", "Export it again.") from None
    if len(header) > limits.MAX_COLUMNS:
        problem = f"{len(header):,} columns, at most {limits.MAX_COLUMNS:,} are read"
        raise InputError(content.name, "header", problem, f"Keep {', '.join(MAIN_COLUMNS)}.")


def _records(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    """Yield (row, cells); slow, only for messages. As in a spreadsheet, the header is row 1 and blank lines count."""
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding="utf-8-sig", newline="")
    try:
        yield from (
            (row, cells) for row, cells in enumerate(csv.reader(text, delimiter=_delimiter(content)), 1) if cells
        )
    except csv.Error:  # a cell of more than 128 kB
        return


def _spreadsheet_row(content: FileContent, row: int) -> str:
    if not _BLANK_LINE.search(content.data):
        return f"row {row + 2}"
    return f"row {next(islice((number for number, _ in _records(content)), row + 1, None), row + 2)}"


def _broken_csv(content: FileContent, error: Exception) -> InputError:
    records = _records(content)
    _, header = next(records, (1, []))
    for row, cells in records:
        if len(cells) != len(header):
            problem = f"{len(cells)} cells where the header has {len(header)}: {short_repr(','.join(cells))}"
            return InputError(
                content.name, f"row {row}", problem, "Repair this row; put quotes around cells with commas."
            )
    return InputError(content.name, "", f"this is not a readable CSV: {error}", "Export it again.")


def read_parquet(content: FileContent, options: Options) -> Layout:
    def choose(names: Sequence[str]) -> list[int]:
        """The columns that are used. The header is checked here: later, columns with equal names look the same."""
        columns = find_columns(names)
        _check_header(content.name, list(names), columns)
        return sorted({*columns.place.values(), *(columns.box or ())})

    return _read_table(content, options, read_columns(content, choose), "parquet", "row {}".format)


def _read_table(content: FileContent, options: Options, table: pa.Table, format: str, place: PlaceNamer) -> Layout:
    columns = find_columns(table.column_names)
    _check_header(content.name, table.column_names, columns)
    number_columns = [columns.place[name] for name in NUMBER_COLUMNS if name in columns.place]
    check_commas(content.name, table, [*number_columns, *(columns.box or ())], place)
    text = {name: text_column(content.name, table, columns.place.get(name)) for name in TEXT_COLUMNS}
    numbers = {name: number_column(content.name, table, columns.place.get(name), place) for name in NUMBER_COLUMNS}
    raw_boxes = np.stack([number_column(content.name, table, i, place) for i in columns.box or ()], axis=1)
    has_label_only = _rows_with_label_only(text, numbers, raw_boxes)
    if "page" not in columns.place:
        text["page"] = [content.stem] * table.num_rows
    rows = TableRows(content.name, text, numbers, as_corners(raw_boxes, columns.kind), place)
    labels = [label for label in dict.fromkeys(text["label"]) if label]
    if has_label_only.any():
        rows = rows.take(np.flatnonzero(~has_label_only))
    return _build_layout(format, labels, rows, options)


def _check_header(file: str, names: list[str], columns: Columns) -> None:
    """Check that no column is missing and that none of those in use occurs twice."""
    column_keys = [column_key(name) for name in names]
    missing = [name for name in CORNERS if columns.box is None and name not in column_keys]
    missing += [] if "label" in columns.place else ["label"]
    if missing:
        raise InputError(
            file,
            "header",
            f"the column {missing[0]!r} is missing (found: {', '.join(map(repr, names[:12]))})",
            f"The columns are {', '.join(MAIN_COLUMNS)}; other usual spellings are read too.",
        )
    used = [names[i] for i in (*columns.place.values(), *(columns.box or ()))]
    repeated = [name for name in used if column_keys.count(column_key(name)) > 1]
    if repeated:
        raise InputError(file, "header", f"the column {repeated[0]!r} occurs twice", "Remove one of them.")


def _rows_with_label_only(text: dict[str, list[str]], numbers: dict[str, Floats], boxes: Floats) -> NDArray[np.bool_]:
    """bool[rows]: whether a row has a label and nothing else."""
    has_label_only = np.zeros(len(boxes), bool)
    others = [text[name] for name in TEXT_COLUMNS if name != "label"]
    for i in np.flatnonzero(np.isnan(boxes).all(axis=1)):  # usually few of very many rows
        has_more = any(column[i] for column in others) or not all(np.isnan(column[i]) for column in numbers.values())
        has_label_only[i] = bool(text["label"][i]) and not has_more
    return has_label_only


def _build_layout(format: str, labels: list[str], rows: TableRows, options: Options) -> Layout:
    page, first_rows = _encode(rows.text["page"])
    _check_page_names(rows)
    pages = _pages(rows, page, first_rows, options)
    has_label = np.array([bool(name) for name in rows.text["label"]], bool)
    labelled_rows = np.flatnonzero(has_label)
    findings = _unlabelled_row_findings(rows, has_label)
    regions = _regions(rows, labelled_rows, page, labels, options)
    places = PlaceNamers(rows.place_within(first_rows), rows.place_within(labelled_rows))
    return make_layout(rows.file, format, labels, pages, regions, findings=findings, places=places)


def _check_page_names(rows: TableRows) -> None:
    blank = np.array([not name for name in rows.text["page"]], bool)
    if blank.any():
        row = int(np.argmax(blank))
        raise InputError(rows.file, f"{rows.place(row)}, column page", "the page has no name", "Add it.")


def _unlabelled_row_findings(rows: TableRows, has_label: NDArray[np.bool_]) -> list[Finding]:
    is_unlabelled_box = ~has_label & np.isfinite(rows.boxes).any(axis=1)
    if not is_unlabelled_box.any():
        return []
    count, first_at = int(is_unlabelled_box.sum()), rows.place(int(np.argmax(is_unlabelled_box)))
    return [Finding("unlabelled-row", count, {"file": rows.file, "place": first_at})]


def _regions(rows: TableRows, labelled_rows: np.ndarray, page: Indices, labels: list[str], options: Options) -> Regions:
    """One region per row with a label; `page` is int32[rows]."""
    code, names = {label: i for i, label in enumerate(labels)}, rows.text["label"]
    label = np.fromiter((code[names[i]] for i in labelled_rows), np.int32, len(labelled_rows))
    shapes: dict[int, Shape] = {}
    if options.outlines:
        outlines = rows.text["outline"]
        shapes = _parse_outlines(rows.file, [outlines[i] for i in labelled_rows], rows.place_within(labelled_rows))
    coco = None
    if (rows.numbers["crowd"] > 0).any():
        crowd, areas = rows.numbers["crowd"][labelled_rows] > 0, rows.numbers["area"][labelled_rows]
        coco = CocoFacts(crowd, areas, np.full((len(labelled_rows), 2), np.nan))
    scores = rows.numbers["score"][labelled_rows]
    return Regions(page[labelled_rows], label, rows.boxes[labelled_rows], scores, shapes, coco)


def _parse_outlines(file: str, texts: list[str], place: PlaceNamer) -> dict[int, Shape]:
    """{region: shape} from the column of outlines and masks in COCO's notation, without those that are boxes."""
    parsed: dict[str, Shape | None] = {"": None}  # a Parquet file can repeat one text in each row
    shapes = {}
    for i, text in enumerate(texts):
        if text not in parsed:
            try:
                shape = parse_segmentation(msgspec.Raw(text.encode()), file, "column outline")
            except InputError as error:  # named only now, because finding the row of one outline reads the whole file
                raise InputError(file, f"{place(i)}, {error.place}", error.problem, error.advice) from None
            parsed[text] = shape if shape is not None and not is_box(shape) else None
        if (known := parsed[text]) is not None:
            shapes[i] = known
    return shapes


def _encode(values: list[str]) -> tuple[Indices, np.ndarray]:
    """int32[rows]: the code of each value, in order of first use; and the row in which each code is first used."""
    position: dict[str, int] = {}
    codes = np.fromiter((position.setdefault(value, len(position)) for value in values), np.int32, len(values))
    first = np.full(len(position), -1)
    first[codes[::-1]] = np.arange(len(values))[::-1]
    return codes, first


def _pages(rows: TableRows, page: Indices, first_rows: np.ndarray, options: Options) -> Pages:
    sizes = np.stack([rows.numbers["width"], rows.numbers["height"]], axis=1)
    known = np.asarray(np.isfinite(sizes).all(axis=1))
    # The first row with a size sets the size of the page; the other rows must agree.
    size_row = _first_known_row(page, known, len(first_rows))
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
    page_of_row = rows.text["page"]
    names = tuple(page_of_row[row] for row in first_rows)
    frame = np.where((size_row >= 0)[:, None], sizes[size_row], np.nan) if len(first_rows) else np.empty((0, 2))
    for i in np.flatnonzero(size_row < 0):
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
    )


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
    code, _ = _encode(given)
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
