"""Small files that cost a careless reader much time or memory: labels, polygons, rows, attributes, frames, pages."""

import io
import json
import math
import struct
import zipfile
from pathlib import Path


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def coco(labels: list[str], annotations: list[dict], side: int = 1000) -> str:
    """A COCO file with one page."""
    images = [{"id": 1, "file_name": "p1.png", "width": side, "height": side}]
    categories = [{"id": i, "name": name} for i, name in enumerate(labels)]
    annotations = [{"id": i, "image_id": 1, "iscrowd": 0, "area": 1} | one for i, one in enumerate(annotations)]
    return json.dumps({"images": images, "categories": categories, "annotations": annotations})


def make_yolo_digits(folder: Path) -> Path:
    """Ten numbers with no end: a regular expression with overlapping repeats tries 20^10 ways to split them."""
    return written(folder, "digits.bin", b"1" + (b" " + b"1" * 20) * 10 + b"x")


def make_many_labels(folder: Path, count: int = 5000) -> Path:
    boxes = [{"category_id": i, "bbox": [i % 100 * 10, i // 100 * 10, 9, 9]} for i in range(count)]
    return written(folder, f"{count}_labels.json", coco([f"label {i}" for i in range(count)], boxes))


def make_thousand_labels(folder: Path) -> Path:
    return make_many_labels(folder, 1000)


def make_long_label(folder: Path) -> Path:
    return written(folder, "long_label.json", coco(["x" * 1_000_000], [{"category_id": 0, "bbox": [1, 1, 50, 50]}]))


def make_polygon(folder: Path, points: int) -> Path:
    """A star whose edges cross most rows of the page."""
    ring: list[float] = []
    for i in range(points):
        angle, reach = 2 * math.pi * i / points, 490 if i % 2 else 20
        ring += [round(500 + reach * math.cos(angle), 3), round(500 + reach * math.sin(angle), 3)]
    region = {"category_id": 0, "bbox": [10, 10, 980, 980], "segmentation": [ring]}
    return written(folder, f"polygon_{points}.json", coco(["a"], [region]))


def make_polygon_1500(folder: Path) -> Path:
    return make_polygon(folder, 1500)


def make_polygon_10000(folder: Path) -> Path:
    return make_polygon(folder, 10_000)


def make_polygon_million(folder: Path) -> Path:
    return make_polygon(folder, 1_000_000)


def make_attlist(folder: Path) -> Path:
    """Default values of attributes, which the parser adds to every element: 180 kB become gigabytes."""
    defaults = " ".join(f"a{i} CDATA '{'x' * 100}'" for i in range(200))
    pages = '<image name="p.png" width="9" height="9"/>' * 4000
    return written(
        folder, "attlist.xml", f"<!DOCTYPE annotations [<!ATTLIST image {defaults}>]><annotations>{pages}</annotations>"
    )


def make_parquet_rows(folder: Path) -> Path:
    """Five million equal rows, which Parquet stores in a few kilobytes."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 5_000_000
    number = lambda value: pa.array(np.full(rows, value, np.float64))
    text = lambda value: pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))
    sides = {"width": number(100), "height": number(100)}
    corners = {"x0": number(1), "y0": number(1), "x1": number(5), "y1": number(5)}
    pq.write_table(
        pa.table({"page": text("p1"), "label": text("a")} | sides | corners),
        folder / "rows.parquet",
        compression="zstd",
    )
    return folder / "rows.parquet"


def make_wide_csv(folder: Path) -> Path:
    header = "page,width,height,label,x0,y0,x1,y1," + ",".join(f"c{i}" for i in range(100_000))
    return written(folder, "wide.csv", f"{header}\np1,10,10,a,1,1,5,5,{',' * 99_999}\n")


def make_deep_json(folder: Path) -> Path:
    return written(folder, "deep.json", '{"images":' + "[" * 200_000 + "]" * 200_000 + "}")


def make_many_pages(folder: Path) -> Path:
    """Pages of the largest size, each with one region."""
    rows = "".join(f"p{i},1000000,1000000,a,0,0,1000000,1000000\n" for i in range(20_000))
    return written(folder, "pages.csv", f"page,width,height,label,x0,y0,x1,y1\n{rows}")


def make_crossing_boxes(folder: Path) -> Path:
    """Long thin boxes across a page, each way: every pair of them crosses."""
    boxes = [{"category_id": 0, "bbox": [0, 2 * i, 5000, 1]} for i in range(1500)]
    boxes += [{"category_id": 1, "bbox": [2 * i, 0, 1, 5000]} for i in range(1500)]
    return written(folder, "crossing.json", coco(["a", "b"], boxes, 5000))


def make_yaml_aliases(folder: Path) -> Path:
    """Lists of aliases to lists of aliases, beside a label file."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with zipfile.ZipFile(folder / "aliases.zip", "w") as archive:
        archive.writestr("data.yaml", "\n".join([*lines, "names: *a11"]))
        archive.writestr("p1.txt", "0 0.5 0.5 0.2 0.2\n")
    return folder / "aliases.zip"


def make_many_frames(folder: Path) -> Path:
    """A TIFF with 100,000 frames that share one pixel."""
    frames, tags = 100_000, ((256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (279, 4, 1))
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    size = 2 + len(entries) + 4
    out = bytearray(struct.pack("<2sHI", b"II", 42, 10) + b"\0\0")
    for i in range(frames):
        following = 10 + (i + 1) * size if i + 1 < frames else 0
        out += struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return written(folder, "frames.tif", bytes(out))


def make_pdfs(folder: Path) -> Path:
    """A hundred PDFs that say they have a million pages each."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(100):
            archive.writestr(f"{i}.pdf", pdf_with_count(1_000_000))
    return written(folder, "pdfs.zip", out.getvalue())


def pdf_with_count(count: int) -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[3 0 R]>>" % count,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for i, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % i + one + b"endobj\n"
    start = len(out)
    out += b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start)


HOSTILE = {
    "overlapping repeats of digits": make_yolo_digits,
    "1,000 labels": make_thousand_labels,
    "5,000 labels": make_many_labels,
    "label of 1 MB": make_long_label,
    "polygon of 1,500 points": make_polygon_1500,
    "polygon of 10,000 points": make_polygon_10000,
    "polygon of 1,000,000 points": make_polygon_million,
    "XML with default attributes": make_attlist,
    "Parquet of 5,000,000 rows": make_parquet_rows,
    "CSV of 100,000 columns": make_wide_csv,
    "JSON nested 200,000 deep": make_deep_json,
    "20,000 pages of 10^12 pixels": make_many_pages,
    "3,000 crossing boxes": make_crossing_boxes,
    "YAML aliases": make_yaml_aliases,
    "TIFF of 100,000 frames": make_many_frames,
    "PDFs of 100,000,000 pages": make_pdfs,
}
