"""Writers of Hugging Face data sets (Parquet, metadata.jsonl), docling-eval and docling-serve."""

import io
import json

import pyarrow as pa
from PIL import Image

from support.hostile_formats import parquet_bytes
from written import LABELS, lines, one_file, per_page, several_files
from written.models import docling

DOCLAYNET = ["Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header", "Picture", "Section-header",
             "Table", "Text", "Title"]  # fmt: skip
CLASS_LABEL = {"names": LABELS, "_type": "ClassLabel"}
IMAGE_STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def xywh(page):
    return [[float(x0), float(y0), float(x1 - x0), float(y1 - y0)] for _, (x0, y0, x1, y1), _ in page.regions]


def png(page):
    out = io.BytesIO()
    Image.new("1", (page.width, page.height)).save(out, "PNG")
    return out.getvalue()


def split(pages):
    """Two shards, as the Hub stores them."""
    half = (len(pages) + 1) // 2
    return [pages[:half], pages[half:]] if len(pages) > 1 else [pages]


def shards(pages, write):
    parts = split(pages)
    names = [f"train-{i:05}-of-{len(parts):05}.parquet" for i in range(len(parts))]
    return {name: write(part) for name, part in zip(names, parts)}


def doclaynet_table(pages):
    metadata = [{
        "coco_height": page.height, "coco_width": page.width, "collection": "reports",
        "doc_category": "financial_reports", "image_id": hash_number(page.name), "num_pages": 2,
        "original_filename": f"{page.name.partition('_')[0]}.pdf", "original_height": 792.0, "original_width": 612.0,
        "page_hash": page.name, "page_no": int(page.name.rpartition("p")[2]) if page.name[-1:].isdigit() else 1,
    } for page in pages]  # fmt: skip
    boxes = pa.array([xywh(page) for page in pages], pa.list_(pa.list_(pa.float64())))
    ids = [[DOCLAYNET.index(label) + 1 for label, _, _ in page.regions] for page in pages]
    cells = pa.array([[[{"bbox": [0.0], "text": "words"}]] for _ in pages])
    return pa.table({
        "image": pa.array([{"bytes": png(page), "path": None} for page in pages], IMAGE_STRUCT), "bboxes": boxes,
        "category_id": pa.array(ids, pa.list_(pa.int64())),
        "area": pa.array([[w * h for _, _, w, h in xywh(page)] for page in pages], pa.list_(pa.float64())),
        "pdf_cells": cells, "metadata": pa.array(metadata), "pdf": pa.array([b"%PDF-1.4"] * len(pages)),
    })  # fmt: skip


def hash_number(name):
    return int.from_bytes(name.encode()[-6:], "big")


@several_files("hf-doclaynet")
def doclaynet(pages):
    """DocLayNet 1.2, which has no names of labels."""
    return shards(pages, lambda part: parquet_bytes(doclaynet_table(part)))


def objects_table(pages, features=CLASS_LABEL):
    """Without sizes of pages, so that they are those of the images; names of labels are in the schema."""
    kind = pa.struct([
        ("bbox", pa.list_(pa.list_(pa.float32(), 4))),
        ("category", pa.list_(pa.int64())),
        ("score", pa.list_(pa.float64())),
    ])  # fmt: skip
    objects = [{
        "bbox": xywh(page),
        "category": [LABELS.index(label) for label, _, _ in page.regions],
        "score": [score for _, _, score in page.regions],
    } for page in pages]  # fmt: skip
    images = [{"bytes": png(page), "path": f"{page.name}.png"} for page in pages]
    table = pa.table({"image": pa.array(images, IMAGE_STRUCT), "objects": pa.array(objects, kind)})
    info = {"info": {"features": {"objects": {"feature": {"category": features}, "_type": "Sequence"}}}}
    return table.replace_schema_metadata({"huggingface": json.dumps(info)})


@several_files("hf-objects")
def objects(pages):
    return shards(pages, lambda part: parquet_bytes(objects_table(part)))


@several_files("hf-imagefolder")
def image_folder(pages):
    def row(page):
        categories = [LABELS.index(label) for label, _, _ in page.regions]
        return {"file_name": f"{page.name}.png", "objects": {"bbox": xywh(page), "categories": categories}}

    return {"metadata.jsonl": lines(map(row, pages)), "id2label.json": dict(enumerate(LABELS))}


@one_file("docling-eval", "shard_000000_000000.parquet")
def docling_eval(pages):
    """Both sides are the same; documents of one page each."""
    texts = [json.dumps(docling(page)) for page in pages]
    table = pa.table({
        "document_id": [page.name for page in pages], "GroundTruthDocument": texts,
        "GroundTruthPageImages": pa.array([[]] * len(pages), pa.list_(IMAGE_STRUCT)),
        "BinaryDocument": pa.array([b"%PDF-1.4"] * len(pages)), "status": ["success"] * len(pages),
        "PredictedDocument": texts,
    })  # fmt: skip
    return parquet_bytes(table)


@per_page("docling-serve")
def docling_serve(page):
    document = {"filename": f"{page.name}.pdf", "md_content": None, "json_content": docling(page)}
    return {"document": document, "status": "success", "errors": [], "processing_time": 1.5, "timings": {}}
