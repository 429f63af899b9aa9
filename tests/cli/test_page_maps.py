"""`--write-page-map`, pages that only one side has, and a prediction without a page of the ground truth."""

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main

ROW = "{},20,20,a,0,0,9,9\n"
HEAD = "page,width,height,label,x0,y0,x1,y1\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, pages in (("gt", "pq"), ("pred", "pr"), ("other", "xy")):
        (tmp_path / f"{name}.csv").write_text(HEAD + "".join(map(ROW.format, pages)))
    return tmp_path


def test_the_page_map_of_a_comparison_is_written(files):
    assert main(["compare", "gt.csv", "pred.csv", "--write-page-map", "map.csv"]) == 0
    assert (files / "map.csv").read_text() == "gt_page,pred_page\np,p\nq,\n,r\n"


def test_without_a_common_page_the_exit_code_is_2_and_a_page_map_is_written_that_can_be_filled_in(files, capsys):
    assert main(["compare", "gt.csv", "other.csv", "--write-page-map", "map.csv"]) == 2
    said = capsys.readouterr().err
    assert "Pred has 2 pages ('x', 'y'); gt has 2 pages ('p', 'q')" in said and "written to map.csv" in said
    template = (files / "map.csv").read_text()
    assert template == "gt_page,pred_page\np,\nq,\n,x\n,y\n"
    (files / "map.csv").write_text(template.replace("p,\n", "p,y\n"))
    assert main(["compare", "gt.csv", "other.csv", "--pages", "map.csv"]) == 0


@pytest.mark.parametrize("command", ["verify", "gate", "label-errors"])
def test_other_commands_refuse_pages_of_another_set(files, command, capsys):
    more = ["--fail-under", "macro.f1=0"] if command == "gate" else []
    assert main([command, "gt.csv", "other.csv", *more]) == 2
    assert "no page of pred is a page of gt" in capsys.readouterr().err


def test_the_page_map_of_parts_is_written(files, capsys):
    for name in ("gt", "pred", "other"):
        lcm.partition(lcm.read(f"{name}.csv"), name, 2)
    assert main(["compare-parts", "gt", "pred", "-o", "out", "--write-page-map", "map.csv"]) == 0
    assert sorted((files / "map.csv").read_text().split()) == [",r", "gt_page,pred_page", "p,p", "q,"]
    assert main(["compare-parts", "gt", "other", "-o", "out2", "--write-page-map", "map.csv"]) == 2
    assert "no page of pred is a page of gt" in capsys.readouterr().err
    assert (files / "map.csv").read_text() == "gt_page,pred_page\np,\nq,\n,x\n,y\n"


def test_a_page_map_is_for_one_prediction_and_no_input(files, capsys):
    assert main(["compare", "gt.csv", "pred.csv", "other.csv", "--write-page-map", "map.csv"]) == 2
    assert "--write-page-map: there are several predictions" in capsys.readouterr().err
    assert main(["compare", "gt.csv", "pred.csv", "--write-page-map", "gt.csv"]) == 2


def test_missing_pages_of_all_kinds_on_the_command_line(files, capsys):
    for choice, pages in (("penalise", 2), ("ignore", 1), ("penalise-both", 3)):
        assert main(["compare", "gt.csv", "pred.csv", "--missing-pages", choice]) == 0
        assert f"|pages:{pages}|" in capsys.readouterr().out
