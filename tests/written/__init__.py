"""Test files: the same pages in the format of every tool, written without the package that is tested.

Every writer takes pages and returns {file name: bytes}. What a format cannot store (a score, a document) is left out.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Page:
    """One page: name without suffix, size, and regions (label, (x0, y0, x1, y1), score or None)."""

    name: str
    width: int
    height: int
    regions: list = field(default_factory=list)


# Whole pixels, labels that every format can write, one blank page, one pair of overlapping regions.
PAGES = [
    Page(
        "report_p1",
        1000,
        500,
        [
            ("Title", (100, 50, 900, 100), 0.9),
            ("Text", (100, 150, 500, 450), 0.8),
            ("Table", (450, 150, 900, 400), 0.7),
        ],
    ),
    Page("report_p2", 1000, 500, [("Text", (100, 50, 900, 450), 0.5)]),
    Page("report_p3", 500, 1000, []),
    Page("letter_p1", 500, 1000, [("Text", (50, 100, 450, 300), 1.0), ("Picture", (50, 400, 450, 900), 0.25)]),
]
LABELS = ["Title", "Text", "Table", "Picture"]


def written(format):
    """PAGES in a format: {file name: bytes}."""
    return writers()[format](PAGES)


def writers():
    from written import coco_tables_voc, hf, markup, models, parsers, services, tools, vlm

    modules = (coco_tables_voc, markup, models, services, hf, vlm, parsers, tools)
    return {name: write for module in modules for name, write in module.WRITERS.items()}
