"""Match the pages of two sets by their manifests, and rewrite the parts of pred to fit those of gt.

Pages are matched with the rules of `alignment.page_matching`. Equal names are found by Arrow, without a Python object
for each page. Only if pages of both sides remain, the other rules are tried, which need all names in memory. Parts are
cut as a stream, with one part of pred in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import (
    compared_pages,
    documents_by_stem,
    pair_pages,
    unique_page_name,
    unmatched_findings,
    without_suffix,
)
from layoutcm.alignment.page_matching import EXACT, WAYS
from layoutcm.formats.own_parquet import OwnParquet
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Indices, Layout, Positions
from layoutcm.layouts.page_maps import PageMap
from layoutcm.layouts.stored_facts import METADATA_KEY, encode_facts
from layoutcm.layouts.table_writers import parquet_table
from layoutcm.lazy import pa, pc, pq
from layoutcm.scale.manifest import Manifest, pages_as_read, pages_of_table
from layoutcm.scale.part_files import UNUSED_COLUMNS, on_labels, read_part
from layoutcm.scale.partitions import cut_layout, document_part, part_name
from layoutcm.scale.plan import CUT_FOLDER
from layoutcm.scale.storage import Place, damage_named, inside, open_input, open_output

NAMES_SHOWN = 100  # of unmatched pages in the plan


@dataclass(frozen=True, eq=False)
class PagePairs:
    """The pages of a comparison, sorted by part: rows of the manifests, -1 for a page that a side does not have."""

    rows: tuple[Positions, Positions]
    how: NDArray[np.int8]  # an index into `WAYS`
    names: pa.ChunkedArray
    pred_names: pa.Array  # where they may differ from `names`; null for all others
    documents: Coded
    part: Positions
    findings: list[Finding]
    only_in: dict[str, tuple[int, list[str]]]  # {side: number of unmatched pages, the first names}

    def matched(self) -> dict[str, int]:
        """{rule: how many pages it matched}"""
        counts = np.bincount(self.how, minlength=len(WAYS)).tolist()
        return {way: count for way, count in zip(WAYS, counts) if way and count}

    @cached_property
    def parts_of_documents(self) -> NDArray[np.int64]:
        """int64[different documents]: in how many parts each has pages; 0 for one without pages."""
        parts = int(self.part.max(initial=0)) + 1
        both = np.unique(self.documents.codes.astype(np.int64) * parts + self.part)
        return np.bincount(both // parts, minlength=len(self.documents.texts))


class Coded(NamedTuple):
    """Texts that often repeat: an int32[rows] code for each row, and the distinct texts."""

    codes: Indices
    texts: list[str]

    def take(self, rows: Positions) -> Coded:
        return Coded(self.codes[rows], self.texts)


def pair_set_pages(gt: Manifest, pred: Manifest, missing_pages: str, page_map: PageMap | None) -> PagePairs:
    columns = None if page_map else ["page", "document", "part", "regions"]
    tables = gt.page_table(columns), pred.page_table(columns)
    found = None if page_map else _equal_names(tables, missing_pages)
    if found is None and not page_map:
        tables = gt.page_table(), pred.page_table()
    rows, how, findings, only_in = found or _by_all_rules(tables, missing_pages, page_map)
    names = _first_given([table["page"] for table in tables], rows)
    if page_map:
        names = _unique_names(names, rows, tables)
    pred_names = _other_names(rows, how, tables[PRED]["page"], bool(page_map))
    documents = _documents(rows, tables)
    part = _parts(rows, tables, documents, len(gt.facts.parts))
    if (part[1:] < part[:-1]).any():  # pages that only pred has, or parts that are not in order
        order = np.argsort(part, kind="stable")
        rows, how, names, part = (rows[GT][order], rows[PRED][order]), how[order], names.take(order), part[order]
        documents, pred_names = documents.take(order), pred_names.take(order)
    return PagePairs(rows, how, names, pred_names, documents, part, findings, only_in)


def _equal_names(tables: tuple[pa.Table, pa.Table], missing_pages: str) -> tuple | None:
    """Matches by equal names; None if pages of both sides are left."""
    gt, pred = (table["page"] for table in tables)
    partner = pc.index_in(gt, value_set=pred).fill_null(-1).to_numpy().astype(np.int64)
    free = np.ones(len(pred), bool)
    free[partner[partner >= 0]] = False
    unmatched = np.flatnonzero(partner < 0), np.flatnonzero(free)
    if all(side.size for side in unmatched) or (len(pred) and not len(gt)):
        return None
    findings, only_in = [], {}
    for side, rows, table in zip(SIDES, unmatched, tables):
        first, regions = table["page"].take(rows[:NAMES_SHOWN]).to_pylist(), table["regions"].to_numpy()
        findings += unmatched_findings(side, first, (rows, len(table)), regions, missing_pages)
        only_in[side] = (len(rows), first)
    both = compared_pages(partner, unmatched[PRED], missing_pages)
    how = np.where((both[GT] >= 0) & (both[PRED] >= 0), WAYS.index(EXACT), 0).astype(np.int8)
    return both, how, findings, only_in


def _by_all_rules(tables: tuple[pa.Table, pa.Table], missing_pages: str, page_map: PageMap | None) -> tuple:
    gt, pred = (pages_as_read(table) for table in tables)
    regions = tables[GT]["regions"].to_numpy(), tables[PRED]["regions"].to_numpy()
    rows, matches, findings = pair_pages(gt, pred, regions, missing_pages, page_map)
    unmatched = matches.unmatched(len(pred))
    only_in = {
        side: (pages.size, [names[i] for i in pages[:NAMES_SHOWN].tolist()])
        for side, pages, names in zip(SIDES, unmatched, (gt.names, pred.names))
    }
    how = np.append(matches.how, np.int8(0))[np.where(rows[GT] >= 0, rows[GT], len(gt))]
    return rows, how, findings, only_in


def _first_given(columns: list[pa.ChunkedArray], rows: tuple[Positions, Positions]) -> pa.ChunkedArray:
    """The text of gt for each page, else that of pred."""
    if np.array_equal(rows[GT], np.arange(len(columns[GT]))):
        return columns[GT]  # the usual case; avoids copies of many names
    both = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    return both.take(pa.array(np.where(rows[GT] >= 0, rows[GT], len(columns[GT]) + rows[PRED])))


def _other_names(
    rows: tuple[Positions, Positions], how: NDArray[np.int8], names: pa.ChunkedArray, is_mapped: bool
) -> pa.Array:
    """The name of the pred page where it can differ from that of the gt page; null otherwise.

    These are pages that were matched by another rule than equal names and, with a page map, those that only pred has.
    """
    other = (how != 0) & (how != WAYS.index(EXACT)) | (is_mapped & (rows[GT] < 0))
    if not other.any():
        return pa.nulls(len(how), pa.string())
    texts = np.full(len(how), None, object)
    texts[other] = names.take(pa.array(rows[PRED][other])).to_pylist()
    return pa.array(texts.tolist(), pa.string())


def _documents(rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table]) -> Coded:
    """The document of each page, from the manifest of gt, or of pred for a page that gt does not have."""
    gt, pred = (_coded(table["document"]) for table in tables)
    if (rows[GT] >= 0).all():
        return gt.take(rows[GT])
    known = {text: code for code, text in enumerate(gt.texts)}
    by_stem = documents_by_stem(gt.texts)
    of_names = set(tables[PRED]["page"].take(rows[PRED][rows[GT] < 0]).to_pylist())  # a page that is its own document
    texts = (text if text in of_names else without_suffix(text, by_stem) for text in pred.texts)
    recode = np.array([known.setdefault(text, len(known)) for text in texts] or [0], np.int32)
    codes = np.where(rows[GT] >= 0, np.append(gt.codes, 0)[rows[GT]], recode[np.append(pred.codes, 0)[rows[PRED]]])
    return Coded(codes.astype(np.int32), list(known))


def _coded(column: pa.ChunkedArray) -> Coded:
    """The codes and texts of a column whose chunks all have the same dictionary."""
    chunks = column.chunks
    codes = np.concatenate([np.zeros(0, np.int32), *(chunk.indices.to_numpy() for chunk in chunks)])
    return Coded(codes.astype(np.int32), chunks[0].dictionary.to_pylist() if chunks else [])


def _unique_names(
    names: pa.ChunkedArray, rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table]
) -> pa.ChunkedArray:
    """A page map may leave a page of pred unmatched that has the name of another page of gt."""
    gt, pred = (pages_of_table(table) for table in tables)
    texts = names.to_pylist()
    for i in np.flatnonzero(rows[GT] < 0).tolist():
        texts[i] = unique_page_name(texts[i], gt, pred)
    return pa.chunked_array([texts], pa.string())


def _parts(
    rows: tuple[Positions, Positions], tables: tuple[pa.Table, pa.Table], documents: Coded, parts: int
) -> Positions:
    """int64[pages]: the part of gt; a page that gt does not have is with its document, or where a new one would be."""
    of_gt = tables[GT]["part"].to_numpy().astype(np.int64)
    without = np.flatnonzero(rows[GT] < 0)
    part = np.append(of_gt, 0)[rows[GT]]
    if without.size:
        has = rows[GT] >= 0
        of_document = np.full(len(documents.texts), -1)
        of_document[documents.codes[has]] = part[has]
        for code in np.flatnonzero(of_document < 0).tolist():
            of_document[code] = document_part(documents.texts[code], parts)
        part[without] = of_document[documents.codes[without]]
    return part


MOST_OPEN = 200  # files that are written at the same time; more parts need more passes over pred
MOST_WAITING = 1 << 14  # that wait in memory for each of them; a part with fewer is opened when it is complete
MOST_SMALL = 10  # such parts for each of the files
PIECES = 16  # of a part that wait on their own; a piece takes some kilobytes, however few rows it has


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the pages of the plan are in the parts of both sides: positions, and whether pred must be cut anew."""

    positions: tuple[Positions, Positions]  # in the part of each side, -1 if it has no such page
    own_parts: tuple[Positions, Positions]  # the parts of the two sets, -1
    pred_part: Positions  # [parts of the plan]: the part of pred, -1 if none
    target: Positions  # [pages of pred]: the part of the plan, -1 for a page that is left out
    anew: bool
    regions: Positions  # [parts of the plan], of both sides


def find_cut(gt: Manifest, pred: Manifest, pairs: PagePairs) -> Cut:
    parts = len(gt.facts.parts)
    firsts = [np.cumsum([0, *(one.pages for one in side.facts.parts)]) for side in (gt, pred)]
    own, positions = [], []
    for first, rows in zip(firsts, pairs.rows):
        part = np.searchsorted(first, rows, side="right") - 1
        own.append(np.where(rows >= 0, part, -1))
        positions.append(np.where(rows >= 0, rows - first[part], -1))
    target = np.full(pred.pages, -1)
    has_pred = pairs.rows[PRED] >= 0
    target[pairs.rows[PRED][has_pred]] = pairs.part[has_pred]
    used = np.unique(np.stack([pairs.part[has_pred], own[PRED][has_pred]], axis=1), axis=0)
    anew = any(len(np.unique(used[:, k])) < len(used) for k in (0, 1))
    pred_part = np.full(parts, -1)
    if anew:
        positions[PRED] = _ranks(target)[pairs.rows[PRED]]
        positions[PRED][~has_pred] = -1
        pred_part[used[:, 0]] = used[:, 0]
    else:
        pred_part[used[:, 0]] = used[:, 1]
    regions = np.zeros(parts)
    for side, rows in zip((gt, pred), pairs.rows):
        has = rows >= 0
        of_page = side.page_table(["regions"])["regions"].to_numpy()
        regions += np.bincount(pairs.part[has], of_page[rows[has]], minlength=parts)
    return Cut(
        (positions[GT], positions[PRED]), (own[GT], own[PRED]), pred_part, target, anew, regions.astype(np.int64)
    )


def _ranks(target: Positions) -> Positions:
    """int64[pages]: the position of each page among those with the same target, in their order."""
    order = np.argsort(target, kind="stable")
    ordered = target[order]
    rank = np.empty(len(target), np.int64)
    rank[order] = np.arange(len(target)) - np.searchsorted(ordered, ordered)
    return rank


def cut_anew(pred: Manifest, labels: Sequence[str], out: Place, cut: Cut, shapes: str) -> None:
    """Write the pages of pred into the parts of the plan, in the order of the parts of pred."""
    schema = _joint_schema(pred, labels, shapes)
    for targets in _passes(cut):
        with ExitStack() as closing:
            writers = {
                target: _PartWriter(inside(out, CUT_FOLDER, f"{part_name(target)}.parquet"), schema, closing)
                for target in targets.tolist()
            }
            for layout, target in _read_parts(pred, labels, shapes, cut):
                # Only the parts that these pages belong to: a step for each part would be quadratic.
                found, of_page = np.unique(np.where(np.isin(target, targets), target, -1), return_inverse=True)
                for number, one in zip(found.tolist(), cut_layout(layout, of_page, len(found))):
                    if number >= 0:
                        writers[number].add(one)
            for writer in writers.values():
                writer.finish()


def _passes(cut: Cut) -> list[Positions]:
    """The parts that are written in each pass over pred: as many as may be open, more if they are small."""
    pages = np.bincount(cut.target[cut.target >= 0], minlength=len(cut.pred_part))
    wanted = np.flatnonzero(pages)
    rows = np.clip((pages + cut.regions)[wanted], MOST_WAITING // MOST_SMALL, MOST_WAITING)
    number = (np.cumsum(rows) - rows) // (MOST_OPEN * MOST_WAITING)
    return np.split(wanted, np.flatnonzero(np.diff(number)) + 1) if len(wanted) else []


def _read_parts(pred: Manifest, labels: Sequence[str], shapes: str, cut: Cut) -> Iterator[tuple[Layout, np.ndarray]]:
    """The layout of each part of pred, and the new part of each of its pages, -1 for pages that are left out."""
    first = 0
    for number, facts in enumerate(pred.facts.parts):
        target = cut.target[first : first + facts.pages]
        first += facts.pages
        if (target >= 0).any():
            place = pred.part_place(number)
            layout = on_labels(read_part(place, shapes), labels, place)
            yield replace(layout, keys={}, findings=()), target


def _joint_schema(pred: Manifest, labels: Sequence[str], shapes: str) -> dict[str, pa.DataType]:
    """{column: type} of all columns that any part of pred needs."""
    columns: dict[str, Any] = {}
    for number in range(len(pred.facts.parts)):
        place = pred.part_place(number)
        if number and pred.facts.format == "parquet":
            with open_input(place) as file, damage_named(place):
                if set(OwnParquet(place, file).names) - set(UNUSED_COLUMNS) <= set(columns):
                    continue
        table = parquet_table(replace(on_labels(read_part(place, shapes), labels, place), keys={}))
        columns |= {field.name: field.type for field in table.schema if field.name not in columns}
    return columns


class _PartWriter:
    """One new part, to which pages are added. Its file is opened when there is a row group to write."""

    def __init__(self, place: Place, schema: dict[str, pa.DataType], closing: ExitStack) -> None:
        self.place, self.schema = place, pa.schema(list(schema.items()))
        self.waiting: list[pa.Table] = []
        self.rows = 0
        self.facts = b""
        self.open_files = closing.enter_context(ExitStack())
        self.writer: pq.ParquetWriter | None = None

    def add(self, layout: Layout) -> None:
        table = parquet_table(layout)
        columns = [
            table[name] if name in table.column_names else pa.nulls(table.num_rows, self.schema.field(name).type)
            for name in self.schema.names
        ]
        self.facts = self.facts or encode_facts(layout)
        self.waiting.append(pa.table(columns, schema=self.schema))
        self.rows += table.num_rows
        if self.rows >= MOST_WAITING:
            self._write()
        elif len(self.waiting) >= PIECES:
            self.waiting = [pa.concat_tables(self.waiting).unify_dictionaries().combine_chunks()]

    def finish(self) -> None:
        self._write().add_key_value_metadata({METADATA_KEY: self.facts})
        self.open_files.close()

    def _write(self) -> pq.ParquetWriter:
        if self.writer is None:
            file = self.open_files.enter_context(open_output(self.place))
            self.writer = self.open_files.enter_context(pq.ParquetWriter(file, self.schema, store_schema=False))
        if self.waiting:
            self.writer.write_table(pa.concat_tables(self.waiting).unify_dictionaries())
        self.waiting, self.rows = [], 0
        return self.writer
