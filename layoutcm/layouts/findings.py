"""`Finding`: something unusual in an input that can still be used, and lists of findings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from layoutcm import html_parts
from layoutcm.errors import Hint
from layoutcm.messages import TEXTS, hint_of
from layoutcm.wording import plural

MOST_FINDINGS = 8  # in HTML


@dataclass(frozen=True)
class Finding:
    """Something unusual in an input that can still be used: a code with values, worded by `layoutcm.messages`.

    Attributes
    ----------
    code : str
    count : int
        How often it occurs.
    values : dict
    severity : {"info", "warning"}
    repair : str
        What `repair` can do about it, or "".
    message : str
    """

    code: str
    count: int = 1
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what the text names: files, pages, numbers
    severity: str = ""  # "warning" or "info"; if empty, the usual one of the code
    repair: str = ""  # a repair that `repairs.repair` can make, such as "flip-y"

    def __post_init__(self) -> None:
        object.__setattr__(self, "severity", self.severity or TEXTS[self.code].severity)

    @property
    def message(self) -> str:
        return TEXTS[self.code].message(n=self.count, **self.values)

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


class Findings(tuple[Finding, ...]):
    """Findings that a notebook shows as a list."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_parts.block(plural(len(self), "finding"), findings_html(self))


def findings_html(findings: Sequence[Finding]) -> str:
    """The first findings with their hints, and how many more there are."""
    rest = html_parts.note(html_parts.more(len(findings) - MOST_FINDINGS, "finding"))
    return "".join([*map(_finding_html, findings[:MOST_FINDINGS]), rest])


def _finding_html(finding: Finding) -> str:
    warning = '<span class="warning">warning: </span>' if finding.severity == "warning" else "info: "
    return f"<div>{warning}{html_parts.text(finding.message)}{html_parts.note(finding.hint)}</div>"
