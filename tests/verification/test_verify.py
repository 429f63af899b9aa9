"""`verify` agrees with right numbers, names wrong ones, and says what it did not compare."""

import math
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.model import ROUNDINGS
from layoutcm.metrics.objects import overlaps
from layoutcm.tables.command_texts import verification_summary
from layoutcm.verification import recount
from layoutcm.verification.recount import verify
from support import generated_pages
from support.coco_oracle import read_pair
from support.layouts import build
from support.reading import fails

PEERS = {"scikit-learn": "sklearn.metrics", "pycocotools": "pycocotools.cocoeval"}


def random_coco(seed, shapes, size=(41, 37)):
    """A COCO file and results of three pages: boxes, and if asked for polygons and masks, with crowds and areas."""
    rng = np.random.default_rng(seed)

    def region(page):
        x, y, width, height = (float(v) for v in rng.integers(0, 80, 4) / 4 + (0, 0, 1, 1))
        fields = {"image_id": page, "category_id": int(rng.integers(1, 4)), "bbox": [x, y, width, height]}
        kind = rng.integers(3) if shapes else 0
        if kind == 1:
            fields["segmentation"] = [(rng.integers(0, 160, 2 * int(rng.integers(3, 6))) / 4).tolist()]
        if kind == 2:
            ends = np.sort(rng.integers(0, size[0] * size[1], 6))
            runs = np.diff(ends, prepend=0, append=size[0] * size[1]).tolist()
            fields["segmentation"] = {"size": [size[1], size[0]], "counts": runs}
        return fields

    rows = [region(page) for page in (7, 3, 5) for _ in range(6)]
    gt = [row | {"id": i + 1, "iscrowd": int(rng.random() < 0.1)} for i, row in enumerate(rows)]
    results = [region(page) | {"score": float(rng.integers(1, 10)) / 10} for page in (3, 5, 7) for _ in range(7)]
    for row in gt:
        row["area"] = row["bbox"][2] * row["bbox"][3]
    images = [{"id": i, "file_name": f"{i}.png", "width": size[0], "height": size[1]} for i in (7, 3, 5)]
    return {"images": images, "annotations": gt, "categories": [{"id": i, "name": f"c{i}"} for i in (1, 2, 3)]}, results


def assert_agrees(comparison, **options):
    result = verify(comparison, **options)
    assert result.agrees and result.largest < 1e-9, result.deviations[:3]
    return result


def test_the_two_page_example_agrees(two_pages):
    result = assert_agrees(lcm.compare(*two_pages))
    assert result.recounted.pages == ("p1", "p2") and result.recounted.pixels == 500 and not result.not_installed
    # p1: title, paragraph, list item read as paragraph, picture with table and picture, with table.
    # p2: table, missed table, caption on nothing, nothing.
    assert result.recounted.label_pairs == 5 + 4
    table = result.table.set_index(["quantity", "recounted_by"])["numbers"]
    assert table["pixels", "drawing on pixels"] == 3  # two pages and the whole set
    assert table["pixels of each pair of label sets", "drawing on pixels"] == 9 + 9
    assert table["confusion matrix", "drawing on pixels"] == 3 * 7 * 7
    assert table["recall, precision and F1 of its cells", "drawing on pixels"] == sum(
        np.isfinite(values).sum()
        for level in ({"page": "p1"}, {"page": "p2"}, {})
        for m in [lcm.compare(*two_pages).confusion(**level)]
        for values in (m.recall, m.precision, m.f1)
    )
    assert table["scores in the page table", "drawing on pixels"] == 2 * 7
    by = {name.split()[0]: numbers for (_, name), numbers in table.items()}
    assert by["scikit-learn"] == 3 * 2 * 9 and by["pycocotools"] == 4 * 5  # no gt object is a caption
    assert result.numbers == table.sum() and list(result.table) == [
        *("quantity", "recounted_by", "numbers", "largest_deviation"),
    ]


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("shapes", ["box", "polygon"])
def test_boxes_polygons_and_masks_agree(method, rounding, shapes):
    for seed in range(5):
        pair = read_pair(*random_coco(seed, shapes == "polygon"), shapes=shapes)
        assert bool(pair[0].region_columns.shapes) == (shapes == "polygon")
        result = assert_agrees(lcm.compare(*pair, rounding=rounding, min_score=0.2), method=method)
        assert "COCO's twelve numbers" in set(result.table["quantity"]) and not result.why_no_ap


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_polygons_and_masks_of_another_page_size_agree(rounding):
    for seed, size in enumerate([(82, 74), (41, 50), (20, 20)]):
        gt, _ = random_coco(seed, shapes=True)
        pred, results = random_coco(seed + 9, shapes=True, size=size)
        pred["annotations"] = [row | {"id": i + 1} for i, row in enumerate(results)]
        for row in gt["annotations"]:
            del row["area"]  # then it is the area of the mask
        assert_agrees(lcm.compare(*read_pair(gt, pred, shapes="polygon"), rounding=rounding))


@settings(max_examples=30)
@given(
    st.lists(generated_pages.page, min_size=1, max_size=3),
    st.sampled_from(ROUNDINGS),
    st.sampled_from(["matrix", "tensor"]),
)
def test_generated_pages_agree(pages, rounding, method):
    gt, pred = generated_pages.layouts(pages)
    assert_agrees(lcm.compare(gt, pred, rounding=rounding), method=method)


SIZES = {"p": (30.0, 20.0), "q": (15.5, 10.0), "only gt": (8, 8)}
GT = [("p", "a", 1, 1, 12, 9), ("p", "b", 5, 5, 20, 20), ("q", "a", 0, 0, 15.5, 3.3), ("only gt", "b", 2, 2, 4, 4)]
OTHER_SIZES = {"p": (90.0, 50.0), "q": (31.0, 20.0), "only pred": (12, 9)}
PRED = [
    ("p", "a", 3, 2, 40, 22, 0.9), ("p", "c", 12, 12, 61, 50, 0.4), ("q", "a", 0, 0, 30, 7, 0.3),
    ("only pred", "c", 1, 1, 5, 5, 0.8),
]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {"taxonomy": "same"},
        {"taxonomy": "different"},
        {"mapping": {"pred": {"c": "b"}}},
        {"mapping": {"pred": {"c": "Background"}}},
        {"missing_pages": "ignore", "taxonomy": "same"},
        {"min_score": 0.5, "taxonomy": "same"},
        {"pages": {"only gt": "only pred"}, "taxonomy": "same"},
    ],
    ids=str,
)
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_options_of_compare_agree_on_pages_of_other_sizes(options, rounding):
    gt, pred = build(SIZES, GT), build(OTHER_SIZES, PRED)
    comparison = lcm.compare(gt, pred, rounding=rounding, **options)
    for method in ("matrix", "tensor"):
        result = assert_agrees(comparison, method=method)
        assert len(result.recounted.pages) == len(comparison.pages)
        assert bool(result.why_no_ap) == (options.get("taxonomy") == "different")


def test_pages_are_chosen_by_the_seed(two_pages):
    gt = build({f"p{i}": (4, 4) for i in range(30)}, [(f"p{i}", "a", 0, 0, 2, 2) for i in range(30)])
    comparison = lcm.compare(gt, gt)
    first, again, other = (verify(comparison, 5, seed).recounted.pages for seed in (0, 0, 1))
    assert first == again != other and len(set(first)) == 5
    assert sorted(first, key=comparison.pages.index) == list(first)
    assert len(verify(comparison).recounted.pages) == 20 and len(verify(comparison, 99).recounted.pages) == 30


def test_a_wrong_cell_is_named(two_pages, monkeypatch):
    comparison = lcm.compare(*two_pages)
    right = type(comparison).confusion

    def wrong(self, page=None, **options):
        confusion = right(self, page=page, **options)
        values = confusion.values.copy()
        values[1, 2] += page == "p1"
        return replace(confusion, recall_mass=values, precision_mass=values)

    monkeypatch.setattr(type(comparison), "confusion", wrong)
    result = verify(comparison)
    first = result.deviations[0]
    assert not result.agrees and result.largest == 1  # 1 instead of 0 pixels
    assert (first.quantity.title, first.page) == ("confusion matrix", "p1")
    assert first.place == "row title, column paragraph"
    assert (first.computed, first.recounted, first.size) == (1, 0, 1)
    assert {one.page for one in result.deviations} == {"p1"}
    text = verification_summary(result)
    assert "p1: confusion matrix, row title, column paragraph: layoutcm 1, drawing on pixels 0" in text
    assert text.splitlines()[-1].endswith("not agree (limit 1e-06). Please report this as a bug, with the two files.")


@pytest.mark.parametrize("name", ["AP", "AP75", "ARlarge"])
def test_a_wrong_ap_is_named(two_pages, name):
    comparison = lcm.compare(*two_pages)
    right = comparison.objects().summary[name]
    comparison.objects().summary[name] = 0.123
    result = verify(comparison)
    (wrong,) = result.deviations
    assert (wrong.quantity.title, wrong.page, wrong.place) == ("COCO's twelve numbers", "all pages", name)
    assert wrong.computed == 0.123 and wrong.recounted == pytest.approx(right, nan_ok=True)


def test_a_wrong_pair_count_is_found_everywhere(two_pages):
    comparison = lcm.compare(*two_pages)
    comparison.all_counts.pixels[0] += 0.01
    wrong = {one.quantity.title for one in verify(comparison).deviations}
    assert {"pixels", "pixels of each pair of label sets", "confusion matrix", "pixels of each class"} <= wrong
    comparison.all_counts.pixels[0] -= 0.01
    assert verify(lcm.compare(*two_pages)).agrees


def test_a_value_that_only_one_side_has_deviates_without_limit(two_pages):
    comparison = lcm.compare(*two_pages)
    comparison.objects().summary["AP"] = math.nan
    result = verify(comparison)
    assert result.largest == math.inf and "layoutcm nan" in verification_summary(result)


@pytest.mark.parametrize("package", PEERS)
def test_a_package_that_is_not_installed_is_named(two_pages, monkeypatch, package):
    monkeypatch.setitem(sys.modules, PEERS[package], None)
    result = assert_agrees(lcm.compare(*two_pages))
    assert result.not_installed == (package,)
    assert not any(package in by for by in result.table["recounted_by"])
    assert f"not installed: {package}; install layoutcm[verify]" in verification_summary(result).splitlines()


def test_pages_that_are_too_large_are_replaced_and_named(monkeypatch):
    sizes = {"small": (5, 5), "wide": (1000, 10), "next": (6, 6)}
    gt = build(sizes, [(page, "a", 0, 0, 4, 4) for page in sizes])
    monkeypatch.setattr(recount, "MAX_PAGE_PIXELS", 9_999)
    result = assert_agrees(lcm.compare(gt, gt), pages=3)
    assert result.recounted.pages == ("small", "next") and result.recounted.too_large == ("wide",)
    assert "1 page was left out, with over" in verification_summary(result)
    assert "'wide'" in verification_summary(result)
    assert assert_agrees(lcm.compare(gt, gt, rounding="exact")).recounted.too_large == ()
    monkeypatch.setattr(recount, "MAX_PAGE_PIXELS", 1)
    fails("no page can be recounted: all pages have more than 1 pixels", verify, lcm.compare(gt, gt))


def test_many_pages_have_their_ap_compared_page_by_page(two_pages, monkeypatch):
    monkeypatch.setattr(recount, "MAX_PAGES_FOR_ALL_OBJECTS", 1)
    result = assert_agrees(lcm.compare(*two_pages), pages=1)
    (twelve,) = result.table[result.table["quantity"] == "COCO's twelve numbers"].to_dict("records")
    assert twelve["recounted_by"].endswith("page by page") and 0 < twelve["numbers"] <= 12
    assert "pixels" in set(result.table["quantity"]) and result.page_count == 2


def test_the_reason_for_no_ap_is_given(two_pages):
    result = assert_agrees(lcm.compare(two_pages[0], two_pages[0]))
    text = verification_summary(result)
    assert "AP and AR were not checked. The prediction has no scores" in text
    assert text.endswith("AP and AR: not checked.") and not result.ap_was_checked


def test_ap_is_not_checked_where_objects_are_left_out(two_pages, monkeypatch):
    # Every page of two_pages has more overlapping pairs than are compared, then only one of them has.
    monkeypatch.setattr(overlaps, "MOST_WORK_ON_A_PAGE", 0)
    result = assert_agrees(lcm.compare(*two_pages))
    assert result.objects_left_out == ("p1", "p2") and not result.ap_was_checked
    assert not {"COCO's twelve numbers"} & set(result.table["quantity"]) and result.numbers > 0
    text = verification_summary(result)
    assert "AP and AR were not checked. Left out of objects" in text and text.endswith("AP and AR: not checked.")
    monkeypatch.setattr(overlaps, "MOST_WORK_ON_A_PAGE", 3)
    result = assert_agrees(lcm.compare(*two_pages))
    assert result.objects_left_out == ("p1",) and result.ap_was_checked
    assert "AP and AR were not checked on 1 page left out of objects: 'p1'" in verification_summary(result)


def test_the_summary_has_the_sizes_the_table_and_the_verdict(two_pages):
    result = verify(lcm.compare(*two_pages), pages=1, seed=3)
    result = replace(
        result, table=pd.DataFrame([("pixels", "drawing on pixels", 1200, 0.0)], columns=result.table.columns)
    )
    lines = verification_summary(result).splitlines()
    assert lines[0] == result.recipe and "method:matrix" in lines[0]
    pixels = {"p1": 400, "p2": 100}[result.recounted.pages[0]]
    assert lines[2].startswith(f"1 of 2 pages recounted (seed 3): {pixels} pixels, ")
    assert lines[2].endswith("label pairs, 1,200 numbers compared")
    assert lines[4].split() == ["quantity", "recounted", "by", "numbers", "largest", "deviation"]
    assert lines[5].split() == ["pixels", "drawing", "on", "pixels", "1,200", "0"]
    assert lines[-1] == "All numbers that were compared agree (largest deviation 0.0e+00, limit 1e-06)."


@pytest.mark.parametrize("options", [{"pages": 0}, {"pages": 2.5}, {"pages": True}, {"seed": -1}, {"seed": "x"}])
def test_bad_options_are_input_errors(two_pages, options):
    fails(f"{next(iter(options))}: .* is not a whole number", verify, lcm.compare(*two_pages), **options)
    fails("there are no pages", verify, lcm.compare(build({}, []), build({}, [])))
