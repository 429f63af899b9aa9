"""Hugging Face data sets in Parquet: which columns are read and what they mean; names, sizes and images of pages.

One row is one page. The objects of a page are a struct of lists or a list of structs in a column `objects`, or lists in
columns of their own, as in DocLayNet. Only the columns named here are read: never `pdf`, `pdf_cells` and the like.
The names of its columns also decide which format a Parquet file has: each file has exactly one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.formats.archives import Budget
from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.image_files import Size, image_size
from layoutcm.formats.nested_values import Column, cell_values
from layoutcm.formats.page_sizes import size_or_median
from layoutcm.formats.parquet_files import column_paths, is_parquet, iter_nested, unreadable_refused
from layoutcm.formats.parsing import page_name
from layoutcm.layouts import limits
from layoutcm.layouts.model import Floats
from layoutcm.layouts.page_names import stem

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


DOCLING_EVAL_COLUMNS = ("GroundTruthDocument", "PredictedDocument")

TABLE = "parquet"


def parquet_kind(content: FileContent) -> str:
    """The name of the format, "" if the file is not Parquet. A damaged file counts as a table."""
    if not is_parquet(content):
        return ""
    paths = column_paths(content)
    if any(name in paths for name in DOCLING_EVAL_COLUMNS):
        return "docling-eval"
    if is_doclaynet(paths):
        return "hf-doclaynet"
    return "hf-objects" if find_hub_columns(content.name, paths).objects else TABLE


def parquet_of_kind(kind: str) -> Callable[[FileContent], bool]:
    """A function that recognises the files of one of these formats."""
    return lambda content: parquet_kind(content) == kind


File = tuple[FileContent, HubColumns, int]  # with the number of its rows
NAME_ROLES = ("name", "id", "path")  # in the order in which they are tried


def page_names(files: Sequence[File], given: Mapping[str, list[str]], options: Options) -> list[str]:
    """The names of all pages: a column of names, image ids or the paths of images, else the file's name and the row.

    Of the columns with different texts for all pages, the first is used, or the one that names more pages of the
    reference layout.
    """
    whole = [given[role] for role in NAME_ROLES if all(given[role])]
    unique = [names for names in whole if len(set(names)) == len(names)]
    if unique:
        reference = options.reference_pages
        known = {stem(name) for name in reference.names} if reference else set()
        return max(unique, key=lambda names: sum(stem(name) in known for name in names) if known else 0)
    if any(names is not given["path"] for names in whole):
        return whole[0]  # refused later, with the two rows
    return [page_name(content.stem, row + 1, rows) for content, _, rows in files for row in range(rows)]


def page_sizes(
    files: Sequence[File], names: Sequence[str], given: Floats, options: Options
) -> tuple[Floats, Floats, NDArray[np.bool_] | None]:
    """The width and height of all pages: as given, else of the image in the row, else from outside the file.

    The third value is bool[pages], whether the size is not known; None if all are known.
    """
    sizes, unsized = given.copy(), np.zeros(len(names), bool)
    start = 0
    for content, columns, rows in files:
        missing = np.flatnonzero(np.isnan(sizes[:, start : start + rows]).any(axis=0))
        if len(missing) and columns.image:
            for row, size in _sizes_of_images(content, columns, set(missing.tolist())):
                sizes[:, start + row] = size
        for row in missing[np.isnan(sizes[:, start + missing]).any(axis=0)].tolist():
            i = start + row
            sizes[:, i], is_known = size_or_median(content.name, f"row {row}", names[i], options)
            unsized[i] = not is_known
        start += rows
    return np.ascontiguousarray(sizes[0]), np.ascontiguousarray(sizes[1]), unsized if unsized.any() else None


def _sizes_of_images(content: FileContent, columns: HubColumns, rows: set[int]) -> Iterator[tuple[int, Size]]:
    """(row, size of its image) for rows that have one; only headers are decoded, a few rows at a time."""
    reads = Budget(limits.HEADER_BYTES + limits.READ_RATIO * content.stored_size)
    before, size = b"", (0.0, 0.0)
    for row, data in iter_images(content, columns):
        if row not in rows or not data:
            continue
        if data != before:
            before, size = data, _size_of_image(content.name, row, data, reads)
        yield row, size


def _size_of_image(file: str, row: int, data: bytes, reads: Budget) -> Size:
    own = Budget(limits.HEADER_BYTES)
    try:
        size = image_size(file, data, own)
    except InputError as error:
        raise InputError(file, f"row {row}", error.problem, error.advice) from None
    reads.left -= limits.HEADER_BYTES - own.left
    if reads.left < 0:
        problem = "up to here, the headers of the images have too many parts for the size of the file"
        raise InputError(file, f"row {row}", problem, "Add columns width and height.")
    return size


def iter_images(content: FileContent, columns: HubColumns) -> Iterator[tuple[int, bytes | None]]:
    """(row, bytes of its image, or None) of all rows."""
    row = 0
    column = Column(content.name, columns.image, "bytes")
    with unreadable_refused(content):
        for batch in iter_nested(content, lambda _: [columns.image_bytes], large=True):
            for value in cell_values(batch, column):
                data = value.as_py()
                yield row, data if isinstance(data, bytes) else None
                row += 1
