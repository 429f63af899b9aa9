"""Layouts of several files as one: pages one after the other, labels by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from layoutcm.formats.content import Content, Options
from layoutcm.layouts.model import Indices, Layout, Pages, Regions, joined_regions, recoded
from layoutcm.layouts.validation import check_pages


def each(read_one: Callable[[Content, Options], Layout]) -> Callable[[str, Sequence[Content], Options], Layout]:
    """A reader of many files from one that makes a layout of a single file."""

    def read(name: str, contents: Sequence[Content], options: Options) -> Layout:
        return join_layouts(name, [read_one(content, options) for content in contents])

    return read


def join_layouts(name: str, parts: Sequence[Layout]) -> Layout:
    """A page may stand in one part only, unless all parts have their pages from the same lender."""
    if len(parts) == 1:
        return parts[0]
    labels: dict[str, int] = {}
    recode = [np.array([labels.setdefault(x, len(labels)) for x in part.labels], np.int32) for part in parts]
    lent = all(part.page_columns is parts[0].page_columns for part in parts)
    starts = np.zeros(len(parts), int) if lent else np.cumsum([0, *(len(part.page_columns) for part in parts[:-1])])
    pages = parts[0].page_columns if lent else _joined_pages(name, parts)
    return replace(
        parts[0],
        name=name,
        labels=list(labels),
        page_columns=pages,
        region_columns=_joined_regions([part.region_columns for part in parts], recode, starts.tolist()),
        dropped=_joined_regions([part.dropped or _none(part) for part in parts], recode, starts.tolist()),
        findings=tuple(finding for part in parts for finding in part.findings),
        keys=parts[0].keys if lent else {},
        # Ids of several files need not mean the same.
        label_keys=parts[0].label_keys if lent else {},
    )


def _joined_pages(name: str, parts: Sequence[Layout]) -> Pages:
    columns = [part.page_columns for part in parts]
    pages = Pages(
        tuple(page for one in columns for page in one.names),
        np.concatenate([one.widths for one in columns]),
        np.concatenate([one.heights for one in columns]),
        tuple(document for one in columns for document in one.documents),
        np.concatenate([one.numbers for one in columns]),
    )
    files = [part.name for part in parts for _ in range(len(part.page_columns))]
    check_pages(name, pages, files.__getitem__)
    return pages


def _none(part: Layout) -> Regions:
    return part.region_columns.take(np.zeros(len(part.region_columns), bool))


def _joined_regions(parts: Sequence[Regions], recode: Sequence[Indices], starts: Sequence[int]) -> Regions:
    columns = [recoded(part, names) for part, names in zip(parts, recode)]
    return joined_regions([replace(one, page=one.page + np.int32(start)) for one, start in zip(columns, starts)])
