"""The command `label-errors`."""

import json

import pytest

import layoutcm as lcm
from layoutcm.alignment.taxonomy import load_mapping
from layoutcm.cli.main import main
from support.paths import SAMPLE

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
    assert "nothing is written, because there is no candidate" in said.err and not target.exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--top", "0"], "--top: 0 is not a number of candidates. Use 1 or more."),
        (["--to", "cvat"], "--to: no file is named. Name one with -o."),
        (["-o", "x.txt"], "x.txt: the suffix '.txt' belongs to no format."),
        (["-o", GT], "the output would replace this input"),
    ],
)
def test_wrong_options_are_reported_before_the_work(options, problem, capsys):
    assert main(["label-errors", GT, "no such file", *options]) == 2
    assert problem in capsys.readouterr().err


def test_other_labels_need_a_mapping(capsys):
    b = str(SAMPLE / "model-b.csv")
    assert main(["label-errors", GT, b]) == 2
    said = capsys.readouterr().err
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
