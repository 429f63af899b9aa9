"""A generated layout of a book, which can be written in a wrong convention."""

import numpy as np

from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import FileIds, make_layout

LABELS = ["Title", "Text", "Table", "Picture", "Caption"]
WIDTH, HEIGHT = 800.0, 1100.0


def layout(boxes_of=lambda boxes: boxes, pages=12, seed=1, scores=None, labels=LABELS, shift=0, ids=0):
    """A layout whose pages have regions of various heights, all in the upper part of the page."""
    rng = np.random.default_rng(seed)
    page, label, boxes = [], [], []
    for i in range(pages):
        y = 40.0
        while y < 0.7 * HEIGHT:
            height = rng.uniform(20, 140)
            x = rng.choice([40.0, 300.0])
            boxes.append((x, y, x + rng.uniform(200, 450), y + height))
            page.append(i + shift)
            label.append(int(rng.integers(len(LABELS) - 1)) + ids)
            y += height + rng.uniform(5, 60)
    inside = [k for k, p in enumerate(page) if 0 <= p < pages]
    columns = Pages(
        tuple(f"p{i}.png" for i in range(pages)), np.full(pages, WIDTH), np.full(pages, HEIGHT), ("book",) * pages,
        np.arange(1, pages + 1, dtype=np.int32),
    )  # fmt: skip
    regions = Regions(
        np.array(page, np.int32)[inside], np.array(label, np.int32)[inside], boxes_of(np.array(boxes)[inside]),
        np.full(len(inside), np.nan) if scores is None else scores(len(inside)),
    )  # fmt: skip
    return make_layout("made", "test", labels, columns, regions, ids=FileIds({}, {i: i for i in range(len(labels))}))
