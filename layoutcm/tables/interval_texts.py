"""Intervals and verdicts in words: for the terminal, the dashboard and the notes of tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from layoutcm.metrics.bootstrap import FEW_UNITS, FEWEST_UNITS, Resampling
from layoutcm.metrics.intervals import TOO_FEW, UNIT_FIGURES, Intervals
from layoutcm.tables.averages import F1_TITLES
from layoutcm.wording import MISSING, agree, difference_text, percent, plural, score_text, thin_spaced

# Each note says over which tests a p is corrected: a verdict of a class depends on it.
NOT_CORRECTED = "p: paired randomisation test, each figure and prediction by itself"
CORRECTED_FOR_ALL = "p is corrected for all classes and all predictions of this table (Holm)"
CORRECTED_FOR_CLASSES = "The verdict is that of a paired test, corrected for all classes (Holm)"
TEST_TEXT = "p: paired randomisation test; p of classes is corrected for the classes of this prediction alone (Holm)"


def interval_text(intervals: Intervals, figure: str) -> str:
    """'0.812 – 0.843'"""
    _, low, high, *_ = intervals.figures[figure].tolist()
    return MISSING if math.isnan(low) else f"{score_text(low)} – {score_text(high)}"


def units_text(intervals: Intervals) -> str:
    """'12 documents', or '12 pages of one document'."""
    used = intervals.resampling
    count = plural(used.unit_count, used.unit)
    return f"{count} of one document" if used.unit == "page" else count


def resampling_text(intervals: Intervals) -> str:
    """What the intervals are made from, with a warning if there are few units, or why there are none."""
    used, units = intervals.resampling, units_text(intervals)
    if used.kind == "none":
        verb = agree(used.unit_count, "is", "are")
        return f"no intervals: {units} {verb} too few, at least {FEWEST_UNITS} are needed"
    source = "by the jackknife" if used.kind == "jackknife" else f"{plural(used.n, 'resample')}, seed {used.seed}"
    text = f"{100 * used.level:g} % intervals over {units}, {source}"
    return f"{text}; with fewer than {FEW_UNITS} {used.units} they are rough" if used.few else text


def cell_difference_text(used: Resampling, own: str, other: str, has_truth: bool = True) -> str:
    """What a matrix of differences shows, and which of them are grey."""
    words = CellWords(is_share=True, has_truth=has_truth, has_intervals=True)
    better, worse = words.better, words.worse
    said = f"{own} minus {other}. More on the diagonal is {better}, more off it is {worse}."
    units = plural(used.unit_count, used.unit)
    if used.kind == "none":
        return f"{said} With {units} nothing can be called {better} or {worse}: {FEWEST_UNITS} are needed."
    grey = f"Grey: the 95 % interval of the difference over {units} includes 0, or too few have this label."
    many = "With many cells, some exclude 0 by chance: the intervals are not corrected for the number of cells."
    return f"{said} {grey} {many}"


def cell_pair_text(values: tuple[float, float], ends: tuple[float, float], is_right: bool, words: CellWords) -> str:
    """One cell of two sides: 'A 4.38 %, B 6.40 %; B minus A: +2.02 points (+0.90 to +3.10), worse'."""
    first, second = map(words.write, values)
    change, low, high = (words.write_change(one) for one in (values[1] - values[0], *ends))
    text = f"A {first}, B {second}; B minus A: {change}"
    if any(map(math.isnan, (*values, *ends))):
        return f"{text}{words.unit}, no interval" if words.has_intervals else f"{text}{words.unit}"
    if ends[0] <= 0 <= ends[1]:
        verdict = "within noise"
    else:
        verdict = words.better if (values[1] > values[0]) == is_right else words.worse
    return f"{text}{words.unit} ({low} to {high}), {verdict}"


@dataclass(frozen=True)
class CellWords:
    """How the numbers of a cell are written: shares in % and points, or pixels; and what its verdicts are called."""

    is_share: bool
    has_truth: bool
    has_intervals: bool

    @property
    def unit(self) -> str:
        return " points" if self.is_share else " px"

    @property
    def better(self) -> str:
        return "better" if self.has_truth else "more agreement"

    @property
    def worse(self) -> str:
        return "worse" if self.has_truth else "less agreement"

    def write(self, value: float) -> str:
        return percent(value) if self.is_share else f"{thin_spaced(round(value))} px"

    def write_change(self, value: float) -> str:
        if self.is_share or math.isnan(value):
            return difference_text(100 * value, 2)
        return f"{'+' if value > 0 else '-' if value < 0 else ''}{thin_spaced(abs(round(value)))}"


def unit_lines(intervals: Intervals) -> list[str]:
    """The F1 of each unit, or the differences, if there are too few units for an interval."""
    if intervals.resampling.kind != "none":
        return []
    write = difference_text if intervals.is_difference else score_text
    table = intervals.by_unit()
    unit = intervals.resampling.unit
    heading = f"{'difference of F1' if intervals.is_difference else 'F1'} in each {unit}"
    width = max(len(name) for name in [heading, *table[unit]])
    titles = [name.removesuffix("_f1") for name in UNIT_FIGURES]
    lines = [f"{heading:{width}} " + " ".join(f"{title:>9}" for title in titles)]
    for row in table.to_dict("records"):
        lines.append(f"{row[unit]:{width}} " + " ".join(f"{write(row[name]):>9}" for name in UNIT_FIGURES))
    return lines


def difference_summary(difference: Intervals, first: str) -> str:
    """F1 of one prediction minus F1 of the first, with the verdict: the averages, then the classes."""
    rows = list(_difference_rows(difference))
    heading = f"F1 minus that of {first}"
    width = max(len(heading), *(len(name) for name, _ in rows), 0)
    lines = [f"{heading:{width}}     value              interval        p  better in  verdict"]
    lines += [_difference_line(f"{name:{width}}", row, row[difference.resampling.units]) for name, row in rows]
    values = unit_lines(difference)
    return "\n".join([*lines, resampling_text(difference), TEST_TEXT, *(["", *values] if values else [])])


def _difference_rows(difference: Intervals) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """The rows of the two tables of a difference that are about F1 and defined."""
    for row in difference.headline.to_dict("records"):
        if row["figure"] in F1_TITLES and not math.isnan(row["value"]):
            yield F1_TITLES[row["figure"]], row
    for row in difference.classes().to_dict("records"):
        if row["score"] == "f1" and row["label"] != difference.labels[0] and not math.isnan(row["value"]):
            yield row["label"], row


def _difference_line(name: str, row: Mapping[Any, Any], units: int) -> str:
    low, high = (difference_text(row[end]) for end in ("low", "high"))
    interval = MISSING if math.isnan(row["low"]) else f"{low:>7} to {high:>7}"
    words = row["verdict"] + (f", {row['remark']}" if row["remark"] and row["verdict"] != TOO_FEW else "")
    numbers = f"{difference_text(row['value']):>9}    {interval:>18} {score_text(row['p']):>8}"
    better = f"{row['better_in']} of {units}"
    return f"{name} {numbers} {better:>10}  {words}"
