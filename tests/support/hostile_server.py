"""Files that are harmless to read, but ask much of a server that shows them."""

import json
from pathlib import Path


def make_dense_page(folder: Path) -> Path:
    """COCO: one page of 10^6 x 10^6 with 9,000 boxes, whose edges divide it into 324 million tiles (over 5 GB)."""
    boxes = [{"id": i, "image_id": 1, "category_id": 1, "bbox": [11 * i, 11 * i, 7, 7]} for i in range(9_000)]
    page = {"id": 1, "file_name": "p.png", "width": 1_000_000, "height": 1_000_000}
    path = folder / "dense-page.json"
    path.write_text(json.dumps({"images": [page], "categories": [{"id": 1, "name": "a"}], "annotations": boxes}))
    return path


def make_many_pages(folder: Path) -> Path:
    """CSV: 200,000 pages with one region each, all of them documents of their own."""
    rows = (f"{i * 7919 % 200_003:x}-page,9,9,a,0,0,5,5\n" for i in range(200_000))
    path = folder / "many-pages.csv"
    path.write_text("page,width,height,label,x0,y0,x1,y1\n" + "".join(rows))
    return path


HOSTILE = {"dense page": make_dense_page, "many pages": make_many_pages}
