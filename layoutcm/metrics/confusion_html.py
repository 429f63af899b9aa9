"""A confusion matrix as small HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from layoutcm import html_parts
from layoutcm.layouts.model import Floats
from layoutcm.wording import MISSING, percent_brief, pixels_in_full, score_text

MOST_COLUMNS = 16
MOST_CLASSES = 12
CLASS_HEADINGS = ("label", "gt pixels", "pred pixels", "precision", "recall", "F1")


def matrix_html(labels: Sequence[str], recall: Floats, shown: tuple[list[int], list[int]], diagonal: bool) -> str:
    """Recall in percent, float64[gt, pred], of the labels in use; blank is zero."""
    rows, columns = shown
    cells = [[labels[i], *(_share_text(recall[i, j]) for j in columns)] for i in rows]
    shade = lambda r, c: html_parts.colour(recall[rows[r], columns[c - 1]], diagonal and rows[r] == columns[c - 1])
    return html_parts.table(["gt \\ pred, %", *(labels[j] for j in columns)], cells, shade=shade)


def class_html(labels: Sequence[str], values: dict[str, Floats]) -> str:
    """The labels with most pixels: pixels and scores."""
    order = np.argsort(-(values["gt_pixels"] + values["pred_pixels"]), kind="stable")[:MOST_CLASSES].tolist()
    names = ("precision", "recall", "f1")
    rows = [
        [
            labels[i],
            *(pixels_in_full(values[name][i]) for name in ("gt_pixels", "pred_pixels")),
            *(score_text(values[name][i]) for name in names),
        ]
        for i in order
    ]
    return html_parts.table(CLASS_HEADINGS, rows) + html_parts.note(html_parts.more(len(labels) - len(rows), "label"))


def _share_text(share: float) -> str:
    if np.isnan(share):
        return MISSING
    return percent_brief(share) if share else ""
