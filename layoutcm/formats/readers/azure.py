"""Azure Document Intelligence: paragraphs with their roles, tables and figures (v3, v4), or only tables (v2).

The areas of a table or figure include its caption, which becomes a separate region. Paragraphs inside a table or figure
are also in the list of all paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name


class Point(msgspec.Struct):
    x: float
    y: float


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


class Part(msgspec.Struct):
    role: str | None = None
    boundingRegions: list[Area] | None = None
    bounding_regions: list[Area] | None = None
    elements: list[str] | None = None
    caption: Part | None = None
    cells: list[Part] | None = None

    @property
    def areas(self) -> Sequence[Area]:
        return self.boundingRegions or self.bounding_regions or ()


class Page(msgspec.Struct):
    pageNumber: int | None = None
    page_number: int | None = None
    page: int | None = None
    width: float | None = None
    height: float | None = None
    words: list[msgspec.Raw] | None = None

    @property
    def number(self) -> int:
        return self.pageNumber or self.page_number or self.page or 1


class OldTable(msgspec.Struct):
    boundingBox: list[float | Point] | None = None


class OldPage(msgspec.Struct):
    page: int = 1
    tables: list[OldTable] | None = None


class Analysis(msgspec.Struct):
    pages: list[Page] | None = None
    paragraphs: list[Part] | None = None
    tables: list[Part] | None = None
    figures: list[Part] | None = None
    readResults: list[Page] | None = None
    pageResults: list[OldPage] | None = None


class Wrapped(msgspec.Struct):
    analyzeResult: Analysis


is_azure = (
    Needs("object", ("analyzeResult",), typical=("paragraphs",))
    | Needs("object", ("pages", "apiVersion"), ("pageNumber",), typical=("paragraphs",))
    | Needs("object", ("pages", "api_version"), ("page_number",), typical=("paragraphs",))
    | Needs("object", ("pages", "modelId"), typical=("paragraphs",))
    | Needs("object", ("pages", "model_id"), typical=("paragraphs",))
)


def read_analysis(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    wrapped = "analyzeResult" in content.json_keys
    result = content.decode(Wrapped).analyzeResult if wrapped else content.decode(Analysis)
    file_pages = result.pages or result.readResults or []
    pages = {
        page.number: builder.add_page(
            page_name(content.stem, page.number, len(file_pages)),
            page.width,
            page.height,
            f"pages[{i}]",
            document=content.stem,
            number=page.number,
        )
        for i, page in enumerate(file_pages)
    }
    if result.paragraphs is None and result.pages is not None:
        if result.tables is None and result.figures is None and any(page.words for page in result.pages):
            problem = "there are words, but no paragraphs, tables and figures: the layout was not analysed"
            raise InputError(content.name, "pages", problem, "Use the model prebuilt-layout.")
        builder.note_unusual("no-paragraphs", "paragraphs")
    for label, area, place in _labelled_areas(result, options):
        _add_region(content.name, builder, pages, label, area, place)


def _labelled_areas(result: Analysis, options: Options) -> Iterator[tuple[str, Area, str]]:
    """Yield (label, area, place in the file) of each region."""
    containers = [("table", result.tables or []), ("figure", result.figures or [])]
    nested_references = (
        {ref for _, parts in containers for part in parts for ref in _references(part)} if not options.nested else set()
    )
    for i, part in enumerate(result.paragraphs or []):
        if f"/paragraphs/{i}" not in nested_references:
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


def _references(part: Part) -> Iterator[str]:
    yield from part.elements or []
    for cell in part.cells or []:
        yield from cell.elements or []


def _add_region(file: str, builder: LayoutBuilder, pages: dict[int, int], label: str, area: Area, place: str) -> None:
    if area.page not in pages:
        raise InputError(file, place, f"it is on page {area.page}, which the file does not list", "Export it again.")
    ring = area.corners
    if len(ring) < 2:
        raise InputError(file, place, "the polygon is not made of x, y pairs", "Export it again.")
    builder.add_outline(pages[area.page], label, ring, place)
