"""What the server was started with, the memory limits that depend on it, and how much memory values take up.

`request_checks` refuses an upload that is too large.
"""

from __future__ import annotations

import ctypes
import gc
import io
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import layoutcm

SETTINGS = "LAYOUTCM_APP"  # environment variable: the settings, as JSON
MB, GB = 1 << 20, 1 << 30
M_ARENA_MAX = -8  # a constant of the C library
SAMPLED = 64  # items of a container that are measured; the rest are assumed to be similar
UNCOUNTED = (type, ModuleType, FunctionType, MethodType, io.IOBase)


@dataclass(frozen=True)
class Limits:
    """Limits in bytes: for one upload, one visitor, all visitors, and a reading process."""

    upload: int
    visitor: int
    all_visitors: int
    reading: int


# Two files of 80,000 pages have 280 and 90 MB; with their comparison and its objects they take about 1 GB. On one's own
# machine a visitor may use several times that much, and the files of the data folder may be larger than an upload.
# On a public server visitors share the machine.
LOCAL = Limits(upload=1 * GB, visitor=4 * GB, all_visitors=8 * GB, reading=6 * GB)
PUBLIC = Limits(upload=500 * MB, visitor=2 * GB, all_visitors=4 * GB, reading=3 * GB)


def app_folder() -> Path:
    """Where pages, configuration and sample data are: in the package if installed from a wheel, else the repository."""
    package = Path(layoutcm.__file__).parent
    return package / "_app" if (package / "_app" / "pages").exists() else package.parent


def start_settings() -> dict[str, Any]:
    """The settings: files to open, a data folder, a folder of page images, whether the server is public."""
    return json.loads(os.environ.get(SETTINGS, "{}"))


def limits() -> Limits:
    return PUBLIC if start_settings().get("public") else LOCAL


def bytes_of(values: Iterable[object]) -> int:
    """About how many bytes the values take together; what several of them share is counted once."""
    seen: set[int] = set()
    total = 0.0
    todo: list[tuple[Any, float]] = [(value, 1.0) for value in values]
    while todo:
        item, copies = todo.pop()
        if id(item) in seen or isinstance(item, UNCOUNTED):
            continue
        seen.add(id(item))
        total += copies * sys.getsizeof(item)
        parts = _parts(item)
        size = len(parts)
        todo += [(part, copies * max(size / SAMPLED, 1)) for part in islice(parts, SAMPLED)]
    return round(total)


def _parts(item: Any) -> Any:
    """The values inside a value, as a container with a length."""
    if isinstance(item, np.ndarray):
        if item.base is not None:
            return (item.base,)
        return item.ravel() if item.dtype.hasobject else ()
    if isinstance(item, dict):
        if len(item) <= SAMPLED:
            return list(item), list(item.values())
        return tuple(islice(item.items(), SAMPLED)) + (None,) * (len(item) - SAMPLED)  # only the first are looked at
    if isinstance(item, list | tuple | set | frozenset):
        return item
    return tuple(getattr(item, "__dict__", {}).values())


def limit_malloc_arenas() -> None:
    """Let all threads allocate from two arenas. Otherwise each run gets its own and never returns unused memory."""
    with suppress(OSError, AttributeError):  # only the C library of Linux has it
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 2)


def collect_and_trim_memory() -> None:
    """Collect garbage, and give freed memory back to the system."""
    gc.collect()
    trim_memory()


def trim_memory() -> None:
    """Give memory already freed back to the system, which Python and Arrow do not do by themselves."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):  # only the C library of Linux has it
        ctypes.CDLL("libc.so.6").malloc_trim(0)
