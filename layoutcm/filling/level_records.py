"""The part of a result that exists for the set, for each document and for each page: matrices and class values.

A set can have thousands of documents, so their values are converted as whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import pairwise, repeat
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import Finding, Floats
from layoutcm.lazy import pa, pq
from layoutcm.metrics.confusion import Confusion, collapse_mass
from layoutcm.metrics.levels import (
    AGREEMENT,
    document_matrices,
    document_pixels,
    document_sizes,
    level_scores,
    measured_by_group,
    observed_by_group,
    page_matrices,
    right_by_group,
)
from layoutcm.metrics.matrix_blocks import MOST_WHOLE, GroupMatrices
from layoutcm.metrics.scores import content_scores
from layoutcm.results.common_parts import Scores, SparseMatrix
from layoutcm.results.encoding import json_ready
from layoutcm.results.measures import CLASS_SCORES, SCORES
from layoutcm.results.types import ClassScores, ContentPixels, Level, PageScores
from layoutcm.wording import pixels_as_number

# A matrix with more rows or columns is written as its cells that are not 0, and without its shares.
MOST_DENSE = MOST_WHOLE
MOST_DOCUMENTS = 20_000
COLUMNS = ("gt_pixels", "pred_pixels", *CLASS_SCORES)  # of the table of classes


def plain_lists(values: Floats) -> list[Any]:
    """The array as nested lists with None for nan. All zeros are one object: most cells of many matrices are 0.

    Likewise, all rows of zeros are one list, and so are all rows of nan: they must not be changed.
    """
    if values.ndim < 3:
        return _plain_cells(values)
    rows = values.reshape(-1, values.shape[-1])
    width = rows.shape[1]
    is_zero, is_nan = (rows == 0).all(axis=1), np.isnan(rows).all(axis=1)
    lists: list[Any] = [[rows.dtype.type(0).item()] * width] * len(rows)
    nones, others = [None] * width, np.flatnonzero(~(is_zero | is_nan))
    for i in np.flatnonzero(is_nan).tolist():
        lists[i] = nones
    for i, row in zip(others.tolist(), _plain_cells(rows[others])):
        lists[i] = row
    for size in values.shape[-2:0:-1]:
        lists = [lists[i : i + size] for i in range(0, len(lists), size)]
    return lists


def _plain_cells(values: Floats) -> list[Any]:
    flat = values.ravel()
    plain = np.full(flat.shape, flat.dtype.type(0).item(), object)
    other = np.flatnonzero(flat)
    plain[other] = flat[other].astype(object)
    plain[np.isnan(flat)] = None
    return plain.reshape(values.shape).tolist()


def is_sparse(rows: int, columns: int) -> bool:
    return max(rows, columns) > MOST_DENSE


def matrix_lists(stack: Floats) -> list[Any]:
    """The JSON of every matrix of float64[groups, gt, pred]: nested lists, or the cells that are not 0."""
    shape = list(stack.shape[1:])
    return _cell_lists(stack, np.arange(max(shape)), shape) if is_sparse(*shape) else plain_lists(stack)


def _cell_lists(stack: Floats, positions: NDArray[np.int64], shape: list[int]) -> list[SparseMatrix]:
    """The cells of every matrix that are not 0; `positions` has the places of rows and columns in `shape`."""
    group, row, column = np.nonzero(stack)
    value = stack[group, row, column].astype(float).tolist()
    rows, columns = positions[row].tolist(), positions[column].tolist()
    ends = np.searchsorted(group, np.arange(len(stack) + 1)).tolist()
    size = (shape[0], shape[1])
    return [
        SparseMatrix(shape=size, row=rows[low:high], column=columns[low:high], value=value[low:high])
        for low, high in pairwise(ends)
    ]


def matrix_json(values: NDArray[Any]) -> Any:
    """The JSON of one matrix."""
    return matrix_lists(values[None])[0]


def view_matrices(confusion: Confusion) -> dict[str, Any]:
    """The four matrices under their JSON names; of a large matrix only the pixels."""
    shares = () if is_sparse(*confusion.values.shape) else SCORES
    views = {"confusion": confusion.values, **{name: getattr(confusion, name) for name in shares}}
    return {name: matrix_json(values) for name, values in views.items()}


def mass_matrices(confusion: Confusion) -> dict[str, Any]:
    """With method `tensor`, the mass for recall and the mass for precision."""
    if confusion.method == "matrix":
        return {}
    return {name: matrix_json(getattr(confusion, name)) for name in ("recall_mass", "precision_mass")}


def set_sums(confusion: Confusion) -> dict[str, Any]:
    """What the matrix and the class values do not show: content, right labels, pixels of each pred label."""
    sums = _sum_columns(confusion.content_pixels[None], np.array([confusion.right]))
    return {"pred_pixels": plain_lists(confusion.pred_pixels), **{name: column[0] for name, column in sums.items()}}


def document_records(comparison: Comparison, method: str) -> list[Level] | None:
    """The record of every document; None if there are very many."""
    if too_many_documents(comparison):
        return None
    levels = comparison.levels
    names = {"document": comparison.documents, "pages": document_sizes(levels).tolist()}
    sums = (document_pixels(levels), levels.document_content, right_by_group(levels, by_document=True))
    return _level_records(comparison, method, names, sums, document_matrices(levels, method))


def page_records(comparison: Comparison, method: str) -> list[Level]:
    """The record of every page."""
    levels = comparison.levels
    names = {"page": comparison.pages, "document": comparison.alignment.pages.documents}
    sums = (levels.page_pixels, levels.page_content, right_by_group(levels, by_document=False))
    return _level_records(comparison, method, names, sums, page_matrices(levels, method))


def _level_records(
    comparison: Comparison,
    method: str,
    names: dict[str, Any],
    sums: tuple[Floats, Floats, Floats],
    blocks: Iterable[tuple[range, GroupMatrices]],
) -> list[Level]:
    """The records of documents or pages; `sums` are the pixels, the content and the right shares of each."""
    pixels, content, right = sums
    columns = {**names, "pixels": _numbers(pixels), **_sum_columns(content, right)}
    if not comparison.has_truth:
        columns[AGREEMENT] = plain_lists(observed_by_group(comparison.levels, by_document="page" not in names))
    matrices = _matrix_records(comparison, blocks, method)
    return [Level(**dict(zip(columns, row)), **matrix) for row, matrix in zip(zip(*columns.values()), matrices)]


def page_scores(comparison: Comparison, method: str) -> PageScores | None:
    """The scores of every page, column by column; None if there are very many."""
    levels = comparison.levels
    if levels.page_count > MOST_DOCUMENTS:
        return None
    measured = measured_by_group(levels, method, comparison.vocabulary.measured)
    scores = {name: plain_lists(values) for name, values in measured.items()}
    names = levels.names_at(np.arange(levels.page_count))
    return PageScores(
        page=list(names["page"]), document=list(names["document"]), pixels=_numbers(levels.page_pixels), scores=scores
    )


def _numbers(pixels: Floats) -> list[float | int]:
    return [pixels_as_number(value) for value in pixels.tolist()]


def _sum_columns(content: Floats, right: Floats) -> dict[str, list[Any]]:
    """Content and right labels of every group, from float64[groups, 3] and [groups]."""
    scores = plain_lists(np.stack(list(content_scores(content).values()), axis=-1))
    return {
        "content": [Scores(precision=one, recall=two, f1=three) for one, two, three in scores],
        "content_pixels": [ContentPixels(both=both, gt=gt, pred=pred) for both, gt, pred in content.tolist()],
        "right": plain_lists(right),
    }


def class_scores(columns: Mapping[str, Iterable[Any]]) -> list[ClassScores]:
    """One record per label, from the columns of the class table."""
    names = ("label", "gt_pixels", "pred_pixels", *CLASS_SCORES)
    rows = zip(*(columns[name] for name in names))
    return [ClassScores(**dict(zip(names, json_ready(row)))) for row in rows]


def _matrix_records(
    comparison: Comparison, blocks: Iterable[tuple[range, GroupMatrices]], method: str
) -> Iterator[dict[str, Any]]:
    """The matrices and class values of every group, under their JSON names."""
    labels, shared = comparison.labels, comparison.space.shared
    for groups, matrices in blocks:
        columns: dict[str, Any] = {"confusion": _mass_lists(matrices, matrices.recall_mass)}
        if matrices.used is None:
            columns |= {name: plain_lists(values) for name, values in matrices.shares().items()}
        if method == "tensor":
            precision_mass = _mass_lists(matrices, matrices.precision_mass)
            columns |= {"recall_mass": columns["confusion"], "precision_mass": precision_mass}
        columns["pred_pixels"] = plain_lists(matrices.of_all_labels(matrices.pred_pixels))
        columns["classes"] = _class_records(labels, matrices) if shared else [None] * len(groups)
        columns["collapsed"] = collapse_mass(matrices.recall_mass).tolist()
        for row in zip(*columns.values()):
            yield dict(zip(columns, row))


def _mass_lists(matrices: GroupMatrices, mass: Floats) -> list[Any]:
    """The JSON of the matrix of every group."""
    if matrices.used is None:
        return matrix_lists(mass)
    return _cell_lists(mass, matrices.used, [matrices.labels] * 2)


def _class_records(labels: list[str], matrices: GroupMatrices) -> list[list[ClassScores]]:
    """For every group a list with one record per label; of many labels, only labels that occur in the group."""
    columns = matrices.class_values()
    rows = plain_lists(np.stack([columns[name] for name in COLUMNS], axis=-1))
    own_labels = [labels[i] for i in matrices.positions.tolist()]
    occurs: list[Iterable[bool]] = [repeat(True)] * len(rows)
    if matrices.used is not None:
        occurring = (columns["gt_pixels"] > 0) | (columns["pred_pixels"] > 0)
        occurring[:, 0] = True  # Background
        occurs = occurring.tolist()
    return [
        [_class_record(label, *values) for label, values, kept in zip(own_labels, group, of_group) if kept]
        for group, of_group in zip(rows, occurs)
    ]


def _class_record(label: str, gt: float, pred: float, precision: Any, recall: Any, f1: Any, iou: Any) -> ClassScores:
    return ClassScores(label=label, gt_pixels=gt, pred_pixels=pred, precision=precision, recall=recall, f1=f1, iou=iou)


def too_many_documents(comparison: Comparison) -> bool:
    return len(comparison.documents) > MOST_DOCUMENTS


def left_out_finding(comparison: Comparison, file: str) -> Finding:
    """Says that there is no `by_document`; `file` is the name of the file with the documents, "" if there is none."""
    return Finding("documents-left-out", len(comparison.documents), {"limit": MOST_DOCUMENTS, "file": file})


def write_documents(comparison: Comparison, method: str, file: BinaryIO) -> None:
    """Write one row per document, in the order of the set: the columns of the document table, `pred_pixels` of each
    label, and row, column and value of the cells of its matrix that are not 0.
    """
    levels = comparison.levels
    scores = level_scores(document_matrices(levels, method), levels.document_content, comparison.space.shared)
    names = [name.encode("utf-8", "replace").decode("utf-8") for name in comparison.documents]
    table = pa.table({"document": names, "pages": document_sizes(levels), "pixels": document_pixels(levels), **scores})
    writer = None
    with ExitStack() as closing:
        for groups, matrices in document_matrices(levels, method):
            part = table.slice(groups.start, len(groups))
            for name, column in _cell_columns(matrices).items():
                part = part.append_column(name, column)
            writer = writer or closing.enter_context(pq.ParquetWriter(file, part.schema, write_page_checksum=True))
            writer.write_table(part)
        if writer is None:  # no page is compared
            pq.write_table(table, file)


def _cell_columns(matrices: GroupMatrices) -> dict[str, Any]:
    """Lists for every group: pixels of the pred labels, then its cells; with `tensor` also their precision mass."""
    one_mass = matrices.precision_mass is matrices.recall_mass
    used = matrices.recall_mass != 0 if one_mass else (matrices.recall_mass != 0) | (matrices.precision_mass != 0)
    group, row, column = np.nonzero(used)
    row, column = matrices.positions[row], matrices.positions[column]
    columns = {"row": row.astype(np.int32), "column": column.astype(np.int32), "value": matrices.recall_mass[used]}
    if not one_mass:
        columns["precision_mass"] = matrices.precision_mass[used]
    ends = pa.array(np.searchsorted(group, np.arange(len(used) + 1)), pa.int32())
    cells = {name: pa.ListArray.from_arrays(ends, pa.array(values)) for name, values in columns.items()}
    pred_pixels = matrices.of_all_labels(matrices.pred_pixels)
    return {"pred_pixels": pa.FixedSizeListArray.from_arrays(pred_pixels.ravel(), pred_pixels.shape[1]), **cells}
