"""The option --min-score with labels, before and after the files."""

import json

import pytest

from layoutcm.cli.file_options import separate_min_scores
from layoutcm.cli.main import main

GT = "page,label,x0,y0,x1,y1,width,height\np,a,0,0,10,5,10,10\np,b c,0,5,10,10,10,10\n"
PRED = "page,label,x0,y0,x1,y1,score\np,a,0,0,10,5,0.3\np,b c,0,5,10,10,0.6\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gt.csv").write_text(GT)
    (tmp_path / "pred.csv").write_text(PRED)
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
def test_values_stand_before_or_after_the_files(files, printed, values, expected):
    for arguments in ([*files, "--min-score", *values], ["--min-score", *values, *files]):
        assert setting(printed, *arguments) == expected
    repeated = [text for value in values for text in ("--min-score", value)]
    assert setting(printed, *repeated, *files) == expected
    assert setting(printed, files[0], f"--min-score={values[0]}", *values[1:], files[1]) == expected


def test_without_the_option_all_regions_stay(files, printed):
    assert setting(printed, *files) == (None, [50, 50])


def test_a_file_whose_name_looks_like_a_value_is_a_file(files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=0.4").write_text(PRED)
    (tmp_path / "0.4").write_text(GT)
    assert separate_min_scores(["--min-score", "0.5", "a=0.4", "b=1"]) == ["--min-score", "0.5", "a=0.4", "b=1"]
    assert separate_min_scores(["--min-score", "0.5", "0.4"]) == ["--min-score", "0.5", "0.4"]
    assert separate_min_scores(["x=1", "2"]) == ["x=1", "2"]


def test_verify_takes_the_same_values(files, printed):
    out = printed(["verify", *files, "--min-score", "a=0.4", "0.1"])
    assert "|min_score:0.1+a=0.4|" in out and "All numbers that were compared agree" in out


def test_wrong_values_are_named(files, capsys, refusal):
    assert main(["compare", *files, "--min-score", "A=0.4"]) == 2
    assert capsys.readouterr().err == "layoutcm: min_score: 'A' is not known. Use one of a, b c.\n"
    assert "min_score of 'a': nan is not a finite number" in refusal(["compare", *files, "--min-score", "a=nan"])
    with pytest.raises(SystemExit):
        main(["compare", *files, "--min-score", "a"])
    assert "'a' is neither a number nor LABEL=NUMBER" in capsys.readouterr().err
