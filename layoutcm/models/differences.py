"""Paired differences of predictions against one ground truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats, Pages, Positions, concatenate_pages
from layoutcm.metrics.bootstrap import CONFIDENCE, RESAMPLES, check_resampling
from layoutcm.metrics.intervals import Intervals, differences_from
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.unit_sums import unit_sums
from layoutcm.pixels.pair_counts import PairCounts, pack_sets

NO_PAGES_HINT = 'Compare all with missing_pages="penalise", or give predictions of the same pages.'


def difference(
    c_a: Comparison,
    c_b: Comparison,
    n: int = RESAMPLES,
    seed: int = 0,
    level: float = CONFIDENCE,
    method: str = "matrix",
) -> Intervals:
    """b minus a for every headline figure and class value; above 0 if b is better, with a verdict for each.

    Both are counted on the same pages (see `on_common_pages`) and use the same resamples. Only classes that both have
    are included.

    Parameters
    ----------
    c_a, c_b : Comparison
        Two predictions with the same gt.
    n : int
        Number of resamples, if there are more than 100 documents.
    seed : int
    level : float
        Of the intervals.
    method : {"matrix", "tensor"}

    Returns
    -------
    Intervals

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> a, c = (lcm.compare(gt, lcm.read(f"sample_data/model-{name}.json", like=gt)) for name in "ac")
    >>> d = lcm.difference(a, c)
    >>> d.verdict("macro_f1")
    'no difference shown'
    """
    check_resampling(n, seed, level)
    pair = {"c_a": c_a, "c_b": c_b}
    sums = {name: unit_sums(levels, method) for name, levels in zip(pair, on_common_pages(pair))}
    recipes = {name: compared.recipe_for for name, compared in pair.items()}
    return differences_from(sums, recipes, n, seed, level, method)["c_b"]


def on_common_pages(comparisons: Mapping[str, Comparison]) -> list[Levels]:
    """The comparisons on the same pages in the same order; their names are for messages.

    Under `missing_pages="penalise"` these are the pages of any of them; a page that only another prediction has is
    empty on both sides. Under "ignore" they are the pages of all. An InputError says why comparisons cannot be paired.
    """
    _check_comparisons(comparisons)
    levels = [compared.levels for compared in comparisons.values()]
    if all(one.page_names == levels[0].page_names for one in levels):
        return levels
    names = list(dict.fromkeys(page for one in levels for page in one.page_names))
    if any(_ignores_missing_pages(compared) for compared in comparisons.values()):
        names = [page for page in names if all(page in one.pages.index for one in levels)]
        if not names:
            place = ", ".join(comparisons)
            raise InputError("", place, f"the {_count(comparisons)} predictions have no page in common", NO_PAGES_HINT)
    return [_with_pages(own, levels, names) for own in levels]


def on_pages(levels: Levels, names: list[str]) -> Levels:
    """The counts of some of its pages, in this order."""
    return _with_pages(levels, (), names)


def _ignores_missing_pages(compared: Comparison) -> bool:
    return compared.settings.fields.get("missing_pages") == "ignore"


def _count(comparisons: Mapping[str, Comparison]) -> str:
    return "two" if len(comparisons) == 2 else str(len(comparisons))


def _with_pages(own: Levels, others: Sequence[Levels], names: list[str]) -> Levels:
    """The counts of these pages; a page that only other comparisons have is all Background on both sides."""
    if own.page_names == names:
        return own
    parts = [own, *others]
    place = {page: i for i, page in reversed(list(enumerate(page for part in parts for page in part.page_names)))}
    places = np.array([place[name] for name in names], np.int64)
    pages = concatenate_pages([part.pages for part in parts]).take(places)
    empty = np.flatnonzero(places >= len(own.pages))
    pixels = np.concatenate([part.page_pixels for part in parts])[places[empty]]
    return Levels(_renumbered(own, pages, empty.tolist(), pixels), own.space, pages)


def _renumbered(own: Levels, pages: Pages, empty: list[int], pixels: Floats) -> PairCounts:
    """The pair counts with the page numbers of `pages`, and one row for every empty page."""
    counts = own.page_rows
    numbers = np.array([pages.index.get(name, -1) for name in own.page_names], np.int32)
    background = np.concatenate([pack_sets([[0]], len(labels))[0] for labels in counts.labels])
    page = np.concatenate([numbers[counts.page], np.array(empty, np.int32)])
    words = np.concatenate([counts.words, np.tile(background, (len(empty), 1))])
    order = np.argsort(page, kind="stable")
    order = order[page[order] >= 0]
    amounts = np.concatenate([counts.pixels, pixels])
    hidden = np.zeros(len(pages))
    for old, new in enumerate(numbers[: counts.ignored.size].tolist()):
        if new >= 0:
            hidden[new] = counts.ignored[old]
    return replace(counts, page=page[order], words=words[order], pixels=amounts[order], ignored=hidden)


def _check_comparisons(comparisons: Mapping[str, Comparison]) -> None:
    """Raise an InputError if comparisons cannot be paired: other gt pages, documents or treatment of pages."""
    for name, compared in comparisons.items():
        if not isinstance(compared, Comparison):
            problem = f"{short_repr(compared)} is not a comparison"
            raise InputError("", name, problem, "Give what layoutcm.compare returns.")
    (first, c_a), *others = comparisons.items()
    for name, c_b in others:
        pair = f"{first}, {name}"
        if _ignores_missing_pages(c_a) != _ignores_missing_pages(c_b):
            problem = "one comparison leaves out pages that only one side has, the other does not"
            raise InputError("", pair, problem, "Give both comparisons the same missing_pages=.")
        _check_gt_pages(first, c_a, c_b)
        _check_gt_pages(name, c_b, c_a)
        _check_gt_sizes(pair, c_a, c_b)
        _check_judged_pixels(pair, c_a, c_b)
    _check_documents(comparisons)


def _check_documents(comparisons: Mapping[str, Comparison]) -> None:
    """Raise an InputError if a page, also one that gt does not have, is of different documents."""
    every = [compared.levels.pages for compared in comparisons.values()]
    if all(one.names == every[0].names and one.documents == every[0].documents for one in every):
        return
    known: dict[str, tuple[str, str]] = {}
    for name, pages in zip(comparisons, every):
        for page, document in zip(pages.names, pages.documents):
            first, other = known.setdefault(page, (name, document))
            if other != document:
                documents = f"{short_repr(other)} in one and of {short_repr(document)} in the other"
                problem = f"page {short_repr(page)} is of document {documents}"
                raise InputError("", f"{first}, {name}", problem, "Give both comparisons the same documents=.")


def _check_judged_pixels(pair: str, c_a: Comparison, c_b: Comparison) -> None:
    """Raise an InputError if other pixels are judged in one comparison than in the other."""
    first, second = c_a.levels, c_b.levels
    own, at = _same_pages(first.pages, second.pages)
    differing = np.flatnonzero(first.page_ignored[own] != second.page_ignored[at])
    if differing.size:
        page = int(own[differing[0]])
        amounts = f"{first.page_ignored[page]:,.0f} pixels", f"{second.page_ignored[at[differing[0]]]:,.0f}"
        name = short_repr(first.pages.names[page])
        problem = f"{amounts[0]} of page {name} are not judged in one comparison, and {amounts[1]} in the other"
        raise InputError("", pair, problem, "Compare both with the same gt, and map the same labels to Ignore.")


def _same_pages(first: Pages, second: Pages) -> tuple[Positions, Positions]:
    """int64[pages] each: the positions of the pages that both have, in the first and in the second."""
    if first.names == second.names:
        return np.arange(len(first)), np.arange(len(first))
    place = dict(zip(second.names, range(len(second))))
    at = np.array([place.get(name, -1) for name in first.names], np.int64)
    return np.flatnonzero(at >= 0), at[at >= 0]


def _check_gt_pages(name: str, own: Comparison, other: Comparison) -> None:
    """Raise an InputError if a gt page of one comparison is no gt page of the other."""
    first, second = own.alignment.gt_pages, other.alignment.gt_pages
    if first.names == second.names:
        return
    known = set(second.names)
    missing = [page for page in first.names if page not in known]
    if missing:
        count = f"{len(missing):,} of {len(first):,} gt pages"
        problem = f"{count} are not in the gt of the other comparison, first {short_repr(missing[0])}"
        raise InputError("", name, problem, "Compare both predictions with the same gt.")


def _check_gt_sizes(pair: str, c_a: Comparison, c_b: Comparison) -> None:
    first, second = c_a.alignment.gt_pages, c_b.alignment.gt_pages
    own, at = _same_pages(first, second)
    differs = (first.widths[own] != second.widths[at]) | (first.heights[own] != second.heights[at])
    if differs.any():
        k = int(np.argmax(differs))
        sizes = [f"{width:g} x {height:g}" for width, height in (first.size(int(own[k])), second.size(int(at[k])))]
        name = short_repr(first.names[int(own[k])])
        problem = f"gt page {name} is {sizes[0]} in one comparison and {sizes[1]} in the other"
        raise InputError("", pair, problem, "Compare both predictions with the same gt.")
