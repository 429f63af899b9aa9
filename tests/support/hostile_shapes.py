"""Small and large files that are hard to count or to draw: outlines that cross everywhere, thousands of labels."""

import json
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from support.hostile_files import write_rows


def _write_coco(path: Path, sizes, annotations, labels=("a",)) -> Path:
    """A COCO file; annotations are (page number, label number, segmentation or bbox)."""
    images = [{"id": i, "file_name": f"p{i}.png", "width": w, "height": h} for i, (w, h) in enumerate(sizes)]
    rows = []
    for number, (page, label, shape) in enumerate(annotations):
        row = {"id": number, "image_id": page, "category_id": label}
        is_box = isinstance(shape, list) and not isinstance(shape[0], list)
        rows.append(row | ({"bbox": shape} if is_box else {"bbox": [0, 0, *sizes[page]], "segmentation": shape}))
    categories = [{"id": i, "name": name} for i, name in enumerate(labels)]
    path.write_text(json.dumps({"images": images, "categories": categories, "annotations": rows}))
    return path


def make_random_polygon(folder: Path, points: int = 10**6) -> Path:
    """One polygon whose edges cross the whole page: 10^9 crossings of rows."""
    ring = np.random.default_rng(7).uniform(0, [2000, 3000], (points, 2)).round(1).ravel().tolist()
    return _write_coco(folder / "random_polygon.json", [(2000, 3000)], [(0, 0, [ring])])


def make_zigzag_polygon(folder: Path, points: int = 10**6) -> Path:
    """One polygon that goes up and down the page: 3 x 10^9 crossings of rows."""
    x = (np.arange(points) * 2000 / points).round(3)
    ring = np.stack([x, np.where(np.arange(points) % 2, 10, 2990)], axis=1).ravel().tolist()
    return _write_coco(folder / "zigzag_polygon.json", [(2000, 3000)], [(0, 0, [ring])])


def make_many_polygons(folder: Path, polygons: int = 10_000, points: int = 50) -> Path:
    """Ten thousand polygons on one page."""
    draws = np.random.default_rng(8)
    rings = draws.uniform(0, [2000, 3000], (polygons, 1, 2)) + draws.uniform(0, 40, (polygons, points, 2))
    shapes = [(0, 0, [ring.round(1).ravel().tolist()]) for ring in rings]
    return _write_coco(folder / "many_polygons.json", [(2000, 3000)], shapes)


def make_huge_page_polygons(folder: Path, pages: int = 1000) -> Path:
    """A triangle on each of a thousand pages of 268 million pixels."""
    side = 1 << 14
    shapes = [(page, 0, [[0, 0, side, 0, 0, side]]) for page in range(pages)]
    return _write_coco(folder / "huge_page_polygons.json", [(side, side)] * pages, shapes)


def make_full_masks(folder: Path, masks: int = 3000) -> Path:
    """Masks of 268 million pixels in a few bytes each."""
    side = 1 << 14
    shape = {"size": [side, side], "counts": [0, side * side]}
    return _write_coco(folder / "full_masks.json", [(side, side)], [(0, 0, shape)] * masks)


def make_many_labels(folder: Path, labels: int = 5000, pages: int = 1) -> Path:
    """Small boxes of thousands of labels, spread over the pages."""
    corners = np.random.default_rng(9).uniform(0, [900, 1300], (labels, 2)).round().tolist()
    rows = [f"p{i % pages},1000,1400,label {i},{x},{y},{x + 60},{y + 20}" for i, (x, y) in enumerate(corners)]
    return write_rows(folder, f"many_labels_{pages}.csv", rows)


def make_separate_labels(folder: Path, count: int) -> Path:
    boxes = [(0, i, [i % 100 * 10, i // 100 * 10, 9, 9]) for i in range(count)]
    return _write_coco(folder / f"{count}_labels.json", [(1000, 1000)], boxes, [f"label {i}" for i in range(count)])


def make_long_label(folder: Path) -> Path:
    return _write_coco(folder / "long_label.json", [(1000, 1000)], [(0, 0, [1, 1, 50, 50])], ["x" * 1_000_000])


def make_star(folder: Path, points: int) -> Path:
    """A star whose edges cross most rows of the page."""
    angle, reach = 2 * np.pi * np.arange(points) / points, np.where(np.arange(points) % 2, 490, 20)
    ring = 500 + reach * np.stack([np.cos(angle), np.sin(angle)])
    return _write_coco(folder / f"star_{points}.json", [(1000, 1000)], [(0, 0, [ring.T.round(3).ravel().tolist()])])


def make_crossing_boxes(folder: Path) -> Path:
    """Long thin boxes across a page, each way: every pair of them crosses."""
    boxes = [(0, 0, [0, 2 * i, 5000, 1]) for i in range(1500)] + [(0, 1, [2 * i, 0, 1, 5000]) for i in range(1500)]
    return _write_coco(folder / "crossing.json", [(5000, 5000)], boxes, "ab")


def make_dense_page(folder: Path) -> Path:
    """COCO: one page of 10^6 x 10^6 with 9,000 boxes, whose edges divide it into 324 million tiles (over 5 GB)."""
    boxes = [(0, 0, [11 * i, 11 * i, 7, 7]) for i in range(9_000)]
    return _write_coco(folder / "dense-page.json", [(1_000_000, 1_000_000)], boxes)


def make_many_pages(folder: Path) -> Path:
    """200,000 pages with one region each, all of them documents of their own."""
    rows = (f"{i * 7919 % 200_003:x}-page,9,9,a,0,0,5,5" for i in range(200_000))
    return write_rows(folder, "many-pages.csv", rows)


def make_largest_pages(folder: Path) -> Path:
    """Pages of the largest size, each with one region."""
    side = "1000000,1000000"
    return write_rows(folder, "largest-pages.csv", (f"p{i},{side},a,0,0,{side}" for i in range(20_000)))


def make_equal_boxes(folder: Path, boxes: int = 12_000) -> Path:
    """Boxes that all overlap each other: 144 million pairs."""
    return _write_coco(folder / "equal_boxes.json", [(2000, 3000)], [(0, 0, [10, 10, 900, 900])] * boxes)


def make_equal_boxes_on_pages(folder: Path, boxes: int = 10_000, pages: int = 10) -> Path:
    """Pages on which all boxes overlap, each within the limit: 10 million pairs."""
    rows = [(i % pages, 0, [10, 10, 900, 900]) for i in range(boxes)]
    return _write_coco(folder / "equal_boxes_on_pages.json", [(2000, 3000)] * pages, rows)


def make_labels_on_one_pixel(folder: Path, labels: int = 5000) -> Path:
    """All labels of the file on the same pixels."""
    rows = (f"p,100,100,label {i},10,10,60,60" for i in range(labels))
    return write_rows(folder, "labels_on_one_pixel.csv", rows)


def make_long_labels(folder: Path, labels: int = 200, length: int = 1000) -> Path:
    """Labels of a thousand characters."""
    name = "long label " * (length // 11)
    rows = (f"p,400,400,{i} {name},{i},{i},{i + 90},{i + 40}" for i in range(labels))
    return write_rows(folder, "long_labels.csv", rows)


def make_wide_zigzag(folder: Path, points: int = 60_000) -> Path:
    """One polygon that goes left and right over a very wide page: 6 x 10^9 crossings of columns."""
    width, height = 99_000, 2_700
    ring = [v for i in range(points) for v in ((width if i % 2 else 0), i * height // points)]
    return _write_coco(folder / "wide_zigzag.json", [(width, height)], [(0, 0, [ring])])


def make_many_classes(folder: Path, tags: int = 43_000) -> Path:
    """A zip of 100 kB with an hOCR file whose tags have a hundred classes each: four million regions."""
    classes = " ".join(f"ocr{chr(97 + i % 26)}{i // 26}" for i in range(100))
    tag = f'<p class="{classes}" title="bbox 0 0 1 1">'
    path = folder / "many_classes.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.html", f'<html><div class=ocr_page title="bbox 0 0 9 9">{tag * tags}</div></html>')
    return path


HOSTILE = {
    "random polygon": make_random_polygon,
    "zigzag polygon": make_zigzag_polygon,
    "many polygons": make_many_polygons,
    "huge page polygons": make_huge_page_polygons,
    "wide zigzag": make_wide_zigzag,
    "many classes": make_many_classes,
    "full masks": make_full_masks,
    "equal boxes": make_equal_boxes,
    "equal boxes on pages": make_equal_boxes_on_pages,
    "many labels": make_many_labels,
    "many labels on many pages": partial(make_many_labels, pages=500),
    "1,000 labels": partial(make_separate_labels, count=1000),
    "5,000 labels": partial(make_separate_labels, count=5000),
    "label of 1 MB": make_long_label,
    **{f"polygon of {n:,} points": partial(make_star, points=n) for n in (1500, 10_000, 1_000_000)},
    "3,000 crossing boxes": make_crossing_boxes,
    "dense page": make_dense_page,
    "many pages": make_many_pages,
    "20,000 pages of 10^12 pixels": make_largest_pages,
    "labels on one pixel": make_labels_on_one_pixel,
    "long labels": make_long_labels,
}
