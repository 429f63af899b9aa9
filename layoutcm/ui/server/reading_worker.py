"""The process that works for `guarded_reading`: it takes tasks from its standard input and writes the results.

Run as `python -m layoutcm.ui.server.reading_worker`. A task that needs too much memory ends with an error; the process
goes on.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from layoutcm.errors import InputError
from layoutcm.ui.server.settings import bytes_of, collect_and_trim_memory

_held: dict[str, bytes] = {}
_outputs: list[BinaryIO] = []


@dataclass(frozen=True)
class Task:
    """A function, its arguments, and its limits in bytes: memory while it works, and the size of its result."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    memory: int
    result: int
    file: HeldFile | None = None


@dataclass(frozen=True)
class HeldFile:
    """A file whose bytes are the last argument of many tasks; they are sent once, and then held for the next task."""

    digest: str
    data: bytes | None


@dataclass(frozen=True)
class Progress:
    """Sent before the result of a long task: what is being done, and the share that is done."""

    what: str
    share: float


@dataclass(frozen=True)
class TooMuch:
    """The reply if a task needed too much memory, or its result was too large."""

    limit: int  # the bytes that were exceeded


def run_task(task: Task) -> Any:
    """The result of a task, or the exception that it raised."""
    try:
        _limit_memory(task.memory)
        result = task.work(*task.arguments, *_held_bytes(task.file))
        return TooMuch(task.result) if bytes_of([result]) > task.result else result
    except MemoryError:
        return TooMuch(task.memory)
    except InputError as error:
        return InputError(error.file, error.place, error.problem, error.advice)  # without traceback and cause
    except Exception as error:
        return RuntimeError(f"{type(error).__name__}: {error}"[:1000])
    finally:
        _limit_memory(None)


def _held_bytes(file: HeldFile | None) -> tuple[bytes, ...]:
    """The bytes of the file, now or from an earlier task; they stay until another file comes."""
    if file is None:
        return ()
    if file.data is not None:
        _held.clear()
        _held[file.digest] = file.data
    return (_held[file.digest],)


def _limit_memory(more: int | None) -> None:
    """Allow this many bytes more than now, or with None as many as the system allows; works only on Linux."""
    try:
        import resource

        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    limited = most if more is None else now + more
    if most != resource.RLIM_INFINITY:
        limited = min(limited, most)
    resource.setrlimit(resource.RLIMIT_AS, (limited, most))


def note_progress(what: str, share: float) -> None:
    """For long tasks: tell the server how far they are."""
    for results in _outputs:
        _send(Progress(what, share), results)


def _send(reply: object, results: BinaryIO) -> None:
    pickle.dump(reply, results, protocol=5)  # large arrays are not copied before they are written
    results.flush()


def work_on(tasks: BinaryIO, results: BinaryIO) -> None:
    """Work on tasks until the input ends, which it does when the server ends."""
    _outputs.append(results)
    while True:
        try:
            task = pickle.load(tasks)
        except EOFError:
            return
        result = run_task(task)
        _send(result, results)
        del task, result
        collect_and_trim_memory()


def main() -> None:
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints must not disturb the results
    work_on(sys.stdin.buffer, results)


if __name__ == "__main__":
    # As `layoutcm.ui.server.reading_worker`, the name under which the server sends a Task, not as `__main__`.
    from layoutcm.ui.server import reading_worker

    reading_worker.main()
