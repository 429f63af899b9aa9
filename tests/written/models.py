"""Writers of formats of models, parsers and services that are more than a document to fill: docling, MinerU, Azure …"""

import json

from written import LABELS, corner_numbers, corners, one_file, per_page, several_files


@per_page("docling")
def docling(page):
    items = {"texts": [], "tables": [], "pictures": []}
    for label, (x0, y0, x1, y1), _ in page.regions:
        # y upwards from the bottom of the page, as in a PDF.
        box = {"l": x0, "t": page.height - y0, "r": x1, "b": page.height - y1, "coord_origin": "BOTTOMLEFT"}
        kind = {"Table": "tables", "Picture": "pictures"}.get(label, "texts")
        prov = [{"page_no": 1, "bbox": box}]
        items[kind].append({"label": label.lower(), "prov": prov, "parent": {"$ref": "#/body"}})
    entries = {"1": {"page_no": 1, "size": page.size}}
    return {"schema_name": "DoclingDocument", "version": "1.3.0", "name": page.name, "pages": entries} | items


@per_page("mineru-model", "{}_model.json")
def mineru_model(page):
    ids = {"Title": 0, "Text": 1, "Table": 5, "Picture": 3}
    found = [
        {"category_id": ids[label], "poly": corner_numbers(box), "score": score} for label, box, score in page.regions
    ]
    found.append({"category_id": 15, "poly": corner_numbers((0, 0, 5, 5)), "score": 1.0, "text": "a line"})
    return [{"layout_dets": found, "page_info": {"page_no": 0, **page.size}}]


@per_page("adobe-extract", blank=False)
def adobe_extract(page):
    """Rows, cells and spans, which are no regions of their own."""
    names = {"Title": "Title", "Text": "P[2]/Sub", "Table": "Table[3]", "Picture": "Figure"}
    elements = []
    for label, (x0, y0, x1, y1), _ in page.regions:
        bounds = [x0, page.height - y1, x1, page.height - y0]
        path = f"//Document/{names[label]}"
        elements.append({"Bounds": bounds, "Page": 0, "Path": path, "Text": "words"})
        if label == "Table":
            elements.append({"Bounds": bounds, "Page": 0, "Path": f"{path}/TR/TD[2]"})
    pages = [{**page.size, "page_number": 0, "rotation": 0}]
    return {"version": {"schema": "1.1.0"}, "elements": elements, "pages": pages}


@per_page("opendataloader")
def opendataloader(page):
    kids = [
        {"type": label.lower(), "page number": 1, "bounding box": [x0, page.height - y1, x1, page.height - y0]}
        for label, (x0, y0, x1, y1), _ in page.regions
    ]
    for kid in kids:
        if kid["type"] == "table":
            kid["rows"] = [{"type": "table row", "cells": [kid | {"type": "table cell", "kids": []}]}]
    return {"file name": f"{page.name}.pdf", "number of pages": 1, "author": None, "kids": kids}


@per_page("pdffigures2", blank=False)
def pdffigures2(page):
    """Texts are captions of figures that were not found."""
    figures = [
        {"regionBoundary" if label != "Text" else "boundary": dict(zip(("x1", "y1", "x2", "y2"), box))}
        | {"figType": label, "page": 0, "renderDpi": 150}
        for label, box, _ in page.regions
    ]
    alone = [figure for figure in figures if "boundary" in figure]
    return {"figures": [figure for figure in figures if figure not in alone], "regionless-captions": alone}


@one_file("pdffigures2-gt", "annotations.json")
def pdffigures2_gt(pages):
    documents = {}
    for page in pages:
        name, _, number = page.name.rpartition("_p")
        document = documents.setdefault(name, {"figures": [], "pages_annotated": []})
        document["pages_annotated"].append(int(number))
        size = {"page": int(number), "page_width": page.width, "page_height": page.height, "dpi": 72.0}
        document["figures"] += [
            {"caption_bb" if label == "Text" else "region_bb": list(box), "figure_type": label} | size
            for label, box, _ in page.regions
        ] or [{"figure_type": "Figure"} | size]
    return documents


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


def qwen_vl(page, box_of):
    """In a Markdown fence, as the models write it."""
    rows = [json.dumps({"bbox_2d": box_of(box), "label": label}) for label, box, _ in page.regions]
    return "```json\n[\n{}\n]\n```\n".replace("{}", ",\n".join(f"\t{row}" for row in rows))


@per_page("qwen-vl-1000", blank=False)
def qwen_vl_1000(page):
    return qwen_vl(page, lambda box: page.whole_parts(box, 1000))


@per_page("qwen-vl-pixels", blank=False)
def qwen_vl_pixels(page):
    return qwen_vl(page, list)


@per_page("deepseek-ocr", "{}.md", blank=False)
def deepseek_ocr(page):
    """Text before the first reference belongs to no region."""
    return "words without a place\n\n" + "\n\n".join(
        f"<|ref|>{label.lower()}<|/ref|><|det|>[{page.parts(box, 999)}]<|/det|>\nwords"
        for label, box, _ in page.regions
    )


@per_page("mistral-ocr")
def mistral_ocr(page):
    corners = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")
    blocks = [
        dict(zip(corners, box)) | {"content": "words", "confidence_scores": None, "type": label.lower()}
        for label, box, _ in page.regions
    ]
    size = {"dpi": 200, "height": page.height, "width": page.width}
    markdown = "words" if blocks else ""
    written = {"index": 0, "markdown": markdown, "images": [], "dimensions": size, "blocks": blocks}
    return {"pages": [written], "model": "mistral-ocr-4", "usage_info": {}}


@per_page("chandra", "{}.html", blank=False)
def chandra(page):
    return "\n".join(
        f'<div data-bbox="{" ".join(map(str, page.whole_parts(box, 1000)))}" data-label="{label}"><p>words</p></div>'
        for label, box, _ in page.regions
    )


@per_page("dolphin")
def dolphin(page):
    """Half of the files are lists of one image, the others are documents with one page."""
    elements = [
        {"label": label.lower(), "bbox": list(box), "text": "words", "reading_order": i, "tags": []}
        for i, (label, box, _) in enumerate(page.regions)
    ]
    if page.name.endswith("1") and elements:
        return elements
    entry = {"page_number": 1, "elements": elements}
    return {"source_file": f"in/{page.name}.pdf", "total_pages": 1, "pages": [entry]}
