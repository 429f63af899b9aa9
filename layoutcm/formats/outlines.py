"""COCO segmentations: lists of polygons and run-length masks (plain or compressed), as shapes of the model."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, shown
from layoutcm.layouts.model import MAX_COORDINATE, Floats, Outline, RunMask, Shape

MAX_MASK_PIXELS = 1 << 28


class Runs(msgspec.Struct):
    size: tuple[int, int]
    counts: str | list[int]


def parse_segmentation(raw: msgspec.Raw, file: str, place: str) -> Shape | None:
    """The shape, or None where there is none or it is just a box."""
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
        return _mask(value, file, place)
    return Outline(tuple(_ring(points, file, f"{place}[{i}]") for i, points in enumerate(value)))


def is_box(shape: Shape) -> bool:
    """An axis-aligned rectangle given as a polygon is a box."""
    if isinstance(shape, RunMask) or len(shape.rings) != 1:
        return False
    points = shape.rings[0]
    if len(points) == 5 and (points[0] == points[4]).all():
        points = points[:4]
    if len(points) != 4:
        return False
    # Along one axis and then the other in turn; there and back along one line is a spike, not a box.
    moves = points != np.roll(points, 1, axis=0)
    return bool((moves.sum(axis=1) == 1).all() and (moves[1:] != moves[:-1]).all())


def shape_box(shape: Shape) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 around a shape."""
    if isinstance(shape, Outline):
        points = np.concatenate(shape.rings)
        x0, y0 = points.min(axis=0)
        x1, y1 = points.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)
    return _runs_box(shape)


def _runs_box(mask: RunMask) -> tuple[float, float, float, float]:
    """From the ends of the runs alone: the pixels of a large mask would fill the memory."""
    ends = np.cumsum(mask.runs)
    inked = (np.arange(ends.size) % 2 == 1) & (mask.runs > 0)
    if not inked.any():
        return 0.0, 0.0, 0.0, 0.0
    first_column, first_row = np.divmod((ends - mask.runs)[inked], mask.height)
    last_column, last_row = np.divmod(ends[inked] - 1, mask.height)
    # A run that goes on in the next column touches the bottom of one and the top of the other.
    turns = bool((first_column < last_column).any())
    x0, y0 = int(first_column[0]), 0 if turns else int(first_row.min())
    x1, y1 = int(last_column[-1]) + 1, mask.height if turns else int(last_row.max()) + 1
    return float(x0), float(y0), float(x1), float(y1)


def run_pixels(mask: RunMask) -> NDArray[np.bool_]:
    """bool[height, width]: the pixels of a run-length mask."""
    values = np.arange(mask.runs.size) % 2 == 1
    return np.repeat(values, mask.runs).reshape(mask.width, mask.height).T


def _ring(points: list[float], file: str, place: str) -> Floats:
    ring = np.array(points, float)
    if ring.size < 6 or ring.size % 2:
        raise InputError(
            file, place, f"a polygon of {ring.size} numbers, must be x, y pairs of at least 3 points", "Repair it."
        )
    if not (np.abs(ring) <= MAX_COORDINATE).all():
        raise InputError(file, place, "a coordinate is too large to be a pixel", "Repair or remove the polygon.")
    return ring.reshape(-1, 2)


def _mask(value: Runs, file: str, place: str) -> RunMask:
    height, width = value.size
    if height <= 0 or width <= 0 or height * width > MAX_MASK_PIXELS:
        raise InputError(
            file, place, f"a mask of size {shown(value.size)}, must be 1 to {MAX_MASK_PIXELS:,} pixels", "Repair it."
        )
    counts = value.counts if isinstance(value.counts, list) else _decompress(value.counts, file, place)
    if any(count < 0 for count in counts) or sum(counts) != height * width:
        raise InputError(
            file,
            f"{place}.counts",
            f"the runs {shown(counts)} do not add up to the {height * width:,} pixels of the mask",
            "Repair or remove it.",
        )
    return RunMask(height, width, np.array(counts, np.int64))


def _decompress(text: str, file: str, place: str) -> list[int]:
    """COCO's compressed counts: 5 bits a character from 48 up, bit 5 = more follows, differences from the third on."""
    counts: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift > 50:
            raise InputError(file, f"{place}.counts", f"{shown(text)} is not a compressed mask", "Repair or remove it.")
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            if bits & 16:
                value -= 1 << shift
            counts.append(value + (counts[-2] if len(counts) > 2 else 0))
            value = shift = 0
    return counts
