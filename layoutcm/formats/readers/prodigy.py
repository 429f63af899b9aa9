"""Prodigy: JSON lines of the image recipes, one answer a line, with outlines of spans in pixels.

The recipe for PDFs, pdf.image.manual, names the file and the page, counted from 0, and may leave the image out. A line
is an answer about one page, or about all pages of a PDF.

Only answers "accept" are ground truth; the page of any other answer is left out. Several sessions may have answered the
same image; the last answer is read, or that of the annotator who is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
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

# Some recipes write w and h instead of width and height.
SPAN = {"label": str, "points": Points, **dict.fromkeys(("x", "y", "width", "height", "w", "h", "score"), float)}
PAGE = {
    **{"image": Any, "path": Any, "pdf": Any, "page": Any, "meta": Any, "text": Any, "_input_hash": Any},
    **{"spans": [SPAN], "width": float, "height": float},
}
ANSWERS = json_type([{**PAGE, "pages": [PAGE], "answer": str, "_annotator_id": str, "_session_id": str}])


def _corners(span: Any) -> Points:
    """The outline, or two corners; the rectangle beside an outline is rounded, so the outline comes first."""
    if span.points:
        points: Points = span.points
        return points
    width = span.width if span.width is not None else span.w
    height = span.height if span.height is not None else span.h
    if span.x is None or span.y is None or width is None or height is None:
        return []
    return [(span.x, span.y), (span.x + width, span.y + height)]


def _pdf_page(line: Any) -> tuple[str, Any]:
    """The path of a PDF without its suffix, and the page as the line has it; "" and None if it is of no PDF."""
    meta = line.meta if isinstance(line.meta, dict) else {}
    paths = [one if str(one).lower().endswith(".pdf") else None for one in (line.path, meta.get("path"))]
    files = [(file, meta.get("page")) for file in (*paths, meta.get("pdf"))]
    known = (
        (path_without_suffix(file), page)
        for file, page in (*files, (line.pdf, line.page))
        if isinstance(file, str) and file and page is not None
    )
    return next(known, ("", None))


def _name(line: Any) -> str:
    """The first name that a page of no PDF has; the image may be its bytes or an address."""
    file = line.meta.get("file") if isinstance(line.meta, dict) else None
    image = "" if isinstance(line.image, str) and line.image.startswith("data:") else line.image
    given = (line.path, file, name_in_address(image), line.text, line.input_hash)
    return next((str(one) for one in given if isinstance(one, str | int) and one != ""), "")


class Answered(NamedTuple):
    """A page with its place in the file and who answered."""

    page: Any
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
        name = page_name(document, one.number, 2) if one.pdf else _name(one.page) or f"{content.stem}_{i + 1}"
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
    for i, answer in enumerate(content.decode(ANSWERS)):
        if answer.answer not in (None, "accept"):
            builder.note_unusual("page-left-out", f"[{i}]", what="answers are not 'accept'")
            continue
        pages = [(answer, f"[{i}]")]
        if answer.pages is not None:
            pages = [(page, f"[{i}].pages[{k}]") for k, page in enumerate(answer.pages)]
        for page, place in pages:
            pdf, number = _pdf_page(page)
            number = _number_from_1(number, content.name, place) if pdf else -1
            yield Answered(page, place, answer.annotator_id or answer.session_id or "", pdf, number)


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
        corners = _corners(span)
        if len(corners) < 2:
            builder.note_unusual("not-an-area", f"{answer.place}.spans[{k}]")
            continue
        place = ("{0[0]}.spans[{0[1]}]", (answer.place, k))
        builder.add_outline(page, span.label or "", corners, place, span.score)
