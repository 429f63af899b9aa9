"""Candidates of `label_errors` that a person has looked at: an identity for each, and which ones to take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.errors import check_choice

if TYPE_CHECKING:
    import pandas as pd

ACCEPTED, DISMISSED = DECISIONS = ("accepted", "dismissed")
WHICH = ("all", "accepted", "not dismissed")
BOX = ("suggested_x0", "suggested_y0", "suggested_x1", "suggested_y1")


def candidate_keys(errors: pd.DataFrame) -> list[str]:
    """A text for each row that identifies the candidate, wherever it stands in the table.

    It is JSON of the page, the kind, the region and what is suggested. The evidence is not part of it, so a candidate
    stays the same if another prediction supports it. The suggested box, in whole pixels, is part of it only if the
    candidate is about this box: a missing region, or wrong borders.
    """
    columns = ["page", "kind", "region", "gt_label", "suggested", *BOX]
    given = [_identity(*row) for row in errors[columns].astype(object).itertuples(index=False, name=None)]
    seen: Counter[str] = Counter()
    keys = []
    for identity in given:
        text = json.dumps(identity, ensure_ascii=False)
        seen[text] += 1
        # A prediction may have the same region twice.
        keys.append(text if seen[text] == 1 else json.dumps([*identity, seen[text]], ensure_ascii=False))
    return keys


def _identity(page: str, kind: str, region: Any, gt_label: Any, suggested: Any, *box: float) -> list[Any]:
    place = [int(np.rint(value)) for value in box] if kind in ("missing", "box") else None
    row = None if kind == "missing" else int(region)
    names = [name if isinstance(name, str) else None for name in (gt_label, suggested)]
    return [page, kind, row, *names, place]


def chosen_candidates(errors: pd.DataFrame, decisions: Mapping[str, str], which: str = "all") -> pd.DataFrame:
    """The rows to take: all, those that were accepted, or those that were not dismissed; in the order of the table.

    `decisions` is {key of a candidate: "accepted" or "dismissed"}.
    """
    check_choice("which", which, WHICH)
    if which == "all":
        return errors
    made = [decisions.get(key) for key in candidate_keys(errors)]
    return errors[[one == ACCEPTED if which == "accepted" else one != DISMISSED for one in made]]
