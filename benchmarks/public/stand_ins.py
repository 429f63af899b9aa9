"""Stand-ins for DocLayNet and for the predictions of four models, where the real files cannot be had.

    python benchmarks/public/stand_ins.py FOLDER [--pages 80863]

FOLDER/data has shards with the columns of DocLayNet 1.2 of Hugging Face (images, PDFs and texts are only a few bytes),
split as DocLayNet is. FOLDER/predictions has four files in the forms in which models give their answers, and
FOLDER/models.yaml names them. The boxes are random: the figures say nothing about any model.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import yaml
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from generate import LABELS, PAGE_SIDE, PAGES_PER_DOCUMENT, page_boxes

PAGES = 80_863
SPLITS = {"train": 69_375, "val": 6_489, "test": 4_999}
SHARD = 8_000
CATEGORIES = (
    "financial_reports",
    "scientific_articles",
    "laws_and_regulations",
    "government_tenders",
    "manuals",
    "patents",
)
# How often each label occurs, about as in DocLayNet.
SHARES = np.array([2, 1, 2, 17, 6, 5, 4, 13, 3, 46, 1]) / 100
OTHER_NAMES = {"Caption": "figure_title", "Footnote": "footnote", "Formula": "formula", "List-item": "reference",
               "Page-footer": "footer", "Page-header": "header", "Picture": "image",
               "Section-header": "paragraph_title", "Table": "table", "Text": "text", "Title": "doc_title"}  # fmt: skip


class Regions(NamedTuple):
    """Columns of all regions of a layout: number of the page, number of the label, x, y, w, h, score."""

    page: np.ndarray
    label: np.ndarray
    box: np.ndarray
    score: np.ndarray


def page_hash(page: int) -> str:
    return hashlib.sha256(str(page).encode()).hexdigest()


def ground_truth(pages: int, seed: int = 0) -> Regions:
    rng = np.random.default_rng(seed)
    page, box = page_boxes(rng, pages, 13.6)
    return Regions(page, rng.choice(len(LABELS), page.size, p=SHARES), box.round(3), np.ones(page.size))


def predicted(gt: Regions, seed: int, shift: float, missed: float, mixed: float) -> Regions:
    """The ground truth with borders that are off, and shares of regions that are missed and have another label."""
    rng = np.random.default_rng(seed)
    kept = rng.random(gt.page.size) >= missed
    box = gt.box + rng.normal(0, shift, gt.box.shape)
    box[:, 2:] = box[:, 2:].clip(2)
    wrong = rng.random(gt.page.size) < mixed
    label = np.where(wrong, rng.integers(0, len(LABELS), gt.page.size), gt.label)
    score = np.where(wrong, rng.beta(4, 4, gt.page.size), rng.beta(8, 2, gt.page.size)).round(4)
    return Regions(gt.page[kept], label[kept], box[kept].round(2), score[kept])


def shard_table(gt: Regions, pages: range, picture: bytes) -> pa.Table:
    """The columns of DocLayNet 1.2."""
    rows = slice(*np.searchsorted(gt.page, [pages.start, pages.stop]))
    offsets = np.searchsorted(gt.page[rows], np.arange(pages.start, pages.stop + 1)).astype(np.int32)
    box = gt.box[rows]
    four = pa.ListArray.from_arrays(np.arange(0, box.size + 1, 4, dtype=np.int32), pa.array(box.ravel()))
    metadata = [
        {"coco_height": PAGE_SIDE, "coco_width": PAGE_SIDE, "collection": "ann_reports_00_04_fancy",
         "doc_category": CATEGORIES[page // PAGES_PER_DOCUMENT % len(CATEGORIES)], "image_id": page,
         "num_pages": PAGES_PER_DOCUMENT, "original_filename": f"report_{page // PAGES_PER_DOCUMENT:05}.pdf",
         "original_height": 792.0, "original_width": 612.0, "page_hash": page_hash(page),
         "page_no": page % PAGES_PER_DOCUMENT + 1}
        for page in pages
    ]  # fmt: skip
    cells = [[{"bbox": [0.0, 0.0, 9.0, 9.0], "font": {"name": "", "size": 9.0}, "text": "words"}]]
    count = len(pages)
    columns = {
        "image": pa.array([{"bytes": picture, "path": None}] * count),
        "bboxes": pa.ListArray.from_arrays(offsets, four),
        "category_id": pa.ListArray.from_arrays(offsets, pa.array(gt.label[rows] + 1)),
        "segmentation": pa.array([[[[0.0, 0.0]]]] * count),
        "area": pa.ListArray.from_arrays(offsets, pa.array(box[:, 2] * box[:, 3])),
        "pdf_cells": pa.array([cells] * count),
        "metadata": pa.array(metadata),
        "pdf": pa.array([b"%PDF-1.4"] * count),
    }
    return pa.table(columns)


def write_ground_truth(gt: Regions, pages: int, folder: Path) -> None:
    folder.mkdir(parents=True)
    picture = io.BytesIO()
    Image.new("1", (PAGE_SIDE, PAGE_SIDE), 1).save(picture, "PNG")
    for split, part in splits(pages):
        starts = range(part.start, part.stop, SHARD)
        for number, start in enumerate(starts):
            shard = range(start, min(start + SHARD, part.stop))
            name = f"{split}-{number:05}-of-{len(starts):05}.parquet"
            pq.write_table(shard_table(gt, shard, picture.getvalue()), folder / name, row_group_size=1_000)


def splits(pages: int) -> Iterator[tuple[str, range]]:
    """(name, its pages); a smaller set has splits in the same proportion."""
    last = 0
    for end, name in zip(np.cumsum(list(SPLITS.values())), SPLITS):
        start, last = last, int(end) * pages // PAGES
        yield name, range(start, last)


def write_results(found: Regions, path: Path, by_name: bool) -> None:
    """A list of COCO results; with `by_name`, image_id is the name of the image, as Ultralytics writes it."""
    columns = (found.page.tolist(), (found.label + 1).tolist(), found.box.tolist(), found.score.tolist())
    rows = (
        {"image_id": page_hash(page) if by_name else page, "category_id": label, "bbox": box, "score": score}
        for page, label, box, score in zip(*columns)
    )
    path.write_text("[" + ",".join(map(json.dumps, rows)) + "]", "utf-8")


def table_of(found: Regions, names: list[str]) -> pa.Table:
    """The columns of a layout table: corners of boxes, and the size of the page in every row."""
    hashes = pa.array([page_hash(page) for page in range(int(found.page.max()) + 1)])
    x, y, w, h = found.box.T
    corners = {"x0": x, "y0": y, "x1": x + w, "y1": y + h}
    side = np.full(x.size, PAGE_SIDE)
    chosen = {"page": hashes.take(pa.array(found.page)), "label": pa.array(names).take(pa.array(found.label))}
    return pa.table({**chosen, **corners, "score": found.score, "width": side, "height": side})


def write_stand_ins(folder: Path, pages: int) -> None:
    gt = ground_truth(pages)
    write_ground_truth(gt, pages, folder / "data")
    place = folder / "predictions"
    place.mkdir()
    write_results(predicted(gt, 1, 2.5, 0.03, 0.06), place / "coco_instances_results.json", by_name=False)
    write_results(predicted(gt, 2, 4.0, 0.05, 0.08), place / "predictions.json", by_name=True)
    other = [OTHER_NAMES[name] for name in LABELS]
    pa.csv.write_csv(table_of(predicted(gt, 3, 3.0, 0.04, 0.10), other), place / "other-labels.csv")
    pq.write_table(table_of(predicted(gt, 4, 2.5, 0.04, 0.06), LABELS), place / "table.parquet")
    chosen = {
        "ground_truth": "data",
        "models": {
            "detectron-like": "predictions/coco_instances_results.json",
            "ultralytics-like": {"file": "predictions/predictions.json", "min_score": 0.3},
            "other-labels": {
                "file": "predictions/other-labels.csv",
                "mapping": {new: old for old, new in OTHER_NAMES.items()},
            },
            "table": "predictions/table.parquet",
        },
    }
    (folder / "models.yaml").write_text(yaml.safe_dump(chosen, sort_keys=False), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=PAGES)
    arguments = parser.parse_args()
    write_stand_ins(arguments.folder, arguments.pages)
    print(arguments.folder / "models.yaml")
