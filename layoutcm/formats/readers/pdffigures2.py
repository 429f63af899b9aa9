"""pdffigures2: figures and tables with their captions, as its output (points, no page size) and as its ground truth.

Pages count from 0 in the output and from 1 in the annotations. An annotated page without figures is a blank page.
"""

from __future__ import annotations

import re

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import literal

CAPTION = "Caption"
Corners = tuple[float, float, float, float]
_ANNOTATED_DOCUMENT = re.compile(rb'\s*+\{\s*+"[^"\\]{0,1000}+"\s*+:\s*+\{\s*+"(?:figures|pages_annotated)"\s*+:')


class Box(msgspec.Struct, gc=False):
    x1: float
    y1: float
    x2: float
    y2: float


class Figure(msgspec.Struct):
    page: int
    figType: str | None = None
    regionBoundary: Box | None = None
    captionBoundary: Box | None = None
    boundary: Box | None = None  # of a caption without a figure


class Output(msgspec.Struct):
    figures: list[Figure] = []
    alone: list[Figure] = msgspec.field(name="regionless-captions", default_factory=list)


is_output = (
    Needs("array", ("regionBoundary", "figType"))
    | Needs("object", ("regionless-captions",))
    | Needs("object", ("figures",), ("regionBoundary",))
)


def read_output(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    output = Output(content.decode(list[Figure])) if content.json_root == "array" else content.decode(Output)
    figures = [*output.figures, *output.alone]
    numbers = {figure.page + 1 for figure in figures}
    pages = builder.add_document_pages(content.stem, numbers, {}, in_points=True)
    for i, figure in enumerate(figures):
        boxes = {figure.figType or "": figure.regionBoundary, CAPTION: figure.captionBoundary or figure.boundary}
        if not any(boxes.values()):
            builder.note_unusual("no-place", f"figures[{i}]", what="figures and captions have no boundary")
        for label, box in boxes.items():
            if box is not None:
                builder.add_region(pages[figure.page + 1], label, box.x1, box.y1, box.x2, box.y2, ("figures[{}]", i))


class Annotated(msgspec.Struct):
    page: int
    page_width: float
    page_height: float
    figure_type: str | None = None
    region_bb: Corners | None = None
    region_bb2: Corners | None = None
    caption_bb: Corners | None = None


class Document(msgspec.Struct):
    figures: list[Annotated] = []
    pages_annotated: list[int] = []


ANNOTATIONS = Needs("object", inside=("pages_annotated",), typical=("figures",))


def is_annotations(content: FileContent) -> bool:
    return ANNOTATIONS(content) and _ANNOTATED_DOCUMENT.match(content.json_head) is not None


def read_annotations(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    documents = content.decode(dict[str, Document])
    if not any(document.figures for document in documents.values()):
        raise InputError(content.name, "", "no document has figures, so no page has a size", "Check the file.")
    for name, document in documents.items():
        pages = _add_pages(name, document, builder)
        place = f"{literal(name)}.figures[{{}}]"
        for i, figure in enumerate(document.figures):
            label = figure.figure_type or ""
            for kind, box in ((label, figure.region_bb), (label, figure.region_bb2), (CAPTION, figure.caption_bb)):
                if box is not None:
                    builder.add_region(pages[figure.page], kind, *box, (place, i))


def _add_pages(name: str, document: Document, builder: LayoutBuilder) -> dict[int, int]:
    """Add the pages of a document; those without figures have the size of the others if that is the same for all."""
    sizes = {figure.page: (figure.page_width, figure.page_height) for figure in reversed(document.figures)}
    size_of_all = set(sizes.values())
    pages = {}
    for n in sorted(set(sizes).union(document.pages_annotated)):
        place = f"{name}, page {n}"
        if n not in sizes and len(size_of_all) != 1:
            builder.note_unusual("no-place", place, what="pages without figures have no size")
            continue
        if n not in sizes:
            builder.note_unusual("size-of-document", place)
        width, height = sizes.get(n) or next(iter(size_of_all))
        pages[n] = builder.add_page(f"{name}_p{n}", width, height, place, document=name, number=n)
    return pages
