"""Generated pages, errors planted in their ground truth, and models that know nothing of these errors.

The errors are the four kinds of `label_errors`, a quarter each. The models are drawn from the true regions,
independently of each other: each has its own confusions of labels, and its own rates of losses, inventions, splits and
inexact borders.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from support.layouts import box_iou, build

SIZE = (850, 1100)
# How frequent each label is, and how high its regions are.
LABELS = {
    "Text": (0.44, 30, 160), "Section-header": (0.14, 14, 26), "List-item": (0.16, 14, 60), "Caption": (0.05, 12, 30),
    "Table": (0.05, 80, 240), "Picture": (0.05, 80, 240), "Formula": (0.04, 20, 50), "Footnote": (0.03, 10, 30),
    "Title": (0.04, 24, 60),
}  # fmt: skip
NAMES = list(LABELS)
SHARE = 0.05  # of the regions are wrong
COLUMN, GAP, TOP, BOTTOM = 350, 14, 60, 1040
LEFT_BLANK = 0.15  # of the places for regions


@dataclass(frozen=True)
class Region:
    page: str
    label: str
    box: tuple[float, float, float, float]

    @property
    def row(self):
        return (self.page, self.label, *self.box)


@dataclass(frozen=True)
class Planted:
    """An error: what gt says (None for a missing region) and what is right (None for a spurious one)."""

    kind: str
    written: Region | None
    right: Region | None


@dataclass(frozen=True)
class PlantedSet:
    pages: dict[str, tuple[int, int]]
    true: list[Region]
    written: list[Region]
    errors: list[Planted]
    blank: list[Region] = field(default_factory=list)  # places without a region

    @property
    def gt(self):
        return build(self.pages, [region.row for region in self.written], NAMES, name="gt")


def draw_pages(rng, count):
    """True regions and blank places of pages with one or two columns."""
    true, blank, pages = [], [], {f"page {i:04}": SIZE for i in range(count)}
    shares = np.array([LABELS[name][0] for name in NAMES])
    for page in pages:
        columns = [(60, 60 + 2 * COLUMN)] if rng.random() < 0.5 else [(60, 60 + COLUMN), (90 + COLUMN, 90 + 2 * COLUMN)]
        for left, right in columns:
            y = TOP
            while y < BOTTOM:
                label = NAMES[rng.choice(len(NAMES), p=shares / shares.sum())]
                height, width = rng.uniform(*LABELS[label][1:]), (right - left) * rng.uniform(0.6, 1)
                if y + height > BOTTOM:
                    break
                place = Region(page, label, tuple(map(round, (left, y, left + width, y + height))))
                (blank if rng.random() < LEFT_BLANK else true).append(place)
                y += height + rng.uniform(GAP, 2 * GAP)
    return pages, true, blank


def wrong_box(box, rng):
    """A box with one border moved in or out by a third of the region."""
    moved, axis = list(box), rng.integers(0, 4)
    side = (box[2] - box[0], box[3] - box[1])[axis % 2]
    moved[axis] += round(side * rng.uniform(0.25, 0.4)) * rng.choice([-1, 1])
    width, height = SIZE
    return max(moved[0], 0), max(moved[1], 0), min(moved[2], width), min(moved[3], height)


def plant(rng, count):
    """A set of pages whose ground truth has errors in `SHARE` of its regions, a quarter of each kind."""
    pages, true, blank = draw_pages(rng, count)
    each = round(SHARE * len(true) / 4)
    chosen = rng.choice(len(true), 3 * each, replace=False)
    errors = {}
    for k, i in enumerate(chosen.tolist()):
        region, kind = true[i], ("label", "missing", "box")[k % 3]
        other = rng.choice([name for name in NAMES if name != region.label])
        written = {
            "label": replace(region, label=str(other)),
            "missing": None,
            "box": replace(region, box=wrong_box(region.box, rng)),
        }
        errors[i] = Planted(kind, written[kind], region)
    written = [errors[i].written if i in errors else region for i, region in enumerate(true)]
    spurious = [blank[i] for i in rng.choice(len(blank), each, replace=False)]
    planted = [*errors.values(), *(Planted("spurious", region, None) for region in spurious)]
    return PlantedSet(pages, true, [*filter(None, written), *spurious], planted, blank)


def draw_model(rng, planted, name):
    """A prediction of the true regions, with mistakes of its own."""
    lost, invented, split, jitter = rng.uniform([0.01, 0.01, 0.01, 1], [0.04, 0.08, 0.03, 2.5])
    confused = dict(zip(NAMES, rng.permutation(NAMES)))  # the label that each is often read as
    rates = dict(zip(NAMES, rng.uniform(0.01, 0.1, len(NAMES))))
    rows = []

    def add(region, label, is_right):
        x0, y0, x1, y1 = np.array(region.box) + rng.normal(0, jitter, 4)
        score = rng.beta(8, 2) if is_right else rng.beta(4, 4)
        box = max(x0, 0), max(y0, 0), max(x1, x0 + 4, 4), max(y1, y0 + 4, 4)
        rows.append((region.page, str(label), *box, score))

    for region in planted.true:
        draw = rng.random()
        wrong = rng.random() < rates[region.label]
        label = (confused[region.label] if rng.random() < 0.8 else rng.choice(NAMES)) if wrong else region.label
        if draw < lost:
            continue
        if draw < lost + split:
            x0, y0, x1, y1 = region.box
            middle = y0 + (y1 - y0) * rng.uniform(0.3, 0.7)
            add(replace(region, box=(x0, y0, x1, middle)), label, False)
            add(replace(region, box=(x0, middle, x1, y1)), label, False)
        else:
            add(region, label, label == region.label)
    for place in planted.blank:
        if rng.random() < invented:
            add(place, rng.choice(NAMES), False)
    return build(planted.pages, rows, NAMES, name=name)


def found_errors(table, errors):
    """bool[rows of the table]: whether a candidate is a planted error of its kind, at its place, not found before."""
    by_page = {}
    for error in errors:
        by_page.setdefault((error.right or error.written).page, []).append(error)
    found = []
    for row in table.itertuples():
        hit = next((error for error in by_page.get(row.page, []) if is_error(row, error)), None)
        if hit:
            by_page[row.page].remove(hit)
        found.append(hit is not None)
    return np.array(found, bool)


def is_error(row, error):
    if row.kind != error.kind:
        return False
    if row.kind == "missing":
        return box_iou((row.suggested_x0, row.suggested_y0, row.suggested_x1, row.suggested_y1), error.right.box) > 0.5
    return (row.x0, row.y0, row.x1, row.y1) == tuple(error.written.box)
