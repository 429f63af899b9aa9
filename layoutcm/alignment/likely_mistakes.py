"""Likely mistakes in how the boxes of pred were written or read: another unit, axis, corner order or page size.

Other readings of the boxes are tried on a sample of pages. A reading is suggested if far more regions of gt then
overlap a region of pred; the finding reports both shares. A scale factor is suggested if it maps far more pred boxes
onto gt boxes than factor 1 does, even where they already overlap: a page size may be wrong. A pair of regions votes for
a factor if its right edges, lower edges, widths and heights all have the same ratio. Unrelated regions rarely agree on
one factor, so the factor with most votes does not depend on what a model missed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Finding, Floats, Indices
from layoutcm.layouts.repairs import box_transform, next_pages, raw_regions

AGREEMENT = 0.02  # the ratios of one pair differ by at most this (natural log)
WINDOW = 0.01  # votes within this range (natural log) count as one factor


class Scale(NamedTuple):
    """A factor, and how many gt regions it matches, compared with factor 1."""

    factor: float
    regions: int
    as_they_are: int


def extents(boxes: Floats) -> Floats:
    """float64[regions, 4]: the lengths that grow with the scale: right edge, lower edge, width, height."""
    return np.stack([boxes[:, X1], boxes[:, Y1], boxes[:, X1] - boxes[:, X0], boxes[:, Y1] - boxes[:, Y0]], axis=1)


def agreed_scale(gt: Floats, pred: Floats, pairs: NDArray[np.int64]) -> Scale | None:
    """The factor that takes most boxes of pred to boxes of gt, both float64[regions, x0 y0 x1 y1].

    `pairs` is int64[pairs, gt pred]. None if no pair agrees on a factor.
    """
    above, below = extents(gt)[pairs[:, GT]], extents(pred)[pairs[:, PRED]]
    valid = ((above > 0) & (below > 0)).all(axis=1)
    ratios = np.log(above[valid] / below[valid])
    agree = np.ptp(ratios, axis=1) <= AGREEMENT
    votes, regions = ratios[agree].mean(axis=1), pairs[valid][agree, GT]
    if not votes.size:
        return None
    ordered = np.sort(votes)
    counts = np.searchsorted(ordered, ordered + WINDOW, side="right") - np.arange(votes.size)
    low = ordered[np.argmax(counts)]
    near = (votes >= low) & (votes <= low + WINDOW)
    unchanged = np.abs(votes) <= WINDOW
    factor = float(np.exp(np.median(votes[near])))
    return Scale(factor, len(np.unique(regions[near])), len(np.unique(regions[unchanged])))


VERY_LOW = 0.25  # a share found now below this has a cause that is no model: if a mistake explains it, it is severe
MANY_REGIONS = 20  # on both sides; fewer may cover each other by chance
LEAST_FIT = 0.15  # of the area of gt that pred does not cover by chance, what it has to cover on the right pages
FEWEST_REGIONS = 5  # with fewer regions of gt, a better reading may be chance
PAGES_TRIED = 64
PAIRS_TRIED = 200_000
SAME_PLACE = 0.5  # minimum IoU of two regions in the same place
AS_GOOD = 0.02  # readings whose mean overlap differs by less than this are equally good
SAME_SIZE = 0.015  # page sizes and factors that differ by less than this are the same
GAIN = 0.3  # minimum increase in the share of gt's regions found; the share must also double
KNOWN_UNITS = (1.0, 100.0, 500.0, 1000.0)
KNOWN_DPI = (96, 100, 144, 150, 200, 300)


@dataclass(frozen=True)
class PageSample:
    """The raw regions of some pages in their own frames, and all (gt, pred) pairs of regions on the same page."""

    boxes: tuple[Floats, Floats]
    labels: tuple[Indices, Indices]
    frames: tuple[Floats, Floats]  # float64[regions, width height] of the side's own page
    pairs: NDArray[np.int64]  # int64[pairs, gt pred]

    def share_found(self, pred_boxes: Floats) -> float:
        """The share of gt's regions that have a partner, if `pred_boxes` are the boxes of pred."""
        return len(np.unique(self.partners(pred_boxes)[:, GT])) / max(len(self.boxes[GT]), 1)

    def share_covered(self, side: int = GT) -> float:
        """The mean over the regions of a side of the share of their area under regions of the other side."""
        sides = [boxes / np.tile(frame, 2) for boxes, frame in zip(self.boxes, self.frames)]
        both, own = _shared_area(*(boxes[self.pairs[:, k]] for k, boxes in enumerate(sides))), sides[side]
        covered = np.bincount(self.pairs[:, side], both, minlength=len(own))
        area = np.clip(own[:, X1] - own[:, X0], 0, None) * np.clip(own[:, Y1] - own[:, Y0], 0, None)
        return float(np.minimum(covered[area > 0] / area[area > 0], 1).mean()) if (area > 0).any() else 0.0

    def partners(self, pred_boxes: Floats) -> NDArray[np.int64]:
        """int64[partners, gt pred]: the pairs of regions in the same place."""
        return self.pairs[self._overlaps(pred_boxes) >= SAME_PLACE]

    def found_and_overlap(self, pred_boxes: Floats) -> tuple[float, float]:
        """`share_found`, and the mean over gt's regions of the overlap with the partner, 0 without one."""
        best = np.zeros(max(len(self.boxes[GT]), 1))
        np.maximum.at(best, self.pairs[:, GT], self._overlaps(pred_boxes))
        return float((best >= SAME_PLACE).mean()), float(np.where(best >= SAME_PLACE, best, 0).mean())

    def _overlaps(self, pred_boxes: Floats) -> Floats:
        """float64[pairs]: IoU, both pages taken as equally large."""
        relative = [boxes / np.tile(frame, 2) for boxes, frame in zip((self.boxes[GT], pred_boxes), self.frames)]
        return box_iou(relative[GT][self.pairs[:, GT]], relative[PRED][self.pairs[:, PRED]])


def box_iou(gt: Floats, pred: Floats) -> Floats:
    """float64[pairs]: intersection over union; 0 for boxes without area."""
    both = _shared_area(gt, pred)
    gt_area, pred_area = (
        np.clip(b[:, X1] - b[:, X0], 0, None) * np.clip(b[:, Y1] - b[:, Y0], 0, None) for b in (gt, pred)
    )
    either = gt_area + pred_area - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def _shared_area(gt: Floats, pred: Floats) -> Floats:
    """float64[pairs]"""
    width = np.minimum(gt[:, X1], pred[:, X1]) - np.maximum(gt[:, X0], pred[:, X0])
    height = np.minimum(gt[:, Y1], pred[:, Y1]) - np.maximum(gt[:, Y0], pred[:, Y0])
    return np.clip(width, 0, None) * np.clip(height, 0, None)


def take_sample(alignment: Alignment, shift: int = 0, along: str = "pages") -> PageSample:
    """A sample of pages with regions on both sides; each gt page is paired with the pred page `shift` pages earlier."""
    raw = [raw_regions(layout) for layout in alignment.layouts]
    sources = _shifted_sources(alignment, shift, along)
    chosen = _chosen_pages([side.page for side in raw], sources)
    boxes, labels, frames, starts = [], [], [], []
    for side, source, layout in zip(raw, sources, alignment.layouts):
        place = np.full(len(layout.page_columns), len(chosen))
        place[source[chosen]] = np.arange(len(chosen))
        page = place[side.page] if len(side) else np.empty(0, int)
        rows = np.flatnonzero(page < len(chosen))
        rows = rows[np.argsort(page[rows], kind="stable")]
        own = layout.page_columns
        boxes.append(side.boxes[rows])
        labels.append(side.label[rows])
        frames.append(np.stack([own.widths, own.heights], axis=1)[side.page[rows]])
        starts.append(np.searchsorted(page[rows], np.arange(len(chosen) + 1)))
    blocks = [
        np.stack(np.meshgrid(np.arange(a, b), np.arange(c, d), indexing="ij"), axis=-1).reshape(-1, 2)
        for a, b, c, d in zip(starts[GT][:-1], starts[GT][1:], starts[PRED][:-1], starts[PRED][1:])
    ]
    pairs = np.concatenate(blocks) if blocks else np.empty((0, 2), int)
    return PageSample((boxes[GT], boxes[PRED]), (labels[GT], labels[PRED]), (frames[GT], frames[PRED]), pairs)


def _shifted_sources(alignment: Alignment, shift: int, along: str) -> list[NDArray[np.int64]]:
    """int64[pages] for both sides, pred shifted; -1 if the shifted page does not exist."""
    gt, pred = alignment.sources
    if not shift:
        return [gt, pred]
    # Shift in pred's page order, as the repair does.
    before = next_pages(alignment.layouts[PRED].page_columns, -shift, along)
    return [gt, np.where(pred >= 0, before[pred] if len(before) else -1, -1)]


def _chosen_pages(pages: list[Indices], sources: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    counts = []
    for page, source in zip(pages, sources):
        used = np.bincount(page, minlength=max(int(source.max(initial=-1)) + 1, 1))
        counts.append(np.where(source >= 0, used[source], 0))
    shared = np.flatnonzero((counts[GT] > 0) & (counts[PRED] > 0))
    if not len(shared):
        return shared
    spread = shared[np.unique(np.linspace(0, len(shared) - 1, PAGES_TRIED).astype(int))]
    return spread[np.cumsum(counts[GT][spread] * counts[PRED][spread]) <= PAIRS_TRIED]


def is_better(found: float, before: float) -> bool:
    return found >= before + GAIN and found >= 2 * before


def better_reading(sample: PageSample, before: float) -> list[Finding]:
    """A finding on the reading that finds most of gt's regions, if it finds far more than the current one."""
    if len(sample.boxes[GT]) < FEWEST_REGIONS:
        return []
    tried = [(*sample.found_and_overlap(boxes), reading) for boxes, reading in _candidate_readings(sample)]
    best = max(overlap for _, overlap, _ in tried)
    # Candidates are ordered from simple to complex: of equally good ones the first is taken.
    found, _, reading = next(one for one in tried if one[1] >= best - AS_GOOD)
    if not is_better(found, before):
        return []
    values = {"reading": reading.words, "found": found, "before": before, "regions": len(sample.boxes[GT])}
    return [Finding(reading.code, values=values, repair=reading.repair)]


class Fit(NamedTuple):
    """How much of the regions of a side the other side covers, on the right pages and with the pages mixed up."""

    covered: float
    elsewhere: float

    @property
    def is_good(self) -> bool:
        return self.covered - self.elsewhere >= LEAST_FIT * (1 - self.elsewhere)


def fits_of_sides(alignment: Alignment, sample: PageSample) -> list[Fit]:
    """The fit of gt, then of pred; [] if it cannot be known, as on a single page.

    Few counterparts alone do not say that sides are unrelated: a side may have lines where the other has paragraphs, or
    few regions. Then the regions of one side are covered far better on the right pages than on others.
    """
    half = len(alignment.layouts[PRED].page_columns) // 2
    mixed = [take_sample(alignment, shift, "images") for shift in (half, -half) if half]
    mixed = [one for one in mixed if len(one.pairs)]
    if not mixed or not len(sample.pairs):
        return []
    return [
        Fit(sample.share_covered(side), float(np.mean([one.share_covered(side) for one in mixed])))
        for side in (GT, PRED)
    ]


def unrelated_sides(sample: PageSample, fits: list[Fit], before: float) -> list[Finding]:
    """A finding if the sides fit each other no better than with mixed pages: they do not show the same pages."""
    if before >= VERY_LOW or not fits or min(map(len, sample.boxes)) < MANY_REGIONS:
        return []
    shares = {"found": before, "covered": fits[GT].covered, "elsewhere": fits[GT].elsewhere}
    return [Finding("unrelated-sides", values={**shares, "regions": len(sample.boxes[GT])})]


def severe_if_low(finding: Finding, before: float) -> Finding:
    """A mistake that explains a very low share found now is severe: without the repair, the numbers say nothing."""
    return replace(finding, severity="error") if before < VERY_LOW else finding


def remaining_scale(sample: PageSample) -> list[Finding]:
    """A finding if one factor maps far more pred boxes onto gt boxes than factor 1 does."""
    scale = agreed_scale(_gt_on_pred_pages(sample), sample.boxes[PRED], sample.pairs)
    regions = len(sample.boxes[GT])
    if scale is None or abs(scale.factor - 1) < SAME_SIZE or scale.regions < max(FEWEST_REGIONS, regions / 3):
        return []
    if scale.regions < 2 * scale.as_they_are:
        return []
    reading = _page_size_reading(sample, scale.factor)
    values = {"reading": reading.words, "alike": scale.regions, "regions": regions}
    return [Finding(reading.code, values=values, repair=reading.repair)]


def _gt_on_pred_pages(sample: PageSample) -> Floats:
    """float64[regions of gt, x0 y0 x1 y1]: the boxes of gt in the frame of pred's pages.

    All pages get the frame of pred's median page: a wrong page size is nearly always wrong for all pages.
    """
    return sample.boxes[GT] / np.tile(sample.frames[GT], 2) * np.tile(np.median(sample.frames[PRED], axis=0), 2)


class Reading(NamedTuple):
    """A way to read the boxes of pred."""

    code: str
    repair: str
    words: str


PLAIN_READINGS = (
    Reading("y-flipped", "flip-y", "The y axis of pred seems to point up"),
    Reading("axes-swapped", "swap-xy", "The x and y axes of pred seem to be swapped"),
    Reading("axes-swapped", "swap-shares", "The x and y axes of pred, as shares of the page, seem to be swapped"),
    Reading("xywh-as-xyxy", "xywh", "Boxes of pred seem to be x, y, width, height, but were read as corners"),
    Reading("xyxy-as-xywh", "xyxy", "Boxes of pred seem to be corners, but were read as x, y, width, height"),
    Reading("corner-as-centre", "corner", "The points x, y of pred boxes seem to be corners, but were read as centres"),
    Reading("centre-as-corner", "centre", "The points x, y of pred boxes seem to be centres, but were read as corners"),
)


def _candidate_readings(sample: PageSample) -> Iterator[tuple[Floats, Reading]]:
    """The boxes of pred in each reading to try, and the reading."""
    raw, frames = sample.boxes[PRED], sample.frames[PRED]
    flip = box_transform("flip-y")
    for reading in PLAIN_READINGS:
        yield box_transform(reading.repair)(raw, frames), reading
    for reading in _scales(sample):
        kind, factor = reading.repair.split(":")
        scaled = box_transform(kind, float(factor))(raw, frames)
        yield scaled, reading
        words = f"{reading.words}, and its y axis seems to point up"
        yield flip(scaled, frames), Reading("y-flipped", f"{reading.repair},flip-y", words)


def _scales(sample: PageSample) -> Iterator[Reading]:
    """Readings with the page size of gt, with common units and factors, and with estimates from the boxes."""
    gt_size, pred_size = (np.median(frames, axis=0) for frames in sample.frames)
    if np.abs(np.log(ratio := pred_size / gt_size)).max() > SAME_SIZE:
        yield _page_size_reading(sample, float(ratio.mean()))
    for unit in KNOWN_UNITS:
        yield _unit_reading(unit)
    for dpi in KNOWN_DPI:
        for factor, words in (
            (dpi / 72, f"points, but its page sizes in pixels at {dpi} dpi"),
            (72 / dpi, f"pixels at {dpi} dpi, but its page sizes in points"),
        ):
            yield Reading("other-scale", f"scale:{factor:.6g}", f"Coordinates of pred seem to be in {words}")
    if unit_scale := agreed_scale(sample.boxes[GT] / np.tile(sample.frames[GT], 2), sample.boxes[PRED], sample.pairs):
        yield _unit_reading(1 / unit_scale.factor)
    if scale := agreed_scale(_gt_on_pred_pages(sample), sample.boxes[PRED], sample.pairs):
        yield _page_size_reading(sample, scale.factor)
    yield from _scales_of_extents(sample)


def _scales_of_extents(sample: PageSample) -> Iterator[Reading]:
    """Rougher estimates from how far the boxes extend; they need no matching regions."""
    gt = np.quantile(sample.boxes[GT][:, X1:] / sample.frames[GT], 0.95, axis=0)
    pred = np.quantile(sample.boxes[PRED][:, X1:], 0.95, axis=0)
    if (gt > 0).all() and (pred > 0).all():
        spans = pred / gt
        if abs(spans[0] / spans[1] - 1) < 0.1:
            yield _unit_reading(float(spans.mean()))
        yield _page_size_reading(sample, float((gt * np.median(sample.frames[PRED], axis=0) / pred).mean()))


def _unit_reading(unit: float) -> Reading:
    words = f"Coordinates of pred seem to run from 0 to {unit:.4g} over the page"
    return Reading("other-scale", f"unit:{unit:.6g}", words)


def _page_size_reading(sample: PageSample, factor: float) -> Reading:
    """The boxes are right on pages of another size: the coordinates are multiplied by `factor` to fit pred's pages."""
    gt, pred = (np.median(frames, axis=0) for frames in sample.frames)
    of_gt = bool(np.abs(np.log(pred / gt / factor)).max() <= SAME_SIZE)
    fits = f"that of gt, {_size(gt)}" if of_gt else f"pages of about {_size(pred / factor)}"
    words = f"The page size of pred, {_size(pred)}, may be wrong, because its coordinates fit {fits}"
    return Reading("wrong-page-size", f"scale:{factor:.6g}", words)


def _size(size: Floats) -> str:
    return f"{size[0]:.4g} x {size[1]:.4g}"
