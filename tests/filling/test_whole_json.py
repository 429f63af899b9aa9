"""The whole JSON of a comparison, of families and of a layout, for pages whose pixels can be counted by hand."""

import json

import msgspec
import pytest

import layoutcm as lcm
from layoutcm.models.differences import difference
from layoutcm.results.encoding import json_ready, json_text
from layoutcm.results.vocabulary import WITH_TRUTH
from support.layouts import build
from support.named_pages import compared
from support.results import full_result
from support.three_pages import different_labels, three_pages

VERSION = lcm.__version__


def rounded(value):
    """The value with three decimals; integers stay integers."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


def rows(names, *values):
    return [dict(zip(names.split(), row, strict=True)) for row in values]


def scores(**kinds):
    return {kind: dict(zip(("precision", "recall", "f1"), values, strict=True)) for kind, values in kinds.items()}


def soft(**kinds):
    return {kind: dict(zip(("precision", "recall", "f_beta", "dice"), values)) for kind, values in kinds.items()}


NONE = [0, 0, 0, 0]
A = [[8, 0, 0, 0], [0, 4, 4, 0], NONE, NONE]
B = [[4, 0, 2, 0], NONE, [0, 4, 0, 0], NONE]
P2 = [[4, 0, 0, 0], NONE, [0, 4, 0, 0], NONE]
P3 = [[0, 0, 2, 0], NONE, NONE, NONE]
SETTINGS = "gt:gt|pred:pred|pages:3|rounding:outer|taxonomy:same"
OF_PIXELS = {"micro.f1": 0.308, "macro.f1": 0.25, "weighted.f1": 0.333, "content.f1": 0.923, "right": 0.333}
OF_OBJECTS = {"objects.ap": 0.05, "objects.pq": 0}
HEADLINE = [
    (name, value, f"{SETTINGS}|{counted}|v{VERSION}", VERSION, None, None)
    for counted, figures in (("method:matrix", OF_PIXELS), ("objects:box", OF_OBJECTS))
    for name, value in figures.items()
]
LEVEL_KEYS = ("document", "page", "pages", "pixels", "confusion", "collapsed")
RESULT = {
    "schema": "2.0",
    "version": VERSION,
    "recipe": f"gt:gt|pred:pred|pages:3|rounding:outer|taxonomy:same|method:matrix|v{VERSION}",
    "recipe_fields": {
        **{"gt": "gt", "pred": "pred", "pages": "3", "rounding": "outer", "taxonomy": "same", "method": "matrix"},
        "version": f"v{VERSION}",
    },
    "vocabulary": json_ready(msgspec.to_builtins(WITH_TRUTH)),
    "inputs": {
        "gt": {"name": "gt", "format": "test", "sha256": None, "pages": 3, "regions": 2},
        "pred": {"name": "pred", "format": "test", "sha256": None, "pages": 3, "regions": 5},
    },
    "headline": rows("figure value recipe version gt_digest pred_digest", *HEADLINE),
    "measures": {},  # see below
    "method": "matrix",
    "weights": "area",
    "taxonomy": "same",
    "labels": ["Background", "a", "b", "c"],
    "gt_labels": ["a", "b", "c"],
    "pred_labels": ["a", "b", "c"],
    "pages": 3,
    "documents": 2,
    "pixels": 26,
    "ignored_pixels": 0,
    "confusion": [[12, 0, 2, 0], [0, 4, 4, 0], [0, 4, 0, 0], NONE],
    "recall": [[0.857, 0, 0.143, 0], [0, 0.5, 0.5, 0], [0, 1, 0, 0], [None] * 4],
    "precision": [[1, 0, 0.333, None], [0, 0.5, 0.667, None], [0, 0.5, 0, None], [0, 0, 0, None]],
    "f1": [[0.923, 0, 0.2, 0], [0, 0.5, 0.571, 0], [0, 0.667, 0, 0], [0, 0, 0, None]],
    "classes": rows(
        "label gt_pixels pred_pixels precision recall f1 iou",
        ("Background", 14, 12, 1, 0.857, 0.923, 0.857),
        ("a", 8, 8, 0.5, 0.5, 0.5, 0.333),
        ("b", 4, 6, 0, 0, 0, 0),
        ("c", 0, 0, None, None, None, None),
    ),
    "averages": scores(micro=(0.286, 0.333, 0.308), macro=(0.25, 0.25, 0.25), weighted=(0.333, 0.333, 0.333)),
    "averages_with_background": scores(
        micro=(0.615, 0.615, 0.615), macro=(0.5, 0.452, 0.474), weighted=(0.692, 0.615, 0.651)
    ),
    "averages_over_pages": scores(micro=(0.167, 0.25, 0.167), macro=(0.167, 0.083, 0.111), weighted=(0.5, 0.25, 0.333)),
    "averages_over_documents": scores(
        micro=(0.25, 0.25, 0.25), macro=(0.25, 0.125, 0.167), weighted=(0.5, 0.25, 0.333)
    ),
    "pred_pixels": [12, 8, 6, 0],
    "content": {"precision": 0.857, "recall": 1, "f1": 0.923},  # of 14 pixels of pred 12 are content
    "content_pixels": {"both": 12, "gt": 12, "pred": 14},
    "right": 0.333,  # 4 of 8 pixels of a, and none of the 4 of b
    "collapsed": {
        "labels": ["Background", "Content"],
        "confusion": [[12, 2], [0, 12]],
        "recall": [[0.857, 0.143], [0, 1]],
        "precision": [[1, 0.143], [0, 0.857]],
        "f1": [[0.923, 0.143], [0, 0.923]],
    },
    "findings": rows(
        "code severity message count fix remedy",
        ("empty-page", "info", "gt: 1 of 3 pages has no region (first: 'p3').", 1, "", ""),
    ),
    "page_matching": {"matched": {"exact": 3}, "only_in_gt": [], "only_in_pred": []},
    "objects": {
        "shapes": "box",
        "gt": 2,
        "pred": 5,
        "headline": "ap",
        "ap": 0.05,
        "ap50": 0.5,
        "ap75": 0,
        "ar": 0.05,
        "panoptic": {
            **{"tp": 0, "fp": 5, "fn": 2, "sq": 0, "rq": 0, "pq": 0},  # the best IoU is 1/2, which is no pair
            "classes": rows(
                "label tp fp fn sq rq pq",
                ("a", 0, 3, 1, 0, 0, 0),
                ("b", 0, 2, 1, 0, 0, 0),
                ("c", 0, 0, 0, None, None, None),
            ),
        },
        "summary": {
            **{"AP": 0.05, "AP50": 0.5, "AP75": 0, "APsmall": 0.05, "APmedium": None, "APlarge": None},
            **{"AR1": 0.05, "AR10": 0.05, "AR100": 0.05, "ARsmall": 0.05, "ARmedium": None, "ARlarge": None},
        },
        "why_no_ap": None,
        "pages_left_out": [],
        "note": "",
        "labels": ["a", "b", "c"],
        "per_class": rows(
            "label gt pred ap ap50 ap75 ar",
            ("a", 1, 3, 0.1, 1, 0, 0.1),
            ("b", 1, 2, 0, 0, 0, 0),
            ("c", 0, 0, None, None, None, None),
        ),
        "at_iou": {
            "iou": 0.5,
            **scores(all=(0.2, 0.5, 0.286))["all"],
            **{"tp": 1, "fp": 4, "fn": 1},
            **scores(class_blind=(0.4, 1, 0.571)),
            "class_blind_counts": {"tp": 2, "fp": 3, "fn": 0},
            "classes": rows(
                "label gt pred found tp fp fn precision recall f1",
                ("a", 1, 3, 1, 1, 2, 0, 0.333, 1, 0.5),
                ("b", 1, 2, 0, 0, 2, 1, 0, 0, 0),
                ("c", 0, 0, 0, 0, 0, 0, None, None, None),
            ),
            "ap": {rule: {"a": 1, "b": 0, "c": None} for rule in ("coco", "sum", "voc")},
            "map": {"coco": 0.5, "sum": 0.5, "voc": 0.5},
            "confusion": {
                "gt_labels": ["a", "b", "c", "invented"],
                "pred_labels": ["a", "b", "c", "missed"],
                "values": [[1, 0, 0, 0], [1, 0, 0, 0], NONE, [1, 2, 0, 0]],
            },
        },
        "curves": {"a": {"recall": [0, 1], "precision": [1, 1]}, "b": {"recall": [], "precision": []}},
    },
    "centroids": {
        "tolerance": [20, 20],
        "class_aware": True,
        "pages_left_out": [],
        "note": "",
        **scores(one_to_one=(0.2, 0.5, 0.286), many_to_one=(0.4, 0.5, 0.444)),
    },
    "soft": {
        "beta": 1,
        "averages": soft(
            micro=(0.34, 0.3, 0.319, 0.355),
            macro=(0.281, 0.225, 0.25, 0.273),
            weighted=(0.375, 0.3, 0.333, 0.364),  # two thirds of gt are a
            samples=(0.176, 0.15, 0.162, 0.174),
        ),
        "classes": rows(
            "label precision recall f_beta dice",
            ("a", 0.562, 0.45, 0.5, 0.545),
            ("b", 0, 0, 0, 0),
            ("c", None, None, None, None),
        ),
    },
    "border_slack": 0,
    "page_scores": {
        **{"page": ["p1", "p2", "p3"], "document": ["A", "B", "B"], "pixels": [16, 8, 2]},
        "scores": {
            **{"precision": [0.5, 0, 0], "recall": [0.25, 0, 0], "f1": [0.333, 0, 0], "micro_f1": [0.5, 0, 0]},
            **{"content_precision": [1, 1, 0], "content_recall": [1, 1, None], "content_f1": [1, 1, 0]},
        },
    },
    "by_document": rows(
        "document pages pixels confusion collapsed",
        ("A", 1, 16, A, [[8, 0], [0, 8]]),
        ("B", 2, 10, B, [[4, 2], [0, 4]]),
    ),
    "by_page": rows(
        "page document pixels confusion collapsed",
        ("p1", "A", 16, A, [[8, 0], [0, 8]]),
        ("p2", "B", 8, P2, [[4, 0], [0, 4]]),
        ("p3", "B", 2, P3, [[0, 2], [0, 0]]),
    ),
}


def named(prefix, averages):
    return {f"{prefix}{kind}.{score}": value for kind, own in averages.items() for score, value in own.items()}


RESULT["measures"] = {
    **named("", RESULT["averages"]),
    **named("with_background.", RESULT["averages_with_background"]),
    **named("over_pages.", RESULT["averages_over_pages"]),
    **named("over_documents.", RESULT["averages_over_documents"]),
    **named("", {"content": RESULT["content"]}),
    "right": 0.333,
    **{"objects.ap": 0.05, "objects.ap50": 0.5, "objects.ap75": 0, "objects.ar": 0.05},
    **{"objects.apsmall": 0.05, "objects.apmedium": None, "objects.aplarge": None, "objects.ar1": 0.05},
    **{"objects.ar10": 0.05, "objects.arsmall": 0.05, "objects.armedium": None, "objects.arlarge": None},
    **{"objects.pq": 0, "objects.sq": 0, "objects.rq": 0},
    **{"objects.precision": 0.2, "objects.recall": 0.5, "objects.f1": 0.286},
    **{"objects.any_label.precision": 0.4, "objects.any_label.recall": 1, "objects.any_label.f1": 0.571},
    **named("", {"centroids": RESULT["centroids"]["one_to_one"]}),
    **named("soft.", RESULT["soft"]["averages"]),
    **dict.fromkeys(("agreement.observed", "agreement.kappa", "agreement.alpha")),
}


def test_result_of_a_comparison():
    found = full_result(three_pages(), per_page=True)
    assert json.loads(json_text(found)) == found
    for level in ("by_document", "by_page"):  # the other values of a level are tested in test_level_records.py
        found[level] = [{key: value for key, value in row.items() if key in LEVEL_KEYS} for row in found[level]]
    assert rounded(found) == RESULT
    assert list(found) == list(RESULT) and list(found["measures"]) == list(RESULT["measures"])
    assert list(full_result(three_pages())) == list(RESULT)[:-1]


def test_result_with_the_method_tensor(two_pages):
    """Half of the picture is found, although pred also has a table there (see the two-page example)."""
    c = lcm.compare(*two_pages)
    found = full_result(c, "tensor", True)
    p1, p2 = found["by_page"]
    assert found["recipe"].split("|")[-2] == "method:tensor" and found["method"] == "tensor"
    assert found["confusion"][4] == p1["confusion"][4] == found["by_document"][0]["confusion"][4]
    assert found["confusion"][4] == [0, 0, 0, 0, 80, 80, 0]
    assert (p2["confusion"][5], p2["collapsed"]) == ([10, 0, 0, 0, 0, 40, 0], [[30, 20], [10, 40]])
    for level in ("pages", "documents"):
        # On p1, the recall of four labels is 1, 1, 0 and 0.5, and a table is invented; on p2 it is 0.8 and 0.
        assert found[f"averages_over_{level}"]["macro"]["recall"] == pytest.approx((2.5 / 5 + 0.8 / 2) / 2)


def test_result_with_different_labels():
    found = full_result(different_labels())
    without = ["classes", "averages", "averages_with_background", "averages_over_pages", "averages_over_documents"]
    assert [name for name, value in found.items() if value is None] == [*without, "right", "soft"]
    assert (found["labels"], found["gt_labels"], found["pred_labels"]) == (["Background", "a", "x"], ["a"], ["x"])
    assert found["objects"]["at_iou"]["map"] is found["objects"]["at_iou"]["ap"] is None


def test_pages_on_one_side_are_named():
    assert full_result(compared(["a/x.png", "b", "c"], ["x", "b", "d"]))["page_matching"] == {
        "matched": {"exact": 1, "stem": 1},
        "only_in_gt": ["c"],
        "only_in_pred": ["d"],
    }


def test_extras_are_added():
    c = three_pages()
    more = {
        "families": {"All": ["a", "b"]},
        "intervals": 7,
        "difference": difference(c, three_pages(min_score=0.75), 8),
    }
    found = full_result(c, **more)
    assert set(found) == {*list(RESULT)[:-1], "families", "intervals", "difference_from_first"}
    assert found["families"]["tree"] == {"All": ["a", "b"]}
    assert (found["intervals"]["n"], found["difference_from_first"]["n"]) == (7, 8)
    nothing = {"value": None, "low": None, "high": None, "documents": 0, "remark": ""}
    assert found["intervals"]["classes"][-1] == {"label": "c", "score": "iou"} | nothing
    assert found["intervals"]["few_documents"] is True and found["intervals"]["by_unit"][0]["document"] == "A"
    json_text(found)


def test_rules_of_average_precision():
    """By score: found, wrong, wrong, found, found. The precision at each third of recall is 1, 2 / 4 and 3 / 5.

    Two rules use the largest precision from there on, which is 1, 3 / 5 and 3 / 5; 34 of COCO's 101 points have 1.
    """
    page, boxes = {"p": (20, 2)}, [("p", "a", x, 0, x + 2, 2) for x in (0, 4, 8, 12, 16)]
    pred = build(page, [(*box, 0.9 - k / 10) for k, box in enumerate(boxes)])
    found = full_result(lcm.compare(build(page, [boxes[0], *boxes[3:]]), pred))["objects"]["at_iou"]
    expected = {"coco": (34 + 67 * 0.6) / 101, "sum": (1 + 0.5 + 0.6) / 3, "voc": (1 + 0.6 + 0.6) / 3}
    assert found["map"] == {rule: values["a"] for rule, values in found["ap"].items()} == pytest.approx(expected)


def test_result_of_families(two_pages):
    c = lcm.compare(*two_pages)
    tree = {"Text": {"Head": ["title"], "Body": ["paragraph", "list_item"]}, "Extra": ["nope"]}
    families = c.families(tree, sample="page", count="gold", depth=2)
    found = full_result(c, "tensor", families=families)["families"]
    at_depth = found.pop("at_depth")
    settings = "families:2 given|depth:2|sample:page|count:gold"
    columns = "label identity in_family oof total preferred"
    unused = (None, None, None, 0, None)
    unknown = "1 label is named by the families and used by neither side (first: 'nope')."
    without_family = "3 labels are in no family; each counts as its own family (first: 'picture')."
    assert rounded(found) == {
        "recipe": f"gt:gt|pred:pred|pages:2|rounding:outer|taxonomy:same|{settings}|v{VERSION}",
        "tree": tree,
        "sample": "page",
        "count": "gold",
        "depth": 2,
        "matrices": {
            family: {
                **{f"{side}_labels": [*labels, "OOF"] for side in ("gt", "pred")},
                "values": values,
                **{f"{side}_places": [*range(len(labels)), len(labels)] for side in ("gt", "pred")},
            }
            for family, labels, values in (
                ("Head", ["title"], [[1, 0], [0, 0]]),
                ("Body", ["paragraph", "list_item"], [[1, 0, 0], [0, 0, 1], [0, 0, 0]]),
                ("picture", ["picture"], [[1, 0], [0, 0]]),
                ("table", ["table"], [[1, 0], [1, 0]]),
                ("caption", ["caption"], [[0, 0], [1, 0]]),
            )
        },
        "given_gt": rows(
            columns,
            ("title", 1, 0, 0, 1, None),
            ("paragraph", 1, 0, 0, 1, None),
            ("list_item", 0, 0, 1, 1, "OOF"),
            ("picture", 1, 0, 0, 1, None),
            ("table", 1, 0, 0, 1, None),
            ("caption", *unused),
        ),
        "given_pred": rows(
            columns,
            ("title", 1, 0, 0, 1, None),
            ("paragraph", 1, 0, 0, 1, None),
            ("list_item", *unused),
            ("picture", 1, 0, 0, 1, None),
            ("table", 0.5, 0, 0.5, 2, "OOF"),
            ("caption", 0, 0, 1, 1, "OOF"),
        ),
        "shares": {
            "gt": {"identity": 0.8, "in_family": 0, "oof": 0.2},
            "pred": {"identity": 0.667, "in_family": 0, "oof": 0.333},
        },
        "findings": rows(
            "code severity message count fix remedy",
            ("family-label-unknown", "warning", unknown, 1, "Check their spelling.", ""),
            ("label-without-family", "info", without_family, 3, "", ""),
        ),
    }
    assert [(one["depth"], one["labels"]) for one in at_depth] == [
        (1, ["Background", "Text", "picture", "table", "caption"]),
        (2, ["Background", "Head", "Body", "picture", "table", "caption"]),
    ]
    assert list(at_depth[0]) == ["depth", "labels", "confusion", "recall", "precision", "f1"]
    assert [one["confusion"][-3] for one in at_depth] == [[0, 0, 80, 80, 0], [0, 0, 0, 80, 80, 0]]
    by_matrix = full_result(c, families=families)["families"]["at_depth"]
    assert [one["confusion"][-3] for one in by_matrix] == [[0, 0, 40, 120, 0], [0, 0, 0, 40, 120, 0]]
