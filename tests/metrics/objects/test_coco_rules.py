"""AP and AR are equal to those of pycocotools to 1e-9, for boxes, outlines and masks, which are filled bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask as coco_mask

import layoutcm as lcm
from layoutcm.metrics.objects.coco_fill import BLOCK_BITS, ring_counts, ring_runs
from support.coco_files import coco, image, region
from support.coco_oracle import assert_equal_to_pycocotools, pycocotools_evaluation, read_pair
from support.layouts import build

NAMES = ["Text", "Table", "<b>Picture</b>", "never in gt", "only in gt"]
IDS = [7, 3, 11, 2, 5]
WIDTH, HEIGHT = 200, 150


@st.composite
def boxes(draw):
    """Boxes on a grid of tenths, so that widths and IoUs are often not exact and the last bit is tested, too.

    Some have no width or no height.
    """
    tenths = st.integers(0, 1000)
    x, y = draw(tenths) / 10, draw(tenths) / 10
    no_width, no_height = (draw(st.integers(0, 5)) == 0 for _ in range(2))
    width, height = draw(st.integers(1, 900)) / 10, draw(st.integers(1, 400)) / 10
    return [x, y, 0 if no_width else width, 0 if no_height else height]


@st.composite
def coco_sets(draw):
    """Sets with unsorted and empty pages, crowds, ignored regions, given areas, equal scores, unusual labels."""
    pages = draw(st.permutations(range(draw(st.integers(1, 4)))))
    images = [{"id": 10 * p + 1, "file_name": f"{p}.png", "width": WIDTH, "height": HEIGHT} for p in pages]
    annotations, results = [], []
    for i in range(draw(st.integers(0, 12))):
        x, y, w, h = box = draw(boxes())
        annotation = {
            "id": i + 1,
            "image_id": draw(st.sampled_from(images))["id"],
            "category_id": draw(st.sampled_from([7, 3, 11, 5])),
            "bbox": box,
            "area": draw(st.sampled_from([w * h, w * h / 2, 500.0, 1024, 5000.0, 9216, 20000])),
            "iscrowd": int(draw(st.integers(0, 4)) == 0),
        }
        if draw(st.integers(0, 4)) == 0:
            annotation["ignore"] = 1
        annotations.append(annotation)
        for _ in range(draw(st.integers(0, 2))):
            cut = draw(st.sampled_from([0.5, 0.55, 0.6, 0.75, 0.8, 0.9, 0.95, 1]))
            category = annotation["category_id"] if draw(st.booleans()) else draw(st.sampled_from(IDS))
            results.append({"image_id": annotation["image_id"], "category_id": category, "bbox": [x, y, w, h * cut]})
    for _ in range(draw(st.integers(0 if results else 1, 4))):
        image, category = draw(st.sampled_from(images))["id"], draw(st.sampled_from(IDS[:4]))
        results.append({"image_id": image, "category_id": category, "bbox": draw(boxes())})
    results = draw(st.permutations(results))
    for result in results:
        result["score"] = draw(st.sampled_from([0, 0.1, 0.5, 0.5, 0.9, 1]))
    categories = [{"id": i, "name": name} for i, name in zip(IDS, NAMES)]
    return {"images": images, "annotations": annotations, "categories": categories}, results


@given(coco_sets())
def test_ap_and_ar_are_those_of_pycocotools(generated):
    assert_equal_to_pycocotools(*generated)


def test_a_box_without_area_is_an_object_that_nothing_finds():
    """One of three gt boxes is found, by the second of three predictions: AP is 1/2 at recalls up to 1/3."""
    given = [[0, 0, 10, 10], [20, 20, 0, 10], [40, 40, 10, 0]]
    rows = [region(id=i, bbox=box, area=box[2] * box[3], iscrowd=0) for i, box in enumerate(given, 1)]
    gt = coco(annotations=rows)
    results = [region(bbox=box, score=0.5 + (box[2] == 0) / 4 - (box[3] == 0) / 4) for box in given]
    assert_equal_to_pycocotools(gt, results)
    compared = lcm.compare(*read_pair(gt, results))
    objects = compared.objects()
    assert objects.ap50 == pytest.approx(34 / 101 / 2) and objects.summary["AR1"] == 0
    assert objects.per_class[["gt", "pred"]].to_numpy().tolist() == [[3, 3]]
    assert objects.scores_at(0.5) == {"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3}
    assert objects.confusion_at(0.5).to_numpy().tolist() == [[1, 2], [2, 0]]
    assert compared.centroids(tolerance=(1, 1)).matched == (3, 3)


def crowded_page(seed):
    """A set with more than 100 predictions of one label on a page, and many equal scores."""
    rng = np.random.default_rng(seed)
    categories = [{"id": 1, "name": "Text"}, {"id": 2, "name": "Table"}]
    images = [{"id": i, "file_name": f"{i}.png", "width": 1000, "height": 1000} for i in (2, 1)]
    annotations, results = [], []
    for i in range(160):
        image, category = int(rng.integers(1, 3)) if i % 4 == 0 else 1, 1 + int(i % 8 == 0)
        x, y, w, h = rng.integers(0, 900, 2).tolist() + rng.integers(5, 150, 2).tolist()
        annotations.append(
            {"id": i + 1, "image_id": image, "category_id": category, "bbox": [x, y, w, h], "area": w * h, "iscrowd": 0}
        )
        moved = [x + int(rng.integers(0, 5)), y, w, h]
        score = round(float(rng.random()), 1)
        results.append({"image_id": image, "category_id": category, "bbox": moved, "score": score})
    return {"images": images, "annotations": annotations, "categories": categories}, results


@pytest.mark.parametrize("seed", range(3))
def test_only_the_best_100_predictions_of_a_label_on_a_page_count(seed):
    gt, results = crowded_page(seed)
    assert_equal_to_pycocotools(gt, results)
    objects = lcm.compare(*read_pair(gt, results)).objects()
    assert objects.ar1 < objects.ar10 < objects.ar100 == objects.ar
    numbers = (objects.ap, objects.ap50, objects.ap75, objects.ap_small, objects.ap_medium, objects.ap_large)
    numbers += (objects.ar1, objects.ar10, objects.ar100, objects.ar_small, objects.ar_medium, objects.ar_large)
    assert numbers == tuple(objects.summary.values())
    # At one IoU every prediction counts.
    assert len(objects.curve("Text", 0.5)) < objects.class_scores_at(0.5)["pred"][0] == 140


def polygon(rng):
    """A random polygon of three to six points."""
    centre, reach = rng.uniform(10, 50, 2), rng.uniform(3, 25)
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 7)))
    return (centre + reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)).round(2)


def rectangle(points):
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return np.array([[x1, y1], [x0, y1], [x0, y0], [x1, y0]])


def run_lengths(points, compressed):
    rle = coco_mask.frPyObjects([points.ravel().tolist()], 48, 64)[0]
    if compressed:
        return {"size": rle["size"], "counts": rle["counts"].decode()}
    pixels = coco_mask.decode(rle).ravel(order="F")
    changes = np.flatnonzero(np.diff(pixels)) + 1
    runs = np.diff(np.concatenate([[0], changes, [pixels.size]])).tolist()
    return {"size": rle["size"], "counts": runs if pixels[0] == 0 else [0, *runs]}


def outlined_set(seed):
    """Polygons (one or two per region, rectangles), plain and compressed masks; results with and without a bbox."""
    rng = np.random.default_rng(seed)
    images = [{"id": i, "file_name": f"{i}.png", "width": 64, "height": 48} for i in (1, 2)]
    categories = [{"id": 1, "name": "Text"}, {"id": 2, "name": "Table"}]
    with_bbox = bool(rng.integers(0, 2))
    annotations, results = [], []
    for i in range(12):
        points = polygon(rng)
        shapes = [
            [points.ravel().tolist()],
            [points.ravel().tolist(), polygon(rng).ravel().tolist()],
            [rectangle(points).ravel().tolist()],
            run_lengths(points, compressed=False),
            run_lengths(points, compressed=True),
        ]
        common = {"image_id": int(rng.integers(1, 3)), "category_id": int(rng.integers(1, 3))}
        low, size = points.min(axis=0), np.ptp(points, axis=0)
        bbox = [*low.tolist(), *size.tolist()]
        annotation = {**common, "id": i + 1, "bbox": bbox, "segmentation": shapes[i % 5], "iscrowd": int(i == 3)}
        annotations.append({**annotation, "area": float(rng.choice([size.prod(), 300, 1500]))})
        moved = points + rng.normal(0, 1, points.shape)
        result = {**common, "score": round(float(rng.random()), 1), "segmentation": run_lengths(moved, True)}
        if rng.integers(0, 3) == 0:
            result["segmentation"] = [moved.round(1).ravel().tolist()]
        results.append(result | ({"bbox": bbox} if with_bbox else {}))
    if not with_bbox:  # pycocotools computes the area of a mask, but not of a polygon
        for result in results:
            if isinstance(result["segmentation"], list):
                points = np.array(result["segmentation"][0]).reshape(-1, 2)
                result["segmentation"] = run_lengths(points, True)
    return {"images": images, "annotations": annotations, "categories": categories}, results


@pytest.mark.parametrize("seed", range(12))
def test_outlines_and_masks_are_compared_by_mask_iou_as_in_pycocotools(seed):
    gt, results = outlined_set(seed)
    assert_equal_to_pycocotools(gt, results, kind="segm")
    assert lcm.compare(*read_pair(gt, results, shapes="polygon")).objects().shapes == "mask"
    assert lcm.compare(*read_pair(gt, results)).objects().shapes == "box"


def test_boxes_and_masks_are_compared_as_masks():
    gt, results = outlined_set(1)
    for i, result in enumerate(results):
        result.pop("segmentation")
        result["bbox"] = gt["annotations"][i]["bbox"]
    assert_equal_to_pycocotools(gt, results, kind="segm")
    for result, (width, height) in zip(results, [(0, 5), (5, 0), (0, 0)]):
        result["bbox"] = [*result["bbox"][:2], width, height]
    assert_equal_to_pycocotools(gt, results, kind="segm")


def test_masks_without_pixels_and_outlines_without_area_are_objects_as_in_pycocotools():
    gt, results = outlined_set(2)
    line = [[5.0, 5.0, 20.0, 5.0, 12.0, 5.0]]
    for one, shape in zip((*gt["annotations"][:2], *results[:2]), [{"size": [48, 64], "counts": [48 * 64]}, line] * 2):
        one["segmentation"] = shape
    assert_equal_to_pycocotools(gt, results, kind="segm")
    assert len(read_pair(gt, results, shapes="polygon")[0].regions) == len(gt["annotations"])


def test_a_small_difference_in_area_moves_a_region_to_another_range():
    gt, results = crowded_page(0)
    for annotation in gt["annotations"]:
        annotation["area"] = 1024.5
    assert_equal_to_pycocotools(gt, results)
    assert np.isnan(lcm.compare(*read_pair(gt, results)).objects().summary["APsmall"])
    for annotation in gt["annotations"]:
        del annotation["area"]  # the area is then width x height
    own = lcm.compare(*read_pair(gt, results)).objects().summary
    np.testing.assert_allclose(
        list(own.values()), pycocotools_evaluation(crowded_page(0)[0], results).stats, rtol=0, atol=1e-9
    )


def test_equal_scores_are_ranked_by_page_ids_even_if_these_are_text():
    boxes = {"b": [0, 0, 10, 10], "a": [50, 50, 10, 10]}  # the prediction on page a is wrong, and comes first
    rows = [region(i, id=n, bbox=[0, 0, 10, 10], area=100, iscrowd=0) for n, i in enumerate(boxes, 1)]
    gt = coco([image(i) for i in boxes], rows)
    results = [region(i, bbox=box, score=0.5) for i, box in boxes.items()]
    assert_equal_to_pycocotools(gt, results)
    assert lcm.compare(*read_pair(gt, results)).objects().ap50 == pytest.approx(51 / 101 / 2)


def test_layouts_without_labels_have_no_ap():
    empty = build({"p": (10, 10)}, [], [])
    objects = lcm.compare(empty, empty).objects()
    assert all(np.isnan(value) for value in objects.summary.values()) and len(objects.per_class) == 0


FILL_WIDTH, FILL_HEIGHT = 30, 23
coordinate = st.one_of(st.integers(-30, 80).map(lambda n: n / 2), st.floats(-40, 60), st.floats(10, 10.9))


def filled(runs, width=FILL_WIDTH, height=FILL_HEIGHT):
    values = np.arange(runs.size) % 2 == 1
    return np.repeat(values, runs).reshape(width, height).T


def by_pycocotools(ring, width=FILL_WIDTH, height=FILL_HEIGHT):
    return coco_mask.decode(coco_mask.frPyObjects([ring.ravel().tolist()], height, width)[0]) > 0


@given(points=st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=30))
@settings(max_examples=500, deadline=None)
def test_a_polygon_is_filled_as_by_pycocotools(points):
    ring = np.array(points)
    runs = ring_runs(ring, FILL_WIDTH, FILL_HEIGHT)
    assert runs.sum() == FILL_WIDTH * FILL_HEIGHT and (runs >= 0).all()
    np.testing.assert_array_equal(filled(runs), by_pycocotools(ring))


@given(seed=st.integers(0, 1000), scale=st.sampled_from([1, 40, 500]), digits=st.sampled_from([0, 1, 6]))
@settings(max_examples=20, deadline=None)
def test_pages_of_several_blocks_of_columns_are_filled_as_by_pycocotools(seed, scale, digits):
    """Flat edges, steep ones, and with the largest scale ones that are nearly vertical and end far outside."""
    width, height = 3_000, 2_000
    assert width * height > 2 * BLOCK_BITS
    points = np.random.default_rng(seed).uniform([-9, -9 * scale], [width + 9, height * scale], (6, 2))
    ring = np.concatenate([points, points[:3] + np.array([3, 20_000])]).round(digits)
    np.testing.assert_array_equal(
        filled(ring_runs(ring, width, height), width, height), by_pycocotools(ring, width, height)
    )


def test_the_memory_is_that_of_the_page():
    """300,000 long edges: 10^9 steps if each one was stored."""
    ring = np.random.default_rng(1).uniform(0, [500, 600], (300_000, 2))
    runs = ring_runs(ring, 500, 600)
    assert runs.sum() == 500 * 600 and runs.nbytes < 10e6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 40), st.integers(1, 3000), st.integers(1, 300))
def test_the_text_of_the_runs_is_that_of_coco(seed, points, width, height):
    ring = np.random.default_rng(seed).uniform(-9, [width + 9, height + 9], (points, 2))
    runs = {"size": [height, width], "counts": ring_runs(ring, width, height).tolist()}
    assert ring_counts(ring, width, height) == coco_mask.frPyObjects(runs, height, width)["counts"]
