"""Findings of two sides that are called A and B."""

import pytest

from layoutcm.filling.result_of import with_letters
from layoutcm.layouts.model import Finding


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
