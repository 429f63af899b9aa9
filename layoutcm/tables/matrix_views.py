"""The four views of a confusion matrix: pixels, recall, precision, F1."""

from __future__ import annotations

from layoutcm.errors import check_choice
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion

VIEWS = ("pixels", "recall", "precision", "f1")


def view_values(confusion: Confusion, view: str) -> Floats:
    """float64[gt, pred]: the numbers of one view."""
    check_choice("view", view, VIEWS)
    return confusion.values if view == "pixels" else getattr(confusion, view)
