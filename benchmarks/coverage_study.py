"""How often do intervals contain the true value, and how often is chance called a difference?

Sums of documents are drawn at random, from two kinds of sources: rows of regions and their predictions, of which sums
are counted as layoutcm counts pixels, and labels of which each has its own way to fail. Intervals and verdicts are
those of layoutcm. The true value of a figure is that of a very large set from the same source. Writes docs/coverage.md.
The sources and the seeds are fixed; they were not chosen by their results.
"""

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.metrics.intervals import Intervals, differences_from, intervals_from
from layoutcm.metrics.unit_sums import CLASS_SCORES, UnitSums
from layoutcm.metrics.unit_sums import FIGURES as ALL_FIGURES
from layoutcm.results.verdict import BETTER, CONFIDENCE, SMALL_DIFFERENCE, WORSE

RUNS, GAIN_RUNS = 500, 200  # the tests of gains take longest
SIZES, TESTED_SIZES, GAIN_SIZES = (6, 10, 20, 50, 100, 101), (6, 10, 20), (10, 20)  # documents
MODELS = 5  # that are equally good
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
ROWS, ROW_HEIGHT, PAGE_WIDTH = 12, 10, 100
BOX = np.array([5.0, 1.0, 95.0, 9.0])  # of a region in its row
GAIN = 0.02  # of the figure, by which a better prediction is better
POPULATION = 20_000  # documents that give the true values
FINDING_STEPS = 12
# How often the success of a region is that of the region, the same for all predictions, and not a draw of its own.
SOURCES = {"independent errors": 0.0, "shared errors": 0.85}


class Documents(NamedTuple):
    """The rows of documents, in each of which there is one region or none."""

    count: int
    document: np.ndarray  # int[rows]
    label: np.ndarray  # int[rows]; the last number is a blank row
    skill: np.ndarray  # float[rows]: how often predictions are right on this document
    ease: np.ndarray  # float[rows]: below the skill, predictions that share errors are right


class Prediction(NamedTuple):
    """What a prediction has in each row."""

    label: np.ndarray  # int[rows]; the last number is nothing
    boxes: np.ndarray  # float[rows, 4], in the row


def draw_documents(rng: np.random.Generator, count: int) -> Documents:
    pages = 1 + rng.poisson(1.5, count)
    document = np.repeat(np.arange(count), pages * ROWS)
    limits = np.cumsum(TYPES[rng.integers(len(TYPES), size=count)], axis=1)[document]
    label = (rng.random(document.size)[:, None] > limits).sum(axis=1).clip(0, len(LABELS))
    skill = rng.beta(9, 1.5, count)[document]
    return Documents(count, document, label, skill, rng.random(document.size))


def draw_prediction(rng: np.random.Generator, drawn: Documents, shared: float, gain: float) -> Prediction:
    """Regions that are right, have another label, are missed or are invented, more of them in hard documents."""
    rows = drawn.label.size
    ease = np.where(rng.random(rows) < shared, drawn.ease, rng.random(rows))
    right = ease < drawn.skill - HARDER[drawn.label] + gain
    other, wrong = rng.integers(len(LABELS), size=rows), rng.random(rows)
    blank = drawn.label == len(LABELS)
    used = np.where(blank, ~right & (wrong < 0.4), right | (wrong < 0.5))
    label = np.where(used, np.where(right & ~blank, drawn.label, other), len(LABELS))
    return Prediction(label, BOX + rng.integers(-2, 3, (rows, 4)) * [1.0, 0.5, 1.0, 0.5])


def sums_of(drawn: Documents, found: Prediction) -> UnitSums:
    """What `compare` counts of these regions with its default rounding; no pixel has two labels."""
    nothing = len(LABELS)
    rounded = np.concatenate([np.floor(found.boxes[:, :2]), np.ceil(found.boxes[:, 2:])], axis=1)
    areas = [np.prod(box[..., 2:] - box[..., :2], axis=-1) for box in (BOX, rounded)]
    common = np.prod(np.minimum(rounded, BOX)[:, 2:] - np.maximum(rounded, BOX)[:, :2], axis=1)
    gt, pred = (area * (label != nothing) for area, label in zip(areas, (drawn.label, found.label)))
    both = common * (gt > 0) * (pred > 0)

    def of_labels(label: np.ndarray, pixels: np.ndarray) -> np.ndarray:
        place = drawn.document * (nothing + 1) + label
        return np.bincount(place, pixels, drawn.count * (nothing + 1)).reshape(drawn.count, -1)[:, :nothing]

    hit = of_labels(drawn.label, both * (drawn.label == found.label))
    pixels = np.bincount(drawn.document, minlength=drawn.count) * float(PAGE_WIDTH * ROW_HEIGHT)
    content = np.stack([np.bincount(drawn.document, one, drawn.count) for one in (both, gt, pred)], axis=1)
    return with_background(LABELS, hit, of_labels(drawn.label, gt), of_labels(found.label, pred), content, pixels)


def with_background(labels: list[str], hit: np.ndarray, gt: np.ndarray, pred: np.ndarray, content: np.ndarray,
                    pixels: np.ndarray) -> UnitSums:  # fmt: skip
    """Sums of documents from float[documents, labels], with Background."""
    background = pixels[:, None] - content @ [[-1, 0, 0], [1, 1, 0], [1, 0, 1]]
    hit, gt, pred = (np.concatenate([background[:, k : k + 1], one], axis=1) for k, one in enumerate((hit, gt, pred)))
    names = [f"d{d:06}" for d in range(len(hit))]
    parts = {"recall_hit": hit, "precision_hit": hit, "gt": gt, "pred": pred, "content": content}
    return UnitSums("document", names, ["Background", *labels], True, parts)


class Kind(NamedTuple):
    """How often a label occurs, and how often it is right."""

    documents: float  # share of the documents that have it
    regions: float  # in a document of one unit of length
    hard: float | None  # share of documents in which it fails more often; None if all differ
    right_in_hard: float
    right: float


KINDS = {
    "common": Kind(1, 8, None, 0, 0),
    "rare": Kind(0.4, 3, None, 0, 0),
    "seldom wrong": Kind(1, 8, 0.15, 0.6, 0.995),
    "rare, seldom wrong": Kind(0.5, 3, 0.2, 0.5, 0.99),
    "all right or all wrong": Kind(1, 3, 0.1, 0, 1),
}


def draw_classes(rng: np.random.Generator, count: int, equal: bool) -> UnitSums:
    """Sums of documents with the labels of `KINDS`, each with failures of its own; documents may be equally long."""
    length = np.ones(count) if equal else np.ceil(rng.lognormal(0.7, 0.8, count)) / 3
    columns = []
    for kind in KINDS.values():
        skill = rng.beta(9, 1.5, count)
        if kind.hard is not None:
            skill = np.where(rng.random(count) < kind.hard, kind.right_in_hard, kind.right)
        regions = rng.poisson(kind.regions * length) * (rng.random(count) < kind.documents)
        right, invented = rng.binomial(regions, skill), rng.poisson((1 - skill) * kind.regions * length * 0.7)
        columns.append(100.0 * np.stack([0.97 * right, regions, right + invented]))
    hit, gt, pred = np.stack(columns, axis=2)
    content = np.stack([one.sum(axis=1) for one in (hit, gt, pred)], axis=1)
    return with_background(list(KINDS), hit, gt, pred, content, content[:, 1:].sum(axis=1) + 1000)


def no_recipe(method: str, **settings: object) -> str:
    return ""


def intervals(sums: UnitSums) -> Intervals:
    return intervals_from(sums, no_recipe, RESAMPLES, 0, CONFIDENCE, "matrix")


def differences(sums: Mapping[str, UnitSums], seed: int) -> dict[str, Intervals]:
    """{name: difference from the first}, tested as those of one leaderboard."""
    return differences_from(sums, dict.fromkeys(sums, no_recipe), RESAMPLES, seed, CONFIDENCE, "matrix")


def true_values_of(sums: UnitSums) -> np.ndarray:
    """float[figures, then classes x scores] of a very large set; its intervals would take long."""
    found = sums.results(sums.rows.sum(axis=0)[None])[0]
    of_classes = found[len(ALL_FIGURES) :].reshape(len(CLASS_SCORES), -1)[:, 1:]
    return np.concatenate([found[[ALL_FIGURES.index(figure) for figure in FIGURES]], of_classes.ravel()])


def called_different(rng: np.random.Generator, count: int, shared: float, seed: int, models: int) -> np.ndarray:
    """bool[figures]: whether the test calls some one of equally good predictions better or worse than the first."""
    drawn = draw_documents(rng, count)
    sums = {str(k): sums_of(drawn, draw_prediction(rng, drawn, shared, 0)) for k in range(models)}
    found = differences(sums, seed).values()
    return np.array([any(one.verdict(figure) in (BETTER, WORSE) for one in found) for figure in FIGURES])


def true_values(shared: float, more_right: np.ndarray) -> np.ndarray:
    """float[equal or better, figures]: of equal predictions, and of each figure's own better prediction."""
    rng = np.random.default_rng(POPULATION)
    drawn = draw_documents(rng, POPULATION)
    found = [sums_of(drawn, draw_prediction(rng, drawn, shared, gain)) for gain in (0, *more_right)]
    equal, *better = (true_values_of(sums)[: len(FIGURES)] for sums in found)
    return np.stack([equal, np.diag(better)])


def find_more_right(shared: float) -> tuple[np.ndarray, np.ndarray]:
    """For each figure, by how much more often a prediction must be right to gain `GAIN` in it; and the true values."""
    more_right, steps = np.full(len(FIGURES), GAIN), []
    for _ in range(FINDING_STEPS):
        truth = true_values(shared, more_right)
        gain = truth[1] - truth[0]
        steps.append((np.abs(gain - GAIN).max(), more_right, truth))
        more_right = more_right * GAIN / gain
    _, best, truth = min(steps, key=lambda step: step[0])
    return best, truth


class Task(NamedTuple):
    count: int  # documents
    seed: int
    shared: float
    more_right: np.ndarray


def run_classes(task: tuple[int, int, bool]) -> np.ndarray:
    """float[figures and classes, low high] of one set of the labels of `KINDS`."""
    count, seed, equal = task
    return ends_of(intervals(draw_classes(np.random.default_rng([seed, count]), count, equal)))


def ends_of(found: Intervals) -> np.ndarray:
    """float[figures, then classes x scores; low high]"""
    of_classes = np.concatenate([found.scores[score][1:, 1:3] for score in CLASS_SCORES])
    return np.concatenate([[found.figures[figure][1:3] for figure in FIGURES], of_classes])


def run_figures(task: Task) -> np.ndarray:
    """float[figures, low high] of one set of rows."""
    rng = np.random.default_rng([task.seed, task.count])
    drawn = draw_documents(rng, task.count)
    found = intervals(sums_of(drawn, draw_prediction(rng, drawn, task.shared, 0)))
    return np.array([found.figures[figure][1:3] for figure in FIGURES])


def run_tests(task: Task) -> np.ndarray:
    """bool[two or many models, figures]: whether some one of equally good predictions is called different."""
    called = [called_different(np.random.default_rng([task.seed, task.count, models]), task.count, task.shared,
                               task.seed, models) for models in (2, MODELS)]  # fmt: skip
    return np.array(called, float)


def run_gains(task: Task) -> np.ndarray:
    """float[figures, columns]: whether the better prediction is called better, low, high, whether they are too wide."""
    rng = np.random.default_rng([task.seed, task.count, 1])
    drawn = draw_documents(rng, task.count)
    first, *better = (sums_of(drawn, draw_prediction(rng, drawn, task.shared, gain)) for gain in (0, *task.more_right))
    rows = []
    for figure, sums in zip(FIGURES, better):
        found = differences({"first": first, "better": sums}, task.seed)["better"]
        low, high = found.figures[figure][1:3]
        rows.append([found.verdict(figure) == BETTER, low, high, high - low > 2 * SMALL_DIFFERENCE])
    return np.array(rows, float)


def coverage(ends: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """float[values]: the share of the intervals, float[runs, values, low high], that contain the true value."""
    low, high = np.moveaxis(ends, -1, 0)
    has_interval = np.isfinite(low).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(has_interval > 0, ((low <= truth) & (truth <= high)).sum(axis=0) / has_interval, np.nan)


def share_text(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share if share == 1 else min(100 * share, 99.9):.1f} %"


def table(title: str, columns: list[str], rows: list[tuple[object, np.ndarray]]) -> str:
    lines = [f"### {title}", "", f"| documents | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(map(share_text, shares))} |" for name, shares in rows]
    return "\n".join(lines)


Mapped = Callable[..., list[np.ndarray]]


def class_parts(mapped: Mapped, runs: int) -> Iterator[str]:
    """Tables of the labels of `KINDS`: for documents of equal and of different length, of each score."""
    columns = list(KINDS)
    for equal, lengths in ((True, "of equal length"), (False, "of very different length")):
        truth = true_values_of(draw_classes(np.random.default_rng(POPULATION), 10 * POPULATION, equal))
        shares = {n: coverage(np.stack(mapped(run_classes, [(n, seed, equal) for seed in range(runs)])), truth)
                  for n in SIZES}  # fmt: skip
        by_score = {n: own[len(FIGURES) :].reshape(len(CLASS_SCORES), -1) for n, own in shares.items()}
        yield f"## Labels in documents {lengths}"
        for k, score in enumerate(CLASS_SCORES):
            title = "F1" if score == "f1" else "IoU" if score == "iou" else score
            yield table(f"95 % intervals of {title} that contain the true value", columns,
                        [(n, own[k]) for n, own in by_score.items()])  # fmt: skip
        yield table("95 % intervals of the figures that contain the true value", list(FIGURES.values()),
                    [(n, own[: len(FIGURES)]) for n, own in shares.items()])  # fmt: skip


def source_parts(mapped: Mapped, runs: int, source: str) -> Iterator[str]:
    """The tables of one source of rows."""
    shared = SOURCES[source]
    more_right, truth = find_more_right(shared)
    gain = truth[1] - truth[0]
    gains = ", ".join(f"{value:.4f} ({name})" for name, value in zip(FIGURES.values(), gain))
    yield f"## {source.capitalize()}\n\nThe true gain of each better prediction is {gains}."

    def of_sizes(run: Callable[[Task], np.ndarray], sizes: tuple[int, ...], runs: int) -> dict[int, np.ndarray]:
        return {n: np.stack(mapped(run, [Task(n, seed, shared, more_right) for seed in range(runs)])) for n in sizes}

    def shown(title: str, rows: Mapping[int, np.ndarray]) -> str:
        return table(title, list(FIGURES.values()), list(rows.items()))

    covered = {n: coverage(ends, truth[0]) for n, ends in of_sizes(run_figures, SIZES, runs).items()}
    yield shown("95 % intervals that contain the true value", covered)
    called = {n: found.mean(axis=0) for n, found in of_sizes(run_tests, TESTED_SIZES, runs).items()}
    yield shown(
        "Two equally good predictions, but one is called better or worse", {n: one[0] for n, one in called.items()}
    )
    many = f"{MODELS} equally good predictions, but some one is called better or worse than the first"
    yield shown(many, {n: one[1] for n, one in called.items()})
    found = of_sizes(run_gains, GAIN_SIZES, min(runs, GAIN_RUNS))
    yield shown("95 % intervals of the gain of the better prediction that contain the true gain",
                {n: coverage(one[..., 1:3], gain) for n, one in found.items()})  # fmt: skip
    for column, title in ((0, "The better prediction is called better"),
                          (3, "The interval of the gain is marked as too wide to show two points")):  # fmt: skip
        yield shown(title, {n: one[..., column].mean(axis=0) for n, one in found.items()})


HEAD = """# How far intervals and verdicts can be trusted

This page is written by `make coverage-study` (benchmarks/coverage_study.py). For each number of documents, {runs:,}
sets were drawn from each source of invented documents, with the seeds from 0. Intervals and verdicts are those of the
program. With {runs:,} sets, a share near 95 % has a standard error of {error:.1f} points.

The labels of the first tables fail in different ways. *Common* occurs in all documents and *rare* in {rare:.0f} % of
them; how often they are right varies from document to document. *Seldom wrong* is nearly always right, but not in
{hard:.0f} % of the documents. *Rare, seldom wrong* is that of a rare label. *All right or all wrong* is wholly wrong in
{wrong:.0f} % of the documents. An interval of such a label must leave room for documents that fail and were not drawn.
Sets in which a label has no interval, because fewer than 6 documents have it, do not count; "–" is where none has one.

The other tables are of documents of {types} types with one page or more (2.5 on average) of {rows} rows, {labels}
labels, and a difficulty that varies from document to document. There are predictions that are equally good and, for
each figure, one that is better by two points of this figure. There are two sources. With independent errors, each
prediction fails on regions of its own. With shared errors, which is more like two versions of one model, most regions
on which one prediction fails are hard for the others, too, so that a gain is easier to see.

Several predictions are tested as those of one leaderboard. Whether a gain is found depends on the number of documents
and on how alike the predictions are. A gain of two points is found in most sets if the interval of the difference is
narrower than two points to each side. If it is wider and no difference is shown, the remark on the figure says so; the
last table has the share of such intervals. The tables of gains are of {gain_runs:,} sets."""


def page_head(runs: int) -> str:
    error = 100 * (0.95 * 0.05 / runs) ** 0.5
    documents = {"rare": KINDS["rare"].documents, "hard": KINDS["seldom wrong"].hard}
    documents["wrong"] = KINDS["all right or all wrong"].hard
    shares = {name: 100 * share for name, share in documents.items() if share is not None}
    sizes = {"runs": runs, "gain_runs": min(runs, GAIN_RUNS), "types": len(TYPES), "rows": ROWS, "labels": len(LABELS)}
    return HEAD.format(error=error, **sizes, **shares)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    parts = [page_head(options.runs)]
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        mapped: Mapped = lambda run, tasks: pool.map(run, tasks, chunksize=10)
        for part in class_parts(mapped, options.runs):
            print(part, flush=True)
            parts.append(part)
        for source in SOURCES:
            for part in source_parts(mapped, options.runs, source):
                print(part, flush=True)
                parts.append(part)
    if options.runs == RUNS:
        text = "\n\n".join(parts) + "\n"
        (Path(__file__).parents[1] / "docs" / "coverage.md").write_text(text, encoding="utf-8")
