"""Texts of leaderboards, of agreement without a truth, and of label errors."""

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.tables.command_texts import candidate_table, label_errors_sentence
from layoutcm.tables.leaderboard_tables import best_sentence, leaderboard_summary, shown_table, standing
from layoutcm.tables.report_tables import all_tables
from layoutcm.tables.terminal import result_summary
from layoutcm.wording import percent
from support.comparisons import different_labels, one_label_pages
from support.layouts import build
from support.results import assert_valid, full_result
from support.stored import stored_text


@pytest.fixture
def board():
    """Eight documents of one page; see docs/intervals.md."""
    shares = {"half": [0.5] * 8, "most": [0.8] * 8, "uneven": [0.8] * 4 + [0.2] * 4}
    return lcm.leaderboard({name: one_label_pages(*found) for name, found in shares.items()})


def test_all_lines(board):
    assert leaderboard_summary(board.shown) == stored_text("summary_of_a_leaderboard.txt")


def test_causes_follow_the_classes_only_if_asked_for(board):
    text = leaderboard_summary(board.result(objects=False, why=True))
    *_, causes = text.split("\n\n")
    assert text.startswith(leaderboard_summary(board.shown))
    head, *lines, pixels = causes.splitlines()
    assert head.split() == ["causes", "of", "wrong", "pixels", "most", "half", "uneven"]
    found = board.causes().set_index("model")
    totals = found.sum(axis=1)
    for cause, line in zip(found.columns, lines, strict=True):
        assert line.split() == [cause, *" ".join(percent(x) for x in found[cause] / totals).split()]
    assert pixels.split() == ["pixels", *(f"{totals[name]:,.0f}" for name in board.models)]


def test_the_other_figures_have_columns_of_their_own(board):
    """With one label they would be equal."""
    best, *others = board.shown.model_rows
    best = replace(best, measures=best.measures | {"micro.f1": 0.5, "content.f1": 0.25})
    value = replace(board.shown, model_rows=[best, *others])
    assert "most       0.889  0.889 – 0.889     0.500       0.250 " in leaderboard_summary(value)
    first = shown_table(value).data.iloc[0]
    assert (first["micro_f1"], first["content_f1"], first["macro_f1"]) == (0.5, 0.25, pytest.approx(8 / 9))


def test_objects_have_columns_of_their_own(board):
    """A region that is found by half has an IoU of 0.5, which is not above a half."""
    head = leaderboard_summary(board.result()).splitlines()[1]
    assert "content F1  panoptic quality  object F1  minus half" in head
    assert [row.measures["objects.pq"] for row in board.result().model_rows] == pytest.approx([0.8, 0, 0.4])


def test_few_documents_and_different_labels():
    few = lcm.leaderboard({"half": one_label_pages(0.5, 0.5, 0.5), "most": one_label_pages(0.8, 0.8, 0.8)})
    lines = leaderboard_summary(few.shown).splitlines()
    assert lines[2].endswith("+0.222         –  –  too few documents")
    assert lines[4] == "no intervals: 3 documents are too few, at least 6 are needed"
    different = leaderboard_summary(lcm.leaderboard({name: different_labels() for name in "xy"}).shown)
    assert "\n\n2 predictions on 1 page, the best first, by content F1, against Background\n" in different
    assert "\nx       0.667         –        –         –  –  baseline\n" in different and "classes" not in different


def test_names_stay_on_their_line():
    long = "n" * 80
    board = lcm.leaderboard({long: one_label_pages(0.5), "a\nb": one_label_pages(0.8)})
    found = leaderboard_summary(board.shown)
    assert "\na b " in found and long not in found and "n" * 30 in found


def test_the_place_of_a_prediction(board):
    found = standing(board.shown, "uneven")
    assert (found["model"], found["rank"], found["models"]) == ("uneven", 2, 3)  # as good as the second
    assert (found["baseline"], found["figure"], found["verdict"]) == ("half", "macro_f1", "no difference shown")
    assert found["macro_f1"] == pytest.approx(2 / 3) and found["difference"] == pytest.approx(0, abs=1e-12)


def test_one_sentence_says_which_is_best(board):
    start = "most has the highest macro F1 of 3 predictions, 0.889, +0.222 against half (95 % interval +0.222 to "
    tested = "better, p 0.016 (corrected for 2 predictions) over 8 documents"
    expected = f"{start}+0.222): {tested}; with fewer than 20 documents this is rough."
    assert best_sentence(board) == best_sentence(board.against("uneven")) == expected
    assert best_sentence(board, str.upper).startswith("MOST has") and "against HALF" in best_sentence(board, str.upper)


def test_the_sentence_claims_nothing_that_is_not_shown():
    same = lcm.leaderboard({"half": one_label_pages(*[0.5] * 8), "uneven": one_label_pages(*[0.8] * 4, *[0.2] * 4)})
    assert best_sentence(same) == "half and uneven have the highest macro F1 of 2 predictions, 0.667."
    near = lcm.leaderboard({"half": one_label_pages(*[0.5] * 8), "near": one_label_pages(*[0.8] * 4, *[0.1] * 4)})
    assert best_sentence(near).startswith("half has the highest macro F1 of 2 predictions, 0.667, +0.046 against near")
    assert ": no difference shown, " in best_sentence(near)
    few = lcm.leaderboard({"half": one_label_pages(*[0.5] * 3), "most": one_label_pages(*[0.8] * 3)})
    amount = "most has the highest macro F1 of 2 predictions, 0.889, +0.222 against half"
    assert best_sentence(few) == f"{amount}: 3 documents are too few to say whether the difference is real."


def test_the_sentence_of_predictions_with_other_labels():
    other = different_labels()
    board = lcm.leaderboard({"x": other, "y": other})
    assert "content F1" in best_sentence(board)
    named = lcm.leaderboard({"x": other, "y": other}, figure="macro_f1")
    assert best_sentence(named) == "No prediction has a macro F1."
    assert leaderboard_summary(named.shown).splitlines()[4].split()[:5] == ["macro", "F1", "interval", "content", "F1"]


SIZES = {"p1": (10, 10), "p2": (10, 10), "p3": (10, 10)}


@pytest.fixture
def sides():
    """The pages of the method's example, and one that only A has; scores below 0.5 in A and B."""
    a = build(SIZES, [("p1", "a", 0, 0, 10, 10, 0.9), ("p2", "a", 0, 0, 5, 10, 0.8), ("p2", "c", 0, 0, 9, 9, 0.1)])
    b = [("p1", "a", 0, 0, 8, 10), ("p2", "a", 0, 0, 5, 10), ("p2", "b", 0, 0, 5, 10), ("p1", "a", 0, 0, 9, 9, 0.2)]
    return a, build({page: SIZES[page] for page in ("p1", "p2")}, b, ["a", "b", "c"], name="pred.json")


def test_the_text(sides):
    c = lcm.compare(*sides, truth=False, min_score=0.5, missing_pages="ignore")
    assert result_summary(result_of(c)) == stored_text("summary_of_agreement.txt")


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
    assert all_tables(result)["agreement"].note.partition("; ")[2].startswith("There is no agreement")


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
    assert "1 of 3 pages of A (0 regions) is not in the other side" in notebook
    assert [one.message for one in c.findings] == [one.message for one in result.findings]
    for own, others in ((c.page_table(), result.page_table()), (c.document_table(), result.document_table())):
        assert list(own)[2:] == ["pixels", "agreement"] and own["agreement"].is_monotonic_increasing
        assert own.equals(others)


KINDS = ["missing", "label", "missing", "spurious", "box"]


def errors(evidence):
    return pd.DataFrame({"kind": KINDS[: len(evidence)], "evidence": evidence})


@pytest.mark.parametrize(("evidence", "sentence"), [
    ([], "No region of the ground truth is probably wrong, of 947 regions."),
    ([0.5, 0.2], "No place of the ground truth, with 947 regions, is probably wrong: no evidence is above 0.5. "
     "By the evidence, there are about 0.7 errors among 2 weaker candidates."),
    ([0.9], "1 place of the ground truth, with 947 regions, is probably wrong (evidence above 0.5): 1 missing. "
     "By the evidence, there are about 0.9 errors among them."),
    ([0.9, 0.8, 0.7, 0.1, 0.02], "3 places of the ground truth, with 947 regions, are probably wrong (evidence above "
     "0.5): 1 label, 2 missing. By the evidence, there are about 2.4 errors among them, and about 0.1 errors among 2 "
     "weaker candidates."),
])  # fmt: skip
def test_the_sentence_counts_likely_errors_and_adds_evidence(evidence, sentence):
    assert label_errors_sentence(errors(evidence), 947) == sentence


def test_the_table_says_what_is_there_and_what_should_be():
    found = pd.DataFrame({
        "page": ["a", "b", "c", "d"], "kind": ["label", "missing", "spurious", "box"], "region": [1, pd.NA, 3, 4],
        "gt_label": ["Text", None, "Table", "Title"], "suggested": ["Title", "Text", None, "Title"],
        "evidence": [0.9, 0.8, 0.7, 0.6], "x_label": ["Title", "Text", None, "Title"],
        "kind_label": ["Text", None, None, "Title"],
    })  # fmt: skip
    table = candidate_table(found, ["x", "kind"])
    assert table.columns.tolist() == ["evidence", "kind", "page", "in gt", "suggested", "x", "kind (2)"]
    assert table["in gt"].tolist() == ["Text", "–", "Table", "Title"]
    assert table["suggested"].tolist() == ["Title", "Text", "nothing", "other borders"]
    np.testing.assert_array_equal(table["evidence"], found["evidence"])
    assert table["x"].tolist() == found["x_label"].tolist()
