"""Small parts of the dashboard: widgets, sentences, the address, keys of a session, work in the background."""

import ast
import json
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import pandas as pd
import pytest
import streamlit as st

import layoutcm as lcm
from layoutcm.drawing.screen.charts import CONFIG
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.repairs import REPAIRS, is_repair
from layoutcm.results.vocabulary import WITH_TRUTH
from layoutcm.tables.matrix_views import select
from layoutcm.ui.data import file_cards
from layoutcm.ui.files import comparisons, page_pictures
from layoutcm.ui.files.comparisons import ComparisonRequest, layouts_of
from layoutcm.ui.files.input_file import input_from_bytes, input_from_path
from layoutcm.ui.files.link_targets import data_files
from layoutcm.ui.files.repairs_and_mapping import LONGEST_MAPPING, mapping_from_text, mapping_to_text
from layoutcm.ui.measures.families import family_sentence
from layoutcm.ui.screen_text import words_of
from layoutcm.ui.server import background
from layoutcm.ui.shared import data_tables, warm_up
from layoutcm.ui.shared.data_tables import collapsed_on_screen, confusion_sentences, sentence_on_screen
from layoutcm.ui.state.choices import choices_in
from support.app_runner import opened_once, texts
from support.image_files import png
from support.paths import ROOT
from support.servers import PATIENCE


def test_the_warm_up_runs():
    warm_up._compare_and_draw()


def test_a_folder_of_images_has_limits_by_its_size(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.png").write_bytes(png())
    given = {}
    monkeypatch.setattr(page_pictures, "run_guarded", lambda *_, **named: given.update(named) or ())
    page_pictures.images_of_folder.make(str(tmp_path))
    assert given == {"file": tmp_path.name, "size": 2 * len(png())}


def test_files_of_the_data_folder_cannot_leave_it(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "gt.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(folder)}))
    labels = folder / "runs" / "labels"
    labels.mkdir(parents=True)
    for name in ("p1.txt", "p2.txt", "p1.png", "p1.pdf"):
        (labels / name).write_text("")
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json", "runs/labels/p1.txt", "runs/labels/p2.txt"]
    monkeypatch.setattr("layoutcm.ui.files.link_targets.FILES_OFFERED", 1)
    st.cache_data.clear()
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json"]
    before = input_from_path(labels)
    assert before.name == "labels" and before.size == 0
    (labels / "p2.txt").write_text("0 .5 .5 .5 .5")
    assert input_from_path(labels).digest != before.digest
    assert input_from_path(folder / "gt.json").source == ("gt.json", b"{}")  # messages must not show the path
    monkeypatch.setenv("LAYOUTCM_APP", "{}")
    assert data_files() == {}


def test_every_chart_can_be_saved_as_an_image():
    root = ROOT
    calls = [
        call
        for path in [*root.glob("pages/*.py"), *root.glob("layoutcm/ui/**/*.py")]
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "plotly_chart"
        and path.name != "dashboard.py"  # a hidden chart that only loads the library
    ]
    configs = {ast.unparse(word.value) for call in calls for word in call.keywords if word.arg == "config"}
    assert len(calls) >= 5 and configs and all(config.startswith("CONFIG") for config in configs)
    assert all(any(word.arg == "config" for word in call.keywords) for call in calls)
    assert "toImage" not in CONFIG["modeBarButtonsToRemove"] and CONFIG["toImageButtonOptions"]["format"] == "svg"


@pytest.mark.parametrize(("repair", "words"), [
    ("flip-y", "flip the y axis"),
    ("unit:1000,flip-y", "read coordinates as 0 to 1000 over the page and flip the y axis"),
    ("scale:2.08333", "multiply coordinates by 2.08333"),
    ("xywh", "read boxes as x, y, width, height"),
    ("xyxy", "read boxes as corners"),
    ("pages:-1", "move page numbers by \u22121"),
    ("images:1", "move regions by +1 page in the order of the file"),
    ("ids:1", "move category ids by +1"),
])  # fmt: skip
def test_repairs_in_words(repair, words):
    assert is_repair(repair) and file_cards.repair_in_words(repair) == words
    assert not is_repair(repair + ",") and not is_repair("rm -rf") and not is_repair("")


@pytest.mark.parametrize("repair", REPAIRS)
def test_every_repair_has_words(repair):
    assert file_cards.repair_in_words(repair.replace("N", "1").replace("F", "2"))


def test_a_repaired_gt_is_the_reference_layout_as_on_the_command_line():
    rows = [(k, 5 * k, 5 * k + 5) for k in range(3)]
    gt_data = b"page,label,x0,y0,x1,y1,width,height\n" + b"".join(b"d_%d,a,0,%d,9,%d,20,20\n" % row for row in rows)
    pred_data = b"page,label,x0,y0,x1,y1\n" + b"".join(b"d_%d,a,0,%d,9,%d\n" % (k + 1, *ys) for k, *ys in rows)
    given = [input_from_bytes("gt.csv", gt_data), input_from_bytes("pred.csv", pred_data)]
    gt, pred = layouts_of(ComparisonRequest(*given, gt_repairs=("pages:1",)))
    assert gt.page_columns.names == ("d_1", "d_2", "d_3") == pred.page_columns.names
    assert lcm.compare(gt, pred).average("micro")["f1"] == 1


def test_a_page_map_decides_which_page_provides_the_size_of_an_uploaded_page():
    gt = input_from_bytes("gt.csv", b"page,label,x0,y0,x1,y1,width,height\na,t,0,0,5,5,40,30\nb,t,0,0,5,5,50,60\n")
    pred = input_from_bytes("pred.csv", b"page,label,x0,y0,x1,y1\nz,t,0,0,5,5\nb,t,0,0,5,5\n")
    # Without a map, page z is left out, so its size is not needed.
    assert lcm.compare(*comparisons.layouts_of(comparisons.ComparisonRequest(gt, pred))).pages == ["a", "b"]
    for text, width in (("a,z", 40.0), ("b,z\na,b", 50.0)):
        page_map = input_from_bytes("pages.csv", f"gt,pred\n{text}\n".encode())
        request = comparisons.ComparisonRequest(gt, pred, page_map=page_map)
        assert comparisons.layouts_of(request)[1].page_columns.widths[0] == width
        repaired = comparisons.ComparisonRequest(gt, pred, pred_repairs=("flip-y",), page_map=page_map)
        assert comparisons.layouts_of(repaired)[1].page_columns.widths[0] == width
        assert comparisons.comparison_of(request, {}).pages[0] == "a"


def test_tables_show_0_and_1_only_where_they_are_exact():
    values = [0.99971, 1.0, 0.0002, 0.0, 0.5]
    table = pd.DataFrame({"page": list("abcde"), "f1": values, "recall": values, "share": values})
    short = data_tables._grid(table, data_tables.COLUMNS)
    texts = [[cell["display_value"] for cell in row if cell["type"] == "td"][1:]
             for row in short["data"]._translate(False, False)["body"]]  # fmt: skip
    shown = [("0.999", "99.9 %"), ("1.000", "100 %"), ("<0.001", "0.0200 %"), ("0.000", "0 %"), ("0.500", "50.0 %")]
    assert texts == [[score, score, share] for score, share in shown]
    for name in ("f1", "recall", "share"):
        kind = short["column_config"][name]["type_config"]
        assert (kind["type"], kind["format"]) == ("number", None)
        assert short["data"].data[name].tolist() == values
    bars = data_tables._grid(table[3:], data_tables.COLUMNS)["column_config"]["f1"]["type_config"]
    assert (bars["type"], bars["format"]) == ("progress", "%.3f")


@pytest.mark.parametrize(
    ("values", "formats"),
    [
        ([0.99999999, 1.0, 1e-7, 0.0], {"f1": "%.8f", "recall": "%.8f", "share": "%.8f"}),
        ([0.99971, 1.0, 0.0002, 0.0], {"f1": "%.4f", "recall": "%.4f", "share": "percent"}),
        ([0.25, 1.0, 0.5, 0.0], {"f1": "%.3f", "recall": "%.3f", "share": "percent"}),
    ],
)
def test_long_tables_keep_their_data_and_show_0_and_1_only_where_they_are_exact(values, formats):
    """The browser rounds the scores of long tables: more decimals are shown instead of another value."""
    table = pd.DataFrame({"f1": values, "recall": values, "share": values} | {"page": list("abcd")})
    long = data_tables._grid(pd.concat([table] * 80), data_tables.COLUMNS)
    found = {name: long["column_config"][name]["type_config"]["format"] for name in formats}
    assert (long["data"]["f1"].tolist()[:4], found) == (values, formats)


@pytest.fixture
def confusion():
    """Ten pixels of a: 6 right, 3 read as b, 1 missed. Ninety without a label: 88 right, 2 read as a."""
    return lcm.label_sets_confusion(
        [["a"], ["a"], ["a"], [], []], [["a"], ["b"], [], [], ["a"]], ["a", "b"], weights=[6, 3, 1, 88, 2]
    )


def test_the_summary(confusion):
    assert sentence_on_screen(confusion, "m_1.json", "page *p*") == (
        r"**m\_1\.json** finds 90.0 % of content pixels of page \*p\*; 60.0 % of the ground truth's label pixels have "
        "the right label; "
        "largest confusion: a read as b."
    )
    perfect = lcm.label_sets_confusion([["a"]], [["a"]], ["a"])
    assert sentence_on_screen(perfect, "m", "the whole set") == (
        "**m** finds 100 % of content pixels of the whole set; 100 % of the ground truth's label pixels have the right "
        "label."
    )


def test_the_summary_of_different_labels(two_pages):
    gt, pred = two_pages
    m = lcm.compare(gt, pred, taxonomy="different").confusion()
    assert sentence_on_screen(m, "m", "the whole set") == (
        # gt marks 450 pixels, of which 10 are missed; pred marks 460, of which 20 are invented.
        "**m** finds 97.8 % of content pixels of the whole set; 95.7 % of what it marks is content. "
        "Labels need a mapping."
    )


def test_the_largest_confusions(confusion):
    assert confusion_sentences(confusion, select(confusion)) == [
        ("a read as b: 3 px, 30.0 % of a", "a", "b"),
        ("Background read as a: 2 px, 2.22 % of Background", "Background", "a"),
        ("a read as Background: 1 px, 10.0 % of a", "a", "Background"),
    ]
    # A chosen label may be on either side.
    assert [text for text, *_ in confusion_sentences(confusion, select(confusion), touching=["b"])] == [
        "a read as b: 3 px, 30.0 % of a"
    ]
    assert len(confusion_sentences(confusion, select(confusion), touching=["a"])) == 3
    letters = replace(confusion, side_names=("A", "B"))
    assert confusion_sentences(letters, select(letters), most=1)[0][0] == "a in A, b in B: 3 px, 30.0 % of a in A"


def test_the_2x2(confusion):
    shown = collapsed_on_screen(confusion.collapse())
    numbers = shown.set_index(shown.columns[0]).loc["Content"].to_dict()
    assert numbers["recall"] == pytest.approx(9 / 10) and numbers["precision"] == pytest.approx(9 / 11)
    assert numbers["f1"] == pytest.approx(18 / 21)


def test_families(two_pages):
    # Of 450 label pixels of gt and 540 of pred, 280 are right: title 80, paragraph 80, picture 80, table 40.
    # 80 pixels of list items are read as paragraphs; the rest leaves its family.
    f = lcm.compare(*two_pages).families({"Text": ["title", "paragraph", "list_item"]}, count="gold")
    right, kept = f.shares(GT)["identity"], f.shares(GT)["in_family"]
    assert (right, kept) == pytest.approx((280 / 450, 80 / 450))
    assert family_sentence(f, GT, "the whole set", words_of(WITH_TRUTH)) == (
        "62.2\u00a0% of the ground truth's labelled pixels in the whole set are right; of the mistakes, 47.1\u00a0% "
        "stay in their family."
    )
    assert family_sentence(f, PRED, "page p", words_of(WITH_TRUTH)) == (
        "51.9\u00a0% of the prediction's labelled pixels in page p are right; of the mistakes, 30.8\u00a0% stay in "
        "their family."
    )


def test_the_chosen_cell_in_numbers(sample):
    app = opened_once("errors", load="sample", gt_label="Caption", pred_label="Text")
    pages = sample.pages_behind("Caption", "Text")
    counted = sum(sample.confusion(page=page).values[sample.cell("Caption", "Text")] for page in sample.pages)
    assert len(pages) == 9 and pages["pixels"].sum() == pytest.approx(counted)
    share = 100 * counted / sample.confusion().gt_pixels[sample.labels.index("Caption")]
    pixels = f"{round(counted):,}".replace(",", "\u202f")
    assert f"{share:.1f} % of Caption, {pixels} px on 9 of 60 pages" in texts(app)


@pytest.mark.parametrize(("page", "level"), [("errors", {}), ("errors", {"level": "page", "page": "paper-1_p1.png"})])
def test_the_sentence_says_how_much_is_border_slack(page, level, sample):
    share = sample.border_slack(level.get("page"))
    app = opened_once(page, load="sample", **level)
    assert f"{100 * share:.1f} % of the wrong pixels are only border slack" in texts(app)


DEEP = "[" * 5000
MAPPINGS = ["{", "[]", "1", '{"other": {}}', '{"pred": {"x": 1}}', '{"pred": []}', '{"preds": {"x": {"a": "b"}}}',
            '{"preds": {"-1": {"a": "b"}}}', '{"preds": {"²": {"a": "b"}}}', json.dumps({"pred": {"x" * 1001: "a"}}),
            '{"pred":' * 2000]  # fmt: skip
LONG = mapping_to_text({"pred": {f"label number {i}": "Text" for i in range(LONGEST_MAPPING // 20)}})
WRONG = {
    "labels": ["[", '"Text"', "[1]", "null", DEEP],
    "curves": [DEEP],
    "fixes": [DEEP, '["0=rm"]', '["x=flip-y"]', "[1]", "{", json.dumps(["0=flip-y"] * 17)],
    "label_scores": ['["2=Table"]', '["x=Table"]', '["nan=Table"]', "Table"],
    "mapping": [*MAPPINGS, LONG],
    "view": ["zzz"],
    "mask": ["?"],
    "cause": ["?"],
    "min_score": ["abc", "nan", "1.5"],
    "iou": ["7"],
    "ap_rule": ["best"],
    "pairing": ["best"],
    "tolerance_x": ["nan"],
    "object_view": ["x"],
    "family_view": ["x"],
    "family_depth": ["99"],
    "matrix_depth": ["-1"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_text_that_is_not_a_value_is_ignored(name, text):
    assert choices_in({name: text}) == {}


@pytest.mark.parametrize("text", MAPPINGS)
def test_a_text_that_is_not_a_mapping(text):
    assert mapping_from_text(text) is None


def test_values_are_read():
    texts = {
        "labels": '["a", "b"]',
        "fixes": '["0=flip-y"]',
        "label_scores": '["0.5=Nix"]',
        "iou": "0.75",
        "class": "a",
    }
    assert choices_in(texts) == {
        "labels": ("a", "b"), "fixes": ("0=flip-y",), "label_scores": ("0.5=Nix",), "iou": 0.75, "class_name": "a",
    }  # fmt: skip


class Value:
    """Stands for a kept value: its key is its name."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def key(self):
        return (self.name,)


def test_what_was_asked_for_last_is_made_first(monkeypatch):
    monkeypatch.setattr(background, "_jobs", {})
    monkeypatch.setattr(background, "_threads", ThreadPoolExecutor(1))
    begun, go_on, made = Event(), Event(), []

    def wait():
        begun.set()
        go_on.wait()

    first = background._job(("first",), Value("first", wait), ())
    assert begun.wait(PATIENCE)
    others = {name: background._job((name,), Value(name, lambda name=name: made.append(name)), ()) for name in "abc"}
    assert background._job(("a",), Value("a", None), ()) is others["a"]  # the same job, not another one
    go_on.set()
    for job in (first, *others.values()):
        job.future.result(PATIENCE)
    assert made == ["c", "b", "a"]


WRITE = re.compile(r'(?:session_)?state(?:\["(\w+)"\](?:, \w+(?:\.\w+)*\["(\w+)"\])* =|\.(?:setdefault|pop)\("(\w+)")')


def test_a_key_is_written_by_one_module():
    writers = defaultdict(set)
    for path in (*(ROOT / "layoutcm/ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"):
        for keys in WRITE.findall(path.read_text("utf-8")):
            for key in filter(None, keys):
                writers[key].add(path.name)
    assert writers["choices"] == {"choices.py"} and writers["loaded"] == {"session.py"}
    assert writers["links"] == writers["link"] == {"address.py"}
    assert {key: names for key, names in writers.items() if len(names) > 1} == {}
