"""Test files: the same pages in the format of every tool, written without the package that is tested.

A writer is a function for one page or for all pages, below `per_page`, `one_file` or `several_files`. What a format
cannot store (a score, a document) is left out.
"""

import json
from dataclasses import dataclass, field

WRITERS = {}  # {format: function that turns pages into {file name: bytes}}


@dataclass(frozen=True)
class Page:
    """One page: name without suffix, size, and regions (label, (x0, y0, x1, y1), score or None)."""

    name: str
    width: int
    height: int
    regions: list = field(default_factory=list)

    @property
    def size(self):
        return {"width": self.width, "height": self.height}

    def parts(self, box, parts=1):
        """The box in parts of the page's sides: 1000 for thousandths, 1 for fractions."""
        return [value * parts / side for value, side in zip(box, (self.width, self.height) * 2)]

    def whole_parts(self, box, parts):
        return [round(value) for value in self.parts(box, parts)]


# Whole pixels, labels that every format can write, one blank page, one pair of overlapping regions.
PAGES = [
    Page("report_p1", 1000, 500, [
        ("Title", (100, 50, 900, 100), 0.9), ("Text", (100, 150, 500, 450), 0.8), ("Table", (450, 150, 900, 400), 0.7),
    ]),
    Page("report_p2", 1000, 500, [("Text", (100, 50, 900, 450), 0.5)]),
    Page("report_p3", 500, 1000, []),
    Page("letter_p1", 500, 1000, [("Text", (50, 100, 450, 300), 1.0), ("Picture", (50, 400, 450, 900), 0.25)]),
]  # fmt: skip
LABELS = ["Title", "Text", "Table", "Picture"]


def as_bytes(value):
    """Bytes and text as they are, any other value as JSON."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    return text if isinstance(text, bytes) else text.encode()


def per_page(format, name="{}.json", blank=True):
    """Add a writer of one file for each page. A file without regions is left out if it could be of any tool."""

    def add(write_page):
        WRITERS[format] = lambda pages: {
            name.format(page.name): as_bytes(write_page(page)) for page in pages if blank or page.regions
        }
        return write_page

    return add


def one_file(format, name):
    """Add a writer of one file for all pages."""

    def add(write):
        WRITERS[format] = lambda pages: {name: as_bytes(write(pages))}
        return write

    return add


def several_files(format):
    """Add a writer that returns {file name: content} itself."""

    def add(write):
        WRITERS[format] = lambda pages: {name: as_bytes(value) for name, value in write(pages).items()}
        return write

    return add


def corners(box):
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def corner_numbers(box):
    return [value for corner in corners(box) for value in corner]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def written(format):
    """PAGES in a format: {file name: bytes}."""
    return writers()[format](PAGES)


def writers():
    from written import coco_tables_voc, hf, markup, models, parsers, services, tools, vlm  # noqa: F401

    return WRITERS
