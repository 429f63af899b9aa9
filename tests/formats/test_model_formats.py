"""Details of docling, OmniDocBench, PaddleX, MinerU, Unstructured, Surya, HURIDOCS, LayoutParser and Marker files."""

import numpy as np
import pytest

import layoutcm as lcm
from support.reading import codes, fails, labels, reader

read = reader("doc.json")


def rows(layout):
    """(page, label, box) of every region."""
    table = layout.regions
    corners = np.round(table[["x0", "y0", "x1", "y1"]].to_numpy(), 6).tolist()
    return list(zip(table["page"], table["label"], corners))


def docling(**items):
    pages = {str(n): {"page_no": n, "size": {"width": 100, "height": 200}} for n in (2, 1)}
    return {"schema_name": "DoclingDocument", "name": "paper", "texts": [], "pages": pages} | items


def item(label, box, page=1, origin="BOTTOMLEFT", parent="#/body"):
    edges = dict(zip("ltrb", box)) | {"coord_origin": origin}
    return {"label": label, "prov": [{"page_no": page, "bbox": edges}], "parent": {"$ref": parent}}


def test_docling_boxes_have_their_origin_at_the_bottom_or_the_top():
    text = item("text", (10, 190, 30, 150))
    text["prov"] += item("text", (5, 6, 7, 8), page=2, origin="TOPLEFT")["prov"]
    layout = read(docling(texts=[text]))
    assert rows(layout) == [("paper_p1", "text", [10, 10, 30, 50]), ("paper_p2", "text", [5, 6, 7, 8])]
    assert layout.pages[["page", "document", "number"]].to_numpy().tolist() == [
        ["paper_p1", "paper", 1],
        ["paper_p2", "paper", 2],
    ]


def test_docling_texts_in_a_picture_can_be_left_out_and_captions_are_kept():
    inside = item("text", (10, 190, 30, 150), parent="#/pictures/0")
    caption = item("caption", (10, 90, 30, 50), parent="#/pictures/0")
    old = item("text", (1, 9, 3, 5)) | {"parent": {"cref": "#/pictures/0"}}
    file = docling(texts=[inside, caption, old], pictures=[item("picture", (0, 200, 50, 100))])
    assert labels(read(file)) == ["text", "caption", "text", "picture"]
    assert labels(read(file, nested=False)) == ["caption", "picture"]


def test_docling_without_pages_is_refused_with_the_reason():
    fails("not made from a PDF", read, docling(texts=[{"label": "text", "prov": []}]) | {"pages": {}})
    fails(r"texts\[0\]\.prov\[0\].*page 9", read, docling(texts=[item("text", (1, 9, 3, 5), page=9)]))


def test_docling_metrics_holds_both_sides():
    a, b = ({"bbox": [1, 2, x, 4], "category_id": 9, "score": 1} for x in (3, 8))
    file = {"id": "s", "page_width": 10, "page_height": 10, "page_resolution_a": [a], "page_resolution_b": [b]}
    first = read(file)
    assert rows(first) == [("s", "category 9", [1, 2, 3, 4])]
    assert (
        rows(read(file, like=first))
        == rows(read(file, format="docling-metrics-b"))
        == [("s", "category 9", [1, 2, 8, 4])]
    )


def test_docling_predictions_may_exceed_the_page_and_must_be_complete():
    one = {"image_name": "a.png", "bboxes": [[-1, 2, 3, 4]], "labels": ["Text"], "scores": [0.5]}
    layout = read({"predictions": [one], "categories": ["Text"]}, sizes=(10, 10))
    assert rows(layout) == [("a.png", "Text", [-1, 2, 3, 4])] and codes(layout) == {"clipped-box": 1}
    fails("1 boxes, 2 labels", read, {"predictions": [one | {"labels": ["Text", "Text"]}]}, sizes=(10, 10))
    fails(r"size of page 'a\.png'", read, {"predictions": [one]})


@pytest.mark.parametrize("key", ["x", "²", "٣", "-1", "9" * 5000])
def test_docling_predictions_leave_out_a_category_whose_key_is_not_a_number(key):
    one = {"image_name": "a.png", "bboxes": [[1, 2, 3, 4], [1, 2, 3, 4]], "labels": [0, 3]}
    layout = read({"predictions": [one], "categories": {"0": "Text", key: "Table"}}, sizes=(10, 10))
    assert layout.labels == ["Text", "category 3"]


def test_omnidocbench_matches_names_with_and_without_suffix():
    info = {"page_attribute": {}, "width": 100, "height": 80, "image_path": "x.pdf_7.jpg", "page_no": 7}
    regions = [
        {"category_type": "title", "poly": [1, 2, 9, 2, 9, 6, 1, 6], "line_with_spans": [{"poly": [0] * 8}]},
    ]
    gt = read([{"layout_dets": regions, "page_info": info}])
    assert rows(gt) == [("x.pdf_7.jpg", "title", [1, 2, 9, 6])]
    results = [{"image_name": "x.pdf_7", "bbox": [1, 2, 9, 6], "category_id": 0, "score": 0.5}]
    pred = read({"results": results, "categories": {"0": "title"}}, like=gt)
    compared = lcm.compare(gt, pred)
    assert compared.pages == ["x.pdf_7.jpg"] and compared.average("macro")["f1"] == 1


def test_paddlex_reads_one_of_its_two_lists():
    boxes = [{"cls_id": 2, "label": "text", "score": 0.5, "coordinate": [1, 2, 5, 6]}]
    parsed = [{"block_label": "text", "block_bbox": [0, 0, 9, 9], "block_content": "x"}]
    page = {"input_path": "in/scan.pdf", "page_index": 0, "width": 50, "height": 60, "parsing_res_list": parsed}
    assert rows(read(page)) == [("scan_p1", "text", [0, 0, 9, 9])]
    both = page | {"layout_det_res": {"boxes": boxes}}
    assert rows(read(both)) == rows(read({"res": both})) == [("scan_p1", "text", [1, 2, 5, 6])]
    served = read({"errorCode": 0, "result": {"layoutParsingResults": [{"prunedResult": both}]}})
    assert rows(served) == rows(read(both)) and served.pages.loc[0, ["document", "number"]].tolist() == ["scan", 1]


def test_paddlex_quadrilaterals_and_class_numbers():
    box = {"cls_id": 7, "coordinate": [1, 2, 9, 4, 9, 8, 1, 6], "score": 1}
    layout = read({"input_path": "a.png", "page_index": None, "boxes": [box]}, sizes=(10, 10), shapes="polygon")
    assert rows(layout) == [("a.png", "class 7", [1, 2, 9, 8])] and 0 in layout.region_columns.shapes


def test_mineru_blocks_and_their_parts():
    parts = [{"type": "image_body", "bbox": [1, 1, 9, 8]}, {"type": "image_caption", "bbox": [1, 8, 9, 9]}]
    blocks = [{"type": "image", "bbox": [1, 1, 9, 9], "blocks": parts}]
    page = {
        "page_idx": 1, "page_size": [10, 10], "para_blocks": blocks,
        "discarded_blocks": [{"type": "discarded", "bbox": [0, 0, 1, 1]}],
    }  # fmt: skip
    file = {"pdf_info": [{"page_idx": 0, "page_size": [10, 10]}, page]}
    layout = read(file, "doc_middle.json")
    assert layout.page_columns.names == ("doc_p1", "doc_p2") and layout.page_columns.numbers.tolist() == [1, 2]
    assert labels(layout) == ["image", "image_body", "image_caption", "discarded"]
    outer = read(file, "doc_middle.json", nested=False)
    assert labels(outer) == ["image", "image_caption", "discarded"]


def test_mineru_model_leaves_lines_and_formulas_out():
    found_by_model = [
        {"category_id": 0, "poly": [1, 1, 5, 1, 5, 3, 1, 3], "score": 0.9},
        {"category_id": 13, "poly": [1, 1, 5, 1, 5, 3, 1, 3], "score": 0.9, "latex": "x"},
        {"cls_id": 4, "label": "caption", "bbox": [1, 1, 2, 2], "score": 0.4},
    ]
    layout = read(
        [{"layout_dets": found_by_model, "page_info": {"page_no": 0, "width": 10, "height": 10}}], "d_model.json"
    )
    assert rows(layout) == [("d", "title", [1, 1, 5, 3]), ("d", "caption", [1, 1, 2, 2])]
    assert codes(layout) == {"inline-detection": 1}


def test_mineru_content_list_has_boxes_in_thousandths_or_none():
    entries = [
        {"type": "text", "page_idx": 0, "bbox": [100, 250, 500, 500], "text_level": 1},
        {"type": "text", "page_idx": 0},
    ]
    layout = read(entries, "d_content_list.json", sizes=(50, 80))
    assert rows(layout) == [("d", "text level 1", [5, 20, 25, 40])] and codes(layout) == {"no-place": 1}
    fails(r"bbox.*middle\.json", read, entries[1:], "d_content_list.json", sizes=(50, 80))


def element(points, system="PixelSpace", **fields):
    where = {"points": points, "system": system, "layout_width": 100, "layout_height": 200}
    return {
        "type": "Title", "element_id": "1", "metadata": {"coordinates": where, "page_number": 1, "filename": "d.pdf"},
    } | fields  # fmt: skip


def test_unstructured_origin_at_the_bottom_and_elements_without_coordinates():
    points = [[10, 20], [10, 50], [30, 50], [30, 20]]
    without_coordinates = {"type": "Text", "element_id": "2", "metadata": {"page_number": 1}}
    layout = read([element(points), element(points, "PointSpace"), without_coordinates])
    assert rows(layout) == [("d", "Title", [10, 20, 30, 50]), ("d", "Title", [10, 150, 30, 180])]
    assert codes(layout) == {"no-place": 1}
    fails("none of the 1 elements has coordinates", read, [without_coordinates])


def test_surya_pages_outlines_and_missing_confidence():
    box = {"label": "Text", "bbox": [11, 12, 13, 14], "confidence": None, "top_k": {"Text": 1.0}}
    tilted = {"label": "Table", "polygon": [[10, 20], [30, 22], [30, 42], [10, 40]], "confidence": 0.5}
    page = {"bboxes": [box, tilted], "image_bbox": [10, 10, 110, 210], "page": 1}
    layout = read({"doc": [page, page | {"page": 2, "bboxes": []}]}, shapes="polygon")
    assert rows(layout) == [("doc_p1", "Text", [1, 2, 3, 4]), ("doc_p1", "Table", [0, 10, 20, 32])]
    assert layout.pages["width"].tolist() == [100, 100] and set(layout.region_columns.shapes) == {1}


def test_huridocs_corner_and_size():
    one = {"left": 1, "top": 2, "width": 3, "height": 4, "page_number": 2, "page_width": 50, "page_height": 60}
    layout = read([one | {"type": "List item", "text": "x"}])
    assert rows(layout) == [("doc_p2", "List item", [1, 2, 4, 6])] and layout.pages.loc[0, "number"] == 2


def test_layoutparser_intervals_have_no_box():
    blocks = [
        {"start": 1, "end": 2, "axis": "y", "block_type": "interval"},
        {"points": [0, 1, 4, 1, 4, 5, 0, 5], "block_type": "quadrilateral", "type": "Text", "score": 0.5},
    ]
    layout = read({"page_data": {}, "blocks": blocks}, sizes=(10, 10))
    assert rows(layout) == [("doc", "Text", [0, 1, 4, 5])] and codes(layout) == {"interval": 1}
    table = b"start,block_type,x_1,y_1,x_2,y_2,points,type\n1.0,interval,,,,,,\n,rectangle,1,2,3,4,,Text\n"
    table += b',quadrilateral,,,,,"[0, 1, 4, 1, 4, 5, 0, 5]",Text\n'
    assert [box for _, _, box in rows(read(table, "doc.csv", sizes=(10, 10)))] == [[1, 2, 3, 4], [0, 1, 4, 5]]


def test_marker_groups_nest_and_lines_are_left_out():
    line = {"block_type": "Line", "bbox": [1, 1, 2, 2]}
    picture = {
        "block_type": "Picture",
        "bbox": [1, 1, 5, 5],
        "children": [{"block_type": "Text", "bbox": [2, 2, 3, 3], "children": [line]}],
    }
    group = {
        "block_type": "PictureGroup",
        "bbox": [1, 1, 5, 7],
        "children": [picture, {"block_type": "Caption", "bbox": [1, 5, 5, 7], "children": None}],
    }
    page = {"block_type": "Page", "bbox": [0, 0, 10, 20], "children": [group]}
    file = {"block_type": "Document", "children": [page]}
    assert labels(read(file)) == ["PictureGroup", "Picture", "Text", "Caption"]
    assert labels(read(file, nested=False)) == ["PictureGroup", "Picture", "Caption"]
    fails("where a Page should be", read, {"block_type": "Document", "children": [line]})
