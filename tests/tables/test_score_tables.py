"""Tables of scores and slices, and facts about layouts."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import to_builtins

import layoutcm as lcm
from layoutcm.filling.result_parts import curves_part, slices_of_comparison
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.layouts.shapes import Outline
from layoutcm.pixels.counting import ignored_pixels
from layoutcm.tables.layout_facts import layout_result
from layoutcm.tables.score_tables import (
    calibration_table,
    gain_sentence,
    score_lines,
    threshold_table,
)
from layoutcm.tables.slice_tables import slice_report_table, slice_summary, slice_table
from layoutcm.tables.terminal import layout_summary
from layoutcm.tables.written_forms import markdown
from support.layouts import build
from support.stored import stored_json


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
    gain = "gain: on these pages, not cross-validated, because there are fewer than 6 documents"
    assert table.note.split("; ")[-1] == gain
    assert markdown(table).splitlines()[2] == r"| a | 0\.5 | 0.909 | 0.833 | – | 0.076 |"


def test_thresholds_of_six_documents_are_cross_validated():
    table = threshold_table(curves(6))
    assert table.data["held_out_f1"].tolist() == pytest.approx([100 / 110] * 2)
    assert table.data["gain"].tolist() == pytest.approx([100 / 110 - 100 / 120] * 2)
    gain = "gain: cross-validated over 6 documents, each with a threshold chosen on the others"
    assert table.note.split("; ")[-1] == gain


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
    none = "There is no threshold for b: no region of it with a score above 0 is compared."
    assert gain_sentence(curves(6), "b") == none


def test_a_threshold_that_does_not_help():
    pages = {f"p{i}": (10, 10) for i in range(6)}
    gt = build(pages, [(page, "a", 0, 0, 10, 5) for page in pages])
    pred = build(pages, [(page, "a", 0, 0, 10, 5, 0.3) for page in pages])
    found = scored(gt, pred, documents={page: page for page in pages})
    assert gain_sentence(found) == "No score threshold is better for all labels than keeping every region: F1 1.000."


FOUND = {"letter-a": 50, "letter-b": 40, "form-a": 30, "form-b": 30}


@pytest.fixture
def compared():
    """Four pages of 100 pixels: gt has a label on 50 of each, pred on some of them; see docs/slices.md."""
    sizes = dict.fromkeys(FOUND, (100, 1))
    gt = build(sizes, [(page, "x", 0, 0, 50, 1) for page in FOUND], ["x"], documents={page: page for page in FOUND})
    pred = build(sizes, [(page, "x", 0, 0, n, 1) for page, n in FOUND.items()], ["x"])
    kinds = load_attributes({page: {"kind": page.split("-")[0]} for page in FOUND})
    return lcm.compare(add_attributes(gt, kinds), pred)


def table_of(compared, attribute):
    return slice_table(slices_of_comparison(compared, attribute))


def test_the_terminal_shows_one_attribute(compared):
    few = "too few documents"
    assert slice_summary(table_of(compared, "kind")).splitlines() == [
        "slices by kind  pages  documents     F1  interval  difference  interval  p   error  explained  verdict",
        "form                2          2  0.750         –      -0.197         –  –  80.0 %     63.2 %  " + few,
        "letter              2          2  0.947         –      +0.197         –  –  20.0 %          –  " + few,
        "no slice is shown to be better or worse than the rest",
        "micro F1, without Background",
        "95 % intervals over 4 documents by the jackknife, none below 6",
        "p: randomisation test against the rest, corrected for the number of slices (Holm), intervals are not",
    ]


def test_the_terminal_shows_the_worst_of_all(compared):
    lines = slice_summary(table_of(compared, None)).splitlines()
    assert lines[0].startswith("slices that explain most of the error  pages")
    assert lines[1].startswith("kind: form                                 2          2  0.750")
    same = lcm.compare(*compared.alignment.layouts[:1] * 2)
    assert slice_summary(table_of(same, None)) == "no slice of pages is worse than the rest"


def test_json_and_report(compared):
    stored = slices_of_comparison(compared, "kind")
    assert (stored["attribute"], stored["figure"], stored["level"], stored["seed"]) == ("kind", "micro_f1", 0.95, 0)
    assert "slices:kind|figure:micro_f1" in stored["recipe"]
    first = stored["rows"][0]
    assert (first["value"], first["pages"], first["verdict"]) == ("form", 2, "too few documents")
    assert (first["error_share"], first["rest"]) == (pytest.approx(0.8), pytest.approx(180 / 190))
    assert (first["units"], first["remark"], stored["units"]) == (2, "fewer than 6 documents", "documents")
    table = slice_report_table(slice_table(stored))
    assert table.headings() == [
        "slice", "pages", "documents", "micro F1", "micro F1, low", "micro F1, high", "macro F1", "content F1",
        "difference", "difference, low", "difference, high", "p", "verdict", "units", "remark", "share of error",
        "explained",
    ]  # fmt: skip
    np.testing.assert_allclose(table.data["explained"], [(40 - 160 * 10 / 190) / 50, (10 - 190 * 40 / 160) / 50])
    assert slice_report_table(table_of(compared, None)).data["slice"].tolist() == ["kind: form"]


def test_the_figure_of_all_pages_counts_each_pixel_once_if_labels_differ():
    sizes = {"p": (10, 10), "q": (10, 10)}
    gt = build(sizes, [("p", "a", 0, 0, 8, 8), ("p", "b", 0, 0, 8, 4), ("q", "a", 0, 0, 5, 5)])
    pred = build(sizes, [("p", "x", 0, 0, 6, 8), ("p", "y", 0, 0, 6, 8), ("q", "x", 0, 0, 4, 5)])
    c = lcm.compare(gt, pred)
    found = slices_of_comparison(c, None)
    assert found.whole == c.content()["f1"] != c.confusion().collapse().f1[1, 1]


def layout():
    """Two overlapping ignore regions of 10 x 10 and 10 x 5 pixels, partly outside the page, and one that is judged."""
    rows = [("p", "a", 0, 0, 10, 10), ("p", "a", 5, 5, 15, 10), ("q", "a", 0, 0, 5, 5)]
    plain = build({"p": (12, 20), "q": (9, 9)}, rows, name="in.json")
    pages = replace(plain.page_columns, attributes={"kind": ("law", "law"), "scan": ("", "300 dpi")})
    regions = replace(plain.region_columns, ignore=np.array([True, True, False]))
    return replace(plain, page_columns=pages, region_columns=regions, annotator="ann", annotators=("ann", "bob"))


def test_result_of_a_layout():
    regions = [("q", "b", 1, 2, 3, 4.5, 0.5), ("p", "a", 2, 3, 4, 5, 0.25), ("q", "b", 1, 2, 3, 4.5, 0.5)]
    layout = build({"p": (10, 20.5), "q": (7, 30)}, regions, "abc", "in.csv", {"p": "D", "q": "D"})
    assert layout_result(layout) == stored_json("layout_facts.json")
    nothing = layout_result(build({}, [], name="none"))
    assert (nothing["pages"], nothing["labels"], nothing["page0"], nothing["region0"]) == (0, {}, None, None)


def test_facts_of_a_layout():
    facts = layout_result(layout())
    assert facts["attributes"] == {
        "kind": {"values": 1, "pages": {"law": 2}},
        "scan": {"values": 1, "pages": {"300 dpi": 1}},
    }
    assert (facts["annotator"], facts["annotators"]) == ("ann", ["ann", "bob"])
    assert (facts["ignored_regions"], facts["ignored_pixels"]) == (2, 110)
    assert layout_summary(layout()).splitlines()[4:8] == [
        "  kind: law 2",
        "  scan: 300 dpi 1",
        "  annotators: ann, bob; read: ann",
        "  not judged if this is the ground truth: 110 pixels under 2 regions",
    ]


def test_the_most_frequent_values_of_an_attribute():
    many = replace(build({f"p{i}": (5, 5) for i in range(70)}, [("p0", "a", 0, 0, 5, 5)]))
    values = ("x",) * 10 + tuple(str(i) for i in range(60))
    many = replace(many, page_columns=replace(many.page_columns, attributes={"kind": values}))
    assert len(layout_result(many)["attributes"]["kind"]["pages"]) == 50
    line = next(line for line in layout_summary(many).splitlines() if "kind" in line)
    assert line == "  kind: x 10, 0 1, 1 1, 2 1, 3 1, … (61 values)"


def test_outlines_hide_their_own_pixels():
    one = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    shape = Outline((np.array([[0, 0], [4, 0], [4, 3], [0, 3]], float),))
    regions = replace(one.region_columns, shapes={0: shape}, ignore=np.array([True]))
    assert ignored_pixels(replace(one, region_columns=regions)) == 12
    assert ignored_pixels(one) == 0
