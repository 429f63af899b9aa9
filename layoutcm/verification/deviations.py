"""Compare numbers of layoutcm with recounted ones: how many there are, and which deviates most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from layoutcm.lazy import pd

TOLERANCE = 1e-6
COLUMNS = ("quantity", "recounted_by", "numbers", "largest_deviation")


class Quantity(NamedTuple):
    """A kind of number."""

    title: str
    is_count: bool = False  # a number of pixels, which may be large: its deviation is relative


PIXELS = Quantity("pixels", is_count=True)
PAIRS = Quantity("pixels of each pair of label sets", is_count=True)
MATRIX = Quantity("confusion matrix", is_count=True)
CELL_SCORES = Quantity("recall, precision and F1 of its cells")
CLASS_PIXELS = Quantity("pixels of each class", is_count=True)
CLASS_SCORES = Quantity("precision, recall, F1 and IoU of each class")
AVERAGES = Quantity("averages over classes")
CONTENT = Quantity("content against Background")
PAGE_TABLE = Quantity("scores in the page table")
OBJECTS = Quantity("COCO's twelve numbers")
CLASS_OBJECTS = Quantity("AP, AP50, AP75 and AR of each class")

Row = tuple[Quantity, str]  # with how it was recounted
Numbers = dict[Quantity, dict[str, float]]  # {quantity: {place: number}}


class Deviation(NamedTuple):
    """One number: what layoutcm computed, and what was recounted."""

    quantity: Quantity
    recounted_by: str
    page: str  # or "all pages"
    place: str  # the row and column of a matrix, a label, the name of a score
    computed: float
    recounted: float

    @property
    def size(self) -> float:
        """The absolute deviation of a score, the relative one of a count; inf if only one of the two exists."""
        if math.isnan(self.computed) or math.isnan(self.recounted):
            return 0.0 if math.isnan(self.computed) and math.isnan(self.recounted) else math.inf
        scale = max(1.0, abs(self.recounted)) if self.quantity.is_count else 1.0
        return abs(self.computed - self.recounted) / scale


@dataclass
class Deviations:
    """Collects all compared numbers: for each row of the table their number and the largest deviation."""

    numbers: dict[Row, int] = field(default_factory=dict)
    worst: dict[Row, Deviation] = field(default_factory=dict)
    above_tolerance: list[Deviation] = field(default_factory=list)

    def compare(self, recounted_by: str, page: str, computed: Numbers, recounted: Numbers) -> None:
        """Compare all numbers that were recounted; pixels that only one side has are 0 on the other."""
        for quantity, expected in recounted.items():
            row, missing = (quantity, recounted_by), 0.0 if quantity.is_count else math.nan
            for place in dict.fromkeys((*computed[quantity], *expected)):
                values = (float(side.get(place, missing)) for side in (computed[quantity], expected))
                found = Deviation(quantity, recounted_by, page, place, *values)
                absent = math.isnan(found.computed) and math.isnan(found.recounted)
                self.numbers[row] = self.numbers.get(row, 0) + (not absent)
                if row not in self.worst or found.size > self.worst[row].size:
                    self.worst[row] = found
                if found.size > TOLERANCE:
                    self.above_tolerance.append(found)

    def table(self) -> pd.DataFrame:
        """One row per quantity and way to recount it: quantity, recounted_by, numbers, largest_deviation."""
        rows = [(row[0].title, row[1], n, self.worst[row].size) for row, n in self.numbers.items()]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def cells(name: str, labels: Sequence[str], matrix: Iterable[Iterable[float]]) -> dict[str, float]:
    """A matrix as {place: number}; the name may be empty."""
    prefix = f"{name}, " if name else ""
    return {
        f"{prefix}row {row}, column {column}": float(value)
        for row, values in zip(labels, matrix)
        for column, value in zip(labels, values)
    }


def pair_name(gt: Iterable[str], pred: Iterable[str]) -> str:
    return f"gt {' + '.join(sorted(gt))}, pred {' + '.join(sorted(pred))}"


def average_name(kind: str, score: str, background: bool) -> str:
    return f"{kind} {score}, {'with' if background else 'without'} Background"
