"""Pages grouped by attributes of the file and by derived ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis.page_groups import DERIVED, LINES, known_attributes, page_columns, page_groups
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
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
