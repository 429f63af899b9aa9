"""The result of a comparison in one sentence, for readers who do not know the metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, LETTERS, PRED
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import largest_confusions
from layoutcm.wording import one_line, percent

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
    if not confusion.diagonal:
        return f"{found}; {percent(content['precision'])} of what it marks is content. Labels need a mapping."
    worst = next(iter(largest_confusions(confusion, 1)), None)
    loss = f"; largest confusion: {label_text(worst[0])} read as {label_text(worst[1])}" if worst else ""
    borders = f"; {percent(slack)} of the wrong pixels are only border slack" if worst and slack is not None else ""
    right = f"{percent(confusion.right)} of the ground truth's label pixels have the right label"
    return f"{found}; {right}{loss}{borders}."


def comparison_sentence(comparison: Comparison, confusion: Confusion) -> str:
    """The sentence on the whole set, as text without markup."""
    if not comparison.has_truth:
        return agreement_sentence(comparison, confusion)
    pred = one_line(PurePath(comparison.alignment.layouts[PRED].name).name)
    return summary_sentence(confusion, pred, slack=comparison.border_slack())


def agreement_sentence(comparison: Comparison, confusion: Confusion) -> str:
    """On how many pixels A and B agree, if neither is the truth, and about what they do not."""
    names = [one_line(PurePath(layout.name).name) for layout in comparison.alignment.layouts]
    sides = " and ".join(f"{letter} ({name})" for letter, name in zip(LETTERS, names))
    if not confusion.diagonal:
        return f"{sides} have different labels, so that there is no agreement. Labels need a mapping."
    worst = next(iter(largest_confusions(confusion, 1)), None)
    most = f"; largest disagreement: {in_both(*worst[:2])}" if worst else ""
    return f"{sides} have the same labels on {percent(comparison.agreement()['observed'])} of all pixels{most}."


def in_both(a: str, b: str, label_text: Callable[[str], str] = one_line) -> str:
    """What the two sides call the same pixels."""
    return f"{label_text(a)} in {LETTERS[GT]}, {label_text(b)} in {LETTERS[PRED]}"
