"""metadata.jsonl of a Hugging Face image folder: one line a page, with the boxes of its objects.

Boxes are x, y, width, height in pixels, as in COCO. The file has no page sizes: they come from the images beside it,
from `sizes` or from the reference layout. Class numbers get names from a file beside it, or from the reference layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.class_names import class_names, reference_names, undeclared_findings
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.layouts.model import Finding, Layout

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


class Item(msgspec.Struct):
    bbox: Box
    category: Category | None = None
    category_id: Category | None = None
    label: Category | None = None
    score: float | None = None


class Line(msgspec.Struct):
    file_name: str
    objects: Lists | list[Item] | None = None
    width: float | None = None
    height: float | None = None


class ClassLabels:
    """Class numbers as labels; those without a name are counted. Names are looked for when the first number comes."""

    def __init__(self, file: str, options: Options) -> None:
        self.file, self.options = file, options
        self.names: dict[int, str] | None = None
        self.findings: list[Finding] = []
        self.undeclared: Counter[int] = Counter()

    def label(self, category: Category) -> str:
        if isinstance(category, str):
            return category
        if self.names is None:
            self.names = class_names(self.options)
            if self.names is None:
                self.names, finding = reference_names(self.file, self.options)
                self.findings.append(finding)
        if category not in self.names:
            self.undeclared[category] += 1
        return self.names.get(category) or f"category {category}"

    def all_findings(self) -> list[Finding]:
        return [*self.findings, *undeclared_findings(self.file, self.undeclared)]


is_image_folder = Needs("array", ("file_name", "objects"), ("bbox",))


def read_image_folder(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    builder, labels = LayoutBuilder(name, options), ClassLabels(name, options)
    for content in contents:
        builder.file = content.name
        for i, line in enumerate(content.decode(list[Line])):
            page = builder.add_page(line.file_name, line.width, line.height, f"[{i}]")
            for k, ((x, y, w, h), category, score) in enumerate(_objects(content.name, f"[{i}]", line.objects)):
                place = (f"[{i}].objects.bbox[{{}}]", k)
                builder.add_region(page, labels.label(category), x, y, x + w, y + h, place, score)
    if labels.names:
        builder.declare_labels([label for _, label in sorted(labels.names.items())])
    builder.findings += labels.all_findings()
    layout = builder.build("hf-imagefolder")
    position = {label: i for i, label in enumerate(layout.labels)}
    keys: dict[int | float | str, int] = {
        key: position[label] for key, label in (labels.names or {}).items() if label in position
    }
    return replace(layout, label_keys=keys)


def _objects(file: str, place: str, objects: Lists | list[Item] | None) -> Iterator[tuple[Box, Category, float | None]]:
    """(box, category, score) of each object of a page."""
    if isinstance(objects, list):
        for k, item in enumerate(objects):
            given = (item.category, item.category_id, item.label)
            category = next((one for one in given if one is not None), None)
            if category is None:
                raise InputError(file, f"{place}.objects[{k}]", "the object has no category", "Add it.")
            yield item.bbox, category, item.score
        return
    if objects is None or not objects.bbox:
        return
    lists = (objects.category, objects.categories, objects.category_id, objects.label, objects.labels)
    categories = next((one for one in lists if one is not None), [])
    scores: Sequence[float | None] = objects.score or objects.scores or [None] * len(objects.bbox)
    if not len(objects.bbox) == len(categories) == len(scores):
        problem = f"{len(objects.bbox)} boxes, {len(categories)} categories and {len(scores)} scores"
        raise InputError(file, f"{place}.objects", problem, "There must be one of each for an object.")
    yield from zip(objects.bbox, categories, scores)
