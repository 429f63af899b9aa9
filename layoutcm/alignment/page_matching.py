"""Match the pages of gt and pred, and record how each match was found.

The stages are: the page map, equal names, names that are equal under a rule (one stage per rule), document and page
number, and the page number alone if each side is one document. Each stage uses only unmatched pages, accepts only
matches that are unique on both sides, and adds a finding that reports its matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import GT, PRED, Finding, Pages
from layoutcm.layouts.page_documents import NumberMatches, PageKeys, match_numbers
from layoutcm.layouts.page_names import NAME_RULES

UNMATCHED, MAP, EXACT, NUMBER, NUMBER_ALONE = "", "map", "exact", "number", "number alone"
WAYS = (UNMATCHED, MAP, EXACT, *NAME_RULES, NUMBER, NUMBER_ALONE)
PagePairs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class PageMatches:
    """For each gt page: its pred page (-1 if none) and how it was found (index into `WAYS`)."""

    partner: NDArray[np.int64]
    how: NDArray[np.int8]

    def unmatched(self, pred_count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pages of gt and of pred without a partner."""
        free = np.ones(pred_count, bool)
        free[self.partner[self.partner >= 0]] = False
        return np.flatnonzero(self.partner < 0), np.flatnonzero(free)


def match_pages(gt: Pages, pred: Pages, page_map: Mapping[int, int]) -> tuple[PageMatches, list[Finding]]:
    """The matches and the findings on them; `page_map` is {gt page: pred page}."""
    if not page_map and gt.names == pred.names:  # the usual case; avoids a loop over many pages
        return PageMatches(np.arange(len(gt)), np.full(len(gt), WAYS.index(EXACT), np.int8)), []
    matches = PageMatches(np.full(len(gt), -1, np.int64), np.zeros(len(gt), np.int8))
    findings: list[Finding] = []
    for way in (MAP, EXACT, *NAME_RULES):
        unmatched = matches.unmatched(len(pred))
        if not all(side.size for side in unmatched):
            return matches, findings
        pairs = list(page_map.items()) if way == MAP else _pairs_by_name(way, gt, pred, unmatched)
        findings += _matched_finding(way, gt, pred, pairs)
        matches = _add_pairs(matches, pairs, way)
    unmatched = matches.unmatched(len(pred))
    if not all(side.size for side in unmatched):
        return matches, findings
    for found in match_numbers(gt, pred, (unmatched[GT].tolist(), unmatched[PRED].tolist())):
        findings += _number_findings(gt, pred, found, matches, unmatched)
        matches = _add_pairs(matches, found.pairs, NUMBER_ALONE if found.alone else NUMBER)
    return matches, findings


def _add_pairs(matches: PageMatches, pairs: PagePairs, way: str) -> PageMatches:
    pages, partners = np.array(pairs, np.int64).reshape(-1, 2).T
    partner, how = matches.partner.copy(), matches.how.copy()
    partner[pages], how[pages] = partners, WAYS.index(way)
    return PageMatches(partner, how)


def _pairs_by_name(way: str, gt: Pages, pred: Pages, unmatched: tuple[NDArray[np.int64], ...]) -> PagePairs:
    """Unmatched pages whose names are equal under the rule, if that name is unique on both sides."""
    if way == EXACT:
        free_pred = set(unmatched[PRED].tolist())
        return [(i, j) for i in unmatched[GT].tolist() if (j := pred.index.get(gt.names[i], -1)) in free_pred]
    # Unique among all pages, not only unmatched ones: if x/1 is matched, y/1 and z/1 are still not the same page.
    rule = list(NAME_RULES).index(way)
    pages, partners = gt.index_by_rule[rule], pred.index_by_rule[rule]
    free = [set(side.tolist()) for side in unmatched]
    return [(i, j) for name, i in pages.items() if i in free[GT] and (j := partners.get(name, -1)) in free[PRED]]


def _number_findings(
    gt: Pages, pred: Pages, found: NumberMatches, matches: PageMatches, unmatched: tuple[NDArray[np.int64], ...]
) -> list[Finding]:
    """The findings on pages that were matched by number; `matches` are the matches of earlier stages."""
    if found.shift is None:
        return _ambiguous_finding(gt, found.keys, unmatched)
    way = NUMBER_ALONE if found.alone else NUMBER
    if not found.shift:
        return _matched_finding(way, gt, pred, found.pairs)
    from_zero = "gt" if found.shift == -1 else "pred"
    findings = _matched_finding(way, gt, pred, found.pairs) if found.alone else []
    if found.pairs:
        values = {"from_zero": from_zero, **_names(gt, pred, found.pairs[0])}
        findings.append(Finding("page-numbers-shifted", len(found.pairs), values))
    return findings + _suspect_finding(gt, found.keys, matches, from_zero)


def _matched_finding(way: str, gt: Pages, pred: Pages, pairs: PagePairs) -> list[Finding]:
    if not pairs or way == EXACT:
        return []
    return [Finding(f"page-matched-by-{way.replace(' ', '-')}", len(pairs), {"how": way, **_names(gt, pred, pairs[0])})]


def _names(gt: Pages, pred: Pages, pair: tuple[int, int]) -> dict[str, str]:
    return {"gt": gt.names[pair[GT]], "pred": pred.names[pair[PRED]]}


def _suspect_finding(gt: Pages, keys: tuple[PageKeys, PageKeys], matches: PageMatches, from_zero: str) -> list[Finding]:
    """Pages matched by equal numbers although one side counts from 0: probably one page off."""
    named = np.flatnonzero((matches.partner >= 0) & (matches.how != WAYS.index(MAP)))
    wrong = [
        (i, j)
        for i, j in zip(named.tolist(), matches.partner[named].tolist())
        if keys[GT][i] and keys[GT][i] == keys[PRED][j]
    ]
    if not wrong:
        return []
    return [Finding("page-numbers-suspect", len(wrong), {"from_zero": from_zero, "first": gt.names[wrong[0][GT]]})]


def _ambiguous_finding(
    gt: Pages, keys: tuple[PageKeys, PageKeys], unmatched: tuple[NDArray[np.int64], ...]
) -> list[Finding]:
    pages_by_key = [{key: i for i in pages.tolist() if (key := side[i])} for side, pages in zip(keys, unmatched)]
    documents = [{document for document, _ in side} for side in pages_by_key]
    undecided = [i for (document, _), i in pages_by_key[GT].items() if document in documents[PRED]]
    if not undecided:
        return []
    return [Finding("page-numbers-ambiguous", len(undecided), {"first": gt.names[undecided[0]]})]
