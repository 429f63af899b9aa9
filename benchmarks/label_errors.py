"""How many of the first candidates of `label_errors` are errors that were planted in the ground truth?

Errors are planted in 5 % of the regions of generated pages, a quarter of each kind. Two models are drawn independently.
Prints, for each model alone and for both, the share of planted errors among as many candidates; for both, how many of
each kind are among these, and how many candidates with a given evidence are planted errors.
The pages, models and seeds are fixed; they were not chosen by their results.
"""

import argparse
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

import layoutcm as lcm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.planted_errors import draw_model, found_errors, plant

KINDS = ("label", "missing", "spurious", "box")
EVIDENCE = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1)


def measure(seed: int, pages: int) -> tuple[list[float], list[float], np.ndarray]:
    """The micro F1 of both models; shares of the first, the second and both, then by kind; [evidence, planted]."""
    rng = np.random.default_rng(seed)
    planted = plant(rng, pages)
    gt, errors = planted.gt, planted.errors
    compared = [lcm.compare(gt, draw_model(rng, planted, f"model {k}")) for k in range(2)]
    shares = []
    for chosen in (compared[:1], compared[1:], compared):
        table = lcm.label_errors(chosen)
        found = found_errors(table, errors)
        shares.append(found[: len(errors)].sum() / len(errors))
    first = table["kind"][: len(errors)].to_numpy()
    for kind in KINDS:
        shares.append(found[: len(errors)][first == kind].sum() / sum(error.kind == kind for error in errors))
    figures = [c.confusion().average("micro")["f1"] for c in compared]
    return figures, shares, np.stack([table["evidence"].to_numpy(), found])


def print_shares(seeds: int, pages: int) -> np.ndarray:
    heading = " ".join(f"{name:>8}" for name in ("first", "second", "both", *KINDS))
    print(f"{'seed':>5} {'F1':>11} {heading}")
    every, evidence = [], []
    for seed in range(seeds):
        figures, shares, own = measure(seed, pages)
        every.append(shares)
        evidence.append(own)
        print(f"{seed:5} {figures[0]:.3f} {figures[1]:.3f} " + " ".join(f"{share:8.3f}" for share in shares))
    for name, summary in (("mean", np.mean), ("least", np.min)):
        print(f"{name:>5} {'':11} " + " ".join(f"{share:8.3f}" for share in summary(every, axis=0)))
    return np.concatenate(evidence, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    evidence, planted = print_shares(arguments.seeds, arguments.pages)
    print("\nevidence      candidates  planted")
    for low, high in pairwise(EVIDENCE):
        inside = (evidence > low) & (evidence <= high)
        print(f"{low:4} to {high:4} {inside.sum():12,} {planted[inside].mean():8.3f}")


if __name__ == "__main__":
    main()
