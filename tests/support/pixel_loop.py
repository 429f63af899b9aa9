"""Expected values from a loop over all pixels in plain Python: slow, but easy to check."""

import math
from collections import defaultdict

import numpy as np
import pytest

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


OOF = "OOF"


def count_families(samples, family_of, count):
    """{family: {(gt, pred): count}}: the rule in plain Python, sample by sample."""
    expected = defaultdict(lambda: defaultdict(float))
    for gt, pred in samples:
        for family in {family_of.get(label, label) for label in gt | pred}:
            members = {label for label in gt | pred if family_of.get(label, label) == family}
            for label in members & gt & pred:
                expected[family][label, label] += 1
            gt_rest, pred_rest = (members & gt) - pred, (members & pred) - gt
            per_pair = {"pairs": 1, "gold": 1 / (len(pred_rest) or 1), "pred": 1 / (len(gt_rest) or 1)}[count]
            for i in gt_rest:
                for j in pred_rest:
                    expected[family][i, j] += per_pair
                if not pred_rest:
                    expected[family][i, OOF] += 1
            for j in pred_rest if not gt_rest else ():
                expected[family][OOF, j] += 1
    return expected


def assert_counted(f, counted):
    total = 0
    for family, table in f.matrices.items():
        assert table.index[-1] == OOF and table.columns[-1] == OOF
        expected = [[counted[family][i, j] for j in table.columns] for i in table.index]
        np.testing.assert_allclose(table.to_numpy(), expected, atol=1e-9, err_msg=family)
        total += table.to_numpy().sum()
    assert total == pytest.approx(sum(sum(cells.values()) for cells in counted.values()))


LABELS = ["a", "b", "c"]


def score_map(regions, width, height, rounding):
    """float64[label, y, x]: the highest score of the label's boxes at each pixel, from a loop over pixels."""
    columns, rows = _page(width, rounding), _page(height, rounding)
    scores = np.zeros((len(LABELS), rows, columns))
    for label, x0, y0, x1, y1, score in regions:
        for y in _pixels(y0, y1, height, rounding):
            for x in _pixels(x0, x1, width, rounding):
                pixel = LABELS.index(label), y, x
                scores[pixel] = max(scores[pixel], 1.0 if score is None else score)
    return scores


def scores_of_maps(pages, rounding, average, beta):
    """The four scores by their definitions, from maps of all pixels."""
    maps = [[score_map(sides[k], *size, rounding) for size, *sides in pages] for k in (0, 1)]
    return scores_of_pairs(list(zip(*maps)), average, beta)


def scores_of_pairs(pairs, average, beta):
    """The same from one pair of maps for each page."""
    if average == "micro":
        groups = [pairs]
    elif average == "samples":
        groups = [[pair] for pair in pairs]
    else:
        groups = [[(gt[i], pred[i]) for gt, pred in pairs] for i in range(len(LABELS))]
    table = []
    for group in groups:
        gt, pred = (np.concatenate([pair[k].ravel() for pair in group]) for k in (0, 1))
        if not gt.any() and not pred.any():
            table.append([np.nan] * 4)
            continue
        hit = (gt * pred).sum()
        quotients = [(hit, pred.sum()), (hit, gt.sum())]
        b2 = beta**2
        quotients += [((1 + b2) * hit, b2 * gt.sum() + pred.sum()), ((1 + b2) * hit, (b2 * gt**2 + pred**2).sum())]
        table.append([part / whole if whole else np.nan for part, whole in quotients])
    if average is None:
        return np.array(table).T
    weights = [sum(gt.sum() for gt, _ in group) for group in groups]
    if average != "weighted":
        weights = [float(any(side.any() for pair in group for side in pair)) for group in groups]
    if not any(weights):
        return np.full(4, np.nan)
    # What is not defined counts 0 in a mean; without any value there is no mean.
    return np.where(np.isnan(table).all(axis=0), np.nan, np.average(np.nan_to_num(table), axis=0, weights=weights))
