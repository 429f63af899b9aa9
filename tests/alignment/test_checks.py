"""Explanations for very low scores: a wrong convention or page size is detected, and the suggested repair works."""

from dataclasses import replace

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.alignment.checks import check_layout
from layoutcm.alignment.likely_mistakes import agreed_scale
from layoutcm.layouts.model import Regions
from support.generated_book import HEIGHT, WIDTH, layout
from support.layouts import build


def flipped(boxes):
    return np.stack([boxes[:, 0], HEIGHT - boxes[:, 3], boxes[:, 2], HEIGHT - boxes[:, 1]], axis=1)


def codes(comparison):
    return {finding.code for finding in comparison.findings if finding.severity != "info"}


BROKEN = {
    "y-flipped": {"boxes_of": flipped},
    "xywh-as-xyxy": {"boxes_of": lambda b: np.hstack([b[:, :2], b[:, 2:] - b[:, :2]])},
    "xyxy-as-xywh": {"boxes_of": lambda b: np.hstack([b[:, :2], b[:, 2:] + b[:, :2]])},
    "corner-as-centre": {"boxes_of": lambda b: b - np.tile(b[:, 2:] - b[:, :2], 2) / 2},
    "centre-as-corner": {"boxes_of": lambda b: b + np.tile(b[:, 2:] - b[:, :2], 2) / 2},
    "page-off-by-one": {"shift": -1},
    "ids-off-by-one": {"ids": 1},
}
UNITS = {
    "0 to 1": lambda b: b / [WIDTH, HEIGHT, WIDTH, HEIGHT],
    "percent": lambda b: 100 * b / [WIDTH, HEIGHT, WIDTH, HEIGHT],
    "0 to 1000": lambda b: 1000 * b / [WIDTH, HEIGHT, WIDTH, HEIGHT],
    "a square of 1025": lambda b: 1025 * b / [WIDTH, HEIGHT, WIDTH, HEIGHT],
    "points of pages at 150 dpi": lambda b: b * 72 / 150,
    "pixels at 200 dpi of pages in points": lambda b: b * 200 / 72,
    "points from below": lambda b: flipped(b) * 72 / 150,
}


def repaired(gt, broken, code):
    finding = next(f for f in lcm.compare(gt, broken).findings if f.code == code and f.repair)
    return lcm.compare(gt, lcm.fix(broken, finding.repair))


@pytest.mark.parametrize("code", BROKEN)
def test_wrong_convention_is_found_and_the_repair_restores_the_scores(code):
    gt, broken = layout(), layout(**BROKEN[code])
    assert code in codes(lcm.compare(gt, broken))
    again = repaired(gt, broken, code)
    assert code not in codes(again)
    # Regions that were shifted beyond the first page are lost.
    assert again.average("macro")["f1"] > (0.8 if code == "page-off-by-one" else 0.999)
    assert "fix:" in again.recipe


@pytest.mark.parametrize("unit", UNITS)
def test_other_scale_is_found_and_repaired(unit):
    gt, broken = layout(), layout(UNITS[unit])
    code = "y-flipped" if unit == "points from below" else "other-scale"
    again = repaired(gt, broken, code)
    assert again.average("macro")["f1"] > 0.95


def test_good_pairs_have_no_warnings():
    """A model that finds few regions is not reported as flipped."""
    rng = np.random.default_rng(5)
    gt, near, unrelated = layout(), layout(lambda b: b + rng.normal(0, 4, b.shape)), layout(seed=2)
    assert codes(lcm.compare(gt, near)) == set() and codes(lcm.compare(gt, unrelated)) == {"unrelated-sides"}
    few = replace(gt, region_columns=gt.region_columns.take(np.arange(len(gt.region_columns)) % 6 == 0))
    assert codes(lcm.compare(gt, few)) <= {"page-without-pred"}


def test_image_ids_off_by_one_in_several_documents_lose_one_page_only():
    """A shift within documents would lose a page of every document; a shift in the file loses only one."""
    gt, broken = layout(), layout(shift=1)
    documents = tuple(f"book {i // 3}" for i in range(12))
    gt, broken = (replace(one, page_columns=replace(one.page_columns, documents=documents)) for one in (gt, broken))
    finding = next(f for f in lcm.compare(gt, broken).findings if f.code == "page-off-by-one")
    assert finding.repair == "images:-1"
    assert lcm.compare(gt, lcm.fix(broken, finding.repair)).average("macro")["f1"] > 0.9


def test_pages_in_inches_are_reported_as_coarse():
    inches = layout(lambda boxes: boxes / 100)
    size = np.full(12, 8.0), np.full(12, 11.0)
    small = replace(inches, page_columns=replace(inches.page_columns, widths=size[0], heights=size[1]))
    assert "coarse-page" in codes(lcm.compare(small, small))


def test_empty_side_is_reported_once():
    gt = layout()
    nothing = replace(gt, region_columns=gt.region_columns.take(np.zeros(len(gt.region_columns), bool)))
    found = lcm.compare(gt, nothing).findings
    assert [f.code for f in found].count("empty-side") == 1


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        (lambda n: np.full(n, 0.5), "score-constant"),
        (lambda n: np.linspace(1, 99, n), "score-range"),
        (lambda n: np.where(np.arange(n) % 2, np.nan, 0.5), "score-missing"),
    ],
)
def test_unusual_scores(scores, code):
    assert code in codes(lcm.compare(layout(), layout(scores=scores)))


def test_duplicates_and_empty_pages_are_counted():
    gt = layout(pages=3)
    first = gt.region_columns.take(gt.region_columns.page == 0)
    twice = Regions(
        np.tile(first.page, 2), np.tile(first.label, 2), np.tile(first.boxes, (2, 1)), np.tile(first.scores, 2)
    )
    found = {f.code: f.count for f in lcm.compare(gt, replace(gt, region_columns=twice)).findings}
    assert found["duplicate-box"] == len(first)
    assert found["empty-page"] == 2


def test_labels_that_differ_in_case_hyphen_or_plural_are_matched_by_name():
    gt, pred = layout(), layout(labels=["title", "texts", "TABLE", "Pic-ture", "captions"])
    assert lcm.compare(gt, pred).taxonomy == "different"
    assert "equal-label-names" in codes(lcm.compare(gt, pred))
    matched = lcm.compare(gt, pred, taxonomy="match-names")
    assert matched.average("macro")["f1"] == pytest.approx(1)


@pytest.mark.parametrize("order", [list, sorted])
@pytest.mark.parametrize("near_rows", [1, 22, 32])  # the two pages have 20 and 25 rows
def test_duplicate_count_agrees_with_a_set_of_rows(monkeypatch, near_rows, order):
    monkeypatch.setattr("layoutcm.alignment.checks.NEAR_ROWS", near_rows)
    rng = np.random.default_rng(8)
    rows = [(f"p{page}", "ab"[label], x, y, x + 1, y + 1) for page, label, x, y in rng.integers(0, 2, (40, 4)).tolist()]
    rows = order([*rows, *[row for row in rows if row[0] == "p1"][:5]])
    found = [f for f in check_layout(build({"p0": (9, 9), "p1": (9, 9)}, rows)) if f.code == "duplicate-box"]
    assert [f.count for f in found] == [len(rows) - len(set(rows))]
    assert not [f for f in check_layout(build({"p0": (9, 9), "p1": (9, 9)}, set(rows))) if f.code == "duplicate-box"]


def test_messages_use_singular_and_plural():
    row = ("p", "a", 0, 0, 5, 5)
    twice, thrice = (check_layout(build({"p": (9, 9), "q": (9, 9)}, [row] * n)) for n in (2, 3))
    messages = [" ".join(finding.message for finding in found) for found in (twice, thrice)]
    assert "1 region is a duplicate" in messages[0] and "2 regions are duplicates" in messages[1]
    assert "1 of 2 pages has no region" in messages[0]
    csv = b"page,width,height,label,x0,y0,x1,y1\np,9,9,,0,0,5,5\n"
    assert "1 row has a box but no label and is dropped" in lcm.read(("t.csv", csv)).findings[0].message


GT_SIZE = (1000, 1400)
GT = [
    ("a", "Title", 100, 100, 900, 200), ("a", "Text", 100, 300, 900, 700), ("a", "Table", 100, 800, 500, 1200),
    ("b", "Title", 100, 100, 500, 150), ("b", "Text", 100, 200, 900, 600), ("b", "Picture", 200, 700, 800, 1300),
    ("c", "Text", 100, 100, 900, 1300),
]  # fmt: skip


def rows(factor=1.0, moved=()):
    """The rows of gt in another scale; those at the given positions lie elsewhere."""
    return [
        (page, label, *(factor * (v + 90 * (i in moved and k % 2)) for k, v in enumerate(box)))
        for i, (page, label, *box) in enumerate(GT)
    ]


def scored(pred_size, pred_rows, repair=""):
    gt = build(dict.fromkeys("abc", GT_SIZE), GT)
    pred = build(dict.fromkeys("abc", pred_size), pred_rows)
    return lcm.compare(gt, lcm.repair(pred, repair) if repair else pred)


def found_size(comparison):
    return [finding for finding in comparison.findings if finding.code == "wrong-page-size"]


def test_gt_size_wins_over_a_named_resolution_that_finds_fewer_regions():
    (finding,) = found_size(scored((1240, 1754), rows()))
    assert finding.message.startswith(
        "The page size of pred, 1240 x 1754, may be wrong, because its coordinates fit that of gt, 1000 x 1400: "
        "with this reading, 100 % of gt's regions"
    )
    assert float(finding.repair.removeprefix("scale:")) == pytest.approx(1.246, abs=0.01)
    assert not found_size(scored((1240, 1754), rows(), finding.repair))


def test_what_a_wrong_repair_leaves_is_reported_with_the_repairs_so_far():
    comparison = scored((1240, 1754), rows(moved=[1]), "scale:1.33333")
    (finding,) = found_size(comparison)
    assert "6 of 7 regions of gt have a counterpart" in finding.message
    assert f"--fix scale:1.33333,{finding.repair}" in finding.hint


def test_the_factor_is_exact_although_some_regions_lie_elsewhere():
    (finding,) = found_size(scored(GT_SIZE, rows(0.84, moved=[1, 6])))
    assert finding.repair == "scale:1.19048"
    assert "fit pages of about 840 x 1176" in finding.message
    assert not found_size(scored(GT_SIZE, rows(0.84), finding.repair))


@pytest.mark.parametrize("noise", [0, 4, 30])
def test_no_factor_is_reported_for_boxes_that_are_only_inexact(noise):
    rng = np.random.default_rng(7)
    pred = layout(lambda boxes: boxes + rng.normal(0, noise, boxes.shape))
    assert not found_size(lcm.compare(layout(), pred))


def test_boxes_without_area_or_partner_have_no_factor():
    boxes = np.array([[0.0, 0.0, 0.0, 5.0]])
    pairs = np.array([[0, 0]])
    assert agreed_scale(boxes, boxes, pairs) is None
    assert agreed_scale(boxes, boxes, pairs[:0]) is None
