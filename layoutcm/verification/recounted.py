"""All numbers of a page, or of the whole set, from the recounted pairs of label sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from layoutcm.verification import deviations as quantity
from layoutcm.verification import plain_scores as plain
from layoutcm.verification.deviations import Numbers, average_name, cells, pair_name
from layoutcm.verification.peer_averages import sklearn_averages
from layoutcm.wording import make_unique


def recounted_numbers(pairs: plain.Pairs, labels: Sequence[str], shared: bool, method: str) -> Numbers:
    """`labels` are all labels of the matrix; `shared` says whether both sides use the same ones."""
    masses = plain.masses_of(pairs, len(labels), method)
    matrices = masses._asdict() if method == "tensor" else {"": masses.recall}
    scores, pair_names = plain.cell_scores(masses, method), {}
    for gt, pred in pairs:
        pair_names[gt, pred] = pair_name((labels[i] for i in gt), (labels[i] for i in pred))
    labels = make_unique(labels)  # if the taxonomies differ, the same name may be in the list twice
    return {
        quantity.PIXELS: {"": sum(pairs.values())},
        quantity.PAIRS: {pair_names[pair]: pixels for pair, pixels in pairs.items()},
        quantity.MATRIX: {k: v for name in matrices for k, v in cells(name, labels, matrices[name]).items()},
        quantity.CELL_SCORES: {k: v for name in scores for k, v in cells(name, labels, scores[name]).items()},
        **_class_numbers(pairs, masses, labels, shared),
        quantity.AVERAGES: _averages(masses, shared),
        quantity.CONTENT: plain.content_scores(pairs),
    }


def _class_numbers(pairs: plain.Pairs, masses: plain.Masses, labels: Sequence[str], shared: bool) -> Numbers:
    pixels: dict[str, float] = {}
    for name, carried in zip(("gt_pixels", "pred_pixels"), plain.carried_pixels(pairs, len(labels))):
        pixels |= {f"{name} of {label}": value for label, value in zip(labels, carried)}
    scores = {}
    for label, counts in zip(labels, plain.class_counts(masses)):
        for name, value in plain.scores_of(counts).items():
            scores[f"{name} of {label}"] = value if shared else plain.NAN
    return {quantity.CLASS_PIXELS: pixels, quantity.CLASS_SCORES: scores}


def _averages(masses: plain.Masses, shared: bool) -> dict[str, float]:
    classes, values = plain.class_counts(masses), {}
    for background, kind in product((False, True), plain.AVERAGES):
        for score, value in plain.averages(classes[0 if background else 1 :], kind).items():
            values[average_name(kind, score, background)] = value if shared else plain.NAN
    return values


def averages_by_sklearn(pairs: plain.Pairs, labels: int, method: str) -> Numbers:
    masses, values = plain.masses_of(pairs, labels, method), dict[str, float]()
    for background in (False, True):
        for kind, scores in sklearn_averages(pairs, masses, method, background).items():
            values |= {average_name(kind, score, background): value for score, value in scores.items()}
    return {quantity.AVERAGES: values}


def page_table_numbers(numbers: Numbers) -> Numbers:
    """The numbers of a page that are also in its row of the page table."""
    averages, content = numbers[quantity.AVERAGES], numbers[quantity.CONTENT]
    row = {score: averages[average_name("macro", score, background=False)] for score in plain.SCORES}
    row["micro_f1"] = averages[average_name("micro", "f1", background=False)]
    return {quantity.PAGE_TABLE: row | {f"content_{score}": value for score, value in content.items()}}
