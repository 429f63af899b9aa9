"""CVAT 1.1 for images, and the frames that its export for videos writes out; coordinates in pixels.

Lines, points and skeletons cover no area and are left out with a finding. `z_order` says what is drawn on top, which
does not matter where a pixel carries the labels of all regions on it.
"""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.outlines import MAX_TEXT, box_around, outline_of, parse_points
from layoutcm.formats.parsing import FilePlace, parse_number, parse_numbers, parse_size, place_text
from layoutcm.formats.xml import elements, root_name
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, RunMask

MAX_FRAME = 2**31 - 2


CORNERS = ("xtl", "ytl", "xbr", "ybr")
ELLIPSE = ("cx", "cy", "rx", "ry")
MASK = ("left", "top", "width", "height")
NO_AREAS = {"polyline", "points", "skeleton", "cuboid"}
ELLIPSE_POINTS = 64


def is_cvat(content: Content) -> bool:
    return root_name(content) == "annotations" and any(mark in content.data for mark in (b"<image ", b"<track "))


def read_file(content: Content, options: Options, rows: LayoutBuilder) -> None:
    frames: dict[int, int] = {}
    sizes: set[tuple[float, float] | tuple[None, None]] = set()
    images = tracks = 0
    for element in elements(content, "labels", "original_size", "image", "track", skipping={"attribute"}):
        match element.tag:
            case "labels":
                shown_areas = (one for one in element if one.findtext("type") not in {*NO_AREAS, "tag"})
                rows.declare([name for one in shown_areas if (name := (one.findtext("name") or "").strip())])
            case "original_size":
                sizes.add(parse_size(element.findtext("width"), element.findtext("height")))
            case "image":
                _read_image(element, images, content, options, rows)
                images += 1
            case "track":
                # Several videos in one file need not have one size.
                size = next(iter(sizes)) if len(sizes) == 1 else (None, None)
                _read_track(element, tracks, frames, size, options, rows)
                tracks += 1
    if not images + tracks:
        raise InputError(content.name, "", "there is no image and no track in it", "Export it as CVAT for images 1.1.")


def _read_image(image: Element, i: int, content: Content, options: Options, rows: LayoutBuilder) -> None:
    width, height = parse_size(image.get("width"), image.get("height"))
    name = image.get("name", "").strip() or f"{content.stem}_p{i + 1}"
    page = rows.page(name, width, height, f"image[{i}]")
    for j, shape in enumerate(image):
        read_shape(shape, page, shape.get("label", ""), ("image[{0[0]}]/shape[{0[1]}]", (i, j)), options, rows)


def _read_track(
    track: Element,
    i: int,
    frames: dict[int, int],
    size: tuple[float | None, float | None],
    options: Options,
    rows: LayoutBuilder,
) -> None:
    before, hidden = -1, True
    for j, shape in enumerate(track):
        place = ("track[{0[0]}]/shape[{0[1]}]", (i, j))
        frame = _frame(shape, place, rows)
        if not hidden and frame > before + 1:
            rows.odd("skipped-frames", "stretches between two frames of a track are not filled in", place_text(place))
        before, hidden = frame, shape.get("outside") == "1"
        if hidden:
            continue
        if frame not in frames:
            name = f"frame_{frame:06d}"
            frames[frame] = rows.page(name, size[0], size[1], place_text(place), number=frame + 1)
        read_shape(shape, frames[frame], track.get("label", ""), place, options, rows)


def _frame(shape: Element, place: FilePlace, rows: LayoutBuilder) -> int:
    frame = parse_number(shape.get("frame"), rows.file, f"{place_text(place)}/frame")
    if not (frame.is_integer() and 0 <= frame <= MAX_FRAME):
        problem = f"{frame:g} is not a frame, must be whole and from 0 to {MAX_FRAME:,}"
        raise InputError(rows.file, f"{place_text(place)}/frame", problem, "Repair this value.")
    return int(frame)


def read_shape(shape: Element, page: int, label: str, place: FilePlace, options: Options, rows: LayoutBuilder) -> None:
    match shape.tag:
        case "box" if not shape.get("rotation"):
            x0, y0, x1, y1 = parse_numbers([shape.get(corner) for corner in CORNERS], rows.file, place, CORNERS)
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
            rows.odd("not-an-area", message, place_text(place))


def _read_points(
    flat: list[float], page: int, label: str, place: FilePlace, options: Options, rows: LayoutBuilder
) -> None:
    if flat:
        rows.region(page, label, *box_around(flat), place, shape=outline_of(flat) if options.outlines else None)
    else:
        rows.odd("no-coordinates", "shapes without coordinates are left out", place_text(place))


def _turned_box(box: Element, file: str, place: FilePlace) -> list[float]:
    x0, y0, x1, y1 = parse_numbers([box.get(corner) for corner in CORNERS], file, place, CORNERS)
    right, down = (x1 - x0) / 2, (y1 - y0) / 2
    corners = [(-right, -down), (right, -down), (right, down), (-right, down)]
    return _turned(corners, (x0 + x1) / 2, (y0 + y1) / 2, box, file, place)


def _ellipse(ellipse: Element, file: str, place: FilePlace) -> list[float]:
    cx, cy, rx, ry = parse_numbers([ellipse.get(name) for name in ELLIPSE], file, place, ELLIPSE)
    turns = (2 * math.pi * i / ELLIPSE_POINTS for i in range(ELLIPSE_POINTS))
    return _turned([(rx * math.cos(turn), ry * math.sin(turn)) for turn in turns], cx, cy, ellipse, file, place)


def _turned(
    points: list[tuple[float, float]], cx: float, cy: float, shape: Element, file: str, place: FilePlace
) -> list[float]:
    """Points around a centre, turned clockwise by the degrees that the shape tells."""
    angle = math.radians(parse_number(shape.get("rotation") or 0, file, f"{place_text(place)}/rotation"))
    cos, sin = math.cos(angle), math.sin(angle)
    return [value for x, y in points for value in (cx + x * cos - y * sin, cy + x * sin + y * cos)]


def _read_mask(shape: Element, page: int, label: str, place: FilePlace, options: Options, rows: LayoutBuilder) -> None:
    x, y, width, height = parse_numbers([shape.get(side) for side in MASK], rows.file, place, MASK)
    area = _mask(shape, rows.size(page), (x, y, width, height), rows.file, place) if options.outlines else None
    rows.region(page, label, x, y, x + width, y + height, place, shape=area)


def _mask(
    shape: Element, size: tuple[float, float], numbers: tuple[float, ...], file: str, place: FilePlace
) -> RunMask:
    """CVAT's runs go along the rows of the mask's own box; the model's go down the columns of the page."""
    text = shape.get("rle", "")
    try:
        columns, rows, left, top, width, height = map(int, (*size, *numbers))
        runs = [int(run) for run in text[:MAX_TEXT].split(",")]
    except (ValueError, OverflowError):
        columns = rows = left = top = width = height = 0
        runs = []
    inside = 0 <= left <= left + width <= columns and 0 <= top <= top + height <= rows
    if not inside or min(runs, default=-1) < 0 or sum(runs) != width * height or rows * columns > MAX_MASK_PIXELS:
        problem = f"the runs {short_repr(text)} do not fill a mask of {numbers[2]:g} x {numbers[3]:g} on the page"
        raise InputError(file, f"{place_text(place)}/rle", problem, "Repair or remove it; boxes alone are always read.")
    strip = np.zeros((width, rows), np.int8)
    strip[:, top : top + height] = np.repeat(np.arange(len(runs)) % 2, runs).reshape(height, width).T
    turns = np.flatnonzero(np.diff(strip.ravel(), prepend=0, append=0)) + left * rows
    return RunMask(rows, columns, np.diff(turns, prepend=0, append=rows * columns))
