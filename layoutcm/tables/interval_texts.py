"""Intervals and verdicts in words: for the terminal, the dashboard and the notes of tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from layoutcm.metrics.bootstrap import Resampling
from layoutcm.results.common_parts import Part
from layoutcm.results.measures import CONTENT_ROW, HEADLINE, OF_PIXELS, grid_rows
from layoutcm.results.result import LeaderboardResult
from layoutcm.results.types import IntervalRow, IntervalTables
from layoutcm.results.verdict import FEW_UNITS, FEWEST_UNITS, NO_DIFFERENCE, POWER, verdict_text, verdict_words
from layoutcm.results.vocabulary import WITH_TRUTH, Vocabulary
from layoutcm.wording import (
    MISSING,
    agree,
    difference_text,
    percent,
    pixel_change_text,
    plain_percent,
    plural,
    points_text,
    score_text,
    thin_spaced,
)

# Each note says over which tests a p is corrected: a verdict depends on it.
OF_FIGURES = "p: paired randomisation test, for each figure corrected for all predictions (Holm)"
CORRECTED_FOR_ALL = "p is corrected for all classes and all predictions of this table (Holm)"
OF_ONE = "corrected for the classes of this prediction alone (Holm)"
CORRECTED_FOR_CLASSES = "The verdict is that of a paired test, corrected for all classes (Holm)"


def interval_of_row(row: Mapping[str, Any] | IntervalRow) -> str:
    """'0.812 – 0.843', of a row of a table of intervals."""
    low, high = row["low"], row["high"]
    return MISSING if low is None or math.isnan(low) else f"{score_text(low)} – {score_text(high)}"


def ends_text(row: Part | Mapping[Any, Any], name: str, write: Callable[[float], str], joint: str) -> str:
    """The two ends of the interval of one number, in a row with several numbers."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return MISSING if low is None or math.isnan(low) else f"{write(low)}{joint}{write(high)}"


def resampling_of(intervals: IntervalTables | LeaderboardResult) -> Resampling:
    """The settings of the intervals of a result or a leaderboard."""
    return Resampling(intervals.units[:-1], intervals.unit_count, intervals.n, intervals.seed, intervals.level)


def family_text(difference: IntervalTables) -> str:
    """What p of the classes is corrected for: the classes of one prediction, or of all on the leaderboard."""
    count = difference.differences or 1
    return OF_ONE if count == 1 else f"corrected for all classes of {count} differences (Holm)"


def note_on_tests(difference: IntervalTables) -> str:
    """How the p of a table of differences is computed."""
    count = difference.differences or 1
    figures = "" if count == 1 else f"p of a figure is corrected for {count} predictions, "
    return f"p: paired randomisation test; {figures}p of classes is {family_text(difference)}"


def units_text(used: Resampling) -> str:
    """'12 documents', or '12 pages of one document'."""
    count = plural(used.unit_count, used.unit)
    return f"{count} of one document" if used.unit == "page" else count


def resampling_text(used: Resampling) -> str:
    """What the intervals are made from, with a warning if there are few units, or why there are none."""
    units = units_text(used)
    if used.kind == "none":
        verb = agree(used.unit_count, "is", "are")
        return f"no intervals: {units} {verb} too few, at least {FEWEST_UNITS} are needed"
    source = "by the jackknife" if used.kind == "jackknife" else f"{plural(used.n, 'resample')}, seed {used.seed}"
    text = f"{plain_percent(used.level)} intervals over {units}, {source}"
    return f"{text}; with fewer than {FEW_UNITS} {used.units} they are rough" if used.few else text


def needed_note(used: Resampling) -> str:
    """What the column of documents needed means."""
    units = f"how many {used.units} like these would show the difference"
    return f"documents needed: {units} with a probability of {plain_percent(POWER)}"


def cell_difference_text(
    used: Resampling, own: str, other: str, vocabulary: Vocabulary = WITH_TRUTH, tests: IntervalTables | None = None
) -> str:
    """What a matrix of differences shows, and which cells are grey; `tests` has the tests of the diagonal."""
    better, worse = vocabulary.verdicts["better"], vocabulary.verdicts["worse"]
    said = f"{own} minus {other}. More on the diagonal is {better}, more off it is {worse}."
    units = plural(used.unit_count, used.unit)
    if used.kind == "none":
        return f"{said} With {units} nothing can be called {better} or {worse}: {FEWEST_UNITS} are needed."
    level = plain_percent(used.level)
    grey = f"Grey: the {level} interval of the difference over {units} includes 0, or too few have this label."
    many = "With many cells, some exclude 0 by chance: intervals and verdicts are not corrected for their number."
    classes = f" The diagonal has the verdicts of the class scores, {family_text(tests)}." if tests else ""
    return f"{said} {grey} {many}{classes}"


def cell_pair_text(
    values: tuple[float, float], ends: tuple[float, float], verdict: str | None, words: CellWords
) -> str:
    """One cell of two sides: 'A 4.38 %, B 6.40 %; B minus A: +2.02 points (+0.90 to +3.10), worse'."""
    first, second = map(words.write, values)
    change, low, high = (words.write_change(one) for one in (values[1] - values[0], *ends))
    text = f"A {first}, B {second}; B minus A: {change}"
    if any(map(math.isnan, (*values, *ends))):
        return f"{text}{words.unit}, no interval" if words.has_intervals else f"{text}{words.unit}"
    said = verdict_words(verdict or NO_DIFFERENCE, vocabulary=words.vocabulary)
    return f"{text}{words.unit} ({low} to {high}), {said}"


@dataclass(frozen=True)
class CellWords:
    """How the numbers of a cell are written: shares in % and points, or pixels; and what its verdicts are called."""

    is_share: bool
    vocabulary: Vocabulary
    has_intervals: bool

    @property
    def unit(self) -> str:
        return " points" if self.is_share else " px"

    def write(self, value: float) -> str:
        return percent(value) if self.is_share else f"{thin_spaced(value)} px"

    def write_change(self, value: float) -> str:
        return points_text(value) if self.is_share or math.isnan(value) else pixel_change_text(value)


def unit_lines(intervals: IntervalTables) -> list[str]:
    """The F1 of each unit, or the differences, if there are too few units for an interval."""
    if not intervals.by_unit:
        return []
    is_difference = any(row.p is not UNSET for row in intervals.headline)
    write, unit = difference_text if is_difference else score_text, intervals.units[:-1]
    columns = [one.column for one in HEADLINE]
    heading = f"{'difference of F1' if is_difference else 'F1'} in each {unit}"
    width = max(len(name) for name in [heading, *(row[unit] for row in intervals.by_unit)])
    titles = [one.name.partition(".")[0] for one in HEADLINE]
    lines = [f"{heading:{width}} " + " ".join(f"{title:>9}" for title in titles)]
    for row in intervals.by_unit:
        lines.append(f"{row[unit]:{width}} " + " ".join(f"{write(row[name]):>9}" for name in columns))
    return lines


def difference_summary(difference: IntervalTables, first: str, background: str) -> str:
    """F1 of one prediction minus F1 of the first, with the verdict: the averages, then the classes."""
    rows = list(_difference_rows(difference, background))
    heading = f"F1 minus that of {first}"
    width = max(len(heading), *(len(name) for name, _ in rows), 0)
    lines = [f"{heading:{width}}     value              interval        p  better in  verdict"]
    lines += [_difference_line(f"{name:{width}}", row, row[difference.units]) for name, row in rows]
    values = unit_lines(difference)
    notes = [resampling_text(resampling_of(difference)), note_on_tests(difference)]
    return "\n".join([*lines, *notes, *(["", *values] if values else [])])


def _difference_rows(difference: IntervalTables, background: str) -> Iterator[tuple[str, IntervalRow]]:
    """The rows of the two tables of a difference that are about F1 and defined."""
    rows = grid_rows(OF_PIXELS, brief=True)
    titles = {found["f1"].column: row for row, found in rows.items() if row != CONTENT_ROW}
    titles |= {rows[CONTENT_ROW]["f1"].column: CONTENT_ROW}
    by_figure = {row.figure: row for row in difference.headline if row.value is not None}
    yield from ((title, by_figure[figure]) for figure, title in titles.items() if figure in by_figure)
    for row in difference.classes:
        if row.score == "f1" and row.label != background and row.value is not None:
            yield str(row.label), row


def _difference_line(name: str, row: IntervalRow, units: int) -> str:
    low, high = (difference_text(row[end]) for end in ("low", "high"))
    interval = MISSING if row.low is None else f"{low:>7} to {high:>7}"
    words = verdict_text(row.verdict or None, row.remark, "document" if row.pages is UNSET else "page")
    numbers = f"{difference_text(row.value):>9}    {interval:>18} {score_text(row['p']):>8}"
    better = f"{row.better_in} of {units}"
    return f"{name} {numbers} {better:>10}  {words}"
