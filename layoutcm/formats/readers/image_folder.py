"""metadata.jsonl of a Hugging Face image folder: one line a page, with the boxes of its objects.

Boxes are x, y, width, height in pixels, as in COCO. The file has no page sizes: they come from the images beside it,
from `sizes` or from the reference layout. Class numbers get names from a file beside it, or from the reference layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.class_names import ClassLabels
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.layouts.model import Layout

Box = tuple[float, float, float, float]
Category = int | str


class Lists(msgspec.Struct):
    """The objects of a page as lists; the guides of Hugging Face use several names for the categories."""

    bbox: list[Box] = []
    category: list[Category] | None = None
    categories: list[Category] | None = None
    category_id: list[Category] | None = None
    label: list[Category] | None = None
    labels: list[Category] | None = None
    score: list[float] | None = None
    scores: list[float] | None = None
    area: list[float] | None = None
    iscrowd: list[int | bool] | None = None


class Item(msgspec.Struct):
    bbox: Box
    category: Category | None = None
    category_id: Category | None = None
    label: Category | None = None
    score: float | None = None
    area: float | None = None
    iscrowd: int | bool | None = None


class Found(NamedTuple):
    box: Box
    category: Category
    score: float | None
    area: float | None
    crowd: int | bool | None


class Line(msgspec.Struct):
    file_name: str
    objects: Lists | list[Item] | None = None
    width: float | None = None
    height: float | None = None


# The first page may be without objects.
is_image_folder = Needs("array", ("file_name",), ("objects", "bbox"))


def read_image_folder(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    builder, labels = LayoutBuilder(name, options), ClassLabels(name, options)
    for content in contents:
        builder.file = content.name
        for i, line in enumerate(content.decode(list[Line])):
            page = builder.add_page(line.file_name, line.width, line.height, f"[{i}]")
            for k, found in enumerate(_objects(content.name, f"[{i}]", line.objects)):
                place, (x, y, w, h) = (f"[{i}].objects.bbox[{{}}]", k), found.box
                builder.add_region(page, labels.label(found.category), x, y, x + w, y + h, place, found.score)
                if found.area is not None or found.crowd:
                    builder.add_coco_facts(bool(found.crowd), found.area, w, h)
    builder.declare_labels([label for _, label in sorted((labels.declared or {}).items())])
    builder.findings += labels.all_findings()
    layout = builder.build("hf-imagefolder")
    return replace(layout, label_keys=labels.keys(layout.labels))


def _objects(file: str, place: str, objects: Lists | list[Item] | None) -> Iterator[Found]:
    if isinstance(objects, list):
        for k, item in enumerate(objects):
            given = (item.category, item.category_id, item.label)
            category = next((one for one in given if one is not None), None)
            if category is None:
                raise InputError(file, f"{place}.objects[{k}]", "the object has no category", "Add it.")
            yield Found(item.bbox, category, item.score, item.area, item.iscrowd)
        return
    if objects is None or not objects.bbox:
        return
    lists = (objects.category, objects.categories, objects.category_id, objects.label, objects.labels)
    categories = next((one for one in lists if one is not None), [])
    nothing = [None] * len(objects.bbox)
    scores: Sequence[float | None] = objects.score or objects.scores or nothing
    areas: Sequence[float | None] = objects.area or nothing
    crowds: Sequence[int | bool | None] = objects.iscrowd or nothing
    for name, column in {"categories": categories, "scores": scores, "areas": areas, "crowds": crowds}.items():
        if len(column) != len(objects.bbox):
            problem = f"{len(objects.bbox)} boxes and {len(column)} {name}"
            raise InputError(file, f"{place}.objects", problem, "There must be one of each for an object.")
    yield from map(Found, objects.bbox, categories, scores, areas, crowds)
