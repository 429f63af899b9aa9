"""Boxes of no width or height: no number of pixels changes, no output fails, and they count as objects."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.alignment.checks import check_layout
from layoutcm.cli.main import main
from layoutcm.drawing.page_raster import page_boxes
from layoutcm.drawing.paper import pages as paper_pages
from layoutcm.drawing.web import page_data
from support.generated_pages import LABELS, page
from support.layouts import build

SIZES = {"p": (60, 60)}
places = st.integers(-8, 56).map(lambda n: n / 4)


@st.composite
def flat_box(draw):
    """A row (label, x0, y0, x1, y1) of no width, no height or neither, with any place and fractions."""
    x, y, reach = draw(places), draw(places), draw(st.integers(0, 20)) / 4
    horizontal = draw(st.booleans())
    return (draw(st.sampled_from(LABELS)), x, y, x + reach * horizontal, y + reach * (not horizontal))


def one_page(boxes, score=0.5):
    return build(SIZES, [("p", *box, score) for box in boxes], LABELS)


def normal(boxes):
    return [box for box in boxes if box[3] > box[1] and box[4] > box[2]]


@settings(max_examples=60)
@given(page, st.lists(flat_box(), min_size=1, max_size=4), st.sampled_from(["outer", "nearest", "exact"]))
def test_numbers_of_pixels_do_not_change(generated, flat, rounding):
    _, gt, pred = generated
    gt, pred = normal(gt), normal(pred)
    plain = lcm.compare(one_page(gt), one_page(pred), rounding=rounding)
    more = lcm.compare(one_page([*gt, *flat]), one_page([*flat, *pred]), rounding=rounding)
    np.testing.assert_array_equal(more.confusion().values, plain.confusion().values)
    np.testing.assert_array_equal(more.page_tiles("p").x_edges, plain.page_tiles("p").x_edges)
    np.testing.assert_array_equal(more.page_tiles("p").y_edges, plain.page_tiles("p").y_edges)
    assert more.soft("micro") == pytest.approx(plain.soft("micro"), nan_ok=True)
    for name, table in plain.families({"one": LABELS[:2]}, sample="page").matrices.items():
        pd.testing.assert_frame_equal(more.families({"one": LABELS[:2]}, sample="page").matrices[name], table)
    counts = [compared.objects().gt_counts.sum() for compared in (plain, more)]
    assert counts[1] - counts[0] == len(flat)


def test_a_score_outside_0_to_1_on_no_pixel_leaves_soft_scores_alone():
    gt = one_page([("label 0", 0, 0, 5, 5)])
    pred = build(SIZES, [("p", "label 0", 0, 0, 5, 5, 0.5), ("p", "label 0", 3, 3, 3, 9, 7.0)], LABELS)
    assert lcm.compare(gt, pred).soft("micro")["recall"] == pytest.approx(0.5)


@pytest.fixture
def only_flat():
    return lcm.compare(
        one_page([("label 0", 2.5, 2.5, 2.5, 2.5), ("label 1", 1, 4, 9, 4)]),
        one_page([("label 0", 2.5, 2.5, 2.5, 2.5), ("label 0", 0, 0, 0, 0)], score=0.75),
    )


def test_a_layout_of_nothing_else_is_compared(only_flat):
    assert only_flat.confusion().values.sum() == only_flat.confusion().values[0, 0] == 3600
    objects = only_flat.objects()
    assert objects.ap == 0 and objects.scores_at(0.5) == {"precision": 0, "recall": 0, "f1": 0}
    assert objects.confusion_at(0.5).loc["label 0", "missed"] == 1
    found = only_flat.centroids(tolerance=(1, 1))
    assert (found.precision, found.recall) == (0.5, 0.5)
    assert np.isnan(only_flat.soft("macro")["dice"])


def test_findings_say_what_happens_and_do_not_guess_a_unit(only_flat):
    pred = only_flat.alignment.layouts[1]
    assert [finding.code for finding in pred.findings] == ["empty-box"]
    assert "but they count as objects" in pred.findings[0].message
    assert [finding.code for finding in check_layout(pred)] == ["score-constant"]
    assert {finding.code for finding in only_flat.findings} == {"empty-box", "score-constant", "label-only-in-gt"}


def test_such_boxes_are_drawn(only_flat):
    boxes = page_boxes(only_flat, "p")
    assert [box["label"] for box in boxes] == ["label 0", "label 1", "label 0", "label 0"]
    drawn = page_data.region_data(only_flat, "p", page_data.label_data(only_flat)["labels"], {"gt": 0, "pred": 1})
    assert len(drawn) == 4 and drawn[0][2] == drawn[0][4] == 2.5
    assert paper_pages.page_overlay(only_flat, "p") and paper_pages.page_figure(only_flat, "p")


def test_report_inspect_and_convert_work(only_flat, tmp_path, capsys):
    only_flat.write_report(tmp_path / "report")
    result = json.loads((tmp_path / "report" / "result.json").read_text())
    assert result["objects"]["gt"] == 2 and result["objects"]["pred"] == 2
    file = tmp_path / "gt.csv"
    lcm.write(only_flat.alignment.layouts[0], "csv", file)
    assert main(["inspect", str(file)]) == 0
    assert main(["compare", str(file), str(file)]) == 0
    for kind in ("coco", "parquet", "csv"):
        other = tmp_path / f"other.{'json' if kind == 'coco' else kind}"
        assert main(["convert", str(file), "--to", kind, "-o", str(other)]) == 0
        again = lcm.read(other)
        assert again.regions[["x0", "y0", "x1", "y1"]].to_numpy().tolist() == [[2.5, 2.5, 2.5, 2.5], [1, 4, 9, 4]]
