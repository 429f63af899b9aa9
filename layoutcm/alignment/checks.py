"""Find unusual values in one layout, and explanations for a very low score between two.

The readers report problems in a file; the checks here report numbers that look wrong. They are slow on large sets and
run only when findings are requested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment import likely_mistakes
from layoutcm.alignment.align import Alignment, common_frames, own_frames, scale_to_frame
from layoutcm.alignment.min_scores import MinScore, are_below, min_score_text
from layoutcm.alignment.page_matching import MAP, WAYS
from layoutcm.layouts.model import GT, PRED, X1, Y1, Finding, Layout
from layoutcm.layouts.repairs import shift_ids

COARSE_SIDE = 50  # smaller pages are in inches or the like, not in pixels
NEAR_ROWS = 32  # of a page that are compared with each other, to find equal boxes
TWO_PARTS = ("two-documents", "two-sides")  # findings on files that hold both sides
UNIT_LIKE = {1.0: "fractions of the page", 100.0: "percent of the page"}


def check_layout(layout: Layout) -> list[Finding]:
    """Findings on a single layout."""
    if not len(layout.region_columns):
        return [Finding("empty-side", values={"file": layout.name})]
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
    sample = likely_mistakes.take_sample(alignment)
    found = sample.share_found(sample.boxes[PRED]) if len(sample.pairs) else 0.0
    findings = (
        likely_mistakes.better_reading(sample, found) if len(sample.pairs) and found < 1 - likely_mistakes.GAIN else []
    )
    if not findings and found < 1 - likely_mistakes.GAIN:
        findings = _pages_off_by_one(alignment, found)
    if not findings and len(sample.pairs):
        findings = likely_mistakes.remaining_scale(sample)
    fits = likely_mistakes.fits_of_sides(alignment, sample) if found < likely_mistakes.VERY_LOW else []
    # A model that finds little, or parts of regions, is poor, but what it finds is where gt has something.
    if not any(fit.is_good for fit in fits):
        findings = findings or likely_mistakes.unrelated_sides(sample, fits, found)
        findings = [likely_mistakes.severe_if_low(finding, found) for finding in findings]
    if earlier := list(alignment.layouts[PRED].repairs):  # on the command line they stay, and the new one is added
        findings = [replace(finding, values={**finding.values, "earlier": earlier}) for finding in findings]
    # Regions of unrelated pages are in the same place by chance, so their labels say nothing about ids.
    is_unrelated = any(finding.code == "unrelated-sides" for finding in findings)
    return findings if is_unrelated else findings + _ids_off_by_one(alignment, sample)


def findings_by_side(
    alignment: Alignment, min_score: MinScore, pixels: float = 0, ignored: float = 0, has_truth: bool = True
) -> dict[str, tuple[Finding, ...]]:
    """The findings on gt, on pred, and on both together; repairs named in the last group apply to pred.

    `pixels` are the samples of the comparison, `ignored` the pixels that are not samples.
    """
    gt, pred = alignment.layouts
    # A file may hold two sides, or several annotators: only the same part of it is the same.
    is_same = gt.sha256 is not None and _part_of_file(gt) == _part_of_file(pred)
    same = [Finding("same-file", values={"gt": gt.name, "pred": pred.name})] if is_same else _same_regions(alignment)
    scored = scored_truth(alignment.layouts) if has_truth else []
    own, swapped = ([one for one in scored if one.code == code] for code in ("truth-with-scores", "sides-swapped"))
    between = (*same, *swapped, *alignment.findings, *below_threshold(pred, min_score), *check_pair(alignment))
    if ignored:
        finding = Finding("ignored-pixels", math.ceil(ignored), {"pixels": math.ceil(pixels + ignored)})
        between = (finding, *between)
    with ThreadPoolExecutor(2) as pool:  # most of the time is for sorting, which numpy does without Python's lock
        of_gt, of_pred = pool.map(findings_of, (gt, pred))
    if any(one.code == "other-scale" for one in of_gt):  # then `check_pair` has looked for nothing else
        sample = likely_mistakes.take_sample(alignment)
        found = sample.share_found(sample.boxes[PRED]) if len(sample.pairs) else 0.0
        of_gt = tuple(likely_mistakes.severe_if_low(one, found) if one.code == "other-scale" else one for one in of_gt)
    return {"gt": (*of_gt, *own), "pred": of_pred, "both": between}


def _part_of_file(layout: Layout) -> tuple[object, ...]:
    parts = [one.values["side"] for one in layout.findings if one.code in TWO_PARTS]
    return layout.sha256, layout.annotator, layout.format, parts


def _same_regions(alignment: Alignment) -> list[Finding]:
    count = count_same_regions(alignment)
    return [Finding("same-regions", count)] if count >= likely_mistakes.FEWEST_REGIONS else []


def count_same_regions(alignment: Alignment) -> int:
    """The number of regions if both sides have the same on the same pages, in any order; else 0.

    Cheap for different sides: numbers of regions are compared first, then those of pages and labels, then all columns.
    """
    regions = [layout.region_columns for layout in alignment.layouts]
    if len(regions[GT]) != len(regions[PRED]) or not alignment.space.shared:
        return 0
    columns, space = [], alignment.space
    for side, positions in ((GT, space.gt_positions), (PRED, space.pred_positions)):
        source, own = alignment.sources[side], alignment.layouts[side].page_columns
        page_of = np.full(len(own), -1)
        page_of[source[source >= 0]] = np.flatnonzero(source >= 0)
        columns.append((page_of[regions[side].page], positions[1:][regions[side].label]))
    pages = [page for page, _ in columns]
    on_pages = [np.bincount(page[page >= 0], minlength=len(alignment.pages)) for page in pages]
    if any((page < 0).any() for page in pages) or not np.array_equal(on_pages[GT], on_pages[PRED]):
        return 0
    keys = [page * len(space.labels) + label for page, label in columns]
    if not np.array_equal(np.sort(keys[GT]), np.sort(keys[PRED])):
        return 0
    frame = common_frames(alignment)
    boxes = [
        scale_to_frame(own.boxes, own_frames(alignment, side)[page], frame[page])
        for side, (own, page) in enumerate(zip(regions, pages))
    ]
    ordered = [box[np.lexsort((*box.T, key))] for box, key in zip(boxes, keys)]
    return len(regions[GT]) if np.array_equal(ordered[GT], ordered[PRED]) else 0


def below_threshold(pred: Layout, min_score: MinScore) -> list[Finding]:
    regions = pred.region_columns
    shown = min_score_text(min_score) if isinstance(min_score, Mapping) else min_score
    if min_score is not None and len(regions) and not pred.has_scores:
        return [Finding("min-score-without-scores", values={"min_score": shown})]
    dropped = int(are_below(min_score, pred.labels, regions).sum())
    values = {"regions": len(regions), "min_score": shown}
    severity = "error" if dropped == len(regions) else ""
    return [Finding("below-min-score", dropped, values, severity)] if dropped else []


def _coarse_pages(layout: Layout) -> list[Finding]:
    """Pages in inches or the like, for which rounding to whole units is too coarse."""
    pages = layout.page_columns
    small = np.flatnonzero(np.maximum(pages.widths, pages.heights) < COARSE_SIDE)
    # If most coordinates are whole numbers, the small pages are in pixels.
    if not small.size or (layout.region_columns.boxes % 1 == 0).mean() > 0.5:
        return []
    first = {"first": pages.names[small[0]], "size": pages.size(small[0])}
    values = {"file": layout.name, "pages": len(pages), "limit": COARSE_SIDE, **first}
    return [Finding("coarse-page", int(small.size), values)]


def _empty_pages(layout: Layout) -> list[Finding]:
    used = np.bincount(layout.region_columns.page, minlength=len(layout.page_columns))
    blank = np.flatnonzero(used == 0)
    if not blank.size:
        return []
    values = {"file": layout.name, "pages": len(used), "first": layout.page_columns.names[blank[0]]}
    return [Finding("empty-page", int(blank.size), values)]


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
    return [Finding("duplicate-box", int(repeated.sum()), {"file": layout.name, "label": label, "page": page})]


def _possibly_equal_rows(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """int64[rows]: rows with the same weighted sum as another row; the first column is the page.

    Where the rows of a page follow each other and are few, each is compared with the next rows. The sums of all others
    are sorted, which takes longer, but less than sorting all columns.
    """
    total, page = np.zeros(len(columns[0])), columns[0]
    for column, weight in zip(columns, np.random.default_rng(0).random(len(columns))):
        total += column * weight
    size = np.bincount(page)[page]
    is_near = (size <= NEAR_ROWS) & bool((page[1:] >= page[:-1]).all())
    repeated = np.zeros(total.size, bool)
    for shift in range(1, size.max(where=is_near, initial=0)):
        equal = total[shift:] == total[:-shift]
        if equal.any():
            repeated[shift:] |= equal
            repeated[:-shift] |= equal
    others = np.flatnonzero(~is_near)
    ordered = np.sort(total[others])
    repeated[others] |= np.isin(total[others], ordered[1:][ordered[1:] == ordered[:-1]])
    return np.flatnonzero(repeated)


def _tiny_boxes(layout: Layout) -> list[Finding]:
    """All boxes in one corner of the page: the coordinates are not in the unit of the page size."""
    regions, pages = layout.region_columns, layout.page_columns
    has_area = ~regions.without_area  # boxes without area are often 0, 0, 0, 0
    if not has_area.any():
        return []
    reach = np.array([regions.boxes[:, side].max(where=has_area, initial=-np.inf) for side in (X1, Y1)])
    for unit, words in UNIT_LIKE.items():
        if (reach <= unit * 1.05).all() and min(pages.widths.min(), pages.heights.min()) > 4 * unit:
            values = {"file": layout.name, "reach": float(reach.max()), "unit": words, "side": "layout"}
            return [Finding("other-scale", values=values, repair=f"unit:{unit:g}")]
    return []


def _unusual_scores(layout: Layout) -> list[Finding]:
    scores = layout.region_columns.scores
    known = scores[np.isfinite(scores)]
    if not known.size:
        return []
    if known.size < scores.size:
        return [Finding("score-missing", int(scores.size - known.size), {"file": layout.name, "regions": scores.size})]
    if known.size > 1 and np.ptp(known) == 0:
        return [Finding("score-constant", values={"file": layout.name, "score": float(known[0])})]
    return []


def scored_truth(layouts: tuple[Layout, Layout]) -> list[Finding]:
    """A finding if every region of gt has a score, and not all the same one: people do not write such files.

    If pred has regions and none has a score, gt and pred seem to be swapped.
    """
    gt, pred = layouts
    scores = gt.region_columns.scores
    if scores.size < 2 or not np.isfinite(scores).all() or np.ptp(scores) == 0:
        return []
    if len(pred.region_columns) and not pred.has_scores:
        return [Finding("sides-swapped", values={"gt": gt.name, "pred": pred.name})]
    return [Finding("truth-with-scores", values={"file": gt.name})]


def _pages_off_by_one(alignment: Alignment, before: float) -> list[Finding]:
    """A finding if pred's regions fit the next or previous page, in the document or in the file."""
    tried = []
    for along in ("pages", "images"):
        for shift in (1, -1):
            sample = likely_mistakes.take_sample(alignment, shift, along)
            tried.append((sample.share_found(sample.boxes[PRED]) if len(sample.pairs) else 0.0, along, shift, sample))
    found, along, shift, sample = max(tried, key=lambda one: len(one[3].boxes[GT]) * round(one[0], 2))
    if not likely_mistakes.is_better(found, before) or len(sample.boxes[GT]) < likely_mistakes.FEWEST_REGIONS:
        return []
    unit = "page" if along == "pages" else "image"
    mapped = bool((alignment.matches.how == WAYS.index(MAP)).any())
    values = {"unit": unit, "shift": shift, "found": found, "before": before, "mapped": mapped}
    return [Finding("page-off-by-one", values=values, repair=f"{along}:{shift}")]


def _ids_off_by_one(alignment: Alignment, sample: likely_mistakes.PageSample) -> list[Finding]:
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
        if likely_mistakes.is_better(after, before):
            values = {"by": by, "after": after, "before": before}
            return [likely_mistakes.severe_if_low(Finding("ids-off-by-one", values=values, repair=f"ids:{by}"), before)]
    return []
