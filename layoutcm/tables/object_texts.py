"""Terminal text of objects and centroids."""

from __future__ import annotations

from collections.abc import Iterator

from layoutcm.comparison import Comparison
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.metrics.objects.centroids import Centroids
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.panoptic import mean_qualities
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.tables import ANY_LABEL, AP_COLUMNS, SHAPES
from layoutcm.wording import plural, score_text

MOST_PAGES = 5000  # of a set whose objects are part of every summary; about a second of work
COUNTS = {"tp": "found", "fn": "missed", "fp": "invented"}


def object_summary(comparison: Comparison, asked: bool = False) -> str:
    """Objects at one IoU, AP and centroids; for a very large set one line, unless they were asked for."""
    pages = len(comparison.pages)
    if pages > MOST_PAGES and not asked:
        return f"Objects and centroids of {plural(pages, 'page')} take a while: --objects adds them."
    objects = comparison.objects()
    centroids = comparison.centroids(class_aware=objects.space.shared)
    rows = list(_rows(objects, centroids))
    title = f"objects ({SHAPES[objects.shapes]}), {objects.gt_counts.sum():,} gt, {objects.pred_counts.sum():,} pred"
    width = max(len(name) for name in (title, *(name for name, _ in rows)))
    heading = " ".join(f"{name:>9}" for name in ("precision", "recall", "F1", *COUNTS.values()))
    lines = [f"{title:{width}} {heading}"]
    lines += [f"{name:{width}} " + " ".join(f"{value:>9}" for value in values) for name, values in rows]
    lines += [_panoptic_text(objects)] if objects.headline == "pq" else []
    lines.append(f"no AP: {objects.why_no_ap}" if objects.why_no_ap else _ap_text(objects))
    notes = dict.fromkeys(filter(None, (objects.note, centroids.note)))  # each once
    return "\n".join([*lines, *notes])


def _rows(objects: Objects, centroids: Centroids) -> Iterator[tuple[str, list[str]]]:
    shared = objects.space.shared
    for class_aware in (True, False) if shared else (False,):
        scores, counts = (of(HEADLINE_IOU, class_aware) for of in (objects.scores_at, objects.counts_at))
        numbers = [score_text(scores[name]) for name in SCORES] + [f"{counts[name]:,}" for name in COUNTS]
        yield f"at IoU {HEADLINE_IOU:.2f}{'' if class_aware else ANY_LABEL}", numbers
    dx, dy = centroids.tolerance
    yield (
        f"centroids within {dx:g} x {dy:g} px{'' if shared else ANY_LABEL}",
        [score_text(getattr(centroids, name)) for name in SCORES],
    )


def _ap_text(objects: Objects) -> str:
    return ", ".join(f"{name.upper()} {score_text(getattr(objects, name))}" for name in AP_COLUMNS)


def _panoptic_text(objects: Objects) -> str:
    pq, *parts = (f"{name.upper()} {score_text(value)}" for name, value in mean_qualities(objects.panoptic()).items())
    return f"panoptic quality: {pq} ({', '.join(parts)})"
