"""The Evaluator takes torch tensors. `make test-torch` installs torch; `make test` has stand-ins."""

import runpy

import pytest

import layoutcm as lcm
from support.comparisons import compare_sample
from support.paths import ROOT


@pytest.mark.parametrize("precision", ["float64", "bfloat16"])
def test_tensors_of_torch(precision):
    """The form of torchmetrics in tensors; scores of half precision still have nearly the same order."""
    torch = pytest.importorskip("torch")
    expected = compare_sample()
    evaluator = lcm.Evaluator(expected.labels[1:])
    for page, size, *sides in runpy.run_path(str(ROOT / "examples" / "validation_loop.py"))["sample_pages"]():
        target, output = ({name: torch.tensor(values) for name, values in side.items()} for side in sides)
        output["scores"] = output["scores"].to(getattr(torch, precision))
        evaluator.update(target, output, page=page, size=torch.tensor(size))
    found, figures = evaluator.as_dict(), expected.result(intervals=False).figures
    assert found["macro.f1"] == pytest.approx(figures["macro.f1"])
    assert found["objects.ap"] == pytest.approx(figures["objects.ap"], abs=1e-12 if precision == "float64" else 0.01)
