"""Files a visitor gave: kept by the digest of their content, read and compared once.

Caches are shared by all visitors and bounded. Their keys are digests, so nobody meets the data of another unless
both brought the very same file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from layoutcm.app_server import SETTINGS, app_folder
from layoutcm.comparison import Comparison, compare
from layoutcm.formats import read
from layoutcm.model import Layout

LAYOUTS_KEPT, COMPARISONS_KEPT = 12, 12


@dataclass(frozen=True)
class Input:
    """One file: its name, the digest that stands for its content, and where the content is."""

    name: str
    digest: str
    path: str = ""
    data: bytes = field(default=b"", repr=False)

    @property
    def size(self) -> int:
        return os.path.getsize(self.path) if self.path else len(self.data)

    @property
    def source(self) -> str | tuple[str, bytes]:
        return self.path or (self.name, self.data)


def from_bytes(name: str, data: bytes) -> Input:
    return Input(name, hashlib.blake2b(data, digest_size=16).hexdigest(), data=data)


def from_path(path: Path) -> Input:
    """A file on the server's own disk; its age and size stand for the content, which may be very large."""
    status = path.stat()
    digest = hashlib.blake2b(f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}".encode(), digest_size=16)
    return Input(path.name, digest.hexdigest(), path=str(path))


def settings() -> dict[str, Any]:
    """What the person who started the app allowed: files to open, a data folder, page images."""
    return json.loads(os.environ.get(SETTINGS, "{}"))


def sample_folder() -> Path:
    return app_folder() / "sample_data"


def data_files() -> dict[str, Path]:
    """{name: path} of the files in the folder given with --data; nothing outside it can be named."""
    folder = settings().get("data")
    if not folder:
        return {}
    root = Path(folder)
    found = {str(path.relative_to(root)): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {name: path for name, path in found.items() if path.resolve().is_relative_to(root.resolve())}


def layout_of(given: Input, like: Layout | None = None, like_digest: str = "", sizes: str = "") -> Layout:
    return _layout(given.digest, given.name, like_digest, sizes, given, like)


@st.cache_resource(max_entries=LAYOUTS_KEPT, show_spinner="Reading a file …", show_time=True)
def _layout(digest: str, name: str, like_digest: str, sizes: str, _given: Input, _like: Layout | None) -> Layout:
    width, _, height = sizes.partition("x")
    return read(_given.source, like=_like, sizes=(float(width), float(height)) if sizes else None)


def layouts_of(
    gt: Input, pred: Input, sizes: str = "", tell: Callable[[Input], None] | None = None
) -> tuple[Layout, Layout]:
    """Both sides; `tell` hears of each file before it is read."""
    if tell:
        tell(gt)
    gt_layout = layout_of(gt, sizes=sizes)
    if tell:
        tell(pred)
    return gt_layout, layout_of(pred, gt_layout, gt.digest, sizes)


def comparison_of(gt: Input, pred: Input, options: dict[str, Any], sizes: str = "") -> Comparison:
    """The comparison of two files under some options; options are part of the key."""
    gt_layout, pred_layout = layouts_of(gt, pred, sizes)
    key = json.dumps(options, sort_keys=True)
    return _comparison(gt.digest + pred.digest, gt.name, pred.name, sizes + key, gt_layout, pred_layout)


@st.cache_resource(max_entries=COMPARISONS_KEPT, show_spinner="Comparing all pages …", show_time=True)
def _comparison(digests: str, gt_name: str, pred_name: str, key: str, _gt: Layout, _pred: Layout) -> Comparison:
    options = json.loads(key[key.index("{") :])
    return compare(_gt, _pred, **options)
