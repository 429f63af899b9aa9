"""Prodigy: JSON lines of the image recipes, one answer a line, with outlines of spans in pixels.

The recipe for PDFs, pdf.image.manual, names the file and the page, counted from 0, and may leave the image out. A line
is an answer about one page, or about all pages of a PDF.

Only answers "accept" are ground truth; the page of any other answer is left out. Several sessions may have answered the
same image; the last answer is read, or that of the annotator who is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import name_in_address, page_name
from layoutcm.layouts.page_names import MAX_DIGITS, path_without_suffix, stem

Points = list[tuple[float, float]]
is_prodigy = (
    Needs("array", ("image", "spans"))
    | Needs("array", ("image", "answer", "_task_hash"))
    | Needs("array", ("spans", "width", "height", "_task_hash"))  # of a PDF
    | Needs("array", ("pages", "answer", "_task_hash"))  # of all pages of a PDF
)


class Span(msgspec.Struct):
    label: str | None = None
    points: Points | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    w: float | None = None  # as some recipes write width and height
    h: float | None = None
    score: float | None = None

    @property
    def corners(self) -> Points:
        """The outline, or two corners; the rectangle beside an outline is rounded, so the outline comes first."""
        if self.points:
            return self.points
        width = self.width if self.width is not None else self.w
        height = self.height if self.height is not None else self.h
        if self.x is None or self.y is None or width is None or height is None:
            return []
        return [(self.x, self.y), (self.x + width, self.y + height)]


class Page(msgspec.Struct):
    image: Any = None
    spans: list[Span] | None = None
    path: Any = None
    pdf: Any = None
    page_number: Any = msgspec.field(name="page", default=None)
    meta: Any = None
    text: Any = None
    width: float | None = None
    height: float | None = None
    input_hash: Any = msgspec.field(name="_input_hash", default=None)

    @property
    def pdf_page(self) -> tuple[str, Any]:
        """The path of a PDF without its suffix, and the page as the line has it; "" and None if it is of no PDF."""
        meta = self.meta if isinstance(self.meta, dict) else {}
        paths = [one if str(one).lower().endswith(".pdf") else None for one in (self.path, meta.get("path"))]
        files = [(file, meta.get("page")) for file in (*paths, meta.get("pdf"))]
        known = (
            (path_without_suffix(file), page)
            for file, page in (*files, (self.pdf, self.page_number))
            if isinstance(file, str) and file and page is not None
        )
        return next(known, ("", None))

    @property
    def name(self) -> str:
        """The first name that a page of no PDF has; the image may be its bytes or an address."""
        file = self.meta.get("file") if isinstance(self.meta, dict) else None
        image = "" if isinstance(self.image, str) and self.image.startswith("data:") else self.image
        given = (self.path, file, name_in_address(image), self.text, self.input_hash)
        return next((str(one) for one in given if isinstance(one, str | int) and one != ""), "")


class Answer(Page):
    pages: list[Page] | None = None
    answer: str | None = None
    annotator: str | None = msgspec.field(name="_annotator_id", default=None)
    session: str | None = msgspec.field(name="_session_id", default=None)


class Answered(NamedTuple):
    """A page with its place in the file and who answered."""

    page: Page
    place: str
    by: str
    pdf: str  # its path without the suffix
    number: int  # in the PDF, from 1


def read_prodigy(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    answered = list(_accepted(content, builder))
    stems: dict[str, set[str]] = {}
    for one in answered:
        stems.setdefault(stem(one.pdf), set()).add(one.pdf)
    by_page: dict[tuple[str, str, int], list[Answered]] = {}
    for i, one in enumerate(answered):
        # PDFs of the same name in several folders are distinguished by their paths.
        document = stem(one.pdf) if len(stems[stem(one.pdf)]) == 1 else one.pdf
        name = page_name(document, one.number, 2) if one.pdf else one.page.name or f"{content.stem}_{i + 1}"
        by_page.setdefault((name, document, one.number), []).append(one)
    for (name, document, number), answers in by_page.items():
        if len(answers) > 1 and builder.annotators.wanted is None:
            builder.note_unusual("several-annotators", answers[0].place)
        chosen = builder.annotators.choose_last([one.by for one in answers])
        last = answers[chosen if chosen is not None else 0]
        size = last.page.width, last.page.height
        page = builder.add_page(name, *size, last.place, document=document, number=number)
        if chosen is not None:
            _add_spans(builder, page, last)


def _accepted(content: FileContent, builder: LayoutBuilder) -> Iterator[Answered]:
    for i, answer in enumerate(content.decode(list[Answer])):
        if answer.answer not in (None, "accept"):
            builder.note_unusual("page-left-out", f"[{i}]", what="answers are not 'accept'")
            continue
        pages: list[tuple[Page, str]] = [(answer, f"[{i}]")]
        if answer.pages is not None:
            pages = [(page, f"[{i}].pages[{k}]") for k, page in enumerate(answer.pages)]
        for page, place in pages:
            pdf, number = page.pdf_page
            number = _number_from_1(number, content.name, place) if pdf else -1
            yield Answered(page, place, answer.annotator or answer.session or "", pdf, number)


def _number_from_1(page: object, file: str, place: str) -> int:
    """The number of a page that is counted from 0 and may be written as text."""
    if isinstance(page, float) and page.is_integer():
        page = int(page)
    number = str(page)
    if isinstance(page, int | str) and number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS:
        return int(number) + 1
    problem = f"the page of the PDF is {short_repr(page)}, must be a number from 0"
    raise InputError(file, place, problem, "Repair this value or remove the entry.")


def _add_spans(builder: LayoutBuilder, page: int, answer: Answered) -> None:
    for k, span in enumerate(answer.page.spans or []):
        if len(span.corners) < 2:
            builder.note_unusual("not-an-area", f"{answer.place}.spans[{k}]")
            continue
        place = ("{0[0]}.spans[{0[1]}]", (answer.place, k))
        builder.add_outline(page, span.label or "", span.corners, place, span.score)
