"""The code blocks of a Markdown page, run from the first to the last as a reader would run them."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from layoutcm.cli.arguments import argument_parser
from layoutcm.cli.main import main
from support.paths import ROOT

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
