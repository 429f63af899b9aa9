"""Damaged files of every format, and the files that `make fuzz` kept, raise nothing but InputError.

`make fuzz` runs many more of them, each in a process with limits (fuzz/mutations.py).
"""

import signal
import subprocess
import sys
import warnings

import pytest

from support.fuzz_cases import make_case, missing_writers, run_case, slots, targets
from support.fuzz_corpus import CORPUS, LARGEST, WHOLE, Kept, pack_corpus, read_corpus, unpacked
from support.limits import why_it_ended
from support.paths import ROOT

TRIES = 150
MEGABYTE = 1_000_000


@pytest.fixture(autouse=True)
def no_warnings_of_image_readers():
    """Pillow warns of damaged images."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield


def test_every_registered_format_is_fuzzed():
    assert missing_writers() == []


@pytest.mark.parametrize("target", targets())
def test_damaged_files_raise_nothing_but_input_errors(target):
    cases = [make_case(target, number) for number in range(TRIES)]
    read = sum(run_case(case) for case in cases)
    assert 0 < read < TRIES  # some are refused, some can still be read


@pytest.mark.parametrize("target", targets())
def test_damaged_files_differ_and_are_small(target):
    """A case is the same each time it is made, because a failure must be repeatable."""
    cases = [make_case(target, number) for number in range(30)]
    assert cases == [make_case(target, number) for number in range(30)]
    assert len({tuple(case.files.items()) for case in cases}) > 15
    assert max(sum(map(len, case.files.values())) for case in cases) < MEGABYTE


def test_files_that_reached_new_code_raise_nothing_but_input_errors():
    kept = list(read_corpus())
    assert len(kept) > 200 and CORPUS.stat().st_size < 500_000
    assert {one.target for one in kept} == set(targets())
    for one in kept:
        run_case(one.case)


def test_the_corpus_is_packed_and_read_back_and_stays_small(tmp_path):
    target, name = slots()[3]
    given = [Kept(target, name, i % 16, bytes([i]) * i) for i in range(60)]
    assert pack_corpus([*given, *given], tmp_path / "a.zip") == (60, 60)
    assert set(read_corpus(tmp_path / "a.zip")) == set(given)
    assert {unpacked(one.packed()) for one in given} == set(given)
    assert unpacked(b"").data == b""
    many = [Kept(target, name, 0, i.to_bytes(2, "big") * 4000) for i in range(60_000)]
    fitted, _ = pack_corpus(many[::20], tmp_path / "b.zip")
    assert fitted > 100 and (tmp_path / "b.zip").stat().st_size < WHOLE + LARGEST


# The limits of `make fuzz` end a process in compiled code, and the run goes on after it.

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
