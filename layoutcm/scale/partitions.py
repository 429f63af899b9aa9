"""Write a layout as Parquet parts: the pages of a document are in one part, and the pages of a row group are whole.

The part of a document is the BLAKE2 digest of its name in UTF-8, modulo the number of parts. It does not depend on the
order of pages, on the machine or on the other documents, so two sides that are cut alike fit together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Layout, Pages, Positions, Regions
from layoutcm.layouts.page_documents import name_documents
from layoutcm.layouts.stored_facts import MANIFEST_FILE
from layoutcm.layouts.table_writers import write_parquet
from layoutcm.layouts.validation import check_sizes_are_known
from layoutcm.outputs.files import check_is_path
from layoutcm.outputs.folders import Mark, replace_folder
from layoutcm.scale.manifest import Manifest, ManifestBuilder, read_manifest
from layoutcm.scale.storage import Place, exists, is_remote, join, list_files, name_of, open_output, remove_files
from layoutcm.wording import plural

ROWS_IN_GROUP = 1 << 16
MOST_PARTS = 100_000
# The first group is the folder of the mark, which is always this one.
OWN_FILES = re.compile(r"()(_manifest\.parquet|part-\d{5,}\.parquet)")
MARK = Mark(MANIFEST_FILE, b"PAR1", "set of parts")


def document_part(document: str, parts: int) -> int:
    """The part of a document."""
    digest = hashlib.blake2b(document.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % parts


def parts_of_documents(documents: Iterable[str], parts: int) -> Positions:
    """int64[pages]: the part of the document of each page."""
    known: dict[str, int] = {}
    for document in documents:
        if document not in known:
            known[document] = document_part(document, parts)
    return np.fromiter((known[document] for document in documents), np.int64)


def part_name(part: int) -> str:
    return f"part-{part:05d}"


def partition(
    layout: Layout,
    folder: Place,
    parts: int | None = None,
    *,
    like: Manifest | Place | None = None,
    documents: str | None = None,
    overwrite: bool = False,
) -> Manifest:
    """Write the layout as Parquet parts with a manifest into a folder; only an old set of parts is replaced.

    A set with other pages, other labels or another number of regions is replaced only with `overwrite`.

    Parameters
    ----------
    layout : Layout
    folder : path or address
        Also an address that fsspec knows, such as s3://bucket/gt.
    parts : int, optional
        Number of parts; that of `like` unless given.
    like : Manifest, path or address, optional
        Another set: a page that it has, too, goes to the same part, and gets its document.
    documents : str, optional
        A pattern that finds the document in the name of a page.
    overwrite : bool
        Replaces another set of parts.

    Returns
    -------
    Manifest

    Examples
    --------
    >>> import tempfile
    >>> import layoutcm as lcm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = lcm.partition(lcm.read("sample_data/gt.json"), f"{folder}/gt", 4)
    >>> manifest.regions
    947
    """
    reference = read_manifest(like) if like is not None and not isinstance(like, Manifest) else like
    assert reference is None or isinstance(reference, Manifest)
    parts = _checked_parts(parts, reference)
    check_sizes_are_known(layout, layout.page_columns.without_size)
    if not overwrite:
        _check_is_same_set(layout, folder)
    pages, findings = name_documents(layout.page_columns, documents)
    part = parts_of_documents(pages.documents, parts)
    if reference:
        pages, part = _placed_like(replace(layout, page_columns=pages), part, reference)
    named = replace(layout, page_columns=pages)
    in_file = dict(zip(pages.names, layout.page_columns.documents))
    with _new_folder(folder) as place:
        builder = ManifestBuilder(name_of(folder), place, layout.labels, in_file)
        for number, one in enumerate(cut_layout(named, part, parts)):
            file = join(place, f"{part_name(number)}.parquet")
            with open_output(file) as out:  # without page ids and findings on the whole set, which the manifest has
                write_parquet(replace(one, keys={}, findings=()), out, ROWS_IN_GROUP)
            # As it is read: with the format of a Parquet file, and without what reading drops.
            builder.add(file, replace(one, format="parquet", findings=()))
        builder.findings += [*layout.findings, *findings]
        builder.write(join(place, MANIFEST_FILE))
    return read_manifest(folder)


def _check_is_same_set(layout: Layout, folder: Place) -> None:
    """Raise an InputError if the folder has a set of parts that is not one of this layout, such as the other side."""
    check_is_path(folder, "folder")
    if not exists(join(folder, MANIFEST_FILE)):
        return
    try:
        old = read_manifest(folder)
    except InputError:  # what cannot be read is no set, and `check_target` decides about it
        return
    names = old.page_table(["page"])["page"].to_pylist()
    before = sorted(names), old.facts.labels, old.regions
    if before != (sorted(layout.page_columns.names), layout.labels, len(layout.region_columns)):
        held = f"{plural(old.pages, 'page')}, {plural(old.regions, 'region')}"
        problem = f"the folder holds another set of parts ({held}), which would be replaced"
        raise InputError(str(folder), "", problem, "Name another folder, or say overwrite=True (--overwrite).")


def _checked_parts(parts: int | None, like: Manifest | None) -> int:
    known = len(like.facts.parts) if like else None
    number = known if parts is None else parts
    if number is None:
        hint = "Give it (--parts N), or another set of parts to follow (--like)."
        raise InputError("", "parts", "the number of parts is missing", hint)
    if not (isinstance(number, int) and 1 <= number <= MOST_PARTS):
        raise InputError("", "parts", f"{short_repr(parts)} is not a number of parts", f"Use 1 to {MOST_PARTS:,}.")
    if known is not None and known != number:
        problem = f"{number} parts are wanted, and the set to follow (like) has {known}"
        raise InputError("", "parts", problem, "Leave out the number of parts.")
    return number


def _placed_like(layout: Layout, part: Positions, like: Manifest) -> tuple[Pages, Positions]:
    """The pages with the documents of the other set, and the part of each; as before for a page that it lacks."""
    table = like.page_table(["page", "document", "part"])
    known = {name: i for i, name in enumerate(table["page"].to_pylist())}
    row = np.array([known.get(name, -1) for name in layout.page_columns.names], np.int64)
    documents = table["document"].to_pylist()
    named = tuple(
        documents[i] if i >= 0 else own for i, own in zip(row.tolist(), layout.page_columns.documents)
    )  # fmt: skip
    # A page that only this set has is with the other pages of its document.
    of_document = dict(zip(documents, table["part"].to_pylist()))
    other = np.array([of_document.get(name, own) for name, own in zip(named, part.tolist())], np.int64)
    placed = np.where(row >= 0, table["part"].to_numpy()[row] if len(documents) else 0, other)
    return replace(layout.page_columns, documents=named), placed


@contextmanager
def _new_folder(folder: Place) -> Iterator[str]:
    """Yield the folder to write to: a new one that takes its place at the end, or the address of a storage."""
    if is_remote(folder):
        # A set is its manifest: without one, parts of the old set and of the new one are never read together.
        remove_files(folder, [MANIFEST_FILE])
        before = set(list_files(folder, ".parquet"))
        yield str(folder)
        written = {part.file for part in read_manifest(folder).facts.parts}
        remove_files(folder, [name for name in before - written if OWN_FILES.fullmatch(name)])
        return
    with replace_folder(folder, OWN_FILES, MARK) as place:
        yield str(place)


def cut_layout(layout: Layout, part: Positions, parts: int) -> Iterator[Layout]:
    """The layout of each part, in order; `part` is int64[pages]."""
    page_order = np.argsort(part, kind="stable")
    page_ends = np.searchsorted(part[page_order], np.arange(parts + 1))
    cuts = {
        name: _Cut(regions, part, parts)
        for name in ("region_columns", "dropped", "ignore_areas")
        if (regions := getattr(layout, name)) is not None
    }
    key_of = {page: key for key, page in layout.keys.items()}
    for number in range(parts):
        pages = page_order[page_ends[number] : page_ends[number + 1]]
        regions = {name: cut.of(number, pages) for name, cut in cuts.items()}
        keys = {key_of[page]: i for i, page in enumerate(pages.tolist()) if page in key_of}
        yield replace(layout, page_columns=layout.page_columns.take(pages), keys=keys, **regions)


class _Cut:
    """Regions sorted by part, once for all parts."""

    def __init__(self, regions: Regions, part: Positions, parts: int) -> None:
        of_region = part[regions.page] if len(regions) else np.zeros(0, np.int64)
        self.regions, self.order = regions, np.argsort(of_region, kind="stable")
        self.ends = np.searchsorted(of_region[self.order], np.arange(parts + 1))

    def of(self, number: int, pages: Positions) -> Regions:
        """The regions of one part, whose pages are these, ascending."""
        rows = self.order[self.ends[number] : self.ends[number + 1]]
        one = self.regions
        shapes = {i: one.shapes[row] for i, row in enumerate(rows.tolist()) if row in one.shapes} if one.shapes else {}
        return Regions(
            np.searchsorted(pages, one.page[rows]).astype(np.int32),
            one.label[rows],
            one.boxes[rows],
            one.scores[rows],
            shapes,
            one.coco and one.coco.take(rows),
            None if one.ignore is None else one.ignore[rows],
        )
