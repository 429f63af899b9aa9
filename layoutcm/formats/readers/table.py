"""The plain table, CSV or Parquet: page, document, number, width, height, label, x0, y0, x1, y1, score, outline.

Only label and the box must be there; other usual spellings of the columns are in `columns`. A row without a label is a
page without regions, and one with nothing but a label declares it; without a column of pages all rows are on one page,
named like the file.
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
from layoutcm.formats.content import Content, Options
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.table_columns import CORNERS, as_corners, column_key, find_columns, number_column, text_column
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import Shape, is_box
from layoutcm.layouts.validation import make_layout
from layoutcm.wording import plural

if TYPE_CHECKING:
    import pyarrow as pa

TEXT = ("page", "document", "label", "outline")
NUMBERS = ("number", "width", "height", "score", "crowd", "area")
ALL = ("page", "document", "width", "height", "label", *CORNERS, "score")
PARQUET_MAGIC = b"PAR1"
_BLANK_LINE = re.compile(rb"\A[\r\n]|\n\r?\n|\r\r")


def is_parquet(content: Content) -> bool:
    return content.data[:4] == PARQUET_MAGIC


def is_csv(content: Content) -> bool:
    if content.json_root or content.data[:1] == b"<":
        return False
    names = {column_key(name) for name in _header(content).decode("utf-8", "replace").split(_delimiter(content))}
    found = find_columns(list(names))
    if "block_type" in names:  # LayoutParser's, which has its own reader
        return False
    if content.name.lower().endswith((".csv", ".tsv")):
        return True  # whatever is wrong with it, the reader can say it best
    return {"page", "label"} <= names or (found.box is not None and bool({"page", "label"} & set(found.place)))


def _header(content: Content) -> bytes:
    return content.json_bytes[:4096].lstrip(b"\r\n").split(b"\n", 1)[0].split(b"\r", 1)[0]


def _delimiter(content: Content) -> str:
    """Comma, or what spreadsheets write where the comma is the decimal sign."""
    header = _header(content)
    return max((",", ";", "\t"), key=lambda sign: header.count(sign.encode()))


def read_csv(content: Content, options: Options) -> Layout:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    parse = arrow_csv.ParseOptions(newlines_in_values=True, delimiter=_delimiter(content))
    data = content.data if b"\n" in content.data else content.data + b"\n"  # a header alone is a table without rows
    try:
        data.decode("utf-8")
        # Everything as text first: "0001" and "NA" are names, and a bad number must be found with its row.
        header = arrow_csv.open_csv(io.BytesIO(data), parse_options=parse).schema.names
        table = arrow_csv.read_csv(
            io.BytesIO(data),
            parse_options=parse,
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except UnicodeDecodeError as error:
        raise InputError(
            content.name,
            f"byte {error.start}",
            f"0x{content.data[error.start]:02x} is not UTF-8 text",
            "Save the file as UTF-8.",
        ) from None
    except (pa.ArrowException, ValueError) as error:
        raise _broken_csv(content, error) from None
    return _read_table(content, options, table, "csv", lambda row: _spreadsheet_row(content, row))


def _records(content: Content) -> Iterator[tuple[int, list[str]]]:
    """(row, cells) slowly, for messages; row 1 is the header, as a spreadsheet counts, and blank lines count too."""
    text = io.StringIO(content.data.decode("utf-8-sig"), newline="")
    try:
        yield from (
            (row, cells) for row, cells in enumerate(csv.reader(text, delimiter=_delimiter(content)), 1) if cells
        )
    except csv.Error:  # a cell of more than 128 kB
        return


def _spreadsheet_row(content: Content, row: int) -> str:
    if not _BLANK_LINE.search(content.data):
        return f"row {row + 2}"
    return f"row {next(islice((number for number, _ in _records(content)), row + 1, None), row + 2)}"


def _broken_csv(content: Content, error: Exception) -> InputError:
    records = _records(content)
    _, header = next(records, (1, []))
    for row, cells in records:
        if len(cells) != len(header):
            problem = f"{len(cells)} cells where the header has {len(header)}: {short_repr(','.join(cells))}"
            return InputError(
                content.name, f"row {row}", problem, "Repair this row; put quotes around cells with commas."
            )
    return InputError(content.name, "", f"this is not a readable CSV: {error}", "Export it again.")


def read_parquet(content: Content, options: Options) -> Layout:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content.data))
        table.validate(full=True)  # Parquet may call any bytes text
        table.column_names  # noqa: B018 (fails on a name that is not text)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            content.name, "", f"this is not a readable Parquet file: {error}", "Export it again."
        ) from None
    return _read_table(content, options, table, "parquet", "row {}".format)


def _read_table(content: Content, options: Options, table: pa.Table, format: str, place: PlaceNamer) -> Layout:
    names = table.column_names
    columns = find_columns(names)
    spelled = {column_key(name): name for name in names}
    missing = [name for name in CORNERS if columns.box is None and name not in spelled]
    missing += [] if "label" in columns.place else ["label"]
    if missing:
        raise InputError(
            content.name,
            "header",
            f"the column {missing[0]!r} is missing (found: {', '.join(map(repr, names[:12]))})",
            f"The columns are {', '.join(ALL)}; other usual spellings are read too.",
        )
    used = [names[i] for i in (*columns.place.values(), *(columns.box or ()))]
    repeated = [name for name in used if [column_key(other) for other in names].count(column_key(name)) > 1]
    if repeated:
        raise InputError(content.name, "header", f"the column {repeated[0]!r} occurs twice", "Remove one of them.")
    text = {name: text_column(content.name, table, columns.place.get(name)) for name in TEXT}
    numbers = {name: number_column(content.name, table, columns.place.get(name), place) for name in NUMBERS}
    four = np.stack([number_column(content.name, table, i, place) for i in columns.box or ()], axis=1)
    boxes = as_corners(four, columns.kind)
    declaring = _declaring(text, numbers, four)
    if "page" not in columns.place:
        text["page"] = [content.stem] * table.num_rows
    labels = [label for label in dict.fromkeys(text["label"]) if label]
    if not declaring.any():
        return _layout(content, options, format, labels, text, numbers, boxes, place)
    kept = np.flatnonzero(~declaring)
    text = {name: [column[i] for i in kept] for name, column in text.items()}
    numbers = {name: column[kept] for name, column in numbers.items()}
    return _layout(content, options, format, labels, text, numbers, boxes[kept], lambda i: place(int(kept[i])))


def _declaring(text: dict[str, list[str]], numbers: dict[str, Floats], boxes: Floats) -> NDArray[np.bool_]:
    """bool[rows]: a label and nothing else."""
    declaring = np.zeros(len(boxes), bool)
    others = [text[name] for name in TEXT if name != "label"]
    for i in np.flatnonzero(np.isnan(boxes).all(axis=1)):  # few rows, of very many
        has_more = any(column[i] for column in others) or not all(np.isnan(column[i]) for column in numbers.values())
        declaring[i] = bool(text["label"][i]) and not has_more
    return declaring


def _layout(
    content: Content,
    options: Options,
    format: str,
    labels: list[str],
    text: dict[str, list[str]],
    numbers: dict[str, Floats],
    boxes: Floats,
    place: PlaceNamer,
) -> Layout:
    page, first = _code(text["page"])
    blank = np.array([not name for name in text["page"]], bool)
    if blank.any():
        raise InputError(
            content.name, f"{place(int(np.argmax(blank)))}, column page", "the page has no name", "Add it."
        )
    pages = _pages(content.name, options, text, numbers, page, first, place)
    named = np.array([bool(name) for name in text["label"]], bool)
    findings = []
    nameless = ~named & np.isfinite(boxes).any(axis=1)
    if nameless.any():
        count, first_at = int(nameless.sum()), place(int(np.argmax(nameless)))
        rows_are = plural(count, "row has a box but no label and is", "rows have a box but no label and are")
        message = f"{content.name}: {rows_are} dropped; first at {first_at}."
        findings.append(Finding("unlabelled-row", message, count=count, hint="Fill the label column."))
    rows = np.flatnonzero(named)
    code = {label: i for i, label in enumerate(labels)}
    label = np.fromiter((code[text["label"][i]] for i in rows), np.int32, len(rows))
    shapes = (
        _outlines(content.name, [text["outline"][i] for i in rows], lambda i: place(int(rows[i])))
        if options.outlines
        else {}
    )
    regions = Regions(page[rows], label, boxes[rows], numbers["score"][rows], shapes)
    if (numbers["crowd"] > 0).any():
        crowd, areas = numbers["crowd"][rows] > 0, numbers["area"][rows]
        regions = replace(regions, coco=CocoFacts(crowd, areas, np.full((len(rows), 2), np.nan)))
    return make_layout(
        content.name,
        format,
        labels,
        pages,
        regions,
        findings=findings,
        page_place=lambda i: place(int(first[i])),
        region_place=lambda i: place(int(rows[i])),
    )


def _outlines(file: str, texts: list[str], place: PlaceNamer) -> dict[int, Shape]:
    """Outlines and masks written as COCO writes them, in a column of their own."""
    written = {i: text for i, text in enumerate(texts) if text}
    read = {
        i: parse_segmentation(msgspec.Raw(t.encode()), file, f"{place(i)}, column outline") for i, t in written.items()
    }
    return {i: shape for i, shape in read.items() if shape is not None and not is_box(shape)}


def _code(values: list[str]) -> tuple[Indices, np.ndarray]:
    """int32[rows] code in order of first use, and the row of each code's first use."""
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
    first: np.ndarray,
    place: PlaceNamer,
) -> Pages:
    sizes = np.stack([numbers["width"], numbers["height"]], axis=1)
    known = np.asarray(np.isfinite(sizes).all(axis=1))
    # The first row that tells a page's size decides; the others must agree with it.
    chosen = _first_known_row(page, known, len(first))
    clash = known & (sizes != sizes[chosen[page]]).any(axis=1)
    if clash.any():
        row = int(np.argmax(clash))
        before = int(chosen[page[row]])
        raise InputError(
            file,
            f"{place(before)} and {place(row)}",
            f"page {short_repr(text['page'][row])} is {sizes[before, 0]:g} x {sizes[before, 1]:g} and then "
            f"{sizes[row, 0]:g} x {sizes[row, 1]:g}",
            "One page has one size, and one page stands once: repair the size or rename one of the pages.",
        )
    names = tuple(text["page"][row] for row in first)
    frame = np.where((chosen >= 0)[:, None], sizes[chosen], np.nan) if len(first) else np.empty((0, 2))
    for i in np.flatnonzero(chosen < 0):
        size = size_of(names[i], options)
        if size is None:
            raise missing_size_error(file, place(int(first[i])), names[i], options)
        frame[i] = size
    return Pages(
        names,
        np.ascontiguousarray(frame[:, 0]),
        np.ascontiguousarray(frame[:, 1]),
        _documents(file, text, page, len(first), place),
        np.array([number if 0 <= number < 2**31 else -1 for number in numbers["number"][first]], np.int32),
    )


def _first_known_row(page: Indices, known: np.ndarray, pages: int) -> np.ndarray:
    """int64[pages]: the first row of each page that tells something, -1 where none does."""
    first_row = np.full(pages, -1)
    rows = np.flatnonzero(known)
    first_row[page[rows[::-1]]] = rows[::-1]
    return first_row


def _documents(file: str, text: dict[str, list[str]], page: Indices, pages: int, place: PlaceNamer) -> tuple[str, ...]:
    """The document of each page; page "1" of two documents must not become one page."""
    given = text["document"]
    known = np.array([bool(document) for document in given], bool)
    first_row = _first_known_row(page, known, pages)
    code, _ = _code(given)
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
