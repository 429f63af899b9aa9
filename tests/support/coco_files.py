"""Parts of a COCO file as dictionaries, and what was read of it."""

import json

import layoutcm as lcm


def image(id=1, **fields):
    return {"id": id, "file_name": f"{id}.png", "width": 100, "height": 80} | fields


def region(image_id=1, category_id=1, **fields):
    return {"image_id": image_id, "category_id": category_id, "bbox": [10, 20, 30, 40]} | fields


def coco(images=None, annotations=None, categories=None):
    return {
        "images": [image()] if images is None else images,
        "annotations": [region()] if annotations is None else annotations,
        "categories": [{"id": 1, "name": "Text"}] if categories is None else categories,
    }


def read_coco(content, name="gt", **options):
    return lcm.read((f"{name}.json", json.dumps(content).encode()), **options)


def found(layout):
    """{code of a finding: count}"""
    return {finding.code: finding.count for finding in layout.findings}


def boxes(layout):
    return layout.regions[["x0", "y0", "x1", "y1"]].to_numpy().tolist()
