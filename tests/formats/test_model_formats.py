"""Details of docling, OmniDocBench, PaddleX, MinerU, Unstructured, Surya, HURIDOCS, LayoutParser and Marker files."""

import numpy as np

import layoutcm as lcm
from support.reading import read_as, reader, reads, refused_as, refuser, refuses

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


def test_docling_metrics_holds_both_sides():
    a, b = ({"bbox": [1, 2, x, 4], "category_id": 9, "score": 1} for x in (3, 8))
    file = {"id": "s", "page_width": 10, "page_height": 10, "page_resolution_a": [a], "page_resolution_b": [b]}
    first = read(file)
    assert rows(first) == [("s", "category 9", [1, 2, 3, 4])]
    for other in (read(file, like=first), read(file, format="docling-metrics-b")):
        assert rows(other) == [("s", "category 9", [1, 2, 8, 4])]


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


PICTURE = "#/pictures/0"
TWO_PLACES = item("text", (10, 190, 30, 150))
TWO_PLACES["prov"] += item("text", (5, 6, 7, 8), page=2, origin="TOPLEFT")["prov"]
IN_PICTURE = docling(
    texts=[item("text", (10, 190, 30, 150), parent=PICTURE), item("caption", (10, 90, 30, 50), parent=PICTURE),
           item("text", (1, 9, 3, 5)) | {"parent": {"cref": PICTURE}}],
    pictures=[item("picture", (0, 200, 50, 100))],
)  # fmt: skip
PREDICTION = {"image_name": "a.png", "bboxes": [[-1, 2, 3, 4]], "labels": ["Text"], "scores": [0.5]}
TWO = {"image_name": "a.png", "bboxes": [[1, 2, 3, 4], [1, 2, 3, 4]], "labels": [0, 3]}
TURNED = {"cls_id": 7, "coordinate": [1, 2, 9, 4, 9, 8, 1, 6], "score": 1}
BODY = [{"type": "image_body", "bbox": [1, 1, 9, 8]}, {"type": "image_caption", "bbox": [1, 8, 9, 9]}]
MIDDLE = {"pdf_info": [{"page_idx": 0, "page_size": [10, 10]}, {
    "page_idx": 1, "page_size": [10, 10], "para_blocks": [{"type": "image", "bbox": [1, 1, 9, 9], "blocks": BODY}],
    "discarded_blocks": [{"type": "discarded", "bbox": [0, 0, 1, 1]}],
}]}  # fmt: skip
FOUND = [
    {"category_id": 0, "poly": [1, 1, 5, 1, 5, 3, 1, 3], "score": 0.9},
    {"category_id": 13, "poly": [1, 1, 5, 1, 5, 3, 1, 3], "score": 0.9, "latex": "x"},
    {"cls_id": 4, "label": "caption", "bbox": [1, 1, 2, 2], "score": 0.4},
]
NO_BOX = {"type": "text", "page_idx": 0}
ENTRIES = [NO_BOX | {"bbox": [100, 250, 500, 500], "text_level": 1}, NO_BOX]
NO_COORDINATES = {"type": "Text", "element_id": "2", "metadata": {"page_number": 1}}


def element(system):
    points = [[10, 20], [10, 50], [30, 50], [30, 20]]
    where = {"points": points, "system": system, "layout_width": 100, "layout_height": 200}
    metadata = {"coordinates": where, "page_number": 1, "filename": "d.pdf"}
    return {"type": "Title", "element_id": "1", "metadata": metadata}


SURYA = {"image_bbox": [10, 10, 110, 210], "page": 1, "bboxes": [
    {"label": "Text", "bbox": [11, 12, 13, 14], "confidence": None, "top_k": {"Text": 1.0}},
    {"label": "Table", "polygon": [[10, 20], [30, 22], [30, 42], [10, 40]], "confidence": 0.5},
]}  # fmt: skip
HURIDOCS = {"left": 1, "top": 2, "width": 3, "height": 4, "page_number": 2, "page_width": 50, "page_height": 60,
            "type": "List item", "text": "x"}  # fmt: skip
BLOCKS = [
    {"start": 1, "end": 2, "axis": "y", "block_type": "interval"},
    {"points": [0, 1, 4, 1, 4, 5, 0, 5], "block_type": "quadrilateral", "type": "Text", "score": 0.5},
]
BLOCK_TABLE = (
    "start,block_type,x_1,y_1,x_2,y_2,points,type\n1.0,interval,,,,,,\n,rectangle,1,2,3,4,,Text\n"
    ',quadrilateral,,,,,"[0, 1, 4, 1, 4, 5, 0, 5]",Text\n'
)


def marker(kind, box, *children):
    return {"block_type": kind, "bbox": box, "children": list(children) or None}


LINE = marker("Line", [1, 1, 2, 2])
DRAWN = marker("Picture", [1, 1, 5, 5], marker("Text", [2, 2, 3, 3], LINE))
GROUP = marker("PictureGroup", [1, 1, 5, 7], DRAWN, marker("Caption", [1, 5, 5, 7]))
MARKER = {"block_type": "Document", "children": [marker("Page", [0, 0, 10, 20], GROUP)]}
SMALL, OUTER = {"sizes": (10, 10)}, {"nested": False}
test_reading = read_as(
    reads("boxes of docling have their origin at the bottom or the top", docling(texts=[TWO_PLACES]),
          boxes=[[10, 10, 30, 50], [5, 6, 7, 8]], places=["paper_p1", "paper_p2"], labels=["text", "text"],
          names=("paper_p1", "paper_p2"), documents=("paper", "paper"), numbers=[1, 2]),
    reads("texts of docling in a picture", IN_PICTURE, labels=["text", "caption", "text", "picture"]),
    reads("without texts in a picture captions are kept", IN_PICTURE, OUTER, labels=["caption", "picture"]),
    reads("predictions of docling may exceed the page", {"predictions": [PREDICTION], "categories": ["Text"]}, SMALL,
          regions=[("Text", -1, 2, 3, 4)], places=["a.png"], codes={"clipped-box": 1}),
    *(reads(f"a category of docling whose key is not a number: {key[:5]}",
            {"predictions": [TWO], "categories": {"0": "Text", key: "Table"}}, SMALL, declared=["Text", "category 3"])
      for key in ("x", "²", "٣", "-1", "9" * 5000)),
    reads("quadrilaterals of PaddleX and numbers of classes",
          {"input_path": "a.png", "page_index": None, "boxes": [TURNED]}, SMALL | {"shapes": "polygon"},
          regions=[("class 7", 1, 2, 9, 8)], places=["a.png"], shapes={0}),
    reads("blocks of MinerU and their parts", MIDDLE, "doc_middle.json", names=("doc_p1", "doc_p2"), numbers=[1, 2],
          labels=["image", "image_body", "image_caption", "discarded"]),
    reads("outer blocks of MinerU", MIDDLE, "doc_middle.json", OUTER, labels=["image", "image_caption", "discarded"]),
    reads("the model of MinerU: lines and formulas are left out",
          [{"layout_dets": FOUND, "page_info": {"page_no": 0, "width": 10, "height": 10}}], "d_model.json",
          regions=[("title", 1, 1, 5, 3), ("caption", 1, 1, 2, 2)], places=["d", "d"], codes={"inline-detection": 1}),
    reads("a content list of MinerU has boxes in thousandths or none", ENTRIES, "d_content_list.json",
          {"sizes": (50, 80)}, regions=[("text level 1", 5, 20, 25, 40)], places=["d"], codes={"no-place": 1}),
    reads("Unstructured with its origin at the bottom, and without coordinates",
          [element("PixelSpace"), element("PointSpace"), NO_COORDINATES], places=["d", "d"],
          regions=[("Title", 10, 20, 30, 50), ("Title", 10, 150, 30, 180)], codes={"no-place": 1}),
    reads("Surya: pages, outlines and missing confidence", {"doc": [SURYA, SURYA | {"page": 2, "bboxes": []}]},
          {"shapes": "polygon"}, regions=[("Text", 1, 2, 3, 4), ("Table", 0, 10, 20, 32)], places=["doc_p1", "doc_p1"],
          pages=[("doc_p1", 100, 200), ("doc_p2", 100, 200)], shapes={1}),
    reads("HURIDOCS: corner and size", [HURIDOCS], regions=[("List item", 1, 2, 4, 6)], places=["doc_p2"], numbers=[2]),
    reads("intervals of LayoutParser have no box", {"page_data": {}, "blocks": BLOCKS}, SMALL, places=["doc"],
          regions=[("Text", 0, 1, 4, 5)], codes={"interval": 1}),
    reads("a table of LayoutParser", BLOCK_TABLE, "doc.csv", SMALL, boxes=[[1, 2, 3, 4], [0, 1, 4, 5]]),
    reads("groups of Marker nest, and lines are left out", MARKER,
          labels=["PictureGroup", "Picture", "Text", "Caption"]),
    reads("outer groups of Marker", MARKER, OUTER, labels=["PictureGroup", "Picture", "Caption"]),
    read=read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("docling without pages", docling(texts=[{"label": "text", "prov": []}]) | {"pages": {}},
            "not made from a PDF"),
    refuses("docling with another page", docling(texts=[item("text", (1, 9, 3, 5), page=9)]), "texts[0].prov[0]",
            "page 9"),
    refuses("more labels than boxes", {"predictions": [PREDICTION | {"labels": ["Text", "Text"]}]}, "1 boxes, 2 labels",
            sizes=(10, 10)),
    refuses("predictions of docling without sizes", {"predictions": [PREDICTION]}, "size of page 'a.png'"),
    refuses("a content list without boxes", ENTRIES[1:], "bbox", "middle.json", name="d_content_list.json",
            sizes=(50, 80)),
    refuses("Unstructured without coordinates", [NO_COORDINATES], "none of the 1 elements has coordinates"),
    refuses("Marker without pages", {"block_type": "Document", "children": [LINE]}, "where a Page should be"),
    refuse=refuser("doc.json"),
)  # fmt: skip
