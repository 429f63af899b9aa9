"""The examples with the packages that they are for. `make test-examples` installs these; `make test` has stand-ins."""

import runpy

import pytest

from support.comparisons import compare_sample
from support.paths import ROOT

EXAMPLES = ROOT / "examples"
# Warnings of these packages about themselves are not errors here.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def figures():
    return compare_sample().result(intervals=False).figures


def test_detections_of_supervision(capsys):
    pytest.importorskip("supervision")
    runpy.run_path(str(EXAMPLES / "supervision_detections.py"), run_name="__main__")
    assert capsys.readouterr().out == "macro F1 0.810, AP50 0.795\n"


def test_figures_are_logged_to_mlflow(figures, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a data base would need more packages
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    runpy.run_path(str(EXAMPLES / "log_figures.py"), run_name="__main__")
    client = mlflow.MlflowClient()
    (run,) = client.search_runs(["0"])
    logged = [metric.value for metric in client.get_metric_history(run.info.run_id, "val/macro.f1")]
    assert logged[0] == pytest.approx(figures["macro.f1"]) and len(logged) == 2
    assert run.data.metrics["val/objects.ap"] == pytest.approx(figures["objects.ap"])


def test_the_callback_of_lightning(figures):
    lightning = pytest.importorskip("lightning")
    pages = list(runpy.run_path(str(EXAMPLES / "validation_loop.py"))["sample_pages"]())
    names, sizes, targets, outputs = (list(column) for column in zip(*pages))
    batches = [
        {"pages": names[i : i + 8], "sizes": sizes[i : i + 8], "targets": targets[i : i + 8]} for i in range(0, 60, 8)
    ]

    class Detector(lightning.LightningModule):
        def validation_step(self, batch, batch_idx):
            return {"predictions": outputs[8 * batch_idx :][: len(batch["pages"])]}

    callback = runpy.run_path(str(EXAMPLES / "lightning_callback.py"))["LayoutFigures"](compare_sample().labels[1:])
    options = {"accelerator": "cpu", "logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = lightning.Trainer(callbacks=[callback], enable_checkpointing=False, **options)
    loader = pytest.importorskip("torch").utils.data.DataLoader(batches, batch_size=None)
    (logged,) = trainer.validate(Detector(), loader, verbose=False)
    assert logged == pytest.approx(
        {f"val/{name}": value for name, value in figures.items() if value is not None}, rel=1e-6
    )
