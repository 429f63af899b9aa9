"""Seeded COCO pairs of any size, similar to DocLayNet: documents of 12 pages, about 14 boxes per page.

The files are written by string formatting, so that this module needs none of the code that is measured.
"""

import argparse
import json
from pathlib import Path

import numpy as np

LABELS = ["Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header", "Picture"]
LABELS += ["Section-header", "Table", "Text", "Title"]
PAGE_SIDE = 1025
PAGES_PER_DOCUMENT = 12


def page_boxes(rng: np.random.Generator, pages: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """int64[boxes] and float64[boxes, x y w h]: the page of each box, and boxes in columns as on a printed page."""
    counts = rng.poisson(mean, pages).clip(1, 120)
    page = np.repeat(np.arange(pages), counts)
    rank = np.arange(page.size) - np.repeat(np.cumsum(counts) - counts, counts)
    band = (PAGE_SIDE - 80) / counts[page]
    wide = rng.random(page.size) < 0.5
    x = np.where(wide, 60.0, np.where(rng.random(page.size) < 0.5, 60.0, 530.0)) + rng.normal(0, 3, page.size)
    y = 40 + rank * band + rng.uniform(0, 4, page.size)
    w = np.where(wide, 900.0, 430.0) * rng.uniform(0.7, 1.0, page.size)
    h = np.maximum(band * rng.uniform(0.5, 1.05, page.size), 3)
    return page, np.stack([x, y, w, h], axis=1)


def write_pair(folder: Path, pages: int, seed: int = 0, mean: float = 13.6) -> tuple[Path, Path]:
    """A ground truth with DocLayNet's fields and a results list of shifted, dropped and mislabelled boxes."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    page, boxes = page_boxes(rng, pages, mean)
    label = rng.choice(len(LABELS), page.size, p=np.array([2, 1, 2, 17, 6, 5, 4, 13, 3, 46, 1]) / 100)
    gt_path, pred_path = folder / f"gt-{pages}.json", folder / f"pred-{pages}.json"
    with gt_path.open("w") as out:
        categories = [{"supercategory": name, "id": i + 1, "name": name} for i, name in enumerate(LABELS)]
        out.write(f'{{"categories": {json.dumps(categories)}, "images": [')
        out.write(",".join(_image(i) for i in range(pages)))
        out.write('], "annotations": [')
        out.write(",".join(_annotation(i, *row) for i, row in enumerate(zip(page, label, boxes.tolist()))))
        out.write("]}")
    kept = rng.random(page.size) < 0.97
    moved = boxes + rng.normal(0, 2.5, boxes.shape)
    moved[:, 2:] = moved[:, 2:].clip(2)
    mixed = np.where(rng.random(page.size) < 0.06, rng.integers(0, len(LABELS), page.size), label)
    score = rng.beta(8, 2, page.size)
    with pred_path.open("w") as out:
        rows = zip(page[kept], mixed[kept], moved[kept].tolist(), score[kept])
        out.write("[" + ",".join(_result(*row) for row in rows) + "]")
    return gt_path, pred_path


def _image(i: int) -> str:
    document, number = divmod(i, PAGES_PER_DOCUMENT)
    return (
        f'{{"id": {i}, "width": {PAGE_SIDE}, "height": {PAGE_SIDE}, "file_name": "{i * 2654435761 % 2**64:064x}.png", '
        f'"collection": "ann_reports_00_04_fancy", "doc_name": "report_{document:05d}.pdf", "page_no": {number + 1}, '
        f'"precedence": 0, "doc_category": "financial_reports"}}'
    )


def _annotation(i: int, page: int, label: int, box: list[float]) -> str:
    x, y, w, h = (round(v, 3) for v in box)
    x1, y1 = round(x + w, 3), round(y + h, 3)
    return (
        f'{{"id": {i + 1}, "image_id": {page}, "category_id": {label + 1}, "bbox": [{x}, {y}, {w}, {h}], '
        f'"segmentation": [[{x}, {y}, {x}, {y1}, {x1}, {y1}, {x1}, {y}]], "area": {w * h:.2f}, '
        f'"iscrowd": 0, "precedence": 0}}'
    )


def _result(page: int, label: int, box: list[float], score: float) -> str:
    x, y, w, h = (round(v, 2) for v in box)
    return f'{{"image_id":{page},"category_id":{label + 1},"bbox":[{x},{y},{w},{h}],"score":{score:.4f}}}'


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=80_863)
    arguments = parser.parse_args()
    print(*write_pair(arguments.folder, arguments.pages), sep="\n")
