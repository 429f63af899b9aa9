"""Other readings of pred's boxes, tried on a few pages: does one bring gt's regions a partner that they lack?

A reading that raises the share of found regions from little to most explains a zero better than any guess about
formats. What was measured stands in the finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Finding, Floats, Indices
from layoutcm.layouts.repairs import box_transform, next_pages, raw_regions

FEWEST_REGIONS = 5  # regions of gt below which chance could look like a convention
PAGES_TRIED = 64
PAIRS_TRIED = 200_000
SAME_PLACE = 0.5  # IoU from which two regions count as the same
GAIN = 0.3  # a reading is offered when it finds this much more of gt, and at least twice as much
KNOWN_UNITS = (1.0, 100.0, 500.0, 1000.0)
KNOWN_DPI = (96, 100, 144, 150, 200, 300)


@dataclass(frozen=True)
class PageSample:
    """Raw regions of some pages in their own frames, and all pairs of gt and pred that share a page."""

    boxes: tuple[Floats, Floats]
    labels: tuple[Indices, Indices]
    frames: tuple[Floats, Floats]  # float64[regions, width height] of the side's own page
    pairs: NDArray[np.int64]  # int64[pairs, gt pred]

    def found(self, pred_boxes: Floats) -> float:
        """Share of gt's regions that some region of pred lies on, when pred's boxes are these."""
        return len(np.unique(self.partners(pred_boxes)[:, GT])) / max(len(self.boxes[GT]), 1)

    def partners(self, pred_boxes: Floats) -> NDArray[np.int64]:
        parts = [boxes / np.tile(frame, 2) for boxes, frame in zip((self.boxes[GT], pred_boxes), self.frames)]
        overlap = box_iou(parts[GT][self.pairs[:, GT]], parts[PRED][self.pairs[:, PRED]])
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
    """Pages spread over the set on which both sides have regions; `shift` takes pred's page that much earlier."""
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
    """int64[pages] of both sides; a page whose neighbour is of another document has none."""
    gt, pred = alignment.sources
    if not shift:
        return [gt, pred]
    # pred's own neighbours, as the repair will take them.
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
    """The reading of pred's boxes that finds most, if it finds far more than the boxes as they stand."""
    if len(sample.boxes[GT]) < FEWEST_REGIONS:
        return []
    tried = [(sample.found(boxes), repairs, words) for boxes, repairs, words in _candidate_readings(sample)]
    # Among readings that are as good, the simplest: they are tried in that order, and `max` takes the first.
    found, repairs, words = max(tried, key=lambda reading: round(reading[0], 2))
    if not is_better(found, before):
        return []
    message = (
        f"{words}: read so, {found:.0%} of gt's regions have a counterpart in pred, against {before:.0%} as it stands "
        f"(on {len(sample.boxes[GT]):,} regions tried)."
    )
    code = {"flip": "y-flipped", "xywh": "xywh-as-xyxy", "xyxy": "xyxy-as-xywh"}.get(repairs[-1][:4], "other-scale")
    return [repairable_finding(code, message, ",".join(repairs))]


def repairable_finding(code: str, message: str, repair: str, side: str = "pred") -> Finding:
    option = {"pred": f"--fix {repair}", "": f"--fix {repair} (--fix-gt for the ground truth)"}[side]
    return Finding(code, message, hint=f"Repair it: fix({side or 'layout'}, {repair!r}) or {option}.", repair=repair)


def _candidate_readings(sample: PageSample) -> Iterator[tuple[Floats, tuple[str, ...], str]]:
    """(pred's boxes, repairs, the suspicion in words)"""
    raw, frames = sample.boxes[PRED], sample.frames[PRED]
    flip = box_transform("flip-y")
    scales = list(_scales(sample))
    yield flip(raw, frames), ("flip-y",), "The y axis of pred seems to point up"
    yield box_transform("xywh")(raw, frames), ("xywh",), "Boxes of pred seem to be x, y, width, height, read as corners"
    yield box_transform("xyxy")(raw, frames), ("xyxy",), "Boxes of pred seem to be corners, read as x, y, width, height"
    for kind, factor, words in scales:
        scaled = box_transform(kind, factor)(raw, frames)
        yield scaled, (f"{kind}:{factor:.6g}",), words
        yield flip(scaled, frames), (f"{kind}:{factor:.6g}", "flip-y"), f"{words}, and its y axis seems to point up"


def _scales(sample: PageSample) -> Iterator[tuple[str, float, str]]:
    """Units and factors that tools use, and those that the extents of the two sides suggest."""
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
        yield "scale", factor, f"Coordinates of pred seem to be {1 / factor:.3g} times too large"
