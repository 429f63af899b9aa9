"""How often intervals contain the true value, and how often chance is called a difference: a part of the study."""

import importlib.util
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics import unit_sums
from support.layouts import build

PATH = Path(__file__).parents[2] / "benchmarks" / "coverage_study.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("coverage_study", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sums_of_the_study_are_those_of_a_comparison(study):
    """Each row of the study is a page of its own; documents and their sums are the same."""
    rng = np.random.default_rng(0)
    drawn = study.draw_documents(rng, 7)
    found = study.draw_prediction(rng, drawn, 0.5, 0)
    pages = {f"p{row:04}": (study.PAGE_WIDTH, study.ROW_HEIGHT) for row in range(drawn.label.size)}
    sides = []
    for label, boxes in ((drawn.label, np.tile(study.BOX, (len(pages), 1))), (found.label, found.boxes)):
        kept = [(page, k, box) for page, k, box in zip(pages, label, boxes) if k < len(study.LABELS)]
        sides.append(build(pages, [(page, study.LABELS[k], *box) for page, k, box in kept], study.LABELS))
    documents = {page: f"d{document:06}" for page, document in zip(pages, drawn.document)}
    expected = unit_sums.unit_sums(lcm.compare(*sides, documents=documents).levels, "matrix")
    sums = study.sums_of(drawn, found)
    assert (sums.names, sums.labels) == (expected.names, expected.labels)
    for name, values in sums.parts.items():
        np.testing.assert_allclose(values, expected.parts[name], err_msg=name)


def class_coverage(study, count, equal, runs):
    """The share of sets whose interval contains the true value, of each class and score of the study."""
    truth = study.true_values_of(study.draw_classes(np.random.default_rng(1), 50_000, equal))
    ends = np.stack([study.run_classes((count, seed, equal)) for seed in range(runs)])
    return study.coverage(ends, truth)[len(study.FIGURES) :]


def test_class_intervals_contain_the_true_value(study):
    """A share of 100 sets may be below 0.93 by chance; without room for unseen failures, 0.55 is the smallest."""
    assert np.nanmin(class_coverage(study, 10, False, 100)) >= 0.88


@pytest.mark.long
@pytest.mark.parametrize(("count", "equal"), list(product([10, 20, 50, 100, 101], [True, False])))
def test_class_intervals_contain_the_true_value_in_93_percent(study, count, equal):
    """No share of 500 sets is below 93 % by more than two standard errors of 1.1 points."""
    assert np.nanmin(class_coverage(study, count, equal, 500)) >= 0.93 - 2 * 0.011


def share_called_different(study, count, shared, runs):
    """float[figures]"""
    seeds = range(runs)
    called = [
        study.called_different(np.random.default_rng([seed, count, study.MODELS]), count, shared, seed, study.MODELS)
        for seed in seeds
    ]
    return np.mean(called, axis=0)


def test_one_of_five_equal_models_is_seldom_called_different(study):
    """Without a correction it is 8 % of these 40 sets, on average over the figures, and with more documents 15 %."""
    assert share_called_different(study, 8, 0.85, 40).mean() <= 0.06


@pytest.mark.long
@pytest.mark.parametrize(("count", "shared"), list(product([10, 20], [0.0, 0.85])))
def test_one_of_five_equal_models_is_called_different_in_6_percent(study, count, shared):
    assert share_called_different(study, count, shared, 500).max() <= 0.06
