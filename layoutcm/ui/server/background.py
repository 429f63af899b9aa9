"""Values that take long on large sets: made in a thread, while the visitor already uses the page.

The place of such a value says what is being done and for how long, and is filled when it is done. A value that another
visitor waits for is the same one: its key contains the digests of the files.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import streamlit as st

from layoutcm.ui.server.visitors import Kept, Key, value_or_error

AT_ONCE = 2  # the library itself uses all cores, but what is short must not wait for what is long
MOST_DONE = 20  # finished values that wait for a visitor
SECONDS_BETWEEN_LOOKS = 1.0


@dataclass(frozen=True)
class _Job:
    future: Future[Any]
    started: float = field(default_factory=time.monotonic)


_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="layoutcm-background")
_jobs: dict[Key, _Job] = {}
_waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
_lock = Lock()


def is_ready(value: Kept[Any, Any], *arguments: Any) -> bool:
    """Whether the value is kept, so that a call returns at once; else it is being made, and this place says so."""
    if value.is_kept(*arguments):
        return True
    key = value.key(*arguments)
    job = _job(key, value, arguments)
    if job.future.done():
        with _lock:
            _jobs.pop(key, None)
        value.keep(job.future.result(), *arguments)
        return True
    _show_waiting(value.spinner, job)
    return False


def _job(key: Key, value: Kept[Any, Any], arguments: tuple[Any, ...]) -> _Job:
    """The job that makes the value; it is started if there is none."""
    with _lock:
        if key not in _jobs:
            done = [old for old, job in _jobs.items() if job.future.done()]
            for old in done[: max(len(done) - MOST_DONE, 0)]:
                del _jobs[old]
            _jobs[key] = _Job(Future())
            _waiting.append((_jobs[key].future, value.make, arguments))
            _threads.submit(_make_newest)
        return _jobs[key]


def _make_newest() -> None:
    """Make what was asked for last: it is on the page that the visitor looks at now."""
    with _lock:
        future, make, arguments = _waiting.pop()
    try:
        future.set_result(value_or_error(make, arguments))
    except BaseException as error:  # the page shows it, as it does for a value that is made at once
        future.set_exception(error)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
def _show_waiting(text: str, job: _Job) -> None:
    """What is being done, and for how long; the page is drawn anew when it is done."""
    if job.future.done():
        st.rerun()
    st.caption(f":material/hourglass_top: {text} {time.monotonic() - job.started:.0f} s")
