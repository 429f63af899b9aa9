"""Replace the folder of a report in one step: write a hidden folder next to it, then move it into place.

An existing folder is replaced only if all its files were written by a report.
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

# A killed run leaves its hidden folder behind; one that is older than a day is removed.
HIDDEN_PREFIX, STALE_SECONDS = "layoutcm-", 24 * 3600
NAME_LETTERS = 40  # characters of the folder name used in the name of the hidden folder


@contextmanager
def replace_folder(folder: str | os.PathLike[str], own_files: re.Pattern[str]) -> Iterator[Path]:
    """Yield an empty folder to write into; it replaces `folder` if the block succeeds and is deleted if it fails.

    `own_files` matches the names of all files that a report can have.
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
    """The start of the name of the hidden folder, shortened because file systems allow 255 bytes in total."""
    return f".{HIDDEN_PREFIX}{target.name[:NAME_LETTERS]}-"


def _remove_stale(target: Path) -> None:
    """Remove hidden folders that killed runs for this folder have left next to it."""
    for stale in target.parent.glob(f"{glob.escape(_hidden_prefix(target))}????????"):
        if stale.is_dir() and not stale.is_symlink() and time.time() - stale.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(stale, ignore_errors=True)


def check_target(folder: Path, own_files: re.Pattern[str]) -> None:
    """Raise an InputError unless the folder is missing, empty, or contains only a report."""
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
    """Whether a file is named like a file of a report and the report has a result.json."""
    match = own_files.fullmatch(inner)
    result = folder / (match[1] or "") / "result.json" if match else folder
    return result.is_file() and b'"recipe": "gt:' in result.read_bytes()[:200]


def _swap(new: Path, target: Path, old: Path) -> None:
    """Move the new folder to the target and the previous target to `old`."""
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except OSError:
        if not target.exists():
            raise
        # A mount point cannot be moved: replace its content instead.
        for entry in target.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for entry in new.iterdir():
            shutil.move(str(entry), target / entry.name)
    finally:
        # Interrupted between the two renames: restore the old report.
        if old.exists() and not target.exists():
            old.rename(target)
