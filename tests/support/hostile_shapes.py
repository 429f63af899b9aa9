"""Small and large files that are hard to count or to draw: outlines that cross everywhere, thousands of labels."""

import json
import zipfile
from pathlib import Path

import numpy as np


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
    draws = np.random.default_rng(9)
    corners = draws.uniform(0, [900, 1300], (labels, 2)).round().tolist()
    rows = ["page,label,x0,y0,x1,y1,width,height"]
    for i, (x, y) in enumerate(corners):
        rows.append(f"p{i % pages},label {i},{x},{y},{x + 60},{y + 20},1000,1400")
    path = folder / f"many_labels_{pages}.csv"
    path.write_text("\n".join(rows))
    return path


def make_equal_boxes(folder: Path, boxes: int = 12_000) -> Path:
    """Boxes that all overlap each other: 144 million pairs."""
    return _write_coco(folder / "equal_boxes.json", [(2000, 3000)], [(0, 0, [10, 10, 900, 900])] * boxes)


def make_equal_boxes_on_pages(folder: Path, boxes: int = 10_000, pages: int = 10) -> Path:
    """Pages on which all boxes overlap, each within the limit: 10 million pairs."""
    rows = [(i % pages, 0, [10, 10, 900, 900]) for i in range(boxes)]
    return _write_coco(folder / "equal_boxes_on_pages.json", [(2000, 3000)] * pages, rows)


def make_many_labels_on_many_pages(folder: Path) -> Path:
    return make_many_labels(folder, pages=500)


def make_labels_on_one_pixel(folder: Path, labels: int = 5000) -> Path:
    """All labels of the file on the same pixels."""
    rows = ["page,label,x0,y0,x1,y1,width,height", *(f"p,label {i},10,10,60,60,100,100" for i in range(labels))]
    path = folder / "labels_on_one_pixel.csv"
    path.write_text("\n".join(rows))
    return path


def make_long_labels(folder: Path, labels: int = 200, length: int = 1000) -> Path:
    """Labels of a thousand characters."""
    rows = ["page,label,x0,y0,x1,y1,width,height"]
    rows += [f"p,{i} {'long label ' * (length // 11)},{i},{i},{i + 90},{i + 40},400,400" for i in range(labels)]
    path = folder / "long_labels.csv"
    path.write_text("\n".join(rows))
    return path


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
    "many labels on many pages": make_many_labels_on_many_pages,
    "labels on one pixel": make_labels_on_one_pixel,
    "long labels": make_long_labels,
}
