"""Slices as terminal text and as a table of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import to_builtins

from layoutcm.lazy import pd
from layoutcm.results.measures import figure_title
from layoutcm.results.result import frame_of
from layoutcm.results.types import SliceRow, Slices
from layoutcm.results.verdict import BETTER, WORSE, verdict_text, verdict_words
from layoutcm.tables.interval_texts import ends_text, interval_of_row
from layoutcm.tables.tables import Table
from layoutcm.wording import MISSING, aligned_lines, difference_text, one_line, percent, score_text, short_name

COLUMNS = SliceRow.__struct_fields__
NONE_DIFFERS = "no slice is shown to be better or worse than the rest"
TITLES = ("pages", "documents", "F1", "interval", "difference", "interval", "p", "error", "explained", "verdict")


class SliceTable(NamedTuple):
    """Slices as a table with its titles, for terminal, reports and figures."""

    attribute: str | None
    data: pd.DataFrame
    figure: str  # the one that is tested
    tests: str
    recipe: str
    whole: float  # the figure of all pages
    unit: str = "document"  # of the tests; "page" if there is one document

    @property
    def figure_title(self) -> str:
        return figure_title(self.figure)

    @property
    def low_end(self) -> float:
        """Where the axis of a figure begins: a multiple of 0.1 at or below all values and interval ends."""
        found = [*self.data[["low", self.figure]].to_numpy(float).ravel().tolist(), self.whole]
        known = [value for value in found if not math.isnan(value)]
        return min(max(math.floor(10 * min(known, default=0.0) + 1e-9) / 10, 0.0), 0.9)

    @property
    def names(self) -> list[str]:
        """The value of each slice, after its attribute if there are several."""
        values = self.data["value"].tolist()
        if self.attribute is not None:
            return values
        return [f"{attribute}: {value}" for attribute, value in zip(self.data["attribute"], values)]

    @property
    def title(self) -> str:
        return "Slices that explain most of the error" if self.attribute is None else f"Slices by {self.attribute}"


def slice_table(slices: Slices) -> SliceTable:
    data = frame_of(to_builtins(slices.rows)).reindex(columns=[*COLUMNS])
    data = data if slices.attribute is None else data.drop(columns="attribute")
    whole = math.nan if slices.whole is None else slices.whole
    data = data.astype({"remark": object}).fillna({"remark": ""})  # older results have none
    return SliceTable(slices.attribute, data, slices.figure, slices.tests, slices.recipe, whole, slices.units[:-1])


def slice_summary(slices: SliceTable) -> str:
    """The slices as terminal text: F1 and the difference from the rest with intervals, part of the error, verdict."""
    if not len(slices.data):
        return "no slice of pages is worse than the rest"
    names = [short_name(name) for name in slices.names]
    heading = one_line(slices.title[0].lower() + slices.title[1:])
    rows = [(heading, *TITLES), *(_line(*one, slices) for one in zip(names, slices.data.to_dict("records")))]
    lines = aligned_lines(rows, "<" + ">" * (len(TITLES) - 1) + "<")
    differs = slices.data["verdict"].isin([BETTER, WORSE]).any()
    return "\n".join([*lines, *([] if differs else [NONE_DIFFERS]), *slices.tests.split("; ")])


def _line(name: str, row: Mapping[Any, Any], slices: SliceTable) -> tuple[str, ...]:
    return (
        name,
        f"{row['pages']:,}",
        f"{row['documents']:,}",
        score_text(row[slices.figure]),
        interval_of_row(row),
        difference_text(row["difference"]),
        ends_text(row, "difference", difference_text, " to "),
        score_text(row["p"]),
        percent(row["error_share"]),
        percent(row["explained"]) if row["explained"] > 0 else MISSING,
        verdict_text(row["verdict"], row["remark"], slices.unit),
    )


def slice_report_table(slices: SliceTable) -> Table:
    data = slices.data.drop(columns=["value", "attribute", "rest"], errors="ignore")
    data.insert(0, "slice", slices.names)
    for k, end in enumerate(("low", "high"), start=1):  # beside the figure whose interval they are of
        data.insert(list(data).index(slices.figure) + k, f"{slices.figure}_{end}", data.pop(end))
    data["verdict"] = [verdict_words(verdict or None, slices.unit) for verdict in data["verdict"].fillna("")]
    return Table("slices", slices.title, data, note=slices.tests, recipe=slices.recipe)
