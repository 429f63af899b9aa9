"""Match pages by document and page number, for pages that cannot be matched by name.

Tools count pages from 0 or from 1, which is inferred from whole documents: a side that counts from 0 has a page 0, and
all its numbers are one lower. If the numbers leave this undecided, no page is matched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import cache
from typing import NamedTuple

from layoutcm.layouts.model import GT, PRED, Pages
from layoutcm.layouts.page_names import base_name, normalised_stem, split_number, unique_keys

PageKey = tuple[str, int]  # document, number
PageKeys = list[PageKey | None]
Numbers = dict[str, set[int]]


def page_keys(pages: Pages) -> PageKeys:
    """Document and number of every page, from the file or else from the page's name; None if there is no number."""
    normalise = cache(normalised_stem)  # many pages have the same document
    return [
        _page_key(*split_number(base_name(name)), normalise(document) if document else None, number, normalise)
        for name, document, number in zip(pages.names, pages.documents, pages.numbers.tolist())
    ]


def number_keys(pages: Pages) -> PageKeys:
    """The number of every page, without its document: for a side that is a single document."""
    return [("", number) for number in pages.numbers.tolist()]


def _page_key(
    base: str, trailing: int, document: str | None, number: int, normalise: Callable[[str], str]
) -> PageKey | None:
    base = normalise(base)
    if number >= 0:
        own = base if trailing == number else ""
        return own if document is None else document, number
    # A number at the end of a name is a page number only if the rest of the name is the document.
    if trailing < 0 or (document is not None and base not in ("", document)):
        return None
    return base if document is None else document, trailing


def are_lone_documents(gt: Pages, pred: Pages) -> bool:
    """Whether each side is one document with page numbers; their names may differ."""
    is_numbered = all(len(set(side.documents)) == 1 and (side.numbers >= 0).all() for side in (gt, pred))
    return is_numbered and all((*gt.documents, *pred.documents))


class NumberMatches(NamedTuple):
    """The (gt page, pred page) that one way of counting matches, and what findings on them need."""

    pairs: list[tuple[int, int]]
    keys: tuple[PageKeys, PageKeys]
    shift: int | None
    alone: bool  # by numbers alone, without documents


def match_numbers(gt: Pages, pred: Pages, free: tuple[Collection[int], Collection[int]]) -> list[NumberMatches]:
    """Match the free pages of both sides by document and number.

    If this leaves all pages without a partner and each side is one document, they are matched by number alone, too.
    """
    found = [_match_keys((page_keys(gt), page_keys(pred)), free, alone=False)]
    all_are_free = len(free[GT]) == len(gt) and len(free[PRED]) == len(pred)
    if not found[0].pairs and all_are_free and are_lone_documents(gt, pred):
        found.append(_match_keys((number_keys(gt), number_keys(pred)), free, alone=True))
    return found


def _match_keys(
    keys: tuple[PageKeys, PageKeys], free: tuple[Collection[int], Collection[int]], alone: bool
) -> NumberMatches:
    pairs, shift = number_pairs(*keys)
    free_gt, free_pred = map(set, free)
    return NumberMatches([(i, j) for i, j in pairs if i in free_gt and j in free_pred], keys, shift, alone)


def number_pairs(gt: PageKeys, pred: PageKeys) -> tuple[list[tuple[int, int]], int | None]:
    """All (gt page, pred page) with equal document and number, and the shift to add to pred's numbers: 0, 1 or -1.

    If only one side has a page 0 and the shift is unclear, there are no pairs and the shift is None.
    """
    sides = _unify_single_document([gt, pred])
    shift = _shift(*(_numbers_by_document(side) for side in sides))
    if shift is None:
        return [], None
    pages = unique_keys((key, i) for i, key in enumerate(sides[GT]) if key)
    partners = unique_keys((key, j) for j, key in enumerate(sides[PRED]) if key)
    pairs = [
        (pages[document, number + shift], j)
        for (document, number), j in partners.items()
        if j >= 0 and pages.get((document, number + shift), -1) >= 0
    ]
    return sorted(pairs), shift


def _unify_single_document(sides: list[PageKeys]) -> list[PageKeys]:
    """If both sides are a single document and one side does not name it, treat the two as the same document."""
    documents = [{key[0] if key else None for key in side} for side in sides]
    if all(len(names) == 1 and None not in names for names in documents) and {""} in documents:
        return [[("", key[1]) if key else None for key in side] for side in sides]
    return sides


def _numbers_by_document(side: PageKeys) -> Numbers:
    numbers: Numbers = defaultdict(set)
    for key in side:
        if key:
            numbers[key[0]].add(key[1])
    return dict(numbers)


def _shift(gt: Numbers, pred: Numbers) -> int | None:
    """What to add to pred's numbers to get those of gt, judged by documents that both have; None if unclear."""
    both = gt.keys() & pred.keys()
    from_zero = [any(0 in side[document] for document in both) for side in (gt, pred)]
    if from_zero[GT] == from_zero[PRED]:
        return 0
    shift = 1 if from_zero[PRED] else -1
    low, high = (pred, gt) if shift == 1 else (gt, pred)
    moved = {document: {number + 1 for number in low[document]} for document in both}
    fits = all(moved[document] <= high[document] or moved[document] >= high[document] for document in both)
    complete = any(0 in low[document] and moved[document] == high[document] for document in both)
    return shift if fits and complete else None
