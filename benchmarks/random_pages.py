"""Random, overlapping boxes: harder than real pages, whose regions hardly overlap.

If the sides of boxes are 5 to 40 % of the page, 14 boxes have 0.7 times the area of the page and 150 boxes 7.6 times,
so that most pixels lie in several boxes; with 2 to 30 % the areas are half as large.
"""

import numpy as np

SPREADS = ((0.05, 0.40), (0.02, 0.30))  # smallest and largest side of a box, as a share of the page
LABELS = [f"label {i}" for i in range(11)]

# width, height, boxes a side, pages
CASES = [(1025, 1025, 14, 2000), (1700, 2200, 14, 2000), (1700, 2200, 50, 300), (2550, 3300, 150, 30)]


def random_boxes(rng, width, height, n, spread=SPREADS[0]):
    """float64[n, x0 y0 x1 y1] and int64[n]: boxes and their labels."""
    sides = rng.uniform(*spread, (n, 2))
    corner = rng.uniform(0, 1, (n, 2)) * (1 - sides)
    boxes = np.concatenate([corner, corner + sides], axis=1) * [width, height, width, height]
    return boxes, rng.integers(0, len(LABELS), n)


def layout_pair(width, height, boxes, pages, spread=SPREADS[0], seed=0):
    """[gt, pred]: two layouts of the same pages, each with `boxes` boxes per page."""
    from layoutcm.layouts.model import Pages, Regions
    from layoutcm.layouts.validation import make_layout

    rng = np.random.default_rng(seed)
    sizes = np.full(pages, float(width)), np.full(pages, float(height))
    frame = Pages(tuple(f"page {i}" for i in range(pages)), *sizes, ("set",) * pages, np.full(pages, -1, np.int32))
    sides = []
    for name in ("gt", "pred"):
        corners, label = random_boxes(rng, width, height, boxes * pages, spread)
        page = np.repeat(np.arange(pages), boxes).astype(np.int32)
        regions = Regions(page, label.astype(np.int32), corners, np.full(len(page), np.nan))
        sides.append(make_layout(name, "random", LABELS, frame, regions))
    return sides
