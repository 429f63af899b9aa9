"""Several predictions on the command line: the leaderboard, mappings, equal names, label errors."""

import json

import pytest

import layoutcm as lcm
from layoutcm.alignment.taxonomy import load_mapping
from layoutcm.cli.main import main
from layoutcm.tables.leaderboard_tables import leaderboard_summary
from support.comparisons import MODELS, compare_all_of_sample
from support.paths import SAMPLE
from support.results import assert_valid

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


def test_one_prediction_has_no_leaderboard(tmp_path, printed):
    assert "leaderboard" not in json.loads(printed(["compare", *FILES[:2], "--json", "-"]))


def test_differences_are_from_the_baseline(tmp_path, capsys):
    target = tmp_path / "out.json"
    command = ["compare", *FILES[:2], FILES[3], "--baseline", FILES[3], "--json", str(target), "--intervals", "9"]
    assert main(command) == 0
    first, second = json.loads(target.read_text())
    assert "difference_from_first" not in second and first["difference_from_first"]["n"] == 9
    assert "F1 minus that of model-c" in capsys.readouterr().out
    gain = {row["figure"]: row["value"] for row in first["difference_from_first"]["headline"]}
    assert first["leaderboard"]["difference"] == gain["macro_f1"] < 0


def test_a_class_has_one_verdict_in_one_run(tmp_path, printed):
    """The differences of single predictions are those of the leaderboard, corrected for all predictions."""
    target = tmp_path / "out.json"
    out = printed(["compare", *FILES, *MAPPING, "--json", str(target), "--intervals", "9"])
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
def test_an_unknown_baseline_is_an_error(options, message, refusal):
    assert message in refusal(["compare", *FILES, *options])
    assert "--baseline: there is only one prediction" in refusal(["compare", *FILES[:2], *options])


@pytest.fixture
def place(tmp_path):
    """A ground truth with label a, and two predictions that call it x."""
    for name, label in (("gt", "a"), ("one", "x"), ("two", "x")):
        (tmp_path / f"{name}.csv").write_text(TABLE.format(label, 9))
    return tmp_path


def test_a_mapping_file_may_have_labels_of_single_predictions(place, capsys, refusal):
    files = [str(place / f"{name}.csv") for name in ("gt", "one", "two")]
    (place / "map.yaml").write_text("pred: {x: b}\npreds: {one: {x: a}}\n")
    assert main(["compare", *files, "--taxonomy", "same", "--mapping", str(place / "map.yaml"), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["averages"]["micro"]["f1"] for one in found] == [1, 0]
    (place / "map.yaml").write_text("preds: {one: {x: a}, tow: {x: a}}\n")
    said = refusal(["compare", *files, "--mapping", str(place / "map.yaml")])
    assert "map.yaml, mapping.preds: 'tow' is not known. Use one of one, two." in said
    assert main(["verify", *files[:2], "--mapping", str(place / "map.yaml")]) == 0  # one of several predictions


def test_predictions_without_common_pages_have_no_leaderboard(place, printed):
    (place / "two.csv").write_text(TABLE.format("a", 9).replace("p,", "q,"))
    (place / "gt.csv").write_text(TABLE.format("a", 9) + "q,20,20,a,0,0,9,9\n")
    files = [str(place / f"{name}.csv") for name in ("gt", "one", "two")]
    said = printed(["compare", *files, "--missing-pages", "ignore"])
    assert said.startswith("no leaderboard: one, two: the two predictions have no page in common")


BOXES = "page,width,height,label,x0,y0,x1,y1\np,20,20,Text,0,0,{},9\n"


@pytest.mark.long
def test_equal_names_get_their_folders_and_a_repeated_file_is_noted(tmp_path, capsys):
    for folder, width in (("gt", 9), ("m1", 8), ("m2", 7)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "boxes.csv").write_text(BOXES.format(width))
    first, second = (str(tmp_path / folder / "boxes.csv") for folder in ("m1", "m2"))
    out, found = tmp_path / "out", tmp_path / "found.json"
    given = ["compare", str(tmp_path / "gt" / "boxes.csv"), first, second, first]
    assert main([*given, "-o", str(out), "--json", str(found)]) == 0
    names = ["m1-boxes", "m2-boxes", "m1-boxes-2"]
    assert sorted(path.parent.name for path in out.glob("*/report.html")) == sorted(names)
    assert [one["recipe_fields"]["pred"] for one in json.loads(found.read_text())] == names
    said = capsys.readouterr().out
    assert "m1-boxes-2 is the same prediction as m1-boxes." in said and said.count("same prediction") == 1


GT, A, C = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-c.json"))


def test_the_table_and_the_files(tmp_path, capsys):
    target = str(tmp_path / "errors.json")
    assert main(["label-errors", GT, A, C, "--top", "3", "-o", target]) == 0
    text, notes = capsys.readouterr()
    lines = text.splitlines()
    assert lines[0].startswith("48 candidates for errors in 947 regions of the ground truth, 6 of them with evidence")
    assert lines[2].split() == ["evidence", "kind", "page", "region", "in", "gt", "suggested"]
    assert lines[3].split()[:2] == ["0.999", "missing"] and "Title at 186, 62, 664, 90" in lines[3]
    assert lines[5].split() == ["0.989", "spurious", "invoice-4_p1.png", "563", "Picture", "nothing"]
    assert lines[6] == "… and 45 more" and lines[-1] == f"{target}: label-studio, 3 candidates" and not notes
    assert len(json.loads((tmp_path / "errors.json").read_text())) == 3
    assert main(["label-errors", GT, A, C, "-o", str(tmp_path / "errors.xml"), "--top", "3"]) == 0
    assert "cvat has no place for documents" in capsys.readouterr().err
    assert lcm.read(tmp_path / "errors.xml").labels_in_use >= {"Suggestion", "Text"}
    assert main(["label-errors", GT, A, C, "-o", str(tmp_path / "errors.txt"), "--to", "csv"]) == 0
    assert capsys.readouterr().out.endswith("csv, 48 candidates\n")
    assert len((tmp_path / "errors.txt").read_text().splitlines()) == 49


def test_without_candidates_no_task_is_written(tmp_path, capsys):
    target = tmp_path / "errors.json"
    assert main(["label-errors", GT, GT, "-o", str(target)]) == 0
    said = capsys.readouterr()
    assert said.out == "no region of the ground truth is probably wrong, of 947 regions\n"
    assert "no candidates, so no file was written" in said.err and not target.exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--top", "0"], "--top: 0 is less than 1. Use 1 or more."),
        (["--to", "cvat"], "--to: no file is named. Name one with -o."),
        (["-o", "x.txt"], "x.txt: the suffix '.txt' belongs to no format."),
        (["-o", GT], "the output would replace this input"),
    ],
)
def test_wrong_options_are_reported_before_the_work(options, problem, refusal):
    assert problem in refusal(["label-errors", GT, "no such file", *options])


def test_other_labels_need_a_mapping(refusal):
    b = str(SAMPLE / "model-b.csv")
    said = refusal(["label-errors", GT, b])
    assert "model-b.csv, labels: its labels are not those of gt" in said
    assert "--mapping; layoutcm suggest-mapping" in said and "--taxonomy match-names" in said
    assert main(["label-errors", GT, b, "--mapping", str(SAMPLE / "mapping.yaml")]) == 0


def test_predictions_of_one_name_have_the_names_of_compare(tmp_path, capsys):
    """A mapping names predictions of different folders as `compare` does."""
    for name, file in (("x/model.json", "model-a.json"), ("y/model.csv", "model-b.csv")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes((SAMPLE / file).read_bytes())
    files = [str(tmp_path / "x" / "model.json"), str(tmp_path / "y" / "model.csv")]
    own = load_mapping(SAMPLE / "mapping.yaml")["pred"]
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"preds": {"y-model": own}}))
    assert main(["label-errors", GT, *files, "--mapping", str(mapping)]) == 0
    mapping.write_text(json.dumps({"preds": {"model": own}}))
    assert main(["label-errors", GT, *files, "--mapping", str(mapping)]) == 2
    assert "mapping.preds: 'model' is not known. Use one of x-model, y-model." in capsys.readouterr().err
