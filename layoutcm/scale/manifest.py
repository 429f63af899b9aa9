"""The manifest of a set of parts: what is fixed once for all of them.

It is one Parquet file with a row for each page, in the order of the parts: name, document, size, attributes, part and
number of regions. Its metadata has the labels, the parts, and what the reader found. A set is compared by its manifest;
of the parts themselves only the ends are looked at before counting, to see that they are still the same.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.own_parquet import OwnParquet, damaged_errors
from layoutcm.layouts.model import MAX_PAGE_SIDE, Finding, Floats, Indices, Layout, Pages, Regions, concatenate_pages
from layoutcm.layouts.packed_names import PackedTexts
from layoutcm.layouts.page_documents import name_documents
from layoutcm.layouts.stored_facts import ATTRIBUTE, MANIFEST_FILE, Key, StoredFinding, stored_findings, usable_findings
from layoutcm.lazy import pa, pc, pq
from layoutcm.scale import storage
from layoutcm.scale.part_files import PAGE_COLUMNS, read_part, sum_findings
from layoutcm.scale.storage import Place

VERSION = 1
METADATA_KEY = b"layoutcm manifest"
PAGES_IN_GROUP = 1 << 16
REQUIRED = (*PAGE_COLUMNS, "part", "regions")
FOOTER_BYTES = 8  # of Parquet: the length of the description, and four letters
WRITE_IT = "Write it with layoutcm partition, or with layoutcm manifest for a folder of Parquet files."


Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class PartFacts(msgspec.Struct, frozen=True):
    """One part: its file, relative to the manifest, and what must not change while the manifest is used."""

    file: str
    bytes: Number
    footer: str  # digest of the description at the end of the file, which says where and how large all columns are
    pages: Number
    regions: Number
    labels: list[Number]  # those of its regions, as positions in the list of the set


class ManifestFacts(msgspec.Struct, frozen=True):
    """The metadata of a manifest."""

    version: int
    name: str
    format: str
    labels: list[str]
    parts: list[PartFacts]
    label_regions: list[Number]  # how many regions of the set have each label
    label_keys: list[tuple[Key, int]] = []
    has_scores: bool = False
    findings: list[StoredFinding] = []


@dataclass(frozen=True, eq=False)
class Manifest:
    """A manifest and where it lies; its parts are below its folder, or below other `trusted` folders."""

    place: str
    facts: ManifestFacts
    digest: str
    trusted: tuple[Place, ...] = ()

    @property
    def folders(self) -> tuple[Place, ...]:
        """The folders that its parts may be in."""
        return (storage.folder_of(self.place), *self.trusted)

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.facts.parts)

    @property
    def regions(self) -> int:
        return sum(part.regions for part in self.facts.parts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(usable_findings(self.facts.findings).with_note(self.facts.name))

    def part_place(self, part: int) -> str:
        return self._part_places[part]

    @cached_property
    def _part_places(self) -> list[str]:
        folder = storage.folder_of(self.place)
        return [
            storage.trusted_place(folder, part.file, self.folders, self.place, f"parts[{i}].file")
            for i, part in enumerate(self.facts.parts)
        ]

    def page_table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """One row per page: page, document, number, width, height, part, regions, attributes.

        `file_document` is what the file says, null if it is the document; the column is there if any page has it.
        """
        found = storage.read_parquet(self.place, columns, ["document"], WRITE_IT, rows=self.pages)
        with storage.damage_named(self.place, WRITE_IT):
            if missing := set(REQUIRED if columns is None else ()) - set(found.column_names):
                raise ValueError(f"the column {min(missing)} is missing")
            self._check_columns(found)
        return found.unify_dictionaries()

    def _check_columns(self, table: pa.Table) -> None:
        """Raise a ValueError if pages are not those of the parts, or have sizes that no page has."""
        names = set(table.column_names)
        pages = [part.pages for part in self.facts.parts]
        if "part" in names and not np.array_equal(table["part"].to_numpy(), np.repeat(np.arange(len(pages)), pages)):
            raise ValueError("its pages are not in the order of its parts")
        if "regions" in names and (table["regions"].to_numpy() < 0).any():
            raise ValueError("a page has a negative number of regions")
        for side in names & {"width", "height"}:
            if not ((sizes := table[side].to_numpy()) > 0).all() or not (sizes <= MAX_PAGE_SIDE).all():
                raise ValueError(f"the {side} of a page is not above 0 and at most {MAX_PAGE_SIDE:,.0f}")
        if "page" in names and pc.count_distinct(table["page"]).as_py() < table.num_rows:
            raise ValueError("a page occurs twice")


class ManifestBuilder:
    """Collects the parts of a set, one after the other; only their pages stay in memory."""

    def __init__(
        self, name: str, folder: Place, labels: Sequence[str] = (), file_documents: Mapping[str, str] | None = None
    ) -> None:
        """`file_documents` is {page: document} as the file had it, if the parts have other documents."""
        self.name, self.folder, self.labels = name, folder, list(labels)
        self.file_documents = file_documents
        self.parts: list[PartFacts] = []
        self.pages: list[Pages] = []
        self.page_keys: list[list[str | None]] = []
        self.page_regions: list[Indices] = []
        self.used = np.zeros(0, np.int64)
        self.format, self.label_keys = "", dict[Key, int]()
        self.has_scores = False
        self.findings: list[Finding] = []

    def add(self, place: Place, layout: Layout) -> None:
        """Add the layout of a part that lies at this place."""
        self._check_format(place, layout)
        known = {label: i for i, label in enumerate(self.labels)}
        for label in layout.labels:
            known.setdefault(label, len(known))
        self.labels, regions = list(known), layout.region_columns
        recode = np.array([known[label] for label in layout.labels], np.int64)
        used = np.bincount(recode[regions.label], minlength=len(known)) if len(regions) else np.zeros(len(known), int)
        self.used = used + np.append(self.used, np.zeros(len(used) - len(self.used), np.int64))
        self.label_keys |= {key: int(recode[i]) if i >= 0 else -1 for key, i in layout.label_keys.items()}
        self.has_scores |= layout.has_scores
        self.findings += layout.findings
        self.pages.append(layout.page_columns)
        key_of = {page: json.dumps(key) for key, page in layout.keys.items()}
        self.page_keys.append([key_of.get(i) for i in range(len(layout.page_columns))])
        self.page_regions.append(np.bincount(regions.page, minlength=len(layout.page_columns)).astype(np.int32))
        size, footer = part_mark(place)
        labels = np.flatnonzero(used).tolist()
        file = storage.relative_to(place, self.folder)
        self.parts.append(PartFacts(file, size, footer, len(layout.page_columns), len(regions), labels))

    def _check_format(self, place: Place, layout: Layout) -> None:
        if self.parts and layout.format != self.format:
            problem = f"this part is {layout.format}, and the first part, {self.parts[0].file}, is {self.format}"
            raise InputError(
                storage.name_of(place), "", problem, "Convert one of them: the parts of a set have one format."
            )
        self.format = layout.format

    def write(self, place: Place, documents: str | None = None) -> Manifest:
        """Write the manifest; `documents` is a pattern that finds the document in the name of a page."""
        if not self.parts:
            raise InputError(str(self.folder), "", "there is no Parquet file in it", "Name the folder of the parts.")
        table = self._table(documents)
        names = self.labels
        facts = ManifestFacts(
            VERSION,
            self.name,
            self.format,
            names,
            self.parts,
            [*self.used.tolist(), *[0] * (len(names) - len(self.used))],
            list(self.label_keys.items()),
            self.has_scores,
            stored_findings(sum_findings(self.findings, replace), self.name),
        )
        with storage.open_output(place) as file, pq.ParquetWriter(file, table.schema, store_schema=False) as writer:
            writer.write_table(table, PAGES_IN_GROUP)
            writer.add_key_value_metadata({METADATA_KEY: msgspec.json.encode(facts)})
        return read_manifest(place)

    def _table(self, documents: str | None) -> pa.Table:
        pages = concatenate_pages(self.pages)
        self._check_names(pages)
        known = self.file_documents
        in_file = tuple(known[name] for name in pages.names) if known is not None else pages.documents
        pages, findings = name_documents(pages, documents)
        self.findings += findings
        part = np.repeat(np.arange(len(self.parts), dtype=np.int32), [one.pages for one in self.parts])
        columns = page_columns(pages) | {"part": pa.array(part), "regions": np.concatenate(self.page_regions)}
        if any(key for keys in self.page_keys for key in keys):
            columns["page_key"] = pa.array([key for keys in self.page_keys for key in keys], pa.string())
        if in_file != pages.documents:
            other = [own if own != named else None for own, named in zip(in_file, pages.documents)]
            columns["file_document"] = pa.array(other, pa.string())
        return pa.table(columns)

    def _check_names(self, pages: Pages) -> None:
        if len(pages.index) == len(pages):
            return
        first: dict[str, str] = {}
        for part, names in zip(self.parts, (one.names for one in self.pages)):
            for name in names:
                if name in first:
                    problem = f"the page {short_repr(name)} is also in {first[name]}"
                    raise InputError(part.file, "", problem, "Page names must be unique in a set: rename one of them.")
            first |= dict.fromkeys(names, part.file)


def page_columns(pages: Pages) -> dict[str, pa.Array]:
    """The pages as columns: page, document, number, width, height, attributes."""
    return {
        "page": pa.array(pages.names, pa.string()),
        "document": pa.array(pages.documents, pa.string()),
        "number": pa.array(pages.numbers, mask=pages.numbers < 0),
        "width": pa.array(pages.widths),
        "height": pa.array(pages.heights),
        **{ATTRIBUTE + name: pa.array(texts, pa.string()) for name, texts in pages.attributes.items()},
    }


def pages_of_table(table: pa.Table, packed: bool = False) -> Pages:
    """The pages of a table with the columns of `page_columns`; the texts of many pages may stay packed."""
    texts = lambda name: PackedTexts(table[name]) if packed else tuple(table[name].to_pylist())
    attributes = [name for name in table.column_names if name.startswith(ATTRIBUTE)]
    return Pages(
        texts("page"),
        _floats(table, "width"),
        _floats(table, "height"),
        texts("document"),
        table["number"].fill_null(-1).to_numpy().astype(np.int32),
        {name.removeprefix(ATTRIBUTE): texts(name) for name in attributes},
    )


def pages_as_read(table: pa.Table) -> Pages:
    """The pages with the documents that the files name, or "": by these a comparison matches pages."""
    pages = pages_of_table(table)
    if "file_document" not in table.column_names:
        return pages
    in_file = table["file_document"].to_pylist()
    return replace(
        pages, documents=tuple(own if own is not None else named for own, named in zip(in_file, pages.documents))
    )


def _floats(table: pa.Table, name: str) -> Floats:
    return np.ascontiguousarray(table[name].to_numpy())


def part_mark(place: Place) -> tuple[int, str]:
    """The size of a Parquet file, and the digest of the description at its end."""
    with storage.open_input(place) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(size - FOOTER_BYTES, 0))
        length = min(int.from_bytes(file.read(4), "little") + FOOTER_BYTES, size)
        file.seek(size - length)
        return size, storage.digest_of(file.read())


def make_manifest(
    folder: Place, output: Place | None = None, *, documents: str | None = None, shapes: str = "box"
) -> Manifest:
    """Write the manifest of a folder of Parquet files: layout tables, or shards of Hugging Face.

    Parameters
    ----------
    folder : path or address
    output : path or address, optional
        Another place for the manifest, which is in the folder unless given.
    documents : str, optional
        A pattern that finds the document in the name of a page.
    shapes : {"box", "polygon"}

    Returns
    -------
    Manifest
    """
    place = storage.join(folder, MANIFEST_FILE) if output is None else str(output)
    _check_output(place, folder)
    builder = ManifestBuilder(storage.name_of(folder), storage.folder_of(place))
    for name in storage.list_files(folder, ".parquet"):
        builder.add(storage.join(folder, name), read_part(storage.join(folder, name), shapes))
    manifest = replace(builder.write(place, documents), trusted=(folder,))
    storage.remove_unfinished(storage.folder_of(place))
    return manifest


def _check_output(place: str, folder: Place) -> None:
    """Raise an InputError if a manifest would replace another file, or would be read as a part the next time."""
    if storage.is_below(place, folder) and not storage.name_of(place).startswith("_"):
        problem = f"this is inside the input {storage.name_of(folder)}, whose files are all read"
        raise InputError(place, "", problem, f"Choose a place outside of it, or leave it out: {MANIFEST_FILE}.")
    if storage.exists(place):
        try:
            read_manifest(place)
        except InputError:
            problem = "the output would replace this file, which is not a manifest"
            raise InputError(place, "", problem, "Choose another name.") from None


def read_manifest(place: Place, trusted: Sequence[Place] = ()) -> Manifest:
    """The manifest at this place, or in this folder; its parts may also be in the `trusted` folders."""
    place = str(place)
    if not place.endswith(".parquet"):
        place = storage.join(place, MANIFEST_FILE)
    if not storage.is_remote(place) and not storage.exists(place):
        raise _no_manifest(storage.folder_of(place))
    try:
        with storage.open_input(place) as file:
            stored = OwnParquet(place, file)
            facts = msgspec.json.decode(stored.metadata(METADATA_KEY) or b"", type=ManifestFacts)
    except damaged_errors():
        raise InputError(place, "", "this is not a manifest", WRITE_IT) from None
    if facts.version != VERSION:
        raise InputError(place, "", f"version {facts.version} of a manifest is not known", "Write it again.")
    _check_facts(place, facts)
    return Manifest(place, facts, part_mark(place)[1], tuple(trusted))


def _check_facts(place: str, facts: ManifestFacts) -> None:
    labels = len(facts.labels)
    wrong = [
        ("label_regions", len(facts.label_regions) != labels),
        ("labels", len(set(facts.labels)) < labels or "" in facts.labels),
        ("label_keys", not all(-1 <= i < labels for _, i in facts.label_keys)),
        ("parts", not facts.parts or any(i >= labels for part in facts.parts for i in part.labels)),
    ]
    for name, is_wrong in wrong:
        if is_wrong:
            raise InputError(place, name, "this does not fit to the rest of the manifest", WRITE_IT)


def _no_manifest(folder: str) -> InputError:
    if os.path.isdir(folder):
        return InputError(folder, "", "the folder has no manifest", WRITE_IT)
    if os.path.exists(folder):
        hint = "Cut it into parts first, with: layoutcm partition"
        return InputError(folder, "", "this is a file, and not a folder of parts", hint)
    return InputError(folder, "", "there is no such folder", "Check the name and the folder.")


def like_layout(manifest: Manifest) -> Layout:
    """The pages, labels and ids of a set as a layout without regions, for `layoutcm.read(..., like=)`."""
    table = manifest.page_table()
    keys = table["page_key"].to_pylist() if "page_key" in table.column_names else []
    with storage.damage_named(manifest.place, WRITE_IT):
        page_keys: dict[Key, int] = {json.loads(key): i for i, key in enumerate(keys) if key}
    return replace(label_layout(manifest, used=False), page_columns=pages_of_table(table), keys=page_keys)


def label_layout(manifest: Manifest, used: bool = True, labels: Sequence[str] | None = None) -> Layout:
    """The labels of a set as a layout with one page; if `used`, one region for each label that has any in the set."""
    facts = manifest.facts
    names = list(facts.labels if labels is None else labels)
    counts = [*facts.label_regions, *[1] * (len(names) - len(facts.labels))]
    label = np.flatnonzero(counts).astype(np.int32) if used else np.zeros(0, np.int32)
    page = Pages(("page",), np.ones(1), np.ones(1), ("",), np.full(1, -1, np.int32))
    scores = np.full(len(label), 1.0 if facts.has_scores else np.nan)
    regions = Regions(np.zeros(len(label), np.int32), label, np.tile([0.0, 0.0, 1.0, 1.0], (len(label), 1)), scores)
    return Layout(facts.name, facts.format, names, page, regions, manifest.findings, label_keys=dict(facts.label_keys))
