"""A report of a result that was read back has the bytes of the report of the comparison."""

import pytest

import layoutcm as lcm
from support.layouts import build
from support.paths import SAMPLE
from support.three_pages import different_labels, three_pages

# What needs regions: listed in docs/reports.md.
NEEDS_REGIONS = {"ranked_pairs.csv", "report.html", "report.xlsx"}


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sample(model):
    gt = lcm.read(SAMPLE / "gt.json")
    return lcm.compare(gt, lcm.read(SAMPLE / f"{model}.json", like=gt))


CASES = {
    "scores": lambda: (sample("model-a"), {"why": True, "intervals": 5, "slices": True, "families": "doclaynet"}),
    "no scores": lambda: (sample("model-c"), {"why": True, "intervals": 5, "method": "tensor", "per_page": True}),
    "three pages": lambda: (three_pages(), {}),
    "different labels": lambda: (different_labels(), {"why": True, "intervals": 5, "slices": True}),
    "no page": lambda: (lcm.compare(build({}, []), build({}, [])), {"why": True, "intervals": 5}),
}


def no_truth():
    gt = lcm.read(SAMPLE / "gt.json")
    sides = [lcm.read(SAMPLE / f"model-{name}.json", like=gt) for name in "ac"]
    return lcm.compare(*sides, truth=False), {}


@pytest.mark.parametrize("case", [*CASES, "no truth"])
def test_all_files_that_need_no_regions_are_the_same(case, tmp_path):
    compared, asked = (CASES | {"no truth": no_truth})[case]()
    compared.write_report(tmp_path / "own", **asked)
    lcm.load_result(tmp_path / "own/result.json").write_report(tmp_path / "again")
    own, again = files_of(tmp_path / "own"), files_of(tmp_path / "again")
    assert set(own) - set(again) <= {"ranked_pairs.csv"} and not set(again) - set(own)
    assert [name for name in again if name not in NEEDS_REGIONS and again[name] != own[name]] == []
    assert len(again) > 10


def test_the_workbook_lacks_only_the_sheet_of_ranked_pairs(tmp_path):
    from openpyxl import load_workbook

    three_pages().write_report(tmp_path / "own", intervals=5)
    lcm.load_result(tmp_path / "own/result.json").write_report(tmp_path / "again")
    own, again = (load_workbook(tmp_path / name / "report.xlsx") for name in ("own", "again"))
    assert [name for name in own.sheetnames if name != "Ranked pairs"] == again.sheetnames
    for name in again.sheetnames:
        assert list(own[name].values) == list(again[name].values), name


def test_the_page_has_the_matrix_and_the_tables_and_says_why_it_has_no_pages(tmp_path):
    result = three_pages().result()
    page = (result.write_report(tmp_path / "report") / "report.html").read_text("utf-8")
    assert "This report was made from a result, which has no regions: no page is shown." in page
    assert '"pictures":[]' in page and '"averages":{' in page
