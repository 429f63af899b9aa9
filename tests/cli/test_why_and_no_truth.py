"""The options --why and --no-truth: what is printed, written and refused."""

import json

import openpyxl
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.report import report_files
from layoutcm.wording import difference_text, threshold_text
from support.paths import SAMPLE
from support.results import assert_valid

GT, MODEL_A, MODEL_C = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-c.json"))
NO_TRUTH = ("--no-truth", "--like", GT)


@pytest.fixture
def quick_figures(monkeypatch):
    """Only the figures of causes and scores, and the matrix of A and B."""
    every = report_files.figure_names
    kept = lambda result: [name for name in every(result) if result.agreement or name in report_files.WHY_FIGURES]
    monkeypatch.setattr(report_files, "figure_names", kept)
    monkeypatch.setattr(report_files, "FIGURE_FORMATS", ("svg",))


def test_why_adds_causes_and_forgiveness_everywhere(tmp_path, printed, quick_figures):
    target = tmp_path / "out.json"
    text = printed(["compare", GT, MODEL_A, "--why", "--json", str(target), "-o", str(tmp_path / "r")])
    assert "why pixels are wrong" in text
    assert "if borders may be off by       micro F1 macro F1 content F1 of the 2x2 matrix" in text
    thresholds = text[text.index("best score thresholds") :].splitlines()
    line = next(line for line in thresholds if line.startswith("Table "))
    assert "best score thresholds" in text and "cross-validated over 30 documents" in text
    found = json.loads(target.read_text())
    assert_valid(found)
    gt = lcm.read(GT)
    c = lcm.compare(gt, lcm.read(MODEL_A, like=gt))
    assert found["causes"]["totals"] == pytest.approx(c.causes().totals)
    assert found["forgiveness"] == c.forgiveness().to_dict("records")
    curves = c.score_curves()
    table = next(one for one in found["score_curves"]["classes"] if one["label"] == "Table")
    best = curves.gains().set_index("label").loc["Table"]
    assert [table[name] for name in ("f1", "gain")] == [best["f1"], best["gain"]]
    assert (table["roc_auc"], table["ece"]) == (curves.roc_auc["Table"], curves.ece["Table"])
    assert line.split()[1:] == [
        threshold_text(best["threshold"]),
        f"{table['present_f1']:.3f}",
        f"{best['f1']:.3f}",
        difference_text(table["gain"]),
        *(f"{table[name]:.3f}" for name in ("roc_auc", "ece")),
    ]
    assert found == json.loads((tmp_path / "r" / "result.json").read_text())
    loaded = lcm.load_result(target)
    assert loaded.as_dict() == found and loaded.agreement is None
    drawn = sorted(path.name for path in (tmp_path / "r" / "figures").iterdir())
    assert drawn == ["calibration.svg", "causes.svg", "forgiveness.svg", "thresholds.svg"]
    sheets = openpyxl.load_workbook(tmp_path / "r" / "report.xlsx").sheetnames
    causes = {"Causes", *(f"Causes by {level}" for level in ("label", "document", "page"))}
    assert {*causes, "Forgiveness", "Thresholds", "Calibration"} <= set(sheets)
    page = (tmp_path / "r" / "report.html").read_text("utf-8")
    assert page.count('"data:image/svg+xml;base64,') == 4 and "only border slack" in page


def test_without_why_no_cause_is_counted(tmp_path, printed, monkeypatch):
    monkeypatch.setattr("layoutcm.diagnosis.causes.CauseSource.of_all_pages", lambda *_: pytest.fail("counted"))
    text = printed(["compare", GT, MODEL_A, "--json", str(tmp_path / "x.json")])
    assert "31.6 % of the wrong pixels are only border slack" in text and "why pixels" not in text
    assert not {"causes", "forgiveness", "agreement"} & set(json.loads((tmp_path / "x.json").read_text()))


def test_without_truth_the_text_speaks_of_a_and_b(tmp_path, printed, quick_figures):
    target = tmp_path / "out.json"
    command = ["compare", MODEL_A, MODEL_C, *NO_TRUTH, "--json", str(target), "-o", str(tmp_path / "r")]
    text = printed(command)
    assert "A (model-a.json) and B (model-c.json) have the same labels on 92.0 % of all pixels" in text
    assert not any(word in text for word in ("precision", "recall", "ground truth", "gt", "pred", "wrong"))
    found = json.loads(target.read_text())
    assert_valid(found)
    assert found["agreement"]["observed"] == pytest.approx(0.92, abs=0.005)
    assert found["recipe"].startswith("A:model-a|B:model-c|") and found["recipe_fields"]["A"] == "model-a"
    loaded = lcm.load_result(target)
    assert loaded.as_dict() == found and loaded.confusion().side_names == ("A", "B")
    page = (tmp_path / "r" / "report.html").read_text("utf-8")
    assert '"sides":["A","B"]' in page and '"measured":"agreement"' in page
    drawing = (tmp_path / "r" / "figures" / "confusion.svg").read_text("utf-8")
    assert ">A<" in drawing and ">B<" in drawing and ">gt<" not in drawing
    book = openpyxl.load_workbook(tmp_path / "r" / "report.xlsx")
    assert [book["Summary"].cell(row, 1).value for row in (1, 2)] == ["A", "B"]
    assert {"Label agreement", "Review"} <= set(book.sheetnames) and "Recall" not in book.sheetnames


def test_a_report_without_truth_can_be_written_again(tmp_path, quick_figures):
    command = ["compare", MODEL_A, MODEL_C, *NO_TRUTH, "-o", str(tmp_path / "r")]
    assert [main(command), main(command)] == [0, 0]


def test_the_minimum_score_holds_for_both_sides(printed):
    given = ["compare", MODEL_A, MODEL_A, *NO_TRUTH, "--min-score", "0.9"]
    assert "have the same labels on 100 % of all pixels" in printed(given)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ((MODEL_A, MODEL_C, MODEL_A, *NO_TRUTH), "--no-truth: 3 files"),
        ((MODEL_A, MODEL_C, *NO_TRUTH, "--why"), "--no-truth: --why needs a ground truth"),
        ((MODEL_A, MODEL_C, *NO_TRUTH, "--intervals", "9"), "--no-truth: --intervals needs"),
        ((MODEL_A, MODEL_C, *NO_TRUTH, "--slices"), "--no-truth: --slices needs"),
        ((MODEL_A, MODEL_C, *NO_TRUTH, "--attributes", "pages.csv"), "--no-truth: --attributes needs"),
        ((GT, MODEL_A, "--like", GT), "--like: the ground truth has page sizes"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, place, refusal):
    assert place in refusal(["compare", *arguments])


def test_a_page_with_too_many_regions_has_no_causes_but_all_other_numbers(tmp_path, printed, monkeypatch):
    monkeypatch.setattr("layoutcm.diagnosis.causes.MOST_REGIONS", 10)
    target = tmp_path / "out.json"
    text = printed(["compare", GT, MODEL_A, "--why", "--json", str(target)])
    assert "[warning] There are no causes of wrong pixels, because the page" in text
    assert "macro, without Background" in text and "only for pages with at most 10" in text
    found = json.loads(target.read_text())
    assert "causes" not in found and found["findings"][-1]["code"] == "no-causes"
