"""Prodigy: JSON lines of the image recipes, one answer a line, with outlines of spans in pixels.

The recipe for PDFs, pdf.image.manual, names the file and the page, counted from 0, and may leave the image out.

Only answers "accept" are ground truth; the page of any other answer is left out. Several sessions may have answered the
same image; the last answer is read, or that of the annotator who is asked for.
"""

from __future__ import annotations

from typing import Any

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import name_in_address, page_name
from layoutcm.layouts.page_names import stem

Points = list[tuple[float, float]]


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


class Answer(msgspec.Struct):
    image: Any = None
    spans: list[Span] | None = None
    path: Any = None
    pdf: Any = None
    page_number: Any = msgspec.field(name="page", default=None)
    meta: Any = None
    text: Any = None
    width: float | None = None
    height: float | None = None
    answer: str | None = None
    input_hash: Any = msgspec.field(name="_input_hash", default=None)
    annotator: str | None = msgspec.field(name="_annotator_id", default=None)
    session: str | None = msgspec.field(name="_session_id", default=None)

    @property
    def pdf_page(self) -> tuple[str, int]:
        """The name of a PDF and the number of its page from 1; "" and -1 if the line is not of a PDF."""
        meta = self.meta if isinstance(self.meta, dict) else {}
        file, number = next(
            ((one, page) for one, page in ((meta.get("pdf"), meta.get("page")), (self.pdf, self.page_number)) if one),
            ("", None),
        )
        return (file, number + 1) if isinstance(file, str) and isinstance(number, int) else ("", -1)

    @property
    def page(self) -> str:
        """The first name that the line has; the image may be its bytes or an address."""
        pdf, number = self.pdf_page
        if pdf:
            return page_name(stem(pdf), number, 2)
        file = self.meta.get("file") if isinstance(self.meta, dict) else None
        image = "" if isinstance(self.image, str) and self.image.startswith("data:") else self.image
        given = (self.path, file, name_in_address(image), self.text, self.input_hash)
        return next((str(one) for one in given if isinstance(one, str | int) and one != ""), "")


is_prodigy = (
    Needs("array", ("image", "spans"))
    | Needs("array", ("image", "answer", "_task_hash"))
    | Needs("array", ("spans", "width", "height", "_task_hash"))  # of a PDF
)


def read_answers(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    answers = content.decode(list[Answer])
    by_page: dict[str, list[int]] = {}
    for i, one in enumerate(answers):
        if one.answer not in (None, "accept"):
            builder.note_unusual("page-left-out", f"[{i}]", what="answers are not 'accept'")
        else:
            by_page.setdefault(one.page or f"{content.stem}_{i + 1}", []).append(i)
    for name, positions in by_page.items():
        if len(positions) > 1 and builder.annotators.wanted is None:
            builder.note_unusual("several-annotators", f"[{positions[0]}]")
        names = [answers[i].annotator or answers[i].session or "" for i in positions]
        chosen = builder.annotators.choose_last(names)
        i = positions[chosen if chosen is not None else 0]
        pdf, number = answers[i].pdf_page
        size = answers[i].width, answers[i].height
        page = builder.add_page(name, *size, f"[{i}]", document=stem(pdf) if pdf else "", number=number)
        for k, span in enumerate(answers[i].spans or [] if chosen is not None else []):
            if len(span.corners) < 2:
                builder.note_unusual("not-an-area", f"[{i}].spans[{k}]")
                continue
            place = ("[{0[0]}].spans[{0[1]}]", (i, k))
            builder.add_outline(page, span.label or "", span.corners, place, span.score)
