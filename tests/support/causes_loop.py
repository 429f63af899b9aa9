"""Causes of wrong pixels from a loop over all pixels in plain Python: slow, but close to the definition.

A region is (label, set of pixels). All pixels are (x, y).
"""

from __future__ import annotations

import math
from collections import defaultdict

from support.pixel_loop import BACKGROUND, contribution

CAUSES = ("slack", "label", "size", "split", "merge", "duplicate", "missed", "invented")
OF_PRED_STATUS = {"duplicate": "duplicate", "merger": "merge", "fragment": "split", "partial": "size"}
OF_PRED_STATUS["invented"] = "invented"
OF_GT_STATUS = {"split": "split", "merged": "merge", "partial": "size", "missed": "missed"}


def box_pixels(x0, y0, x1, y1):
    return {(x, y) for x in range(x0, x1) for y in range(y0, y1)}


def causes_of_page(gt, pred, width, height, tolerance, ignored=frozenset()):
    """{cause: {(i, j): pixels}} of a page; gt and pred are lists of (label, set of pixels) in the order of the file."""
    gt = [(label, pixels - ignored) for label, pixels in gt if pixels - ignored]
    pred = [(label, pixels - ignored) for label, pixels in pred if pixels - ignored]
    partner_of_gt, partner_of_pred = pairs(gt, pred)
    gt_status = [gt_status_of(i, gt, pred, partner_of_gt, partner_of_pred) for i in range(len(gt))]
    pred_status = [pred_status_of(i, gt, pred, partner_of_gt, partner_of_pred) for i in range(len(pred))]
    page = [(x, y) for x in range(width) for y in range(height) if (x, y) not in ignored]
    near_gt, near_pred = (_near(side, width, height, tolerance, ignored) for side in (gt, pred))
    found = {cause: defaultdict(float) for cause in CAUSES}
    for z in page:
        gt_set, pred_set = _labels_at(z, gt), _labels_at(z, pred)
        for (i, j), mass in contribution(gt_set, pred_set).items():
            if i == j:
                continue
            if j in near_gt[z] and i in near_pred[z]:
                cause = "slack"
            elif any(
                z in pixels and label == i and partner_of_gt[g] is not None and pred[partner_of_gt[g]][0] == j
                and z in pred[partner_of_gt[g]][1]
                for g, (label, pixels) in enumerate(gt)
            ):  # fmt: skip
                cause = "label"
            else:
                cause = _cause_of_regions(z, i, j, gt, pred, gt_set, pred_set, gt_status, pred_status)
            found[cause][i, j] += mass
    return found


def _cause_of_regions(z, i, j, gt, pred, gt_set, pred_set, gt_status, pred_status):
    if j != BACKGROUND and j not in gt_set:
        r = _smallest_over(z, j, pred)
        if pred_status[r]:
            return OF_PRED_STATUS[pred_status[r]]
    if i != BACKGROUND and i not in pred_set:
        g = _smallest_over(z, i, gt)
        if gt_status[g]:
            return OF_GT_STATUS[gt_status[g]]
    return "size"


def _smallest_over(z, label, side):
    over = [k for k, (name, pixels) in enumerate(side) if name == label and z in pixels]
    return min(over, key=lambda k: (len(side[k][1]), k))


def _labels_at(z, side):
    return {label for label, pixels in side if z in pixels} or {BACKGROUND}


def pairs(gt, pred):
    """The partner of each gt region and of each pred region; None without one."""
    partner_of_gt, partner_of_pred = [None] * len(gt), [None] * len(pred)
    candidates = []
    for g, (gt_label, gt_pixels) in enumerate(gt):
        for r, (pred_label, pred_pixels) in enumerate(pred):
            # Compared as whole numbers, without rounding: intersection / union > 1/2.
            common, union = len(gt_pixels & pred_pixels), len(gt_pixels | pred_pixels)
            if 2 * common > union:
                candidates.append((gt_label != pred_label, -common / union, g, r))
    for _, _, g, r in sorted(candidates):
        if partner_of_gt[g] is None and partner_of_pred[r] is None:
            partner_of_gt[g], partner_of_pred[r] = r, g
    return partner_of_gt, partner_of_pred


def _covers(a, b):
    return 2 * len(a[1] & b[1]) >= len(b[1])


def _beside(a, b):
    return not _covers(a, b) and not _covers(b, a)


def gt_status_of(g, gt, pred, partner_of_gt, partner_of_pred):
    if partner_of_gt[g] is not None:
        return ""
    own = gt[g]
    free = [r for k, r in enumerate(pred) if partner_of_pred[k] is None]
    covered = [r for r in free if _covers(own, r)]
    has_two = any(_beside(a, b) for a in covered for b in covered if a is not b)
    if has_two and 2 * sum(len(own[1] & r[1]) for r in covered) >= len(own[1]):
        return "split"
    for k, r in enumerate(pred):
        for h, other in enumerate(gt):
            together = partner_of_pred[k] == h or (partner_of_pred[k] is None and partner_of_gt[h] is None)
            if h != g and together and _covers(r, own) and _covers(r, other) and _beside(own, other):
                return "merged"
    if any(10 * len(own[1] & r[1]) >= len(own[1]) for r in free):
        return "partial"
    return "missed"


def pred_status_of(r, gt, pred, partner_of_gt, partner_of_pred):
    if partner_of_pred[r] is not None:
        return ""
    own = pred[r]
    for k, other in enumerate(pred):
        if partner_of_pred[k] is None or not _covers(other, own):
            continue
        partner = gt[partner_of_pred[k]]
        if other[0] == own[0] or 2 * len(own[1] & partner[1]) > len(own[1] | partner[1]):
            return "duplicate"
    free = [g for k, g in enumerate(gt) if partner_of_gt[k] is None]
    covered = [g for g in free if _covers(own, g)]
    if any(_beside(a, b) for a in covered for b in covered if a is not b):
        return "merger"
    for h, g in enumerate(gt):
        for k, other in enumerate(pred):
            together = partner_of_gt[h] == k or (partner_of_gt[h] is None and partner_of_pred[k] is None)
            if k != r and together and _covers(g, own) and _covers(g, other) and _beside(own, other):
                return "fragment"
    if any(10 * len(own[1] & g[1]) >= len(own[1]) for g in free):
        return "partial"
    return "invented"


def _near(side, width, height, tolerance, ignored):
    """{pixel: labels within the tolerance}; outside the page there is Background."""
    distance = 0 if tolerance == 0 else max(math.floor(tolerance * max(width, height) + 0.5 + 1e-9), 1)
    near = {(x, y): set() for x in range(width) for y in range(height)}
    if tolerance == 0:
        return near
    for x in range(-distance, width + distance):
        for y in range(-distance, height + distance):
            if (x, y) in ignored:
                continue
            inside = 0 <= x < width and 0 <= y < height
            labels = _labels_at((x, y), side) if inside else {BACKGROUND}
            for u in range(max(x - distance, 0), min(x + distance + 1, width)):
                for v in range(max(y - distance, 0), min(y + distance + 1, height)):
                    near[u, v] |= labels
    return near
