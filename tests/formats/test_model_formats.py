"""Details of files of layout models: docling, also inside other files, OmniDocBench, MinerU, Surya and others."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import layoutcm as lcm
from support.hostile_formats import parquet_bytes
from support.reading import codes, fails, pages, read_as, reader, reads, refusal, refused_as, refuser, refuses, regions
from written import PAGES, written

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


PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def document(box=None, name="d", **more):
    box = box or {"l": 10, "t": 80, "r": 30, "b": 60, "coord_origin": "BOTTOMLEFT"}
    size = {"1": {"page_no": 1, "size": {"width": 100, "height": 100}}}
    texts = [{"label": "text", "prov": [{"page_no": 1, "bbox": box}]}]
    return {"schema_name": "DoclingDocument", "name": name, "pages": size, "texts": texts} | more


def evaluation(**columns):
    """A file of two documents; the second could not be converted."""
    gt = [json.dumps(document(name=name)) for name in "ab"]
    moved = json.dumps(document({"l": 0, "t": 0, "r": 5, "b": 5, "coord_origin": "TOPLEFT"}, "other"))
    given = {"document_id": ["a", "b"], "GroundTruthDocument": gt, "PredictedDocument": [moved, None],
             "status": ["success", "failure"]}  # fmt: skip
    return "shard.parquet", parquet_bytes(pa.table({key: v for key, v in (given | columns).items() if v is not None}))


def test_both_sides_of_an_evaluation_are_read_from_one_file():
    gt = lcm.read(evaluation())
    assert gt.format == "docling-eval" and codes(gt) == {"two-documents": 1}
    assert regions(gt) == [("text", 10, 20, 30, 40)] * 2 and gt.page_columns.names == ("a", "b")
    pred = lcm.read(evaluation(), like=gt)
    beside_another = lcm.read(evaluation(), like=replace(gt, format="coco"))
    assert beside_another.findings[0].values["side"] == "prediction"
    assert regions(pred) == [("text", 0, 0, 5, 5)] and pages(pred) == [("a", 100, 100)]
    assert codes(pred) == {"two-documents": 1, "document-without-side": 1}
    assert pred.findings[1].values["first"] == "b" and pred.findings[1].values["status"] == "failure"
    named = lcm.read(evaluation(), format="docling-eval-pred")
    assert named.format == "docling-eval-pred" and regions(named) == regions(pred)
    assert len(lcm.compare(gt, pred).pages) == 2


def test_a_file_with_one_side_needs_no_choice():
    gt = lcm.read(evaluation(PredictedDocument=None))
    assert len(gt.regions) == 2 and gt.findings == ()
    again = lcm.read(evaluation(PredictedDocument=None), like=gt)
    assert len(again.regions) == 2 and codes(again) == {"only-ground-truth": 1}
    assert regions(lcm.read(evaluation(GroundTruthDocument=None))) == [("text", 0, 0, 5, 5)]
    unnamed = lcm.read(evaluation(document_id=None, status=None, PredictedDocument=None))
    assert unnamed.page_columns.names == ("a", "b")  # the names of the documents
    message = "there is no column PredictedDocument"
    fails(message, lcm.read, evaluation(PredictedDocument=None), format="docling-eval-pred")


@pytest.mark.parametrize(("columns", "words"), [
    ({"PredictedDocument": [None, None]}, "none of its 2 documents has a prediction with pages"),
    ({"PredictedDocument": ['{"texts": []}', ""]}, "none of its 2 documents has a prediction with pages"),
    ({"PredictedDocument": ["{", None]}, "row 0, PredictedDocument, line 1, column 2: .*ends too early"),
    ({"PredictedDocument": [None, '{"texts": 1}']}, "row 1, PredictedDocument, texts: "),
    ({"PredictedDocument": [1, 2]}, "column PredictedDocument: holds int64, must hold JSON text"),
])  # fmt: skip
def test_documents_that_cannot_be_used(columns, words):
    fails(words, lcm.read, evaluation(**columns), format="docling-eval-pred")


def test_an_answer_without_json_is_refused_and_says_what_to_ask_for():
    answer = {"document": {"filename": "a.pdf", "md_content": "# a", "json_content": None}, "status": "success"}
    refusal(
        json.dumps(answer), "has no json_content", "status success", "add json to the option to_formats", name="a.json"
    )
    del answer["document"]["json_content"]
    refusal(json.dumps(answer), "has no json_content", name="a.json")
    wrong = {"document": {"json_content": document({"l": 1})}, "status": "success"}
    refusal(json.dumps(wrong), "document.json_content.texts[0].prov[0].bbox", name="a.json")


def test_slides_are_in_points_and_are_read_from_the_top_with_a_finding():
    size = {"1": {"page_no": 1, "size": {"width": 9144000, "height": 6858000}}}
    below = {"l": 457200, "t": 1417638, "r": 8686800, "b": 274638, "coord_origin": "BOTTOMLEFT"}
    above = below | {"t": 274638, "b": 1417638, "coord_origin": "TOPLEFT"}
    expected = ("text", 36, 274638 / 12700, 684, 1417638 / 12700)
    for box, findings in ((below, {"slides-from-top": 1}), (above, {})):
        file = document(box, pages=size, origin={"mimetype": PPTX})
        layout = lcm.read(("slides.json", json.dumps(file).encode()))
        assert regions(layout) == [expected] and pages(layout) == [("d", 720, 540)] and codes(layout) == findings


def test_a_folder_of_evaluation_shards_is_one_layout(tmp_path):
    (tmp_path / "shard_0.parquet").write_bytes(evaluation()[1])
    (tmp_path / "shard_1.parquet").write_bytes(next(iter(written("docling-eval").values())))
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("a", "b", *(page.name for page in PAGES))
    assert codes(layout)["two-documents"] == 1
