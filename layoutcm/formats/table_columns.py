"""The columns of a table: their usual names, the three ways to write a box, and their values.

The way a box is written follows from the column names alone, never from the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.parsing import THOUSANDS, ambiguous_comma
from layoutcm.layouts.model import Floats, PlaceNamer

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN_SPELLINGS = {
    "page": (
        "page",
        "image",
        "image_id",
        "image_name",
        "file_name",
        "filename",
        "file",
        "img",
        "image_path",
        "page_id",
    ),
    "document": ("document", "doc", "doc_name", "document_id", "document_name"),
    "number": ("number", "page_no", "page_number", "page_num"),
    "width": ("page_width", "image_width", "img_width", "width"),
    "height": ("page_height", "image_height", "img_height", "height"),
    "label": ("label", "class", "class_name", "category", "category_name", "label_name", "type"),
    "score": ("score", "confidence", "conf", "probability", "prob", "detection_class_prob"),
    "outline": ("outline", "segmentation"),
    "crowd": ("iscrowd", "crowd"),
    "area": ("area",),
}
MAX_NUMBER_LENGTH = 100  # characters
DECIMAL_COMMA = r"^([+-]?[0-9]*),([0-9]+)$"
CORNERS = ("x0", "y0", "x1", "y1")
# By kind: two corners, a corner and a size, a centre and a size.
BOX_COLUMNS = {
    "corners": (
        CORNERS,
        ("x1", "y1", "x2", "y2"),
        ("x_1", "y_1", "x_2", "y_2"),
        ("xmin", "ymin", "xmax", "ymax"),
        ("x_min", "y_min", "x_max", "y_max"),
        ("left", "top", "right", "bottom"),
        ("l", "t", "r", "b"),
        ("xtl", "ytl", "xbr", "ybr"),
    ),
    "size": (
        ("left", "top", "width", "height"),
        ("x", "y", "width", "height"),
        ("x", "y", "w", "h"),
        ("x0", "y0", "w", "h"),
        ("bbox_x", "bbox_y", "bbox_w", "bbox_h"),
        ("bbox_x", "bbox_y", "bbox_width", "bbox_height"),
    ),
    "centre": (
        ("cx", "cy", "w", "h"),
        ("cx", "cy", "width", "height"),
        ("x_center", "y_center", "width", "height"),
        ("xc", "yc", "w", "h"),
    ),
}


@dataclass(frozen=True)
class Columns:
    """Column indices: {meaning: column}, the four columns of the box, and its kind in `BOX_COLUMNS`."""

    place: dict[str, int]
    box: tuple[int, int, int, int] | None
    kind: str


def column_key(name: str) -> str:
    """A column's name in lower case, with one underscore between its words."""
    return re.sub(r"[\s_.\-]+", "_", name.strip().strip('"').lower()).strip("_")


def find_columns(names: Sequence[str]) -> Columns:
    position: dict[str, int] = {}
    for i, name in enumerate(names):
        position.setdefault(column_key(name), i)
    kind, box = next(
        ((kind, four) for kind, spelled in BOX_COLUMNS.items() for four in spelled if set(four) <= set(position)),
        ("", None),
    )
    place = {}
    for what, spelled in COLUMN_SPELLINGS.items():
        # `width` next to `left` is the width of the box; the page width then needs another name.
        free = [name for name in spelled if name in position and name not in (box or ())]
        if free:
            place[what] = position[free[0]]
    # A box always has four columns, which the type of a generator cannot say.
    return Columns(place, tuple(position[name] for name in box) if box else None, kind)  # type: ignore[arg-type]


def as_corners(four: Floats, kind: str) -> Floats:
    """float64[rows, x0 y0 x1 y1] from four columns of any kind."""
    near, other = four[:, :2], four[:, 2:]
    if kind == "size":
        return np.hstack([near, near + other])
    if kind == "centre":
        return np.hstack([near - other / 2, near + other / 2])
    return four


def text_column(file: str, table: pa.Table, at: int | None) -> list[str]:
    import pyarrow as pa

    if at is None:
        return [""] * table.num_rows
    try:
        known: dict[str, str] = {}
        return [text for chunk in table.column(at).chunks for text in _texts(chunk, known)]
    except pa.ArrowException:
        name, kind = table.column_names[at], table.column(at).type
        raise InputError(file, f"column {name}", f"holds {kind}, must be text", "Convert it.") from None


def _texts(chunk: pa.Array, known: dict[str, str]) -> list[str]:
    """The values as text, "" for blank ones. Equal words of dictionaries become the same object, also in other chunks.

    This saves memory, and comparing them does not read them.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(chunk.type):
        return [value if value and not value.isspace() else "" for value in chunk.cast(pa.string()).to_pylist()]
    words = [known.setdefault(word, word) for word in (*_texts(chunk.dictionary, known), "")]
    return [words[i] for i in chunk.indices.fill_null(len(words) - 1).to_pylist()]


def number_column(file: str, table: pa.Table, at: int | None, place: PlaceNamer) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    if at is None:
        return np.full(table.num_rows, np.nan)
    name, column = table.column_names[at], table.column(at)
    try:
        texts = _number_texts(file, column, name)
        if texts is not None:
            column = pc.if_else(pc.equal(texts, ""), None, texts)
            if pc.any(pc.match_substring(texts, ",")).as_py():  # decimal commas, as in 0,358
                column = pc.replace_substring_regex(column, DECIMAL_COMMA, r"\1.\2")
        given = column.cast(pa.float64(), safe=False)
    except pa.ArrowException:
        raise _not_a_number_error(file, column, name, place) from None
    numbers = given.to_numpy().astype(float, copy=True)
    wrong = ~np.isfinite(numbers) & ~np.asarray(pc.is_null(given))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            file,
            f"{place(row)}, column {name}",
            f"the value is {numbers[row]:g}, must be a finite number",
            "Repair it, or leave the cell empty where there is none.",
        )
    return numbers


def _number_texts(file: str, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray | None:
    """The values of a column of text without blanks around them; None if they are not text.

    Words of a dictionary that are too long for a number are refused: they could take much memory in each row.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        for chunk in column.chunks:
            if (pc.max(pc.binary_length(chunk.dictionary.cast(pa.string()))).as_py() or 0) > MAX_NUMBER_LENGTH:
                raise InputError(file, f"column {name}", "holds long text, must be numbers", "Convert it.")
        column = column.cast(pa.string())
    if str(column.type) not in ("string", "large_string", "string_view"):
        return None
    return pc.utf8_trim_whitespace(column.cast(pa.string()))


def check_commas(file: str, table: pa.Table, columns: Sequence[int], place: PlaceNamer) -> None:
    """Refuse numbers such as 1,000, unless another number of the file can only have a decimal comma."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first: InputError | None = None
    for at in columns:
        name = table.column_names[at]
        try:
            texts = _number_texts(file, table.column(at), name)
        except pa.ArrowException:  # `number_column` says why
            continue
        if texts is None or not pc.any(pc.match_substring(texts, ",")).as_py():
            continue
        is_unclear = pc.match_substring_regex(texts, f"^{THOUSANDS}$")
        if pc.any(pc.and_not(pc.match_substring_regex(texts, DECIMAL_COMMA), is_unclear)).as_py():
            return
        if first is None and pc.any(is_unclear).as_py():
            row = pc.index(is_unclear, True).as_py()
            first = ambiguous_comma(file, f"{place(row)}, column {name}", texts[row].as_py())
    if first is not None:
        raise first


def _not_a_number_error(file: str, column: pa.ChunkedArray, name: str, place: PlaceNamer) -> InputError:
    import pyarrow as pa

    for row, cell in enumerate(column):
        try:
            cell.cast(pa.float64(), safe=False)
        except pa.ArrowException:
            problem = f"{short_repr(cell.as_py())} is not a number"
            return InputError(file, f"{place(row)}, column {name}", problem, "Repair this cell.")
    return InputError(file, f"column {name}", f"holds {column.type}, must be numbers", "Convert it.")
