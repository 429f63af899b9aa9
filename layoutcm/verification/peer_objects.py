"""AP and AR of the objects by pycocotools, from a COCO data set that is made of the two layouts."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from layoutcm.alignment.align import Alignment
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.verification.deviations import CLASS_OBJECTS, OBJECTS, Numbers
from layoutcm.verification.drawn_pixels import Region, SideRegions, Size, inside_mask, scaled
from layoutcm.verification.plain_scores import NAN

TWELVE = (
    *("AP", "AP50", "AP75", "APsmall", "APmedium", "APlarge"),
    *("AR1", "AR10", "AR100", "ARsmall", "ARmedium", "ARlarge"),
)
ALL_AREAS, MOST_PREDICTIONS = 0, 2  # positions in the arrays of pycocotools
AP50, AP75 = 0, 5
NOT_DEFINED = -1

Annotation = dict[str, Any]


def coco_scores(sides: Sequence[SideRegions], pages: Sequence[int]) -> Numbers:
    """COCO's twelve numbers and those of each class on some pages."""
    from pycocotools.cocoeval import COCOeval

    alignment = sides[GT].alignment
    masked, ids = any(layout.region_columns.shapes for layout in alignment.layouts), _image_ids(alignment, pages)
    with contextlib.redirect_stdout(io.StringIO()):
        gt, pred = (_data_set(side, ids, masked) for side in sides)
        evaluation = COCOeval(gt, pred, "segm" if masked else "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    ap = _with_nan(evaluation.eval["precision"])[:, :, :, ALL_AREAS, MOST_PREDICTIONS]  # [ious, recalls, labels]
    ar = _with_nan(evaluation.eval["recall"])[:, :, ALL_AREAS, MOST_PREDICTIONS]  # [ious, labels]
    by_class = {"ap": ap.mean(axis=(0, 1)), "ap50": ap[AP50].mean(axis=0), "ap75": ap[AP75].mean(axis=0)}
    by_class["ar"] = ar.mean(axis=0)
    classes = {
        f"{name} of {label}": value
        for name, values in by_class.items()
        for label, value in zip(alignment.space.labels[1:], values.tolist())
    }
    return {OBJECTS: dict(zip(TWELVE, _with_nan(evaluation.stats).tolist())), CLASS_OBJECTS: classes}


def _with_nan(values: Any) -> np.ndarray:
    values = np.array(values, float)
    return np.where(values == NOT_DEFINED, NAN, values)


def _data_set(side: SideRegions, image_ids: dict[int, int], masked: bool) -> Any:
    """A side as pycocotools reads it from a file; `image_ids` is {page: id}."""
    from pycocotools.coco import COCO

    data = COCO()
    images, annotations = [], list[Annotation]()
    for page, image_id in image_ids.items():
        width, height = side.alignment.pages.size(page)
        images.append({"id": image_id, "width": math.ceil(width), "height": math.ceil(height)})
        for region in side.on_page(page):
            annotation = _annotation(region, side, page, masked)
            annotations.append({"id": len(annotations) + 1, "image_id": image_id, **annotation})
    labels = side.alignment.space.labels
    data.dataset = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": i, "name": labels[i]} for i in range(1, len(labels))],
    }
    data.createIndex()
    if masked:
        _add_mask_areas(data)
    return data


def _image_ids(alignment: Alignment, pages: Sequence[int]) -> dict[int, int]:
    """{page: id} in the order of the names: pycocotools uses the order of ids where scores are equal."""
    by_name = sorted(pages, key=lambda page: alignment.pages.names[page])
    return {page: number for number, page in enumerate(by_name, start=1)}


def _annotation(region: Region, side: SideRegions, page: int, masked: bool) -> Annotation:
    """A region as COCO writes it."""
    frame, own = side.sizes(page)
    columns = side.alignment.layouts[side.side].region_columns
    x0, y0, x1, y1 = columns.boxes[region.row].tolist()
    given = columns.coco.sizes[region.row].tolist() if columns.coco else [NAN, NAN]
    # Width and height as the file gives them, unless the box is no longer that of the file.
    width, height = (g if low + g == high else high - low for low, high, g in ((x0, x1, given[0]), (y0, y1, given[1])))
    bbox = [scaled(value, *sizes) for value, *sizes in zip((x0, y0, width, height), frame * 2, own * 2)]
    area = bbox[2] * bbox[3]
    if masked:
        # As in COCO: the area of a result is that of its bbox, if it has one. nan: the area of the mask, added later.
        area = scaled(given[0], frame[0], own[0]) * scaled(given[1], frame[1], own[1]) if side.side == PRED else NAN
    annotation = {"category_id": region.label, "bbox": bbox, "area": area, "iscrowd": 0, "score": region.score}
    if side.side == GT and columns.coco:
        annotation["iscrowd"] = int(columns.coco.crowd[region.row])
        given_area = float(columns.coco.areas[region.row])
        annotation["area"] = area if math.isnan(given_area) else given_area
    return annotation | ({"segmentation": _segmentation(region, frame)} if masked else {})


def _segmentation(region: Region, size: Size) -> Any:
    """An outline or a box as polygons, a mask as run lengths."""
    from pycocotools import mask as coco_masks

    x0, y0, x1, y1 = region.box
    width, height = math.ceil(size[0]), math.ceil(size[1])
    if isinstance(region.shape, Outline):
        return [ring.ravel().tolist() for ring in region.shape.rings]
    if not isinstance(region.shape, RunMask):
        return [[x0, y0, x0, y1, x1, y1, x1, y0]]
    if (region.shape.width, region.shape.height) == (width, height):
        return {"size": [height, width], "counts": region.shape.runs.tolist()}
    pixels = inside_mask(region.shape, range(height), range(width), size)
    return coco_masks.encode(np.asfortranarray(pixels, np.uint8))


def _add_mask_areas(data: Any) -> None:
    """The area of a region whose file gives none is that of its mask."""
    from pycocotools import mask as coco_masks

    for annotation in data.dataset["annotations"]:
        if math.isnan(annotation["area"]):
            annotation["area"] = float(coco_masks.area(data.annToRLE(annotation)))
