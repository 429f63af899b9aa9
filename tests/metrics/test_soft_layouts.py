"""Soft scores of layouts: by hand, and against maps of all pixels and the tensor method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.shapes import Outline
from support.generated_pages import layouts, random_layouts
from support.layouts import build, with_shapes
from support.pixel_loop import LABELS, score_map, scores_of_maps

AVERAGES = ["micro", "macro", "weighted", "samples", None]
NAMES = ["precision", "recall", "f_beta", "dice"]
ONE = {"p": (10, 10)}

quarters = st.integers(-8, 40).map(lambda n: n / 4)
scored_box = st.tuples(
    st.sampled_from(LABELS), quarters, quarters, quarters, quarters, st.sampled_from([0.0, 0.125, 0.5, 0.9, 1.0, None])
)
page = st.tuples(
    st.tuples(st.integers(1, 8), st.integers(1, 8)), st.lists(scored_box, max_size=6), st.lists(scored_box, max_size=6)
)


def values(scores):
    return [scores[name] for name in NAMES]


def test_the_two_page_example_by_hand(two_pages):
    c = lcm.compare(*two_pages)
    # title 76 of 80 and 76; paragraph 72 of 80 and 126; picture 40 of 160 and 40; table 28 of 50 and 156
    assert c.soft("micro")["f_beta"] == pytest.approx(2 * 216 / (450 + 406)) == pytest.approx(0.504673, abs=1e-6)
    by_label = c.soft(average=None)
    np.testing.assert_allclose(by_label["f_beta"], [152 / 156, 144 / 206, 0, 80 / 200, 56 / 206, 0])
    np.testing.assert_allclose(by_label["precision"], [1, 72 / 126, np.nan, 1, 28 / 156, 0])
    np.testing.assert_allclose(by_label["recall"], [0.95, 0.9, 0, 0.25, 0.56, np.nan])
    assert c.soft() == c.soft("macro") and c.soft()["f_beta"] == pytest.approx(0.390872, abs=1e-6)
    assert c.soft()["f_beta"] == pytest.approx(by_label["f_beta"].mean())
    assert c.soft("micro", beta=2)["f_beta"] == pytest.approx(5 * 216 / (4 * 450 + 406))
    # title: 2 x 76 over 80 + 80 x .95 squared
    assert by_label["dice"][0] == pytest.approx(152 / (80 + 80 * 0.95**2))
    pages = [188 * 2 / (400 + 76 + 126 + 128 + 40), 28 * 2 / (50 + 28 + 8)]
    assert c.soft("samples")["f_beta"] == pytest.approx(np.mean(pages))
    assert c.soft("micro", page="p2")["f_beta"] == pytest.approx(pages[1])
    assert c.soft("samples", document="p1")["f_beta"] == pytest.approx(pages[0])


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
@given(pages=st.lists(page, min_size=1, max_size=3), beta=st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=60, deadline=None)
def test_layout_scores_are_equal_to_those_of_pixel_maps(rounding, pages, beta):
    c = lcm.compare(*layouts(pages, LABELS), rounding=rounding)
    if rounding == "exact":  # all box edges are on the lines of a grid that is four times as fine
        pages = [
            (
                (4 * w, 4 * h),
                *([(label, *(4 * v for v in corners), s) for label, *corners, s in side] for side in sides),
            )
            for (w, h), *sides in pages
        ]
    grid = "outer" if rounding == "exact" else rounding
    for average in AVERAGES:
        found = values(c.soft(average, beta))
        np.testing.assert_allclose(found, scores_of_maps(pages, grid, average, beta), rtol=1e-9, atol=1e-9)
    for i, generated in enumerate(pages):
        found = values(c.soft("micro", beta, page=f"page {i}"))
        np.testing.assert_allclose(found, scores_of_maps([generated], grid, "micro", beta), rtol=1e-9, atol=1e-9)


@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_soft_of_a_comparison_is_soft_scores_of_its_maps(pages):
    """`c.soft` and `soft_scores` agree if every label occurs."""
    pages = [((8, 8), *sides) for _, *sides in pages]
    pages.append(((8, 8), [(label, 0, 0, 1, 1, None) for label in LABELS], []))
    maps = [np.stack([score_map(sides[k], 8, 8, "outer") for _, *sides in pages]) for k in (0, 1)]
    c = lcm.compare(*layouts(pages, LABELS))
    for average in ("micro", "macro", "weighted", None):
        found = np.nan_to_num(values(c.soft(average)))  # n/a is 0 in arrays
        np.testing.assert_allclose(found, values(lcm.soft_scores(*maps, average)), rtol=1e-9)


@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_without_scores_they_are_equal_to_the_tensor_method(pages):
    """Method tensor gives true recall and precision of multi-label pixels, and so do soft scores of 0 and 1."""
    unscored = [(size, *([(*box[:5], None) for box in side] for side in sides)) for size, *sides in pages]
    c = lcm.compare(*layouts(unscored, LABELS))
    for kind in ("micro", "macro"):
        soft, tensor = c.soft(kind), c.confusion(method="tensor").average(kind)
        # Soft F-beta is defined where one side has the label, F1 of the tensor where both have it, or in a mean.
        found = np.nan_to_num([soft["precision"], soft["recall"], soft["f_beta"]])
        np.testing.assert_allclose(found, np.nan_to_num(list(tensor.values())), rtol=1e-12, atol=1e-12)


def test_scores_count_on_both_sides_and_the_highest_wins():
    gt = build(ONE, [("p", "a", 0, 0, 10, 10, 0.5)])
    pred = build(ONE, [("p", "a", 0, 0, 10, 5, 0.2), ("p", "a", 0, 0, 10, 10, 0.4), ("p", "a", 0, 0, 5, 10, 0.8)])
    soft = lcm.compare(gt, pred).soft("micro")
    # pred is 0.8 on one half of the page and 0.4 on the other, gt is 0.5 everywhere
    assert soft["precision"] == pytest.approx(30 / 60) and soft["recall"] == pytest.approx(30 / 50)
    assert soft["dice"] == pytest.approx(60 / (25 + 50 * 0.64 + 50 * 0.16))


def test_soft_scores_use_the_options_of_the_comparison():
    gt = build({"p": (10, 10), "q": (10, 10)}, [("p", "a", 0, 0, 10, 5), ("q", "a", 0, 0, 10, 5)])
    pred = build({"p": (20, 20)}, [("p", "A", 0, 0, 20, 10, 0.8), ("p", "A", 0, 10, 20, 20, 0.1)])
    plain = lcm.compare(gt, pred, mapping={"pred": {"A": "a"}})
    assert plain.soft("micro")["precision"] == pytest.approx(40 / 45)
    assert plain.soft("micro")["recall"] == pytest.approx(40 / 100)
    strict = lcm.compare(gt, pred, taxonomy="match-names", min_score=0.5, missing_pages="ignore")
    assert strict.soft("micro")["precision"] == pytest.approx(1)
    assert strict.soft("micro")["recall"] == pytest.approx(0.8)


def test_outlines_count_only_their_own_pixels():
    triangle = Outline((np.array([[0.0, 0.0], [7.5, 0.0], [0.0, 7.5]]),))
    pred = with_shapes(build({"p": (8, 8)}, [("p", "a", 0, 0, 8, 8, 0.5)]), {0: triangle})
    soft = lcm.compare(build({"p": (8, 8)}, [("p", "a", 0, 0, 8, 8)]), pred).soft("micro")
    covered = sum(x + 0.5 + y + 0.5 < 7.5 for x in range(8) for y in range(8))  # no centre is on the edge
    assert soft["recall"] == pytest.approx(covered * 0.5 / 64)
    assert soft["precision"] == pytest.approx(1)


def test_the_sums_of_pages_and_labels_by_hand():
    pages = {"p": (10, 10), "blank": (10, 10), "q": (10, 10)}
    gt = build(pages, [("q", "b", 0, 0, 4, 5), ("p", "b", 0, 0, 10, 1), ("p", "a", 0, 0, 10, 2)], LABELS)
    pred = build(
        pages, [("p", "a", 0, 1, 10, 4, 0.5), ("q", "c", 0, 0, 1, 8, 0.25), ("q", "a", 0, 0, 9, 9, 0.0)], LABELS
    )
    c = lcm.compare(gt, pred)
    # gt x pred, gt, pred, gt squared, pred squared
    rows = {
        (0, 0): [5, 20, 15, 20, 7.5],  # page p, label a: 20 and 30 pixels, 10 in common
        (0, 1): [0, 10, 0, 10, 0],
        (2, 1): [0, 20, 0, 20, 0],
        (2, 2): [0, 0, 2, 0, 0.5],
    }
    as_rows = lambda sums: dict(zip(zip(sums.page.tolist(), sums.label.tolist()), sums.sums.tolist()))
    assert as_rows(c.sources.soft_sums) == rows
    assert as_rows(c.sources.soft_sums.of_pages(np.array([1, 2]))) == {key: rows[key] for key in ((2, 1), (2, 2))}
    assert as_rows(c.sources.soft_sums.of_pages(np.array([1]))) == {}
    assert (c.sources.soft_sums.page.dtype, c.sources.soft_sums.label.dtype) == (np.int32, np.int32)
    # precision of a, b, c: 5 of 15, none, 0 of 2; of the pages: 5 of 15, 0 of 2
    np.testing.assert_array_equal(c.soft(None)["precision"], [5 / 15, np.nan, 0])
    assert [c.soft(kind)["precision"] for kind in ("micro", "macro", "samples")] == pytest.approx(
        [5 / 17, 1 / 9, 1 / 6]
    )


def test_threads_and_chunks_change_nothing(monkeypatch):
    from layoutcm.metrics import soft_layouts

    sides = random_layouts(11, 40, (90, 70), LABELS)
    whole = lcm.compare(*sides, threads=1).sources.soft_sums
    monkeypatch.setattr(soft_layouts, "PAGES_PER_CHUNK", 3)
    parts = lcm.compare(*sides, threads=3).sources.soft_sums
    np.testing.assert_array_equal(whole.page, parts.page)
    np.testing.assert_array_equal(whole.label, parts.label)
    np.testing.assert_array_equal(whole.sums, parts.sums)


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_soft_sums_use_the_threads_of_the_comparison(threads, two_pages, monkeypatch):
    from layoutcm.metrics import soft_layouts

    used = []

    def in_turn(work, starts, threads):
        used.append(threads)
        return map(work, starts)

    monkeypatch.setattr(soft_layouts, "map_chunks", in_turn)
    assert lcm.compare(*two_pages, threads=threads).soft("micro")["recall"] == pytest.approx(216 / 450)
    assert used == [threads]


def test_soft_scores_without_a_meaning_are_nan(tmp_path):
    gt = build(ONE, [("p", "a", 0, 0, 10, 10), ("p", "b", 0, 0, 1, 1)])
    other = build(ONE, [("p", "x", 0, 0, 10, 10, 0.5)])
    percent = build(ONE, [("p", "a", 0, 0, 10, 10, 87.0), ("p", "a", 0, 0, 10, 10, -3.0)])
    for pred in (other, percent):
        c = lcm.compare(gt, pred)
        for average in AVERAGES:
            assert np.isnan(values(c.soft(average))).all()
        assert {type(value) for average in ("micro", "macro", "samples") for value in values(c.soft(average))} == {
            float
        }
        assert [found.shape for found in values(c.soft(average=None))] == [(len(c.labels) - 1,)] * 4
    (finding,) = (finding for finding in c.findings if finding.code == "score-range")
    assert finding.count == 2 and "87" in finding.message
    assert not np.isnan(lcm.compare(gt, build(ONE, [("p", "a", 0, 0, 10, 10, 1.0000001)])).soft()["dice"])
    empty = build({}, [])
    assert np.isnan(values(lcm.compare(empty, empty).soft("micro"))).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"average": "mean"}, "average: 'mean' is not known"),
        ({"beta": "x"}, "beta: 'x' is not a number of 0 or more"),
        ({"page": "zzz"}, "there is no page 'zzz'"),
        ({"page": "p1", "document": "p1"}, "both are given"),
    ],
)
@pytest.mark.parametrize("taxonomy", ["same", "different"])  # which has no soft scores
def test_wrong_options_of_a_comparison_are_named(two_pages, options, words, taxonomy):
    with pytest.raises(lcm.InputError, match=words):
        lcm.compare(*two_pages, taxonomy=taxonomy).soft(**options)


def test_without_pred_there_is_no_soft_precision():
    """gt has a on both pages, pred on the first; nobody uses b. A mean counts n/a as 0, unless nothing is defined."""
    sizes = {"p": (10, 10), "q": (10, 10)}
    gt = build(sizes, [("p", "a", 0, 0, 10, 10), ("q", "a", 0, 0, 10, 10)], "ab")
    c = lcm.compare(gt, build(sizes, [("p", "a", 0, 0, 10, 10, 0.5)], "ab"))
    for kind in ("micro", "macro", "weighted", "samples"):
        np.testing.assert_array_equal(values(c.soft(kind, page="q")), [np.nan, 0, 0, 0])
    np.testing.assert_array_equal(c.soft(None)["precision"], [1, np.nan])
    assert c.soft("samples")["precision"] == 0.5


def test_scores_a_little_outside_0_to_1_are_clamped():
    gt = build(ONE, [("p", "a", 0, 0, 10, 10)])
    for score, expected in ((1.0009, 1), (-0.0009, 0), (1.002, np.nan)):
        pred = build(ONE, [("p", "a", 0, 0, 10, 10, score)])
        outline = with_shapes(pred, {0: Outline((np.array([[0.0, 0], [10, 0], [10, 10], [0, 10.0]]),))})
        recalls = [lcm.compare(gt, one).soft("micro")["recall"] for one in (pred, outline)]
        np.testing.assert_array_equal(recalls, [expected, expected])
