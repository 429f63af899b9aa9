"""DocBank: one text file per page, a token a line with its box on a grid of 1000 x 1000, colour, font and label.

A file has no unit larger than a token, so each token is a region.
"""

from __future__ import annotations

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.parsing import parse_numbers, pixels_from_fraction
from layoutcm.layouts.file_bytes import not_utf8

GRID = 1000
COLUMNS = 10  # token, x0, y0, x1, y1, red, green, blue, font, label
CORNERS = ("x0", "y0", "x1", "y1")
IMAGE_ENDING = "_ori"  # of the names of DocBank's page images


def is_docbank(content: FileContent) -> bool:
    """Whether the first line has ten columns, seven of them whole numbers; a token may have blanks, but no tab."""
    parts = content.head_without_bom[:HEAD].lstrip(b"\r\n").partition(b"\n")[0].split(b"\t")
    return len(parts) == COLUMNS and all(part.isdigit() for part in parts[1:8])


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    try:
        # Only ends of lines: a token may be a character at which splitlines would split.
        lines = content.data_without_bom.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None
    page = builder.add_page(content.stem, None, None, otherwise=content.stem + IMAGE_ENDING)
    width, height = builder.page_size(page)
    for i, line in enumerate(lines, 1):
        parts = line.rstrip("\r").split("\t")
        if len(parts) != COLUMNS:
            if not line.strip():
                continue
            problem = f"{len(parts)} columns, must be {COLUMNS} with tabs between them"
            raise InputError(content.name, f"line {i}", problem, "Repair or remove this line.")
        place = ("line {}", i)
        x0, y0, x1, y1 = parse_numbers(parts[1:5], content.name, place, CORNERS)
        x0, x1 = pixels_from_fraction(x0 / GRID, width), pixels_from_fraction(x1 / GRID, width)
        y0, y1 = pixels_from_fraction(y0 / GRID, height), pixels_from_fraction(y1 / GRID, height)
        builder.add_region(page, parts[9].strip(), x0, y0, x1, y1, place)
    builder.note_unusual("token-regions", "")
