"""Score curves: a page one can count, and maps of all pixels through scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis import pixels_by_score, score_curves
from layoutcm.filling.result_parts import curves_part
from layoutcm.layouts.model import PRED as PRED_SIDE
from layoutcm.layouts.shapes import Outline
from layoutcm.tables.score_tables import score_lines, threshold_table
from layoutcm.tables.why import why_summary, why_tables
from support import score_maps
from support.generated_pages import random_layouts
from support.layouts import build, with_shapes

LABELS = ["a", "b"]
ONE = {"p": (10, 10)}
GT = [("p", "a", 0, 0, 10, 5)]
PRED = [("p", "a", 0, 0, 10, 4, 0.9), ("p", "a", 0, 4, 10, 6, 0.5), ("p", "a", 0, 6, 10, 7, 0.2)]


def curves(gt, pred, sizes=ONE, labels=("a",), **options):
    return lcm.compare(build(sizes, gt, labels), build(sizes, pred, labels), **options).score_curves()


def test_the_worked_page_of_the_documentation():
    """gt has 50 pixels. Of 40, 20 and 10 pixels with the scores 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    s = curves(GT, PRED)
    curve = s.curve("a")
    assert list(curve) == ["threshold", "precision", "recall", "f1"]
    expected = [[0.2, 50 / 70, 1, 100 / 120], [0.5, 50 / 60, 1, 100 / 110], [0.9, 1, 0.8, 80 / 90]]
    np.testing.assert_allclose(curve, expected, atol=1e-12)
    assert s.best().to_dict("records") == [{"label": "a", "threshold": 0.5, "f1": pytest.approx(100 / 110)}]
    # 50 pixels do not have the label in gt; the scores 0.9, 0.5 and 0.2 are on 0, 10 and 10 of them.
    roc = [[np.inf, 0, 0], [0.9, 0, 0.8], [0.5, 0.2, 1], [0.2, 0.4, 1], [0, 1, 1]]
    assert s.roc("a").values.tolist() == roc
    assert s.roc_auc == {"a": pytest.approx(0.98)} and s.ece == {"a": pytest.approx(6 / 70)}
    table = s.reliability("a")
    assert list(table) == ["above", "up_to", "pixels", "mean_score", "share_in_gt"] and len(table) == 10
    used = table[table["pixels"] > 0]
    np.testing.assert_allclose(used, [[0.1, 0.2, 10, 0.2, 0], [0.4, 0.5, 20, 0.5, 0.5], [0.8, 0.9, 40, 0.9, 1]])
    assert table[table["pixels"] == 0][["mean_score", "share_in_gt"]].isna().all(axis=None)
    gain = s.gains().iloc[0]
    assert gain["present_f1"] == pytest.approx(100 / 120) and gain["gain"] == pytest.approx(100 / 110 - 100 / 120)
    assert np.isnan(gain["held_out_f1"]) and not s.is_cross_validated
    for call in (s.curve, s.reliability):
        with pytest.raises(lcm.InputError, match=r"'Table' is not known\. Use one of a"):
            call("Table")
    fewer = curves(GT, PRED[:2]).gains().iloc[0]  # the best threshold keeps everything
    assert np.isnan(fewer["threshold"]) and fewer["f1"] == fewer["present_f1"] and fewer["gain"] == 0


def test_no_threshold_is_chosen_on_other_documents_that_all_regions_are_right_on():
    """All regions are right. The lowest score of six pages would drop the region of the seventh."""
    sizes = {f"p{i}": (10, 10) for i in range(7)}
    gt = [(page, "a", 0, 0, 10, 5) for page in sizes]
    pred = [(page, "a", 0, 0, 10, 5, 0.9 - k / 100) for k, page in enumerate(sizes)]
    s = curves(gt, pred, sizes, documents={page: page for page in sizes})
    assert s.is_cross_validated and s.gains()["gain"].tolist() == [0, 0] and s.gains()["threshold"].isna().all()
    assert s.best()["threshold"].tolist() == [pytest.approx(0.84)]


def test_a_prediction_in_which_no_region_has_a_score():
    s = curves(GT, [row[:-1] for row in PRED])
    assert len(s.curve("a")) == 0 and np.isnan([s.roc_auc["a"], s.ece["a"]]).all()
    assert s.gains().drop(columns="label").isna().all(axis=None)


def test_a_label_that_is_only_missed_keeps_its_present_f1():
    """Label b is in gt of seven documents, and nowhere in pred: no threshold is better than F1 0."""
    sizes = {f"p{i}": (10, 10) for i in range(7)}
    gt = [(page, label, 0, y, 10, y + 5) for page in sizes for label, y in (("a", 0), ("b", 5))]
    pred = [(page, "a", 0, 0, 10, 5, 0.9) for page in sizes]
    b = curves(gt, pred, sizes, ("a", "b")).gains().set_index("label").loc["b"]
    assert np.isnan(b["threshold"])
    assert b[["f1", "present_f1", "held_out_f1", "gain"]].tolist() == [0, 0, 0, 0]


def test_one_threshold_for_all_labels_sums_their_pixels():
    """The best thresholds are 0.5 for a and 0.9 for b; together, 0.9 keeps 50 pixels, all right, of 60 in gt."""
    gt = [*GT, ("p", "b", 0, 8, 10, 9)]
    pred = [*PRED, ("p", "b", 0, 8, 10, 9, 0.9), ("p", "b", 0, 9, 10, 10, 0.5)]
    s = curves(gt, pred, labels=LABELS)
    assert s.best()["threshold"].tolist() == [0.5, 0.9]
    assert s.best_overall == {"threshold": 0.9, "f1": pytest.approx(2 * 50 / (60 + 50))}
    overall = s.curve()
    assert overall["threshold"].tolist() == [0.2, 0.5, 0.9]
    np.testing.assert_allclose(overall["precision"], [60 / 90, 60 / 80, 1])
    assert s.gains()["label"].tolist() == ["a", "b", "all labels"]
    assert s.gains().iloc[-1]["present_f1"] == pytest.approx(2 * 60 / (60 + 90))


def test_the_best_threshold_is_the_highest_of_equal_ones():
    s = curves([("p", "a", 0, 0, 10, 2)], [("p", "a", 0, 0, 10, 1, 0.8), ("p", "a", 0, 1, 10, 4, 0.4)])
    np.testing.assert_allclose(s.curve("a")["f1"], [40 / 60, 20 / 30])  # the same number
    assert s.best()["threshold"].tolist() == [0.8]


def test_the_applied_threshold_gives_the_f1_of_the_curve():
    best = curves(GT, PRED).best().iloc[0]
    s = curves(GT, PRED, min_score=best["threshold"])
    assert s.gains().iloc[0]["present_f1"] == best["f1"] and s.curve("a")["threshold"].tolist() == [0.5, 0.9]


def test_regions_without_a_score_have_1_and_scores_of_gt_do_not_count():
    s = curves([("p", "a", 0, 0, 10, 5, 0.0)], [("p", "a", 0, 0, 10, 4), ("p", "a", 0, 4, 10, 6, 0.0)])
    assert s.curve("a").to_numpy().tolist() == [[1, 1, 0.8, pytest.approx(80 / 90)]]
    # The region with score 0 counts only while no threshold is applied.
    assert s.gains().iloc[0]["present_f1"] == pytest.approx(100 / 110)


def test_values_without_a_meaning_are_nan():
    percent = curves(GT, [("p", "a", 0, 0, 10, 4, 87.0)])
    different = lcm.compare(build(ONE, GT), build(ONE, [("p", "x", 0, 0, 9, 9, 0.5)])).score_curves()
    for s, label in ((percent, "a"), (different, "x")):
        assert len(s.curve(label)) == 0 and list(s.curve(label)) == ["threshold", "precision", "recall", "f1"]
        assert np.isnan([*s.roc_auc.values(), *s.ece.values(), *s.best_overall.values()]).all()
        assert s.best()[["threshold", "f1"]].isna().all(axis=None)
        assert s.gains().drop(columns="label").isna().all(axis=None)
        assert s.reliability(label)["pixels"].isna().all()
    assert curves(GT, [("p", "a", 0, 0, 10, 4, 1.0000001)]).curve("a")["threshold"].tolist() == [1]


def test_nothing_to_compare():
    s = curves([], [], labels=())
    assert s.best().empty and list(s.best()) == ["label", "threshold", "f1"] and s.roc_auc == {}
    assert np.isnan(s.best_overall["f1"])


def test_outlines_count_only_their_own_pixels():
    triangle = Outline((np.array([[0.0, 0.0], [7.5, 0.0], [0.0, 7.5]]),))
    rows = [("p", "a", 0, 0, 8, 8, 0.5), ("p", "a", 0, 0, 8, 1, 0.0)]
    pred = with_shapes(build({"p": (8, 8)}, rows), {0: triangle})
    s = lcm.compare(build({"p": (8, 8)}, [("p", "a", 0, 0, 8, 4)]), pred).score_curves()
    pixels = [(x, y) for x in range(8) for y in range(8) if x + 0.5 + y + 0.5 < 7.5]  # no centre is on the edge
    right = sum(y < 4 for _, y in pixels)
    assert s.curve("a").to_numpy().tolist() == [
        [0.5, pytest.approx(right / len(pixels)), right / 32, pytest.approx(2 * right / (32 + len(pixels)))]
    ]
    # The box with score 0 adds the rest of the first row, which is right, to what is present.
    rest = 8 - sum(y == 0 for _, y in pixels)
    assert s.gains().iloc[0]["present_f1"] == pytest.approx(2 * (right + rest) / (32 + len(pixels) + rest))


quarters = st.integers(-8, 40).map(lambda n: n / 4)
score = st.sampled_from([0.0, 0.1, 0.125, 0.3, 0.5, 0.7000000000000001, 0.9, 1.0, None])
scored_box = st.tuples(st.sampled_from(LABELS), quarters, quarters, quarters, quarters, score)
size = st.tuples(st.integers(1, 8), st.integers(1, 8))
ignored = st.lists(st.tuples(quarters, quarters, quarters, quarters), max_size=1)
page = st.tuples(size, st.lists(scored_box, max_size=4), st.lists(scored_box, max_size=6), ignored)


def compared(pages, documents=None, **options):
    """The comparison of generated pages [(size, gt boxes, pred boxes, ignored boxes)]."""
    sizes = {f"page {i}": one[0] for i, one in enumerate(pages)}
    gt = [(f"page {i}", *row[:5]) for i, one in enumerate(pages) for row in one[1]]
    gt += [(f"page {i}", "skip", *box) for i, one in enumerate(pages) for box in one[3]]
    scored = lambda row: row[:5] if row[5] is None else row
    pred = [(f"page {i}", *scored(row)) for i, one in enumerate(pages) for row in one[2]]
    sides = build(sizes, gt, [*LABELS, "skip"]), build(sizes, pred, LABELS)
    return lcm.compare(*sides, mapping={"gt": {"skip": "Ignore"}}, documents=documents, **options)


def labels_with_scores(comparison):
    """The labels of regions with a score, without boxes with inverted corners, which are dropped."""
    regions = comparison.alignment.layouts[PRED_SIDE].regions
    return set(regions["label"][regions["score"].notna()])


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_generated_pages_equal_scikit_learn_on_maps_of_all_pixels(rounding, pages):
    c = compared(pages, rounding=rounding)
    assume(labels_with_scores(c))
    s = c.score_curves()
    if rounding == "exact":  # all box edges are on the lines of a grid that is four times as fine
        four = lambda rows: [(label, *(4 * v for v in box), given) for label, *box, given in rows]
        skipped = lambda boxes: [[4 * v for v in box] for box in boxes]
        pages = [((4 * w, 4 * h), four(gt), four(pred), skipped(skip)) for (w, h), gt, pred, skip in pages]
    grid = "outer" if rounding == "exact" else rounding
    of_labels = [score_maps.pixels_of(pages, label, grid) for label in LABELS]
    for label, (in_gt, scores) in zip(LABELS, of_labels):
        if label not in labels_with_scores(c):
            assert len(s.curve(label)) == 0 and np.isnan([s.roc_auc[label], s.ece[label]]).all()
            continue
        rows = score_maps.curve(in_gt, scores)
        np.testing.assert_allclose(s.curve(label).to_numpy(), np.array(rows, float).reshape(-1, 4), atol=1e-9)
        row = s.best().set_index("label").loc[label]
        assert row.tolist() == pytest.approx(score_maps.best(rows), abs=1e-9, nan_ok=True)
        assert s.roc_auc[label] == pytest.approx(score_maps.roc_auc(in_gt, scores), abs=1e-9, nan_ok=True)
        x, y = s.roc(label)[["false_positives", "true_positives"]].to_numpy().T
        area = np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) if len(x) else np.nan
        assert area == pytest.approx(s.roc_auc[label], abs=1e-9, nan_ok=True)
        assert s.ece[label] == pytest.approx(score_maps.ece(in_gt, scores), abs=1e-9, nan_ok=True)
    rows = score_maps.curve(*(np.concatenate(parts) for parts in zip(*of_labels)))
    expected = score_maps.best(rows)
    assert list(s.best_overall.values()) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(pages=st.lists(page, min_size=6, max_size=9), data=st.data())
@settings(max_examples=40, deadline=None)
def test_gains_equal_a_loop_over_held_out_documents(pages, data):
    """Each page but the last is a document; the last page belongs to one of them."""
    joined = data.draw(st.integers(0, len(pages) - 2))
    documents = {f"page {i}": f"d{i}" for i in range(len(pages) - 1)} | {f"page {len(pages) - 1}": f"d{joined}"}
    c = compared(pages, documents)
    assume(labels_with_scores(c))
    s = c.score_curves()
    table = s.gains().set_index("label")
    if len(pages) == 6:
        assert not s.is_cross_validated and table["held_out_f1"].isna().all()
        return
    by_document = [[one] for one in pages[:-1]]
    by_document[joined].append(pages[-1])

    def pixels(some, label):
        """Whether gt has the label, its score, and whether pred has a region of it, be its score 0."""
        present = [(size, gt, [(*row[:5], 1.0) for row in pred], skip) for size, gt, pred, skip in some]
        return *score_maps.pixels_of(some, label, "outer"), score_maps.pixels_of(present, label, "outer")[1] > 0

    maps = [[pixels(some, label) for label in LABELS] for some in by_document]
    for k, label in enumerate(LABELS):
        scored = label in labels_with_scores(c) and any(one[k][1].any() for one in maps)
        without = 0 if table.loc[label, "present_f1"] == 0 else np.nan
        expected = score_maps.held_out_f1([[one[k]] for one in maps]) if scored else without
        assert table.loc[label, "held_out_f1"] == pytest.approx(expected, abs=1e-9, nan_ok=True)
    if s.curve()["f1"].size:
        assert table.loc["all labels", "held_out_f1"] == pytest.approx(score_maps.held_out_f1(maps), abs=1e-9)
    np.testing.assert_allclose(table["gain"], table["held_out_f1"] - table["present_f1"])


def test_threads_and_chunks_change_nothing(monkeypatch):
    sides = random_layouts(13, 30, (30, 30), LABELS)
    whole = lcm.compare(*sides, threads=1).score_curves()
    monkeypatch.setattr(pixels_by_score, "PAGES_PER_CHUNK", 3)
    parts = lcm.compare(*sides, threads=3).score_curves()
    for label in (*LABELS, None):
        assert whole.curve(label).equals(parts.curve(label))
    assert whole.gains().equals(parts.gains()) and whole.roc_auc == parts.roc_auc


def test_gains_with_many_scores_equal_a_loop_over_held_out_documents():
    """With many thresholds, only those that may be the best are looked at. Wrong regions have lower scores."""
    rng = np.random.default_rng(3)
    strips = lambda n: [(0, int(y), 30, int(y) + 2) for y in rng.choice(60, n, replace=False) * 2]
    pages = []
    for _ in range(9):
        right, wrong = strips(8), strips(8)
        pred = [("a", *box, float(rng.uniform(0.3, 1))) for box in right]
        pred += [("a", *box, float(rng.uniform(0, 0.8))) for box in wrong]
        pages.append(((30, 120), [("a", *box, None) for box in right], pred, []))
    found = compared(pages).score_curves()
    assert len(found.curve("a")) > 100 and 20 < found.curve("a")["f1"].argmax() < 100
    maps = [score_maps.pixels_of([one], "a", "outer") for one in pages]
    expected = score_maps.held_out_f1([[(in_gt, scores, scores > 0)] for in_gt, scores in maps])
    row = found.gains().iloc[0]
    assert row["held_out_f1"] == pytest.approx(expected, abs=1e-9) and row["present_f1"] < expected < row["f1"]


def test_many_documents_are_held_out_in_groups(monkeypatch):
    """With as many groups as documents it is the same as holding out each; with fewer, every second one."""
    c = lcm.compare(*random_layouts(13, 30, (30, 30), LABELS))
    monkeypatch.setattr(score_curves, "MOST_GROUPS", 2)
    assert score_curves.groups_of_documents(np.arange(5)).tolist() == [0, 1, 0, 1, 0]
    found = c.score_curves().gains()["held_out_f1"]
    assert found.notna().all() and (found <= c.score_curves().gains()["f1"] + 1e-12).all()


def test_compiled_and_plain_python_give_the_same_areas(monkeypatch):
    from layoutcm.compiled import Process

    sides = random_layouts(3, 12, (30, 30), LABELS)
    monkeypatch.setattr(Process, "steps", -(10**9))
    plain = lcm.compare(*sides).score_curves()
    monkeypatch.setattr(Process, "steps", 10**9)
    compiled = lcm.compare(*sides).score_curves()
    for column in zip(plain.rows, compiled.rows, strict=True):
        np.testing.assert_array_equal(*column)


def test_a_label_without_scores_has_no_curve():
    """b has a region without a score, c has none, and the regions of d have the score 1."""
    labels = "abcd"
    gt = [("p", label, 0, 2 * k, 10, 2 * k + 2) for k, label in enumerate(labels)]
    pred = [("p", "a", 0, 0, 10, 3, 0.5), ("p", "b", 0, 2, 10, 4), ("p", "d", 0, 6, 10, 8, 1.0)]
    s = curves(gt, pred, labels=labels)
    assert not s.why_none and [len(s.curve(label)) for label in labels] == [1, 0, 0, 1]
    assert np.isnan([s.roc_auc["b"], s.roc_auc["c"], s.ece["b"], s.ece["c"]]).all() and s.roc_auc["d"] == 1
    gains = s.gains().iloc[[1, 2]]  # all regions of b are right, and c is missed
    assert gains["present_f1"].tolist() == gains["f1"].tolist() == [1, 0] and gains["gain"].tolist() == [0, 0]
    assert gains[["threshold", "held_out_f1"]].isna().all(axis=None)
    for_label = "n/a, because no region with a score above 0 is compared: b, c"
    assert for_label in score_lines(curves_part(s)) and for_label in threshold_table(curves_part(s)).note
    assert s.reliability("b")["pixels"].isna().all() and s.roc("c").empty


@pytest.mark.parametrize(
    ("pred", "reason"),
    [
        ([("p", "a", 0, 0, 10, 4)], "The prediction has no scores."),
        ([("p", "a", 0, 0, 10, 4), ("q", "a", 0, 0, 9, 9, 0.5)], "No region that is compared has a score."),
        ([("p", "a", 0, 0, 10, 4, 40.0)], "Some scores are not in 0..1, which makes them no probabilities."),
        ([("p", "x", 0, 0, 10, 4, 0.5)], "The two sides have different labels, which a mapping would make comparable."),
    ],
)
def test_why_there_are_no_curves(pred, reason):
    """A score on a page that is not compared changes nothing. The result, its JSON and its texts have the reason."""
    sides = build(ONE, GT), build({**ONE, "q": (10, 10)}, pred)
    c = lcm.compare(*sides, missing_pages="ignore")
    s = c.score_curves()
    assert s.why_none == reason and np.isnan([*s.roc_auc.values(), *s.ece.values(), *s.best_overall.values()]).all()
    assert s.gains().drop(columns="label").isna().all(axis=None) and c.soft()["recall"] != 0
    result = c.result(why=True, intervals=False)
    assert result.score_curves is None and result.why_no_score_curves == reason
    if c.space.shared:
        assert reason in why_summary(result) and reason in why_tables(result)[-1].note


def all_scores(c, score):
    """{name: values} of every kind of score of a prediction whose regions have this score, or none."""
    objects, s = c.objects(), c.score_curves()
    for method in ("matrix", "tensor"):
        confusion = c.confusion(method=method)
        yield method, [confusion.class_values()[name] for name in ("precision", "recall", "f1", "iou")]
        yield f"cells, {method}", [np.diag(one) for one in (confusion.recall, confusion.precision, confusion.f1)]
        for kind, over in itertools.product(("micro", "macro", "weighted"), ("pixels", "pages", "documents")):
            yield f"{kind} over {over}, {method}", list(c.average(kind, over=over, method=method).values())
        yield f"pages, {method}", c.page_table(method).drop(columns=["page", "document", "pixels"])
    yield "content and agreement", [*c.content().values(), *c.agreement().values()]
    yield "families", [c.families({"one": ["a", "b"]}).given_gt()["identity"]]
    yield "forgiveness", c.forgiveness().drop(columns="tolerance")
    yield "objects", [*objects.scores_at(0.5).values(), objects.panoptic()[["sq", "rq", "pq"]].to_numpy()]
    soft = ["precision", "recall", "f_beta", "dice"] if score in (None, 1.0) else ["precision"]
    for kind, beta in itertools.product(("micro", "macro", "weighted", "samples", None), (0.3, 1.0, 3.0)):
        yield f"soft, {kind}", [c.soft(kind, beta)[name] for name in soft]
    if score is not None:
        yield "AP", [objects.ap, objects.ap50, objects.ap75, objects.ar, *objects.per_class["ap"]]
        yield "AP by rule", [list(objects.ap_at(0.5, rule).values()) for rule in ("coco", "sum", "voc")]
        yield "curves", [*s.roc_auc.values(), s.best_overall["f1"], *s.best()["f1"]]
        yield "gains", s.gains()[["f1", "present_f1", "held_out_f1"]]
        yield "no gain", 1 - s.gains()["gain"]
    if score == 1:
        yield "calibration", [1 - value for value in s.ece.values()]


@pytest.mark.parametrize("rounding", ["outer", "exact"])
@pytest.mark.parametrize("score", [None, 1.0, 0.7])
def test_a_perfect_prediction_has_exactly_1(rounding, score):
    """Boxes at random places, several labels on a pixel, on seven documents; no score is rounded to less than 1."""
    rng, sizes = np.random.default_rng(4), {f"p{i}": (97.3, 61.7) for i in range(7)}
    corners, reach = rng.uniform(0, 60, (70, 2)), rng.uniform(1, 30, (70, 2))
    rows = [(f"p{i % 7}", "abc"[i % 3], *corners[i], *(corners[i] + reach[i])) for i in range(70)]
    pred = build(sizes, [row if score is None else (*row, score) for row in rows], "abc")
    c = lcm.compare(build(sizes, rows, "abc"), pred, rounding=rounding, documents={page: page for page in sizes})
    for name, values in all_scores(c, score):
        values = np.concatenate([np.ravel(one) for one in ([values] if hasattr(values, "shape") else values)])
        np.testing.assert_array_equal(values.astype(float), np.ones(values.size), name)
