"""The commands verify, suggest-mapping, and those for sets of parts."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.alignment.taxonomy import load_mapping, parse_mapping
from layoutcm.cli.main import main
from layoutcm.metrics.objects import average_precision
from layoutcm.tables.command_texts import mapping_lines, mapping_yaml
from support.layouts import build
from support.parts import digests
from support.paths import SAMPLE

TWO_PAGES = """page,label,x0,y0,x1,y1,width,height
p,a,0,0,5,5,9,9
q,b,0,0,5,5,9,9
"""
TWO_PAGES_PRED = """page,label,x0,y0,x1,y1,width,height,score
p,a,0,0,5,4,9,9,0.9
r,B,0,0,10,10,18,18,0.6
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gt.csv").write_text(TWO_PAGES)
    (tmp_path / "pred.csv").write_text(TWO_PAGES_PRED)
    (tmp_path / "map.csv").write_text("gt,pred\nq,r\n")
    (tmp_path / "labels.yaml").write_text("pred: {B: b}\n")
    return tmp_path


def verify(files, *options):
    return main(["verify", str(files / "gt.csv"), str(files / "pred.csv"), *options])


def test_all_numbers_agree(files, capsys):
    assert verify(files, "--missing-pages", "penalise-both") == 0
    out = capsys.readouterr().out
    assert "3 of 3 pages recounted (seed 0): 243 pixels" in out  # r of pred is scaled to 9 x 9, too
    assert out.splitlines()[-1].startswith("All numbers that were compared agree (largest deviation ")


def test_options_of_compare_work_here_too(files, capsys):
    page_map, mapping = str(files / "map.csv"), str(files / "labels.yaml")
    options = ["--page-map", page_map, "--mapping", mapping, "--rounding", "exact", "--method", "tensor"]
    assert verify(files, *options, "--min-score", "0.5", "--pages", "1", "--seed", "4") == 0
    out = capsys.readouterr().out
    for words in ("rounding:exact", "taxonomy:mapped", "method:tensor", "min_score:0.5"):
        assert words in out
    assert "1 of 2 pages recounted (seed 4)" in out and "rectangles between edges" in out and "81 pixels" in out


def test_a_wrong_cell_exits_with_1_and_names_the_place(files, capsys, monkeypatch):
    from layoutcm import comparison

    right = comparison.confusion_of

    def wrong(*arguments):
        confusion = right(*arguments)
        confusion.recall_mass[1, 1] += 0.5
        return confusion

    monkeypatch.setattr(comparison, "confusion_of", wrong)
    assert verify(files, "--taxonomy", "same") == 1
    out = capsys.readouterr().out
    assert "p: confusion matrix, row a, column a: layoutcm 20.5, drawing on pixels 20" in out
    assert "numbers do not agree (limit 1e-06)" in out.splitlines()[-1]


def test_a_wrong_ap_exits_with_1_and_names_it(files, capsys, monkeypatch):
    right = average_precision.coco_summary
    monkeypatch.setattr(average_precision, "coco_summary", lambda *values: right(*values) | {"AP75": 0.25})
    assert verify(files, "--taxonomy", "same") == 1
    out = capsys.readouterr().out
    assert "all pages: COCO's twelve numbers, AP75: layoutcm 0.25, pycocotools" in out
    assert out.splitlines()[-1].startswith("1 number does not agree")


def test_packages_that_are_not_installed_are_named(files, capsys, monkeypatch):
    for module in ("sklearn.metrics", "pycocotools.cocoeval"):
        monkeypatch.setitem(sys.modules, module, None)
    assert verify(files) == 0
    assert "\nnot installed: scikit-learn, pycocotools; install layoutcm[verify]\n" in capsys.readouterr().out


def test_bad_input_exits_with_2(files, capsys, refusal):
    assert main(["verify", "no.csv", "such.csv"]) == 2 and "no.csv: there is no such file" in capsys.readouterr().err
    assert "pages: 0 is not a whole number of 1 or more" in refusal(["verify", "no.csv", "such.csv", "--pages", "0"])
    with pytest.raises(SystemExit) as stopped:
        verify(files, "--pages", str(files / "map.csv"))
    assert stopped.value.code == 2 and "a page map is given with --page-map" in capsys.readouterr().err


def test_compare_accepts_both_names_of_the_page_map(files, capsys):
    summaries = []
    for name in ("--pages", "--page-map"):
        assert main(["compare", str(files / "gt.csv"), str(files / "pred.csv"), name, str(files / "map.csv")]) == 0
        summaries.append(capsys.readouterr().out)
    assert summaries[0] == summaries[1] and "2 pages" in summaries[0]


GT_FILE, MODEL_A = (str(SAMPLE / name) for name in ("gt.json", "model-a.json"))
MODEL_B = str(SAMPLE / "model-b.csv")


def test_the_mapping_is_written_and_read_back(tmp_path, printed):
    file = tmp_path / "mapping.yaml"
    text = printed(["suggest-mapping", GT_FILE, MODEL_B, "-o", str(file)])
    assert "12 of 12 labels mapped, from the pixels of 60 pages" in text
    assert "paragraph_title  Section-header  43.5 %  Background  33.4 %   0.90" in text
    assert f"mapping written to {file}" in text
    assert load_mapping(file) == lcm.suggest_mapping(lcm.read(GT_FILE), lcm.read(MODEL_B)).mapping
    result = json.loads(printed(["compare", GT_FILE, MODEL_B, "--mapping", str(file), "--json", "-"]))
    by_hand = lcm.compare(lcm.read(GT_FILE), lcm.read(MODEL_B), mapping=SAMPLE / "mapping.yaml")
    assert result["taxonomy"] == "mapped"
    np.testing.assert_array_equal(result["confusion"], by_hand.confusion().values)


def test_without_a_file_the_yaml_is_printed(printed):
    text = printed(["suggest-mapping", GT_FILE, MODEL_B, "--one-to-one", "--no-prior"])
    expected = lcm.suggest_mapping(lcm.read(GT_FILE), lcm.read(MODEL_B), one_to_one=True, prior=False)
    assert parse_mapping("mapping.yaml", text.encode()) == expected.mapping
    assert len(set(expected.mapping["pred"].values())) == len(expected.mapping["pred"]) == 11
    row = "# table_title      (Caption)       60.9 %  Background  36.8 %   0.35  not mapped: Caption is taken by"
    assert row in text


def test_no_mapping_is_advised_to_who_asks_for_one():
    """Some labels have equal names, and neither side has all labels of the other."""
    size = {"p": (10, 10)}
    gt = build(size, [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 5, 10, 10)])
    pred = build(size, [("p", "a", 0, 0, 10, 5), ("p", "c", 0, 5, 10, 10)])
    assert "equal-label-names" in {finding.code for finding in lcm.compare(gt, pred).findings}
    assert "equal-label-names" not in {finding.code for finding in lcm.suggest_mapping(gt, pred).findings}


def test_what_may_spoil_the_shares_is_said_beside_the_yaml(capsys):
    assert main(["suggest-mapping", GT_FILE, str(SAMPLE / "model-b.csv"), "--sizes", "model-b=612x792"]) == 0
    printed = capsys.readouterr()
    assert "[warning] 1 of 60 pages has regions in gt and none in pred" in printed.err
    assert parse_mapping("mapping.yaml", printed.out.encode())["pred"]["text"] == "Text"


def test_an_input_is_not_replaced(refusal):
    assert "would replace this input" in refusal(["suggest-mapping", GT_FILE, MODEL_B, "-o", GT_FILE])
    assert "no such folder" in refusal(["suggest-mapping", GT_FILE, MODEL_B, "-o", "/no/such/folder/m.yaml"])


def test_what_is_left_on_both_sides_is_said():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 9, 10, 10), ("p", "lost", 0, 5, 1, 6)])
    pred = build({"p": (10, 10)}, [("p", "x", 0, 0, 10, 5), ("p", "y", 1, 5, 10, 10)])
    assert mapping_lines(lcm.suggest_mapping(gt, pred)) == [
        "1 of 2 labels mapped, from the pixels of 1 page",
        "pred label  gt label     share  runner-up   share  names",
        "x           a            100 %  –               –   0.00",
        "y           Background  80.0 %  b          20.0 %   0.00  not mapped: mostly Background",
        "gt labels to which no label is mapped",
        "  b: 90.0 % of its pixels are y",
        "  lost: no pixels in pred",
        "Labels are left on both sides: compare with --taxonomy same, or map them by hand.",
    ]


ODD = [
    "No", "1:30", "a: b", "# x", "two\nlines", "a\x85", "\u2028b", "<<", "~", "é 表", "'", "x" * 300, "{a}", "- a",
    "🙂",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_read_back(name):
    gt = build({"p": (10, 10)}, [("p", f"{name}!", 0, 0, 10, 10)])
    found = lcm.suggest_mapping(gt, build({"p": (10, 10)}, [("p", name, 0, 0, 10, 10)]))
    assert parse_mapping("m.yaml", mapping_yaml(found).encode()) == {"pred": {name: f"{name}!"}}


@settings(deadline=None, max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_is_read_back(name):
    gt = build({"p": (10, 10)}, [("p", f"{name}!", 0, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", name, 0, 0, 10, 10)])
    if pred.labels != [name] or not gt.labels:  # such as Background
        return
    found = lcm.suggest_mapping(gt, pred)
    assert parse_mapping("m.yaml", mapping_yaml(found).encode()) == found.mapping


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """The folders of gt and of pred, a COCO results list, which takes pages and labels from the manifest of gt."""
    folder = tmp_path_factory.mktemp("sets")
    gt, pred = str(folder / "gt"), str(folder / "pred")
    assert main(["partition", GT_FILE, "-o", gt, "--parts", "3"]) == 0
    assert main(["partition", MODEL_A, "-o", pred, "--like", gt]) == 0
    return gt, pred


def test_compare_parts_has_the_numbers_of_compare(sets, tmp_path, capsys, printed):
    summary = printed(["compare-parts", *sets, "-o", str(tmp_path / "out")])
    main(["compare", GT_FILE, MODEL_A, "--json", str(tmp_path / "compare.json")])
    of_compare = capsys.readouterr().out
    found, expected = (json.loads((tmp_path / name).read_text()) for name in ("out/result.json", "compare.json"))
    for key in ("confusion", "classes", "averages", "averages_with_background", "content", "pixels", "documents"):
        assert found[key] == expected[key], key
    lines = [line for line in summary.splitlines() if line.startswith(("macro", "Text", "  Background read as"))]
    assert len(lines) >= 5 and all(line in of_compare for line in lines)


def test_why_prints_the_causes_that_compare_prints(sets, tmp_path, printed):
    found = printed(["compare-parts", *sets, "-o", str(tmp_path / "out"), "--why"])
    of_compare = printed(["compare", GT_FILE, MODEL_A, "--why"])
    causes = next(text for text in of_compare.split("\n\n") if text.startswith("why pixels are wrong"))
    assert causes in found


def test_plan_count_and_merge(sets, tmp_path, capsys, printed):
    main(["compare-parts", *sets, "-o", str(tmp_path / "whole")])
    capsys.readouterr()
    parts = printed(["compare-parts", *sets, "-o", str(tmp_path / "out"), "--plan-only"]).split()
    assert len(parts) == 3
    for part in parts:
        assert main(["count", part, "--trust", str(Path(sets[0]).parent)]) == 0
    counts = capsys.readouterr().out.split()
    assert "2 parts" in printed(["merge", *counts[:2], "-o", str(tmp_path / "two.json")])
    assert main(["merge", *counts]) == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_a_manifest_for_a_folder(sets, tmp_path, capsys):
    assert main(["manifest", sets[0], "-o", str(tmp_path / "m.parquet")]) == 0
    assert "3 parts, 60 pages, 947 regions, 11 labels" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["partition", GT_FILE, "-o", "{}/x", "--parts", "0"], "0 is not a number of parts"),
        (["compare-parts", "{}", "{}", "-o", "{}-out"], "the folder has no manifest"),
        (["merge", "{}/counts/a.json"], "there is no such file"),
        (["count", "{}/plan/a.parquet"], "there is no such file"),
    ],
)
def test_wrong_inputs_are_one_message(tmp_path, refusal, command, message):
    assert message in refusal([part.format(tmp_path) for part in command])


def test_the_result_is_not_written_among_the_parts(sets, refusal):
    assert "inside the input" in refusal(["compare-parts", *sets, "-o", f"{sets[0]}/out"])


def test_the_result_does_not_replace_the_parts(tmp_path, refusal):
    """The cut of a prediction with other parts is written to OUT/pred."""
    gt, pred = (str(tmp_path / name) for name in ("gt", "pred"))
    for folder, parts in ((gt, "2"), (pred, "3")):
        assert main(["partition", GT_FILE, "-o", folder, "--parts", parts]) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "pred").iterdir()}
    assert "would replace those of the input" in refusal(["compare-parts", gt, pred, "-o", str(tmp_path)])
    assert {path.name: path.read_bytes() for path in (tmp_path / "pred").iterdir()} == before
