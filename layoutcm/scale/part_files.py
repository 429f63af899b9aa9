"""Read one part: a Parquet file of a set that was partitioned, or a shard of Hugging Face.

A part that this package wrote, and that has boxes and nothing else, is read column by column: reading a row at a time
would take most of the time of a comparison. All others are read as `layoutcm.read` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import BinaryIO, TypeVar

import msgspec
import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats import read
from layoutcm.formats.own_parquet import OwnParquet, damaged_errors
from layoutcm.formats.parquet_files import MAGIC
from layoutcm.layouts import limits
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Indices, Layout, Pages, Positions, Regions, recode_labels
from layoutcm.layouts.stored_facts import ATTRIBUTE, METADATA_KEY, StoredFacts, StoredFinding, usable_findings
from layoutcm.layouts.validation import FileIds, make_layout
from layoutcm.lazy import pa
from layoutcm.scale.storage import Place, name_of, open_input, parquet_bytes

CORNERS = ("x0", "y0", "x1", "y1")
PAGE_COLUMNS = ("page", "document", "number", "width", "height")
COCO_COLUMNS = ("iscrowd", "area", "coco_width", "coco_height")
PLAIN_COLUMNS = frozenset((*PAGE_COLUMNS, "label", *CORNERS, "score", *COCO_COLUMNS))
UNUSED_COLUMNS = ("page_key",)  # the ids of another file, which the manifest has
AnyFinding = TypeVar("AnyFinding", Finding, StoredFinding)


def read_part(place: Place, shapes: str = "box", pages: Positions | None = None) -> Layout:
    """The layout of a part, or of some of its pages, without the findings that were stored with the whole set.

    `pages` are ascending positions. Of a part that this package wrote, only the row groups with these pages are read.
    """
    name = name_of(place)
    with open_input(place) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise InputError(name, "", "this is not a Parquet file", "The parts of a set are Parquet files.")
        try:
            table = _own_table(name, file, shapes, pages)
            if table is not None and all(map(_is_plain, table.column_names)):
                layout = _from_columns(name, table)
                if layout is not None:
                    return layout
        except damaged_errors():
            table = None  # `read` says what is wrong
        if table is not None and pages is not None:
            return read((name, parquet_bytes(table)), shapes=shapes)
        file.seek(0)
        layout = read((name, file.read()), shapes=shapes)
    if pages is None:
        return layout
    if pages.max(initial=-1) >= len(layout.page_columns):
        problem = f"{len(layout.page_columns):,} pages, and page {pages.max() + 1:,} was expected"
        raise InputError(name, "", problem, "Write the manifest again, and start in another folder.")
    return take_pages(layout, pages)


def take_pages(layout: Layout, pages: Positions) -> Layout:
    """The layout of the pages at these positions, ascending."""
    regions = {
        name: replace(kept, page=np.searchsorted(pages, kept.page).astype(np.int32))
        for name in ("region_columns", "dropped", "ignore_areas")
        if (own := getattr(layout, name)) is not None and (kept := own.take(np.isin(own.page, pages))) is not None
    }
    return replace(layout, page_columns=layout.page_columns.take(pages), keys={}, **regions)


def _own_table(name: str, file: BinaryIO, shapes: str, pages: Positions | None) -> pa.Table | None:
    """All columns that are used of a part that this package wrote, texts as dictionaries; None for any other file."""
    own = OwnParquet(name, file)
    facts = own.metadata(METADATA_KEY)
    if facts is None or len(facts) > limits.MAX_METADATA:
        return None
    unused = UNUSED_COLUMNS if shapes == "polygon" else (*UNUSED_COLUMNS, "outline")
    names = [name for name in own.names if name not in unused]
    if pages is None:
        table = own.read(names) if all(map(_is_plain, names)) else None
    else:
        table = _rows_of_pages(own, names, pages)
    return table and table.unify_dictionaries().combine_chunks().replace_schema_metadata({METADATA_KEY: facts})


def _is_plain(column: str) -> bool:
    return column in PLAIN_COLUMNS or column.startswith(ATTRIBUTE)


def _rows_of_pages(stored: OwnParquet, names: Sequence[str], pages: Positions) -> pa.Table | None:
    """The rows of the pages at these positions; None if the rows of a page are not together."""
    page, texts = _codes(stored.read(["page"]).unify_dictionaries().combine_chunks(), "page")
    position = np.append(0, np.cumsum(page[1:] != page[:-1]))[: len(page)]
    if position.max(initial=-1) + 1 != len(texts):
        return None
    wanted = np.isin(position, pages)
    ends = np.cumsum([0, *stored.group_rows])
    groups = [k for k in range(len(ends) - 1) if wanted[ends[k] : ends[k + 1]].any()]
    rows = np.concatenate([np.zeros(0, bool), *(wanted[ends[k] : ends[k + 1]] for k in groups)])
    table = stored.read(names, groups).filter(rows)
    own = table["page"].cast("string").combine_chunks().dictionary_encode()  # without the names of other pages
    return table.set_column(names.index("page"), "page", own)


def _from_columns(name: str, table: pa.Table) -> Layout | None:
    """The layout; None if the rows of a page are not together, or if there are rows without a page."""
    page, names = _codes(table, "page")
    first = np.append(0, np.flatnonzero(page[1:] != page[:-1]) + 1)[: len(page)]
    if len(first) != len(names) or not np.array_equal(page[first], np.arange(len(names))):
        return None
    facts = msgspec.json.decode(table.schema.metadata[METADATA_KEY], type=StoredFacts)
    label, labels = _codes(table, "label")
    has_label = label >= 0
    boxes = np.stack([_numbers(table, corner)[has_label] for corner in CORNERS], axis=1)
    regions = Regions(
        page[has_label],
        label[has_label] + np.int32(len(facts.labels)),
        boxes,
        _numbers(table, "score")[has_label],
        coco=_coco_facts(table.filter(has_label), boxes) if "iscrowd" in table.column_names else None,
    )
    stored = usable_findings(facts.findings).with_note(name)
    ids = FileIds({}, dict(facts.label_keys))
    pages = _pages(table, names, first)
    # Labels that are declared and used are in both lists; `make_layout` joins them.
    layout = make_layout(name, "parquet", [*facts.labels, *labels], pages, regions, findings=stored, ids=ids)
    return replace(layout, repairs=tuple(facts.repairs))


def _coco_facts(table: pa.Table, boxes: Floats) -> CocoFacts:
    sizes = boxes[:, 2:] - boxes[:, :2]
    if "coco_width" in table.column_names:
        given = np.stack([_numbers(table, name) for name in ("coco_width", "coco_height")], axis=1)
        sizes = np.where(np.isnan(given), sizes, given)
    return CocoFacts(table["iscrowd"].fill_null(0).to_numpy() != 0, _numbers(table, "area"), sizes)


def _pages(table: pa.Table, names: Sequence[str], first: Positions) -> Pages:
    """The pages, as the first row of each describes them."""
    heads = table.take(first)
    numbers = heads["number"].fill_null(-1).to_numpy() if "number" in heads.column_names else np.full(len(first), -1)
    columns = [name for name in heads.column_names if name.startswith(ATTRIBUTE)]
    return Pages(
        tuple(names),
        _numbers(heads, "width"),
        _numbers(heads, "height"),
        _texts(heads, "document"),
        numbers.astype(np.int32),
        {column.removeprefix(ATTRIBUTE): _texts(heads, column) for column in columns},
    )


def _codes(table: pa.Table, name: str) -> tuple[Indices, list[str]]:
    """int32[rows]: the number of the text of each row, -1 if it has none; and the texts."""
    column = table[name].combine_chunks() if table.num_rows else pa.array([], pa.string()).dictionary_encode()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return codes, column.dictionary.to_pylist()


def _numbers(table: pa.Table, name: str) -> Floats:
    return np.ascontiguousarray(table[name].to_numpy().astype(np.float64))  # a missing value is nan


def _texts(table: pa.Table, name: str) -> tuple[str, ...]:
    return tuple(text or "" for text in table[name].to_pylist())


def on_labels(layout: Layout, labels: Sequence[str], place: Place) -> Layout:
    """The layout with this list of labels, in this order; an InputError for a region with any other label."""
    if layout.labels == list(labels):
        return layout
    position = {label: i for i, label in enumerate(labels)}
    unknown = [label for label in layout.labels if label not in position and label in layout.labels_in_use]
    if unknown:
        raise unknown_label(place, unknown[0])
    recode = np.array([position.get(label, -1) for label in layout.labels], np.int32)
    dropped = layout.dropped and recode_labels(layout.dropped, recode)
    if dropped is not None:  # boxes that are not counted may have labels that no other region has
        dropped = dropped.take(dropped.label >= 0)
    regions = recode_labels(layout.region_columns, recode)
    keys = {key: int(recode[i]) if i >= 0 else -1 for key, i in layout.label_keys.items()}
    return replace(layout, labels=list(labels), region_columns=regions, dropped=dropped, label_keys=keys)


def unknown_label(place: Place, label: str) -> InputError:
    hint = "Write the manifest again (layoutcm manifest), or add it: --missing-labels add."
    return InputError(str(place), "label", f"the plan does not know the label {short_repr(label)}", hint)


def sum_findings(findings: Sequence[AnyFinding], change: Callable[..., AnyFinding]) -> list[AnyFinding]:
    """One finding of each kind: the counts of parts are added, all else is that of the first part."""
    summed: dict[tuple[str, str], AnyFinding] = {}
    for one in findings:
        before = summed.get((one.code, one.repair))
        summed[one.code, one.repair] = change(before, count=before.count + one.count) if before else one
    return list(summed.values())
