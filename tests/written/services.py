"""Writers of YOLO, LabelMe, Label Studio, Azure, Textract and Document AI files."""

from written import LABELS, corner_numbers, corners, per_page, several_files


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
