"""The files of a visitor: identified by the digest of their content, read and compared once.

The caches are bounded and shared by all visitors. Their keys are digests, so a visitor gets a cached result only for
files with exactly the same content.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import streamlit as st

from layoutcm.comparison import Comparison, compare
from layoutcm.formats import read
from layoutcm.formats.source_files import OTHER_SUFFIXES, Source, files_below
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_maps import PageMap, parse_page_map
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.layouts.repairs import repair
from layoutcm.ui.server import SETTINGS, app_folder

LAYOUTS_KEPT, COMPARISONS_KEPT = 12, 12
# A folder with more files is offered only as one layout, not file by file.
FILES_OFFERED = 200


@dataclass(frozen=True)
class InputFile:
    """The input of one layout: its name, the digest of its content, and the content or its path."""

    name: str
    digest: str
    size: int = 0  # bytes
    path: str = ""  # a file or a folder
    data: bytes = field(default=b"", repr=False)
    parts: tuple[InputFile, ...] = ()  # several files

    @property
    def source(self) -> Source:
        return [part._single for part in self.parts] if self.parts else self._single

    @property
    def _single(self) -> str | tuple[str, bytes]:
        """A folder's path, or (name, content) of a file: messages must not show where the server stores a file."""
        if self.path and os.path.isdir(self.path):
            return self.path
        return self.name, read_bytes(self.path) if self.path else self.data


def digest_of(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def input_from_bytes(name: str, data: bytes) -> InputFile:
    return InputFile(name, hashlib.blake2b(data, digest_size=16).hexdigest(), len(data), data=data)


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


def start_settings() -> dict[str, Any]:
    """What the app was started with: files to open, a data folder, a folder of page images."""
    return json.loads(os.environ.get(SETTINGS, "{}"))


def sample_folder() -> Path:
    return app_folder() / "sample_data"


def data_files() -> dict[str, Path]:
    """{name: path} of the files and folders in the folder given with --data, and of nothing outside it."""
    folder = start_settings().get("data")
    return {name: Path(folder, name) for name in _data_names(folder)} if folder else {}


@st.cache_data(ttl=5, max_entries=8, show_spinner="Looking through the data folder …")
def _data_names(folder: str) -> list[str]:
    """Folders first, with a slash at the end; every folder may be one layout."""
    root, ignored = Path(folder), (*IMAGE_SUFFIXES, *OTHER_SUFFIXES)
    found: dict[Path, list[str]] = {}
    for path in files_below(root):
        if path.suffix.lower() not in ignored:
            found.setdefault(path.parent, []).append(path.relative_to(root).as_posix())
    folders = {above for place in found for above in (place, *place.parents) if root in above.parents}
    files = [name for names in found.values() if len(names) <= FILES_OFFERED for name in names]
    return [*sorted(f"{place.relative_to(root).as_posix()}/" for place in folders), *sorted(files)]


class ReadingInputs(NamedTuple):
    """What a layout is read with: its own input, the reference layout and its digest, and a page map."""

    given: InputFile
    like: Layout | None
    like_digest: str
    page_map: InputFile | None


def layout_of(
    given: InputFile,
    like: Layout | None = None,
    like_digest: str = "",
    sizes: str = "",
    repairs: tuple[str, ...] = (),
    page_map: InputFile | None = None,
) -> Layout:
    """The layout of an input, read with a reference layout and a page map, and repaired."""
    reference = like_digest if page_map is None else digest_of([like_digest, page_map.digest, page_map.name])
    inputs = ReadingInputs(given, like, like_digest, page_map)
    return _layout(given.digest, given.name, reference, sizes, repairs, inputs)


@st.cache_resource(max_entries=LAYOUTS_KEPT, show_spinner="Reading a file …", show_time=True)
def _layout(
    digest: str, name: str, reference: str, sizes: str, repairs: tuple[str, ...], _inputs: ReadingInputs
) -> Layout:
    given, like, like_digest, page_map = _inputs
    if repairs:
        return repair(layout_of(given, like, like_digest, sizes, page_map=page_map), repairs)
    width, _, height = sizes.partition("x")
    size = (float(width), float(height)) if sizes else None
    layout = read(given.source, like=like, pages=_parsed(page_map), sizes=size)
    return replace(layout, name=given.name) if given.parts else layout


@dataclass(frozen=True)
class ComparisonRequest:
    """What to compare: two inputs, the page size and repairs to use when reading them, and a page map."""

    gt: InputFile
    pred: InputFile
    sizes: str = ""
    gt_repairs: tuple[str, ...] = ()
    pred_repairs: tuple[str, ...] = ()
    page_map: InputFile | None = None

    @property
    def key(self) -> str:
        """A key for caches."""
        # With names: they appear in recipes and messages, and two files of equal content may have different names.
        given = [(side.digest, side.name) for side in (self.gt, self.pred, self.page_map) if side]
        return json.dumps([given, self.sizes, self.gt_repairs, self.pred_repairs])


def layouts_of(
    request: ComparisonRequest, before_read: Callable[[InputFile], None] | None = None
) -> tuple[Layout, Layout]:
    """The layouts of both sides; `before_read` is called with each input before it is read."""
    if before_read:
        before_read(request.gt)
    gt = layout_of(request.gt, sizes=request.sizes, repairs=request.gt_repairs)
    if before_read:
        before_read(request.pred)
    like_digest = digest_of([request.gt.digest, *request.gt_repairs])  # with repairs, which may rename pages
    return gt, layout_of(request.pred, gt, like_digest, request.sizes, request.pred_repairs, request.page_map)


def _parsed(page_map: InputFile | None) -> PageMap | None:
    return parse_page_map(page_map.name, page_map.data) if page_map else None


def comparison_of(request: ComparisonRequest, options: dict[str, Any]) -> Comparison:
    """The comparison with some options, which are part of its cache key."""
    gt, pred = layouts_of(request)
    key = json.dumps(options, sort_keys=True)
    return _comparison(request.key, key, request.page_map, gt, pred)


@st.cache_resource(max_entries=COMPARISONS_KEPT, show_spinner="Comparing all pages …", show_time=True)
def _comparison(request: str, options: str, _page_map: InputFile | None, _gt: Layout, _pred: Layout) -> Comparison:
    return compare(_gt, _pred, pages=_parsed(_page_map), **json.loads(options))
