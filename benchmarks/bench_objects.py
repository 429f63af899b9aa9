"""Time of the objects view on a DocLayNet-size pair, compared with faster-coco-eval on the same files in the same run.

The time is measured from the loaded data (layouts; COCO dictionaries with their index) to COCO's twelve numbers, each
in its own process. The time for reading is shown too. CPU seconds, because wall time is unreliable on a shared machine.
The generated ground truth has an annotation with id 0, which faster-coco-eval treats as unmatched; this causes a
difference of 1e-7.
"""

import argparse
import logging
import math
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from generate import write_pair

DOCLAYNET_PAGES = 80_863


def ours(gt_path, pred_path):
    """Seconds for reading, for the twelve numbers and for the other object results; then the twelve numbers."""
    import layoutcm as lcm

    start = time.process_time()
    gt = lcm.read(gt_path)
    pred = lcm.read(pred_path, like=gt)
    read = time.process_time()
    objects = _without_pixels(gt, pred).objects()
    summary = objects.summary
    summarised = time.process_time()
    objects.scores_at(0.5), objects.confusion_at(0.5), objects.per_class
    return read - start, summarised - read, time.process_time() - summarised, list(summary.values())


def _without_pixels(gt, pred):
    """A comparison without pixel counts, because objects do not need them."""
    import numpy as np

    from layoutcm.alignment.align import align
    from layoutcm.comparison import comparison_in_memory
    from layoutcm.pixels.pair_counts import PairCounts

    counts = PairCounts(((), ()), np.empty(0, np.int32), np.empty((0, 2), np.uint64), np.empty(0))
    return comparison_in_memory(align(gt, pred), counts, "outer", None, {})


def theirs(gt_path, pred_path):
    """The same values of faster-coco-eval, which has no other object results."""
    from faster_coco_eval import COCO, COCOeval_faster

    logging.disable()
    warnings.simplefilter("ignore")
    start = time.process_time()
    gt = COCO(gt_path)
    pred = gt.loadRes(pred_path)
    read = time.process_time()
    evaluation = COCOeval_faster(gt, pred, "bbox")
    evaluation.run()
    return read - start, time.process_time() - read, 0.0, evaluation.stats.tolist()


def run_measured(who, *paths):
    """The printed numbers of `print_measures`, from a new process."""
    run = subprocess.run(
        [sys.executable, __file__, "--as", who, *map(str, paths)], capture_output=True, text=True, check=True
    )
    return [float(value) for value in run.stdout.split()]


def print_measures(times):
    *seconds, summary = times
    print(*seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, *summary)


def bench(gt_path, pred_path, repeats):
    print("objects, CPU seconds                 read   twelve numbers   matrix, scores   peak")
    best = {}
    for who in ("layoutcm", "faster-coco-eval"):
        runs = [run_measured(who, gt_path, pred_path) for _ in range(repeats)]
        read, numbers, rest, peak, *_ = best[who] = min(runs, key=lambda run: run[1])
        print(f"  {who:30} {read:8.2f} s     {numbers:8.2f} s       {rest:8.2f} s   {peak:5.2f} GB")
    own, other = best.values()
    print(f"  ratio, computing                  {own[1] / other[1]:8.3f}")
    print(f"  ratio, with reading               {(own[0] + own[1]) / (other[0] + other[1]):8.3f}")
    differences = (abs(a - b) for a, b in zip(own[4:], other[4:]) if not math.isnan(a))
    print(f"  largest difference of the twelve  {max(differences):8.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="GT PRED", help="instead of generated ones")
    parser.add_argument("--pages", type=int, default=DOCLAYNET_PAGES)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--as", dest="who", choices=("layoutcm", "faster-coco-eval"))
    options = parser.parse_args()
    if options.who:
        print_measures((ours if options.who == "layoutcm" else theirs)(*map(str, options.files)))
    elif options.files:
        bench(*options.files, options.repeats)
    else:
        with tempfile.TemporaryDirectory() as data:
            bench(*write_pair(Path(data), options.pages), options.repeats)
