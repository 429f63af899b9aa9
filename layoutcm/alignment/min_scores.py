"""The minimum score of pred regions: one number, or {label: number}, with names of labels after mapping.

The key None is for all labels that are not named. Without it, their regions are kept whatever their score is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, check_choice, is_number, short_repr
from layoutcm.layouts.model import Layout, Regions
from layoutcm.wording import plain_number

MinScore = float | Mapping[str | None, float] | None
NAMES_SHOWN = 4


def checked_min_score(min_score: MinScore) -> MinScore:
    """The minimum score, as one number or None if no label is named; anything else raises InputError."""
    if isinstance(min_score, Mapping):
        given = dict(min_score)
        for label, score in given.items():
            if not (label is None or isinstance(label, str)):
                raise InputError("", "min_score", f"{short_repr(label)} is not the name of a label", _HINT)
            _check_number(score, "min_score" if label is None else f"min_score of {short_repr(label)}")
        return given if any(label is not None for label in given) else given.get(None)
    if min_score is not None:
        _check_number(min_score, "min_score")
    return min_score


_HINT = "Use a number such as 0.5, or {label: number}."


def _check_number(score: object, place: str) -> None:
    if not (is_number(score) and math.isfinite(score)):
        raise InputError("", place, f"{short_repr(score)} is not a finite number", "Use one such as 0.5.")


def check_named_labels(min_score: MinScore, labels: Sequence[str]) -> None:
    """Refuse a minimum score of a label that neither side has."""
    for label in min_score if isinstance(min_score, Mapping) else ():
        if label is not None:
            check_choice("min_score", label, labels)


def without_low_scores(layout: Layout, min_score: MinScore) -> Layout:
    """The layout without regions whose score is below the minimum; a region without a score stays."""
    regions = layout.region_columns
    return replace(layout, region_columns=regions.take(~are_below(min_score, layout.labels, regions)))


def are_below(min_score: MinScore, labels: Sequence[str], regions: Regions) -> NDArray[np.bool_]:
    """bool[regions]: whether the score of a region is below the minimum; False without a score.

    `labels` are the names that the regions refer to.
    """
    if min_score is None:
        return np.zeros(len(regions), bool)
    if not isinstance(min_score, Mapping):
        return regions.scores < min_score
    others = min_score.get(None, -math.inf)
    lowest = np.array([min_score.get(label, others) for label in labels], float)
    return regions.scores < (lowest[regions.label] if len(labels) else 0.0)


def min_score_text(min_score: float | Mapping[str | None, float]) -> str:
    """For people: "0.5", or "0.4 for Table, 0.3 for Text, 0.2 for other labels"."""
    if not isinstance(min_score, Mapping):
        return plain_number(min_score)
    named = [f"{plain_number(score)} for {label}" for label, score in min_score.items() if label is not None]
    shown = named[:NAMES_SHOWN] + ["…"] * (len(named) > NAMES_SHOWN)
    return ", ".join([*shown, *(f"{plain_number(min_score[None])} for other labels" for _ in range(None in min_score))])


def min_score_setting(min_score: MinScore) -> str | None:
    """For the recipe, as on the command line: "0.5", or "0.2+Table=0.4+Text=0.3"; None if there is none."""
    if not isinstance(min_score, Mapping):
        return None if min_score is None else str(min_score)
    ordered = sorted(min_score.items(), key=lambda item: item[0] is not None)
    return "+".join(str(score) if label is None else f"{label}={score}" for label, score in ordered)
