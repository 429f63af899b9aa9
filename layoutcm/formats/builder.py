"""Pages and regions as a reader meets them, row by row and file by file, made into one layout at the end.

For formats with one file a page, or with pages and regions mixed. Places in messages are put together only when a
message is written, because there are very many regions and hardly any messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from layoutcm.errors import short_repr
from layoutcm.formats.content import Content, Options
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.formats.parsing import NO_SCORE, FilePlace, bounding_box, place_text
from layoutcm.layouts.model import Finding, Indices, Layout, Pages, Regions, concatenate_regions, recode_labels, stem
from layoutcm.layouts.shapes import Outline, Shape, is_box
from layoutcm.layouts.validation import check_pages, make_layout
from layoutcm.wording import plural

_SUFFIX = re.compile(r"\.[^./]*$")


class LayoutBuilder:
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
        self._places: list[FilePlace] = []
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
                raise missing_size_error(self.file, place, name, self.options)
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
        reference = self.options.reference_pages
        return {stem(name) for name in (*self.options.images, *(reference.names if reference else ()))}

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
        place: FilePlace,
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
        place: FilePlace,
        score: float | None = None,
    ) -> None:
        """One region given by two or more points; it keeps its outline only if outlines are asked for."""
        if self.options.outlines and len(points) > 2:
            shape = Outline((np.array(points, float),))
            if not is_box(shape):
                self._shapes[len(self._region_page)] = shape
        self.region(page, label, *bounding_box(points), place, score)

    def odd(self, code: str, message: str, place: str, hint: str = "", severity: str = "warning") -> None:
        """Count something odd; it becomes one finding with the first example.

        `message` speaks of many and holds no count, so that it is true of one, too.
        """
        count = self._oddities[code][0] if code in self._oddities else 0
        first = self._oddities[code][1:] if count else (message, self._place_in_file(self.file, place), hint, severity)
        self._oddities[code] = (count + 1, *first)

    def _place_in_file(self, file: str, place: str) -> str:
        return ", ".join(part for part in (file if file != self.name else "", place) if part)

    def _distinct_names(self) -> tuple[str, ...]:
        """Names that several pages share ("image.png" in every file) give way to second ones, then to the files'."""
        names_in_file = tuple(page[0] for page in self._pages)
        if len(set(names_in_file)) == len(names_in_file):  # the usual case, and there may be very many pages
            return names_in_file
        paths = (_SUFFIX.sub("", file.replace("\\", "/")) for file, _ in self._page_places)
        thirds = tuple(path if second else "" for path, second in zip(paths, self._second_names))
        names = names_in_file
        for others in (self._second_names, thirds):
            times = Counter(names)
            names = tuple(other if other and times[name] > 1 else name for name, other in zip(names, others))
        changed = [name for name, now in zip(names_in_file, names) if name != now]
        if changed:
            pages = plural(len(changed), "page shares its name with another and goes", "pages share a name and go")
            message = f"{self.name}: {pages} by that of {'its' if len(changed) == 1 else 'their'} file"
            hint = "Check whether each file names its own image."
            self.findings.append(
                Finding(
                    "shared-page-name", f"{message} (first: {short_repr(changed[0])}).", count=len(changed), hint=hint
                )
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
            Finding(
                code, f"{self.name}: {message} ({_occurrences(count)} {place or self.name}).", severity, count, hint
            )
            for code, (count, message, place, hint, severity) in self._oddities.items()
        ]
        return make_layout(
            self.name,
            format,
            list(self._labels),
            pages,
            regions,
            findings=[*self.findings, *odd],
            page_place=lambda i: self._place_in_file(*self._page_places[i]),
            region_place=lambda i: self._place_in_file(
                self._page_places[self._region_page[i]][0], place_text(self._places[i])
            ),
        )


def _occurrences(count: int) -> str:
    return "once, at" if count == 1 else f"{count:,} times, first at"


def reader_by_rows(
    format: str, read_one: Callable[[Content, Options, LayoutBuilder], None]
) -> Callable[[str, Sequence[Content], Options], Layout]:
    """A reader of many files from one that reads a single file into a gathering."""

    def read(name: str, contents: Sequence[Content], options: Options) -> Layout:
        rows = LayoutBuilder(name, options)
        for content in contents:
            rows.file = content.name
            read_one(content, options, rows)
        return rows.layout(format)

    return read


def reader_by_file(
    read_one: Callable[[Content, Options], Layout],
) -> Callable[[str, Sequence[Content], Options], Layout]:
    """A reader of many files from one that makes a layout of a single file."""

    def read(name: str, contents: Sequence[Content], options: Options) -> Layout:
        return join_layouts(name, [read_one(content, options) for content in contents])

    return read


def join_layouts(name: str, parts: Sequence[Layout]) -> Layout:
    """A page may stand in one part only, unless all parts have their pages from the same lender."""
    if len(parts) == 1:
        return parts[0]
    labels: dict[str, int] = {}
    recode = [np.array([labels.setdefault(x, len(labels)) for x in part.labels], np.int32) for part in parts]
    shared = all(part.page_columns is parts[0].page_columns for part in parts)
    starts = np.zeros(len(parts), int) if shared else np.cumsum([0, *(len(part.page_columns) for part in parts[:-1])])
    pages = parts[0].page_columns if shared else _concatenate_pages(name, parts)
    return replace(
        parts[0],
        name=name,
        labels=list(labels),
        page_columns=pages,
        region_columns=_concatenate_recoded([part.region_columns for part in parts], recode, starts.tolist()),
        dropped=_concatenate_recoded([part.dropped or _no_regions(part) for part in parts], recode, starts.tolist()),
        findings=tuple(finding for part in parts for finding in part.findings),
        keys=parts[0].keys if shared else {},
        # Ids of several files need not mean the same.
        label_keys=parts[0].label_keys if shared else {},
    )


def _concatenate_pages(name: str, parts: Sequence[Layout]) -> Pages:
    columns = [part.page_columns for part in parts]
    pages = Pages(
        tuple(page for one in columns for page in one.names),
        np.concatenate([one.widths for one in columns]),
        np.concatenate([one.heights for one in columns]),
        tuple(document for one in columns for document in one.documents),
        np.concatenate([one.numbers for one in columns]),
    )
    files = [part.name for part in parts for _ in range(len(part.page_columns))]
    check_pages(name, pages, files.__getitem__)
    return pages


def _no_regions(part: Layout) -> Regions:
    return part.region_columns.take(np.zeros(len(part.region_columns), bool))


def _concatenate_recoded(parts: Sequence[Regions], recode: Sequence[Indices], starts: Sequence[int]) -> Regions:
    columns = [recode_labels(part, names) for part, names in zip(parts, recode)]
    return concatenate_regions([replace(one, page=one.page + np.int32(start)) for one, start in zip(columns, starts)])
