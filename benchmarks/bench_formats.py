"""Regions a second of every text format, on one core, beside what merely parsing the same bytes takes.

    python benchmarks/bench_formats.py [regions [regions a page]]

Seconds of the processor, the best of several rounds: what else runs on the machine should not count. The files are
written by the writers of the tests.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import layoutcm as lcm
from written import LABELS, Page, writers

A_PAGE, ROUNDS = 25, 7


def pages_of(regions: int, a_page: int = A_PAGE) -> list[Page]:
    rng = random.Random(7)

    def region() -> tuple[str, tuple[int, int, int, int], float]:
        x, y = rng.randrange(0, 800), rng.randrange(0, 1100)
        return rng.choice(LABELS), (x, y, x + rng.randrange(5, 200), y + rng.randrange(5, 100)), rng.random()

    return [Page(f"doc_p{i + 1}", 1000, 1200, [region() for _ in range(a_page)]) for i in range(regions // a_page)]


def best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def parsed(data: bytes) -> object:
    """What the plainest reader would have to do with these bytes."""
    if data[:1] in (b"{", b"["):
        return json.loads(data)
    if data[:1] == b"<":
        try:
            return ElementTree.fromstring(data)
        except ElementTree.ParseError:
            return HTMLParser().feed(data.decode())
    return [line.split(b",") for line in data.split(b"\n")]


def main() -> None:
    regions = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    pages = pages_of(regions, int(sys.argv[2]) if len(sys.argv) > 2 else A_PAGE)
    like = lcm.read(list(writers()["coco"](pages).items()))
    print(f"{'format':20} {'regions/s':>12} {'files':>7} {'MB':>7}   time against plain parsing")
    for format, write in sorted(writers().items()):
        files = list(write(pages).items())
        taken = best(lambda files=files: lcm.read(files, like=like))
        plain = best(lambda files=files: [parsed(data) for _, data in files])
        size = sum(len(data) for _, data in files) / 1e6
        print(f"{format:20} {regions / taken:12,.0f} {len(files):7,} {size:7.1f}   {taken / plain:.2f} x", flush=True)


if __name__ == "__main__":
    main()
