"""Recount randomly chosen pages of a comparison and compare all their numbers; averages are those of scikit-learn."""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, PRED
from layoutcm.lazy import pd
from layoutcm.verification import PAGES
from layoutcm.verification import deviations as quantity
from layoutcm.verification import plain_scores as plain
from layoutcm.verification.deviations import Deviation, Deviations, Numbers, average_name, cells, pair_name
from layoutcm.verification.drawn_pixels import BACKGROUND, Page, Pair, SideRegions, count_pairs, page_grid
from layoutcm.verification.peer_objects import coco_scores
from layoutcm.wording import make_unique

if TYPE_CHECKING:
    from layoutcm.comparison import Comparison

MAX_PAGE_PIXELS = 50_000_000
MAX_PAGES_FOR_ALL_OBJECTS = 5_000  # pycocotools is slow: with more pages, AP is compared on the chosen pages
PEERS = {"scikit-learn": "sklearn.metrics", "pycocotools": "pycocotools.cocoeval"}
ALL_PAGES = "all pages"
CELL_SCORES = ("recall", "precision", "f1")
CLASS_PIXELS = ("gt_pixels", "pred_pixels")
CLASS_SCORES = ("precision", "recall", "f1", "iou")
PAGE_SCORES = ("precision", "recall", "f1", "micro_f1", "content_precision", "content_recall", "content_f1")
OBJECT_SCORES = ("ap", "ap50", "ap75", "ar")


Progress = Callable[[int, int], None]


class Recounted(NamedTuple):
    """What was recounted."""

    pages: tuple[str, ...]
    too_large: tuple[str, ...]  # pages that were chosen and left out, because they have too many pixels
    pixels: float
    label_pairs: int


@dataclass(frozen=True, eq=False)
class Verification:
    """What was recounted, and how far it deviates from what layoutcm computed."""

    recipe: str
    page_count: int  # pages of the comparison
    seed: int
    recounted: Recounted
    table: pd.DataFrame  # quantity, recounted_by, numbers, largest_deviation
    deviations: tuple[Deviation, ...]  # those above the tolerance
    not_installed: tuple[str, ...]
    why_no_ap: str  # why AP was not checked; "" if it was, or if pycocotools is not installed
    objects_left_out: tuple[str, ...] = ()  # pages whose objects layoutcm left out: AP was not checked on them

    @property
    def numbers(self) -> int:
        """How many numbers were compared."""
        return int(self.table["numbers"].sum())

    @property
    def largest(self) -> float:
        """The largest deviation of all: absolute for scores, relative for pixels; inf if only one side has a value."""
        return float(self.table["largest_deviation"].max())

    @property
    def agrees(self) -> bool:
        """Whether all numbers that were checked agree; `ap_was_checked` says whether AP is among them."""
        return not self.deviations

    @property
    def ap_was_checked(self) -> bool:
        return not self.why_no_ap and "pycocotools" not in self.not_installed


def verify(
    comparison: Comparison,
    pages: int = PAGES,
    seed: int = 0,
    *,
    method: str = "matrix",
    progress: Progress | None = None,
) -> Verification:
    """Recount up to `pages` random pages by drawing their regions on pixels, and compare all numbers of these pages.

    If all pages are recounted, the numbers of the whole set are compared, too. Averages are also compared with
    scikit-learn, and AP with pycocotools, if they are installed. `progress` is called with (pages done, pages).
    """
    check_recounting(pages, seed)
    found, peers = Deviations(), _installed_peers()
    sides = [SideRegions(comparison.alignment, side, comparison.min_score) for side in (GT, PRED)]
    chosen, too_large = _choose_pages(comparison, sides, pages, seed)
    pixels, label_pairs = _compare_pages(
        comparison, chosen, method, peers.get("scikit-learn", ""), found, progress or (lambda done, pages: None)
    )
    why_no_ap, left_out = "", list[str]()
    if "pycocotools" in peers:
        why_no_ap, left_out = _compare_objects(comparison, sides, list(chosen), peers["pycocotools"], found)
    names = comparison.pages
    return Verification(
        recipe=comparison.recipe_for(method),
        page_count=len(names),
        seed=seed,
        recounted=Recounted(
            tuple(names[page] for page in chosen), tuple(names[page] for page in too_large), pixels, label_pairs
        ),
        table=found.table(),
        deviations=tuple(found.above_tolerance),
        not_installed=tuple(name for name in PEERS if name not in peers),
        why_no_ap=why_no_ap,
        objects_left_out=tuple(left_out),
    )


def check_recounting(pages: object, seed: object) -> None:
    for name, value, least, example in (("pages", pages, 1, PAGES), ("seed", seed, 0, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            problem = f"{short_repr(value)} is not a whole number of {least} or more"
            raise InputError("", name, problem, f"Use one such as {example}.")


def _installed_peers() -> dict[str, str]:
    """{package: its name with the version}"""
    from importlib.metadata import version

    peers = {}
    for package, module in PEERS.items():
        try:
            importlib.import_module(module)
            peers[package] = f"{package} {version(package)}"
        except ImportError:
            continue
    return peers


def _choose_pages(
    comparison: Comparison, sides: Sequence[SideRegions], most: int, seed: int
) -> tuple[dict[int, Page], list[int]]:
    """{page: its regions} of the chosen pages in order, and the pages that were too large and replaced by others."""
    order = list(range(len(comparison.alignment.pages)))
    random.Random(seed).shuffle(order)
    chosen, too_large = dict[int, Page](), list[int]()
    for number in order:
        gt = sides[GT].on_page(number) + sides[GT].ignore_areas(number)
        page = Page(comparison.alignment.pages.size(number), (gt, sides[PRED].on_page(number)))
        if page_grid(page, comparison.rounding).pixels > MAX_PAGE_PIXELS:
            too_large.append(number)
        else:
            chosen[number] = page
        if len(chosen) == most:
            break
    if not chosen:
        problem = f"all pages have more than {MAX_PAGE_PIXELS:,} pixels" if too_large else "there are no pages"
        hint = "The rounding exact needs no pixels." if too_large else "Check that these are the right files."
        raise InputError("", "pages", f"no page can be recounted: {problem}", hint)
    return dict(sorted(chosen.items())), sorted(too_large)


def _compare_pages(
    comparison: Comparison, chosen: dict[int, Page], method: str, sklearn: str, found: Deviations, progress: Progress
) -> tuple[float, int]:
    """Recount the chosen pages, and the whole set if these are all pages; returns the pixels and pairs of the pages."""
    names, all_pairs, label_pairs = comparison.pages, dict[Pair, float](), 0
    table = page_table_rows(comparison, [names[page] for page in chosen], method)
    for done, (number, page) in enumerate(chosen.items(), start=1):
        pairs, name = count_pairs(page, comparison.rounding), names[number]
        recounted = _compare_level(comparison, name, pairs, method, sklearn, found)
        found.compare(_loop(comparison), name, table[name], page_table_numbers(recounted))
        label_pairs += len(pairs)
        for pair, pixels in pairs.items():
            all_pairs[pair] = all_pairs.get(pair, 0.0) + pixels
        progress(done, len(chosen))
    if len(chosen) == len(names):
        _compare_level(comparison, None, all_pairs, method, sklearn, found)
    return sum(all_pairs.values()), label_pairs


def _compare_level(
    comparison: Comparison, page: str | None, pairs: dict[Pair, float], method: str, sklearn: str, found: Deviations
) -> Numbers:
    """Compare the numbers of a page, or of the whole set if it is None; returns the recounted ones."""
    labels, shared = comparison.labels, comparison.space.shared
    place = ALL_PAGES if page is None else page
    computed = computed_numbers(comparison, page, method)
    recounted = recounted_numbers(pairs, labels, shared, method)
    found.compare(_loop(comparison), place, computed, recounted)
    if sklearn and shared:
        found.compare(sklearn, place, computed, averages_by_sklearn(pairs, len(labels), method))
    return recounted


def _loop(comparison: Comparison) -> str:
    """How the pixels are recounted."""
    return "rectangles between edges" if comparison.rounding == "exact" else "drawing on pixels"


def _compare_objects(
    comparison: Comparison, sides: Sequence[SideRegions], chosen: Sequence[int], pycocotools: str, found: Deviations
) -> tuple[str, list[str]]:
    """Compare AP and AR on all pages, or one by one on the chosen pages.

    Returns the reason if nothing was compared, and the pages that were left out of objects.
    """
    names = comparison.pages
    why = comparison.objects(page=names[chosen[0]]).why_no_ap  # the same for all pages
    if why:
        return why, []
    levels: list[tuple[str | None, Sequence[int]]] = [(None, range(len(names)))]
    recounted_by = f"{pycocotools}, {ALL_PAGES}"
    if len(names) > MAX_PAGES_FOR_ALL_OBJECTS:
        levels = [(names[page], [page]) for page in chosen]
        recounted_by = f"{pycocotools}, page by page"
    left_out, note, compared = list[str](), "", 0
    for page, pages in levels:
        objects = comparison.objects(page=page)
        used = [one for one in pages if names[one] not in set(objects.left_out)]
        left_out += objects.left_out
        note = note or objects.note
        if used:
            place = ALL_PAGES if page is None else page
            found.compare(recounted_by, place, object_numbers(comparison, page), coco_scores(sides, used))
            compared += len(used)
    return ("" if compared else note), left_out


# The numbers to check. Only these functions ask the comparison for numbers.


def computed_numbers(comparison: Comparison, page: str | None, method: str) -> Numbers:
    """All numbers of a page, or of the whole set if it is None."""
    labels = make_unique(comparison.labels)  # if the taxonomies differ, the same name may be in the list twice
    confusion = comparison.confusion(page=page, method=method)
    masses = {"recall": confusion.recall_mass, "precision": confusion.precision_mass}
    masses = masses if method == "tensor" else {"": confusion.values}
    scores = {name: getattr(confusion, name) for name in CELL_SCORES}
    values = confusion.class_values()
    by_class = lambda names: {f"{name} of {label}": v for name in names for label, v in zip(labels, values[name])}
    averages = {
        average_name(kind, score, background): value
        for background, kind in product((False, True), plain.AVERAGES)
        for score, value in confusion.average(kind, background).items()
    }
    return {
        quantity.PIXELS: {"": comparison.counts(page=page).total},
        quantity.PAIRS: _pairs(comparison, page),
        quantity.MATRIX: {k: v for name in masses for k, v in cells(name, labels, masses[name]).items()},
        quantity.CELL_SCORES: {k: v for name in scores for k, v in cells(name, labels, scores[name]).items()},
        quantity.CLASS_PIXELS: by_class(CLASS_PIXELS),
        quantity.CLASS_SCORES: by_class(CLASS_SCORES),
        quantity.AVERAGES: averages,
        quantity.CONTENT: comparison.content(page=page),
    }


def _pairs(comparison: Comparison, page: str | None) -> dict[str, float]:
    counts, pairs = comparison.counts(page=page), dict[str, float]()
    for gt, pred, pixels in zip(counts.sets(GT), counts.sets(PRED), counts.pixels.tolist()):
        name = pair_name(gt, pred)
        pairs[name] = pairs.get(name, 0.0) + pixels
    return pairs


def page_table_rows(comparison: Comparison, pages: Sequence[str], method: str) -> dict[str, Numbers]:
    """{page: the scores in its row of the page table}"""
    scored = replace(comparison, has_truth=True)  # else the table has the agreement
    table = scored.page_table(method).set_index("page").loc[list(pages), list(PAGE_SCORES)]
    rows = zip(table.index, table.to_numpy().tolist())
    return {page: {quantity.PAGE_TABLE: dict(zip(PAGE_SCORES, row))} for page, row in rows}


def object_numbers(comparison: Comparison, page: str | None) -> Numbers:
    """COCO's twelve numbers, and those of each class."""
    objects = comparison.objects(page=page)
    classes = {
        f"{name} of {label}": value
        for name in OBJECT_SCORES
        for label, value in zip(objects.labels, objects.per_class[name])
    }
    return {quantity.OBJECTS: objects.summary, quantity.CLASS_OBJECTS: classes}


# The same numbers, recounted.


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


def sklearn_averages(
    pairs: plain.Pairs, masses: plain.Masses, method: str, background: bool
) -> dict[str, dict[str, float]]:
    """{average: {score: value}} without or with Background.

    The samples of method `matrix` are the cells of the matrix with their values as weights. Those of `tensor`, whose
    recall and precision are the true ones, are the label sets with their pixels as weights.
    """
    gt, pred = plain.row_sums(masses.recall), plain.column_sums(masses.precision)
    first = BACKGROUND if background else BACKGROUND + 1
    used = [label for label in range(first, len(gt)) if gt[label] > 0 or pred[label] > 0]
    truth, prediction, weights = _cells(masses) if method == "matrix" else _label_sets(pairs, len(gt))
    averages = {kind: dict.fromkeys(plain.SCORES, plain.NAN) for kind in plain.AVERAGES}
    for kind in plain.AVERAGES if used else ():
        if kind != "weighted" or any(gt[label] > 0 for label in used):
            averages[kind] = _one_average(truth, prediction, weights, used, kind)
    micro = averages["micro"]
    if method == "tensor" and any(map(math.isnan, micro.values())):
        micro["f1"] = plain.NAN  # scikit-learn has 0 where one of precision and recall does not exist
    return averages


def _one_average(
    truth: np.ndarray, prediction: np.ndarray, weights: np.ndarray, used: list[int], kind: str
) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support

    # A value that does not exist counts 0 in a mean; `micro` is not a mean.
    missing = plain.NAN if kind == "micro" else 0.0
    *scores, _ = precision_recall_fscore_support(
        truth, prediction, labels=used, average=kind, sample_weight=weights, zero_division=missing
    )
    return dict(zip(plain.SCORES, map(float, scores)))


def _cells(masses: plain.Masses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of every cell that is not 0."""
    matrix = np.array(masses.recall)
    rows, columns = np.nonzero(matrix)
    return rows, columns, matrix[rows, columns]


def _label_sets(pairs: plain.Pairs, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """int[pairs, labels] each: 1 for the labels of gt and of pred; float64[pairs]: pixels."""
    # One more column than labels: scikit-learn does not accept a single one.
    sides = [np.zeros((len(pairs), labels + 1), int) for _ in range(2)]
    for k, pair in enumerate(pairs):
        for members, indicator in zip(pair, sides):
            indicator[k, list(members)] = 1
    return sides[0], sides[1], np.array(list(pairs.values()))
