"""Makes the pictures of figures.md: every kind of paper figure at 2, 11, 40 and 74 classes.

Run `python docs/make_figures.py` after a change that shows, and look at them. Pages and labels are made up.
"""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.paper import charts, matrix, pages
from layoutcm.drawing.paper.printing import figure_bytes

HERE = Path(__file__).parent / "figures"
SIZES = (2, 11, 40, 74)
NAMES = ["Text", "Picture", "Table", "Title", "Caption", "Formula", "Footnote", "List-item", "Section-header"]
NAMES += ["Page-header", "Page-footer"]
SCORES = ("precision", "recall", "f1")
HEIGHT, WIDTH, GAP, SHADES = 430, 520, 14, 256


def labels(n):
    return [NAMES[i % 11] + (f", level {i // 11 + 1}" if i >= 11 else "") for i in range(n)]


def coco(boxes, n):
    images = [{"id": i, "width": 600, "height": 800, "file_name": f"page-{i}.png"} for i in range(24)]
    categories = [{"id": i, "name": name} for i, name in enumerate(labels(n))]
    annotations = [
        {"id": k, "image_id": page, "category_id": label, "bbox": box} for k, (page, label, box) in enumerate(boxes)
    ]
    return json.dumps({"images": images, "categories": categories, "annotations": annotations}).encode()


def compared(n, seed):
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
                read = int((label + model.integers(1, 4)) % n) if model.random() < 0.15 else label
                pred.append((page, read, [*(v + model.normal(0, 3) for v in box[:2]), box[2] * 0.97, box[3]]))
    return lcm.compare(lcm.read(("gt.json", coco(gt, n))), lcm.read((f"model-{seed}.json", coco(pred, n))))


def curve(seed, length=120):
    rng = np.random.default_rng(seed)
    found = np.cumsum(rng.random(length) < np.linspace(1, 0.3 + 0.5 * rng.random(), length))
    columns = {"score": np.linspace(1, 0, length), "precision": found / np.arange(1, length + 1)}
    return pd.DataFrame(columns | {"recall": found / (found[-1] * (1 + 0.5 * rng.random()))})


def intervals(confusion):
    values = confusion.class_values()
    return {
        name: np.stack([values[name] - 0.04, values[name] + 0.03], axis=1) for name in ("precision", "recall", "f1")
    }


def kinds(n):
    first, second = compared(n, 1), compared(n, 2)
    m, other = first.confusion(), second.confusion()
    curves = {label: curve(k) for k, label in enumerate(labels(n))}
    ap = {label: float(np.trapezoid(table["precision"], table["recall"])) for label, table in curves.items()}
    page = first.page_table()["page"][0]
    return {
        "confusion": matrix.matrix_figure(m, "pixels"),
        "recall": matrix.matrix_figure(m, "recall"),
        "precision": matrix.matrix_figure(m, "precision"),
        "f1": matrix.matrix_figure(m, "f1"),
        "one-column": matrix.matrix_figure(m, "recall", width="one"),
        "collapsed": matrix.collapsed_figure(m),
        "classes": charts.class_bars(m, intervals=intervals(m)),
        "curves": charts.curves_figure(curves, ap=ap, recipe=m.recipe),
        "difference": matrix.difference_figure(m, other, names=("model-1", "model-2")),
        "overlay": pages.page_overlay(first, page),
        "mask": pages.page_figure(first, page, "pred"),
        "agreement": pages.page_figure(first, page, "difference"),
    }


def shrunk(picture):
    scale = min(HEIGHT / picture.height, WIDTH / picture.width)
    size = (round(picture.width * scale), round(picture.height * scale))
    return picture.resize(size, Image.Resampling.LANCZOS)


def strip(figures):
    """The four sizes side by side, small."""
    pictures = [Image.open(io.BytesIO(figure_bytes(figure, "png"))).convert("RGB") for figure in figures]
    small = [shrunk(picture) for picture in pictures]
    sheet = Image.new("RGB", (sum(p.width for p in small) + GAP * (len(small) - 1), HEIGHT), "#e8eaed")
    x = 0
    for picture in small:
        sheet.paste(picture, (x, 0))
        x += picture.width + GAP
    return sheet


def main():
    HERE.mkdir(exist_ok=True)
    figures = {n: kinds(n) for n in SIZES}
    total = 0
    for name in figures[SIZES[0]]:
        target = HERE / f"{name}.png"
        strip([figures[n][name] for n in SIZES]).quantize(SHADES, dither=Image.Dither.NONE).save(target, optimize=True)
        total += target.stat().st_size
        print(target.name, target.stat().st_size)
    print(f"{total:,} bytes")


if __name__ == "__main__":
    main()
