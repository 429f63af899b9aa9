"""`gate`: does a result reach given thresholds, and is it as good as an earlier one? Also its text forms.

A drop fails if the verdict on the paired difference over documents is "worse". A score of a label is tested together
with the other labels of this one prediction, and the remark says so; a leaderboard also corrects for its other
predictions. With the verdict "no difference shown" a drop passes, unless `strict`. Where there is no verdict, because
there are too few documents or the figure is not tested, every drop larger than allowed fails, and a remark says so. If
a lower value of a measure is better, a drop is a rise, and a threshold is the largest allowed value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, cast

from msgspec import to_builtins

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, is_number, short_repr
from layoutcm.filling.loading import ResultFile, load_result
from layoutcm.filling.reading import difference_of_results, intervals_of_result
from layoutcm.filling.result_of import GATED, Asked, intervals_part, result_of
from layoutcm.layouts.findings import refuse_unread, severe_note, severe_of, severe_sentence, unread_of
from layoutcm.lazy import pd
from layoutcm.results.common_parts import FindingRecord
from layoutcm.results.measures import HEADLINE, MEASURES, Figures, direction_of, find_figure, lowest_of, row_of_figure
from layoutcm.results.result import LeaderboardResult, Result, digest_of
from layoutcm.results.types import IntervalRow, IntervalTables
from layoutcm.results.verdict import BETTER, FEW_UNITS, FEWEST_UNITS, NO_DIFFERENCE, SAME, TOO_FEW, WORSE, verdict_words
from layoutcm.tables.interval_texts import family_text, resampling_of
from layoutcm.tables.matrix_views import FEW_CONFUSIONS
from layoutcm.tables.tables import confusions_table
from layoutcm.tables.terminal import line_name, severe_lines
from layoutcm.tables.written_forms import MARKDOWN_NUMBER, markdown
from layoutcm.wording import agree, difference_text, escape_markdown, one_line, plain_number, plural, score_text

Limits = Mapping[str, float] | str | Iterable[str]
FAIL_UNDER, MAX_DROP = "fail_under", "max_drop"
NOT_DEFINED, NOT_COUNTED = "n/a: it is not defined in this result", "n/a: it is not counted in this result"
# Otherwise GitHub takes a label such as @name or #1 for a person or an issue, even after a backslash.
NO_REFERENCE = {r"\@": "@&#8203;", r"\#": "#&#8203;"}
OWN_FIELDS = ("pred", "version")  # of a recipe, which may differ from those of the baseline


@dataclass(frozen=True)
class Wanted:
    """What the figures have to reach, as far as it is known before they are computed."""

    fail_under: dict[str, float]
    most: float | None  # the allowed drop of all figures that have none of their own; None: only those are checked
    max_drop: dict[str, float]

    def drops(self, figures: Figures) -> dict[str, float]:
        """{figure: allowed drop}"""
        own = {find_figure(name, figures, MAX_DROP): most for name, most in self.max_drop.items()}
        if self.most is None:
            return own
        defined = [one.name for one in HEADLINE if figures[one.name] is not None]
        limited = [find_figure(name, figures, FAIL_UNDER) for name in self.fail_under]
        return dict.fromkeys([*defined, *limited], self.most) | own


@dataclass(frozen=True)
class Check:
    """One figure and what it has to reach; None is n/a."""

    figure: str
    kind: str  # "fail_under" or "max_drop"
    value: float | None
    least: float | None  # the threshold, or the baseline minus the allowed drop; the most if lower is better
    baseline: float | None
    low: float | None  # the interval of the value, as the result has it, or of its difference from the baseline
    high: float | None
    passed: bool
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Gate:
    """All checks of a result, and notes on what makes them less certain.

    Attributes
    ----------
    passed : bool
    checks : tuple
    notes : tuple of str
    severe : tuple
        The severe findings of the result: with one of them the gate fails, unless they are allowed.
    """

    result: Result
    checks: tuple[Check, ...]
    notes: tuple[str, ...]
    allow_severe: bool = False

    def __repr__(self) -> str:
        short = ", ".join([*(one.code for one in self.severe), *(check.figure for check in self.short)])
        return f"<Gate {'passed' if self.passed else f'failed: {short}'}>"

    @property
    def passed(self) -> bool:
        return not self.short and (self.allow_severe or not self.severe)

    @property
    def severe(self) -> tuple[FindingRecord, ...]:
        return tuple(severe_of(self.result.findings))

    @property
    def short(self) -> list[Check]:
        """The checks that fell short."""
        return [check for check in self.checks if not check.passed]

    @property
    def table(self) -> pd.DataFrame:
        """One row per check: figure, kind, value, least, baseline, low, high, passed, remark."""
        return pd.DataFrame([asdict(check) for check in self.checks])

    def as_dict(self) -> dict[str, Any]:
        """All checks as JSON values, with the recipe and the inputs of the result."""
        return {
            "passed": self.passed,
            "checks": [asdict(check) for check in self.checks],
            "notes": list(self.notes),
            "severe_findings": to_builtins(self.severe),
            "recipe": self.result.recipe,
            "inputs": to_builtins(self.result.inputs),
        }


def gate(
    result: Comparison | Result | ResultFile,
    fail_under: Limits = (),
    *,
    baseline: Comparison | Result | ResultFile | None = None,
    max_drop: float | Limits | None = None,
    strict: bool = False,
    allow_severe: bool = False,
) -> Gate:
    """Check figures of a comparison or of a result.json: thresholds, and the largest drop from an earlier result.

    Parameters
    ----------
    result : Comparison, Result, path, bytes or dict
    fail_under : dict, str or list of str
        {figure: least value, or largest if lower is better}, or texts such as "macro.f1=0.8".
    baseline : Comparison, Result, path, bytes or dict, optional
        An earlier result.
    max_drop : float, dict, str or list of str, optional
        One number for micro, macro and content F1 and the figures of `fail_under` (0 unless given), {figure: drop} for
        these figures alone, or texts such as "0.01" and "class.Table.f1=0.05": the bare number is for all others.
    strict : bool
        Lets a drop with the verdict "no difference shown" fail, too, and refuses a result from which damaged files
        were left out.
    allow_severe : bool
        Lets a result pass although it has a severe finding, such as the same file on both sides.

    Returns
    -------
    Gate

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> pred = lcm.read("sample_data/model-a.json", like=gt)
    >>> g = lcm.gate(lcm.compare(gt, pred), {"macro.f1": 0.8, "class.Caption.f1": 0.9})
    >>> g.passed, [check.figure for check in g.short]
    (False, ['class.Caption.f1'])
    """
    wanted = wanted_limits(fail_under, max_drop, baseline is not None)
    earlier = None if baseline is None else one_result(baseline, "baseline")
    own = one_result(result, "result")
    if strict:
        refuse_unread(own.findings)
    figures = own.figures
    _check_possible(figures, "result")
    limits = {find_figure(name, figures, FAIL_UNDER): least for name, least in wanted.fail_under.items()}
    intervals, more_notes = _intervals(own)
    notes = [*(one_line(one.message) for one in unread_of(own.findings)), *more_notes]
    checks = [_threshold(name, least, own, intervals) for name, least in limits.items()]
    if earlier is not None:
        drops = wanted.drops(figures)
        _check_possible(earlier.figures, "baseline")
        paired, more = _paired(earlier, own)
        notes += [f"The baseline: {said}." for said in [severe_note(earlier.findings)] if said]
        notes += [note for note in more if note not in notes]
        old = earlier.figures
        checks += [_drop(name, most, (own, old.get(name)), paired, strict) for name, most in drops.items()]
    if not checks:
        raise _nothing_is_checked(FAIL_UNDER)
    return Gate(own, tuple(checks), tuple(notes), allow_severe)


def _check_possible(figures: Figures, place: str) -> None:
    """Raise an InputError for a figure that no comparison gives."""
    for name, value in figures.items():
        least = lowest_of(name)
        if value is not None and not least - SAME <= value <= 1 + SAME:
            problem = f"{short_repr(name)} is {value:g}, but it can only be from {least} to 1"
            raise InputError("", place, problem, "Compare again: this file was changed or is damaged.")


def _nothing_is_checked(place: str) -> InputError:
    return InputError("", place, "nothing is checked", 'Give a threshold such as "macro.f1=0.8".')


def wanted_limits(
    fail_under: Limits,
    max_drop: float | Limits | None,
    has_baseline: bool,
    places: tuple[str, str] = (FAIL_UNDER, MAX_DROP),
) -> Wanted:
    """The limits of `gate`; an InputError names one of the two places if a limit is wrong for all figures."""
    least, most = places
    if max_drop is not None and not has_baseline:
        raise InputError("", most, "there is no baseline to drop from", "Give an earlier result as baseline.")
    thresholds = limits_of(fail_under, least)
    for name, limit in thresholds.items():
        if limit < lowest_of(name):  # it would always pass
            raise _not_a_share(limit, name, least)
    if not thresholds and not has_baseline:
        raise _nothing_is_checked(least)
    if max_drop is None or is_number(max_drop):
        return Wanted(thresholds, _limit(max_drop or 0, most, most), {})
    if isinstance(max_drop, Mapping):
        return Wanted(thresholds, None, limits_of(max_drop, most))
    lines = _lines(cast(str | Iterable[str], max_drop))
    bare = [line for line in lines if "=" not in line]
    if len(bare) > 1:
        problem = f"{bare[0]} and {bare[1]} are both for all figures"
        raise InputError("", most, problem, 'Give one number, and others like "class.Table.f1=0.05".')
    own = limits_of([line for line in lines if "=" in line], most)
    return Wanted(thresholds, _limit(bare[0], most, most) if bare else None, own)


def limits_of(given: Limits, place: str) -> dict[str, float]:
    """{figure: number} from a dict, or from texts "figure=number", several of them on several lines."""
    if isinstance(given, Mapping):
        return {name: _limit(value, name, place) for name, value in given.items()}
    limits: dict[str, float] = {}
    for line in _lines(given):
        name, equals, value = line.rpartition("=")
        if not equals:
            raise InputError("", place, f"{short_repr(line)} has no =", 'Write it like "macro.f1=0.8".')
        name, limit = name.strip(), _limit(value.strip(), name.strip(), place)
        if limits.setdefault(name, limit) != limit:  # which of them was meant is not known
            problem = f"{plain_number(limits[name])} and {plain_number(limit)} are both for {short_repr(name)}"
            raise InputError("", place, problem, "Give one number for each figure.")
    return limits


def _lines(given: str | Iterable[str]) -> list[str]:
    if not isinstance(given, Iterable):
        raise InputError("", "limits", f"{short_repr(given)} is not a list", 'Write ["macro.f1=0.8"].')
    texts = [given] if isinstance(given, str) else given
    return [line.strip() for text in texts for line in str(text).splitlines() if line.strip()]


def _limit(value: object, name: str, place: str) -> float:
    try:
        number = float(value) if is_number(value) or isinstance(value, str) else math.nan
    except ValueError:
        number = math.nan
    if not -1 <= number <= 1:
        raise _not_a_share(value, name, place)
    return number


def _not_a_share(value: object, name: str, place: str) -> InputError:
    problem = f"{short_repr(value)} for {short_repr(name)} is not a share"
    return InputError("", place, problem, "Figures are from 0 to 1: 80 % is 0.8.")


def gated_result(comparison: Comparison, method: str = "matrix") -> Result:
    """What a gate needs of a comparison; with one document also its pages, which a paired difference needs."""
    of_pages = len(comparison.documents) < 2
    return result_of(comparison, method, Asked(per_page=of_pages, intervals=comparison.has_truth, parts=GATED))


def one_result(given: Comparison | Result | ResultFile, place: str) -> Result:
    """The result of one prediction; the result of a comparison has what a gate needs."""
    if isinstance(given, Result):
        return given
    if isinstance(given, Comparison):
        return gated_result(given)
    found = load_result(given)
    if isinstance(found, Result):
        return found
    if isinstance(found, LeaderboardResult):
        raise InputError("", place, "this is a leaderboard", "Give the result.json of one prediction.")
    if len(found) == 1:
        return found[0]
    hint = "Give the result.json of one of them: it is in its folder of the report."
    raise InputError("", place, f"the file has {len(found)} results", hint)


def _intervals(own: Result) -> tuple[IntervalTables | None, list[str]]:
    """The intervals of the result, computed if it has none, and a note if there are few units or none."""
    try:
        found = own.intervals or intervals_part(intervals_of_result(own))
    except InputError as error:
        return None, [f"No intervals: {error}"]
    used = resampling_of(found)
    units = plural(used.unit_count, used.unit)
    if used.kind == "none":
        verb = agree(used.unit_count, "is", "are")
        return found, [f"{units} {verb} too few for intervals: at least {FEWEST_UNITS} are needed."]
    return found, [f"{units}: with fewer than {FEW_UNITS}, intervals are rough."] if used.few else []


def _paired(baseline: Result, own: Result) -> tuple[IntervalTables | None, list[str]]:
    """The paired difference from the baseline, and notes on what else differs than the prediction."""
    notes = []
    settings = [{k: v for k, v in one.recipe_fields.items() if k not in OWN_FIELDS} for one in (baseline, own)]
    for name in dict.fromkeys([*settings[0], *settings[1]]):
        old, new = (one.get(name, "not given") for one in settings)
        if old != new:
            notes.append(f"The baseline was made with other settings: {name} was {old}, and is {new}.")
    if digest_of(baseline.inputs.gt) != digest_of(own.inputs.gt):
        notes.append("The baseline was made with another ground truth.")
    try:
        return intervals_part(difference_of_results(baseline, own)), notes
    except InputError as error:
        return None, [*notes, f"Not paired with the baseline, so every drop counts: {error}"]


def _row(name: str, intervals: IntervalTables | None) -> IntervalRow:
    """The row of a figure in a table of intervals or of differences; without numbers if it has none."""
    found = None if intervals is None else row_of_figure(intervals, name)
    return found or IntervalRow(value=None, low=None, high=None, verdict=None, remark="")


def _missing(name: str, result: Result) -> str:
    """Why a figure has no value: it is undefined, or the part of the result that it is read off was not counted."""
    needs = next((one.needs for one in MEASURES if one.name == name), ())
    return NOT_COUNTED if any(getattr(result, part) is None for part in needs) else NOT_DEFINED


def _threshold(name: str, limit: float, result: Result, intervals: IntervalTables | None) -> Check:
    value, row = result.figures[name], _row(name, intervals)
    remark = _missing(name, result) if value is None else ""
    if not remark and row.low is not None and row.high is not None and row.low + SAME < limit < row.high - SAME:
        remark = f"its interval contains {plain_number(limit)}"
    passed = value is not None and _reaches(name, value, limit)
    return Check(name, FAIL_UNDER, value, limit, None, row.low, row.high, passed, remark)


def _reaches(name: str, value: float, limit: float) -> bool:
    """Whether a value is at least as good as the limit."""
    return direction_of(name) * (value - limit) >= -SAME


def _drop(
    name: str, most: float, given: tuple[Result, float | None], paired: IntervalTables | None, strict: bool
) -> Check:
    """The check of a figure of a result against its value in the baseline."""
    (result, before), row = given, _row(name, paired)
    value, verdict = result.figures[name], row.verdict or None
    limit = None if before is None else before - direction_of(name) * most
    of = partial(Check, name, MAX_DROP, value, limit, before, row.low, row.high)
    if before is None or limit is None:
        return of(True, "n/a in the baseline, so there is nothing to compare it with, and it passes")
    if value is None:
        return of(False, _missing(name, result))
    if _reaches(name, value, limit):
        return of(True)
    change = difference_text(value - before)
    if verdict not in (BETTER, WORSE, NO_DIFFERENCE):
        few = verdict_words(TOO_FEW, paired.units[:-1]) if paired is not None and verdict == TOO_FEW else ""
        why = f"{few} for a verdict" if few else "it has no interval"
        return of(False, f"{change}; {why}, so every drop counts")
    interval = "" if row.low is None else f", interval {difference_text(row.low)} to {difference_text(row.high)}"
    family = f", {family_text(paired)}" if paired is not None and name.startswith("class.") else ""
    if verdict == WORSE:
        return of(False, f"{change}{interval}: {verdict}{family}")
    outcome = "but every drop counts (strict)" if strict else "so it passes, although beyond the limit"
    said = [f"{change}{interval}: {verdict}{family}, {outcome}", *([row.remark] if row.remark else [])]
    return of(not strict, "; ".join(said))


def gate_sentence(gate: Gate) -> str:
    """'failed: 1 of 3 checks fell short, 1 severe finding'"""
    checks, short, severe = plural(len(gate.checks), "check"), len(gate.short), gate.severe
    found = plural(len(severe), "severe finding")
    allowed = f", {found} allowed" if severe and gate.allow_severe else ""
    if gate.passed:
        return f"passed: {checks}{allowed}"
    failed = [f"{short} of {checks} fell short"] if short else []
    return f"failed: {', '.join([*failed, *([found] if severe and not gate.allow_severe else [])])}{allowed}"


def gate_lines(gate: Gate) -> list[str]:
    """The checks as a table, with failed checks first, then notes and the recipe."""
    names = [line_name(check.figure) for check in _short_first(gate)]
    width = max(len("figure"), *map(len, names))
    heading = f"{'figure':{width}}    value    limit  baseline     outcome  remark"
    severe = severe_lines(gate.severe)
    lines = [f"gate {gate_sentence(gate)}", "", *severe, *([""] if severe else []), heading]
    for name, check in zip(names, _short_first(gate)):
        (value, limit, baseline), outcome = _cells(check), "passed" if check.passed else "fell short"
        lines.append(f"{name:{width}} {value:>8} {limit:>8}  {baseline:>8}  {outcome:>10}  {check.remark}".rstrip())
    return [*lines, "", *gate.notes, gate.result.recipe]


def gate_markdown(gate: Gate) -> str:
    """A comment for a pull request: the outcome, the checks, the largest confusions and the recipe."""
    header = "| figure | value | limit | baseline | outcome | remark |\n| --- | ---: | ---: | ---: | --- | --- |\n"
    rows = "".join(_markdown_row(check) for check in _short_first(gate))
    severe = severe_sentence(gate.severe)
    alarm = [f"**{_safe(escape_markdown(severe))}**"] if severe else []
    parts = [f"**layoutcm gate {gate_sentence(gate)}**", *alarm, header + rows]
    parts += [f"- {_safe(escape_markdown(note))}" for note in gate.notes]
    found = confusions_table(gate.result.confusion(), FEW_CONFUSIONS)
    if len(found.data):
        names = {side: [line_name(label) for label in found.data[side]] for side in gate.result.vocabulary.sides}
        found = replace(found, data=found.data.assign(**names))
        parts.append(f"{found.title}:\n\n{_safe(markdown(found))}")
    parts.append(f"<sub>{_safe(escape_markdown(gate.result.recipe))}</sub>")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _markdown_row(check: Check) -> str:
    outcome = "passed" if check.passed else "**fell short**"
    name, remark = (_safe(escape_markdown(text)) for text in (line_name(check.figure), check.remark))
    cells = (cell.translate(MARKDOWN_NUMBER) for cell in _cells(check))
    return f"| {name} | {' | '.join(cells)} | {outcome} | {remark} |\n"


def _safe(text: str) -> str:
    for escaped, plain in NO_REFERENCE.items():
        text = text.replace(escaped, plain)
    return text


def _short_first(gate: Gate) -> list[Check]:
    return sorted(gate.checks, key=lambda check: check.passed)


def _cells(check: Check) -> tuple[str, str, str]:
    """Value, limit and baseline: '0.810', '≥ 0.820', ''."""
    value, limit, baseline = map(score_text, (check.value, check.least, check.baseline))
    sign = "≥" if direction_of(check.figure) > 0 else "≤"
    return value, limit if check.least is None else f"{sign} {limit}", baseline if check.kind == MAX_DROP else ""
