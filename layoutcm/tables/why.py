"""Why pixels are wrong (`--why`): causes, forgiveness and score curves as tables, as JSON and as terminal text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import Causes
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.layouts.model import SIDES
from layoutcm.tables.cause_shares import FORGIVEN, tolerance_text
from layoutcm.tables.result_levels import matrix_json, too_many_documents
from layoutcm.tables.score_tables import calibration_table, score_curves_result, score_lines, threshold_table
from layoutcm.tables.tables import Table
from layoutcm.wording import MISSING, NAME_LENGTH, USE_A_MAPPING, one_line, percent, pixels_in_full, score_text, shorten

if TYPE_CHECKING:
    import pandas as pd

TOTAL = "total"
LOST = {"gt": "missing in pred", "pred": "too much in pred"}  # what the two sides of a table of causes are
NO_CAUSES = f"There are no causes: the two sides have different labels ({USE_A_MAPPING})."


@dataclass(frozen=True, eq=False)
class Why:
    """What is counted if a person asks why: causes of wrong pixels, F1 with forgiven borders, curves of scores."""

    comparison: Comparison

    @cached_property
    def causes(self) -> Causes:
        return self.comparison.causes()

    @cached_property
    def forgiveness(self) -> pd.DataFrame:
        return self.comparison.forgiveness()

    @property
    def is_defined(self) -> bool:
        return self.comparison.space.shared

    @cached_property
    def score_curves(self) -> ScoreCurves:
        return self.comparison.score_curves()

    @property
    def has_scores(self) -> bool:
        """Whether some region has a score, and all of them can be thresholds."""
        return bool(self.score_curves.best()["threshold"].notna().any())

    @cached_property
    def by_label(self) -> pd.DataFrame:
        """The rows of `Causes.by_label` of labels with errors, with their total."""
        table = self.causes.by_label()
        table[TOTAL] = table[list(self.causes.names)].sum(axis=1)
        return table[table[TOTAL] > 0].reset_index(drop=True)

    @cached_property
    def by_document(self) -> pd.DataFrame:
        """One row per document, the most errors first: document, pages, the causes, their total."""
        levels = self.comparison.levels
        names = {"document": levels.documents, "pages": levels.document_sizes}
        return self._by_group(names, levels.document_of_page, len(levels.documents))

    @cached_property
    def by_page(self) -> pd.DataFrame:
        """One row per page, the most errors first: page, document, the causes, their total."""
        pages = self.comparison.levels.pages
        names = {"page": list(pages.names), "document": list(pages.documents)}
        return self._by_group(names, np.arange(len(pages)), len(pages))

    def _by_group(self, names: dict[str, Any], group_of_page: np.ndarray, groups: int) -> pd.DataFrame:
        import pandas as pd

        pixels = self.comparison.sources.causes.of_all_pages().by_group(group_of_page, groups)
        table = pd.DataFrame({**names, **dict(zip(self.causes.names, pixels.T)), TOTAL: pixels.sum(axis=1)})
        return table.sort_values(TOTAL, ascending=False, kind="stable", ignore_index=True)


def why_tables(why: Why) -> list[Table]:
    """The tables of a report: causes in all, by label, by document and by page, and forgiveness."""
    tolerance = f"slack: borders within {tolerance_text(why.causes.tolerance)} of the longer side of a page"
    note, by_label = tolerance if why.is_defined else NO_CAUSES, _with_sides_in_words(why.by_label)
    forgiven = why.forgiveness.rename(columns={"content_f1": FORGIVEN["content_f1"]})
    return [
        Table("causes", "Causes of wrong pixels", _cause_totals(why), note=note),
        Table(
            "causes_by_label",
            "Causes by label and side, in pixels",
            by_label,
            pixels=True,
            note=note,
        ),
        Table("causes_by_document", "Causes by document, in pixels", why.by_document, pixels=True),
        Table("causes_by_page", "Causes by page, in pixels", why.by_page, pixels=True),
        Table("forgiveness", "F1 if borders may be off by a share of the longer page side", forgiven),
        *([threshold_table(why.score_curves), calibration_table(why.score_curves)] if why.has_scores else ()),
    ]


def _with_sides_in_words(by_label: pd.DataFrame) -> pd.DataFrame:
    return by_label.assign(side=[LOST[side] for side in by_label["side"]])


def _cause_totals(why: Why) -> pd.DataFrame:
    """One row per cause: cause, pixels, share of all wrong pixels, the largest cell."""
    import pandas as pd

    rows = [
        {"cause": cause, "pixels": pixels, "share_of_wrong": share, "mostly": mostly}
        for cause, pixels, share, mostly in cause_rows(why)
    ]
    return pd.DataFrame(rows, columns=["cause", "pixels", "share_of_wrong", "mostly"])


def cause_rows(why: Why) -> Iterator[tuple[str, float, float, str]]:
    """(cause, pixels, share of all wrong pixels, largest cell in words) of each cause, in the order of causes."""
    causes = why.causes
    wrong = sum(causes.totals.values())
    for cause, values in zip(causes.names, causes.values):
        pixels = causes.totals[cause]
        mostly = ""
        if pixels > 0:
            i, j = np.unravel_index(values.argmax(), values.shape)
            mostly = f"{causes.labels[i]} read as {causes.labels[j]}"
        yield cause, pixels, pixels / wrong if wrong else float("nan"), mostly


def why_result(why: Why) -> dict[str, Any]:
    """The parts of the JSON that are added."""
    causes, names = why.causes, list(why.causes.names)
    by_document = None if too_many_documents(why.comparison) else why.by_document[["document", *names]]
    found = {
        "tolerance": causes.tolerance,
        "totals": causes.totals,
        "by_label": why.by_label[["side", "class", *names]].to_dict("records"),
        "by_document": None if by_document is None else by_document.to_dict("records"),
        "values": {name: matrix_json(values) for name, values in zip(names, causes.values)},
    }
    return {
        "causes": found if why.is_defined else None,
        "forgiveness": why.forgiveness.to_dict("records"),
        "score_curves": score_curves_result(why.score_curves) if why.has_scores else None,
    }


def why_summary(why: Why) -> str:
    """Terminal text: the causes, what each label lost and has too much by cause, forgiveness, best thresholds."""
    if not why.is_defined:
        return NO_CAUSES
    sections = [_total_lines(why), *(_label_lines(why, side) for side in SIDES), _forgiveness_lines(why)]
    sections += [score_lines(why.score_curves)] if why.has_scores else []
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _total_lines(why: Why) -> list[str]:
    lines = [f"{'why pixels are wrong':20} {'pixels':>14}   share  mostly"]
    for cause, pixels, share, mostly in cause_rows(why):
        cell = shorten(one_line(mostly), 2 * NAME_LENGTH)
        lines.append(f"{cause:20} {pixels_in_full(pixels):>14} {percent(share):>7}  {cell}".rstrip())
    return lines


def _label_lines(why: Why, side: str) -> list[str]:
    """One line per label: its wrong pixels on one side, and the share of every cause."""
    rows = why.by_label[why.by_label["side"] == side].to_dict("records")
    if not rows:
        return []
    names = [shorten(one_line(row["class"]), NAME_LENGTH) for row in rows]
    width = max(len(LOST[side]), *map(len, names))
    lines = [f"{LOST[side]:{width}} {'pixels':>14} " + " ".join(f"{cause:>9}" for cause in why.causes.names)]
    for name, row in zip(names, rows):
        shares = (percent(row[cause] / row[TOTAL]) if row[cause] else MISSING for cause in why.causes.names)
        lines.append(f"{name:{width}} {pixels_in_full(row[TOTAL]):>14} " + " ".join(f"{text:>9}" for text in shares))
    return lines


def _forgiveness_lines(why: Why) -> list[str]:
    titles = {name: f"{title:>8}" for name, title in FORGIVEN.items()}
    lines = [f"{'if borders may be off by':30} {' '.join(titles.values())}"]
    for row in why.forgiveness.to_dict("records"):
        scores = " ".join(f"{score_text(row[name]):>{len(title)}}" for name, title in titles.items())
        lines.append(f"{tolerance_text(row['tolerance']) + ' of the longer page side':30} {scores}")
    return lines
