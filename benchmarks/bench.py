"""Speed of pages on one thread, of the whole job on a DocLayNet-size pair, and with a growing number of pages.

Compare each time with its reference from the same run: on a shared machine only the ratios are meaningful.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generate import write_pair
from random_pages import CASES, layout_pair

import layoutcm as lcm
from layoutcm.metrics.levels import document_matrices, page_matrices

DOCLAYNET_PAGES = 80_863


def best_seconds(work, repeats=5, clock=time.perf_counter):
    """The shortest time of several runs; other processes can only make a run slower."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def bench_import():
    code = "import time; t = time.perf_counter(); import layoutcm; print(time.perf_counter() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)
    ]
    print(f"import layoutcm                    {min(times):8.3f} s")


def bench_compile():
    """The first comparison on a machine compiles the kernel; later ones load it from the cache."""
    code = (
        "import time, layoutcm as lcm; t = time.perf_counter();"
        "import layoutcm.pixels.grid, layoutcm.metrics.contributions; loaded = time.perf_counter() - t;"
        "gt = lcm.read(('gt.csv', b'page,label,x0,y0,x1,y1,width,height\\np,a,0,0,1,1,9,9')); t = time.perf_counter();"
        "lcm.compare(gt, gt).confusion(); print(loaded, time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        for title in ("first comparison (compiles)", "next process (cached)"):
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"NUMBA_CACHE_DIR": cache}
            )
            loaded, compared = map(float, run.stdout.split())
            print(f"{title:34} {compared:8.2f} s   (loading numba: {loaded:.2f} s)")


def bench_pages():
    print("\ntime of compare and confusion, one thread")
    for width, height, boxes, pages in CASES:
        gt, pred = layout_pair(width, height, boxes, pages)
        per_page = best_seconds(lambda gt=gt, pred=pred: lcm.compare(gt, pred, threads=1).confusion()) / pages
        print(f"  {width:5} x {height:<5} {boxes:4} + {boxes:<4} boxes  {1e6 * per_page:9.1f} µs a page")


def read_both(gt_path, pred_path):
    gt = lcm.read(gt_path)
    return gt, lcm.read(pred_path, like=gt)


def whole_job(gt_path, pred_path):
    """From two files to the matrices of all pages, all documents and the set."""
    comparison = lcm.compare(*read_both(gt_path, pred_path))
    comparison.confusion()
    for blocks in (page_matrices(comparison.levels), document_matrices(comparison.levels)):
        for _ in blocks:
            pass
    return comparison


def bench_whole_job(folder, pages):
    """Each job runs in its own process, so that the peak memory is that of the job."""
    gt_path, pred_path = write_pair(folder, pages)
    sizes = [path.stat().st_size / 1e6 for path in (gt_path, pred_path)]
    print(f"\nwhole job, {pages:,} pages, {sizes[0]:.0f} + {sizes[1]:.0f} MB of COCO JSON")
    ours = _run_measured(["--job", str(gt_path), str(pred_path)])
    theirs = _run_measured(["--orjson", str(gt_path), str(pred_path)])
    print(f"  orjson.loads of the two files     {theirs[0]:8.2f} s   peak {theirs[1]:6.2f} GB")
    ratio = ours[0] / theirs[0]
    print(f"  files to all matrices             {ours[0]:8.2f} s   peak {ours[1]:6.2f} GB   ratio {ratio:.2f}")


def _run_measured(arguments):
    """[seconds, peak memory in GB] of this script with the arguments, in a new process."""
    run = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True)
    return [float(value) for value in run.stdout.split()]


def print_measures(work):
    start = time.perf_counter()
    work()
    print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)


def load_both(paths):
    import orjson

    for path in paths:
        orjson.loads(Path(path).read_bytes())


def bench_growth(folder):
    """Time per page for sets of different sizes.

    orjson.loads also takes longer per page on a large set, because only a small set fits into the processor's caches.
    """
    print("\ngrowth, µs a page and how much more than at the first size")
    first = {}
    for pages in (1_000, 10_000, 100_000, 300_000):
        paths = write_pair(folder, pages)
        layouts = read_both(*paths)
        lcm.compare(*layouts).confusion()  # loads numba and the cached kernel
        jobs = {
            "files to all matrices": lambda paths=paths: whole_job(*paths),
            "comparing only": lambda layouts=layouts: lcm.compare(*layouts).confusion(),
            "orjson.loads": lambda paths=paths: load_both(paths),
        }
        columns = []
        for name, work in jobs.items():
            per_page = best_seconds(work, repeats=1 if pages > 10_000 else 3) / pages
            columns.append(f"{name} {1e6 * per_page:6.1f} ({per_page / first.setdefault(name, per_page):.2f} x)")
        print(f"  {pages:8,} pages  {'   '.join(columns)}", flush=True)
        for path in paths:
            path.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=DOCLAYNET_PAGES)
    parser.add_argument("--job", nargs=2)
    parser.add_argument("--orjson", nargs=2)
    options = parser.parse_args()
    if options.job:
        print_measures(lambda: whole_job(*options.job))
    elif options.orjson:
        print_measures(lambda: load_both(options.orjson))
    else:
        bench_import()
        bench_compile()
        bench_pages()
        with tempfile.TemporaryDirectory() as data:
            bench_whole_job(Path(data), options.pages)
            bench_growth(Path(data))
