"""CPU seconds of families, compared with counting the pixels, on a pair of the size of DocLayNet."""

import argparse
import tempfile
import time
from pathlib import Path

from bench import DOCLAYNET_PAGES, best_seconds
from generate import write_pair

import layoutcm as lcm
from layoutcm.pixels.counting import count_pairs


def report(gt_path, pred_path, repeats):
    gt = lcm.read(gt_path)
    comparison = lcm.compare(gt, lcm.read(pred_path, like=gt))
    tree = next(iter(lcm.suggest_families(comparison.labels[1:]).values()))
    jobs = {
        "families, pixels": lambda: comparison.families(tree),
        "families, pixels, gold": lambda: comparison.families(tree, count="gold"),
        "families, pages": lambda: comparison.families(tree, sample="page"),
        "matrix at depth 1": lambda: comparison.confusion(families=tree, depth=1),
    }
    counting = best_seconds(
        lambda: count_pairs(comparison.alignment, "outer", None, 1, None), repeats, time.process_time
    )
    rows, pairs = len(comparison.all_counts), len(comparison.all_counts.merged())
    print(f"{len(comparison.pages):,} pages, {rows:,} rows of pair counts, {pairs:,} distinct pairs")
    print(f"  {'counting pixels (compare)':28} {counting:8.3f} s")
    for name, work in jobs.items():
        work()  # loads the compiled code
        taken = best_seconds(work, repeats, time.process_time)
        print(f"  {name:28} {taken:8.3f} s   {taken / counting:5.2f} x the counting")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", metavar="GT PRED", help="instead of a generated pair")
    parser.add_argument("--pages", type=int, default=DOCLAYNET_PAGES)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.files:
        report(*options.files, options.repeats)
    else:
        with tempfile.TemporaryDirectory() as folder:
            report(*write_pair(Path(folder), options.pages), options.repeats)
