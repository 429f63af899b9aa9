"""Test files: the same pages in the format of every tool, written without the package that is tested.

Most formats of JSON and XML are documents in formats.yaml, which are filled with the pages. For other formats, a writer
is a function for one page or for all pages, below `per_page`, `one_file` or `several_files`. What a format cannot store
(a score, a document) is left out.
"""

import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import yaml

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


def region_values(page, i, label, box, score):
    """The names that a document of formats.yaml can use for a region, with their values.

    $box and $corners are in pixels, also as $x0, $y0, $x1, $y1, $w, $h; $left, $top, $wide and $high are fractions of
    the page, with 100 at the end in per cent. $i is the region's place on its page, $number that of its label.
    """
    x0, y0, x1, y1 = box
    left, top, right, bottom = fractions = page.parts(box)
    percents = [100 * part for part in fractions]
    grid = dict(zip(("grid_x0", "grid_y0", "grid_x1", "grid_y1"), page.whole_parts(box, 500)))
    return {
        "i": i, "count": i + 1, "label": label, "lower": label.lower(), "upper": label.upper(),
        "number": LABELS.index(label), "score": score, "percent": score and 100 * score,
        "x0": x0, "y0": y0, "x1": x1, "y1": y1, "w": x1 - x0, "h": y1 - y0, "box": list(box),
        "centre_x": (x0 + x1) / 2, "centre_y": (y0 + y1) / 2, "corners": corners(box),
        "corner_numbers": corner_numbers(box), "thousandths": page.whole_parts(box, 1000), "fractions": fractions,
        "left": left, "top": top, "wide": right - left, "high": bottom - top,
        "left100": percents[0], "top100": percents[1], "wide100": percents[2] - percents[0],
        "high100": percents[3] - percents[1],
        "fraction_points": [{"x": x, "y": y} for x, y in corners(fractions)],
    } | grid  # fmt: skip


def page_values(p, page):
    """The names of a page with their values; `region` are those of its regions."""
    own = {"name": page.name, "p": p, **page.size}
    return own | {"region": [own | region_values(page, i, *region) for i, region in enumerate(page.regions)]}


def all_values(pages):
    """What a document of all pages can use: `each page`, `each region`, which has its number $n, and `each label`."""
    found = list(itertools.starmap(page_values, enumerate(pages)))
    regions = [region for page in found for region in page["region"]]
    labels = [{"label": label, "number": i} for i, label in enumerate(LABELS)]
    return {"page": found, "region": [region | {"n": n} for n, region in enumerate(regions)], "label": labels}


def fill(part, values):
    """A part of a document with its names replaced, and with `each …` repeated."""
    if isinstance(part, str):
        return values[part[1:]] if part[:1] == "$" and part[1:] in values else Template(part).substitute(values)
    if isinstance(part, list):
        return [fill(*entry) for one in part for entry in entries(one, values)]
    if isinstance(part, dict):
        return {fill(key, own): fill(value, own) for one, own in entries(part, values) for key, value in one.items()}
    return part


def entries(part, values):
    """[(part, values)] of an entry, for `each …` of every page, region or label."""
    for name in ("page", "region", "label"):
        if isinstance(part, dict) and f"each {name}" in part:
            return [(part[f"each {name}"], values | one) for one in values[name]]
    return [(part, values)]


def fill_text(values, text, region, between="", kinds=None):
    """The text of a page, with the texts of its regions."""
    regions = [fill(region, one | (kinds or {}).get(one["label"], {})) for one in values["region"]]
    return fill(text, values | {"regions": between.join(regions)})


def add_document(format, file, content=None, blank=True, as_lines=False, **text):
    """Add the writer of a document of formats.yaml."""
    if text:
        per_page(format, file, blank)(lambda page: fill_text(page_values(0, page), **text))
    elif "{}" in file:
        per_page(format, file, blank)(lambda page: fill(content, page_values(0, page)))
    else:
        to_file = lines if as_lines else as_bytes
        one_file(format, file)(lambda pages: to_file(fill(content, all_values(pages))))


for format, document in yaml.safe_load(Path(__file__).with_name("formats.yaml").read_text("utf-8")).items():
    add_document(format, **document)


def written(format):
    """PAGES in a format: {file name: bytes}."""
    return writers()[format](PAGES)


def writers():
    from written import hf, markup, models, tools  # noqa: F401

    return WRITERS
