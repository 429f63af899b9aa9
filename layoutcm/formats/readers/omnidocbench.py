"""OmniDocBench: ground truth (pages with outlines) and predictions (corners, names without suffix, no size)."""

from __future__ import annotations

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.parsing import corner_points


class Found(msgspec.Struct, gc=False):
    category_type: str
    poly: list[float]
    ignore: bool | None = False


class Info(msgspec.Struct):
    width: float | None = None
    height: float | None = None
    image_path: str | None = None
    page_no: int | None = None


class Page(msgspec.Struct):
    layout_dets: list[Found]
    page_info: Info


def is_ground_truth(content: Content) -> bool:
    if content.json_root != "array" or not {"layout_dets", "page_info"} <= content.json_keys:
        return False
    return b'"category_type"' in content.data or b'"page_attribute"' in content.data


def read_ground_truth(content: Content, options: Options, rows: LayoutBuilder) -> None:
    for i, page in enumerate(content.decode(list[Page])):
        info = page.page_info
        number = -1 if info.page_no is None else info.page_no
        name = info.image_path or f"{content.stem}_p{i + 1}"
        at = rows.page(name, info.width, info.height, f"[{i}].page_info", number=number)
        for k, found in enumerate(page.layout_dets):
            if found.ignore:
                rows.odd("ignored-region", "regions are marked to be ignored and left out", f"[{i}].layout_dets[{k}]",
                         severity="info")  # fmt: skip
                continue
            place = (f"[{i}].layout_dets[{{}}].poly", k)
            rows.outline(at, found.category_type, corner_points(found.poly, content.name, place), place)


class Result(msgspec.Struct, gc=False):
    image_name: str
    bbox: tuple[float, float, float, float]
    category_id: int
    score: float | None = None


class Prediction(msgspec.Struct):
    results: list[Result]
    categories: dict[str, str]


def is_prediction(content: Content) -> bool:
    return content.json_root == "object" and {"results", "categories"} <= content.json_keys


def read_prediction(content: Content, options: Options, rows: LayoutBuilder) -> None:
    file = content.decode(Prediction)
    rows.declare(list(file.categories.values()))
    pages: dict[str, int] = {}
    for i, found in enumerate(file.results):
        if found.image_name not in pages:
            pages[found.image_name] = rows.page(found.image_name, None, None, f"results[{i}]")
        label = file.categories.get(str(found.category_id), f"category {found.category_id}")
        rows.region(pages[found.image_name], label, *found.bbox, ("results[{}].bbox", i), found.score)
