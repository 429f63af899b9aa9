"""Speed of docling-metrics-layout's `evaluate_page` (the peer) and of layoutcm on the same random pages, in one run.

Usage: python benchmarks/peer.py PEER_PYTHON, the Python of an environment in which the peer is installed.
Both run on one thread and alternate. The median of the rounds is used for both.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np
from random_pages import CASES, LABELS, SPREADS, layout_pair

PEER_PAGES = {14: 12, 50: 6, 150: 3}  # boxes per side -> pages, fewer because the peer is slow
ROUNDS = 5
TARGETS = [1800, 1800, 1800, 1800]  # intended ratio for each of CASES


def peer_seconds(width, height, boxes, pages, spread, seed=0):
    """Seconds per page in the peer, one value for each page. Runs in the environment of the peer."""
    import torch
    from docling_metrics_layout.layout_types import BboxResolution
    from docling_metrics_layout.tore.multi_label_confusion_matrix import MultiLabelConfusionMatrix
    from docling_metrics_layout.tore.tore_layout_evaluator import evaluate_page
    from random_pages import random_boxes

    torch.set_num_threads(1)
    rng, times = np.random.default_rng(seed), []
    names = dict(enumerate(["Background", *LABELS]))
    for _ in range(pages):
        sides = []
        for _ in range(2):
            corners, label = random_boxes(rng, width, height, boxes, spread)
            rows = zip(corners.tolist(), label.tolist())
            sides.append([BboxResolution(category_id=k + 1, bbox=box) for box, k in rows])
        start = time.perf_counter()
        evaluate_page(MultiLabelConfusionMatrix(), "page", width, height, names, *sides)
        times.append(time.perf_counter() - start)
    return times


def our_seconds(gt, pred, pages):
    import layoutcm as lcm

    start = time.perf_counter()
    lcm.compare(gt, pred, threads=1).confusion()
    return (time.perf_counter() - start) / pages


def interleaved(peer_python, width, height, boxes, pages, spread, rounds=ROUNDS):
    """Seconds per page of the peer and of layoutcm, one value each for every round; rounds alternate."""
    gt, pred = layout_pair(width, height, boxes, pages, spread)
    our_seconds(gt, pred, pages)  # loads numba and the compiled kernel
    ours, theirs = [], []
    for _ in range(rounds):
        case = json.dumps([width, height, boxes, PEER_PAGES[boxes], spread])
        run = subprocess.run([peer_python, __file__, "--peer", case], capture_output=True, text=True, check=True)
        theirs.append(statistics.median(json.loads(run.stdout)[1:]))  # the first page is slower and left out
        ours.append(statistics.median(our_seconds(gt, pred, pages) for _ in range(3)))
    return theirs, ours


def main(peer_python):
    print("one thread; median of the rounds; compare + confusion against evaluate_page")
    for spread in SPREADS:
        print(f"random boxes, sides {spread[0]:.0%} to {spread[1]:.0%} of the page")
        measure(peer_python, spread)


def measure(peer_python, spread):
    for (width, height, boxes, pages), target in zip(CASES, TARGETS):
        theirs, ours = map(statistics.median, interleaved(peer_python, width, height, boxes, pages, spread))
        print(
            f"  {width:5} x {height:<5} {boxes:4} + {boxes:<4} boxes   peer {1e3 * theirs:8.1f} ms   "
            f"layoutcm {1e6 * ours:8.1f} µs   {theirs / ours:7,.0f} x   (target: {target:,})"
        )


if __name__ == "__main__":
    if sys.argv[1] == "--peer":
        print(json.dumps(peer_seconds(*json.loads(sys.argv[2]))))
    else:
        main(sys.argv[1])
