"""Write one file: at any moment, its path has the old bytes or the new ones, never a part of them.

An output grows in a hidden file or folder. The next writer of this output removes what killed ones left. A writer holds
a lock as long as it lives, and the system releases the lock of a killed one. A hidden file is its own lock, and a
hidden folder contains one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from layoutcm.errors import InputError, short_repr

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

PREFIX, LOCK = ".layoutcm-", "lock"
NAME_LETTERS = 40  # of the output's name in the hidden one: up to 160 of the 255 bytes that file systems allow
TOKEN_LETTERS = 16  # so many that two writers never choose the same name
# Where a lock says nothing (some network file systems have none), what is older than a day is taken for left behind.
STALE_SECONDS = 24 * 3600
# What fsync and flock answer on file systems that do not have them.
NOT_SUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK, errno.EBADF)


@contextmanager
def failures_named(output: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an error of the system into an InputError that names the output."""
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe, which is not an error
        raise
    except OSError as error:
        # `shutil` puts the reasons into a list.
        reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror or error
        raise InputError(os.fspath(output), "", f"cannot be written: {reason}", "Choose another place.") from None


def hidden_prefix(name: str) -> str:
    """The start of all hidden names for the output `name`; a long name is cut, and a digest keeps it distinct."""
    if len(name) > NAME_LETTERS:
        digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
        name = f"{name[: NAME_LETTERS - 9]}-{digest}"
    return f"{PREFIX}{name}-"


def new_hidden_path(place: Path, name: str) -> Path:
    return place / f"{hidden_prefix(name)}{secrets.token_hex(TOKEN_LETTERS // 2)}"


def _is_hidden_name_for(name: str, entry: str) -> bool:
    """Whether `entry` is a name that `new_hidden_path` or `serialised` gives for the output `name`."""
    return re.fullmatch(re.escape(hidden_prefix(name)) + f"([0-9a-f]{{{TOKEN_LETTERS}}}|{LOCK})", entry) is not None


def lock_file(path: Path, flags: int = 0) -> int | None:
    """Create and lock a file, waiting for another holder. None if it was removed meanwhile: try another name."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    try:
        _flock(descriptor)
        is_there = path.exists() and os.path.samestat(os.fstat(descriptor), os.stat(path))
    except BaseException:
        os.close(descriptor)
        raise
    if not is_there:
        os.close(descriptor)
    return descriptor if is_there else None


def _flock(descriptor: int, wait: bool = True) -> bool | None:
    """Whether the lock was taken; None where locks do not exist."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NOT_SUPPORTED:
            raise
        return None
    return True


@contextmanager
def hidden_folder(place: Path, output: Path, keep_if: str) -> Iterator[Path]:
    """Yield a new hidden folder that is removed at the end, unless it then contains a file named `keep_if`."""
    lock, path = None, place
    try:
        with failures_named(output):
            while lock is None:
                path = new_hidden_path(place, output.name)
                os.mkdir(path, 0o700)
                with suppress(FileNotFoundError):  # removed by a process that took it for left behind
                    lock = lock_file(path / LOCK)
        yield path
    finally:
        try:
            if path != place and not (path / keep_if).exists():
                remove_hidden(path)
        finally:
            if lock is not None:
                os.close(lock)


@contextmanager
def serialised(place: Path, name: str) -> Iterator[None]:
    """Let only one process at a time into the block for this output."""
    path = place / f"{hidden_prefix(name)}{LOCK}"
    lock = None
    while lock is None:
        lock = lock_file(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def left_behind(place: Path, name: str | None) -> Iterator[Path]:
    """Yield the hidden files and folders that killed writers of this output left, and lock them meanwhile.

    None: of all outputs in this folder.
    """
    is_own = lambda entry: entry.startswith(PREFIX) if name is None else _is_hidden_name_for(name, entry)
    with suppress(OSError):
        for path in [place / entry for entry in os.listdir(place) if is_own(entry)]:
            with suppress(OSError), _claimed(path) as is_dead:
                if is_dead:
                    yield path


@contextmanager
def _claimed(path: Path) -> Iterator[bool]:
    """Whether the writer of a hidden file or folder is gone."""
    is_folder = path.is_dir() and not path.is_symlink()
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path / LOCK if is_folder else path, flags)
    except FileNotFoundError:
        # The lock is made first and removed last, so a folder without one is empty. A writer that has just made it
        # then makes another one.
        os.rmdir(path)
        yield False
        return
    try:
        taken = _flock(descriptor, wait=False)
        yield time.time() - path.stat().st_mtime > STALE_SECONDS if taken is None else taken
    finally:
        os.close(descriptor)


def remove_hidden(path: Path) -> None:
    """Remove a hidden file or folder; a second signal (Ctrl-C pressed twice) does not stop this halfway."""
    try:
        _remove(path)
    except BaseException:
        _remove(path)
        raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return
        for entry in path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                entry.unlink(missing_ok=True)
        # Last: a folder without a lock is empty, so `rmdir` alone removes it and never a folder in use.
        if os.listdir(path) == [LOCK]:
            (path / LOCK).unlink()
        path.rmdir()


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file or the list of names in a folder has reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sync_descriptor(descriptor)
    finally:
        os.close(descriptor)


def sync_descriptor(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NOT_SUPPORTED:
            raise


def sync_tree(folder: Path) -> None:
    """Wait until all files in a folder and its folders have reached the disk."""
    for place, _, files in os.walk(folder, topdown=False):
        for name in files:
            sync(os.path.join(place, name))
        sync(place)


def check_is_path(given: object, place: str) -> None:
    """Raise an InputError for what cannot be the name of a file or folder."""
    if not isinstance(given, str | os.PathLike):
        raise InputError("", place, f"{short_repr(given)} is not a path", "Give a text or a pathlib.Path.")


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    with open_whole(path) as file:
        file.write(data)


@contextmanager
def open_whole(path: str | os.PathLike[str], sweep: bool = True) -> Iterator[BinaryIO]:
    """Yield a file to write into. It replaces the one at `path` if the block succeeds, and is removed if it fails.

    The bytes go to a hidden file beside it, which takes its name after they have reached the disk. A link stays a link.
    What killed writers of this file have left is removed if `sweep`, for which all names in the folder are looked at.
    """
    check_is_path(path, "file")
    target = file_target(path)
    with failures_named(path):
        if _is_stream(target):  # it has no bytes that could be lost
            with target.open("wb") as stream:
                yield stream
            return
        for hidden in left_behind(target.parent, target.name) if sweep else ():
            remove_hidden(hidden)
        with _hidden_file(target) as (file, hidden):
            yield file
            file.flush()
            sync_descriptor(file.fileno())
            os.replace(hidden, target)
            sync(target.parent)


def remove_left_behind(folder: str | os.PathLike[str]) -> None:
    """Remove what killed writers have left in a folder, whatever file they were writing."""
    for hidden in left_behind(Path(folder), None):
        remove_hidden(hidden)


def _is_stream(path: Path) -> bool:
    return path.is_char_device() or path.is_fifo()


def file_target(path: str | os.PathLike[str]) -> Path:
    """The path that is written, behind links; an InputError if it cannot be a file."""
    given = Path(path if "\0" not in os.fspath(path) else "")
    # The real path of /dev/stdout can be the name of a pipe, which is not a path.
    target = given if _is_stream(given) else behind_links(given)
    if not target.name or target.is_dir() or target.is_block_device() or target.is_socket():
        raise InputError(os.fspath(path), "", "this is not the name of a file", "Choose another place.")
    return target


def behind_links(path: str | os.PathLike[str]) -> Path:
    """The real path of an output; an InputError if it is a link that leads nowhere."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # behind all links there is none, unless they lead to each other
        raise InputError(os.fspath(path), "", "this is a link that leads back to itself", "Choose another place.")
    return target


@contextmanager
def _hidden_file(target: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a new hidden file beside the target, and its path; it is removed at the end if it still has this name."""
    descriptor, hidden = None, target
    try:
        while descriptor is None:
            hidden = new_hidden_path(target.parent, target.name)
            descriptor = lock_file(hidden, os.O_EXCL)
        with os.fdopen(descriptor, "wb") as file:
            with suppress(OSError):  # a file that others may not read stays so
                os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
            yield file, hidden
    finally:
        if hidden != target:
            remove_hidden(hidden)
