"""Data of docling-eval in Parquet: one row a document, with a DoclingDocument as JSON text for each side.

`GroundTruthDocument` is the ground truth and `PredictedDocument` the prediction; it is empty if converting failed.
Both have the id of the document in their page names. Page images in other columns are read when a page is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.docling_documents import Document, Source, add_document
from layoutcm.formats.nested_values import Column, cell_values, is_text, words_of
from layoutcm.formats.parquet_files import column_paths, iter_nested, unreadable_refused
from layoutcm.formats.parquet_kinds import DOCLING_EVAL_COLUMNS
from layoutcm.layouts.model import Finding, Layout

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "docling-eval"
GT_COLUMN, PRED_COLUMN = DOCLING_EVAL_COLUMNS
SIDES = {GT_COLUMN: "ground truth", PRED_COLUMN: "prediction"}
ID_COLUMN, STATUS_COLUMN = "document_id", "status"


class Row(NamedTuple):
    number: int
    document_id: str
    status: str
    text: bytes  # JSON, b"" if there is no document


def read_evaluation(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    """Read the ground truth; or the prediction, if there is a reference layout, which is the ground truth."""
    return _read(name, contents, options, FORMAT, GT_COLUMN if options.like is None else PRED_COLUMN)


def read_predictions(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    return _read(name, contents, options, f"{FORMAT}-pred", PRED_COLUMN)


def _read(name: str, contents: Sequence[FileContent], options: Options, format: str, column: str) -> Layout:
    builder = LayoutBuilder(name, options)
    missing: list[Row] = []
    for content in contents:
        builder.file = content.name
        there = [one for one in DOCLING_EVAL_COLUMNS if one in column_paths(content)]
        used = column if column in there or format != FORMAT else "".join(there[:1])
        if used not in there:
            hint = "Check that this is the file of an evaluation."
            raise InputError(content.name, "", f"there is no column {used or column}", hint)
        if len(there) == 2 and not builder.findings:
            builder.findings.append(Finding("two-documents", values={"file": name, "side": SIDES[used]}))
        if there == [GT_COLUMN] and options.like is not None and not builder.findings:
            builder.findings.append(Finding("only-ground-truth", values={"file": name}))
        for row in rows_of(content, used):
            if not _add_row(content, row, used, builder):
                missing.append(row)
    if missing and not len(builder):
        problem = f"none of its {len(missing):,} documents has a {SIDES[used]} with pages"
        raise InputError(name, column, problem, "Check the column status, and convert the documents again.")
    if missing:
        values = {"file": name, "side": SIDES[used], "first": missing[0].document_id, "status": missing[0].status}
        builder.findings.append(Finding("document-without-side", len(missing), values))
    return builder.build(format)


def _add_row(content: FileContent, row: Row, column: str, builder: LayoutBuilder) -> bool:
    """Add the pages of a document; False if it has none."""
    if not row.text:
        return False
    place = f"row {row.number}, {column}"
    try:
        document = FileContent(content.name, row.text).decode(Document)
        if not document.has_places:
            return False
    except InputError as error:
        where = f"{place}, {error.place}" if error.place else place
        raise InputError(content.name, where, error.problem, error.advice) from None
    name = row.document_id or document.name or f"{content.stem}_{row.number + 1}"
    add_document(builder, document, Source(content.name, f"{place}, ", name), builder.options)
    return True


def rows_of(content: FileContent, column: str) -> Iterator[Row]:
    """The documents of one side."""
    paths = column_paths(content)
    chosen = [name for name in (ID_COLUMN, STATUS_COLUMN, column) if name in paths]
    number = 0
    with unreadable_refused(content):
        for batch in iter_nested(content, lambda _: chosen, large=True):
            ids, states = (_words(content.name, batch, name) for name in (ID_COLUMN, STATUS_COLUMN))
            for document_id, status, text in zip(ids, states, _documents(content.name, batch, column)):
                yield Row(number, document_id, status, text)
                number += 1


def _words(file: str, batch: pa.RecordBatch, name: str) -> list[str]:
    if name not in batch.schema.names:
        return [""] * batch.num_rows
    column = Column(file, name)
    return words_of(column, cell_values(batch, column))


def _documents(file: str, batch: pa.RecordBatch, name: str) -> Iterator[bytes]:
    """The texts as bytes, which need not be decoded twice."""
    import pyarrow as pa

    column = Column(file, name)
    array = cell_values(batch, column)
    if pa.types.is_null(array.type):
        return iter([b""] * len(array))
    if not is_text(array.type):
        raise column.refuse(array.type, "JSON text")
    return (value.as_py() or b"" for value in array.cast(pa.binary()))
