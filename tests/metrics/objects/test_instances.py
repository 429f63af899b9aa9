"""Regions as objects: crowds, ignored regions, given areas, outlines, masks, and their columns in the common frame."""

import numpy as np
import pytest
from pycocotools import mask as coco_mask

import layoutcm as lcm
from layoutcm.metrics.objects import instances
from layoutcm.metrics.objects.instances import instances_of, on_pages, page_ranks
from support.coco_files import coco, image, read_coco, region
from support.coco_oracle import assert_equal_to_pycocotools, read_pair
from support.layouts import build


def one_page(annotations, results, labels=("a",), size=100):
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
    gt, results = one_page([crowd, alone], [*inside, ("a", [60, 60, 20, 20], {"score": 0.5})])
    objects = lcm.compare(*read_pair(gt, results)).objects()
    assert objects.ap == 1 and objects.scores_at(0.5) == {"precision": 1, "recall": 1, "f1": 1}
    assert objects.confusion_at(0.5).to_numpy().tolist() == [[1, 0], [0, 0]]
    assert objects.per_class["gt"].tolist() == [1] and len(objects.curve("a", 0.5)) == 1
    assert_equal_to_pycocotools(gt, results)


def test_pixels_of_crowds_are_not_judged_and_other_facts_do_not_change_pixel_counts():
    """On a page of 100 x 100."""
    rows = [("a", [0, 0, 50, 50], {"iscrowd": 1}), ("a", [60, 60, 20, 20], {"area": 3})]
    gt, results = one_page(rows, [("a", [0, 0, 50, 70], {"score": 0.5})])
    c = lcm.compare(*read_pair(gt, results))
    assert c.confusion().values.tolist() == [[6100, 1000], [400, 0]] and c.ignored_pixels == 2500


def test_crowds_and_areas_belong_to_the_right_regions():
    gt, _ = one_page(
        [
            ("a", [5, 0, -2, 5], {"iscrowd": True}),  # inverted: dropped
            ("b", [0, 0, 5, 5], {"iscrowd": 1, "area": 7}),
            ("Background", [0, 0, 5, 5], {}),  # dropped, too
            ("a", [0.1, 0, 0.2, 5], {"area": None}),
        ],
        [],
        labels=("a", "b", "Background"),
    )
    layout = read_coco(gt)
    facts = layout.region_columns.coco
    assert facts.crowd.tolist() == [True, False]
    assert facts.areas.tolist() == pytest.approx([7, np.nan], nan_ok=True)
    assert facts.sizes.tolist() == [[5, 5], [0.2, 5]]


def test_ignore_without_crowd_changes_nothing_as_in_pycocotools_and_is_reported():
    gt, results = one_page([("a", [0, 0, 9, 9], {"ignore": 1})], [("a", [50, 50, 9, 9], {"score": 1})])
    layout, pred = read_pair(gt, results)
    assert [finding.code for finding in layout.findings] == ["ignore-without-crowd"]
    assert lcm.compare(layout, pred).objects().ap == 0
    assert_equal_to_pycocotools(gt, results)


def test_the_last_of_equal_overlaps_is_taken_as_in_pycocotools():
    gt, results = one_page(
        [("a", [10, 0, 10, 10], {}), ("a", [12, 0, 10, 10], {})],
        [("a", [11, 0, 10, 10], {"score": 0.9}), ("a", [8, 0, 10, 10], {"score": 0.8})],
    )
    assert lcm.compare(*read_pair(gt, results)).objects().scores_at(0.6)["recall"] == 1
    assert_equal_to_pycocotools(gt, results)


def test_an_outline_that_is_a_box_replaces_the_bbox():
    square = {"segmentation": [[0, 0, 20, 0, 20, 20, 0, 20]]}
    gt, results = one_page([("a", [0, 0, 10, 10], square)], [("a", [0, 0, 20, 20], {"score": 1})])
    assert lcm.compare(*read_pair(gt, results, shapes="polygon")).objects().scores_at(0.9)["f1"] == 1
    assert lcm.compare(*read_pair(gt, results)).objects().scores_at(0.9)["f1"] == 0


nan = float("nan")


def masks_of(gt, pred):
    """The objects of two COCO dictionaries, with outlines."""
    return lcm.compare(read_coco(gt, shapes="polygon"), read_coco(pred, "pred", shapes="polygon")).objects()


def columns(side):
    """The columns of one side as lists."""
    names = ("row", "page", "label", "boxes", "centres", "areas", "crowd")
    return {name: getattr(side, name).tolist() for name in names}


def test_both_sides_in_the_frame_of_gt():
    """Page q of pred is twice as wide and half as high as in gt; page r is only in pred, and half as large."""
    gt = build({"p": (100, 100), "q": (100, 100)}, [("q", "a", 10, 20, 40, 60, 0.1), ("p", "b", 0, 0, 10, 10)], "ab")
    pred = build(
        {"r": (50, 50), "q": (200, 50)},
        [("r", "a", 5, 5, 10, 25, 0.9), ("q", "b", 20, 10, 80, 30, 0.8), ("q", "a", 0, 0, 1, 1, 0.1)],
        "ba",
    )
    sides = instances_of(lcm.compare(gt, pred, missing_pages="penalise-both").alignment, 0.5)
    assert columns(sides[0]) == {
        **{"row": [0, 1], "page": [1, 0], "label": [0, 1]},
        **{"boxes": [[10, 20, 30, 40], [0, 0, 10, 10]], "centres": [[25, 40], [5, 5]]},
        **{"areas": [1200, 100], "crowd": [False, False]},
    }
    # The prediction with score 0.1 is below the threshold, which is not used for gt.
    assert columns(sides[1]) == {
        **{"row": [0, 1], "page": [2, 1], "label": [0, 1]},
        **{"boxes": [[10, 10, 10, 40], [10, 20, 30, 40]], "centres": [[15, 30], [25, 40]]},
        **{"areas": [400, 1200], "crowd": [False, False]},
    }
    assert sides[1].scores.tolist() == [0.9, 0.8] and sides[0].scores.tolist() == pytest.approx([0.1, nan], nan_ok=True)
    assert sides[0].crowd.dtype == sides[1].crowd.dtype == bool
    assert [len(side) for side in sides] == [2, 2] and sides[0].masks == sides[1].masks == ()
    on_q = on_pages(instances_of(lcm.compare(gt, pred).alignment, None), np.array([1]))
    assert [side.row.tolist() for side in on_q] == [[0], [1, 2]]


def test_pages_are_ranked_by_the_code_points_of_their_names():
    """Only pages with objects have a rank: 0 for "10", 1 for "9", 2 for "B", 3 for "ä"."""
    names = ["ä", "9", "a", "10", "B"]
    assert page_ranks(names, np.array([0, 1, 3, 3, 4])).tolist() == [3, 1, 0, 0, 2]
    assert page_ranks(names, np.empty(0, np.int64)).tolist() == []


def test_crowds_areas_and_sizes_as_written_in_the_file():
    rows = [region(bbox=[0.1, 0, 0.2, 5], area=7), region(iscrowd=1), region(bbox=[0, 0, 4, 5])]
    results = read_coco(coco(annotations=[{**row, "score": 0.5} for row in rows]), "pred")
    gt, pred = instances_of(lcm.compare(read_coco(coco(annotations=rows)), results).alignment, None)
    assert gt.crowd.tolist() == [False, True, False] and pred.crowd.tolist() == [False, False, False]
    assert gt.areas.tolist() == [7, 1200, 20] and pred.areas.tolist() == [1, 1200, 20]
    assert gt.boxes[0].tolist() == pred.boxes[0].tolist() == [0.1, 0, 0.2, 5]


def test_areas_of_masks():
    """Masks of 10 x 10 pixels with a hole of 4; gt has the area of the file, pred that of the bbox, if it is given."""
    column, with_hole = [10, 70], [3, 4, 3, 70]
    counts = [0, *column * 4, *with_hole, *column * 4, 10, 70 + 90 * 80]
    mask = {"segmentation": {"size": [80, 100], "counts": counts}}
    box = {"bbox": [0, 0, 10, 10]}
    without_bbox = lambda **fields: {"image_id": 1, "category_id": 1, **mask, **fields}
    gt = coco(annotations=[without_bbox(area=3), without_bbox(**box), region(**box)])
    pred = coco(annotations=[without_bbox(**box, score=0.5), without_bbox(score=0.5)])
    sides = masks_of(gt, pred).sides
    assert sides[0].areas.tolist() == [3, 96, 100] and sides[1].areas.tolist() == [100, 96]


def test_overlaps_of_masks_page_by_page():
    """IoU of all pairs on the same page; page 3 has only gt, page 4 only pred."""
    outline = lambda x0, x1: {"segmentation": [[x0, 0, x1, 0, x1, 10, x0, 10]], "bbox": [x0, 0, x1 - x0, 10]}
    runs = {"size": [80, 100], "counts": [0, *[10, 70] * 9, 10, 70 + 90 * 80]}
    square = {"segmentation": runs, "bbox": [0, 0, 10, 10]}
    gt_rows = [(2, square), (1, outline(0, 10)), (1, outline(5, 15)), (3, outline(0, 5)), (5, outline(0, 10))]
    pred_rows = [(2, outline(0, 10)), (1, outline(0, 10)), (2, outline(0, 5)), (2, outline(5, 15))]
    pred_rows += [(4, outline(0, 5)), (5, outline(0, 8))]
    gt, pred = (
        coco([image(i) for i in range(1, 6)], [region(page, **shape, **score) for page, shape in rows])
        for rows, score in ((gt_rows, {}), (pred_rows, {"score": 0.5}))
    )
    found = masks_of(gt, pred).overlaps
    own = lambda pred: slice(found.start[pred], found.stop[pred])
    iou = lambda pred, gt: dict(zip(found.gt[own(pred)], found.values[own(pred)]))[gt]
    assert len(found.values) == 2 * 1 + 1 * 3 + 1 * 1
    assert [iou(1, 1), iou(1, 2)] == pytest.approx([1, 50 / 150])
    assert [iou(0, 0), iou(2, 0), iou(3, 0)] == pytest.approx([1, 50 / 100, 50 / 150])
    assert iou(5, 4) == pytest.approx(80 / 100)


def test_masks_on_one_side_only_and_a_side_without_regions():
    outline = region(segmentation=[[0, 0, 10, 0, 0, 10]], bbox=[0, 0, 10, 10])
    objects = masks_of(coco(annotations=[outline]), coco(annotations=[]))
    assert objects.shapes == "mask" and objects.sides[1].areas.tolist() == []
    assert repr(objects) == "<Objects 1 gt, 0 pred, mask>"
    assert [len(part) for part in objects.overlaps] == [0, 0, 0, 0]
    assert objects.scores_at(0.5)["recall"] == 0


def test_a_mask_and_an_outline_of_half_the_resolution_are_scaled_to_the_page_of_gt():
    """gt has an L of 20 x 10 and 6 x 10 pixels on a page of 40 x 30, pred the same on 20 x 15 pixels."""
    ring = [0, 4, 20, 4, 20, 14, 6, 14, 6, 24, 0, 24]
    gt = coco([image(width=40, height=30)], [region(segmentation=[ring], bbox=[0, 4, 20, 20])])
    small = np.zeros((15, 20), int)
    small[2:7, 0:10] = small[7:12, 0:3] = 1
    pixels = small.ravel(order="F")
    runs = np.diff(np.r_[0, np.flatnonzero(np.diff(pixels)) + 1, pixels.size]).tolist()
    for shape in ({"size": [15, 20], "counts": runs}, [[value / 2 for value in ring]]):
        row = region(segmentation=shape, bbox=[0, 2, 10, 10], score=0.5)
        objects = masks_of(gt, coco([image(width=20, height=15)], [row]))
        assert objects.shapes == "mask" and objects.scores_at(1)["f1"] == 1
        assert [side.areas.tolist() for side in objects.sides] == [[260], [400]]  # the bbox of pred, scaled
        assert objects.overlaps.values.tolist() == [1]


def zigzag(pages, corners=101, side=400):
    """Pages with one outline, whose edges cross the page from side to side; it may have 400 runs for each edge."""
    ring = [value for i in range(corners) for value in (side * (i % 2), side * i // corners)]
    images = [image(i + 1, width=side, height=side) for i in range(pages)]
    rows = [region(i + 1, segmentation=[ring], bbox=[0, 0, side, side]) for i in range(pages)]
    return coco(images, rows), coco(images, [row | {"score": 0.5} for row in rows])


@pytest.mark.parametrize(
    ("on_a_page", "in_all", "left_out"), [(10**6, 10**6, 0), (79_000, 10**6, 3), (10**6, 170_000, 1)]
)
def test_pages_whose_outlines_have_too_many_runs_are_left_out_before_they_are_encoded(
    on_a_page, in_all, left_out, monkeypatch
):
    """Three pages, with up to 2 * 100 * 400 runs each."""
    monkeypatch.setattr(instances, "MOST_RUNS_ON_A_PAGE", on_a_page)
    monkeypatch.setattr(instances, "MOST_RUNS", in_all)
    monkeypatch.setattr(instances, "MORE_RUNS_PER_OBJECT", 0)
    encoded, encode = [], instances._mask
    monkeypatch.setattr(instances, "_mask", lambda *given: encoded.append(given) or encode(*given))
    gt, pred = zigzag(3)
    objects = masks_of(gt, pred)
    names = [page["file_name"] for page in gt["images"]]
    assert objects.left_out == tuple(names[3 - left_out :]) and len(encoded) == 2 * (3 - left_out)
    assert [len(side) for side in objects.sides] == [3 - left_out] * 2
    assert objects.note.startswith("Left out of objects, because masks and outlines have more" if left_out else "")
    assert bool(objects.note) == bool(left_out)
    assert objects.scores_at(0.5)["f1"] == 1 or left_out == 3


def test_a_mask_has_at_most_the_runs_that_are_estimated_before():
    rng = np.random.default_rng(4)
    rings = [rng.uniform(-20, 120, 2 * n).round(1).tolist() for n in (3, 8, 60)]
    runs = {"size": [80, 100], "counts": [0, *[10, 70] * 9, 10, 70 + 90 * 80]}
    shapes = [{"segmentation": [ring]} for ring in rings] + [{"segmentation": rings}, {"segmentation": runs}, {}]
    gt = coco([image(width=100, height=80)], [region(bbox=[5, 5, 40, 30], **shape) for shape in shapes])
    c = lcm.compare(read_coco(gt, shapes="polygon"), read_coco(gt, shapes="polygon"))
    found = instances_of(c.alignment, None)[0]
    most = instances._most_runs(c.alignment, 0, found)
    masks = instances.with_masks(c.alignment, (found, found))[0].masks
    for one, limit in zip(masks, most):
        ends = np.flatnonzero(np.diff(np.r_[0, coco_mask.decode(one).ravel(order="F")]))
        assert len(ends) <= limit
