"""Causes of wrong pixels, pairs of regions and border slack: pages one can count, and a loop over all pixels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis import border_slack
from layoutcm.diagnosis.border_slack import quick_slack
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.paired_regions import paired_regions
from layoutcm.diagnosis.pairing_kernel import NO_PARTNER, STATUSES
from layoutcm.metrics.levels import pages_of
from support.causes_loop import box_pixels, causes_of_page, gt_status_of, pairs, pred_status_of
from support.comparisons import compare_sample
from support.layouts import build

PAGE = {"p": (100, 100)}  # a tolerance of 0.02 is 2 px
NAMES = ["a", "b", "c"]


def compared(gt, pred, sizes=PAGE, **options):
    rows = [[("p", *row) for row in side] for side in (gt, pred)]
    return lcm.compare(*(build(sizes, side, NAMES) for side in rows), **options)


def causes(gt, pred, tolerance=0.02, **options):
    """{cause: {cell: pixels}} without zeros; the causes of every cell add up to the cell."""
    c = compared(gt, pred, **options)
    found = c.causes(tolerance=tolerance)
    wrong = c.confusion().values.copy()
    np.fill_diagonal(wrong, 0)
    np.testing.assert_allclose(found.values.sum(axis=0), wrong, atol=1e-9)
    cells = {}
    for cause, i, j in zip(*np.nonzero(found.values)):
        cells.setdefault(CAUSES[cause], {})[c.labels[i], c.labels[j]] = float(found.values[cause, i, j])
    return cells


BOX, MISSED = ("a", 10, 10, 50, 50), ("a", "Background")
WHOLE, HALVES = [("a", 0, 0, 40, 20)], [("a", 0, 0, 19, 20), ("a", 21, 0, 40, 20)]
PICTURE, CAPTION = ("a", 0, 0, 80, 80), ("b", 20, 60, 60, 70)
THREE = [("a", 0, 0, 40, 40), ("b", 10, 10, 20, 20), ("c", 5, 30, 90, 60)]
PAGES = {
    "a box that is a little too narrow": ([BOX], [("a", 10, 10, 48, 50)], 0.02, {"slack": {MISSED: 2 * 40}}),
    # Of the three columns of the strip, only the middle one and the ends of the others are within 2 px of both borders.
    "a strip wider than the tolerance": ([BOX], [("a", 10, 10, 47, 50)], 0.02,
        {"slack": {MISSED: 40 + 2 * 2}, "size": {MISSED: 2 * 40 - 2 * 2}}),
    "the area outside the page is Background":
        ([("a", 50, 0, 100, 100)], [("a", 50, 0, 98, 100)], 0.02, {"slack": {MISSED: 2 * 100}}),
    "a tolerance of zero forgives nothing": ([BOX], [("a", 10, 10, 48, 50)], 0, {"size": {MISSED: 2 * 40}}),
    "partners with different labels": ([BOX], [("b", *BOX[1:])], 0.02, {"label": {("a", "b"): 40 * 40}}),
    "a region in two halves": (WHOLE, HALVES, 0, {"split": {MISSED: 2 * 20}}),
    "two regions in one": (HALVES, WHOLE, 0, {"merge": {("Background", "a"): 2 * 20}}),
    "a second region on a found one": ([("a", 0, 0, 40, 40)], [("a", 0, 0, 40, 40), ("b", 5, 5, 40, 40)], 0,
        {"duplicate": {("a", "b"): 35 * 35 / 2}}),
    "a missed caption inside a picture": ([PICTURE, CAPTION], [PICTURE], 0, {"missed": {("b", "a"): 40 * 10}}),
    "an invented caption": ([PICTURE], [PICTURE, CAPTION], 0, {"invented": {("a", "b"): 40 * 10 / 2}}),
    "a region far away": ([("a", 0, 0, 20, 20)], [("a", 60, 60, 80, 80)], 0.02,
        {"missed": {MISSED: 400}, "invented": {("Background", "a"): 400}}),
    "gt against itself": (THREE, THREE, 0.02, {}),
}  # fmt: skip


@pytest.mark.parametrize(("gt", "pred", "tolerance", "expected"), PAGES.values(), ids=PAGES)
def test_pages_that_one_can_count(gt, pred, tolerance, expected):
    assert causes(gt, pred, tolerance) == expected


@pytest.mark.parametrize("grown", [1, 2])
def test_grown_regions_far_apart_have_only_slack(grown):
    gt = [("a", 10, 10, 30, 30), ("b", 50, 10, 70, 40), ("c", 10, 60, 90, 80)]
    pred = [(label, x0 - grown, y0 - grown, x1 + grown, y1 + grown) for label, x0, y0, x1, y1 in gt]
    assert set(causes(gt, pred)) == {"slack"}


def test_pixels_that_are_not_judged_have_no_cause():
    gt = build(PAGE, [("p", "a", 0, 0, 40, 40), ("p", "skip", 20, 0, 60, 40)], ["a", "skip"])
    pred = build(PAGE, [("p", "a", 0, 0, 10, 40)], ["a"])
    c = lcm.compare(gt, pred, mapping={"gt": {"skip": "Ignore"}})
    found = c.causes(tolerance=0)
    # Of the region, 20 columns are judged; pred has the first half of them, which is no IoU above 1/2.
    assert found.totals == dict.fromkeys(CAUSES, 0.0) | {"size": 10 * 40}


def test_causes_by_label_by_page_and_by_document():
    sizes = {f"d_{i}": (100, 100) for i in range(3)}
    gt = build(sizes, [(page, "a", 10, 10, 50, 50) for page in sizes], NAMES)
    pred = build(sizes, [("d_0", "a", 10, 10, 48, 50), ("d_1", "b", 10, 10, 50, 50)], NAMES)
    c = lcm.compare(gt, pred)
    total, pages = c.causes(), [c.causes(page=page) for page in sizes]
    np.testing.assert_allclose(sum(one.values for one in pages), total.values)
    of_document = sum(c.causes(page=page).values for page in np.array(c.pages)[pages_of(c.levels, c.documents[0])])
    np.testing.assert_allclose(c.causes(document=c.documents[0]).values, of_document)
    table = total.by_label().set_index(["side", "class"])
    # The tolerance is 1 px: of the two columns that pred lacks, only the two corners are near both borders.
    expected = {"slack": 2, "size": 78, "label": 1600, "missed": 1600}
    assert table.loc[("gt", "a")].to_dict() == dict.fromkeys(CAUSES, 0.0) | expected
    assert table.loc[("pred", "b"), "label"] == 1600
    behind = c.pages_behind("a", "Background", cause="missed")
    assert behind.to_dict("records") == [{"page": "d_2", "document": c.documents[-1], "pixels": 1600, "share": 1}]


def test_forgiveness_moves_slack_to_the_diagonal():
    c = compared([("a", 10, 10, 50, 50)], [("a", 10, 10, 48, 50)])
    table = c.forgiveness((0, 0.02))
    assert table.columns.tolist() == ["tolerance", "micro_f1", "macro_f1", "content_f1"]
    plain = 2 * 1520 / (1600 + 1520)
    np.testing.assert_allclose(table[["micro_f1", "macro_f1", "content_f1"]], [[plain] * 3, [1] * 3])


@pytest.mark.parametrize("tolerance", [-1, 2, "x", float("nan")])
def test_a_wrong_tolerance_is_an_input_error(tolerance):
    with pytest.raises(lcm.InputError, match="tolerance"):
        compared([("a", 10, 10, 50, 50)], []).causes(tolerance=tolerance)


spot = st.tuples(st.sampled_from(NAMES), st.integers(0, 14), st.integers(0, 14), st.integers(1, 9), st.integers(1, 9))
shift = st.tuples(*[st.integers(-2, 2)] * 4, st.sampled_from([*NAMES, "", "", ""]))


@st.composite
def pages(draw):
    """Pred is gt with moved edges, other labels, losses, halves and repetitions, and some boxes of its own."""
    width, height = draw(st.integers(3, 18)), draw(st.integers(3, 18))
    clip = lambda x, y, u, v: (min(max(x, 0), width), min(max(y, 0), height), min(u, width), min(v, height))
    boxes = lambda found: [(label, *clip(x, y, x + w, y + h)) for label, x, y, w, h in found]
    gt, pred = boxes(draw(st.lists(spot, max_size=5))), boxes(draw(st.lists(spot, max_size=2)))
    for label, x0, y0, x1, y1 in gt:
        kind, (a, b, c, d, other) = draw(st.sampled_from(["lost", "moved", "moved", "halves", "twice"])), draw(shift)
        moved = (other or label, *clip(x0 + a, y0 + b, x1 + c, y1 + d))
        middle = (x0 + x1) // 2
        halves = [(label, x0, y0, middle, y1), (label, middle, y0, x1, y1)]
        pred += {"lost": [], "moved": [moved], "halves": halves, "twice": [moved, (label, x0, y0, x1, y1)]}[kind]
    filled = lambda rows: [row for row in rows if row[1] < row[3] and row[2] < row[4]]
    return (width, height), filled(gt), filled(pred)


@settings(max_examples=150, deadline=None)
@given(pages(), st.sampled_from([0, 0.05, 0.1, 0.2]))
def test_generated_pages_equal_the_loop_over_all_pixels(page, tolerance):
    (width, height), gt, pred = page
    c = compared(gt, pred, {"p": (width, height)}, taxonomy="same")
    found = causes(gt, pred, tolerance, sizes={"p": (width, height)}, taxonomy="same")
    assert quick_slack(c.sources.causes, tolerance) == pytest.approx(sum(found.get("slack", {}).values()))
    regions = [[(label, box_pixels(*box)) for label, *box in side] for side in (gt, pred)]
    expected = causes_of_page(*regions, width, height, tolerance)
    for cause in CAUSES:
        assert found.get(cause, {}) == pytest.approx(dict(expected[cause]), abs=1e-9)


def shares(c):
    """The share counted quickly, and the one of the causes."""
    totals = c.causes().totals
    c.sources.causes.kept.clear()
    return c.border_slack(), totals["slack"] / sum(totals.values())


@pytest.mark.parametrize("rounding", ["outer", "exact"])
def test_the_sample_has_the_share_of_its_causes(rounding):
    quick, exact = shares(compare_sample(rounding=rounding))
    assert quick == pytest.approx(exact, abs=1e-12) and 0.2 < exact < 0.5


def test_a_page_that_one_can_count():
    box = ("p", "a", 10, 10, 50, 50)
    gt, pred = build(PAGE, [box]), build(PAGE, [("p", "a", 10, 10, 49, 50), ("p", "a", 90, 0, 94, 10)])
    # 40 pixels beside the border, and 40 in a region that is not there: gt has no `a` near it.
    assert lcm.compare(gt, pred).border_slack() == 40 / (40 + 40)


def test_pages_and_documents_have_their_own_share():
    c = compare_sample()
    page, document = c.pages[0], c.documents[-1]
    for level in ({"page": page}, {"document": document}):
        totals = c.causes(**level).totals
        assert c.border_slack(**level) == pytest.approx(totals["slack"] / sum(totals.values()))
    c.causes()  # from now on it is taken from the causes of all pages
    assert c.border_slack(page=page) == pytest.approx(compare_sample().border_slack(page=page))


@pytest.mark.parametrize("labels", [3, 15, 16, 70])
def test_pages_with_many_labels_and_pixels_that_are_not_judged(labels):
    rng = np.random.default_rng(labels)
    names = [f"n{i}" for i in range(labels)]
    start, size = rng.integers(0, 80, (labels, 2)), rng.integers(5, 20, (labels, 2))
    boxes = np.hstack([start, start + size])
    moved = boxes + rng.integers(-2, 3, boxes.shape).clip(-boxes, 100 - boxes)
    rows = [("p", name, *box) for name, box in zip(names, boxes)]
    gt = build(PAGE, [*rows, ("p", "skip", 0, 0, 40, 30)], [*names, "skip"])
    pred = build(PAGE, [("p", name, *box) for name, box in zip(names, moved)], names)
    quick, exact = shares(lcm.compare(gt, pred, mapping={"gt": {"skip": "Ignore"}}))
    assert quick == pytest.approx(exact, abs=1e-12) and quick > 0


def test_it_is_not_counted_where_that_would_take_long(monkeypatch):
    c = compare_sample()
    monkeypatch.setattr(border_slack, "MOST_PAGES", 2)
    assert c.border_slack() is None
    c = compare_sample()
    c.causes()  # counted anyway, so that it is known
    assert c.border_slack() > 0


def test_without_errors_or_with_different_labels_there_is_none():
    a, b = build(PAGE, [("p", "a", 0, 0, 9, 9)]), build(PAGE, [("p", "b", 0, 0, 9, 9)])
    assert math.isnan(lcm.compare(a, a).border_slack()) and math.isnan(lcm.compare(a, b).border_slack())


box = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 9), st.integers(1, 9))
region = st.tuples(st.sampled_from("ab"), box.map(lambda b: (b[0], b[1], min(b[0] + b[2], 12), min(b[1] + b[3], 12))))
side = st.lists(region, max_size=5)
page = st.tuples(side, side, st.lists(region.map(lambda one: one[1]), max_size=2))


def plain(gt, pred, ignored):
    """[(side, number in the file, partner, status)] of the regions of a page that have pixels."""
    hidden = set().union(*(box_pixels(*box) for box in ignored))
    sides = [[(k, label, box_pixels(*box) - hidden) for k, (label, box) in enumerate(own)] for own in (gt, pred)]
    sides = [[one for one in own if one[2]] for own in sides]
    numbers = [[one[0] for one in own] for own in sides]
    regions = [[one[1:] for one in own] for own in sides]
    partners = pairs(*regions)
    rows = []
    for which, status_of in enumerate((gt_status_of, pred_status_of)):
        for i, number in enumerate(numbers[which]):
            partner = partners[which][i]
            status = status_of(i, *regions, *partners) or "paired"
            rows.append((which, number, None if partner is None else numbers[1 - which][partner], status))
    return rows


@settings(max_examples=150, deadline=None)
@given(st.lists(page, min_size=1, max_size=3))
def test_generated_pages_equal_sets_of_pixels(pages):
    sizes = {f"p{i}": (12, 12) for i in range(len(pages))}
    rows = [[], []]
    starts = []
    for i, (gt, pred, ignored) in enumerate(pages):
        starts.append([len(own) for own in rows])
        rows[0] += [(f"p{i}", label, *box) for label, box in gt] + [(f"p{i}", "skip", *box) for box in ignored]
        rows[1] += [(f"p{i}", label, *box) for label, box in pred]
    layouts = [build(sizes, own, ["a", "b", "skip"]) for own in rows]
    c = lcm.compare(*layouts, mapping={"gt": {"skip": "Ignore"}}, taxonomy="same")
    found = paired_regions(c.sources.causes)
    own_row = [int(c.alignment.mapped.rows[which][row]) for which, row in zip(found.side, found.row)]
    expected = [(i, *one) for i, one_page in enumerate(pages) for one in plain(*one_page)]
    actual = []
    for k, status in enumerate(found.status):
        if STATUSES[status] == "empty":
            continue
        i, which, partner = int(found.page[k]), int(found.side[k]), found.partner[k]
        other = None if partner == NO_PARTNER else own_row[partner] - starts[i][1 - which]
        actual.append((i, which, own_row[k] - starts[i][which], other, STATUSES[status]))
    assert actual == expected
