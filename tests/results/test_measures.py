"""The list of measures: an entry is shown everywhere, and removing it removes it everywhere."""

import io
import re

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.results.measures import MEASURES, Measure, measure_of
from layoutcm.tables.latex_markdown import markdown
from layoutcm.tables.report_tables import table_of
from support.paths import ROOT, SAMPLE
from support.sample_comparisons import compare_sample

NAME, TITLE, VALUE = "pixels.iou", "Jaccard index of pixels", "0.8377"


def jaccard(result):
    """The intersection over union of all label pixels, from the micro F1."""
    f1 = result.measures.get("micro.f1") or result.averages.micro.f1
    return f1 / (2 - f1)


@pytest.fixture(params=[True, False], ids=["with the entry", "without it"])
def has_entry(request):
    own = [Measure(name=NAME, title=TITLE, value=jaccard)] if request.param else []
    MEASURES.extend(own)
    yield request.param
    del MEASURES[len(MEASURES) - len(own) :]


def anchors(page):
    """The anchors of the headings of a page."""
    lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
    titles = (line.lstrip("# ").lower() for line in lines if line[:1] == "#")
    return {re.sub(r"[^a-z0-9 -]", "", title).replace(" ", "-") for title in titles}


def test_names_are_unique_and_have_a_title_and_a_page():
    names = [one.name for one in MEASURES]
    assert len(set(names)) == len(names) == 72
    for one in MEASURES:
        page, _, anchor = one.url.partition("#")
        assert one.title and (not anchor or anchor in anchors(page)), one.name


def test_columns_of_intervals_are_those_of_measures_that_add_up():
    columns = set(compare_sample().bootstrap(5).figures)
    assert {one.column for one in MEASURES if one.adds_up} == columns


def test_a_title_of_a_column():
    assert measure_of("macro_f1_over_pages").title == "macro F1, mean over pages"
    assert measure_of("content.f1").short_title == "content F1"


def test_json(has_entry):
    result = compare_sample().result(intervals=False)
    assert (NAME in lcm.load_result(result.to_json()).measures) == has_entry
    assert (f"{NAME}" in result.figures) == has_entry


def test_terminal(has_entry, capsys):
    assert main(["compare", str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(TITLE)]
    assert lines == ([[*TITLE.split(), "0.838"]] if has_entry else [])


def test_markdown_table(has_entry):
    text = markdown(table_of(compare_sample().result(intervals=False), "measures"))
    assert (TITLE in text) == has_entry


def test_report(has_entry, tmp_path):
    """LaTeX, XLSX and HTML."""
    from openpyxl import load_workbook

    compare_sample().write_report(tmp_path / "report")
    assert (f"{TITLE} & {VALUE}" in (tmp_path / "report/tables/measures.tex").read_text()) == has_entry
    sheet = load_workbook(io.BytesIO((tmp_path / "report/report.xlsx").read_bytes()))["Measures"]
    rows = {row[1].value: row[2].value for row in sheet.rows}
    assert rows.get(TITLE) == (pytest.approx(float(VALUE), abs=1e-4) if has_entry else None)
    assert (TITLE in (tmp_path / "report/report.html").read_text()) == has_entry


def test_gate(has_entry):
    if has_entry:
        assert lcm.gate(compare_sample(), {NAME: 0.8}).passed and not lcm.gate(compare_sample(), {NAME: 0.9}).passed
    else:
        with pytest.raises(lcm.InputError, match=f"there is no figure '{NAME}'"):
            lcm.gate(compare_sample(), {NAME: 0.8})


def test_leaderboard_and_notebook(has_entry):
    board = lcm.leaderboard({"a": compare_sample(), "b": compare_sample(min_score=0.6)})
    assert (TITLE in board._repr_html_()) == has_entry
    assert (NAME in board.result(objects=False).model_rows[0].measures) == has_entry
    assert (TITLE in compare_sample()._repr_html_()) == has_entry
