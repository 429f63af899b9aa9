"""The kernel is compiled once on a host: other processes wait, and load what the first one has stored."""

import os
import subprocess
import sys

import pytest

from layoutcm.scale.kernel_cache import cache_folder

CODE = "from layoutcm.scale.kernel_cache import prepare_kernel; prepare_kernel(); prepare_kernel()"


@pytest.mark.long
def test_two_processes_compile_once(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    runs = [subprocess.Popen([sys.executable, "-c", CODE], env=environment) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert compiled and all(cache_folder().name in str(path) for path in compiled)
    subprocess.run([sys.executable, "-c", CODE], env=environment, check=True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


def test_the_folder_is_that_of_user_and_host():
    import platform

    assert cache_folder().name.endswith(f"-{platform.node()}")
