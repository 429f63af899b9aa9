"""The process of a command that reads, computes and ends: how it keeps its memory, and how it ends."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import NoReturn

# Options of `mallopt` in the C library of most Linux systems. How much freed memory is kept, which blocks are given
# back to the system at once, and how many separate stores of free memory there are.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGEST = 2**31 - 1


def keep_freed_memory() -> None:
    """Use freed memory again instead of giving it back to the system, in one store for all threads.

    The system clears all memory that it hands out. With 80,000 pages, that takes a quarter of the time, and several
    stores need more memory. Not for a server: it would keep what its largest visitor needed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for option, value in ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, LARGEST), (M_TRIM_THRESHOLD, LARGEST)):
            mallopt(option, value)


def end_at_once(code: int) -> NoReturn:
    """End the process. Python would look at every object first and free it, which the system does faster."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
