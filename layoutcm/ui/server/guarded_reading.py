"""Read the files of visitors, and make their reports, in other processes with limits on time and memory.

A file that exceeds a limit, or ends the process, gives its visitor an error message and does not affect the others. A
few processes serve all visitors. Of the visitors who wait, the one who has used the least time is next. A task that
takes long needs a place of its own, of which there are few, so files that are read quickly do not wait for it.
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
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Condition, Lock
from typing import Any, ClassVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import layoutcm
from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.server import visitors
from layoutcm.ui.server.reading_worker import HeldFile, Progress, Task, TooMuch
from layoutcm.ui.server.settings import GB, MB, limits

QUICK, LONG = 2, 2  # tasks at once
WORKERS = QUICK + LONG  # processes
# A task is long after so much processor time, or so much time by the clock: the machine may be busy.
SECONDS_UNTIL_LONG, SECONDS_BY_THE_CLOCK = 2.0, 10.0
NICE = 5  # the server answers first: it has the visitors whose files are read already
# The largest files that were tried, of 80,000 pages, take 6 s and 1 GB together. A zip of text unpacks to 20 times its
# size. Other programs may slow the machine down.
SECONDS, SECONDS_PER_MB = 60, 1
MEMORY, MEMORY_PER_BYTE = 1 * GB, 30
TOO_MUCH = "Split it, or use layoutcm on the command line, which has no such limit."
POLL = 0.1  # seconds between two looks whether the visitor is still there

ShowProgress = Callable[[str, float], None]
_first_work: list[Callable[[], None]] = []  # what each new worker does before its first task
_start = Lock()
_long_work = Lock()  # at most one report or recount at once, so a place is left for reading large files


class Turns:
    """Places for tasks. A free one goes to the waiting visitor who has used the fewest seconds of all places."""

    _used: ClassVar[dict[str, float]] = {}  # session -> seconds
    _changed: ClassVar[Condition] = Condition()

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[int, str]] = []  # number, session
        self._numbers = count()

    @contextmanager
    def place(self, session: str) -> Iterator[None]:
        """Wait for a place, and keep it; the script of a visitor who leaves meanwhile stops."""
        ticket = (next(self._numbers), session)
        with self._changed:
            self._waiting.append(ticket)
        try:
            while not self._take(ticket):
                _stop_if_left()
        except BaseException:
            with self._changed:
                self._waiting.remove(ticket)
            raise
        with self._kept(session):
            yield

    def _take(self, ticket: tuple[int, str]) -> bool:
        with self._changed:
            if not self._is_next(ticket):
                self._changed.wait(POLL)
            if not self._is_next(ticket):
                return False
            self._waiting.remove(ticket)
            self._free -= 1
            return True

    def _is_next(self, ticket: tuple[int, str]) -> bool:
        return self._free > 0 and ticket == min(self._waiting, key=lambda one: (self._used.get(one[1], 0.0), one[0]))

    @contextmanager
    def place_at_once(self, session: str) -> Iterator[bool]:
        """Take a place if one is free and nobody waits for it; whether it was."""
        with self._changed:
            found = self._free > 0 and not self._waiting
            self._free -= found
        with self._kept(session) if found else nullcontext():
            yield found

    @contextmanager
    def _kept(self, session: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                if session:  # what is done outside of a session, such as pictures, is not counted
                    self._used[session] = self._used.get(session, 0.0) + time.monotonic() - start
                self._free += 1
                self._changed.notify_all()

    @classmethod
    def forget(cls, session: str) -> None:
        cls._used.pop(session, None)


class _TakesLongError(Exception):
    """Ends a long task that has the place of a quick one."""


_quick, _long = Turns(QUICK), Turns(LONG)
visitors.call_when_forgotten(Turns.forget)


class Worker:
    """One process, which does one task at a time."""

    def __init__(self, first_work: Callable[[], object] = int) -> None:
        package = str(Path(layoutcm.__file__).parent.parent)
        path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "layoutcm.ui.server.reading_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the server; the process ends when its input does
        )
        with suppress(AttributeError, OSError):  # not on Windows
            os.setpriority(os.PRIO_PROCESS, self.process.pid, NICE)
        self._thread = ThreadPoolExecutor(1, "guarded-reading")
        self.progress: Progress | None = None
        self._holds = ""  # the digest of the last file that was sent to be held
        self.start(Task(first_work, (), MEMORY, MEMORY))  # its time, and that of the start, is not that of a task

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

    def seconds(self) -> float:
        """The processor time of the process until now; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._thread.shutdown(wait=True)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


def _idle_workers() -> LifoQueue[Worker]:
    with _start:  # two visitors who come first must not start the processes twice
        return _started_workers()


@cache
def _started_workers() -> LifoQueue[Worker]:
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
    reply = _long_reply(task, file, seconds, show_progress) if show_progress else _quick_reply(task, file, seconds)
    if isinstance(reply, TooMuch):
        raise InputError(file, "", f"working on it takes more than {reply.limit // MB:,} MB of memory", TOO_MUCH)
    if isinstance(reply, Exception):
        raise reply
    return reply


def _quick_reply(task: Task, file: str, seconds: float) -> Any:
    """The reply to a task that may be quick; it goes on in a place for long tasks, or starts again when one is free."""
    session = visitors.session_id()
    with suppress(_TakesLongError), ExitStack() as long, ExitStack() as quick:
        quick.enter_context(_quick.place(session))

        def move() -> None:
            if not long.enter_context(_long.place_at_once(session)):
                raise _TakesLongError
            quick.close()

        with _worker() as worker:
            return _wait_for(worker.start(task), worker, file, seconds, move=move)
    return _long_reply(task, file, seconds)


def _long_reply(task: Task, file: str, seconds: float, show_progress: ShowProgress | None = None) -> Any:
    lock = _lock_of_long_work() if show_progress else nullcontext()
    with lock, _long.place(visitors.session_id()), _worker() as worker:
        return _wait_for(worker.start(task), worker, file, seconds, show_progress)


@contextmanager
def _worker() -> Iterator[Worker]:
    """A worker, which comes back when the work is done; if the work was not finished, a new worker."""
    worker = _idle_worker()
    try:
        yield worker
    except BaseException:  # also if the visitor has left and the result is not needed
        worker.stop()
        worker = Worker(*_first_work)
        raise
    finally:
        _idle_workers().put(worker)


@contextmanager
def _lock_of_long_work() -> Iterator[None]:
    while not _long_work.acquire(timeout=POLL):
        _stop_if_left()
    try:
        yield
    finally:
        _long_work.release()


def _idle_worker() -> Worker:
    """A worker, as soon as one has nothing to do."""
    while True:
        with suppress(Empty):
            return _idle_workers().get(timeout=POLL)
        _stop_if_left()


def _wait_for(
    future: Future[Any],
    worker: Worker,
    file: str,
    seconds: float,
    show_progress: ShowProgress | None = None,
    move: Callable[[], None] | None = None,
) -> Any:
    """The reply of the worker; `move` is called once, when the task takes long."""
    end, shown, began = time.monotonic() + seconds, None, None
    while not wait([future], POLL).done:
        _stop_if_left()
        if began is None and future.running():
            began = time.monotonic(), worker.seconds()
        if move and began and _takes_long(began, worker):
            move()
            move = None
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


def _takes_long(began: tuple[float, float], worker: Worker) -> bool:
    """Whether a task is long that began at this time, when the worker had used so many seconds."""
    by_the_clock = time.monotonic() - began[0]
    return worker.seconds() - began[1] > SECONDS_UNTIL_LONG or by_the_clock > SECONDS_BY_THE_CLOCK


def _stop_if_left() -> None:
    """Stop the script of a visitor who has closed the page."""
    context = get_script_run_ctx(suppress_warning=True)
    if context and runtime.exists() and not runtime.get_instance().is_active_session(context.session_id):
        st.stop()
