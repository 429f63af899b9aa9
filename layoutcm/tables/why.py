"""Why pixels are wrong (`--why`): causes, forgiveness and score curves as tables, terminal text and data of figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import to_builtins

from layoutcm.diagnosis.cause_kernel import CAUSES as CAUSE_KINDS
from layoutcm.diagnosis.causes import Causes
from layoutcm.filling.reading import dense
from layoutcm.layouts.model import SIDES, Floats
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import ratio
from layoutcm.results.result import Result, frame_of
from layoutcm.results.view_types import CausePixels, CauseScores
from layoutcm.tables.matrix_views import Selection, cell_name, select
from layoutcm.tables.score_tables import GAIN_COLUMNS, THRESHOLDS, calibration_table, score_lines, threshold_table
from layoutcm.tables.tables import Table
from layoutcm.wording import (
    MISSING,
    NAME_LENGTH,
    USE_A_MAPPING,
    percent,
    pixels_in_full,
    plain_percent,
    score_text,
    short_name,
)

# The columns of forgiveness that are drawn, with their titles.
FORGIVEN = {"micro_f1": "micro F1", "macro_f1": "macro F1", "content_f1": "content F1 of the 2x2 matrix"}


class CauseShares(NamedTuple):
    """What is missing and too much in pred, as shares of the pixels of labels: float64[labels, causes] each."""

    labels: list[str]
    gt: Floats  # of the pixels of the label in gt: 1 - recall
    pred: Floats  # of those in pred: 1 - precision

    @property
    def occurring(self) -> list[int]:
        """The places of the causes that some label has."""
        return np.flatnonzero(np.nansum(np.concatenate([self.gt, self.pred]), axis=0) > 0).tolist()


def cause_shares(causes: Causes, confusion: Confusion, selection: Selection | None = None) -> CauseShares:
    """The shares of the labels in use without Background, the largest in gt first; `confusion` has method matrix."""
    positions = [i for i in (selection or select(confusion)).rows if i > 0]
    positions.sort(key=lambda i: -confusion.values[i].sum())
    lost, extra = (ratio(causes.values.sum(axis=2 - k).T, confusion.values.sum(axis=1 - k)[:, None]) for k in (0, 1))
    return CauseShares([confusion.labels[i] for i in positions], lost[positions], extra[positions])


CAUSE_COLUMNS = ("cause", "pixels", "share_of_wrong", "mostly")
TOTAL, CAUSES = "total", "Causes of wrong pixels"
LOST = {"gt": "missing in pred", "pred": "too much in pred"}  # what the two sides of a table of causes are
NO_CAUSES = f"There are no causes: the two sides have different labels ({USE_A_MAPPING})."


def causes_of(result: Result) -> Causes:
    """The matrices of causes as arrays."""
    found = result.causes
    assert found
    values = np.stack([dense(matrix) for matrix in found.values.values()])
    return Causes(tuple(found.values), tuple(result.labels), values, found.tolerance)


def why_tables(result: Result) -> list[Table]:
    """The tables of a report: causes in all, by label, by document and by page, forgiveness, thresholds."""
    if result.forgiveness is None:
        return []
    causes, curves = result.causes, result.score_curves
    forgiven = frame_of(to_builtins(result.forgiveness)).rename(columns={"content_f1": FORGIVEN["content_f1"]})
    no_causes = Table("causes", CAUSES, frame_of([], CAUSE_COLUMNS), note=NO_CAUSES)
    tables = _cause_tables(causes, result) if causes else [no_causes]
    tables.append(Table("forgiveness", "F1 if borders may be off by a share of the longer page side", forgiven))
    if curves:
        return [*tables, threshold_table(curves), calibration_table(curves)]
    reason = " ".join(_no_curves(result))
    return [*tables, Table("thresholds", THRESHOLDS, frame_of([], GAIN_COLUMNS), note=reason)] if reason else tables


def _no_curves(result: Result) -> list[str]:
    """The reason in words; older results have none."""
    reason = result.why_no_score_curves
    return [f"There are no score thresholds, no ROC AUC and no calibration. {reason}"] if reason else []


def _cause_tables(causes: CauseScores, result: Result) -> list[Table]:
    note = f"slack: borders within {plain_percent(causes.tolerance)} of the longer side of a page"
    by_label = _with_totals(causes.by_label)
    by_label = by_label.assign(side=[LOST[side] for side in by_label["side"]]) if len(by_label) else by_label
    rows = [dict(zip(CAUSE_COLUMNS, row)) for row in cause_rows(result)]
    title = "Causes by label and side, in pixels"
    return [
        Table("causes", CAUSES, frame_of(rows), note=note),
        Table("causes_by_label", title, by_label, pixels=True, note=note),
        *(
            Table(f"causes_by_{level}", f"Causes by {level}, in pixels", _with_totals(found), pixels=True)
            for level, found in (("document", causes.by_document), ("page", causes.by_page))
            if found
        ),
    ]


def _with_totals(rows: Sequence[CausePixels]) -> pd.DataFrame:
    """The rows as a table, with the sum of the causes."""
    data = frame_of(to_builtins(rows), ("side", "class", *CAUSE_KINDS))
    data[TOTAL] = data[[name for name in CAUSE_KINDS if name in data]].sum(axis=1)
    return data


def cause_rows(result: Result) -> Iterator[tuple[str, float, float, str]]:
    """(cause, pixels, share of all wrong pixels, largest cell in words) of each cause, in the order of causes."""
    causes = causes_of(result)
    wrong = sum(causes.totals.values())
    for cause, values in zip(causes.names, causes.values):
        pixels = causes.totals[cause]
        mostly = ""
        if pixels > 0:
            i, j = np.unravel_index(values.argmax(), values.shape)
            mostly = cell_name(result.vocabulary, causes.labels[i], causes.labels[j], diagonal=True, label_text=str)
        yield cause, pixels, float(ratio(pixels, wrong)), mostly


def why_summary(result: Result) -> str:
    """Terminal text: the causes, what each label lacks and has too much of by cause, forgiveness, best thresholds."""
    if not result.causes:
        return NO_CAUSES
    by_label = _with_totals(result.causes.by_label).to_dict("records")
    sections = [
        _total_lines(result),
        *(_label_lines([row for row in by_label if row["side"] == side], side) for side in SIDES),
        _forgiveness_lines(result),
        score_lines(result.score_curves) if result.score_curves else _no_curves(result),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _total_lines(result: Result) -> list[str]:
    lines = [f"{'why pixels are wrong':20} {'pixels':>14}   share  mostly"]
    for cause, pixels, share, mostly in cause_rows(result):
        cell = short_name(mostly, 2 * NAME_LENGTH)
        lines.append(f"{cause:20} {pixels_in_full(pixels):>14} {percent(share):>7}  {cell}".rstrip())
    return lines


def _label_lines(rows: Sequence[Any], side: str) -> list[str]:
    """One line per label: its wrong pixels on one side, and the share of every cause."""
    if not rows:
        return []
    names = [short_name(row["class"]) for row in rows]
    width = max(len(LOST[side]), *map(len, names))
    lines = [f"{LOST[side]:{width}} {'pixels':>14} " + " ".join(f"{cause:>9}" for cause in CAUSE_KINDS)]
    for name, row in zip(names, rows):
        shares = (percent(row[cause] / row[TOTAL]) if row[cause] else MISSING for cause in CAUSE_KINDS)
        lines.append(f"{name:{width}} {pixels_in_full(row[TOTAL]):>14} " + " ".join(f"{text:>9}" for text in shares))
    return lines


def _forgiveness_lines(result: Result) -> list[str]:
    titles = {name: f"{title:>8}" for name, title in FORGIVEN.items()}
    lines = [f"{'if borders may be off by':30} {' '.join(titles.values())}"]
    for row in frame_of(to_builtins(result.forgiveness)).to_dict("records"):
        scores = " ".join(f"{score_text(row[name]):>{len(title)}}" for name, title in titles.items())
        lines.append(f"{plain_percent(row['tolerance']) + ' of the longer page side':30} {scores}")
    return lines
