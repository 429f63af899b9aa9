"""Score curves from maps of all pixels: scikit-learn for precision, recall and ROC AUC, plain loops for the rest."""

import math

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_auc_score

from support.pixel_loop import LABELS, score_map


def pixels_of(pages, label, rounding):
    """bool[pixels] and float64[pixels] of all pages: whether gt has the label, and its score in pred."""
    number, in_gt, scores = LABELS.index(label), [], []
    for size, gt, pred, *ignored in pages:
        skipped = [(label, *box, None) for boxes in ignored for box in boxes]
        of_gt, of_pred, of_skipped = (
            score_map(rows, *size, rounding)[number] for rows in ([(*row[:5], None) for row in gt], pred, skipped)
        )
        in_gt.append(of_gt[of_skipped == 0] > 0)
        scores.append(of_pred[of_skipped == 0])
    return np.concatenate(in_gt), np.concatenate(scores)


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
