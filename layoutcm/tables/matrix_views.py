"""The four views of a confusion matrix: pixels, recall, precision, F1."""

from __future__ import annotations

from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion

VIEWS = ("pixels", "recall", "precision", "f1")


def view_values(confusion: Confusion, view: str) -> Floats:
    """float64[gt, pred]: the numbers of one view."""
    if view not in VIEWS:
        raise ValueError(f"{view!r} is not a view; use one of {', '.join(VIEWS)}")
    return confusion.values if view == "pixels" else getattr(confusion, view)
