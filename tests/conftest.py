"""Layouts from a few lines: what most tests start from."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import make_layout

# Machines that run tests are shared: how long an example takes says nothing about the code.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


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


@pytest.fixture
def two_pages():
    """The two-page example: gt and pred with hits, a split, a double label, a miss and an invention."""
    pages = {"p1": (20, 20), "p2": (10, 10)}
    labels = ["title", "paragraph", "list_item", "picture", "table", "caption"]
    gt = build(
        pages,
        [
            ("p1", "title", 0, 0, 20, 4),
            ("p1", "paragraph", 0, 4, 10, 12),
            ("p1", "list_item", 0, 12, 10, 20),
            ("p1", "picture", 10, 4, 20, 20),
            ("p2", "table", 0, 0, 10, 5),
        ],
        labels,
        name="gt",
    )
    pred = build(
        pages,
        [
            ("p1", "title", 0, 0, 20, 4, 0.95),
            ("p1", "paragraph", 0, 4, 10, 14, 0.9),
            ("p1", "paragraph", 0, 14, 10, 20, 0.6),
            ("p1", "table", 10, 4, 20, 20, 0.8),
            ("p1", "picture", 10, 4, 20, 12, 0.5),
            ("p2", "table", 0, 0, 10, 4, 0.7),
            ("p2", "caption", 0, 6, 10, 8, 0.4),
        ],
        labels,
        name="pred",
    )
    return gt, pred
