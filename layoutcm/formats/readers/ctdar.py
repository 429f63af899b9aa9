"""ICDAR 2019 cTDaR: one XML file per page, `table/Coords` in pixels; the cells of a table are no regions."""

from __future__ import annotations

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import box_around, outline_of, parse_points
from layoutcm.formats.xml import elements, root_name

LABEL = "table"
TAGS_OF_A_BLANK_PAGE = 3  # the XML declaration, and the document's start and end

NEEDS = Needs("xml", ("document",), ("table", "Coords"))


def is_ctdar(content: FileContent) -> bool:
    """Many XML files have the root `document`, so its tables must have coordinates, or it must have nothing inside."""
    if root_name(content) != "document":
        return False
    is_blank = b"filename=" in content.data and content.data.count(b"<") <= TAGS_OF_A_BLANK_PAGE
    return is_blank or NEEDS(content)


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = next(elements(content, "document"), None)
    if root is None:
        raise InputError(content.name, "", "there is no document in it", "Export the file again.")
    page = builder.add_page(root.get("filename", "").strip(), None, None, "document", otherwise=content.stem)
    for i, table in enumerate(root.findall("table")):
        coords = table.find("Coords")
        flat = parse_points(coords.get("points", "") if coords is not None else "", content.name, ("table[{}]", i))
        if not flat:
            builder.note_unusual("no-coordinates", f"table[{i}]", what="tables without coordinates")
            continue
        shape = outline_of(flat) if options.outlines else None
        builder.add_region(page, LABEL, *box_around(flat), ("table[{}]", i), shape=shape)
