"""Objects: worked examples, which regions count, and the values that need no scores."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.metrics.objects.average_precision import coco_ap, sum_ap, voc_ap
from layoutcm.tables.result_json import comparison_result
from support.coco_oracle import assert_equal_to_pycocotools, read_pair
from support.layouts import build

PAGE = {"p": (100, 100)}


def ranked_predictions(label, *hits):
    """gt boxes in a row, and predictions of descending score; each hits one gt box or is far away."""
    n = sum(hits)
    gt = [("p", label, 10 * i, 0, 10 * i + 8, 8) for i in range(max(n, 4))]
    pred = [
        ("p", label, *((10 * sum(hits[:i]), 0, 10 * sum(hits[:i]) + 8, 8) if hit else (0, 50, 8, 58)), 1 - i / 100)
        for i, hit in enumerate(hits)
    ]
    return build(PAGE, gt), build(PAGE, pred)


def test_the_worked_example_of_the_three_rules():
    ranking = np.array([True, False, True, True, False])
    assert sum_ap(ranking, 4) == pytest.approx(0.604167, abs=5e-7)
    assert voc_ap(ranking, 4) == pytest.approx(0.625, abs=1e-12)
    assert coco_ap(ranking, 4) == pytest.approx(0.628713, abs=5e-7)
    objects = lcm.compare(*ranked_predictions("a", 1, 0, 1, 1, 0)).objects()
    assert objects.ap_at(0.5, "sum") == {"a": pytest.approx(1 / 4 + 1 / 6 + 3 / 16)}
    assert objects.ap_at(0.5, "voc") == {"a": pytest.approx(0.625)}
    assert objects.ap_at(0.5) == objects.ap_at(0.5, "coco") == {"a": pytest.approx((26 + 50 * 0.75) / 101)}
    curve = objects.curve("a", 0.5)
    assert list(curve) == ["score", "precision", "recall"]
    assert curve["score"].tolist() == pytest.approx([1, 0.99, 0.98, 0.97, 0.96])
    assert curve["precision"].tolist() == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 3 / 5])
    assert curve["recall"].tolist() == [0.25, 0.25, 0.5, 0.75, 0.75]


def test_the_two_page_example(two_pages):
    objects = lcm.compare(*two_pages).objects()
    assert (objects.ap, objects.ap50, objects.ap75) == (pytest.approx(0.43), pytest.approx(0.7), pytest.approx(0.5))
    assert objects.ar == objects.summary["AR100"] == pytest.approx(0.5)
    assert len(objects.summary) == 12 and np.isnan(objects.summary["APlarge"])
    table = objects.per_class
    assert list(table) == ["label", "gt", "pred", "ap", "ap50", "ap75", "ar"]
    assert table["gt"].tolist() == [1, 1, 1, 1, 1, 0] and table["pred"].tolist() == [1, 2, 0, 1, 2, 1]
    assert table["ap50"].tolist() == pytest.approx([1, 1, 0, 1, 0.5, np.nan], nan_ok=True)
    assert objects.scores_at(0.5) == {
        "precision": pytest.approx(4 / 7),
        "recall": pytest.approx(4 / 5),
        "f1": pytest.approx(8 / 12),
    }
    assert objects.scores_at(0.9)["recall"] == pytest.approx(1 / 5)


def test_the_object_matrix_of_the_two_pages(two_pages):
    matrix = lcm.compare(*two_pages).objects().confusion_at(0.5)
    assert list(matrix.index)[-1] == "invented" and list(matrix.columns)[-1] == "missed"
    found = {(gt, pred): int(matrix.loc[gt, pred]) for gt in matrix.index for pred in matrix if matrix.loc[gt, pred]}
    assert found == {
        ("title", "title"): 1,
        ("paragraph", "paragraph"): 1,
        ("list_item", "paragraph"): 1,
        ("picture", "table"): 1,
        ("table", "table"): 1,
        ("invented", "picture"): 1,
        ("invented", "caption"): 1,
    }


def test_objects_of_a_page_and_of_a_document(two_pages):
    comparison = lcm.compare(*two_pages, documents={"p1": "one", "p2": "two"})
    page = comparison.objects(page="p2")
    assert page.ap50 == 1 and page.scores_at(0.5)["precision"] == 0.5
    assert comparison.objects(document="two").summary == pytest.approx(page.summary, nan_ok=True)
    assert comparison.objects() is comparison.objects()
    with pytest.raises(lcm.InputError, match="both are given"):
        comparison.objects(page="p1", document="one")
    with pytest.raises(lcm.InputError, match="no page"):
        comparison.objects(page="p3")


def test_without_scores_only_ap_is_missing(two_pages):
    gt, _ = two_pages
    objects = lcm.compare(gt, gt).objects()
    assert objects.ap is objects.ap50 is objects.ap75 is objects.ar is None
    assert "no scores" in objects.why_no_ap
    assert np.isnan(list(objects.summary.values())).all() and objects.per_class["ap"].isna().all()
    assert set(objects.ap_at(0.5)) == set(gt.labels) and np.isnan(list(objects.ap_at(0.5).values())).all()
    assert objects.curve("title", 0.5).empty
    assert objects.scores_at(0.5) == {"precision": 1, "recall": 1, "f1": 1}
    matrix = objects.confusion_at(0.95).to_numpy()
    assert np.trace(matrix) == matrix.sum() == 5


def test_without_scores_predictions_are_matched_in_file_order():
    gt = build(PAGE, [("p", "a", 0, 0, 10, 10)])
    near, exact = ("p", "b", 0, 0, 10, 9), ("p", "a", 0, 0, 10, 10)
    for rows in ([near, exact], [exact, near]):
        matrix = lcm.compare(gt, build(PAGE, rows)).objects().confusion_at(0.5)
        assert matrix.loc["a", rows[0][1]] == 1 and matrix.loc["invented", rows[1][1]] == 1
    # A prediction with a score comes before those without one.
    matrix = lcm.compare(gt, build(PAGE, [near, (*exact, 0.1)])).objects().confusion_at(0.5)
    assert matrix.loc["a", "a"] == 1


def test_some_scores_are_not_enough(two_pages):
    gt, _ = two_pages
    mixed = build({"p1": (20, 20), "p2": (10, 10)}, [("p1", "title", 0, 0, 20, 4, 0.9), ("p2", "table", 0, 0, 10, 5)])
    comparison = lcm.compare(gt, mixed)
    assert comparison.objects().ap is None and "1 of 2 predicted regions" in comparison.objects().why_no_ap
    # The same at every level, even on a page with scores for all regions.
    assert comparison.objects(page="p1").ap is None
    assert comparison.objects().scores_at(0.5)["precision"] == 1


def test_ap_is_0_without_predictions_and_nan_without_gt(two_pages):
    gt, pred = two_pages
    no_regions = build({"p1": (20, 20), "p2": (10, 10)}, [], gt.labels)
    objects = lcm.compare(gt, no_regions).objects()
    assert objects.ap == 0 and objects.ar == 0 and objects.why_no_ap == ""
    assert objects.scores_at(0.5) == {"precision": pytest.approx(np.nan, nan_ok=True), "recall": 0, "f1": 0}
    assert objects.confusion_at(0.5)["missed"].sum() == 5
    no_gt = lcm.compare(no_regions, pred).objects()
    assert np.isnan(no_gt.ap) and np.isnan(no_gt.scores_at(0.5)["recall"])
    assert no_gt.confusion_at(0.5).loc["invented"].sum() == 7
    empty = lcm.compare(no_regions, no_regions).objects()
    assert np.isnan(list(empty.scores_at(0.5).values())).all() and empty.confusion_at(0.5).to_numpy().sum() == 0


def test_with_different_labels_there_is_a_matrix_but_no_ap():
    gt = build(PAGE, [("p", "text", 0, 0, 10, 10), ("p", "figure", 20, 20, 40, 40)])
    pred = build(PAGE, [("p", "Absatz", 0, 0, 10, 10, 0.9), ("p", "Bild", 60, 60, 70, 70, 0.8)])
    comparison = lcm.compare(gt, pred)
    objects = comparison.objects()
    assert comparison.taxonomy == "different" and objects.ap is None and "different labels" in objects.why_no_ap
    assert np.isnan(list(objects.scores_at(0.5).values())).all()
    assert objects.class_scores_at(0.5)["f1"].isna().all()
    assert objects.scores_at(0.5, class_aware=False) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    matrix = objects.confusion_at(0.5)
    assert matrix.to_numpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert list(matrix.index) == ["text", "figure", "invented"] and list(matrix) == ["Absatz", "Bild", "missed"]
    mapped = lcm.compare(gt, pred, mapping={"pred": {"Absatz": "text", "Bild": "figure"}}).objects()
    assert mapped.ap50 == 0.5 and mapped.scores_at(0.5)["precision"] == 0.5


def test_objects_use_score_threshold_missing_pages_and_scale():
    gt = build({"p": (100, 100), "q": (50, 50)}, [("p", "a", 0, 0, 40, 40), ("q", "a", 0, 0, 10, 10)])
    pred = build(
        {"p": (200, 50), "r": (10, 10)},
        [("p", "a", 0, 0, 80, 20, 0.6), ("p", "a", 100, 0, 180, 20, 0.3), ("r", "a", 0, 0, 5, 5, 0.9)],
    )
    scores = lambda **options: lcm.compare(gt, pred, **options).objects().scores_at(0.99)
    assert scores() == {"precision": pytest.approx(1 / 3), "recall": 0.5, "f1": pytest.approx(2 / 5)}
    assert scores(min_score=0.5)["precision"] == 0.5
    assert scores(missing_pages="ignore") == {"precision": 0.5, "recall": 1, "f1": pytest.approx(2 / 3)}
    assert scores(missing_pages="ignore", min_score=0.5) == {"precision": 1, "recall": 1, "f1": 1}


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


def test_crowds_do_not_change_pixel_counts():
    rows = [("a", [0, 0, 50, 50], {"iscrowd": 1}), ("a", [60, 60, 20, 20], {"area": 3})]
    marked, results = coco(rows, [("a", [0, 0, 50, 50], {"score": 0.5})])
    plain, _ = coco([(label, box, {}) for label, box, _ in rows], [])
    matrices = [lcm.compare(*read_pair(gt, results)).confusion().values.tolist() for gt in (marked, plain)]
    assert matrices[0] == matrices[1]


def test_crowds_and_areas_belong_to_the_right_regions():
    gt, _ = coco(
        [
            ("a", [0, 0, 0, 5], {"iscrowd": True}),  # no area: dropped
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


def test_the_same_box_under_two_labels_is_found_under_both():
    rows = [("p", "a", 0, 0, 10, 10), ("p", "b", 0, 0, 10, 10), ("p", "c", 0, 0, 10, 10)]
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]):
        pred = build(PAGE, [rows[i] for i in order], ["a", "b", "c"])
        matrix = lcm.compare(build(PAGE, rows), pred).objects().confusion_at(0.5).to_numpy()
        assert matrix.tolist() == np.diag([1, 1, 1, 0]).tolist()


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


def test_values_are_computed_on_first_use(two_pages):
    objects = lcm.compare(*two_pages).objects()
    objects.scores_at(0.5), objects.confusion_at(0.5), objects.curve("title", 0.5)
    assert not {"_coco", "summary"} & set(vars(objects))


@pytest.mark.parametrize("iou", [0, -0.5, 1.01, float("nan"), "0.5", None, True])
def test_a_wrong_iou_is_an_error(two_pages, iou):
    objects = lcm.compare(*two_pages).objects()
    for ask in (objects.ap_at, objects.scores_at, objects.class_scores_at, objects.confusion_at):
        with pytest.raises(lcm.InputError, match="iou"):
            ask(iou)
    with pytest.raises(lcm.InputError, match="iou"):
        objects.curve("title", iou)


def test_unknown_rules_and_labels_are_errors(two_pages):
    objects = lcm.compare(*two_pages).objects()
    with pytest.raises(lcm.InputError, match="rule"):
        objects.ap_at(0.5, "pascal")
    with pytest.raises(lcm.InputError, match="there is no label"):
        objects.curve("Title", 0.5)


def matched_by_loop(gt, pred, iou, class_aware):
    """The matcher in plain Python: (gt, pred) pairs of rows (page, label, x0, y0, x1, y1[, score])."""
    pairs, taken = [], set()
    for p in sorted(range(len(pred)), key=lambda i: (-pred[i][6], i)):
        best = None
        for g in range(len(gt)):
            if g in taken or gt[g][0] != pred[p][0] or (class_aware and gt[g][1] != pred[p][1]):
                continue
            key = (overlap(gt[g], pred[p]), gt[g][1] == pred[p][1], g)
            if key[0] >= iou and (best is None or key > best):
                best = key
        if best:
            taken.add(best[2])
            pairs.append((best[2], p))
    return pairs


def overlap(gt, pred):
    width = min(gt[4], pred[4]) - max(gt[2], pred[2])
    height = min(gt[5], pred[5]) - max(gt[3], pred[3])
    common = max(width, 0) * max(height, 0)
    area = lambda box: (box[4] - box[2]) * (box[5] - box[3])
    return common / (area(gt) + area(pred) - common)


def region(draw, pages, scored):
    x, y = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    box = (x, y, x + draw(st.integers(1, 8)), y + draw(st.integers(1, 8)))
    row = (draw(st.sampled_from(pages)), draw(st.sampled_from("abc")), *box)
    return (*row, draw(st.sampled_from([0.2, 0.5, 0.9]))) if scored else row


@st.composite
def sides(draw):
    pages = ["p", "q"]
    gt = [region(draw, pages, False) for _ in range(draw(st.integers(0, 8)))]
    return gt, [region(draw, pages, True) for _ in range(draw(st.integers(0, 8)))]


@settings(max_examples=80, deadline=None)
@given(sides(), st.sampled_from([0.1, 0.3, 0.5, 1.0]))
def test_scores_and_matrix_at_one_iou_are_those_of_a_plain_loop(rows, iou):
    gt, pred = rows
    pages = {"p": (20, 20), "q": (20, 20)}
    objects = lcm.compare(build(pages, gt, "abc"), build(pages, pred, "abc")).objects()
    for class_aware in (True, False):
        hits = len(matched_by_loop(gt, pred, iou, class_aware))
        expected = [hits / len(pred) if pred else np.nan, hits / len(gt) if gt else np.nan]
        found = objects.scores_at(iou, class_aware)
        assert [found["precision"], found["recall"]] == pytest.approx(expected, nan_ok=True)
    table = np.zeros((4, 4), int)
    pairs = matched_by_loop(gt, pred, iou, class_aware=False)
    for g, p in pairs:
        table["abc".index(gt[g][1]), "abc".index(pred[p][1])] += 1
    for g in set(range(len(gt))) - {g for g, _ in pairs}:
        table["abc".index(gt[g][1]), 3] += 1
    for p in set(range(len(pred))) - {p for _, p in pairs}:
        table[3, "abc".index(pred[p][1])] += 1
    assert objects.confusion_at(iou).to_numpy().tolist() == table.tolist()
    classes = objects.class_scores_at(iou).set_index("label")
    hits = [gt[g][1] for g, _ in matched_by_loop(gt, pred, iou, class_aware=True)]
    assert classes["found"].to_dict() == {label: hits.count(label) for label in "abc"}


def test_json_has_objects_and_centroids(two_pages):
    answer = comparison_result(lcm.compare(*two_pages))
    objects = json.loads(json.dumps(answer["objects"], allow_nan=False))
    assert objects["summary"]["AP"] == pytest.approx(0.43) and objects["summary"]["APlarge"] is None
    assert objects["per_class"][5] == {
        "label": "caption", "gt": 0, "pred": 1, "ap": None, "ap50": None, "ap75": None, "ar": None,
    }  # fmt: skip
    assert objects["why_no_ap"] is None and objects["gt"] == 5 and objects["pred"] == 7
    at = objects["at_iou"]
    assert at["iou"] == 0.5 and at["recall"] == 0.8 and at["class_blind"]["recall"] == 1
    assert at["ap"]["coco"]["table"] == pytest.approx(0.5) and set(at["ap"]) == {"coco", "sum", "voc"}
    assert at["map"] == {"coco": pytest.approx(0.7), "sum": pytest.approx(0.7), "voc": pytest.approx(0.7)}
    assert at["confusion"]["gt_labels"][-1] == "invented" and at["confusion"]["values"][2][1] == 1
    assert [objects[name] for name in ("ap", "ap50", "ap75")] == pytest.approx([0.43, 0.7, 0.5])
    assert answer["centroids"]["tolerance"] == [20, 20] and answer["centroids"]["class_aware"]
    assert set(answer["centroids"]["one_to_one"]) == {"precision", "recall", "f1"}
    without = comparison_result(lcm.compare(two_pages[0], two_pages[0]))["objects"]
    assert without["summary"]["AP"] is None and without["at_iou"]["ap"] is None and "no scores" in without["why_no_ap"]
    assert without["ap"] is without["ap50"] is without["ap75"] is without["ar"] is None


def test_json_has_centroids_without_labels_if_the_labels_differ(two_pages):
    other = {"pred": {"title": "headline", "table": "grid"}}
    answer = comparison_result(lcm.compare(*two_pages, mapping=other, taxonomy="different"))
    blind = lcm.compare(*two_pages).centroids(class_aware=False)
    assert answer["centroids"]["class_aware"] is False
    assert answer["centroids"]["one_to_one"]["recall"] == blind.recall > 0
    assert answer["objects"]["ap"] is None and "different labels" in answer["objects"]["why_no_ap"]
