"""OmniDocBench: ground truth (outlines) and predictions (boxes; page names without suffix, no page sizes)."""

from __future__ import annotations

from typing import Any

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import corner_points


class Detection(msgspec.Struct, gc=False):
    category_type: str
    poly: list[float]
    ignore: bool | None = False


class Info(msgspec.Struct):
    width: float | None = None
    height: float | None = None
    image_path: str | None = None
    page_no: int | None = None
    page_attribute: Any = None  # {name: text or list of texts}


class Page(msgspec.Struct):
    layout_dets: list[Detection]
    page_info: Info


is_ground_truth = Needs("array", ("layout_dets", "page_info"), ("category_type",)) | Needs(
    "array", ("layout_dets", "page_info"), ("page_attribute",)
)


def read_ground_truth(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, page in enumerate(content.decode(list[Page])):
        info = page.page_info
        number = -1 if info.page_no is None else info.page_no
        name = info.image_path or f"{content.stem}_p{i + 1}"
        page_index = builder.add_page(name, info.width, info.height, f"[{i}].page_info", number=number)
        if isinstance(info.page_attribute, dict):
            builder.add_attributes(page_index, info.page_attribute)
        for k, detection in enumerate(page.layout_dets):
            place = (f"[{i}].layout_dets[{{}}].poly", k)
            builder.add_outline(
                page_index, detection.category_type, corner_points(detection.poly, content.name, place), place
            )
            if detection.ignore:
                builder.mark_ignored(f"[{i}].layout_dets[{k}]")


class Result(msgspec.Struct, gc=False):
    image_name: str
    bbox: tuple[float, float, float, float]
    category_id: int
    score: float | None = None


class Prediction(msgspec.Struct):
    results: list[Result]
    categories: dict[str, str]


is_prediction = Needs("object", ("results", "categories"), typical=("image_name", "bbox"))


def read_prediction(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Prediction)
    builder.declare_labels(list(file.categories.values()))
    pages: dict[str, int] = {}
    for i, result in enumerate(file.results):
        if result.image_name not in pages:
            pages[result.image_name] = builder.add_page(result.image_name, None, None, f"results[{i}]")
        label = file.categories.get(str(result.category_id), f"category {result.category_id}")
        builder.add_region(pages[result.image_name], label, *result.bbox, ("results[{}].bbox", i), result.score)
