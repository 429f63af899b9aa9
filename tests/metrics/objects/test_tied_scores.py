"""Predictions with equal scores are ranked by the name of their page, in any order of pages, files and batches."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.objects.average_precision import RULES
from support.coco_oracle import assert_equal_to_pycocotools, read_pair
from support.layouts import build

LABELS = ["a", "b"]
PAGES = [f"{k}.png" for k in (10, 9, 100, 1, 2, 21, "B", "a", "ä")]
SIZE = (100, 100)
SCORES = (0.5, 0.75)


def tied_pages():
    """{page: rows (label, x0, y0, x1, y1[, score]) of gt and of pred}; about half of the predictions are right."""
    rng, pages = np.random.default_rng(3), {}
    for name in PAGES:
        sides = [], []
        for _ in range(4):
            label, x, y = str(rng.choice(LABELS)), *rng.integers(0, 60, 2).tolist()
            sides[0].append((label, x, y, x + 40, y + 20))
            for _ in range(2):
                end = x + int(rng.choice([5, 25, 33, 40]))
                sides[1].append((str(rng.choice(LABELS)), x, y, end, y + 20, float(rng.choice(SCORES))))
        pages[name] = sides
    return pages


def numbers(comparison):
    """Everything of objects that depends on a ranking, as a text, in which n/a is equal to n/a."""
    objects = comparison.objects()
    curves = {label: curve.to_numpy().tolist() for label, curve in objects.curves(0.5).items()}
    by_rule = [objects.ap_at(iou, rule) for rule in RULES for iou in (0.5, 0.75)]
    return repr((objects.summary, objects.per_class.to_numpy().tolist(), by_rule, curves))


def as_coco(pages, order, rng):
    """A data set with its pages in this order and ids by chance; the rows of the pages are mixed."""
    ids = dict(zip(order, rng.permutation(len(order)).tolist()))
    images = [{"id": ids[name], "file_name": name, "width": SIZE[0], "height": SIZE[1]} for name in order]
    sides = []
    for side in range(2):
        left, rows = {name: list(pages[name][side]) for name in order}, []
        while any(left.values()):
            name = rng.choice([name for name in order if left[name]])
            label, x0, y0, x1, y1, *score = left[name].pop(0)
            box = {"bbox": [x0, y0, x1 - x0, y1 - y0], "area": (x1 - x0) * (y1 - y0), "iscrowd": 0}
            row = {"image_id": ids[name], "category_id": 1 + LABELS.index(label), **box}
            rows.append({**row, "id": len(rows) + 1} | ({"score": score[0]} if score else {}))
        sides.append(rows)
    categories = [{"id": k, "name": label} for k, label in enumerate(LABELS, 1)]
    return {"images": images, "annotations": sides[0], "categories": categories}, sides[1]


def in_batches(pages, order, rng):
    """Evaluators with some of the pages each, in batches, merged in the order of the list."""
    parts = [lcm.Evaluator(LABELS) for _ in range(3)]
    for names in np.array_split(order, 5):
        keys = ("label", "x0", "y0", "x1", "y1", "score")
        gt, pred = ([[dict(zip(keys, row)) for row in pages[name][side]] for name in names] for side in range(2))
        parts[rng.integers(3)].update(gt, pred, page=names.tolist(), size=SIZE)
    return parts[0].merge(parts[1]).merge(parts[2]).compute()


def test_ap_does_not_depend_on_the_order_of_pages_or_batches():
    """50 orders of pages, with other ids and other batches; pages by number would be another order than by name."""
    pages, rng = tied_pages(), np.random.default_rng(0)
    rows = [[(name, *row) for name in sorted(PAGES) for row in pages[name][side]] for side in range(2)]
    expected = numbers(lcm.compare(*(build(dict.fromkeys(sorted(PAGES), SIZE), side, LABELS) for side in rows)))
    for _ in range(50):
        order = rng.permutation(PAGES).tolist()
        assert numbers(lcm.compare(*read_pair(*as_coco(pages, order, rng)))) == expected
        assert numbers(in_batches(pages, order, rng)) == expected


def test_ap_is_that_of_pycocotools_if_images_are_numbered_by_name():
    class InOrder(np.random.Generator):
        def permutation(self, n):
            return np.arange(n)

    assert_equal_to_pycocotools(*as_coco(tied_pages(), sorted(PAGES), InOrder(np.random.PCG64(1))))


@pytest.mark.parametrize(("order", "ap"), [("pq", 1.0), ("qp", 1.0)])
def test_the_page_that_comes_first_by_name_is_ranked_first(order, ap):
    """p has the only object, which is found; q has a prediction without an object, of the same score."""
    e = [
        lcm.Evaluator(["a"]).update(gt, [[0, 0, 9, 9, 0.5, 0]], page=page, size=SIZE)
        for page, gt in (("p", [[0, 0, 9, 9, 0]]), ("q", []))
    ]
    first, second = (e["pq".index(page)] for page in order)
    assert first.merge(second).compute().objects().ap == pytest.approx(ap)
