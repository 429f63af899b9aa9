"""Write one file so that at any moment its place has the old bytes or the new ones, never a part of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from layoutcm.errors import InputError
from layoutcm.outputs.hidden import (
    failures_named,
    left_behind,
    lock_file,
    new_hidden_path,
    remove_hidden,
    sync,
    sync_descriptor,
)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    with open_whole(path) as file:
        file.write(data)


@contextmanager
def open_whole(path: str | os.PathLike[str], sweep: bool = True) -> Iterator[BinaryIO]:
    """Yield a file to write into. It replaces the one at `path` if the block succeeds, and is removed if it fails.

    The bytes go to a hidden file beside it, which takes its name after they have reached the disk. A link stays a link.
    What killed writers of this file have left is removed if `sweep`, for which all names in the folder are looked at.
    """
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
    # The real path of /dev/stdout can be the name of a pipe, which is no path.
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
