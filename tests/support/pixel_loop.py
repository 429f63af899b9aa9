"""The oracle: every pixel in a loop, in the plainest Python there is. Slow, and too plain to be wrong."""

import math
from collections import defaultdict

BACKGROUND = "Background"


def pixel_sets(regions, width, height, rounding):
    """{(x, y): set of labels} for regions (label, x0, y0, x1, y1) on a page; whole pixels only."""
    sets = {(x, y): set() for x in range(_page(width, rounding)) for y in range(_page(height, rounding))}
    for label, x0, y0, x1, y1 in regions:
        columns = _pixels(x0, x1, width, rounding)
        rows = _pixels(y0, y1, height, rounding)
        for x in columns:
            for y in rows:
                sets[x, y].add(label)
    return {pixel: labels or {BACKGROUND} for pixel, labels in sets.items()}


def _page(side, rounding):
    return math.ceil(side) if rounding == "outer" else math.floor(side + 0.5)


def _pixels(low, high, side, rounding):
    low, high = min(max(low, 0), side), min(max(high, 0), side)
    if high <= low:
        return range(0)
    if rounding == "outer":
        return range(math.floor(low), math.ceil(high))
    return range(math.floor(low + 0.5), math.floor(high + 0.5))


def contribution(gt, pred):
    """{(i, j): fraction} of one pixel, the four cases one by one."""
    cells = defaultdict(float)
    if gt == pred:
        for i in gt:
            cells[i, i] += 1
    elif gt < pred:
        for i in gt:
            cells[i, i] += len(gt) / len(pred)
            for j in pred - gt:
                cells[i, j] += 1 / len(pred)
    elif pred < gt:
        for i in pred:
            cells[i, i] += 1
        for i in gt - pred:
            for j in pred:
                cells[i, j] += 1 / len(pred)
    else:
        for i in gt & pred:
            cells[i, i] += 1
        for i in gt - pred:
            for j in pred - gt:
                cells[i, j] += 1 / len(pred - gt)
    return cells


def tensor_contributions(gt, pred):
    """The two masses of one pixel: what recall and what precision is read from."""
    recall, precision = defaultdict(float), defaultdict(float)
    for i in gt & pred:
        recall[i, i] += 1
        precision[i, i] += 1
    for i in gt - pred:
        for j in pred:
            recall[i, j] += 1 / len(pred)
    for i in gt:
        for j in pred - gt:
            precision[i, j] += 1 / len(gt)
    return recall, precision


def matrix(gt_sets, pred_sets, labels, pixel=contribution):
    """Nested lists [gt][pred] summed over the pixels of {pixel: set} pairs."""
    position = {label: i for i, label in enumerate(labels)}
    out = [[0.0] * len(labels) for _ in labels]
    for where, gt in gt_sets.items():
        for (i, j), value in pixel(gt, pred_sets[where]).items():
            out[position[i]][position[j]] += value
    return out
