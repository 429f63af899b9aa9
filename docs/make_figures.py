"""Draw the pictures of figures.md: every kind of paper figure with 2, 11, 40 and 74 classes, and figures of scores.

Run `python docs/make_figures.py` after a change that is visible in the figures, and look at the result. Pages and
labels are invented.
"""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.cell_charts import model_classes
from layoutcm.drawing.line_charts import (
    curve_of,
    forgiveness_lines,
    points_of,
    recall_curves,
    reliability_bars,
    reliability_of,
    threshold_curve,
)
from layoutcm.drawing.paper import matrix, pages
from layoutcm.drawing.paper.charts import draw
from layoutcm.drawing.paper.figure_style import figure_bytes
from layoutcm.drawing.row_charts import cause_bars, class_bars, slice_dots
from layoutcm.filling.result_parts import curves_part, slices_of_comparison
from layoutcm.models.cell_differences import cell_differences
from layoutcm.tables.leaderboard_tables import class_grid
from layoutcm.tables.slice_tables import slice_table

FIGURES = Path(__file__).parent / "figures"
SAMPLE = Path(__file__).parents[1] / "sample_data"
SLICES = ("doc_category", "content", "columns", None)
CLASS_COUNTS = (2, 11, 40, 74)
NAMES = ["Text", "Picture", "Table", "Title", "Caption", "Formula", "Footnote", "List-item", "Section-header"]
NAMES += ["Page-header", "Page-footer"]
SCORES = ("precision", "recall", "f1")
MAX_HEIGHT, MAX_WIDTH, GAP, PALETTE_COLOURS = 430, 520, 14, 256


def label_names(n):
    return [NAMES[i % 11] + (f", level {i // 11 + 1}" if i >= 11 else "") for i in range(n)]


def coco_bytes(boxes, n):
    images = [{"id": i, "width": 600, "height": 800, "file_name": f"page-{i}.png"} for i in range(24)]
    categories = [{"id": i, "name": name} for i, name in enumerate(label_names(n))]
    annotations = [
        {"id": k, "image_id": page, "category_id": label, "bbox": box} for k, (page, label, box) in enumerate(boxes)
    ]
    return json.dumps({"images": images, "categories": categories, "annotations": annotations}).encode()


def invented_comparison(n, seed):
    """24 pages of boxes in two columns; the prediction moves, drops and mislabels some of them."""
    rng = np.random.default_rng(n)
    gt, pred = [], []
    model = np.random.default_rng(seed)
    for page in range(24):
        for k in range(18):
            label = int(n * rng.beta(1, 1.8))
            box = [40 + 270 * (k % 2), 30 + 82 * (k // 2), 250 - 90 * rng.random(), 66 - 20 * rng.random()]
            gt.append((page, label, box))
            if model.random() < 0.95:
                guess = int((label + model.integers(1, 4)) % n) if model.random() < 0.15 else label
                pred.append((page, guess, [*(v + model.normal(0, 3) for v in box[:2]), box[2] * 0.97, box[3]]))
    return lcm.compare(lcm.read(("gt.json", coco_bytes(gt, n))), lcm.read((f"model-{seed}.json", coco_bytes(pred, n))))


def invented_curve(seed, length=120):
    rng = np.random.default_rng(seed)
    found = np.cumsum(rng.random(length) < np.linspace(1, 0.3 + 0.5 * rng.random(), length))
    columns = {"score": np.linspace(1, 0, length), "precision": found / np.arange(1, length + 1)}
    return pd.DataFrame(columns | {"recall": found / (found[-1] * (1 + 0.5 * rng.random()))})


def invented_intervals(confusion):
    values = confusion.class_values()
    return {name: np.stack([values[name] - 0.04, values[name] + 0.03], axis=1) for name in SCORES}


def all_figures(n):
    """{name of the file: figure} with n classes."""
    first, second = invented_comparison(n, 1), invented_comparison(n, 2)
    m, other = first.confusion(), second.confusion()
    board = lcm.leaderboard({"model-1": first, "model-2": second, "model-3": invented_comparison(n, 3)})
    tables = {label: invented_curve(k) for k, label in enumerate(label_names(n))}
    curves = [
        curve_of(label, table, float(np.trapezoid(table["precision"], table["recall"])))
        for label, table in tables.items()
    ]
    page = first.page_table()["page"][0]
    return {
        "confusion": matrix.matrix_figure(m, "pixels"),
        "recall": matrix.matrix_figure(m, "recall"),
        "precision": matrix.matrix_figure(m, "precision"),
        "f1": matrix.matrix_figure(m, "f1"),
        "one-column": matrix.matrix_figure(m, "recall", width="one"),
        "collapsed": matrix.collapsed_figure(m),
        "classes": draw(class_bars(m, intervals=invented_intervals(m))),
        "curves": draw(recall_curves(curves, recipe=m.recipe)),
        "causes": draw(cause_bars(first.causes(), m)),
        "forgiveness": draw(forgiveness_lines(first.forgiveness(), m.recipe)),
        "difference": matrix.difference_figure(
            m, other, names=("model-1", "model-2"), differences=cell_differences(first, second)
        ),
        "model-classes": draw(model_classes(class_grid(board.shown))),
        "overlay": pages.page_overlay(first, page),
        "mask": pages.page_figure(first, page, "pred"),
        "agreement": pages.page_figure(first, page, "difference"),
    }


def score_figures():
    """Threshold curves and reliability diagrams of the sample: invented scores would show nothing."""
    gt = lcm.read(SAMPLE / "gt.json")
    c = lcm.compare(gt, lcm.read(SAMPLE / "model-a.json", like=gt))
    rows = {row.label: row for row in curves_part(c.score_curves()).classes}
    figures = []
    for label in ("Table", "Text"):
        row = rows[label]
        figures.append(draw(threshold_curve(points_of(label, row.curve), c.recipe)))
        table = reliability_of(row.reliability)
        figures.append(draw(reliability_bars(table, label, row.ece, recipe=c.recipe)))
    return figures


def slice_figures():
    """Slices of the sample by several attributes."""
    gt = lcm.read(SAMPLE / "gt.json", attributes=SAMPLE / "attributes.csv")
    sample = lcm.compare(gt, lcm.read(SAMPLE / "model-a.json", like=gt))
    return [draw(slice_dots(slice_table(slices_of_comparison(sample, attribute)))) for attribute in SLICES]


def shrink(picture):
    scale = min(MAX_HEIGHT / picture.height, MAX_WIDTH / picture.width)
    size = (round(picture.width * scale), round(picture.height * scale))
    return picture.resize(size, Image.Resampling.LANCZOS)


def side_by_side(figures):
    """One picture with all figures in a row, each made smaller."""
    pictures = [Image.open(io.BytesIO(figure_bytes(figure, "png"))).convert("RGB") for figure in figures]
    small = [shrink(picture) for picture in pictures]
    sheet = Image.new("RGB", (sum(p.width for p in small) + GAP * (len(small) - 1), MAX_HEIGHT), "#e8eaed")
    x = 0
    for picture in small:
        sheet.paste(picture, (x, 0))
        x += picture.width + GAP
    return sheet


def main():
    FIGURES.mkdir(exist_ok=True)
    figures = {n: all_figures(n) for n in CLASS_COUNTS}
    rows = {name: [figures[n][name] for n in CLASS_COUNTS] for name in figures[CLASS_COUNTS[0]]}
    total = 0
    for name, drawn in (rows | {"scores": score_figures(), "slices": slice_figures()}).items():
        target = FIGURES / f"{name}.png"
        picture = side_by_side(drawn)
        picture.quantize(PALETTE_COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
        total += target.stat().st_size
        print(target.name, target.stat().st_size)
    print(f"{total:,} bytes")


if __name__ == "__main__":
    main()
