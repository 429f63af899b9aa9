"""Two sides of which none is the truth: the whole text, the tables and the JSON of two pages one can count."""

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.tables.report_tables import all_tables
from layoutcm.tables.terminal import result_summary
from support.layouts import build
from support.result_schema import assert_valid
from support.results import full_result
from support.three_pages import different_labels

CHECK = "Check the page names of both files, or say which belong together (pages=, --pages)."
SIZES = {"p1": (10, 10), "p2": (10, 10), "p3": (10, 10)}


@pytest.fixture
def sides():
    """The pages of the method's example, and one that only A has; scores below 0.5 in A and B."""
    a = build(SIZES, [("p1", "a", 0, 0, 10, 10, 0.9), ("p2", "a", 0, 0, 5, 10, 0.8), ("p2", "c", 0, 0, 9, 9, 0.1)])
    b = [("p1", "a", 0, 0, 8, 10), ("p2", "a", 0, 0, 5, 10), ("p2", "b", 0, 0, 5, 10), ("p1", "a", 0, 0, 9, 9, 0.2)]
    return a, build({page: SIZES[page] for page in ("p1", "p2")}, b, ["a", "b", "c"], name="pred.json")


def test_the_text(sides):
    c = lcm.compare(*sides, truth=False, min_score=0.5, missing_pages="ignore")
    assert (
        result_summary(result_of(c))
        == f"""\
A:x|B:pred|pages:2|rounding:outer|min_score:0.5|missing_pages:ignore|taxonomy:same|method:matrix|v{lcm.__version__}

2 pages, 2 documents, 200 pixels, same taxonomy

findings
  [warning] pred.json: 3 of 4 regions have no score. Objects need all scores or none.
  [warning] 1 of 3 pages of A is not in the other side and is left out: 'p3'. {CHECK}

A (x) and B (pred.json) have the same labels on 65.0 % of all pixels; largest disagreement: a in A, b in B.

Observed agreement              0.650
Cohen's kappa                   0.429
Krippendorff's alpha            0.544

label           A px           B px        both px  both of either
a                150            130            130           0.867
b                  0             50              0           0.000

largest disagreements
  a in A, b in B                      25 px
  a in A, Background in B             20 px

pages to review: first the page of every label where A and B disagree most, then their second pages, …
  p2  b             50 px    100 % of the label
  p1  a             20 px    100 % of the label

notes
  [info] x: 1 of 3 pages has no region (first: 'p3').
  [info] 1 label is used by B only: 'b'. Map labels (mapping=, --mapping) if they mean the same; \
layoutcm suggest-mapping (suggest_mapping in Python) suggests one.
  [info] 1 of 4 regions of B has a score below 0.5 and is left out."""
    )


def test_tables_name_a_and_b(sides):
    c = lcm.compare(*sides, truth=False, min_score=0.5, missing_pages="ignore")
    tables = all_tables(result_of(c), c)
    names = ["confusion", "agreement", "confusions", "label_agreement", "review", "documents", "pages"]
    assert list(tables) == [*names, "findings", "recipe"]
    assert tables["confusion"].title == "Pixels, rows A, columns B" and tables["confusion"].headings()[0] == "A"
    assert tables["agreement"].data["value"].tolist() == list(c.agreement().values())
    labels = tables["label_agreement"]
    assert labels.headings() == ["label", "A pixels", "B pixels", "pixels of both", "both of either"]
    assert labels.data.values.tolist() == [["a", 150, 130, 130, 130 / 150], ["b", 0, 50, 0, 0]]
    assert tables["confusions"].headings() == ["A", "B", "pixels", "share of A"]
    assert tables["pages"].data[["page", "agreement"]].values.tolist() == [["p2", 0.5], ["p1", 0.8]]
    documents = tables["documents"].data[["document", "pages", "agreement"]]
    assert documents.values.tolist() == [["p2", 1, 0.5], ["p1", 1, 0.8]]
    assert tables["review"].data["page"].tolist() == ["p2", "p1"]
    messages = tables["findings"].data["message"].str.replace("pred.json", "")
    assert not messages.str.contains("gt|pred").any()


def test_the_json(sides):
    c = lcm.compare(*sides, truth=False, min_score=0.5, missing_pages="ignore")
    result = full_result(c)
    assert_valid(result)
    found = result["agreement"]
    assert {name: found[name] for name in ("observed", "kappa", "alpha")} == c.agreement()
    assert found["labels"][1] == {"label": "b", "a_pixels": 0, "b_pixels": 50, "both_pixels": 0, "agreement": 0}
    assert found["pages_to_review"][0] == {"page": "p2", "document": "p2", "label": "b", "pixels": 50, "share": 1}
    assert "agreement" not in full_result(lcm.compare(*sides))


def test_different_labels():
    c = lcm.compare(*different_labels().alignment.layouts, truth=False)
    result = result_of(c)
    text = result_summary(result)
    assert "have different labels, so there is no agreement" in text and "largest cells" in text
    assert_valid(result)
    assert all_tables(result)["agreement"].note.startswith("There is no agreement")


def test_all_pages_to_review_are_in_the_report(sides, monkeypatch):
    """A result has the first of them only."""
    monkeypatch.setattr("layoutcm.filling.result_parts.MOST_TO_REVIEW", 1)
    c = lcm.compare(*sides, truth=False, min_score=0.5)
    result = result_of(c)
    rows = [len(all_tables(result, *more)["review"].data) for more in ([], [c])]
    assert rows == [1, result.agreement.review_count] == [1, 2]


def test_more_pages_to_review_are_counted():
    sizes = {f"p{i}": (10, 10) for i in range(12)}
    a, b = (build(sizes, [(page, "a", 0, 0, 10, height) for page in sizes]) for height in (5, 6))
    lines = result_summary(result_of(lcm.compare(a, b, truth=False))).splitlines()
    assert "  … and 2 more" in lines


def test_a_truth_with_scores_is_a_finding_with_a_hint(sides):
    hinted = [finding for finding in lcm.compare(*sides).findings if finding.code == "truth-with-scores"]
    assert "--no-truth" in hinted[0].hint and hinted[0].severity == "info"
    codes = [finding.code for finding in lcm.compare(*sides, truth=False).findings]
    assert "truth-with-scores" not in codes
    assert "truth-with-scores" not in [finding.code for finding in lcm.compare(*sides[::-1]).findings]


def test_headline_quotation_notebook_pages_and_findings_are_about_agreement(sides):
    c = lcm.compare(*sides, truth=False, min_score=0.5, missing_pages="ignore")
    result = c.result()
    names = ["agreement.observed", "agreement.kappa", "agreement.alpha"]
    assert [one.figure for one in result.headline] == names and result.quote().startswith("Cohen's kappa ")
    notebook = c._repr_html_()
    assert "Cohen&#x27;s kappa" in notebook and "precision" not in notebook and "F1" not in notebook
    assert "1 of 3 pages of A is not in the other side" in notebook
    assert [one.message for one in c.findings] == [one.message for one in result.findings]
    for own, others in ((c.page_table(), result.page_table()), (c.document_table(), result.document_table())):
        assert list(own)[2:] == ["pixels", "agreement"] and own["agreement"].is_monotonic_increasing
        assert own.equals(others)
