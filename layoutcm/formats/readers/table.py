"""Plain tables, CSV or Parquet: page, document, number, width, height, label, x0, y0, x1, y1, score, outline.

Only the label and the box are required; `table_columns` has other usual names of the columns. A row without a label is
a page without regions, and a row with only a label declares that label. Without a page column, all rows are on one page
with the name of the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.table_columns import CORNERS, as_corners, column_key, find_columns, number_column, text_column
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import Shape, is_box
from layoutcm.layouts.validation import make_layout
from layoutcm.wording import plural

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_COLUMNS = ("page", "document", "label", "outline")
NUMBER_COLUMNS = ("number", "width", "height", "score", "crowd", "area")
MAIN_COLUMNS = ("page", "document", "width", "height", "label", *CORNERS, "score")
PARQUET_MAGIC = b"PAR1"
_BLANK_LINE = re.compile(rb"\A[\r\n]|\n\r?\n|\r\r")


def is_parquet(content: FileContent) -> bool:
    return content.data[:4] == PARQUET_MAGIC


def is_csv(content: FileContent) -> bool:
    if content.json_root or content.data[:1] == b"<":
        return False
    names = {column_key(name) for name in _header(content).decode("utf-8", "replace").split(_delimiter(content))}
    found = find_columns(list(names))
    if "block_type" in names:  # LayoutParser has its own reader
        return False
    if content.name.lower().endswith((".csv", ".tsv")):
        return True  # even if it is broken: the reader has the best error messages
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
    data = content.data if b"\n" in content.data else content.data + b"\n"  # a header alone is a table without rows
    try:
        data.decode("utf-8")
        # Read everything as text: "0001" and "NA" are names, and the message about a bad number must name its row.
        header = arrow_csv.open_csv(io.BytesIO(data), parse_options=parse).schema.names
        table = arrow_csv.read_csv(
            io.BytesIO(data),
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


def _records(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    """Yield (row, cells); slow, only for messages. As in a spreadsheet, the header is row 1 and blank lines count."""
    text = io.StringIO(content.data.decode("utf-8-sig"), newline="")
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content.data))
        table.validate(full=True)  # a text column of Parquet may contain any bytes
        table.column_names  # noqa: B018 (fails on a name that is not text)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            content.name, "", f"this is not a readable Parquet file: {error}", "Export it again."
        ) from None
    return _read_table(content, options, table, "parquet", "row {}".format)


def _read_table(content: FileContent, options: Options, table: pa.Table, format: str, place: PlaceNamer) -> Layout:
    names = table.column_names
    columns = find_columns(names)
    column_keys = {column_key(name): name for name in names}
    missing = [name for name in CORNERS if columns.box is None and name not in column_keys]
    missing += [] if "label" in columns.place else ["label"]
    if missing:
        raise InputError(
            content.name,
            "header",
            f"the column {missing[0]!r} is missing (found: {', '.join(map(repr, names[:12]))})",
            f"The columns are {', '.join(MAIN_COLUMNS)}; other usual spellings are read too.",
        )
    used = [names[i] for i in (*columns.place.values(), *(columns.box or ()))]
    repeated = [name for name in used if [column_key(other) for other in names].count(column_key(name)) > 1]
    if repeated:
        raise InputError(content.name, "header", f"the column {repeated[0]!r} occurs twice", "Remove one of them.")
    text = {name: text_column(content.name, table, columns.place.get(name)) for name in TEXT_COLUMNS}
    numbers = {name: number_column(content.name, table, columns.place.get(name), place) for name in NUMBER_COLUMNS}
    raw_boxes = np.stack([number_column(content.name, table, i, place) for i in columns.box or ()], axis=1)
    boxes = as_corners(raw_boxes, columns.kind)
    has_label_only = _rows_with_label_only(text, numbers, raw_boxes)
    if "page" not in columns.place:
        text["page"] = [content.stem] * table.num_rows
    labels = [label for label in dict.fromkeys(text["label"]) if label]
    if not has_label_only.any():
        return _build_layout(content, options, format, labels, text, numbers, boxes, place)
    kept = np.flatnonzero(~has_label_only)
    text = {name: [column[i] for i in kept] for name, column in text.items()}
    numbers = {name: column[kept] for name, column in numbers.items()}
    return _build_layout(content, options, format, labels, text, numbers, boxes[kept], lambda i: place(int(kept[i])))


def _rows_with_label_only(text: dict[str, list[str]], numbers: dict[str, Floats], boxes: Floats) -> NDArray[np.bool_]:
    """bool[rows]: whether a row has a label and nothing else."""
    has_label_only = np.zeros(len(boxes), bool)
    others = [text[name] for name in TEXT_COLUMNS if name != "label"]
    for i in np.flatnonzero(np.isnan(boxes).all(axis=1)):  # usually few of very many rows
        has_more = any(column[i] for column in others) or not all(np.isnan(column[i]) for column in numbers.values())
        has_label_only[i] = bool(text["label"][i]) and not has_more
    return has_label_only


def _build_layout(
    content: FileContent,
    options: Options,
    format: str,
    labels: list[str],
    text: dict[str, list[str]],
    numbers: dict[str, Floats],
    boxes: Floats,
    place: PlaceNamer,
) -> Layout:
    page, first_rows = _encode(text["page"])
    blank = np.array([not name for name in text["page"]], bool)
    if blank.any():
        raise InputError(
            content.name, f"{place(int(np.argmax(blank)))}, column page", "the page has no name", "Add it."
        )
    pages = _pages(content.name, options, text, numbers, page, first_rows, place)
    has_label = np.array([bool(name) for name in text["label"]], bool)
    findings = []
    is_unlabelled_box = ~has_label & np.isfinite(boxes).any(axis=1)
    if is_unlabelled_box.any():
        count, first_at = int(is_unlabelled_box.sum()), place(int(np.argmax(is_unlabelled_box)))
        rows_text = plural(count, "row has a box but no label and is", "rows have a box but no label and are")
        message = f"{content.name}: {rows_text} dropped; first at {first_at}."
        findings.append(Finding("unlabelled-row", message, count=count, hint="Fill the label column."))
    labelled_rows = np.flatnonzero(has_label)
    code = {label: i for i, label in enumerate(labels)}
    label = np.fromiter((code[text["label"][i]] for i in labelled_rows), np.int32, len(labelled_rows))
    shapes = (
        _parse_outlines(
            content.name, [text["outline"][i] for i in labelled_rows], lambda i: place(int(labelled_rows[i]))
        )
        if options.outlines
        else {}
    )
    regions = Regions(page[labelled_rows], label, boxes[labelled_rows], numbers["score"][labelled_rows], shapes)
    if (numbers["crowd"] > 0).any():
        crowd, areas = numbers["crowd"][labelled_rows] > 0, numbers["area"][labelled_rows]
        regions = replace(regions, coco=CocoFacts(crowd, areas, np.full((len(labelled_rows), 2), np.nan)))
    return make_layout(
        content.name,
        format,
        labels,
        pages,
        regions,
        findings=findings,
        page_place=lambda i: place(int(first_rows[i])),
        region_place=lambda i: place(int(labelled_rows[i])),
    )


def _parse_outlines(file: str, texts: list[str], place: PlaceNamer) -> dict[int, Shape]:
    """{region: shape} from the column of outlines and masks in COCO's notation, without those that are boxes."""
    written = {i: text for i, text in enumerate(texts) if text}
    read = {
        i: parse_segmentation(msgspec.Raw(t.encode()), file, f"{place(i)}, column outline") for i, t in written.items()
    }
    return {i: shape for i, shape in read.items() if shape is not None and not is_box(shape)}


def _encode(values: list[str]) -> tuple[Indices, np.ndarray]:
    """int32[rows]: the code of each value, in order of first use; and the row in which each code is first used."""
    position: dict[str, int] = {}
    codes = np.fromiter((position.setdefault(value, len(position)) for value in values), np.int32, len(values))
    first = np.full(len(position), -1)
    first[codes[::-1]] = np.arange(len(values))[::-1]
    return codes, first


def _pages(
    file: str,
    options: Options,
    text: dict[str, list[str]],
    numbers: dict[str, Floats],
    page: Indices,
    first_rows: np.ndarray,
    place: PlaceNamer,
) -> Pages:
    sizes = np.stack([numbers["width"], numbers["height"]], axis=1)
    known = np.asarray(np.isfinite(sizes).all(axis=1))
    # The first row with a size sets the size of the page; the other rows must agree.
    size_row = _first_known_row(page, known, len(first_rows))
    clash = known & (sizes != sizes[size_row[page]]).any(axis=1)
    if clash.any():
        row = int(np.argmax(clash))
        before = int(size_row[page[row]])
        raise InputError(
            file,
            f"{place(before)} and {place(row)}",
            f"page {short_repr(text['page'][row])} is {sizes[before, 0]:g} x {sizes[before, 1]:g} and then "
            f"{sizes[row, 0]:g} x {sizes[row, 1]:g}",
            "A page has only one size: repair the size, or rename one of them if these are different pages.",
        )
    names = tuple(text["page"][row] for row in first_rows)
    frame = np.where((size_row >= 0)[:, None], sizes[size_row], np.nan) if len(first_rows) else np.empty((0, 2))
    for i in np.flatnonzero(size_row < 0):
        size = size_of(names[i], options)
        if size is None:
            raise missing_size_error(file, place(int(first_rows[i])), names[i], options)
        frame[i] = size
    return Pages(
        names,
        np.ascontiguousarray(frame[:, 0]),
        np.ascontiguousarray(frame[:, 1]),
        _documents(file, text, page, len(first_rows), place),
        np.array([number if 0 <= number < 2**31 else -1 for number in numbers["number"][first_rows]], np.int32),
    )


def _first_known_row(page: Indices, known: np.ndarray, pages: int) -> np.ndarray:
    """int64[pages]: the first row of each page with a known value, -1 if there is none."""
    first_row = np.full(pages, -1)
    rows = np.flatnonzero(known)
    first_row[page[rows[::-1]]] = rows[::-1]
    return first_row


def _documents(file: str, text: dict[str, list[str]], page: Indices, pages: int, place: PlaceNamer) -> tuple[str, ...]:
    """The document of each page; two documents are an error, because page "1" of both must not become one page."""
    given = text["document"]
    known = np.array([bool(document) for document in given], bool)
    first_row = _first_known_row(page, known, pages)
    code, _ = _encode(given)
    clash = known & (code != code[first_row[page]])
    if clash.any():
        row = int(np.argmax(clash))
        before = int(first_row[page[row]])
        raise InputError(
            file,
            f"{place(before)} and {place(row)}",
            f"page {short_repr(text['page'][row])} is in document {short_repr(given[before])} "
            f"and then in {short_repr(given[row])}",
            "Page names must be unique: write the document into the name of the page.",
        )
    return tuple(given[row] if row >= 0 else "" for row in first_row)
