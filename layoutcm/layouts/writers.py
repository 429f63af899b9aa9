"""Write layouts as Parquet, CSV or COCO files. Reading such a file gives the same layout.

COCO stores width and height instead of x1 and y1, so fractions may differ in the last digit.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from typing import Any

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Layout
from layoutcm.layouts.shapes import Shape
from layoutcm.layouts.table_writers import as_csv, as_parquet, segmentation
from layoutcm.outputs.files import write_whole


def write(layout: Layout, to: str, path: str | os.PathLike[str]) -> None:
    """Write `layout` as "parquet", "csv" or "coco"; an existing file is replaced after the new one is complete."""
    check_choice("to", to, WRITERS)
    if not isinstance(layout, Layout):
        raise InputError(
            "", "layout", f"{short_repr(layout)} is not a layout", "Read a file first: layoutcm.read(path)."
        )
    write_whole(path, WRITERS[to](layout))


def as_coco(layout: Layout) -> bytes:
    pages, regions = layout.page_columns, layout.region_columns
    images = []
    for i, name in enumerate(pages.names):
        image: dict[str, Any] = {"id": i, "file_name": name, "width": pages.widths[i], "height": pages.heights[i]}
        image |= {"doc_name": pages.documents[i]} if pages.documents[i] else {}
        image |= {"page_no": int(pages.numbers[i])} if pages.numbers[i] >= 0 else {}
        images.append(image)
    columns = zip(regions.page.tolist(), regions.label.tolist(), regions.boxes.tolist(), regions.scores.tolist())
    annotations = [_annotation(i, *row, regions.shapes.get(i)) for i, row in enumerate(columns)]
    if regions.coco is not None:
        for entry, crowd, area in zip(annotations, regions.coco.crowd.tolist(), regions.coco.areas.tolist()):
            entry["iscrowd"] = int(crowd)
            entry["area"] = entry["area"] if math.isnan(area) else area
    categories = [{"id": i, "name": label} for i, label in enumerate(layout.labels)]
    file = {"images": images, "annotations": annotations, "categories": categories}
    return json.dumps(file, ensure_ascii=False, allow_nan=False).encode("utf-8")


def _annotation(i: int, page: int, label: int, box: list[float], score: float, shape: Shape | None) -> dict[str, Any]:
    x0, y0, x1, y1 = box
    size = [x1 - x0, y1 - y0]
    entry: dict[str, Any] = {"id": i, "image_id": page, "category_id": label, "bbox": [x0, y0, *size], "iscrowd": 0}
    entry["area"] = size[0] * size[1]
    entry["segmentation"] = segmentation(shape) if shape else []
    return entry if math.isnan(score) else entry | {"score": score}


WRITERS: dict[str, Callable[[Layout], bytes]] = {"parquet": as_parquet, "csv": as_csv, "coco": as_coco}
