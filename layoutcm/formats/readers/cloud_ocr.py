"""OCR services of Azure, AWS and Google.

- Azure Document Intelligence: paragraphs with their roles, tables and figures (v3, v4), or only tables (v2). The areas
  of a table or figure include its caption, which becomes a separate region. Paragraphs inside a table or figure are
  also in the list of all paragraphs.
- AWS Textract: blocks in fractions of the page; only blocks of the LAYOUT feature are regions. The file contains no
  page size, and a response may consist of several parts.
- Google Document AI: paragraphs, tables and visual elements of each page; the label is the kind of element. Blocks have
  the same outlines as their paragraphs, so blocks are read only if a page has no paragraphs. The service writes names
  such as pageNumber, its Python package also page_number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs, OneOf
from layoutcm.formats.parsing import Point, StatedSize

is_azure = (
    Needs("object", ("analyzeResult",), typical=("paragraphs",))
    | Needs("object", ("pages", "apiVersion"), ("pageNumber",), typical=("paragraphs",))
    | Needs("object", ("pages", "api_version"), ("page_number",), typical=("paragraphs",))
    | Needs("object", ("pages", "modelId"), typical=("paragraphs",))
    | Needs("object", ("pages", "model_id"), typical=("paragraphs",))
)


class Area(msgspec.Struct):
    """The service writes pageNumber, its Python package writes page_number."""

    pageNumber: int | None = None
    page_number: int | None = None
    polygon: list[float | Point] | None = None

    @property
    def corners(self) -> list[tuple[float, float]]:
        """(x, y) of each corner, from alternating numbers or from points; empty if they do not form pairs."""
        flat = self.polygon or []
        if flat and isinstance(flat[0], Point):
            flat = [v for item in flat for v in ((item.x, item.y) if isinstance(item, Point) else (item,))]
        if len(flat) % 2 or Point in map(type, flat):
            return []
        return list(zip(flat[::2], flat[1::2]))  # type: ignore[arg-type] # all points were replaced by numbers

    @property
    def page(self) -> int:
        return self.pageNumber or self.page_number or 1


class AzurePart(msgspec.Struct):
    role: str | None = None
    boundingRegions: list[Area] | None = None
    bounding_regions: list[Area] | None = None
    elements: list[str] | None = None
    caption: AzurePart | None = None
    cells: list[AzurePart] | None = None

    @property
    def areas(self) -> Sequence[Area]:
        return self.boundingRegions or self.bounding_regions or ()

    @property
    def references(self) -> Sequence[str]:
        """The names of the elements that are in this part, or in its cells."""
        return [ref for part in (self, *(self.cells or [])) for ref in part.elements or []]


class AzurePage(msgspec.Struct):
    pageNumber: int | None = None
    page_number: int | None = None
    page: int | None = None
    width: float | None = None
    height: float | None = None
    words: list[msgspec.Raw] | None = None

    @property
    def number(self) -> int:
        return self.pageNumber or self.page_number or self.page or 1


PAGES_OF_V2 = [{"page": (int, 1), "tables": [{"boundingBox": list[float | Point]}]}]
PARTS = {"paragraphs": [AzurePart], "tables": [AzurePart], "figures": [AzurePart]}
ANALYSIS = json_type({"pages": [AzurePage], **PARTS, "readResults": [AzurePage], "pageResults": PAGES_OF_V2})
WRAPPED_ANALYSIS = json_type({"analyzeResult!": ANALYSIS})


def read_azure(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    wrapped = "analyzeResult" in content.json_keys
    result = content.decode(WRAPPED_ANALYSIS).analyzeResult if wrapped else content.decode(ANALYSIS)
    file_pages = result.pages or result.readResults or []
    pages, count = dict[int, int](), len(file_pages)
    for i, page in enumerate(file_pages):
        size, place = (page.width, page.height), f"pages[{i}]"
        pages[page.number] = builder.add_numbered_page(content.stem, page.number, count, size, place)
    if result.paragraphs is None and result.pages is not None:
        if result.tables is None and result.figures is None and any(page.words for page in result.pages):
            problem = "there are words, but no paragraphs, tables and figures: the layout was not analysed"
            raise InputError(content.name, "pages", problem, "Use the model prebuilt-layout.")
        builder.note_unusual("no-paragraphs", "paragraphs")
    for label, area, place in _labelled_areas(result, options):
        _add_area(builder, pages, label, area, place)


def _labelled_areas(result: Any, options: Options) -> Iterator[tuple[str, Area, str]]:
    """Yield (label, area, place in the file) of each region."""
    containers = [("table", result.tables or []), ("figure", result.figures or [])]
    in_containers = {ref for _, parts in containers for part in parts for ref in part.references}
    for i, part in enumerate(result.paragraphs or []):
        if options.nested or f"/paragraphs/{i}" not in in_containers:
            yield from ((part.role or "paragraph", area, f"paragraphs[{i}]") for area in part.areas)
    for kind, parts in containers:
        for i, part in enumerate(parts):
            captions = {(area.page, *area.corners) for area in part.caption.areas} if part.caption else set()
            for area in part.areas:
                is_caption = (area.page, *area.corners) in captions
                yield f"{kind} caption" if is_caption else kind, area, f"{kind}s[{i}]"
    for i, page in enumerate(result.pageResults or []):
        for k, table in enumerate(page.tables or []):
            yield "table", Area(page.page, None, table.boundingBox), f"pageResults[{i}].tables[{k}]"


def _add_area(builder: LayoutBuilder, pages: dict[int, int], label: str, area: Area, place: str) -> None:
    if area.page not in pages:
        problem = f"it is on page {area.page}, which the file does not list"
        raise InputError(builder.file, place, problem, "Export it again.")
    ring = area.corners
    if len(ring) < 2:
        raise InputError(builder.file, place, "the polygon is not made of x, y pairs", "Export it again.")
    builder.add_outline(pages[area.page], label, ring, place)


LAYOUT = "LAYOUT_"
CONTAINERS = ("LAYOUT_FIGURE", "LAYOUT_TABLE", "LAYOUT_LIST")
is_textract = Needs("json", ("Blocks",), typical=("BlockType", "BoundingBox"))

GEOMETRY = {
    "BoundingBox": {"Left!": float, "Top!": float, "Width!": float, "Height!": float},
    "Polygon": [{"X!": float, "Y!": float}],
}
BLOCK = {"BlockType!": str, "Id": str, "Page": int, "Confidence": float, "Geometry": GEOMETRY}
RESPONSE = json_type({"Blocks!": [{**BLOCK, "Relationships": [{"Type": str, "Ids": (list[str], [])}]}]})


def read_textract(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    is_list, responses = content.json_root == "array", content.decode_each(RESPONSE)
    blocks = [
        (f"[{i}].Blocks[{k}]" if is_list else f"Blocks[{k}]", block)
        for i, response in enumerate(responses)
        for k, block in enumerate(response.Blocks)
        if block.BlockType == "PAGE" or block.BlockType.startswith(LAYOUT)
    ]
    if all(block.BlockType == "PAGE" for _, block in blocks):
        problem = "there is no LAYOUT block: the text was analysed without its layout"
        raise InputError(content.name, "Blocks", problem, "Call AnalyzeDocument with LAYOUT among its FeatureTypes.")
    numbers = sorted({block.Page or 1 for _, block in blocks})
    pages = {n: builder.add_numbered_page(content.stem, n, len(numbers)) for n in numbers}
    nested_ids = set() if options.nested else _nested_ids(block for _, block in blocks)
    for place, block in blocks:
        if block.BlockType != "PAGE" and block.Id not in nested_ids:
            _add_block(builder, pages[block.Page or 1], block, place)


def _nested_ids(blocks: Iterable[Any]) -> set[str]:
    """Ids of blocks inside a figure, a table or a list."""
    return {
        key
        for block in blocks
        if block.BlockType in CONTAINERS
        for relation in block.Relationships or []
        for key in relation.Ids
    }


def _add_block(builder: LayoutBuilder, page: int, block: Any, place: str) -> None:
    box = block.Geometry.BoundingBox if block.Geometry else None
    if box is None:
        raise InputError(builder.file, place, "there is no Geometry.BoundingBox", "Export the response again.")
    corners = builder.pixels(page, [(corner.X, corner.Y) for corner in block.Geometry.Polygon or []])
    score = None if block.Confidence is None else block.Confidence / 100
    if builder.options.outlines and len(corners) > 2:
        builder.add_outline(page, block.BlockType, corners, place, score)
    else:
        edges = box.Left, box.Top, box.Left + box.Width, box.Top + box.Height
        builder.add_region(page, block.BlockType, builder.pixel_box(page, edges), place, score)


DOCUMENT_KEYS = ("mimeType", "mime_type", "uri", "shardInfo", "textStyles")  # a document has one of these
OTHER_KEYS = ("schema_name", "apiVersion")  # of docling; of OCR of Upstage and others
is_docai = OneOf(
    (
        *(Needs("object", ("pages", "text", key), typical=("dimension",)) for key in DOCUMENT_KEYS),
        Needs("object", ("documentLayout",)),
        Needs("object", ("document", "humanReviewStatus")),
    )
).with_check(lambda content: content.json_keys.isdisjoint(OTHER_KEYS))

VERTICES: Any = ([{"x": (float, 0.0), "y": (float, 0.0)}], [])  # the file omits coordinates that are zero
POLY = json_type({"vertices": VERTICES, "normalizedVertices": VERTICES, "normalized_vertices": VERTICES})
PART_LAYOUT = json_type({"boundingPoly": POLY, "bounding_poly": POLY, "confidence": float})
DOCAI_PARTS = ("blocks", "paragraphs", "tables", "visualElements", "visual_elements")
DOCAI_PAGE = {
    **{"pageNumber": int, "page_number": int, "dimension": StatedSize, "layout": PART_LAYOUT},
    **dict.fromkeys(DOCAI_PARTS, ([{"layout": PART_LAYOUT, "type": str}], [])),
}
DOCUMENT = json_type({"pages": ([DOCAI_PAGE], [])})


def read_docai(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    wrapped = "pages" not in content.json_keys and "document" in content.json_keys
    pages = (content.decode(json_type({"document!": DOCUMENT})).document if wrapped else content.decode(DOCUMENT)).pages
    if not pages:
        problem = "there are no pages with coordinates (the Layout Parser writes text without coordinates)"
        raise InputError(content.name, "pages", problem, "Process the document with an OCR or form processor.")
    for i, page in enumerate(pages):
        number = page.pageNumber or page.page_number or i + 1
        size = page.dimension or StatedSize()
        place, given = f"pages[{i}].dimension", (size.width, size.height)
        page_index = builder.add_numbered_page(content.stem, number, len(pages), given, place)
        kinds = {"block": page.blocks} if not page.paragraphs else {"paragraph": page.paragraphs}
        kinds |= {"table": page.tables, "visual element": page.visualElements or page.visual_elements}
        for kind, parts in kinds.items():
            for k, part in enumerate(parts):
                _add_part(builder, page_index, part.type or kind, part.layout, f"pages[{i}], {kind} {k}")


def _add_part(builder: LayoutBuilder, page: int, label: str, part_layout: Any, place: str) -> None:
    poly = part_layout.boundingPoly or part_layout.bounding_poly if part_layout else None
    ring = [(v.x, v.y) for v in poly.vertices] if poly else []
    if poly and not ring:
        ring = builder.pixels(page, ((v.x, v.y) for v in poly.normalizedVertices or poly.normalized_vertices))
    if len(ring) < 2:
        raise InputError(builder.file, place, "there is no boundingPoly", "Export the document with its layout.")
    builder.add_outline(page, label, ring, place, part_layout.confidence if part_layout else None)
