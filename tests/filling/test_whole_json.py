"""The JSON of a result: whole files for pages whose pixels can be counted by hand, and its parts."""

import json
import subprocess
import sys

import msgspec
import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.layouts.findings import with_letters
from layoutcm.layouts.model import Finding
from layoutcm.models.differences import difference
from layoutcm.results.encoding import json_ready, json_text
from layoutcm.results.vocabulary import WITH_TRUTH
from support.comparisons import compare_sample, different_labels, three_pages
from support.layouts import build
from support.named_pages import compared
from support.paths import SAMPLE
from support.results import full_result
from support.stored import stored_json


def rounded(value):
    """The value with three decimals; integers stay integers."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


# Of 14 pixels of pred 12 are content; 4 of 8 pixels of a are right, and none of the 4 of b; two thirds of gt are a.
# The best IoU of two objects is 1/2, which is not a pair of the panoptic quality.
RESULT = stored_json("three_pages_result.json")
RESULT["vocabulary"] = json_ready(msgspec.to_builtins(WITH_TRUTH))


def test_result_of_a_comparison():
    found = full_result(three_pages(), per_page=True)
    assert json.loads(json_text(found)) == found
    assert rounded(found) == RESULT
    assert list(found) == list(RESULT) and list(found["measures"]) == list(RESULT["measures"])
    assert list(full_result(three_pages())) == list(RESULT)[:-1]


def test_result_with_the_method_tensor(two_pages):
    """Half of the picture is found, although pred also has a table there (see the two-page example)."""
    c = lcm.compare(*two_pages)
    found = full_result(c, "tensor", True)
    p1, p2 = found["by_page"]
    assert found["recipe"].split("|")[-2] == "method:tensor" and found["method"] == "tensor"
    assert found["confusion"][4] == p1["confusion"][4] == found["by_document"][0]["confusion"][4]
    assert found["confusion"][4] == [0, 0, 0, 0, 80, 80, 0]
    assert (p2["confusion"][5], p2["collapsed"]) == ([10, 0, 0, 0, 0, 40, 0], [[30, 20], [10, 40]])
    for level in ("pages", "documents"):
        # On p1, the recall of four labels is 1, 1, 0 and 0.5, and a table is invented; on p2 it is 0.8 and 0.
        assert found[f"averages_over_{level}"]["macro"]["recall"] == pytest.approx((2.5 / 5 + 0.8 / 2) / 2)


def test_result_with_different_labels():
    found = full_result(different_labels())
    without = ["classes", "averages", "averages_with_background", "averages_over_pages", "averages_over_documents"]
    assert [name for name, value in found.items() if value is None] == [*without, "right", "soft"]
    assert (found["labels"], found["gt_labels"], found["pred_labels"]) == (["Background", "a", "x"], ["a"], ["x"])
    assert found["objects"]["at_iou"]["map"] is found["objects"]["at_iou"]["ap"] is None


def test_pages_on_one_side_are_named():
    assert full_result(compared(["a/x.png", "b", "c"], ["x", "b", "d"]))["page_matching"] == {
        "matched": {"exact": 1, "stem": 1},
        "only_in_gt": ["c"],
        "only_in_pred": ["d"],
    }


def test_extras_are_added():
    c = three_pages()
    more = {
        "families": {"All": ["a", "b"]},
        "intervals": 7,
        "difference": difference(c, three_pages(min_score=0.75), 8),
    }
    found = full_result(c, **more)
    assert set(found) == {*list(RESULT)[:-1], "families", "intervals", "difference_from_first"}
    assert found["families"]["tree"] == {"All": ["a", "b"]}
    assert (found["intervals"]["n"], found["difference_from_first"]["n"]) == (7, 8)
    nothing = {"value": None, "low": None, "high": None, "documents": 0, "remark": ""}
    assert found["intervals"]["classes"][-1] == {"label": "c", "score": "iou"} | nothing
    assert found["intervals"]["few_documents"] is True and found["intervals"]["by_unit"][0]["document"] == "A"
    json_text(found)


def test_rules_of_average_precision():
    """By score: found, wrong, wrong, found, found. The precision at each third of recall is 1, 2 / 4 and 3 / 5.

    Two rules use the largest precision from there on, which is 1, 3 / 5 and 3 / 5; 34 of COCO's 101 points have 1.
    """
    page, boxes = {"p": (20, 2)}, [("p", "a", x, 0, x + 2, 2) for x in (0, 4, 8, 12, 16)]
    pred = build(page, [(*box, 0.9 - k / 10) for k, box in enumerate(boxes)])
    found = full_result(lcm.compare(build(page, [boxes[0], *boxes[3:]]), pred))["objects"]["at_iou"]
    expected = {"coco": (34 + 67 * 0.6) / 101, "sum": (1 + 0.5 + 0.6) / 3, "voc": (1 + 0.6 + 0.6) / 3}
    assert found["map"] == {rule: values["a"] for rule, values in found["ap"].items()} == pytest.approx(expected)


def test_result_of_families(two_pages):
    c = lcm.compare(*two_pages)
    tree = {"Text": {"Head": ["title"], "Body": ["paragraph", "list_item"]}, "Extra": ["nope"]}
    families = c.families(tree, sample="page", count="gold", depth=2)
    found = full_result(c, "tensor", families=families)["families"]
    at_depth = found.pop("at_depth")
    assert rounded(found) == stored_json("families_result.json")
    assert [(one["depth"], one["labels"]) for one in at_depth] == [
        (1, ["Background", "Text", "picture", "table", "caption"]),
        (2, ["Background", "Head", "Body", "picture", "table", "caption"]),
    ]
    assert list(at_depth[0]) == ["depth", "labels", "confusion", "recall", "precision", "f1"]
    assert [one["confusion"][-3] for one in at_depth] == [[0, 0, 80, 80, 0], [0, 0, 0, 80, 80, 0]]
    by_matrix = full_result(c, families=families)["families"]["at_depth"]
    assert [one["confusion"][-3] for one in by_matrix] == [[0, 0, 40, 120, 0], [0, 0, 0, 40, 120, 0]]


def test_without_scores_the_json_says_why_there_is_no_ap(two_pages):
    without = full_result(lcm.compare(two_pages[0], two_pages[0]))["objects"]
    assert without["summary"]["AP"] is None and without["at_iou"]["ap"] is None and "no scores" in without["why_no_ap"]
    assert without["ap"] is without["ap50"] is without["ap75"] is without["ar"] is None


def test_json_has_centroids_without_labels_if_the_labels_differ(two_pages):
    other = {"pred": {"title": "headline", "table": "grid"}}
    answer = full_result(lcm.compare(*two_pages, mapping=other, taxonomy="different"))
    blind = lcm.compare(*two_pages).centroids(class_aware=False)
    assert answer["centroids"]["class_aware"] is False
    assert answer["centroids"]["one_to_one"]["recall"] == blind.recall > 0
    assert answer["objects"]["ap"] is None and "different labels" in answer["objects"]["why_no_ap"]


def test_the_result_loads_no_pandas_and_has_the_rows_of_the_tables(two_pages):
    """To load pandas takes longer than to write the JSON of a small set."""
    code = (
        "import sys, layoutcm as lcm; from layoutcm.filling.result_of import result_of;"
        f"gt = lcm.read({str(SAMPLE / 'gt.json')!r}); pred = lcm.read({str(SAMPLE / 'model-a.json')!r}, like=gt);"
        "result_of(lcm.compare(gt, pred)).to_json();"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    comparison = lcm.compare(*two_pages)
    result, objects = full_result(comparison), comparison.objects()
    assert result["classes"] == json_ready(comparison.confusion().classes().to_dict("records"))
    assert result["objects"]["per_class"] == json_ready(objects.per_class.to_dict("records"))
    assert result["objects"]["at_iou"]["classes"] == json_ready(objects.class_scores_at(0.5).to_dict("records"))
    matrix, table = result["objects"]["at_iou"]["confusion"], objects.confusion_at(0.5)
    assert matrix["gt_labels"] == list(table.index) and matrix["pred_labels"] == list(table.columns)
    assert matrix["values"] == table.to_numpy().tolist()


def test_parts_that_are_computed_at_the_same_time_are_the_same(monkeypatch):
    one_by_one = result_of(compare_sample())
    monkeypatch.setattr("layoutcm.filling.result_of.FEWEST_PARALLEL", 0)
    assert result_of(compare_sample()).to_json() == one_by_one.to_json()


def test_names_of_files_and_labels_stay_as_they_are():
    text = "gt.json: 2 pages of gt's and pred (first: 'gt'), the prediction and Ground truth; pred-1, my gt-file."
    finding = Finding("same-file", values={"gt": "gt.json", "pred": "gt"})
    assert with_letters(text, finding) == "gt.json: 2 pages of A's and B (first: 'gt'), B and A; pred-1, my gt-file."


@pytest.mark.parametrize(
    "name", ["pred/model-a.json", "runs of pred/x.json", "my gt (1).json", "gt", "C:\\\\gt\\\\a.json", "p"]
)
def test_file_names_with_words_for_sides_stay_as_they_are(name):
    finding = Finding("empty-page", 2, {"file": name, "pages": 3, "first": "the prediction of p. 3"})
    assert with_letters(finding.message, finding) == finding.message
    finding = Finding("mapping-misspelt", 1, {"side": "pred", "file": name, "first": "gt label", "meant": "x"})
    assert with_letters(finding.message, finding).startswith("The mapping of B names 1 label that ")
    assert name == "gt" or f"that {name} has" in with_letters(finding.message, finding)
    assert "'gt label'" in with_letters(finding.message, finding)
