"""Finished comparisons of parts as what the dashboard shows: folders on the server that `compare-parts` has written.

Nothing is read whole: the comparison reads what a page needs. Everything that changes numbers was decided when the
parts were counted, so that no choice of the visitor may change it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.errors import Hint, InputError
from layoutcm.layouts.model import GT, PRED
from layoutcm.scale.places import name_of
from layoutcm.scale.plan import Plan, read_plan
from layoutcm.scale.stored_comparison import is_result, open_comparison
from layoutcm.ui.visitor_files import InputFile, digest_of
from layoutcm.ui.visitors import kept

# {option of `compare`: (its default, which stands for "as it was counted", what it is called)}
DECIDED: dict[str, tuple[Any, str]] = {
    "rounding": ("outer", "the rounding"),
    "min_score": (None, "the score threshold"),
    "missing_pages": ("penalise", "how missing pages count"),
    "taxonomy": ("auto", "the taxonomy"),
    "mapping": (None, "the label mapping"),
}
NOT_READ = "The files of this result are read page by page, never as a whole"


def is_result_path(path: str) -> bool:
    try:
        return is_result(path)
    except InputError:  # an address that cannot be reached
        return False


def open_results(folders: Sequence[str]) -> tuple[InputFile, tuple[InputFile, ...], bool]:
    """The ground truth and the predictions of these results, and whether there is a truth; they must fit together."""
    plans = [read_plan(folder) for folder in folders]
    first, *others = plans
    for plan in others:
        if plan.facts.sides[GT].digest != first.facts.sides[GT].digest:
            problem = f"it has another ground truth than {name_of(first.folder)}"
            raise InputError(name_of(plan.folder), "", problem, "Open results of one ground truth together.")
        if plan.facts.truth != first.facts.truth:
            problem = f"one of it and {name_of(first.folder)} has a truth, the other has none"
            raise InputError(name_of(plan.folder), "", problem, "Open one of them.")
    gt = first.facts.sides[GT]
    return InputFile(gt.name, gt.digest, result=True), tuple(map(_input_of, plans)), first.facts.truth


def _input_of(plan: Plan) -> InputFile:
    digest = digest_of([plan.digest, plan.folder])
    return InputFile(plan.facts.sides[PRED].name, digest, path=plan.folder, result=True)


def stored_comparison(given: InputFile, repairs: Sequence[str], options: dict[str, Any]) -> Comparison:
    """The comparison of a result; an InputError if a choice of the visitor would change its numbers."""
    compared = _opened(given.digest, given.path)
    changed = [words for name, (usual, words) in DECIDED.items() if options[name] != usual]
    changed += ["which side is the truth"] if options["truth"] != compared.has_truth else []
    changed += ["repairs"] if repairs else []
    if changed:
        problem = f"in a result of parts, {' and '.join(changed)} cannot be changed"
        hint = "Remove the choice in the bar on top, or compare the parts again with it."
        raise InputError(given.name, "", problem, Hint(hint, hint))
    return compared


@kept("Opening the result …")
def _opened(digest: str, folder: str) -> Comparison:
    return open_comparison(folder)


def not_read(given: InputFile) -> InputError:
    return InputError(given.name, "", NOT_READ, "")
