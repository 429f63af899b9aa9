"""Two matrices with the same labels as one table: one below the other, or their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import drawn_matrix
from layoutcm.tables.matrix_views import Selection
from layoutcm.tables.tables import Table, matrix_table

MODEL = "model"


def pair_table(matrices: Mapping[str, Confusion], view: str, selection: Selection) -> Table:
    """One view of two matrices, {title: matrix}, one below the other; the first column has the titles."""
    import pandas as pd

    first, second = (matrix_table(one, view, shown) for one, shown in _drawn(list(matrices.values()), selection))
    # Two taxonomies can use the same label name, so columns are joined by position, not by name.
    both = [one.data.set_axis(range(one.data.shape[1]), axis=1) for one in (first, second)]
    data = pd.concat(both, ignore_index=True).set_axis(first.data.columns, axis=1)
    titles = [title for title, one in zip(matrices, both) for _ in range(len(one))]
    data.insert(0, MODEL, pd.Series(titles, dtype=object), allow_duplicates=True)
    return replace(first, data=data)


def difference_table(
    first: Confusion, second: Confusion, view: str, selection: Selection, names: Sequence[str]
) -> Table:
    """One view of the second matrix minus that of the first."""
    before, after = (matrix_table(one, view, shown) for one, shown in _drawn([first, second], selection))
    values = after.data.iloc[:, 1:].to_numpy(float) - before.data.iloc[:, 1:].to_numpy(float)
    data = after.data.copy()
    data.isetitem(list(range(1, data.shape[1])), values)
    title = f"{after.title}: {names[1]} minus {names[0]}"
    return replace(after, name=f"difference-{after.name}", title=title, data=data)


def _drawn(matrices: Sequence[Confusion], selection: Selection) -> list[tuple[Confusion, Selection]]:
    """The matrices with the same small labels joined, if they are more than can be drawn."""
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in matrices], axis=0)
    return [drawn_matrix(one, selection, sizes)[:2] for one in matrices]
