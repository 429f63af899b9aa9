"""Find unusual values in one layout, and explanations for a very low score between two.

The readers report problems in a file; the checks here report numbers that look wrong. They are slow on large sets and
run only when findings are requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.other_readings import (
    FEWEST_REGIONS,
    GAIN,
    PageSample,
    better_reading,
    is_better,
    repairable_finding,
    take_sample,
)
from layoutcm.errors import short_repr
from layoutcm.layouts.model import GT, PRED, X1, Y1, Finding, Layout
from layoutcm.layouts.repairs import shift_ids
from layoutcm.wording import agree, plural

COARSE_SIDE = 50  # smaller pages are in inches or the like, not in pixels
UNIT_LIKE = {1.0: "fractions of the page", 100.0: "percent of the page"}


def check_layout(layout: Layout) -> list[Finding]:
    """Findings on a single layout."""
    if not len(layout.region_columns):
        message = f"{layout.name} has no region at all, so every score with it is 0 or n/a."
        return [Finding("empty-side", message, hint="Check that this is the right file.")]
    return [
        *_coarse_pages(layout),
        *_empty_pages(layout),
        *_duplicate_boxes(layout),
        *_tiny_boxes(layout),
        *_unusual_scores(layout),
    ]


def findings_of(layout: Layout) -> tuple[Finding, ...]:
    """The findings of the reader, then those of `check_layout`."""
    return (*layout.findings, *check_layout(layout))


def check_pair(alignment: Alignment) -> list[Finding]:
    """Findings on a pair of layouts that may explain why their regions hardly overlap."""
    gt = alignment.layouts[GT]
    if len(gt.region_columns) and _tiny_boxes(gt):
        return []  # gt itself seems wrong, so pred cannot be judged by it
    sample = take_sample(alignment)
    found = sample.share_found(sample.boxes[PRED]) if len(sample.pairs) else 0.0
    findings = better_reading(sample, found) if len(sample.pairs) and found < 1 - GAIN else []
    if not findings and found < 1 - GAIN:
        findings = _pages_off_by_one(alignment, found)
    return findings + _ids_off_by_one(alignment, sample)


def findings_by_side(alignment: Alignment, min_score: float | None) -> dict[str, tuple[Finding, ...]]:
    """The findings on gt, on pred, and on both together; repairs named in the last group apply to pred."""
    gt, pred = alignment.layouts
    between = (*alignment.findings, *_below_threshold(pred, min_score), *check_pair(alignment))
    return {"gt": findings_of(gt), "pred": findings_of(pred), "both": between}


def _below_threshold(pred: Layout, min_score: float | None) -> list[Finding]:
    scores = pred.region_columns.scores
    if min_score is not None and len(scores) and not pred.has_scores:
        message = f"No region of pred has a score, so the minimum score of {min_score} leaves none out."
        return [Finding("min-score-without-scores", message, severity="info")]
    dropped = 0 if min_score is None else int((scores < min_score).sum())
    predicate = "has a score below {} and is" if dropped == 1 else "have a score below {} and are"
    message = f"{dropped:,} of {len(scores):,} regions of pred {predicate.format(min_score)} left out."
    return [Finding("below-min-score", message, severity="info", count=dropped)] if dropped else []


def _coarse_pages(layout: Layout) -> list[Finding]:
    """Pages in inches or the like, for which rounding to whole units is too coarse."""
    pages = layout.page_columns
    small = np.flatnonzero(np.maximum(pages.widths, pages.heights) < COARSE_SIDE)
    # If most coordinates are whole numbers, the small pages are in pixels.
    if not small.size or (layout.region_columns.boxes % 1 == 0).mean() > 0.5:
        return []
    i = int(small[0])
    message = (
        f"{layout.name}: {small.size:,} of {len(pages):,} pages {agree(small.size, 'is', 'are')} less than "
        f"{COARSE_SIDE} units wide and high (first: {short_repr(pages.names[i])}, "
        f"{pages.widths[i]:g} x {pages.heights[i]:g}), "
        f"so rounding to whole units is coarse."
    )
    hint = "Use the rounding exact, or make the side with pixels the ground truth."
    return [Finding("coarse-page", message, count=int(small.size), hint=hint)]


def _empty_pages(layout: Layout) -> list[Finding]:
    used = np.bincount(layout.region_columns.page, minlength=len(layout.page_columns))
    blank = np.flatnonzero(used == 0)
    if not blank.size:
        return []
    message = (
        f"{layout.name}: {blank.size:,} of {len(used):,} pages {agree(blank.size, 'has', 'have')} no region "
        f"(first: {short_repr(layout.page_columns.names[blank[0]])})."
    )
    return [Finding("empty-page", message, severity="info", count=int(blank.size))]


def _duplicate_boxes(layout: Layout) -> list[Finding]:
    regions = layout.region_columns
    columns = (regions.page, regions.label, *regions.boxes.T)
    candidates = _possibly_equal_rows(columns)
    rows = np.column_stack([column[candidates] for column in columns])
    order = np.lexsort(rows.T[::-1])
    repeated = (rows[order[1:]] == rows[order[:-1]]).all(axis=1)
    if not repeated.any():
        return []
    first = int(candidates[order[1:][repeated]].min())
    label, page = layout.labels[regions.label[first]], layout.page_columns.names[regions.page[first]]
    message = (
        f"{layout.name}: {plural(int(repeated.sum()), 'region is a duplicate', 'regions are duplicates')} with the "
        f"same page, box and label as another (first: {short_repr(label)} on page {short_repr(page)})."
    )
    hint = "Pixels are not counted twice, but objects are: remove the duplicates."
    return [Finding("duplicate-box", message, count=int(repeated.sum()), hint=hint)]


def _possibly_equal_rows(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """int64[rows]: rows with the same weighted sum as another row. Sorting one column is faster than sorting six."""
    total = np.zeros(len(columns[0]))
    for column, weight in zip(columns, np.random.default_rng(0).random(len(columns))):
        total += column * weight
    order = np.argsort(total, kind="stable")
    same = np.diff(total[order]) == 0
    return np.sort(order[np.concatenate([same, [False]]) | np.concatenate([[False], same])])


def _tiny_boxes(layout: Layout) -> list[Finding]:
    """All boxes in one corner of the page: the coordinates are not in the unit of the page size."""
    reach = layout.region_columns.boxes[:, [X1, Y1]].max(axis=0)
    pages = layout.page_columns
    for unit, words in UNIT_LIKE.items():
        if (reach <= unit * 1.05).all() and min(pages.widths.min(), pages.heights.min()) > 4 * unit:
            message = f"{layout.name}: no coordinate is above {reach.max():.4g}; they look like {words}."
            return [repairable_finding("other-scale", message, f"unit:{unit:g}", side="")]
    return []


def _unusual_scores(layout: Layout) -> list[Finding]:
    scores = layout.region_columns.scores
    known = scores[np.isfinite(scores)]
    name = layout.name
    if not known.size:
        return []
    if known.size < scores.size:
        missing = int(scores.size - known.size)
        message = f"{name}: {missing:,} of {scores.size:,} regions {agree(missing, 'has', 'have')} no score."
        return [Finding("score-missing", message, count=missing, hint="Objects need all scores or none.")]
    if known.size > 1 and np.ptp(known) == 0:
        message = f"{name}: all scores are {known[0]:g}, so they do not rank the regions."
        return [Finding("score-constant", message, hint="AP needs real scores.")]
    return []


def _pages_off_by_one(alignment: Alignment, before: float) -> list[Finding]:
    """A finding if pred's regions fit the next or previous page, in the document or in the file."""
    tried = []
    for along in ("pages", "images"):
        for shift in (1, -1):
            sample = take_sample(alignment, shift, along)
            tried.append((sample.share_found(sample.boxes[PRED]) if len(sample.pairs) else 0.0, along, shift, sample))
    found, along, shift, sample = max(tried, key=lambda one: len(one[3].boxes[GT]) * round(one[0], 2))
    if not is_better(found, before) or len(sample.boxes[GT]) < FEWEST_REGIONS:
        return []
    unit = "page" if along == "pages" else "image"
    message = (
        f"{unit.capitalize()}s of pred seem to be off by one: with pred's regions moved to the "
        f"{'next' if shift > 0 else 'previous'} {unit}, {found:.0%} of gt's regions have a counterpart, against "
        f"{before:.0%} now."
    )
    return [repairable_finding("page-off-by-one", message, f"{along}:{shift}")]


def _ids_off_by_one(alignment: Alignment, sample: PageSample) -> list[Finding]:
    """A finding if labels of overlapping regions agree after all ids are changed by one."""
    pred = alignment.layouts[PRED]
    partners = sample.partners(sample.boxes[PRED])
    if len(partners) < 4 or not alignment.space.shared:
        return []
    gt_label = alignment.space.gt_positions[1:][sample.labels[GT][partners[:, GT]]]

    def label_agreement(by: int) -> float:
        label = shift_ids(pred, sample.labels[PRED][partners[:, PRED]], by)
        return float((alignment.space.pred_positions[1:][label] == gt_label).mean())

    before = label_agreement(0)
    for by in (1, -1):
        after = label_agreement(by)
        if is_better(after, before):
            message = (
                f"Category ids of pred seem to be off by one: with every id {'one higher' if by > 0 else 'one lower'}, "
                f"{after:.0%} of the regions in the same place have the same label, against {before:.0%} now."
            )
            return [repairable_finding("ids-off-by-one", message, f"ids:{by}")]
    return []
