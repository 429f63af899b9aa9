"""Intervals: against a plain loop over resamples, and on sets with a known answer."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.metrics import bootstrap
from layoutcm.metrics.bootstrap import Resampling
from layoutcm.metrics.scores import AVERAGES, SCORES
from support.layouts import build
from support.one_label_pages import one_label_pages

LABELS = ["a", "b", "c"]


def figures_by_hand(matrices, pages_of_unit, method):
    """All figures of one resample, from the sum of the Confusions of its units."""
    first = matrices[0]
    recall_mass, precision_mass, pred_pixels = (
        sum(getattr(m, part) for m in matrices) for part in ("recall_mass", "precision_mass", "pred_pixels")
    )
    m = lcm.Confusion(first.labels, method, recall_mass, precision_mass, pred_pixels, diagonal=first.diagonal)
    found = {f"{kind}_{s}": m.average(kind)[s] for kind in AVERAGES for s in SCORES}
    found |= {f"{kind}_{s}_with_background": m.average(kind, True)[s] for kind in AVERAGES for s in SCORES}
    both, gt, pred = sum(m.content_pixels for m in matrices)
    content = {"precision": both / pred, "recall": both / gt, "f1": 2 * both / (gt + pred)}
    found |= {f"content_{s}": content[s] for s in SCORES}
    pages = [page for pages in pages_of_unit for page in pages]
    for s in SCORES:
        found[f"macro_{s}_over_pages"] = np.nanmean([page.average("macro")[s] for page in pages])
        found[f"macro_{s}_over_documents"] = np.nanmean([unit.average("macro")[s] for unit in matrices])
    return found, m.class_values()


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_intervals_equal_a_plain_loop_over_resamples(sample, method):
    c, n = sample, 60
    whole = {d: c.confusion(document=d, method=method) for d in c.documents}
    pages = {d: [c.confusion(page=c.pages[p], method=method) for p in c.levels.pages_of(d)] for d in c.documents}
    figures, scores = [], []
    for row in np.concatenate(list(bootstrap.resample_weights(4, n, 7)))[1:]:
        resamples = [d for d, times in zip(c.documents, row.astype(int)) for _ in range(times)]
        own_figures, own_scores = figures_by_hand([whole[d] for d in resamples], [pages[d] for d in resamples], method)
        figures.append(own_figures)
        scores.append(own_scores)
    found = c.bootstrap(n, seed=7, level=0.8, method=method)
    headline = found.headline.set_index("figure")
    assert set(headline.index) == set(figures[0]) and len(headline) == 27
    for figure in figures[0]:
        resamples = [values[figure] for values in figures]
        np.testing.assert_allclose(
            headline.loc[figure, ["low", "high"]], np.nanquantile(resamples, [0.1, 0.9]), atol=1e-10
        )
    table = found.classes().set_index(["label", "score"])
    for score in ("precision", "recall", "f1", "iou"):
        for i, label in enumerate(c.labels):
            resamples = [values[score][i] for values in scores if np.isfinite(values[score][i])]
            ends = np.quantile(resamples, [0.1, 0.9]) if resamples else [np.nan, np.nan]
            np.testing.assert_allclose(table.loc[(label, score), ["low", "high"]].to_numpy(float), ends, atol=1e-10)
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
    assert found.resampling == Resampling("documents", 4, n=5, seed=0, level=0.95)
    assert found.labels == c.labels and f"method:{method}|resamples:5|of:documents|seed:0|level:0.95" in found.recipe


def test_one_seed_gives_the_same_numbers_for_all_block_sizes(sample, monkeypatch):
    c = sample
    first, again, other = (c.bootstrap(200, seed=seed) for seed in (3, 3, 4))
    monkeypatch.setattr(bootstrap, "BLOCK_WEIGHTS", 7)
    monkeypatch.setattr("layoutcm.metrics.levels.BLOCK_VALUES", 3 * len(c.labels) ** 2)
    in_blocks = c.bootstrap(200, seed=3)
    for same in (again, in_blocks):
        pd.testing.assert_frame_equal(first.headline, same.headline, check_exact=True)
        pd.testing.assert_frame_equal(first.classes(), same.classes(), check_exact=True)
    assert (first.headline["low"] != other.headline["low"]).any()


def test_rounded_sums_do_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random(5000) / 3, 1e6 * rng.random(5000), np.zeros(5000), rng.integers(0, 9, 5000)])
    grid = bootstrap.round_for_exact_sums(rows)
    np.testing.assert_allclose(grid, rows, rtol=0, atol=1e-11 * rows.max(axis=0).max())
    np.testing.assert_array_equal(grid[:, 2:], rows[:, 2:])
    order = rng.permutation(5000)
    one_by_one = np.zeros(4)
    for row in grid[order]:
        one_by_one += row
    np.testing.assert_array_equal(one_by_one, grid.sum(axis=0))
    np.testing.assert_array_equal(one_by_one, np.ones(5000) @ grid)


def test_equal_pages_have_no_width():
    found = one_label_pages(*[0.7] * 12).bootstrap(50)
    known = found.headline.dropna()
    assert known.set_index("figure").loc["micro_recall", "value"] == pytest.approx(0.7)
    for end in ("low", "high"):
        np.testing.assert_allclose(known[end], known["value"], atol=1e-12)


def test_the_width_is_that_of_the_binomial():
    """Half of 400 pages are found, half are missed: recall is the mean of 400 coin tosses."""
    c = one_label_pages(*[0, 1] * 200)
    value, low, high = c.bootstrap(4000).figures["micro_recall"]
    assert value == 0.5
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 400), rel=0.05)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.005)
    narrow = c.bootstrap(4000, level=0.5).figures["micro_recall"]
    assert narrow[2] - narrow[1] == pytest.approx(2 * 0.6745 * np.sqrt(0.25 / 400), rel=0.1)


def test_documents_are_resampled_as_a_whole():
    """Two documents, one right and one wrong, ten pages each: a resample has 0, 10 or 20 right pages, never 7."""
    c = one_label_pages(*[1] * 10, *[0] * 10, documents={f"page {i:03}": f"document {i // 10}" for i in range(20)})
    found = c.bootstrap(400)
    assert (found.resampling.units, found.resampling.unit_count) == ("documents", 2)
    assert found.figures["micro_recall"].tolist() == [0.5, 0, 1]
    assert found.figures["macro_f1_over_pages"].tolist() == found.figures["macro_f1_over_documents"].tolist()


def test_pages_of_a_single_document_are_resampled():
    c = one_label_pages(0, 1, 1, 1, documents="page")
    assert c.documents == ["page"]
    found = c.bootstrap(500)
    assert (found.resampling.units, found.resampling.unit_count) == ("pages", 4)
    assert found.figures["micro_recall"].tolist() == [0.75, 0.25, 1]
    # The mean over one document is the document's own value.
    np.testing.assert_array_equal(found.figures["macro_f1_over_documents"], found.figures["macro_f1"])
    assert found.figures["macro_f1_over_pages"][0] == 0.75


def test_a_single_page_cannot_vary():
    found = one_label_pages(0.4).bootstrap(20)
    assert (found.resampling.units, found.resampling.unit_count) == ("pages", 1)
    np.testing.assert_allclose(found.figures["content_recall"], [0.4, 0.4, 0.4], atol=1e-12)


def test_a_set_without_pages_has_no_figures():
    empty = build({}, [], LABELS)
    found = lcm.compare(empty, empty).bootstrap(3)
    assert found.headline[["value", "low", "high"]].isna().all(axis=None)


def test_undefined_resamples_are_left_out():
    """Only one of three pages has a `b`: a resample without this page has no score for `b`, and there is no warning."""
    pages = dict.fromkeys("xyz", (10, 10))
    rows = [(page, "a", 0, 0, 10, 5) for page in pages]
    gt = build(pages, [*rows, ("x", "b", 0, 5, 10, 9)], LABELS)
    pred = build(pages, [*rows, ("x", "b", 0, 5, 10, 7)], LABELS)
    found = lcm.compare(gt, pred).bootstrap(200).classes().set_index(["label", "score"])
    assert found.loc[("b", "recall"), ["value", "low", "high"]].tolist() == [0.5, 0.5, 0.5]
    assert found.loc["c", ["value", "low", "high"]].isna().all(axis=None)


def test_empty_pages_count_neither_in_the_mean_over_pages_nor_in_its_resamples():
    pages = dict.fromkeys("xyz", (10, 10))
    gt = build(pages, [("x", "a", 0, 0, 10, 10), ("y", "a", 0, 0, 10, 10)])
    pred = build(pages, [("x", "a", 0, 0, 10, 10)], ["a"])
    found = lcm.compare(gt, pred).bootstrap(300)
    assert found.resampling.units == "documents" and found.resampling.unit_count == 3
    assert found.figures["macro_f1_over_pages"].tolist() == [0.5, 0, 1]


def test_with_different_labels_only_content_has_intervals():
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


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"n": 0}, "n: 0 is not a number of resamples"),
        ({"n": 1.5}, "n: 1.5 is not a number of resamples"),
        ({"n": 10**6}, "n: 1000000 is not a number of resamples"),
        ({"n": True}, "n: True is not a number of resamples"),
        ({"seed": -1}, "seed: -1 is not a seed"),
        ({"level": 95}, "level: 95 is not a share"),
        ({"method": "median"}, "method: 'median' is not known"),
    ],
)
def test_wrong_options_are_named(options, problem):
    c = one_label_pages(0.5)
    for call in (c.bootstrap, lambda **given: lcm.difference(c, c, **given)):
        with pytest.raises(lcm.InputError, match=problem):
            call(**options)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_content_is_the_same_in_the_matrix_in_tables_and_in_intervals(sample, method):
    c = sample
    for table, level in ((c.page_table(method), "page"), (c.document_table(method), "document")):
        for row in table.itertuples():
            content = c.content(**{level: getattr(row, level)})
            shown = [row.content_precision, row.content_recall, row.content_f1]
            assert shown == pytest.approx([content[score] for score in SCORES], rel=1e-12)
    content, resamples = c.content(), c.bootstrap(5, method=method).figures
    assert c.confusion(method=method).content() == content
    for score in SCORES:
        assert resamples[f"content_{score}"][0] == pytest.approx(content[score], rel=1e-12)


def test_different_taxonomies_may_share_a_name():
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 2), ("p", "t", 0, 2, 4, 4)])
    c = lcm.compare(gt, build({"p": (4, 4)}, [("p", "x", 0, 0, 4, 1), ("p", "t", 0, 2, 4, 4)]))
    assert c.taxonomy == "different" and c.bootstrap(5).figures["content_f1"][0] == pytest.approx(24 / 28)
