"""The orders of labels in a matrix."""

import numpy as np

import layoutcm as lcm
from layoutcm.drawing.label_order import families_or_similar, order_labels, similar_groups, worst_labels
from layoutcm.metrics.family_trees import FamilyTree
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
    rows, _ = order_labels(m, select(m, unused=True), "by family", ["c"])
    assert [m.labels[i] for i in rows] == ["Background", "c", "b", "unused", "a"]
    assert order_labels(m, select(m), "by family") == order_labels(m, select(m), "as given")


def test_different_taxonomies_are_ordered_side_by_side():
    gt = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "a", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "z", 0, 0, 5, 10), ("p", "y", 5, 0, 10, 10)])
    m = lcm.compare(gt, pred).confusion()
    rows, columns = order_labels(m, select(m), "by name")
    assert [m.labels[i] for i in rows] == ["Background", "a", "b"]
    assert [m.labels[j] for j in columns] == ["Background", "y", "z"]
    assert order_labels(m, select(m, unused=True), "by similarity")[0][0] == 0 and np.isfinite(m.values).all()


def confused_pairs(n):
    """n labels; each is confused with the other one of its pair, except the last two."""
    names = [f"l{i:02d}" for i in range(n)]
    gt = [[name] for name in names for _ in range(2)]
    pred = [[names[i ^ k if i < n - 2 else i]] for i in range(n) for k in range(2)]
    return lcm.label_sets_confusion(gt, pred, names)


def test_labels_that_are_confused_are_one_group():
    m = confused_pairs(6)
    assert similar_groups(m, range(1, 7), 4) == {name: f"l{int(name[1:]) // 2 * 2:02d} and similar" for name in
                                                 ("l00", "l01", "l02", "l03")}  # fmt: skip
    # Those that are never confused are joined at the end only.
    assert len(set(similar_groups(m, range(1, 7), 3).values())) == 3 and len(similar_groups(m, range(1, 7), 3)) == 6


def test_families_are_kept_and_other_labels_are_grouped_if_they_are_many():
    m = confused_pairs(30)
    tree = FamilyTree("", {"l00": ("F",), "l01": ("F",)})
    groups = families_or_similar(tree, m)
    assert groups["l00"] == groups["l01"] == "F" and groups["l02"] == groups["l03"] == "l02 and similar"
    assert len(set(groups.values()) | {label for label in m.labels[1:] if label not in groups}) <= 19
    assert families_or_similar(tree, confused_pairs(8)) == {"l00": "F", "l01": "F"}


def test_the_worst_labels_and_what_they_are_read_as():
    m = lcm.label_sets_confusion(["a", "b", "b", "c", "c"], ["a", "b", "c", "a", "c"], "abcd", weights=[9, 5, 1, 8, 2])
    assert worst_labels(m, 1) == (["c"], ["a"])  # c: 2 of 10 found, 8 read as a
    assert worst_labels(m)[0] == ["c", "a", "b"] and worst_labels(m)[1] == []
