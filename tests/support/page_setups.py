"""What code of the documentation needs and a reader has: files of a model, a loader, a logger, other packages.

Each function is called in the folder of the page, with a monkeypatch, and returns names for its Python blocks.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import layoutcm as lcm
from support.paths import SAMPLE
from written import PAGES, written
from written.hf import hash_number


def write_files(folder, files):
    Path(folder).mkdir(parents=True)
    for name, data in files.items():
        (Path(folder) / name).write_bytes(data)


def _formats(patch):
    """A data set of Hugging Face with the results of a model, and a file of docling-eval."""
    write_files("DocLayNet-v1.2/data", written("hf-doclaynet"))
    write_files("eval_dataset", written("docling-eval"))
    result = {"image_id": hash_number(PAGES[0].name), "category_id": 11, "bbox": [100, 50, 800, 50], "score": 0.9}
    Path("coco_instances_results.json").write_text(json.dumps([result]))
    return {}


def _correcting(patch):
    """What an annotation tool exports: here nothing was corrected."""
    lcm.write(lcm.read(SAMPLE / "gt.json"), "label-studio", "corrected.json")
    return {}


def _evaluator(patch):
    """A loader of one page, a logger, and torch.distributed of one process."""
    target = [{"label": "Table", "x0": 10, "y0": 10, "x1": 90, "y1": 50}]
    output = {"boxes": np.array([[10, 10, 90, 45]]), "labels": np.array([1]), "scores": np.array([0.9])}

    def all_gather_object(parts, value):
        value.update(target, output, page="page-1.png", size=(100, 100))
        parts[:] = [value]

    group = SimpleNamespace(get_world_size=lambda: 1, all_gather_object=all_gather_object)
    patch.setitem(sys.modules, "torch", SimpleNamespace(distributed=group))
    patch.setitem(sys.modules, "torch.distributed", group)
    logged = SimpleNamespace(log=lambda figures: figures["val/macro.f1"])
    return {"loader": [("page-1.png", (100, 100), target, output)], "logger": logged}


def _scale(patch):
    """Ray in one process, and a task of Slurm."""
    remote = SimpleNamespace(remote=lambda function: SimpleNamespace(remote=function), get=list)
    patch.setitem(sys.modules, "ray", remote)
    patch.setenv("SLURM_ARRAY_TASK_ID", "1")
    return {}


SETUPS = {
    "docs/correcting.md": _correcting,
    "docs/evaluator.md": _evaluator,
    "docs/formats.md": _formats,
    "docs/scale.md": _scale,
}
