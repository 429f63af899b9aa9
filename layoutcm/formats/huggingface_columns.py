"""Which columns of a Hugging Face data set in Parquet are read, and what they mean.

One row is one page. The objects of a page are a struct of lists or a list of structs in a column `objects`, or lists in
columns of their own, as in DocLayNet. Only the columns named here are read: never `pdf`, `pdf_cells` and the like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from layoutcm.formats.content import DECODE_ERRORS
from layoutcm.formats.nested_values import Column
from layoutcm.layouts import limits

OBJECTS = "objects"
TOKEN_COLUMNS = {"tokens", "words", "input_ids", "attention_mask"}  # of data sets for token classification
OBJECT_COLUMNS = {
    "box": ("bbox", "bboxes", "boxes"),
    "category": ("category", "categories", "category_id", "category_ids", "label", "labels"),
    "score": ("score", "scores", "confidence"),
    "area": ("area", "areas"),
    "crowd": ("iscrowd", "is_crowd"),
}
PAGE_COLUMNS = {
    "name": ("file_name", "filename", "image_name", "page_hash"),
    "id": ("image_id",),
    "width": ("width", "image_width"),
    "height": ("height", "image_height"),
    "document": ("doc_name", "document_name", "original_filename"),
    "number": ("page_no", "page_number"),
    "doc_category": ("doc_category",),
    "collection": ("collection",),
}
ATTRIBUTES = ("doc_category", "collection")
DOCLAYNET_PAGE = "metadata"
DOCLAYNET_SIZES = {"width": ("coco_width",), "height": ("coco_height",)}
# Of DocLayNet, whose copies on Hugging Face have the numbers 1 to 11 and no names.
DOCLAYNET_NAMES = dict(
    enumerate(
        (
            *("Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header"),
            *("Picture", "Section-header", "Table", "Text", "Title"),
        ),
        1,
    )
)
METADATA_KEY = b"huggingface"
MAX_DEPTH = 12  # of the description of a column; real ones have four levels


@dataclass(frozen=True)
class HubColumns:
    """The columns with a meaning: of pages and of objects, the images, and the full names of what is read."""

    page: Mapping[str, Column]
    objects: Mapping[str, Column]
    image: str  # the column of images, "" if there is none
    paths: Sequence[str]
    doclaynet: bool = False

    @property
    def image_bytes(self) -> str:
        return f"{self.image}.bytes" if self.image else ""


def is_doclaynet(paths: Sequence[str]) -> bool:
    boxes = any(_lists_of(paths, name) for name in ("bboxes", "bbox"))
    keys = {"metadata.page_hash", "metadata.coco_width", "metadata.coco_height"}
    return boxes and bool(_lists_of(paths, "category_id")) and keys <= set(paths)


def _lists_of(paths: Sequence[str], top: str) -> list[str]:
    """The full names of a column of lists."""
    return [path for path in paths if path.startswith(f"{top}.")]


def find_hub_columns(file: str, paths: Sequence[str]) -> HubColumns:
    """The columns of a file with a meaning; if `objects` is empty, the file is of another kind."""
    doclaynet = is_doclaynet(paths)
    objects = {} if doclaynet else _fields_of_objects(file, paths)
    if not {"box", "category"} <= set(objects):
        objects = _lists_of_objects(file, paths)
    if not {"box", "category"} <= set(objects):
        return HubColumns({}, {}, "", [])
    page = _page_columns(file, paths, doclaynet)
    tops = [path.removesuffix(".bytes") for path in paths if path.endswith(".bytes") and path.count(".") == 1]
    image = next((top for top in tops if f"{top}.path" in paths), "")
    if image:
        page["path"] = Column(file, image, "path")
    wanted = [one for column in (*page.values(), *objects.values()) for one in _paths_of(column, paths)]
    return HubColumns(page, objects, image, list(dict.fromkeys(wanted)), doclaynet)


def _fields_of_objects(file: str, paths: Sequence[str]) -> dict[str, Column]:
    parts = {part for path in _lists_of(paths, OBJECTS) for part in path.split(".")[1:]}
    return {role: Column(file, OBJECTS, name) for role, name in _first_names(OBJECT_COLUMNS, parts)}


def _lists_of_objects(file: str, paths: Sequence[str]) -> dict[str, Column]:
    tops = {path.partition(".")[0] for path in paths if "." in path}
    if tops & TOKEN_COLUMNS:  # boxes of words, in thousandths of the page
        return {}
    return {role: Column(file, name) for role, name in _first_names(OBJECT_COLUMNS, tops)}


def _page_columns(file: str, paths: Sequence[str], doclaynet: bool) -> dict[str, Column]:
    if doclaynet:
        fields = {path.partition(".")[2] for path in _lists_of(paths, DOCLAYNET_PAGE)}
        wanted = PAGE_COLUMNS | DOCLAYNET_SIZES
        return {role: Column(file, DOCLAYNET_PAGE, name) for role, name in _first_names(wanted, fields)}
    return {role: Column(file, name) for role, name in _first_names(PAGE_COLUMNS, set(paths))}


def _first_names(wanted: Mapping[str, Sequence[str]], there: set[str]) -> Iterable[tuple[str, str]]:
    """(meaning, name) of the first name of each meaning that is there."""
    for role, names in wanted.items():
        if name := next((name for name in names if name in there), ""):
            yield role, name


def _paths_of(column: Column, paths: Sequence[str]) -> list[str]:
    if not column.field:
        return [path for path in paths if path.partition(".")[0] == column.top]
    return [path for path in _lists_of(paths, column.top) if column.field in path.split(".")[1:]]


def names_in_metadata(metadata: Mapping[bytes, bytes] | None, category: Column) -> dict[int, str] | None:
    """{class number: name} of the ClassLabel that the schema declares for a column, or None."""
    data = (metadata or {}).get(METADATA_KEY, b"")
    if not data or len(data) > limits.MAX_METADATA:
        return None
    try:
        features: Any = msgspec.json.decode(data)["info"]["features"][category.top]
    except (*DECODE_ERRORS, LookupError, TypeError):
        return None
    found = _find_names(features, category.field, MAX_DEPTH)
    return dict(enumerate(found)) if found else None


def _find_names(feature: Any, field: str, depth: int) -> list[str] | None:
    """The names of the first ClassLabel at or below a feature; with `field`, below the field of this name only."""
    if isinstance(feature, list) and len(feature) == 1:  # a list is written as [feature] in some versions
        return _find_names(feature[0], field, depth - 1) if depth else None
    if not isinstance(feature, dict) or not depth:
        return None
    if field and field in feature:
        return _find_names(feature[field], "", depth - 1)
    names = feature.get("names")
    if not field and isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return _find_names(feature.get("feature"), field, depth - 1)
