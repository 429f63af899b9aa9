"""The result of a comparison in one sentence, for readers who do not know the metrics."""

from __future__ import annotations

from collections.abc import Callable

from layoutcm.metrics.confusion import Confusion
from layoutcm.results.result import Result
from layoutcm.tables.matrix_views import cell_name, largest_confusions
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


def result_sentence(result: Result, confusion: Confusion) -> str:
    """The sentence on the whole set, as text without markup."""
    return SENTENCES[result.vocabulary.measured](result, confusion)


def _score_sentence(result: Result, confusion: Confusion) -> str:
    return summary_sentence(confusion, one_line(result.inputs.pred.name), slack=result.border_slack)


def agreement_sentence(result: Result, confusion: Confusion) -> str:
    """On how many pixels A and B agree, if neither is the truth, and about what they do not."""
    names = [one_line(side.name) for side in (result.inputs.gt, result.inputs.pred)]
    sides = " and ".join(f"{letter} ({name})" for letter, name in zip(result.vocabulary.sides, names))
    if not confusion.diagonal:
        return f"{sides} have different labels, so that there is no agreement. Labels need a mapping."
    worst = next(iter(largest_confusions(confusion, 1)), None)
    most = f"; largest disagreement: {cell_name(confusion.vocabulary, *worst[:2], confusion.diagonal)}" if worst else ""
    return f"{sides} have the same labels on {percent(result.measures['agreement.observed'])} of all pixels{most}."


SENTENCES = {"scores": _score_sentence, "agreement": agreement_sentence}
