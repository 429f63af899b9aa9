"""The kernel is compiled once on a host: other processes wait, and load what the first one has stored."""

import os
import select
import subprocess
import sys

import pytest

from layoutcm.outputs.files import lock_file
from layoutcm.scale.kernel_cache import cache_folder
from support.parts import digests
from support.paths import SAMPLE

CODE = "from layoutcm.scale.kernel_cache import prepare_kernel; prepare_kernel(); prepare_kernel()"


WAITING = """
from layoutcm.scale import kernel_cache
kernel_cache._count_two_pages = lambda why: print("compiles", flush=True)
print("begins", flush=True)
kernel_cache.prepare_kernel()
"""


def test_a_process_waits_while_another_one_compiles(tmp_path):
    """This process holds the lock, and the other one compiles nothing until it is released."""
    lock = lock_file(tmp_path / "compiling.lock")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", WAITING], env=environment, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"begins\n"
        came_early, _, _ = select.select([other.stdout], [], [], 1)
        assert not came_early and other.poll() is None
        os.close(lock)
        assert other.stdout.readline() == b"compiles\n"


@pytest.mark.long
def test_what_is_compiled_is_loaded_by_others(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    runs = [subprocess.Popen([sys.executable, "-c", CODE], env=environment) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert compiled and all(cache_folder().name in str(path) for path in compiled)
    subprocess.run([sys.executable, "-c", CODE], env=environment, check=True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


COMPARED = """
import sys
from layoutcm import compiled
from layoutcm.cli.main import main
compiled.compile_from_now_on()
folder, gt, pred, json = sys.argv[1:]
codes = main(["compare", gt, pred]), main(["compare-parts", folder + "/gt", folder + "/pred", "-o", json])
sys.exit(max(codes))
"""


@pytest.mark.long
def test_a_damaged_cache_is_compiled_again(tmp_path, sets):
    """Its files are emptied, cut or changed in a byte; the numbers are the same, and the next run has no damage."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(name):
        files = [str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json")]
        command = [sys.executable, "-c", COMPARED, str(tmp_path), *files, str(tmp_path / name)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return digests(tmp_path / name)

    before = run("before")
    files = sorted((tmp_path / "cache").rglob("*.nb[ic]"))
    assert len(files) > 6
    for i, file in enumerate(files):
        data = file.read_bytes()
        file.write_bytes([b"", data[: len(data) // 2], data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]][i % 3])
    assert run("after") == before


def test_the_folder_is_that_of_user_and_host():
    import platform

    assert cache_folder().name.endswith(f"-{platform.node()}")
