"""The words for the two sides of a comparison: ground truth and prediction, or A and B.

Neither A nor B is the truth. Code that shows
a result takes its words, and the list of its parts, from the vocabulary of the comparison.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from layoutcm.errors import InputError
from layoutcm.layouts.model import LETTERS, SIDES


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """What the two sides, their scores and their differences are called, and which parts a result has."""

    sides: tuple[str, str]  # in headings of tables and matrices; that of the rows first, as everywhere
    titles: tuple[str, str]  # on axes, on buttons and in legends
    named: tuple[str, str]  # inside a sentence
    files: str  # both files in a title, {gt} and {pred}
    only_in: tuple[str, str]  # what only the first side has, and what only the second side has
    kinds: tuple[str, ...]  # the kinds of pixels by their number in `PageTiles.agreement`
    wrong: str  # pixels that have other labels on the other side
    cell: str  # the name of a cell of the matrix: label {gt}, {verb} and label {pred}
    shares: tuple[str, str]  # what a cell is a share of, by row and by column: {label}
    scores: dict[str, str]  # {score: its name}
    views: dict[str, str]  # {view of the matrix: its title inside a sentence}
    columns: dict[str, str]  # {column of a table: its name} for columns that are not named after gt and pred
    verdicts: dict[str, str]  # {verdict on a difference: its name}
    worst_first: str  # the order of pages and documents
    measured: str  # "scores" against a truth or "agreement": the key of the functions that show either
    parts: tuple[str, ...]  # further parts: "causes" of errors, "outcomes" (TP, FP, FN), "models" in order of quality


WITH_TRUTH = Vocabulary(
    sides=SIDES,
    titles=("Ground truth", "Prediction"),
    named=("the ground truth", "the prediction"),
    files="{gt} → {pred}",
    only_in=("missed", "invented"),
    kinds=("nothing on either side", "same labels", "missed", "invented", "other labels", "not judged"),
    wrong="wrong",
    cell="{gt} {verb} {pred}",
    shares=("{label}", "{label} in the prediction"),
    scores={"precision": "precision", "recall": "recall", "f1": "F1"},
    views={"pixels": "pixels", "recall": "recall", "precision": "precision", "f1": "F1"},
    columns={},
    verdicts={"better": "better", "worse": "worse"},
    worst_first="worst first",
    measured="scores",
    parts=("causes", "outcomes", "models"),
)
WITHOUT_TRUTH = Vocabulary(
    sides=LETTERS,
    titles=LETTERS,
    named=LETTERS,
    files="{gt} / {pred}",
    only_in=("only in A", "only in B"),
    kinds=("nothing on either side", "same labels", "only in A", "only in B", "other labels", "not judged"),
    wrong="different",
    cell="{gt} in A, {pred} in B",
    shares=("{label} in A", "{label} in B"),
    scores={"precision": "share of B", "recall": "share of A", "f1": "of both (F1)"},
    views={"pixels": "pixels", "recall": "share of A", "precision": "share of B", "f1": "both of A and B (F1)"},
    columns={
        "gt": "A",
        "pred": "B",
        "gt_pixels": "pixels in A",
        "precision": "share of B",
        "recall": "share of A",
        "f1": "of both (F1)",
    },
    verdicts={"better": "more agreement", "worse": "less agreement"},
    worst_first="lowest agreement first",
    measured="agreement",
    parts=(),
)
BY_SIDES: dict[tuple[str, ...], Vocabulary] = {one.sides: one for one in (WITH_TRUTH, WITHOUT_TRUTH)}


def check_asked(vocabulary: Vocabulary, asked: Iterable[str], place: str = "truth=False", option: str = "") -> None:
    """Raise an InputError if something is asked that needs a ground truth, and there is none."""
    name = next(iter(asked), None)
    if name is not None and vocabulary.measured == "agreement":
        problem, hint = f"{option}{name} needs a ground truth", f"Compare with one, or leave out {option}{name}."
        raise InputError("", place, problem, hint)


def vocabulary_of(has_truth: bool) -> Vocabulary:
    """The vocabulary of a comparison with a ground truth, or of one without."""
    return WITH_TRUTH if has_truth else WITHOUT_TRUTH
