"""Texts of intervals and differences, and how many documents they need."""

import math
import re

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.filling.result_of import intervals_part
from layoutcm.metrics.unit_sums import FIGURES
from layoutcm.models.differences import difference
from layoutcm.results.measures import figure_title
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH
from layoutcm.tables.interval_texts import (
    CellWords,
    cell_pair_text,
    difference_summary,
    interval_of_row,
    resampling_of,
    resampling_text,
    unit_lines,
)
from layoutcm.wording import difference_text, score_text, thin_spaced
from support.comparisons import compare_rows, compare_sample, one_label_pages, three_pages
from support.layouts import build
from support.stored import stored_text

PAGES = "page"
ROUGH = "by the jackknife; with fewer than 20 {} they are rough"
NO_ENDS = (np.nan, np.nan)
NO_DIFFERENCE = "no difference shown"


@pytest.mark.parametrize(
    ("ends", "verdict", "words", "text"),
    [
        ((0.009, 0.031), "worse", (True, WITH_TRUTH, True), "+2.02 points (+0.90 to +3.10), worse"),
        ((0.009, 0.031), "better", (True, WITH_TRUTH, True), "+2.02 points (+0.90 to +3.10), better"),
        ((0.009, 0.031), "better", (True, WITHOUT_TRUTH, True), "+2.02 points (+0.90 to +3.10), more agreement"),
        ((-0.009, 0.031), NO_DIFFERENCE, (True, WITH_TRUTH, True), f"+2.02 points (-0.90 to +3.10), {NO_DIFFERENCE}"),
        ((0.0, 0.031), NO_DIFFERENCE, (True, WITH_TRUTH, True), f"+2.02 points (0.00 to +3.10), {NO_DIFFERENCE}"),
        (NO_ENDS, "too few documents", (True, WITH_TRUTH, True), "+2.02 points, no interval"),
        (NO_ENDS, None, (True, WITH_TRUTH, False), "+2.02 points"),
    ],
)
def test_a_cell_of_two_sides(ends, verdict, words, text):
    said = cell_pair_text((0.0438, 0.064), ends, verdict, CellWords(*words))
    assert said == f"A 4.38 %, B 6.40 %; B minus A: {text}"


def test_pixels_of_a_cell_of_two_sides():
    said = cell_pair_text((5000, 100), (-6000, -10), "better", CellWords(False, WITH_TRUTH, True))
    many, fewer, least = map(thin_spaced, (5000, 4900, 6000))
    assert said == f"A {many} px, B 100 px; B minus A: -{fewer} px (-{least} to -10), better"


@pytest.mark.parametrize(
    ("shares", "documents", "text"),
    [
        ([0.5], None, "no intervals: 1 page of one document is too few, at least 6 are needed"),
        ([0.5] * 5, PAGES, "no intervals: 5 pages of one document are too few, at least 6 are needed"),
        ([0.5] * 5, None, "no intervals: 5 documents are too few, at least 6 are needed"),
        ([0.5] * 6, None, f"90 % intervals over 6 documents, {ROUGH.format('documents')}"),
        ([0.5] * 19, PAGES, f"90 % intervals over 19 pages of one document, {ROUGH.format('pages')}"),
        ([0.5] * 20, None, "90 % intervals over 20 documents, by the jackknife"),
        ([0.5] * 1001, None, "90 % intervals over 1,001 documents, 30 resamples, seed 3"),
    ],
)
def test_the_source_of_intervals_in_words(shares, documents, text):
    found = one_label_pages(*shares, documents=documents).bootstrap(30, seed=3, level=0.9)
    assert resampling_text(found.resampling) == text
    assert resampling_text(resampling_of(intervals_part(found))) == text


def test_an_interval_is_its_two_ends_or_a_dash():
    found = one_label_pages(*[0.2, 0.4] * 4).bootstrap()
    _, low, high = found.figures["micro_f1"]
    assert interval_of_row(found.figure_rows["micro_f1"]) == f"{low:.3f} – {high:.3f}" and low < 0.46 < high
    assert interval_of_row(one_label_pages(0.5).bootstrap().figure_rows["micro_f1"]) == "–"


def test_few_units_are_listed():
    assert unit_lines(intervals_part(one_label_pages(*[0.5] * 6).bootstrap())) == []
    assert unit_lines(intervals_part(three_pages().bootstrap())) == [
        "F1 in each document     micro     macro   content",
        "A                       0.500     0.333     1.000",
        "B                       0.000     0.000     0.800",
    ]


def test_the_summary_of_a_difference_between_few_documents():
    """Without the two regions of document B, pred has no wrong a; A stays as it was."""
    found = difference(three_pages(), three_pages(min_score=0.75), 100)
    assert difference_summary(intervals_part(found), "model a", "Background") == stored_text(
        "differences_from_a_model.txt"
    )


def test_the_summary_of_a_difference_has_verdicts():
    """Seven pages: a is found better on all of them, b on one only; nothing else differs."""
    pages = {f"p{i}": (10, 10) for i in range(7)}
    rows = [(page, label, 0, y, 10, y + 2) for page in pages for label, y in (("a", 0), ("b", 4))]
    gt = build(pages, rows, "ab")
    half = build(pages, [(page, label, 0, y, 5, y2) for page, label, _, y, _, y2 in rows], "ab")
    better = build(pages, [(page, label, 0, y, 10 if label == "a" or page == "p0" else 5, y2)
                           for page, label, _, y, _, y2 in rows], "ab")  # fmt: skip
    documents = {page: page for page in pages}
    found = difference(*(lcm.compare(gt, pred, documents=documents) for pred in (half, better)))
    lines = difference_summary(intervals_part(found), "half", "Background").split("\n")
    by_name = {re.split(r"  +", line)[0]: re.split(r"  +", line)[1:] for line in lines}
    assert by_name["micro, without Background"][-3:] == ["0.016", "7 of 7", "better"]
    assert by_name["a"][0] == "+0.333" and by_name["a"][-3:] == ["0.031", "7 of 7", "better"]  # 2 x 2/128
    remark = "about 55 documents like these would show it; interval too wide to show 0.02"
    assert by_name["b"][-3:] == ["1.000", "1 of 7", f"no difference shown, {remark}"]
    assert lines[-2] == "95 % intervals over 7 documents, by the jackknife; with fewer than 20 documents they are rough"


def test_every_number_of_a_difference_is_that_of_the_api():
    a, b = compare_sample(documents="(.+)"), compare_sample(documents="(.+)", min_score=0.7)
    found = difference(a, b, 40)
    text = difference_summary(intervals_part(found), "model-a", "Background")
    rows = found.classes().query("score == 'f1'").set_index("label")
    for label in a.labels[1:]:
        row = rows.loc[label]
        line = next(line for line in text.split("\n") if line.startswith(f"{label} "))
        ends = ["–"] if np.isnan(row["low"]) else [difference_text(row["low"]), "to", difference_text(row["high"])]
        counts = [str(row["better_in"]), "of", str(row["documents"])]
        expected = [difference_text(row["value"]), *ends, score_text(row["p"]), *counts, *row["verdict"].split()]
        assert line.removeprefix(label).replace(",", "").split()[: len(expected)] == expected


def test_where_test_and_interval_disagree_the_verdict_says_so():
    shares = [0.3, 0.4, 0.5, 0.6, 0.7, 0.5, 0.4]
    pages = {f"p{i}": (1000, 1) for i in range(7)}
    gt = build(pages, [(page, "a", 0, 0, 1000, 1) for page in pages])
    widths = [[1000 * share for share in shares], [1000 * s + more for s, more in zip(shares, [300] + [10] * 6)]]
    preds = [build(pages, [(page, "a", 0, 0, w, 1) for page, w in zip(pages, own)]) for own in widths]
    documents = {page: page for page in pages}
    found = difference(*(lcm.compare(gt, pred, documents=documents) for pred in preds))
    text = difference_summary(intervals_part(found), "a", "Background")
    assert "like these would show it; p alone would show it, but the interval contains 0" in text
    assert "  better" not in text.replace("  better in", "")


@pytest.mark.parametrize(
    ("figure", "title"),
    [
        ("micro_f1", "micro F1, without Background"),
        ("macro_precision_with_background", "macro precision, with Background"),
        ("macro_recall_over_pages", "macro recall, mean over pages"),
        ("macro_f1_over_documents", "macro F1, mean over documents"),
        ("content_f1", "content F1, against Background"),
    ],
)
def test_titles_of_figures(figure, title):
    assert figure_title(figure) == title


def test_every_figure_has_its_own_title():
    assert len({figure_title(figure) for figure in FIGURES}) == len(FIGURES) == 27


SHARES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.5, 0.4, 0.6]
GAINS = [0.1, 0.0, 0.1, 0.0, 0.1, 0.1, -0.1, 0.1]


def pair(gains, shares=SHARES, **options):
    own = shares[: len(gains)]
    better = [round(share + gain, 1) for share, gain in zip(own, gains)]
    return one_label_pages(*own, **options), one_label_pages(*better, **options)


def needed_by_hand(gains, difference, z=2.801585):
    """Recall over pages of one size is the mean of the shares, so the error is that of a mean."""
    error = np.std(gains, ddof=1) / math.sqrt(len(gains))
    return math.ceil(len(gains) * (z * error / difference) ** 2)


@pytest.mark.parametrize("figure", ["micro.recall", "class.a.recall", "over_documents.macro.recall", "content.recall"])
def test_the_number_is_that_of_the_standard_error_of_a_mean(figure):
    assert np.mean(GAINS) == pytest.approx(0.05)
    assert lcm.documents_needed(*pair(GAINS), figure) == needed_by_hand(GAINS, 0.05) == 18
    assert lcm.documents_needed(*pair(GAINS)[::-1], figure) == 18


def test_a_given_difference_and_another_power():
    a, b = pair(GAINS)
    assert lcm.documents_needed(a, b, "micro.recall", difference=0.1) == needed_by_hand(GAINS, 0.1) == 5
    assert lcm.documents_needed(a, b, "micro.recall", difference=-0.01) == needed_by_hand(GAINS, 0.01)
    z = 1.959964 + 1.281552
    assert lcm.documents_needed(a, b, "micro.recall", power=0.9) == needed_by_hand(GAINS, 0.05, z)


def test_it_is_for_any_number_of_documents():
    """Above 1,000 documents intervals are made from resamples, but the error is still that of the jackknife."""
    gains, shares = GAINS * 126, SHARES * 126
    found = lcm.difference(*pair(gains, shares), n=20)
    assert found.resampling.kind == "percentile"
    assert lcm.documents_needed(*pair(gains, shares), "micro.recall") == needed_by_hand(gains, 0.05)


def test_where_there_is_no_number():
    assert lcm.documents_needed(*pair(GAINS[:5]), "micro.recall") is None  # too few documents
    assert lcm.documents_needed(*pair([0.1, -0.1] * 4), "micro.recall") is None  # the difference is 0
    assert lcm.documents_needed(*pair([0.1] * 8), "micro.recall") is None  # the same in all documents
    assert lcm.documents_needed(*pair([0.1, -0.1] * 4), "micro.recall", difference=0.05) is not None


def test_a_class_in_few_documents_has_none():
    c = compare_sample()
    assert lcm.documents_needed(c, compare_sample(min_score=0.7), "class.Formula.f1") is None


def test_tables_have_it_only_beside_no_difference_shown():
    found = lcm.difference(*pair(GAINS))
    row = found.headline.set_index("figure").loc["micro_recall"]
    assert (row["verdict"], row["documents_needed"]) == ("no difference shown", 18)
    assert row["remark"].startswith("about 18 documents like these would show it")
    same = found.classes().set_index(["label", "score"]).loc[("a", "recall")]
    assert same["documents_needed"] == 18
    shown = lcm.difference(*pair([0.1, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, 0.1])).headline.set_index("figure")
    assert shown.loc["micro_recall", "verdict"] == "better"
    assert math.isnan(shown.loc["micro_recall", "documents_needed"])
    assert "documents_needed" not in one_label_pages(*SHARES).bootstrap(5).headline


def test_a_leaderboard_and_its_json_have_it():
    a, b = pair(GAINS)
    board = lcm.leaderboard({"a": a, "b": b}, figure="micro_f1")
    expected = lcm.documents_needed(a, b, "micro.f1")
    assert board.table.set_index("model").loc["b", "documents_needed"] == expected
    records = {row["model"]: row for row in board.as_dict()["models"]}
    assert records["b"]["documents_needed"] == expected and records["a"]["documents_needed"] is None
    row = next(row for row in board.as_dict()["classes"] if (row["label"], row["model"]) == ("a", "b"))
    assert row["documents_needed"] == lcm.documents_needed(a, b, "class.a.f1")


def test_results_have_the_sums_that_are_needed():
    a, b = pair(GAINS)
    results = [one.result(intervals=False) for one in (a, b)]
    loaded = [lcm.load_result(one.to_json()) for one in results]
    for first, second in (results, loaded, (a, results[1]), (loaded[0], b)):
        assert lcm.documents_needed(first, second, "micro.recall") == 18
    with pytest.raises(InputError, match=r"'over_pages\.macro\.recall' is not a figure with an interval"):
        lcm.documents_needed(*results, "over_pages.macro.recall")
    with pytest.raises(InputError, match="c_a: its documents differ from those of the other result"):
        lcm.documents_needed(results[0], pair(GAINS[:6])[0])
    with pytest.raises(InputError, match="one result has the method matrix, the other has tensor"):
        lcm.documents_needed(results[0], b.result(intervals=False, method="tensor"))
    with pytest.raises(InputError, match="c_b: 3 is not a comparison"):
        lcm.documents_needed(results[0], 3)


def test_pages_of_one_document_are_counted_as_pages():
    documents = {f"page {k:03}": "one" for k in range(8)}
    a, b = pair(GAINS, documents=documents)
    assert lcm.documents_needed(a, b, "micro.recall") == 18
    row = lcm.difference(a, b).headline.set_index("figure").loc["micro_recall"]
    assert row["remark"].startswith("about 18 pages like these would show it")


def test_wrong_options_are_refused():
    a, b = compare_rows([5] * 6), compare_rows([6] * 6)
    with pytest.raises(InputError, match=r"'macro\.f2' is not a figure with an interval\. The closest are macro\.f1"):
        lcm.documents_needed(a, b, "macro.f2")
    with pytest.raises(InputError, match=r"'objects\.ap' is not a figure with an interval\. .*named like macro\.f1"):
        lcm.documents_needed(a, b, "objects.ap")
    with pytest.raises(InputError, match=r"'class\.Background\.f1' is not a figure"):
        lcm.documents_needed(a, b, "class.Background.f1")
    with pytest.raises(InputError, match="difference: 2 is not a share"):
        lcm.documents_needed(a, b, difference=2)
    with pytest.raises(InputError, match=r"power: 1\.0 is not a share from 0\.5 to 1"):
        lcm.documents_needed(a, b, power=1.0)
    with pytest.raises(InputError, match="c_b: 3 is not a comparison"):
        lcm.documents_needed(a, 3)
