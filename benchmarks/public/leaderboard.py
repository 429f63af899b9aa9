"""A public benchmark: predictions of several models on DocLayNet, or another ground truth, as a leaderboard page.

    python benchmarks/public/leaderboard.py models.yaml -o OUT

models.yaml names the ground truth and the file of each model; docs/public-benchmark.md explains it. OUT/index.html is
the page, OUT/NAME the report of each model, OUT/leaderboard.json has all figures. What is odd about a file is printed.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

import layoutcm as lcm

KEYS = {"ground_truth", "split", "baseline", "models"}
MODEL_KEYS = {"file", "format", "mapping", "min_score", "taxonomy"}


def load_models(path: Path) -> dict[str, Any]:
    """models.yaml with paths that are relative to it; a model may be only the path of its file."""
    chosen = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(chosen, dict) or not chosen.keys() <= KEYS or not {"ground_truth", "models"} <= chosen.keys():
        raise SystemExit(f"{path}: it has the keys ground_truth, models and, if needed, split and baseline")
    models = {name: {"file": one} if isinstance(one, str) else one for name, one in chosen["models"].items()}
    for name, one in models.items():
        if "file" not in one or not one.keys() <= MODEL_KEYS:
            raise SystemExit(f"{path}: {name}: it has the keys {', '.join(sorted(MODEL_KEYS))}; file is needed")
        one["file"] = path.parent / one["file"]
        if isinstance(one.get("mapping"), str):
            one["mapping"] = path.parent / one["mapping"]
    return chosen | {"ground_truth": path.parent / chosen["ground_truth"], "models": models}


def read_ground_truth(source: Path, split: str | None) -> lcm.Layout:
    """All shards of a folder, or those of one split: test-00000-of-00006.parquet and so on."""
    if split is None:
        return lcm.read(source)
    shards = sorted(source.glob(f"{split}-*.parquet"))
    if not shards:
        raise SystemExit(f"{source}: no file {split}-*.parquet")
    return lcm.read([str(path) for path in shards])


def compare_model(gt: lcm.Layout, settings: Mapping[str, Any]) -> lcm.Comparison:
    pred = lcm.read(settings["file"], like=gt, format=settings.get("format"))
    options = {name: settings[name] for name in ("mapping", "min_score", "taxonomy") if name in settings}
    if isinstance(options.get("mapping"), dict):
        options["mapping"] = {"pred": options["mapping"]}
    return lcm.compare(gt, pred, **options)


def make_leaderboard(chosen: Mapping[str, Any], out: Path, why: bool) -> lcm.Leaderboard:
    clock = Clock()
    gt = read_ground_truth(chosen["ground_truth"], chosen.get("split"))
    clock.note(f"ground truth: {len(gt.pages):,} pages, {len(gt.regions):,} regions")
    comparisons = {}
    for name, settings in chosen["models"].items():
        comparisons[name] = compare_model(gt, settings)
        clock.note(f"{name}: {comparisons[name].taxonomy} taxonomy")
        for finding in comparisons[name].findings:
            print(f"  {finding.severity}: {finding.message}")
    board = lcm.leaderboard(comparisons, chosen.get("baseline"))
    clock.note("leaderboard")
    board.write_report(out, why=why)
    clock.note(f"{out / 'index.html'} and the report of each model")
    return board


class Clock:
    """Prints what was done, with the seconds and the CPU seconds since the last note, and the peak of memory."""

    def __init__(self) -> None:
        self.last = (time.perf_counter(), time.process_time())

    def note(self, what: str) -> None:
        now = (time.perf_counter(), time.process_time())
        seconds, cpu = (end - start for end, start in zip(now, self.last))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{seconds:7.1f} s {cpu:7.1f} s CPU {peak:5.2f} GB  {what}", flush=True)
        self.last = now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, metavar="MODELS.YAML")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", required=True)
    parser.add_argument("--why", action="store_true", help="also the causes of wrong pixels; takes longer")
    options = parser.parse_args()
    board = make_leaderboard(load_models(options.models), options.output, options.why)
    columns = ["model", "macro_f1", "macro_f1_low", "macro_f1_high", "micro_f1", "content_f1", "ap", "verdict"]
    table = board.table[[name for name in columns if name in board.table]]
    print(table.to_string(index=False, float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
