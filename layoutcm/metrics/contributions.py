"""The compiled rule of the multi-label confusion matrix: what a pair of label sets adds, and where.

T = gt's labels of a pixel, P = pred's, as places in the matrix. Name the sets (hit, missed, extra), decide
who spends on whom, add. `matrix` is Krstinić et al. 2020, `tensor` Krstinić et al. 2024.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from layoutcm.pixels.bits import ONE, bits_in, lowest_bit

MATRIX, RECALL, PRECISION = 0, 1, 2


@njit(nogil=True, cache=True, inline="always")
def _list_pred(labels, first, weight, pred_pixels, places, n):
    """Append the numbers of the bits in `labels`, counted from `first`, to places[:n] and weigh them; the new n."""
    while labels != 0:
        places[n] = first + lowest_bit(labels)
        pred_pixels[places[n]] += weight
        n += ONE
        labels &= labels - ONE
    return n


@njit(nogil=True, cache=True)
def add_pairs(words, many_words, weights, group, rule, out, pred_pixels):
    """Add every row's contribution to out[group, gt, pred], and its weight to pred_pixels[group, pred].

    `words` is uint64[rows, 2 x words]: gt's and pred's label sets, one bit a place of the matrix. `many_words` says
    how many a side has; None, for one, is compiled apart, without inner loops. `group` is int64[rows], or int64[1]
    when there is one.
    """
    n_words = 1 if many_words is None else many_words
    places = np.empty(out.shape[1], np.uint64)  # of pred's labels, the hits first
    for row in range(words.shape[0]):
        weight, g = weights[row], np.uint64(group[0 if group.size == 1 else row])
        n_missed, hits = np.int64(0), np.uint64(0)
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            n_missed += bits_in(gt & ~pred)
            hits = _list_pred(gt & pred, np.uint64(64 * k), weight, pred_pixels[g], places, hits)
        end = hits
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            end = _list_pred(pred & ~gt, np.uint64(64 * k), weight, pred_pixels[g], places, end)
        n_gt, n_pred, n_extra = np.int64(hits) + n_missed, np.int64(end), np.int64(end - hits)
        # gt's missed labels spend on pred's extra ones; the rules differ in who else takes part.
        kept, hits_spend, receivers, parts = weight, False, hits, n_extra
        if rule == RECALL or (rule == MATRIX and n_extra == 0):
            receivers, parts = np.uint64(0), n_pred
        elif rule == PRECISION:
            hits_spend, parts = True, n_gt
        elif n_missed == 0:
            # Everything found and more: each hit gives a share of itself to the extra labels.
            hits_spend, parts = True, n_pred
            kept = weight * n_gt / n_pred
        share = weight / max(parts, 1)
        for a in range(hits):
            out[g, places[a], places[a]] += kept
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            spenders = gt if hits_spend else gt & ~pred
            while spenders != 0:
                i = np.uint64(64 * k) + lowest_bit(spenders)
                for b in range(receivers, end):
                    out[g, i, places[b]] += share
                spenders &= spenders - ONE
