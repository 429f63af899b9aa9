"""The exception for wrong inputs, the only one that users of layoutcm need to handle.

Its text says where the problem is and what to do about it; the command line and the app print it unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


class InputError(Exception):
    """An input is wrong: the file, the place in it, the problem, and a hint on what to do."""

    def __init__(self, file: str, place: str, problem: str, hint: str = "") -> None:
        self.file = file
        self.place = place
        self.problem = problem
        self.hint = hint
        super().__init__(file, place, problem, hint)

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.file, self.place) if part)
        sentence = f"{where}: {self.problem}" if where else self.problem
        return f"{sentence.rstrip('.')}. {self.hint}".rstrip()


def short_repr(value: object, limit: int = 60) -> str:
    """The repr of a value for use in a message, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def check_choice(place: str, value: object, known: Collection[str], otherwise: str = "", file: str = "") -> None:
    """Refuse a value that is not one of the known ones."""
    if not (isinstance(value, str) and value in known):
        raise unknown_choice(place, value, known, otherwise, file)


def unknown_choice(place: str, value: object, known: Iterable[str], otherwise: str = "", file: str = "") -> InputError:
    """The error for an unknown option value; no other place words it."""
    return InputError(file, place, f"{short_repr(value)} is not known", f"Use one of {', '.join(known)}{otherwise}.")
