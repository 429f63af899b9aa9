"""Pages grouped by attributes of the file and by derived ones; tiles of a page have exactly its pixels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis.page_groups import DERIVED, LINES, known_attributes, page_columns, page_groups
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.layouts.shapes import Outline
from layoutcm.pixels import counting
from support.generated_pages import layouts, page
from support.layouts import build
from support.paths import SAMPLE


def compared(sizes, regions=(), attributes=None):
    gt = build(sizes, list(regions), ["a", "b"])
    if attributes:
        gt = add_attributes(gt, load_attributes(attributes))
    return lcm.compare(gt, build(sizes, [], ["a", "b"]))


def groups(c, attribute):
    """{group: pages}"""
    found = page_groups(attribute, c.alignment, c.levels)
    return {name: [c.pages[k] for k in np.flatnonzero(found.group == i)] for i, name in enumerate(found.names)}


MANY = [f"v{i:02}" for i in range(60)] + [f"v{i:02}" for i in range(49)]


@pytest.mark.parametrize(("values", "expected"), [
    # Texts are groups, and pages without one are the last.
    (["b", "a", "", "b"], {"a": ["a"], "b": ["b", "b"], "not given": [""]}),
    # Few numbers are groups in their order, more are cut at quartiles.
    (["10", "9", "2", "10"], {"2": ["2"], "9": ["9"], "10": ["10", "10"]}),
    (list("71234568"), {"1 to 2": ["1", "2"], "3 to 4": ["3", "4"], "5 to 6": ["5", "6"], "7 to 8": ["7", "8"]}),
    (["0.5", *["1"] * 6, "2", "3", "4.25", ""],
     {"0.5 to 1": ["0.5", *["1"] * 6], "2": ["2"], "3 to 4.25": ["3", "4.25"], "not given": [""]}),
    (list("12345x"), {one: [one] for one in "12345x"}),
    # The rarest of very many values are one group.
    (MANY, {one: [one, one] for one in MANY[:49]} | {"11 further values": MANY[49:60]}),
], ids=["texts", "few numbers", "numbers", "equal numbers", "numbers and a text", "many"])  # fmt: skip
def test_groups_of_an_attribute(values, expected):
    """One page for each value."""
    pages = {f"p{i}": (10, 10) for i in range(len(values))}
    c = compared(pages, attributes={f"p{i}": {"kind": value} for i, value in enumerate(values)})
    found = [(name, [values[int(page[1:])] for page in own]) for name, own in groups(c, "kind").items()]
    assert found == list(expected.items())


def test_derived_groups():
    c = compared({"tall": (100, 200), "wide": (300, 200), "nearly": (104, 100), "just": (110, 100)})
    assert groups(c, "format") == {"portrait": ["tall"], "landscape": ["wide"], "square": ["nearly", "just"]}
    assert groups(c, "size") == {"104": ["nearly"], "110": ["just"], "200": ["tall"], "300": ["wide"]}
    regions = [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 0, 10, 5), ("p", "b", 0, 2, 5, 6), ("q", "a", 0, 0, 10, 1)]
    c = compared({"p": (10, 10), "q": (10, 10), "r": (10, 10)}, regions)
    assert groups(c, "regions") == {"0": ["r"], "1": ["q"], "2": ["p"]}
    assert groups(c, "content") == {"0 %": ["r"], "10.0 %": ["q"], "55.0 %": ["p"]}


def test_columns_of_a_page_with_a_wide_title_and_a_margin():
    """Two columns below a title; what lies beside them is too narrow for a column."""
    regions = [
        ("p", "a", 0, 0, 100, 30), ("p", "b", 0, 40, 45, 90), ("p", "b", 50, 35, 90, 100), ("p", "b", 91, 0, 100, 100),
    ]  # fmt: skip
    assert page_columns(compared({"p": (100, 100)}, regions).alignment).tolist() == [2]
    # Three side by side on a tenth of the lines are no columns.
    regions = [("p", "a", 0, 10, 100, 100), *(("p", "b", x, 0, x + 20, 8) for x in (0, 30, 60))]
    assert page_columns(compared({"p": (100, 100)}, regions).alignment).tolist() == [1]
    c = compared({"p": (100, 100), "q": (100, 100)}, [("p", "a", 15 * k, 0, 15 * k + 12, 100) for k in range(6)])
    assert groups(c, "columns") == {"0": ["q"], "4 or more": ["p"]}


def columns_by_loop(width, height, boxes):
    """The number of columns of one page, line by line."""
    counts = []
    for k in range(LINES):
        y = (k + 0.5) / LINES * height
        spans = sorted(
            (max(x0, 0), min(x1, width))
            for x0, y0, x1, y1 in boxes
            if y0 <= y < y1 and min(x1, width) - max(x0, 0) >= 0.1 * width
        )
        end, count = -1, 0
        for x0, x1 in spans:
            count += x0 >= end
            end = max(end, x1)
        counts.append(count)
    met = [count for count in counts if count]
    return max((n for n in range(1, 20) if sum(count >= n for count in met) >= max(0.2 * len(met), 1)), default=0)


@settings(deadline=None, max_examples=60)
@given(st.lists(page, min_size=1, max_size=3))
def test_columns_equal_a_loop_over_lines(pages):
    gt, pred = layouts(pages)
    c = lcm.compare(gt, pred)
    boxes = [
        [box for box, at in zip(gt.region_columns.boxes, gt.region_columns.page) if at == i] for i in range(len(pages))
    ]
    expected = [columns_by_loop(*size, own) for (size, *_), own in zip(pages, boxes)]
    assert page_columns(c.alignment).tolist() == expected


def test_columns_of_the_sample():
    gt = lcm.read(SAMPLE / "gt.json", attributes=SAMPLE / "attributes.csv")
    given_columns = np.array(gt.pages["columns"].astype(int))
    found = page_columns(lcm.compare(gt, gt).alignment)
    assert (found == given_columns).sum() == 57  # of 60, as docs/slices.md says


def test_an_unknown_attribute_names_those_that_are_known():
    c = compared({"p": (10, 10)}, attributes={"p": {"kind": "x", "columns": "7"}})
    assert known_attributes(c.levels) == ["kind", "columns", "regions", "content", "format", "size"]
    assert groups(c, "columns") == {"7": ["p"]}  # that of the file
    assert set(DERIVED) == {"regions", "columns", "content", "format", "size"}
    with pytest.raises(lcm.InputError, match=r"'type' is not known\. Use one of kind, columns, regions, content"):
        c.slices("type")


def areas(tiles):
    return np.diff(tiles.y_edges)[:, None] * np.diff(tiles.x_edges)


@pytest.mark.parametrize("rounding", ["outer", "exact"])
@pytest.mark.parametrize("method", ["matrix", "tensor"])
@given(generated=page)
@settings(max_examples=20, deadline=None)
def test_shares_of_tiles_add_up_to_the_matrix_cell(rounding, method, generated):
    c = lcm.compare(*layouts([generated]), rounding=rounding)
    m = c.confusion(method=method)
    tiles = c.page_tiles("page 0")
    for i in range(len(m.labels)):
        for j in range(len(m.labels)):
            shares = tiles.share_of((i, j), method)
            assert (shares[tiles.pair_of_tile] * areas(tiles)).sum() == pytest.approx(m.values[i, j])


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
def test_tiles_of_unusual_pages_are_equal_to_their_pair_counts(rounding):
    """Scaled pages, pages on one side only, scores below the threshold, an outline."""
    gt = build({"a": (30, 20), "only gt": (9, 9), "b": (10, 10)}, [
        ("b", "x", 1, 1, 7.3, 8.5), ("a", "y", 0.4, 2, 20, 11.5), ("only gt", "x", 2, 2, 5, 5), ("b", "y", 3, 0, 9, 4),
    ])  # fmt: skip
    pred = build({"b": (10, 10), "a": (45, 30), "only pred": (8, 6)}, [
        ("a", "y", 1, 3, 33, 17, 0.9), ("only pred", "x", 0, 0, 4.5, 6, 0.8), ("b", "x", 1, 1, 8, 8, 0.2),
        ("b", "y", 0, 0, 9, 9, 0.7), ("a", "x", 5, 5, 40, 28, 0.6),
    ])  # fmt: skip
    pred.region_columns.shapes[3] = Outline((np.array([[0, 0], [9, 0], [0, 9.0]]),))
    c = lcm.compare(gt, pred, rounding=rounding, min_score=0.5, missing_pages="penalise-both")
    assert c.pages == ["a", "only gt", "b", "only pred"]
    for name in c.pages:
        tiles, counted = c.page_tiles(name), c.counts(page=name).merged()
        np.testing.assert_array_equal(tiles.pairs.words, counted.words)
        np.testing.assert_allclose(tiles.pairs.pixels, counted.pixels)


def test_the_two_page_example(two_pages):
    c = lcm.compare(*two_pages)
    tiles = c.page_tiles("p1")
    shares = tiles.share_of(c.cell("picture", "table"))
    assert tiles.rectangles(shares == 0.5).tolist() == [[10, 4, 20, 12]]
    assert tiles.rectangles(shares == 1.0).tolist() == [[10, 12, 20, 20]]
    image = tiles.spread(shares)
    assert image.shape == (20, 20) and image[5, 15] == 0.5 and image[15, 15] == 1 and image[5, 5] == 0
    (pair,) = np.flatnonzero(shares == 0.5)
    assert tiles.set_names(GT, pair) == {"picture"} and tiles.set_names(PRED, pair) == {"picture", "table"}
    assert (tiles.word(GT, pair), tiles.word(PRED, pair)) == (0b10000, 0b110000)
    kinds = tiles.spread(tiles.agreement())
    assert (kinds[0, 0], kinds[15, 0], kinds[15, 15]) == (1, 4, 4)
    second = c.page_tiles("p2").spread(c.page_tiles("p2").agreement())
    assert second[:, 0].tolist() == [1, 1, 1, 1, 2, 0, 3, 3, 0, 0]


def test_scaled_images_have_at_least_one_pixel(two_pages):
    tiles = lcm.compare(*two_pages).page_tiles("p1")
    assert tiles.spread(tiles.agreement(), 0.5).shape == (10, 10)
    assert tiles.spread(tiles.agreement(), 0.01).shape == (1, 1)


def test_a_page_with_too_many_tiles_is_refused_before_they_are_made(monkeypatch):
    rows = [f"p,1000000,1000000,a,{x},{x},{x + 7},{x + 7}" for x in range(0, 99_000, 11)]
    layout = lcm.read(("a.csv", "\n".join(["page,width,height,label,x0,y0,x1,y1", *rows]).encode()))
    c = lcm.compare(layout, layout)
    monkeypatch.setattr(counting, "count_tiles", None)
    with pytest.raises(lcm.InputError, match="a page: its regions divide it into 324,000,000 tiles"):
        c.page_tiles("p")
    assert c.average("micro")["f1"] == 1
