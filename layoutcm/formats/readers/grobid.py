"""GROBID: TEI whose elements have `coords`, a list of rectangles "page,x,y,width,height" in points.

An element has a rectangle for each of its lines or parts, and each becomes a region: the box around all would cover
the other column. Only elements that were requested with `teiCoordinates` have coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import literal, parse_number_list, parse_size
from layoutcm.formats.xml import elements, local_name

BLOCKS = {"title", "head", "p", "figure", "figDesc", "table", "formula", "note", "biblStruct", "list", "item"}
CONTAINERS = {"figure", "table"}
SENTENCE = "s"
REFERENCE = "biblStruct"  # titles inside a reference are part of it
Rectangle = tuple[int, float, float, float, float]  # page, x, y, width, height


# Also without places, which is refused with a hint.
is_grobid = Needs("xml", ("TEI",), typical=("facsimile", "surface")) | Needs("xml", ("teiCorpus",), typical=("TEI",))


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    sizes: dict[int, tuple[float | None, float | None]] = {}
    regions: list[tuple[str, Rectangle]] = []
    for root in elements(content, "TEI"):
        for surface in root.iter():
            if local_name(surface.tag) == "surface" and surface.get("n", "").isdecimal():
                sizes[int(surface.get("n", "")[:9])] = parse_size(surface.get("lrx"), surface.get("lry"))
        regions += _regions(content.name, root, options)
    if not regions:
        problem = "no paragraph, figure or other block has coords"
        hint = "Ask GROBID for them: teiCoordinates=p, head, figure, table, formula, note and biblStruct."
        raise InputError(content.name, "", problem, hint)
    numbers = set(sizes) | {rectangle[0] for _, rectangle in regions}
    document = content.stem.removesuffix(".tei").removesuffix(".grobid")
    pages = builder.add_document_pages(document, numbers, sizes, in_points=True)
    for i, (label, (page, x, y, width, height)) in enumerate(regions):
        builder.add_region(
            pages[page], label, x, y, x + width, y + height, (f"{literal(label)}, rectangle {{}}", i + 1)
        )


def _regions(file: str, root: Element, options: Options) -> Iterator[tuple[str, Rectangle]]:
    """Label and rectangle of each region, in the order of the file.

    A block without coordinates has those of its sentences, if these were requested instead. The title of the document
    is in its header twice, at the same place.
    """
    seen = set()
    todo = [(root, "")]  # an element, and the block without coordinates that it is in
    while todo:
        element, block = todo.pop()
        name = local_name(element.tag)
        coords = element.get("coords")
        if coords and (name in BLOCKS or (name == SENTENCE and block)):
            kind = element.get("type") if name == "figure" else None
            label = f"{name}:{kind}" if kind else name if name in BLOCKS else block
            if (label, coords) not in seen:
                yield from ((label, rectangle) for rectangle in _rectangles(file, coords, name))
            seen.add((label, coords))
        if not coords or (name != REFERENCE and (options.nested or name not in CONTAINERS)):
            inner = "" if coords else name if name in BLOCKS else block
            todo += [(child, inner) for child in reversed(element)]


def _rectangles(file: str, coords: str, name: str) -> Iterator[Rectangle]:
    for text in filter(str.strip, coords.split(";")):
        numbers = parse_number_list(text)
        if numbers is None or len(numbers) != 5 or not 0 <= numbers[0] < 1e6:
            problem = f"{short_repr(text)} is not a page, x, y, width and height"
            raise InputError(file, f"{name}/coords", problem, "Process the PDF again.")
        yield int(numbers[0]), *numbers[1:]  # type: ignore[misc] # the length was checked
