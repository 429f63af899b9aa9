"""Closed streams, lost output, signals, and how the process of a command keeps its memory and ends."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from layoutcm.cli.main import keep_freed_memory, main
from layoutcm.cli.streams import Stopped
from support.paths import SAMPLE

GT, MODEL_A = (str(SAMPLE / name) for name in ("gt.json", "model-a.json"))
JSON = f'compare "{GT}" "{MODEL_A}" --json -'


def shell(command, **environment):
    """Run a command of layoutcm with redirections of the shell; the exit code is that of layoutcm."""
    line = f'set -o pipefail; "{sys.executable}" -m layoutcm {command}'
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=os.environ | environment, timeout=120, check=False
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_a_closed_pipe_has_the_usual_exit_code_and_no_message(unbuffered, place):
    done = shell(f"{JSON[:-1]}{place} --per-page | head -c 10", PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 128 + signal.SIGPIPE and done.stderr == "" and done.stdout == '{\n "schema'


@pytest.mark.parametrize("command", [JSON, "--help"])
@pytest.mark.parametrize(("place", "reason"), [("&-", "Bad file descriptor"), ("/dev/full", "No space left on device")])
def test_lost_output_is_an_error(command, place, reason):
    done = shell(f"{command} >{place}")
    assert done.returncode == 2
    assert done.stderr == f"layoutcm: the output cannot be written: {reason}\n"


@pytest.mark.parametrize("place", ["&-", "/dev/full"])
def test_standard_error_is_not_needed(place):
    done = shell(f'inspect "{GT}" --json - 2>{place}')
    assert done.returncode == 0 and done.stdout.startswith("[")
    assert shell(f"inspect missing.json 2>{place}").returncode == 2


def test_files_do_not_get_the_number_of_a_closed_stream(tmp_path):
    """Without a place for the closed streams, messages of libraries would be written into the first open file."""
    done = shell(f'convert "{GT}" --to csv -o "{tmp_path}/out.csv" <&- 2>&-')
    assert done.returncode == 0 and (tmp_path / "out.csv").read_text().startswith("page,")


def test_a_file_can_be_converted_to_standard_output(tmp_path):
    done = shell(f'convert "{GT}" --to csv -o /dev/stdout | head -1')
    assert done.stdout == "page,document,number,width,height,attr:doc_category,label,x0,y0,x1,y1,score\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_command_that_is_told_to_stop_leaves_nothing_hidden(tmp_path, number, code):
    command = [sys.executable, "-m", "layoutcm", "compare", GT, MODEL_A, "-o", str(tmp_path / "r")]
    # A shell starts commands in the background with SIGINT ignored, and a test run hands this down.
    obey = partial(signal.signal, number, signal.SIG_DFL)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=obey) as process:
        while not list(tmp_path.glob(".layoutcm-r-*/new/pages.csv")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        error = process.communicate(timeout=60)[1]
    assert process.returncode == code and "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


KEPT = """
import resource
from layoutcm.cli.main import keep_freed_memory
keep_freed_memory()
block = bytearray(64_000_000)
del block
with open("/proc/self/statm") as file:
    print(int(file.read().split()[1]) * resource.getpagesize() > 64_000_000)
"""


def test_all_that_a_command_prints_arrives_before_its_process_ends(printed):
    text = printed(["formats"])
    run = subprocess.run([sys.executable, "-m", "layoutcm", "formats"], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, text, "")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no mallopt")
def test_freed_memory_is_kept():
    run = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True)
    assert run.stdout == "True\n"


def test_a_system_without_mallopt_keeps_its_own_ways(monkeypatch):
    monkeypatch.setattr("layoutcm.cli.main.ctypes.CDLL", lambda name: object())
    keep_freed_memory()


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupts:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
sys.argv = ["layoutcm", "formats"]
from layoutcm.__main__ import run
run()
"""
TOLD_IN_A_CALLBACK = """
import os, signal, time, weakref
from layoutcm.cli.streams import exit_cleanly_on_signals
signal.signal(signal.SIG{name}, signal.{usual})
exit_cleanly_on_signals()
class Thing: pass
def end(_):
    os.kill(os.getpid(), signal.SIG{name})
    len("the handler has run")
thing = Thing()
kept = weakref.ref(thing, end)
del thing
for _ in range(1000):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("name", ["layoutcm.errors", "layoutcm.cli.arguments", "numpy", "msgspec"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(name):
    run = subprocess.run([sys.executable, "-c", INTERRUPTED.format(name=name)], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "layoutcm: stopped\n")


@pytest.mark.parametrize(("name", "usual", "code"), [("TERM", "SIG_DFL", 143), ("INT", "default_int_handler", -2)])
def test_a_signal_is_not_lost_where_python_drops_exceptions(name, usual, code):
    text = TOLD_IN_A_CALLBACK.format(name=name, usual=usual)
    assert subprocess.run([sys.executable, "-c", text], capture_output=True).returncode == code


def test_an_error_that_a_library_makes_of_an_interrupt_is_none(monkeypatch, capsys):
    def interrupted(*_):
        Stopped.by = int(signal.SIGINT)
        raise ImportError("numpy failed to import")

    monkeypatch.setattr(Stopped, "by", 0)
    monkeypatch.setattr("layoutcm.cli.main._run_command", interrupted)
    assert (main(["formats"]), capsys.readouterr().err) == (130, "layoutcm: stopped\n")
