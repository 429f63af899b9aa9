"""The command line: arguments and exit codes.

0 success, 1 a bug or a wrong number, 2 bad input or an output that cannot be written, 3 a gate that was not passed.
A signal gives 128 and its number: 129 hang-up (SIGHUP), 130 interrupted (SIGINT), 141 closed output pipe (SIGPIPE),
143 stopped (SIGTERM).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from layoutcm.cli.streams import (
    CLOSED_PIPE,
    Stopped,
    end_at_once_on_signals,
    exit_cleanly_on_signals,
    prepare_streams,
    say,
    settle_output,
)
from layoutcm.errors import InputError, short_repr
from layoutcm.wording import without_control_characters

BAD_INPUT, INTERRUPTED = 2, 130
STOPPED = "layoutcm: stopped"
UNSTORED = (
    "layoutcm: compiled code cannot be stored, so each run takes some seconds more; "
    "set NUMBA_CACHE_DIR to a folder that can be written"
)
# Options of `mallopt` in the C library of most Linux systems. How much freed memory is kept, which blocks are given
# back to the system at once, and how many separate stores of free memory there are.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGEST = 2**31 - 1


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        code = _run_command(arguments)
        sys.stdout.flush()  # here, so that lost output changes the exit code
        return code
    except BrokenPipeError:
        return CLOSED_PIPE  # as of `| head`; a message would disturb
    except KeyboardInterrupt:
        say(STOPPED)
        return INTERRUPTED
    except Exception as error:
        if Stopped.by:  # a library has made an error of its own of it
            say(STOPPED)
            return 128 + Stopped.by
        if isinstance(error, InputError):
            say(f"layoutcm: {without_control_characters(str(error))}")
            return BAD_INPUT
        if isinstance(error, OSError):
            say(f"layoutcm: the output cannot be written: {error.strerror or error}")
            return BAD_INPUT
        raise
    finally:
        settle_output()


def _run_command(arguments: Sequence[str] | None) -> int:
    from layoutcm.cli.arguments import argument_parser
    from layoutcm.cli.file_options import (
        refuse_empty_outputs,
        resolve_file_options,
        resolve_min_score,
        separate_min_scores,
    )
    from layoutcm.compiled import Process

    try:
        given = separate_min_scores(sys.argv[1:] if arguments is None else arguments)
        options = argument_parser().parse_args(given)
    except SystemExit:  # --help and --version have printed, wrong arguments have not
        sys.stdout.flush()
        raise
    refuse_empty_outputs(options)
    resolve_file_options(options)
    resolve_min_score(options)
    code = options.run(options) or 0
    if Process.unstored:
        say(UNSTORED)
    return code


def run() -> None:
    """Entry point of the `layoutcm` command."""
    prepare_streams()
    # Libraries turn an interrupt while they are imported into errors of their own. Nothing is written before.
    with end_at_once_on_signals(STOPPED):
        import layoutcm.cli.arguments  # noqa: F401
    is_server = sys.argv[1:2] == ["app"]
    exit_cleanly_on_signals(is_server)
    if not is_server:
        keep_freed_memory()
    try:
        code = main()
    except Exception as error:  # a bug: a short message instead of a traceback
        if os.environ.get("LAYOUTCM_DEBUG"):
            raise
        say(
            f"layoutcm: internal error: {type(error).__name__}: {short_repr(str(error), 200)}. "
            "This is a bug; set LAYOUTCM_DEBUG=1 to see where."
        )
        sys.exit(1)
    if is_server or "distributed" in sys.modules:  # what ends its processes and their locks must run
        sys.exit(code)
    end_at_once(code)


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
