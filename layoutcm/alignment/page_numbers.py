"""Pages known by document and page number, where names alone do not bring two sides together.

Tools count pages from 0 or from 1. Which one is read off whole documents: a side that counts from 0 has a page 0, and
all its numbers are one lower. Where the numbers leave it open, nothing is matched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache

from layoutcm.layouts.model import GT, PRED, Pages
from layoutcm.layouts.page_names import base_name, normalised_stem, split_number, unique_keys

PageKey = tuple[str, int]  # document, number
PageKeys = list[PageKey | None]
Numbers = dict[str, set[int]]


def page_keys(pages: Pages) -> PageKeys:
    """Document and number of every page: the file's own, else read off the page's name; None where it has none."""
    spelled = cache(normalised_stem)  # a document has many pages
    return [
        _page_key(*split_number(base_name(name)), spelled(document) if document else None, number, spelled)
        for name, document, number in zip(pages.names, pages.documents, pages.numbers.tolist())
    ]


def _page_key(
    base: str, trailing: int, document: str | None, number: int, spelled: Callable[[str], str]
) -> PageKey | None:
    base = spelled(base)
    if number >= 0:
        own = base if trailing == number else ""
        return own if document is None else document, number
    # A number at the end of a name counts pages only where the rest of the name is the document.
    if trailing < 0 or (document is not None and base not in ("", document)):
        return None
    return base if document is None else document, trailing


def number_pairs(gt: PageKeys, pred: PageKeys) -> tuple[list[tuple[int, int]], int | None]:
    """All (gt page, pred page) of one document and number, and what to add to pred's numbers: 0, 1 or -1.

    None instead of the shift, and no pairs, where one side has a page 0 and the numbers do not tell what it means.
    """
    sides = _same_document([gt, pred])
    shift = _shift(*(_numbers(side) for side in sides))
    if shift is None:
        return [], None
    pages = unique_keys((place, i) for i, place in enumerate(sides[GT]) if place)
    partners = unique_keys((place, j) for j, place in enumerate(sides[PRED]) if place)
    pairs = [
        (pages[document, number + shift], j)
        for (document, number), j in partners.items()
        if j >= 0 and pages.get((document, number + shift), -1) >= 0
    ]
    return sorted(pairs), shift


def _same_document(sides: list[PageKeys]) -> list[PageKeys]:
    """Where both sides are one document and one of them does not say which, it is the other's."""
    documents = [{place[0] if place else None for place in side} for side in sides]
    if all(len(names) == 1 and None not in names for names in documents) and {""} in documents:
        return [[("", place[1]) if place else None for place in side] for side in sides]
    return sides


def _numbers(side: PageKeys) -> Numbers:
    numbers: Numbers = defaultdict(set)
    for place in side:
        if place:
            numbers[place[0]].add(place[1])
    return dict(numbers)


def _shift(gt: Numbers, pred: Numbers) -> int | None:
    """What to add to pred's numbers to get gt's; only documents that both sides have can tell."""
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
