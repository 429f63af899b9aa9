"""Compiled: pairs gt and pred regions of one page, and classifies the regions without a partner.

Everything follows from the areas of regions and of their intersections. *a covers b* if a contains at least half of b;
*a lies beside b* if neither covers the other; a region is *free* if it has no partner.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from layoutcm.compiled import compiled_part
from layoutcm.metrics.objects.matching import sorted_rows

# The status of a region. Paired regions have a partner on the other side.
PAIRED, SPLIT, MERGED, PARTIAL, MISSED, DUPLICATE, MERGER, FRAGMENT, INVENTED, NO_PIXELS = range(10)
STATUSES = ("paired", "split", "merged", "partial", "missed", "duplicate", "merger", "fragment", "invented", "empty")
NO_PARTNER = -1


@compiled_part
def sort_values(values):
    """Sort the values in place (Shell sort, which needs no extra memory)."""
    gap = 1
    while gap < len(values) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(values)):
            one, k = values[i], i
            while k >= gap and values[k - gap] > one:
                values[k] = values[k - gap]
                k -= gap
            values[k] = one
        gap //= 3


@compiled_part
def pair_regions(n_gt, labels, overlap, partner):
    """Write the partner of every region. Regions are numbered consecutively, gt first.

    `overlap` is float64[regions, regions]: intersection areas; the diagonal holds the regions' own areas. Pairs have an
    IoU above 1/2. Pairs of equal labels come first, then those of any labels; in both, the largest IoU first, ties in
    the order of gt, then of pred.
    """
    n, found = len(labels), 0
    for g in range(n_gt):
        for r in range(n_gt, n):
            found += 3 * overlap[g, r] > overlap[g, g] + overlap[r, r]
    pairs, keys = np.empty((found, 2), np.int64), np.empty(found)
    found = 0
    for g in range(n_gt):
        for r in range(n_gt, n):
            common, both = overlap[g, r], overlap[g, g] + overlap[r, r]
            if 3 * common > both:
                pairs[found, 0], pairs[found, 1] = g, r
                keys[found] = -common / (both - common) - (1.0 if labels[g] == labels[r] else 0.0)
                found += 1
    for i in range(n):
        partner[i] = NO_PARTNER
    for k in sorted_rows(keys):
        g, r = pairs[k]
        if partner[g] == NO_PARTNER and partner[r] == NO_PARTNER:
            partner[g], partner[r] = r, g


@compiled_part
def covers(overlap, a, b):
    return 2 * overlap[a, b] >= overlap[b, b]


@compiled_part
def are_beside(overlap, a, b):
    return not covers(overlap, a, b) and not covers(overlap, b, a)


@compiled_part
def covers_two_free(own, first, last, overlap, partner):
    """Whether a region covers two free regions beside each other, and its area in common with all free ones covered."""
    shared, has_two = 0.0, False
    for a in range(first, last):
        if partner[a] != NO_PARTNER or overlap[a, a] == 0 or not covers(overlap, own, a):
            continue
        shared += overlap[own, a]
        for b in range(first, a):
            if partner[b] == NO_PARTNER and overlap[b, b] > 0 and covers(overlap, own, b) and are_beside(overlap, a, b):
                has_two = True
    return has_two, shared


@compiled_part
def is_covered_together(own, own_side, other_side, overlap, partner):
    """Whether some region of the other side covers this region and another beside it, and belongs together with that.

    Two regions belong together if they are partners, or both are free.
    """
    for a in range(other_side[0], other_side[1]):
        if overlap[a, a] == 0 or not covers(overlap, a, own):
            continue
        for b in range(own_side[0], own_side[1]):
            together = partner[a] == b or (partner[a] == NO_PARTNER and partner[b] == NO_PARTNER)
            is_other = b != own and together and overlap[b, b] > 0
            if is_other and covers(overlap, a, b) and are_beside(overlap, own, b):
                return True
    return False


@compiled_part
def overlaps_free(own, first, last, overlap, partner):
    """Whether at least a tenth of a region lies in one free region of the other side."""
    for a in range(first, last):
        if partner[a] == NO_PARTNER and overlap[a, a] > 0 and 10 * overlap[own, a] >= overlap[own, own]:
            return True
    return False


@compiled_part
def is_duplicate(own, n_gt, labels, overlap, partner):
    for other in range(n_gt, len(labels)):
        if partner[other] == NO_PARTNER or overlap[other, other] == 0 or not covers(overlap, other, own):
            continue
        g = partner[other]
        if labels[other] == labels[own] or 3 * overlap[own, g] > overlap[own, own] + overlap[g, g]:
            return True
    return False


@compiled_part
def find_statuses(n_gt, labels, overlap, partner, status):
    """Write the status of every region; the partners must be known."""
    n = len(labels)
    gt_side, pred_side = (0, n_gt), (n_gt, n)
    for own in range(n):
        if partner[own] != NO_PARTNER:
            status[own] = PAIRED
        elif overlap[own, own] == 0:
            status[own] = NO_PIXELS
        elif own < n_gt:
            has_two, shared = covers_two_free(own, n_gt, n, overlap, partner)
            if has_two and 2 * shared >= overlap[own, own]:
                status[own] = SPLIT
            elif is_covered_together(own, gt_side, pred_side, overlap, partner):
                status[own] = MERGED
            else:
                status[own] = PARTIAL if overlaps_free(own, n_gt, n, overlap, partner) else MISSED
        elif is_duplicate(own, n_gt, labels, overlap, partner):
            status[own] = DUPLICATE
        elif covers_two_free(own, 0, n_gt, overlap, partner)[0]:
            status[own] = MERGER
        elif is_covered_together(own, pred_side, gt_side, overlap, partner):
            status[own] = FRAGMENT
        else:
            status[own] = PARTIAL if overlaps_free(own, 0, n_gt, overlap, partner) else INVENTED
