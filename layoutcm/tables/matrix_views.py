"""The four views of a confusion matrix with their titles, its largest cells, and the matrix in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from layoutcm.errors import check_choice
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import SCORES
from layoutcm.results.result import Result
from layoutcm.results.vocabulary import WITH_TRUTH, Vocabulary
from layoutcm.wording import as_heading, one_line, percent

VIEW_TITLES = WITH_TRUTH.views
VIEWS = tuple(VIEW_TITLES)
SHARE_VIEWS = VIEWS[1:]  # values from 0 to 1
# The name of a view as a table, as a figure file and as a JSON key.
TABLE_OF_VIEW = {view: "confusion" if view == "pixels" else view for view in VIEWS}
SCORE_TITLES = {score: VIEW_TITLES[score] for score in SCORES}


def view_values(confusion: Confusion, view: str) -> Floats:
    """float64[gt, pred]: the numbers of one view."""
    check_choice("view", view, VIEWS)
    return confusion.values if view == "pixels" else getattr(confusion, view)


def view_buttons(vocabulary: Vocabulary) -> dict[str, str]:
    """{view: text of its button} for the views among which a reader chooses."""
    return {view: as_heading(vocabulary.views[view]) for view in (*SHARE_VIEWS, "pixels")}


def view_title(view: str, confusion: Confusion) -> str:
    """The title of a view inside a sentence."""
    return confusion.vocabulary.views[view]


class Selection(NamedTuple):
    """The labels of a matrix that are shown, as positions of its rows and of its columns."""

    rows: list[int]
    columns: list[int]


def select(confusion: Confusion, labels: Collection[str] = (), unused: bool = False) -> Selection:
    """The labels in use, or all with `unused`; if `labels` are given, only those and Background.

    If the two sides have different labels, gt labels are rows and pred labels are columns. A side that has none of
    `labels` keeps all its labels.
    """
    rows, columns = (
        [i for i in _limit(own, confusion, labels) if unused or i in used]
        for own, used in zip(confusion.own_labels, confusion.visible)
    )
    return Selection(rows, columns)


def _limit(side: list[int], confusion: Confusion, labels: Collection[str]) -> list[int]:
    background = side[:1] if confusion.has_background else []
    kept = [i for i in side[len(background) :] if confusion.labels[i] in labels]
    return background + kept if kept else side


def cell_verb(diagonal: bool, correct: bool) -> str:
    """The word between the gt label and the pred label of a cell; with different taxonomies nothing is correct."""
    return "overlaps" if not diagonal else "found as" if correct else "read as"


def cell_name(
    vocabulary: Vocabulary, gt: str, pred: str, diagonal: bool, label_text: Callable[[str], str] = one_line
) -> str:
    """What a cell is called, such as "Text read as Title"; without a truth, "Text in A, Title in B"."""
    verb = cell_verb(diagonal, gt == pred)
    return vocabulary.cell.format(gt=label_text(gt), verb=verb, pred=label_text(pred))


def every_label(confusion: Confusion) -> Selection:
    """All labels of both sides, as rows and as columns."""
    everything = list(range(len(confusion.labels)))
    return Selection(everything, everything)


FEW_CONFUSIONS = 5  # in a notebook and in the text of a gate


def largest_title(confusion: Confusion) -> str:
    """What the largest cells are called inside a sentence."""
    titles = {"scores": "largest confusions", "agreement": "largest disagreements"}
    return titles[confusion.vocabulary.measured] if confusion.diagonal else "largest cells"


def largest_confusions(
    confusion: Confusion, most: int = 10, selection: Selection | None = None, touching: Collection[str] = ()
) -> list[tuple[str, str, float, float]]:
    """(gt label, pred label, pixels, share of the gt label) of the largest cells off the diagonal.

    `touching`: only cells with one of these labels on either side. With different taxonomies no cell counts as wrong,
    and the result has the largest cells of the block.
    """
    rows, columns = (np.array(side, int) for side in selection or select(confusion))
    values = np.where(np.equal.outer(rows, columns), 0, confusion.values[np.ix_(rows, columns)])
    if touching:
        own = np.isin(confusion.labels, list(touching))
        values = np.where(own[rows][:, None] | own[columns], values, 0)
    row, column = np.nonzero(values > 0)
    largest = np.argsort(-values[row, column], kind="stable")[:most]
    cells = [(rows[row[k]], columns[column[k]]) for k in largest.tolist()]
    return [
        (confusion.labels[i], confusion.labels[j], float(confusion.values[i, j]), float(confusion.recall[i, j]))
        for i, j in cells
    ]


WHOLE_SET = "the whole set"


def summary_sentence(
    confusion: Confusion,
    pred: str,
    scope: str = WHOLE_SET,
    slack: float | None = None,
    label_text: Callable[[str], str] = one_line,
) -> str:
    """How much of the content is found, how much of it has the right label, and what the errors are.

    `pred` and `scope` are in the text as given. `slack` is the share of wrong pixels that are only border slack.
    """
    content = confusion.content()
    found = f"{pred} finds {percent(content['recall'])} of content pixels of {scope}"
    if math.isnan(content["recall"]):
        return f"The ground truth has no content in {scope}, so nothing can be said about {pred}."
    if not confusion.diagonal:
        return f"{found}; {percent(content['precision'])} of what it marks is content. Labels need a mapping."
    worst = next(iter(largest_confusions(confusion, 1)), None)
    name = cell_name(confusion.vocabulary, *worst[:2], confusion.diagonal, label_text) if worst else ""
    loss = f"; largest confusion: {name}" if worst else ""
    borders = f"; {percent(slack)} of the wrong pixels are only border slack" if worst and slack is not None else ""
    right = f"{percent(confusion.right)} of the ground truth's label pixels have the right label"
    return f"{found}; {right}{loss}{borders}."


def result_sentence(result: Result, confusion: Confusion) -> str:
    """The sentence on the whole set, as text without markup."""
    if result.vocabulary.measured == "agreement":
        return agreement_sentence(result, confusion)
    return summary_sentence(confusion, one_line(result.inputs.pred.name), slack=result.border_slack)


def agreement_sentence(result: Result, confusion: Confusion) -> str:
    """The share of pixels on which A and B agree, if neither is the truth, and their largest disagreement."""
    names = [one_line(side.name) for side in (result.inputs.gt, result.inputs.pred)]
    sides = " and ".join(f"{letter} ({name})" for letter, name in zip(result.vocabulary.sides, names))
    if not confusion.diagonal:
        return f"{sides} have different labels, so there is no agreement. Labels need a mapping."
    worst = next(iter(largest_confusions(confusion, 1)), None)
    most = f"; largest disagreement: {cell_name(confusion.vocabulary, *worst[:2], confusion.diagonal)}" if worst else ""
    return f"{sides} have the same labels on {percent(result.measures['agreement.observed'])} of all pixels{most}."
