"""The unit of coordinates, as far as a whole file shows it: fractions of the page where larger numbers belong."""

from __future__ import annotations

from collections.abc import Sequence

from layoutcm.errors import InputError

PIXELS = 0.0


class LargestCoordinates:
    """The largest coordinate of each file and unit, which is checked after all files are read. Mutable."""

    def __init__(self) -> None:
        self._largest: dict[tuple[str, float], float] = {}

    def note(self, file: str, box: Sequence[float], parts: float = PIXELS) -> None:
        """Remember a box in parts of the page, thousandths if `parts` is 1000, or in pixels."""
        key, largest = (file, parts), max(box)
        if largest > self._largest.get(key, -1.0):
            self._largest[key] = largest

    def check(self) -> None:
        """Refuse a file without a coordinate above 1. A file whose only box is [0, 0, 1, 1] is refused, too.

        A box of one pixel or part is unlikely; fractions that are taken for pixels would give scores near zero.
        """
        for (file, parts), largest in self._largest.items():
            if 0 < largest <= 1:
                raise _fractions_error(file, parts)


def _fractions_error(file: str, parts: float) -> InputError:
    unit = f"parts of {parts:g}" if parts else "pixels"
    problem = f"no coordinate is above 1: these are fractions of the page, and the format has {unit}"
    return InputError(file, "", problem, f"Multiply them by {f'{parts:g}' if parts else 'the size of the page'}.")
