"""A writer that is stopped at any system call leaves the old output or the new one; the next run removes the rest."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.paths import ROOT

RUNNER = ROOT / "tests" / "support" / "fault_runner.py"


@pytest.fixture
def place():
    """A folder in memory, where this system has one: waiting for a disk thousands of times takes minutes."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    yield folder
    shutil.rmtree(folder)


def run_all_faults(mode, place):
    done = subprocess.run([sys.executable, str(RUNNER), mode, str(place)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(("mode", "fewest"), [
    ("file", 50),  # one file
    ("exchange", 100),  # a folder, exchanged in one step
    ("renames", 100),  # a system that cannot exchange
    ("busy", 150),  # a folder that cannot be moved, as it turns out at the end
])  # fmt: skip
def test_every_fault_leaves_the_old_output_or_the_new_one(mode, fewest, place):
    *problems, cases = run_all_faults(mode, place)
    assert problems == [] and int(cases.split()[0]) > fewest


def test_every_fault_in_a_mount_point(place):
    mount = place / "r"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here; the case `busy` of the other test stands for it")
    try:
        *problems, cases = run_all_faults("mount", place)
    finally:
        subprocess.run(["umount", str(mount)], check=True)
    assert problems == [] and int(cases.split()[0]) > 100
