"""The columns of a table: their usual names, the three ways to write a box, and their values.

The way a box is written follows from the column names alone, never from the numbers. Values are texts, numbers and
flags, from any type of Arrow that can hold them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.formats.parsing import THOUSANDS, ambiguous_comma, decimal
from layoutcm.layouts import limits
from layoutcm.layouts.model import Floats, PlaceNamer
from layoutcm.layouts.page_attributes import attribute_name
from layoutcm.layouts.stored_facts import ATTRIBUTE
from layoutcm.lazy import pa, pc

COLUMN_SPELLINGS = {
    "page": (
        *("page", "image", "image_id", "image_name", "file_name", "filename", "file", "img", "image_path", "page_id"),
        "imageid",
    ),
    "document": ("document", "doc", "doc_name", "document_id", "document_name"),
    "number": ("number", "page_no", "page_number", "page_num"),
    "width": ("page_width", "image_width", "img_width", "width"),
    "height": ("page_height", "image_height", "img_height", "height"),
    "label": ("label", "class", "class_name", "category", "category_name", "label_name", "labelname", "type"),
    "score": ("score", "confidence", "conf", "probability", "prob", "detection_class_prob"),
    "outline": ("outline", "segmentation"),
    "crowd": ("iscrowd", "crowd"),
    "area": ("area",),
    "ignore": ("ignore",),
    "annotator": ("annotator", "annotator_id"),
    # Of layouts that were written by this package.
    "key": ("page_key",),
    "coco_width": ("coco_width",),
    "coco_height": ("coco_height",),
}
CORNERS = ("x0", "y0", "x1", "y1")
# By kind: two corners, a corner and a size, a centre and a size.
BOX_COLUMNS = {
    kind: [tuple(four.split()) for four in spelled]
    for kind, spelled in {
        "corners": (
            *("x0 y0 x1 y1", "x1 y1 x2 y2", "x_1 y_1 x_2 y_2", "xmin ymin xmax ymax", "x_min y_min x_max y_max"),
            *("left top right bottom", "left upper right lower", "l t r b", "xtl ytl xbr ybr"),
        ),
        "size": (
            *("left top width height", "x y width height", "x y w h", "x0 y0 w h", "x1 y1 w h", "xmin ymin w h"),
            *("x_min y_min w h", "bbox_x bbox_y bbox_w bbox_h", "bbox_x bbox_y bbox_width bbox_height"),
        ),
        "centre": ("cx cy w h", "cx cy width height", "x_center y_center width height", "xc yc w h"),
    }.items()
}
# Tables of tools that write fractions of the page: columns by which they are known, and what columns mean there.
FRACTION_TABLES = (
    ({"imageid", "labelname", "xmin", "xmax", "ymin", "ymax"}, {"page": "imageid", "label": "labelname"}),  # OpenImages
    (
        {"left", "upper", "right", "lower", "h", "w"},  # NVIDIA
        {"page": "image", "document": "pdf", "number": "page", "width": "w", "height": "h"},
    ),
)
BOXES_IN_A_CELL = ("bbox", "bboxes", "box", "bounding_box", "coordinates", "predictionstring")
MAIN_COLUMNS = ("page", "document", "width", "height", "label", *CORNERS, "score")
KNOWN_NAMES = frozenset(name for names in (*COLUMN_SPELLINGS.values(), *chain(*BOX_COLUMNS.values())) for name in names)


@dataclass(frozen=True)
class Columns:
    """Column indices: {meaning: column}, the four columns of the box, and its kind in `BOX_COLUMNS`."""

    place: dict[str, int]
    box: tuple[int, int, int, int] | None
    kind: str
    attributes: dict[str, int]  # of pages, by name
    are_fractions: bool = False  # whether boxes are fractions of the page, which only some tools' tables are

    @property
    def used(self) -> list[int]:
        """The columns with a meaning, in the order of the table."""
        return sorted({*self.place.values(), *(self.box or ()), *self.attributes.values()})


@lru_cache(1024)
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
    meanings = next((meanings for names, meanings in FRACTION_TABLES if names <= set(position)), {})
    place |= {what: position[name] for what, name in meanings.items() if name in position}
    # A box always has four columns, which the type of a generator cannot say.
    found = tuple(position[name] for name in box) if box else None
    attributes: dict[str, int] = {}
    for i, name in enumerate(names):
        if name.startswith(ATTRIBUTE) and attribute_name(name.removeprefix(ATTRIBUTE)):
            attributes.setdefault(name.removeprefix(ATTRIBUTE), i)
    return Columns(place, found, kind, attributes, bool(meanings))  # type: ignore[arg-type]


def check_header(file: str, names: list[str], columns: Columns) -> None:
    """Check that no column is missing, that none of those in use occurs twice, and the number of attributes."""
    column_keys = [column_key(name) for name in names]
    in_cell = next((name for name in BOXES_IN_A_CELL if columns.box is None and name in column_keys), None)
    if in_cell is not None:
        column = names[column_keys.index(in_cell)]
        problem = f"the column {short_repr(column)} has boxes in one cell, which may be corners or a corner and a size"
        raise InputError(file, "header", problem, "Write four columns instead: x0, y0, x1, y1, or x, y, w, h.")
    missing = [name for name in CORNERS if columns.box is None and name not in column_keys]
    missing += [] if "label" in columns.place else ["label"]
    if missing:
        problem = f"the column {missing[0]!r} is missing (found: {', '.join(map(repr, names[:12]))})"
        hint = f"The columns are {', '.join(MAIN_COLUMNS)}; other usual spellings are read too."
        raise InputError(file, "header", problem, hint)
    keys = Counter(column_keys)
    used = [names[i] for i in (*columns.place.values(), *(columns.box or ()))]
    repeated = [name for name in used if keys[column_key(name)] > 1]
    counts = Counter(names)
    repeated += [ATTRIBUTE + name for name in columns.attributes if counts[ATTRIBUTE + name] > 1]
    if repeated:
        raise InputError(file, "header", f"the column {short_repr(repeated[0])} occurs twice", "Remove one of them.")
    what, hint = "columns of attributes", "Leave some of them out."
    check_count(len(columns.attributes), limits.MAX_ATTRIBUTES, what, file, "header", hint)


def columns_in_use(file: str, names: Sequence[str]) -> list[int]:
    """The columns that are read; the header is checked, because later columns with equal names look the same."""
    columns = find_columns(names)
    check_header(file, list(names), columns)
    return columns.used


def as_corners(four: Floats, kind: str) -> Floats:
    """float64[rows, x0 y0 x1 y1] from four columns of any kind."""
    near, other = four[:, :2], four[:, 2:]
    if kind == "size":
        return np.hstack([near, near + other])
    if kind == "centre":
        return np.hstack([near - other / 2, near + other / 2])
    return four


MAX_NUMBER_LENGTH = 100  # characters
FEW_ROWS = 256
_PLAIN = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
DECIMAL_COMMA = r"^([+-]?[0-9]*),([0-9]+)$"
FLAGS = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}


class Coded(NamedTuple):
    """A column of texts as integers of the smallest type, a number for each different one; 0 is an empty cell."""

    codes: NDArray[np.integer]
    words: list[str]

    def take(self, kept: np.ndarray) -> Coded:
        return Coded(self.codes[kept], self.words)


def text_column(file: str, table: pa.Table, at: int | None) -> list[str]:
    if at is None:
        return [""] * table.num_rows
    try:
        known: dict[str, str] = {}
        return [text for chunk in table.column(at).chunks for text in texts_of(chunk, known)]
    except pa.ArrowException:
        name, kind = table.column_names[at], table.column(at).type
        raise InputError(file, f"column {name}", f"holds {kind}, must be text", "Convert it.") from None


def texts_of(chunk: pa.Array, known: dict[str, str]) -> list[str]:
    """The values as text, "" for blank ones. Equal words of dictionaries become the same object, also in other chunks.

    This saves memory, and comparing them does not read them.
    """
    if not pa.types.is_dictionary(chunk.type):
        return [value if value and not value.isspace() else "" for value in chunk.cast(pa.string()).to_pylist()]
    words = [known.setdefault(word, word) for word in (*texts_of(chunk.dictionary, known), "")]
    return [words[i] for i in chunk.indices.fill_null(len(words) - 1).to_pylist()]


def coded_column(file: str, table: pa.Table, at: int | None) -> Coded:
    """The texts of a column, without a Python object for each row: there may be many such columns."""
    if at is None or not table.num_rows:
        return Coded(np.zeros(table.num_rows, np.uint8), [""])
    column = table.column(at)
    try:
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        whole = column.unify_dictionaries().combine_chunks()
        words = texts_of(whole.dictionary, {})
        given = whole.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        name = table.column_names[at]
        raise InputError(file, f"column {name}", f"holds {column.type}, must be text", "Convert it.") from None
    number: dict[str, int] = {"": 0}
    recode = [number.setdefault(word, len(number)) for word in (*words, "")]
    return Coded(np.array(recode, np.min_scalar_type(len(number)))[given], list(number))


def flag_column(file: str, table: pa.Table, at: int | None, place: PlaceNamer) -> NDArray[np.bool_]:
    """bool[rows]: 1, true or yes; an empty cell is False."""
    kind = "" if at is None else str(table.column(at).type)
    if at is not None and kind not in ("string", "large_string", "string_view") and not kind.startswith("dictionary"):
        return np.asarray(number_column(file, table, at, place) > 0)
    coded = coded_column(file, table, at)
    flags = [_flag(word) for word in coded.words]
    wrong = [i for i, flag in enumerate(flags) if flag is None]
    if wrong and at is not None:
        row = int(np.argmax(np.isin(coded.codes, wrong)))
        problem = f"{short_repr(coded.words[coded.codes[row]])} is neither 1 nor 0, true nor false"
        raise InputError(file, f"{place(row)}, column {table.column_names[at]}", problem, "Repair this cell.")
    return np.array(flags, bool)[coded.codes]


def _flag(word: str) -> bool | None:
    text = word.strip().lower()
    if text in FLAGS:
        return FLAGS[text]
    try:
        return decimal(text) > 0 if len(text) <= MAX_NUMBER_LENGTH else None
    except ValueError:
        return None


def number_column(file: str, table: pa.Table, at: int | None, place: PlaceNamer) -> Floats:
    if at is None:
        return np.full(table.num_rows, np.nan)
    name, column = table.column_names[at], table.column(at)
    few = _few_numbers(column)
    if few is not None:
        return few
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
        problem = f"the value is {numbers[row]:g}, must be a finite number"
        hint = "Repair it, or leave the cell empty where there is none."
        raise InputError(file, f"{place(row)}, column {name}", problem, hint)
    return numbers


def _few_numbers(column: pa.ChunkedArray) -> Floats | None:
    """The values of a short column of plain numbers and empty cells; None for any other.

    A zip may have thousands of short tables, and there the fixed cost of Arrow's functions is most of the time.
    """
    if len(column) > FEW_ROWS or str(column.type) != "string":
        return None
    texts = column.to_pylist()
    if not all(text is None or _PLAIN.fullmatch(text) for text in texts):
        return None
    return np.array([np.nan if text is None else float(text) for text in texts], float)


def _number_texts(file: str, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray | None:
    """The values of a column of text without blanks around them; None if they are not text.

    Words of a dictionary that are too long for a number are refused: they could take much memory in each row.
    """
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
    first: InputError | None = None
    for at in columns:
        name = table.column_names[at]
        if _few_numbers(table.column(at)) is not None:
            continue
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
    for row, cell in enumerate(column):
        try:
            cell.cast(pa.float64(), safe=False)
        except pa.ArrowException:
            problem = f"{short_repr(cell.as_py())} is not a number"
            return InputError(file, f"{place(row)}, column {name}", problem, "Repair this cell.")
    return InputError(file, f"column {name}", f"holds {column.type}, must be numbers", "Convert it.")
