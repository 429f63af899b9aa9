"""Centroids: the worked example, the largest matching compared with SciPy, and empty sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.metrics.objects import centroids
from layoutcm.metrics.objects.centroids import centroid_match
from support.layouts import build

GT = [[1, 4, 3, 3], [5, 2, 8, 1]]
PRED = [[1, 2, 2, 1], [4.5, 2.5, 2, 1], [6, 6, 8, 4]]


@pytest.mark.parametrize("one_to_one", [True, False])
def test_the_worked_example(one_to_one):
    found = lcm.centroid_match(GT, PRED, (2, 2), one_to_one=one_to_one)
    assert found.precision == 1 / 3 and found.recall == 1 / 2 and found.f1 == pytest.approx(2 / 5)
    assert found.matches.to_dict("records") == [{"gt": 0, "pred": 1, "dx": 1.25, "dy": -1.75}]


BOX, MOVED = [[0, 0, 2, 2]], [[3, 1, 5, 3]]  # centres 3 and 1 apart
TWO, THREE = [[0, 0, 10, 10], [50, 50, 60, 60]], [[0, 0, 10, 10], [1, 0, 11, 10], [0, 1, 10, 11]]
EXAMPLES = {
    "corners in another order": (GT, [[x1, y1, x0, y0] for x0, y0, x1, y1 in PRED], (2, 2), True, (1 / 3, 1 / 2, 1)),
    "at the tolerance in x": (BOX, MOVED, (3, 2), True, (0, 0, 0)),
    "at the tolerance in y": (BOX, MOVED, (3.001, 1), True, (0, 0, 0)),
    "below the tolerance in both": (BOX, MOVED, (3.001, 1.001), True, (1, 1, 1)),
    "several predictions share a region": (TWO, THREE, (5, 5), False, (1, 0.5, 3)),
    "one prediction for a region": (TWO, THREE, (5, 5), True, (1 / 3, 0.5, 1)),
    # The first prediction is near both regions, the second only near the first: greedy matching finds one of two.
    "the order of predictions costs no match":
        ([[0, 0, 0, 0], [4, 0, 4, 0]], [[2, 0, 2, 0], [-2, 0, -2, 0]], (3, 1), True, (1, 1, 2)),
}  # fmt: skip


@pytest.mark.parametrize(("gt", "pred", "tolerance", "one_to_one", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_precision_recall_and_the_number_of_matches(gt, pred, tolerance, one_to_one, expected):
    found = lcm.centroid_match(gt, pred, tolerance, one_to_one=one_to_one)
    assert (found.precision, found.recall, len(found.matches)) == expected


@pytest.mark.parametrize("one_to_one", [True, False])
def test_scores_of_empty_sides_are_nan(one_to_one):
    match = lambda gt, pred: lcm.centroid_match(gt, pred, (2, 2), one_to_one)
    no_gt, no_pred, nothing = match([], PRED), match(GT, []), match([], [])
    assert np.isnan(no_gt.recall) and no_gt.precision == 0 and no_gt.f1 == 0
    assert np.isnan(no_pred.precision) and no_pred.recall == 0
    assert np.isnan([nothing.precision, nothing.recall, nothing.f1]).all() and nothing.matches.empty


points = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(points, points, st.integers(1, 6), st.integers(1, 6))
def test_one_to_one_is_a_largest_matching(gt, pred, dx, dy):
    boxes = lambda centres: [[x - 1, y - 1, x + 1, y + 1] for x, y in centres]
    found = lcm.centroid_match(boxes(gt), boxes(pred), (dx, dy))
    near = np.array([[abs(g[0] - p[0]) < dx and abs(g[1] - p[1]) < dy for p in pred] for g in gt], int)
    largest = 0
    if gt and pred:
        largest = int((maximum_bipartite_matching(csr_array(near)) >= 0).sum())
        assert near[found.pairs[:, 0], found.pairs[:, 1]].all()
    assert len(found.pairs) == len(set(found.pairs[:, 0])) == len(set(found.pairs[:, 1])) == largest
    published = lcm.centroid_match(boxes(gt), boxes(pred), (dx, dy), one_to_one=False)
    assert len(published.pairs) == near.sum()
    if pred and gt:
        assert published.precision == pytest.approx(near.any(axis=0).mean())
        assert published.recall == pytest.approx(near.any(axis=1).mean())


@pytest.mark.parametrize("seed", range(6))
def test_a_crowded_page_is_matched_as_by_a_plain_search(seed):
    """Many centres in one column, many exactly at the tolerance, not sorted."""
    rng = np.random.default_rng(seed)
    gt, pred = (rng.integers(0, (8, 400), (150, 2)) / 4 for _ in "gp")
    tolerance = np.array([(0.25, 1.5), (1.0, 0.25), (50, 2)][seed % 3])
    near = (np.abs(gt[:, None] - pred[None]) < tolerance).all(axis=2)
    boxes = lambda centres: np.concatenate([centres - 1, centres + 1], axis=1)
    published = lcm.centroid_match(boxes(gt), boxes(pred), tuple(tolerance), one_to_one=False)
    assert {tuple(pair) for pair in published.pairs.tolist()} == {tuple(pair) for pair in np.argwhere(near).tolist()}
    assert len(published.pairs) == near.sum() > 0
    single = lcm.centroid_match(boxes(gt), boxes(pred), tuple(tolerance))
    assert len(single.pairs) == (maximum_bipartite_matching(csr_array(near.astype(int))) >= 0).sum()


def test_the_two_page_example(two_pages):
    comparison = lcm.compare(*two_pages)
    found = comparison.centroids((2, 2))
    assert found.precision == pytest.approx(3 / 7) and found.recall == pytest.approx(3 / 5)
    assert found.matches[["page", "gt_label", "pred_label"]].to_numpy().tolist() == [
        ["p1", "title", "title"],
        ["p1", "paragraph", "paragraph"],
        ["p2", "table", "table"],
    ]
    blind = comparison.centroids((2, 2), class_aware=False)
    assert blind.precision == pytest.approx(5 / 7) and blind.recall == 1
    assert comparison.centroids((2, 2), page="p2").precision == 0.5
    assert comparison.centroids((2, 2), document="p1").recall == pytest.approx(2 / 4)


def test_pages_and_labels_together_are_compared():
    pages = dict.fromkeys("pqrs", (9, 9))
    labels = [(page, label) for page in pages for label in "ab"]
    for there, label in labels:
        pred = build(pages, [(there, label, 0, 0, 2, 2)], "ab")
        found = [lcm.compare(build(pages, [(*own, 0, 0, 2, 2)], "ab"), pred).centroids().precision for own in labels]
        assert found == [own == (there, label) for own in labels]


@pytest.fixture
def three_labels():
    """Two pages with three labels; on q the label differs, and pred has an a that is near two gt regions."""
    pages = {"p": (50, 50), "q": (50, 50)}
    gt = [("q", "c", 0, 0, 2, 2), ("p", "a", 0, 0, 2, 2), ("p", "a", 2, 0, 4, 2), ("p", "b", 20, 20, 30, 30)]
    pred = [("p", "b", 21, 22, 31, 32), ("q", "a", 0, 0, 2, 2), ("p", "a", 1, 0, 3, 4)]
    return lcm.compare(build(pages, gt, "abc"), build(pages, pred, "abc"))


COLUMNS = ["page", "gt", "pred", "gt_label", "pred_label", "dx", "dy"]


@pytest.mark.parametrize(("options", "rows", "scores"), [
    # one row per match: b of p, then a of p
    ({"one_to_one": False},
     [["p", 3, 0, "b", "b", 1, 2], ["p", 1, 2, "a", "a", 1, 1], ["p", 2, 2, "a", "a", -1, 1]],
     (2 / 3, 3 / 4, 12 / 17)),
    ({"one_to_one": True}, [["p", 3, 0, "b", "b", 1, 2], ["p", 1, 2, "a", "a", 1, 1]], (2 / 3, 2 / 4, 4 / 7)),
    ({"class_aware": False},
     [["p", 3, 0, "b", "b", 1, 2], ["q", 0, 1, "c", "a", 0, 0], ["p", 1, 2, "a", "a", 1, 1]], (1, 3 / 4, 6 / 7)),
    ({"page": "q"}, [], (0, 0, 0)),
])  # fmt: skip
def test_the_whole_table_of_matches(three_labels, options, rows, scores):
    found = three_labels.centroids((3, 3), **options)
    assert list(found.matches) == COLUMNS and found.matches.values.tolist() == rows
    assert (found.precision, found.recall, found.f1) == pytest.approx(scores)
    assert found.tolerance == (3, 3) and found.one_to_one is options.get("one_to_one", True)


def test_the_tolerance_is_20_by_default(three_labels):
    boxes = [[0, 0, 2, 2]]
    for moved, recall in ((19.99, 1), (20, 0)):
        assert lcm.centroid_match(boxes, [[moved, 0, 2 + moved, 2]]).recall == recall
        assert lcm.centroid_match(boxes, [[0, moved, 2, 2 + moved]]).recall == recall
    found = lcm.centroid_match(boxes, boxes, one_to_one=False)
    assert (found.tolerance, found.one_to_one, found.comparable) == ((20, 20), False, True)
    assert lcm.centroid_match(boxes, boxes).one_to_one is True and three_labels.centroids().tolerance == (20, 20)


def test_regions_that_are_all_near_each_other_are_listed_only_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(centroids, "MOST_LISTED", 8)
    boxes = [[0, 0, 2, 2]] * 3
    assert len(centroid_match(boxes, boxes[:2], one_to_one=False).pairs) == 6
    with pytest.raises(InputError, match="centroids: 9 pairs of boxes may be near each other, at most 8 are listed"):
        centroid_match(boxes, boxes, one_to_one=False)
    assert len(centroid_match(boxes, boxes).pairs) == 3


def test_pages_with_too_many_regions_near_each_other_are_left_out(monkeypatch):
    pages = {"p": (9, 9), "q": (9, 9), "r": (9, 9)}
    rows = [("p", "a", 0, 0, 2, 2)] * 3 + [("q", "a", 0, 0, 2, 2), ("q", "b", 0, 0, 2, 2)] + [("r", "a", 0, 0, 2, 2)]
    c = lcm.compare(build(pages, rows), build(pages, rows[:5]))
    whole = c.centroids(one_to_one=False)
    assert (len(whole.pairs), whole.recall, whole.left_out, whole.note) == (11, 5 / 6, (), "")
    monkeypatch.setattr(centroids, "MOST_ON_A_PAGE", 8)  # page p has 9 pairs
    for one_to_one in (True, False):
        rest = c.centroids(one_to_one=one_to_one)
        assert (rest.left_out, rest.recall, rest.precision) == (("p",), 2 / 3, 1)
        assert rest.matches["page"].tolist() == ["q", "q"] and rest.matches["gt"].tolist() == [3, 4]
    monkeypatch.setattr(centroids, "MOST_PAIRS", 3)
    monkeypatch.setattr(centroids, "MORE_PER_PAGE", 0)
    assert c.centroids().left_out == ("p", "q") and c.centroids().recall == 0
    start = (
        "Left out of centroids, because more than 8 pairs are near each other on a page, or far more in all: page 'p'"
    )
    assert c.centroids().note == f"{start} and 1 more. Remove duplicates, or compare fewer regions."


def test_more_pred_than_gt_that_are_all_near_each_other():
    """Once each gt has a pred, the search of every other pred must end at once: otherwise this takes minutes."""
    boxes = np.zeros((6000, 4))
    found = lcm.centroid_match(boxes[:1500], boxes)
    assert found.matched == (1500, 1500) and np.unique(found.pairs[:, 0]).size == 1500


def test_many_pairs_near_each_other_are_all_listed():
    """More pairs than there are boxes, so that the pairs do not fit into the memory that is reserved at first."""
    boxes = [[x, 0, x + 2, 2] for x in range(7)]
    found = lcm.centroid_match(boxes, boxes, (50, 50), one_to_one=False)
    assert found.pairs.tolist() == [[gt, pred] for pred in range(7) for gt in range(7)]
