"""The paired difference of two predictions against one ground truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, Floats, Pages, concatenate_pages
from layoutcm.metrics.bootstrap import CONFIDENCE, RESAMPLES
from layoutcm.metrics.intervals import Intervals, difference_of
from layoutcm.metrics.levels import Levels
from layoutcm.pixels.pair_counts import PairCounts, pack_sets

NO_PAGES_HINT = 'Compare both with missing_pages="penalise", or give predictions of the same pages.'


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
    """
    return difference_of(on_common_pages(c_a, c_b), [c_a.recipe_for, c_b.recipe_for], n, seed, level, method)


def on_common_pages(c_a: Comparison, c_b: Comparison) -> tuple[Levels, Levels]:
    """Both comparisons on the same pages in the same order.

    Under `missing_pages="penalise"` these are the pages of either; a page that only the other prediction has is empty
    on both sides. Under "ignore" they are the pages of both. An InputError says why two comparisons cannot be paired.
    """
    _check_comparisons(c_a, c_b)
    a, b = c_a.levels, c_b.levels
    if a.page_names == b.page_names:
        common = a.page_names
    elif c_a.settings.fields.get("missing_pages") == "ignore":
        common = [page for page in a.page_names if page in b.pages.index]
        if not common:
            raise InputError("", "c_a, c_b", "the two predictions have no page in common", NO_PAGES_HINT)
    else:
        common = [*a.page_names, *(page for page in b.page_names if page not in a.pages.index)]
    return _with_pages(a, b, common), _with_pages(b, a, common)


def _with_pages(own: Levels, other: Levels, names: list[str]) -> Levels:
    """The counts of these pages; a page that only the other comparison has is all Background on both sides."""
    if own.page_names == names:
        return own
    both = concatenate_pages([own.pages, other.pages])
    empty = [i for i, name in enumerate(names) if name not in own.pages.index]
    in_other = [other.pages.index[names[i]] for i in empty]
    places = np.array([own.pages.index.get(name, -1) for name in names])
    places[empty] = np.array(in_other) + len(own.pages)
    pages = both.take(places)
    pixels = other.page_pixels[in_other]
    return Levels(_renumbered(own, pages, empty, pixels), own.space, pages)


def _renumbered(own: Levels, pages: Pages, empty: list[int], pixels: Floats) -> PairCounts:
    """The pair counts with the page numbers of `pages`, and one row for every empty page."""
    counts = own.counts
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


def _check_comparisons(c_a: Comparison, c_b: Comparison) -> None:
    """Raise an InputError if the comparisons cannot be paired: other gt pages, documents or treatment of pages."""
    for name, compared in (("c_a", c_a), ("c_b", c_b)):
        if not isinstance(compared, Comparison):
            problem = f"{short_repr(compared)} is not a comparison"
            raise InputError("", name, problem, "Give what layoutcm.compare returns.")
    if c_a.settings.fields.get("missing_pages") != c_b.settings.fields.get("missing_pages"):
        problem = "one comparison leaves out pages that only one side has, the other does not"
        raise InputError("", "c_a, c_b", problem, "Give both comparisons the same missing_pages=.")
    _check_gt_pages("c_a", c_a, c_b)
    _check_gt_pages("c_b", c_b, c_a)
    _check_judged_pixels(c_a, c_b)
    a, b = (dict(zip(c.pages, c.alignment.pages.documents)) for c in (c_a, c_b))
    moved = next((page for page in a if page in b and a[page] != b[page]), None)
    if moved is not None:
        first, second = short_repr(a[moved]), short_repr(b[moved])
        problem = f"page {short_repr(moved)} is of document {first} in one and of {second} in the other"
        raise InputError("", "c_a, c_b", problem, "Give both comparisons the same documents=.")


def _check_judged_pixels(c_a: Comparison, c_b: Comparison) -> None:
    """Raise an InputError if other pixels are judged in one comparison than in the other."""
    a, b = (dict(zip(c.pages, [*c.all_counts.ignored.tolist(), *[0.0] * len(c.pages)])) for c in (c_a, c_b))
    page = next((page for page in a if page in b and a[page] != b[page]), None)
    if page is not None:
        first, second = f"{a[page]:,.0f} pixels", f"{b[page]:,.0f}"
        problem = f"{first} of page {short_repr(page)} are not judged in one comparison, and {second} in the other"
        raise InputError("", "c_a, c_b", problem, "Compare both with the same gt, and map the same labels to Ignore.")


def _check_gt_pages(name: str, own: Comparison, other: Comparison) -> None:
    """Raise an InputError if a gt page of one comparison is no gt page of the other."""
    sides = [compared.alignment.layouts[GT].page_columns for compared in (own, other)]
    missing = [page for page in sides[0].names if page not in sides[1].index]
    if missing:
        count = f"{len(missing):,} of {len(sides[0]):,} gt pages"
        problem = f"{count} are not in the gt of the other comparison, first {short_repr(missing[0])}"
        raise InputError("", name, problem, "Compare both predictions with the same gt.")
    first, second = sides
    for i, page in enumerate(first.names):
        sizes = first.size(i), second.size(second.index[page])
        if sizes[0] != sizes[1]:
            own_size, other_size = (f"{width:g} x {height:g}" for width, height in sizes)
            problem = f"gt page {short_repr(page)} is {own_size} in one comparison and {other_size} in the other"
            raise InputError("", "c_a, c_b", problem, "Compare both predictions with the same gt.")
