"""The one exception that a user of layoutcm has to know.

It names where the trouble is and how to get out of it; every front end prints it as it stands.
"""


class InputError(Exception):
    """Something is wrong with an input: in which file, at which place, what, and what to do about it."""

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
    """A value as it may stand in a message: on one line, cut where it would flood the screen."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
