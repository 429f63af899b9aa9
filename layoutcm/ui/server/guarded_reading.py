"""Read the files of visitors, and make their reports, in other processes with limits on time and memory.

A file that exceeds a limit, or ends the process, gives its visitor an error message and does not affect the others. A
few processes serve all visitors; who comes when they are busy, waits.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import Empty, LifoQueue, Queue
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import layoutcm
from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.server.reading_worker import HeldFile, Progress, Task, TooMuch
from layoutcm.ui.server.settings import GB, MB, limits

WORKERS = 2  # processes; one large file leaves the other one to small files
# The largest files that were tried, of 80,000 pages, take 6 s and 1 GB together. A zip of text unpacks to 20 times its
# size. Other programs may slow the machine down.
SECONDS, SECONDS_PER_MB = 60, 1
MEMORY, MEMORY_PER_BYTE = 1 * GB, 30
TOO_MUCH = "Split it, or use layoutcm on the command line, which has no such limit."
POLL = 0.1  # seconds between two looks whether the visitor is still there

ShowProgress = Callable[[str, float], None]
_first_work: list[Callable[[], None]] = []  # what each new worker does before its first task
_turns: Queue[None] = Queue()
_turns.put(None)


class Worker:
    """One process, which does one task at a time."""

    def __init__(self, first_work: Callable[[], None] | None = None) -> None:
        package = str(Path(layoutcm.__file__).parent.parent)
        path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "layoutcm.ui.server.reading_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the server; the process ends when its input does
        )
        self._thread = ThreadPoolExecutor(1, "guarded-reading")
        self.progress: Progress | None = None
        self._holds = ""  # the digest of the last file that was sent to be held
        if first_work:
            self.start(Task(first_work, (), MEMORY, MEMORY))

    def start(self, task: Task) -> Future[Any]:
        """Send a task; the future has its result, or an error if the process ended."""
        if held := task.file:
            if held.digest == self._holds:
                task = replace(task, file=HeldFile(held.digest, None))
            self._holds = held.digest
        return self._thread.submit(self._exchange, task)

    def _exchange(self, task: Task) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        pickle.dump(task, self.process.stdin, protocol=5)
        self.process.stdin.flush()
        self.progress = None
        while isinstance(reply := pickle.load(self.process.stdout), Progress):
            self.progress = reply
        return reply

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
        workers.put(Worker(*_first_work))
    atexit.register(stop_workers)
    return workers


def start_workers(first_work: Callable[[], None]) -> None:
    """Start the processes before the first visitor comes, and let each do `first_work`, which loads code."""
    _first_work[:] = [first_work]
    _idle_workers()


def stop_workers() -> None:
    """Stop the processes that do nothing; the others end when their input does."""
    with suppress(Empty):
        while True:
            _idle_workers().get_nowait().stop()


def run_guarded(
    work: Callable[..., Any],
    *arguments: Any,
    file: str,
    size: int,
    held: tuple[str, bytes] | None = None,
    show_progress: ShowProgress | None = None,
    parts: int = 1,
) -> Any:
    """The result of work(*arguments), done in a worker; `file` and `size` are the name and the bytes of what it reads.

    `held` is the digest and the content of a file that many calls need; the content becomes the last argument.
    `show_progress` is for work that takes long: it is called with what is being done and the share that is done. Work
    in several `parts`, such as the reports of several predictions, may take as many times as long. Raises
    the InputError that `work` raised, or one that says which limit was exceeded; a TemporaryError if it may work later.
    """
    memory = min(MEMORY + MEMORY_PER_BYTE * size, limits().reading)
    seconds = parts * SECONDS + SECONDS_PER_MB * size / MB
    task = Task(work, arguments, memory, limits().visitor, HeldFile(*held) if held else None)
    with _turn_of_long_work() if show_progress else nullcontext(), _worker() as worker:
        reply = _wait_for(worker.start(task), worker, file, seconds, show_progress)
    if isinstance(reply, TooMuch):
        raise InputError(file, "", f"working on it takes more than {reply.limit // MB:,} MB of memory", TOO_MUCH)
    if isinstance(reply, Exception):
        raise reply
    return reply


@contextmanager
def _worker() -> Iterator[Worker]:
    """A worker, which comes back when the work is done; if the work was not finished, a new worker."""
    worker = _wait_for_item(_idle_workers())
    try:
        yield worker
    except BaseException:  # also if the visitor has left and the result is not needed
        worker.stop()
        worker = Worker(*_first_work)
        raise
    finally:
        _idle_workers().put(worker)


@contextmanager
def _turn_of_long_work() -> Iterator[None]:
    """At most one worker does long work, so that another one is left for reading."""
    turn = _wait_for_item(_turns)
    try:
        yield
    finally:
        _turns.put(turn)


def _wait_for_item(queue: Queue[Any]) -> Any:
    while True:
        with suppress(Empty):
            return queue.get(timeout=POLL)
        _stop_if_left()


def _wait_for(
    future: Future[Any], worker: Worker, file: str, seconds: float, show_progress: ShowProgress | None
) -> Any:
    end, shown = time.monotonic() + seconds, None
    while not wait([future], POLL).done:
        _stop_if_left()
        progress = worker.progress
        if show_progress and progress and progress is not shown:
            show_progress(progress.what, progress.share)
            shown = progress
        if time.monotonic() > end:
            raise TemporaryError(file, "", f"working on it takes longer than {seconds:.0f} s", TOO_MUCH)
    try:
        return future.result()
    except (EOFError, OSError, pickle.UnpicklingError):
        problem = "the process that worked on it ended unexpectedly"
        hint = "Try again. If it happens again, the file may be damaged: export it again."
        raise TemporaryError(file, "", problem, hint) from None


def _stop_if_left() -> None:
    """Stop the script of a visitor who has closed the page."""
    context = get_script_run_ctx(suppress_warning=True)
    if context and runtime.exists() and not runtime.get_instance().is_active_session(context.session_id):
        st.stop()
