"""Files of docling: documents, answers of docling-serve, samples of its layout metrics, dumps, and docling-eval.

Boxes of a DoclingDocument are in points; each box states whether its origin is the lower or the upper left corner.
Slides are in EMU, and boxes in EMU that claim to count from below count from above: docling wrote them so until 2026.
Slides that were converted through a PDF are in points, and their origin is right.

Data of docling-eval are in Parquet: one row per document, with a DoclingDocument as JSON text for each side.
`GroundTruthDocument` is the ground truth and `PredictedDocument` the prediction; it is empty if converting failed. Both
have the id of the document in their page names. Page images in other columns are read when a page is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder, reader_by_rows
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.huggingface_pages import DOCLING_EVAL_COLUMNS
from layoutcm.formats.json_keys import Corners, json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.nested_values import Column, cell_values, is_text, words_of
from layoutcm.formats.parquet_files import column_paths, iter_nested, unreadable_refused
from layoutcm.formats.parsing import NO_SCORE, names_by_number
from layoutcm.layouts.model import Finding, Layout
from layoutcm.lazy import pa

CONTAINERS = ("#/pictures/", "#/tables/")
OUTSIDE_CONTAINER = ("caption", "footnote")  # children of a table or picture that lie outside it
EMU_PER_POINT = 12_700.0
LARGEST_PAGE = 500_000  # in points or pixels; a slide has more than 900,000 EMU

EDGES = {"l!": float, "t!": float, "r!": float, "b!": float, "coord_origin": (str, "BOTTOMLEFT")}
ITEM = json_type(
    {**{"label": (str, ""), "prov": ([{"page_no!": int, "bbox!": EDGES}], [])}, "parent": {"$ref": str, "cref": str}}
)
ITEM_KINDS = ("texts", "tables", "pictures", "key_value_items", "form_items")
PAGES = {"*": {"page_no!": int, "size": {"width!": float, "height!": float}}}
DOCUMENT = json_type({"name": (str, ""), "pages": (PAGES, {}), **dict.fromkeys(ITEM_KINDS, ([ITEM], []))})
# Only the name of a document, and the number and the image of each page.
NUMBERED_PAGES = {"*": {"page_no!": int, "image": dict[str, msgspec.Raw]}}
DOCUMENT_PAGES = json_type({"name": (str, ""), "pages": (NUMBERED_PAGES, {})})


def has_places(document: Any) -> bool:
    """Whether there are pages, or items with a box."""
    return bool(document.pages) or any(item.prov for kind in ITEM_KINDS for item in getattr(document, kind))


class Source(NamedTuple):
    """Where a document is: the file, what comes before its keys in messages, and the name of the document."""

    file: str
    prefix: str
    document: str


def add_document(builder: LayoutBuilder, file: Any, source: Source, options: Options) -> None:
    """Add the pages and regions of a document."""
    if not has_places(file):
        problem = "the document has no pages and its items have no coordinates (it was not made from a PDF or an image)"
        raise InputError(source.file, f"{source.prefix}pages", problem, "Convert a PDF or page images instead.")
    sizes = [page.size.width for page in file.pages.values() if page.size]
    unit = EMU_PER_POINT if max(sizes, default=0) > LARGEST_PAGE else 1.0
    pages = _add_pages(builder, file, source, unit)
    for kind, item in _items(file, options):
        place = f"{source.prefix}{kind}"
        for k, prov in enumerate(item.prov):
            if prov.page_no not in pages:
                problem = f"it is on page {prov.page_no}, which `pages` does not list"
                raise InputError(source.file, f"{place}.prov[{k}]", problem, "Export the document again.")
            page, box = pages[prov.page_no], prov.bbox
            x0, y0, x1, y1 = box.l, box.t, box.r, box.b
            if box.coord_origin.upper() == "BOTTOMLEFT":
                if unit != 1.0:
                    builder.note_unusual("slides-from-top", f"{place}.prov[{k}]")
                    y0, y1 = box.b, box.t
                else:
                    height = builder.page_size(page)[1]
                    y0, y1 = height - box.t, height - box.b
            if unit != 1.0:
                x0, y0, x1, y1 = x0 / unit, y0 / unit, x1 / unit, y1 / unit
            builder.add_region(page, item.label, (x0, y0, x1, y1), (place + ".prov[{}]", k))


def _add_pages(builder: LayoutBuilder, file: Any, source: Source, unit: float) -> dict[int, int]:
    """{page number: page}"""
    pages = {}
    for page in sorted(file.pages.values(), key=lambda page: page.page_no):
        size = (page.size.width / unit, page.size.height / unit) if page.size else (None, None)
        place, count = f"{source.prefix}pages.{page.page_no}.size", len(file.pages)
        pages[page.page_no] = builder.add_numbered_page(source.document, page.page_no, count, size, place, True)
    return pages


def _items(file: Any, options: Options) -> Iterator[tuple[str, Any]]:
    for kind in ITEM_KINDS:
        for i, item in enumerate(getattr(file, kind)):
            parent = (item.parent.ref or item.parent.cref or "") if item.parent else ""
            if options.nested or not parent.startswith(CONTAINERS) or item.label in OUTSIDE_CONTAINER:
                yield f"{kind}[{i}]", item


Key = int | str
is_docling = Needs("object", ("schema_name", "texts"), typical=("pages", "prov"))
is_docling_serve = Needs("object", ("document", "status"), ("json_content",)) | Needs(
    "object", ("document", "status"), ("md_content",)
)
is_docling_metrics = Needs("json", ("page_resolution_a", "page_resolution_b"))
is_docling_layout = Needs("object", ("predictions",), ("bboxes",), typical=("labels", "scores"))

ANSWER = json_type({"document!": {"json_content": DOCUMENT, "filename": str}, "status": str})
METRICS_ITEMS: Any = ([{"bbox!": Corners, "category_id!": Key, "score": float}], [])
METRICS_SAMPLE = json_type(
    {
        **{"page_width!": float, "page_height!": float, "id": Key},
        **{"page_resolution_a": METRICS_ITEMS, "page_resolution_b": METRICS_ITEMS},
    }
)
PREDICTED_PAGE = {"image_name": str, "filename": str, "width": float, "height": float}
PREDICTED = {**PREDICTED_PAGE, "bboxes!": [Corners], "labels!": [Key], "scores": [float]}
DUMP = json_type({"predictions!": [PREDICTED], "categories": list[str] | dict[str, str]})


def read_docling(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(DOCUMENT)
    add_document(builder, file, Source(content.name, "", file.name or content.stem), options)


def read_docling_serve(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    answer = content.decode(ANSWER)
    served = answer.document
    if served.json_content is None:
        problem = f"the answer of docling-serve has no json_content, which holds the boxes (status {answer.status})"
        raise InputError(content.name, "document", problem, "Ask for it: add json to the option to_formats.")
    name = served.json_content.name or served.filename or content.stem
    add_document(builder, served.json_content, Source(content.name, "document.json_content.", name), options)


def read_docling_metrics(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    """Read side a, or side b if the reference layout was also read from such a file."""
    reads_side_b = options.like is not None and options.like.format.startswith("docling-metrics")
    _read_side(content, options, builder, "b" if reads_side_b else "a")


def _read_side(content: FileContent, options: Options, builder: LayoutBuilder, side: str) -> None:
    samples, is_list = content.decode_each(METRICS_SAMPLE), content.json_root == "array"
    if not builder.findings:
        builder.findings.append(Finding("two-sides", values={"file": builder.name, "side": side}))
    for i, sample in enumerate(samples):
        prefix = f"[{i}]." if is_list else ""
        name = content.stem if sample.id is None else str(sample.id)
        page = builder.add_page(name, sample.page_width, sample.page_height, prefix or "page_width")
        place = f"{prefix}page_resolution_{side}[{{}}].bbox"
        for k, region in enumerate(getattr(sample, f"page_resolution_{side}")):
            label = reference_label(options, region.category_id)
            builder.add_region(page, label, region.bbox, (place, k), region.score)


read_side_b = reader_by_rows("docling-metrics-b", partial(_read_side, side="b"))


def reference_label(options: Options, key: Key) -> str:
    """The label of a category id in the reference layout; without one, a label made from the id."""
    like = options.like
    if like is not None and like.label_keys.get(key, -1) >= 0:
        return like.labels[like.label_keys[key]]
    return f"category {key}"


def read_docling_layout(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(DUMP)
    declared = file.categories or []
    names = dict(enumerate(declared)) if isinstance(declared, list) else names_by_number(declared)
    for i, predicted in enumerate(file.predictions):
        scores = predicted.scores or [NO_SCORE] * len(predicted.bboxes)
        if not len(predicted.bboxes) == len(predicted.labels) == len(scores):
            problem = f"{len(predicted.bboxes)} boxes, {len(predicted.labels)} labels and {len(scores)} scores"
            raise InputError(content.name, f"predictions[{i}]", problem, "There must be one of each for a region.")
        name = predicted.image_name or predicted.filename or f"{content.stem}_p{i + 1}"
        page = builder.add_page(name, predicted.width, predicted.height, f"predictions[{i}]")
        place = f"predictions[{i}].bboxes[{{}}]"
        for k, (box, label, score) in enumerate(zip(predicted.bboxes, predicted.labels, scores)):
            label_name = names.get(label, f"category {label}") if isinstance(label, int) else label
            builder.add_region(page, label_name, box, (place, k), score)


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
        document = FileContent(content.name, row.text).decode(DOCUMENT)
        if not has_places(document):
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
    column = Column(file, name)
    array = cell_values(batch, column)
    if pa.types.is_null(array.type):
        return iter([b""] * len(array))
    if not is_text(array.type):
        raise column.refuse(array.type, "JSON text")
    return (value.as_py() or b"" for value in array.cast(pa.binary()))
