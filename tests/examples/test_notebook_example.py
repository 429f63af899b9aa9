"""The example notebook runs from top to bottom, in a kernel of its own."""

import os

import nbformat
from nbclient import NotebookClient

from support.paths import ROOT


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
