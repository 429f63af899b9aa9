"""Reports with intervals, several predictions, page images, and JSON on standard output."""

import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.drawing.page_images import images_from_path
from layoutcm.metrics.scores import SCORES
from layoutcm.report import report_files
from layoutcm.tables.interval_texts import resampling_text
from support.sample_comparisons import compare_sample
from support.written_reports import GT, MODEL_A, MODEL_B, data_of, files_in


def test_a_report_with_intervals_has_whiskers_and_all_intervals(svg_only, monkeypatch, tmp_path):
    sample = compare_sample(documents="(.+)")  # every page is a document
    folder = sample.write_report(tmp_path / "without", intervals=False)
    monkeypatch.setattr(report_files, "figure_names", lambda _: ["classes"])
    by_api = sample.write_report(tmp_path / "api", intervals=40)
    found = json.loads((by_api / "result.json").read_text("utf-8"))
    assert found["intervals"]["n"] == 40 and found["intervals"]["recipe"] == sample.bootstrap(40).recipe
    known = sample.bootstrap(40).headline
    pd.testing.assert_frame_equal(pd.DataFrame(found["intervals"]["headline"]), known, check_dtype=False)
    bars = [(place / "figures" / "classes.svg").read_text("utf-8") for place in (folder, by_api)]
    # A whisker is a line (a path) and two ends (uses of one), dark on white, for each class and score with an interval.
    whiskers = sum(np.isfinite(sample.bootstrap(40).scores[score][1:, 1]).sum() for score in SCORES)
    more = {name: bars[1].count(name) - bars[0].count(name) for name in ("<path", "<use")}
    assert more == {"<path": 2 * whiskers + 2, "<use": 2 * 2 * whiskers} and whiskers > 0
    arguments = ["compare", GT, MODEL_A, "--documents", "(.+)", "--intervals", "40"]
    assert main([*arguments, "-o", str(tmp_path / "cli")]) == 0
    assert (tmp_path / "cli" / "result.json").read_bytes() == (by_api / "result.json").read_bytes()
    assert (tmp_path / "cli" / "figures" / "classes.svg").read_text("utf-8") == bars[1]
    # The caption of the figure describes the whiskers; HTML, workbook and LaTeX have the numbers.
    assert "interval:jackknife" in bars[1] and "interval" not in bars[0]
    table = data_of(by_api / "report.html")["tables"]["intervals"]
    assert [row[1:] for row in table["rows"][: len(known)]] == known.to_numpy()[:, 1:].tolist()
    assert table["rows"][0][0] == "micro precision, without Background"
    assert resampling_text(sample.bootstrap(40).resampling) in table["note"]
    sheet = openpyxl.load_workbook(by_api / "report.xlsx")["Intervals"]
    assert [cell.value or "" for cell in sheet[2]] == table["rows"][0]
    assert (by_api / "tables" / "intervals.tex").is_file()


@pytest.mark.long
def test_the_report_of_the_second_prediction_has_the_difference(quick, tmp_path, capsys):
    arguments = ["compare", GT, MODEL_A, MODEL_A, "--intervals", "20", "-o", str(tmp_path / "two")]
    assert main(arguments) == 0 and main(arguments) == 0
    assert "F1 minus that of model-a\n" in capsys.readouterr().out.replace(" " * 5, "\n")
    first, second = (json.loads((tmp_path / "two" / name / "result.json").read_text("utf-8"))
                     for name in ("model-a", "model-a-2"))  # fmt: skip
    assert "difference_from_first" not in first
    assert all(row["value"] == 0 for row in second["difference_from_first"]["headline"])
    assert len(data_of(tmp_path / "two" / "model-a-2" / "report.html")["tables"]["difference"]["rows"]) > 20


def test_predictions_of_other_pages_have_difference_figures_on_all_pages(svg_only, tmp_path, capsys):
    head = "page,label,x0,y0,x1,y1,width,height\n"
    (tmp_path / "gt.csv").write_text(head + "p,a,0,0,5,5,9,9\nq,a,0,0,5,5,9,9\n")
    (tmp_path / "more.csv").write_text(head + "r,a,0,0,5,5,9,9\n")
    gt, more = (str(tmp_path / name) for name in ("gt.csv", "more.csv"))
    assert main(["compare", gt, gt, more, "-o", str(tmp_path / "out")]) == 0
    assert "no figure" not in capsys.readouterr().out
    assert list((tmp_path / "out" / "more").rglob("difference-*"))


def test_several_predictions_have_one_folder_each_and_can_be_replaced(tmp_path, quick, capsys):
    target = tmp_path / "out"
    assert main(["compare", GT, MODEL_A, MODEL_B, MODEL_A, "-o", str(target), "--method", "tensor"]) == 0
    folders = sorted(path.name for path in target.iterdir() if path.is_dir())
    assert folders == ["figures", "model-a", "model-a-2", "model-b", "tables"]
    assert json.loads((target / "model-a/result.json").read_text())["method"] == "tensor"
    assert f"report written to {target}" in capsys.readouterr().out
    assert main(["compare", GT, MODEL_A, "-o", str(target)]) == 0
    assert "report.html" in files_in(target) and not (target / "model-b").exists()


@pytest.mark.long
def test_several_predictions_have_figures_of_the_difference_from_the_first(tmp_path, svg_only, monkeypatch, capsys):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    target = tmp_path / "out"
    command = ["compare", GT, MODEL_A, MODEL_A, MODEL_B, "-o", str(target)]
    for _ in range(2):  # the second run recognises the files of the first
        assert main(command) == 0
    visible = [name for name in files_in(target) if "/figures/" in name]
    assert visible == [f"model-a-2/figures/difference-{view}.svg" for view in ("f1", "precision", "recall")]
    assert "recall: model-a-2 less model-a" in (target / visible[2]).read_text("utf-8")
    assert "model-b minus model-a: no figure, because the two models have different labels" in capsys.readouterr().out


def test_standard_output_has_only_json(tmp_path, quick, capsys):
    assert main(["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--json", "-", "--per-page"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((tmp_path / "r/result.json").read_text("utf-8")) and len(found["by_page"]) == 60


def test_page_images_are_found_and_need_a_report(tmp_path, two_pages, capsys):
    with pytest.raises(lcm.InputError, match="no such folder"):
        lcm.compare(*two_pages).write_report(tmp_path / "r", tmp_path / "nowhere")
    assert main(["compare", GT, MODEL_A, "--images", str(tmp_path)]) == 2
    assert "-o" in capsys.readouterr().err
    Image.new("RGB", (20, 20), "red").save(tmp_path / "p1.png")
    images = images_from_path(tmp_path)
    assert images.find(lcm.compare(*two_pages), 0).path.endswith("p1.png")
    assert [picture.name for picture in images_from_path(tmp_path / "p1.png").pictures] == ["p1.png"]


def test_pages_without_a_picture_are_reported_on_the_terminal(tmp_path, quick, capsys):
    (tmp_path / "pictures").mkdir()
    command = ["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--images"]
    assert main([*command, str(tmp_path / "pictures")]) == 0
    out = capsys.readouterr().out
    assert "0 of 60 pages have a picture in" in out and "it contains no image that can be read" in out
    Image.new("RGB", (4, 4)).save(tmp_path / "pictures" / "other.png")
    assert main([*command, str(tmp_path / "pictures")]) == 0
    out = capsys.readouterr().out
    assert "0 of 60 pages have a picture in" in out and "the first page without a picture is 'paper-1_p1.png'" in out
    assert "1 file belongs to no page (first: 'other.png')" in out
    assert main([*command, str(Path(GT).parent / "images")]) == 0
    assert "have a picture" not in capsys.readouterr().out
