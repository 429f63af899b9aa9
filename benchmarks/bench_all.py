"""All speed comparisons in one run, on the same files: layoutcm and its peers. Writes docs/benchmarks.md,
and what all of them say about the sample to docs/other-tools.md, too.

    python benchmarks/bench_all.py PEER_PYTHON [--pages 80863] [--rounds 3] [--growth 1000 10000 ...] [--out FILE]

PEER_PYTHON is the Python of an environment with the peers, see `sample_figures.py`. Every job runs in a process of its
own; the jobs of a table alternate, and the median of the rounds counts. "Warm" means that the process has worked on a
few pages before, so that everything is imported and compiled.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path

import peer
from bench_jobs import run_job
from random_pages import CASES, SPREADS
from sample_figures import sample_figures, write_between_marks

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
GROWTH = (1_000, 10_000, 100_000, 300_000)
SAMPLE = [str(ROOT / "sample_data" / name) for name in ("gt.json", "model-a.json")]
PEER_ROUNDS = 5
# As for a user: Python keeps the bytecode of modules, unless this variable is set.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measured(command, environment=None):
    """Wall seconds, CPU seconds and peak memory in GB of a command, as the system counts them."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**ENVIRONMENT, **(environment or {})})
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command} ended with {status}")
    return {
        "seconds": time.perf_counter() - start,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / 1e6,
    }


def written_pair(folder, pages):
    """Paths of a generated gt and pred. Another process writes them: a process counts the memory of its parent, too."""
    command = [sys.executable, str(Path(__file__).with_name("generate.py")), str(folder), "--pages", str(pages)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Path(line) for line in run.stdout.splitlines()]


def measured_job(python, name, paths):
    """The same of a job of `bench_jobs`, without starting Python and importing."""
    run = subprocess.run(
        [python, __file__, "--job", name, *map(str, paths)], capture_output=True, text=True, env=ENVIRONMENT
    )
    if run.returncode:
        raise RuntimeError(f"{name}: {run.stderr[-2000:]}")
    return json.loads(run.stdout.splitlines()[-1])


def medians(jobs, rounds):
    """{name: median of each measure} of jobs that run one after the other, in each round."""
    found = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            found[name].append(job())
            print(f"  {name:46} {found[name][-1]['seconds']:8.2f} s", flush=True)
    return {
        name: {measure: statistics.median(run[measure] for run in runs) for measure in runs[0]}
        for name, runs in found.items()
    }


def whole_table(python, peer_python, paths, rounds):
    command = [python, "-m", "layoutcm", "compare", *map(str, paths)]
    with tempfile.TemporaryDirectory() as folder:
        measured([*command, "--json", f"{folder}/result.json"])  # compiles what has never been compiled
        jobs = {
            "orjson.loads of both files": lambda: measured_job(python, "orjson", paths),
            "read, compare, confusion (warm)": lambda: measured_job(python, "confusion", paths),
            "`layoutcm compare`": lambda: measured(command),
            "`layoutcm compare --json`": lambda: measured([*command, "--json", f"{folder}/result.json"]),
            "read and AP (warm)": lambda: measured_job(python, "objects", paths),
            "hotcoco: read and evaluate": lambda: measured_job(peer_python, "hotcoco", paths),
            "faster-coco-eval: read and evaluate": lambda: measured_job(python, "faster-coco-eval", paths),
        }
        found = medians(jobs, rounds)
        found |= medians({"pycocotools: read and evaluate": lambda: measured_job(python, "pycocotools", paths)}, 1)
    reference = found["orjson.loads of both files"]["seconds"]
    lines = ["| job | time | CPU | peak memory | time / orjson |", "|---|---:|---:|---:|---:|"]
    for name, run in found.items():
        ratio = run["seconds"] / reference
        lines.append(f"| {name} | {run['seconds']:.2f} s | {run['cpu']:.2f} s | {run['memory']:.2f} GB | {ratio:.2f} |")
    return lines


def sample_table(python, rounds):
    command = [python, "-m", "layoutcm", "compare", *SAMPLE]
    measured(command)
    warm = medians({"`layoutcm compare` on the sample": lambda: measured(command)}, 2 * rounds + 1)

    def first_run():
        with tempfile.TemporaryDirectory() as cache:
            return measured(command, {"NUMBA_CACHE_DIR": cache})

    found = warm | medians({"the same, nothing compiled before": first_run}, rounds)
    lines = ["| job | time | CPU | peak memory |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {run['seconds']:.2f} s | {run['cpu']:.2f} s | {run['memory']:.2f} GB |"
        for name, run in found.items()
    ]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return [
        *lines,
        "",
        f"No command is counted with less memory than the script that starts it, which has {own:.2f} GB.",
    ]


def kernel_table(peer_python):
    lines = [
        "| page | boxes | box sides | docling-metrics-layout | layoutcm | ratio |",
        "|---|---:|---|---:|---:|---:|",
    ]
    for spread in SPREADS:
        for case in CASES:
            theirs, ours = peer.interleaved(peer_python, *case, spread, PEER_ROUNDS)
            ratio = statistics.median(theirs) / statistics.median(ours)
            width, height, boxes, _ = case
            lines.append(
                f"| {width} x {height} | {boxes} + {boxes} | {spread[0]:.0%} to {spread[1]:.0%} of the page | "
                f"{1e3 * statistics.median(theirs):.1f} ms | {1e6 * statistics.median(ours):.1f} µs | {ratio:,.0f} |"
            )
            print(lines[-1], flush=True)
    return lines


def growth_table(python, folder, sizes, rounds):
    """Time per page for sets of different sizes, and how much more it is than for the second size."""
    reference = sizes[min(1, len(sizes) - 1)]
    lines = [
        f"Growth is how much more time a page takes than in a set of {reference:,} pages.",
        "",
        "| pages | files to matrices (warm) | growth | orjson.loads | growth |",
        "|---:|---:|---:|---:|---:|",
    ]
    first = {}
    for pages in sizes:
        paths = written_pair(folder, pages)
        jobs = {name: partial(measured_job, python, name, paths) for name in ("confusion", "orjson")}
        found = medians(jobs, rounds)
        for path in paths:
            path.unlink()
        row = [f"{pages:,}"]
        for name, run in found.items():
            per_page = run["seconds"] / pages
            if pages >= reference:
                first.setdefault(name, per_page)
            growth = f"{per_page / first[name] - 1:+.0%}" if name in first else ""
            row += [f"{1e6 * per_page:.1f} µs a page", growth]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def versions(peer_python):
    ours = [f"{name} {version(name)}" for name in ("layoutcm", "numpy", "numba", "msgspec", "orjson")]
    ours += [f"{name} {version(name)}" for name in ("faster-coco-eval", "pycocotools")]
    names = ("hotcoco", "docling-metrics-layout")
    code = f"from importlib.metadata import version; print(*(f'{{n}} {{version(n)}}' for n in {names}), sep=', ')"
    theirs = subprocess.run([peer_python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return f"Python {platform.python_version()}, {', '.join(ours)}, {theirs}; {len(os.sched_getaffinity(0))} cores"


def main(options):
    python = sys.executable
    with tempfile.TemporaryDirectory() as data:
        folder = Path(data)
        paths = written_pair(folder, options.pages)
        sizes = " + ".join(f"{path.stat().st_size / 1e6:.0f}" for path in paths)
        sections = [
            (
                f"From files to answers: {options.pages:,} pages, {sizes} MB of COCO JSON",
                whole_table(python, options.peer, paths, options.rounds),
            ),
            ("A small set: the files of sample_data", sample_table(python, options.rounds)),
        ]
        for path in paths:
            path.unlink()
        sections.append(
            ("Growth with the number of pages", growth_table(python, folder, options.growth, options.rounds))
        )
    sections.append(("The kernel, one thread: compare and confusion against evaluate_page", kernel_table(options.peer)))
    said = sample_figures(options.peer)
    sections.append(("What the tools say about the sample", said))
    text = [
        "# Benchmarks",
        "",
        f"Written by `make bench-all` (benchmarks/bench_all.py) on {date.today()}, in one run.",
        f"{versions(options.peer)}.",
        "",
        "Every job runs in a process of its own. The jobs of a table alternate, and the median of "
        f"{options.rounds} rounds counts ({PEER_ROUNDS} for the kernel, 1 for pycocotools). "
        '"Warm" means that the process has worked on a few pages before. '
        "The time of a command includes starting Python.",
    ]
    for title, lines in sections:
        text += ["", f"## {title}", "", *lines]
    options.out.write_text("\n".join(text) + "\n", "utf-8")
    if options.out == PAGE:
        write_between_marks(PAGE.with_name("other-tools.md"), said)
    print(f"written: {options.out}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        print(json.dumps(run_job(*sys.argv[2:])))
        sys.exit()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer")
    parser.add_argument("--pages", type=int, default=80_863)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=int, nargs="*", default=GROWTH)
    parser.add_argument("--out", type=Path, default=PAGE)
    main(parser.parse_args())
