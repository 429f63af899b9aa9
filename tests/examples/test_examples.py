"""The examples run and have the numbers of the comparison."""

import os
import runpy
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient

import layoutcm as lcm
from support.comparisons import compare_sample
from support.detector_results import Detections
from support.paths import ROOT, SAMPLE

EXAMPLES = ROOT / "examples"
ORDER = 1e-12  # of pages, which merging changes, so sums differ in their last digits


@pytest.fixture(scope="module")
def figures():
    return compare_sample().result(intervals=False).figures


def test_the_validation_loop(figures, capsys, monkeypatch):
    """In this process: that evaluators of other processes are merged has a test of its own."""
    example = runpy.run_path(str(EXAMPLES / "validation_loop.py"))
    merged = example["evaluate"](0, 2).merge(example["evaluate"](1, 2))
    assert len(merged) == 60 and merged.as_dict() == pytest.approx(figures, abs=ORDER)
    monkeypatch.setitem(
        example["main"].__globals__, "ProcessPoolExecutor", lambda *_: nullcontext(SimpleNamespace(map=map))
    )
    example["main"]()
    assert "60 pages, macro F1 0.810, AP 0.539" in capsys.readouterr().out


@pytest.mark.parametrize("processes", [1, 2])
def test_the_callback_of_a_stand_in_of_lightning(processes, figures, monkeypatch):
    """Two epochs, in one process and in two: the other one has every second page."""
    monkeypatch.setitem(sys.modules, "lightning", SimpleNamespace(Callback=object))
    pages = runpy.run_path(str(EXAMPLES / "validation_loop.py"))["sample_pages"]
    callbacks = runpy.run_path(str(EXAMPLES / "lightning_callback.py"))
    parts = [callbacks["LayoutFigures"](lcm.read(SAMPLE / "gt.json").labels) for _ in range(processes)]
    group = SimpleNamespace(
        all_gather_object=lambda found, own: found.__setitem__(slice(None), [p.evaluator for p in parts])
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(distributed=group))
    monkeypatch.setitem(sys.modules, "torch.distributed", group)
    trainer, logged = SimpleNamespace(world_size=processes), []
    for _ in range(2):
        for k, part in enumerate(parts):
            part.on_validation_epoch_start(trainer, None)
            names = ("pages", "sizes", "targets", "predictions")
            batch = dict(zip(names, zip(*pages(k, processes))))
            part.on_validation_batch_end(trainer, None, {"predictions": batch.pop("predictions")}, batch, 0)
        parts[0].on_validation_epoch_end(trainer, SimpleNamespace(log_dict=logged.append))
    expected = {f"val/{name}": value for name, value in figures.items() if value is not None}
    assert logged[0] == pytest.approx(expected, abs=ORDER) and logged[1] == logged[0]


def test_detections_of_a_stand_in_of_supervision(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "supervision", SimpleNamespace(Detections=Detections))
    runpy.run_path(str(EXAMPLES / "supervision_detections.py"), run_name="__main__")
    assert capsys.readouterr().out == "macro F1 0.810, AP50 0.795\n"


def test_figures_are_logged_to_a_stand_in_of_mlflow(figures, monkeypatch):
    logged = {}
    stand_in = SimpleNamespace(start_run=nullcontext, log_metrics=lambda values, step: logged.update({step: values}))
    monkeypatch.setitem(sys.modules, "mlflow", stand_in)
    runpy.run_path(str(EXAMPLES / "log_figures.py"), run_name="__main__")
    assert logged[0]["val/macro.f1"] == pytest.approx(figures["macro.f1"])
    assert logged[0]["val/class.Table.f1"] == pytest.approx(figures["class.Table.f1"])
    assert logged[1]["val/macro.f1"] > logged[0]["val/macro.f1"]
    assert "val/objects.ap" in logged[0] and "val/objects.ap" not in logged[1]  # model c has no scores


def test_figures_are_logged_to_stand_ins_of_wandb_and_tensorboard(figures):
    example = runpy.run_path(str(EXAMPLES / "log_figures.py"))
    evaluator = SimpleNamespace(as_dict=lambda prefix: {f"{prefix}macro.f1": 0.5, f"{prefix}objects.ap": None})
    runs, scalars = [], []
    run = SimpleNamespace(log=lambda values, step: runs.append((values, step)))
    writer = SimpleNamespace(add_scalar=lambda *given: scalars.append(given))
    example["log_to_wandb"](run, evaluator, 3)
    example["log_to_tensorboard"](writer, evaluator, 3)
    assert runs == [({"val/macro.f1": 0.5}, 3)] and scalars == [("val/macro.f1", 0.5, 3)]


def test_the_notebook_runs_and_shows_what_it_says(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)  # it is stored without outputs
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    shown = {cell.source.splitlines()[-1]: cell.outputs[-1].data for cell in notebook.cells if cell.cell_type == "code"}
    assert "<td>0.810</td>" in shown["c"]["text/html"] and "<script" not in shown["c"]["text/html"]
    assert '<td class="text">Text</td><td>406</td>' in shown["gt"]["text/html"]
    assert shown["c.show()"]["text/html"].startswith('<iframe sandbox="allow-scripts"')
    assert "data:image/webp" in shown['c.show_page(worst, images=f"{SAMPLE}/images")']["text/html"]
    assert "no difference shown" in shown['lcm.leaderboard({"model a": c, "model c": c2})']["text/html"]
    assert shown['round(e.as_dict()["macro.f1"], 3)']["text/plain"] == "0.81"
