"""Regions per second of every text format on one core, and the ratio to the time of only parsing the same bytes.

    python benchmarks/bench_formats.py [regions [regions per page [format ...]]]

CPU seconds, the best of several rounds, so that other processes have little influence. The files are written by the
writers of the tests.
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

REGIONS_PER_PAGE, ROUNDS = 25, 7


def make_pages(regions: int, per_page: int = REGIONS_PER_PAGE) -> list[Page]:
    rng = random.Random(7)

    def region() -> tuple[str, tuple[int, int, int, int], float]:
        x, y = rng.randrange(0, 800), rng.randrange(0, 1100)
        return rng.choice(LABELS), (x, y, x + rng.randrange(5, 200), y + rng.randrange(5, 100)), rng.random()

    return [Page(f"doc_p{i + 1}", 1000, 1200, [region() for _ in range(per_page)]) for i in range(regions // per_page)]


def best_seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def parse_only(data: bytes) -> object:
    """The minimum that any reader has to do with these bytes."""
    if data[:1] in (b"{", b"["):
        try:
            return json.loads(data)
        except json.JSONDecodeError:
            return [json.loads(line) for line in data.splitlines()]
    if data[:1] == b"<":
        try:
            return ElementTree.fromstring(data)
        except ElementTree.ParseError:
            return HTMLParser().feed(data.decode())
    return [line.split(b",") for line in data.split(b"\n")]


def main() -> None:
    regions = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    pages = make_pages(regions, int(sys.argv[2]) if len(sys.argv) > 2 else REGIONS_PER_PAGE)
    like = lcm.read(list(writers()["coco"](pages).items()))
    print(f"{'format':20} {'regions/s':>12} {'files':>7} {'MB':>7}   time relative to parsing only")
    wanted = sys.argv[3:] or sorted(writers())
    for format, write in ((name, writers()[name]) for name in wanted):
        files = list(write(pages).items())
        taken = best_seconds(lambda files=files, format=format: lcm.read(files, like=like, format=format))
        plain = best_seconds(lambda files=files: [parse_only(data) for _, data in files])
        size = sum(len(data) for _, data in files) / 1e6
        print(f"{format:20} {regions / taken:12,.0f} {len(files):7,} {size:7.1f}   {taken / plain:.2f} x", flush=True)


if __name__ == "__main__":
    main()
