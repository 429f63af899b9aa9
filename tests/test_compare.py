"""Comparisons that can be checked by hand: levels, options, the two-page example, and numbers of docs/discussion.md."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from support.layouts import build
from support.paths import ROOT
from support.results import codes

ONE = {"p": (10, 10)}
LAYOUT = build(ONE, [("p", "a", 0, 0, 5, 10, 0.5)])


def test_the_labels_and_the_recipe_of_the_two_page_example(two_pages):
    """Its numbers are those of the two-page example."""
    m = lcm.compare(*two_pages).confusion()
    assert m.labels == ["Background", "title", "paragraph", "list_item", "picture", "table", "caption"]
    assert m.recipe.startswith("gt:gt|pred:pred|pages:2|rounding:outer|") and "method:matrix" in m.recipe


def test_pages_behind_a_cell(two_pages):
    c = lcm.compare(*two_pages)
    behind = c.pages_behind("picture", "table")
    assert behind.columns.tolist() == ["page", "document", "pixels", "share"]
    assert behind[["page", "pixels", "share"]].values.tolist() == [["p1", 120.0, 1.0]]
    assert behind.pixels.sum() == c.confusion().values[4, 5]
    assert c.pages_behind("Background", "Background")["page"].tolist() == ["p2"]
    assert c.pages_behind("caption", "title").empty  # gt has no caption
    with pytest.raises(lcm.InputError, match="no label 'chart'"):
        c.pages_behind("chart", "title")


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_pages_behind_add_up_to_the_cell(two_pages, method):
    c = lcm.compare(*two_pages)
    m = c.confusion(method=method)
    for i, gt_label in enumerate(m.labels):
        for j, pred_label in enumerate(m.labels):
            assert c.pages_behind(gt_label, pred_label, method).pixels.sum() == pytest.approx(m.values[i, j])


def test_documents_and_tables():
    pages = {"a_p1.png": (10, 10), "a_p2.png": (10, 10), "b.png": (10, 10)}
    gt = build(pages, [(page, "x", 0, 0, 10, 5) for page in pages])
    pred = build(pages, [("a_p1.png", "x", 0, 0, 10, 5), ("a_p2.png", "x", 0, 0, 5, 5)])
    c = lcm.compare(gt, pred)
    assert c.documents == ["a", "b.png"]
    assert codes(c.findings) == {"documents-from-names": 1, "page-without-pred": 1, "empty-page": 1}
    np.testing.assert_array_equal(c.confusion(document="a").values, [[100, 0], [25, 75]])
    pages_table = c.page_table()
    assert pages_table["page"].tolist() == ["b.png", "a_p2.png", "a_p1.png"]
    assert pages_table["f1"].tolist() == [0, pytest.approx(2 / 3), 1]
    assert pages_table["content_recall"].tolist() == [0, 0.5, 1]
    documents = c.document_table()
    assert documents[["document", "pages", "pixels"]].values.tolist() == [["b.png", 1, 100], ["a", 2, 200]]
    assert c.average("macro", over="pages")["recall"] == pytest.approx(0.5)
    assert c.average("macro", over="documents")["recall"] == pytest.approx((0.75 + 0) / 2)
    assert c.average("macro")["recall"] == pytest.approx(0.5)


def test_content_predicted_on_a_blank_page_is_an_error():
    gt = build(ONE, [], labels=["x"])
    pred = build(ONE, [("p", "x", 0, 0, 10, 1)])
    m = lcm.compare(gt, pred).confusion()
    np.testing.assert_array_equal(m.values, [[90, 10], [0, 0]])
    assert m.average("micro") == {"precision": 0, "recall": pytest.approx(float("nan"), nan_ok=True), "f1": 0}


def test_min_score_drops_regions_but_not_those_without_score():
    gt = build(ONE, [("p", "a", 0, 0, 10, 10)])
    pred = build(ONE, [("p", "a", 0, 0, 10, 5, 0.4), ("p", "a", 0, 5, 10, 7)])
    assert lcm.compare(gt, pred).confusion().values[1].tolist() == [30, 70]
    c = lcm.compare(gt, pred, min_score=0.5)
    assert c.confusion().values[1].tolist() == [80, 20]
    assert "min_score:0.5" in c.recipe
    of_gt = lcm.compare(LAYOUT, LAYOUT, min_score=0.7)  # gt has the same scores, which do not count
    assert of_gt.confusion().values.tolist() == [[50, 0], [50, 0]]


@pytest.mark.parametrize(
    ("scores", "min_score", "expected"),
    [
        ([0.5, 0.9], 0.7, {"below-min-score": ("info", 1)}),
        # No region is left.
        ([0.5, 0.9], 2, {"below-min-score": ("error", 2)}),
        ([0.5], 0.7, {"below-min-score": ("error", 1)}),
        ([0.5], 0.1, {}),
        ([np.nan], 0.5, {"min-score-without-scores": ("info", 1)}),
        ([np.nan], None, {}),
    ],
)
def test_findings_about_a_min_score(scores, min_score, expected):
    layout = build(ONE, [("p", "a", 5 * i, 0, 5 * i + 5, 10, score) for i, score in enumerate(scores)])
    found = lcm.compare(layout, layout, min_score=min_score).findings
    assert {one.code: (one.severity, one.count) for one in found if "min-score" in one.code} == expected


def test_a_region_with_two_labels_and_fractions():
    gt = build(ONE, [("p", "a", 0.5, 0, 2.5, 10), ("p", "b", 0.5, 0, 2.5, 10)])
    for rounding, pixels in (("outer", 30), ("nearest", 20), ("exact", 20)):
        c = lcm.compare(gt, gt, rounding=rounding)
        assert c.confusion().values[1:, 1:].tolist() == [[pixels, 0], [0, pixels]]
        pairs = c.counts().table()
        assert set(pairs["gt_set"]) == {"Background", "a + b"}


def test_empty_layouts():
    empty = build({}, [])
    for gt, pred in ((empty, empty), (build(ONE, [("p", "a", 0, 0, 1, 1)]), empty), (build(ONE, []), build(ONE, []))):
        c = lcm.compare(gt, pred)
        m = c.confusion()
        assert all(np.isnan(v) or v == 0 for v in m.average("macro").values())
        assert isinstance(c.page_table(), pd.DataFrame) and len(c.document_table()) == len(c.documents)
        assert c.average("macro", over="pages").keys() == {"precision", "recall", "f1"}
        assert len(m.classes()) == len(m.labels)
        assert c.counts().table()["pixels"].sum() == c.pixels
    assert c.confusion().recall.tolist() == [[1]]


def test_pages_are_found_without_folder_and_suffix_if_unique():
    layout = build({"x/a.png": (5, 5), "y/b.png": (5, 5), "z/b.png": (5, 5)}, [])
    c = lcm.compare(layout, layout)
    assert c.counts(page="a").total == 25 and c.counts(page="x/a.png").total == 25
    with pytest.raises(lcm.InputError, match="fits 2 pages"):
        c.confusion(page="b.png")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("rounding", "up", "is not known"),
        ("taxonomy", "x", "is not known"),
        ("missing_pages", "x", "is not known"),
        ("threads", -1, "is not a number of threads"),
        ("threads", "2", "is not a number of threads"),
        ("min_score", "a", "is not a finite number"),
        ("min_score", float("nan"), "is not a finite number"),
        ("documents", 5, "is neither a pattern nor a table"),
        ("documents", {"p": None}, "is neither a pattern nor a table"),
        ("mapping", 5, "5 is not a side"),
        ("mapping", {"sides": {}}, "'sides' is not a side"),
        ("mapping", {"gt": ["a"]}, "is not a mapping of labels"),
        ("mapping", {"gt": None}, "is not a mapping of labels"),
        ("mapping", {"gt": {"a": None}}, "'a' becomes None, both must be label names"),
        ("mapping", {"gt": {"a": ["b"]}}, "both must be label names"),
        ("mapping", "a\0b", "the file cannot be read"),
    ],
)
def test_wrong_options_are_input_errors(option, value, words):
    with pytest.raises(lcm.InputError, match=words):
        lcm.compare(LAYOUT, LAYOUT, **{option: value})


@pytest.mark.parametrize(
    "call",
    [
        lambda: lcm.compare("gt.json", LAYOUT),
        lambda: lcm.compare(LAYOUT, None),
        lambda: lcm.averages([[1, 2], [3]], "micro"),
    ],
)
def test_wrong_arguments_are_input_errors(call):
    with pytest.raises(lcm.InputError):
        call()


def test_reprs_are_short_and_on_one_line():
    c = lcm.compare(LAYOUT, LAYOUT)
    for value in (LAYOUT, c, c.confusion()):
        assert len(repr(value)) < 200 and "\n" not in repr(value)


FAMILIES = {"Text": ["title", "paragraph", "list_item", "caption"], "Figure": ["picture"], "Table": ["table"]}


def test_the_two_page_story(two_pages):
    gt, pred = two_pages
    c = lcm.compare(gt, pred)

    # Two pages of 400 and 100 pixels. Both sides use the same list of labels.
    assert c.pixels == 500 and c.pages == ["p1", "p2"] and c.taxonomy == "same"

    # Correct are the title (80), the paragraph (80), half of the picture's upper half (40 of 80, because pred also has
    # a table there), four rows of the table (40) and the empty rest of p2 (30): 270 of 500.
    m = c.confusion()
    assert m.values.sum() == 500
    assert m.accuracy == pytest.approx(0.54) and lcm.accuracy(m.values) == pytest.approx(0.54)
    assert m.average("micro", background=True) == pytest.approx({"precision": 0.54, "recall": 0.54, "f1": 0.54})

    # Background and Content: 30 empty pixels are correct, 20 are in the invented caption, 10 of the table are missed.
    np.testing.assert_allclose(m.collapse().values, [[30, 20], [10, 440]])

    # Recall of the picture (160 pixels): 0.25 with method matrix, where the extra table costs; 0.5 with method tensor,
    # which gives true recall. The table is predicted on 200 pixels; 40 of them are correct.
    classes = m.classes().set_index("label")
    true = c.confusion(method="tensor").classes().set_index("label")
    assert classes.loc["picture", "recall"] == pytest.approx(0.25)
    assert true.loc["picture", "recall"] == pytest.approx(0.5)
    assert classes.loc["table", "precision"] == pytest.approx(0.25)
    assert true.loc["table", "precision"] == pytest.approx(0.2)
    assert classes.loc["list_item", "recall"] == 0

    # Families: the list item stays in its family, because it is predicted as another kind of text. The picture leaves
    # its family where only a table is predicted, and so does the missed row of the table.
    f = c.families(FAMILIES)
    given_gt = f.given_gt().set_index("label")
    assert given_gt.loc["list_item"].tolist() == [0, 1, 0, 80, "paragraph"]
    assert given_gt.loc["picture"].tolist() == [0.5, 0, 0.5, 160, "OOF"]
    assert given_gt.loc["table"].tolist() == pytest.approx([0.8, 0, 0.2, 50, "OOF"])
    assert given_gt.loc["title"].tolist() == [1, 0, 0, 80, None]
    assert given_gt.loc["Background"].tolist() == pytest.approx([0.6, 0, 0.4, 50, "OOF"])
    assert np.isnan(given_gt.loc["caption", "identity"]) and given_gt.loc["caption", "total"] == 0

    # By pred label: one half of the predicted paragraphs is correct, the other is a list item; the caption is on
    # Background; the table is correct on 40 of its 200 pixels.
    given_pred = f.given_pred().set_index("label")
    assert given_pred.loc["paragraph"].tolist() == [0.5, 0.5, 0, 160, "list_item"]
    assert given_pred.loc["caption"].tolist() == [0, 0, 1, 20, "OOF"]
    assert given_pred.loc["table"].tolist() == pytest.approx([0.2, 0, 0.8, 200, "OOF"])

    # The matrix of families is nearly diagonal. Only picture against table and errors at borders remain.
    coarse = c.confusion(families=FAMILIES, depth=1)
    assert coarse.labels == ["Background", "Text", "Figure", "Table"]
    np.testing.assert_allclose(
        coarse.values, [[30, 20, 0, 0], [0, 240, 0, 0], [0, 0, 40, 120], [10, 0, 0, 40]], atol=1e-12
    )

    # Pages as samples: on p1 the list item is missed and a table is invented. The predicted paragraph is a hit and is
    # removed, so pred has no other label in the family of the list item.
    pages = c.families(FAMILIES, sample="page")
    assert "Background" not in pages.matrices
    assert pages.matrices["Text"].loc["list_item"].tolist() == [0, 0, 0, 0, 1]
    assert pages.matrices["Text"].loc["OOF"].tolist() == [0, 0, 0, 1, 0]
    assert pages.matrices["Table"].to_numpy().tolist() == [[1, 0], [1, 0]]

    # Objects. Title: AP 1. Paragraph: IoU .8, a match at seven of ten thresholds, AP .7. Picture: IoU .5, a match at
    # one threshold, AP .1. Table: IoU .8, but a wrong table has a higher score, so half of .7. List item: 0. Mean: .43.
    o = c.objects()
    assert (o.ap, o.ap50, o.ap75) == pytest.approx((0.43, 0.7, 0.5))

    # Soft scores weight every pixel by the score of its box.
    assert c.soft("micro")["f_beta"] == pytest.approx(0.504673, abs=5e-7)
    assert c.soft("macro")["f_beta"] == pytest.approx(0.390872, abs=5e-7)

    # Centroids: three of seven predictions have the centre of a gt region of their label within two pixels, and three
    # of five gt regions are matched.
    k = c.centroids(tolerance=(2, 2))
    assert (k.precision, k.recall) == pytest.approx((3 / 7, 3 / 5))


TEXT = (ROOT / "docs" / "discussion.md").read_text("utf-8")
CAPTIONS = [("Caption", 0, 50 + 3 * i, 40, 52 + 3 * i) for i in range(10)]


def compared(gt, pred, labels):
    gt, pred = (build({"p": (100, 100)}, [("p", *row) for row in rows], labels) for rows in (gt, pred))
    return lcm.compare(gt, pred)


def micro_f1(c, method="matrix"):
    return c.confusion(method=method).average("micro")["f1"]


def test_matrix_against_tensor():
    c = compared([("A", 0, 0, 10, 10)], [("A", 0, 0, 10, 10), ("B", 0, 0, 10, 10)], "AB")
    matrix, tensor = (c.confusion(method=method) for method in ("matrix", "tensor"))
    assert matrix.values[1].tolist() == [0, 50, 50]
    assert tensor.recall_mass[1].tolist() == [0, 100, 0] and tensor.precision_mass[1].tolist() == [0, 100, 100]
    assert matrix.average("micro") == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert tensor.average("micro") == pytest.approx({"precision": 0.5, "recall": 1, "f1": 2 / 3})
    assert matrix.right == 1
    missing = compared([("A", 0, 0, 10, 10), ("B", 0, 0, 10, 10)], [("A", 0, 0, 10, 10)], "AB")
    matrix, tensor = (missing.confusion(method=method) for method in ("matrix", "tensor"))
    assert matrix.average("micro") == {"precision": 0.5, "recall": 0.5, "f1": 0.5} and matrix.right == 0.5
    assert tensor.average("micro") == pytest.approx({"precision": 1, "recall": 0.5, "f1": 2 / 3})
    assert "| `matrix` | 0.5, 0.5, 0.5 | 0.5, 0.5, 0.5 |" in TEXT
    assert "| `tensor` | 1, 0.5, 0.667 | 0.5, 1, 0.667 |" in TEXT


@pytest.mark.parametrize(
    ("row", "gt", "pred", "pixels", "precision_recall", "ap"),
    [
        ("| 1 | 0.5, 1 | 0.1 |", [("Text", 0, 0, 100, 40)],
         [("Text", 0, 0, 100, 20, 0.9), ("Text", 0, 20, 100, 40, 0.8)], 1, (0.5, 1), 0.1),
        ("| 0.974 | 1, 0.5 | 0.050 |", [("Text", 0, 0, 100, 20), ("Text", 0, 22, 100, 40)],
         [("Text", 0, 0, 100, 40, 0.9)], 0.974, (1, 0.5), 0.050),
        ("| 0.947 | 1, 1 | 0.9 |", [("Table", 0, 0, 100, 50)], [("Table", 0, 0, 100, 45, 0.9)], 0.947, (1, 1), 0.9),
        ("| 0.909 | 1, 0.091 | n/a without scores |", [("Table", 0, 0, 80, 50), *CAPTIONS],
         [("Table", 0, 0, 80, 50)], 0.909, (1, 0.091), None),
    ],
)  # fmt: skip
def test_pixels_against_objects(row, gt, pred, pixels, precision_recall, ap):
    c = compared(gt, pred, ["Text", "Table", "Caption"])
    scores = c.objects().scores_at(0.5)
    assert row in TEXT
    assert micro_f1(c) == pytest.approx(pixels, abs=5e-4)
    assert (scores["precision"], scores["recall"]) == pytest.approx(precision_recall, abs=5e-4)
    assert c.objects().ap == (None if ap is None else pytest.approx(ap, abs=6e-4))


def test_micro_and_macro_of_missed_captions():
    c = compared([("Table", 0, 0, 80, 50), *CAPTIONS], [("Table", 0, 0, 80, 50)], ["Table", "Caption"])
    assert c.confusion().average("macro")["f1"] == 0.5


def test_content_is_found_with_another_label():
    c = compared([("A", 0, 0, 100, 40)], [("B", 0, 0, 100, 40)], "AB")
    assert c.content()["f1"] == 1 and micro_f1(c) == 0


@pytest.mark.parametrize(("rounding", "pixels"), [("outer", 9 * 12), ("nearest", 9 * 11), ("exact", 95.625)])
def test_a_page_whose_size_is_not_whole_is_rounded_as_a_box_that_covers_it(rounding, pixels):
    layout = build({"p": (8.5, 11.25)}, [("p", "a", 0, 0, 8.5, 11.25)])
    c = lcm.compare(layout, layout, rounding=rounding)
    assert c.pixels == c.confusion().values[1, 1] == pixels


def test_a_coordinate_that_is_too_large_is_named_in_full():
    row = {"page": "a", "label": "b", "x0": 0, "y0": 0, "x1": 1_000_000_002, "y1": 1, "width": 9, "height": 9}
    with pytest.raises(lcm.InputError, match=r"x1 is 1,000,000,002, must be .* at most 1,000,000,000"):
        lcm.read([row])


@pytest.mark.parametrize("call", ["show_page", "write_report", "images"])
def test_what_is_no_path_is_an_input_error(call, tmp_path):
    row = {"page": "a", "label": "b", "x0": 0, "y0": 0, "x1": 1, "y1": 1, "width": 9, "height": 9}
    c = lcm.compare(lcm.read([row]), lcm.read([row]))
    calls = {
        "show_page": lambda: c.show_page("a", images=5),
        "write_report": lambda: c.write_report(5),
        "images": lambda: c.write_report(tmp_path / "r", images=5),
    }
    with pytest.raises(lcm.InputError, match="5 is not a path"):
        calls[call]()
