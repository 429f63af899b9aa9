"""One shape of CVAT as a region: box (also turned), polygon, ellipse, mask; lines and points cover nothing."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from layoutcm.errors import InputError, shown
from layoutcm.formats.builder import Gathering, Spot, number, spelled
from layoutcm.formats.content import Options
from layoutcm.formats.outlines import MAX_TEXT, box_around, outline_of, parse_points
from layoutcm.formats.xml import numbers
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, RunMask

CORNERS = ("xtl", "ytl", "xbr", "ybr")
ELLIPSE = ("cx", "cy", "rx", "ry")
MASK = ("left", "top", "width", "height")
NO_AREAS = {"polyline", "points", "skeleton", "cuboid"}
ELLIPSE_POINTS = 64


def read_shape(shape: Element, page: int, label: str, place: Spot, options: Options, rows: Gathering) -> None:
    match shape.tag:
        case "box" if not shape.get("rotation"):
            x0, y0, x1, y1 = numbers([shape.get(corner) for corner in CORNERS], rows.file, place, CORNERS)
            rows.region(page, label, x0, y0, x1, y1, place)
        case "mask":
            _read_mask(shape, page, label, place, options, rows)
        case "box":
            _read_points(_turned_box(shape, rows.file, place), page, label, place, options, rows)
        case "ellipse":
            _read_points(_ellipse(shape, rows.file, place), page, label, place, options, rows)
        case "polygon":
            _read_points(parse_points(shape.get("points", ""), rows.file, place), page, label, place, options, rows)
        case kind if kind in NO_AREAS:
            message = "lines, points and the like cover no area and are left out"
            rows.odd("not-an-area", message, spelled(place))


def _read_points(flat: list[float], page: int, label: str, place: Spot, options: Options, rows: Gathering) -> None:
    if flat:
        rows.region(page, label, *box_around(flat), place, shape=outline_of(flat) if options.outlines else None)
    else:
        rows.odd("no-coordinates", "shapes without coordinates are left out", spelled(place))


def _turned_box(box: Element, file: str, place: Spot) -> list[float]:
    x0, y0, x1, y1 = numbers([box.get(corner) for corner in CORNERS], file, place, CORNERS)
    right, down = (x1 - x0) / 2, (y1 - y0) / 2
    corners = [(-right, -down), (right, -down), (right, down), (-right, down)]
    return _turned(corners, (x0 + x1) / 2, (y0 + y1) / 2, box, file, place)


def _ellipse(ellipse: Element, file: str, place: Spot) -> list[float]:
    cx, cy, rx, ry = numbers([ellipse.get(name) for name in ELLIPSE], file, place, ELLIPSE)
    turns = (2 * math.pi * i / ELLIPSE_POINTS for i in range(ELLIPSE_POINTS))
    return _turned([(rx * math.cos(turn), ry * math.sin(turn)) for turn in turns], cx, cy, ellipse, file, place)


def _turned(
    points: list[tuple[float, float]], cx: float, cy: float, shape: Element, file: str, place: Spot
) -> list[float]:
    """Points around a centre, turned clockwise by the degrees that the shape tells."""
    angle = math.radians(number(shape.get("rotation") or 0, file, f"{spelled(place)}/rotation"))
    cos, sin = math.cos(angle), math.sin(angle)
    return [value for x, y in points for value in (cx + x * cos - y * sin, cy + x * sin + y * cos)]


def _read_mask(shape: Element, page: int, label: str, place: Spot, options: Options, rows: Gathering) -> None:
    x, y, width, height = numbers([shape.get(side) for side in MASK], rows.file, place, MASK)
    area = _mask(shape, rows.size(page), (x, y, width, height), rows.file, place) if options.outlines else None
    rows.region(page, label, x, y, x + width, y + height, place, shape=area)


def _mask(shape: Element, size: tuple[float, float], told: tuple[float, ...], file: str, place: Spot) -> RunMask:
    """CVAT's runs go along the rows of the mask's own box; the model's go down the columns of the page."""
    text = shape.get("rle", "")
    try:
        columns, rows, left, top, width, height = map(int, (*size, *told))
        runs = [int(run) for run in text[:MAX_TEXT].split(",")]
    except (ValueError, OverflowError):
        columns = rows = left = top = width = height = 0
        runs = []
    inside = 0 <= left <= left + width <= columns and 0 <= top <= top + height <= rows
    if not inside or min(runs, default=-1) < 0 or sum(runs) != width * height or rows * columns > MAX_MASK_PIXELS:
        problem = f"the runs {shown(text)} do not fill a mask of {told[2]:g} x {told[3]:g} on the page"
        raise InputError(file, f"{spelled(place)}/rle", problem, "Repair or remove it; boxes alone are always read.")
    strip = np.zeros((width, rows), np.int8)
    strip[:, top : top + height] = np.repeat(np.arange(len(runs)) % 2, runs).reshape(height, width).T
    turns = np.flatnonzero(np.diff(strip.ravel(), prepend=0, append=0)) + left * rows
    return RunMask(rows, columns, np.diff(turns, prepend=0, append=rows * columns))
