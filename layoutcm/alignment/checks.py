"""What is odd about one layout, and what explains a zero between two.

Findings of the readers tell what a file says; these tell what its numbers look like. They take a while on large sets
and are made when somebody asks for findings.
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
from layoutcm.wording import plural

COARSE_SIDE = 50  # no page image is this small; inches and millimetres of small prints are
UNIT_LIKE = {1.0: "fractions of the page", 100.0: "percent of the page"}


def check_layout(layout: Layout) -> list[Finding]:
    """Findings on one layout by itself."""
    if not len(layout.region_columns):
        message = f"{layout.name} has no region at all, so every score with it is 0 or n/a."
        return [Finding("empty-side", message, hint="Check that this is the right file.")]
    return [
        *_coarse_pages(layout),
        *_empty_pages(layout),
        *_duplicates(layout),
        *_tiny_boxes(layout),
        *_unusual_scores(layout),
    ]


def findings_of(layout: Layout) -> tuple[Finding, ...]:
    """What the reader noticed and what the numbers look like."""
    return (*layout.findings, *check_layout(layout))


def check_pair(alignment: Alignment) -> list[Finding]:
    """Findings on two layouts together: what would explain that they hardly meet."""
    gt = alignment.layouts[GT]
    if len(gt.region_columns) and _tiny_boxes(gt):
        return []  # where gt is in doubt, nothing can be said about pred
    sample = take_sample(alignment)
    found = sample.found(sample.boxes[PRED]) if len(sample.pairs) else 0.0
    findings = better_reading(sample, found) if len(sample.pairs) and found < 1 - GAIN else []
    if not findings and found < 1 - GAIN:
        findings = _other_page(alignment, found)
    return findings + _other_ids(alignment, sample)


def findings_by_side(alignment: Alignment, min_score: float | None) -> dict[str, tuple[Finding, ...]]:
    """What is unusual in gt, in pred, and between the two; a repair that the last names is one of pred."""
    gt, pred = alignment.layouts
    between = (*alignment.findings, *_below_threshold(pred, min_score), *check_pair(alignment))
    return {"gt": findings_of(gt), "pred": findings_of(pred), "both": between}


def _below_threshold(pred: Layout, min_score: float | None) -> list[Finding]:
    scores = pred.region_columns.scores
    if min_score is not None and len(scores) and not pred.has_scores:
        message = f"No region of pred has a score, so none is left out by the smallest score of {min_score}."
        return [Finding("min-score-without-scores", message, severity="info")]
    dropped = 0 if min_score is None else int((scores < min_score).sum())
    are = "has a score below {} and is" if dropped == 1 else "have a score below {} and are"
    message = f"{dropped:,} of {len(scores):,} regions of pred {are.format(min_score)} left out."
    return [Finding("below-min-score", message, severity="info", count=dropped)] if dropped else []


def _coarse_pages(layout: Layout) -> list[Finding]:
    """Pages in inches or the like: whole units are no pixels."""
    pages = layout.page_columns
    small = np.flatnonzero(np.maximum(pages.widths, pages.heights) < COARSE_SIDE)
    # Whole coordinates on a small page are pixels after all.
    if not small.size or (layout.region_columns.boxes % 1 == 0).mean() > 0.5:
        return []
    i = int(small[0])
    message = (
        f"{layout.name}: {small.size:,} of {len(pages):,} pages {'is' if small.size == 1 else 'are'} only some "
        f"{COARSE_SIDE} units or less a side (first: {short_repr(pages.names[i])}, "
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
        f"{layout.name}: {blank.size:,} of {len(used):,} pages {'has' if blank.size == 1 else 'have'} no region "
        f"(first: {short_repr(layout.page_columns.names[blank[0]])})."
    )
    return [Finding("empty-page", message, severity="info", count=int(blank.size))]


def _duplicates(layout: Layout) -> list[Finding]:
    regions = layout.region_columns
    columns = (regions.page, regions.label, *regions.boxes.T)
    doubtful = _possibly_equal_rows(columns)
    rows = np.column_stack([column[doubtful] for column in columns])
    order = np.lexsort(rows.T[::-1])
    again = (rows[order[1:]] == rows[order[:-1]]).all(axis=1)
    if not again.any():
        return []
    first = int(doubtful[order[1:][again]].min())
    label, page = layout.labels[regions.label[first]], layout.page_columns.names[regions.page[first]]
    message = (
        f"{layout.name}: {plural(int(again.sum()), 'region stands', 'regions stand')} there twice, with the same "
        f"box and label (first: {short_repr(label)} on page {short_repr(page)})."
    )
    hint = "Pixels are not counted twice, objects are: remove the doubles."
    return [Finding("duplicate-box", message, count=int(again.sum()), hint=hint)]


def _possibly_equal_rows(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Rows whose weighted sum another row has too: equal rows are among them. One column is sorted faster than six."""
    total = np.zeros(len(columns[0]))
    for column, weight in zip(columns, np.random.default_rng(0).random(len(columns))):
        total += column * weight
    order = np.argsort(total, kind="stable")
    same = np.diff(total[order]) == 0
    return np.sort(order[np.concatenate([same, [False]]) | np.concatenate([[False], same])])


def _tiny_boxes(layout: Layout) -> list[Finding]:
    """All boxes in a corner of the page: coordinates in another unit than the page's size."""
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
        lacking = int(scores.size - known.size)
        message = f"{name}: {lacking:,} of {scores.size:,} regions {'has' if lacking == 1 else 'have'} no score."
        return [Finding("score-missing", message, count=lacking, hint="Objects need all scores or none.")]
    if known.size > 1 and np.ptp(known) == 0:
        message = f"{name}: all scores are {known[0]:g}, so they order nothing."
        return [Finding("score-constant", message, hint="AP needs real scores.")]
    return []


def _other_page(alignment: Alignment, before: float) -> list[Finding]:
    """Regions of pred that fit the page before or after the one they are on, in its document or in the file."""
    tried = []
    for along in ("pages", "images"):
        for shift in (1, -1):
            sample = take_sample(alignment, shift, along)
            tried.append((sample.found(sample.boxes[PRED]) if len(sample.pairs) else 0.0, along, shift, sample))
    found, along, shift, sample = max(tried, key=lambda one: len(one[3].boxes[GT]) * round(one[0], 2))
    if not is_better(found, before) or len(sample.boxes[GT]) < FEWEST_REGIONS:
        return []
    message = (
        f"{'Pages' if along == 'pages' else 'Images'} of pred seem to be off by one: on the one "
        f"{'after' if shift > 0 else 'before'} their own, {found:.0%} of gt's regions have a counterpart, against "
        f"{before:.0%} as it stands."
    )
    return [repairable_finding("page-off-by-one", message, f"{along}:{shift}")]


def _other_ids(alignment: Alignment, sample: PageSample) -> list[Finding]:
    """Regions in the same place whose labels agree once every id is one more or one less."""
    pred = alignment.layouts[PRED]
    partners = sample.partners(sample.boxes[PRED])
    if len(partners) < 4 or not alignment.space.shared:
        return []
    gt_label = alignment.space.gt_place[1:][sample.labels[GT][partners[:, GT]]]

    def label_agreement(by: int) -> float:
        label = shift_ids(pred, sample.labels[PRED][partners[:, PRED]], by)
        return float((alignment.space.pred_place[1:][label] == gt_label).mean())

    before = label_agreement(0)
    for by in (1, -1):
        after = label_agreement(by)
        if is_better(after, before):
            message = (
                f"Category ids of pred seem to be off by one: with every id {'one more' if by > 0 else 'one less'}, "
                f"{after:.0%} of the regions in the same place have the same label, against {before:.0%} as it stands."
            )
            return [repairable_finding("ids-off-by-one", message, f"ids:{by}")]
    return []
