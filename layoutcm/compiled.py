"""Decorators for functions that numba compiles; Python runs them uncompiled while there is little work.

Loading numba takes half a second, and compiling takes several more, once on a machine. In that time, plain Python
counts several dozen pages. Both run the same functions and get the same numbers.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A step takes Python about a microsecond; numba is loaded when a process has more of them to do than this.
MOST_STEPS = 1_000_000
DIGEST = 32  # bytes of the digest at the start of a stored file


class Process:
    """The state of this process: how much its functions have done so far."""

    steps = 0  # of functions that may run without numba
    unstored = False  # numba has compiled something and could not store it for later runs
    lock = Lock()


def expect_steps(steps: int) -> bool:
    """Add steps of this process, and return whether there are enough of them to load numba."""
    Process.steps += steps
    return Process.steps > MOST_STEPS


def compile_from_now_on() -> None:
    """Load numba even if there is little work: a server has time for it before the first visitor opens files."""
    expect_steps(MOST_STEPS + 1)


class Compiled:
    """A function that Python code calls. It is compiled at its first call.

    `steps` estimates from the arguments how many steps Python needs. If it is given, the function is compiled once
    enough steps have added up in this process.
    """

    def __init__(self, function: Callable, steps: Callable[..., int] | None = None) -> None:
        self.py_func, self.steps = function, steps
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        if self.steps is not None and not expect_steps(self.steps(*arguments)):
            return self.run_in_python(*arguments)
        try:
            return self._dispatcher(*arguments)
        except OSError:  # numba could not write its cache; the function has not run yet
            Process.unstored = True
            self._dispatcher = _with_numba(self.py_func)
            return self._dispatcher(*arguments)

    def run_in_python(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):  # compiled integers do not warn either
            return self.py_func(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Numba reads this, so compiled functions can call this one."""
        return self._dispatcher._numba_type_

    @cached_property
    def _dispatcher(self) -> Any:
        with Process.lock:
            try:
                return _with_numba(self.py_func, cache=True)
            except RuntimeError:  # there is no folder that numba can write to
                Process.unstored = True
                return _with_numba(self.py_func)


class Part:
    """A function that compiled functions call. Functions that run in Python call it in Python.

    Numba looks for `py_func`, `targetoptions` and `_numba_type_` on the functions that compiled code calls.
    """

    def __init__(self, function: Callable, **options: Any) -> None:
        self.py_func, self.targetoptions = function, options
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)

    @property
    def _numba_type_(self) -> Any:
        return self._dispatcher._numba_type_

    @cached_property
    def _dispatcher(self) -> Any:
        return _with_numba(self.py_func, **self.targetoptions)


@cache
def modules_digest() -> str:
    """A digest of the names of all modules, because cached machine code refers to modules by name."""
    folder = Path(__file__).parent
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def _with_numba(function: Callable, **options: Any) -> Any:
    from numba import njit

    made = njit(nogil=True, **options)(function)
    if options.get("cache"):
        stored = made._cache
        file = _checked_files()(stored.cache_path, stored._impl.filename_base, stored._cache_file._source_stamp)
        stored._cache_file = file
        # Numba ignores a cache of another version. A cache that refers to renamed modules could not be loaded.
        file._version += modules_digest()
    return made


@cache
def _checked_files() -> Any:
    """Numba's class for the files of a cache, with a digest in each: damaged code is compiled again, and never run."""
    from numba.core.caching import IndexDataCacheFile

    class CheckedFiles(IndexDataCacheFile):
        def _load_index(self) -> Any:
            version, stamp, overloads = self._read(self._index_path) or (None, None, {})
            return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

        def _save_index(self, overloads: Any) -> None:
            self._write(self._index_path, (self._version, self._source_stamp, overloads))

        def _load_data(self, name: str) -> Any:
            return self._read(self._data_path(name))

        def _save_data(self, name: str, data: Any) -> None:
            self._write(self._data_path(name), data)

        def _read(self, path: str) -> Any:
            """What is stored there; None, as if it were not, if there is nothing, or if it is damaged."""
            try:
                stored = Path(path).read_bytes()
            except FileNotFoundError:
                return None
            if hashlib.blake2b(stored[DIGEST:], digest_size=DIGEST).digest() == stored[:DIGEST]:
                return pickle.loads(stored[DIGEST:])
            Path(path).unlink(missing_ok=True)
            return None

        def _write(self, path: str, value: Any) -> None:
            data = self._dump(value)
            with self._open_for_write(path) as file:
                file.write(hashlib.blake2b(data, digest_size=DIGEST).digest() + data)

    return CheckedFiles


def compiled(function: Callable) -> Compiled:
    return Compiled(function)


def compiled_for_many(steps: Callable[..., int]) -> Callable[[Callable], Compiled]:
    """Like `compiled`, but Python runs the function uncompiled while `steps(*arguments)` add up to little."""
    return lambda function: Compiled(function, steps)


def compiled_part(function: Callable) -> Part:
    """A helper that only compiled code calls; without an entry point for Python it compiles faster."""
    return Part(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def compiled_part_inlined(function: Callable) -> Part:
    """A compiled part that is inlined into its callers after it was compiled."""
    return Part(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def inlined(function: Callable) -> Part:
    """A part that is inlined into its caller before the caller is compiled: for small functions called very often."""
    return Part(function, inline="always")


def to_records(array: NDArray[Any]) -> list[SimpleNamespace]:
    """The records of an array as objects, so Python can read fields as attributes, as compiled functions do."""
    names = array.dtype.names or ()
    return [SimpleNamespace(**dict(zip(names, row))) for row in array.tolist()]
