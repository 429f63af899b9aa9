"""Keep the smallest inputs that together reach all code that the grown inputs reach, and pack them into corpus.zip.

    python fuzz/kept_corpus.py

Inputs are tried from small to large. One is kept if, for its target, it takes a step from one line of `layoutcm` to
another that no smaller one took.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from coverage_guided import GROWN, lay_out_corpus

import layoutcm
from support.fuzz_cases import Case, run_case, targets
from support.fuzz_corpus import CORPUS, LARGEST, Kept, pack_corpus, unpacked

OWN = str(Path(layoutcm.__file__).parent)
Step = tuple[str, int, int]


def main() -> int:
    warnings.simplefilter("ignore")
    lay_out_corpus()
    inputs = sorted({unpacked(path.read_bytes()) for path in GROWN.iterdir()}, key=lambda one: (len(one.data), one))
    seen: dict[str, set[Step]] = {target: set() for target in targets()}
    kept: list[Kept] = []
    for one in inputs:
        if len(one.data) <= LARGEST and (new := steps_of(one.case) - seen[one.target]):
            seen[one.target] |= new
            kept.append(one)
    count, given = pack_corpus(kept)
    print(f"{len(inputs):,} inputs, {given:,} reach all code, {count:,} are packed: {CORPUS.stat().st_size:,} bytes")
    return 0


def steps_of(case: Case) -> set[Step]:
    """(file, line before, line) of every step that reading takes inside the package."""
    steps: set[Step] = set()

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(OWN):
            return None
        before = 0

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            steps.add((file, before, frame.f_lineno))
            before = frame.f_lineno
            return step

        return step

    sys.settrace(enter)
    try:
        run_case(case)
    finally:
        sys.settrace(None)
    return steps


if __name__ == "__main__":
    sys.exit(main())
