"""Edge cases of the comparison, in which a wrong result would look plausible."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from support.finding_codes import codes
from support.layouts import build

ONE = {"p": (10, 10)}


def coco_layout(tmp_path, labels=("a", "b", "c")):
    path = tmp_path / "gt.json"
    document = {
        "images": [{"id": 1, "width": 30, "height": 10, "file_name": "p"}],
        "categories": [{"id": i + 1, "name": name} for i, name in enumerate(labels)],
        "annotations": [
            {"id": i, "image_id": 1, "category_id": i + 1, "bbox": [10 * i, 0, 10, 10]} for i in range(len(labels))
        ],
    }
    path.write_text(json.dumps(document))
    return lcm.read(path)


def test_a_mapping_may_join_labels_and_drop_one(tmp_path):
    gt = coco_layout(tmp_path)
    mapping = {"gt": {"a": "Background", "b": "c"}, "pred": {"a": "Background", "b": "c"}}
    m = lcm.compare(gt, gt, mapping=mapping).confusion()
    assert m.labels == ["Background", "c"] and m.values.tolist() == [[100, 0], [0, 200]]


def test_matching_names_does_not_change_labels_with_an_exact_match():
    layout = build(ONE, [("p", "list-item", 0, 0, 5, 10), ("p", "List item", 5, 0, 10, 10), ("p", "-", 0, 0, 1, 1)])
    m = lcm.compare(layout, layout, taxonomy="match-names").confusion()
    assert (m.values == np.diag(np.diag(m.values))).all()


def test_equal_names_of_different_taxonomies_are_reported():
    gt = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    pred = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "z", 5, 0, 10, 10)])
    c = lcm.compare(gt, pred)
    assert c.taxonomy == "different" and codes(c.findings) == {"equal-label-names": 1}


def test_page_names_match_without_folder_and_suffix_if_unique():
    gt = build({"img/a.png": (10, 10), "x/b.png": (10, 10), "y/b.png": (10, 10)}, [])
    pred = build({"a": (10, 10), "b": (10, 10)}, [])
    c = lcm.compare(gt, pred)
    assert c.pages == ["img/a.png", "x/b.png", "y/b.png", "b"]
    assert codes(c.alignment.findings) == {"page-matched-by-stem": 1, "page-only-in-gt": 2, "page-only-in-pred": 1}


def test_a_page_is_not_joined_with_a_document_of_its_name():
    layout = build({"a": (5, 5), "a_1": (5, 5), "a_2": (5, 5)}, [])
    assert lcm.compare(layout, layout).documents == ["a", "a_1", "a_2"]


def test_documents_declared_only_by_pred():
    gt = build({"q": (5, 5), "r": (5, 5)}, [])
    pred = build({"q": (5, 5), "r": (5, 5)}, [], documents={"q": "D", "r": "D"})
    assert lcm.compare(gt, pred).documents == ["D"]


def test_a_pattern_that_does_not_match_all_pages_is_reported():
    layout = build({"a1": (5, 5), "b": (5, 5)}, [])
    c = lcm.compare(layout, layout, documents=r"\d*$")
    assert c.documents == ["1", "b"] and codes(c.alignment.findings) == {"documents-pattern": 1}


def test_sizes_of_equal_stems_are_not_mixed_up(tmp_path):
    table = b"page,label,x0,y0,x1,y1\nx/1.png,a,0,0,1,1\ny/1.png,a,0,0,1,1\n"
    layout = lcm.read(("t.csv", table), sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})
    assert layout.pages["width"].tolist() == [10, 20]
    with pytest.raises(lcm.InputError, match="not known"):
        lcm.read(("t.csv", table.replace(b"x/1.png", b"z/1.png")), sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})


def test_page_sizes_from_a_folder_of_images(tmp_path):
    from PIL import Image

    Image.new("1", (40, 30)).save(tmp_path / "1.png")
    layout = lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)
    assert layout.pages[["width", "height"]].values.tolist() == [[40, 30]]
    (tmp_path / "2.png").write_bytes(b"no image")
    with pytest.raises(lcm.InputError, match=r"2\.png"):
        lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)


def test_an_outline_replaces_its_box(tmp_path):
    path = tmp_path / "gt.json"
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 0, 0]}
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "p"}]
    document = {"images": images, "categories": [{"id": 1, "name": "a"}]}
    polygon = annotation | {"segmentation": [[0, 0, 8, 0, 8, 8, 4, 9, 0, 8]]}
    path.write_text(json.dumps(document | {"annotations": [polygon]}))
    assert lcm.read(path, shapes="polygon").regions[["x0", "y0", "x1", "y1"]].values.tolist() == [[0, 0, 8, 9]]
    assert codes(lcm.read(path).findings) == {"empty-box": 1}
    small = annotation | {"segmentation": {"size": [2, 2], "counts": [0, 4]}}
    path.write_text(json.dumps(document | {"annotations": [small]}))
    with pytest.raises(lcm.InputError, match="the mask is 2 x 2, its page 10 x 10"):
        lcm.read(path, shapes="polygon")


LAYOUT = build(ONE, [("p", "a", 0, 0, 5, 10, 0.5)])


@pytest.mark.parametrize(
    "options",
    [
        {"threads": -1},
        {"threads": "2"},
        {"min_score": "a"},
        {"min_score": float("nan")},
        {"documents": 5},
        {"documents": {"p": None}},
        {"mapping": 5},
        {"mapping": {"gt": ["a"]}},
        {"mapping": {"gt": None}},
        {"mapping": {"gt": {"a": None}}},
        {"mapping": {"gt": {"a": ["b"]}}},
        {"mapping": {"sides": {}}},
        {"mapping": "a\0b"},
    ],
)
def test_wrong_options_are_input_errors(options):
    with pytest.raises(lcm.InputError) as caught:
        lcm.compare(LAYOUT, LAYOUT, **options)
    assert caught.value.problem


@pytest.mark.parametrize(
    "call",
    [
        lambda: lcm.compare("gt.json", LAYOUT),
        lambda: lcm.compare(LAYOUT, None),
        lambda: lcm.compare(LAYOUT, LAYOUT).confusion(page=0),
        lambda: lcm.compare(LAYOUT, LAYOUT).confusion(page="p", document="p"),
        lambda: lcm.label_sets_confusion(["a"], ["a"], "a", weights=["x"]),
        lambda: lcm.label_sets_confusion(["a"], ["a"], "a", weights=[-1]),
        lambda: lcm.label_sets_confusion([None], ["a"], "a"),
        lambda: lcm.label_sets_confusion(["a"], ["a"], "a", background=None).collapse(),
        lambda: lcm.averages([[1, 2], [3]], "micro"),
    ],
)
def test_wrong_arguments_are_input_errors(call):
    with pytest.raises(lcm.InputError):
        call()


@pytest.mark.parametrize("text", ["gt: {a: 2001-13-45}", "gt: {a: 1}", "gt: {No: a}", "gt: {a: b", "- 1"])
def test_wrong_mapping_files_are_input_errors(tmp_path, text):
    path = tmp_path / "mapping.yaml"
    path.write_text(text)
    with pytest.raises(lcm.InputError, match=r"mapping\.yaml"):
        lcm.compare(LAYOUT, LAYOUT, mapping=path)


def test_min_score_affects_only_pred_and_is_reported():
    c = lcm.compare(LAYOUT, LAYOUT, min_score=0.7)
    assert c.confusion().values.tolist() == [[50, 0], [50, 0]]
    assert codes(c.findings)["below-min-score"] == 1


def test_tables_have_separate_recall_and_precision_and_weigh_pages_by_size():
    pages = {"d_1": (10, 10), "d_2": (20, 20)}
    gt = build(pages, [("d_1", "x", 0, 0, 10, 10), ("d_2", "x", 0, 0, 20, 5)])
    pred = build(pages, [("d_1", "x", 0, 0, 5, 10), ("d_2", "x", 0, 0, 20, 20)])
    c = lcm.compare(gt, pred)
    table = c.page_table().set_index("page")
    assert table.loc["d_1", ["content_precision", "content_recall"]].tolist() == [1, 0.5]
    assert table.loc["d_2", ["content_precision", "content_recall", "precision", "recall"]].tolist() == [
        0.25,
        1,
        0.25,
        1,
    ]
    assert c.document_table()[["document", "pages", "pixels"]].values.tolist() == [["d", 2, 500]]
    # hits 50 + 100, gt 200, pred 450
    assert c.confusion().classes()["iou"].tolist()[1] == pytest.approx(150 / (200 + 450 - 150))


def test_json_has_separate_levels(tmp_path, capsys):
    gt = tmp_path / "gt.csv"
    pred = tmp_path / "pred.csv"
    head = "page,width,height,label,x0,y0,x1,y1\n"
    gt.write_text(head + "d_1,10,10,x,0,0,10,10\nd_2,20,20,x,0,0,20,5\n")
    pred.write_text(head + "d_1,10,10,x,0,0,5,10\nd_2,20,20,x,0,0,20,20\n")
    assert main(["compare", str(gt), str(pred), "--json", "-", "--per-page"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["averages"]["macro"]["recall"] == 0.75 and found["averages_over_pages"]["macro"]["recall"] == 0.75
    assert found["averages"]["macro"]["precision"] == pytest.approx(1 / 3)
    assert found["averages_over_pages"]["macro"]["precision"] == pytest.approx((1 + 0.25) / 2)
    assert [page["collapsed"] for page in found["by_page"]] == [[[0, 0], [50, 50]], [[0, 300], [0, 100]]]
    assert found["by_document"][0]["collapsed"] == [[0, 300], [50, 150]]
    assert main(["inspect", str(gt), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["documents"] == 1


def test_reprs_are_short_and_on_one_line():
    c = lcm.compare(LAYOUT, LAYOUT)
    for value in (LAYOUT, c, c.confusion()):
        assert len(repr(value)) < 200 and "\n" not in repr(value)


def test_min_score_without_any_scores_is_reported():
    plain = build({"p": (9, 9)}, [("p", "x", 0, 0, 5, 5)])
    assert codes(lcm.compare(plain, plain, min_score=0.5).findings)["min-score-without-scores"] == 1
    assert "min-score-without-scores" not in codes(lcm.compare(plain, plain).findings)
    assert "min-score-without-scores" not in codes(lcm.compare(LAYOUT, LAYOUT, min_score=0.1).findings)
