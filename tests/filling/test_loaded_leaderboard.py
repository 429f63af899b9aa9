"""`load_result` of leaderboard.json: its tables and its figure are those of the leaderboard; and figures with --why."""

import json
from dataclasses import replace

import msgspec
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.drawing.cell_charts import model_classes
from layoutcm.drawing.line_charts import forgiveness_lines
from layoutcm.drawing.paper.charts import draw
from layoutcm.drawing.paper.figure_style import figure_bytes
from layoutcm.drawing.row_charts import cause_bars, slice_dots
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.report import report_files
from layoutcm.report.leaderboard_files import write_board_files
from layoutcm.tables.leaderboard_tables import class_grid
from layoutcm.tables.slice_tables import slice_table
from support.comparisons import compare_all_of_sample, compare_sample, different_labels, three_pages


@pytest.fixture(scope="module")
def board():
    return lcm.leaderboard(compare_all_of_sample())


@pytest.fixture(scope="module")
def file(board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
        write_board_files(board, board.result(), folder)
    return folder / "leaderboard.json"


def test_tables_are_those_of_the_leaderboard(board, file):
    found = lcm.load_result(file)
    assert isinstance(found, lcm.LeaderboardResult)
    assert (found.models, found.baseline, found.order) == (board.models, board.baseline, board.figure)
    for name in ("table", "differences", "classes"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(board, name), rtol=0, atol=1e-15)
    assert found.recipes == {name: board.intervals[name].recipe for name in board.models}
    assert found.causes is None
    assert repr(found) == "<LeaderboardResult by macro_f1: c, a, b; baseline a>"


def test_a_notebook_shows_the_same_live_and_loaded(board, file, monkeypatch):
    html = board._repr_html_()
    assert html == lcm.load_result(file)._repr_html_() == lcm.load_result(board.as_dict())._repr_html_()
    assert all(f"<th>{title}</th>" in html for title in ("AP", "panoptic quality", "object F1"))
    monkeypatch.setattr("layoutcm.models.leaderboard.MOST_PAGES", 59)
    large = replace(board)
    html = large._repr_html_()
    assert "not counted: AP, panoptic quality, object F1" in html
    assert html == lcm.load_result(large.as_dict())._repr_html_()


def test_the_figure_is_that_of_the_report(board, file):
    figure = figure_bytes(lcm.load_result(file).figure(), "svg")
    assert figure == figure_bytes(draw(model_classes(class_grid(board.shown))), "svg")
    assert figure == (file.parent / "figures" / "model-classes.svg").read_bytes()


def test_wrong_files(file):
    good = json.loads(file.read_text("utf-8"))
    for key, value, words in (
        ("schema", "3.0", "the result has version 3.0"),
        ("models", 3, "expected `array`, got `int`"),
        ("recipes", None, "expected `object`, got `null`"),
    ):
        with pytest.raises(lcm.InputError) as error:
            lcm.load_result(good | {key: value})
        assert words in str(error.value)
    with pytest.raises(lcm.InputError, match="this is a leaderboard"):
        lcm.gate(good, "macro.f1=0")


def test_figures_of_why_and_slices_are_those_of_the_report():
    c = compare_sample()
    made = result_of(c, asked=Asked(why=True, slices="doc_category"))
    result = lcm.load_result(made.to_json())
    expected = {
        "causes": cause_bars(c.causes(), c.confusion()),
        "forgiveness": forgiveness_lines(c.forgiveness(), c.recipe),
        "slices": slice_dots(slice_table(made.slices)),
    }
    for name, chart in expected.items():
        assert figure_bytes(result.figure(name), "svg") == figure_bytes(draw(chart), "svg"), name


def test_figures_that_a_result_has_no_numbers_for():
    plain = lcm.load_result(result_of(three_pages()).to_json())
    for name in ("causes", "slices", "forgiveness"):
        with pytest.raises(lcm.InputError, match=f"'{name}' is not known"):
            plain.figure(name)


def test_figures_of_causes_are_those_of_method_matrix(two_pages):
    c = lcm.compare(*two_pages)
    tensor = lcm.load_result(result_of(c, "tensor", Asked(why=True)).to_json())
    expected = {
        "causes": cause_bars(c.causes(), c.confusion()),
        "forgiveness": forgiveness_lines(c.forgiveness(), c.recipe),
    }
    for name, chart in expected.items():
        assert figure_bytes(tensor.figure(name), "svg") == figure_bytes(draw(chart), "svg"), name


def test_a_number_can_be_quoted():
    c = compare_sample()
    result = lcm.load_result(result_of(c, asked=Asked(intervals=True)).to_json())
    digests = [result.inputs[side]["sha256"][:12] for side in ("gt", "pred")]
    files = f"gt.json sha256 {digests[0]}, model-a.json sha256 {digests[1]}"
    assert result.quote() == f"macro F1, without Background 0.810 (0.770 – 0.845); {files}; {result.intervals.recipe}"
    assert result.intervals.recipe == c.recipe_for("matrix", of="documents", interval="jackknife", level=0.95)
    assert result.quote("objects.ap").startswith("AP 0.539; ")
    assert result.quote("objects.ap").endswith(c.recipe_for(None, objects="box"))
    assert result.quote("class.Table.f1").startswith("class.Table.f1 0.887 (0.689 – 0.965); ")
    assert msgspec.to_builtins(result.headline) == result.data["headline"]
    assert "gt in memory" in result_of(three_pages()).quote("micro.f1")
    with pytest.raises(lcm.InputError, match=r"there is no figure 'macro\.f2'"):
        result.quote("macro.f2")
    with pytest.raises(lcm.InputError, match="it is not defined in this result"):
        result_of(different_labels()).quote("macro.f1")
