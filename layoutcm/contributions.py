"""The compiled rule of the multi-label confusion matrix: what a pair of label sets adds, and where.

T = gt's labels of a pixel, P = pred's, as places in the matrix. Name the sets (hit, missed, extra), decide
who spends on whom, add. `matrix` is Krstinić et al. 2020, `tensor` Krstinić et al. 2024.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from layoutcm.bits import lowest_bit

MATRIX, RECALL, PRECISION = 0, 1, 2


@njit(nogil=True, cache=True)
def _list(word, first, found, n):
    """Append the numbers of the bits in `word` to found[:n], counted from `first`; the new n."""
    while word != 0:
        found[n] = first + lowest_bit(word)
        n += 1
        word &= word - np.uint64(1)
    return n


@njit(nogil=True, cache=True)
def add_pairs(words, weights, group, rule, out, pred_pixels):
    """Add every row's contribution to out[group, gt, pred], and its weight to pred_pixels[group, pred].

    `words` is uint64[rows, 2 x words]: gt's and pred's label sets, one bit a place of the matrix.
    """
    size, half = out.shape[1], words.shape[1] // 2
    hit, missed, extra = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    for row in range(words.shape[0]):
        n_hit = n_missed = n_extra = np.int64(0)
        for k in range(half):
            gt, pred = words[row, k], words[row, half + k]
            n_hit = _list(gt & pred, 64 * k, hit, n_hit)
            n_missed = _list(gt & ~pred, 64 * k, missed, n_missed)
            n_extra = _list(pred & ~gt, 64 * k, extra, n_extra)
        n_gt, n_pred = n_hit + n_missed, n_hit + n_extra
        weight, g = weights[row], group[row]
        # gt's missed labels spend on pred's extra ones; the rules differ in who else takes part.
        kept, hits_spend, hits_receive, parts = weight, False, False, n_extra
        if rule == RECALL or (rule == MATRIX and n_extra == 0):
            hits_receive, parts = True, n_pred
        elif rule == PRECISION:
            hits_spend, parts = True, n_gt
        elif n_missed == 0:
            # Everything found and more: each hit gives a share of itself to the extra labels.
            hits_spend, parts = True, n_pred
            kept = weight * n_gt / n_pred
        share = weight / max(parts, 1)
        for a in range(n_hit):
            out[g, hit[a], hit[a]] += kept
            pred_pixels[g, hit[a]] += weight
            if hits_spend:
                for b in range(n_extra):
                    out[g, hit[a], extra[b]] += share
        for a in range(n_missed):
            for b in range(n_extra):
                out[g, missed[a], extra[b]] += share
            if hits_receive:
                for b in range(n_hit):
                    out[g, missed[a], hit[b]] += share
        for b in range(n_extra):
            pred_pixels[g, extra[b]] += weight
