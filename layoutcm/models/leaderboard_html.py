"""A leaderboard as small HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from layoutcm import html_parts
from layoutcm.wording import MISSING, difference_text, score_text

MOST_MODELS = 20


def leaderboard_html(table: pd.DataFrame, figure: str, baseline: str) -> str:
    """The figure that decides the order with its interval, the other figures, and the difference from the baseline."""
    figures = [figure, *(name for name in ("micro_f1", "macro_f1", "content_f1") if name != figure)]
    headings = ["model", *(name.replace("_f1", " F1") for name in figures), "difference", "interval", "verdict"]
    headings.insert(2, "interval")
    rows = [_row(row, figures) for row in table.head(MOST_MODELS).to_dict("records")]
    title = f"Leaderboard by {figure.replace('_f1', ' F1')}; differences from {baseline}"
    rest = html_parts.note(html_parts.more(len(table) - MOST_MODELS, "prediction"))
    return html_parts.block(title, html_parts.table(headings, rows), rest)


def _row(row: Mapping[Any, Any], figures: list[str]) -> list[str]:
    values = [score_text(row[name]) for name in figures]
    low, high = (row[f"{figures[0]}_{end}"] for end in ("low", "high"))
    values.insert(1, MISSING if low != low else f"{score_text(low)} – {score_text(high)}")
    low, high = row["difference_low"], row["difference_high"]
    ends = MISSING if low != low else f"{difference_text(low)} to {difference_text(high)}"
    return [row["model"], *values, difference_text(row["difference"]), ends, row["verdict"] or ""]
