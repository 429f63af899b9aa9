"""The part of the JSON that exists for the set, for each document and for each page: matrices and class values.

A set can have thousands of documents, so their values are converted as whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import Finding, Floats
from layoutcm.metrics.confusion import Confusion, GroupMatrices, collapse_mass
from layoutcm.metrics.content import content_scores
from layoutcm.metrics.levels import level_scores
from layoutcm.metrics.matrix_blocks import MOST_WHOLE
from layoutcm.scale.places import Place, open_output
from layoutcm.tables.matrix_views import TABLE_OF_VIEW, VIEWS, view_values
from layoutcm.wording import pixels_as_number

# A matrix with more rows or columns is written as its cells that are not 0, and without its shares.
MOST_DENSE = MOST_WHOLE
MOST_DOCUMENTS = 20_000
CONTENT_KINDS = ("both", "gt", "pred")  # the columns of `Confusion.content_pixels`


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


def _cell_lists(stack: Floats, positions: NDArray[np.int64], shape: list[int]) -> list[dict[str, Any]]:
    """The cells that are not 0 of every matrix; `positions` are those of its rows and columns in one of `shape`."""
    group, row, column = np.nonzero(stack)
    value, rows, columns = stack[group, row, column].tolist(), positions[row].tolist(), positions[column].tolist()
    ends = np.searchsorted(group, np.arange(len(stack) + 1)).tolist()
    return [
        {"shape": list(shape), "row": rows[low:high], "column": columns[low:high], "value": value[low:high]}
        for low, high in pairwise(ends)
    ]


def matrix_json(values: NDArray[Any]) -> Any:
    """The JSON of one matrix."""
    return matrix_lists(values[None])[0]


def view_matrices(confusion: Confusion) -> dict[str, Any]:
    """The four matrices under their JSON names; of a large matrix only the pixels."""
    views = VIEWS[:1] if is_sparse(*confusion.values.shape) else VIEWS
    return {TABLE_OF_VIEW[view]: matrix_json(view_values(confusion, view)) for view in views}


def mass_matrices(confusion: Confusion) -> dict[str, Any]:
    """With method `tensor`, the mass for recall and the mass for precision."""
    if confusion.method == "matrix":
        return {}
    return {name: matrix_json(getattr(confusion, name)) for name in ("recall_mass", "precision_mass")}


def set_sums(confusion: Confusion) -> dict[str, Any]:
    """What the matrix and the class values do not show: content, right labels, pixels of each pred label."""
    return {
        "pred_pixels": plain_lists(confusion.pred_pixels),
        "content": confusion.content(),
        "content_pixels": dict(zip(CONTENT_KINDS, confusion.content_pixels.tolist())),
        "right": confusion.right,
    }


def document_records(comparison: Comparison, method: str) -> list[dict[str, Any]]:
    """The JSON of every document."""
    levels = comparison.levels
    columns = {
        "document": comparison.documents,
        "pages": levels.document_sizes.tolist(),
        "pixels": _numbers(levels.document_pixels),
        **_sum_columns(levels.document_content, levels.document_right()),
    }
    return _joined(columns, _matrix_records(comparison, levels.document_matrices(method), method))


def page_records(comparison: Comparison, method: str) -> list[dict[str, Any]]:
    """The JSON of every page."""
    levels = comparison.levels
    columns = {
        "page": comparison.pages,
        "document": comparison.alignment.pages.documents,
        "pixels": _numbers(levels.page_pixels),
        **_sum_columns(levels.page_content, levels.page_right()),
    }
    return _joined(columns, _matrix_records(comparison, levels.page_matrices(method), method))


def _numbers(pixels: Floats) -> list[float | int]:
    return [pixels_as_number(value) for value in pixels.tolist()]


def _sum_columns(content: Floats, right: Floats) -> dict[str, list[Any]]:
    """The facts of `set_sums` for every group but the pixels of the labels, from float64[groups, 3] and [groups]."""
    scores = content_scores(content)
    return {
        "content": _records(list(scores), plain_lists(np.stack(list(scores.values()), axis=-1))),
        "content_pixels": _records(CONTENT_KINDS, content.tolist()),
        "right": plain_lists(right),
    }


def _records(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[dict[str, Any]]:
    names = tuple(names)
    return [dict(zip(names, row)) for row in rows]


def column_records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows of a table, which is given as its columns."""
    return _records(columns, zip(*columns.values()))


def _joined(columns: dict[str, Any], matrices: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | matrix for row, matrix in zip(column_records(columns), matrices)]


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
        yield from column_records(columns)


def _mass_lists(matrices: GroupMatrices, mass: Floats) -> list[Any]:
    """The JSON of the matrix of every group."""
    if matrices.used is None:
        return matrix_lists(mass)
    return _cell_lists(mass, matrices.used, [matrices.labels] * 2)


def _class_records(labels: list[str], matrices: GroupMatrices) -> list[list[dict[str, Any]]]:
    """For every group a list with one record per label; of many labels, only those that occur in the group."""
    columns = matrices.class_values()
    names = ("label", *columns)
    rows = plain_lists(np.stack(list(columns.values()), axis=-1))
    if matrices.used is None:
        return [_records(names, ((label, *values) for label, values in zip(labels, group))) for group in rows]
    own_labels, occurs = [labels[i] for i in matrices.positions.tolist()], _occurring(columns).tolist()
    return [
        _records(names, ((label, *values) for label, values, kept in zip(own_labels, group, of_group) if kept))
        for group, of_group in zip(rows, occurs)
    ]


def _occurring(columns: dict[str, Floats]) -> NDArray[np.bool_]:
    """bool[groups, labels]: Background, and the labels that occur in each group."""
    occurs = (columns["gt_pixels"] > 0) | (columns["pred_pixels"] > 0)
    occurs[:, 0] = True
    return occurs


def too_many_documents(comparison: Comparison) -> bool:
    return len(comparison.documents) > MOST_DOCUMENTS


def left_out_finding(comparison: Comparison, file: str) -> Finding:
    """Says that there is no `by_document`; `file` is the name of the file with the documents, "" if there is none."""
    return Finding("documents-left-out", len(comparison.documents), {"limit": MOST_DOCUMENTS, "file": file})


def write_documents(comparison: Comparison, method: str, place: Place) -> None:
    """Write one row per document, in the order of the set: the columns of the document table, `pred_pixels` of each
    label, and row, column and value of the cells of its matrix that are not 0.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    levels = comparison.levels
    scores = level_scores(levels.document_matrices(method), levels.document_content, comparison.space.shared)
    names = [name.encode("utf-8", "replace").decode("utf-8") for name in comparison.documents]
    table = pa.table({"document": names, "pages": levels.document_sizes, "pixels": levels.document_pixels, **scores})
    writer = None
    with open_output(place) as file, ExitStack() as closing:
        for groups, matrices in levels.document_matrices(method):
            part = table.slice(groups.start, len(groups))
            for name, column in _cell_columns(matrices).items():
                part = part.append_column(name, column)
            writer = writer or closing.enter_context(pq.ParquetWriter(file, part.schema, write_page_checksum=True))
            writer.write_table(part)
        if writer is None:  # no page is compared
            pq.write_table(table, file)


def _cell_columns(matrices: GroupMatrices) -> dict[str, Any]:
    """Lists for every group: pixels of the pred labels, then its cells; with `tensor` also their precision mass."""
    import pyarrow as pa

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
