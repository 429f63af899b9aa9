"""Regions as objects: crowds, ignored regions, given areas, outlines and masks."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from support.coco_oracle import assert_equal_to_pycocotools, read_pair


def coco(annotations, results, labels=("a",), size=100):
    """One page with annotations and results, each given as (label, box, further fields)."""
    fields = lambda i, label, box, more: {"image_id": 1, "category_id": labels.index(label) + 1, "bbox": box, **more}
    plain = {"iscrowd": 0}
    gt = {
        "images": [{"id": 1, "file_name": "p.png", "width": size, "height": size}],
        "categories": [{"id": i + 1, "name": label} for i, label in enumerate(labels)],
        "annotations": [
            {"id": i + 1, "area": box[2] * box[3]} | fields(i, label, box, plain | more)
            for i, (label, box, more) in enumerate(annotations)
        ],
    }
    return gt, [fields(i, label, box, more) for i, (label, box, more) in enumerate(results)]


def test_crowds_and_predictions_on_them_do_not_count():
    crowd, alone = ("a", [0, 0, 50, 50], {"iscrowd": 1}), ("a", [60, 60, 20, 20], {})
    inside = [("a", [x, 0, 10, 10], {"score": 0.9}) for x in (0, 20, 40)]
    gt, results = coco([crowd, alone], [*inside, ("a", [60, 60, 20, 20], {"score": 0.5})])
    objects = lcm.compare(*read_pair(gt, results)).objects()
    assert objects.ap == 1 and objects.scores_at(0.5) == {"precision": 1, "recall": 1, "f1": 1}
    assert objects.confusion_at(0.5).to_numpy().tolist() == [[1, 0], [0, 0]]
    assert objects.per_class["gt"].tolist() == [1] and len(objects.curve("a", 0.5)) == 1
    assert_equal_to_pycocotools(gt, results)


def test_pixels_of_crowds_are_not_judged_and_other_facts_do_not_change_pixel_counts():
    """On a page of 100 x 100."""
    rows = [("a", [0, 0, 50, 50], {"iscrowd": 1}), ("a", [60, 60, 20, 20], {"area": 3})]
    gt, results = coco(rows, [("a", [0, 0, 50, 70], {"score": 0.5})])
    c = lcm.compare(*read_pair(gt, results))
    assert c.confusion().values.tolist() == [[6100, 1000], [400, 0]] and c.ignored_pixels == 2500


def test_crowds_and_areas_belong_to_the_right_regions():
    gt, _ = coco(
        [
            ("a", [5, 0, -2, 5], {"iscrowd": True}),  # inverted: dropped
            ("b", [0, 0, 5, 5], {"iscrowd": 1, "area": 7}),
            ("Background", [0, 0, 5, 5], {}),  # dropped, too
            ("a", [0.1, 0, 0.2, 5], {"area": None}),
        ],
        [],
        labels=("a", "b", "Background"),
    )
    layout = lcm.read(("gt.json", json.dumps(gt).encode()))
    facts = layout.region_columns.coco
    assert facts.crowd.tolist() == [True, False]
    assert facts.areas.tolist() == pytest.approx([7, np.nan], nan_ok=True)
    assert facts.sizes.tolist() == [[5, 5], [0.2, 5]]


def test_ignore_without_crowd_changes_nothing_as_in_pycocotools_and_is_reported():
    gt, results = coco([("a", [0, 0, 9, 9], {"ignore": 1})], [("a", [50, 50, 9, 9], {"score": 1})])
    layout, pred = read_pair(gt, results)
    assert [finding.code for finding in layout.findings] == ["ignore-without-crowd"]
    assert lcm.compare(layout, pred).objects().ap == 0
    assert_equal_to_pycocotools(gt, results)


def test_the_last_of_equal_overlaps_is_taken_as_in_pycocotools():
    gt, results = coco(
        [("a", [10, 0, 10, 10], {}), ("a", [12, 0, 10, 10], {})],
        [("a", [11, 0, 10, 10], {"score": 0.9}), ("a", [8, 0, 10, 10], {"score": 0.8})],
    )
    assert lcm.compare(*read_pair(gt, results)).objects().scores_at(0.6)["recall"] == 1
    assert_equal_to_pycocotools(gt, results)


def test_an_outline_that_is_a_box_replaces_the_bbox():
    square = {"segmentation": [[0, 0, 20, 0, 20, 20, 0, 20]]}
    gt, results = coco([("a", [0, 0, 10, 10], square)], [("a", [0, 0, 20, 20], {"score": 1})])
    assert lcm.compare(*read_pair(gt, results, shapes="polygon")).objects().scores_at(0.9)["f1"] == 1
    assert lcm.compare(*read_pair(gt, results)).objects().scores_at(0.9)["f1"] == 0


def test_masks_of_another_resolution_are_scaled_to_the_page_of_gt():
    ring = [[8, 8, 48, 8, 48, 28, 28, 28, 28, 48, 8, 48]]
    gt, _ = coco([("a", [8, 8, 40, 40], {"segmentation": ring})], [], size=64)
    half = np.zeros((32, 32), bool)
    half[4:14, 4:24] = half[14:24, 4:14] = True
    runs = np.diff(np.flatnonzero(np.diff(np.r_[0, half.ravel(order="F"), 1])), prepend=0).tolist()
    assert sum(runs) <= 32 * 32
    runs.append(32 * 32 - sum(runs))
    for shape in ({"size": [32, 32], "counts": runs}, [[value / 2 for value in ring[0]]]):
        pred, _ = coco([("a", [4, 4, 20, 20], {"segmentation": shape, "score": 0.9})], [], size=32)
        layouts = [
            lcm.read((f"{i}.json", json.dumps(one).encode()), shapes="polygon") for i, one in enumerate((gt, pred))
        ]
        objects = lcm.compare(*layouts).objects()
        assert objects.shapes == "mask" and objects.scores_at(0.999)["f1"] == 1
        assert objects.sides[1].areas.tolist() == [1600]  # the bbox of a prediction, scaled
