"""The four views of a confusion matrix, with their titles and the names of their tables: one list for every output."""

from __future__ import annotations

from layoutcm.errors import check_choice
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import SCORES

VIEW_TITLES = {"pixels": "pixels", "recall": "recall", "precision": "precision", "f1": "F1"}
VIEWS = tuple(VIEW_TITLES)
SHARE_VIEWS = VIEWS[1:]  # values from 0 to 1
# The name of a view as a table, as a figure file and as a JSON key.
TABLE_OF_VIEW = {view: "confusion" if view == "pixels" else view for view in VIEWS}
SCORE_TITLES = {score: VIEW_TITLES[score] for score in SCORES}


def view_values(confusion: Confusion, view: str) -> Floats:
    """float64[gt, pred]: the numbers of one view."""
    check_choice("view", view, VIEWS)
    return confusion.values if view == "pixels" else getattr(confusion, view)


def heading_of_view(view: str) -> str:
    """The title as it starts a line: "Recall", "F1"."""
    title = VIEW_TITLES[view]
    return title[:1].upper() + title[1:]
