"""Paired differences of two predictions, pages that only one of them has, and comparisons of some pages."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics import bootstrap
from layoutcm.metrics.bootstrap import Resampling
from layoutcm.metrics.unit_sums import FIGURES, unit_sums
from layoutcm.models.differences import comparison_of_pages, difference_of_pages, on_common_pages
from support.comparisons import compare_sample, one_label_pages
from support.layouts import build


@pytest.fixture(scope="module")
def two_models():
    """The first model of the sample data with all regions, and with min_score=0.7; every page is a document."""
    return compare_sample(documents="(.+)"), compare_sample(documents="(.+)", min_score=0.7)


def test_a_comparison_does_not_differ_from_itself(two_models):
    found = lcm.difference(two_models[0], two_models[0], 50)
    for table in (found.headline, found.classes().dropna(subset="low")):
        assert (table[["value", "low", "high", "better_in", "worse_in"]] == 0).all(axis=None)
        assert table["other_side"].isna().all()  # a difference of 0 has no other side
        assert set(table["p"].dropna()) == {1.0}


def test_a_difference_is_b_minus_a_on_the_same_resamples(two_models, monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_JACKKNIFE", -1)
    a, b = two_models
    found = lcm.difference(a, b, 80, seed=5)
    used = Resampling("document", len(a.documents), 80, 5)
    place = FIGURES.index("macro_recall")
    recall_a, recall_b = (bootstrap.Spread(unit_sums(c.levels, "matrix"), used).resamples[:, place] for c in two_models)
    resamples = recall_b - recall_a
    value = b.confusion().average("macro")["recall"] - a.confusion().average("macro")["recall"]
    assert value < 0  # fewer pred regions can only lower recall
    expected = [value, *np.quantile(resamples, [0.025, 0.975]), (resamples >= 0).mean()]
    np.testing.assert_allclose(found.figures["macro_recall"][:4], expected, atol=1e-12)
    swapped = lcm.difference(b, a, 80, seed=5).figures["macro_recall"]
    np.testing.assert_allclose(swapped[:4], [-expected[0], -expected[2], -expected[1], expected[3]], atol=1e-12)
    assert swapped[4] == found.figures["macro_recall"][4]


def test_a_paired_difference_finds_what_two_intervals_do_not():
    """Scores differ a lot between pages, but b always finds a little more than a."""
    shares = np.tile([0.1, 0.3, 0.5, 0.7], 10)
    a, b = one_label_pages(*shares), one_label_pages(*np.round(shares + 0.1, 1))
    separate = [c.bootstrap(300).figures["micro_recall"] for c in (a, b)]
    assert separate[0][2] > separate[1][1]  # the two intervals overlap
    found = lcm.difference(a, b, 300)
    np.testing.assert_allclose(found.figures["micro_recall"][:4], [0.1, 0.1, 0.1, 0], atol=1e-12)
    assert found.figures["micro_recall"][4] == 1 / 10_000 and found.verdict("micro_recall") == "better"


def test_classes_of_a_difference_are_those_in_common():
    pages = {"x": (10, 10), "y": (10, 10)}
    rows = [("x", "a", 0, 0, 10, 5), ("y", "a", 0, 0, 10, 4)]
    gt = build(pages, rows, ["a", "b"])
    with_b, with_c = build(pages, rows, ["b", "a"]), build(pages, rows, ["c", "a", "b"])
    found = lcm.difference(lcm.compare(gt, with_b), lcm.compare(gt, with_c), 20)
    assert found.labels == ["a", "b"]
    assert found.scores["f1"][0][0] == 0 and np.isnan(found.scores["f1"][1][0])


def test_a_label_that_only_one_prediction_has_is_swapped_with_it():
    """b invents label c, which lowers its macro precision; with the documents swapped, a has it."""
    pages = {f"p{i}": (10, 10) for i in range(6)}
    rows = [(page, "a", 0, 0, 10, 5) for page in pages]
    gt = build(pages, rows, ["a"])
    b = build(pages, [*rows, *((page, "c", 0, 5, 10, 6) for page in pages)], ["a", "c"])
    documents = {page: page for page in pages}
    found = lcm.difference(*(lcm.compare(gt, pred, documents=documents, taxonomy="same") for pred in (gt, b)))
    assert found.figures["macro_precision"][[0, 4]].tolist() == [-0.5, 2 / 64] and found.labels == ["a"]
    assert found.verdict("macro_precision") == "worse"


def test_the_order_of_pages_does_not_matter():
    pages = pages_of_one_size("xyzuvw")
    turned = dict(reversed(pages.items()))
    rows = [(page, "a", 0, 0, 10, 3 + k) for k, page in enumerate(pages)]
    half = [("x", "a", 0, 0, 10, 5), ("y", "a", 0, 0, 5, 4)]
    a, b = (lcm.compare(build(own, rows), build(own, half)) for own in (pages, turned))
    assert lcm.difference(a, b, 30).figures["micro_f1"][[0, 4]].tolist() == [0, 1]


def pages_of_one_size(names):
    return dict.fromkeys(names, (10, 10))


def test_pages_that_only_one_prediction_has_count_under_penalise_both():
    """Prediction a also has page n, which gt does not have: there it invents 40 pixels. On p, both find 50 of 100."""
    gt = build(pages_of_one_size("p"), [("p", "a", 0, 0, 10, 10)])
    half = ("p", "a", 0, 0, 10, 5)
    a = lcm.compare(gt, build(pages_of_one_size("pn"), [half, ("n", "a", 0, 0, 10, 4)]), missing_pages="penalise-both")
    b = lcm.compare(gt, build(pages_of_one_size("p"), [half]), missing_pages="penalise-both")
    levels = on_common_pages({"a": a, "b": b})
    assert [one.page_names for one in levels] == [["p", "n"]] * 2
    assert [one.page_pixels.tolist() for one in levels] == [[100, 100]] * 2
    found = lcm.difference(a, b).figures
    assert found["micro_precision"][0] == pytest.approx(1 - 50 / 90) and found["micro_recall"][0] == 0
    # On the empty page n, all 100 pixels of b are right Background; a has 60 of them.
    assert found["micro_f1_with_background"][0] == pytest.approx((50 + 100) / 200 - (50 + 60) / 200)
    assert lcm.difference(b, a).figures["micro_precision"][0] == pytest.approx(50 / 90 - 1)


def test_only_pages_of_both_count_under_ignore():
    """Prediction a lacks page q and b lacks page r; on p, a finds 50 and b finds 80 of 100 pixels."""
    gt = build(pages_of_one_size("pqr"), [(page, "a", 0, 0, 10, 10) for page in "pqr"])
    a = build(pages_of_one_size("rp"), [("p", "a", 0, 0, 10, 5)])
    b = build(pages_of_one_size("qp"), [("p", "a", 0, 0, 10, 8), ("q", "a", 0, 0, 10, 1)])
    documents = {page: page for page in "pqr"}
    pair = [lcm.compare(gt, pred, missing_pages="ignore", documents=documents) for pred in (a, b)]
    assert [one.page_names for one in on_common_pages(dict(zip("ab", pair)))] == [["p"]] * 2
    assert lcm.difference(*pair).figures["micro_recall"][0] == pytest.approx(0.3)
    apart = lcm.compare(gt, build(pages_of_one_size("q"), []), missing_pages="ignore", documents=documents)
    with pytest.raises(lcm.InputError, match="c_a, c_b: the two predictions have no page in common"):
        lcm.difference(pair[0], apart)
    with pytest.raises(lcm.InputError, match="missing_pages is 'ignore' in one comparison and 'penalise' in the other"):
        lcm.difference(pair[0], lcm.compare(gt, b, documents=documents))


def test_comparisons_that_cannot_be_paired_are_errors():
    three, two = one_label_pages(0.1, 0.2, 0.3), one_label_pages(0.1, 0.2)
    with pytest.raises(lcm.InputError, match=r"c_a: 1 of 3 gt pages are not in the gt of .*, first 'page 002'"):
        lcm.difference(three, two)
    with pytest.raises(lcm.InputError, match="c_b: 1 of 3 gt pages"):
        lcm.difference(two, three)
    joined = one_label_pages(0.1, 0.2, documents={"page 000": "d", "page 001": "d"})
    with pytest.raises(lcm.InputError, match="'page 000' is of document 'page 000' in one and of 'd' in the other"):
        lcm.difference(two, joined)
    pages = {"page 000": (10, 10), "page 001": (10, 10)}
    other_gt = build(pages, [("page 000", "a", 0, 0, 10, 10), ("page 001", "a", 0, 0, 10, 9)])
    documents = {page: page for page in pages}
    with pytest.raises(lcm.InputError, match="'page 001', a has 100 gt pixels in one comparison and 90 in"):
        lcm.difference(two, lcm.compare(other_gt, other_gt, documents=documents))
    # The same area is covered, but with a different label.
    labelled = [build(pages, [(page, name, 0, 0, 10, 5) for page in pages], ["a", "b"]) for name in "ab"]
    with pytest.raises(lcm.InputError, match="on document 'page 000', a has 50 gt pixels in one comparison and 0 in"):
        lcm.difference(*(lcm.compare(gt, labelled[0], documents=documents) for gt in labelled))
    with pytest.raises(lcm.InputError, match="c_b: 'two' is not a comparison"):
        lcm.difference(two, "two")


def test_pages_without_gt_may_have_another_size_in_each_prediction():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    half = ("p", "a", 0, 0, 10, 5)
    a, b = (lcm.compare(gt, build({"p": (10, 10), "n": size}, [half])) for size in ((10, 10), (20, 20)))
    assert lcm.difference(a, b).figures["micro_f1"][0] == 0


def test_neither_the_order_of_pages_nor_that_of_the_predictions_changes_the_test():
    """Fifteen documents, one of them only in a prediction: random swaps are drawn for documents in order of name."""
    rng = np.random.default_rng(3)
    pages = {f"p{i:02}": (100, 1) for i in range(14)}
    widths = rng.integers(20, 90, (2, 14))
    gt = build(pages, [(page, "a", 0, 0, 100, 1) for page in pages])
    sides = [[(page, "a", 0, 0, int(width), 1) for page, width in zip(pages, row)] for row in widths]
    extra = {"a page": (100, 1)} | pages
    documents = {page: page for page in extra}

    def compared(own_pages, rows):
        return lcm.compare(gt, build(own_pages, rows, ["a"]), documents=documents)

    a, b = compared(extra, [*sides[0], ("a page", "a", 0, 0, 40, 1)]), compared(pages, sides[1])
    turned = compared(dict(reversed(extra.items())), [*sides[0][::-1], ("a page", "a", 0, 0, 40, 1)])
    first, back, again = lcm.difference(a, b), lcm.difference(b, a), lcm.difference(turned, b)
    for figure in ("micro_f1", "micro_precision", "content_f1"):
        value, low, high, other, p, better, worse, needed = first.figures[figure]
        turned = [-value, -high, -low, other, p, worse, better, needed]
        np.testing.assert_allclose(back.figures[figure], turned, atol=1e-12)
        np.testing.assert_array_equal(again.figures[figure], first.figures[figure])


def test_comparisons_that_judge_other_pixels_cannot_be_paired():
    gt = build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5), ("p", "b", 5, 5, 9, 9)])
    plain, ignoring = lcm.compare(gt, gt), lcm.compare(gt, gt, mapping={"gt": {"b": "Ignore"}})
    with pytest.raises(InputError, match="0 pixels of page 'p' are not judged in one comparison, and 16 in the other"):
        lcm.difference(plain, ignoring)
    assert lcm.difference(ignoring, ignoring) is not None


def pages_of(compared, value):
    return [p for p, own in zip(compared.pages, compared.levels.pages.attributes["doc_category"]) if own == value]


def test_all_numbers_are_those_of_the_pages(sample):
    pages = pages_of(sample, "invoice")
    some = comparison_of_pages(sample, pages, "doc_category=invoice")
    np.testing.assert_array_equal(some.confusion().values, sum(sample.confusion(page=page).values for page in pages))
    assert some.pages == pages and "pages:10|" in some.recipe and "chosen:doc_category=invoice" in some.recipe
    causes = sum(sample.causes(page=page).values for page in pages)
    np.testing.assert_allclose(some.causes().values, causes)
    found = sum(np.array(list(sample.objects(page=page).counts_at(0.5).values())) for page in pages)
    assert list(some.objects().counts_at(0.5).values()) == found.tolist()
    behind = sample.pages_behind("Table", "Picture")
    here = behind[behind["page"].isin(pages)]
    assert some.pages_behind("Table", "Picture")["pixels"].tolist() == here["pixels"].tolist()
    tiles, whole = some.page_tiles(pages[1]), sample.page_tiles(pages[1])
    np.testing.assert_array_equal(tiles.pair_of_tile, whole.pair_of_tile)


def test_no_page_and_all_pages(sample):
    assert comparison_of_pages(sample, sample.pages) is sample
    none = comparison_of_pages(sample, [])
    assert none.confusion().values.sum() == 0 and none.pages == []


def test_two_sets_of_pages_are_the_two_slices_of_their_union(sample):
    first, second = pages_of(sample, "invoice"), pages_of(sample, "paper")
    found = difference_of_pages(sample, first, second).set_index("figure")
    a, b = (comparison_of_pages(sample, pages).confusion() for pages in (first, second))
    assert found.loc["micro_f1", ["first", "second", "difference"]].tolist() == pytest.approx(
        [a.average("micro")["f1"], b.average("micro")["f1"], b.average("micro")["f1"] - a.average("micro")["f1"]]
    )
    both = comparison_of_pages(sample, [*first, *second])
    slices = both.slices("doc_category").set_index("value")
    for name in ("difference", "difference_low", "difference_high", "p", "verdict"):
        assert found.loc["micro_f1", name] == slices.loc["paper", name]
    assert found.loc["content_f1", "first_documents"] == 6
    with pytest.raises(lcm.InputError, match="10 pages are in both sets"):
        difference_of_pages(sample, first, first)


def test_the_wrong_pixels_of_a_label_on_each_page(sample):
    from layoutcm.metrics.pages_behind import pages_wrong_in

    i = sample.labels.index("List-item")
    found = pages_wrong_in(sample.levels, sample.alignment, "List-item", "matrix").set_index("page")["pixels"]
    for page in sample.pages:
        values = sample.confusion(page=page).values
        wrong = values[i].sum() + values[:, i].sum() - 2 * values[i, i]
        assert found.get(page, 0) == pytest.approx(wrong)
    tiles = sample.page_tiles(found.index[0])
    lit = tiles.share_in_label((i, i))
    assert (lit * tiles.pairs.pixels).sum() == pytest.approx(found.iloc[0])
    right = tiles.carries(GT, i) == tiles.carries(PRED, i)
    names = [[tiles.set_names(side, pair) for side in (GT, PRED)] for pair in range(len(tiles.pairs))]
    assert not lit[right & [len(gt) == len(pred) == 1 for gt, pred in names]].any()
