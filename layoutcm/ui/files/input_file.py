"""The files that a visitor gives, identified by the digest of their content, and what is read from them.

The functions that read run in another process (`guarded_reading`), so this module does not import Streamlit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.formats import read
from layoutcm.formats.source_files import Source, files_below
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.model import Layout, Regions
from layoutcm.layouts.page_attributes import AttributeTable, add_attributes, parse_attributes
from layoutcm.layouts.page_maps import PageMap, parse_page_map

STORED_FORMAT = "parquet"  # of the layouts in a session file
ROW = np.dtype("<i4")


@dataclass(frozen=True)
class Origin:
    """Where a layout in a session file comes from: the format and the digest of the file that was first read."""

    format: str
    sha256: str | None
    rows: bytes = field(default=b"", repr=False)  # of its regions, see `rows_of`


@dataclass(frozen=True)
class InputFile:
    """The input of one layout: its name, the digest of its content, and the content or its path."""

    name: str
    digest: str
    size: int = 0  # bytes
    path: str = ""  # a file or a folder
    data: bytes = field(default=b"", repr=False)
    parts: tuple[InputFile, ...] = ()  # several files
    origin: Origin | None = None  # if the content is a layout of a session file, in Parquet
    result: bool = False  # a side of a finished comparison of parts (`comparisons`), whose folder is the path

    @property
    def source(self) -> Source:
        return [part._single for part in self.parts] if self.parts else self._single

    @property
    def _single(self) -> str | tuple[str, bytes]:
        """A folder's path, or (name, content) of a file: messages must not show where the server stores a file."""
        if self.path and os.path.isdir(self.path):
            return self.path
        return self.name, read_bytes(self.path) if self.path else self.data


@dataclass(frozen=True)
class LoadedFiles:
    """The files of a session: one gt, one or more preds, and where page images come from."""

    gt: InputFile
    preds: tuple[InputFile, ...]
    images: str = ""  # a folder on the server
    mapping: str = ""  # that the files come with, as text; a visitor's own mapping is a choice
    sizes: str = ""
    page_maps: tuple[tuple[str, InputFile], ...] = ()  # (digest of the prediction, its page map)
    attributes: InputFile | None = None  # of the pages of gt
    truth: bool = True  # of results of parts: whether one side is the truth

    @property
    def is_result(self) -> bool:
        """Whether these are finished comparisons of parts, which are not read as a whole."""
        return self.gt.result


def digest_of(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def input_from_bytes(name: str, data: bytes) -> InputFile:
    return InputFile(name, hashlib.blake2b(data, digest_size=16).hexdigest(), len(data), data=data)


def stored_input(name: str, data: bytes, origin: Origin) -> InputFile:
    """A layout of a session file, under the name of the file that it was first read from."""
    content = hashlib.blake2b(data + origin.rows, digest_size=16).hexdigest()
    digest = digest_of([content, name, origin.format, origin.sha256 or ""])
    return InputFile(name, digest, len(data), data=data, origin=origin)


def input_from_path(path: Path) -> InputFile:
    """A file or folder on the server; the digest uses time and size, because the content may be very large."""
    files = sorted(files_below(path)) if path.is_dir() else [path]
    states = [file.stat() for file in files]
    facts = [f"{file}|{state.st_size}|{state.st_mtime_ns}" for file, state in zip(files, states)]
    return InputFile(
        path.name, digest_of([str(path.resolve()), *facts]), sum(s.st_size for s in states), path=str(path)
    )


def join_inputs(files: list[InputFile]) -> InputFile:
    """Several files as one layout; a single file is returned as it is."""
    if len(files) == 1:
        return files[0]
    digest = digest_of(text for one in files for text in (one.name, one.digest))
    name = f"{PurePosixPath(files[0].name).stem} and {len(files) - 1} more"
    return InputFile(name, digest, sum(one.size for one in files), parts=tuple(files))


def read_layout(
    given: InputFile, like: Layout | None, page_map: InputFile | None, sizes: str, attributes: InputFile | None = None
) -> Layout:
    """The layout of an input, with the attributes of its pages; `sizes` is a page size such as "1025x1025", or ""."""
    if given.origin is not None:  # it was read with all this before it was stored
        layout = read((given.name, given.data), format=STORED_FORMAT)
        layout = replace(with_rows(layout, given.origin.rows), format=given.origin.format, sha256=given.origin.sha256)
        return add_attributes(layout, read_attributes(attributes)) if attributes else layout
    width, _, height = sizes.partition("x")
    size = (float(width), float(height)) if sizes else None
    table = read_attributes(attributes) if attributes else None
    layout = read(given.source, like=like, pages=read_page_map(page_map), sizes=size, attributes=table)
    return replace(layout, name=given.name) if given.parts else layout


def read_page_map(page_map: InputFile | None) -> PageMap | None:
    return parse_page_map(page_map.name, page_map.data) if page_map else None


def read_attributes(attributes: InputFile) -> AttributeTable:
    return parse_attributes(attributes.name, attributes.data)


def rows_of(layout: Layout) -> bytes:
    """int32[regions in page order]: the row of each region; empty if the regions are in page order."""
    page = layout.region_columns.page
    return b"" if (np.diff(page) >= 0).all() else np.argsort(page, kind="stable").astype(ROW).tobytes()


def with_rows(layout: Layout, rows: bytes) -> Layout:
    """The layout with its regions, which are in page order, at these rows."""
    if not rows:
        return layout
    n = len(layout.region_columns)
    row = np.frombuffer(rows, ROW) if len(rows) == n * ROW.itemsize else np.zeros(0, ROW)
    if not np.array_equal(np.sort(row), np.arange(n)):
        raise InputError(layout.name, "", "the rows of its regions are damaged", "Save the session again.")
    return replace(layout, region_columns=_take(layout.region_columns, np.argsort(row)))


def _take(regions: Regions, at: NDArray[np.int64]) -> Regions:
    """The regions at these positions, in this order."""
    position = {old: new for new, old in enumerate(at.tolist())}
    return Regions(
        regions.page[at],
        regions.label[at],
        regions.boxes[at],
        regions.scores[at],
        {position[i]: shape for i, shape in regions.shapes.items()},
        regions.coco.take(at) if regions.coco else None,
        None if regions.ignore is None else regions.ignore[at],
    )
