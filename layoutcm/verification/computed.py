"""The numbers to check, as `Comparison` gives them. No other module of this package asks it for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from layoutcm.layouts.model import GT, PRED
from layoutcm.verification import deviations as quantity
from layoutcm.verification.deviations import Numbers, average_name, cells, pair_name
from layoutcm.verification.plain_scores import AVERAGES
from layoutcm.wording import make_unique

if TYPE_CHECKING:
    from layoutcm.comparison import Comparison

CELL_SCORES = ("recall", "precision", "f1")
CLASS_PIXELS = ("gt_pixels", "pred_pixels")
CLASS_SCORES = ("precision", "recall", "f1", "iou")
PAGE_SCORES = ("precision", "recall", "f1", "micro_f1", "content_precision", "content_recall", "content_f1")
OBJECT_SCORES = ("ap", "ap50", "ap75", "ar")


def computed_numbers(comparison: Comparison, page: str | None, method: str) -> Numbers:
    """All numbers of a page, or of the whole set if it is None."""
    labels = make_unique(comparison.labels)  # if the taxonomies differ, the same name may be in the list twice
    confusion = comparison.confusion(page=page, method=method)
    masses = {"recall": confusion.recall_mass, "precision": confusion.precision_mass}
    masses = masses if method == "tensor" else {"": confusion.values}
    scores = {name: getattr(confusion, name) for name in CELL_SCORES}
    values = confusion.class_values()
    by_class = lambda names: {f"{name} of {label}": v for name in names for label, v in zip(labels, values[name])}
    averages = {
        average_name(kind, score, background): value
        for background, kind in product((False, True), AVERAGES)
        for score, value in confusion.average(kind, background).items()
    }
    return {
        quantity.PIXELS: {"": comparison.counts(page=page).total},
        quantity.PAIRS: _pairs(comparison, page),
        quantity.MATRIX: {k: v for name in masses for k, v in cells(name, labels, masses[name]).items()},
        quantity.CELL_SCORES: {k: v for name in scores for k, v in cells(name, labels, scores[name]).items()},
        quantity.CLASS_PIXELS: by_class(CLASS_PIXELS),
        quantity.CLASS_SCORES: by_class(CLASS_SCORES),
        quantity.AVERAGES: averages,
        quantity.CONTENT: comparison.content(page=page),
    }


def _pairs(comparison: Comparison, page: str | None) -> dict[str, float]:
    counts, pairs = comparison.counts(page=page), dict[str, float]()
    for gt, pred, pixels in zip(counts.sets(GT), counts.sets(PRED), counts.pixels.tolist()):
        name = pair_name(gt, pred)
        pairs[name] = pairs.get(name, 0.0) + pixels
    return pairs


def page_table_rows(comparison: Comparison, pages: Sequence[str], method: str) -> dict[str, Numbers]:
    """{page: the scores in its row of the page table}"""
    scored = replace(comparison, has_truth=True)  # else the table has the agreement
    table = scored.page_table(method).set_index("page").loc[list(pages), list(PAGE_SCORES)]
    rows = zip(table.index, table.to_numpy().tolist())
    return {page: {quantity.PAGE_TABLE: dict(zip(PAGE_SCORES, row))} for page, row in rows}


def object_numbers(comparison: Comparison, page: str | None) -> Numbers:
    """COCO's twelve numbers, and those of each class."""
    objects = comparison.objects(page=page)
    classes = {
        f"{name} of {label}": value
        for name in OBJECT_SCORES
        for label, value in zip(objects.labels, objects.per_class[name])
    }
    return {quantity.OBJECTS: objects.summary, quantity.CLASS_OBJECTS: classes}
