"""Score curves of a comparison of parts, from the pixels by score that every part has written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.held_out import groups_of_documents
from layoutcm.diagnosis.score_areas import ScoreAreas
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.errors import Hint, NotCounted
from layoutcm.layouts.model import GT
from layoutcm.scale.part_counts import SCORES_FOLDER
from layoutcm.scale.places import exists, join, read_parquet
from layoutcm.scale.plan import Plan
from layoutcm.scale.stored_levels import StoredLevels


def read_score_curves(plan: Plan, levels: StoredLevels) -> ScoreCurves:
    """The curves of all pages. Rows of equal label, score and group of documents are summed part by part."""
    if not plan.facts.why:
        hint = Hint("Compare with why=True (--why).", "Compare the parts with --why.")
        raise NotCounted("", "", "score curves were not counted", hint)
    document_of_page = levels.document_of_page
    group_of_page, parts = groups_of_documents(document_of_page), []
    for part, facts in enumerate(plan.facts.parts):
        place = join(plan.folder, SCORES_FOLDER, f"{facts.name}.parquet")
        if exists(place):
            first, stop = levels.stored.starts[part : part + 2].tolist()
            parts.append(_summed(_chosen(_read(place), levels.stored.rows_of(part)), group_of_page[first:stop]))
    labels, counts = levels.space.labels[1:], levels.counts
    alignment = plan.labels
    not_in_gt = [
        float(counts.pixels[~counts.has(GT, alignment.side_label(GT, label))].sum()) for label in labels
    ]  # fmt: skip
    rows = None
    if len(parts) == len(plan.facts.parts):  # else a score is outside 0..1, or there are none
        groups = np.arange(int(group_of_page.max(initial=0)) + 1)
        rows = _summed(ScoreAreas(*(np.concatenate(columns) for columns in zip(*parts))), groups)
        rows = rows.take(np.argsort(rows.label, kind="stable"))
    # A page of the rows is a group of documents.
    return ScoreCurves(labels, rows, np.array(not_in_gt, float), _group_numbers(group_of_page), len(levels.documents))


def _group_numbers(group_of_page: np.ndarray) -> np.ndarray:
    """int64[groups]: each group as a document of its own, which is held out as that group."""
    return np.arange(int(group_of_page.max(initial=-1)) + 1)


def _read(place: str) -> ScoreAreas:
    table = read_parquet(place)
    return ScoreAreas(*(table[name].to_numpy() for name in ScoreAreas._fields))


def _chosen(rows: ScoreAreas, chosen: NDArray[np.bool_] | None) -> ScoreAreas:
    """The rows of the chosen pages, bool[pages of the part], numbered anew."""
    if chosen is None:
        return rows
    kept = rows.take(np.flatnonzero(chosen[rows.page]))
    return kept._replace(page=(np.cumsum(chosen) - 1)[kept.page])


def _summed(rows: ScoreAreas, group_of_page: np.ndarray) -> ScoreAreas:
    """One row for each group, label and score."""
    group = group_of_page[rows.page]
    order = np.lexsort((rows.score, rows.label, group))
    columns = [column[order] for column in (group, rows.label, rows.score)]
    new = np.any([column[1:] != column[:-1] for column in columns], axis=0) if len(order) else np.zeros(0, bool)
    starts = np.flatnonzero(np.append(True, new))[: len(order)]
    found: list[Any] = [column[starts] for column in columns]
    sums = [
        np.add.reduceat(column[order], starts) if len(starts) else column for column in (rows.in_gt, rows.not_in_gt)
    ]
    return ScoreAreas(found[0].astype(np.int32), found[1], found[2], *sums)
