"""Write layouts as Parquet, CSV or COCO files. Reading such a file gives the same layout.

COCO stores width and height instead of x1 and y1, so fractions may differ in the last digit.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Layout
from layoutcm.layouts.shapes import Outline, Shape
from layoutcm.outputs.files import write_whole

if TYPE_CHECKING:
    import pandas as pd


ATTRIBUTE = "attr:"  # before the name of an attribute of pages, so that it is not mistaken for another column


def write(layout: Layout, to: str, path: str | os.PathLike[str]) -> None:
    """Write `layout` as "parquet", "csv" or "coco"; an existing file is replaced after the new one is complete."""
    check_choice("to", to, WRITERS)
    if not isinstance(layout, Layout):
        raise InputError(
            "", "layout", f"{short_repr(layout)} is not a layout", "Read a file first: layoutcm.read(path)."
        )
    write_whole(path, WRITERS[to](layout))


def as_csv(layout: Layout) -> bytes:
    table = _region_table(layout)
    text = table.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # Python writes it without quotes, and it would end the row
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    return text.encode("utf-8")


def as_parquet(layout: Layout) -> bytes:
    out = io.BytesIO()
    _region_table(layout).to_parquet(out, index=False)
    return out.getvalue()


def _region_table(layout: Layout) -> pd.DataFrame:
    """One row per region, in page order; a page without regions has one row without a label.

    If the regions do not contain all labels in the order of the layout, rows with only a label come first.
    """
    import pandas as pd

    pages = layout.pages.assign(document=layout.pages["document"].replace("", None))
    pages = pages.rename(columns={name: ATTRIBUTE + name for name in layout.page_columns.attributes})
    if (pages["number"] < 0).all():
        pages = pages.drop(columns="number")
    regions = layout.regions.assign(row=np.arange(len(layout.region_columns)))
    if layout.region_columns.shapes:
        shapes = layout.region_columns.shapes
        regions["outline"] = [
            json.dumps(_segmentation(shapes[i])) if i in shapes else None for i in range(len(regions))
        ]
    facts = layout.region_columns.coco
    if facts is not None and facts.crowd.any():  # AP depends on these
        regions = regions.assign(iscrowd=facts.crowd.astype(int), area=facts.areas)
    regions["page"] = regions["page"].astype(object)
    pages["page"] = pages["page"].astype(object)
    table = pages.assign(order=np.arange(len(pages))).merge(regions, on="page", how="left")
    table = table.sort_values(["order", "row"], kind="stable").drop(columns=["order", "row"])
    if table["label"].dropna().unique().tolist() == layout.labels:
        return table
    if "number" in table:
        table = table.astype({"number": "Int64"})  # integers with missing values
    return pd.concat([pd.DataFrame({"label": layout.labels}, dtype=object), table])[list(table.columns)]


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
    entry["segmentation"] = _segmentation(shape) if shape else []
    return entry if math.isnan(score) else entry | {"score": score}


def _segmentation(shape: Shape) -> Any:
    if isinstance(shape, Outline):
        return [ring.ravel().tolist() for ring in shape.rings]
    return {"size": [shape.height, shape.width], "counts": shape.runs.tolist()}


WRITERS: dict[str, Callable[[Layout], bytes]] = {"parquet": as_parquet, "csv": as_csv, "coco": as_coco}
