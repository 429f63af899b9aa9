"""Joint and ranked pairs: tables that can be counted by hand, and a plain loop over the regions of both layouts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support.coco_files import coco, read_coco, region
from support.generated_pages import LABELS, layouts, page
from support.layouts import box_iou, build
from support.reading import fails

PAGES = {"p": (100, 100), "q": (100, 100)}
JOINT = ["page", "label", "gt", "pred", "score", "iou"]
RANKED = [*JOINT, "outcome"]


def strip(page, first, stop, *score, label="a"):
    """A box of height 10 from x = first to x = stop; strips of one page overlap by their widths."""
    return (page, label, first, 0, stop, 10, *score)


def rows(table):
    """The rows as lists, n/a as None."""
    return [[None if pd.isna(value) else value for value in row] for row in table.itertuples(index=False, name=None)]


@pytest.fixture
def objects():
    """On p, gt 0 is 0 to 10 and gt 1 is 10 to 20. The best prediction hits gt 0 with IoU 0.5, the second with 0.8, and
    the third lies between both, with IoU 1/3 each. On q, gt 2 is alone; b has only a prediction."""
    gt = build(PAGES, [strip("p", 0, 10), strip("p", 10, 20), strip("q", 0, 10)], ["a", "b"])
    pred = [strip("p", 5, 15, 0.25), strip("p", 0, 5, 0.75), strip("p", 0, 8, 0.5), strip("q", 0, 10, 0.5, label="b")]
    return lcm.compare(gt, build(PAGES, pred, ["a", "b"])).objects()


def test_joint_pairs_are_all_pairs_of_a_label_on_a_page(objects):
    table = objects.joint_pairs()
    assert list(table) == JOINT and table[["gt", "pred"]].dtypes.tolist() == [np.dtype("int64")] * 2
    third = pytest.approx(1 / 3)
    assert rows(table) == [
        ["p", "a", 0, 1, 0.75, 0.5], ["p", "a", 1, 1, 0.75, 0],
        ["p", "a", 0, 2, 0.5, 0.8], ["p", "a", 1, 2, 0.5, 0],
        ["p", "a", 0, 0, 0.25, third], ["p", "a", 1, 0, 0.25, third],
    ]  # fmt: skip
    assert rows(objects.joint_pairs("p")) == rows(table) and rows(objects.joint_pairs("q")) == []
    assert list(objects.joint_pairs("q")) == JOINT
    fails("there is no page 'r'", objects.joint_pairs, "r")


def test_coco_takes_only_what_is_above_the_threshold(objects):
    """The best prediction takes gt 0, so the better fitting second one has none; gt 1 overlaps too little."""
    table = objects.ranked_pairs(0.5)
    assert list(table) == RANKED
    assert rows(table) == [
        ["p", "a", 0, 1, 0.75, 0.5, "tp"], ["p", "a", None, 2, 0.5, None, "fp"], ["p", "a", None, 0, 0.25, None, "fp"],
        ["p", "a", 1, None, None, None, "fn"],
        ["q", "a", 2, None, None, None, "fn"],
        ["q", "b", None, 3, 0.5, None, "fp"],
    ]  # fmt: skip


def test_ranked_takes_what_is_left_and_then_looks_at_the_threshold(objects):
    """The second prediction takes gt 1, although they do not overlap, so none is left for the third."""
    assert rows(objects.ranked_pairs(0.5, pairing="ranked")) == [
        ["p", "a", 0, 1, 0.75, 0.5, "tp"], ["p", "a", 1, 2, 0.5, 0, "fp"], ["p", "a", None, 0, 0.25, None, "fp"],
        ["p", "a", 1, None, None, None, "fn"],
        ["q", "a", 2, None, None, None, "fn"],
        ["q", "b", None, 3, 0.5, None, "fp"],
    ]  # fmt: skip
    # The example of docs/objects.md goes on with a threshold of 0.6.
    assert objects.ranked_pairs(0.6, "ranked")["outcome"].tolist() == ["fp"] * 3 + ["fn"] * 3 + ["fp"]
    assert objects.ranked_pairs(0.6, "coco")["outcome"].tolist() == ["fp", "tp", "fp", "fn", "fn", "fp"]


def test_of_equal_overlaps_coco_takes_the_last_and_ranked_the_first():
    gt = build(PAGES, [strip("p", 0, 10), strip("p", 10, 20)])
    objects = lcm.compare(gt, build(PAGES, [strip("p", 0, 20)])).objects()
    assert objects.ranked_pairs(0.5)["gt"].tolist() == [1, 0]
    assert objects.ranked_pairs(0.5, "ranked")["gt"].tolist() == [0, 1]


def test_a_perfect_match_counts_at_iou_1():
    layout = build(PAGES, [("p", "a", 0.1, 0.2, 0.3, 7.7)])
    for pairing in ("coco", "ranked"):
        assert lcm.compare(layout, layout).objects().ranked_pairs(1, pairing)["outcome"].tolist() == ["tp"]


def test_row_numbers_are_those_of_the_given_layouts():
    """Regions that a mapping drops are counted, predictions below the minimum score, too."""
    gt = build(PAGES, [strip("p", 0, 10, label="b"), strip("p", 0, 10)])
    pred = build(PAGES, [strip("p", 0, 9, 0.1), strip("p", 0, 9, 0.9, label="c"), strip("p", 0, 10, 0.8)])
    mapping = {"gt": {"b": "background"}, "pred": {"c": "Background"}}
    c = lcm.compare(gt, pred, mapping=mapping, min_score=0.5)
    assert rows(c.objects().ranked_pairs()) == [["p", "a", 1, 2, 0.8, 1, "tp"]]
    assert rows(c.objects().joint_pairs()) == [["p", "a", 1, 2, 0.8, 1]]
    assert c.centroids().matches[["gt", "pred"]].values.tolist() == [[1, 2]]


def test_crowds_take_no_part():
    boxes = [[0, 0, 10, 10], [50, 0, 10, 10]]
    gt = read_coco(coco(annotations=[region(bbox=box, iscrowd=1 - i) for i, box in enumerate(boxes)]))
    pred = read_coco(coco(annotations=[region(bbox=box, score=0.5) for box in boxes[::-1]]), "pred")
    c = lcm.compare(gt, pred)
    objects = c.objects()
    for pairing in ("coco", "ranked"):
        assert rows(objects.ranked_pairs(0.5, pairing)) == [
            ["1.png", "Text", 1, 0, 0.5, 1, "tp"], ["1.png", "Text", None, 1, 0.5, None, "fp"],
        ]  # fmt: skip
    assert objects.joint_pairs()["gt"].tolist() == [1, 1]
    assert objects.counts_at(0.5) == {"tp": 1, "fp": 0, "fn": 0}  # AP leaves predictions on a crowd out, too
    assert objects.panoptic().iloc[0].tolist()[1:4] == [1, 1, 0]
    found = c.centroids()
    assert (found.recall, found.precision, found.matches["gt"].tolist()) == (1, 0.5, [1])


def test_masks_are_paired_by_the_iou_of_masks():
    """The triangle is half of its box."""
    triangle = region(segmentation=[[0, 0, 64, 0, 0, 64]], bbox=[0, 0, 64, 64])
    pred = build({"1.png": (100, 80)}, [("1.png", "Text", 0, 0, 64, 64, 0.5)])
    objects = lcm.compare(read_coco(coco(annotations=[triangle]), shapes="polygon"), pred).objects()
    assert objects.joint_pairs()["iou"][0] == pytest.approx(0.5, abs=0.02)
    assert objects.ranked_pairs(0.6, "ranked")["iou"][0] == objects.joint_pairs()["iou"][0]


@pytest.mark.parametrize("sides", [(0, 0), (1, 0), (0, 1)])
def test_sides_without_regions(sides):
    gt, pred = (build(PAGES, [strip("p", 0, 10, 0.5)] * n, ["a"]) for n in sides)
    objects = lcm.compare(gt, pred).objects()
    assert objects.joint_pairs().empty
    for pairing in ("coco", "ranked"):
        table = objects.ranked_pairs(0.5, pairing)
        assert list(table) == RANKED and table["outcome"].tolist() == ["fn"] * sides[0] + ["fp"] * sides[1]


def test_wrong_arguments_are_named(objects):
    fails("'best' is not known", objects.ranked_pairs, pairing="best")
    fails("0 is not an IoU", objects.ranked_pairs, 0)


def iou_of(one, other):
    return box_iou(*([row[side] for side in ("x0", "y0", "x1", "y1")] for row in (one, other)))


def rank(one):
    """The best score first, then the order of the file; regions without a score last."""
    return np.isnan(one["score"]), -np.nan_to_num(one["score"]), one["row"]


def plain_loop(gt, pred, threshold, pairing):
    """{(page, label, gt, pred, score, iou, outcome)} by the rules as written, one region after the other."""
    found = set()
    for page_name in gt.pages["page"]:
        for label in LABELS:
            mine, theirs = (
                [one | {"row": i} for i, one in enumerate(side.regions.to_dict("records"))
                 if (one["page"], one["label"]) == (page_name, label)]
                for side in (gt, pred)
            )  # fmt: skip
            free = list(mine)
            matched = []
            for one in sorted(theirs, key=rank):
                choice, best = None, -1
                for other in free:
                    iou = iou_of(other, one)
                    if pairing == "coco" and iou >= threshold and iou >= best:
                        choice, best = other, iou
                    if pairing == "ranked" and iou > best:
                        choice, best = other, iou
                score = None if np.isnan(one["score"]) else one["score"]
                if choice is None:
                    found.add((page_name, label, None, one["row"], score, None, "fp"))
                    continue
                free.remove(choice)
                right = best >= threshold
                matched += [choice["row"]] if right else []
                found.add((page_name, label, choice["row"], one["row"], score, best, "tp" if right else "fp"))
            missed = [one["row"] for one in mine if one["row"] not in matched]
            found |= {(page_name, label, row, None, None, None, "fn") for row in missed}
    return found


def with_scores(layout, scores):
    """The layout with some of the scores 0, 0.25, 0.5 and none, in turn."""
    given = [(row.page, row.label, row.x0, row.y0, row.x1, row.y1) for row in layout.regions.itertuples()]
    sizes = {row.page: (row.width, row.height) for row in layout.pages.itertuples()}
    return build(sizes, [(*row, scores[i % len(scores)]) for i, row in enumerate(given)], LABELS)


@settings(max_examples=150)
@given(
    st.lists(page, min_size=1, max_size=3),
    st.lists(st.sampled_from([0.0, 0.25, 0.5, np.nan]), min_size=1, max_size=5),
    st.sampled_from([0.01, 0.25, 1 / 3, 0.5, 1.0]),
    st.sampled_from(["coco", "ranked"]),
)
def test_pairs_are_those_of_a_plain_loop(pages, scores, threshold, pairing):
    gt, pred = layouts(pages)
    pred = with_scores(pred, scores)
    objects = lcm.compare(gt, pred).objects()
    table = objects.ranked_pairs(threshold, pairing)
    assert {tuple(row) for row in rows(table)} == plain_loop(gt, pred, threshold, pairing)
    counts = table["outcome"].value_counts()
    tp, fp, fn = (int(counts.get(outcome, 0)) for outcome in ("tp", "fp", "fn"))
    assert (tp + fp, tp + fn) == (len(pred.regions), len(gt.regions))
    if pairing == "coco":
        assert objects.counts_at(threshold) == {"tp": tp, "fp": fp, "fn": fn}
    joint = objects.joint_pairs()
    gt_rows, pred_rows = gt.regions.to_dict("records"), pred.regions.to_dict("records")
    expected = {
        (i, j): iou_of(one, other)
        for i, one in enumerate(gt_rows)
        for j, other in enumerate(pred_rows)
        if (one["page"], one["label"]) == (other["page"], other["label"])
    }
    assert {(row.gt, row.pred): row.iou for row in joint.itertuples()} == expected and len(joint) == len(expected)
