"""The report of several predictions: every file that is about all of them is read back and compared with the API."""

import json
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.drawing.matrix_layers import make_layer
from layoutcm.drawing.palette import LIGHT, rgb
from layoutcm.drawing.web.matrix_data import difference_data
from layoutcm.filling.result_of import intervals_part
from layoutcm.models.cell_differences import cell_differences
from layoutcm.report import report_files
from layoutcm.report.leaderboard_files import matrices_of, write_board_files
from layoutcm.results.encoding import json_ready
from layoutcm.tables.leaderboard_tables import class_grid
from layoutcm.tables.matrix_views import view_values
from support import hostile
from support.comparisons import compare_all_of_sample
from support.layouts import build
from support.matrix_page import cell_colours, views_of
from support.written_reports import GT, MODEL_A, MODEL_B, Scripts, data_of, files_in, values

OWN_FILES = ["figures/model-classes.svg", "index.html", "leaderboard.csv", "leaderboard.json", "leaderboard.xlsx"]
OWN_FILES += ["model_classes.csv", "model_differences.csv", "model_documents.csv", "model_pages.csv"]
OWN_FILES += [f"tables/{name}.{suffix}" for name in ("leaderboard", "model_classes") for suffix in ("md", "tex")]
OF_OBJECTS = ["objects.ap", "objects.pq", "objects.f1"]


@pytest.fixture(scope="module")
def board():
    return lcm.leaderboard({f"model-{name}": compared for name, compared in compare_all_of_sample().items()})


def write_quickly(board, place):
    """The files of a leaderboard, with figures in one format."""
    place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
        write_board_files(board, board.result(), place)
    return place


@pytest.fixture(scope="module")
def place(board, tmp_path_factory):
    return write_quickly(board, tmp_path_factory.mktemp("boards") / "board")


def test_equal_input_gives_equal_files(board, place, tmp_path):
    assert files_in(place) == OWN_FILES
    again = write_quickly(lcm.leaderboard(board.comparisons), tmp_path / "again")
    for name in OWN_FILES:
        assert (place / name).read_bytes() == (again / name).read_bytes(), name


def test_json_and_csv_equal_the_api(board, place):
    found = json.loads((place / "leaderboard.json").read_text("utf-8"))
    assert found["kind"] == "leaderboard" and found["version"] == lcm.__version__ and found["schema"] == "2.0"
    assert found == board.result().data
    of_objects = {name: [found[name] for found in map(board.figures, board.models)] for name in OF_OBJECTS}
    tables = {"leaderboard": board.table.assign(**of_objects), "model_differences": board.differences}
    tables |= {"model_pages": board.pages(), "model_documents": board.documents()}
    for name, wanted in tables.items():
        read = pd.read_csv(place / f"{name}.csv", na_values=[""], keep_default_na=False)
        assert list(read) == list(wanted)
        for column in wanted:
            if wanted[column].dtype.kind in "if":
                np.testing.assert_allclose(read[column], wanted[column], rtol=1e-14)
            else:
                assert read[column].fillna("").tolist() == wanted[column].tolist()
    classes = pd.read_csv(place / "model_classes.csv").set_index("label")
    wanted = board.classes.set_index(["label", "model"])
    assert list(classes.index) == board.labels[1:]  # without Background
    for label, model in wanted.index.drop("Background"):
        assert classes.loc[label, f"f1: {model}"] == pytest.approx(wanted.loc[(label, model), "f1"], rel=1e-14)
        if model != board.baseline:
            assert classes.loc[label, f"verdict: {model}"] == wanted.loc[(label, model), "verdict"]
        low = wanted.loc[(label, model), "f1_low"]
        assert classes.loc[label, f"f1_low: {model}"] == pytest.approx(low, nan_ok=True)


def test_workbook_and_latex_have_the_numbers(board, place):
    book = openpyxl.load_workbook(place / "leaderboard.xlsx")
    titles = ["Leaderboard", "Model classes", "Model differences", "Model documents", "Model pages"]
    assert book.sheetnames == titles
    head, *rows = book["Leaderboard"].iter_rows(values_only=True)
    place_of = {
        name: head.index(name) for name in ("model", "macro F1, low", "panoptic quality", "difference", "verdict")
    }
    for row, wanted in zip(rows, board.table.to_dict("records")):
        assert row[place_of["model"]] == wanted["model"] and row[place_of["verdict"]] == wanted["verdict"]
        assert row[place_of["macro F1, low"]] == pytest.approx(wanted["macro_f1_low"], rel=1e-14)
        assert (row[place_of["difference"]] is None) == (wanted["model"] == board.baseline)
    pages = list(book["Model pages"].iter_rows(values_only=True))
    assert pages[0][3] == "F1: model-c" and pages[1][0] == board.pages()["page"][0]
    text = (place / "tables" / "leaderboard.tex").read_text("utf-8")
    ends = board.table.set_index("model").loc["model-b", ["difference_low", "difference_high"]]
    assert " to ".join(f"$-${abs(end):.3f}" for end in ends) in text
    best = board.table.iloc[0]
    assert f"& {best['macro_f1']:.3f} & {best['macro_f1_low']:.3f} – {best['macro_f1_high']:.3f} &" in text
    assert "no difference shown" in text and "baseline" in text
    text = (place / "tables" / "leaderboard.md").read_text("utf-8")
    ends = " – ".join(f"{best[f'macro_f1_{end}']:.3f}" for end in ("low", "high"))
    assert f"| {best['macro_f1']:.3f} | {ends} |" in text
    assert "Caption & " in (place / "tables" / "model_classes.tex").read_text("utf-8")


def test_the_page_has_the_numbers_of_the_api(board, place):
    data = data_of(place / "index.html")
    assert [model["name"] for model in data["models"]] == board.models and data["baseline"] == "model-a"
    table = data["tables"]["leaderboard"]
    figures = [name for title in ("macro F1", "micro F1", "content F1") for name in (title, f"interval of {title}")]
    assert table["columns"][:10] == ["model", *figures, "AP", "panoptic quality", "object F1"]
    assert [row[1] for row in table["rows"]] == board.table["macro_f1"].tolist()
    assert [row[3] for row in table["rows"]] == board.table["micro_f1"].tolist()
    (matrix,) = data["matrices"]  # all side by side
    assert matrix["diagonal"] and [model["name"] for model in matrix["models"]] == board.models
    for n, name in enumerate(board.models):
        confusion = board.comparisons[name].confusion()
        assert matrix["row_names"] == matrix["column_names"] == confusion.labels
        for view, wanted in (("recall", confusion.recall), ("pixels", confusion.values), ("f1", confusion.f1)):
            np.testing.assert_array_equal(views_of(matrix, n)[view], wanted)
    grid = class_grid(board.shown)
    np.testing.assert_array_equal(values(data["classes"]["values"]), grid.values)
    assert data["classes"]["numbers"][0] == [grid.number(0, j) for j in range(3)]


def test_the_page_opens_offline_in_light_and_dark(browser, board, place):
    grid = class_grid(board.shown)
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1500, "height": 900})
        page = context.new_page()
        errors, requested = [], []
        page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        page.on("request", lambda request, requested=requested: requested.append(request.url))
        page.goto((place / "index.html").as_uri())
        texts = page.locator("#model-classes .drawing text").all_text_contents()
        shown = [grid.number(i, j) for i in range(len(grid.labels)) for j in range(3)]
        assert [text for text in texts if text in shown and re.match(r"\d", text)] == shown
        places = [box.bounding_box()["y"] for box in page.locator("#matrices [data-model]").all()]
        assert len(set(places)) == 1  # side by side
        links = [link.get_attribute("href") for link in page.locator("#matrices .name a").all()]
        assert links == [f"{name}/report.html" for name in board.models]
        # The text has the colour of the page's text, so nothing else may be behind it.
        behind = "getComputedStyle(document.querySelector('#model-classes .drawing')).backgroundColor"
        assert page.evaluate(behind) == "rgba(0, 0, 0, 0)"
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not errors and len(requested) == 1
        if scheme == "light":
            check_colours(page, board)
        context.close()


def check_colours(page, board):
    """A cell has the colour of paper figures, whatever the other matrices are; pixels have one common scale."""
    for view, button in (("recall", "Recall"), ("pixels", "Pixels")):
        page.click(f"#views button:text-is('{button}')")
        found = [board.comparisons[name].confusion() for name in board.models]
        wrong = ~np.eye(len(found[0].labels), dtype=bool)
        top = 0.5 if view == "recall" else max(np.nanmax(one.values[wrong]) for one in found)
        for k, confusion in enumerate(found):
            layer = make_layer("miss", np.where(wrong, view_values(confusion, view), np.nan), LIGHT.miss, top=top)
            drawn = cell_colours(page, f"#matrices [data-model='{k}']")
            for i, j in zip(*np.nonzero(wrong)):
                colour = layer.colour(i, j)
                assert drawn[f"{i}-{j}"][0] == (f"rgb{rgb(colour)}" if colour else ""), (view, k, i, j)


def test_with_why_all_files_have_causes_and_without_it_none_has(board, place, tmp_path):
    assert "model_causes" not in data_of(place / "index.html")["tables"]
    assert "causes" not in json.loads((place / "leaderboard.json").read_text("utf-8"))
    (tmp_path / "why").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
        write_board_files(board, board.result(why=True), tmp_path / "why")
    assert files_in(tmp_path / "why") == sorted([*OWN_FILES, "model_causes.csv"])
    found, wanted = json.loads((tmp_path / "why" / "leaderboard.json").read_text("utf-8")), board.causes()
    assert found["causes"] == json_ready(wanted.to_dict("records"))
    pixels = wanted.set_index("model").loc["model-a"]
    book = openpyxl.load_workbook(tmp_path / "why" / "leaderboard.xlsx")
    table = data_of(tmp_path / "why" / "index.html")["tables"]["model_causes"]
    for head, *rows in (list(book["Model causes"].iter_rows(values_only=True)), [table["columns"], *table["rows"]]):
        share, count = head.index("share of wrong pixels: model-a"), head.index("pixels: model-a")
        rows = {row[0]: row for row in rows}
        assert rows["missed"][share] == pytest.approx(pixels["missed"] / pixels.sum())
        assert rows["label"][count] == pytest.approx(pixels["label"])
        assert rows["all"][count] == pytest.approx(pixels.sum()) and rows["all"][share] == 1


def test_differences_have_readable_names_and_no_bars_under_ends(board, place):
    tables = data_of(place / "index.html")["tables"]
    table = tables["model_differences"]
    assert table["columns"][:6] == ["model", "figure", "difference", "low", "high", "p"]
    assert table["kinds"][2:6] == ["number"] * 4
    assert table["rows"][0][1] == "micro precision, without Background"
    assert "for each figure corrected for all predictions (Holm)" in table["note"][0]
    assert "for all classes and all predictions of this table" in tables["model_classes"]["note"][0]


def test_matrices_of_other_labels_have_their_own_lists():
    """x has the labels of gt and one more, y has others; the colours of x do not depend on y."""
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 5, 10, 10)])
    x = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5), ("p", "c", 0, 5, 10, 8)], ["a", "b", "c"])
    more = build({"p": (10, 10)}, [("p", "b", 0, 0, 10, 10)], ["b", "a", "d"])
    y = build({"p": (10, 10)}, [("p", "k", 0, 0, 10, 10)])
    named = {"x": x, "y": y, "more": more}
    board = lcm.leaderboard({name: lcm.compare(gt, pred) for name, pred in named.items()})
    alike, other = matrices_of(board)
    assert {model["name"] for model in alike["models"]} == {"x", "more"} and alike["diagonal"]
    assert alike["row_names"] == alike["column_names"] == ["Background", "a", "b", "c"]  # d is not used
    of_x = next(model for model in alike["models"] if model["name"] == "x")
    assert of_x["mass"][2] == [20, 0, 0, 30]
    assert [model["name"] for model in other["models"]] == ["y"] and not other["diagonal"]
    assert other["row_names"] == ["Background", "a", "b"] and other["column_names"] == ["Background", "k"]


def test_predictions_without_class_values_have_a_page_without_classes(tmp_path):
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5)])
    other = build({"p": (10, 10)}, [("p", "k", 0, 0, 10, 10)])
    place = write_quickly(lcm.leaderboard({name: lcm.compare(gt, other) for name in "xy"}), tmp_path / "r")
    assert "figures/model-classes.svg" not in files_in(place)
    assert data_of(place / "index.html")["classes"]["labels"] == []


def test_hostile_names_stay_text(tmp_path):
    names = ["</script><script>alert(1)</script>", "=1+1"]
    place = write_quickly(lcm.leaderboard({name: hostile.compared() for name in names}), tmp_path / "r")
    page = Scripts((place / "index.html").read_text("utf-8"))
    assert page.tags.count("script") == 2
    assert [model["name"] for model in json.loads(page.scripts["data"])["models"]] == names
    assert (place / "leaderboard.csv").read_text("utf-8").splitlines()[2].startswith('"\'=1+1"')


def test_write_report_writes_the_report_of_each_and_replaces_an_earlier_one(tmp_path, svg_only, monkeypatch):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5)])
    half = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 5)])
    board = lcm.leaderboard({"x": lcm.compare(gt, half), "y": lcm.compare(gt, gt)})
    for _ in range(2):  # the second one recognises the files of the first
        assert board.write_report(tmp_path / "r") == tmp_path / "r"
    names = files_in(tmp_path / "r")
    assert {*OWN_FILES, "x/report.html", "y/result.json", "y/figures/difference-f1.svg"} <= set(names)
    assert json.loads((tmp_path / "r/y/result.json").read_text())["leaderboard"]["rank"] == 1
    board.comparisons["x"].write_report(tmp_path / "r")  # as does the report of one prediction
    assert "index.html" not in files_in(tmp_path / "r")
    bad = lcm.leaderboard({"x": board.comparisons["x"], "a/b": board.comparisons["y"]})
    with pytest.raises(lcm.InputError, match="'a/b' cannot be the name of a folder"):
        bad.write_report(tmp_path / "s")


def test_the_command_writes_the_same_files_and_foreign_files_are_kept(tmp_path, svg_only, monkeypatch, refusal):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    target = tmp_path / "out"
    command = ["compare", GT, MODEL_A, MODEL_B, "-o", str(target)]
    assert main(command) == 0
    assert {*OWN_FILES} - {"figures/model-classes.svg"} <= set(files_in(target))
    gt = lcm.read(GT)
    named = {f"model-{k}": lcm.compare(gt, lcm.read(file, like=gt)) for k, file in (("a", MODEL_A), ("b", MODEL_B))}
    alone = write_quickly(lcm.leaderboard(named), tmp_path / "alone")
    for name in ("leaderboard.json", "index.html", "model_pages.csv"):
        assert (target / name).read_bytes() == (alone / name).read_bytes()
    (target / "leaderboard.txt").write_text("mine")
    assert "'leaderboard.txt', which no report has written" in refusal(command)


def test_a_prediction_cannot_take_the_name_of_a_file(tmp_path, svg_only, monkeypatch):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    text = "page,width,height,label,x0,y0,x1,y1\np,20,20,Text,0,0,{},9\n"
    for name in ("gt.csv", "index.html.csv", "tables.csv"):
        (tmp_path / name).write_text(text.format(len(name)))
    files = [str(tmp_path / name) for name in ("gt.csv", "index.html.csv", "tables.csv")]
    assert main(["compare", *files, "-o", str(tmp_path / "out")]) == 0
    assert {"index.html", "index.html-2/report.html", "tables-2/report.html"} <= set(files_in(tmp_path / "out"))


@pytest.fixture(scope="module")
def whole(board, tmp_path_factory):
    """The reports of all predictions, without files of figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "FIGURE_FORMATS", ())
        return board.write_report(tmp_path_factory.mktemp("whole") / "report")


def test_reports_of_a_leaderboard_have_its_intervals_and_its_verdicts(board, whole):
    """One family of tests in one report: a class has the same p and verdict in all files."""
    rows = {key: row for key, row in board.class_rows.items() if key[0] != "Background"}
    for name in board.models:
        own = lcm.load_result(whole / name / "result.json")
        assert own.interval_of("micro.f1").low == board.intervals[name].figures["micro_f1"][1]
        if name == board.baseline:
            assert own.difference_from_first is None
            continue
        found = {row.label: row for row in own.difference_from_first.classes if row.score == "f1"}
        assert {label: (row.p, row.verdict) for label, row in found.items()} == {
            label: tuple(json_ready([row["p"], row["verdict"]]))
            for (label, model), row in rows.items()
            if model == name
        }
        latex = (whole / name / "tables/difference.tex").read_text("utf-8")
        assert "corrected for all classes of 2 differences (Holm)" in latex


def test_the_diagonal_of_a_matrix_of_differences_has_the_verdicts_of_the_classes(board, whole):
    """The numbers are the same, and so are the verdicts, although other cells are not corrected for their number."""
    name = next(one for one in board.models if one != board.baseline)
    tested = {
        (row.label, row.score): row
        for row in lcm.load_result(whole / name / "result.json").difference_from_first.classes
    }
    pair = next(one for one in data_of(whole / name / "report.html")["pairs"] if one["name"] == board.baseline)
    verdicts = "The diagonal has the verdicts of the class scores, corrected for all classes of 2 differences"
    assert verdicts in pair["note"]
    rows, columns = pair["matrix"]["row_names"], pair["matrix"]["column_names"]
    changed = 0
    for view, found in pair["differences"].items():
        plain = cell_differences(board.comparisons[board.baseline], board.comparisons[name], view)
        shown = with_tests(plain, view, board, name).of_labels(rows, columns)
        for i, label in enumerate(rows):
            if label in columns and (label, view) in tested and tested[label, view].value is not None:
                at = (i, columns.index(label))
                assert found["values"][at[0]][at[1]] == pytest.approx(tested[label, view].value, abs=1e-6)
                assert shown.verdicts[at] == tested[label, view].verdict
                changed += plain.of_labels(rows, columns).verdicts[at] != shown.verdicts[at]
        assert difference_data(shown) | {"values": 0, "low": 0, "high": 0} == found | {"values": 0, "low": 0, "high": 0}
    assert changed


def with_tests(cells, view, board, name):
    return cells.with_class_tests(view, intervals_part(board.differences_by_model[name]).classes)
