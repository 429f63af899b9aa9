"""`Finding`: something unusual in an input that can still be used, and lists of findings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from layoutcm import html_parts
from layoutcm.errors import Hint, InputError, short_repr
from layoutcm.messages import TEXTS, hint_of
from layoutcm.wording import one_line, plural

MOST_FINDINGS = 8  # in HTML
SEVERITIES = ("error", "warning", "info")  # the worst first
UNREAD = ("damaged-file", "failed-answer")  # files that should have been read and were not
ABOUT_FILES = (*UNREAD, "skipped-file")  # findings whose values name files
SEVERE = "As they stand, these numbers say nothing about the model"
SIDES = ("gt", "pred")
LETTERS = ("A", "B")  # the names of the two sides if neither is the truth
# Names of the sides in the text of a finding, outside of quotation marks and file names.
_NAMES = "gt|pred|[Tt]he ground truth|[Gg]round truth|[Tt]he prediction|[Pp]rediction"
_SIDES = rf"(?<![\w'./\\-])(?P<side>{_NAMES})(?![\w./\\-])"


@dataclass(frozen=True)
class Finding:
    """Something unusual in an input that can still be used: a code with values, worded by `layoutcm.messages`.

    Attributes
    ----------
    code : str
    count : int
        How often it occurs.
    values : dict
    severity : {"info", "warning", "error"}
        "error": the numbers say nothing about a model as they stand.
    repair : str
        What `repair` can do about it, or "".
    message : str
    """

    code: str
    count: int = 1
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what the text names: files, pages, numbers
    severity: str = ""  # one of SEVERITIES; if empty, the usual one of the code
    repair: str = ""  # a repair that `repairs.repair` can make, such as "flip-y"

    def __post_init__(self) -> None:
        object.__setattr__(self, "severity", self.severity or TEXTS[self.code].severity)

    @property
    def message(self) -> str:
        return _message_of(self)

    @property
    def advice(self) -> Hint:
        return hint_of(TEXTS[self.code].hint, **{"n": self.count, "repair": self.repair, **self.values})

    @property
    def hint(self) -> str:
        """Advice to a person who uses Python or the command line; `advice.on_screen` is for the dashboard."""
        return self.advice.text

    def _repr_html_(self) -> str:
        return html_parts.block("Finding", findings_html([self]))

    def as_dict(self) -> dict[str, object]:
        """The finding as JSON values: code, severity, count, message, hint, repair."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "fix": self.hint,
            "remedy": self.repair,
        }

    @property
    def fix(self) -> str:
        """Deprecated: `hint`."""
        warnings.warn("Finding.fix is called Finding.hint now", DeprecationWarning, stacklevel=2)
        return self.hint

    @property
    def remedy(self) -> str:
        """Deprecated: `repair`."""
        warnings.warn("Finding.remedy is called Finding.repair now", DeprecationWarning, stacklevel=2)
        return self.repair


def _message_of(finding: Finding) -> str:
    return TEXTS[finding.code].message(n=finding.count, **finding.values)


class LetteredFinding(Finding):
    """A finding on two layouts if neither is the truth. Its texts call them A and B."""

    @property
    def message(self) -> str:
        return with_letters(_message_of(self), self)

    @property
    def advice(self) -> Hint:
        given = super().advice
        return Hint(with_letters(given.text, self), with_letters(given.on_screen, self))


def with_letters(text: str, finding: Finding) -> str:
    """The text of a finding with A and B for gt and pred; names of files, pages and labels stay as they are."""
    names = {name for name in _texts(finding.values) if name and name not in SIDES}
    forms = {one_line(form) for name in names for form in (name, short_repr(name))}
    kept = [rf"(?<!\w){re.escape(form)}(?!\w)" for form in sorted(forms, key=len, reverse=True)]
    to_letter = lambda found: LETTERS["pred" in found[0].lower()] if found["side"] else found[0]
    start = f"{finding.values.get('file', '')}: "  # a file may be called gt
    first = text.find(start) + len(start) if _message_of(finding).startswith(start) and start in text else 0
    return text[:first] + re.sub("|".join([*kept, _SIDES]), to_letter, text[first:])


def _texts(value: object) -> Iterator[str]:
    """All texts among the values of a finding."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


class Rated(Protocol):
    """A `Finding`, or the record of one in a result."""

    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def hint(self) -> str: ...


AnyRated = TypeVar("AnyRated", bound=Rated)


def severe_of(findings: Iterable[AnyRated]) -> list[AnyRated]:
    """The severe findings: with one of them, the numbers say nothing about a model as they stand."""
    return [finding for finding in findings if finding.severity == SEVERITIES[0]]


def worst_first(findings: Iterable[AnyRated]) -> list[AnyRated]:
    """The findings, those that are severe first, otherwise in the same order."""
    return sorted(findings, key=lambda finding: finding.severity != SEVERITIES[0])


def unread_of(findings: Iterable[AnyRated]) -> list[AnyRated]:
    """Findings of files that should have been read: their pages, and what is wrong on them, are in no number."""
    return [finding for finding in findings if finding.code in UNREAD]


def refuse_unread(findings: Iterable[Rated]) -> None:
    """Raise an InputError if a file that should have been read was left out (`strict`)."""
    if found := unread_of(findings):
        raise InputError("", "", found[0].message, "Repair or remove the files, or read without strict (--strict).")


def severe_sentence(findings: Iterable[Rated]) -> str:
    """The severe findings in one paragraph, to stand above the numbers; "" if there are none."""
    parts = [one_line(f"{one.message} {one.hint}").strip() for one in severe_of(findings)]
    return f"{SEVERE}. {' '.join(parts)}" if parts else ""


def severe_note(findings: Iterable[Rated]) -> str:
    """The severe findings by their codes, to stand beside a number or a table; "" if there are none."""
    codes = ", ".join(dict.fromkeys(one.code for one in severe_of(findings)))
    return f"{SEVERE} (finding {codes})" if codes else ""


class Findings(tuple[Finding, ...]):
    """Findings that a notebook shows as a list."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_parts.block(plural(len(self), "finding"), findings_html(self))


def findings_html(findings: Sequence[Finding]) -> str:
    """The first findings with their hints, and how many more there are."""
    rest = html_parts.note(html_parts.more(len(findings) - MOST_FINDINGS, "finding"))
    return "".join([*map(_finding_html, worst_first(findings)[:MOST_FINDINGS]), rest])


def _finding_html(finding: Finding) -> str:
    severity = finding.severity
    mark = f"{severity}: " if severity == "info" else f'<span class="{severity}">{severity}: </span>'
    return f"<div>{mark}{html_parts.text(finding.message)}{html_parts.note(finding.hint)}</div>"
