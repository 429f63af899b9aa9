"""Slices in the terminal, in JSON and in reports: the numbers of the worked pages."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.filling.result_parts import slices_of_comparison
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.tables.slice_tables import slice_report_table, slice_summary, slice_table
from support.layouts import build

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
