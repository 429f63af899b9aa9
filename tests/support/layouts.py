"""Build layouts from a few lines, as most tests do."""

from dataclasses import replace

import numpy as np

from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import make_layout


def build(pages, regions, labels=None, name="x", documents=None):
    """A layout from {page: (width, height)} and rows (page, label, x0, y0, x1, y1[, score])."""
    names = list(pages)
    labels = list(labels) if labels is not None else list(dict.fromkeys(row[1] for row in regions))
    return make_layout(
        name,
        "test",
        labels,
        Pages(
            tuple(names),
            np.array([float(w) for w, _ in pages.values()]),
            np.array([float(h) for _, h in pages.values()]),
            tuple(documents[page] for page in names) if documents else ("",) * len(names),
            np.full(len(names), -1, np.int32),
        ),
        Regions(
            np.array([names.index(row[0]) for row in regions], np.int32),
            np.array([labels.index(row[1]) for row in regions], np.int32),
            np.array([row[2:6] for row in regions], float).reshape(-1, 4),
            np.array([row[6] if len(row) > 6 else np.nan for row in regions], float),
        ),
    )


def with_shapes(layout, shapes):
    """The layout with these outlines and masks, {number of a region: shape}."""
    return replace(layout, region_columns=replace(layout.region_columns, shapes=shapes))


def box_iou(one, other):
    """The IoU of two boxes (x0, y0, x1, y1), in plain Python."""
    width, height = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    both = max(width, 0) * max(height, 0)
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, other)]
    return both / (sum(areas) - both) if both else 0
