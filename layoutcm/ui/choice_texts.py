"""The choices of a visitor as texts: in the address bar, and in a session file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from layoutcm.ui.choice_rules import are_repairs, fits_into_address, mapping_from_text
from layoutcm.ui.choices import CHOICES, DEFAULTS, LIMITS, Choices, scores_by_label

# {choice: its name among the texts, which is a parameter of an address}
PARAMETERS = {field.name: {"class_name": "class"}.get(field.name, field.name) for field in fields(DEFAULTS)}


def texts_of(choices: Choices) -> dict[str, str]:
    """{parameter: text} for the choices that differ from their defaults."""
    wanted = {name: getattr(choices, name) for name in PARAMETERS if getattr(choices, name) != getattr(DEFAULTS, name)}
    return {
        PARAMETERS[name]: json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
        for name, value in wanted.items()
    }


def choices_in(texts: Mapping[str, str]) -> dict[str, Any]:
    """{choice: value} of texts; those that are unknown or not allowed are ignored."""
    given = {name: texts[parameter] for name, parameter in PARAMETERS.items() if parameter in texts}
    values = {name: _value_from_text(name, text) for name, text in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def _value_from_text(name: str, text: str) -> Any:
    """The value of a choice from its text; None if it is not allowed."""
    kind = type(getattr(DEFAULTS, name))
    try:
        value: Any = text == "True" if kind is bool else _names_from_json(text) if kind is tuple else kind(text)
    except (ValueError, RecursionError):
        return None
    if (name == "fixes" and not are_repairs(value)) or (name == "label_scores" and not _are_label_scores(value)):
        return None
    if name == "mapping" and value and (not fits_into_address(value) or mapping_from_text(value) is None):
        return None
    low, high = LIMITS.get(name, (value, value))
    return value if low <= value <= high and (name not in CHOICES or value in CHOICES[name]) else None


def _are_label_scores(texts: tuple[str, ...]) -> bool:
    try:
        return all(0 <= score <= 1 for score in scores_by_label(texts).values())
    except ValueError:
        return False


def _names_from_json(text: str) -> tuple[str, ...]:
    """Parse a JSON list of labels; JSON, because a label may contain any character."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not a list of names")
    return tuple(names)
