"""Slices: pages one can count, leaving documents out one by one, and all ways to exchange pages."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

import layoutcm as lcm
from layoutcm.diagnosis import slices
from layoutcm.diagnosis.slices import slice_p_value
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.intervals import holm
from support.comparisons import compare_sample
from support.layouts import build


def book(found, kinds, documents=None):
    """A comparison of pages of 100 pixels: gt has a on 50 of them, pred on the first `found` of these."""
    names = [f"p{i:03}" for i in range(len(found))]
    sizes = dict.fromkeys(names, (100, 1))
    own = dict(zip(names, documents or names))
    gt = build(sizes, [(name, "a", 0, 0, 50, 1) for name in names], ["a"], documents=own)
    pred = build(sizes, [(name, "a", 0, 0, n, 1) for name, n in zip(names, found)], ["a"])
    return lcm.compare(with_attribute(gt, "kind", kinds), pred)


def with_attribute(layout, name, values):
    """The layout with an attribute that has these values."""
    rows = {page: {name: value} for page, value in zip(layout.page_columns.names, values)}
    return add_attributes(layout, load_attributes(rows))


def test_the_worked_pages():
    # The pages of docs/slices.md: letters find 50 and 40 of 50 pixels, forms 30 and 30.
    table = book([50, 40, 30, 30], ["letter", "letter", "form", "form"]).slices("kind")
    assert table["value"].tolist() == ["form", "letter"]  # the worst first
    assert table["pages"].tolist() == table["documents"].tolist() == [2, 2]
    for figure in ("micro_f1", "macro_f1", "content_f1"):
        np.testing.assert_allclose(table[figure], [120 / 160, 180 / 190])
    np.testing.assert_allclose(table["rest"], [180 / 190, 120 / 160])
    np.testing.assert_allclose(table["difference"], [120 / 160 - 180 / 190, 180 / 190 - 120 / 160])
    np.testing.assert_allclose(table["error_share"], [40 / 50, 10 / 50])
    np.testing.assert_allclose(table["explained"], [(40 - 160 * 10 / 190) / 50, (10 - 190 * 40 / 160) / 50])
    assert table["verdict"].tolist() == ["too few documents"] * 2
    assert table[["low", "high", "difference_low", "difference_high", "p"]].isna().all(axis=None)
    worst = book([50, 40, 30, 30], ["letter", "letter", "form", "form"]).slices(None)
    assert worst["attribute"].tolist() == ["kind"] and worst["value"].tolist() == ["form"]


def test_a_slice_that_is_worse_is_called_so():
    found = [30, 31, 29, 30, 32, 28, 45, 46, 44, 47, 45, 43]
    table = book(found, ["x"] * 6 + ["y"] * 6).slices("kind")
    assert table["verdict"].tolist() == ["worse", "better"]
    # The two slices are one test: 2 of the 924 ways to choose six documents are as far apart.
    assert table["p"][0] == table["p"][1] == pytest.approx(2 / 924, abs=4 * np.sqrt(2 / 924 / 5000))
    low, high = table["difference_low"][0], table["difference_high"][0]
    assert low < table["difference"][0] < high < 0


def test_no_rest_no_difference():
    table = book([30] * 7, ["x"] * 7).slices("kind")
    assert table["verdict"].tolist() == [None] and np.isnan(table["difference"][0]) and np.isnan(table["explained"][0])
    assert table["low"][0] == table["high"][0] == table["micro_f1"][0]
    assert not len(book([30] * 7, ["x"] * 7).slices(None))


def test_a_slice_without_a_defined_f1_has_no_verdict():
    sizes = dict.fromkeys([f"p{i}" for i in range(14)], (10, 1))
    regions = [(page, "a", 0, 0, 9 - i % 2, 1) for i, page in enumerate(list(sizes)[:7])]
    gt, pred = build(sizes, regions, ["a"]), build(sizes, [(*row[:4], 8, 1) for row in regions], ["a"])
    table = lcm.compare(with_attribute(gt, "kind", ["x"] * 7 + ["blank"] * 7), pred).slices("kind")
    assert table["verdict"].tolist() == [None, None] and table["difference"].isna().all()


def test_the_pages_of_one_document_are_units():
    found = [30, 31, 29, 30, 32, 28, 45, 46, 44, 47, 45, 43]
    table = book(found, ["x"] * 6 + ["y"] * 6, ["d"] * 12).slices("kind")
    assert table["documents"].tolist() == [1, 1] and table["verdict"].tolist() == ["worse", "better"]


def f1_of(c, pages, figure):
    m = confusion_of(c.all_counts.of_pages(pages), c.space, "matrix")
    return m.content()["f1"] if figure == "content_f1" else m.average(figure.removesuffix("_f1"))["f1"]


@pytest.mark.parametrize("figure", ["micro_f1", "content_f1"])
def test_the_sample_by_leaving_documents_out(figure):
    """Every number of a slice with documents on both sides, from matrices of its pages."""
    c = compare_sample()
    table = c.slices("regions", figure)
    numbers = np.array([sum(c.alignment.layouts[0].region_columns.page == i) for i in range(len(c.pages))])
    row = table.iloc[1]
    low, high = map(int, row["value"].split(" to "))
    inside = (numbers >= low) & (numbers <= high)
    document = c.levels.document_of_page
    assert row["pages"] == inside.sum() and row["documents"] == len(set(document[inside]))
    for name in ("micro_f1", "macro_f1", "content_f1"):
        assert row[name] == pytest.approx(f1_of(c, np.flatnonzero(inside), name))
    assert row["rest"] == pytest.approx(f1_of(c, np.flatnonzero(~inside), figure))
    without = [
        [f1_of(c, np.flatnonzero(side & (document != d)), figure) for side in (inside, ~inside)]
        for d in range(len(c.documents))
    ]
    differences = np.subtract(*np.transpose(without))
    n = len(differences)
    error = np.sqrt((n - 1) / n * ((differences - differences.mean()) ** 2).sum())
    reach = (row["difference_high"] - row["difference_low"]) / 2
    assert row["difference"] - reach == pytest.approx(row["difference_low"])
    squares = (differences - differences.mean()) ** 2
    kurtosis = n * (squares**2).sum() / squares.sum() ** 2
    freedom = 2 * n / (kurtosis - 1) - 1
    # The degrees of freedom are these, or fewer if few documents have most pixels.
    assert reach >= stats.t.ppf(0.975, freedom) * error * (1 - 1e-9)
    assert reach <= stats.t.ppf(0.975, 2) * error


def test_p_values_equal_those_of_all_exchanges():
    """Whole documents exchange places in all ways, and the pages of mixed ones are rotated in all ways."""
    generator = np.random.default_rng(5)
    unit = np.repeat(np.arange(7), [1, 1, 2, 1, 3, 4, 2])
    inside = np.isin(np.arange(14), [0, 2, 3, 5, 8, 9, 12])  # documents 0, 2 all, 4, 5, 6 partly
    rows = np.stack([generator.uniform(1, 9, 14), generator.uniform(10, 20, 14)], axis=1)
    f1 = lambda sums: sums[:, 0] / sums[:, 1]
    whole_units, mixed = [0, 1, 2, 3], [4, 5, 6]
    large = count = 0
    difference = lambda chosen: float((f1(rows[chosen].sum(0)[None]) - f1(rows[~chosen].sum(0)[None]))[0])
    observed = abs(difference(inside))
    for units in combinations(whole_units, 2):
        for steps in product(*(range((unit == d).sum()) for d in mixed)):
            chosen = np.isin(unit, units)
            for d, step in zip(mixed, steps):
                chosen[unit == d] = np.roll(inside[unit == d], step)
            large += abs(difference(chosen)) >= observed - 1e-12
            count += 1
    expected = large / count
    found = slice_p_value(rows, unit, inside, f1, seed=1)
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 5000))
    assert found == slice_p_value(rows, unit, inside, f1, seed=1)


def test_an_attribute_without_effect_is_seldom_called_different(monkeypatch):
    """Documents of other quality and size, with pages of one kind or of both: about 5 % of p-values are below 0.05."""
    monkeypatch.setattr(slices, "DRAWS", 499)
    generator = np.random.default_rng(4)
    small, runs = 0, 300
    for run in range(runs):
        unit = np.repeat(np.arange(24), generator.integers(1, 7, 24))
        mixed = generator.random(24) < 0.5
        own, of_document = generator.random(unit.size) < 0.4, generator.random(24) < 0.4
        inside = np.where(mixed[unit], own, of_document[unit])
        size = generator.lognormal(0, 0.8, unit.size) * generator.exponential(1, 24)[unit]
        quality = 0.7 + 0.1 * generator.normal(size=24)[unit] + 0.05 * generator.normal(size=unit.size)
        rows = np.stack([size * quality, size], axis=1)
        small += slice_p_value(rows, unit, inside, lambda sums: sums[:, 0] / sums[:, 1], seed=run) <= 0.05
    assert 0.02 < small / runs < 0.09


def test_above_a_hundred_documents_students_t_test():
    generator = np.random.default_rng(3)
    found = generator.integers(10, 50, 240)
    kinds = ["x"] * 120 + ["y"] * 120
    c = book(found.tolist(), kinds)
    row = c.slices("kind").set_index("value").loc["x"]
    f1 = lambda pages: 2 * found[pages].sum() / (50 * len(pages) + found[pages].sum())
    every = np.arange(240)
    without = [f1(every[(every < 120) & (every != d)]) - f1(every[(every >= 120) & (every != d)]) for d in range(240)]
    error = np.sqrt(239 / 240 * ((np.array(without) - np.mean(without)) ** 2).sum())
    difference = f1(every[:120]) - f1(every[120:])
    assert row["difference"] == pytest.approx(difference)
    # The degrees of freedom are between 60 and 119.
    p = [2 * stats.t.sf(abs(difference) / error, freedom) for freedom in (119, 60)]
    assert p[0] * (1 - 1e-6) <= row["p"] <= p[1] * (1 + 1e-6)


def test_p_values_are_corrected_for_the_number_of_slices():
    c = compare_sample()
    table = c.slices("doc_category")
    alone = []
    for value in table["value"]:
        own = [str(kind == value) for kind in c.alignment.pages.attributes["doc_category"]]
        gt = with_attribute(c.alignment.layouts[0], "own", own)
        alone.append(lcm.compare(gt, c.alignment.layouts[1]).slices("own")["p"][0])
    # Each is drawn with the slice and the rest exchanged.
    np.testing.assert_allclose(table["p"], holm(np.array(alone)), atol=0.03)
    assert (table["p"] > np.array(alone)).all()


def test_the_worst_slices_of_the_sample():
    table = compare_sample().slices(None)
    assert len(table) <= 10 and table["attribute"].nunique() > 1
    assert table["explained"].is_monotonic_decreasing and (table["explained"] > 0).all()
    assert (table["difference"] < 0).all()


def test_an_attribute_with_very_many_values_is_not_ranked():
    found = [30] * 30 + [40] * 30
    kinds = [f"page {i}" for i in range(60)]
    c = book(found, kinds)
    assert len(c.slices("kind")) == 50 and not len(c.slices(None))


def test_macro_f1_tensor_and_different_labels():
    table = compare_sample().slices("doc_category", "macro_f1", method="tensor", level=0.9)
    assert table["figure"].unique().tolist() == ["macro_f1"]
    assert (table["low"] < table["macro_f1"]).all() and (table["macro_f1"] < table["high"]).all()
    table = compare_sample(taxonomy="different").slices("doc_category")
    assert table["micro_f1"].isna().all() and table["figure"].unique().tolist() == ["content_f1"]
    assert table["difference"].notna().all() and table["explained"].notna().all()
    empty = compare_sample(taxonomy="different").slices("doc_category", "micro_f1")
    assert empty["difference"].isna().all() and empty["verdict"].isna().all()


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_pages_without_regions(pages):
    sizes = {f"p{i}": (10, 10 + 10 * i) for i in range(pages)}
    c = lcm.compare(build(sizes, [], ["a"]), build(sizes, [], ["a"]))
    assert not len(c.slices(None))
    for attribute, values in {"regions": 1, "columns": 1, "content": 1, "format": 2, "size": 2}.items():
        table = c.slices(attribute)
        assert len(table) == min(values, pages) and table["micro_f1"].isna().all()


@pytest.mark.parametrize("options", [{"figure": "f1"}, {"method": "x"}, {"level": 2}, {"seed": -1}])
def test_wrong_options_are_input_errors(options):
    with pytest.raises(lcm.InputError):
        compare_sample().slices("regions", **options)
