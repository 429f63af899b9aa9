"""How the process of a command keeps its memory and ends."""

import subprocess
import sys

import pytest

from layoutcm.cli.main import keep_freed_memory, main

KEPT = """
import resource
from layoutcm.cli.main import keep_freed_memory
keep_freed_memory()
block = bytearray(64_000_000)
del block
with open("/proc/self/statm") as file:
    print(int(file.read().split()[1]) * resource.getpagesize() > 64_000_000)
"""


def test_all_that_a_command_prints_arrives_before_its_process_ends(capsys):
    assert main(["formats"]) == 0
    printed = capsys.readouterr().out
    run = subprocess.run([sys.executable, "-m", "layoutcm", "formats"], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, printed, "")


def test_wrong_input_ends_the_process_with_2():
    run = subprocess.run([sys.executable, "-m", "layoutcm", "inspect", "no such file"], capture_output=True, text=True)
    assert run.returncode == 2 and "no such file" in run.stderr and run.stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no mallopt")
def test_freed_memory_is_kept():
    run = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True)
    assert run.stdout == "True\n"


def test_a_system_without_mallopt_keeps_its_own_ways(monkeypatch):
    monkeypatch.setattr("layoutcm.cli.main.ctypes.CDLL", lambda name: object())
    keep_freed_memory()
