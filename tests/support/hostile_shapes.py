"""Small and large files that are hard to count or to draw: outlines that cross everywhere, thousands of labels."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from support.hostile_files import HEAD, rows_file, write
from support.hostile_formats import zip_of


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


def make_many_polygons(folder: Path, polygons: int = 10_000, points: int = 50) -> Path:
    """Ten thousand polygons on one page."""
    draws = np.random.default_rng(8)
    rings = draws.uniform(0, [2000, 3000], (polygons, 1, 2)) + draws.uniform(0, 40, (polygons, points, 2))
    shapes = [(0, 0, [ring.round(1).ravel().tolist()]) for ring in rings]
    return _write_coco(folder / "many_polygons.json", [(2000, 3000)], shapes)


def make_dense_page(folder: Path) -> Path:
    """COCO: one page of 10^6 x 10^6 with 9,000 boxes, whose edges divide it into 324 million tiles (over 5 GB)."""
    boxes = [(0, 0, [11 * i, 11 * i, 7, 7]) for i in range(9_000)]
    return _write_coco(folder / "dense-page.json", [(1_000_000, 1_000_000)], boxes)


def _polygon(name: str, size: tuple[int, int], ring: Callable[[], np.ndarray]) -> Callable[[Path], Path]:
    """A function that writes a page with one polygon, float64[points, 2]."""
    return lambda folder: _write_coco(folder / name, [size], [(0, 0, [ring().ravel().tolist()])])


def _shapes(name: str, sizes, annotations: Callable[[], list], labels=("a",)) -> Callable[[Path], Path]:
    """A function that writes a COCO file with these annotations."""
    return lambda folder: _write_coco(folder / name, sizes, annotations(), labels)


def _zigzag(points: int) -> np.ndarray:
    x = (np.arange(points) * 2000 / points).round(3)
    return np.stack([x, np.where(np.arange(points) % 2, 10, 2990)], axis=1)


def _wide_zigzag(width: int, height: int, points: int) -> np.ndarray:
    number = np.arange(points)
    return np.stack([np.where(number % 2, width, 0), number * height // points], axis=1)


def _star(points: int) -> np.ndarray:
    angle, reach = 2 * np.pi * np.arange(points) / points, np.where(np.arange(points) % 2, 490, 20)
    return (500 + reach * np.stack([np.cos(angle), np.sin(angle)])).T.round(3)


def _many_labels(pages: int) -> Callable[[Path], Path]:
    """Small boxes of thousands of labels, spread over the pages."""
    corners = lambda: enumerate(np.random.default_rng(9).uniform(0, [900, 1300], (5000, 2)).round().tolist())
    row = "p{},1000,1400,label {},{},{},{},{}".format
    rows = lambda: (row(i % pages, i, x, y, x + 60, y + 20) for i, (x, y) in corners())
    return rows_file(f"many_labels_{pages}.csv", rows)


def _separate_labels(count: int) -> Callable[[Path], Path]:
    boxes = lambda: [(0, i, [i % 100 * 10, i // 100 * 10, 9, 9]) for i in range(count)]
    return _shapes(f"{count}_labels.json", [(1000, 1000)], boxes, [f"label {i}" for i in range(count)])


def _many_classes(folder: Path) -> Path:
    """A zip of 100 kB with an hOCR file whose tags have a hundred classes each: four million regions."""
    classes = " ".join(f"ocr{chr(97 + i % 26)}{i // 26}" for i in range(100))
    tags = f'<p class="{classes}" title="bbox 0 0 1 1">' * 43_000
    page = f'<html><div class=ocr_page title="bbox 0 0 9 9">{tags}</div></html>'
    return write(folder, "many_classes.zip", zip_of({"a.html": page}))


def _box(i: int, pitch: int = 20) -> str:
    """The i-th of 2,500 small boxes beside each other on a page of 1000 x 1000."""
    x, y = i % 50 * pitch, i // 50 * pitch
    return f"{x},{y},{x + pitch - 2},{y + pitch - 2}"


def _characters(i: int) -> str:
    """Some of thousands of different characters that the main font of the figures does not have."""
    return "".join(chr(0x4E00 + (i * 7 + k) % 9000) for k in range(300))


# Small files without overlapping boxes whose report is expensive: long labels, many labels, many pages.
COSTLY = {
    "long labels beside each other": rows_file(
        "long.csv", lambda: (f"p,1000,1000,{i} {'long label ' * 90},{_box(i)}" for i in range(200))
    ),
    "long labels of many characters": rows_file(
        "characters.csv", lambda: (f"p,1000,1000,{i} {_characters(i)},{_box(i)}" for i in range(200))
    ),
    "1,000 labels on 200 pages": rows_file(
        "labels-and-pages.csv",
        lambda: (f"p{i * 7 % 200},1000,1000,label {i % 1000},{_box(i % 2000)}" for i in range(5000)),
    ),
    "2,000 labels beside each other": rows_file(
        "2000-labels.csv", lambda: (f"p,1000,1000,label {i},{_box(i)}" for i in range(1998))
    ),
    "45,000 pages": rows_file("pages.csv", lambda: (f"{i},9,9,a,0,0,1,1" for i in range(45_000))),
    # Equal pages without regions, which take less than a byte each.
    "zip of 400,000 pages": lambda folder: write(
        folder, "pages.zip", zip_of({"pages.csv": "\n".join([HEAD, *(f"{i},9,9,,,,," for i in range(400_000))])})
    ),
}

_SIDE, _LARGEST = 1 << 14, "1000000,1000000"
_FULL_MASK = {"size": [_SIDE, _SIDE], "counts": [0, _SIDE * _SIDE]}
_EQUAL = [10, 10, 900, 900]
HOSTILE = {
    # One polygon whose edges cross the whole page: 10^9 crossings of rows.
    "random polygon": _polygon(
        "random_polygon.json",
        (2000, 3000),
        lambda: np.random.default_rng(7).uniform(0, [2000, 3000], (10**6, 2)).round(1),
    ),
    # One polygon that goes up and down the page: 3 x 10^9 crossings of rows.
    "zigzag polygon": _polygon("zigzag_polygon.json", (2000, 3000), lambda: _zigzag(10**6)),
    "many polygons": make_many_polygons,
    # A triangle on each of a thousand pages of 268 million pixels.
    "huge page polygons": _shapes(
        "huge_page_polygons.json",
        [(_SIDE, _SIDE)] * 1000,
        lambda: [(page, 0, [[0, 0, _SIDE, 0, 0, _SIDE]]) for page in range(1000)],
    ),
    # One polygon that goes left and right over a very wide page: 6 x 10^9 crossings of columns.
    "wide zigzag": _polygon("wide_zigzag.json", (99_000, 2_700), lambda: _wide_zigzag(99_000, 2_700, 60_000)),
    "many classes": _many_classes,
    # Masks of 268 million pixels in a few bytes each.
    "full masks": _shapes("full_masks.json", [(_SIDE, _SIDE)], lambda: [(0, 0, _FULL_MASK)] * 3000),
    # Boxes that all overlap each other: 144 million pairs.
    "equal boxes": _shapes("equal_boxes.json", [(2000, 3000)], lambda: [(0, 0, _EQUAL)] * 12_000),
    # Pages on which all boxes overlap, each within the limit: 10 million pairs.
    "equal boxes on pages": _shapes(
        "equal_boxes_on_pages.json", [(2000, 3000)] * 10, lambda: [(i % 10, 0, _EQUAL) for i in range(10_000)]
    ),
    "many labels": _many_labels(1),
    "many labels on many pages": _many_labels(500),
    "1,000 labels": _separate_labels(1000),
    "5,000 labels": _separate_labels(5000),
    "label of 1 MB": _shapes("long_label.json", [(1000, 1000)], lambda: [(0, 0, [1, 1, 50, 50])], ["x" * 1_000_000]),
    # A star whose edges cross most rows of the page.
    **{
        f"polygon of {n:,} points": _polygon(f"star_{n}.json", (1000, 1000), partial(_star, n))
        for n in (1500, 10_000, 1_000_000)
    },
    # Long thin boxes across a page, each way: every pair of them crosses.
    "3,000 crossing boxes": _shapes(
        "crossing.json",
        [(5000, 5000)],
        lambda: [(0, k, [2 * i, 0, 1, 5000] if k else [0, 2 * i, 5000, 1]) for k in (0, 1) for i in range(1500)],
        "ab",
    ),
    "dense page": make_dense_page,
    # 200,000 pages with one region each, all of them documents of their own.
    "many pages": rows_file(
        "many-pages.csv", lambda: (f"{i * 7919 % 200_003:x}-page,9,9,a,0,0,5,5" for i in range(200_000))
    ),
    # Pages of the largest size, each with one region.
    "20,000 pages of 10^12 pixels": rows_file(
        "largest-pages.csv", lambda: (f"p{i},{_LARGEST},a,0,0,{_LARGEST}" for i in range(20_000))
    ),
    # All labels of the file on the same pixels.
    "labels on one pixel": rows_file(
        "labels_on_one_pixel.csv", lambda: (f"p,100,100,label {i},10,10,60,60" for i in range(5000))
    ),
    # Labels of a thousand characters.
    "long labels": rows_file(
        "long_labels.csv",
        lambda: (f"p,400,400,{i} {'long label ' * 90},{i},{i},{i + 90},{i + 40}" for i in range(200)),
    ),
} | COSTLY
