"""Time of soft scores on a DocLayNet-size pair, compared with counting pixels in the same run, and of the first use.

The time of soft scores includes everything that `c.soft` does: placing the boxes on the pixel grid, the sums of all
pages and labels, and all four averages. CPU seconds, except for the first use.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import DOCLAYNET_PAGES, best_seconds
from generate import write_pair

import layoutcm as lcm
from layoutcm.pixels.counting import count_pairs

CPU = time.process_time

FIRST_USE = """
import time, layoutcm as lcm
gt = lcm.read(('gt.csv', b'page,label,x0,y0,x1,y1,width,height\\np,a,0,0,1,1,9,9'))
c = lcm.compare(gt, gt)
start = time.perf_counter()
c.soft()
print(time.perf_counter() - start)
"""


def bench_first_use():
    with tempfile.TemporaryDirectory() as cache:
        for title in ("first soft scores (compiles)", "next process (cached)"):
            run = subprocess.run(
                [sys.executable, "-c", FIRST_USE],
                capture_output=True,
                text=True,
                check=True,
                env={"NUMBA_CACHE_DIR": cache},
            )
            print(f"{title:34} {float(run.stdout):8.2f} s")


def all_soft_scores(comparison):
    comparison.sources.__dict__.pop("soft_sums", None)  # clear the cached property, so that its computation is measured
    for average in ("micro", "macro", "samples", None):
        comparison.soft(average)


def bench_pair(gt_path, pred_path):
    gt = lcm.read(gt_path)
    pred = lcm.read(pred_path, like=gt)
    for threads in (1, None):
        comparison = lcm.compare(gt, pred, threads=threads)
        count = lambda c=comparison, n=threads: count_pairs(c.alignment, c.rounding, None, n, None)
        pixels = best_seconds(count, clock=CPU)
        soft = best_seconds(lambda c=comparison: all_soft_scores(c), clock=CPU)
        print(
            f"{len(comparison.pages):,} pages, {threads or 'all'} thread{'s' if threads is None else ' '}"
            f"   pixels {pixels:6.2f} s   soft {soft:6.2f} s   ratio {soft / pixels:.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="GT PRED", help="instead of a generated pair")
    parser.add_argument("--pages", type=int, default=DOCLAYNET_PAGES)
    options = parser.parse_args()
    bench_first_use()
    if options.files:
        bench_pair(*options.files)
    else:
        with tempfile.TemporaryDirectory() as folder:
            bench_pair(*write_pair(Path(folder), options.pages))
