"""Probable errors of gt in plain Python, one region after the other: slow, but close to the definition.

A layout is {page: [(label, (x0, y0, x1, y1), score or None)]}, with whole coordinates inside the page.
"""

from __future__ import annotations

from statistics import median

from support.causes_loop import box_pixels, gt_status_of, pairs, pred_status_of
from support.layouts import box_iou

PRIOR, HALF, PARTS = 0.01, 0.5, 10


def part_of(value):
    """The part of 1/2 to 1: 0 up to 0.55, 1 up to 0.6, …, 9 up to 1."""
    return next((k for k in range(PARTS - 1) if (value - 0.5) * 2 * PARTS <= k + 1), PARTS - 1)


class PlainModel:
    """The outcome of every gt region and the regions at places where gt has none."""

    def __init__(self, gt, pred, labels):
        self.gt, self.labels, self.outcome, self.box, self.own_score, self.free = gt, labels, {}, {}, {}, []
        scored = []  # (score, whether the region is right)
        for page, regions in gt.items():
            mine = pred.get(page, [])
            sides = [[(label, box_pixels(*box)) for label, box, _ in side] for side in (regions, mine)]
            of_gt, of_pred = pairs(*sides)
            for g, partner in enumerate(of_gt):
                status = gt_status_of(g, *sides, of_gt, of_pred)
                key = page, g
                self.outcome[key] = {"": mine[partner][0] if partner is not None else "", "missed": "missed"}.get(
                    status, "other"
                )
                if partner is not None:
                    self.box[key], self.own_score[key] = mine[partner][1:]
            for r, (label, box, score) in enumerate(mine):
                scored.append((score, of_pred[r] is not None and regions[of_pred[r]][0] == label))
                if pred_status_of(r, *sides, of_gt, of_pred) == "invented":
                    self.free.append((page, label, box, score))
        self.scored = [(score, right) for score, right in scored if score is not None]

    def label_of(self, key):
        return self.gt[key[0]][key[1]][0]

    def rate(self, label, outcome, without=None):
        keys = [key for key in self.outcome if self.label_of(key) == label and key != without]
        same = sum(self.outcome[key] == outcome for key in keys)
        return (same + HALF) / (len(keys) + HALF * (len(self.labels) + 2))

    def iou_rate(self, label, value, without):
        keys = [key for key, outcome in self.outcome.items() if self.label_of(key) == label == outcome]
        keys = [key for key in keys if key != without]
        box = lambda key: self.gt[key[0]][key[1]][1]
        same = sum(part_of(box_iou(box(key), self.box[key])) == part_of(value) for key in keys)
        return (same + HALF) / (len(keys) + HALF * PARTS)

    def trust(self, score):
        """How much more often right regions have a score of the same tenth than wrong ones."""
        if score is None:
            return 1.0
        ordered = sorted(score for score, _ in self.scored)
        edges = []
        for k in range(1, PARTS):
            place = (len(ordered) - 1) * k / PARTS
            low = int(place)
            high = min(low + 1, len(ordered) - 1)
            edges.append(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
        tenth = lambda value: sum(value >= edge for edge in edges)
        rates = []
        for kind in (True, False):
            own = [value for value, right in self.scored if right is kind]
            same = sum(tenth(value) == tenth(score) for value in own)
            rates.append((same + HALF) / (len(own) + HALF * PARTS))
        return rates[0] / rates[1]


def plain_label_errors(gt, preds, labels):
    """{(kind, page, region or suggested box): (suggested label, evidence)} of all candidates above the prior."""
    models = [PlainModel(gt, pred, labels) for pred in preds]
    counts = {label: sum(one[0] == label for regions in gt.values() for one in regions) for label in labels}
    places = sum(counts.values())
    found = {}
    for page, regions in gt.items():
        for g, (own, box, _) in enumerate(regions):
            options = [*_labels(models, (page, g), own, counts), *_spurious(models, (page, g), own, places)]
            options += _boxes(models, (page, g), own, box)
            best = max(options, key=lambda option: option[2], default=None)
            if best and best[2] > PRIOR + 1e-9:
                found[best[0], page, g] = best[1:]
    for page, box, label, evidence in _missing(models, counts, places):
        if evidence > PRIOR + 1e-9:
            found["missing", page, box] = (label, evidence)
    return found


def probability(odds):
    return odds / (1 + odds)


def _labels(models, key, own, counts):
    said = [model.outcome[key] for model in models]
    for label in sorted({one for one in said if one in counts and one != own}, key=list(counts).index):
        odds = PRIOR / (1 - PRIOR) / (len(counts) - 1) * (counts[label] + HALF) / (counts[own] - 1 + HALF)
        for model, outcome in zip(models, said):
            odds *= model.rate(label, outcome) / model.rate(own, outcome, without=key)
            if outcome in (label, own):
                trust = model.trust(model.own_score[key])
                odds *= trust if outcome == label else 1 / trust
        yield "label", label, probability(odds)


def _silence(model, places):
    return (places + 1) / (places + 1 + len(model.free))


def _spurious(models, key, own, places):
    if all(model.outcome[key] == "missed" for model in models):
        odds = PRIOR / (1 - PRIOR)
        for model in models:
            odds *= _silence(model, places) / model.rate(own, "missed", without=key)
        yield "spurious", None, probability(odds)


def _boxes(models, key, own, box):
    own_models = [model for model in models if model.outcome[key] == own]
    if own_models:
        middle = [median(model.box[key][i] for model in own_models) for i in range(4)]
        odds = PRIOR / (1 - PRIOR) / PARTS
        for model in own_models:
            with_middle, with_gt = box_iou(middle, model.box[key]), box_iou(box, model.box[key])
            odds *= model.iou_rate(own, with_middle, key) / model.iou_rate(own, with_gt, key)
        yield "box", own, probability(odds)


def _missing(models, counts, places):
    groups = []  # (page, first region, {model: region})
    for k, model in enumerate(models):
        for page in {region[0] for region in model.free}:
            own = [region for region in model.free if region[0] == page]
            there = [group for group in groups if group[0] == page]
            sides = [[(one[1], box_pixels(*one[2])) for one in side] for side in ([group[1] for group in there], own)]
            _, of_own = pairs(*sides)
            for region, partner in zip(own, of_own):
                if partner is None:
                    groups.append((page, region, {k: region}))
                else:
                    there[partner][2][k] = region
    for page, _, members in groups:
        box = tuple(median(region[2][i] for region in members.values()) for i in range(4))
        options = []
        for label in sorted({region[1] for region in members.values()}, key=list(counts).index):
            odds = PRIOR * (counts[label] + HALF) / (places + HALF * (len(counts) + 1))
            for k, model in enumerate(models):
                if k in members:
                    _, said, _, score = members[k]
                    others = sum(region[1] == said for region in model.free) - 1
                    odds *= model.rate(label, said) * model.trust(score)
                    odds /= (others + HALF) / (places + HALF * (len(counts) + 1))
                else:
                    odds *= (model.rate(label, "missed") + model.rate(label, "other")) / _silence(model, places)
            options.append((probability(odds), label))
        best = max(options, key=lambda option: option[0])
        yield page, box, best[1], best[0]
