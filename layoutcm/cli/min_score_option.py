"""The option --min-score: a number, a number for a label, or several: `--min-score 0.2 Table=0.4 Text=0.3`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from layoutcm.errors import InputError, short_repr

OPTION = "--min-score"
LabelScore = tuple[str | None, float]  # None: all labels that are not named


def separate_min_scores(arguments: Sequence[str]) -> list[str]:
    """The arguments with the option before each of its values.

    A file may follow the values, so argparse cannot know how many there are. An existing file is no value.
    """
    separated: list[str] = []
    after_value = False
    for k, text in enumerate(arguments):
        if after_value and not os.path.exists(text) and _is_value(text):
            separated.append(OPTION)
        else:
            after_value = text.startswith(f"{OPTION}=") or (k > 0 and arguments[k - 1] == OPTION)
        separated.append(text)
    return separated


def _is_value(text: str) -> bool:
    try:
        label_score(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def label_score(text: str) -> LabelScore:
    """One value of the option: a number, or LABEL=NUMBER."""
    label, separator, number = text.rpartition("=")
    try:
        score = float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor LABEL=NUMBER") from None
    return (label if separator else None), score


def resolve_min_score(options: argparse.Namespace) -> None:
    """Replace the values of the option by a minimum score as `compare` takes it."""
    if values := getattr(options, "min_score", None):
        given = dict(values)
        if len(given) < len(values):
            repeated = next(label for k, (label, _) in enumerate(values) if label in dict(values[:k]))
            what = "all labels" if repeated is None else f"the label {short_repr(repeated)}"
            raise InputError("", OPTION, f"there are two minimum scores for {what}", "Give one of them.")
        options.min_score = given
