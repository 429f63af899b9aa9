"""Expected values from a loop over all pixels in plain Python: slow, but easy to check."""

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
    """{(i, j): fraction}: what one pixel adds to the matrix, in the four cases of the rule."""
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
    """{(i, j): fraction} twice: what one pixel adds to the mass for recall and to that for precision."""
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
    """Nested lists [gt][pred]: the sum over all pixels; the sets are {pixel: label set}."""
    number = {label: i for i, label in enumerate(labels)}
    out = [[0.0] * len(labels) for _ in labels]
    for position, gt in gt_sets.items():
        for (i, j), value in pixel(gt, pred_sets[position]).items():
            out[number[i]][number[j]] += value
    return out
