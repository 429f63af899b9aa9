"""How the time of every reader grows: a file of size n and one of size 2n, made to be slow to read.

    python fuzz/growth.py [target ...]

Each valid file is pumped: a short piece is repeated many times at places between its tokens. Also, files with many
pages and many regions are written. If reading takes noticeable time, twice the size may take little more than twice
the time; a reader that tries every split of a text, or searches a list for each item, takes four times as long.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from saved import clear, save_failure

from support.fuzz_cases import Case, case_with, original_files, reference, run_case, slots
from support.limits import SECONDS, limit_memory, limited_time, why_it_ended
from written import LABELS, Page, writers

KIND = "growth"
WORKERS = 2
SIZE = 150_000  # bytes of the smaller file
PLACES = 6  # where each piece is repeated in a file
ROUNDS = 3
NOTICEABLE = 0.15  # seconds of CPU time; below, other costs than the growth decide
MOST = 3.0  # times as long for twice the size; linear is 2, quadratic is 4
PIECES = [
    *rb"""1 0 . - 1, a _ \ \n % & ; : + ( e1 1e page_ _1 p1_ " "" ' , [ { [], {}, {"a": "a":1, null,""".split(),
    *b"[0,0,1,1], < > <a> <a/> </ <!-- --> <![CDATA[ &amp;".split(),
    *(b" ", b"\n", b"\t", b"\r", b"\r\n", b"1 ", b"1.1 ", b"a ", b"- a\n", b"<a ", b'a="1" ', b"<?a ", b"<!DOCTYPE "),
    *(b"\x00", b"\xff", b"\xc3\xa9"),
]


def main() -> int:
    chosen = [slot for slot in slots() if not sys.argv[1:] or slot[0] in sys.argv[1:]]
    clear(KIND)
    with ThreadPoolExecutor(WORKERS) as pool:
        failures = sum(pool.map(check_slot, chosen))
    print(f"{failures} readers grow too fast" if failures else f"{len(chosen)} files: time grows with size")
    return 1 if failures else 0


def check_slot(slot: tuple[str, str]) -> int:
    """Run the inputs of one file in a worker; one that the system ended is saved. 1 if there was a failure."""
    target, name = slot
    with tempfile.NamedTemporaryFile() as state:
        command = [sys.executable, __file__, "--worker", target, name, state.name]
        code = subprocess.run(command, stderr=subprocess.DEVNULL).returncode
        if code < 0:
            save_failure(KIND, f"{target}-ended", {name: state.read()}, f"the process {why_it_ended(code)}")
    return 1 if code else 0


def worker(target: str, name: str, state: str) -> int:
    """Exit code: 1 if an input grew too fast. The input in work is in the file `state`."""
    warnings.simplefilter("ignore")
    reference()
    run_case(case_with(target, name, original_files(target)[name], 0))
    limit_memory()
    failed, count, slowest = 0, 0, (0.0, "")
    for title, make in inputs(target, name):
        count += 1
        case = make(1)
        Path(state).write_bytes(case.files.get(name, b""))
        once = seconds_for(case)
        slowest = max(slowest, (once, title))
        if once < NOTICEABLE:
            continue
        ratio, once, twice = growth(make)
        if ratio > MOST and twice > 2 * NOTICEABLE:
            failed += 1
            what = f"{title}: {once:.2f} s, twice the size {twice:.2f} s, {ratio:.1f} times"
            save_failure(KIND, f"{target}-{failed}", make(2).files, what)
    print(
        f"{target:20} {name:22} {count:4} inputs, slowest {slowest[0]:.2f} s ({slowest[1]}), {failed} failed",
        flush=True,
    )
    return 1 if failed else 0


def growth(make: Callable[[int], Case]) -> tuple[float, float, float]:
    """The ratio of the times of the doubled file and the file, and both; each the best of a few rounds."""
    once, twice = (min(seconds_for(make(times)) for _ in range(ROUNDS)) for times in (1, 2))
    return twice / once, once, twice


def seconds_for(case: Case) -> float:
    start = time.process_time()
    try:
        with limited_time(2 * SECONDS, 300):
            run_case(case)
    except Exception:
        save_failure(KIND, f"{case.target}-error", case.files, traceback.format_exc())
        raise
    return time.process_time() - start


def inputs(target: str, name: str) -> Iterator[tuple[str, Callable[[int], Case]]]:
    """(what it is, function that makes the case of size 1 or 2): repeated pieces, then many pages and many regions."""
    data = original_files(target)[name]
    rng = random.Random(f"growth {target} {name}")
    borders = [found.start() for found in re.finditer(rb"\b|[^\w\s]", data[:4000])] or [0]
    for piece in PIECES:
        for at in [0, *rng.sample(borders, min(PLACES, len(borders)))]:
            yield f"{piece!r} at {at}", lambda times, piece=piece, at=at: pumped(target, name, data, at, piece, times)
    if target in writers():
        for what, pages in MANY.items():
            yield what, lambda times, pages=pages: Case(target, writers()[target](pages(times)), {}, False)


def pumped(target: str, name: str, data: bytes, at: int, piece: bytes, times: int) -> Case:
    return case_with(target, name, data[:at] + piece * (times * SIZE // len(piece)) + data[at:], at % 4)


BOX = (100, 50, 900, 100)
# What there are many of, and the pages for it. Files are read with the reference, which has none of these pages.
MANY: dict[str, Callable[[int], list[Page]]] = {
    "many pages": lambda times: [Page(f"page_{i}", 1000, 500, [("Text", BOX, 0.5)]) for i in range(400 * times)],
    "many regions": lambda times: [
        Page("report_p1", 1000, 500, [(LABELS[i % 4], BOX, 0.5) for i in range(1500 * times)])
    ],
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        sys.exit(worker(*sys.argv[2:5]))
    sys.exit(main())
