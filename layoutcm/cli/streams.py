"""The standard streams and the signals of a command: closed streams, lost output, signals that stop it."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import IO

from layoutcm.outputs.files import write_whole

# As shells report a signal: 128 plus its number. Windows has no SIGPIPE.
CLOSED_PIPE = 128 + getattr(signal, "SIGPIPE", 13)


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


def exit_cleanly_on_signals() -> None:
    """Make termination signals raise SystemExit, so unfinished output is cleaned up."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # `nohup` ignores SIGHUP
            signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


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
    if target == "-":
        print(content.decode("utf-8"), end="")
    else:
        write_whole(target, content)
