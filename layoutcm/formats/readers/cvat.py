"""CVAT 1.1 for images, and the frames that are written in its export for videos; coordinates in pixels.

Lines, points and skeletons cover no area and are left out with a finding. `z_order` (which shape is on top) is ignored,
because a pixel has the labels of all regions that cover it. Exports of a project, a task and a job name assignees, who
are the annotators; in a project, each image names its task, and each task its assignee. If two annotators have an image
of the same name in one subset, it is one page. Otherwise, images of the same name in two subsets or two tasks are two
pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.markup import elements
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import (
    FilePlace,
    ellipse_points,
    is_plain,
    mask_on_page,
    parse_number,
    parse_numbers,
    parse_points,
    parse_size,
    place_text,
    rotated_box,
)
from layoutcm.layouts import limits
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, RunMask

META = ("labels", "original_size", "assignee", "tasks")
MAX_FRAME = 2**31 - 2
Frames = dict[int, tuple[int, str]]  # {frame of a video: (page, the annotator that has it first)}
CORNERS = ("xtl", "ytl", "xbr", "ybr")
ELLIPSE = ("cx", "cy", "rx", "ry")
MASK = ("left", "top", "width", "height")
SHAPES_WITHOUT_AREA = {"polyline", "points", "skeleton", "cuboid"}
is_cvat = (
    Needs("xml", ("annotations",), ("image",), typical=("box",))
    | Needs("xml", ("annotations",), ("track",), typical=("box",))
).with_check(lambda content: _first_page(content.data) >= 0)


@dataclass
class Meta:
    """What a file says beside its images: video sizes, and who works on which task. Mutable; filled while reading."""

    sizes: set[tuple[float, float] | tuple[None, None]] = field(default_factory=set)
    assignee: str = ""  # of the task or job that was exported
    tasks: dict[str, Task] = field(default_factory=dict)  # of a project, by id
    images_of_tasks: set[tuple[str, str]] = field(default_factory=set)  # names of images so far, with their tasks

    @property
    def video_size(self) -> tuple[float | None, float | None]:
        """The size of all frames; several videos in one file may differ in size."""
        return next(iter(self.sizes)) if len(self.sizes) == 1 else (None, None)

    def annotator_of(self, element: Element) -> str:
        """The assignee of the task of an image or a track; "" if it is not known."""
        task = self.tasks.get(element.get("task_id", ""))
        return task.assignee if task else self.assignee


class Task(NamedTuple):
    name: str
    assignee: str


def read_cvat(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    meta, frames = Meta(), Frames()
    images = tracks = 0
    is_late = content.data.rfind(b"<meta") > _first_page(content.data) >= 0
    if is_late:
        for element in _elements(content):
            if element.tag in META:
                _read_meta(element, meta, builder)
    for element in _elements(content):
        match element.tag:
            case "image":
                _read_image(element, images, content, meta, builder)
                images += 1
            case "track":
                _read_track(element, tracks, frames, meta, builder)
                tracks += 1
            case _ if not is_late:
                _read_meta(element, meta, builder)
    if not images + tracks:
        raise InputError(content.name, "", "there is no image and no track in it", "Export it as CVAT for images 1.1.")


def _elements(content: FileContent) -> Iterator[Element]:
    return elements(content, *META, "image", "track", skipping={"attribute"})


def _first_page(data: bytes) -> int:
    """Where the first image or track starts, -1 if there is none."""
    return min((at for mark in (b"<image ", b"<track ") if (at := data.find(mark)) >= 0), default=-1)


def _read_meta(element: Element, meta: Meta, builder: LayoutBuilder) -> None:
    match element.tag:
        case "labels":
            area_labels = (label for label in element if label.findtext("type") not in {*SHAPES_WITHOUT_AREA, "tag"})
            builder.declare_labels([name for label in area_labels if (name := (label.findtext("name") or "").strip())])
        case "original_size":
            meta.sizes.add(parse_size(element.findtext("width"), element.findtext("height")))
        case "assignee":
            meta.assignee = _text(element, "username")
        case "tasks":
            for task in element.findall("task"):
                meta.tasks[_text(task, "id")] = Task(_text(task, "name"), _text(task, "assignee/username"))
            for inner in (*element.iter("labels"), *element.iter("original_size")):
                _read_meta(inner, meta, builder)


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _read_image(image: Element, i: int, content: FileContent, meta: Meta, builder: LayoutBuilder) -> None:
    page, is_wanted = _add_page(image, i, content, meta, builder)
    for j, shape in enumerate(image if is_wanted else ()):
        read_shape(shape, page, shape.get("label", ""), ("image[{0[0]}]/shape[{0[1]}]", (i, j)), builder)


def _add_page(image: Element, i: int, content: FileContent, meta: Meta, builder: LayoutBuilder) -> tuple[int, bool]:
    """The page of an image, which another annotator may have added, and whether the regions of this one are read."""
    width, height = parse_size(image.get("width"), image.get("height"))
    name = image.get("name", "").strip() or f"{content.stem}_p{i + 1}"
    subset, task = image.get("subset", "").strip(), image.get("task_id", "").strip()
    name_with_subset = f"{subset}/{name}" if subset else ""
    annotator, wanted = meta.annotator_of(image), builder.annotators.wanted
    page, others = builder.annotators.pages.setdefault(name_with_subset or name, (len(builder), set()))
    can_share = bool(others and annotator) and not {annotator, ""} & others
    is_shared = can_share and builder.page_size(page) == (width, height)
    if not is_shared:
        # Tasks of one subset may hold images of the same name.
        is_again = bool(others and task) and (name, task) not in meta.images_of_tasks
        second_name = "/".join(filter(None, [subset, f"task {task}", name])) if is_again else name_with_subset
        page = builder.add_page(name, width, height, f"image[{i}]", otherwise=second_name)
    meta.images_of_tasks.add((name, task))
    others.add(annotator)
    is_wanted = annotator == wanted if wanted is not None else not is_shared
    builder.annotators.add([annotator], [annotator] if is_wanted else [])
    if is_wanted or not is_shared:
        builder.add_attributes(page, _attributes(image, meta, with_tags=is_wanted or wanted is None))
    return page, is_wanted


def _attributes(image: Element, meta: Meta, with_tags: bool) -> dict[str, object]:
    """The subset and task of an image, and its tags, which are labels of the whole image by its annotator."""
    task = meta.tasks.get(image.get("task_id", ""))
    tags = [tag.get("label", "") for tag in image.findall("tag")] if with_tags else []
    return {"subset": image.get("subset"), "task": task.name if task else "", "tag": tags}


def _read_track(track: Element, i: int, frames: Frames, meta: Meta, builder: LayoutBuilder) -> None:
    annotator, wanted = meta.annotator_of(track), builder.annotators.wanted
    previous_frame, is_hidden = -1, True
    for j, shape in enumerate(track):
        place = ("track[{0[0]}]/shape[{0[1]}]", (i, j))
        frame = _parse_frame(shape, place, builder)
        if not is_hidden and frame > previous_frame + 1:
            builder.note_unusual("skipped-frames", place_text(place))
        previous_frame, is_hidden = frame, shape.get("outside") == "1"
        if is_hidden:
            continue
        if frame not in frames:
            name, size = f"frame_{frame:06d}", meta.video_size
            page = builder.add_page(name, size[0], size[1], place_text(place), number=frame + 1)
            frames[frame] = page, annotator
        page, first = frames[frame]
        is_wanted = annotator == (first if wanted is None else wanted)
        builder.annotators.add([annotator], [annotator] if is_wanted else [])
        if is_wanted:
            read_shape(shape, page, track.get("label", ""), place, builder)


def _parse_frame(shape: Element, place: FilePlace, builder: LayoutBuilder) -> int:
    frame = parse_number(shape.get("frame"), builder.file, f"{place_text(place)}/frame")
    if not (frame.is_integer() and 0 <= frame <= MAX_FRAME):
        problem = f"{frame:g} is not a frame, must be whole and from 0 to {MAX_FRAME:,}"
        raise InputError(builder.file, f"{place_text(place)}/frame", problem, "Repair this value.")
    return int(frame)


def read_shape(shape: Element, page: int, label: str, place: FilePlace, builder: LayoutBuilder) -> None:
    match shape.tag:
        case "box" if not shape.get("rotation"):
            box = parse_numbers([shape.get(corner) for corner in CORNERS], builder.file, place, CORNERS)
            builder.add_region(page, label, box, place)
        case "mask":
            _read_mask(shape, page, label, place, builder)
        case "box" | "ellipse" | "polygon":
            flat = _flat_points(shape, builder.file, place)
            if flat:
                builder.add_flat_outline(page, label, flat, place)
            else:
                builder.note_unusual("no-coordinates", place_text(place), what="shapes without coordinates")
        case kind if kind in SHAPES_WITHOUT_AREA:
            builder.note_unusual("not-an-area", place_text(place))


def _flat_points(shape: Element, file: str, place: FilePlace) -> list[float]:
    """x, y, x, y, ... of the outline of a rotated box, an ellipse or a polygon."""
    if shape.tag == "polygon":
        return parse_points(shape.get("points", ""), file, place)
    names = CORNERS if shape.tag == "box" else ELLIPSE
    cx, cy, rx, ry = numbers = parse_numbers([shape.get(name) for name in names], file, place, names)
    # Degrees, clockwise.
    angle = math.radians(parse_number(shape.get("rotation") or 0, file, f"{place_text(place)}/rotation"))
    points = rotated_box(numbers, angle) if shape.tag == "box" else ellipse_points(cx, cy, rx, ry, angle)
    return [value for point in points for value in point]


def _read_mask(shape: Element, page: int, label: str, place: FilePlace, builder: LayoutBuilder) -> None:
    x, y, width, height = numbers = parse_numbers([shape.get(side) for side in MASK], builder.file, place, MASK)
    size = builder.page_size(page)
    mask = _parse_mask(shape, size, numbers, builder.file, place) if builder.options.outlines else None
    builder.add_region(page, label, (x, y, x + width, y + height), place, shape=mask)


def _parse_mask(
    shape: Element, size: tuple[float, float], numbers: Sequence[float], file: str, place: FilePlace
) -> RunMask:
    """Convert CVAT's runs, which go along the rows of the mask's box, to runs down the columns of the page."""
    text = shape.get("rle", "")
    try:
        page_width, page_height, left, top, width, height = map(int, (*size, *numbers))
        runs = [int(run) for run in text[: limits.MAX_OUTLINE_TEXT].split(",")] if is_plain(text) else []
    except (ValueError, OverflowError):
        page_width = page_height = left = top = width = height = 0
        runs = []
    is_inside = 0 <= left <= left + width <= page_width and 0 <= top <= top + height <= page_height
    if (
        not is_inside
        or min(runs, default=-1) < 0
        or sum(runs) != width * height
        or page_height * page_width > MAX_MASK_PIXELS
    ):
        problem = f"the runs {short_repr(text)} do not fill a mask of {numbers[2]:g} x {numbers[3]:g} on the page"
        raise InputError(file, f"{place_text(place)}/rle", problem, "Repair or remove it; boxes alone are always read.")
    pixels = np.repeat((np.arange(len(runs)) % 2).astype(np.int8), runs).reshape(height, width)
    return mask_on_page(pixels, left, top, page_width, page_height)
