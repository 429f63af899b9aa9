"""The options --format, --sizes and --fix, for all files and for one of them; --min-score with labels."""

import json

import pytest

from layoutcm.cli.file_options import separate_min_scores
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


GT_OF_SCORES = "page,label,x0,y0,x1,y1,width,height\np,a,0,0,10,5,10,10\np,b c,0,5,10,10,10,10\n"
PRED_OF_SCORES = "page,label,x0,y0,x1,y1,score\np,a,0,0,10,5,0.3\np,b c,0,5,10,10,0.6\n"


@pytest.fixture
def scored_files(tmp_path):
    (tmp_path / "gt.csv").write_text(GT_OF_SCORES)
    (tmp_path / "pred.csv").write_text(PRED_OF_SCORES)
    return [str(tmp_path / "gt.csv"), str(tmp_path / "pred.csv")]


def setting(printed, *arguments):
    found = json.loads(printed(["compare", *arguments, "--json", "-"]))
    return found["recipe_fields"].get("min_score"), [row["pred_pixels"] for row in found["classes"][1:]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0.5"], ("0.5", [0, 50])),
        (["a=0.4"], ("a=0.4", [0, 50])),
        (["a=0.2", "b c=0.7"], ("a=0.2+b c=0.7", [50, 0])),
        (["0.7", "a=0.1"], ("0.7+a=0.1", [50, 0])),
        (["a=0.1", "0.7"], ("0.7+a=0.1", [50, 0])),
    ],
)
def test_values_stand_before_or_after_the_files(scored_files, printed, values, expected):
    for arguments in ([*scored_files, "--min-score", *values], ["--min-score", *values, *scored_files]):
        assert setting(printed, *arguments) == expected
    repeated = [text for value in values for text in ("--min-score", value)]
    assert setting(printed, *repeated, *scored_files) == expected
    assert setting(printed, scored_files[0], f"--min-score={values[0]}", *values[1:], scored_files[1]) == expected


def test_without_the_option_all_regions_stay(scored_files, printed):
    assert setting(printed, *scored_files) == (None, [50, 50])


def test_a_file_whose_name_looks_like_a_value_is_a_file(scored_files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=0.4").write_text(PRED_OF_SCORES)
    (tmp_path / "0.4").write_text(GT_OF_SCORES)
    assert separate_min_scores(["--min-score", "0.5", "a=0.4", "b=1"]) == ["--min-score", "0.5", "a=0.4", "b=1"]
    assert separate_min_scores(["--min-score", "0.5", "0.4"]) == ["--min-score", "0.5", "0.4"]
    assert separate_min_scores(["x=1", "2"]) == ["x=1", "2"]


def test_verify_takes_the_same_values(scored_files, printed):
    out = printed(["verify", *scored_files, "--min-score", "a=0.4", "0.1"])
    assert "|min_score:0.1+a=0.4|" in out and "All numbers that were compared agree" in out


def test_wrong_values_are_named(scored_files, capsys, refusal):
    assert main(["compare", *scored_files, "--min-score", "A=0.4"]) == 2
    assert capsys.readouterr().err == "layoutcm: min_score: 'A' is not known. Use one of a, b c.\n"
    assert "min_score of 'a': nan is not a finite number" in refusal(["compare", *scored_files, "--min-score", "a=nan"])
    with pytest.raises(SystemExit):
        main(["compare", *scored_files, "--min-score", "a"])
    assert "'a' is neither a number nor LABEL=NUMBER" in capsys.readouterr().err
