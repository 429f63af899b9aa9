"""Tables of pages and documents: how pages were matched, the worst ones first, those behind a cell of the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.page_matching import WAYS
from layoutcm.layouts.model import PRED, LabelSpace, Pages
from layoutcm.metrics.levels import Stacks, level_scores, stacks
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.pair_counts import PairCounts

if TYPE_CHECKING:
    import pandas as pd


def matches(alignment: Alignment) -> pd.DataFrame:
    """One row for each page of gt, then those that only pred has: gt_page, pred_page, how."""
    import pandas as pd

    found, (gt, pred) = alignment.matches, (side.page_columns.names for side in alignment.layouts)
    only_pred = [pred[j] for j in found.alone(len(pred))[PRED].tolist()]
    columns = {
        "gt_page": [*gt, *("" for _ in only_pred)],
        "pred_page": [*(pred[j] if j >= 0 else "" for j in found.partner.tolist()), *only_pred],
        "how": [*(WAYS[way] for way in found.how.tolist()), *("" for _ in only_pred)],
    }
    return pd.DataFrame(columns, dtype=object)


def worst_first(columns: dict[str, Any], blocks: Stacks, shared: bool) -> pd.DataFrame:
    """The columns with the scores of each group's own matrix beside them, the lowest F1 first."""
    import pandas as pd

    table = pd.DataFrame(columns | level_scores(blocks, shared))
    by = ["f1", "content_f1"] if shared else ["content_f1"]
    return table.sort_values(by, kind="stable", na_position="last", ignore_index=True)


def behind(counts: PairCounts, space: LabelSpace, pages: Pages, cell: tuple[int, int], method: str) -> pd.DataFrame:
    """Pages ranked by what these counts add to the cell (row, column): page, document, pixels, share of the cell."""
    import pandas as pd

    # Only pages that have such a pair, numbered anew, so that the stack stays small.
    numbers, group = np.unique(counts.page, return_inverse=True)
    row, column = cell
    blocks = stacks(counts, space, group, numbers.size, method)
    pixels = np.concatenate([np.empty(0), *(one.recall_mass[:, row, column] for _, one in blocks)])
    table = pd.DataFrame(
        {
            "page": [pages.names[p] for p in numbers],
            "document": [pages.documents[p] for p in numbers],
            "pixels": pixels,
            "share": ratio(pixels, pixels.sum()),
        }
    )
    return table[table["pixels"] > 0].sort_values("pixels", ascending=False, kind="stable", ignore_index=True)
