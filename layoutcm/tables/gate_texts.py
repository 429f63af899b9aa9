"""A gate in words: for the terminal, and as Markdown for a comment on a pull request."""

from __future__ import annotations

from dataclasses import replace

from layoutcm.tables.gate import MAX_DROP, Check, Gate
from layoutcm.tables.latex_markdown import escape_markdown, markdown
from layoutcm.tables.tables import Table, confusions_table
from layoutcm.tables.terminal import short_name
from layoutcm.wording import MISSING, plural, score_text

MOST_CONFUSIONS = 5
# Otherwise GitHub takes a label such as @name or #1 for a person or an issue, even after a backslash.
NO_REFERENCE = {r"\@": "@&#8203;", r"\#": "#&#8203;"}


def gate_sentence(gate: Gate) -> str:
    """'failed: 1 of 3 checks fell short'"""
    count, short = len(gate.checks), len(gate.short)
    if not short:
        return f"passed: {plural(count, 'check')}"
    return f"failed: {short} of {plural(count, 'check')} fell short"


def gate_lines(gate: Gate) -> list[str]:
    """The checks as a table, those that fell short first, then notes and the recipe."""
    rows = [(short_name(check.figure), *_cells(check), check.remark) for check in _short_first(gate)]
    width = max(len("figure"), *(len(row[0]) for row in rows))
    lines = [f"gate {gate_sentence(gate)}", ""]
    lines.append(f"{'figure':{width}}    value  at least  baseline     outcome  remark")
    for (name, value, least, baseline, remark), check in zip(rows, _short_first(gate)):
        outcome = "passed" if check.passed else "fell short"
        lines.append(f"{name:{width}} {value:>8}  {least:>8}  {baseline:>8}  {outcome:>10}  {remark}".rstrip())
    return [*lines, "", *gate.notes, gate.result.recipe]


def gate_markdown(gate: Gate) -> str:
    """A comment for a pull request: the outcome, the checks, the largest confusions and the recipe."""
    header = "| figure | value | at least | baseline | outcome | remark |\n| --- | ---: | ---: | ---: | --- | --- |\n"
    rows = "".join(_markdown_row(check) for check in _short_first(gate))
    parts = [f"**layoutcm gate {gate_sentence(gate)}**", header + rows]
    parts += [f"- {_safe(escape_markdown(note))}" for note in gate.notes]
    confusions = _confusions(gate)
    if len(confusions.data):
        parts.append(f"{confusions.title}:\n\n{_safe(markdown(confusions))}")
    parts.append(f"<sub>{_safe(escape_markdown(gate.result.recipe))}</sub>")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _confusions(gate: Gate) -> Table:
    confusion = gate.result.confusion()
    found = confusions_table(confusion, MOST_CONFUSIONS)
    gt, pred = confusion.side_names
    data = found.data.assign(**{side: [short_name(label) for label in found.data[side]] for side in (gt, pred)})
    return replace(found, data=data)


def _markdown_row(check: Check) -> str:
    outcome = "passed" if check.passed else "**fell short**"
    name, remark = (_safe(escape_markdown(text)) for text in (short_name(check.figure), check.remark))
    cells = (cell.replace("<", "&lt;").replace(">", "&gt;") for cell in _cells(check))
    return f"| {name} | {' | '.join(cells)} | {outcome} | {remark} |\n"


def _safe(text: str) -> str:
    for escaped, plain in NO_REFERENCE.items():
        text = text.replace(escaped, plain)
    return text


def _short_first(gate: Gate) -> list[Check]:
    return sorted(gate.checks, key=lambda check: check.passed)


def _cells(check: Check) -> tuple[str, str, str]:
    """Value, least value and baseline."""
    value, least, baseline = (
        MISSING if number is None else score_text(number) for number in (check.value, check.least, check.baseline)
    )
    return value, least, baseline if check.kind == MAX_DROP else ""
