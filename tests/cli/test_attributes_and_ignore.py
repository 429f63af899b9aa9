"""The options --attributes and --ignore."""

import json

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main

GT = """page,label,x0,y0,x1,y1,width,height
p,a,0,0,5,5,9,9
p,noise,5,5,9,9,9,9
q,b,0,0,5,5,9,9
"""
TOO_FEW = ["too", "few", "documents"]
FACTS = "page,kind\np,letter\nq,form\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gt.csv").write_text(GT)
    (tmp_path / "pred.csv").write_text(GT.replace("p,noise,5,5,9,9,9,9\n", ""))
    (tmp_path / "facts.csv").write_text(FACTS)
    return tmp_path


def compared(files, *options):
    target = files / "out.json"
    assert main(["compare", str(files / "gt.csv"), str(files / "pred.csv"), "--json", str(target), *options]) == 0
    return json.loads(target.read_text())


def test_pixels_of_an_ignored_label_are_not_judged(files):
    plain, ignored = compared(files), compared(files, "--ignore", "noise")
    assert (plain["pixels"], plain["ignored_pixels"]) == (162, 0)
    assert (ignored["pixels"], ignored["ignored_pixels"]) == (146, 16)
    assert ignored["labels"] == ["Background", "a", "b"]
    assert compared(files, "--ignore", "noise", "--ignore", "a")["pixels"] == 146 - 25


def test_ignore_is_added_to_a_mapping(files, capsys):
    (files / "map.yaml").write_text("gt: {a: A}\npred: {a: A}\n")
    mapped = compared(files, "--mapping", str(files / "map.yaml"), "--ignore", "noise")
    assert mapped["labels"] == ["Background", "A", "b"] and mapped["pixels"] == 146
    arguments = ["compare", str(files / "gt.csv"), str(files / "pred.csv"), "--mapping", str(files / "map.yaml")]
    assert main([*arguments, "--ignore", "a"]) == 2
    assert "--ignore: the mapping renames the label 'a' of gt to 'A'. Leave it" in capsys.readouterr().err


def test_verify_recounts_without_the_ignored_pixels(files, capsys):
    assert main(["verify", str(files / "gt.csv"), str(files / "pred.csv"), "--ignore", "noise"]) == 0
    assert "All numbers that were compared agree" in capsys.readouterr().out


def test_inspect_convert_compare_and_verify_take_attributes(files, capsys, printed):
    gt, facts = str(files / "gt.csv"), ["--attributes", str(files / "facts.csv")]
    assert "kind: letter 1, form 1" in printed(["inspect", gt, *facts])
    assert main(["inspect", gt, "--json", "-", *facts]) == 0
    assert json.loads(capsys.readouterr().out)[0]["attributes"]["kind"]["pages"] == {"letter": 1, "form": 1}
    assert main(["convert", gt, "--to", "csv", "-o", str(files / "out.csv"), *facts]) == 0
    assert "kind: letter 1, form 1" in capsys.readouterr().err
    assert "letter" in (files / "out.csv").read_text()
    for command in ("compare", "verify"):
        assert main([command, gt, str(files / "pred.csv"), *facts]) == 0


def test_rows_without_a_page_are_reported_for_both_sides(files):
    (files / "facts.csv").write_text(FACTS + "z,letter\n")
    findings = compared(files, "--attributes", str(files / "facts.csv"))["findings"]
    assert [one["code"] for one in findings].count("attributes-without-page") == 2


def test_a_wrong_table_and_an_output_that_would_replace_it(files, capsys):
    facts = str(files / "facts.csv")
    assert main(["convert", str(files / "gt.csv"), "--to", "csv", "-o", facts, "--attributes", facts]) == 2
    assert "the output would replace this input" in capsys.readouterr().err
    (files / "facts.csv").write_text("name\np\n")
    assert main(["inspect", str(files / "gt.csv"), "--attributes", facts]) == 2
    assert "facts.csv, row 1: there is no column page or document (found: 'name')" in capsys.readouterr().err


def test_slices_are_shown_with_attributes_and_stored_if_they_are_asked_for(files, capsys):
    facts = ["--attributes", str(files / "facts.csv")]
    assert "slices" not in compared(files, *facts)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["kind:", "letter", "1", "1", "0.758", "–", "-0.242", "–", "–", "100", "%", "100", "%", *TOO_FEW] in lines
    stored = compared(files, *facts, "--slices", "kind")["slices"]
    assert stored["attribute"] == "kind" and [row["value"] for row in stored["rows"]] == ["letter", "form"]
    # The letter has 25 + 16 pixels in gt and 25 in pred, all of which are right.
    assert stored["rows"][0]["micro_f1"] == pytest.approx(50 / 66) and stored["rows"][1]["micro_f1"] == 1
    assert "slices by kind  pages  documents     F1" in capsys.readouterr().out
    ranked = compared(files, "--slices")["slices"]
    assert ranked["attribute"] is None and ranked["rows"][0]["attribute"] in ("regions", "content")
    assert "slices" not in compared(files)
    assert "slices" not in capsys.readouterr().out.rpartition("objects")[2]


def test_an_unknown_attribute_is_refused(files, refusal):
    said = refusal(["compare", str(files / "gt.csv"), str(files / "pred.csv"), "--slices", "kind"])
    assert "attribute: 'kind' is not known. Use one of regions, columns, content, " in said
    assert "; a file may give more (attributes=, --attributes)." in said


@pytest.mark.long
def test_a_report_has_a_table_and_a_figure_of_slices(files):
    arguments = ["compare", str(files / "gt.csv"), str(files / "pred.csv"), "-o", str(files / "report")]
    assert main([*arguments, "--attributes", str(files / "facts.csv"), "--slices", "kind"]) == 0
    report = files / "report"
    assert json.loads((report / "result.json").read_text())["slices"]["attribute"] == "kind"
    assert "Slices by kind" in (report / "report.html").read_text("utf-8")
    assert "Slices by kind" in (report / "figures" / "slices.svg").read_text("utf-8")
    assert "letter" in (report / "tables" / "slices.tex").read_text("utf-8")
    gt, pred = (lcm.read(files / f"{side}.csv", attributes=files / "facts.csv") for side in ("gt", "pred"))
    for slices, attribute in (("kind", "kind"), (True, None)):
        written = lcm.compare(gt, pred).write_report(files / "by API", slices=slices)
        assert json.loads((written / "result.json").read_text())["slices"]["attribute"] == attribute
