"""Results of schema 1.0, which lack what was added since, are read, reported and used as a baseline."""

import pytest

import layoutcm as lcm
from support.results import full_result
from support.sample_comparisons import compare_sample
from support.three_pages import three_pages

ADDED = {"measures", "vocabulary", "weights", "border_slack", "page_scores"}
IN_PARTS = {
    "curve", "curves", "reliability", "gt_places", "pred_places", "class_blind_counts", "note", "documents_needed",
    "tests", "whole", "review_count",
}  # fmt: skip


def of_first_schema(value):
    """The result without the keys that 1.0 did not have."""
    if isinstance(value, dict):
        return {key: of_first_schema(item) for key, item in value.items() if key not in IN_PARTS}
    return [of_first_schema(item) for item in value] if isinstance(value, list) else value


def first_schema(compared, **asked):
    now = full_result(compared, **asked)
    return {**{key: of_first_schema(one) for key, one in now.items() if key not in ADDED}, "schema": "1.0"}


@pytest.fixture(scope="module")
def old():
    return first_schema(compare_sample(), why=True, intervals=5, slices=True, families="doclaynet")


def test_figures_are_those_of_the_comparison(old):
    assert lcm.load_result(old).figures == compare_sample().result(intervals=False).figures


def test_a_report_is_written(old, tmp_path, quick):
    files = {path.name for path in lcm.load_result(old).write_report(tmp_path / "report").rglob("*")}
    assert {"report.html", "report.xlsx", "classes.tex", "families.tex"} <= files


def test_it_is_a_baseline(old):
    assert lcm.gate(compare_sample(), baseline=old).passed


def test_agreement_of_documents_is_not_known(tmp_path, quick):
    old = first_schema(three_pages(truth=False))
    documents = [{key: one for key, one in row.items() if key != "agreement"} for row in old["by_document"]]
    result = lcm.load_result(old | {"by_document": documents})
    assert result.vocabulary.sides == ("A", "B")
    assert result.document_table()["agreement"].isna().all()


def test_measures_that_a_file_lacks_are_read_off_its_parts():
    now = full_result(three_pages())
    assert lcm.load_result(now | {"measures": {}}) == lcm.load_result(now)
