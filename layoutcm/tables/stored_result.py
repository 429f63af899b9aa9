"""Read a result that was written as JSON: decode it, and check everything that its matrices and tables need."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, find_misfit
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.model import Floats
from layoutcm.tables.result_json import SCHEMA

ResultFile = str | os.PathLike[str] | bytes | Mapping[str, Any] | list[Any]
IN_MEMORY = "result"  # the name of a result that is no file
NAMED_BY = {"by_document": ("document", "pages"), "by_page": ("page", "document")}
WRITE_AGAIN = "Write it again: layoutcm compare GT PRED --json FILE."


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """The cells of a matrix that are not 0."""

    shape: tuple[int, int]
    row: list[int]
    column: list[int]
    value: list[float]


Matrix = list[list[float]] | SparseMatrix
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


@dataclass(frozen=True, eq=False)
class ContentPixels:
    both: float
    gt: float
    pred: float


@dataclass(frozen=True, eq=False)
class StoredLevel:
    """The numbers of the set, of a document or of a page from which all others are computed."""

    confusion: Matrix
    pred_pixels: list[float]
    content_pixels: ContentPixels
    right: float | None
    pixels: float
    precision_mass: Matrix | None = None  # only with method `tensor`
    document: str | None = None
    page: str | None = None
    pages: Count | None = None


@dataclass(frozen=True, eq=False)
class StoredResult:
    """The result of one comparison as it was written, without the parts that are given back unchanged."""

    version: str
    recipe: str
    recipe_fields: dict[str, str]
    inputs: dict[str, dict[str, Any]]
    method: Literal["matrix", "tensor"]
    taxonomy: Literal["same", "different", "mapped"]
    labels: list[str]
    gt_labels: list[str]
    pred_labels: list[str]
    documents: int
    averages: dict[str, dict[str, float | None]] | None
    content: dict[str, float | None]
    findings: list[dict[str, Any]]
    objects: dict[str, Any] | None
    by_document: list[StoredLevel] | None
    by_page: list[StoredLevel] | None = None


Scores = dict[str, float | None]


@dataclass(frozen=True, eq=False)
class StoredRatios:
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


@dataclass(frozen=True, eq=False)
class StoredPrecision:
    """Average precision and recall of objects."""

    ap: float | None = None
    ap50: float | None = None
    ap75: float | None = None
    ar: float | None = None


@dataclass(frozen=True, eq=False)
class StoredPanoptic:
    pq: float | None = None
    sq: float | None = None
    rq: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredClass(StoredRatios):
    label: str
    iou: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredObjectClass(StoredPrecision):
    label: str


@dataclass(frozen=True, eq=False)
class StoredObjects(StoredPrecision):
    panoptic: StoredPanoptic | None = None
    at_iou: StoredRatios | None = None
    per_class: list[StoredObjectClass] | None = None


@dataclass(frozen=True, eq=False)
class StoredCentroids:
    one_to_one: StoredRatios | None = None


@dataclass(frozen=True, eq=False)
class StoredAgreement:
    observed: float | None = None
    kappa: float | None = None
    alpha: float | None = None


@dataclass(frozen=True, eq=False)
class StoredSoft:
    averages: dict[str, Scores] | None = None


@dataclass(frozen=True, eq=False)
class StoredFigures:
    """What `named_figures` reads beside the parts above; it is only checked."""

    classes: list[StoredClass] | None
    averages_with_background: dict[str, Scores] | None = None
    averages_over_pages: dict[str, Scores] | None = None
    averages_over_documents: dict[str, Scores] | None = None
    objects: StoredObjects | None = None
    centroids: StoredCentroids | None = None
    soft: StoredSoft | None = None
    agreement: StoredAgreement | None = None


def decode_results(file: ResultFile) -> tuple[str, Any]:
    """The name of the file, and its content: one result or a list of them."""
    match file:
        case bytes():
            return IN_MEMORY, FileContent(IN_MEMORY, file).decode(Any)
        case str() | os.PathLike():
            name = os.fspath(file)
            return name, FileContent(name, read_bytes(name)).decode(Any)
        case dict() | list():
            return IN_MEMORY, file
    raise InputError("", "result", f"{short_repr(file)} is no result", "Give a path, the bytes of a file or a dict.")


def check_schema(value: Any, name: str, place: str) -> None:
    """Refuse what is not a result, and results of other versions."""
    if not isinstance(value, dict) or not {"recipe", "confusion"} <= set(value):
        raise InputError(name, place, "this is not the result of a comparison", WRITE_AGAIN)
    check_version(value, name, place)


def check_version(value: dict[str, Any], name: str, place: str) -> None:
    """Refuse another first number of the version: keys were removed or have another meaning."""
    version = re.fullmatch(r"(\d+)\.\d+", str(value.get("schema", "0.0")))
    own = int(SCHEMA.partition(".")[0])
    at_schema = f"{place}.schema".removeprefix(".")
    if not version:
        problem = f"{short_repr(value['schema'])} is not a version, such as {SCHEMA!r}"
        raise InputError(name, at_schema, problem, WRITE_AGAIN)
    if int(version[1]) < own:
        raise InputError(name, place, "the result was written by an earlier version of layoutcm", WRITE_AGAIN)
    if int(version[1]) > own:
        problem = f"the result has version {version[0]}, and this layoutcm reads {SCHEMA}"
        raise InputError(name, at_schema, problem, "Read it with a newer version of layoutcm.")


def convert(value: Any, type: Any, name: str, place: str) -> Any:
    """The value as `type`; an InputError names the place of a missing or wrong value."""
    try:
        return msgspec.convert(value, type)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        problem = str(error).partition(" - at `")[0]
        path, _ = find_misfit(value, type)
        where = f"{place}.{path}" if place and path else place or path
        raise InputError(name, where, f"{problem[:1].lower()}{problem[1:]}", WRITE_AGAIN) from None


def check_values(stored: StoredResult, whole: StoredLevel, name: str, place: str) -> None:
    """Refuse records without names, and matrices and lists that do not have one entry for each label."""
    for where, problem in _wrong_values(stored, whole):
        raise InputError(name, f"{place}.{where}".removeprefix("."), problem, WRITE_AGAIN)


def _wrong_values(stored: StoredResult, whole: StoredLevel) -> Iterator[tuple[str, str]]:
    """(place, problem) of everything that is wrong."""
    count, sides = len(stored.labels), len(stored.gt_labels) + len(stored.pred_labels)
    if not count or (stored.taxonomy == "different" and count != 1 + sides):
        yield "labels", "these are not Background and the labels of both sides"
    yield from _wrong_sizes(whole, stored.method, count)
    for name, levels in (("by_document", stored.by_document), ("by_page", stored.by_page)):
        for k, level in enumerate(levels or ()):
            for key in NAMED_BY[name]:
                if getattr(level, key) is None:
                    yield f"{name}[{k}]", f"object missing required field `{key}`"
            for key, problem in _wrong_sizes(level, stored.method, count):
                yield f"{name}[{k}].{key}", problem


def _wrong_sizes(level: StoredLevel, method: str, count: int) -> Iterator[tuple[str, str]]:
    """(key, problem) of what does not fit the number of labels."""
    for key in ("confusion",) if method == "matrix" else ("confusion", "precision_mass"):
        matrix = getattr(level, key)
        if matrix is None or not _fits(matrix, count):
            yield key, f"this is not a matrix of the {count} labels"
    if len(level.pred_pixels) != count:
        yield "pred_pixels", f"{len(level.pred_pixels)} numbers for {count} labels"


def _fits(matrix: Matrix, count: int) -> bool:
    if not isinstance(matrix, SparseMatrix):
        return len(matrix) == count and all(len(row) == count for row in matrix)
    cells = len(matrix.value)
    positions = (matrix.row, matrix.column)
    inside = all(len(one) == cells and 0 <= min(one, default=0) <= max(one, default=0) < count for one in positions)
    return matrix.shape == (count, count) and inside


def dense(matrix: Matrix) -> Floats:
    """float64[gt, pred]"""
    if not isinstance(matrix, SparseMatrix):
        return np.array(matrix, float)
    values = np.zeros(matrix.shape)
    values[matrix.row, matrix.column] = matrix.value
    return values


def dense_of(matrix: Any) -> Floats:
    """float64[gt, pred] of a matrix as the JSON has it."""
    return dense(msgspec.convert(matrix, Matrix))
