"""Which page of pred belongs to which page of gt, and how that is known.

First what a person says (a page map), then equal names, then names that are alike, rule by rule, then document and
page number. A stage looks only at pages that are still alone, and takes only what is unique on both sides: nothing is
guessed, and every stage says what it matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.page_numbers import PageKeys, number_pairs, page_keys
from layoutcm.errors import short_repr
from layoutcm.layouts.model import GT, PRED, Finding, Pages
from layoutcm.layouts.page_names import NAME_RULES

UNMATCHED, MAP, EXACT, NUMBER = "", "map", "exact", "number"
WAYS = (UNMATCHED, MAP, EXACT, *NAME_RULES, NUMBER)
_HOW_IN_WORDS = {
    MAP: "by the page map",
    "base name": "by name without folders",
    "stem": "by name without folders and suffix",
    "spelling": "by name up to folders, suffix, case, blanks and percent codes",
    NUMBER: "by document and page number",
}
Pairs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class PageMatches:
    """int64[gt pages] the page of pred, -1 for none; int8[gt pages] how it was found, an index into `WAYS`."""

    partner: NDArray[np.int64]
    how: NDArray[np.int8]

    def unmatched(self, pred_pages: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pages of gt and of pred without a partner."""
        own = np.ones(pred_pages, bool)
        own[self.partner[self.partner >= 0]] = False
        return np.flatnonzero(self.partner < 0), np.flatnonzero(own)


def match_pages(gt: Pages, pred: Pages, page_map: Mapping[int, int]) -> tuple[PageMatches, list[Finding]]:
    """`page_map` is {gt page: pred page}."""
    if not page_map and gt.names == pred.names:  # the usual case, and there may be very many pages
        return PageMatches(np.arange(len(gt)), np.full(len(gt), WAYS.index(EXACT), np.int8)), []
    matches = PageMatches(np.full(len(gt), -1, np.int64), np.zeros(len(gt), np.int8))
    findings: list[Finding] = []
    for way in WAYS[1:]:
        alone = matches.unmatched(len(pred))
        if not all(side.size for side in alone):
            break
        if way == NUMBER:
            pairs, noted = _pairs_by_number(gt, pred, matches, alone)
        else:
            pairs = list(page_map.items()) if way == MAP else _pairs_by_name(way, gt, pred, alone)
            noted = _matched_finding(way, gt, pred, pairs)
        findings += noted
        matches = _add_pairs(matches, pairs, way)
    return matches, findings


def _add_pairs(matches: PageMatches, pairs: Pairs, way: str) -> PageMatches:
    pages, partners = np.array(pairs, np.int64).reshape(-1, 2).T
    partner, how = matches.partner.copy(), matches.how.copy()
    partner[pages], how[pages] = partners, WAYS.index(way)
    return PageMatches(partner, how)


def _pairs_by_name(way: str, gt: Pages, pred: Pages, alone: tuple[NDArray[np.int64], ...]) -> Pairs:
    """Pages still alone of which the rule makes the same, where neither side has a second such page."""
    if way == EXACT:
        free = set(alone[PRED].tolist())
        return [(i, j) for i in alone[GT].tolist() if (j := pred.index.get(gt.names[i], -1)) in free]
    # Unique among all pages, not only among those still alone: x/1 being taken does not make y/1 and z/1 one page.
    rule = list(NAME_RULES).index(way)
    pages, partners = gt.alike[rule], pred.alike[rule]
    lonely = [set(side.tolist()) for side in alone]
    return [(i, j) for name, i in pages.items() if i in lonely[GT] and (j := partners.get(name, -1)) in lonely[PRED]]


def _pairs_by_number(
    gt: Pages, pred: Pages, matches: PageMatches, alone: tuple[NDArray[np.int64], ...]
) -> tuple[Pairs, list[Finding]]:
    places = page_keys(gt), page_keys(pred)
    pairs, shift = number_pairs(*places)
    if shift is None:
        return [], _ambiguous_finding(gt, places, alone)
    free = [set(side.tolist()) for side in alone]
    found = [(i, j) for i, j in pairs if i in free[GT] and j in free[PRED]]
    if not shift:
        return found, _matched_finding(NUMBER, gt, pred, found)
    first, second = ("gt", "pred") if shift == -1 else ("pred", "gt")
    counted = f"{first} counts pages from 0 and {second} from 1"
    return found, _shifted_finding(gt, pred, found, counted) + _suspect_finding(gt, places, matches, counted)


def _matched_finding(way: str, gt: Pages, pred: Pages, pairs: Pairs) -> list[Finding]:
    if not pairs or way == EXACT:
        return []
    message = f"{_pages_were(len(pairs))} matched {_HOW_IN_WORDS[way]} (first: {_both_names(gt, pred, *pairs[0])})."
    return [Finding(f"page-matched-by-{way.replace(' ', '-')}", message, severity="info", count=len(pairs))]


def _shifted_finding(gt: Pages, pred: Pages, pairs: Pairs, counted: str) -> list[Finding]:
    if not pairs:
        return []
    message = (
        f"{_pages_were(len(pairs))} matched {_HOW_IN_WORDS[NUMBER]}, shifted by one, because {counted} "
        f"(first: {_both_names(gt, pred, *pairs[0])})."
    )
    hint = "Give a page map (pages=, --pages) if this is wrong."
    return [Finding("page-numbers-shifted", message, count=len(pairs), hint=hint)]


def _suspect_finding(gt: Pages, places: tuple[PageKeys, PageKeys], matches: PageMatches, counted: str) -> list[Finding]:
    """Equal names with equal numbers, although the two sides count differently: likely the neighbouring page."""
    named = np.flatnonzero((matches.partner >= 0) & (matches.how != WAYS.index(MAP)))
    wrong = [
        (i, j)
        for i, j in zip(named.tolist(), matches.partner[named].tolist())
        if places[GT][i] and places[GT][i] == places[PRED][j]
    ]
    if not wrong:
        return []
    message = (
        f"It seems that {counted}, yet {len(wrong):,} {'page has' if len(wrong) == 1 else 'pages have'} the same name "
        f"and number on both sides (first: {short_repr(gt.names[wrong[0][0]])}); they are compared by name."
    )
    hint = "If pages are off by one, give a page map (pages=, --pages)."
    return [Finding("page-numbers-suspect", message, count=len(wrong), hint=hint)]


def _ambiguous_finding(
    gt: Pages, places: tuple[PageKeys, PageKeys], alone: tuple[NDArray[np.int64], ...]
) -> list[Finding]:
    left = [{place: i for i in pages.tolist() if (place := side[i])} for side, pages in zip(places, alone)]
    documents = [{document for document, _ in side} for side in left]
    open_ = [i for (document, _), i in left[GT].items() if document in documents[PRED]]
    if not open_:
        return []
    message = (
        f"One side has a page 0 and the other has none, and the numbers do not tell whether they are shifted by one: "
        f"{len(open_):,} {'page' if len(open_) == 1 else 'pages'} of gt could not be matched by page number "
        f"(first: {short_repr(gt.names[open_[0]])})."
    )
    return [Finding("page-numbers-ambiguous", message, count=len(open_), hint="Give a page map (pages=, --pages).")]


def _both_names(gt: Pages, pred: Pages, i: int, j: int) -> str:
    return f"{short_repr(gt.names[i])} and {short_repr(pred.names[j])}"


def _pages_were(count: int) -> str:
    return f"{count:,} page was" if count == 1 else f"{count:,} pages were"
