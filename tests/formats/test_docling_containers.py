"""Documents of docling inside other files: Parquet of docling-eval, answers of docling-serve; and slides."""

import json
from dataclasses import replace

import pyarrow as pa
import pytest

import layoutcm as lcm
from support.hostile_formats import parquet_bytes
from support.reading import codes, fails, pages, refusal, regions
from written import PAGES, written

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
