"""Files of docling: documents, samples of its layout metrics, and dumps of layout predictions.

Boxes of a document are in points; each box states whether its origin is the lower or the upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import NO_SCORE, names_by_number, page_name
from layoutcm.layouts.model import Finding

Box = tuple[float, float, float, float]
Key = int | str
CONTAINERS = ("#/pictures/", "#/tables/")
OUTSIDE_CONTAINER = ("caption", "footnote")  # children of a table or picture that lie outside it


class Edges(msgspec.Struct):
    l: float  # noqa: E741 (the name in the file)
    t: float
    r: float
    b: float
    coord_origin: str = "BOTTOMLEFT"


class Prov(msgspec.Struct):
    page_no: int
    bbox: Edges


class Ref(msgspec.Struct):
    ref: str | None = msgspec.field(name="$ref", default=None)
    cref: str | None = None


class Item(msgspec.Struct):
    label: str = ""
    prov: list[Prov] = []
    parent: Ref | None = None


class Size(msgspec.Struct):
    width: float
    height: float


class Page(msgspec.Struct):
    page_no: int
    size: Size | None = None


class Document(msgspec.Struct):
    name: str = ""
    pages: dict[str, Page] = {}
    texts: list[Item] = []
    tables: list[Item] = []
    pictures: list[Item] = []
    key_value_items: list[Item] = []
    form_items: list[Item] = []


is_document = Needs("object", ("schema_name", "texts"), typical=("pages", "prov"))


def read_document(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Document)
    document = file.name or content.stem
    items = list(_items(file, options))
    if not any(item.prov for _, item in items) and not file.pages:
        raise InputError(
            content.name,
            "pages",
            "the document has no pages and its items have no coordinates (it was not made from a PDF or an image)",
            "Convert a PDF or page images instead.",
        )
    pages = {}
    for page in sorted(file.pages.values(), key=lambda page: page.page_no):
        width, height = (page.size.width, page.size.height) if page.size else (None, None)
        name = page_name(document, page.page_no, len(file.pages))
        place = f"pages.{page.page_no}.size"
        pages[page.page_no] = builder.add_page(name, width, height, place, document=document, number=page.page_no)
    for place, item in items:
        for k, prov in enumerate(item.prov):
            if prov.page_no not in pages:
                problem = f"it is on page {prov.page_no}, which `pages` does not list"
                raise InputError(content.name, f"{place}.prov[{k}]", problem, "Export the document again.")
            page_index = pages[prov.page_no]
            box = prov.bbox
            y0, y1 = box.t, box.b
            if box.coord_origin.upper() == "BOTTOMLEFT":
                height = builder.page_size(page_index)[1]
                y0, y1 = height - box.t, height - box.b
            builder.add_region(page_index, item.label, box.l, y0, box.r, y1, (place + ".prov[{}]", k))


def _items(file: Document, options: Options) -> Iterator[tuple[str, Item]]:
    for kind in ("texts", "tables", "pictures", "key_value_items", "form_items"):
        for i, item in enumerate(getattr(file, kind)):
            parent = (item.parent.ref or item.parent.cref or "") if item.parent else ""
            if options.nested or not parent.startswith(CONTAINERS) or item.label in OUTSIDE_CONTAINER:
                yield f"{kind}[{i}]", item


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


def is_dump(content: FileContent) -> bool:
    return content.json_root == "object" and "predictions" in content.json_keys and b'"bboxes"' in content.data


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
