"""Tables of intervals and verdicts, written out in full."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.bootstrap import Resampling
from support.comparisons import one_label_pages
from support.layouts import build

SCORES = ("precision", "recall", "f1")
EQUAL = [0.5] * 6


def of_pages(gt, pred):
    """A comparison in which every page is a document."""
    return lcm.compare(gt, pred, documents={page: page for page in gt.page_columns.names})


def test_the_whole_table_of_six_equal_pages():
    """Half of label a is found on all pages, so that nothing varies.

    Background is on no gt pixel and on half of the pred pixels.
    """
    found_half, low_macro = (1, 1 / 2, 2 / 3), (1 / 2, 1 / 4, 1 / 3)
    figures = {
        **dict.fromkeys(["micro_{}", "macro_{}", "weighted_{}"], found_half),
        "micro_{}_with_background": (1 / 2, 1 / 2, 1 / 2),
        "macro_{}_with_background": low_macro,
        **dict.fromkeys(["weighted_{}_with_background", "macro_{}_over_pages", "macro_{}_over_documents"], found_half),
        "content_{}": found_half,
    }
    expected = {name.format(s): value for name, values in figures.items() for s, value in zip(SCORES, values)}
    headline = one_label_pages(*EQUAL).bootstrap(3).headline
    assert list(headline) == ["figure", "value", "low", "high", "documents", "remark"]
    assert headline["figure"].tolist() == list(expected)
    for column in ("value", "low", "high"):
        assert headline[column].tolist() == pytest.approx(list(expected.values()))
    assert set(headline["documents"]) == {6}
    assert set(headline["remark"]) == {"no spread between documents"}


def test_the_class_table_of_six_equal_pages():
    table = one_label_pages(*EQUAL).bootstrap(3).classes()
    assert list(table) == ["label", "score", "value", "low", "high", "documents", "remark"]
    assert table["label"].tolist() == ["Background"] * 4 + ["a"] * 4
    assert table["score"].tolist() == ["precision", "recall", "f1", "iou"] * 2
    q = 0.05 ** (1 / 6)  # room for failures that were not drawn; 0.61, so recall keeps 1 / 2
    expected = {
        "value": [0, np.nan, 0, 0, 1, 1 / 2, 2 / 3, 1 / 2],
        "low": [0, np.nan, 0, 0, q, 1 / 2, q, q / (2 - q)],
        "high": [1 - q, np.nan, 1 - q, (1 - q) / (1 + q), 1, 1 / 2, 2 / 3, 1 / 2],
    }
    for column, values in expected.items():
        assert table[column].tolist() == pytest.approx(values, nan_ok=True)
    assert table["documents"].tolist() == [6, 0, 6, 6, 6, 6, 6, 6]


def test_intervals_as_json_values():
    c = one_label_pages(*EQUAL)
    found = c.bootstrap(3, seed=1, level=0.9, method="tensor")
    recipe = c.recipe_for("tensor", of="documents", interval="jackknife", level=0.9)
    assert repr(found) == f"<Intervals {recipe}>" and (found.resampling.unit, found.method) == ("document", "tensor")
    values = found.as_dict()
    headline, classes = values.pop("headline"), values.pop("classes")
    assert values == {
        "units": "documents", "unit_count": 6, "few_documents": True, "interval": "jackknife", "n": 3, "seed": 1,
        "level": 0.9, "recipe": recipe,
    }  # fmt: skip
    assert len(headline) == 27 and len(classes) == 8
    facts = {"value": 1, "low": 1, "high": 1, "documents": 6, "remark": "no spread between documents"}
    assert headline[0] == {"figure": "micro_precision"} | facts
    assert classes[5] == {"label": "a", "score": "recall"} | facts | dict.fromkeys(("value", "low", "high"), 0.5)


@pytest.mark.parametrize(
    ("units", "kind", "few"),
    [(1, "none", True), (5, "none", True), (6, "jackknife", True), (19, "jackknife", True), (20, "jackknife", False),
     (101, "jackknife", False), (1000, "jackknife", False), (1001, "percentile", False)],
)  # fmt: skip
def test_the_kind_of_interval_depends_on_the_number_of_units(units, kind, few):
    used = Resampling("page", units)
    assert (used.kind, used.few, used.units) == (kind, few, "pages")


def test_below_six_documents_there_are_the_values_of_each_and_no_interval():
    found = one_label_pages(0.2, 0.4, 0.5, 0.6, 1).bootstrap()
    assert found.figures["micro_recall"][0] == pytest.approx(0.54)
    assert all(np.isnan(values[1:]).all() for values in found.figures.values())
    assert np.isnan(found.whiskers()["f1"]).all()
    assert set(found.headline["remark"]) == {"fewer than 6 documents"}
    table = found.by_unit()
    assert list(table) == ["document", "micro_f1", "macro_f1", "content_f1"]
    assert table["document"].tolist() == [f"page 00{i}" for i in range(5)]
    expected = [2 * share / (1 + share) for share in (0.2, 0.4, 0.5, 0.6, 1)]
    for column in ("micro_f1", "macro_f1", "content_f1"):
        assert table[column].tolist() == pytest.approx(expected)
    values = found.as_dict()
    assert values["few_documents"] is True and values["interval"] == "none"
    assert values["by_unit"][4] == {"document": "page 004", "micro_f1": 1, "macro_f1": 1, "content_f1": 1}


def test_a_class_in_few_documents_has_no_interval():
    """Label b is in gt of one document, and in pred of five; label c is in six documents."""
    pages = {f"p{i}": (10, 10) for i in range(7)}
    rows = [(page, "a", 0, 0, 10, 5) for page in pages]
    six = [(f"p{i}", "c", 0, 9, 10, 10) for i in range(6)]
    gt = build(pages, [*rows, *six, ("p0", "b", 0, 5, 10, 9)], "abc")
    invented = [(f"p{i}", "b", 0, 5, 10, 6) for i in range(1, 5)]
    pred = build(pages, [*rows, *six[:3], ("p0", "b", 0, 5, 10, 7), *invented], "abc")
    found = of_pages(gt, pred).bootstrap()
    table = found.classes().set_index(["label", "score"])
    assert table.loc["b", "documents"].to_dict() == {"precision": 5, "recall": 1, "f1": 5, "iou": 5}
    recall, precision = table.loc[("b", "recall")], table.loc[("b", "precision")]
    assert recall["value"] == 0.5 and np.isnan(recall["low"]) and recall["remark"] == "in 1 document only"
    assert np.isnan(precision["low"]) and precision["remark"] == "in 5 documents only"
    assert table.loc[("c", "recall"), ["documents", "remark"]].tolist() == [6, ""]
    assert table.loc[("c", "recall"), "low"] < 0.5 < table.loc[("c", "recall"), "high"]


@pytest.mark.parametrize(("filled", "remark"), [(5, "in 5 documents only"), (6, "")])
def test_a_blank_document_has_no_part_in_a_figure(filled, remark):
    """Five or six documents with label a, and a blank one. With Background the blank one has a part."""
    pages = {f"p{i}": (10, 10) for i in range(filled + 1)}
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in list(pages)[:filled]], "a")
    found = [build(pages, [(f"p{i}", "a", 0, 0, 10, more + i) for i in range(filled)], "a") for more in (3, 4)]
    first, second = (of_pages(gt, pred) for pred in found)
    row = first.bootstrap().headline.set_index("figure").loc["macro_f1"]
    assert row[["documents", "remark"]].tolist() == [filled, remark] and np.isnan(row["low"]) == (filled < 6)
    whole = first.bootstrap().headline.set_index("figure").loc["micro_f1_with_background"]
    assert whole[["documents", "remark"]].tolist() == [filled + 1, ""]
    paired = lcm.difference(first, second).headline.set_index("figure").loc["macro_f1"]
    assert paired["verdict"] == ("better" if filled == 6 else "too few documents")
    assert np.isnan(paired["p"]) == (filled < 6)


def test_an_interval_of_a_class_leaves_room_for_failures_that_were_not_drawn():
    """All of ten documents are right: 0.05^(1/10) is 0.741, and as IoU 0.741 / (2 - 0.741)."""
    found, q = one_label_pages(*[1] * 10).bootstrap(), 0.05**0.1
    ends = {score: values[1].tolist() for score, values in found.whiskers().items()}
    assert ends == {
        **dict.fromkeys(["precision", "recall", "f1"], pytest.approx([q, 1])),
        "iou": pytest.approx([q / (2 - q), 1]),
    }


def test_a_class_of_few_documents_has_no_percentiles_in_a_large_set(monkeypatch):
    """Label b is in six of twelve documents. With percentiles for more than eight, it has those of the jackknife."""
    pages = {f"p{i:02}": (10, 10) for i in range(12)}
    gt = build(pages, [(page, "ab"[i % 2], 0, 0, 10, 10) for i, page in enumerate(pages)], "ab")
    pred = build(pages, [(page, "ab"[i % 2], 0, 0, 10, 4 + i // 3) for i, page in enumerate(pages)], "ab")
    found = []
    for most in (1000, 8):
        monkeypatch.setattr("layoutcm.metrics.bootstrap.MOST_JACKKNIFE", most)
        found.append(of_pages(gt, pred).bootstrap())
    jackknife, both = found
    np.testing.assert_array_equal(both.whiskers()["recall"][2], jackknife.whiskers()["recall"][2])
    assert both.resampling.kind == "percentile" and both.figures["micro_f1"][1] != jackknife.figures["micro_f1"][1]


def test_a_difference_names_both_recipes_and_says_in_how_many_pages_it_is_better():
    pages = [f"page {i:03}" for i in range(7)]
    one_document = dict.fromkeys(pages, "d")
    shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    half, b = (one_label_pages(*(round(s + more, 1) for s in shares), documents=one_document) for more in (0, 0.2))
    a = lcm.compare(*half.alignment.layouts, documents=one_document, taxonomy="same", min_score=0.3)
    found = lcm.difference(a, b, 30, seed=2, level=0.9)
    settings = {"of": "pages", "interval": "jackknife", "level": 0.9, "test": "randomisation", "seed": 2}
    recipe_a, recipe_b = (c.recipe_for("matrix", **settings) for c in (a, b))
    assert found.recipe == f"{recipe_b} minus {recipe_a}" and recipe_a != recipe_b
    assert (found.resampling.units, found.resampling.unit, found.resampling.unit_count) == ("pages", "page", 7)
    assert found.columns == ("value", "low", "high", "other_side", "p", "better_in", "worse_in", "documents_needed")
    np.testing.assert_allclose(found.figures["micro_recall"], [0.2, 0.2, 0.2, 0, 2 / 128, 7, 0, np.nan], atol=1e-12)
    words = ["figure", *found.columns, "pages", "verdict", "remark"]
    assert list(found.headline) == words and found.verdict("micro_recall") == "better"
    row = found.headline.set_index("figure").loc["micro_recall"]
    assert row[["better_in", "pages", "verdict", "remark"]].tolist() == [7, 7, "better", ""]
    assert found.by_unit()["page"].tolist() == pages
    assert lcm.difference(b, a, level=0.9).verdict("micro_recall") == "worse"


def row_of(shares, changes, **options):
    """The row of micro recall; pages of 1000 pixels, so that shares are exact to three digits."""
    pages = {f"p{i}": (1000, 1) for i in range(len(shares))}
    gt = build(pages, [(page, "a", 0, 0, 1000, 1) for page in pages])
    preds = [
        build(pages, [(page, "a", 0, 0, round(1000 * (x + by * y)), 1) for page, x, y in zip(pages, shares, changes)])
        for by in (0, 1)
    ]
    found = lcm.difference(*(of_pages(gt, pred) for pred in preds), **options)
    return found.headline.set_index("figure").loc["micro_recall"]


def test_verdicts():
    a = [0.3, 0.4, 0.5, 0.6, 0.7, 0.5, 0.4, 0.6]
    assert row_of(a, [0] * 8)[["verdict", "remark"]].tolist() == ["no difference shown", ""]
    few = row_of(a[:5], [0.1] * 5)
    assert few[["verdict", "better_in", "remark"]].tolist() == ["too few documents", 5, "fewer than 6 documents"]
    # One page decides the mean, so that the interval is wide, but b is better on all pages.
    uneven = row_of(a, [0.3] + [0.01] * 7)
    assert uneven["p"] <= 0.05 and uneven["low"] < 0
    remark = "about 39 documents like these would show it; p alone would show it, but the interval contains 0"
    assert uneven[["verdict", "remark"]].tolist() == ["no difference shown", remark]
    # Of seven pages the smallest p-value is 2/128, which is above 0.01; an interval has no such limit.
    close = row_of(a[:7], [0.1, 0.1, 0.1, 0.09, 0.1, 0.11, 0.1], level=0.99)
    remark = "a few more documents like these would show it; the test is stricter than the interval here"
    assert close[["verdict", "remark"]].tolist() == ["no difference shown", remark]


def test_no_difference_shown_says_if_two_points_could_not_be_shown():
    a = [0.3, 0.4, 0.5, 0.6, 0.7, 0.5, 0.4, 0.6]
    narrow, wide = row_of(a, [0.02, -0.02] * 4), row_of(a, [0.03, -0.03] * 4)
    assert narrow["high"] == pytest.approx(-narrow["low"]) and 0.015 < narrow["high"] < 0.02 < wide["high"]
    assert narrow[["verdict", "remark"]].tolist() == ["no difference shown", ""]
    assert wide[["verdict", "remark"]].tolist() == ["no difference shown", "interval too wide to show 0.02"]


def test_class_verdicts_are_corrected_for_the_number_of_classes():
    """Three labels on six pages: 2/64 for one label is 6/64 for three. Label d is on two pages only."""
    pages = {f"p{i}": (10, 10) for i in range(6)}
    labels = ["a", "b", "c", "d"]
    rows = [(page, label, 0, 2 * k, 10, 2 * k + 2) for page in pages for k, label in enumerate("abc")]
    gt = build(pages, [*rows, *((page, "d", 0, 6, 10, 8) for page in ("p0", "p1"))], labels)
    half = build(pages, [(page, label, 0, y, 5, y2) for page, label, _, y, _, y2 in rows], labels)
    found = lcm.difference(*(of_pages(gt, pred) for pred in (half, gt)))
    table = found.classes().set_index(["label", "score"])
    recall = table.xs("recall", level="score")
    assert recall.loc[["a", "b", "c"], "p"].tolist() == pytest.approx([3 * 2 / 64] * 3)  # Background is not tested
    assert recall.loc["a", "verdict"] == "no difference shown"
    assert recall.loc["d", ["documents", "verdict"]].tolist() == [2, "too few documents"] and np.isnan(
        recall.loc["d", "p"]
    )
    assert found.verdict("micro_recall") == "better" and found.figures["micro_recall"][4] == 2 / 64


def test_an_interval_that_depends_on_one_document_says_so():
    """Prediction a has label b in one document only; without it there is no precision. Prediction b has it in all."""
    pages = {f"p{i}": (10, 10) for i in range(8)}
    gt = build(pages, [(page, "a", 0, 0, 10, 5) for page in pages], "ab")
    rows = [(page, "a", 0, 0, 10, 5) for page in pages]
    a = build(pages, [*rows, ("p0", "b", 0, 5, 10, 6)], "ab")
    b = build(pages, [*rows, *((page, "b", 0, 5, 10, 6) for page in pages)], "ab")
    found = lcm.difference(*(of_pages(gt, pred) for pred in (a, b))).classes()
    row = found.set_index(["label", "score"]).loc[("b", "precision")]
    assert np.isnan(row["low"]) and row["documents"] == 8 and row["remark"] == "undefined without one of the documents"


def test_a_p_value_at_the_limit_is_a_difference():
    found = lcm.difference(one_label_pages(*[0.5] * 6), one_label_pages(*[0.6] * 6), level=1 - 2 / 64)
    assert found.figures["micro_f1"][4] == 2 / 64 and found.verdict("micro_f1") == "better"
