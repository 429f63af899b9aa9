"""Findings of two sides that are called A and B, because neither is the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from layoutcm.errors import short_repr
from layoutcm.layouts.model import LETTERS, SIDES, Finding
from layoutcm.wording import one_line

# Names of the sides in the text of a finding, outside of quotation marks and file names.
_NAMES = "gt|pred|[Tt]he ground truth|[Gg]round truth|[Tt]he prediction|[Pp]rediction"
_SIDES = rf"(?<![\w'./\\-])(?P<side>{_NAMES})(?![\w./\\-])"


def with_letters(text: str, finding: Finding) -> str:
    """The text of a finding with A and B for gt and pred; names of files, pages and labels stay as they are."""
    names = {name for name in _texts(finding.values) if name and name not in SIDES}
    forms = {one_line(form) for name in names for form in (name, short_repr(name))}
    kept = [rf"(?<!\w){re.escape(form)}(?!\w)" for form in sorted(forms, key=len, reverse=True)]
    to_letter = lambda found: LETTERS["pred" in found[0].lower()] if found["side"] else found[0]
    start = f"{finding.values.get('file', '')}: "  # a file may be called gt
    first = text.find(start) + len(start) if finding.message.startswith(start) and start in text else 0
    return text[:first] + re.sub("|".join([*kept, _SIDES]), to_letter, text[first:])


def _texts(value: object) -> Iterator[str]:
    """All texts among the values of a finding."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)
