"""Join the layouts of several files into one, for formats that are read file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from layoutcm.formats.annotators import UnknownAnnotator, others_found, unknown_annotator
from layoutcm.formats.content import FileContent, Options
from layoutcm.layouts.model import (
    Indices,
    Layout,
    Pages,
    Regions,
    concatenate_pages,
    concatenate_regions,
    recode_labels,
)
from layoutcm.layouts.validation import check_pages


def reader_by_file(
    read_one: Callable[[FileContent, Options], Layout],
) -> Callable[[str, Sequence[FileContent], Options], Layout]:
    """Make a reader of many files from a function that returns the layout of a single file."""

    def read(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
        if options.annotator is None or len(contents) == 1:
            return join_layouts(name, [read_one(content, options) for content in contents])
        return join_layouts(name, _parts_of_annotator(name, contents, options, read_one))

    return read


def _parts_of_annotator(
    name: str, contents: Sequence[FileContent], options: Options, read_one: Callable[[FileContent, Options], Layout]
) -> list[Layout]:
    """The layout of each file; a file without this annotator has its pages and no regions."""
    parts: list[Layout] = []
    missing: list[UnknownAnnotator] = []
    for content in contents:
        try:
            parts.append(read_one(content, options))
        except UnknownAnnotator as error:
            missing.append(error)
            part = read_one(content, replace(options, annotator=None))
            parts.append(_without_regions(part, options.annotator or ""))
    if len(missing) == len(contents):
        raise unknown_annotator(name, options.annotator or "", list(_union(one.known for one in missing)))
    return parts


def _without_regions(part: Layout, annotator: str) -> Layout:
    """The layout of a file in which the annotator has no regions: its pages only."""
    findings = tuple(one for one in part.findings if one.code != "other-annotators")
    kept = replace(part, region_columns=_no_regions(part), dropped=None, ignore_areas=None)
    return replace(kept, annotator=annotator, findings=findings)


def _union(names: Iterable[Sequence[str]]) -> dict[str, None]:
    """All names in order of their first occurrence."""
    return dict.fromkeys(name for some in names for name in some)


def join_layouts(name: str, parts: Sequence[Layout]) -> Layout:
    """Join the layouts of several files. A page may occur in one of them only, unless all share the reference pages."""
    if len(parts) == 1:
        return parts[0]
    labels: dict[str, int] = {}
    recode = [np.array([labels.setdefault(x, len(labels)) for x in part.labels], np.int32) for part in parts]
    shared = all(part.page_columns is parts[0].page_columns for part in parts)
    starts = np.zeros(len(parts), int) if shared else np.cumsum([0, *(len(part.page_columns) for part in parts[:-1])])
    pages = parts[0].page_columns if shared else _concatenate_pages(name, parts)
    annotators = {part.annotator for part in parts if part.annotator}
    joined = replace(
        parts[0],
        name=name,
        labels=list(labels),
        page_columns=pages,
        region_columns=_concatenate_recoded([part.region_columns for part in parts], recode, starts.tolist()),
        dropped=_concatenate_recoded([part.dropped or _no_regions(part) for part in parts], recode, starts.tolist()),
        ignore_areas=_concatenate_areas(parts, starts.tolist()),
        # Parts of one stored layout all have its findings.
        findings=tuple(dict.fromkeys(finding for part in parts for finding in part.findings)),
        annotator=annotators.pop() if len(annotators) == 1 else "",
        annotators=tuple(_union(part.annotators for part in parts)),
    )
    if len(joined.annotators) > 1 and not joined.annotator:
        joined = replace(joined, findings=(*joined.findings, *others_found(name, "", joined.annotators)))
    # The same id may have different meanings in different files.
    return joined if shared else replace(joined, keys={}, label_keys={})


def _concatenate_pages(name: str, parts: Sequence[Layout]) -> Pages:
    pages = concatenate_pages([part.page_columns for part in parts])
    files = [part.name for part in parts for _ in range(len(part.page_columns))]
    check_pages(name, pages, files.__getitem__)
    return pages


def _no_regions(part: Layout) -> Regions:
    return part.region_columns.take(np.zeros(len(part.region_columns), bool))


def _concatenate_recoded(parts: Sequence[Regions], recode: Sequence[Indices], starts: Sequence[int]) -> Regions:
    columns = [recode_labels(part, names) for part, names in zip(parts, recode)]
    return concatenate_regions([replace(one, page=one.page + np.int32(start)) for one, start in zip(columns, starts)])


def _concatenate_areas(parts: Sequence[Layout], starts: Sequence[int]) -> Regions | None:
    """The ignore areas of all parts, which have no label."""
    areas = [
        replace(part.ignore_areas, page=part.ignore_areas.page + np.int32(start))
        for part, start in zip(parts, starts)
        if part.ignore_areas is not None
    ]
    return concatenate_regions(areas) if areas else None
