"""The result as JSON: averages of every level, objects, centroids, soft scores, and findings about A and B."""

import subprocess
import sys

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.layouts.findings import with_letters
from layoutcm.layouts.model import Finding
from layoutcm.results.encoding import json_ready
from support.paths import SAMPLE
from support.results import full_result
from support.sample_comparisons import compare_sample


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
