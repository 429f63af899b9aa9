"""The limits of `make fuzz` end a process in compiled code, and the run goes on after it."""

import signal
import subprocess
import sys

import pytest

from support.limits import why_it_ended
from support.paths import ROOT

START = "import sys; sys.path[:0] = ['tests', 'fuzz']\nfrom support.limits import *\n"


def run(script):
    return subprocess.run([sys.executable, "-c", START + script], cwd=ROOT, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize(("script", "code", "why"), [
    ("import re\nwith limited_time(0.2): re.match('(a+)+b', 'a' * 60)", -signal.SIGPROF, "CPU time"),
    ("import time\nwith limited_time(5, 0.2): time.sleep(50)", -signal.SIGALRM, "did not end"),
    ("import time\nwith limited_time(0.5, 0.5): pass\ntime.sleep(1)", 0, ""),
    ("limit_memory(1 << 27)\nbytearray(1 << 26)\nbytearray(1 << 28)", 1, "MemoryError"),
], ids=["compiled code takes too long", "code only waits", "a limit ends with its block", "memory"])  # fmt: skip
def test_limits_end_a_process(script, code, why):
    done = run(script)
    assert done.returncode == code and why in (why_it_ended(code) if code < 0 else done.stderr), done.stderr


RUN_WITH_TWO_BAD_CASES = """
import mutations, re
ended = iter([(-{signal}, 7, (5, 2, 0)), (0, 20, (9, 3, 1))])
mutations.run_worker = lambda target, first, cases: (print("from", first), next(ended))[1]
mutations.save_case = lambda target, number, what: print("saved", target, number, what)
print("failures", mutations.fuzz_target("csv", 20))
"""


def test_a_case_that_ends_its_worker_is_saved_and_the_next_worker_goes_on_after_it():
    done = run(RUN_WITH_TWO_BAD_CASES.format(signal=int(signal.SIGPROF)))
    lines = done.stdout.splitlines()
    assert lines[0] == "from 0" and lines[1].startswith("saved csv 7 the process took more than"), done.stderr
    assert lines[2] == "from 8" and lines[3].split()[:7] == ["csv", "14", "read", "5", "refused", "2", "failed"]
    assert lines[4] == "failures 2"
