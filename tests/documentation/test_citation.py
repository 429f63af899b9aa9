"""The citation names the present version, and what it says is the same in CITATION.cff and on the page."""

import re

import yaml

import layoutcm
from support.paths import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def test_the_citation_has_the_present_version_and_no_invented_author():
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] == "software" and CITATION["license"] == "MIT"
    assert CITATION["authors"] == [{"name": "The layoutcm authors"}]
    assert str(CITATION["version"]) == layoutcm.__version__
    assert [one["value"] for one in CITATION["identifiers"]] == [f"urn:layoutcm:{layoutcm.__version__}"]


def test_the_page_says_the_same():
    text = (ROOT / "docs" / "cite.md").read_text("utf-8")
    assert set(re.findall(r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])", text)) == {layoutcm.__version__}
    assert "author  = {{The layoutcm authors}}" in text and f"layoutcm {layoutcm.__version__} (method" in text
    assert all(one["doi"] in text and str(one["year"]) in text for one in CITATION["references"])
