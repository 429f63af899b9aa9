"""Compile the kernel once on each host, before parts are counted.

Numba stores compiled code beside the source or in a folder of the user, which several hosts may share; processes that
store at the same time can then read half-written files. So each host has a folder of its own, and a lock lets one
process compile while the others wait and load what it has stored.
"""

from __future__ import annotations

import getpass
import os
import platform
import sys
import tempfile
from pathlib import Path
from threading import Lock
from typing import ClassVar

import numpy as np

from layoutcm.comparison import compare
from layoutcm.compiled import compile_from_now_on
from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import make_layout
from layoutcm.outputs.files import lock_file

FOLDER = "NUMBA_CACHE_DIR"


class _Process:
    """The state of this process: which kernels are ready."""

    ready: ClassVar[set[bool]] = set()  # with or without the code for causes and score curves
    lock = Lock()


def cache_folder() -> Path:
    """The folder for compiled code of this user on this host."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"layoutcm-{user}-{platform.node() or 'host'}"


def prepare_kernel(why: bool = False) -> None:
    """Compile or load the kernel of this process, and with `why` also the code for causes and score curves."""
    with _Process.lock:
        if why in _Process.ready or True in _Process.ready:
            return
        descriptor = _locked(_use_own_folder())
        try:
            _count_two_pages(why)
        finally:
            if descriptor is not None:
                os.close(descriptor)
        _Process.ready.add(why)


def _use_own_folder() -> Path | None:
    """Let numba use the folder of this host, unless the user has chosen one; None if it cannot be written."""
    folder = Path(os.environ.get(FOLDER) or cache_folder())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = folder.stat().st_uid == os.getuid() if hasattr(os, "getuid") else True
    except OSError:
        return None
    if not own:  # code from a folder of another user is not loaded
        return None
    os.environ.setdefault(FOLDER, str(folder))
    if "numba" in sys.modules:  # it has read the environment before
        sys.modules["numba"].config.CACHE_DIR = os.environ[FOLDER]
    return folder


def _locked(folder: Path | None) -> int | None:
    """A lock that is held until the descriptor is closed or the process ends."""
    if folder is None:
        return None
    try:
        return lock_file(folder / "compiling.lock")
    except OSError:
        return None


def _count_two_pages(why: bool) -> None:
    """Compare two small pages with all functions that counting a part needs."""
    compile_from_now_on()
    pages = Pages(("a", "b"), np.full(2, 8.0), np.full(2, 8.0), ("a", "b"), np.full(2, -1, np.int32))
    boxes = np.array([[0.0, 0.0, 4.0, 4.0], [2.0, 2.0, 6.0, 6.0]])
    regions = Regions(np.arange(2, dtype=np.int32), np.arange(2, dtype=np.int32), boxes, np.array([0.5, 0.75]))
    layout = make_layout("small", "test", ["a", "b"], pages, regions)
    comparison = compare(layout, layout, threads=1)
    comparison.page_table()
    comparison.document_table()
    if why:
        comparison.causes()
        comparison.score_curves()
