"""Build a layout from pages and regions that a reader adds one by one, from one or several files.

For formats with one file per page, or with pages and regions mixed. The text of a place is formatted only when a
message needs it, because there are many regions and few messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.formats.annotators import AnnotatorNames
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.page_sizes import size_or_median
from layoutcm.formats.parsing import (
    LARGEST_FRACTION,
    NO_SCORE,
    FilePlace,
    bounding_box,
    box_around,
    check_fractions,
    outline_of,
    page_name,
    pixels_from_fraction,
    place_text,
)
from layoutcm.layouts import limits
from layoutcm.layouts.model import CocoFacts, Finding, Layout, Pages, Regions
from layoutcm.layouts.page_attributes import attribute_name, attribute_text
from layoutcm.layouts.page_names import stem
from layoutcm.layouts.shapes import Outline, Shape, is_box
from layoutcm.layouts.validation import PlaceNamers, make_layout, set_labels_aside

Size = tuple[float | None, float | None]
NO_SIZE = (None, None)
PIXELS = 0.0
_SUFFIX = re.compile(r"\.[^./]*$")


class LayoutBuilder:
    """Collects pages, regions and findings as columns; `build` returns the result. Mutable; used by one reader."""

    def __init__(self, name: str, options: Options) -> None:
        self.name, self.options = name, options
        self.file = name
        self.findings: list[Finding] = []
        self._unusual: Counter[str] = Counter()
        self._first_unusual: dict[str, dict[str, str]] = {}
        self._labels: dict[str, int] = {}
        self._pages: list[tuple[str, float, float, str, int]] = []
        self._page_places: list[tuple[str, str]] = []
        self._unsized: list[int] = []
        self._second_names: list[str] = []
        self._region_page: list[int] = []
        self._region_label: list[int] = []
        self._boxes: list[float] = []
        self._scores: list[float] = []
        self._places: list[FilePlace] = []
        self._shapes: dict[int, Shape] = {}
        self._attributes: dict[str, dict[int, str]] = {}
        self._further_attributes: dict[str, None] = {}
        self._ignored: list[int] = []
        self._coco: dict[int, tuple[bool, float, float, float]] = {}  # {region: crowd, area, width, height}
        self._largest: dict[tuple[str, float], float] = {}  # {(file, parts): largest coordinate}
        self.annotators = AnnotatorNames(options)
        self.ignore_label = ""  # regions of this label become areas that are not judged

    def add_page(
        self,
        name: str,
        width: float | None,
        height: float | None,
        place: str = "",
        *,
        document: str = "",
        number: int = -1,
        otherwise: str = "",
        in_points: bool = False,
    ) -> int:
        """Add a page and return its index. A missing size is taken from images, `sizes` or `like`, or is an error.

        If boxes are `in_points`, a size from elsewhere must be in points, too, and a finding says so.

        `otherwise` is a second name. It is used if the first is blank, if several pages share the first, or if only
        the second is the name of a page image or of a page of the reference layout.
        """
        if otherwise and (not name or self._is_better_known(otherwise, name)):
            name = otherwise
        if width is None or height is None:
            (width, height), is_known = size_or_median(self.file, place, name, self.options, otherwise)
            if not is_known:
                self._unsized.append(len(self._pages))
            if in_points:
                self.note_unusual("size-in-points", place)
        # An impossible page number counts as missing.
        self._pages.append((name, width, height, document, number if 0 <= number < 2**31 else -1))
        self._page_places.append((self.file, place))
        self._second_names.append(otherwise)
        return len(self._pages) - 1

    def add_numbered_page(
        self,
        document: str,
        number: int,
        count: int,
        size: Size = (None, None),
        place: str = "",
        in_points: bool = False,
    ) -> int:
        """Add a page that has a number and no name, as one of `count` pages of a document, and return its index."""
        name = page_name(document, number, count)
        return self.add_page(name, *size, place, document=document, number=number, in_points=in_points)

    def add_document_pages(
        self, document: str, numbers: Iterable[int], sizes: Mapping[int, Size], start: str = "", *, in_points: bool
    ) -> dict[int, int]:
        """Add the pages of a document and return {number: index}; `start` is before "page 1" in places."""
        pages: dict[int, int] = {}
        for number in (used := sorted(set(numbers))):
            size, place = sizes.get(number, NO_SIZE), f"{start}page {number}"
            pages[number] = self.add_numbered_page(document, number, len(used), size, place, in_points)
        return pages

    def add_attributes(self, page: int, given: Mapping[str, object]) -> None:
        """Add attributes of a page: short texts, numbers, and lists of these; other values are left out."""
        for key, value in given.items():
            text, name = attribute_text(value), attribute_name(key)
            if not text or not name or max(len(name), len(text)) > limits.MAX_ATTRIBUTE_TEXT:
                continue
            if name in self._attributes or len(self._attributes) < limits.MAX_ATTRIBUTES:
                self._attributes.setdefault(name, {})[page] = text
            elif len(self._further_attributes) <= limits.MAX_COLUMNS:
                self._further_attributes[name] = None

    def mark_ignored(self, place: str) -> None:
        """Mark the region that was added last as not to be judged."""
        self._ignored.append(len(self._region_page) - 1)
        self.note_unusual("ignored-region", place)

    def add_coco_facts(self, crowd: bool, area: float | None, width: float, height: float) -> None:
        """Add what COCO knows about the region that was added last."""
        self._coco[len(self._region_page) - 1] = crowd, NO_SCORE if area is None else area, width, height

    def _coco_facts(self) -> CocoFacts | None:
        if not self._coco:
            return None
        facts = CocoFacts.unknown(len(self._region_page))
        for i, (crowd, area, width, height) in self._coco.items():
            facts.crowd[i], facts.areas[i], facts.sizes[i] = crowd, area, (width, height)
        return facts

    def _is_better_known(self, second: str, first: str) -> bool:
        known = self._known_stems
        return bool(known) and stem(second) in known and stem(first) not in known

    @cached_property
    def _known_stems(self) -> set[str]:
        """The stems of the page images next to the files and of the pages of the reference layout."""
        reference = self.options.reference_pages
        return {stem(name) for name in (*self.options.images, *(reference.names if reference else ()))}

    def __len__(self) -> int:
        """The number of pages so far."""
        return len(self._pages)

    @property
    def region_count(self) -> int:
        return len(self._region_page)

    def pages_with_regions(self, start: int) -> set[int]:
        """The pages of the regions that were added since there were `start` regions."""
        return set(self._region_page[start:])

    def page_size(self, page: int) -> tuple[float, float]:
        return self._pages[page][1:3]

    def declare_labels(self, labels: Sequence[str]) -> None:
        """Add the labels that the file lists, in its order, whether or not a region uses them."""
        for label in labels:
            self._labels.setdefault(label, len(self._labels))

    def add_region(
        self,
        page: int,
        label: str,
        box: Sequence[float],
        place: FilePlace,
        score: float | None = None,
        shape: Shape | None = None,
    ) -> None:
        """Add a region with a box x0, y0, x1, y1; its shape is kept only if outlines are requested."""
        if shape is not None and self.options.outlines:
            self._shapes[len(self._region_page)] = shape
        self._region_page.append(page)
        self._region_label.append(self._labels.setdefault(label, len(self._labels)))
        self._boxes += box
        self._scores.append(NO_SCORE if score is None else score)
        self._places.append(place)

    def add_region_in_parts(
        self, page: int, label: str, box: Sequence[float], parts: float, place: FilePlace, score: float | None = None
    ) -> None:
        """Add a region whose box is in `PIXELS`, or in parts of the page: 1000 for thousandths, 1 for fractions.

        Pixels instead of fractions are refused, and so is a file with fractions instead of larger parts or pixels.
        """
        if parts == 1:
            check_fractions(box, self.file, place, "Divide by the size of the page.")
        else:
            key, largest = (self.file, parts), max(box)
            if largest > self._largest.get(key, -1.0):
                self._largest[key] = largest
            if largest > parts != PIXELS:
                self.note_unusual("beyond-parts", place_text(place), parts=f"{parts:g}")
        self.add_region(page, label, self.pixel_box(page, box, parts) if parts != PIXELS else box, place, score)

    def pixel_box(self, page: int, box: Sequence[float], parts: float = 1) -> tuple[float, float, float, float]:
        """A box in parts of a page, in pixels."""
        (x0, y0, x1, y1), (width, height) = box, self._pages[page][1:3]
        left, right = pixels_from_fraction(x0 / parts, width), pixels_from_fraction(x1 / parts, width)
        return left, pixels_from_fraction(y0 / parts, height), right, pixels_from_fraction(y1 / parts, height)

    def pixels(self, page: int, fractions: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        """Points in fractions of a page, in pixels."""
        width, height = self.page_size(page)
        return [(pixels_from_fraction(x, width), pixels_from_fraction(y, height)) for x, y in fractions]

    def _check_units(self) -> None:
        """Refuse a file without a coordinate above 2, unless its pages are that small, too.

        A file whose only box is [0, 0, 1, 1] is refused, too: a box of one pixel or part is unlikely, and fractions
        that are taken for pixels would give scores near zero.
        """
        for (file, parts), largest in self._largest.items():
            pages = [page for page, (of_file, _) in zip(self._pages, self._page_places) if of_file == file]
            largest_side = max((side for page in pages for side in page[1:3]), default=0.0)
            if 0 < largest <= LARGEST_FRACTION and (parts or largest_side > LARGEST_FRACTION):
                unit, factor = (f"parts of {parts:g}", f"{parts:g}") if parts else ("pixels", "the size of the page")
                reach = f"no coordinate is above {LARGEST_FRACTION:g}"
                problem = f"{reach}: these look like fractions of the page, and the format has {unit}"
                raise InputError(file, "", problem, f"Multiply them by {factor}.")

    def add_outline(
        self,
        page: int,
        labels: str | Sequence[str],
        points: Sequence[tuple[float, float]],
        place: FilePlace,
        score: float | None = None,
    ) -> None:
        """Add a region for each label, given by two or more points; its outline is kept only if requested.

        All labels share one outline, because a file can have very many labels and points.
        """
        shape = Outline((np.array(points, float),)) if self.options.outlines and len(points) > 2 else None
        kept = shape if shape is not None and not is_box(shape) else None
        box = bounding_box(points)
        for label in [labels] if isinstance(labels, str) else labels:
            self.add_region(page, label, box, place, score, kept)

    def add_flat_outline(
        self, page: int, label: str, flat: list[float], place: FilePlace, score: float | None = None
    ) -> None:
        """Add a region given by x, y, x, y, ... of its outline, which is kept only if requested."""
        shape = outline_of(flat) if self.options.outlines else None
        self.add_region(page, label, box_around(flat), place, score, shape)

    def note_unusual(self, code: str, place: str, **values: str) -> None:
        """Count something unusual; all occurrences of a code become one finding with the first place and values."""
        self._unusual[code] += 1
        if self._unusual[code] == 1:
            self._first_unusual[code] = {"file": self.name, "place": self._place_in_file(self.file, place)} | values

    def _place_in_file(self, file: str, place: str) -> str:
        return ", ".join(part for part in (file if file != self.name else "", place) if part)

    def _region_place(self, region: int) -> str:
        file, _ = self._page_places[self._region_page[region]]
        return self._place_in_file(file, place_text(self._places[region]))

    def _distinct_names(self) -> tuple[str, ...]:
        """Replace names that several pages share ("image.png" in every file) by second names, then by file paths."""
        names_in_file = tuple(page[0] for page in self._pages)
        if len(set(names_in_file)) == len(names_in_file):  # the usual case, made fast for many pages
            return names_in_file
        paths = [_SUFFIX.sub("", file.replace("\\", "/")) for file, _ in self._page_places]
        pages_of = Counter(paths)  # a path is the name of a page only if it has no other pages
        third_names = tuple(
            path if second and pages_of[path] == 1 else "" for path, second in zip(paths, self._second_names)
        )
        names = names_in_file
        for others in (self._second_names, third_names):
            counts = Counter(names)
            names = tuple(other if other and counts[name] > 1 else name for name, other in zip(names, others))
        changed = [pair for pair in zip(names_in_file, names) if pair[0] != pair[1]]
        if changed:
            values = {"file": self.name, "first": changed[0][0], "now": changed[0][1]}
            self.findings.append(Finding("shared-page-name", len(changed), values))
        return names

    def build(self, format: str) -> Layout:
        self._check_units()
        _, widths, heights, documents, numbers = zip(*self._pages) if self._pages else ((),) * 5
        pages = Pages(
            self._distinct_names(),
            np.array(widths, float),
            np.array(heights, float),
            tuple(documents),
            np.array(numbers, np.int32),
            {
                name: tuple(texts.get(i, "") for i in range(len(self._pages)))
                for name, texts in self._attributes.items()
            },
            np.isin(np.arange(len(self._pages)), self._unsized) if self._unsized else None,
        )
        regions = Regions(
            np.array(self._region_page, np.int32),
            np.array(self._region_label, np.int32),
            np.array(self._boxes, float).reshape(-1, 4),
            np.array(self._scores, float),
            self._shapes,
            self._coco_facts(),
            self._ignore_flags(),
        )
        annotators = self.annotators.result(self.name)
        layout = make_layout(
            self.name,
            format,
            list(self._labels),
            pages,
            regions,
            findings=[*self.findings, *self._counted_findings(), *annotators.findings],
            places=PlaceNamers(lambda page: self._place_in_file(*self._page_places[page]), self._region_place),
        )
        aside = [self.ignore_label] if self.ignore_label else []
        return replace(set_labels_aside(layout, aside), **annotators.names)

    def _ignore_flags(self) -> NDArray[np.bool_] | None:
        if not self._ignored:
            return None
        flags = np.zeros(len(self._region_page), bool)
        flags[self._ignored] = True
        return flags

    def _counted_findings(self) -> list[Finding]:
        found = [Finding(code, count, self._first_unusual[code]) for code, count in self._unusual.items()]
        if self._further_attributes:
            values = {"file": self.name, "limit": limits.MAX_ATTRIBUTES}
            found.append(Finding("attributes-left-out", len(self._further_attributes), values))
        return found


def reader_by_rows(
    format: str, read_one: Callable[[FileContent, Options, LayoutBuilder], None]
) -> Callable[[str, Sequence[FileContent], Options], Layout]:
    """Make a reader of many files from a function that adds a single file to a `LayoutBuilder`."""

    def read(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
        builder = LayoutBuilder(name, options)
        for content in contents:
            builder.file = content.name
            read_one(content, options, builder)
        return builder.build(format)

    return read
