"""Writers of YOLO, LabelMe, Label Studio, Azure, Textract and Document AI files."""

import json

from written import LABELS


def as_json(value):
    return json.dumps(value).encode()


def corners(box):
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def yolo(pages):
    files = {"data.yaml": ("names:\n" + "".join(f"  - {label}\n" for label in LABELS)).encode()}
    for page in pages:
        lines = [
            f"{LABELS.index(label)} {(x0 + x1) / 2 / page.width:.9f} {(y0 + y1) / 2 / page.height:.9f} "
            f"{(x1 - x0) / page.width:.9f} {(y1 - y0) / page.height:.9f} {score}"
            for label, (x0, y0, x1, y1), score in page.regions
        ]
        files[f"labels/{page.name}.txt"] = "\n".join(lines).encode()
    return files


def labelme(pages):
    return {
        f"{page.name}.json": as_json(
            {
                "version": "5.0.1",
                "flags": {"scanned": True},
                "shapes": [
                    # LabelMe allows any two opposite corners.
                    {"label": label, "points": [[x1, y0], [x0, y1]], "shape_type": "rectangle", "group_id": None}
                    for label, (x0, y0, x1, y1), _ in page.regions
                ],
                "imagePath": f"{page.name}.jpg",
                "imageData": None,
                "imageWidth": page.width,
                "imageHeight": page.height,
            }
        )
        for page in pages
    }


def labelstudio(pages):
    def result(page, label, box):
        x0, y0, x1, y1 = box
        value = {
            "x": 100 * x0 / page.width,
            "y": 100 * y0 / page.height,
            "width": 100 * (x1 - x0) / page.width,
            "height": 100 * (y1 - y0) / page.height,
            "rotation": 0,
            "rectanglelabels": [label],
        }
        size = {"original_width": page.width, "original_height": page.height}
        return {"type": "rectanglelabels", "value": value, "id": "x", "from_name": "l", "to_name": "i"} | size

    def made(page):
        return {"completed_by": {"id": 1, "email": "a@x"}, "result": [result(page, *one[:2]) for one in page.regions]}

    return {
        "export.json": as_json(
            [
                {
                    "id": i,
                    "annotations": [{"id": i, **made(page)}],
                    "predictions": [{"model_version": "v1", "score": 0.5, "result": []}],
                    "data": {"image": f"/data/upload/3/0a1b2c3d-{page.name}.png", "kind": "report"},
                }
                for i, page in enumerate(pages)
            ]
        )
    }


def azure(pages):
    roles = {"Title": "title", "Text": None}
    files = {}
    for page in pages:
        found = {"tables": [], "figures": [], "paragraphs": []}
        for label, box, _ in page.regions:
            # In inches at 100 dpi.
            areas = [{"pageNumber": 1, "polygon": [v / 100 for point in corners(box) for v in point]}]
            kind = {"Table": "tables", "Picture": "figures"}.get(label, "paragraphs")
            found[kind].append({"role": roles.get(label), "boundingRegions": areas, "content": "words"})
        pages_of_file = [{"pageNumber": 1, "width": page.width / 100, "height": page.height / 100, "unit": "inch"}]
        result = {"apiVersion": "2024-11-30", "modelId": "prebuilt-layout", "pages": pages_of_file} | found
        files[f"{page.name}.json"] = as_json({"status": "succeeded", "analyzeResult": result})
    return files


def textract(pages):
    files = {}
    for page in pages:
        if not page.regions:
            continue
        blocks = [
            {
                "BlockType": "PAGE",
                "Id": "0",
                "Geometry": {"BoundingBox": fraction_box(page, (0, 0, page.width, page.height))},
            }
        ]
        for i, (label, box, score) in enumerate(page.regions):
            geometry = {"BoundingBox": fraction_box(page, box)}
            kind = f"LAYOUT_{label.upper()}"
            blocks.append({"BlockType": kind, "Id": str(i + 1), "Confidence": 100 * score, "Geometry": geometry})
        files[f"{page.name}.json"] = as_json({"DocumentMetadata": {"Pages": 1}, "Blocks": blocks})
    return files


def fraction_box(page, box):
    x0, y0, x1, y1 = box
    return {
        "Left": x0 / page.width,
        "Top": y0 / page.height,
        "Width": (x1 - x0) / page.width,
        "Height": (y1 - y0) / page.height,
    }


def docai(pages):
    files = {}
    for page in pages:
        parts = {"paragraphs": [], "tables": [], "visualElements": []}
        for label, box, score in page.regions:
            # The service leaves out coordinates that are zero.
            vertices = [{axis: v for axis, v in zip("xy", point) if v} for point in corners(box)]
            kind = {"Table": "tables", "Picture": "visualElements"}.get(label, "paragraphs")
            parts[kind].append({"layout": {"boundingPoly": {"vertices": vertices}, "confidence": score}})
        page_entry = {"pageNumber": 1, "dimension": {"width": page.width, "height": page.height}} | parts
        files[f"{page.name}.json"] = as_json({"mimeType": "application/pdf", "text": "words", "pages": [page_entry]})
    return files


WRITERS = {
    "yolo": yolo,
    "labelme": labelme,
    "label-studio": labelstudio,
    "azure": azure,
    "textract": textract,
    "docai": docai,
}
