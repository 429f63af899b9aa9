"""Where COCO's cap acts: AP and AR count at most 100 predictions of a label on a page, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from layoutcm.layouts.model import PRED
from layoutcm.metrics.objects.average_precision import DETECTION_LIMITS

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.metrics.objects.matched_objects import Objects

CAP = DETECTION_LIMITS[-1]


def over_cap(objects: Objects) -> pd.DataFrame:
    """The pages and labels with more predictions than count, the most first: page, label, pred, not_counted."""
    import pandas as pd

    pred, labels = objects.sides[PRED], len(objects.labels)
    groups, counts = np.unique(pred.page * labels + pred.label, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    over = order[counts[order] > CAP]
    pages, names = np.divmod(groups[over], labels)
    return pd.DataFrame(
        {
            "page": [objects.pages.names[page] for page in pages.tolist()],
            "label": [objects.labels[label] for label in names.tolist()],
            "pred": counts[over],
            "not_counted": counts[over] - CAP,
        }
    )
