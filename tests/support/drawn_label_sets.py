"""Pages drawn in kinds of regions, as each built-in label set would label them; a prediction makes mistakes.

The kinds are those of `layoutcm.diagnosis.label_mapping`. What belongs together is known from the drawing.
"""

import random

from layoutcm.diagnosis.label_mapping import KINDS, LABEL_SETS
from support.layouts import build

WIDTH, HEIGHT = 850, 1100
SIZES = {
    "title": 40,
    "heading": 22,
    "text": 90,
    "list": 60,
    "reference": 60,
    "code": 70,
    "contents": 120,
    "formula": 36,
}
FLOATS = {
    "picture": ("figure caption", "figure note"),
    "chart": ("figure caption", "figure note"),
    "table": ("table caption", "table note"),
}


def drawn_pages(pages, seed):
    """[(page, kind, x0, y0, x1, y1)]: one or two columns of blocks, with headers, footers and page numbers."""
    random_of = random.Random(seed)
    rows = []
    for page in range(pages):
        name, columns = f"page {page}", random_of.choice((1, 2))
        rows.append((name, "page header", 60, 20, 60 + random_of.randint(200, 700), 44))
        rows.append((name, "page footer", 60, 1060, 60 + random_of.randint(150, 400), 1082))
        rows.append((name, "page number", 760, 1060, 790, 1082))
        width = 730 // columns
        for column in range(columns):
            left, y = 60 + column * width, 60
            while y < 940:
                y = _draw_block(rows, name, left, left + width - 20, y, random_of)
            if random_of.random() < 0.7:
                rows.append((name, "footnote", left, 1000, left + width - 20, 1046))
    return rows


def _draw_block(rows, page, left, right, y, random_of):
    """Draw one block, or a picture or table with its caption and note; returns where the next one begins."""
    kind = random_of.choice([*SIZES, "text", "text", "heading", *FLOATS])
    if kind in FLOATS:
        caption, note = FLOATS[kind]
        bottom = y + random_of.randint(90, 170)
        rows.append((page, kind, left, y, right, bottom))
        rows.append((page, caption, left + 20, bottom + 8, right - 20, bottom + 36))
        rows.append((page, note, left, bottom + 46, right, bottom + 70))
        return bottom + 84
    bottom = y + SIZES[kind] + random_of.randint(0, SIZES[kind] // 2)
    end = right - 50 if kind == "formula" else right
    rows.append((page, kind, left, y, end, bottom))
    if kind == "formula":
        rows.append((page, "formula number", right - 40, y + 2, right, bottom - 2))
    if kind == "code":
        rows.append((page, "code caption", left, bottom + 6, right, bottom + 30))
        bottom += 30
    return bottom + 14


def labelled(rows, label_set):
    """The regions as one label set labels them; those that it does not label are left out."""
    column = LABEL_SETS.index(label_set)
    return [(page, KINDS[kind][column], *box) for page, kind, *box in rows if KINDS[kind][column]]


def predicted(rows, labels, seed):
    """Regions with moved edges; a tenth is missing, one in twenty has another label, some are in two halves."""
    random_of = random.Random(seed)
    found = []
    for page, label, x0, y0, x1, y1 in rows:
        if random_of.random() < 0.1:
            continue
        if random_of.random() < 0.05:
            label = random_of.choice(labels)
        x0, y0, x1, y1 = (edge + random_of.randint(-3, 3) for edge in (x0, y0, x1, y1))
        middle = (x0 + x1) // 2
        halves = [(x0, middle), (middle, x1)] if random_of.random() < 0.05 else [(x0, x1)]
        found += [(page, label, a, y0, b, y1) for a, b in halves]
    return found


def two_layouts(gt_set, pred_set, pages=30, seed=0):
    """The ground truth in one label set, and a prediction in another one."""
    rows = drawn_pages(pages, seed)
    sizes = {f"page {page}": (WIDTH, HEIGHT) for page in range(pages)}
    gt, pred = labelled(rows, gt_set), labelled(rows, pred_set)
    return build(sizes, gt), build(sizes, predicted(pred, [row[1] for row in pred], seed + 1))


def right_partners(gt_set, pred_set, pages=30, seed=0):
    """{pred label: {gt label: share of its drawn area}}; "" is the area that the set of gt does not label."""
    gt, pred = LABEL_SETS.index(gt_set), LABEL_SETS.index(pred_set)
    areas = {}
    for _, kind, x0, y0, x1, y1 in drawn_pages(pages, seed):
        if KINDS[kind][pred]:
            of_label = areas.setdefault(KINDS[kind][pred], {})
            of_label[KINDS[kind][gt]] = of_label.get(KINDS[kind][gt], 0) + (x1 - x0) * (y1 - y0)
    return {label: {i: area / sum(of.values()) for i, area in of.items()} for label, of in areas.items()}
