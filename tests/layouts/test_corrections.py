"""Changed layouts: corrected pages of the ground truth, repairs, and rows that are chosen and joined."""

import json

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.alignment.align import join_pages
from layoutcm.layouts.model import Pages, Regions, concatenate_pages, concatenate_regions
from support.generated_book import layout
from support.layouts import build
from support.reading import fails
from support.results import full_result

BOXES = {"p1.png": [10, 20, 30.504, 40], "p2.png": [5, 5, 50, 10], "p3.png": [0, 60, 90, 30]}
RING = [10, 50, 60, 50, 60, 80.25, 10, 80.25, 10, 70]


@pytest.fixture
def files(tmp_path):
    """A COCO file with ids that are not 0, 1, 2, with documents and attributes, a crowd and an outline; and results."""
    images = [
        {"id": 40 + 7 * k, "file_name": name, "width": 100, "height": 100, "doc_name": "d.pdf", "page_no": k + 3,
         "doc_category": "patents", "collection": name[:2]}
        for k, name in enumerate(BOXES)
    ]  # fmt: skip
    annotations = [
        {"image_id": image["id"], "category_id": 5, "bbox": box} for image, box in zip(images, BOXES.values())
    ]
    annotations += [{"image_id": 40, "category_id": 9, "bbox": [60, 10, 20, 20], "ignore": 1}]
    annotations += [{"image_id": 40, "category_id": 9, "bbox": [10, 50, 50, 30.25], "segmentation": [RING]}]
    categories = [{"id": 9, "name": "Table"}, {"id": 5, "name": "Text"}]
    for i, one in enumerate(annotations):
        one |= {"id": i, "area": one["bbox"][2] * one["bbox"][3], "iscrowd": 0}
    gt = {"images": images, "annotations": annotations}
    (tmp_path / "gt.json").write_text(json.dumps(gt | {"categories": categories}))
    found = [{"image_id": i["id"], "category_id": 5, "bbox": [9, 18, 30, 44], "score": 0.5} for i in images]
    (tmp_path / "results.json").write_text(json.dumps([*found, {**found[0], "category_id": 9}]))
    return tmp_path


def numbers(gt, results, *left_out):
    """All numbers of a comparison."""
    result = full_result(lcm.compare(gt, lcm.read(results, like=gt)))
    names = {"confusion", "averages", "classes", "pages", "objects"} & set(result)
    return {name: result[name] for name in names.difference(left_out)}


@pytest.mark.parametrize("to", ["label-studio", "cvat", "coco"])
def test_pages_that_were_not_changed_give_the_same_numbers(files, to):
    gt = lcm.read(files / "gt.json")
    suffix = {"cvat": "xml"}.get(to, "json")
    lcm.write(gt, to, files / f"tasks.{suffix}")
    merged = lcm.merge_corrections(gt, lcm.read(files / f"tasks.{suffix}"))
    lcm.write(merged, "coco", files / "merged.json")
    again = lcm.read(files / "merged.json")
    before = numbers(gt, files / "results.json")
    assert len(before) == 5 and before == numbers(merged, files / "results.json")
    # A file has width and height, so that fractions differ in the last digit, which only overlaps show.
    assert before | numbers(again, files / "results.json", "objects") == before
    pd.testing.assert_frame_equal(again.regions, gt.regions)


def test_ids_documents_and_attributes_stay_and_only_corrected_pages_change(files):
    gt = lcm.read(files / "gt.json")
    # p1: Text is now a Figure, the ignored Table is as before, the outline is gone. p3: nothing is left.
    rows = [("p1.png", "Figure", 10, 20, 40.504, 60), ("p1.png", "Table", 60, 10, 80, 30)]
    corrected = build({"p1.png": (100, 100), "p3.png": (100, 100)}, rows)
    merged = lcm.merge_corrections(gt, corrected)
    pd.testing.assert_frame_equal(merged.pages, gt.pages)
    assert merged.keys == gt.keys == {40: 0, 47: 1, 54: 2}
    assert merged.labels == ["Table", "Text", "Figure"] and merged.label_keys == {9: 0, 5: 1, 10: 2}
    found = merged.regions[["page", "label", "ignore"]].to_numpy().tolist()
    assert found == [["p2.png", "Text", False], ["p1.png", "Table", True], ["p1.png", "Figure", False]]
    lcm.write(merged, "coco", files / "merged.json")
    written, old = (json.loads((files / name).read_text()) for name in ("merged.json", "gt.json"))
    assert written["images"] == old["images"]
    assert written["categories"] == [*old["categories"], {"id": 10, "name": "Figure"}]
    assert gt.labels == ["Table", "Text"] and len(gt.region_columns) == 5  # gt is as it was


def test_a_moved_edge_and_a_moved_point_are_changes(files):
    gt, moved = (lcm.read(files / "gt.json", shapes="polygon") for _ in range(2))
    moved.region_columns.boxes[1, 2] += 1
    next(iter(moved.region_columns.shapes.values())).rings[0][4, 1] += 1
    merged = lcm.merge_corrections(gt, moved)
    assert len(merged.region_columns) == 5
    np.testing.assert_array_equal(merged.region_columns.boxes[-2:, 2], [56, 60])
    (shape,) = merged.region_columns.shapes.values()
    assert shape.rings[0][4].tolist() == [10, 71]


def test_other_pages_are_refused(files):
    gt = lcm.read(files / "gt.json")
    for pages, problem in (
        ({"other.png": (100, 100)}, "gt has no page 'other.png'"),
        ({"p1.png": (200, 200)}, "has other sizes in corrected and gt: 200 x 200 and 100 x 100"),
        ({"p1.png": (100, 100), "P1.png": (100, 100)}, "are one page of gt"),
    ):
        fails(problem, lcm.merge_corrections, gt, build(pages, []))
    fails("is not a layout", lcm.merge_corrections, gt, "corrected.json")


def test_pages_counted_from_0_are_renumbered_without_loss():
    """Two documents of four pages; pred counts from 0, so three of four names belong to a different page."""
    sides = []
    for first in (1, 0):
        pages = {f"{name}_{k + first}.png": (100, 100) for name in ("alpha", "beta") for k in range(4)}
        # The box is at a different height on every page of a document, so only the right page matches.
        rows = [(page, "a", 0, 20 * (i % 4), 100, 20 * (i % 4) + 10) for i, page in enumerate(pages)]
        sides.append(build(pages, rows))
    gt, pred = sides
    assert lcm.compare(gt, pred).average("micro")["f1"] < 0.1
    fixed = lcm.fix(pred, "pages:1")
    assert fixed.page_columns.names == gt.page_columns.names
    c = lcm.compare(gt, fixed)
    assert c.average("micro")["f1"] == 1 and len(c.pages) == 8
    assert not [finding.code for finding in c.findings if finding.severity == "warning"]
    back = lcm.fix(gt, "pages:-1")
    assert back.page_columns.names == pred.page_columns.names


@pytest.mark.parametrize("repair", ["flip", "unit:0", "scale:-1", "pages:x", "", "unit:1e999", 3])
def test_unknown_repair_is_refused(repair):
    fails("fix", lcm.fix, layout(), [repair])


@pytest.mark.parametrize("names", [["Background", "Text"], ["Background"]])
def test_a_repaired_layout_has_no_id_for_the_dropped_background(names, tmp_path):
    path = tmp_path / "gt.json"
    categories = [{"id": 7 + i, "name": name} for i, name in enumerate(names)]
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "p"}]
    path.write_text(json.dumps({"images": images, "categories": categories, "annotations": []}))
    read = lcm.read(path)
    assert read.label_keys == lcm.repair(read, "flip-y").label_keys == {7 + i: i - 1 for i in range(len(names))}


def pages(*names, **attributes):
    sizes = np.arange(1.0, len(names) + 1)
    numbers = np.arange(len(names), dtype=np.int32)
    return Pages(names, sizes, sizes * 10, tuple(f"doc {name}" for name in names), numbers, attributes)


def regions(count, ignore=None):
    rows = np.arange(count, dtype=np.int32)
    return Regions(rows, rows, np.zeros((count, 4)), np.full(count, np.nan), ignore=ignore)


def test_pages_are_taken_in_the_given_order():
    taken = pages("a", "b", "c", kind=("x", "", "z")).take([2, 0])
    assert taken.names == ("c", "a") and taken.documents == ("doc c", "doc a")
    assert taken.widths.tolist() == [3, 1] and taken.heights.tolist() == [30, 10] and taken.numbers.tolist() == [2, 0]
    assert taken.attributes == {"kind": ("z", "x")}


def test_joined_pages_have_the_attributes_of_all_parts():
    joined = concatenate_pages([pages("a", kind=("x",)), pages("b", "c", year=("1", "2"))])
    assert joined.names == ("a", "b", "c")
    assert joined.attributes == {"kind": ("x", "", ""), "year": ("", "1", "2")}


def test_aligned_pages_have_the_attributes_of_gt_and_what_only_pred_says():
    gt = pages("a", "b", kind=("x", ""))
    pred = pages("b", "c", kind=("p", "q"), year=("1", "2"))
    joined = join_pages(gt, pred, (np.array([0, 1, -1]), np.array([-1, 0, 1])))
    assert joined.names == ("a", "b", "c")
    assert joined.attributes == {"kind": ("x", "p", "q"), "year": ("", "1", "2")}


def test_what_is_not_judged_is_kept_with_its_region():
    marked = regions(3, np.array([True, False, True]))
    assert marked.take(np.array([False, True, True])).ignored.tolist() == [False, True]
    assert regions(2).ignored.tolist() == [False, False]
    assert concatenate_regions([regions(1), marked]).ignored.tolist() == [False, True, False, True]
    assert concatenate_regions([regions(1), regions(2)]).ignore is None
