"""Several predictions on the command line: the leaderboard, its baseline, mappings of single predictions."""

import json

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.tables.leaderboard_tables import leaderboard_summary
from support.paths import SAMPLE
from support.result_schema import assert_valid
from support.sample_comparisons import MODELS, compare_all_of_sample

FILES = [str(SAMPLE / name) for name in ("gt.json", *MODELS.values())]
MAPPING = ["--mapping", str(SAMPLE / "mapping.yaml")]
TABLE = "page,width,height,label,x0,y0,x1,y1\np,20,20,{},0,0,{},9\n"


def test_the_leaderboard_is_printed_first_and_every_result_has_its_place(tmp_path, capsys):
    target = tmp_path / "out.json"
    assert main(["compare", *FILES, *MAPPING, "--baseline", "model-b", "--json", str(target)]) == 0
    named = {f"model-{name}": compared for name, compared in compare_all_of_sample().items()}
    board = lcm.leaderboard(named, "model-b")
    out = capsys.readouterr().out
    assert out.startswith(leaderboard_summary(board.result()) + "\n\n" + named["model-a"].recipe)
    results = json.loads(target.read_text())
    assert_valid(results)
    rows = {row["model"]: row for row in board.as_dict()["models"]}
    for name, result in zip(named, results):
        place = result["leaderboard"]
        assert (place["model"], place["rank"]) == (name, board.models.index(name) + 1)
        assert (place["models"], place["baseline"], place["figure"]) == (3, "model-b", "macro_f1")
        for key in ("macro_f1", "macro_f1_low", "content_f1_high", "verdict", "remark"):
            assert place[key] == rows[name][key]
    assert results[0]["leaderboard"]["difference"] == rows["model-a"]["difference"] > 0
    assert results[1]["leaderboard"]["difference"] is None and results[1]["leaderboard"]["verdict"] == "baseline"
    assert lcm.load_result(target)[2].leaderboard["rank"] == 1


def test_one_prediction_has_no_leaderboard(tmp_path, capsys):
    assert main(["compare", *FILES[:2], "--json", "-"]) == 0
    assert "leaderboard" not in json.loads(capsys.readouterr().out)


def test_differences_are_from_the_baseline(tmp_path, capsys):
    target = tmp_path / "out.json"
    command = ["compare", *FILES[:2], FILES[3], "--baseline", FILES[3], "--json", str(target), "--intervals", "9"]
    assert main(command) == 0
    first, second = json.loads(target.read_text())
    assert "difference_from_first" not in second and first["difference_from_first"]["n"] == 9
    assert "F1 minus that of model-c" in capsys.readouterr().out
    gain = {row["figure"]: row["value"] for row in first["difference_from_first"]["headline"]}
    assert first["leaderboard"]["difference"] == gain["macro_f1"] < 0


def test_a_class_has_one_verdict_in_one_run(tmp_path, capsys):
    """The differences of single predictions are those of the leaderboard, corrected for all predictions."""
    target = tmp_path / "out.json"
    assert main(["compare", *FILES, *MAPPING, "--json", str(target), "--intervals", "9"]) == 0
    out = capsys.readouterr().out
    assert "p of classes is corrected for all classes of 2 differences (Holm)" in out
    named = {f"model-{name}": compared for name, compared in compare_all_of_sample().items()}
    board = lcm.leaderboard(named, n=9).result(objects=False)
    on_board = {(row.model, row.label): (row.p, row.verdict) for row in board.class_rows}
    said = {}
    for name, result in zip(named, lcm.load_result(target)):
        for row in result.difference_from_first.classes if result.difference_from_first else ():
            said[name, row.label, row.score] = row.verdict
            if row.score == "f1":
                assert (row.p, row.verdict) == on_board[name, row.label]
    alone = lcm.difference(named["model-a"], named["model-b"], n=9).class_rows
    assert alone["Title", "iou"]["verdict"] == "worse"
    assert said["model-b", "Title", "iou"] == "no difference shown"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--baseline", "model-d"], "--baseline: no file is named 'model-d'. Name one of "),
        (["--baseline", "gt"], "--baseline: no file is named 'gt'"),
    ],
)
def test_an_unknown_baseline_is_an_error(options, message, capsys):
    assert main(["compare", *FILES, *options]) == 2
    assert message in capsys.readouterr().err
    assert main(["compare", *FILES[:2], *options]) == 2
    assert "--baseline: there is one prediction" in capsys.readouterr().err


@pytest.fixture
def place(tmp_path):
    """A ground truth with label a, and two predictions that call it x."""
    for name, label in (("gt", "a"), ("one", "x"), ("two", "x")):
        (tmp_path / f"{name}.csv").write_text(TABLE.format(label, 9))
    return tmp_path


def test_a_mapping_file_may_have_labels_of_single_predictions(place, capsys):
    files = [str(place / f"{name}.csv") for name in ("gt", "one", "two")]
    (place / "map.yaml").write_text("pred: {x: b}\npreds: {one: {x: a}}\n")
    assert main(["compare", *files, "--taxonomy", "same", "--mapping", str(place / "map.yaml"), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["averages"]["micro"]["f1"] for one in found] == [1, 0]
    (place / "map.yaml").write_text("preds: {one: {x: a}, tow: {x: a}}\n")
    assert main(["compare", *files, "--mapping", str(place / "map.yaml")]) == 2
    said = capsys.readouterr().err
    assert "map.yaml, mapping.preds: 'tow' is not known. Use one of one, two." in said
    assert main(["verify", *files[:2], "--mapping", str(place / "map.yaml")]) == 0  # one of several predictions


def test_predictions_without_common_pages_have_no_leaderboard(place, capsys):
    (place / "two.csv").write_text(TABLE.format("a", 9).replace("p,", "q,"))
    (place / "gt.csv").write_text(TABLE.format("a", 9) + "q,20,20,a,0,0,9,9\n")
    files = [str(place / f"{name}.csv") for name in ("gt", "one", "two")]
    assert main(["compare", *files, "--missing-pages", "ignore"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("no leaderboard: one, two: the two predictions have no page in common")
