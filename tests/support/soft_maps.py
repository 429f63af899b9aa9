"""Soft scores by their definitions, from the scores of every pixel."""

import numpy as np

from support import pixel_loop

LABELS = ["a", "b", "c"]


def score_map(regions, width, height, rounding):
    """float64[label, y, x]: the highest score of the label's boxes at each pixel, from a loop over pixels."""
    columns, rows = pixel_loop._page(width, rounding), pixel_loop._page(height, rounding)
    scores = np.zeros((len(LABELS), rows, columns))
    for label, x0, y0, x1, y1, score in regions:
        for y in pixel_loop._pixels(y0, y1, height, rounding):
            for x in pixel_loop._pixels(x0, x1, width, rounding):
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
        table.append([part / whole if whole else 0.0 for part, whole in quotients])
    if average is None:
        return np.array(table).T
    if average == "weighted":
        weights = [sum(gt.sum() for gt, _ in group) for group in groups]
        return np.average(np.nan_to_num(table), axis=0, weights=weights) if any(weights) else np.full(4, np.nan)
    scored = [row for row in table if not np.isnan(row[0])]
    return np.mean(scored, axis=0) if scored else np.full(4, np.nan)
