"""Damaged files of every format, each read under a limit of 5 s and 1 GB: nothing but InputError may come out.

    python fuzz/mutations.py [cases per target [target ...]]

Cases run in worker processes. The system ends a worker that exceeds a limit; the case is then saved, and another worker
goes on with the next one.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from saved import clear, save_failure

from support.fuzz_cases import COMPARED_EVERY, PART_TARGETS, make_case, run_case, targets
from support.limits import limit_memory, limited_time, why_it_ended

KIND = "mutations"
CASES, WORKERS = 10_000, 2
STOP_AFTER = 50  # failures of one target
STATE = struct.Struct("<qqqq")  # the case in work, and how many were read, were refused and failed


def main() -> int:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    chosen = sys.argv[2:] or [*targets(), *PART_TARGETS]
    clear(KIND)
    print(f"{cases:,} damaged files of each of {len(chosen)} kinds")
    with ThreadPoolExecutor(WORKERS) as pool:
        failures = sum(pool.map(lambda target: fuzz_target(target, cases), chosen))
    print(f"{failures} failures" if failures else "nothing but InputError")
    return 1 if failures else 0


def fuzz_target(target: str, cases: int) -> int:
    """Run all cases of a target in workers, one after the other; the number of failures."""
    start, first, totals = time.monotonic(), 0, [0, 0, 0]
    while first < cases and totals[2] < STOP_AFTER:
        code, number, counts = run_worker(target, first, cases)
        totals = [sum(pair) for pair in zip(totals, counts)]
        if code == 0:
            break
        totals[2] += 1
        save_case(target, number, f"the process {why_it_ended(code)}")
        first = number + 1
    read, refused, failed = totals
    seconds = time.monotonic() - start
    print(f"{target:20} {read:6,} read {refused:6,} refused {failed:3} failed {seconds:6.0f} s", flush=True)
    return failed


def run_worker(target: str, first: int, cases: int) -> tuple[int, int, tuple[int, ...]]:
    """Exit code of a worker, the case it was at, and its counts."""
    with tempfile.NamedTemporaryFile() as state:
        command = [sys.executable, __file__, "--worker", target, str(first), str(cases), state.name]
        ended = subprocess.run(command, stdout=sys.stdout, stderr=subprocess.DEVNULL)
        number, *counts = STATE.unpack(state.read().ljust(STATE.size, b"\0"))
    return ended.returncode, number, tuple(counts)


def save_case(target: str, number: int, what: str) -> None:
    case = make_case(target, number)
    again = f"python fuzz/mutations.py --one {target} {number}"
    save_failure(KIND, f"{target}-{number}", case.files, f"{case.options}\nrepeat: {again}\n{what}")


def worker(target: str, first: int, cases: int, state: str) -> None:
    warnings.simplefilter("ignore")
    # What is loaded and compiled at first use, before memory and time are limited.
    for number in range(0, 20 * COMPARED_EVERY, COMPARED_EVERY):
        with suppress(Exception):
            run_case(make_case(target, number))
    limit_memory()
    read = refused = failed = 0
    with open(state, "r+b", buffering=0) as file:
        for number in range(first, cases):
            file.seek(0)
            file.write(STATE.pack(number, read, refused, failed))
            case = make_case(target, number)
            try:
                with limited_time():
                    was_read = run_case(case)
                read, refused = read + was_read, refused + (not was_read)
            except Exception:
                failed += 1
                if failed <= STOP_AFTER:
                    save_case(target, number, traceback.format_exc())
        file.seek(0)
        file.write(STATE.pack(cases, read, refused, failed))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    elif sys.argv[1:2] == ["--one"]:
        print("read" if run_case(make_case(sys.argv[2], int(sys.argv[3]))) else "refused")
    else:
        sys.exit(main())
