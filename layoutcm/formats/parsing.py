"""Parsing that several readers share: numbers, points, outlines and masks, places in files and page names.

COCO has lists of polygons and run-length masks, plain or compressed. Other formats have points as text,
"x,y x,y ...", with various separators.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.model import MAX_COORDINATE, NEAR_WHOLE, Floats
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, Outline, RunMask, Shape, is_box

NO_SCORE = math.nan
LARGEST_FRACTION = 2.0  # boxes may lie slightly outside the page; pixels and percentages are much larger
# A place as text, or as a pair ("objects[{}]", 3) that is formatted only when a message needs it.
FilePlace = str | tuple[str, object]
# ASCII digits only, not ² or ٣; `int` reads at most 4300 of them.
_CLASS_NUMBER = re.compile("[0-9]{1,4300}")
# With a comma as decimal sign this is a small number, with a comma between thousands a large one.
THOUSANDS = "[+-]?[1-9][0-9]{0,2},[0-9]{3}"
_THOUSANDS = re.compile(THOUSANDS)
_LIST = msgspec.json.Decoder(list[float])
_PICTURES_AND_TABLES = re.compile(
    "table|otsl|picture|image|photo|figure|graphic|illustration|drawing|chart|map", re.IGNORECASE
)


class Point(msgspec.Struct, gc=False):
    """A point as files write it."""

    x: float
    y: float


class StatedSize(msgspec.Struct):
    """The size of a page as files state it."""

    width: float | None = None
    height: float | None = None


class SizedBox(msgspec.Struct, gc=False):
    """The upper left corner of a box, and its size."""

    x: float
    y: float
    w: float
    h: float

    @property
    def corners(self) -> tuple[float, float, float, float]:
        return self.x, self.y, self.x + self.w, self.y + self.h


def place_text(place: FilePlace) -> str:
    return place if isinstance(place, str) else place[0].format(place[1])


def literal(text: str) -> str:
    """A text of a file inside the template of a place, where braces have a meaning."""
    return text.replace("{", "{{").replace("}", "}}")


def parse_number_list(text: str) -> list[float] | None:
    """Comma-separated numbers, or None if they are not. The JSON decoder is several times as fast as splitting."""
    try:
        return _LIST.decode(f"[{text}]")
    except (msgspec.MsgspecError, ValueError):
        return None


def is_plain(text: str) -> bool:
    """False if a text has underscores or digits of other scripts, which `int` and `float` would read."""
    return "_" not in text and text.strip().isascii()


def decimal(text: str) -> float:
    """A number as `float` reads it. Raises ValueError."""
    if not is_plain(text):
        raise ValueError(f"{short_repr(text)} is not a number")
    return float(text)


def parse_number(value: object, file: str, place: str) -> float:
    """A finite number from text or JSON; a decimal comma is accepted if it cannot separate thousands."""
    try:
        # float raises for any other type
        found = decimal(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = _number_with_comma(value)
    if math.isfinite(found):
        return found
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InputError(file, place, "there is no number", "Add it, or remove the entry.")
    if isinstance(value, str) and _THOUSANDS.fullmatch(value.strip()):
        raise ambiguous_comma(file, place, value)
    raise InputError(file, place, f"{short_repr(value)} is not a finite number", "Repair this value.")


def _number_with_comma(value: object) -> float:
    if not isinstance(value, str) or _THOUSANDS.fullmatch(value.strip()):
        return math.nan
    try:
        return decimal(value.replace(",", "."))
    except ValueError:
        return math.nan


def ambiguous_comma(file: str, place: str, value: str) -> InputError:
    """The error for a number such as 1,000."""
    without, with_point = value.strip().replace(",", ""), value.strip().replace(",", ".")
    hint = "Write it without a comma, or with a point as decimal sign."
    return InputError(file, place, f"{short_repr(value)} may mean {without} or {with_point}", hint)


def names_by_number(names: Mapping[Any, object]) -> dict[int, str]:
    """{class number: name} from {key: name}, without the keys that are not a class number."""
    return {int(key): str(name) for key, name in names.items() if _CLASS_NUMBER.fullmatch(str(key))}


def corner_points(numbers: Sequence[float], file: str, place: FilePlace) -> list[tuple[float, float]]:
    """The points of x, y, x, y, ...; four numbers are two opposite corners."""
    if len(numbers) < 4 or len(numbers) % 2:
        problem = f"{len(numbers)} numbers, must be x and y of at least two corners"
        raise InputError(file, place_text(place), problem, "Repair or remove the region.")
    return list(zip(numbers[::2], numbers[1::2]))


def bounding_box(points: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """The smallest box around all points (x, y)."""
    xs, ys = map(sorted, zip(*points))
    return xs[0], ys[0], xs[-1], ys[-1]


def page_name(stem: str, number: int, pages: int) -> str:
    """The name of a page without a name: the file's stem, with the page number unless it is the first and only page.

    A tool may write only the pages on which it found something, so the only page of a file may be any page.
    """
    return stem if pages == 1 and number <= 1 else f"{stem}_p{number}"


def name_in_address(address: object) -> str:
    """The file name at the end of a path or an address, "" if it is neither."""
    text = address.partition("?")[0].replace("\\", "/") if isinstance(address, str) else ""
    return text.rpartition("/")[2] if "://" in text else text


def pixels_from_fraction(fraction: float, side: float) -> float:
    """A fraction of a page's side in pixels, rounded to a whole pixel if it is very close to one.

    Tools write fractions with six decimals, so 12 pixels may come out as 11.999 or 12.001; rounding outwards would then
    add a row of pixels to the box.
    """
    value = fraction * side
    whole = round(value) if -1e9 < value < 1e9 else value
    return float(whole) if abs(value - whole) <= NEAR_WHOLE * side else value


def check_fractions(values: Iterable[float], file: str, place: FilePlace, hint: str) -> None:
    """Refuse coordinates that cannot be fractions of a page."""
    wrong = [value for value in values if not -LARGEST_FRACTION <= value <= LARGEST_FRACTION]
    if wrong:
        raise InputError(file, place_text(place), f"{wrong[0]:g} is not a fraction of the page", hint)


def parse_size(width: str | None, height: str | None) -> tuple[float, float] | tuple[None, None]:
    """Width and height of a page, or None for both if one is missing, zero or not a number."""
    try:
        sides = decimal(width or "0"), decimal(height or "0")
    except ValueError:
        return None, None
    return sides if all(0 < side < math.inf for side in sides) else (None, None)


def parse_numbers(texts: Sequence[str | None], file: str, place: FilePlace, names: Iterable[str]) -> list[float]:
    """The texts as numbers; `names` are the fields that an error message names."""
    try:
        found = parse_number_list(",".join(texts))  # type: ignore[arg-type] # join raises for None
    except TypeError:  # one is missing
        found = None
    if found is not None and len(found) == len(texts):  # a decimal comma would give more numbers than texts
        return found
    return [parse_number(text, file, f"{place_text(place)}/{name}") for text, name in zip(texts, names)]


def is_picture_or_table(label: str) -> bool:
    """Whether regions inside a region of this label are left out with `nested=False`."""
    return _PICTURES_AND_TABLES.search(label) is not None


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
        problem = f"this is neither a list of polygons nor a run-length mask ({error})"
        hint = "Repair or remove it; boxes alone are enough with shapes='box'."
        raise InputError(file, place, problem, hint) from None
    if not value:
        return None
    if isinstance(value, Runs):
        return _parse_mask(value, file, place)
    return Outline(tuple(_parse_ring(points, file, f"{place}[{i}]") for i, points in enumerate(value)))


def _parse_ring(points: list[float], file: str, place: str) -> Floats:
    ring = np.array(points, float)
    if ring.size < 6 or ring.size % 2:
        problem = f"a polygon of {ring.size} numbers, must be x, y pairs of at least 3 points"
        raise InputError(file, place, problem, "Repair it.")
    if not (np.abs(ring) <= MAX_COORDINATE).all():
        raise InputError(file, place, "a coordinate is too large to be a pixel", "Repair or remove the polygon.")
    return ring.reshape(-1, 2)


def _parse_mask(value: Runs, file: str, place: str) -> RunMask:
    height, width = value.size
    if height <= 0 or width <= 0 or height * width > MAX_MASK_PIXELS:
        problem = f"a mask of size {short_repr(value.size)}, must be 1 to {MAX_MASK_PIXELS:,} pixels"
        raise InputError(file, place, problem, "Repair it.")
    counts = value.counts if isinstance(value.counts, list) else _decompress(value.counts, file, place)
    if any(count < 0 for count in counts) or sum(counts) != height * width:
        problem = f"the runs {short_repr(counts)} do not add up to the {height * width:,} pixels of the mask"
        raise InputError(file, f"{place}.counts", problem, "Repair or remove it.")
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
            problem = f"{short_repr(text)} is not a compressed mask"
            raise InputError(file, f"{place}.counts", problem, "Repair or remove it.")
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
        try:
            flat = [decimal(part) for part in text.replace(",", " ").replace(";", " ").split()]
        except ValueError:
            raise _outline_error(text, file, place, "is not a list of points x,y") from None
    if len(flat) % 2:
        raise _outline_error(text, file, place, "has an x without a y")
    if not math.isfinite(sum(flat)):
        raise _outline_error(text, file, place, "holds a number that is not finite")
    return flat


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
