"""Layouts that tests write and read again: generated ones, and what a format should give back."""

import numpy as np
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.model import CocoFacts, Pages, Regions
from layoutcm.layouts.shapes import Outline, RunMask, is_box, shape_box
from layoutcm.layouts.validation import make_layout
from layoutcm.layouts.writers import written, zipped

# Formats that hold every layout, as one file: {name: function from a layout to bytes}.
FULL_WRITERS = {to: lambda layout, to=to: written(layout, to)[0] for to in ("parquet", "csv", "coco")}

ODD = ["../../x", "/etc/passwd", "C:\\a\\b.png", "a\0b", "a\x01b", " a", "a ", "x" * 900, "é" * 400, "a/b/c.png", "./a"]
ODD += ["con", ".hidden", "labels/a", "a.txt/b", "a.xml/b", "A", "a", "a.png", "a.jpg", "test", "classes", "README"]
ODD += [
    "0123abcd-a.png", "a\nb", "a\tb", "a\rb", "<&>\"'", "\u2028", "\x85", "\ufffe", "😀", "a" + "/a" * 300, "a?b.png",
]  # fmt: skip
ODD += ["data.yaml", "latest.png", "\\u0041", "{a};:", "page 2", "page 10", "\U000e0001", "..", "/", "a/..", "\ufeff"]
ODD += ["a?b.png", "__MACOSX/a", "_MACOSX", "Ａ", "e\u0301", "\u00e9", "a-2", " ", "\t", '"', 'a"b', "a,b", "a;b"]
ODD += ["=1+1", "-1", "@x", "\\", "'", "nan", "NA", "0001", "1e5", "true", "\0", "\udce9", "a\r\nb"]
NAMES = st.sampled_from(ODD) | st.text(st.characters(), min_size=1, max_size=6)
PAGE_LABELS = [
    "TextRegion", "TextRegion:heading", "TextRegion:my kind", "ChartRegion:bar", "TextRegion:", "NoiseRegion",
]  # fmt: skip
OTHER_LABELS = ["Text", "Table", "TableCell", " Background", "Caption\0", "Caption\x01", *ODD[:12]]
LABELS = st.sampled_from([*PAGE_LABELS, *OTHER_LABELS]) | st.text(st.characters(), min_size=1, max_size=6)
WIDTHS = st.sampled_from([1.0, 7.0, 100.0, 640.5, 5000.0])
# No fraction is as far from a whole number as readers of percentages round, so that nothing depends on the last digit.
FRACTIONS = st.floats(-50, 700).map(lambda value: round(value, 3) + 0.0003)
POSITIONS = st.sampled_from([0.0, 1.0, 2.5, 3.0, 3.000004, 7.25, 99.0, 100.0, 120.0, -4.0, -0.5, 6000.25]) | FRACTIONS
SCORES = st.sampled_from([np.nan, 0.0, 0.25, 1.0, 0.1 + 0.2, -0.5, 87.5])


def _mask(draw, width, height):
    pixels = draw(st.lists(st.booleans(), min_size=width * height, max_size=width * height))
    flat = np.array(pixels, bool)
    changes = np.flatnonzero(np.diff(flat, prepend=False))
    return RunMask(height, width, np.diff(changes, prepend=0, append=flat.size))


def _ring(draw):
    points = draw(st.lists(st.tuples(POSITIONS, POSITIONS), min_size=3, max_size=6))
    return np.array(points, float)


def _shape(draw, size):
    kinds = ["box", "box", "ring", "rings"]
    if size == (7.0, 7.0):
        kinds += ["mask"]
    kind = draw(st.sampled_from(kinds))
    if kind == "mask":
        return _mask(draw, 7, 7)
    if kind == "box":
        return None
    shape = Outline(tuple(_ring(draw) for _ in range(1 if kind == "ring" else 2)))
    return None if is_box(shape) else shape


@st.composite
def odd_layouts(draw):
    """Layouts with odd names, scores, flags, outlines, masks, fractions, regions outside of the page, attributes."""
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique_by=lambda name: name.strip()))
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    sizes = [draw(st.tuples(WIDTHS, WIDTHS)) for _ in names]
    n, regions_of = draw(st.integers(0, 6)), lambda values: [draw(values) for _ in range(n)]
    page = regions_of(st.integers(0, len(names) - 1))
    shapes = {i: shape for i in range(n) if (shape := _shape(draw, sizes[page[i]])) is not None}
    corners = [[sorted(draw(st.tuples(POSITIONS, POSITIONS))) for _ in range(2)] for _ in range(n)]
    boxes = [(xs[0], ys[0], xs[1], ys[1]) for xs, ys in corners]
    boxes = [shape_box(shapes[i]) if i in shapes else box for i, box in enumerate(boxes)]
    flags = regions_of(st.booleans()) if draw(st.booleans()) else None
    plain = np.array([(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes], float)
    crowd = np.array(regions_of(st.booleans()), bool)
    facts = CocoFacts(crowd, plain + draw(st.sampled_from([0, 5])), np.full((n, 2), np.nan))
    texts = st.sampled_from(["", "x", "0", "1"])
    attributes = draw(st.lists(st.sampled_from(["doc_category", "precedence", "language"]), unique=True, max_size=3))
    pages = Pages(
        tuple(names), *np.array(sizes, float).T.copy(),
        tuple(draw(st.sampled_from(["", "d", *ODD])) for _ in names),
        np.array([draw(st.integers(-1, 3)) for _ in names], np.int32),
        {name: tuple(draw(texts) for _ in names) for name in attributes},
    )  # fmt: skip
    scores = regions_of(SCORES) if draw(st.booleans()) else [np.nan] * n
    regions = Regions(
        np.array(page, np.int32), np.array(regions_of(st.integers(0, len(labels) - 1)), np.int32),
        np.array(boxes, float).reshape(-1, 4), np.array(scores, float), shapes,
        facts if draw(st.booleans()) else None, None if flags is None else np.array(flags, bool),
    )  # fmt: skip
    return make_layout("made", "test", labels, pages, regions)


def read_again(content, to, layout, shapes="polygon"):
    """The layout in what a writer made; pages of YOLO get their sizes by their place in the order of the files."""
    name, data = ("x.zip", zipped(content)) if isinstance(content, dict) else (f"x.{to}", content)
    sizes = None
    if to == "yolo":
        sizes = dict(zip(yolo_names(content), map(tuple, np.stack(layout_sizes(layout), axis=1).tolist())))
    return lcm.read((name, data), shapes=shapes, sizes=sizes)


def layout_sizes(layout):
    return layout.page_columns.widths, layout.page_columns.heights


def yolo_names(files):
    """The names of the pages in the order of writing: without folders, unless two are equal."""
    paths = [name.removeprefix("labels/").removesuffix(".txt") for name in files if name.startswith("labels/")]
    names = [path.rpartition("/")[2] for path in paths]
    return names if len(set(names)) == len(names) else paths
