"""Coverage-guided fuzzing of all readers with atheris: inputs that reach new code are kept and changed further.

    python fuzz/coverage_guided.py [minutes]

The fuzzer runs in a process that the system ends if a case takes over 5 s or 1 GB. The case is then saved, and another
process goes on. Errors of Python are saved, too, one for each place that raised them.
"""

from __future__ import annotations

import mmap
import random
import subprocess
import sys
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from saved import FAILED, clear, save_failure

KIND = "coverage"
HERE = Path(__file__).parent
MINUTES = 10.0
GROWN = HERE / "work" / "grown"
STATE = HERE / "work" / "input_in_work"
LARGEST_INPUT = 1 << 18
GRACE = 180  # seconds after its time limit in which the fuzzer must have ended
# The compiler of numba cannot read instrumented functions, so packages that use it are left out.
INSTRUMENTED = ["layoutcm.formats", "layoutcm.layouts", "layoutcm.alignment", "layoutcm.filling.loading"]
# libFuzzer's own limits are above those of support/limits.py, which counts CPU time.
LIMITS = ["-timeout=120", "-rss_limit_mb=0", "-malloc_limit_mb=0"]


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    clear(KIND)
    lay_out_corpus()
    end = time.monotonic() + 60 * minutes
    while (left := end - time.monotonic()) > 1:
        code = run_fuzzer([f"-max_total_time={int(left)}", f"-max_len={LARGEST_INPUT}", GROWN], left + GRACE)
        if code == 0:
            break
        save_input_in_work(code)
    failures = len(list((FAILED / KIND).glob("*")))
    print(f"{len(list(GROWN.iterdir())):,} inputs; {failures} failures" if failures else "nothing but InputError")
    return 1 if failures else 0


def lay_out_corpus() -> None:
    """The packed corpus and the undamaged files, as inputs of the fuzzer; what earlier runs grew stays."""
    from support.fuzz_cases import original_files, slots
    from support.fuzz_corpus import CORPUS, Kept, read_corpus

    GROWN.mkdir(parents=True, exist_ok=True)
    seeds = [Kept(target, name, 0, original_files(target)[name]) for target, name in slots()]
    for i, one in enumerate([*seeds, *(read_corpus() if CORPUS.exists() else ())]):
        (GROWN / f"seed-{i:05}").write_bytes(one.packed())


def run_fuzzer(arguments: list[object], seconds: float | None = None) -> int:
    """The exit code; a fuzzer that does not end in time is killed."""
    command = [sys.executable, __file__, "--child", *LIMITS, *map(str, arguments)]
    with open(HERE / "work" / "log.txt", "ab") as log:
        running = subprocess.Popen(command, cwd=HERE / "work", stderr=log, stdin=subprocess.DEVNULL)
        try:
            return running.wait(seconds)
        except subprocess.TimeoutExpired:
            running.kill()
            return running.wait()


def save_input_in_work(code: int) -> None:
    from support.fuzz_corpus import unpacked
    from support.limits import why_it_ended

    held = STATE.read_bytes()
    size = int.from_bytes(held[:8], "little")
    one = unpacked(held[8 : 8 + size])
    name = f"{one.target}-{abs(hash(one.data)):x}"
    save_failure(KIND, name, one.case.files, f"{one.case.options}\nthe process {why_it_ended(code)}")


def child(arguments: list[str]) -> None:
    """The fuzzer itself; ends by the time limit, or by the system."""
    import atheris

    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=INSTRUMENTED):
        from support import fuzz_cases, fuzz_corpus
    from support.limits import limit_memory, limited_time

    for target in fuzz_cases.targets():
        fuzz_cases.run_case(fuzz_cases.make_case(target, 0))  # loads what is loaded at first use
    with open(STATE, "w+b") as file:
        file.truncate(LARGEST_INPUT * 4)
        state = mmap.mmap(file.fileno(), 0)
    seen: set[str] = set()

    def test_one_input(data: bytes) -> None:
        state[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
        one = fuzz_corpus.unpacked(data)
        try:
            with limited_time():
                fuzz_cases.run_case(one.case)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            name = f"{one.target}-{type(error).__name__}-{Path(place.filename).stem}-{place.lineno}"
            if name not in seen:
                seen.add(name)
                save_failure(KIND, name, one.case.files, f"{one.case.options}\n{traceback.format_exc()}")

    limit_memory()
    atheris.Setup([sys.argv[0], *arguments], test_one_input, custom_mutator=mutate)
    atheris.Fuzz()


def mutate(data: bytes, largest: int, seed: int) -> bytes:
    """Change the file by its structure or by bytes; rarely, the options or the slot."""
    import atheris

    from support.mutations import mutated

    rng = random.Random(seed)
    head, body = bytearray(data[:2].ljust(2, b"\0")), data[2:]
    if rng.random() < 0.05:
        head[rng.randrange(2)] = rng.randrange(256)
    if rng.random() < 0.5 and body:
        with suppress(Exception):  # a damaged file need not have the structure that its first bytes promise
            return (bytes(head) + mutated(body, rng))[:largest]
    return (bytes(head) + atheris.Mutate(body, max(largest - 2, 1)))[:largest]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    else:
        sys.exit(main())
