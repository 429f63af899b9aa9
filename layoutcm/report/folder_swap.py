"""A report's folder: made beside its place and moved there when it is complete.

A folder is replaced only when everything in it was written by a report; anything else is somebody's and stays.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from layoutcm.errors import InputError, short_repr

# A run that was killed leaves its hidden folder behind; after a day nobody is at work in it any more.
HIDDEN_PREFIX, STALE_SECONDS = "layoutcm-", 24 * 3600
NAME_LETTERS = 40  # of a folder's own name in that of the hidden one


@contextmanager
def replace_folder(folder: str | os.PathLike[str], own_files: re.Pattern[str]) -> Iterator[Path]:
    """An empty folder to write into; it takes the place of `folder` when the block ends well, and vanishes if not.

    `own_files` are the names of all files that a report may have.
    """
    target = Path(folder).resolve()
    try:
        check_target(target, own_files)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_stale(target)
        new = Path(tempfile.mkdtemp(prefix=_hidden_prefix(target), dir=target.parent))
    except OSError as error:
        raise InputError(str(folder), "", f"cannot be written: {error.strerror}", "Choose another place.") from None
    try:
        inside = new / "new"
        inside.mkdir()
        yield inside
        _swap(inside, target, new / "old")
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _hidden_prefix(target: Path) -> str:
    """How the names of hidden folders for this one begin; a name has room for 255 bytes, and more is put behind."""
    return f".{HIDDEN_PREFIX}{target.name[:NAME_LETTERS]}-"


def _remove_stale(target: Path) -> None:
    """Remove what killed runs for this folder have left beside it."""
    for left in target.parent.glob(f"{glob.escape(_hidden_prefix(target))}????????"):
        if left.is_dir() and not left.is_symlink() and time.time() - left.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def check_target(folder: Path, own_files: re.Pattern[str]) -> None:
    """A folder that may be written: none yet, an empty one, or one that holds a report and nothing else."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(str(folder), "", "this is a file, a report needs a folder", "Name a folder.")
    for path in folder.rglob("*"):
        inner = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or _is_report_file(folder, inner, own_files)):
            problem = f"the folder holds {short_repr(inner)}, which no report has written"
            raise InputError(str(folder), "", problem, "Name a new or empty folder, or that of an earlier report.")


def _is_report_file(folder: Path, inner: str, own_files: re.Pattern[str]) -> bool:
    """Whether a file has the name of a report's file and a result stands beside it."""
    known = own_files.fullmatch(inner)
    beside = folder / (known[1] or "") / "result.json" if known else folder
    return beside.is_file() and b'"recipe": "gt:' in beside.read_bytes()[:200]


def _swap(new: Path, target: Path, old: Path) -> None:
    """Put the new folder in the place of the target."""
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except OSError:
        if not target.exists():
            raise
        # A mounted folder cannot be moved, only filled.
        for entry in target.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for entry in new.iterdir():
            shutil.move(str(entry), target / entry.name)
    finally:
        # Stopped between the two steps: the old report is still the whole one.
        if old.exists() and not target.exists():
            old.rename(target)
