"""Options of reports, and reports of other models."""

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
from layoutcm.drawing.page_raster import page_boxes
from layoutcm.metrics.scores import SCORES
from layoutcm.models.cell_differences import cell_differences
from layoutcm.report import report_files
from layoutcm.tables.interval_texts import resampling_text
from support.comparisons import compare_all_of_sample, compare_sample
from support.layouts import build
from support.paths import SAMPLE
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
def test_the_report_of_the_second_prediction_has_the_difference(quick, tmp_path, printed):
    arguments = ["compare", GT, MODEL_A, MODEL_A, "--intervals", "20", "-o", str(tmp_path / "two")]
    assert main(arguments) == 0
    assert "F1 minus that of model-a\n" in printed(arguments).replace(" " * 5, "\n")
    first, second = (json.loads((tmp_path / "two" / name / "result.json").read_text("utf-8"))
                     for name in ("model-a", "model-a-2"))  # fmt: skip
    assert "difference_from_first" not in first
    assert all(row["value"] == 0 for row in second["difference_from_first"]["headline"])
    assert len(data_of(tmp_path / "two" / "model-a-2" / "report.html")["tables"]["difference"]["rows"]) > 20


def test_predictions_of_other_pages_have_difference_figures_on_all_pages(svg_only, tmp_path, printed):
    head = "page,label,x0,y0,x1,y1,width,height\n"
    (tmp_path / "gt.csv").write_text(head + "p,a,0,0,5,5,9,9\nq,a,0,0,5,5,9,9\n")
    (tmp_path / "more.csv").write_text(head + "p,a,0,0,5,5,9,9\nr,a,0,0,5,5,9,9\n")
    gt, more = (str(tmp_path / name) for name in ("gt.csv", "more.csv"))
    assert "no figure" not in printed(["compare", gt, gt, more, "-o", str(tmp_path / "out")])
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


def test_standard_output_has_only_json(tmp_path, quick, printed):
    found = json.loads(printed(["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--json", "-", "--per-page"]))
    assert found == json.loads((tmp_path / "r/result.json").read_text("utf-8")) and len(found["by_page"]) == 60


def test_page_images_are_found_and_need_a_report(tmp_path, two_pages, refusal):
    with pytest.raises(lcm.InputError, match="no such folder"):
        lcm.compare(*two_pages).write_report(tmp_path / "r", tmp_path / "nowhere")
    assert "-o" in refusal(["compare", GT, MODEL_A, "--images", str(tmp_path)])
    Image.new("RGB", (20, 20), "red").save(tmp_path / "p1.png")
    images = images_from_path(tmp_path)
    assert images.find(lcm.compare(*two_pages), 0).path.endswith("p1.png")
    assert [picture.name for picture in images_from_path(tmp_path / "p1.png").pictures] == ["p1.png"]


def test_pages_without_a_picture_are_reported_on_the_terminal(tmp_path, quick, printed):
    (tmp_path / "pictures").mkdir()
    command = ["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--images"]
    out = printed([*command, str(tmp_path / "pictures")])
    assert "0 of 60 pages have a picture in" in out and "it contains no image that can be read" in out
    Image.new("RGB", (4, 4)).save(tmp_path / "pictures" / "other.png")
    out = printed([*command, str(tmp_path / "pictures")])
    assert "0 of 60 pages have a picture in" in out and "the first page without a picture is 'paper-1_p1.png'" in out
    assert "1 file belongs to no page (first: 'other.png')" in out
    assert "have a picture" not in printed([*command, str(Path(GT).parent / "images")])


@pytest.fixture(scope="module")
def models():
    return {f"model-{name}": compared for name, compared in compare_all_of_sample().items()}


@pytest.fixture(scope="module")
def place(models, tmp_path_factory):
    """The folder with the reports of all predictions; tests only read it."""
    folder = tmp_path_factory.mktemp("boards") / "board"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "figure_names", lambda *_: [])
        patch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
        return lcm.leaderboard(models, n=50).write_report(folder, SAMPLE / "images")


def as_array(rows):
    return np.array([[np.nan if value is None else value for value in row] for row in rows])


def test_matrices_and_differences_are_those_of_the_api(models, place):
    pairs = {pair["name"]: pair for pair in data_of(place / "model-b" / "report.html")["pairs"]}
    of_classes = lcm.load_result(place / "model-b" / "result.json").difference_from_first.classes
    assert list(pairs) == ["model-a", "model-c"]
    for name, pair in pairs.items():
        own, other = pair["matrix"]["models"]
        assert (own["name"], other["name"]) == ("model-b", name)
        for shown, compared in ((own, models["model-b"]), (other, models[name])):
            confusion = compared.confusion()
            order = [confusion.labels.index(label) for label in pair["matrix"]["row_names"]]
            assert as_array(shown["mass"]) == pytest.approx(confusion.values[np.ix_(order, order)])
        for view in ("recall", "precision", "f1"):
            found = cell_differences(models[name], models["model-b"], view)
            found = found.with_class_tests(view, of_classes) if name == "model-a" else found  # the baseline
            order = [found.labels.index(label) for label in pair["matrix"]["row_names"]]
            cells = np.ix_(order, order)
            assert as_array(pair["differences"][view]["values"]) == pytest.approx(
                found.values[cells], abs=1e-6, nan_ok=True
            )
            assert pair["differences"][view]["verdicts"] == found.verdicts[cells].tolist()


def test_pages_have_the_regions_of_the_other_predictions(models, place):
    data = data_of(place / "model-a" / "report.html")
    assert data["viewer"]["sides"] == ["Ground truth", "model-a", "model-b", "model-c"]
    assert data["viewer"]["hidden_sides"] == [2, 3] and data["pictures"]
    for picture in data["pictures"]:
        for side, name in ((2, "model-b"), (3, "model-c")):
            wanted = [box for box in page_boxes(models[name], picture["page"]) if box["side"] == "pred"]
            shown = [box for box in picture["other_boxes"] if box[0] == side]
            assert [data["viewer"]["labels"][box[1]] for box in shown] == [box["label"] for box in wanted]
            assert [box[2:4] for box in shown] == [[round(box["x0"], 2), round(box["y0"], 2)] for box in wanted]


def test_a_reader_compares_two_predictions_and_sees_both_on_a_page(models, place, opened):
    found = cell_differences(models["model-c"], models["model-a"], "recall")
    cell = found.labels.index("Footnote"), found.labels.index("Text")
    assert found.high[cell] < 0, "this cell is better in the first model, and not by chance"
    page = opened(place / "model-a")
    page.get_by_role("button", name="With model-c").click()
    assert page.locator("#all-labels table").count() == 2
    page.get_by_role("button", name="Difference", exact=True).click()
    shown = page.locator(f"[data-cell='{cell[0]}-{cell[1]}']")
    assert shown.count() == 1 and shown.get_attribute("class") == "better"
    assert views_text(found.values[cell]) in shown.get_attribute("aria-label")
    assert "30 documents" in page.locator("#pair-note").inner_text()
    page.locator("[data-cell='1-10']").click()
    page.locator("#cell canvas").first.click()
    layer = page.locator("#large").get_by_role("button", name="model-c")
    regions = page.locator("#large summary")
    before = regions.inner_text()
    layer.click()
    assert layer.get_attribute("aria-pressed") == "true" and regions.inner_text() != before


def views_text(value):
    """'−30.2 % points', as the matrix writes a difference."""
    return f"−{abs(100 * value):.1f} % points"


def test_a_prediction_with_other_labels_says_why_it_cannot_be_compared(tmp_path, no_figures):
    gt = build({"p": (10, 10)}, [("p", "x", 0, 0, 5, 5)])
    same, others = (build({"p": (10, 10)}, [("p", label, 0, 0, 5, 5)]) for label in ("x", "y"))
    models = {"same": lcm.compare(gt, same), "others": lcm.compare(gt, others, taxonomy="different")}
    models["same"].write_report(tmp_path / "alone")
    assert data_of(tmp_path / "alone" / "report.html")["pairs"] == []
    board = lcm.leaderboard(models, n=10).write_report(tmp_path / "r")
    (pair,) = data_of(board / "same" / "report.html")["pairs"]
    assert pair["name"] == "others" and "the two models have different labels" in pair["problem"]


def test_a_cell_of_the_page_of_all_opens_the_report_of_its_prediction(place, browser):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto((place / "index.html").as_uri())
    matrix = data_of(place / "index.html")["matrices"][0]
    row, column = (matrix["row_names"].index(label) for label in ("Caption", "Text"))
    table = page.locator("#matrices table").nth([model["name"] for model in matrix["models"]].index("model-c"))
    table.locator("tbody tr").nth(row).locator("td").nth(column).click()
    page.wait_for_url("**/model-c/report.html#labels=Caption&Text")
    assert "Caption read as Text" in page.inner_text("#cell")


def test_a_page_with_too_many_tiles_has_no_picture(models, monkeypatch, no_figures, tmp_path):
    refused = data_of(models["model-a"].write_report(tmp_path / "r") / "report.html")["pictures"][0]["page"]
    tiles = type(models["model-a"]).page_tiles

    def refuse_one(compared, page):
        if page == refused:
            raise lcm.InputError("", page, "too many tiles", "")
        return tiles(compared, page)

    monkeypatch.setattr(type(models["model-a"]), "page_tiles", refuse_one)
    pictures = data_of(models["model-a"].write_report(tmp_path / "r") / "report.html")["pictures"]
    assert pictures and refused not in [picture["page"] for picture in pictures]
