"""Cut the parts of pred anew, where gt has its parts: as a stream, with one part of pred in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.layouts.model import GT, PRED, Layout, Positions
from layoutcm.layouts.stored_facts import METADATA_KEY, encode_facts
from layoutcm.layouts.table_writers import parquet_table
from layoutcm.scale.manifest import Manifest
from layoutcm.scale.page_pairs import PagePairs
from layoutcm.scale.part_files import UNUSED_COLUMNS, on_labels, read_part
from layoutcm.scale.partitions import cut_layout, part_name
from layoutcm.scale.places import Place, join, open_input, open_output

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

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


def cut_anew(pred: Manifest, labels: Sequence[str], folder: Place, cut: Cut, shapes: str) -> None:
    """Write the pages of pred into the parts of the plan, in the order of the parts of pred."""
    schema = _joint_schema(pred, labels, shapes)
    for targets in _passes(cut):
        with ExitStack() as closing:
            writers = {
                target: _PartWriter(join(folder, f"{part_name(target)}.parquet"), schema, closing)
                for target in targets.tolist()
            }
            for layout, target in _parts(pred, labels, shapes, cut):
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


def _parts(pred: Manifest, labels: Sequence[str], shapes: str, cut: Cut) -> Iterator[tuple[Layout, np.ndarray]]:
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
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {}
    for number in range(len(pred.facts.parts)):
        place = pred.part_place(number)
        if number and pred.facts.format == "parquet":
            with open_input(place) as file:
                stored = pq.read_schema(file)
                if set(stored.names) - set(UNUSED_COLUMNS) <= set(columns):
                    continue
        table = parquet_table(replace(on_labels(read_part(place, shapes), labels, place), keys={}))
        columns |= {field.name: field.type for field in table.schema if field.name not in columns}
    return columns


class _PartWriter:
    """One new part, to which pages are added. Its file is opened when there is a row group to write."""

    def __init__(self, place: Place, schema: dict[str, pa.DataType], closing: ExitStack) -> None:
        import pyarrow as pa

        self.place, self.schema = place, pa.schema(list(schema.items()))
        self.waiting: list[pa.Table] = []
        self.rows = 0
        self.facts = b""
        self.open_files = closing.enter_context(ExitStack())
        self.writer: pq.ParquetWriter | None = None

    def add(self, layout: Layout) -> None:
        import pyarrow as pa

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
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self.writer is None:
            file = self.open_files.enter_context(open_output(self.place))
            self.writer = self.open_files.enter_context(pq.ParquetWriter(file, self.schema, store_schema=False))
        if self.waiting:
            self.writer.write_table(pa.concat_tables(self.waiting).unify_dictionaries())
        self.waiting, self.rows = [], 0
        return self.writer
