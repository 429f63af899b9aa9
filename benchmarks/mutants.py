"""How many small changes of the code do the tests notice? Runs mutmut and prints the share by package.

Run it with `make mutants`; it takes most of an hour on two cores and continues where it was interrupted. It prints
every change that no test notices, and fails if a package is below 90 %. docs/mutants.md says why those are left.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

LEAST = 0.9  # of all changes of a package
PACKAGES = ("metrics", "tables", "wording", "messages", "hints")
NOTICED = ("killed", "timeout", "segfault")  # a change that makes the tests hang is noticed, too
MUTMUT = [sys.executable, "-m", "mutmut"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="only show the results of the last run")
    if not parser.parse_args().show:
        started = time.perf_counter()
        with Path(os.devnull).open("w") as nowhere:  # mutmut draws its progress thousands of times
            command = [*MUTMUT, "run", "--max-children", str(os.cpu_count() or 1)]
            run = subprocess.run(command, stdout=nowhere, check=False)
        if run.returncode:
            print(f"mutmut stopped with exit code {run.returncode}; its own output says why: {' '.join(MUTMUT)} run")
            return 1
        print(f"{(time.perf_counter() - started) / 60:.0f} minutes")
    results = read_results()
    for name, status in results.items():
        if status not in NOTICED:
            print(f"\n{name}: {status}", *changed_lines(name), sep="\n  ")
    return print_shares(results)


def read_results() -> dict[str, str]:
    """{mutant: what became of it}."""
    text = subprocess.run([*MUTMUT, "results", "--all", "true"], capture_output=True, text=True, check=True).stdout
    lines = (line.strip().rpartition(": ") for line in text.splitlines() if line.startswith("    "))
    return {name: status for name, _, status in lines}


def changed_lines(name: str) -> list[str]:
    shown = subprocess.run([*MUTMUT, "show", name], capture_output=True, text=True, check=False).stdout
    return [line for line in shown.splitlines() if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")]


def print_shares(results: dict[str, str]) -> int:
    """Print the share of noticed changes by package; returns 1 if one is too small or not everything was tried."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, status in results.items():
        counts[name.split(".")[1]][status] += 1
    print()
    good = set(counts) == set(PACKAGES)
    for package in PACKAGES:
        total, noticed = counts[package].total(), sum(counts[package][status] for status in NOTICED)
        share = noticed / total if total else 0.0
        others = ", ".join(f"{count} {status}" for status, count in counts[package].items() if status not in NOTICED)
        print(f"{package:10} {noticed:5,} of {total:5,} changes are noticed: {100 * share:.1f} %  ({others or 'all'})")
        good &= share >= LEAST and not counts[package]["not checked"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
