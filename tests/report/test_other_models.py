"""The report of one of several predictions shows the others: matrices, differences, regions on its pages."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.page_raster import page_boxes
from layoutcm.models.cell_differences import cell_differences
from layoutcm.report import report_files
from support.layouts import build
from support.paths import SAMPLE
from support.sample_comparisons import compare_all_of_sample
from support.written_reports import data_of


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
