"""Writers of the formats of layout models and converters: docling, OmniDocBench, PaddleX, MinerU, Surya and others."""

from written import LABELS, corner_numbers, corners, one_file, per_page


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


@per_page("docling-metrics")
def docling_metrics(page):
    regions = [
        {"bbox": list(box), "category_id": LABELS.index(label), "score": score} for label, box, score in page.regions
    ]
    size = {"page_width": page.width, "page_height": page.height}
    return {"id": page.name, "page_resolution_a": regions, "page_resolution_b": []} | size


@one_file("docling-layout", "predictions.json")
def docling_layout(pages):
    predictions = []
    for page in pages:
        labels, boxes, scores = zip(*page.regions) if page.regions else ((), (), ())
        predictions.append({"image_name": f"{page.name}.png", "bboxes": boxes, "labels": labels, "scores": scores})
    return {"predictions": predictions, "categories": LABELS}


@one_file("omnidocbench", "OmniDocBench.json")
def omnidocbench(pages):
    def write_page(i, page):
        info = {"page_attribute": {"language": "english"}, **page.size, "image_path": f"{page.name}.jpg", "page_no": i}
        detections = [
            {"category_type": label.lower(), "poly": corner_numbers(box), "ignore": False}
            for label, box, _ in page.regions
        ]
        return {"layout_dets": detections, "page_info": info}

    return [write_page(i, page) for i, page in enumerate(pages)]


@one_file("omnidocbench-pred", "pred.json")
def omnidocbench_prediction(pages):
    results = [
        {"image_name": page.name, "bbox": list(box), "category_id": LABELS.index(label), "score": score}
        for page in pages
        for label, box, score in page.regions
    ]
    return {"results": results, "categories": {str(i): x for i, x in enumerate(LABELS)}}


@per_page("paddlex", "{}_res.json")
def paddlex(page):
    boxes = [
        {"cls_id": LABELS.index(label), "label": label.lower(), "score": score, "coordinate": list(box)}
        for label, box, score in page.regions
    ]
    return {"input_path": f"in/{page.name}.png", "page_index": None, "boxes": boxes}


@per_page("mineru", "{}_middle.json")
def mineru(page):
    blocks = [{"type": label.lower(), "bbox": list(box)} for label, box, _ in page.regions]
    info = {"page_idx": 0, "page_size": [page.width, page.height], "para_blocks": blocks, "discarded_blocks": []}
    # The blocks before paragraphs were joined; they must not be read, or regions would count twice.
    return {"pdf_info": [info | {"preproc_blocks": blocks}]}


@per_page("mineru-model", "{}_model.json")
def mineru_model(page):
    ids = {"Title": 0, "Text": 1, "Table": 5, "Picture": 3}
    found = [
        {"category_id": ids[label], "poly": corner_numbers(box), "score": score} for label, box, score in page.regions
    ]
    found.append({"category_id": 15, "poly": corner_numbers((0, 0, 5, 5)), "score": 1.0, "text": "a line"})
    return [{"layout_dets": found, "page_info": {"page_no": 0, **page.size}}]


@per_page("mineru-content", "{}_content_list.json", blank=False)
def mineru_content(page):
    return [
        {"type": label.lower(), "page_idx": 0, "bbox": page.whole_parts(box, 1000)} for label, box, _ in page.regions
    ]


@per_page("unstructured", blank=False)
def unstructured(page):
    elements = []
    size = {"system": "PixelSpace", "layout_width": page.width, "layout_height": page.height}
    for label, (x0, y0, x1, y1), score in page.regions:
        where = {"points": [[x0, y0], [x0, y1], [x1, y1], [x1, y0]], **size}
        meta = {"coordinates": where, "page_number": 1, "filename": f"{page.name}.pdf", "detection_class_prob": score}
        elements.append({"type": label, "element_id": f"{len(elements)}", "text": "words", "metadata": meta})
    return elements


@one_file("surya", "results.json")
def surya(pages):
    results = {}
    for page in pages:
        boxes = [
            {"label": label, "bbox": list(box), "polygon": corners(box), "confidence": score}
            for label, box, score in page.regions
        ]
        results[page.name] = [{"bboxes": boxes, "image_bbox": [0, 0, page.width, page.height], "page": 1}]
    return results


@per_page("huridocs", blank=False)
def huridocs(page):
    size = {"page_number": 1, "page_width": page.width, "page_height": page.height}
    return [
        {"left": x0, "top": y0, "width": x1 - x0, "height": y1 - y0, "text": "words", "type": label} | size
        for label, (x0, y0, x1, y1), _ in page.regions
    ]


@per_page("layoutparser")
def layoutparser(page):
    blocks = [
        {"block_type": "rectangle", "type": label, "score": score} | dict(zip(("x_1", "y_1", "x_2", "y_2"), box))
        for label, box, score in page.regions
    ]
    return {"page_data": {}, "blocks": blocks}


@per_page("layoutparser-csv", "{}.csv")
def layoutparser_csv(page):
    rows = [f"{x0},{y0},{x1},{y1},rectangle,{label},{score}\n" for label, (x0, y0, x1, y1), score in page.regions]
    return "".join(["x_1,y_1,x_2,y_2,block_type,type,score\n", *rows])


@per_page("marker")
def marker(page):
    blocks = [
        {"block_type": label, "bbox": list(box), "children": [{"block_type": "Line", "bbox": list(box)}]}
        for label, box, _ in page.regions
    ]
    tree = {"block_type": "Page", "bbox": [0, 0, page.width, page.height], "children": blocks}
    return {"block_type": "Document", "children": [tree], "metadata": {}}
