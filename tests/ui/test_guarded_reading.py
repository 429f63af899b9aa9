"""Files are read in other processes: what exceeds a limit or ends the process is an error of that file alone."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.files.file_facts import facts_of_files
from layoutcm.ui.files.visitor_files import input_from_bytes, pictures_of_files, read_layout, shrunk_jpeg
from layoutcm.ui.server import guarded_reading, settings
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import MB
from support.image_files import png, zipped

CSV = input_from_bytes("a.csv", b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\n")
# For `eval`, because the process does not know the functions of this file.
WORKER = "layoutcm.ui.server.reading_worker"
LONG_WORK = f"""(
    __import__({WORKER!r}, fromlist=["ui"]).note_progress("some progress", 0.5),
    __import__("time").sleep(1),
    3,
)[-1]"""


def works():
    return len(run_guarded(read_layout, CSV, None, None, "", file="a.csv", size=CSV.size).region_columns) == 1


def test_a_layout_comes_back_as_it_was_read():
    here = read_layout(CSV, None, None, "")
    there = run_guarded(read_layout, CSV, None, None, "", file="a.csv", size=CSV.size)
    assert there.region_columns.boxes.flags.writeable and there.sha256 == here.sha256
    assert np.array_equal(there.region_columns.boxes, here.region_columns.boxes)
    assert there.page_columns.names == here.page_columns.names and there.labels == here.labels


def test_an_input_error_is_the_same_as_without_the_process():
    broken = input_from_bytes("broken.json", b'{"images": [')
    with pytest.raises(InputError) as here:
        read_layout(broken, None, None, "")
    with pytest.raises(InputError) as there:
        run_guarded(read_layout, broken, None, None, "", file="broken.json", size=broken.size)
    assert str(there.value) == str(here.value) and there.value.on_screen == here.value.on_screen


def test_a_task_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(guarded_reading, "SECONDS", 1)
    with pytest.raises(TemporaryError, match=r"slow\.json: working on it takes longer than 1 s"):
        run_guarded(time.sleep, 600, file="slow.json", size=0)
    monkeypatch.undo()
    assert works()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux limits memory")
def test_a_task_that_needs_too_much_memory_is_an_error():
    with pytest.raises(InputError, match="more than 1,024 MB of memory"):
        run_guarded(bytearray, 2048 * MB, file="large.json", size=0)
    assert works()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux limits memory")
def test_files_are_read_under_a_limit_of_the_system():
    """As after `ulimit -v`, which a process cannot exceed and need not reach."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from layoutcm.ui.server.reading_worker import Task, run_task
print(run_task(Task(divmod, (7, 2), memory=16 << 30, result=1000)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "(3, 1)\n", done.stderr


def test_a_result_that_is_too_large_for_a_visitor_does_not_reach_the_server(monkeypatch):
    monkeypatch.setattr(settings, "LOCAL", settings.Limits(MB, MB, MB, reading=1024 * MB))
    with pytest.raises(InputError, match="takes more than 1 MB of memory"):
        run_guarded(bytes, 2 * MB, file="large.json", size=0)
    assert len(run_guarded(bytes, 1000, file="small.json", size=0)) == 1000


def test_a_process_that_a_file_ends_is_replaced():
    for _ in range(guarded_reading.WORKERS + 1):
        with pytest.raises(TemporaryError, match=r"fatal\.pdf: the process that worked on it ended"):
            run_guarded(os._exit, 3, file="fatal.pdf", size=0)
    assert works()


def test_a_bug_is_not_an_input_error():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_guarded(divmod, 1, 0, file="a.csv", size=0)
    assert works()


def test_more_visitors_than_processes_wait_for_each_other():
    with ThreadPoolExecutor(8) as visitors:
        assert all(visitors.map(lambda _: works(), range(16)))


def test_kinds_and_pictures_are_found_in_the_process():
    files = [CSV, input_from_bytes("p.png", png()), input_from_bytes("a.zip", zipped(**{"p.png": png()}))]
    kinds = [one.kind for one in run_guarded(facts_of_files, files, file="a.csv", size=0)]
    assert kinds == ["whole layout", "page images", "page images"]
    pictures = run_guarded(pictures_of_files, files[1:], files[:1], file="p.png", size=0)
    assert [(one.file, one.member, one.data) for one in pictures] == [("p.png", "", b""), ("p.png", "p.png", b"")]
    for _ in range(2):  # the second time without sending the file
        for picture, file in zip(pictures, files[1:]):
            jpeg = run_guarded(shrunk_jpeg, picture, 50, file="p.png", size=0, held=(file.digest, file.data))
            assert jpeg[:3] == b"\xff\xd8\xff"


def test_long_work_shows_its_progress_and_leaves_a_process_for_reading():
    seen, results = [], []

    def sleep_and_tell():
        results.append(run_guarded(eval, LONG_WORK, file="the report", size=0, show_progress=keep))

    def keep(what, share):
        seen.append((what, share))
        assert works()

    with ThreadPoolExecutor(2) as visitors:
        for done in [visitors.submit(sleep_and_tell) for _ in range(2)]:
            done.result()
    assert results == [3, 3] and ("some progress", 0.5) in seen
