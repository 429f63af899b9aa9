"""`layoutcm verify`: exit codes and output."""

import sys

import pytest

from layoutcm.cli.main import main
from layoutcm.metrics.objects import average_precision

GT = """page,label,x0,y0,x1,y1,width,height
p,a,0,0,5,5,9,9
q,b,0,0,5,5,9,9
"""
PRED = """page,label,x0,y0,x1,y1,width,height,score
p,a,0,0,5,4,9,9,0.9
r,B,0,0,10,10,18,18,0.6
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gt.csv").write_text(GT)
    (tmp_path / "pred.csv").write_text(PRED)
    (tmp_path / "map.csv").write_text("gt,pred\nq,r\n")
    (tmp_path / "labels.yaml").write_text("pred: {B: b}\n")
    return tmp_path


def verify(files, *options):
    return main(["verify", str(files / "gt.csv"), str(files / "pred.csv"), *options])


def test_all_numbers_agree(files, capsys):
    assert verify(files) == 0
    out = capsys.readouterr().out
    assert "3 of 3 pages recounted (seed 0): 486 pixels" in out  # 81 and 81 of gt, and r with 18 x 18
    assert out.splitlines()[-1].startswith("All numbers that were compared agree (largest deviation ")


def test_options_of_compare_work_here_too(files, capsys):
    page_map, mapping = str(files / "map.csv"), str(files / "labels.yaml")
    options = ["--page-map", page_map, "--mapping", mapping, "--rounding", "exact", "--method", "tensor"]
    assert verify(files, *options, "--min-score", "0.5", "--pages", "1", "--seed", "4") == 0
    out = capsys.readouterr().out
    for words in (
        "rounding:exact",
        "taxonomy:mapped",
        "method:tensor",
        "min_score:0.5",
        "1 of 2 pages recounted (seed 4)",
    ):
        assert words in out
    assert "rectangles between edges" in out and "81 pixels" in out


def test_a_wrong_cell_exits_with_1_and_names_the_place(files, capsys, monkeypatch):
    from layoutcm import comparison

    right = comparison.confusion_of

    def wrong(*arguments):
        confusion = right(*arguments)
        confusion.recall_mass[1, 1] += 0.5
        return confusion

    monkeypatch.setattr(comparison, "confusion_of", wrong)
    assert verify(files, "--taxonomy", "same") == 1
    out = capsys.readouterr().out
    assert "p: confusion matrix, row a, column a: layoutcm 20.5, drawing on pixels 20" in out
    assert "numbers do not agree (limit 1e-06)" in out.splitlines()[-1]


def test_a_wrong_ap_exits_with_1_and_names_it(files, capsys, monkeypatch):
    right = average_precision.coco_summary
    monkeypatch.setattr(average_precision, "coco_summary", lambda *values: right(*values) | {"AP75": 0.25})
    assert verify(files, "--taxonomy", "same") == 1
    out = capsys.readouterr().out
    assert "all pages: COCO's twelve numbers, AP75: layoutcm 0.25, pycocotools" in out
    assert out.splitlines()[-1].startswith("1 number does not agree")


def test_packages_that_are_not_installed_are_named(files, capsys, monkeypatch):
    for module in ("sklearn.metrics", "pycocotools.cocoeval"):
        monkeypatch.setitem(sys.modules, module, None)
    assert verify(files) == 0
    assert "\nnot installed: scikit-learn, pycocotools; install layoutcm[verify]\n" in capsys.readouterr().out


def test_bad_input_exits_with_2(files, capsys, refusal):
    assert main(["verify", "no.csv", "such.csv"]) == 2 and "no.csv: there is no such file" in capsys.readouterr().err
    assert "pages: 0 is not a whole number of 1 or more" in refusal(["verify", "no.csv", "such.csv", "--pages", "0"])
    with pytest.raises(SystemExit) as stopped:
        verify(files, "--pages", str(files / "map.csv"))
    assert stopped.value.code == 2 and "a page map is given with --page-map" in capsys.readouterr().err


def test_compare_accepts_both_names_of_the_page_map(files, capsys):
    summaries = []
    for name in ("--pages", "--page-map"):
        assert main(["compare", str(files / "gt.csv"), str(files / "pred.csv"), name, str(files / "map.csv")]) == 0
        summaries.append(capsys.readouterr().out)
    assert summaries[0] == summaries[1] and "2 pages" in summaries[0]
