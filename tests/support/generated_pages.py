"""Hypothesis strategies for small pages with boxes of five labels, and layouts of these pages."""

import numpy as np
from hypothesis import strategies as st

from support.layouts import build

LABELS = [f"label {i}" for i in range(5)]
SPACE = ["Background", *LABELS]

quarters = st.integers(-8, 56).map(lambda n: n / 4)
box = st.tuples(st.sampled_from(LABELS), quarters, quarters, quarters, quarters)
side = st.lists(box, max_size=7)
size = st.tuples(st.integers(1, 12), st.integers(1, 12))
page = st.tuples(size, side, side)


def layouts(pages, labels=LABELS, scale=1):
    """The gt and pred layouts of generated pages [(size, gt boxes, pred boxes)]; boxes may have a score, or None."""
    sizes = {f"page {i}": (w * scale, h * scale) for i, ((w, h), *_) in enumerate(pages)}
    sides = []
    for k in (1, 2):
        rows = [
            (f"page {i}", label, *(v * scale for v in more[:4]), *(np.nan if v is None else v for v in more[4:]))
            for i, generated in enumerate(pages)
            for label, *more in generated[k]
        ]
        sides.append(build(sizes, rows, labels))
    return sides


def random_layouts(pages, regions, size, labels):
    """gt and pred with many boxes on every page, which have scores; always the same."""
    rng = np.random.default_rng(5)
    sizes, sides = {f"page {i}": size for i in range(pages)}, []
    for _ in "gp":
        corners = np.sort(rng.integers(0, min(size), (pages * regions, 2, 2)), axis=1).reshape(-1, 4).tolist()
        places = [(f"page {i % pages}", labels[i % len(labels)]) for i in range(len(corners))]
        sides.append(build(sizes, [(*place, *box, rng.random()) for place, box in zip(places, corners)], labels))
    return sides
