"""Score curves from maps of all pixels: scikit-learn for precision, recall and ROC AUC, plain loops for the rest."""

import math

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_auc_score

from support import pixel_loop


def pixels_of(pages, label, rounding):
    """bool[pixels] and float64[pixels] of all pages: whether gt has the label, and its score in pred."""
    in_gt, scores = [], []
    for (width, height), gt, pred, *ignored in pages:
        shape = pixel_loop._page(height, rounding), pixel_loop._page(width, rounding)
        carried, score, judged = np.zeros(shape, bool), np.zeros(shape), np.ones(shape, bool)
        for name, *box, _ in gt:
            for pixel in _pixels(box, width, height, rounding):
                carried[pixel] |= name == label
        for name, *box, given in pred:
            for pixel in _pixels(box, width, height, rounding):
                if name == label:
                    score[pixel] = max(score[pixel], 1.0 if given is None else given)
        for box in ignored[0] if ignored else ():
            for pixel in _pixels(box, width, height, rounding):
                judged[pixel] = False
        in_gt.append(carried[judged])
        scores.append(score[judged])
    return np.concatenate(in_gt), np.concatenate(scores)


def _pixels(box, width, height, rounding):
    x0, y0, x1, y1 = box
    rows, columns = pixel_loop._pixels(y0, y1, height, rounding), pixel_loop._pixels(x0, x1, width, rounding)
    return [(y, x) for y in rows for x in columns]


def curve(in_gt, scores):
    """[(threshold, precision, recall, F1)] for all scores above 0, ascending."""
    if not in_gt.any():  # scikit-learn calls recall 1 then
        rows = [(s, 0.0, math.nan, 0.0) for s in np.unique(scores)]
    else:
        precision, recall, thresholds = precision_recall_curve(in_gt, scores)
        f1 = [2 * (in_gt & (scores >= s)).sum() / (in_gt.sum() + (scores >= s).sum()) for s in thresholds]
        rows = list(zip(thresholds, precision[:-1], recall[:-1], f1, strict=True))
    return [row for row in rows if row[0] > 0]


def best(rows):
    """(threshold, F1) of the largest F1, the highest threshold of equal ones."""
    return max(((f1, s) for s, _, _, f1 in rows), default=(math.nan, math.nan))[::-1]


def roc_auc(in_gt, scores):
    return math.nan if in_gt.all() or not in_gt.any() else roc_auc_score(in_gt, scores)


def ece(in_gt, scores):
    scored = scores > 0
    if not scored.any():
        return math.nan
    total = 0.0
    for k in range(1, 11):
        inside = ((k - 1) / 10 < scores) & (scores <= k / 10)
        if inside.any():
            total += inside.sum() / scored.sum() * abs(scores[inside].mean() - in_gt[inside].mean())
    return total


def held_out_f1(documents):
    """F1 if a threshold, or none, is chosen for each document on all others.

    `documents` are lists of (in gt, scores, present), which may have several entries, one for each label.
    """
    hits = chosen = gt = 0
    for k, own in enumerate(documents):
        others = [one for i, document in enumerate(documents) if i != k for one in document]
        candidates = sorted({s for _, scores, _ in others for s in scores.tolist() if s > 0})
        best_f1, threshold = -1.0, None
        for s in candidates:
            tp = sum((in_gt & (scores >= s)).sum() for in_gt, scores, _ in others)
            sizes = sum(in_gt.sum() + (scores >= s).sum() for in_gt, scores, _ in others)
            if 2 * tp / sizes >= best_f1:
                best_f1, threshold = 2 * tp / sizes, s
        now_tp = sum((in_gt & present).sum() for in_gt, _, present in others)
        now_sizes = sum(in_gt.sum() + present.sum() for in_gt, _, present in others)
        if candidates and best_f1 <= 2 * now_tp / now_sizes + 1e-12:
            threshold = None
        for in_gt, scores, present in own:
            kept = present if threshold is None else scores >= threshold
            hits, chosen, gt = hits + (in_gt & kept).sum(), chosen + kept.sum(), gt + in_gt.sum()
    return 2 * hits / (gt + chosen) if gt + chosen else math.nan
