"""The orders of labels in a matrix."""

import numpy as np

import layoutcm as lcm
from layoutcm.drawing.label_order import order_labels
from layoutcm.tables.matrix_views import select
from support.layouts import build


def test_orders_of_labels():
    gt, pred = ["b", "b", "c", "c", "a"], ["b", "c", "c", "c", "a"]
    m = lcm.label_sets_confusion(gt, pred, ["b", "unused", "c", "a"], weights=[5, 2, 9, 9, 1])
    names = lambda order, empty=False: [m.labels[i] for i in order_labels(m, select(m, unused=empty), order)[0]]
    assert names("as given") == ["Background", "b", "c", "a"]
    assert names("as given", empty=True) == ["Background", "b", "unused", "c", "a"]
    assert names("by size") == ["Background", "c", "b", "a"]
    assert names("by name") == ["Background", "a", "b", "c"]
    assert names("by similarity") == ["Background", "c", "b", "a"]
    rows, columns = order_labels(m, select(m), "by family", ["b", "a", "c"])
    assert [m.labels[i] for i in rows] == ["Background", "b", "a", "c"] and rows == columns
    assert [m.labels[i] for i in order_labels(m, select(m, unused=True), "by family", ["c"])[0]] == [
        "Background",
        "c",
        "b",
        "unused",
        "a",
    ]
    assert order_labels(m, select(m), "by family") == order_labels(m, select(m), "as given")


def test_different_taxonomies_are_ordered_side_by_side():
    gt = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "a", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "z", 0, 0, 5, 10), ("p", "y", 5, 0, 10, 10)])
    m = lcm.compare(gt, pred).confusion()
    rows, columns = order_labels(m, select(m), "by name")
    assert [m.labels[i] for i in rows] == ["Background", "a", "b"]
    assert [m.labels[j] for j in columns] == ["Background", "y", "z"]
    assert order_labels(m, select(m, unused=True), "by similarity")[0][0] == 0 and np.isfinite(m.values).all()
