"""Parsing that several readers share: numbers, points, places in files and page names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import NEAR_WHOLE

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


def parse_number(value: object, file: str, place: str) -> float:
    """A finite number from text or JSON; a decimal comma is accepted if it cannot separate thousands."""
    try:
        found = float(value)  # type: ignore[arg-type] # float raises for any other type
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
        return float(value.replace(",", "."))
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

    A tool may write only the pages on which it found something, so that the only page of a file may be any page.
    """
    return stem if pages == 1 and number <= 1 else f"{stem}_p{number}"


def name_in_address(address: object) -> str:
    """The file name at the end of a path or an address, "" if it is none."""
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
        raise InputError(file, place_text(place), f"{wrong[0]:g} is no fraction of the page", hint)


def parse_size(width: str | None, height: str | None) -> tuple[float, float] | tuple[None, None]:
    """Width and height of a page, or None for both if one is missing, zero or not a number."""
    try:
        sides = float(width or 0), float(height or 0)
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
