"""The columns of a table: their usual names, and the three ways to write a box.

The way a box is written follows from the column names alone, never from the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.model import Floats
from layoutcm.layouts.page_attributes import attribute_name
from layoutcm.layouts.stored_facts import ATTRIBUTE

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
    "corners": (
        CORNERS,
        ("x1", "y1", "x2", "y2"),
        ("x_1", "y_1", "x_2", "y_2"),
        ("xmin", "ymin", "xmax", "ymax"),
        ("x_min", "y_min", "x_max", "y_max"),
        ("left", "top", "right", "bottom"),
        ("left", "upper", "right", "lower"),
        ("l", "t", "r", "b"),
        ("xtl", "ytl", "xbr", "ybr"),
    ),
    "size": (
        ("left", "top", "width", "height"),
        ("x", "y", "width", "height"),
        ("x", "y", "w", "h"),
        ("x0", "y0", "w", "h"),
        ("x1", "y1", "w", "h"),
        ("xmin", "ymin", "w", "h"),
        ("x_min", "y_min", "w", "h"),
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
        hint = "Write four columns instead: x0, y0, x1, y1, or x, y, w, h."
        raise InputError(file, "header", problem, hint)
    missing = [name for name in CORNERS if columns.box is None and name not in column_keys]
    missing += [] if "label" in columns.place else ["label"]
    if missing:
        raise InputError(
            file,
            "header",
            f"the column {missing[0]!r} is missing (found: {', '.join(map(repr, names[:12]))})",
            f"The columns are {', '.join(MAIN_COLUMNS)}; other usual spellings are read too.",
        )
    keys = Counter(column_keys)
    used = [names[i] for i in (*columns.place.values(), *(columns.box or ()))]
    repeated = [name for name in used if keys[column_key(name)] > 1]
    counts = Counter(names)
    repeated += [ATTRIBUTE + name for name in columns.attributes if counts[ATTRIBUTE + name] > 1]
    if repeated:
        raise InputError(file, "header", f"the column {short_repr(repeated[0])} occurs twice", "Remove one of them.")
    if len(columns.attributes) > limits.MAX_ATTRIBUTES:
        problem = f"{len(columns.attributes):,} columns of attributes, at most {limits.MAX_ATTRIBUTES} are read"
        raise InputError(file, "header", problem, "Leave some of them out.")


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
