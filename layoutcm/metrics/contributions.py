"""The compiled rule of the multi-label confusion matrix: what a pair of label sets adds to which cells.

The labels of a pair are hits (in both sets), missed (only in gt) or extra (only in pred). Method `matrix` is the rule
of Krstinić et al. 2020; `tensor` is that of Krstinić et al. 2024, with one rule for recall and one for precision.

The four cases of `matrix`, by `wrong_cells` alone: with equal sets, each label adds 1 to its diagonal cell. With extra
labels only, each gt label divides 1 between the diagonal (gt labels / pred labels) and the extra labels. With missed
labels only, each hit adds 1 to the diagonal, and each missed label divides 1 among the hits; with both, each missed
label divides it among the extra labels. Three functions add pixels by this rule, in the form that each needs:
`add_pairs` here, `add_causes_of_tile` in `diagnosis.cause_kernel` and `_slack_shares` in `diagnosis.border_slack`.
`tests/metrics/test_scores.py` compares all three with a plain loop.
"""

from __future__ import annotations

import numpy as np

from layoutcm.compiled import compiled_for_many, inlined
from layoutcm.pixels.bits import ONE, bits_in, lowest_bit

MATRIX, RECALL, PRECISION = 0, 1, 2


@inlined
def wrong_cells(hits, missed, extra):
    """Return which cells off the diagonal a pixel adds to, by method `matrix`, from the sizes of the three sets.

    The result says whether the rows of the hits are among these cells, whether the columns of the hits are, and by how
    many labels 1 is divided. Rows of missed labels and columns of extra labels always are. Arrays work like numbers.
    """
    with_hit_rows = (missed == 0) & (extra > 0)
    with_hit_columns = extra == 0
    return with_hit_rows, with_hit_columns, extra + hits * (with_hit_rows | with_hit_columns)


@inlined
def _append_pred_labels(labels, first, weight, pred_pixels, columns, n):
    """Append the numbers of the set bits in `labels`, plus `first`, to columns[:n], and add their weight. Return n."""
    while labels != 0:
        columns[n] = first + lowest_bit(labels)
        pred_pixels[columns[n]] += weight
        n += ONE
        labels &= labels - ONE
    return n


@compiled_for_many(steps=lambda words, *_: 6 * words.size)
def add_pairs(words, many_words, weights, group, rule, out, pred_pixels):
    """Add every row's contribution to out[group, gt, pred], and its weight to pred_pixels[group, pred].

    `words` is uint64[rows, 2 x words]: the label sets of gt and pred, one bit per row or column of the matrix.
    `many_words` is the number of words per side, or None for one: that case is compiled separately, without inner
    loops. `group` is int64[rows], or int64[1] if all rows are in one group.
    """
    n_words = 1 if many_words is None else many_words
    columns = np.empty(out.shape[1], np.uint64)  # of the pred labels, the hits first
    for row in range(words.shape[0]):
        weight, g = weights[row], np.uint64(group[0 if group.size == 1 else row])
        n_missed, hits = np.int64(0), np.uint64(0)
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            n_missed += bits_in(gt & ~pred)
            hits = _append_pred_labels(gt & pred, np.uint64(64 * k), weight, pred_pixels[g], columns, hits)
        end = hits
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            end = _append_pred_labels(pred & ~gt, np.uint64(64 * k), weight, pred_pixels[g], columns, end)
        n_gt, n_pred, n_extra = np.int64(hits) + n_missed, np.int64(end), np.int64(end - hits)
        # A hit adds `on_diagonal` to its own cell. Rows of missed labels add `share` to the columns of extra labels;
        # depending on the rule, the rows or the columns of the hits are included.
        on_diagonal = weight
        if rule == RECALL:
            with_hit_rows, with_hit_columns, parts = False, True, n_pred
        elif rule == PRECISION:
            with_hit_rows, with_hit_columns, parts = True, False, n_gt
        else:
            with_hit_rows, with_hit_columns, parts = wrong_cells(n_gt - n_missed, n_missed, n_extra)
            if with_hit_rows:  # all gt labels are found, and each shares its weight with the extra ones
                on_diagonal = weight * n_gt / n_pred
        first_column, share = np.uint64(0) if with_hit_columns else hits, weight / max(parts, 1)
        for a in range(hits):
            out[g, columns[a], columns[a]] += on_diagonal
        for k in range(n_words):
            gt, pred = words[row, k], words[row, n_words + k]
            gt_rows = gt if with_hit_rows else gt & ~pred
            while gt_rows != 0:
                i = np.uint64(64 * k) + lowest_bit(gt_rows)
                for b in range(first_column, end):
                    out[g, i, columns[b]] += share
                gt_rows &= gt_rows - ONE
