"""YOLO labels: one text file per page; each line has a class number and coordinates in fractions of the page.

`class cx cy w h [confidence]` is a box, `class x y x y x y ... [confidence]` an outline. Class names come from a file
beside the labels (data.yaml, classes.txt, obj.names); without one, class numbers are label ids of the reference layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.class_names import ClassLabels
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.parsing import LARGEST_FRACTION, check_fractions, is_plain, parse_number, pixels_from_fraction
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_names import base_name, stem

# Digits after digits only behind a point: a number that can be split in two ways makes the time exponential.
NUMBER = rb"[ \t]+[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rb"\s*\d+(?:" + NUMBER + rb"){4,}[ \t]*(?:\r|\n|\Z)")
LISTS = ("classes.txt", "train.txt", "val.txt", "test.txt")  # of classes, or of images
MIN_OUTLINE_PARTS = 7  # a class number and three points
BEYOND_PAGE = 0.01  # of the page's side: boxes of models may lie outside by this much


def is_yolo(content: FileContent) -> bool:
    """Whether the first line is a class number and fractions; an empty .txt file is a page without regions."""
    name = content.name.lower()
    if base_name(name) in LISTS:
        return False
    if content.is_blank:
        return name.endswith(".txt")
    line = _LINE.match(content.head_without_bom[:HEAD])
    # With another suffix, the numbers must look like fractions; in a .txt file, other numbers are reported as an error.
    return line is not None and (
        name.endswith(".txt") or all(abs(float(value)) <= LARGEST_FRACTION for value in line[0].split()[1:])
    )


def read_yolo(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    builder = LayoutBuilder(name, options)
    classes = ClassLabels(name, options)
    names = classes.names
    builder.findings += classes.findings
    builder.declare_labels([label for _, label in sorted(names.items())])
    images = {stem(image): image for image in options.images}
    order = ScoreOrder()
    for content, page_name in zip(contents, _names_of_pages(contents)):
        builder.file = content.name
        page = builder.add_page(images.get(stem(page_name), page_name), None, None)
        _read_lines(content, builder, page, names, order)
    order.check()
    layout = builder.build("yolo")
    return replace(layout, label_keys=classes.keys(layout.labels))


def _names_of_pages(contents: Sequence[FileContent]) -> list[str]:
    """File names without folder and suffix; with the folder if the names would not be unique."""
    stems = [content.stem for content in contents]
    if len(set(stems)) == len(stems):
        return stems
    return [re.sub(r"(?:^|(?<=/))labels/", "", content.name.rpartition(".")[0]) for content in contents]


@dataclass
class ScoreOrder:
    """Whether lines of six numbers fit with the score at the end, and with the score after the class. Mutable."""

    first_misfit: tuple[str, str] | None = None  # file and place of a box outside the page with the score at the end
    fits_second: bool = True

    def add(self, values: Sequence[float], file: str, line: int) -> None:
        if self.first_misfit is None and not _is_on_page(values[:4]):
            self.first_misfit = file, f"line {line}"
        self.fits_second = self.fits_second and _is_on_page(values[1:])

    def check(self) -> None:
        if self.first_misfit and self.fits_second:
            problem = (
                "read as class cx cy w h score, this box lies outside the page; read as class score cx cy w h, all "
                "boxes of the files are on their pages"
            )
            raise InputError(*self.first_misfit, problem, "Write the score at the end of each line.")


def _is_on_page(box: Sequence[float]) -> bool:
    cx, cy, w, h = box
    reach = 0.5 + BEYOND_PAGE  # from the centre of the page
    return w >= 0 and h >= 0 and abs(cx - 0.5) + w / 2 <= reach and abs(cy - 0.5) + h / 2 <= reach


def _read_lines(
    content: FileContent, builder: LayoutBuilder, page: int, names: dict[int, str], order: ScoreOrder
) -> None:
    """Add the regions of one file; class numbers without a name are added to `names`."""
    width, height = builder.page_size(page)
    for i, line in enumerate(content.text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        try:
            usual = is_plain(line)
            key, values = (int(parts[0]), list(map(float, parts[1:]))) if usual else _parse_parts(content, i, parts)
        except ValueError:
            key, values = _parse_parts(content, i, parts)
        check_fractions(values, content.name, ("line {}", i), "Divide by the page's size, or percent by 100.")
        label = names[key] = names.get(key) or f"class {key}"
        if len(parts) < MIN_OUTLINE_PARTS:
            if len(parts) < 5:
                raise InputError(content.name, f"line {i}", f"{short_repr(line)} has no box", "Write class cx cy w h.")
            cx, cy, w, h = values[:4]
            score = None
            if len(parts) == 6:
                score = values[4]
                order.add(values, content.name, i)
            # Not by `pixel_box`: there are very many lines.
            x0, x1 = pixels_from_fraction(cx - w / 2, width), pixels_from_fraction(cx + w / 2, width)
            y0, y1 = pixels_from_fraction(cy - h / 2, height), pixels_from_fraction(cy + h / 2, height)
            builder.add_region(page, label, (x0, y0, x1, y1), ("line {}", i), score)
            continue
        score = values.pop() if len(values) % 2 else None
        ring = builder.pixels(page, zip(values[::2], values[1::2]))
        builder.add_outline(page, label, ring, ("line {}", i), score)


def _parse_parts(content: FileContent, line: int, parts: list[str]) -> tuple[int, list[float]]:
    """Parse each part separately, to name the part in an error; some tools write the class as 3.0."""
    key = parse_number(parts[0], content.name, f"line {line}, class")
    if not key.is_integer():
        raise InputError(content.name, f"line {line}", f"the class {parts[0]} is not whole", "Repair this line.")
    return int(key), [
        parse_number(part, content.name, f"line {line}, number {i}") for i, part in enumerate(parts[1:], 1)
    ]
