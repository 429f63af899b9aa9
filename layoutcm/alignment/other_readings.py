"""Try other readings of pred's boxes (another unit, axis or corner order) on a sample of pages.

A reading is suggested if with it far more regions of gt overlap a region of pred. The finding reports both shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Finding, Floats, Indices
from layoutcm.layouts.repairs import box_transform, next_pages, raw_regions

FEWEST_REGIONS = 5  # with fewer regions of gt, a better reading may be chance
PAGES_TRIED = 64
PAIRS_TRIED = 200_000
SAME_PLACE = 0.5  # minimum IoU of two regions in the same place
GAIN = 0.3  # minimum increase in the share of gt's regions found; the share must also double
KNOWN_UNITS = (1.0, 100.0, 500.0, 1000.0)
CODES = {
    "flip-y": "y-flipped",
    "xywh": "xywh-as-xyxy",
    "xyxy": "xyxy-as-xywh",
    "corner": "corner-as-centre",
    "centre": "centre-as-corner",
}
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

    def partners(self, pred_boxes: Floats) -> NDArray[np.int64]:
        """int64[partners, gt pred]: the pairs of regions in the same place."""
        relative = [boxes / np.tile(frame, 2) for boxes, frame in zip((self.boxes[GT], pred_boxes), self.frames)]
        overlap = box_iou(relative[GT][self.pairs[:, GT]], relative[PRED][self.pairs[:, PRED]])
        return self.pairs[overlap >= SAME_PLACE]


def box_iou(gt: Floats, pred: Floats) -> Floats:
    """float64[pairs]: intersection over union; 0 for boxes without area."""
    width = np.minimum(gt[:, X1], pred[:, X1]) - np.maximum(gt[:, X0], pred[:, X0])
    height = np.minimum(gt[:, Y1], pred[:, Y1]) - np.maximum(gt[:, Y0], pred[:, Y0])
    both = np.clip(width, 0, None) * np.clip(height, 0, None)
    gt_area, pred_area = (
        np.clip(b[:, X1] - b[:, X0], 0, None) * np.clip(b[:, Y1] - b[:, Y0], 0, None) for b in (gt, pred)
    )
    either = gt_area + pred_area - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def take_sample(alignment: Alignment, shift: int = 0, along: str = "pages") -> PageSample:
    """A sample of pages with regions on both sides; with `shift`, pred's page is taken that many pages earlier."""
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
    # In the page order of pred, which the repair uses too.
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
    tried = [(sample.share_found(boxes), repairs, words) for boxes, repairs, words in _candidate_readings(sample)]
    # Candidates are ordered from simple to complex, and `max` returns the first of equally good ones.
    found, repairs, words = max(tried, key=lambda reading: round(reading[0], 2))
    if not is_better(found, before):
        return []
    values = {"reading": words, "found": found, "before": before, "regions": len(sample.boxes[GT])}
    return [Finding(CODES.get(repairs[-1], "other-scale"), values=values, repair=",".join(repairs))]


def _candidate_readings(sample: PageSample) -> Iterator[tuple[Floats, tuple[str, ...], str]]:
    """(boxes of pred, repairs, description) of each reading to try."""
    raw, frames = sample.boxes[PRED], sample.frames[PRED]
    flip = box_transform("flip-y")
    scales = list(_scales(sample))
    yield flip(raw, frames), ("flip-y",), "The y axis of pred seems to point up"
    yield box_transform("xywh")(raw, frames), ("xywh",), "Boxes of pred seem to be x, y, width, height, read as corners"
    yield box_transform("xyxy")(raw, frames), ("xyxy",), "Boxes of pred seem to be corners, read as x, y, width, height"
    yield box_transform("corner")(raw, frames), ("corner",), "Boxes of pred seem to have a corner, read as their centre"
    yield box_transform("centre")(raw, frames), ("centre",), "Boxes of pred seem to have a centre, read as a corner"
    for kind, factor, words in scales:
        scaled = box_transform(kind, factor)(raw, frames)
        yield scaled, (f"{kind}:{factor:.6g}",), words
        yield flip(scaled, frames), (f"{kind}:{factor:.6g}", "flip-y"), f"{words}, and its y axis seems to point up"


def _scales(sample: PageSample) -> Iterator[tuple[str, float, str]]:
    """(kind of transform, factor, description): common units and factors, and those estimated from the box extents."""
    for unit in KNOWN_UNITS:
        yield "unit", unit, f"Coordinates of pred seem to run from 0 to {unit:g} over the page"
    for dpi in KNOWN_DPI:
        yield "scale", dpi / 72, f"Coordinates of pred seem to be points, its pages pixels at {dpi} dpi"
        yield "scale", 72 / dpi, f"Coordinates of pred seem to be pixels at {dpi} dpi, its pages points"
    gt = np.quantile(sample.boxes[GT][:, X1:] / sample.frames[GT], 0.95, axis=0)
    pred = np.quantile(sample.boxes[PRED][:, X1:], 0.95, axis=0)
    if (gt > 0).all() and (pred > 0).all():
        spans = pred / gt
        if abs(spans[0] / spans[1] - 1) < 0.1:
            span = float(spans.mean())
            yield "unit", span, f"Coordinates of pred seem to run from 0 to {span:.4g} over the page"
        factor = float((gt * np.median(sample.frames[PRED], axis=0) / pred).mean())
        size = "large" if factor < 1 else "small"
        yield "scale", factor, f"Coordinates of pred seem to be too {size}, and right if multiplied by {factor:.3g}"
