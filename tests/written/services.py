"""Writers of YOLO, LabelMe, Label Studio, Azure, Textract and Document AI files."""

from written import LABELS, corner_numbers, corners, one_file, per_page, several_files


@several_files("yolo")
def yolo(pages):
    files = {"data.yaml": "names:\n" + "".join(f"  - {label}\n" for label in LABELS)}
    for page in pages:
        lines = [
            f"{LABELS.index(label)} {(x0 + x1) / 2 / page.width:.9f} {(y0 + y1) / 2 / page.height:.9f} "
            f"{(x1 - x0) / page.width:.9f} {(y1 - y0) / page.height:.9f} {score}"
            for label, (x0, y0, x1, y1), score in page.regions
        ]
        files[f"labels/{page.name}.txt"] = "\n".join(lines)
    return files


@per_page("labelme")
def labelme(page):
    shapes = [
        # LabelMe allows any two opposite corners.
        {"label": label, "points": [[x1, y0], [x0, y1]], "shape_type": "rectangle", "group_id": None}
        for label, (x0, y0, x1, y1), _ in page.regions
    ]
    image = {"imagePath": f"{page.name}.jpg", "imageData": None, "imageWidth": page.width, "imageHeight": page.height}
    return {"version": "5.0.1", "flags": {"scanned": True}, "shapes": shapes} | image


@one_file("label-studio", "export.json")
def labelstudio(pages):
    def result(page, label, box):
        x, y, right, bottom = (100 * part for part in page.parts(box))
        value = {"x": x, "y": y, "width": right - x, "height": bottom - y, "rotation": 0, "rectanglelabels": [label]}
        size = {"original_width": page.width, "original_height": page.height}
        return {"type": "rectanglelabels", "value": value, "id": "x", "from_name": "l", "to_name": "i"} | size

    def task(i, page):
        results = [result(page, *one[:2]) for one in page.regions]
        return {
            "id": i,
            "annotations": [{"id": i, "completed_by": {"id": 1, "email": "a@x"}, "result": results}],
            "predictions": [{"model_version": "v1", "score": 0.5, "result": []}],
            "data": {"image": f"/data/upload/3/0a1b2c3d-{page.name}.png", "kind": "report"},
        }

    return [task(i, page) for i, page in enumerate(pages)]


@per_page("azure")
def azure(page):
    found = {"tables": [], "figures": [], "paragraphs": []}
    for label, box, _ in page.regions:
        # In inches at 100 dpi.
        areas = [{"pageNumber": 1, "polygon": [v / 100 for v in corner_numbers(box)]}]
        kind = {"Table": "tables", "Picture": "figures"}.get(label, "paragraphs")
        role = "title" if label == "Title" else None
        found[kind].append({"role": role, "boundingRegions": areas, "content": "words"})
    pages_of_file = [{"pageNumber": 1, "width": page.width / 100, "height": page.height / 100, "unit": "inch"}]
    result = {"apiVersion": "2024-11-30", "modelId": "prebuilt-layout", "pages": pages_of_file} | found
    return {"status": "succeeded", "analyzeResult": result}


@per_page("textract", blank=False)
def textract(page):
    def geometry(box):
        x0, y0, x1, y1 = page.parts(box)
        return {"BoundingBox": {"Left": x0, "Top": y0, "Width": x1 - x0, "Height": y1 - y0}}

    blocks = [{"BlockType": "PAGE", "Id": "0", "Geometry": geometry((0, 0, page.width, page.height))}]
    for i, (label, box, score) in enumerate(page.regions, 1):
        block = {"BlockType": f"LAYOUT_{label.upper()}", "Id": str(i), "Confidence": 100 * score}
        blocks.append(block | {"Geometry": geometry(box)})
    return {"DocumentMetadata": {"Pages": 1}, "Blocks": blocks}


@per_page("docai")
def docai(page):
    parts = {"paragraphs": [], "tables": [], "visualElements": []}
    for label, box, score in page.regions:
        # The service leaves out coordinates that are zero.
        vertices = [{axis: v for axis, v in zip("xy", point) if v} for point in corners(box)]
        kind = {"Table": "tables", "Picture": "visualElements"}.get(label, "paragraphs")
        parts[kind].append({"layout": {"boundingPoly": {"vertices": vertices}, "confidence": score}})
    page_entry = {"pageNumber": 1, "dimension": page.size} | parts
    return {"mimeType": "application/pdf", "text": "words", "pages": [page_entry]}
