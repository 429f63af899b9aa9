"""Hypothesis strategy for layouts with everything that a layout can hold, and a comparison of all of it."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from layoutcm.layouts.model import CocoFacts, Pages, Regions
from layoutcm.layouts.page_attributes import OWN_COLUMNS
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.validation import FileIds, make_layout, set_labels_aside
from support.one_layout import FINDINGS

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
    lambda name: name.strip() and name.casefold() != "background"
)
TEXTS = st.just("") | NAMES
NUMBERS = st.floats(0, 100, allow_subnormal=False)
KEYS = st.integers(-5, 2**40) | NAMES | st.integers(0, 9).map(lambda n: n + 0.5)
WIDTH, HEIGHT = 90.5, 120.0


def _column(draw, values, n):
    return [draw(values) for _ in range(n)]


@st.composite
def pages(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    n = len(names)
    attributes = draw(st.lists(NAMES.filter(lambda name: name not in OWN_COLUMNS), max_size=3, unique=True))
    return Pages(
        tuple(names),
        np.full(n, WIDTH),
        np.full(n, HEIGHT),
        tuple(_column(draw, TEXTS, n)),
        np.array(_column(draw, st.integers(-1, 9), n), np.int32),
        {name: tuple(_column(draw, TEXTS, n)) for name in attributes},
    )


@st.composite
def shapes(draw):
    if draw(st.booleans()):
        filled = draw(st.integers(1, 80))
        return RunMask(9, 10, np.array([5, filled, 85 - filled]))
    x, y = draw(NUMBERS), draw(NUMBERS)
    return Outline(tuple(np.array([[x, y], [x + 5, y + 1], [x + i, y + 9.5]]) for i in range(draw(st.integers(1, 2)))))


@st.composite
def regions(draw, pages, labels):
    """Some boxes are inverted, some without area, some beyond the page."""
    n = draw(st.integers(0, 7))
    moves = st.floats(0, 40, allow_subnormal=False) | st.sampled_from([0.0, -3.0])
    corners = np.array(_column(draw, st.tuples(NUMBERS, NUMBERS), n)).reshape(n, 2)
    sizes = np.array(_column(draw, st.tuples(moves, moves), n)).reshape(n, 2)
    scores = st.floats(-0.5, 1.5) | st.just(np.nan) if draw(st.booleans()) else st.just(np.nan)
    flags = np.array(_column(draw, st.booleans(), 2 * n), bool).reshape(2, n)
    areas = np.array(_column(draw, NUMBERS | st.just(np.nan), n), float)
    return Regions(
        np.array(_column(draw, st.integers(0, len(pages) - 1), n), np.int32),
        np.array(_column(draw, st.integers(0, len(labels) - 1), n), np.int32),
        np.hstack([corners, corners + sizes]),
        np.array(_column(draw, scores, n), float),
        {i: draw(shapes()) for i in range(n) if draw(st.booleans())},
        CocoFacts(flags[0], areas, sizes) if draw(st.booleans()) else None,
        flags[1] if flags[1].any() else None,
    )


@st.composite
def full_layouts(draw):
    its_pages = draw(pages())
    labels = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    keys = draw(st.lists(KEYS, max_size=len(its_pages), unique=True))
    label_keys = draw(st.lists(KEYS, max_size=len(labels), unique=True))
    layout = make_layout(
        "made é.json", "test", labels, its_pages, draw(regions(its_pages, labels)),
        findings=draw(st.lists(st.sampled_from(FINDINGS), unique_by=id)),
        ids=FileIds({key: i for i, key in enumerate(keys)}, {key: i for i, key in enumerate(label_keys)}),
    )  # fmt: skip
    layout = set_labels_aside(layout, draw(st.sampled_from([[], [], labels[1:2]])))
    annotator = draw(TEXTS)
    others = draw(st.lists(NAMES, max_size=2)) if annotator else []
    annotators = tuple(dict.fromkeys([annotator, *others])) if annotator else ()
    return replace(
        layout, annotator=annotator, annotators=annotators, repairs=draw(st.sampled_from([(), ("scale:2",)]))
    )


def page_facts(layout):
    pages = layout.page_columns
    attributes = {name: list(values) for name, values in pages.attributes.items()}
    sizes = pages.widths.tolist(), pages.heights.tolist()
    return [pages.names, pages.documents, pages.numbers.tolist(), list(attributes), attributes, sizes]


def region_facts(regions):
    """The regions in page order, everything about them as text: nan equals nan, and floats are written exactly."""
    if regions is None or not len(regions):
        return []
    order = np.argsort(regions.page, kind="stable").tolist()
    columns = [regions.page, regions.label, regions.boxes, regions.scores, regions.ignored]
    if regions.coco is not None:
        known = regions.boxes[:, 2:] - regions.boxes[:, :2]
        sizes = np.where(np.isnan(regions.coco.sizes), known, regions.coco.sizes)
        columns += [regions.coco.crowd, regions.coco.areas, sizes]
    return [repr([column[i].tolist() for column in columns] + [_shape(regions.shapes.get(i))]) for i in order]


def _shape(shape):
    if isinstance(shape, RunMask):
        return [shape.height, shape.width, shape.runs.tolist()]
    return shape and [ring.tolist() for ring in shape.rings]
