"""COCO ground truth, as DocLayNet extends it: documents, page numbers and three attributes of pages.

Width and height are stored instead of x1 and y1, so fractions may differ in the last digit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from layoutcm.layouts.model import Layout
from layoutcm.layouts.shapes import Outline, Shape
from layoutcm.layouts.writing.request import Request

ATTRIBUTES = ("doc_category", "collection", "precedence")  # what the reader knows
_NUMBER = re.compile("0|-?[1-9][0-9]{0,17}")


def as_coco(request: Request) -> bytes:
    layout = request.layout
    request.leave_out_facts("ignore areas")
    pages, regions = layout.page_columns, layout.region_columns
    images = []
    attributes = _attributes(request)
    image_ids, category_ids = own_ids(layout.keys, len(pages)), own_ids(layout.label_keys, len(layout.labels))
    for i, name in enumerate(pages.names):
        image: dict[str, Any] = {"id": image_ids[i], "file_name": name}
        image |= {"width": pages.widths[i], "height": pages.heights[i]}
        image |= {"doc_name": pages.documents[i]} if pages.documents[i] else {}
        image |= {"page_no": int(pages.numbers[i])} if pages.numbers[i] >= 0 else {}
        image |= {key: values[i] for key, values in attributes.items() if values[i] != ""}
        images.append(image)
    on_image = [image_ids[i] for i in regions.page.tolist()]
    of_category = [category_ids[i] for i in regions.label.tolist()]
    columns = zip(on_image, of_category, regions.boxes.tolist(), regions.scores.tolist())
    annotations = [_annotation(i, *row, regions.shapes.get(i)) for i, row in enumerate(columns)]
    if regions.coco is not None:
        for entry, crowd, area in zip(annotations, regions.coco.crowd.tolist(), regions.coco.areas.tolist()):
            entry["iscrowd"] = int(crowd)
            entry["area"] = entry["area"] if math.isnan(area) else area
    for i in regions.ignored.nonzero()[0].tolist():
        annotations[i]["ignore"] = 1
    categories = [{"id": i, "name": label} for i, label in zip(category_ids, layout.labels)]
    file = {"images": images, "annotations": annotations, "categories": categories}
    return json.dumps(file, ensure_ascii=False, allow_nan=False).encode("utf-8")


def own_ids(keys: Mapping[int | float | str, int], n: int) -> list[int]:
    """The ids that the items had in the file they were read from, which results lists use; else 0, 1, 2, ..."""
    ids = {at: key for key, at in reversed(list(keys.items())) if isinstance(key, int) and not isinstance(key, bool)}
    return [ids[i] for i in range(n)] if all(i in ids for i in range(n)) else list(range(n))


def _annotation(i: int, page: int, label: int, box: list[float], score: float, shape: Shape | None) -> dict[str, Any]:
    x0, y0, x1, y1 = box
    size = [x1 - x0, y1 - y0]
    entry: dict[str, Any] = {"id": i, "image_id": page, "category_id": label, "bbox": [x0, y0, *size], "iscrowd": 0}
    entry["area"] = size[0] * size[1]
    entry["segmentation"] = segmentation(shape) if shape else []
    return entry if math.isnan(score) else entry | {"score": score}


def segmentation(shape: Shape) -> Any:
    if isinstance(shape, Outline):
        return [ring.ravel().tolist() for ring in shape.rings]
    return {"size": [shape.height, shape.width], "counts": shape.runs.tolist()}


def _attributes(request: Request) -> dict[str, tuple[Any, ...]]:
    """The attributes that are written; the others, and annotators that are not read again, become findings."""
    layout = request.layout
    kept: dict[str, tuple[Any, ...]] = {name: tuple(texts) for name, texts in layout.page_columns.attributes.items()}
    numbers = kept.pop("precedence", ())
    annotators = _annotators(layout, numbers) if any(numbers) else ("",)
    if annotators[0]:
        kept["precedence"] = tuple(int(number) if number else "" for number in numbers)
    lost = [name for name, texts in layout.page_columns.attributes.items() if any(texts)]
    lost = [name for name in lost if name not in ATTRIBUTES or name not in kept]
    request.leave_out("attributes", len(lost), lost)
    known = (layout.annotator, *layout.annotators)
    if any(known) and known != annotators:
        names = layout.annotators or (layout.annotator,)
        request.leave_out("annotators", len(names), names)
    return {name: values for name, values in kept.items() if name in ATTRIBUTES}


def _annotators(layout: Layout, numbers: tuple[str, ...]) -> tuple[str, ...]:
    """The annotator that is read from pages with these numbers, then all of them; "" if regions would be lost.

    Without a name, the reader takes only the regions on pages of the lowest number.
    """
    if not all(_NUMBER.fullmatch(number) for number in numbers if number):
        return ("",)
    of_regions = {numbers[page] or "0" for page in set(layout.region_columns.page.tolist())}
    known = sorted({*of_regions, *filter(None, numbers)}, key=lambda name: (len(name), name))
    return (known[0], *known) if of_regions <= {known[0]} else ("",)
