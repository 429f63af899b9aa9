"""The unit of coordinates, as far as a whole file shows it: fractions of the page where larger numbers belong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutcm.errors import InputError
from layoutcm.formats.parsing import LARGEST_FRACTION

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

    def check(self, largest_side: Callable[[str], float]) -> None:
        """Refuse a file without a coordinate above 2, unless its pages are so small, too.

        A file whose only box is [0, 0, 1, 1] is refused, too: a box of one pixel or part is unlikely, and fractions
        that are taken for pixels would give scores near zero.
        """
        for (file, parts), largest in self._largest.items():
            if 0 < largest <= LARGEST_FRACTION and (parts or largest_side(file) > LARGEST_FRACTION):
                raise _fractions_error(file, parts)


def _fractions_error(file: str, parts: float) -> InputError:
    unit = f"parts of {parts:g}" if parts else "pixels"
    reach = f"no coordinate is above {LARGEST_FRACTION:g}"
    problem = f"{reach}: these look like fractions of the page, and the format has {unit}"
    return InputError(file, "", problem, f"Multiply them by {f'{parts:g}' if parts else 'the size of the page'}.")
