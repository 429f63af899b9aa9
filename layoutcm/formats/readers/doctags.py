"""DocTags (.dt, .doctags): tags with four location tokens on a grid of 500 x 500 over the page, without a page size.

Models generate these files token by token, so a broken location is a finding and not an error. The labels are the names
of the tags: "otsl" is a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder, reader_by_rows
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.html_tags import check_number_of_tags
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import is_picture_or_table
from layoutcm.formats.xml import root_name
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import Layout

GRID = 500
MAX_OPEN = 10  # nested pictures and tables; a model may forget to close them
_LOCATIONS = re.compile(rb"(?:<loc_[0-9]{1,9}>\s*){4}")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_]{0,99})>((?:\s*<loc_[0-9]{1,9}>){0,64})")
_NUMBER = re.compile("[0-9]+")
# Cells, keys and values are smaller than blocks; after a broken tag, a location is matched like a tag.
_BELOW_BLOCKS = re.compile("(?:[efluxc]cel|ched|rhed|srow|shed|nl|(?:key|value)_[0-9]+|loc_[0-9]+)$")
# Tags that should have a location, so that a missing one is reported; lists and other groups have none.
_WITH_LOCATION = re.compile(
    "(?:text|paragraph|title|section_header(?:_level_[0-9]+)?|list_item|caption|footnote|formula|code|reference|"
    "page_header|page_footer|picture|chart|otsl|table|document_index|form|key_value_region|checkbox_(?:un)?selected)$"
)


NEEDS = Needs("xml", ("doctag",), typical=("loc_",))


def is_doctags(content: FileContent) -> bool:
    root = root_name(content)
    return root in ("doctag", "doctags") or (
        bool(_WITH_LOCATION.match(root)) and bool(_LOCATIONS.search(content.head[:HEAD]))
    )


def read_doctags(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    layout = reader_by_rows("doctags", read_file)(name, contents, options)
    if not len(layout.region_columns) and any(finding.code == "no-location" for finding in layout.findings):
        raise InputError(
            name, "", "these DocTags have no locations, so there is no layout in them", "Export them with locations."
        )
    return layout


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    pages = _split_pages(content)
    line = 1
    for i, text in enumerate(pages):
        name, document = (f"{content.stem}_p{i + 1}", content.stem) if len(pages) > 1 else (content.stem, "")
        number = i + 1 if document else -1
        page = builder.add_page(name, None, None, f"line {line}", document=document, number=number, otherwise=name)
        _read_tags(text, page, line, options, builder)
        line += text.count("\n")


def _split_pages(content: FileContent) -> list[str]:
    """The text of each page; a page break at the end of the file does not start another page."""
    try:
        pages = content.data_without_bom.decode("utf-8").split("<page_break>")
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None
    if len(pages) > limits.MAX_STATED_PAGES:
        raise InputError(
            content.name, "", f"{len(pages):,} pages, at most {limits.MAX_STATED_PAGES:,} are read", "Split the file."
        )
    ends_with_break = len(pages) > 1 and pages[-1].strip() in ("", "</doctag>")
    return pages[:-1] if ends_with_break else pages


@lru_cache(256)  # documents have few different tag names and very many tags
def _classify(name: str) -> tuple[bool, bool, bool]:
    """Whether a tag is smaller than a block, should have a location, and is a picture or table."""
    has_location = _WITH_LOCATION.match(name) is not None
    return _BELOW_BLOCKS.match(name) is not None, has_location, has_location and is_picture_or_table(name)


def _read_tags(text: str, page: int, line: int, options: Options, builder: LayoutBuilder) -> None:
    width, height = (side / GRID for side in builder.page_size(page))
    containers: list[str] = []  # open pictures and tables
    counted_to = 0  # newlines before this position are in `line`
    for tag in _TAG.finditer(text):
        closing, name, locations = tag.groups()
        if closing:
            if name in containers:
                del containers[containers.index(name) :]
            continue
        start = tag.start()
        line += text.count("\n", counted_to, start)
        counted_to = start
        is_below_block, needs_location, is_container = _classify(name)
        is_nested = bool(containers)
        if is_container and len(containers) < MAX_OPEN:
            containers.append(name)
        if is_below_block or (is_nested and not options.nested):
            continue
        grid = list(map(int, _NUMBER.findall(locations)))
        if len(grid) % 4 or (not grid and needs_location):
            builder.note_unusual("no-location", f"line {line}")
        if len(grid) > 7:
            builder.note_unusual("several-locations", f"line {line}")
        for k in range(0, len(grid) - 3, 4):
            x0, y0, x1, y1 = grid[k : k + 4]
            builder.add_region(page, name, x0 * width, y0 * height, x1 * width, y1 * height, ("line {}", line))
