"""Outlines written as text, "x,y x,y ...", in whatever separators: numbers, the box around them, the shape."""

from __future__ import annotations

import math

import numpy as np

from layoutcm.errors import InputError, shown
from layoutcm.formats.builder import Spot, listed, spelled
from layoutcm.formats.outlines import is_box
from layoutcm.layouts.model import Outline

Box = tuple[float, float, float, float]

# Far more than an outline needs; a longer text is made to keep the reader busy.
MAX_TEXT = 1 << 20


def parse_points(text: str, file: str, place: Spot) -> list[float]:
    """x, y, x, y, ...: none, or as many y as x."""
    if len(text) > MAX_TEXT:
        raise _wrong(text, file, place, f"is longer than {MAX_TEXT:,} characters")
    flat = listed(text.strip().replace(" ", ",").replace(";", ","))
    if flat is None:
        flat = _split(text, file, place)
    if len(flat) % 2:
        raise _wrong(text, file, place, "has an x without a y")
    if not math.isfinite(sum(flat)):
        raise _wrong(text, file, place, "holds a number that is not finite")
    return flat


def _split(text: str, file: str, place: Spot) -> list[float]:
    try:
        return [float(part) for part in text.replace(",", " ").replace(";", " ").split()]
    except ValueError:
        raise _wrong(text, file, place, "is not a list of points x,y") from None


def _wrong(text: str, file: str, place: Spot, problem: str) -> InputError:
    return InputError(file, spelled(place), f"the outline {shown(text)} {problem}", "Repair or remove it.")


def box_around(flat: list[float]) -> Box:
    xs, ys = flat[0::2], flat[1::2]
    xs.sort()  # faster than a look for the least and another for the greatest, from four points to thousands
    ys.sort()
    return xs[0], ys[0], xs[-1], ys[-1]


def outline_of(flat: list[float]) -> Outline | None:
    """The shape, or None where the box says it all: an axis-aligned rectangle, or fewer than three points."""
    if len(flat) < 6:
        return None
    shape = Outline((np.array(flat, float).reshape(-1, 2),))
    return None if is_box(shape) else shape
