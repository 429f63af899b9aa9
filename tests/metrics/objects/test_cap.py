"""Where the cap of AP acts: pages and labels with more predictions than count."""

import layoutcm as lcm
from layoutcm.metrics.objects.matched_objects import CAP, over_cap
from support.layouts import build

PAGES = {"p": (100, 100), "q": (100, 100)}


def test_pages_and_labels_with_more_predictions_than_count():
    boxes = lambda page, label, n: [(page, label, k % 10, k // 10, k % 10 + 1, k // 10 + 1, 0.5) for k in range(n)]
    gt = build(PAGES, [("p", "a", 0, 0, 5, 5), ("q", "b", 0, 0, 5, 5)], ["a", "b"])
    pred = build(PAGES, [*boxes("p", "a", 100), *boxes("p", "b", 103), *boxes("q", "a", 101)], ["a", "b"])
    found = over_cap(lcm.compare(gt, pred).objects())
    assert CAP == 100
    assert found.values.tolist() == [["p", "b", 103, 3], ["q", "a", 101, 1]]
    assert over_cap(lcm.compare(gt, gt).objects()).empty
