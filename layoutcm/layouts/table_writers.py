"""Write layouts as tables, Parquet or CSV: one row per region, in page order.

A page without regions has one row without a label, an ignore area a row with a box and without a label. Parquet holds
everything that a layout has, with what is not in rows in its metadata (`stored_facts`). In CSV, rows with only a label
come first if the regions do not contain all labels in the order of the layout.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, NamedTuple

import numpy as np

from layoutcm.layouts.model import Layout, Positions, Regions, concatenate_regions
from layoutcm.layouts.repairs import raw_regions
from layoutcm.layouts.stored_facts import ATTRIBUTE, METADATA_KEY, encode_facts, labels_fit
from layoutcm.layouts.writing.coco import segmentation
from layoutcm.lazy import pa, pd, pq


class Rows(NamedTuple):
    """int64[rows]: the page, the region and the label of each row, -1 if it has none."""

    page: Positions
    region: Positions
    label: Positions


def as_csv(layout: Layout) -> bytes:
    regions = _with_ignore_areas(layout, layout.region_columns)
    rows = _rows(layout, regions)
    used = dict.fromkeys(rows.label[rows.label >= 0].tolist())
    if list(used) != list(range(len(layout.labels))):
        rows = _with_label_rows(layout, rows)
    columns = _page_columns(layout, rows) | _region_columns(layout, regions, rows)
    if regions.coco is not None and regions.coco.crowd.any():  # AP depends on these
        columns |= _coco_columns(regions, rows)
    return csv_bytes(pa.table(columns).to_pandas(integer_object_nulls=True))


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table as CSV, with quotes where they are needed."""
    text = table.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # Python writes it without quotes, and it would end the row
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    return bytes(text.encode("utf-8"))


def as_parquet(layout: Layout) -> bytes:
    """The layout as Parquet. Boxes with inverted corners are kept: reading drops them, but a repair may turn them."""
    out = io.BytesIO()
    write_parquet(layout, out)
    return out.getvalue()


def write_parquet(layout: Layout, out: BinaryIO, rows_in_group: int | None = None) -> None:
    """Write the layout as Parquet. Row groups have at most this many rows, and end where a page ends."""
    table = parquet_table(layout)
    # Without Arrow's own copy of the schema, other programs read texts as texts, not as categories.
    with pq.ParquetWriter(out, table.schema, store_schema=False) as writer:
        for part in [table] if rows_in_group is None else _whole_pages(table, rows_in_group):
            writer.write_table(part)
        writer.add_key_value_metadata({METADATA_KEY: encode_facts(layout)})


def parquet_table(layout: Layout) -> pa.Table:
    """The columns of the Parquet file of a layout; its metadata is `encode_facts`."""
    regions = _with_ignore_areas(layout, raw_regions(layout))
    rows = _rows(layout, regions)
    if not labels_fit(layout):
        rows = _with_label_rows(layout, rows)
    columns = _page_columns(layout, rows) | _region_columns(layout, regions, rows)
    if regions.coco is not None:
        columns |= _coco_columns(regions, rows) | _written_sizes(regions, rows)
    if layout.keys:
        key_of = {page: json.dumps(key) for key, page in layout.keys.items()}
        columns["page_key"] = _texts([key_of.get(i, "") for i in range(len(layout.page_columns))], rows.page)
    return pa.table(columns)


def _whole_pages(table: pa.Table, rows_in_group: int) -> Iterator[pa.Table]:
    """Slices of the table with about this many rows, which end where a page ends."""
    page = table["page"].combine_chunks().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    ends = np.append(np.flatnonzero(page[1:] != page[:-1]) + 1, len(page))
    first = 0
    while first < len(page):
        last = int(np.searchsorted(ends, first + rows_in_group, side="right")) - 1
        end = int(ends[max(last, int(np.searchsorted(ends, first, side="right")))])
        yield table.slice(first, end - first)
        first = end


def _with_ignore_areas(layout: Layout, regions: Regions) -> Regions:
    """The regions, and after them the ignore areas, whose label is -1."""
    areas = layout.ignore_areas
    if not areas:
        return regions
    n = len(areas)
    # COCO's facts are of objects, which areas are not.
    areas = replace(areas, label=np.full(n, -1, np.int32), ignore=np.ones(n, bool), coco=None)
    return concatenate_regions([regions, areas])


def _rows(layout: Layout, regions: Regions) -> Rows:
    blank = np.setdiff1d(np.arange(len(layout.page_columns)), regions.page)
    page = np.concatenate([regions.page.astype(np.int64), blank])
    region = np.concatenate([np.arange(len(regions)), np.full(len(blank), -1)])
    label = np.concatenate([regions.label.astype(np.int64), np.full(len(blank), -1)])
    order = np.argsort(page, kind="stable")
    return Rows(page[order], region[order], label[order])


def _with_label_rows(layout: Layout, rows: Rows) -> Rows:
    none = np.full(len(layout.labels), -1)
    label = np.concatenate([np.arange(len(layout.labels)), rows.label])
    return Rows(np.concatenate([none, rows.page]), np.concatenate([none, rows.region]), label)


def _page_columns(layout: Layout, rows: Rows) -> dict[str, pa.Array]:
    pages, at = layout.page_columns, rows.page
    columns = {"page": _texts(pages.names, at), "document": _texts(pages.documents, at)}
    numbers = np.append(pages.numbers, -1)[at]
    if (numbers >= 0).any():
        columns["number"] = pa.array(numbers, mask=numbers < 0)
    columns |= {"width": _numbers(pages.widths, at), "height": _numbers(pages.heights, at)}
    return columns | {ATTRIBUTE + name: _texts(values, at) for name, values in pages.attributes.items()}


def _region_columns(layout: Layout, regions: Regions, rows: Rows) -> dict[str, pa.Array]:
    at = rows.region
    columns = {"label": _texts(layout.labels, rows.label)}
    columns |= {name: _numbers(regions.boxes[:, i], at) for i, name in enumerate(("x0", "y0", "x1", "y1"))}
    columns["score"] = _numbers(regions.scores, at)
    if regions.shapes:
        outlines = {i: json.dumps(segmentation(shape)) for i, shape in regions.shapes.items()}
        columns["outline"] = pa.array([outlines.get(i) for i in at.tolist()], pa.string())
    if regions.ignored.any():
        columns["ignore"] = _flags(regions.ignored, at)
    if layout.annotator:
        columns["annotator"] = _texts([layout.annotator], np.where(at < 0, -1, 0))
    return columns


def _coco_columns(regions: Regions, rows: Rows) -> dict[str, pa.Array]:
    assert regions.coco is not None
    areas = _numbers(regions.coco.areas, rows.region)
    return {"iscrowd": _flags(regions.coco.crowd, rows.region), "area": areas}


def _written_sizes(regions: Regions, rows: Rows) -> dict[str, pa.Array]:
    """Width and height as a COCO file has them, if they differ from x1 - x0 and y1 - y0 in the last bit."""
    assert regions.coco is not None
    given = regions.coco.sizes
    differ = (given != regions.boxes[:, 2:] - regions.boxes[:, :2]) & ~np.isnan(given)
    if not differ.any():
        return {}
    given = np.where(differ.any(axis=1)[:, None], given, np.nan)
    return {name: _numbers(given[:, i], rows.region) for i, name in enumerate(("coco_width", "coco_height"))}


def _texts(items: Sequence[str], at: Positions) -> pa.Array:
    """The text of the items at these positions; no value for -1 and for an empty text."""
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(text, len(code_of)) if text else -1 for text in items]
    of_row = np.array([*codes, -1], np.int32)[at]
    return pa.DictionaryArray.from_arrays(pa.array(of_row, mask=of_row < 0), pa.array(list(code_of), pa.string()))


def _numbers(values: np.ndarray, at: Positions) -> pa.Array:
    numbers = np.append(values, np.nan)[at]
    return pa.array(numbers, mask=np.isnan(numbers))


def _flags(values: np.ndarray, at: Positions) -> pa.Array:
    """1 or 0, as COCO has it."""
    return pa.array(np.append(values, False)[at].astype(np.int8), mask=at < 0)
