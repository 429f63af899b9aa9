"""The options --format, --sizes and --fix, for all files and for one of them."""

import json

import pytest

from layoutcm.cli.main import main

GT = "page,label,x0,y0,x1,y1,width,height\np,a,10,10,50,30,100,100\n"
QWEN = '[{"bbox_2d": [100, 100, 500, 300], "label": "a"}]'
UPSIDE_DOWN = "page,label,x0,y0,x1,y1\np,a,0.1,0.7,0.5,0.9\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gt.csv").write_text(GT)
    (tmp_path / "flipped.csv").write_text(UPSIDE_DOWN)
    (tmp_path / "qwen").mkdir()
    (tmp_path / "qwen" / "p.json").write_text(QWEN)
    return tmp_path


def compared(files, *options, pred=("qwen", "flipped.csv")):
    target = files / "out.json"
    paths = [str(files / name) for name in pred]
    assert main(["compare", str(files / "gt.csv"), *paths, "--json", str(target), *options]) == 0
    return json.loads(target.read_text())


def test_two_predictions_of_different_tools_are_read_and_repaired_by_their_names(files):
    fixes = ["--fix", "flipped=unit:1", "--fix", "flipped.csv=flip-y"]
    qwen, flipped = compared(files, "--format", "qwen=qwen-vl-1000", *fixes)
    assert qwen["content"]["f1"] == flipped["content"]["f1"] == 1
    assert "fix" not in qwen["recipe_fields"] and flipped["recipe_fields"]["fix"] == "unit:1+flip-y"


def test_all_repairs_are_made_in_order(files):
    for fixes in (["unit:1", "flip-y"], ["unit:1,flip-y"]):
        options = [text for fix in fixes for text in ("--fix", fix)]
        found = compared(files, *options, pred=["flipped.csv"])
        assert found["recipe_fields"]["fix"] == "unit:1+flip-y" and found["content"]["f1"] == 1


def test_a_repair_for_all_files_and_one_for_a_file_are_both_made_in_order(files):
    (files / "other.csv").write_text("page,label,x0,y0,x1,y1\np,a,0.1,0.1,0.5,0.3\n")
    options = ["--fix", "unit:1", "--fix", "flipped=flip-y"]
    flipped, other = compared(files, *options, pred=["flipped.csv", "other.csv"])
    assert flipped["recipe_fields"]["fix"] == "unit:1+flip-y" and other["recipe_fields"]["fix"] == "unit:1"
    assert flipped["content"]["f1"] == other["content"]["f1"] == 1


def test_repairs_of_gt_are_all_made(files):
    found = compared(files, "--fix-gt", "scale:0.01", "--fix-gt", "flip-y", pred=["flipped.csv"])
    assert found["recipe_fields"]["gt_fix"] == "scale:0.01+flip-y"


def test_a_value_for_one_file_precedes_one_for_all(files, capsys):
    sizes = ["--sizes", "10x10", "--sizes", f"{files / 'flipped.csv'}=30x20"]
    assert main(["inspect", str(files / "flipped.csv"), "--json", "-", *sizes]) == 0
    assert json.loads(capsys.readouterr().out)[0]["page0"] == {"page": "p", "width": 30, "height": 20}
    assert main(["inspect", str(files / "flipped.csv"), "--json", "-", "--sizes", "30x20", "--sizes", "10x10"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["page0"] == {"page": "p", "width": 10, "height": 10}


def test_a_folder_of_images_may_have_any_name(files, capsys):
    from PIL import Image

    (files / "a=b").mkdir()
    Image.new("1", (40, 30)).save(files / "a=b" / "p.png")
    assert main(["inspect", str(files / "flipped.csv"), "--json", "-", "--sizes", str(files / "a=b")]) == 0
    assert json.loads(capsys.readouterr().out)[0]["page0"] == {"page": "p", "width": 40, "height": 30}


def test_a_folder_of_images_for_one_file_may_have_any_name(files, capsys):
    from PIL import Image

    (files / "a=b").mkdir()
    Image.new("1", (40, 30)).save(files / "a=b" / "p.png")
    for name in ("flipped", "c=d"):
        (files / f"{name}.csv").write_text(UPSIDE_DOWN)
        assert main(["inspect", str(files / f"{name}.csv"), "--json", "-", "--sizes", f"{name}={files / 'a=b'}"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["page0"] == {"page": "p", "width": 40, "height": 30}


def test_a_path_may_be_written_in_any_way(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "sub").mkdir()
    (files / "sub" / "flipped.csv").write_text(UPSIDE_DOWN)
    for path in ("./sub/flipped.csv", "sub/../sub/flipped.csv", str(files / "sub" / "flipped.csv")):
        assert main(["inspect", "flipped.csv", "sub/flipped.csv", "--json", "-", "--sizes", "9x9",
                     "--sizes", f"{path}=30x20"]) == 0  # fmt: skip
        widths = [layout["page0"]["width"] for layout in json.loads(capsys.readouterr().out)]
        assert widths == [9, 30]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--format", "gt=csv"], "--format: 'gt' is the ground truth. For the ground truth use --gt-format."),
        (["--fix", "gt.csv=flip-y"], "--fix: 'gt.csv' is the ground truth. For the ground truth use --fix-gt."),
        (["--format", "x=coco"], "--format: no file is named 'x'. Write FILE=VALUE, where FILE is one of "),
        (["--fix", "nope=flip-y"], "--fix: no file is named 'nope'"),
        (["--sizes", "p=9x9"], "--sizes: several files are named 'p'"),
    ],
)
def test_a_name_must_be_that_of_one_file(files, refusal, options, problem):
    (files / "p.csv").write_text(UPSIDE_DOWN)
    preds = [str(files / name) for name in ("p.csv", "qwen/p.json")]
    error = refusal(["compare", str(files / "gt.csv"), *preds, *options])
    assert problem in error and "Traceback" not in error


@pytest.mark.parametrize("option", ["--format", "--gt-format"])
def test_a_misspelt_format_is_answered_with_the_closest(files, refusal, option):
    assert refusal(["compare", "no such gt", "no such pred", option, "MinerU-content_v2"]) == (
        f"layoutcm: {option}: 'MinerU-content_v2' is not known. The closest are mineru-content-v2, "
        "mineru-content; `layoutcm formats` lists all.\n"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("zzz", "`layoutcm formats` lists all."),
        ("unstructured2", "The closest is unstructured; `layoutcm formats` lists all."),
    ],
)
def test_only_names_that_are_alike_are_named(capsys, name, hint):
    assert main(["inspect", "no such file", "--format", name]) == 2
    assert capsys.readouterr().err == f"layoutcm: --format: '{name}' is not known. {hint}\n"


def test_the_hint_of_an_ambiguous_file_says_how_to_name_the_format_of_one_file(files, capsys):
    assert main(["compare", str(files / "gt.csv"), str(files / "qwen"), str(files / "flipped.csv")]) == 2
    assert "for one of several inputs: --format FILE=NAME" in capsys.readouterr().err
    preds = [str(files / "qwen"), str(files / "flipped.csv")]
    assert main(["compare", str(files / "gt.csv"), *preds, "--format", "qwen-vl-1000"]) == 2
    assert "This looks like csv: leave out the format" in capsys.readouterr().err


def test_images_of_one_file_are_not_overwritten(files, capsys):
    (files / "pages").mkdir()
    out = str(files / "pages")
    options = ["--sizes", f"flipped={files / 'pages'}", "-o", out]
    assert main(["compare", str(files / "gt.csv"), str(files / "flipped.csv"), *options]) == 2
    assert "the folder is or contains the input pages" in capsys.readouterr().err
