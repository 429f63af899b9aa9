"""Writers of the formats of layout models and converters: docling, OmniDocBench, PaddleX, MinerU, Surya and others."""

from written import corner_numbers, per_page


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


@per_page("layoutparser-csv", "{}.csv")
def layoutparser_csv(page):
    rows = [f"{x0},{y0},{x1},{y1},rectangle,{label},{score}\n" for label, (x0, y0, x1, y1), score in page.regions]
    return "".join(["x_1,y_1,x_2,y_2,block_type,type,score\n", *rows])
