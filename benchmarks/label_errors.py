"""How many of the first candidates of `label_errors` are errors that were planted in the ground truth?

Errors are planted in 5 % of the regions of generated pages, a quarter of each kind. Two models are drawn independently.
Prints the share of planted errors among as many candidates, for each model alone and for both, and by kind.
The pages, models and seeds are fixed; they were not chosen by their results.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import layoutcm as lcm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.planted_errors import draw_model, found_errors, plant

KINDS = ("label", "missing", "spurious", "box")


def measure(seed: int, pages: int) -> tuple[list[float], list[float], dict[str, float]]:
    """The micro F1 of both models; the shares of planted errors for the first, the second and both; recall by kind."""
    rng = np.random.default_rng(seed)
    planted = plant(rng, pages)
    gt, wanted = planted.gt, len(planted.errors)
    compared = [lcm.compare(gt, draw_model(rng, planted, f"model {k}")) for k in range(2)]
    shares = []
    for chosen in (compared[:1], compared[1:], compared):
        first = lcm.label_errors(chosen).head(wanted)
        found = found_errors(first, planted.errors)
        shares.append(float(found.sum()) / wanted)
    kinds = {
        kind: float(found[(first["kind"] == kind).to_numpy()].sum()) / sum(one.kind == kind for one in planted.errors)
        for kind in KINDS
    }
    return [c.confusion().average("micro")["f1"] for c in compared], shares, kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    print(
        f"{'seed':>4} {'F1':>12} {'first':>6} {'second':>6} {'both':>6}   " + " ".join(f"{kind:>8}" for kind in KINDS)
    )
    every = []
    for seed in range(arguments.seeds):
        f1, shares, kinds = measure(seed, arguments.pages)
        every.append([*shares, *kinds.values()])
        numbers = f"{shares[0]:6.3f} {shares[1]:6.3f} {shares[2]:6.3f}   "
        print(f"{seed:4} {f1[0]:.3f} {f1[1]:.3f}  {numbers}" + " ".join(f"{value:8.3f}" for value in kinds.values()))
    mean, least = np.mean(every, axis=0), np.min(every, axis=0)
    for name, values in (("mean", mean), ("least", least)):
        numbers = " ".join(f"{value:6.3f}" for value in values[:3])
        print(f"{name:>5}{'':12}{numbers}   " + " ".join(f"{value:8.3f}" for value in values[3:]))


if __name__ == "__main__":
    main()
