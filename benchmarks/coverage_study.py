"""How often do intervals contain the true value, and how often is chance called a difference?

Documents and two predictions are drawn at random, compared by layoutcm, and drawn again. The true value of a figure is
that of a very large set from the same source. Writes docs/coverage.md. The source of the documents and the seeds are
fixed; they were not chosen by their results.
"""

import argparse
import multiprocessing
from pathlib import Path
from typing import NamedTuple

import numpy as np

import layoutcm as lcm
from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import make_layout
from layoutcm.metrics.bootstrap import MOST_JACKKNIFE
from layoutcm.results.verdict import BETTER, SMALL_DIFFERENCE, WORSE

SIZES, RUNS = (6, 10, 20, 40, 120), 2000
MOST_FOR_GAINS = 40  # documents; with more, a gain is found more often
FIGURES = {"micro_f1": "micro F1", "macro_f1": "macro F1", "content_f1": "content F1"}
LABELS = ["Text", "Section-header", "List-item", "Table", "Picture", "Caption"]
# Shares of the labels, then of blank rows, in three types of documents.
TYPES = np.array(
    [
        [0.55, 0.15, 0.08, 0.05, 0.03, 0.04, 0.10],
        [0.30, 0.10, 0.25, 0.15, 0.02, 0.03, 0.15],
        [0.35, 0.10, 0.05, 0.02, 0.25, 0.13, 0.10],
    ]
)
HARDER = np.array([0.0, 0.03, 0.06, 0.1, 0.05, 0.2, 0.0])  # how much more often a label is wrong
ROWS, ROW_HEIGHT, WIDTH = 12, 10, 90
GAIN = 0.02  # of the figure, by which a better prediction is better
POPULATION = 20_000  # documents that give the true values
FINDING_STEPS = 12
# How often the success of a region is that of the region, the same for all predictions, and not a draw of its own.
SOURCES = {"independent errors": 0.0, "shared errors": 0.85}


class Documents(NamedTuple):
    """The rows of pages, in which there is one region or none."""

    pages: Pages
    page: np.ndarray  # int[rows]
    top: np.ndarray  # float[rows]
    label: np.ndarray  # int[rows]; the last number is a blank row
    skill: np.ndarray  # float[rows]: how often predictions are right on this document
    ease: np.ndarray  # float[rows]: below the skill, predictions that share errors are right


def draw_documents(rng: np.random.Generator, count: int) -> Documents:
    pages_each = 1 + rng.poisson(1.5, count)
    document = np.repeat(np.arange(count), pages_each)
    names = tuple(f"d{d:05}_p{i:06}" for i, d in enumerate(document))
    sizes = np.full(document.size, 100.0), np.full(document.size, float(ROWS * ROW_HEIGHT))
    pages = Pages(names, *sizes, tuple(f"d{d:05}" for d in document), np.full(document.size, -1, np.int32))
    page = np.repeat(np.arange(document.size), ROWS)
    top = np.tile(np.arange(ROWS) * float(ROW_HEIGHT), document.size)
    limits = np.cumsum(TYPES[rng.integers(len(TYPES), size=count)], axis=1)[document[page]]
    label = (rng.random(page.size)[:, None] > limits).sum(axis=1).clip(0, len(LABELS))
    skill = rng.beta(9, 1.5, count)[document[page]]
    return Documents(pages, page, top, label, skill, rng.spawn(1)[0].random(page.size))


def ground_truth(drawn: Documents) -> lcm.Layout:
    used = drawn.label < len(LABELS)
    top = drawn.top[used]
    boxes = np.stack([np.full(top.size, 5.0), top + 1, np.full(top.size, 5.0 + WIDTH), top + 9], axis=1)
    return _layout("gt", drawn, used, drawn.label[used], boxes)


def prediction(rng: np.random.Generator, drawn: Documents, shared: float, gain: float) -> lcm.Layout:
    """Regions that are right, have another label, are missed or are invented, more of them in hard documents."""
    ease = np.where(rng.spawn(1)[0].random(drawn.label.size) < shared, drawn.ease, rng.random(drawn.label.size))
    right = ease < drawn.skill - HARDER[drawn.label] + gain
    other, wrong = rng.integers(len(LABELS), size=right.size), rng.random(right.size)
    blank = drawn.label == len(LABELS)
    label = np.where(right & ~blank, drawn.label, other)
    used = np.where(blank, ~right & (wrong < 0.4), right | (wrong < 0.5))
    top = drawn.top[used]
    shift = rng.integers(-2, 3, (top.size, 4)) * [1.0, 0.5, 1.0, 0.5]
    boxes = np.stack([np.full(top.size, 5.0), top + 1, np.full(top.size, 5.0 + WIDTH), top + 9], axis=1) + shift
    return _layout("pred", drawn, used, label[used], boxes)


def _layout(name: str, drawn: Documents, used: np.ndarray, label: np.ndarray, boxes: np.ndarray) -> lcm.Layout:
    page, scores = drawn.page[used].astype(np.int32), np.full(len(boxes), np.nan)
    return make_layout(name, "drawn", LABELS, drawn.pages, Regions(page, label.astype(np.int32), boxes, scores))


def comparisons(
    rng: np.random.Generator, count: int, shared: float, more_right: tuple[float, ...]
) -> list[lcm.Comparison]:
    """Two equally good predictions, then better ones, of the same documents.

    `more_right` is by how much the share of regions that a better prediction gets right is larger.
    """
    drawn = draw_documents(rng, count)
    gt = ground_truth(drawn)
    preds = [prediction(rng, drawn, shared, more) for more in (0, 0, *more_right)]
    return [lcm.compare(gt, pred, taxonomy="same", threads=1) for pred in preds]


def values_of(comparison: lcm.Comparison) -> np.ndarray:
    matrix = comparison.confusion()
    return np.array([matrix.average("micro")["f1"], matrix.average("macro")["f1"], matrix.content()["f1"]])


def find_more_right(shared: float) -> tuple[tuple[float, ...], np.ndarray]:
    """For each figure, by how much more often a prediction must be right to gain `GAIN` in it; and the true values.

    The draws of a prediction depend on those before it, so the steps do not settle: the best of them is taken.
    """
    more_right, steps = np.full(len(FIGURES), GAIN), []
    for _ in range(FINDING_STEPS):
        truth = true_values(shared, tuple(more_right))
        gain = truth[1] - truth[0]
        steps.append((np.abs(gain - GAIN).max(), tuple(more_right), truth))
        more_right = more_right * GAIN / gain
    _, best, truth = min(steps, key=lambda step: step[0])
    return best, truth


def true_values(shared: float, more_right: tuple[float, ...]) -> np.ndarray:
    """float[equal or better, figures]: of equal predictions, and of each figure's own better prediction."""
    first, second, *better = comparisons(np.random.default_rng(POPULATION), POPULATION, shared, more_right)
    own = [values_of(comparison)[figure] for figure, comparison in enumerate(better)]
    return np.stack([(values_of(first) + values_of(second)) / 2, own])


class Task(NamedTuple):
    count: int  # documents
    seed: int
    shared: float
    more_right: tuple[float, ...]


def run(task: Task) -> np.ndarray:
    """float[figures, columns] of one run: low, high, whether chance is called a difference, and then of the gain.

    Of the gain: whether the better prediction is called better, low, high, and whether the remark says that the
    interval is too wide.
    """
    rng = np.random.default_rng([task.seed, task.count])
    first, second, *better = comparisons(rng, task.count, task.shared, task.more_right)
    found, null = first.bootstrap(), lcm.difference(first, second, seed=task.seed)
    rows = [[*found.figures[figure][1:3], null.verdict(figure) in (BETTER, WORSE)] for figure in FIGURES]
    for row, figure, comparison in zip(rows, FIGURES, better):
        real = lcm.difference(first, comparison, seed=task.seed)
        low, high = real.figures[figure][1:3]
        row += [real.verdict(figure) == BETTER, low, high, high - low > 2 * SMALL_DIFFERENCE]
    return np.array(rows, float)


TABLES = {
    "contain": "95 % intervals that contain the true value",
    "gain": "95 % intervals of the gain of the better prediction that contain the true gain",
    "chance": "Two equally good predictions, but one is called better or worse",
    "found": "The better prediction is called better",
    "wide": "The interval of the gain is marked as too wide to show two points",
}


def study(shared: float, runs: int, processes: int) -> tuple[np.ndarray, dict[str, list[list[float]]]]:
    """The true gains, and for each table its rows: the number of documents, then a share for every figure."""
    more_right, truth = find_more_right(shared)
    gain = truth[1] - truth[0]
    tables: dict[str, list[list[float]]] = {name: [] for name in TABLES}
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for count in SIZES:
            gains = more_right if count <= MOST_FOR_GAINS else ()
            tasks = [Task(count, seed, shared, gains) for seed in range(runs)]
            low, high, called, *of_gain = np.moveaxis(np.stack(pool.map(run, tasks, chunksize=20)), -1, 0)
            shares = {"contain": (low <= truth[0]) & (truth[0] <= high), "chance": called}
            if of_gain:
                found, gain_low, gain_high, wide = of_gain
                shares |= {"gain": (gain_low <= gain) & (gain <= gain_high), "found": found, "wide": wide}
            for name, values in shares.items():
                tables[name].append([count, *values.mean(axis=0)])
            print(count, *(f"{name} {np.round(tables[name][-1][1:], 4)}" for name in shares), flush=True)
    return gain, tables


def share_text(share: float) -> str:
    return f"{100 * share if share == 1 else min(100 * share, 99.9):.1f} %"


def part_text(source: str, gain: np.ndarray, tables: dict[str, list[list[float]]]) -> str:
    """The tables of one source of documents."""
    gains = ", ".join(f"{value:.4f} ({name})" for name, value in zip(FIGURES.values(), gain))
    parts = [f"## {source.capitalize()}", f"The true gain of each better prediction is {gains}."]
    for name, title in TABLES.items():
        lines = [f"### {title}", "", "| documents | " + " | ".join(FIGURES.values()) + " |", "|---|---|---|---|"]
        for count, *shares in tables[name]:
            lines.append(f"| {count} | " + " | ".join(map(share_text, shares)) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


HEAD = """# How far intervals and verdicts can be trusted

This page is written by `make coverage-study` (benchmarks/coverage_study.py). For each number of documents, {runs:,}
sets were drawn from a source of invented documents, with the seeds from 0: {types} types of documents of one page or
more (2.5 on average) with {rows} rows, {labels} labels, and a difficulty that varies from document to document. Each
set has two predictions that are equally good and, for each figure, one that is better by two points of this figure.
There are two sources. With independent errors, each prediction fails on regions of its own. With shared errors, which
is more like two versions of one model, most regions on which one prediction fails are hard for the others, too, so
that a gain is easier to see.

Whether a gain is found depends on the number of documents and on how alike the predictions are. A gain of two points
is found in most sets if the interval of the difference is narrower than two points to each side. If it is wider and no
difference is shown, the remark on the figure says so; the last table has the share of such intervals.

Up to {jackknife} documents the intervals use the jackknife, above they are percentiles of resamples. With {runs:,}
runs, a share near 95 % has a standard error of {error:.1f} points."""


def page_head(runs: int) -> str:
    error = 100 * (0.95 * 0.05 / runs) ** 0.5
    sizes = {"types": len(TYPES), "rows": ROWS, "labels": len(LABELS), "jackknife": MOST_JACKKNIFE}
    return HEAD.format(runs=runs, error=error, **sizes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    parts = [page_head(options.runs)]
    for source, shared in SOURCES.items():
        print(source)
        parts.append(part_text(source, *study(shared, options.runs, options.processes)))
    text = "\n\n".join(parts) + "\n"
    print(text)
    if options.runs == RUNS:
        (Path(__file__).parents[1] / "docs" / "coverage.md").write_text(text, encoding="utf-8")
