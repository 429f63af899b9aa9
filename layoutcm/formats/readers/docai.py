"""Google Document AI: paragraphs, tables and visual elements of each page; the label is the kind of element.

Blocks have the same outlines as their paragraphs, so blocks are read only if a page has no paragraphs. The service
writes names such as pageNumber, its Python package also page_number.
"""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name, pixels_from_fraction


class Vertex(msgspec.Struct):
    x: float = 0.0  # the file omits coordinates that are zero
    y: float = 0.0


class Poly(msgspec.Struct):
    vertices: list[Vertex] = []
    normalizedVertices: list[Vertex] = []
    normalized_vertices: list[Vertex] = []


class PartLayout(msgspec.Struct):
    boundingPoly: Poly | None = None
    bounding_poly: Poly | None = None
    confidence: float | None = None


class Part(msgspec.Struct):
    layout: PartLayout | None = None
    type: str | None = None


class Dimension(msgspec.Struct):
    width: float | None = None
    height: float | None = None


class Page(msgspec.Struct):
    pageNumber: int | None = None
    page_number: int | None = None
    dimension: Dimension | None = None
    layout: PartLayout | None = None
    blocks: list[Part] = []
    paragraphs: list[Part] = []
    tables: list[Part] = []
    visualElements: list[Part] = []
    visual_elements: list[Part] = []


class Document(msgspec.Struct):
    pages: list[Page] = []


class Wrapped(msgspec.Struct):
    document: Document


NEEDS = (
    Needs("object", ("pages", "text", "mimeType"), typical=("dimension",))
    | Needs("object", ("pages", "text", "mime_type"), typical=("dimension",))
    | Needs("object", ("pages", "text", "uri"), typical=("dimension",))
    | Needs("object", ("pages", "text", "shardInfo"), typical=("dimension",))
    | Needs("object", ("pages", "text", "textStyles"), typical=("dimension",))
    | Needs("object", ("documentLayout",))
    | Needs("object", ("document", "humanReviewStatus"))
)


def is_docai(content: FileContent) -> bool:
    other = ("schema_name", "apiVersion")  # docling; OCR of Upstage and others
    return NEEDS(content) and content.json_keys.isdisjoint(other)


def read_document(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    wrapped = "pages" not in content.json_keys and "document" in content.json_keys
    pages = content.decode(Wrapped).document.pages if wrapped else content.decode(Document).pages
    if not pages:
        raise InputError(
            content.name,
            "pages",
            "there are no pages with coordinates (the Layout Parser writes text without coordinates)",
            "Process the document with an OCR or form processor.",
        )
    for i, page in enumerate(pages):
        number = page.pageNumber or page.page_number or i + 1
        size = page.dimension or Dimension()
        name = page_name(content.stem, number, len(pages))
        page_index = builder.add_page(
            name, size.width, size.height, f"pages[{i}].dimension", document=content.stem, number=number
        )
        kinds = {"block": page.blocks} if not page.paragraphs else {"paragraph": page.paragraphs}
        kinds |= {"table": page.tables, "visual element": page.visualElements or page.visual_elements}
        for kind, parts in kinds.items():
            for k, part in enumerate(parts):
                _add_region(
                    content.name, builder, page_index, part.type or kind, part.layout, f"pages[{i}], {kind} {k}"
                )


def _add_region(
    file: str, builder: LayoutBuilder, page: int, label: str, part_layout: PartLayout | None, place: str
) -> None:
    poly = part_layout.boundingPoly or part_layout.bounding_poly if part_layout else None
    width, height = builder.page_size(page)
    ring = [(v.x, v.y) for v in poly.vertices] if poly else []
    if poly and not ring:
        fractions = poly.normalizedVertices or poly.normalized_vertices
        ring = [(pixels_from_fraction(v.x, width), pixels_from_fraction(v.y, height)) for v in fractions]
    if len(ring) < 2:
        raise InputError(file, place, "there is no boundingPoly", "Export the document with its layout.")
    builder.add_outline(page, label, ring, place, part_layout.confidence if part_layout else None)
