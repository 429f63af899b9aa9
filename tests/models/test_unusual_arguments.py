"""Arguments of the diagnosis functions that are wrong, or of an unusual type."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.cli.reading import report_names
from support.paths import ROOT

SAMPLE = ROOT / "sample_data"
GT, MODEL_A = str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json")
ROWS = [{"page": "p", "label": "a", "x0": 0, "y0": 0, "x1": 5, "y1": 5}]


@pytest.fixture(scope="module")
def layout():
    return lcm.read(ROWS, sizes=(10, 10))


@pytest.fixture(scope="module")
def compared(layout):
    return lcm.compare(layout, lcm.read(ROWS, sizes=(10, 10)))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda c: c.pages_behind("a", "a", cause="nope"), "'nope' is not known"),
        (lambda c: c.forgiveness(0.1), "0.1 is not a list"),
        (lambda c: c.forgiveness(None), "None is not a list"),
        (lambda c: c.causes(tolerance=True), "True is not a share"),
        (lambda c: lcm.suggest_mapping(c.alignment.layouts[0], None), "None is not a layout"),
        (lambda c: lcm.compare(*c.alignment.layouts, min_score={"a": True}), "True is not a finite number"),
    ],
    ids=["cause", "tolerance alone", "no tolerances", "tolerance True", "no layout", "score True"],
)
def test_wrong_arguments_are_explained(compared, call, problem):
    with pytest.raises(lcm.InputError, match=problem):
        call(compared)


def test_numbers_of_numpy_are_numbers(compared):
    assert compared.causes(tolerance=np.float32(0.25)).tolerance == 0.25
    assert lcm.compare(*compared.alignment.layouts, min_score={"a": np.float32(0.5)}).pixels == 100


def test_causes_of_equal_layouts_are_zeros_of_floats(compared):
    values = compared.causes().values
    assert values.dtype == np.float64 and not values.any()


def test_two_scores_for_one_label_are_refused(capsys):
    assert main(["compare", GT, MODEL_A, "--min-score", "Table=0.1", "Table=0.2"]) == 2
    assert "two minimum scores for the label 'Table'" in capsys.readouterr().err
    assert main(["compare", GT, MODEL_A, "--min-score", "0.1", "0.2"]) == 2
    assert "two minimum scores for all labels" in capsys.readouterr().err


def test_label_errors_without_a_common_page(layout):
    other = lcm.read([{**ROWS[0], "page": "q"}], sizes=(10, 10))
    with pytest.raises(lcm.InputError, match="no page in common"):
        lcm.label_errors([lcm.compare(layout, other)])


def test_a_name_of_points_is_no_folder(tmp_path):
    files = [str(tmp_path / name) for name in ("...json", "..json", "a.json")]
    assert report_names(files) == ["prediction", "prediction-2", "a"]
