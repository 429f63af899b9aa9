"""The code blocks of a Markdown page, run from the first to the last as a reader would run them."""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

import layoutcm as lcm
from layoutcm.cli.arguments import argument_parser
from layoutcm.cli.main import main
from support.paths import ROOT, SAMPLE
from written import PAGES, written
from written.hf import hash_number

_FENCE = re.compile(r"^([ ]*)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_EXIT_CODE = re.compile(r"#.*\bexit code (\d)")
_VERSION = re.compile(r"\|v\d[\w.]*")
_SHELL_SIGNS = re.compile(r"[|<>;&$`*]|^rm ")
# Commands that set up an environment, start a server or take long. Tests of their own run what can be run of them.
NOT_RUN = re.compile(
    r"(make \w|python3 -m venv|\.venv/bin/|\. \.venv/bin/activate|pip install|git |pipx |uvx |docker )"
)


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks_of(path):
    text = path.read_text("utf-8")
    return [
        Block(match[2], textwrap.dedent(match[3]), text.count("\n", 0, match.start()) + 1)
        for match in _FENCE.finditer(text)
    ]


@dataclass
class PageRun:
    """One page: Python blocks share their names, all blocks share a folder, which has the sample in it."""

    page: Path
    names: dict = field(default_factory=lambda: {"__name__": "__main__"})
    output: str = ""

    def run(self, block):
        if block.language == "text":
            self.check_output(block)
            return
        self.output = ""
        if block.language == "python":
            self.run_python(block)
        elif block.language == "sh":
            for line in block.text.replace("\\\n", " ").splitlines():
                self.run_command(line)

    def run_python(self, block):
        code = compile("\n" * block.line + block.text, str(self.page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, self.names)
        self.output = output.getvalue()

    def run_command(self, line):
        command = line.partition(" #")[0].strip()
        if not command or command.startswith("#") or NOT_RUN.match(command):
            return
        code, output = run_shell(command) if _SHELL_SIGNS.search(command) else run_layoutcm(command)
        expected = _EXIT_CODE.search(line)
        assert code == (int(expected[1]) if expected else 0), f"{self.page.name}: {command}\n{output}"
        self.output += output

    def check_output(self, block):
        """The first text after code that prints is its output: all its lines are there, in this order; … for others."""
        if not self.output:
            return
        output, self.output = self.output, ""
        printed = iter(_plain(line) for line in output.splitlines())
        for line in block.text.splitlines():
            wanted = _plain(line)
            assert wanted in ("", "…") or wanted in printed, f"{self.page.name}, line {block.line}: {line}\n{output}"


def _plain(line):
    """A line with single blanks, and without the version that ends a recipe, which each release changes."""
    return _VERSION.sub("|v", " ".join(line.split()))


def run_layoutcm(command):
    program, *arguments = shlex.split(command)
    assert program == "layoutcm", command
    if arguments[0] == "app" or "--dask" in arguments:  # tests/ui and tests/scale/test_dask run them
        argument_parser().parse_args(arguments)
        return 0, ""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(output):
        code = main(arguments)
    return code, output.getvalue()


def run_shell(command):
    """A command with pipes and the like; `layoutcm` is the one of this repository."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    program = folder / "layoutcm"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m layoutcm "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder.resolve()}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


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
