"""Parse the outlines and masks of files into shapes of a layout.

COCO has lists of polygons and run-length masks, plain or compressed. Other formats have points as text,
"x,y x,y ...", with various separators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.parsing import FilePlace, parse_number_list, place_text
from layoutcm.layouts import limits
from layoutcm.layouts.model import MAX_COORDINATE, Floats
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, Outline, RunMask, Shape, is_box

Box = tuple[float, float, float, float]
ELLIPSE_POINTS = 64


class Runs(msgspec.Struct):
    size: tuple[int, int]
    counts: str | list[int]


def parse_segmentation(raw: msgspec.Raw, file: str, place: str) -> Shape | None:
    """The shape of a COCO segmentation, or None if it is empty."""
    try:
        value = msgspec.json.decode(raw, type=list[list[float]] | Runs | None)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(
            file,
            place,
            f"this is neither a list of polygons nor a run-length mask ({error})",
            "Repair or remove it; boxes alone are enough with shapes='box'.",
        ) from None
    if not value:
        return None
    if isinstance(value, Runs):
        return _parse_mask(value, file, place)
    return Outline(tuple(_parse_ring(points, file, f"{place}[{i}]") for i, points in enumerate(value)))


def _parse_ring(points: list[float], file: str, place: str) -> Floats:
    ring = np.array(points, float)
    if ring.size < 6 or ring.size % 2:
        raise InputError(
            file, place, f"a polygon of {ring.size} numbers, must be x, y pairs of at least 3 points", "Repair it."
        )
    if not (np.abs(ring) <= MAX_COORDINATE).all():
        raise InputError(file, place, "a coordinate is too large to be a pixel", "Repair or remove the polygon.")
    return ring.reshape(-1, 2)


def _parse_mask(value: Runs, file: str, place: str) -> RunMask:
    height, width = value.size
    if height <= 0 or width <= 0 or height * width > MAX_MASK_PIXELS:
        raise InputError(
            file,
            place,
            f"a mask of size {short_repr(value.size)}, must be 1 to {MAX_MASK_PIXELS:,} pixels",
            "Repair it.",
        )
    counts = value.counts if isinstance(value.counts, list) else _decompress(value.counts, file, place)
    if any(count < 0 for count in counts) or sum(counts) != height * width:
        raise InputError(
            file,
            f"{place}.counts",
            f"the runs {short_repr(counts)} do not add up to the {height * width:,} pixels of the mask",
            "Repair or remove it.",
        )
    return RunMask(height, width, np.array(counts, np.int64))


def _decompress(text: str, file: str, place: str) -> list[int]:
    """Decode COCO's compressed counts.

    A character minus 48 has 5 bits of a number and, as bit 5, whether more bits follow. From the fourth number on, the
    difference to the number two before is stored. By hand, because faster-coco-eval returns pixels instead of runs:
    a small file could ask for much memory.
    """
    counts: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift > 50:
            raise InputError(
                file, f"{place}.counts", f"{short_repr(text)} is not a compressed mask", "Repair or remove it."
            )
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            if bits & 16:
                value -= 1 << shift
            counts.append(value + (counts[-2] if len(counts) > 2 else 0))
            value = shift = 0
    return counts


def parse_points(text: str, file: str, place: FilePlace) -> list[float]:
    """The numbers x, y, x, y, ... of an outline written as text; may be empty."""
    if len(text) > limits.MAX_OUTLINE_TEXT:
        raise _outline_error(text, file, place, f"is longer than {limits.MAX_OUTLINE_TEXT:,} characters")
    flat = parse_number_list(text.replace(" ", ","))  # the usual case, made fast for many regions
    if flat is None:
        flat = _parse_separated(text, file, place)
    if len(flat) % 2:
        raise _outline_error(text, file, place, "has an x without a y")
    if not math.isfinite(sum(flat)):
        raise _outline_error(text, file, place, "holds a number that is not finite")
    return flat


def _parse_separated(text: str, file: str, place: FilePlace) -> list[float]:
    try:
        return [float(part) for part in text.replace(",", " ").replace(";", " ").split()]
    except ValueError:
        raise _outline_error(text, file, place, "is not a list of points x,y") from None


def _outline_error(text: str, file: str, place: FilePlace, problem: str) -> InputError:
    return InputError(file, place_text(place), f"the outline {short_repr(text)} {problem}", "Repair or remove it.")


def ellipse_points(cx: float, cy: float, rx: float, ry: float, angle: float = 0.0) -> list[tuple[float, float]]:
    """The outline of an ellipse that is rotated clockwise by an angle in radians."""
    cos, sin = math.cos(angle), math.sin(angle)
    angles = (2 * math.pi * i / ELLIPSE_POINTS for i in range(ELLIPSE_POINTS))
    points = [(rx * math.cos(one), ry * math.sin(one)) for one in angles]
    return [(cx + x * cos - y * sin, cy + x * sin + y * cos) for x, y in points]


def rotated_box(box: Sequence[float], angle: float) -> list[tuple[float, float]]:
    """The corners of a box that is rotated clockwise about its centre by an angle in radians."""
    x0, y0, x1, y1 = box
    cx, cy, right, down = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2, (y1 - y0) / 2
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(-right, -down), (right, -down), (right, down), (-right, down)]
    return [(cx + x * cos - y * sin, cy + x * sin + y * cos) for x, y in corners]


def ring_with_holes(rings: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """One ring for several: filled by the even-odd rule, a ring inside another is a hole.

    The way from the first ring to another and back encloses nothing.
    """
    first = rings[0]
    if len(rings) == 1:
        return list(first)
    return [*first, first[0], *(point for ring in rings[1:] for point in (*ring, ring[0], first[0]))]


def mask_on_page(
    pixels: NDArray[np.bool_] | NDArray[np.int8], left: int, top: int, page_width: int, page_height: int
) -> RunMask:
    """A mask of the page from the pixels [height, width] of a part of it, which must be inside the page."""
    height, width = pixels.shape
    columns = np.zeros((width, page_height), np.int8)
    columns[:, top : top + height] = pixels.T
    changes = np.flatnonzero(np.diff(columns.ravel(), prepend=0, append=0)) + left * page_height
    return RunMask(page_height, page_width, np.diff(changes, prepend=0, append=page_height * page_width))


def box_around(flat: list[float]) -> Box:
    xs, ys = flat[0::2], flat[1::2]
    xs.sort()  # faster than min and max, from four points to thousands
    ys.sort()
    return xs[0], ys[0], xs[-1], ys[-1]


def outline_of(flat: list[float]) -> Outline | None:
    """The shape, or None if the box is enough: an axis-aligned rectangle, or fewer than three points."""
    if len(flat) < 6:
        return None
    shape = Outline((np.array(flat, float).reshape(-1, 2),))
    return None if is_box(shape) else shape
