"""CVAT 1.1 for images, and the frames that its export for videos writes out; coordinates in pixels.

Lines, points and skeletons cover no area and are left out with a finding. `z_order` says what is drawn on top, which
does not matter where a pixel carries the labels of all regions on it.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.builder import Gathering, Spot, number, spelled
from layoutcm.formats.content import Content, Options
from layoutcm.formats.readers.cvat_shapes import NO_AREAS, read_shape
from layoutcm.formats.xml import elements, root_name, told_size

MAX_FRAME = 2**31 - 2


def is_cvat(content: Content) -> bool:
    return root_name(content) == "annotations" and any(mark in content.data for mark in (b"<image ", b"<track "))


def read_file(content: Content, options: Options, rows: Gathering) -> None:
    frames: dict[int, int] = {}
    sizes: set[tuple[float, float] | tuple[None, None]] = set()
    images = tracks = 0
    for element in elements(content, "labels", "original_size", "image", "track", skipping={"attribute"}):
        match element.tag:
            case "labels":
                shown_areas = (one for one in element if one.findtext("type") not in {*NO_AREAS, "tag"})
                rows.declare([name for one in shown_areas if (name := (one.findtext("name") or "").strip())])
            case "original_size":
                sizes.add(told_size(element.findtext("width"), element.findtext("height")))
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


def _read_image(image: Element, i: int, content: Content, options: Options, rows: Gathering) -> None:
    width, height = told_size(image.get("width"), image.get("height"))
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
    rows: Gathering,
) -> None:
    before, hidden = -1, True
    for j, shape in enumerate(track):
        place = ("track[{0[0]}]/shape[{0[1]}]", (i, j))
        frame = _frame(shape, place, rows)
        if not hidden and frame > before + 1:
            rows.odd("skipped-frames", "stretches between two frames of a track are not filled in", spelled(place))
        before, hidden = frame, shape.get("outside") == "1"
        if hidden:
            continue
        if frame not in frames:
            name = f"frame_{frame:06d}"
            frames[frame] = rows.page(name, size[0], size[1], spelled(place), number=frame + 1)
        read_shape(shape, frames[frame], track.get("label", ""), place, options, rows)


def _frame(shape: Element, place: Spot, rows: Gathering) -> int:
    frame = number(shape.get("frame"), rows.file, f"{spelled(place)}/frame")
    if not (frame.is_integer() and 0 <= frame <= MAX_FRAME):
        problem = f"{frame:g} is not a frame, must be whole and from 0 to {MAX_FRAME:,}"
        raise InputError(rows.file, f"{spelled(place)}/frame", problem, "Repair this value.")
    return int(frame)
