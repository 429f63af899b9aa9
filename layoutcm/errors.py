"""The exception for wrong inputs, the only one that users of layoutcm need to handle.

Its text says where the problem is and what to do about it. `unknown_choice` words that for an unknown option value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import TypeGuard

LONGEST_CHOICE = 60
MOST_CHOICES, CLOSEST_CHOICES = 30, 3  # up to 30 values are listed; of a longer list, only the 3 closest
LEAST_ALIKE = 0.5  # share of characters that a close name has in common with the value
MOST_COMPARED = 100  # characters; comparing long texts is slow


@dataclass(frozen=True)
class Hint:
    """Advice in two wordings: with the options of Python and the command line, and with the controls on the screen."""

    text: str
    on_screen: str


class InputError(Exception):
    """An input is wrong: the file, the place in it, the problem, and a hint on what to do.

    Attributes
    ----------
    file, place, problem, hint : str
    """

    def __init__(self, file: str, place: str, problem: str, hint: str | Hint = "") -> None:
        self.file = file
        self.place = place
        self.problem = problem
        self.advice = hint if isinstance(hint, Hint) else Hint(hint, hint)
        super().__init__(file, place, problem, hint)

    @property
    def hint(self) -> str:
        return self.advice.text

    def __str__(self) -> str:
        return self._text_with(self.advice.text)

    @property
    def on_screen(self) -> str:
        """The text for the dashboard."""
        return self._text_with(self.advice.on_screen)

    def _text_with(self, hint: str) -> str:
        where = " ".join(", ".join(part for part in (self.file, self.place) if part).splitlines())
        sentence = f"{where}: {self.problem}" if where else self.problem
        return f"{sentence.rstrip('.')}. {hint}".rstrip()


class TemporaryError(InputError):
    """An input was not read for a reason that can change, such as a busy machine: trying again may work."""


class NotCounted(InputError):
    """A result does not have these numbers. The input is not wrong: the dashboard shows a note, not an error."""

    @property
    def on_screen(self) -> str:
        text = super().on_screen
        return f"{text[0].upper()}{text[1:]}"


def short_repr(value: object, limit: int = 60) -> str:
    """The repr of a value for use in a message, cut to `limit` characters; a cut text keeps its closing quote."""
    try:
        text = repr(value)
    except RecursionError:  # a list in a list in a list …, a thousand times
        text = f"a deeply nested {type(value).__name__}"
    if len(text) <= limit:
        return text
    quote = text[-1] if isinstance(value, str | bytes) else ""
    return f"{text[: limit - 1 - len(quote)]}…{quote}"


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number, also one of NumPy; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_count(count: int, most: int, what: str, file: str, place: str = "", hint: str = "Split the file.") -> None:
    """Refuse a count above the limit, for example too many tags."""
    if count > most:
        raise InputError(file, place, f"{count:,} {what}, but at most {most:,} can be read", hint)


def check_choice(place: str, value: object, known: Collection[str], otherwise: str = "", file: str = "") -> None:
    """Refuse a value that is not one of the known ones."""
    if not (isinstance(value, str) and value in known):
        raise unknown_choice(place, value, known, otherwise, file)


def unknown_choice(place: str, value: object, known: Iterable[str], otherwise: str = "", file: str = "") -> InputError:
    """The error for an unknown option value, worded only here. Of many known values, it names close ones."""
    names, which = list(known), "Use one of "
    if len(names) > MOST_CHOICES:
        names = get_close_matches(str(value)[:MOST_COMPARED], names, CLOSEST_CHOICES, cutoff=LEAST_ALIKE)
        which = "The closest are " if len(names) > 1 else "The closest is "
    shown = (name if len(name) <= LONGEST_CHOICE and name.isprintable() else short_repr(name) for name in names)
    choices = f"{which}{', '.join(shown)}{otherwise}" if names else otherwise.lstrip(",; ")
    return InputError(file, place, f"{short_repr(value)} is not known", f"{choices}." if choices else "")
