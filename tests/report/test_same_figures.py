"""One walk through all outputs of the sample: the same figure is equal everywhere, to the digits shown.

The API is the reference. Each output is read back by what a person sees of it: a row of a table, a line, a metric.
"""

import contextlib
import io
import json
import re

import openpyxl
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.report import report_files
from layoutcm.wording import difference_text, pixels_in_full, score_text
from support.app_runner import opened
from support.paths import SAMPLE
from support.written_reports import GT, MODEL_A, data_of

SCORES = ("precision", "recall", "f1")
MODEL_C = str(SAMPLE / "model-c.json")
FIGURES = {
    "micro_f1": "micro F1, without Background",
    "macro_f1": "macro F1, without Background",
    "content_f1": "content F1, against Background",
}
LINES = {"micro_f1": "micro, without", "macro_f1": "macro, without", "content_f1": "content, against"}


@pytest.fixture(scope="module")
def figures(sample):
    """{(average or class, score): value}, from the API alone."""
    m = sample.confusion()
    rows = {f"{kind}, without Background": m.average(kind) for kind in ("micro", "macro", "weighted")}
    rows |= {f"{kind}, with Background": m.average(kind, True) for kind in ("micro", "macro", "weighted")}
    rows |= {f"macro, mean over {over}": sample.average("macro", over=over) for over in ("pages", "documents")}
    rows |= {"content, against Background": sample.content()}
    classes = m.classes().set_index("label")
    rows |= {label: classes.loc[label] for label in classes.index}
    return {(name, score): float(row[score]) for name, row in rows.items() for score in SCORES}


@pytest.fixture(scope="module")
def objects(sample):
    """{measure: value} of objects, from the API alone."""
    o = sample.objects()
    found = {"AP": o.ap, "AP50": o.ap50, "AP75": o.ap75, "APsmall": o.ap_small, "AR100": o.ar100}
    return found | {
        f"object {name}, at IoU 0.50": o.scores_at(0.5)[key]
        for name, key in zip(("precision", "F1"), ("precision", "f1"))
    }


def names_of(figures):
    return list(dict.fromkeys(name for name, _ in figures))


def assert_texts(found, figures, digits):
    """`found` is {(name, score): text}; every text is its figure to these digits."""
    assert found
    for key, text in found.items():
        assert text == score_text(figures[key], digits), key


def test_terminal(figures, objects, sample, printed):
    out = printed(["compare", GT, MODEL_A])
    found = {}
    for name in names_of(figures):
        line = next((line for line in out.splitlines() if line.startswith(f"{name} ")), None)
        if line:
            numbers = re.findall(r"[<\d.,]+", line.removeprefix(name))
            of_scores = numbers[-4:-1] if len(numbers) == 6 else numbers[-3:]  # the last of a class is its IoU
            found |= {(name, score): text for score, text in zip(SCORES, of_scores)}
    assert_texts(found, figures, 3)
    assert len(found) == 3 * (7 + len(sample.labels))
    line = next(line for line in out.splitlines() if line.startswith("AP "))
    assert line.startswith(f"AP {score_text(objects['AP'])}, AP50 {score_text(objects['AP50'])}, AP75")
    assert f"{pixels_in_full(sample.pixels)} pixels" in out


def test_json(figures, objects, folder):
    found = json.loads((folder / "result.json").read_text("utf-8"))
    shown = {f"{kind}, without Background": found["averages"][kind] for kind in found["averages"]}
    shown |= {f"{kind}, with Background": row for kind, row in found["averages_with_background"].items()}
    shown |= {f"macro, mean over {over}": found[f"averages_over_{over}"]["macro"] for over in ("pages", "documents")}
    shown |= {row["label"]: row for row in found["classes"]} | {"content, against Background": found["content"]}
    assert {(name, score): row[score] for name, row in shown.items() for score in SCORES} == pytest.approx(
        figures, abs=1e-12
    )
    assert found["objects"]["ap"] == pytest.approx(objects["AP"], abs=1e-12)
    assert found["objects"]["at_iou"]["f1"] == pytest.approx(objects["object F1, at IoU 0.50"], abs=1e-12)


def test_workbook(figures, objects, folder):
    book = openpyxl.load_workbook(folder / "report.xlsx")
    summary = {row[0].value: row for row in book["Summary"].iter_rows() if row[0].value}
    classes = {row[0].value: [row[0], *row[3:6]] for row in book["Classes"].iter_rows(min_row=2)}
    for name in names_of(figures):
        cells = (classes.get(name) or summary[name])[1:4]
        for score, cell in zip(SCORES, cells):
            assert cell.value == pytest.approx(figures[name, score], abs=1e-12), (name, score)
            assert as_excel_shows(cell) == score_text(figures[name, score], 4)
    for name, value in objects.items():
        assert summary[name][1].value == pytest.approx(value, abs=1e-12)


def as_excel_shows(cell):
    """The text of a number cell: four decimals, or the fixed text of its format."""
    return f"{cell.value:.4f}" if cell.number_format == "0.0000" else cell.number_format.split(";")[0].strip('"')


def test_html(figures, objects, folder):
    tables = data_of(folder / "report.html")["tables"]
    shown = {row[0]: row[1:4] for row in tables["averages"]["rows"]}
    shown |= {row[0]: row[3:6] for row in tables["classes"]["rows"]}
    values = {(name, score): value for name, row in shown.items() for score, value in zip(SCORES, row)}
    assert values == pytest.approx(figures, abs=1e-12)
    measures = dict(tables["object_scores"]["rows"])
    assert {name: measures[name] for name in objects} == pytest.approx(objects, abs=1e-12)


def test_latex(figures, folder):
    found = {}
    for name, first in (("averages", 1), ("classes", 3)):
        for line in (folder / "tables" / f"{name}.tex").read_text("utf-8").splitlines():
            cells = [cell.strip() for cell in line.removesuffix(r" \\").split(" & ")]
            title = cells[0].replace("-{}", "-")
            if (title, "f1") in figures:
                texts = [cell.replace("$<$", "<") for cell in cells[first : first + 3]]
                found |= {(title, score): text for score, text in zip(SCORES, texts)}
    assert set(found) == set(figures)
    assert_texts(found, figures, 3)


def leaderboard_on_screen():
    app = opened("models", load="sample")
    assert not app.exception
    return next(one.proto.body for one in app.get("html") if "<table" in one.proto.body)


def test_dashboard(figures, sample):
    models = leaderboard_on_screen()
    for name in ("macro, without Background", "content, against Background"):
        assert score_text(figures[name, "f1"]) in models, name
    assert score_text(sample.objects().ap) in models
    app = opened("errors", load="sample")
    assert not app.exception
    classes = next(one.value for one in app.dataframe if "f1" in one.value and "label" in one.value)
    shown = {row.label: row for row in classes.itertuples(index=False)}
    assert set(sample.labels) == set(shown)
    for name in sample.labels:
        for score in SCORES:
            assert score_text(float(getattr(shown[name], score))) == score_text(figures[name, score]), (name, score)


@pytest.fixture(scope="module")
def differing(tmp_path_factory):
    """The report, JSON and terminal text of the second of two predictions, with intervals; and the API's difference."""
    place = tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(report_files, "figure_names", lambda *_: [])
        patched.setattr(report_files, "write_differences", lambda *_: "")
        arguments = ["compare", GT, MODEL_A, MODEL_C, "--intervals", "-o", str(place / "out")]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert main(arguments) == 0
    gt = lcm.read(GT)
    a, c = (lcm.compare(gt, lcm.read(file, like=gt)) for file in (MODEL_A, MODEL_C))
    return place / "out" / "model-c", out.getvalue(), c.bootstrap(), lcm.difference(a, c)


def test_intervals_and_verdicts(differing):
    folder, out, intervals, difference = differing
    found = json.loads((folder / "result.json").read_text("utf-8"))
    book = openpyxl.load_workbook(folder / "report.xlsx")
    tables = data_of(folder / "report.html")["tables"]
    summary, changes = out.split("pred:model-c")[1], out.split("F1 minus that of model-a")[1]
    for figure, title in FIGURES.items():
        _, low, high = intervals.figures[figure]
        change = difference.headline.set_index("figure").loc[figure]
        shown = [next(row for row in found[key]["headline"] if row["figure"] == figure)
                 for key in ("intervals", "difference_from_first")]  # fmt: skip
        assert [shown[0]["low"], shown[0]["high"]] == pytest.approx([low, high], abs=1e-12)
        assert all(shown[1][name] == change[name] for name in ("value", "p", "verdict"))
        line = next(line for line in summary.splitlines() if line.startswith(LINES[figure]))
        assert line.endswith(f"{score_text(low)} – {score_text(high)}")
        line = next(line for line in changes.splitlines() if line.startswith(LINES[figure]))
        ends = f"{difference_text(change['low']):>7} to {difference_text(change['high']):>7}"
        assert difference_text(change["value"]) in line and ends in line
        words = ", ".join(word for word in (change["verdict"], change["remark"]) if word)
        assert score_text(change["p"]) in line and line.endswith(words)
        for name, values in (
            ("Intervals", [low, high]),
            ("Difference", [change["low"], change["high"], change["verdict"]]),
        ):
            row = next([cell.value for cell in row] for row in book[name].iter_rows() if row[0].value == title)
            assert row[2:4] == pytest.approx(values[:2], rel=1e-15) and row[4 : 2 + len(values)] == values[2:]
            html = next(row for row in tables[name.lower()]["rows"] if row[0] == title)
            assert html[2 : 2 + len(values)] == values
            text = (folder / "tables" / f"{name.lower()}.tex").read_text("utf-8").replace("$-$", "-")
            line = next(line for line in text.splitlines() if line.startswith(title))
            assert all(score_text(value) in line for value in values[:2]) and str(values[-1])[:4] in line
