"""The best one-to-one assignment of rows to columns, exact, by shortest augmenting paths (the Hungarian method)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats


def best_assignment(values: Floats) -> NDArray[np.int64]:
    """int64[rows]: the column of each row, -1 for none, so that the sum of float64[rows, columns] is largest.

    Values of 0 or less are never assigned.
    """
    rows, columns = values.shape
    # A row may take one of as many further columns instead, which cost nothing.
    costs = np.concatenate([-np.maximum(values, 0), np.zeros((rows, rows))], axis=1)
    column_of = np.full(rows, -1)
    row_of = np.full(rows + columns, -1)
    row_price, column_price = np.zeros(rows), np.zeros(rows + columns)
    for row in range(rows):
        _augment(costs, row, (row_of, column_of), (row_price, column_price))
    assigned = column_of < columns
    assigned[assigned] = values[assigned, column_of[assigned]] > 0
    return np.where(assigned, column_of, -1)


def _augment(
    costs: Floats,
    start: int,
    taken: tuple[NDArray[np.int64], NDArray[np.int64]],
    prices: tuple[Floats, Floats],
) -> None:
    """Give `start` a column, and other rows another one, at the least cost; changes `taken` and `prices`."""
    (row_of, column_of), (row_price, column_price) = taken, prices
    distance = np.full(costs.shape[1], np.inf)
    before = np.full(costs.shape[1], -1)  # the row from which a column is reached
    done = np.zeros(costs.shape[1], bool)
    row, reached, sink = start, 0.0, -1
    while sink < 0:
        step = reached + costs[row] - row_price[row] - column_price
        nearer = ~done & (step < distance)
        distance[nearer], before[nearer] = step[nearer], row
        column = int(np.where(done, np.inf, distance).argmin())
        reached, done[column] = float(distance[column]), True
        if row_of[column] < 0:
            sink = column
        else:
            row = int(row_of[column])
    row_price[start] += reached
    passed = done & (row_of >= 0)
    row_price[row_of[passed]] += reached - distance[passed]
    column_price[done] -= reached - distance[done]
    while sink >= 0:
        row = int(before[sink])
        row_of[sink] = row
        sink, column_of[row] = int(column_of[row]), sink
        if row == start:
            return
