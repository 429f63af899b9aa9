"""The documents and numbers of pages: name them, find the next page, and match pages that cannot be matched by name.

A document comes from the caller (a pattern or a table), else from the file, else from page names that are equal except
for a trailing number, unless all pages have the same one. A page without any of these is a document of its own.

Tools count pages from 0 or from 1, which is inferred from whole documents: a side that counts from 0 has a page 0, and
all its numbers are one lower. If the numbers leave this undecided, no page is matched.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, PRED, Finding, Pages
from layoutcm.layouts.page_names import base_name, natural_sort_key, normalised_stem, split_number, unique_keys


def name_documents(pages: Pages, documents: str | Mapping[str, str] | None) -> tuple[Pages, list[Finding]]:
    """The pages with a document for every page: from `documents`, the file, the page name, or the page itself."""
    if isinstance(documents, str):
        return _name_by_pattern(pages, documents)
    if documents is not None:
        return _name_by_table(pages, documents)
    if all(pages.documents):
        return pages, []
    named, shared = _name_by_page_names(pages)
    if sum(shared.values()) == len(pages) and len(shared) == 1:  # img_0001 … img_0040: the name is not of a document
        first = Finding("documents-of-one-page", len(pages), {"first": pages.names[0]})
        return replace(pages, documents=tuple(pages.names)), [first]
    if not shared:
        return named, []
    example = min(shared)
    return named, [Finding("documents-from-names", len(shared), {"first": example, "pages": shared[example]})]


def _name_by_page_names(pages: Pages) -> tuple[Pages, dict[str, int]]:
    """The pages with a document for every page, and {document: its pages} of those that page names share."""
    bases = [split_number(name)[0] for name in pages.names]
    shared = Counter(base for base, document in zip(bases, pages.documents) if not document)
    # If a page has the shared name itself, it would wrongly join this document.
    found = {base: count for base, count in shared.items() if base and count > 1 and base not in pages.index}
    named = tuple(
        document or (base if base in found else name)
        for name, document, base in zip(pages.names, pages.documents, bases)
    )
    return replace(pages, documents=named), found


def neighbour_pages(pages: Pages, by: int) -> NDArray[np.int64]:
    """int64[pages]: the page `by` positions later in the same document, -1 where there is none.

    The pages of a document are sorted by number, then by name in natural order; the order in the file is not used.
    """
    documents = _name_by_page_names(pages)[0].documents
    order = sorted(range(len(pages)), key=lambda i: (documents[i], pages.numbers[i], natural_sort_key(pages.names[i])))
    found = np.full(len(pages), -1)
    for place, i in enumerate(order):
        if 0 <= place + by < len(order) and documents[order[place + by]] == documents[i]:
            found[i] = order[place + by]
    return found


def _name_by_table(pages: Pages, documents: object) -> tuple[Pages, list[Finding]]:
    if not isinstance(documents, Mapping) or not all(isinstance(name, str) for name in documents.values()):
        problem = f"{short_repr(documents)} is neither a pattern nor a table"
        raise InputError("", "documents", problem, "Give {page: document}.")
    named = tuple(documents.get(name) or document or name for name, document in zip(pages.names, pages.documents))
    return replace(pages, documents=named), []


def _name_by_pattern(pages: Pages, pattern: str) -> tuple[Pages, list[Finding]]:
    """The document is the first group of the pattern or the whole match; a page without a match is its own document."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        problem = f"the pattern {short_repr(pattern)} is not a regular expression: {error}"
        raise InputError("", "documents", problem, "Repair it.") from None
    found = [compiled.search(name) for name in pages.names]
    named = [(match.group(1 if compiled.groups else 0) or "") if match else "" for match in found]
    unmatched = [name for name, document in zip(pages.names, named) if not document]
    pages = replace(pages, documents=tuple(document or name for document, name in zip(named, pages.names)))
    if not unmatched:
        return pages, []
    return pages, [Finding("documents-pattern", len(unmatched), {"pages": len(pages), "first": unmatched[0]})]


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
