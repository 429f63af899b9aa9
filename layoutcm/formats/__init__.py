"""From files to layouts: `read` takes a file, a folder, a zip, bytes or a table and finds out by itself what it is.

`registry` lists the formats, `readers/` has one module for each family of them, and the other modules hold what readers
share. May import `layouts`, `errors` and `wording`.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import filterfalse, takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from layoutcm import hints
from layoutcm.errors import InputError, check_choice
from layoutcm.formats.coco_annotations import open_large_file, scan_ahead
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.page_sizes import Sizes, read_with_sizes, resolve_sizes
from layoutcm.formats.readers.table import IN_MEMORY, find_table, read_memory
from layoutcm.formats.recognition import choose_format, find_candidates, is_companion, why_unread
from layoutcm.formats.registry import ANSWER, Format, never
from layoutcm.formats.source_files import Bundle, Source, load_source
from layoutcm.layouts import limits
from layoutcm.layouts.findings import refuse_unread
from layoutcm.layouts.model import Finding, Layout, check_is_layout
from layoutcm.layouts.page_attributes import AttributesLike, add_attributes, load_attributes
from layoutcm.layouts.page_maps import PageMapLike, load_page_map

if TYPE_CHECKING:
    from layoutcm.formats.readers.table import MemorySource

NAMES_SHOWN = 10
SHAPES = ("box", "polygon")  # how regions with outlines are read


def read(
    source: Source | MemorySource,
    *,
    like: Layout | None = None,
    pages: PageMapLike = None,
    format: str | None = None,
    sizes: Sizes = None,
    shapes: str = "box",
    nested: bool = True,
    annotator: str | None = None,
    attributes: AttributesLike = None,
    strict: bool = False,
) -> Layout:
    """Read the layout in a file, a folder, a zip, or a table in memory.

    The format is recognised by content.

    Parameters
    ----------
    source : path, (name, bytes), table, or a list of paths and (name, bytes)
        A file, folder or zip. A table is a pandas DataFrame, a pyarrow Table or a list of dicts with the columns of a
        CSV, or (name, table).
    like : Layout, optional
        Reference layout, usually the ground truth: it provides page ids, sizes and labels to formats that lack them.
    pages : dict or path, optional
        Maps page names of `like` to the names in this source where they differ, as in `compare`.
    format : str, optional
        The name of a format, as `layoutcm formats` lists it, instead of the one that is recognised.
    sizes : (width, height), dict or path, optional
        Page size for formats without one: of all pages, {page: (width, height)}, or a folder of page images.
    shapes : {"box", "polygon"}
        "polygon" keeps outlines and masks where the file has them.
    nested : bool
        False drops regions inside pictures and tables, in formats that mark them.
    annotator : str, optional
        One annotator, if the file has several; the first is the default.
    attributes : path, dict or DataFrame, optional
        Attributes of pages or documents: a CSV with a column `page` or `document`, or {page: {name: value}}.
    strict : bool
        Refuses a damaged file in a folder, zip or list, which is otherwise left out with a finding.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        If anything is wrong with the source; nothing else is raised by a reader.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> gt.format, len(gt.pages), len(gt.regions)
    ('coco', 60, 947)
    >>> row = {"page": "a.png", "label": "Text", "x0": 5, "y0": 5, "x1": 90, "y1": 40, "width": 100, "height": 80}
    >>> lcm.read([row]).labels
    ['Text']
    """
    check_choice("shapes", shapes, SHAPES)
    if like is not None:
        check_is_layout(like, "like", "Give what read() returned for the other file.")
    outlines, page_map, given = shapes == "polygon", load_page_map(pages), load_attributes(attributes)
    wanted = Options(like, resolve_sizes(sizes), outlines, nested, page_map=page_map, annotator=annotator)
    if (table := find_table(source)) is not None:
        check_choice("format", format or IN_MEMORY, (IN_MEMORY,))
        layout = read_with_sizes(partial(read_memory, *table), wanted)
    else:
        layout = _read_files(cast(Source, source), format, wanted)
    if strict:
        refuse_unread(layout.findings)
    layout = layout if nested else replace(layout, outer_only=True)
    return add_attributes(layout, given) if given else layout


def _read_files(source: Source, format: str | None, wanted: Options) -> Layout:
    large = open_large_file(os.fspath(source), wanted) if isinstance(source, str | os.PathLike) else None
    bundle = Bundle(large.name, (large,), {}) if large else load_source(source)
    if len(bundle.contents) == 1:
        scan_ahead(bundle.contents[0], wanted)  # on all processors, so before hashing
    # Hashing does not need Python's lock, so a second thread does it while the file is recognised and read.
    with ThreadPoolExecutor(1) as pool, garbage_collection_paused(), name_in_errors(bundle):
        digests = pool.submit(lambda: [content.sha256() for content in bundle.contents])
        chosen, contents, companions = choose_format(bundle, format)
        sizes = resolve_sizes(bundle.images) if wanted.sizes is None and bundle.images else wanted.sizes
        options = replace(wanted, sizes=sizes, companions=companions, images=tuple(bundle.images))
        with suggest_other_format(contents, chosen):
            layout = read_with_sizes(partial(chosen.read, bundle.name, contents), options)
    check_page_count(layout, bundle, wanted.like)
    findings = (*layout.findings, *_find_skipped_files(bundle.name, chosen, contents, companions))
    skipped = {id(content) for content in companions if not is_companion(content)}
    used = [(one.name, digest) for one, digest in zip(bundle.contents, digests.result()) if id(one) not in skipped]
    return replace(layout, findings=findings, sha256=joined_digest(used))


def check_page_count(layout: Layout, bundle: Bundle, like: Layout | None) -> None:
    """Refuse far more pages than the packed files can hold; a file or an image for each page is enough."""
    size = sum(content.stored_size for content in bundle.contents)
    files = len(bundle.contents) + len(bundle.images)
    most = max(limits.PAGES_FLOOR, size // limits.STORED_BYTES_PER_PAGE, files)
    # Pages of the reference layout are already in memory.
    if len(layout.page_columns) > max(most, len(like.page_columns) if like else 0):
        problem = f"{len(layout.page_columns):,} pages, but at most {most:,} can be read from {size:,} bytes"
        raise InputError(bundle.name, "", problem, "Leave out pages without regions, or split it into several files.")


def joined_digest(digests: Sequence[tuple[str, str]]) -> str:
    """The SHA-256 digest of one file; of several, the digest of the lines that `sha256sum` prints for them.

    The lines are sorted by name, and names are relative to the folder of all files. A zip of a folder therefore has the
    same digest as the folder.
    """
    if len(digests) == 1:
        return digests[0][1]
    parts = [PurePosixPath(name.replace("\\", "/")).parts for name, _ in digests]
    folders = sorted(path[:-1] for path in parts)  # what the first and the last have in common, all have
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(folders[0], folders[-1])))
    lines = sorted((str(PurePosixPath(*path[shared:])), digest) for path, (_, digest) in zip(parts, digests))
    text = "".join(f"{digest}  {name}\n" for name, digest in lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def name_in_errors(bundle: Bundle) -> Iterator[None]:
    """Add the name of the folder or archive to an error in one of its files."""
    try:
        yield
    except InputError as error:
        if error.file and error.file != bundle.name:
            place = ", ".join(part for part in (error.file, error.place) if part)
            raise InputError(bundle.name, place, error.problem, error.advice) from None
        raise


@contextmanager
def suggest_other_format(contents: Sequence[FileContent], chosen: Format) -> Iterator[None]:
    """Replace the hint of an error if the file looks like another format than the chosen one."""
    try:
        yield
    except InputError as error:
        found = find_candidates(contents[0]) if len(contents) == 1 and chosen.recognises is not never else []
        if not found or chosen in found:
            raise
        names = " or ".join(format.name for format in found)
        raise InputError(error.file, error.place, error.problem, hints.other_format(names)) from None


def _find_skipped_files(
    file: str, chosen: Format, used: Sequence[FileContent], others: Sequence[FileContent]
) -> list[Finding]:
    """Findings if files of the source are neither annotations of the chosen format nor known companions of them.

    Among the answers of a model, files with the suffix of an answer are answers in which nothing can be read.
    """
    skipped = [content for content in others if not is_companion(content)]
    suffixes = {content.suffix for content in used}
    is_failed = lambda one: chosen.holds == ANSWER and one.suffix in suffixes
    failed, rest = list(filter(is_failed, skipped)), list(filterfalse(is_failed, skipped))
    reasons = {one.name: why for one in rest if (why := why_unread(one, suffixes, used[0]))}
    others_left = [one.name for one in rest if one.name not in reasons]
    findings = []
    if failed:
        names = [one.name for one in failed[:NAMES_SHOWN]]
        findings.append(Finding("failed-answer", len(failed), {"file": file, "names": names}))
    if reasons:
        values = {"file": file, "names": list(reasons)[:NAMES_SHOWN], "why": next(iter(reasons.values()))}
        findings.append(Finding("damaged-file", len(reasons), values))
    if others_left:
        findings.append(Finding("skipped-file", len(others_left), {"file": file, "first": others_left[0]}))
    return findings


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection: decoding creates millions of small objects, and each collection would scan them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
