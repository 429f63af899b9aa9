"""Hugging Face data sets in Parquet: DocLayNet 1.1 and 1.2, and object detection in general. One row is one page.

Boxes are x, y, width, height in pixels, as in COCO. Several files (shards) are one layout. Class numbers get names
from the schema (ClassLabel), from a file of names beside, or from the reference layout; DocLayNet's names are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from layoutcm.errors import InputError
from layoutcm.formats.class_names import ClassLabels, undeclared_findings
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.huggingface_pages import (
    ATTRIBUTES,
    DOCLAYNET_NAMES,
    File,
    HubColumns,
    find_hub_columns,
    names_in_metadata,
    page_names,
    page_sizes,
)
from layoutcm.formats.nested_values import (
    Cells,
    Column,
    boxes_of,
    cell_lists,
    cell_values,
    is_text,
    numbers_of,
    place_of_item,
    words_of,
)
from layoutcm.formats.parquet_files import column_paths, iter_nested, unreadable_refused
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Layout, Pages, Positions, Regions
from layoutcm.layouts.validation import FileIds, PlaceNamers, make_layout
from layoutcm.lazy import pa


class ShardRows(NamedTuple):
    """Some rows of a file: texts and numbers of its pages by meaning, and the columns of their objects."""

    texts: Mapping[str, list[str]]
    numbers: Mapping[str, Floats]
    counts: Positions  # objects of each page
    boxes: Floats
    sizes: Floats
    labels: Positions
    values: Mapping[str, Floats]  # scores, areas and crowds of objects


@dataclass
class LabelTable:
    """All labels in order of their first use, their numbers, and how often numbers without a name are used."""

    position: dict[str, int] = field(default_factory=dict)
    keys: dict[int | float | str, int] = field(default_factory=dict)
    undeclared: Counter[int] = field(default_factory=Counter)

    def declare(self, names: Mapping[int, str]) -> None:
        for key, name in sorted(names.items()):
            self.keys.setdefault(key, self.number(name))

    def number(self, name: str) -> int:
        return self.position.setdefault(name, len(self.position))

    def of_numbers(self, ids: Positions, names: Mapping[int, str]) -> Positions:
        found, inverse = np.unique(ids, return_inverse=True)
        counts = np.bincount(inverse, minlength=len(found)).tolist()
        labels = []
        for key, count in zip(found.tolist(), counts):
            if key not in names:
                self.undeclared[key] += count
            labels.append(self.number(names.get(key, f"category {key}")))
            self.keys.setdefault(key, labels[-1])
        return np.array(labels, np.int64)[inverse]


def _read_shards(format: str, name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    labels, findings = LabelTable(), list[Finding]()
    files, batches = list[File](), list[ShardRows]()
    for content in contents:
        columns = find_hub_columns(content.name, column_paths(content))
        if not columns.objects:
            problem = "there are no columns of boxes and categories, such as objects.bbox and objects.category"
            raise InputError(content.name, "", problem, "Check that this is a data set for object detection.")
        reader = _ShardReader(content, columns, labels, options)
        batches += reader.rows()
        files.append((content, columns, reader.row))
        findings += [one for one in reader.findings if one not in findings]
    return _build(format, name, files, batches, labels, options, findings)


read_doclaynet, read_objects = partial(_read_shards, "hf-doclaynet"), partial(_read_shards, "hf-objects")


class _ShardReader:
    """Reads one file batch by batch; class names are known once its schema is."""

    def __init__(self, content: FileContent, columns: HubColumns, labels: LabelTable, options: Options) -> None:
        self.content, self.columns, self.labels, self.options = content, columns, labels, options
        self.names: dict[int, str] | None = None
        self.findings: list[Finding] = []
        self.row = 0

    def rows(self) -> Iterator[ShardRows]:
        with unreadable_refused(self.content):
            for batch in iter_nested(self.content, self._choose):
                yield self._rows_of(batch)
                self.row += batch.num_rows

    def _choose(self, schema: pa.Schema) -> Sequence[str]:
        self.names = names_in_metadata(schema.metadata, self.columns.objects["category"])
        if self.names is None and self.columns.doclaynet:
            self.names = DOCLAYNET_NAMES
        self.labels.declare(self.names or {})
        return self.columns.paths

    def _rows_of(self, batch: pa.RecordBatch) -> ShardRows:
        page, objects = self.columns.page, self.columns.objects
        box = cell_lists(batch, objects["box"])
        boxes, sizes = boxes_of(objects["box"], box, self.row)
        texts = ("name", "id", "path", "document", *ATTRIBUTES)
        return ShardRows(
            {role: words_of(page[role], cell_values(batch, page[role])) for role in texts if role in page},
            {
                role: numbers_of(page[role], cell_values(batch, page[role]))
                for role in ("width", "height", "number")
                if role in page
            },
            box.counts,
            boxes,
            sizes,
            self._labels(objects["category"], self._cells(batch, objects["category"], box.counts)),
            {
                role: numbers_of(objects[role], self._cells(batch, objects[role], box.counts).items)
                for role in ("score", "area", "crowd")
                if role in objects
            },
        )

    def _cells(self, batch: pa.RecordBatch, column: Column, boxes: Positions) -> Cells:
        """The lists of a column, which must have a value for each box."""
        cells = cell_lists(batch, column)
        wrong = cells.counts != boxes
        if wrong.any():
            i = int(np.argmax(wrong))
            problem = f"{boxes[i]} boxes and {cells.counts[i]} values of {column.name}"
            hint = "There must be one of each for an object."
            raise InputError(self.content.name, f"row {self.row + i}", problem, hint)
        return cells

    def _labels(self, column: Column, cells: Cells) -> Positions:
        items = cells.items
        if items.null_count and len(items):
            i = int(np.argmax(items.is_null().to_numpy(zero_copy_only=False)))
            place = place_of_item(column, cells.counts, i, self.row)
            raise InputError(self.content.name, place, "the object has no category", "Add it, or remove the object.")
        if is_text(items.type):
            words = words_of(column, items)
            number = {word: self.labels.number(word) for word in dict.fromkeys(words)}
            return np.fromiter((number[word] for word in words), np.int64, len(words))
        ids = numbers_of(column, items)
        whole = ids.astype(np.int64) if (np.abs(ids) < 2**53).all() else np.zeros(0, np.int64)
        if not np.array_equal(whole, ids):
            raise column.refuse("numbers that are not whole", "class numbers or names")
        return self.labels.of_numbers(whole, self._names() if len(whole) else {})

    def _names(self) -> dict[int, str]:
        if self.names is None:
            classes = ClassLabels(self.content.name, self.options)
            self.names = classes.names
            self.findings += classes.findings
            self.labels.declare(self.names)
        return self.names


def _build(
    format: str,
    name: str,
    files: Sequence[File],
    batches: Sequence[ShardRows],
    labels: LabelTable,
    options: Options,
    findings: list[Finding],
) -> Layout:
    starts = np.cumsum([0, *(rows for _, _, rows in files)])
    counts = _concatenated((batch.counts for batch in batches), np.int64)
    first_objects = np.cumsum(counts) - counts

    def page_place(i: int) -> str:
        at = int(np.searchsorted(starts, i, side="right")) - 1
        row = f"row {i - int(starts[at])}"
        return row if len(files) == 1 else f"{files[at][0].name}, {row}"

    def region_place(i: int) -> str:
        page = int(np.searchsorted(first_objects + counts, i, side="right"))
        return f"{page_place(page)}, object {i - int(first_objects[page])}"

    pages, ids = _pages(files, batches, options)
    return make_layout(
        name,
        format,
        list(labels.position),
        pages,
        _regions(batches, counts),
        findings=[*findings, *undeclared_findings(name, labels.undeclared)],
        ids=FileIds(ids, labels.keys),
        places=PlaceNamers(page_place, region_place),
    )


def _concatenated(parts: Iterable[Any], kind: Any, shape: tuple[int, ...] = (0,)) -> Any:
    return np.concatenate([np.zeros(shape, kind), *parts])


def _pages(
    files: Sequence[File], batches: Sequence[ShardRows], options: Options
) -> tuple[Pages, dict[int | float | str, int]]:
    """The pages of all files, and {image id: page} if ids are unique."""

    def texts(role: str) -> list[str]:
        return [text for one in batches for text in one.texts.get(role, [""] * len(one.counts))]

    def numbers(role: str) -> Floats:
        parts = (one.numbers.get(role, np.full(len(one.counts), np.nan)) for one in batches)
        found: Floats = _concatenated(parts, float)
        return found

    names = page_names(files, {role: texts(role) for role in ("name", "id", "path")}, options)
    widths, heights, unsized = page_sizes(files, names, np.stack([numbers("width"), numbers("height")]), options)
    number = numbers("number")
    usable = np.isfinite(number) & (number >= 0) & (number < 2**31)
    attributes = {role: tuple(texts(role)) for role in ATTRIBUTES}
    pages = Pages(
        tuple(names),
        widths,
        heights,
        tuple(texts("document")),
        np.where(usable, number, -1).astype(np.int32),
        {role: column for role, column in attributes.items() if any(column)},
        unsized,
    )
    ids = texts("id")
    is_unique = len(set(ids)) == len(ids) and all(ids)
    # An id of COCO is a number if it is written like one.
    is_number = [text.isascii() and text.isdigit() and len(text) < 16 and str(int(text)) == text for text in ids]
    keys = (int(text) if number else text for text, number in zip(ids, is_number))
    return pages, {key: i for i, key in enumerate(keys)} if is_unique else {}


def _regions(rows: Sequence[ShardRows], counts: Positions) -> Regions:
    boxes = _concatenated((one.boxes for one in rows), float, (0, 4))

    def values(role: str, missing: float) -> Floats:
        found: Floats = _concatenated((one.values.get(role, np.full(len(one.boxes), missing)) for one in rows), float)
        return found

    crowds = np.nan_to_num(values("crowd", 0.0)) != 0
    sizes = _concatenated((one.sizes for one in rows), float, (0, 2))
    return Regions(
        np.repeat(np.arange(len(counts), dtype=np.int32), counts),
        _concatenated((one.labels for one in rows), np.int64).astype(np.int32),
        boxes,
        values("score", np.nan),
        coco=CocoFacts(crowds, values("area", np.nan), sizes),
    )
