"""Files of docling: documents, answers of docling-serve, samples of its layout metrics, and dumps of predictions."""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.docling_documents import Document, Source, add_document
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import NO_SCORE, names_by_number
from layoutcm.layouts.model import Finding

Box = tuple[float, float, float, float]
Key = int | str


class ServedDocument(msgspec.Struct):
    json_content: Document | None = None
    filename: str | None = None


class Answer(msgspec.Struct):
    """What docling-serve answers."""

    document: ServedDocument
    status: str | None = None


is_document = Needs("object", ("schema_name", "texts"), typical=("pages", "prov"))


def read_document(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Document)
    add_document(builder, file, Source(content.name, "", file.name or content.stem), options)


is_served = Needs("object", ("document", "status"), ("json_content",)) | Needs(
    "object", ("document", "status"), ("md_content",)
)


def read_served(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    answer = content.decode(Answer)
    served = answer.document
    if served.json_content is None:
        problem = f"the answer of docling-serve has no json_content, which holds the boxes (status {answer.status})"
        raise InputError(content.name, "document", problem, "Ask for it: add json to the option to_formats.")
    name = served.json_content.name or served.filename or content.stem
    add_document(builder, served.json_content, Source(content.name, "document.json_content.", name), options)


class MetricsItem(msgspec.Struct, gc=False):
    bbox: Box
    category_id: Key
    score: float | None = None


class MetricsSample(msgspec.Struct):
    page_width: float
    page_height: float
    id: Key | None = None
    page_resolution_a: list[MetricsItem] = []
    page_resolution_b: list[MetricsItem] = []


is_metrics = Needs("json", ("page_resolution_a", "page_resolution_b"))


def read_metrics(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    """Read side a, or side b if the reference layout was also read from such a file."""
    reads_side_b = options.like is not None and options.like.format.startswith("docling-metrics")
    _read_side(content, options, builder, "b" if reads_side_b else "a")


def read_metrics_b(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    _read_side(content, options, builder, "b")


def _read_side(content: FileContent, options: Options, builder: LayoutBuilder, side: str) -> None:
    is_list = content.json_root == "array"
    samples = content.decode(list[MetricsSample]) if is_list else [content.decode(MetricsSample)]
    if not builder.findings:
        builder.findings.append(Finding("two-sides", values={"file": builder.name, "side": side}))
    for i, sample in enumerate(samples):
        prefix = f"[{i}]." if is_list else ""
        name = content.stem if sample.id is None else str(sample.id)
        page = builder.add_page(name, sample.page_width, sample.page_height, prefix or "page_width")
        place = f"{prefix}page_resolution_{side}[{{}}].bbox"
        regions: list[MetricsItem] = getattr(sample, f"page_resolution_{side}")
        for k, region in enumerate(regions):
            label = reference_label(options, region.category_id)
            x0, y0, x1, y1 = region.bbox
            builder.add_region(page, label, x0, y0, x1, y1, (place, k), region.score)


def reference_label(options: Options, key: Key) -> str:
    """The label of a category id in the reference layout; without one, a label made from the id."""
    like = options.like
    if like is not None and like.label_keys.get(key, -1) >= 0:
        return like.labels[like.label_keys[key]]
    return f"category {key}"


class Predicted(msgspec.Struct):
    bboxes: list[Box]
    labels: list[Key]
    scores: list[float] | None = None
    image_name: str | None = None
    filename: str | None = None
    width: float | None = None
    height: float | None = None


class Dump(msgspec.Struct):
    predictions: list[Predicted]
    categories: list[str] | dict[str, str] | None = None


is_dump = Needs("object", ("predictions",), ("bboxes",), typical=("labels", "scores"))


def read_dump(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Dump)
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
            builder.add_region(page, label_name, *box, (place, k), score)
