"""Three small pages in two documents; every number of their comparison can be counted by hand.

Page p1 (4 x 4) has two rows of a. Pred finds the upper row, marks its left half twice, and takes the lower row for b.
Page p2 (2 x 4) has four pixels of b, which pred takes for a. Page p3 (2 x 1) is empty, but pred has b on all of it.
The label c is not used.
"""

import layoutcm as lcm
from support.layouts import build

PAGES = {"p1": (4, 4), "p2": (2, 4), "p3": (2, 1)}
DOCUMENTS = {"p1": "A", "p2": "B", "p3": "B"}
GT_REGIONS = [("p1", "a", 0, 0, 4, 2), ("p2", "b", 0, 0, 2, 2)]
PRED_REGIONS = [
    ("p1", "a", 0, 0, 4, 1, 0.9),
    ("p1", "a", 0, 0, 2, 1, 0.6),
    ("p1", "b", 0, 1, 4, 2, 0.8),
    ("p2", "a", 0, 0, 2, 2, 0.7),
    ("p3", "b", 0, 0, 2, 1, 0.5),
]


def three_pages(**options):
    gt = build(PAGES, GT_REGIONS, "abc", name="gt", documents=DOCUMENTS)
    pred = build(PAGES, PRED_REGIONS, "abc", name="pred", documents=DOCUMENTS)
    return lcm.compare(gt, pred, **options)


def different_labels():
    """A page of 4 x 4 pixels with two rows of a, and x on the upper row: no label is on both sides."""
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 2)], name="gt")
    return lcm.compare(gt, build({"p": (4, 4)}, [("p", "x", 0, 0, 4, 1)], name="pred"))
