"""Comparisons for tests: small ones whose numbers can be counted by hand, and those of the sample data."""

import layoutcm as lcm
from support.layouts import build
from support.paths import SAMPLE

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
    """Three small pages in two documents; every number of their comparison can be counted by hand."""
    gt = build(PAGES, GT_REGIONS, "abc", name="gt", documents=DOCUMENTS)
    pred = build(PAGES, PRED_REGIONS, "abc", name="pred", documents=DOCUMENTS)
    return lcm.compare(gt, pred, **options)


def different_labels():
    """A page of 4 x 4 pixels with two rows of a, and x on the upper row: no label is on both sides."""
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 2)], name="gt")
    return lcm.compare(gt, build({"p": (4, 4)}, [("p", "x", 0, 0, 4, 1)], name="pred"))


def one_label_pages(*shares, documents=None):
    """One page of 10 x 10 pixels per share: gt is `a` on the whole page, pred finds that share of it."""
    pages = {f"page {i:03}": (10, 10) for i in range(len(shares))}
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in pages])
    pred = build(pages, [(page, "a", 0, 0, 10 * share, 10) for page, share in zip(pages, shares) if share])
    return lcm.compare(gt, pred, documents=documents or {page: page for page in pages}, taxonomy="same")


ROWS = 10  # of gt, on a page of 10 x 20 pixels


def compare_rows(found, label="a", gt_rows=ROWS, **options):
    """One document for each number of `found`: the rows of gt that pred has, too. Recall is found / ROWS."""
    pages = {f"d{k:02}": (10, 20) for k in range(len(found))}
    documents = {page: page for page in pages}
    gt = build(pages, [(page, label, 0, 0, 10, gt_rows) for page in pages], [label], "gt", documents)
    regions = [(page, label, 0, 0, 10, rows) for page, rows in zip(pages, found) if rows]
    return lcm.compare(gt, build(pages, regions, [label], "pred", documents), **options)


MODELS = {"a": "model-a.json", "b": "model-b.csv", "c": "model-c.json"}


def compare_sample(**options):
    """The first model of the sample data, compared with the ground truth."""
    gt = lcm.read(SAMPLE / "gt.json")
    return lcm.compare(gt, lcm.read(SAMPLE / MODELS["a"], like=gt), **options)


def compare_all_of_sample():
    """{name: comparison} of the three models of the sample data, on one list of labels."""
    gt = lcm.read(SAMPLE / "gt.json")
    preds = {name: lcm.read(SAMPLE / file, like=gt) for name, file in MODELS.items()}
    return {name: lcm.compare(gt, pred, mapping=SAMPLE / "mapping.yaml") for name, pred in preds.items()}
