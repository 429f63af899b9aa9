"""Slices with known numbers, for figures: a worse one with an interval, one without, and an undefined one."""

import numpy as np
import pandas as pd

from layoutcm.tables.slice_tables import SliceTable

NAN = np.nan
ROWS = [
    ("<b>x</b>", 12, 8, 0.5, 0.4, 0.75, -0.25, "worse"),
    ("$y$", 3, 2, 0.75, NAN, NAN, 0.125, "too few documents"),
    ("better", 20, 9, 0.875, 0.8, 0.9, 0.25, "better"),
    ("empty", 1, 1, NAN, NAN, NAN, NAN, None),
]


def slices_with_known_numbers(attribute="kind"):
    columns = ["value", "pages", "documents", "micro_f1", "low", "high", "difference", "verdict"]
    data = pd.DataFrame(ROWS, columns=columns).assign(figure="micro_f1")
    data["verdict"] = pd.Series([row[-1] for row in ROWS], dtype=object)
    if attribute is None:
        data.insert(0, "attribute", ["kind", "size", "kind", "kind"])
    return SliceTable(attribute, data, "micro_f1", "how", "gt:a|pred:b|v0", 0.625)
