"""The standard streams and the signals of a command: closed streams, lost output, signals that stop it."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Timer
from types import FrameType
from typing import IO, NoReturn

# As shells report a signal: 128 plus its number. Windows has no SIGPIPE.
CLOSED_PIPE = 128 + getattr(signal, "SIGPIPE", 13)
SECONDS_TO_REPEAT = 0.01


def prepare_streams() -> None:
    """Make the standard streams usable, whether they are open or closed.

    What is written to a closed standard error is dropped. Writing to a closed standard output is an error, because what
    the command has to say would be lost.
    """
    for number in range(3):
        with suppress(OSError):
            os.fstat(number)
            continue
        os.open(os.devnull, os.O_RDONLY)  # occupies the descriptor, which a report file could otherwise get
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED, Python treats a partial write as complete when a pipe is closed.
        sys.stdout = os.fdopen(sys.stdout.fileno(), "w", encoding=sys.stdout.encoding, closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the terminal cannot show become ?


def exit_cleanly_on_signals(is_server: bool = False) -> None:
    """Make termination signals raise SystemExit, so unfinished output is cleaned up.

    A server has an event loop, which ends itself when it is interrupted.
    """
    for number in _signals_that_stop():
        if not (is_server and number == signal.SIGINT):
            signal.signal(number, _stop)
    sys.unraisablehook = partial(_repeat_lost_signal, sys.unraisablehook)


class Stopped:
    """The signal that this process was stopped by, or 0."""

    by = 0


def _signals_that_stop() -> list[signal.Signals]:
    """Those that are not ignored: `nohup` ignores SIGHUP, a shell ignores SIGINT for commands in the background."""
    numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    usual = (signal.SIG_DFL, signal.default_int_handler)
    return [number for number in numbers if number is not None and signal.getsignal(number) in usual]


def _stop(number: int, _: FrameType | None) -> None:
    Stopped.by = number
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _repeat_lost_signal(usual: Callable[[sys.UnraisableHookArgs], object], lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again if Python drops its exception: in a callback of a weak reference, and where objects end."""
    if not (Stopped.by and isinstance(lost.exc_value, KeyboardInterrupt | SystemExit)):
        usual(lost)
        return
    # Later and from another thread: here, it would be dropped again.
    timer = Timer(SECONDS_TO_REPEAT, os.kill, (os.getpid(), Stopped.by))
    timer.daemon = True
    timer.start()


@contextmanager
def end_at_once_on_signals(text: str) -> Iterator[None]:
    """End the process at once if it is told to stop in the block; an interrupt is answered with a text."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        if number == signal.SIGINT:
            say(text)
        os._exit(128 + number)

    usual = {number: signal.getsignal(number) for number in _signals_that_stop()}
    try:
        for number in usual:
            signal.signal(number, end)
        yield
    finally:
        for number, old in usual.items():
            signal.signal(number, old)


def say(text: str) -> None:
    """Write a message to standard error, if it can be written."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def settle_output() -> None:
    """Flush standard output, or discard it; otherwise Python tries again at exit and reports an error."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop(sys.stdout)


def _drop(stream: IO[str]) -> None:
    with suppress(OSError):  # a test's stream has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_output(content: bytes, target: str) -> None:
    """Write text in UTF-8 to a file, or to standard output for "-"."""
    from layoutcm.outputs.files import write_whole

    if target == "-":
        print(content.decode("utf-8"), end="")
    else:
        write_whole(target, content)
