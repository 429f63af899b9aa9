"""A million pages from Parquet parts: time and memory with threads and with Dask, kills, and a reduce of 10,000 parts.

Every run is a process of its own, `layoutcm compare-parts`. Memory is that of the process with all its children.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
from generate_parts import write_parts

SECONDS, GIGABYTES, RATIO = 90, 1.5, 1.5  # what must hold
LAYOUTCM = [sys.executable, "-m", "layoutcm"]


def command(folders, out, *options):
    return [*LAYOUTCM, "compare-parts", *map(str, folders), "-o", str(out), *options]


def measured(arguments):
    """Seconds and peak gigabytes of a command and all its children."""
    started, peak = time.perf_counter(), 0
    process = psutil.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None:
        peak = max(peak, _memory(process))
        time.sleep(0.1)
    if process.returncode:
        raise SystemExit(process.stderr.read().decode())
    return time.perf_counter() - started, peak / 1e9


def _memory(process):
    """Bytes of a process and its children; shared pages count once for each, so this is rather too much."""
    total = 0
    try:
        for one in [process, *process.children(recursive=True)]:
            total += one.memory_info().rss
    except psutil.Error:
        pass
    return total


def digest(folder):
    """The digest of the names and bytes of all files."""
    found = hashlib.sha256()
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def size_of(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def bench_pages(work, pages, parts):
    """Threads and Dask on the same sets."""
    started = time.perf_counter()
    folders = write_parts(work / f"sets-{pages}", pages, parts)
    regions = sum(_regions(folder) for folder in folders)
    print(
        f"{pages:,} pages, {regions:,} regions in 2 x {parts} parts, written in {time.perf_counter() - started:.0f} s"
    )
    subprocess.run([*LAYOUTCM, "--version"], check=True, stdout=subprocess.DEVNULL)
    results = {}
    for name, options in (("threads", ["--threads", "2"]), ("dask", ["--threads", "2", "--dask", "local"])):
        out = work / f"{name}-{pages}"
        seconds, memory = measured(command(folders, out, *options))
        results[name] = (seconds, memory, digest(out))
        each = f"{1e6 * seconds / pages:6.1f} µs a page  {1e6 * seconds / regions:5.2f} µs a region"
        print(f"  {name:8} {seconds:7.1f} s  {each}  peak {memory:.2f} GB", flush=True)
    print(f"  bytes a page: parts {size_of(work / f'sets-{pages}') / pages:.0f}, result {size_of(out) / pages:.0f}")
    threads, dask = results["threads"], results["dask"]
    print(f"  the same bytes: {threads[2] == dask[2]}; Dask takes {dask[0] / threads[0]:.2f} times as long")
    shutil.rmtree(work / f"threads-{pages}")
    shutil.rmtree(work / f"dask-{pages}")
    within = threads[0] < SECONDS and threads[1] < GIGABYTES and dask[0] < RATIO * threads[0]
    return within and threads[2] == dask[2]


def _regions(folder):
    from layoutcm.scale.manifest import read_manifest

    return read_manifest(folder).regions


def bench_kills(work, kills):
    """Kill a run at random moments, and start it again; at the end the bytes are those of a run without kills."""
    folders, rng = write_parts(work / "kill-sets", 20_000, 40), random.Random(0)
    started = time.perf_counter()
    subprocess.run(command(folders, work / "whole"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, expected, finished = time.perf_counter() - started, digest(work / "whole"), 0
    hits = 0
    while hits < kills:
        process = subprocess.Popen(
            command(folders, work / "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=rng.uniform(0.1, 1) * seconds)
        if process.poll() is not None:  # it has ended before; start anew, so that later kills hit a run, too
            finished += 1
            if digest(work / "killed") != expected:
                print("  a run that was killed and started again has other bytes")
                return False
            shutil.rmtree(work / "killed")
        else:
            hits += 1
            process.kill()
            process.wait()
    subprocess.run(command(folders, work / "killed"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    same = digest(work / "killed") == expected
    print(f"  {hits} kills of the process, {finished} came too late: the same bytes: {same}", flush=True)
    return same and kill_workers(work, folders, expected) and kill_scheduler(work, folders, expected)


def _workers():
    """The numbers of the worker processes of this process, which use more memory than its other children."""
    children = psutil.Process().children(recursive=True)
    while len(workers := [one.pid for one in children if _memory(one) > 5e7]) < 2:
        time.sleep(0.1)
        children = psutil.Process().children(recursive=True)
    return workers


def kill_workers(work, folders, expected, kills=5):
    """Kill workers of a Dask cluster one after the other while it counts."""
    import layoutcm as lcm
    from layoutcm.scale.engines import local_cluster

    killed = []
    with local_cluster(2) as client:
        done = threading.Event()

        def kill():
            while not done.is_set() and len(killed) < kills:
                if len(list((work / "workers" / "counts").glob("*.json"))) > 6 * len(killed):
                    killed.append(random.choice(_workers()))
                    os.kill(killed[-1], signal.SIGKILL)
                time.sleep(0.2)

        killer = threading.Thread(target=kill)
        killer.start()
        lcm.compare_partitions(*folders, work / "workers", engine=client)
        done.set()
        killer.join()
    same = digest(work / "workers") == expected
    print(f"  {len(killed)} kills of a Dask worker: the same bytes: {same}", flush=True)
    return same and len(killed) == kills


def _kill_all(process):
    """Kill a process and its children; a worker has a process that would start it again."""
    for one in [*psutil.Process(process.pid).children(recursive=True), process]:
        one.kill()
    process.wait()


def kill_scheduler(work, folders, expected):
    """Kill the scheduler, and start the run again with a new one."""
    port = "127.0.0.1:8799"
    start = lambda *arguments: subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]], stderr=subprocess.DEVNULL
    )

    def cluster():
        scheduler = start("dask_scheduler", "--host", port, "--no-dashboard")
        workers = [start("dask_worker", f"tcp://{port}", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
        time.sleep(4)
        return scheduler, workers

    out = work / "scheduler"
    scheduler, workers = cluster()
    run = subprocess.Popen(command(folders, out, "--dask", f"tcp://{port}"), stderr=subprocess.DEVNULL, stdout=-3)
    while len(list((out / "counts").glob("*.json"))) < 5 and run.poll() is None:
        time.sleep(0.02)
    before, running = len(list((out / "counts").glob("*.json"))), run.poll() is None
    for process in (scheduler, run, *workers):
        _kill_all(process)
    scheduler, workers = cluster()
    subprocess.run(command(folders, out, "--dask", f"tcp://{port}"), check=True, stdout=-3, stderr=subprocess.DEVNULL)
    for process in (scheduler, *workers):
        _kill_all(process)
    same = digest(out) == expected
    print(f"  a kill of the scheduler after {before} of 40 parts, and a new run: the same bytes: {same}")
    return same and running and before < 40


def bench_reduce(work, parts=10_000):
    """Merge the counts of so many parts, which are copies of those of a real part."""
    import msgspec

    from layoutcm.scale.engines import merge_in_tree
    from layoutcm.scale.part_counts import merge_counts, read_counts

    one = read_counts(next((work / "whole" / "counts").glob("*.json")))
    size = len(msgspec.json.encode(one))
    copies = [msgspec.structs.replace(one, parts=[f"part-{i:05d}"]) for i in range(parts)]
    started = time.perf_counter()
    total = merge_in_tree(copies, parts, merge_counts)
    seconds = time.perf_counter() - started
    right = sum(total.pixels) == parts * sum(one.pixels)
    print(f"  {parts:,} parts of {size / 1e3:.0f} kB, merged in {seconds:.1f} s on one core: {right}")
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--only", choices=("pages", "kills", "reduce"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, held = Path(folder), True
        if arguments.only in (None, "pages"):
            held &= bench_pages(place, arguments.pages, arguments.parts)
        if arguments.only != "pages":
            held &= bench_kills(place, arguments.kills if arguments.only != "reduce" else 0)
            held &= bench_reduce(place)
    sys.exit(not held)
