"""Functions that numba compiles, or that Python runs as they are while there is little work for them.

Loading numba takes half a second, and compiling takes several more, once on a machine. Python has counted some dozens
of pages before that. Both run the same functions and get the same numbers.
"""

from __future__ import annotations

import hashlib
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
    """Load numba also for little work: a server has the time for it before its first visitor has files."""
    expect_steps(MOST_STEPS + 1)


class Compiled:
    """A function that Python code calls. It is compiled at its first call, or at the first with many steps.

    `steps` estimates from the arguments how many steps Python needs.
    """

    def __init__(self, function: Callable, steps: Callable[..., int] | None = None) -> None:
        self.py_func, self.steps = function, steps
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        if self.steps is not None and not expect_steps(self.steps(*arguments)):
            return self.run_in_python(*arguments)
        try:
            return self._dispatcher(*arguments)
        except OSError:  # of numba, before the call: it cannot store what it has compiled
            Process.unstored = True
            self._dispatcher = _with_numba(self.py_func)
            return self._dispatcher(*arguments)

    def run_in_python(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):  # compiled integers do not warn either
            return self.py_func(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Numba asks for it, so compiled functions can call this one, too."""
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

    Numba looks for `py_func`, `targetoptions` and `_numba_type_` at what compiled functions call.
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
    """A digest of the names of all modules: compiled code that is stored names modules of the functions it calls."""
    folder = Path(__file__).parent
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def _with_numba(function: Callable, **options: Any) -> Any:
    from numba import njit

    made = njit(nogil=True, **options)(function)
    if options.get("cache"):
        # Numba reads what is stored only if it has this version. What names other modules could not be read.
        made._cache._cache_file._version += modules_digest()
    return made


def compiled(function: Callable) -> Compiled:
    return Compiled(function)


def compiled_for_many(steps: Callable[..., int]) -> Callable[[Callable], Compiled]:
    """As `compiled`, but Python runs the function itself while `steps` of its arguments are few."""
    return lambda function: Compiled(function, steps)


def compiled_part(function: Callable) -> Part:
    """A part that Python code does not call while it is compiled, so it compiles sooner."""
    return Part(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def compiled_part_inlined(function: Callable) -> Part:
    """A compiled part that is copied to where it is called, after it was compiled."""
    return Part(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def inlined(function: Callable) -> Part:
    """A part that is copied to where it is called before that is compiled: for small functions called very often."""
    return Part(function, inline="always")


def to_records(array: NDArray[Any]) -> list[SimpleNamespace]:
    """The records of an array as objects: Python finds the fields of these by a dot, as compiled functions do."""
    names = array.dtype.names or ()
    return [SimpleNamespace(**dict(zip(names, row))) for row in array.tolist()]


def zero_records(size: int, dtype: np.dtype) -> list[SimpleNamespace]:
    return to_records(np.zeros(size, dtype))
