"""Match the pages of two sets by their manifests, with the rules of `alignment.page_matching`.

Equal names are found by Arrow, without a Python object for each page. Only if pages of both sides remain, the other
rules are tried, which need all names in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import pair_pages, unique_page_name, unmatched_findings
from layoutcm.alignment.page_matching import EXACT, WAYS
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Positions
from layoutcm.layouts.page_maps import PageMap
from layoutcm.scale.manifest import Manifest, pages_of_table
from layoutcm.scale.partitions import document_part

if TYPE_CHECKING:
    import pyarrow as pa

NAMES_SHOWN = 100  # of unmatched pages in the plan


@dataclass(frozen=True, eq=False)
class PagePairs:
    """The pages of a comparison, sorted by part: rows of the manifests, -1 for a page that a side does not have."""

    rows: tuple[Positions, Positions]
    how: NDArray[np.int8]  # an index into `WAYS`
    names: pa.Array
    documents: pa.Array
    part: Positions
    findings: list[Finding]
    only_in: dict[str, tuple[int, list[str]]]  # {side: number of unmatched pages, the first names}

    def matched(self) -> dict[str, int]:
        """{rule: how many pages it matched}"""
        counts = np.bincount(self.how, minlength=len(WAYS)).tolist()
        return {way: count for way, count in zip(WAYS, counts) if way and count}


def pair_set_pages(gt: Manifest, pred: Manifest, missing_pages: str, page_map: PageMap | None) -> PagePairs:
    import pyarrow as pa

    tables = tuple(side.page_table() for side in (gt, pred))
    found = None if page_map else _equal_names(tables, missing_pages)
    rows, how, findings, only_in = found or _by_all_rules(tables, missing_pages, page_map)
    names = [table["page"].combine_chunks() for table in tables]
    documents = [table["document"].combine_chunks() for table in tables]
    own = _first_given(names, rows)
    if page_map:
        own = _unique_names(own, rows, tables)
    documents_of_pages = _first_given(documents, rows)
    part = _parts(rows, tables, documents_of_pages, len(gt.facts.parts))
    order = np.argsort(part, kind="stable")
    take = pa.array(order)
    return PagePairs(
        (rows[GT][order], rows[PRED][order]),
        how[order],
        own.take(take),
        documents_of_pages.take(take),
        part[order],
        [*findings, *_without_pred(rows, tables)],
        only_in,
    )


def _equal_names(tables: tuple[pa.Table, pa.Table], missing_pages: str) -> tuple | None:
    """Matches by equal names; None if pages of both sides are left."""
    import pyarrow.compute as pc

    gt, pred = (table["page"].combine_chunks() for table in tables)
    partner = pc.index_in(gt, value_set=pred).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    free = np.ones(len(pred), bool)
    free[partner[partner >= 0]] = False
    unmatched = np.flatnonzero(partner < 0), np.flatnonzero(free)
    if all(side.size for side in unmatched):
        return None
    findings, only_in = [], {}
    for side, rows, names in zip(SIDES, unmatched, (gt, pred)):
        first = names.take(rows[:NAMES_SHOWN]).to_pylist()
        found = unmatched_findings(side, first, len(names), missing_pages)
        findings += [Finding(one.code, len(rows), one.values, one.severity) for one in found]
        only_in[side] = (len(rows), first)
    how = np.where(partner >= 0, WAYS.index(EXACT), 0).astype(np.int8)
    if missing_pages == "ignore":
        kept = np.flatnonzero(partner >= 0)
        return (kept, partner[kept]), how[kept], findings, only_in
    both = (
        np.concatenate([np.arange(len(gt)), np.full(unmatched[PRED].size, -1)]),
        np.concatenate([partner, unmatched[PRED]]),
    )
    return both, np.append(how, np.zeros(unmatched[PRED].size, np.int8)), findings, only_in


def _by_all_rules(tables: tuple[pa.Table, pa.Table], missing_pages: str, page_map: PageMap | None) -> tuple:
    gt, pred = (pages_of_table(table) for table in tables)
    rows, matches, findings = pair_pages(gt, pred, missing_pages, page_map)
    unmatched = matches.unmatched(len(pred))
    only_in = {
        side: (pages.size, [names[i] for i in pages[:NAMES_SHOWN].tolist()])
        for side, pages, names in zip(SIDES, unmatched, (gt.names, pred.names))
    }
    how = np.append(matches.how, np.int8(0))[np.where(rows[GT] >= 0, rows[GT], len(gt))]
    return rows, how, findings, only_in


def _first_given(columns: list[pa.Array], rows: tuple[Positions, Positions]) -> pa.Array:
    """The text of gt for each page, else that of pred."""
    import pyarrow as pa

    both = pa.concat_arrays(columns)
    return both.take(pa.array(np.where(rows[GT] >= 0, rows[GT], len(columns[GT]) + rows[PRED])))


def _unique_names(names: pa.Array, rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table]) -> pa.Array:
    """A page map may leave a page of pred unmatched that has the name of another page of gt."""
    import pyarrow as pa

    gt, pred = (pages_of_table(table) for table in tables)
    texts = names.to_pylist()
    for i in np.flatnonzero(rows[GT] < 0).tolist():
        texts[i] = unique_page_name(texts[i], gt, pred)
    return pa.array(texts, pa.string())


def _parts(
    rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table], documents: pa.Array, parts: int
) -> Positions:
    """int64[pages]: the part of gt; a page that gt does not have is with its document, or where a new one would be."""
    of_gt = tables[GT]["part"].to_numpy().astype(np.int64)
    part = np.where(rows[GT] >= 0, of_gt[rows[GT]] if of_gt.size else 0, 0)
    without = np.flatnonzero(rows[GT] < 0)
    if without.size:
        known: Mapping[str, int] = dict(zip(tables[GT]["document"].to_pylist(), of_gt.tolist()))
        names = [documents[i].as_py() for i in without.tolist()]
        part[without] = [known[name] if name in known else document_part(name, parts) for name in names]
    return part


def _without_pred(rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table]) -> list[Finding]:
    """Pages with regions in gt and none in pred, as `align` reports them."""
    both = np.flatnonzero((rows[GT] >= 0) & (rows[PRED] >= 0))
    used = [table["regions"].to_numpy()[row[both]] > 0 for table, row in zip(tables, rows)]
    silent = both[used[GT] & ~used[PRED]]
    if not silent.size:
        return []
    first = tables[GT]["page"][int(rows[GT][silent[0]])].as_py()
    return [Finding("page-without-pred", int(silent.size), {"pages": len(rows[GT]), "first": first})]
