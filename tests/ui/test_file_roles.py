"""What dropped files are, how they are grouped into layouts, and which roles are guessed; the table of formats."""

import json

import pytest

from layoutcm.formats.registry import BY_NAME
from layoutcm.ui.data.drop_zone import format_rows, formats_with
from layoutcm.ui.files import file_facts
from layoutcm.ui.files.file_facts import FileFacts, facts_of
from layoutcm.ui.files.file_roles import (
    GT,
    PRED,
    DroppedFile,
    group_files,
    guess_roles,
    make_cards,
    roles_offered,
    seem_swapped,
    side_by_name,
)
from layoutcm.ui.files.input_file import input_from_bytes
from support.app_runner import coco, opened, texts
from support.dropped_files import dropped_files
from support.image_files import pdf, png, zipped
from support.paths import SAMPLE

COCO = coco(["a"], [(0, [0, 0, 9, 9])])
SCORED = COCO.replace(b'"bbox"', b'"score": 0.5, "bbox"')
RESULTS = b'[{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]'
TABLE = b"page,width,height,label,x0,y0,x1,y1\np,9,9,a,0,0,5,5\n"
SCORED_TABLE = b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\n"
YOLO, VOC, NAMES = b"0 .5 .5 .2 .2", b"<annotation><size/></annotation>", b"names: [a, b]"
DOCLING = json.dumps({"schema_name": "DoclingDocument", "version": "1.0", "pages": {}, "texts": []}).encode()


def cards(*files, joined=(), separate=()):
    """[(role, names of the files)] of the cards."""
    made = make_cards(group_files(dropped_files(*files), separate), {}, joined)
    return [(one.role, [file.given.name for file in (*one.group.files, *one.group.companions)]) for one in made]


def roles(*files, chosen=None, truth=True):
    """The role of every file, in the order of the files."""
    return guess_roles(group_files(dropped_files(*files)), chosen or {}, truth)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.json", COCO, file_facts.WHOLE_LAYOUT),
        ("a.json", RESULTS, file_facts.WHOLE_LAYOUT),
        ("a.csv", TABLE, file_facts.WHOLE_LAYOUT),
        ("p1.txt", YOLO, file_facts.PART),
        ("p1.xml", VOC, file_facts.PART),
        ("a.zip", zipped(**{"p1.txt": YOLO}), file_facts.WHOLE_LAYOUT),
        ("a.zip", b"PK\x03\x04 no zip", file_facts.WHOLE_LAYOUT),
        ("scans.zip", zipped(**{"p1.png": png(), "readme.md": b"#"}), file_facts.IMAGES),
        ("p1.png", png(), file_facts.IMAGES),
        ("book.pdf", pdf(), file_facts.IMAGES),
        ("data.yaml", NAMES, file_facts.COMPANION),
        ("data.yaml", b"nc: 2\ntrain: x", file_facts.COMPANION),
        ("classes.txt", b"a\nb", file_facts.COMPANION),
        ("mapping.yaml", (SAMPLE / "mapping.yaml").read_bytes(), file_facts.MAPPING),
        ("x.json", b'{"pred": {"x": "a"}, "gt": {}}', file_facts.MAPPING),
        ("map.yaml", b"{", file_facts.MAPPING),
        ("map.yaml", b"\xff", file_facts.MAPPING),
        ("families.yaml", (SAMPLE / "families.yaml").read_bytes(), file_facts.FAMILIES),
        ("x.json", b'{"Words": ["Text", {"Heads": ["Title"]}]}', file_facts.FAMILIES),
        ("families.yaml", b"A: [", file_facts.FAMILIES),
        ("m.json", b'{"p1.png": "scan1.png"}', file_facts.PAGE_MAP),
        ("m.csv", b"gt,pred\np1,q1\n", file_facts.PAGE_MAP),
        ("m.tsv", b"gt_page\tpred_page\np1\tq1\n", file_facts.PAGE_MAP),
        ("page_map.csv", b"p1,q1\n", file_facts.PAGE_MAP),
        ("attributes.csv", (SAMPLE / "attributes.csv").read_bytes(), file_facts.ATTRIBUTES),
        ("x.csv", b"document;kind\na;b\n", file_facts.ATTRIBUTES),
        ("mine.layoutcm", b"anything", file_facts.SESSION),
        ("mine.zip", zipped(**{"session.json": b"{}"}), file_facts.SESSION),
        ("readme.md", b"#", file_facts.SKIPPED),
        ("what.json", b"{}", file_facts.UNKNOWN),
        ("letter.docx", b"x", file_facts.UNKNOWN),
    ],
)
def test_the_kind_of_a_file_is_found_from_its_content(name, data, kind):
    assert facts_of(name, data).kind == kind


@pytest.mark.parametrize(
    ("name", "data", "has_scores"),
    [("a.json", COCO, False), ("a.json", SCORED, True), ("a.json", RESULTS, True), ("a.csv", TABLE, False),
     ("a.csv", SCORED_TABLE, True), ("p.txt", YOLO, False), ("p.txt", YOLO + b" 0.9\n", True),
     ("p.txt", b"0 .1 .1 .2 .2 .3 .3", False)],
)  # fmt: skip
def test_scores_are_noticed_before_a_file_is_read(name, data, has_scores):
    assert facts_of(name, data).has_scores == has_scores


def test_page_sizes_are_noticed():
    assert facts_of("a.csv", TABLE).has_sizes and facts_of("a.json", COCO).has_sizes
    assert not facts_of("a.csv", b"page,label,x,y,width,height\np,a,0,0,5,5\n").has_sizes
    assert not facts_of("p.txt", YOLO).has_sizes


@pytest.mark.parametrize(
    ("name", "side"),
    [("gt.json", "gt"), ("GT.json", "gt"), ("my_gt_v2.csv", "gt"), ("ground-truth.zip", "gt"),
     ("groundTruth.json", "gt"),
     ("annotations.json", "gt"), ("instances_val2017.json", "gt"), ("annotator-2.json", "gt"), ("pred.json", "pred"),
     ("modelA.json", "pred"), ("model-b.csv", "pred"), ("results_2024.json", "pred"), ("bbox_detections.json", "pred"),
     ("a.json", ""), ("p1.txt", ""), ("modelling.json", ""), ("gt_vs_pred.json", ""), ("truthful-model.json", "pred"),
     ("2024.csv", "")],
)  # fmt: skip
def test_the_words_of_a_name_say_what_a_file_is(name, side):
    assert side_by_name(name) == side


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([("gt.json", COCO), ("pred.json", COCO)], [GT, PRED]),
        ([("pred.json", COCO), ("gt.json", COCO)], [PRED, GT]),
        ([("a.json", COCO), ("b.json", COCO)], [GT, PRED]),
        ([("a.json", SCORED), ("b.json", COCO)], [PRED, GT]),
        ([("a.json", SCORED), ("b.json", SCORED)], [GT, PRED]),
        ([("gt.json", SCORED), ("b.json", COCO)], [GT, PRED]),  # a name says more than scores
        ([("gt.json", RESULTS), ("b.json", COCO)], [PRED, GT]),  # a results list never is a ground truth
        ([("gt.json", RESULTS)], [PRED]),
        ([("a.json", RESULTS), ("b.json", RESULTS)], [PRED, PRED]),
        ([("a.json", COCO)], [GT]),
        ([("model.json", COCO)], [PRED]),
        ([("a.json", SCORED)], [PRED]),
        ([("model-a.json", COCO), ("model-b.json", COCO)], [PRED, PRED]),
        ([("a.csv", TABLE), ("b.json", COCO)], [PRED, GT]),  # people annotate in COCO
        ([("a.json", DOCLING), ("b.csv", TABLE)], [PRED, GT]),  # docling predicts
        ([("a.json", COCO), ("b.json", COCO), ("c.json", COCO)], [GT, PRED, PRED]),
        ([("a.json", COCO), ("b.json", COCO), ("gt.json", COCO)], [PRED, PRED, GT]),
        ([("what.json", b"{}"), ("a.json", COCO)], ["unused", GT]),
        ([("m.csv", b"gt,pred\n"), ("s.layoutcm", b"x"), ("p.png", png())], ["page map", "session", "images"]),
    ],
)
def test_roles_are_guessed(files, expected):
    assert roles(*files) == expected


def test_the_sample_dropped_in_any_order_gets_its_roles():
    names = [
        "model-b.csv",
        "attributes.csv",
        "families.yaml",
        "model-a.json",
        "gt.json",
        "mapping.yaml",
        "model-c.json",
    ]
    files = [(name, (SAMPLE / name).read_bytes()) for name in names]
    expected = {"gt.json": GT, "attributes.csv": "attributes", "families.yaml": "families", "mapping.yaml": "mapping"}
    for order in (files, files[::-1], [*files[3:], *files[:3]]):
        assert {names[0]: role for role, names in cards(*order)} == {name: expected.get(name, PRED) for name in names}


def test_without_a_truth_two_predictions_are_the_two_sides():
    two = [("model-a.json", COCO), ("model-b.json", COCO)]
    assert roles(*two, truth=False) == [GT, PRED]
    assert roles(("model-a.json", RESULTS), ("model-b.json", COCO), truth=False) == [PRED, GT]


def test_what_the_visitor_chose_stays():
    two = [("gt.json", COCO), ("pred.json", COCO)]
    assert roles(*two, chosen={1: GT}) == [PRED, GT]
    assert roles(*two, chosen={0: "unused"}) == ["unused", PRED]
    assert roles(*two, ("gt2.json", COCO), chosen={0: GT}) == [GT, PRED, PRED]


def test_pages_of_one_format_are_one_layout_and_whole_files_are_several():
    pages = [("p1.txt", YOLO), ("p2.txt", b"")]
    assert cards(("data.yaml", NAMES), *pages) == [(GT, ["p1.txt", "p2.txt", "data.yaml"])]
    assert cards(("p1.xml", VOC), ("p2.xml", VOC), ("p1.png", png())) == [
        (GT, ["p1.xml", "p2.xml"]), ("images", ["p1.png"])
    ]  # fmt: skip
    assert cards(("a.json", COCO), *pages, ("data.yaml", NAMES)) == [
        (GT, ["a.json"]), (PRED, ["p1.txt", "p2.txt", "data.yaml"])
    ]  # fmt: skip
    assert cards(*pages, ("p1.xml", VOC), ("p2.xml", VOC)) == [(GT, ["p1.xml", "p2.xml"]), (PRED, ["p1.txt", "p2.txt"])]


def test_a_page_that_comes_again_belongs_to_another_layout():
    first = [("p1.txt", YOLO), ("p2.txt", YOLO)]
    assert cards(*first, *first, ("data.yaml", NAMES)) == [
        (GT, ["p1.txt", "p2.txt", "data.yaml"]), (PRED, ["p1.txt", "p2.txt", "data.yaml"])
    ]  # fmt: skip
    assert cards(("p1_pred.xml", VOC), ("p1_gt.xml", VOC)) == [(GT, ["p1_gt.xml"]), (PRED, ["p1_pred.xml"])]


def test_images_give_sizes_to_layouts_that_have_none():
    images = [("p1.png", png()), ("p2.jpg", png()), ("book.pdf", pdf())]
    assert cards(("p1.txt", YOLO), ("a.json", COCO), *images) == [
        (GT, ["a.json"]),
        (PRED, ["p1.txt", "p1.png", "p2.jpg"]),
        ("images", ["p1.png", "p2.jpg"]),
        ("images", ["book.pdf"]),
    ]


def test_shards_of_a_data_set_are_one_layout():
    assert cards(("val-00000-of-00002.json", COCO), ("val-00001-of-00002.json", COCO), ("b.json", COCO)) == [
        (GT, ["val-00000-of-00002.json", "val-00001-of-00002.json"]), (PRED, ["b.json"])
    ]  # fmt: skip


def test_unknown_files_go_with_pages_of_their_suffix_else_they_stand_alone():
    pages = [("p1.xml", VOC), ("p2.xml", VOC)]
    assert cards(*pages, ("p3.xml", b"<what/>")) == [(GT, ["p1.xml", "p2.xml", "p3.xml"])]
    assert cards(*pages, ("what.json", b"{}"))[1] == ("unused", ["what.json"])
    assert cards(("classes.txt", b"a")) == [("unused", ["classes.txt"])]


def test_the_visitor_can_change_the_grouping():
    pages, models = [("p1.txt", YOLO), ("p2.txt", YOLO), ("data.yaml", NAMES)], [("a.json", COCO), ("b.json", COCO)]
    assert cards(*pages, separate=["yolo"]) == [(GT, ["p1.txt", "data.yaml"]), (PRED, ["p2.txt", "data.yaml"])]
    assert cards(("gt.json", COCO), *models, joined=["coco"]) == [(GT, ["gt.json"]), (PRED, ["a.json", "b.json"])]


def test_the_input_of_a_group_is_named_after_its_own_files():
    (group,) = [
        one
        for one in group_files(dropped_files(("p1.txt", YOLO), ("p2.txt", YOLO), ("p1.png", png())))
        if one.companions
    ]
    assert group.name == "p1 and 1 more" and [one.name for one in group.input.parts] == ["p1.txt", "p2.txt", "p1.png"]


def test_roles_that_make_no_sense_are_not_offered():
    offered = lambda *file: roles_offered(make_cards(group_files(dropped_files(file)), {})[0])
    assert offered("a.json", RESULTS) == [PRED, "unused"]
    assert offered("a.json", COCO) == [GT, PRED, "unused"]
    assert offered("a.csv", TABLE) == [GT, PRED, "page map", "attributes", "unused"]
    assert offered("x.yaml", b"pred: {x: a}") == ["mapping", "families", "page map", "unused"]
    assert offered("p1.png", png()) == ["images", "unused"] and "families" in offered("what.json", b"{}")


@pytest.mark.parametrize(
    ("names", "scores", "swapped"),
    [(("a.json", "b.json"), (True, False), True), (("a.json", "b.json"), (False, True), False),
     (("a.json", "b.json"), (True, True), False), (("pred.json", "gt.json"), (False, False), True),
     (("gt.json", "b.json"), (True, False), True), (("pred.json", "gt.json"), (False, True), False)],
)  # fmt: skip
def test_swapped_files_are_noticed(names, scores, swapped):
    facts = FileFacts(file_facts.WHOLE_LAYOUT, "coco")
    files = [DroppedFile(input_from_bytes(name, b""), facts, i) for i, name in enumerate(names)]
    gt, pred = make_cards(group_files(files), {0: GT, 1: PRED})
    assert bool(seem_swapped(gt, [pred], *scores)) == swapped


def names(app):
    (table,) = (frame for frame in app.dataframe if "format" in frame.value)
    return table.value["format"].tolist()


def test_each_format_is_described_once():
    assert sorted(row.name for row in format_rows()) == sorted(BY_NAME)
    assert all(row.title and row.sizes for row in format_rows())
    assert not any(sign in " ".join(row) for row in format_rows() for sign in ("`", "]("))
    (deepseek,) = (row for row in format_rows() if row.name == "deepseek-ocr")
    assert "<|ref|>" in deepseek.notes


@pytest.mark.parametrize(
    ("words", "found"),
    [("DocLayNet", "coco"), ("pascal", "voc"), ("ULTRALYTICS results", "coco-results"), ("textract", "textract")],
)
def test_formats_are_found_by_words(words, found):
    names = [row.name for row in formats_with(words)]
    assert found in names and len(names) < len(BY_NAME) / 2


def test_the_page_lists_all_formats_and_searches_them():
    app = opened()
    assert sorted(names(app)) == sorted(BY_NAME) and not app.exception
    app.text_input(key="format_search").input("textract").run()
    assert names(app) == [row.name for row in formats_with("textract")]
    app.text_input(key="format_search").input("abracadabra").run()
    assert "No format has these words" in texts(app) and not any("format" in frame.value for frame in app.dataframe)
