"""Read the files of visitors in other processes, with limits on time and memory.

A file that exceeds a limit, or ends the process, costs its visitor an error message and the others nothing. A few
processes serve all visitors; who comes when they are busy, waits.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import layoutcm
from layoutcm.errors import InputError
from layoutcm.ui.reading_worker import HeldFile, Task, TooMuch
from layoutcm.ui.settings import GB, MB, limits

WORKERS = 2  # processes; one large file leaves the other one to small files
# The largest files that were tried, of 80,000 pages, take 6 s and 1 GB together. A zip of text unpacks to 20 times its
# size. Other programs may slow the machine down.
SECONDS, SECONDS_PER_MB = 60, 1
MEMORY, MEMORY_PER_BYTE = 1 * GB, 30
POLL = 0.1  # seconds between two looks whether the visitor is still there


class Worker:
    """One process, which does one task at a time."""

    def __init__(self) -> None:
        package = str(Path(layoutcm.__file__).parent.parent)
        path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "layoutcm.ui.reading_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the server; the process ends when its input does
        )
        self._thread = ThreadPoolExecutor(1, "guarded-reading")
        self._holds = ""  # the digest of the last file that was sent to be held

    def start(self, task: Task) -> Future[Any]:
        """Send a task; the future has its result, or an error if the process ended."""
        if task.file:
            if task.file.digest == self._holds:
                task = replace(task, file=HeldFile(self._holds, None))
            self._holds = task.file.digest if task.file else ""
        return self._thread.submit(self._exchange, task)

    def _exchange(self, task: Task) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        pickle.dump(task, self.process.stdin, protocol=5)
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._thread.shutdown(wait=True)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


@cache
def _idle_workers() -> LifoQueue[Worker]:
    workers: LifoQueue[Worker] = LifoQueue()
    for _ in range(WORKERS):
        workers.put(Worker())
    atexit.register(stop_workers)
    return workers


def start_workers() -> None:
    """Start the processes now, so that the first visitor does not wait for them."""
    _idle_workers()


def stop_workers() -> None:
    """Stop the processes that do nothing; the others end when their input does."""
    with suppress(Empty):
        while True:
            _idle_workers().get_nowait().stop()


def run_guarded(
    work: Callable[..., Any], *arguments: Any, file: str, size: int, held: tuple[str, bytes] | None = None
) -> Any:
    """The result of work(*arguments), done in a worker; `file` and `size` are the name and the bytes of what it reads.

    `held` is the digest and the content of a file that many calls need; the content becomes the last argument. Raises
    the InputError that `work` raised, or one that says which limit was exceeded.
    """
    memory = min(MEMORY + MEMORY_PER_BYTE * size, limits().reading)
    seconds = SECONDS + SECONDS_PER_MB * size / MB
    worker = _take_worker()
    try:
        future = worker.start(Task(work, arguments, memory, limits().visitor, HeldFile(*held) if held else None))
        reply = _wait_for(future, file, seconds)
    except BaseException:  # also if the visitor has left: nobody needs the result
        worker.stop()
        worker = Worker()
        raise
    finally:
        _idle_workers().put(worker)
    if isinstance(reply, TooMuch):
        raise InputError(file, "", f"reading it takes more than {memory // MB:,} MB of memory", "Split the file.")
    if isinstance(reply, Exception):
        raise reply
    return reply


def _take_worker() -> Worker:
    while True:
        with suppress(Empty):
            return _idle_workers().get(timeout=POLL)
        _stop_if_left()


def _wait_for(future: Future[Any], file: str, seconds: float) -> Any:
    end = time.monotonic() + seconds
    while not wait([future], POLL).done:
        _stop_if_left()
        if time.monotonic() > end:
            raise InputError(file, "", f"reading it takes longer than {seconds:.0f} s", "Split the file.")
    try:
        return future.result()
    except (EOFError, OSError, pickle.UnpicklingError):
        problem = "the process that read it was ended by the file"
        raise InputError(file, "", problem, "It may be damaged: export it again.") from None


def _stop_if_left() -> None:
    """Stop the script of a visitor who has closed the page."""
    context = get_script_run_ctx(suppress_warning=True)
    if context and runtime.exists() and not runtime.get_instance().is_active_session(context.session_id):
        st.stop()
