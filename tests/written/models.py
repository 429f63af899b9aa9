"""Writers of the formats of layout models and converters: docling, OmniDocBench, PaddleX, MinerU, Surya and others."""

import json

from written import LABELS


def as_json(value):
    return json.dumps(value).encode()


def corner_numbers(box):
    x0, y0, x1, y1 = box
    return [x0, y0, x1, y0, x1, y1, x0, y1]


def write_file_per_page(pages, write_page):
    """{file name: JSON} for formats with a file per document; every document here has a single page."""
    return {f"{page.name}.json": as_json(write_page(page)) for page in pages}


def docling(pages):
    def write_page(page):
        items = {"texts": [], "tables": [], "pictures": []}
        for label, (x0, y0, x1, y1), _ in page.regions:
            # y upwards from the bottom of the page, as in a PDF.
            box = {"l": x0, "t": page.height - y0, "r": x1, "b": page.height - y1, "coord_origin": "BOTTOMLEFT"}
            kind = {"Table": "tables", "Picture": "pictures"}.get(label, "texts")
            items[kind].append(
                {"label": label.lower(), "prov": [{"page_no": 1, "bbox": box}], "parent": {"$ref": "#/body"}}
            )
        size = {"width": page.width, "height": page.height}
        entries = {"1": {"page_no": 1, "size": size}}
        return {"schema_name": "DoclingDocument", "version": "1.3.0", "name": page.name, "pages": entries} | items

    return write_file_per_page(pages, write_page)


def docling_metrics(pages):
    def write_page(page):
        regions = [
            {"bbox": list(box), "category_id": LABELS.index(label), "score": score}
            for label, box, score in page.regions
        ]
        size = {"page_width": page.width, "page_height": page.height}
        return {"id": page.name, "page_resolution_a": regions, "page_resolution_b": []} | size

    return write_file_per_page(pages, write_page)


def docling_layout(pages):
    predictions = [
        {
            "image_name": f"{page.name}.png",
            "bboxes": [list(box) for _, box, _ in page.regions],
            "labels": [label for label, _, _ in page.regions],
            "scores": [score for _, _, score in page.regions],
        }
        for page in pages
    ]
    return {"predictions.json": as_json({"predictions": predictions, "categories": LABELS})}


def omnidocbench(pages):
    return {
        "OmniDocBench.json": as_json(
            [
                {
                    "layout_dets": [
                        {"category_type": label.lower(), "poly": corner_numbers(box), "ignore": False}
                        for label, box, _ in page.regions
                    ],
                    "page_info": {
                        "page_attribute": {"language": "english"},
                        "width": page.width,
                        "height": page.height,
                        "image_path": f"{page.name}.jpg",
                        "page_no": i,
                    },
                }
                for i, page in enumerate(pages)
            ]
        )
    }


def omnidocbench_prediction(pages):
    results = [
        {"image_name": page.name, "bbox": list(box), "category_id": LABELS.index(label), "score": score}
        for page in pages
        for label, box, score in page.regions
    ]
    return {"pred.json": as_json({"results": results, "categories": {str(i): x for i, x in enumerate(LABELS)}})}


def paddlex(pages):
    def write_page(page):
        boxes = [
            {"cls_id": LABELS.index(label), "label": label.lower(), "score": score, "coordinate": list(box)}
            for label, box, score in page.regions
        ]
        return {"input_path": f"in/{page.name}.png", "page_index": None, "boxes": boxes}

    return {name.replace(".json", "_res.json"): data for name, data in write_file_per_page(pages, write_page).items()}


def mineru(pages):
    def write_page(page):
        blocks = [{"type": label.lower(), "bbox": list(box)} for label, box, _ in page.regions]
        info = {"page_idx": 0, "page_size": [page.width, page.height], "para_blocks": blocks, "discarded_blocks": []}
        # The blocks before paragraphs were joined; they must not be read, or regions would count twice.
        return {"pdf_info": [info | {"preproc_blocks": blocks}]}

    return {
        name.replace(".json", "_middle.json"): data for name, data in write_file_per_page(pages, write_page).items()
    }


def mineru_model(pages):
    ids = {"Title": 0, "Text": 1, "Table": 5, "Picture": 3}

    def write_page(page):
        found = [
            {"category_id": ids[label], "poly": corner_numbers(box), "score": score}
            for label, box, score in page.regions
        ]
        found.append({"category_id": 15, "poly": corner_numbers((0, 0, 5, 5)), "score": 1.0, "text": "a line"})
        return [{"layout_dets": found, "page_info": {"page_no": 0, "width": page.width, "height": page.height}}]

    return {name.replace(".json", "_model.json"): data for name, data in write_file_per_page(pages, write_page).items()}


def mineru_content(pages):
    def write_page(page):
        return [
            {
                "type": label.lower(),
                "page_idx": 0,
                "bbox": [round(1000 * v / side) for v, side in zip(box, (page.width, page.height) * 2)],
            }
            for label, box, _ in page.regions
        ]

    files = write_file_per_page([page for page in pages if page.regions], write_page)
    return {name.replace(".json", "_content_list.json"): data for name, data in files.items()}


def unstructured(pages):
    def write_page(page):
        elements = []
        for label, (x0, y0, x1, y1), score in page.regions:
            where = {
                "points": [[x0, y0], [x0, y1], [x1, y1], [x1, y0]],
                "system": "PixelSpace",
                "layout_width": page.width,
                "layout_height": page.height,
            }
            meta = {
                "coordinates": where,
                "page_number": 1,
                "filename": f"{page.name}.pdf",
                "detection_class_prob": score,
            }
            elements.append({"type": label, "element_id": f"{len(elements)}", "text": "words", "metadata": meta})
        return elements

    return write_file_per_page([page for page in pages if page.regions], write_page)


def surya(pages):
    results = {}
    for page in pages:
        boxes = [
            {
                "label": label,
                "bbox": list(box),
                "polygon": [corner_numbers(box)[i : i + 2] for i in (0, 2, 4, 6)],
                "confidence": score,
            }
            for label, box, score in page.regions
        ]
        results[page.name] = [{"bboxes": boxes, "image_bbox": [0, 0, page.width, page.height], "page": 1}]
    return {"results.json": as_json(results)}


def huridocs(pages):
    def write_page(page):
        size = {"page_number": 1, "page_width": page.width, "page_height": page.height}
        return [
            {"left": x0, "top": y0, "width": x1 - x0, "height": y1 - y0, "text": "words", "type": label} | size
            for label, (x0, y0, x1, y1), _ in page.regions
        ]

    return write_file_per_page([page for page in pages if page.regions], write_page)


def layoutparser(pages):
    def write_page(page):
        blocks = [
            {"block_type": "rectangle", "type": label, "score": score} | dict(zip(("x_1", "y_1", "x_2", "y_2"), box))
            for label, box, score in page.regions
        ]
        return {"page_data": {}, "blocks": blocks}

    return write_file_per_page(pages, write_page)


def layoutparser_csv(pages):
    header = "x_1,y_1,x_2,y_2,block_type,type,score\n"
    return {
        f"{page.name}.csv": (
            header
            + "".join(
                f"{x0},{y0},{x1},{y1},rectangle,{label},{score}\n" for label, (x0, y0, x1, y1), score in page.regions
            )
        ).encode()
        for page in pages
    }


def marker(pages):
    def write_page(page):
        blocks = [
            {"block_type": label, "bbox": list(box), "children": [{"block_type": "Line", "bbox": list(box)}]}
            for label, box, _ in page.regions
        ]
        tree = {"block_type": "Page", "bbox": [0, 0, page.width, page.height], "children": blocks}
        return {"block_type": "Document", "children": [tree], "metadata": {}}

    return write_file_per_page(pages, write_page)


WRITERS = {
    "docling": docling,
    "docling-metrics": docling_metrics,
    "docling-layout": docling_layout,
    "omnidocbench": omnidocbench,
    "omnidocbench-pred": omnidocbench_prediction,
    "paddlex": paddlex,
    "mineru": mineru,
    "mineru-model": mineru_model,
    "mineru-content": mineru_content,
    "unstructured": unstructured,
    "surya": surya,
    "huridocs": huridocs,
    "layoutparser": layoutparser,
    "layoutparser-csv": layoutparser_csv,
    "marker": marker,
}
