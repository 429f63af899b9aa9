"""Ends of intervals: against a plain loop over resamples, against scipy, and on sets with a known answer."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import layoutcm as lcm
from layoutcm.metrics import bootstrap, intervals
from layoutcm.metrics.bootstrap import Resampling
from layoutcm.metrics.levels import pages_of
from layoutcm.metrics.scores import AVERAGES, SCORES
from layoutcm.metrics.unit_sums import FIGURES, paired_sums, unit_sums
from support.comparisons import one_label_pages, three_pages
from support.layouts import build

LABELS = ["a", "b", "c"]


def random_documents(count=9, seed=0):
    """Documents of one or two pages with three labels; `c` is rare."""
    rng = np.random.default_rng(seed)
    pages = {f"d{d}_p{p}": (10, 10) for d in range(count) for p in range(1 + d % 2)}
    sides = []
    for _ in range(2):
        places = [(page, y) for page in pages for y in (0, 3, 6)]
        drawn = rng.choice(LABELS, len(places), p=[0.5, 0.4, 0.1]).tolist()
        rows = [(page, label, 0, y, rng.integers(1, 11), y + 2) for (page, y), label in zip(places, drawn)]
        sides.append(build(pages, rows, LABELS))
    return lcm.compare(*sides, documents={page: page.split("_")[0] for page in pages})


def figures_by_hand(matrices, pages_of_unit, method, whole):
    """All figures of one resample, from the sum of the Confusions of its units; `whole` is that of the set."""
    first = matrices[0]
    recall_mass, precision_mass, pred_pixels = (
        sum(getattr(m, part) for m in matrices) for part in ("recall_mass", "precision_mass", "pred_pixels")
    )
    m = lcm.Confusion(first.labels, method, recall_mass, precision_mass, pred_pixels, diagonal=first.diagonal)
    found = {}
    for suffix, background in (("", False), ("_with_background", True)):
        for kind in AVERAGES:
            found |= {f"{kind}_{s}{suffix}": m.average(kind, background)[s] for s in SCORES}
        for s in SCORES:
            # Macro averages are over the classes of the set; one that was not drawn has its value in the set.
            values, of_set = (np.nan_to_num(one.class_values()[s]) for one in (m, whole))
            drawn, used = (recall.sum(axis=1) + recall.sum(axis=0) > 0 for recall in (m.values, whole.values))
            values = np.where(drawn, values, of_set)[0 if background else 1 :]
            found[f"macro_{s}{suffix}"] = values[used[0 if background else 1 :]].mean()
    both, gt, pred = sum(m.content_pixels for m in matrices)
    found |= {f"content_{s}": value for s, value in zip(SCORES, (both / pred, both / gt, 2 * both / (gt + pred)))}
    pages = [page for pages in pages_of_unit for page in pages]
    for s in SCORES:
        found[f"macro_{s}_over_pages"] = np.nanmean([page.average("macro")[s] for page in pages])
        found[f"macro_{s}_over_documents"] = np.nanmean([unit.average("macro")[s] for unit in matrices])
    return found, m.class_values()


@pytest.fixture
def percentiles(monkeypatch):
    """Percentiles of resamples for any number of units, without room for failures that were not drawn."""
    monkeypatch.setattr(intervals, "_with_unseen", lambda ends, *_: ends)
    monkeypatch.setattr(bootstrap, "FEWEST_UNITS", 0)
    monkeypatch.setattr(bootstrap, "MOST_JACKKNIFE", -1)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_percentiles_equal_a_plain_loop_over_resamples(percentiles, method):
    c, n = random_documents(), 60
    whole = {d: c.confusion(document=d, method=method) for d in c.documents}
    pages = {d: [c.confusion(page=c.pages[p], method=method) for p in pages_of(c.levels, d)] for d in c.documents}
    figures, scores = [], []
    for row in np.concatenate(list(bootstrap.resample_weights(len(c.documents), n, 7))):
        drawn = [d for d, times in zip(c.documents, row.astype(int)) for _ in range(times)]
        own = figures_by_hand([whole[d] for d in drawn], [pages[d] for d in drawn], method, c.confusion(method=method))
        figures.append(own[0])
        scores.append(own[1])
    found = c.bootstrap(n, seed=7, level=0.8, method=method)
    headline = found.headline.set_index("figure")
    assert set(headline.index) == set(figures[0]) and len(headline) == 27
    for figure in figures[0]:
        expected = np.nanquantile([values[figure] for values in figures], [0.1, 0.9])
        np.testing.assert_allclose(headline.loc[figure, ["low", "high"]].to_numpy(float), expected, atol=1e-10)
    table = found.classes().set_index(["label", "score"])
    for score in ("precision", "recall", "f1", "iou"):
        for i, label in enumerate(c.labels):
            resamples = [values[score][i] for values in scores if np.isfinite(values[score][i])]
            expected = np.quantile(resamples, [0.1, 0.9])
            np.testing.assert_allclose(table.loc[(label, score), ["low", "high"]].to_numpy(float), expected, atol=1e-10)
            np.testing.assert_array_equal(found.whiskers()[score][i], table.loc[(label, score), ["low", "high"]])


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_values_are_those_of_the_comparison(sample, method):
    c = sample
    m, found = c.confusion(method=method), c.bootstrap(5, method=method)
    value = found.headline.set_index("figure")["value"]
    for s in SCORES:
        for kind in AVERAGES:
            assert value[f"{kind}_{s}"] == pytest.approx(m.average(kind)[s], abs=1e-12)
            assert value[f"{kind}_{s}_with_background"] == pytest.approx(m.average(kind, True)[s], abs=1e-12)
        assert value[f"content_{s}"] == pytest.approx(m.content()[s], abs=1e-12)
        for over in ("pages", "documents"):
            expected = c.average("macro", over=over, method=method)[s]
            assert value[f"macro_{s}_over_{over}"] == pytest.approx(expected, abs=1e-12)
    for score, values in found.scores.items():
        np.testing.assert_allclose(values[:, 0], m.class_values()[score], atol=1e-12)
    assert found.resampling == Resampling("document", len(c.documents), n=5, seed=0, level=0.95)
    assert found.labels == c.labels and f"method:{method}|of:documents|interval:jackknife|" in found.recipe


def test_one_seed_gives_the_same_numbers_for_all_block_sizes(percentiles, monkeypatch):
    c = random_documents()
    first, again, other = (c.bootstrap(200, seed=seed) for seed in (3, 3, 4))
    monkeypatch.setattr(bootstrap, "BLOCK_WEIGHTS", 7)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", 3 * len(c.labels) ** 2)
    in_blocks = c.bootstrap(200, seed=3)
    for same in (again, in_blocks):
        pd.testing.assert_frame_equal(first.headline, same.headline, check_exact=True)
        pd.testing.assert_frame_equal(first.classes(), same.classes(), check_exact=True)
    assert (first.headline["low"] != other.headline["low"]).any()


@pytest.mark.parametrize("shares", [[0.2, 0.3, 0.5, 0.6, 0.6, 0.7, 0.9], [0.5] * 9 + [0.6]])
def test_jackknife_of_a_mean_is_students_interval(shares):
    """Pages of one size: recall is the mean of the shares, and the jackknife gives its usual standard error."""
    count, mean = len(shares), np.mean(shares)
    error = np.std(shares, ddof=1) / np.sqrt(count)
    deviations = np.array(shares) - mean
    kurtosis = (deviations**4).mean() / (deviations**2).mean() ** 2
    sizes = 100 + 100 * np.array(shares)  # gt and pred pixels
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    freedom = max(min(2 * count / (kurtosis - 1), effective) - 1, 2)
    reach = stats.t.ppf(0.975, freedom) * error / (mean * (1 - mean))
    logit = np.log(mean / (1 - mean))
    expected = [mean, *(1 / (1 + np.exp(-(logit + sign * reach))) for sign in (-1, 1))]
    c = one_label_pages(*shares)
    np.testing.assert_allclose(c.bootstrap().figures["micro_recall"], expected, rtol=1e-9)
    np.testing.assert_allclose(c.bootstrap().figures["content_recall"], expected, rtol=1e-9)
    wider = c.bootstrap(level=0.99).figures["micro_recall"]
    assert wider[1] < expected[1] and wider[2] > expected[2]


def test_documents_of_very_different_sizes_count_as_fewer():
    """Five small pages and a large one have (105)^2 / (5 + 100^2) = 1.1 effective documents: 2 degrees of freedom."""
    pages = {f"p{i}": (10, 10) for i in range(5)} | {"p5": (100, 100)}
    gt = build(pages, [(page, "a", 0, 0, *size) for page, size in pages.items()])
    found = [0.5, 0.6, 0.7, 0.8, 0.4, 0.6]
    widths = [size[0] * share for size, share in zip(pages.values(), found)]
    pred = build(pages, [(page, "a", 0, 0, width, pages[page][1]) for page, width in zip(pages, widths)])
    c = lcm.compare(gt, pred, documents={page: page for page in pages}, taxonomy="same")
    pixels = np.array([size[0] * size[1] for size in pages.values()])
    value = (pixels * found).sum() / pixels.sum()
    without = [((pixels * found).sum() - p * s) / (pixels.sum() - p) for p, s in zip(pixels, found)]
    error = np.sqrt(5 / 6 * ((without - np.mean(without)) ** 2).sum())
    reach = stats.t.ppf(0.975, 2) * error / (value * (1 - value))
    expected = 1 / (1 + np.exp(-(np.log(value / (1 - value)) - reach)))
    assert c.bootstrap().figures["micro_recall"][1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("freedom", [2, 2.5, 3, 9, 39.7, 99])
def test_quantiles_of_students_distribution_are_those_of_scipy(freedom):
    for share in (0.6, 0.9, 0.975, 0.9995):
        expected = stats.t.ppf(share, freedom)
        assert bootstrap.student_quantile(share, np.array([freedom]))[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("freedom", [2, 5.5, 60, 500])
def test_p_values_of_students_t(freedom):
    t = np.array([0, 0.5, -2, 4.0])
    found = bootstrap.student_p_value(t, np.full(4, float(freedom)))
    np.testing.assert_allclose(found, 2 * stats.t.sf(np.abs(t), freedom), rtol=1e-6)


def test_equal_pages_have_no_width():
    found = one_label_pages(*[0.7] * 12).bootstrap(50)
    known = found.headline.dropna()
    assert known.set_index("figure").loc["micro_recall", "value"] == pytest.approx(0.7)
    for end in ("low", "high"):
        np.testing.assert_allclose(known[end], known["value"], atol=1e-12)
    right = one_label_pages(*[1] * 12).bootstrap(50).figures
    assert right["micro_f1"].tolist() == [1, 1, 1] and right["content_f1"].tolist() == [1, 1, 1]


def test_the_width_is_that_of_the_binomial():
    """Half of 400 pages are found, half are missed: recall is the mean of 400 coin tosses."""
    c = one_label_pages(*[0, 1] * 200)
    value, low, high = c.bootstrap(4000).figures["micro_recall"]
    assert value == 0.5
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 400), rel=0.05)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.005)
    narrow = c.bootstrap(4000, level=0.5).figures["micro_recall"]
    assert narrow[2] - narrow[1] == pytest.approx(2 * 0.6745 * np.sqrt(0.25 / 400), rel=0.1)


def test_documents_are_resampled_as_a_whole(percentiles):
    """Two documents, one right and one wrong, ten pages each: a resample has 0, 10 or 20 right pages, never 7."""
    c = one_label_pages(*[1] * 10, *[0] * 10, documents={f"page {i:03}": f"document {i // 10}" for i in range(20)})
    found = c.bootstrap(400)
    assert (found.resampling.units, found.resampling.unit_count) == ("documents", 2)
    assert found.figures["micro_recall"].tolist() == [0.5, 0, 1]
    assert found.figures["macro_f1_over_pages"].tolist() == found.figures["macro_f1_over_documents"].tolist()


def test_pages_of_a_single_document_are_resampled(percentiles):
    c = one_label_pages(0, 1, 1, 1, documents="page")
    assert c.documents == ["page"]
    found = c.bootstrap(500)
    assert (found.resampling.units, found.resampling.unit_count) == ("pages", 4)
    assert found.figures["micro_recall"].tolist() == [0.75, 0.25, 1]
    # The mean over one document is the document's own value.
    np.testing.assert_array_equal(found.figures["macro_f1_over_documents"], found.figures["macro_f1"])
    assert found.figures["macro_f1_over_pages"][0] == 0.75


def test_a_set_without_pages_has_no_figures():
    empty = build({}, [], LABELS)
    found = lcm.compare(empty, empty).bootstrap(3)
    assert found.headline[["value", "low", "high"]].isna().all(axis=None) and found.by_unit().empty


def test_empty_pages_count_neither_in_the_mean_over_pages_nor_in_its_resamples(percentiles):
    pages = dict.fromkeys("xyz", (10, 10))
    gt = build(pages, [("x", "a", 0, 0, 10, 10), ("y", "a", 0, 0, 10, 10)])
    pred = build(pages, [("x", "a", 0, 0, 10, 10)], ["a"])
    found = lcm.compare(gt, pred).bootstrap(300)
    assert found.resampling.units == "documents" and found.resampling.unit_count == 3
    assert found.figures["macro_f1_over_pages"].tolist() == [0.5, 0, 1]


def test_with_different_labels_only_content_has_intervals(percentiles):
    pages = dict.fromkeys("xyz", (10, 10))
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in pages])
    pred = build(pages, [("x", "q", 0, 0, 10, 10), ("y", "q", 0, 0, 5, 10)])
    c = lcm.compare(gt, pred)
    found = c.bootstrap(300)
    known = found.headline.dropna()
    assert c.taxonomy == "different" and known["figure"].tolist() == [f"content_{s}" for s in SCORES]
    assert found.figures["content_recall"].tolist() == [0.5, 0, 1]
    assert found.classes()[["value", "low", "high"]].isna().all(axis=None)
    itself = lcm.difference(c, c, 10)
    assert itself.headline.dropna(subset="value")["figure"].tolist() == known["figure"].tolist()


@pytest.mark.parametrize("options", [{"n": 1}, {"n": np.int64(2)}, {"seed": np.int64(3)}, {"level": 0.001}])
def test_options_at_their_limits_are_accepted(options):
    bootstrap.check_resampling(**{"n": 100_000} | options)


def test_each_resample_draws_as_many_units_as_there_are(monkeypatch):
    monkeypatch.setattr(bootstrap, "BLOCK_WEIGHTS", 12)
    blocks = list(bootstrap.resample_weights(4, 7, 0))
    assert [len(block) for block in blocks] == [3, 3, 1]
    # The draws of NumPy's generator, one resample after the other.
    generator = np.random.default_rng(0)
    drawn = [np.bincount(generator.integers(4, size=4), minlength=4).tolist() for _ in range(7)]
    assert np.concatenate(blocks).tolist() == drawn
    assert [block.shape for block in bootstrap.resample_weights(0, 2, 0)] == [(2, 0)]
    assert [len(block) for block in bootstrap.resample_weights(1, 13, 0)] == [12, 1]
    assert [len(block) for block in bootstrap.resample_weights(100, 2, 0)] == [1, 1]


@pytest.mark.parametrize(
    ("value", "resamples", "expected"),
    [
        (2, range(101), 1 / 101),
        (2, [-1, 0, 1, 3, np.nan], 2 / 4),
        (-2, [-1, 0, 1, 3, np.nan], 3 / 4),
        (0, [-1, 1], np.nan),
        (1, [np.nan, np.nan], np.nan),
    ],
)
def test_the_other_side_of_0(value, resamples, expected):
    found = bootstrap.other_side(np.array([float(value)]), np.array(resamples, float)[:, None])
    np.testing.assert_allclose(found, [expected])


def test_different_taxonomies_may_share_a_name():
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 2), ("p", "t", 0, 2, 4, 4)])
    c = lcm.compare(gt, build({"p": (4, 4)}, [("p", "x", 0, 0, 4, 1), ("p", "t", 0, 2, 4, 4)]))
    assert c.taxonomy == "different" and c.bootstrap(5).figures["content_f1"][0] == pytest.approx(24 / 28)


def test_an_undefined_value_has_no_ends():
    """The label c is not used."""
    assert np.isnan(three_pages().bootstrap(5).scores["f1"][3]).all()


def paired(a, b):
    return paired_sums(*(unit_sums(c.levels, "matrix") for c in (a, b)))


def p_of(sums, figure, seed=0):
    return intervals.p_values(sums, seed)[FIGURES.index(figure)]


def test_all_swaps_of_seven_pages():
    a, b = [0.1, 0.3, 0.5, 0.4, 0.6, 0.9, 0.5], [0.2, 0.5, 0.4, 0.8, 0.6, 1, 0.8]
    observed = abs(sum(b) - sum(a))
    large = 0
    for swaps in itertools.product([1, -1], repeat=7):
        large += abs(sum(sign * (y - x) for sign, x, y in zip(swaps, a, b))) >= observed - 1e-9
    found = p_of(paired(one_label_pages(*a), one_label_pages(*b)), "micro_recall")
    assert found == pytest.approx(large / 2**7) and 0.03 < found < 0.2


def test_a_ratio_is_computed_again_for_every_swap():
    """F1 of pages of different sizes is no mean over pages, so its swaps are computed from sums of pixels."""
    sizes, labels = [4, 8, 12, 20, 6, 10], ["a"]
    pages = {f"p{i}": (size, 10) for i, size in enumerate(sizes)}
    gt = build(pages, [(page, "a", 0, 0, size[0], 10) for page, size in pages.items()], labels)
    heights = [[3, 5, 2, 9, 4, 4], [4, 4, 6, 8, 9, 7]]
    preds = [
        build(pages, [(page, "a", 0, 0, size[0], h) for (page, size), h in zip(pages.items(), own)], labels)
        for own in heights
    ]
    documents = {page: page for page in pages}
    a, b = (lcm.compare(gt, pred, documents=documents) for pred in preds)

    def f1(own):
        hit, all_gt = sum(s * h for s, h in zip(sizes, own)), 10 * sum(sizes)
        return 2 * hit / (all_gt + hit)

    observed = abs(f1(heights[1]) - f1(heights[0]))
    differences = []
    for swaps in itertools.product([False, True], repeat=6):
        first = [y if swap else x for swap, x, y in zip(swaps, *heights)]
        second = [x if swap else y for swap, x, y in zip(swaps, *heights)]
        differences.append(abs(f1(second) - f1(first)))
    expected = np.mean(np.array(differences) >= observed - 1e-9)
    assert p_of(paired(a, b), "micro_f1") == pytest.approx(expected) and 0 < expected < 1


def test_random_swaps_come_close_to_all_swaps(monkeypatch):
    rng = np.random.default_rng(1)
    shares = rng.integers(2, 9, 14) / 10
    sums = paired(one_label_pages(*shares), one_label_pages(*(shares + rng.choice([-0.1, 0, 0.1, 0.1], 14))))
    random = [p_of(sums, "micro_recall", seed) for seed in (0, 0, 1)]
    assert random[0] == random[1] != random[2]
    monkeypatch.setattr(intervals, "MOST_EXHAUSTIVE", 14)
    exact = p_of(sums, "micro_recall")
    assert random == pytest.approx([exact] * 3, abs=0.02) and 0.05 < exact < 0.95


def test_equal_predictions_have_p_value_1():
    a = one_label_pages(*[0.4, 0.8] * 10)
    found = intervals.p_values(paired(a, a))
    assert set(found[np.isfinite(found)]) == {1.0}


def test_the_number_of_swaps(monkeypatch):
    assert np.concatenate(list(intervals.swap_blocks(3, 0))).tolist() == [
        [0, 0, 0],
        [0, 0, 1],
        [0, 1, 0],
        [0, 1, 1],
    ]
    assert [len(block) for block in intervals.swap_blocks(1, 0)] == [1]
    assert sum(len(block) for block in intervals.swap_blocks(14, 0)) == 9_999
    assert sum(len(block) for block in intervals.swap_blocks(4_000, 0)) == 5_000
    monkeypatch.setattr(intervals, "BLOCK_SIGNS", 100_000 * 700)
    assert [len(block) for block in intervals.swap_blocks(100_000, 0)] == [700, 700, 599]


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, np.nan, 0.01], [0.5, np.nan, 0.02]),
        ([0.6, 0.7], [1, 1]),
        ([np.nan], [np.nan]),
        ([], []),
    ],
)
def test_holm_by_hand(p, expected):
    np.testing.assert_allclose(intervals.holm(np.array(p, float)), expected)


def test_chance_is_seldom_called_a_difference():
    """Two predictions whose pages are drawn from one distribution, 200 times: at most 8 % are called different."""
    called = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        skill = rng.beta(5, 2, 8)
        a, b = (one_label_pages(*np.round(np.clip(skill + rng.normal(0, 0.1, 8), 0, 1), 1)) for _ in range(2))
        called += p_of(paired(a, b), "micro_f1") <= 0.05
    assert 1 <= called <= 16
