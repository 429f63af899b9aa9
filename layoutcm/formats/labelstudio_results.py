"""The results of Label Studio annotations: shapes in percent of the image, their labels, and what describes them.

A region may have several results with one id and one place: a rectangle, its labels, its text, its choices. Together
they are one region.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from layoutcm.formats.parsing import pixels_from_fraction

TYPES_WITHOUT_OUTLINE = {
    *("keypointlabels", "brushlabels", "keypoint", "brush", "vectorlabels", "bitmask", "bitmasklabels")
}
_PAGE_OF_REPEATER = re.compile(r"_([0-9]{1,6})\Z")
BARE, CHOSEN, LABELLED = range(3)
DIGITS = 6  # after the point, of percent of the image


class Value(msgspec.Struct):
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    rotation: float | None = None
    radiusX: float | None = None
    radiusY: float | None = None
    points: list[tuple[float, float]] | None = None
    rectanglelabels: list[str] | None = None
    polygonlabels: list[str] | None = None
    ellipselabels: list[str] | None = None
    labels: Any = None  # of a rectangle that is drawn first and labelled afterwards
    original_width: float | None = None
    original_height: float | None = None
    choices: Any = None  # classes that were chosen for the whole page, or for a region

    @property
    def label_names(self) -> Sequence[str]:
        return self.rectanglelabels or self.polygonlabels or self.ellipselabels or _texts(self.labels)

    @property
    def names(self) -> Sequence[str]:
        """The labels; without labels, the choices; [""] if there is neither."""
        return self.label_names or _texts(self.choices) or [""]

    @property
    def kind(self) -> int:
        if self.label_names:
            return LABELLED
        return CHOSEN if _texts(self.choices) else BARE


class Result(msgspec.Struct):
    type: str | None = None
    value: Value | None = None
    original_width: float | None = None
    original_height: float | None = None
    score: float | None = None
    id: Any = None
    from_name: Any = None
    to_name: Any = None
    item_index: int | None = None

    @property
    def page(self) -> int:
        """The position of its page in a task with several pages: Label Studio repeats an image `page` as `page_0`."""
        if self.item_index is not None:
            return self.item_index
        found = _PAGE_OF_REPEATER.search(self.to_name) if isinstance(self.to_name, str) else None
        return int(found[1]) if found else 0


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def distinct_regions(results: Sequence[tuple[object, Value]]) -> Iterator[int]:
    """The positions of the results, which are pairs of id and value, that are regions.

    A result without labels is no region of its own if another one at the same place has the label.
    """
    kinds = [value.kind for _, value in results]
    if min(kinds, default=LABELLED) == LABELLED:  # the usual case, made fast for many regions
        yield from range(len(results))
        return
    places = [_place(*result) for result in results]
    best = dict(sorted(zip(places, kinds), key=lambda pair: pair[1]))
    seen: set[object] = set()
    for i, (place, kind) in enumerate(zip(places, kinds)):
        if kind == LABELLED or (kind == best[place] and place not in seen):
            yield i
        if kind == best[place]:
            seen.add(place)


def _place(name: object, value: Value) -> tuple[object, ...]:
    """What the results of one region share. Their numbers may differ in the last digit, and a rotation of 0 is none."""
    points = tuple((round(x, DIGITS), round(y, DIGITS)) for x, y in value.points or ())
    box = (value.x, value.y, value.width, value.height, value.rotation or None, value.radiusX, value.radiusY)
    rounded = [side if side is None else round(side, DIGITS) for side in box]
    return (name if isinstance(name, str | int) else None, *rounded, points)


def ring(value: Value, width: float, height: float) -> list[tuple[float, float]] | None:
    """Corners in pixels, or None without coordinates; a rectangle is rotated in pixels around its upper left corner."""
    if value.points is not None:
        return [(pixels_from_fraction(x / 100, width), pixels_from_fraction(y / 100, height)) for x, y in value.points]
    if value.x is None or value.y is None:
        return None
    x, y = pixels_from_fraction(value.x / 100, width), pixels_from_fraction(value.y / 100, height)
    if value.radiusX is not None and value.radiusY is not None:
        rx, ry = value.radiusX * width / 100, value.radiusY * height / 100
        return [(x - rx, y - ry), (x + rx, y + ry)]
    if value.width is None or value.height is None:
        return None
    if not value.rotation:
        x1, y1 = (
            pixels_from_fraction((value.x + value.width) / 100, width),
            pixels_from_fraction((value.y + value.height) / 100, height),
        )
        return [(x, y), (x1, y1)]
    w, h = value.width * width / 100, value.height * height / 100
    cos, sin = math.cos(math.radians(value.rotation)), math.sin(math.radians(value.rotation))
    return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in ((0, 0), (w, 0), (w, h), (0, h))]
