"""Tables of best thresholds, ROC AUC and calibration, and their part of the JSON."""

import math

import pytest
from msgspec import to_builtins

import layoutcm as lcm
from layoutcm.filling.result_parts import curves_part
from layoutcm.tables.latex_markdown import markdown
from layoutcm.tables.score_tables import (
    calibration_table,
    gain_sentence,
    score_lines,
    threshold_table,
)
from support.layouts import build


def scored(gt, pred, **options):
    return curves_part(lcm.compare(gt, pred, **options).score_curves())


def curves(pages):
    """On each page gt has 50 pixels of a; of 40, 20 and 10 pixels with 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    sizes = {f"p{i}": (10, 10) for i in range(pages)}
    boxes = [(0, 0, 10, 4, 0.9), (0, 4, 10, 6, 0.5), (0, 6, 10, 7, 0.2)]
    gt = build(sizes, [(page, "a", 0, 0, 10, 5) for page in sizes], ["a", "b"])
    pred = build(sizes, [(page, "a", *box) for page in sizes for box in boxes], ["a", "b"])
    return scored(gt, pred, documents={page: page for page in sizes})


def test_thresholds_of_few_documents_have_a_gain_on_these_pages():
    table = threshold_table(curves(5))
    assert table.headings() == ["label", "threshold", "F1", "F1 now", "F1 on held-out documents", "gain"]
    assert table.kinds() == ["text", "text", *["share"] * 3, "number"]
    values = [100 / 110, 100 / 120, math.nan, 100 / 110 - 100 / 120]
    assert table.data.to_numpy().tolist() == [
        ["a", "0.5", *(pytest.approx(v, nan_ok=True) for v in values)],
        ["all labels", "0.5", *(pytest.approx(v, nan_ok=True) for v in values)],
    ]
    assert (
        table.note.split("; ")[-1]
        == "gain: on these pages, not cross-validated, because there are fewer than 6 documents"
    )
    assert markdown(table).splitlines()[2] == r"| a | 0\.5 | 0.909 | 0.833 | – | 0.076 |"


def test_thresholds_of_six_documents_are_cross_validated():
    table = threshold_table(curves(6))
    assert table.data["held_out_f1"].tolist() == pytest.approx([100 / 110] * 2)
    assert table.data["gain"].tolist() == pytest.approx([100 / 110 - 100 / 120] * 2)
    assert (
        table.note.split("; ")[-1]
        == "gain: cross-validated over 6 documents, each with a threshold chosen on the others"
    )


def test_roc_auc_and_calibration():
    table = calibration_table(curves(1))
    assert table.headings() == ["label", "ROC AUC", "ECE"]
    assert table.data.to_numpy().tolist() == [["a", pytest.approx(0.98), pytest.approx(6 / 70)]]  # b has neither


def test_the_text_of_the_terminal():
    assert score_lines(curves(6)) == [
        "best score thresholds threshold   F1 now F1 there     gain  ROC AUC      ECE",
        "a                           0.5    0.833    0.909   +0.076    0.980    0.086",
        "all labels                  0.5    0.833    0.909   +0.076        –        –",
        "F1 counts the pixels of each label alone; where pixels have several labels it differs from that of classes",
        "gain: cross-validated over 6 documents, each with a threshold chosen on the others",
        "to apply those that gain: --min-score a=0.5",
    ]


def test_a_threshold_in_the_ready_option_keeps_the_regions_at_it():
    """0.71996 rounded to the nearest would be 0.72, which drops the right region."""
    size, boxes = {"p": (10, 10)}, [("p", "big table", 0, 0, 10, 5, 0.71996), ("p", "big table", 0, 5, 10, 9, 0.3)]
    s = scored(build(size, [("p", "big table", 0, 0, 10, 5)]), build(size, boxes))
    assert score_lines(s)[-1] == "to apply those that gain: --min-score 'big table=0.7199'"


def test_without_a_helpful_threshold_there_is_no_option():
    size = {"p": (10, 10)}
    sides = build(size, [("p", "a", 0, 0, 10, 5)]), build(size, [("p", "a", 0, 0, 10, 4, 0.5)])
    lines = score_lines(scored(*sides))
    assert lines[1].split() == ["a", "–", "0.889", "0.889", "0.000", "0.900", "0.500"]
    assert not any("--min-score" in line for line in lines)


def test_the_part_of_the_json():
    result = curves(1)
    assert result.cross_validated is False and result.documents == 1
    numbers = ["threshold", "f1", "present_f1", "held_out_f1", "gain"]
    assert list(to_builtins(result.overall)) == [*numbers, "curve"]
    a, b = result.classes
    assert list(to_builtins(a)) == ["label", *numbers, "roc_auc", "ece", "curve", "reliability"]
    assert (a.label, a.threshold, a.roc_auc) == ("a", 0.5, pytest.approx(0.98))
    assert b.label == "b" and b.threshold is b.ece is b.curve is None


def test_the_curve_of_the_json():
    """Pixels with 0.2 and more: 50 of 70 are right; with 0.5 and more 50 of 60, with 0.9 40 of 40."""
    curve = curves(1).classes[0].curve
    assert curve.threshold == [0.2, 0.5, 0.9] and curve.precision == pytest.approx([50 / 70, 50 / 60, 1])
    assert curve.recall == [1, 1, 0.8] and (curve.best_threshold, curve.best_f1) == (0.5, pytest.approx(100 / 110))


def test_the_gain_in_a_sentence():
    best = "Score threshold 0.5 has the largest F1 of {} on these pages: 0.909 instead of 0.833 without a threshold. "
    held_out = "Gain: +0.076 on held-out documents (6, one after the other)."
    assert gain_sentence(curves(6)) == best.format("all labels") + held_out
    assert gain_sentence(curves(6), "a", str.upper) == best.format("A") + held_out
    few = "The gain, +0.076, is on these pages: 1 document is too few to measure it on others."
    assert gain_sentence(curves(1)) == best.format("all labels") + few
    assert gain_sentence(curves(6), "b") == ""


def test_a_threshold_that_does_not_help():
    pages = {f"p{i}": (10, 10) for i in range(6)}
    gt = build(pages, [(page, "a", 0, 0, 10, 5) for page in pages])
    pred = build(pages, [(page, "a", 0, 0, 10, 5, 0.3) for page in pages])
    found = scored(gt, pred, documents={page: page for page in pages})
    assert gain_sentence(found) == "No score threshold is better for all labels than keeping every region: F1 1.000."
