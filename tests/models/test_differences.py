"""Paired differences of two predictions: known answers, and pages that cannot be paired."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics import bootstrap
from support.layouts import build
from support.one_label_pages import one_label_pages
from support.sample_comparisons import compare_sample


@pytest.fixture(scope="module")
def two_models(sample):
    """The first model of the sample data with all regions, and with min_score=0.7."""
    return sample, compare_sample(min_score=0.7)


def test_a_comparison_does_not_differ_from_itself(two_models):
    found = lcm.difference(two_models[0], two_models[0], 50)
    for table in (found.headline, found.classes().dropna(subset="value")):
        assert (table[["value", "low", "high"]] == 0).all(axis=None)
        assert table["other_side"].isna().all()  # a difference of 0 has no other side


def test_a_difference_is_b_minus_a_on_the_same_resamples(two_models):
    a, b = two_models
    found = lcm.difference(a, b, 80, seed=5)
    sums = [bootstrap.resample_sums(bootstrap.unit_sums(c.levels, "matrix"), 80, 5) for c in (a, b)]
    recall_a, recall_b = (bootstrap.figures_of(totals, True)["macro_recall"] for totals in sums)
    resamples = (recall_b - recall_a)[1:]
    value = b.confusion().average("macro")["recall"] - a.confusion().average("macro")["recall"]
    assert value < 0  # fewer pred regions can only lower recall
    expected = [value, *np.quantile(resamples, [0.025, 0.975]), (resamples >= 0).mean()]
    np.testing.assert_allclose(found.figures["macro_recall"], expected, atol=1e-12)
    swapped = lcm.difference(b, a, 80, seed=5).figures["macro_recall"]
    np.testing.assert_allclose(swapped, [-expected[0], -expected[2], -expected[1], expected[3]], atol=1e-12)


def test_a_paired_difference_finds_what_two_intervals_do_not():
    """Scores differ a lot between pages, but b always finds a little more than a."""
    shares = np.tile([0.1, 0.3, 0.5, 0.7], 10)
    a, b = one_label_pages(*shares), one_label_pages(*(shares + 0.1))
    separate = [c.bootstrap(300).figures["micro_recall"] for c in (a, b)]
    assert separate[0][2] > separate[1][1]  # the two intervals overlap
    np.testing.assert_allclose(lcm.difference(a, b, 300).figures["micro_recall"], [0.1, 0.1, 0.1, 0], atol=1e-12)


def test_classes_of_a_difference_are_those_in_common():
    pages = {"x": (10, 10), "y": (10, 10)}
    rows = [("x", "a", 0, 0, 10, 5), ("y", "a", 0, 0, 10, 4)]
    gt = build(pages, rows, ["a", "b"])
    with_b, with_c = build(pages, rows, ["b", "a"]), build(pages, rows, ["c", "a", "b"])
    found = lcm.difference(lcm.compare(gt, with_b), lcm.compare(gt, with_c), 20)
    assert found.labels == ["Background", "a", "b"]
    np.testing.assert_array_equal(found.scores["f1"][1], [0, 0, 0, np.nan])


def test_the_order_of_pages_does_not_matter():
    pages, turned = {"x": (10, 10), "y": (10, 10), "z": (10, 10)}, {"z": (10, 10), "x": (10, 10), "y": (10, 10)}
    rows = [("x", "a", 0, 0, 10, 5), ("y", "a", 0, 0, 10, 4), ("z", "a", 0, 0, 10, 9)]
    half = [("x", "a", 0, 0, 10, 5), ("y", "a", 0, 0, 5, 4)]
    a, b = (lcm.compare(build(own, rows), build(own, half)) for own in (pages, turned))
    np.testing.assert_array_equal(lcm.difference(a, b, 30).figures["micro_f1"], [0, 0, 0, np.nan])


def test_comparisons_that_cannot_be_paired_are_errors():
    three, two = one_label_pages(0.1, 0.2, 0.3), one_label_pages(0.1, 0.2)
    with pytest.raises(lcm.InputError, match=r"c_a: 1 of 3 pages are not in the other comparison, first 'page 002'"):
        lcm.difference(three, two)
    with pytest.raises(lcm.InputError, match="c_b: 1 of 3 pages"):
        lcm.difference(two, three)
    joined = one_label_pages(0.1, 0.2, documents={"page 000": "d", "page 001": "d"})
    with pytest.raises(lcm.InputError, match="'page 000' is of document 'page 000' in one and of 'd' in the other"):
        lcm.difference(two, joined)
    pages = {"page 000": (10, 10), "page 001": (10, 10)}
    other_gt = build(pages, [("page 000", "a", 0, 0, 10, 10), ("page 001", "a", 0, 0, 10, 9)])
    documents = {page: page for page in pages}
    with pytest.raises(lcm.InputError, match="'page 001', Background has 0 gt pixels in one comparison and 10 in"):
        lcm.difference(two, lcm.compare(other_gt, other_gt, documents=documents))
    # The same area is covered, but with a different label.
    labelled = [build(pages, [(page, name, 0, 0, 10, 5) for page in pages], ["a", "b"]) for name in "ab"]
    with pytest.raises(lcm.InputError, match="on document 'page 000', a has 50 gt pixels in one comparison and 0 in"):
        lcm.difference(*(lcm.compare(gt, labelled[0], documents=documents) for gt in labelled))
    with pytest.raises(lcm.InputError, match="c_b: 'two' is not a comparison"):
        lcm.difference(two, "two")
