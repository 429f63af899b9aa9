"""Pages in groups by an attribute: one of the file, or one that is derived from the ground truth.

Numbers are cut at their quartiles. An attribute of the file takes precedence over a derived one of the same name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, page_of_region
from layoutcm.errors import check_choice
from layoutcm.layouts.model import GT, Floats
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.scores import ratio
from layoutcm.wording import make_unique, percent

NOT_GIVEN = "not given"
OWN_ATTRIBUTES = "; a file may give more (attributes=, --attributes)"
MOST_NUMBERS = 4  # numbers with more values are cut at quartiles, into as many groups
MOST_VALUES = 50  # groups of an attribute; the rarest of more values become one group
SQUARE = 1.1  # a page is square if its longer side is at most this times the other
LINES = 32  # of a page, on which columns are counted
NARROWEST_COLUMN = 0.1  # of the width of the page
LEAST_LINES = 0.2  # share of the lines with regions that meet all columns
MOST_COLUMNS = 4
FROM_REGIONS = ("regions", "columns")
DERIVED = (*FROM_REGIONS, "content", "format", "size")


@dataclass(frozen=True, eq=False)
class PageGroups:
    """The groups of one attribute; `group` is int64[pages], a position in `names`."""

    attribute: str
    names: tuple[str, ...]
    group: NDArray[np.int64]
    ordered: bool  # whether the groups have an order of their own, as ranges of numbers do
    joined: int = 0  # number of rare values that are one group


def known_attributes(levels: Levels) -> list[str]:
    derived = [name for name in DERIVED if levels.has_regions or name not in FROM_REGIONS]
    return list(dict.fromkeys([*levels.pages.attributes, *derived]))


def page_groups(attribute: str, alignment: Alignment, levels: Levels) -> PageGroups:
    """The groups of one attribute; raise an InputError if it is not known."""
    check_choice("attribute", attribute, known_attributes(levels), OWN_ATTRIBUTES)
    if attribute not in levels.pages.attributes:
        return _derived_groups(attribute, alignment, levels)
    texts = levels.pages.attributes[attribute]
    numbers = _as_numbers(texts)
    return _of_texts(attribute, texts) if numbers is None else _of_numbers(attribute, numbers)


def _as_numbers(texts: Sequence[str]) -> Floats | None:
    """float64[pages], nan if a text is empty; None if the texts are not numbers, or few different ones."""
    values = {text: _number(text) for text in set(texts)}
    if len(values) - ("" in values) <= MOST_NUMBERS or any(math.isnan(values[text]) for text in values if text):
        return None
    return np.array([values[text] for text in texts])


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _of_texts(attribute: str, texts: Sequence[str]) -> PageGroups:
    """One group per text, in the order of their names; pages without one are the last group."""
    counts = Counter(text for text in texts if text)
    frequent = [text for text, _ in counts.most_common(MOST_VALUES if len(counts) <= MOST_VALUES else MOST_VALUES - 1)]
    names, rest = sorted(frequent, key=_by_number), len(counts) - len(frequent)
    place = {text: i for i, text in enumerate(names)}
    if rest:
        names.append(f"{rest:,} further values")
    group = [place.get(text, len(place)) if text else len(names) for text in texts]
    groups = _used(attribute, make_unique([*names, NOT_GIVEN]), np.array(group, np.int64), ordered=False)
    return replace(groups, joined=rest)


def _by_number(text: str) -> tuple[float, str]:
    """Numbers in their order, then texts in theirs."""
    value = _number(text)
    return (math.inf if math.isnan(value) else value), text


def _number_text(value: float) -> str:
    return f"{value:.15g}" if value.is_integer() else f"{value:.4g}"


def _of_numbers(attribute: str, values: Floats, write: Callable[[float], str] = _number_text) -> PageGroups:
    """Groups of float64[pages] between the quartiles, each named by its smallest and largest value."""
    known = values[np.isfinite(values)]
    distinct = np.unique(known)
    cuts = distinct
    if distinct.size > MOST_NUMBERS:
        cuts = np.unique(np.quantile(known, (0.25, 0.5, 0.75, 1), method="inverted_cdf"))
    group = np.where(np.isfinite(values), np.searchsorted(cuts, values), cuts.size)
    names = []
    for i in range(cuts.size):
        inside = values[group == i]
        ends = dict.fromkeys(write(float(end)) for end in (inside.min(), inside.max()))
        names.append(" to ".join(ends))
    return _used(attribute, make_unique([*names, NOT_GIVEN]), group, ordered=True)


def _used(attribute: str, names: Sequence[str], group: NDArray[np.int64], ordered: bool) -> PageGroups:
    """Without groups that have no page."""
    used, group = np.unique(group, return_inverse=True)
    return PageGroups(attribute, tuple(names[i] for i in used), group, ordered)


def _derived_groups(attribute: str, alignment: Alignment, levels: Levels) -> PageGroups:
    """The groups of one of `DERIVED`."""
    width, height = levels.pages.widths, levels.pages.heights
    match attribute:
        case "regions":
            return _of_numbers(attribute, _region_counts(alignment))
        case "columns":
            names = [*map(str, range(MOST_COLUMNS)), f"{MOST_COLUMNS} or more"]
            return _used(attribute, names, np.minimum(page_columns(alignment), MOST_COLUMNS), ordered=True)
        case "content":  # the share of pixels that are content in gt
            return _of_numbers(attribute, ratio(levels.page_content[:, 1], levels.page_pixels), percent)
        case "format":
            kind = np.where(width > SQUARE * height, 1, np.where(height > SQUARE * width, 0, 2))
            return _used(attribute, ("portrait", "landscape", "square"), kind, ordered=True)
    return _of_numbers(attribute, np.maximum(width, height))  # size: the longer side, in pixels


def _region_counts(alignment: Alignment) -> Floats:
    """float64[pages]: the number of gt regions; rows with one box in a row are the labels of one region."""
    boxes, page = alignment.layouts[GT].region_columns.boxes, page_of_region(alignment, GT)
    again = np.zeros(len(page), bool)
    again[1:] = (boxes[1:] == boxes[:-1]).all(axis=1) & (page[1:] == page[:-1])
    return np.bincount(page[(page >= 0) & ~again], minlength=len(alignment.pages)).astype(float)


def page_columns(alignment: Alignment) -> NDArray[np.int64]:
    """int64[pages]: the largest number of gt regions side by side that a fifth of the lines of a page meets.

    Of `LINES` horizontal lines, only those that meet regions count. Regions that overlap on a line are one; narrow ones
    are left out.
    """
    page, boxes = page_of_region(alignment, GT), alignment.layouts[GT].region_columns.boxes
    pages = len(alignment.pages)
    page, boxes = page[page >= 0], boxes[page >= 0]
    width = alignment.pages.widths[page]
    x0, x1 = (np.clip(boxes[:, k], 0, width) for k in (0, 2))
    wide = x1 - x0 >= NARROWEST_COLUMN * width
    page, x0, x1 = page[wide], (x0 / width)[wide], (x1 / width)[wide]
    # Line k is at (k + 1/2) / LINES of the height.
    y0, y1 = (boxes[wide, k] / alignment.pages.heights[page] * LINES - 0.5 for k in (1, 3))
    first, last = (np.clip(np.ceil(y), 0, LINES).astype(np.int64) for y in (y0, y1))
    met = np.maximum(last - first, 0)
    region = np.repeat(np.arange(page.size), met)
    line = np.arange(region.size) - np.repeat(np.cumsum(met) - met - first, met) + page[region].astype(np.int64) * LINES
    per_line = _side_by_side(line, x0[region], x1[region], pages * LINES).reshape(pages, LINES)
    needed = np.maximum(LEAST_LINES * (per_line > 0).sum(axis=1), 1)
    counts = range(1, int(per_line.max(initial=0)) + 1)
    return sum(((per_line >= k).sum(axis=1) >= needed for k in counts), start=np.zeros(pages, np.int64))


def _side_by_side(line: NDArray[np.int64], x0: Floats, x1: Floats, lines: int) -> NDArray[np.int64]:
    """int64[lines]: the number of groups of overlapping intervals on each line."""
    order = np.lexsort((x0, line))
    start, end = (x[order] + 2.0 * line[order] for x in (x0, x1))  # intervals of two lines never overlap
    reached = np.maximum.accumulate(end) if end.size else end
    is_new = np.ones(start.size, bool)
    is_new[1:] = start[1:] >= reached[:-1]
    return np.bincount(line[order][is_new], minlength=lines)
