"""Differences of matrices by cell: the same as a plain loop over documents, and known answers."""

import numpy as np
import pytest
from scipy import stats

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.metrics import bootstrap
from layoutcm.models import cell_differences as module
from layoutcm.models.cell_differences import cell_differences
from layoutcm.tables.matrix_views import VIEWS, view_values
from support.comparisons import compare_sample, one_label_pages
from support.layouts import build


@pytest.fixture(scope="module")
def two_models():
    """The first model of the sample with all regions, and with min_score=0.7; every page is a document."""
    return compare_sample(documents="(.+)"), compare_sample(documents="(.+)", min_score=0.7)


def test_the_views_are_those_of_a_matrix():
    assert module.CELL_VIEWS == VIEWS


def shares_by_hand(masses, totals_of, view):
    """The cells of a view from the sums of documents, one cell after the other."""
    recall_mass, precision_mass = masses
    n = len(recall_mass)
    cells = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            row, column = recall_mass[i].sum(), precision_mass[:, j].sum()
            recall = recall_mass[i, j] / row if row else np.nan
            precision = precision_mass[i, j] / column if column else np.nan
            if view == "pixels":
                cells[i, j] = recall_mass[i, j] / recall_mass.sum() * totals_of
            elif view == "recall":
                cells[i, j] = recall
            elif view == "precision":
                cells[i, j] = precision
            elif not (np.isnan(recall) and np.isnan(precision)):
                r, p = np.nan_to_num(recall), np.nan_to_num(precision)
                cells[i, j] = 2 * r * p / (r + p) if r + p else 0.0
    return cells


def unit_masses(comparison, method):
    """[masses for recall and for precision, float64[2, gt, pred]] of the documents, by name."""
    tables = (comparison.confusion(document=name, method=method) for name in sorted(comparison.documents))
    return [np.stack([m.recall_mass, m.precision_mass]) for m in tables]


def ends_by_hand(masses, total, view, n, seed):
    """Percentiles of resamples of units, one resample after the other."""
    resamples = []
    for block in bootstrap.resample_weights(len(masses[0]), n, seed):
        for weights in block:
            cells = [shares_by_hand(sum(w * m for w, m in zip(weights, own)), total, view) for own in masses]
            resamples.append(cells[1] - cells[0])
    assert len(resamples) == n
    found = np.array(resamples)
    found[:, np.isnan(found).all(axis=0)] = 0  # never defined, so it has no ends
    return np.nanquantile(found, [0.025, 0.975], axis=0)


def check_ends(found, ends, scale):
    has_ends = np.isfinite(found.low)
    assert (np.isfinite(found.high) == has_ends).all()
    np.testing.assert_allclose(found.low[has_ends], ends[0][has_ends], atol=scale)
    np.testing.assert_allclose(found.high[has_ends], ends[1][has_ends], atol=scale)
    excludes_0 = (found.low > 0) | (found.high < 0)
    assert (found.noise == ~(excludes_0 & (found.p <= 0.05))).all()
    return has_ends


ALL_VIEWS = pytest.mark.parametrize(("view", "method"), [(view, "matrix") for view in VIEWS] + [("f1", "tensor")])


@ALL_VIEWS
def test_ends_are_those_of_a_plain_loop_over_documents(two_models, view, method, monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_JACKKNIFE", -1)
    a, b = two_models
    found = cell_differences(a, b, view, n=25, seed=3, method=method)
    total = b.confusion(method=method).values.sum()
    scale = 1e-9 * total if view == "pixels" else 1e-12
    values = view_values(b.confusion(method=method), view) - view_values(a.confusion(method=method), view)
    np.testing.assert_allclose(found.values, values, atol=scale)
    ends = ends_by_hand([unit_masses(c, method) for c in two_models], total, view, 25, 3)
    assert check_ends(found, ends, scale).sum() > 40


def test_ends_of_more_than_400_documents_are_those_of_a_plain_loop_over_groups():
    """450 documents in 400 groups: 50 groups have two documents, chosen at random."""
    generator = np.random.default_rng(8)
    shares = generator.integers(1, 9, (2, 450)) / 10
    pair = [one_label_pages(*own) for own in shares]
    found = cell_differences(*pair, n=25, seed=3)
    group_of = [int(place) % 400 for place in np.random.default_rng(3).permutation(450)]
    grouped = []
    for comparison in pair:
        sums = [np.zeros((2, 2, 2)) for _ in range(400)]
        for document, mass in enumerate(unit_masses(comparison, "matrix")):
            sums[group_of[document]] += mass
        grouped.append(sums)
    assert module.MOST_UNITS == 400 and found.used.unit_count == 450
    assert sorted(sum(m[0].sum() for m in pairs) for pairs in zip(*grouped)) == [200] * 350 + [400] * 50
    ends = jackknife_by_hand(grouped, 45_000, "recall")
    assert check_ends(found, ends, 1e-12)[1].all()
    np.testing.assert_allclose(found.values[1, 1], shares[1].mean() - shares[0].mean())


def jackknife_by_hand(masses, total, view):
    """(low, high) of each cell, from the differences without one unit and the sizes of the units, in plain loops."""
    units, labels = len(masses[0]), len(masses[0][0][0])
    difference = lambda used: np.subtract(
        *(shares_by_hand(sum(own[k] for k in used), total, view) for own in reversed(masses))
    )
    whole = difference(range(units))
    without = [difference([k for k in range(units) if k != left_out]) for left_out in range(units)]
    ends = np.full((2, labels, labels), np.nan)
    for i in range(labels):
        for j in range(labels):
            sizes = [sum(size_by_hand(own[k], i, j, view) for own in masses) for k in range(units)]
            if sum(size > 0 for size in sizes) < 6 or np.isnan(whole[i, j]):
                continue
            results = [one[i, j] for one in without]
            squares = [(result - sum(results) / units) ** 2 for result in results]
            error = (sum(squares) * (units - 1) / units) ** 0.5
            kurtosis = units * sum(s**2 for s in squares) / sum(squares) ** 2 if sum(squares) else np.nan
            effective = sum(sizes) ** 2 / sum(size**2 for size in sizes)
            freedom = min(max(np.fmin(2 * units / max(kurtosis - 1, 1e-9), effective) - 1, 2), units - 1)
            reach = stats.t.ppf(0.975, freedom) * error
            most = total if view == "pixels" else 1
            ends[:, i, j] = max(whole[i, j] - reach, -most), min(whole[i, j] + reach, most)
    return ends


def size_by_hand(masses, i, j, view):
    """What a unit adds to the number by which a cell is divided."""
    gt, pred = masses[0][i].sum(), masses[1][:, j].sum()
    return {"recall": gt, "precision": pred, "f1": gt + pred, "pixels": masses[0].sum()}[view]


@ALL_VIEWS
def test_ends_of_few_documents_are_those_of_a_plain_loop_that_leaves_one_out(two_models, view, method):
    a, b = two_models
    found = cell_differences(a, b, view, method=method)
    assert found.used.kind == "jackknife" and found.used.unit_count == 60
    total = b.confusion(method=method).values.sum()
    ends = jackknife_by_hand([unit_masses(c, method) for c in two_models], total, view)
    scale = 1e-9 * total if view == "pixels" else 1e-9
    np.testing.assert_array_equal(np.isfinite(found.low), np.isfinite(ends[0]))
    assert check_ends(found, ends, scale).sum() > 40 and (found.high > found.low).sum() > 20
    spread = found.high > found.low
    assert ((found.p <= 0.05) == ((found.low > 0) | (found.high < 0)))[spread].all()  # one statistic


def test_a_constant_gain_is_no_noise_and_a_swap_turns_the_sign():
    """b finds a tenth more of `a` than a does, on every one of ten pages of very different difficulty."""
    shares = np.tile([0.1, 0.3, 0.5, 0.7, 0.8], 2)
    a, b = one_label_pages(*shares), one_label_pages(*np.round(shares + 0.1, 1))
    found = cell_differences(a, b)
    assert found.labels == ["Background", "a"] and found.used.unit == "document" and found.used.unit_count == 10
    np.testing.assert_allclose(found.values[1], [-0.1, 0.1])
    np.testing.assert_allclose([found.low[1, 1], found.high[1, 1]], 0.1)
    assert not found.noise[1].any() and found.noise[0].all()  # gt has no Background
    assert found.verdicts.tolist() == [[None, None], ["better", "better"]]
    assert found.p[1].tolist() == pytest.approx([0, 0], abs=1e-12)
    np.testing.assert_allclose(cell_differences(b, a).values[1], [0.1, -0.1])
    same = cell_differences(a, a)
    assert (same.values[1] == 0).all() and same.noise.all()


def test_few_documents_have_no_interval():
    a, b = one_label_pages(*[0.2] * 5), one_label_pages(*[0.9] * 5)
    found = cell_differences(a, b)
    np.testing.assert_allclose(found.values[1], [-0.7, 0.7])
    assert np.isnan(found.low).all() and found.noise.all()
    assert found.verdicts[1].tolist() == ["too few documents"] * 2 and found.units[1].tolist() == [5, 5]


def test_a_label_of_few_documents_has_no_interval(two_models):
    a, b = two_models
    found = cell_differences(a, b)
    tables = [a.confusion(document=name).gt_pixels > 0 for name in a.documents]
    few = np.sum(tables, axis=0) < 6
    assert np.isnan(found.low[few]).all() and few.sum() < len(few)


def test_the_pages_of_one_document_are_units():
    one = {f"page {i:03}": "d" if i < 8 else "e" for i in range(10)}
    a, b = (one_label_pages(*[share] * 10, documents=one) for share in (0.2, 0.5))
    found = cell_differences(a, b, document="d")
    assert found.used.unit == "page" and found.used.unit_count == 8 and not found.noise[1].any()
    assert cell_differences(a, b, page="page 001").noise.all()
    assert cell_differences(a, b).used.unit_count == 2


def test_many_units_are_drawn_in_groups(monkeypatch):
    """Groups of units give an interval as wide as the units themselves."""
    generator = np.random.default_rng(5)
    shares = generator.integers(1, 9, 300) / 10
    a = one_label_pages(*shares)
    b = one_label_pages(*np.clip(shares + generator.integers(-1, 3, 300) / 10, 0.1, 1).round(1))
    alone = cell_differences(a, b, n=2000)
    monkeypatch.setattr(module, "MOST_UNITS", 100)
    monkeypatch.setattr(bootstrap, "MOST_JACKKNIFE", -1)
    grouped = cell_differences(a, b, n=2000)
    assert grouped.used.unit_count == 300
    np.testing.assert_allclose(grouped.values, alone.values)
    widths = [found.high[1, 1] - found.low[1, 1] for found in (alone, grouped)]
    assert widths[1] == pytest.approx(widths[0], rel=0.25)


def test_labels_that_only_one_has_and_a_choice_of_labels():
    pages = {f"p{i}": (10, 10) for i in range(6)}
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in pages])
    x = build(pages, [(page, "x", 0, 0, 10, 10) for page in pages])
    a, b = (lcm.compare(gt, pred, taxonomy="same", documents="(.+)") for pred in (gt, x))
    found = cell_differences(a, b, labels=["Background", "a", "x"])
    np.testing.assert_allclose(found.values[1], [0, -1, 1])
    assert found.noise.tolist()[1] == [True, False, False]
    assert cell_differences(a, b, labels=["a"]).values.tolist() == [[-1]]


def test_what_cannot_be_paired_is_said():
    pages = {"p": (10, 10)}
    gt, other = build(pages, [("p", "a", 0, 0, 9, 9)]), build(pages, [("p", "z", 0, 0, 9, 9)])
    same, different = lcm.compare(gt, gt), lcm.compare(gt, other, taxonomy="different")
    with pytest.raises(InputError, match="differ from those of gt"):
        cell_differences(same, different)
    with pytest.raises(InputError, match="gt pixels in one comparison"):
        cell_differences(same, lcm.compare(build(pages, [("p", "a", 0, 0, 5, 9)]), gt))
    with pytest.raises(InputError, match="view"):
        cell_differences(same, same, "iou")


def test_pages_that_only_predictions_have_do_not_change_the_pixels_of_others():
    """Both find T alike; each has pages of its own size that gt lacks, which get the size of gt's."""
    sizes = {f"p{k}": (10, 10) for k in range(8)}
    gt = build(sizes, [(page, "T", 0, 0, 5, 5) for page in sizes])
    found = [(page, "T", 0, 0, 5, 5) for page in sizes]
    own = [sizes | {f"more{k}": more for k in range(8)} for more in ((10, 10), (20, 10))]
    a, b = (lcm.compare(gt, build(pages, found), missing_pages="penalise-both") for pages in own)
    pixels = cell_differences(a, b, "pixels")
    background, label = pixels.labels.index("Background"), pixels.labels.index("T")
    assert pixels.values[label, label] == 0 and pixels.values[background, background] == 0


def test_labels_are_checked(two_models):
    with pytest.raises(InputError, match="'nope' is not known"):
        cell_differences(*two_models, labels=["nope"])
    with pytest.raises(InputError, match="is one text"):
        cell_differences(*two_models, labels="Text")


def test_the_same_gt_is_needed_whatever_labels_are_asked_for():
    size = {f"p{k}": (10, 10) for k in range(6)}
    compared = []
    for side in (5, 6):
        layout = build(size, [(page, "T", 0, 0, side, 5) for page in size])
        compared.append(lcm.compare(layout, layout))
    with pytest.raises(InputError, match="gt pixels in one comparison"):
        cell_differences(*compared, labels=["T"])
