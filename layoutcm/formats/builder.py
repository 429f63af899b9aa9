"""Pages and regions as a reader meets them, row by row and file by file, made into one layout at the end.

For formats with one file a page, or with pages and regions mixed. Places in messages are put together only when a
message is written, because there are very many regions and hardly any messages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec
import numpy as np

from layoutcm.errors import InputError, shown
from layoutcm.formats.content import Content, Options
from layoutcm.formats.page_sizes import missing_size, size_of
from layoutcm.layouts.model import Finding, Layout, Pages, Regions, stem
from layoutcm.layouts.shapes import Outline, Shape, is_box
from layoutcm.layouts.validation import make_layout
from layoutcm.wording import agreeing

NO_SCORE = math.nan
# A place as text, or as a pair ("objects[{}]", 3) that is put together when a message needs it.
Spot = str | tuple[str, object]
_LIST = msgspec.json.Decoder(list[float])
_SUFFIX = re.compile(r"\.[^./]*$")


class Gathering:
    """Columns that grow; `layout` ends it. The one value here that is written to, by one reader only."""

    def __init__(self, name: str, options: Options) -> None:
        self.name, self.options = name, options
        self.file = name
        self.findings: list[Finding] = []
        self._oddities: dict[str, tuple[int, str, str, str, str]] = {}
        self._labels: dict[str, int] = {}
        self._pages: list[tuple[str, float, float, str, int]] = []
        self._page_places: list[tuple[str, str]] = []
        self._second_names: list[str] = []
        self._region_page: list[int] = []
        self._region_label: list[int] = []
        self._boxes: list[float] = []
        self._scores: list[float] = []
        self._places: list[Spot] = []
        self._shapes: dict[int, Shape] = {}

    def page(
        self,
        name: str,
        width: float | None,
        height: float | None,
        place: str = "",
        *,
        document: str = "",
        number: int = -1,
        otherwise: str = "",
    ) -> int:
        """The number of a new page; without a size it comes from images, `sizes` or `like`, or it is an error.

        `otherwise` is a second name, for a page whose first name is blank, stands on several pages, or is not that of
        the images beside it while the second one is.
        """
        if otherwise and (not name or self._is_better_known(otherwise, name)):
            name = otherwise
        if width is None or height is None:
            size = size_of(name, self.options) or (size_of(otherwise, self.options) if otherwise else None)
            if size is None:
                raise missing_size(self.file, place, name, self.options)
            width, height = size
        # A number that no document has is none.
        self._pages.append((name, width, height, document, number if 0 <= number < 2**31 else -1))
        self._page_places.append((self.file, place))
        self._second_names.append(otherwise)
        return len(self._pages) - 1

    def _is_better_known(self, second: str, first: str) -> bool:
        return bool(self._known) and stem(second) in self._known and stem(first) not in self._known

    @cached_property
    def _known(self) -> set[str]:
        """Pages as the images beside the files, or the lending layout, call them."""
        lender = self.options.lender
        return {stem(name) for name in (*self.options.images, *(lender.names if lender else ()))}

    def size(self, page: int) -> tuple[float, float]:
        return self._pages[page][1:3]

    def declare(self, labels: Sequence[str]) -> None:
        """Labels that the format lists, in its order, whether or not a region uses them."""
        for label in labels:
            self._labels.setdefault(label, len(self._labels))

    def region(
        self,
        page: int,
        label: str,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        place: Spot,
        score: float | None = None,
        shape: Shape | None = None,
    ) -> None:
        """One region; its outline is kept only where outlines are asked for."""
        if shape is not None and self.options.outlines:
            self._shapes[len(self._region_page)] = shape
        self._region_page.append(page)
        self._region_label.append(self._labels.setdefault(label, len(self._labels)))
        self._boxes += (x0, y0, x1, y1)
        self._scores.append(NO_SCORE if score is None else score)
        self._places.append(place)

    def outline(
        self,
        page: int,
        label: str,
        points: Sequence[tuple[float, float]],
        place: Spot,
        score: float | None = None,
    ) -> None:
        """One region given by two or more points; it keeps its outline only if outlines are asked for."""
        if self.options.outlines and len(points) > 2:
            shape = Outline((np.array(points, float),))
            if not is_box(shape):
                self._shapes[len(self._region_page)] = shape
        self.region(page, label, *bounds(points), place, score)

    def odd(self, code: str, message: str, place: str, fix: str = "", severity: str = "warning") -> None:
        """Count something odd; it becomes one finding with the first example.

        `message` speaks of many and holds no count, so that it is true of one, too.
        """
        count = self._oddities[code][0] if code in self._oddities else 0
        first = self._oddities[code][1:] if count else (message, self._told(self.file, place), fix, severity)
        self._oddities[code] = (count + 1, *first)

    def _told(self, file: str, place: str) -> str:
        return ", ".join(part for part in (file if file != self.name else "", place) if part)

    def _distinct_names(self) -> tuple[str, ...]:
        """Names that several pages share ("image.png" in every file) give way to second ones, then to the files'."""
        told = tuple(page[0] for page in self._pages)
        if len(set(told)) == len(told):  # the usual case, and there may be very many pages
            return told
        paths = (_SUFFIX.sub("", file.replace("\\", "/")) for file, _ in self._page_places)
        thirds = tuple(path if second else "" for path, second in zip(paths, self._second_names))
        names = told
        for others in (self._second_names, thirds):
            times = Counter(names)
            names = tuple(other if other and times[name] > 1 else name for name, other in zip(names, others))
        changed = [name for name, now in zip(told, names) if name != now]
        if changed:
            pages = agreeing(len(changed), "page shares its name with another and goes", "pages share a name and go")
            message = f"{self.name}: {pages} by that of {'its' if len(changed) == 1 else 'their'} file"
            fix = "Check whether each file names its own image."
            self.findings.append(
                Finding("shared-page-name", f"{message} (first: {shown(changed[0])}).", count=len(changed), fix=fix)
            )
        return names

    def layout(self, format: str) -> Layout:
        _, widths, heights, documents, numbers = zip(*self._pages) if self._pages else ((),) * 5
        pages = Pages(
            self._distinct_names(),
            np.array(widths, float),
            np.array(heights, float),
            tuple(documents),
            np.array(numbers, np.int32),
        )
        regions = Regions(
            np.array(self._region_page, np.int32),
            np.array(self._region_label, np.int32),
            np.array(self._boxes, float).reshape(-1, 4),
            np.array(self._scores, float),
            self._shapes,
        )
        odd = [
            Finding(code, f"{self.name}: {message} ({_times(count)} {place or self.name}).", severity, count, fix)
            for code, (count, message, place, fix, severity) in self._oddities.items()
        ]
        return make_layout(
            self.name,
            format,
            list(self._labels),
            pages,
            regions,
            findings=[*self.findings, *odd],
            page_place=lambda i: self._told(*self._page_places[i]),
            region_place=lambda i: self._told(self._page_places[self._region_page[i]][0], spelled(self._places[i])),
        )


def _times(count: int) -> str:
    return "once, at" if count == 1 else f"{count:,} times, first at"


def spelled(place: Spot) -> str:
    return place if isinstance(place, str) else place[0].format(place[1])


def gathered(
    format: str, read_one: Callable[[Content, Options, Gathering], None]
) -> Callable[[str, Sequence[Content], Options], Layout]:
    """A reader of many files from one that reads a single file into a gathering."""

    def read(name: str, contents: Sequence[Content], options: Options) -> Layout:
        rows = Gathering(name, options)
        for content in contents:
            rows.file = content.name
            read_one(content, options, rows)
        return rows.layout(format)

    return read


def listed(text: str) -> list[float] | None:
    """Numbers with commas between them, or None. Nearly JSON, whose decoder is several times as fast as splitting."""
    try:
        return _LIST.decode(f"[{text}]")
    except (msgspec.MsgspecError, ValueError):
        return None


def number(value: object, file: str, place: str) -> float:
    """A finite number from text or JSON; a decimal comma is understood."""
    try:
        found = float(value)  # type: ignore[arg-type] # whatever it is, float knows whether it is a number
    except (TypeError, ValueError, OverflowError):
        found = _number_with_comma(value)
    if math.isfinite(found):
        return found
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InputError(file, place, "there is no number", "Add it, or remove the entry.")
    raise InputError(file, place, f"{shown(value)} is not a finite number", "Repair this value.")


def _number_with_comma(value: object) -> float:
    try:
        return float(value.replace(",", ".")) if isinstance(value, str) else math.nan
    except ValueError:
        return math.nan


def corners_of(numbers: Sequence[float], file: str, place: Spot) -> list[tuple[float, float]]:
    """Points from x and y in turn; four numbers are two opposite corners."""
    if len(numbers) < 4 or len(numbers) % 2:
        problem = f"{len(numbers)} numbers, must be x and y of at least two corners"
        raise InputError(file, spelled(place), problem, "Repair or remove the region.")
    return list(zip(numbers[::2], numbers[1::2]))


def bounds(points: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """The box around points (x, y): of a tilted shape all corners count."""
    xs, ys = map(sorted, zip(*points))
    return xs[0], ys[0], xs[-1], ys[-1]


def numbered(stem: str, number: int, pages: int) -> str:
    """The name of a page in a file that names none: the file's own, with the page's number where there are several."""
    return stem if pages == 1 else f"{stem}_p{number}"


def part_of(fraction: float, side: float) -> float:
    """A fraction of a page's side in pixels. Six decimals, which is what tools write, cannot tell 12 from 11.999:

    what is that near to a whole pixel is that pixel, or rounding outwards would add a row to every box.
    """
    value = fraction * side
    whole = round(value) if -1e9 < value < 1e9 else value
    return float(whole) if abs(value - whole) <= 2e-6 * side else value
