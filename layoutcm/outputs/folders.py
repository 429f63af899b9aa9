"""Replace a folder as a whole: write a hidden folder next to it, then move it into place.

A mount point cannot be moved, so its entries are replaced one by one; a killed run is finished by the next one.
An existing folder is replaced only if all its files were written by a report, or by what else a `Mark` names.

The hidden folder contains `new`; these names in it say how far a writer came:

- `old`: the folder that was at the target, and is not yet replaced (only where two folders cannot be exchanged);
- `moving`: entries are being moved one by one, because the target itself cannot be moved; it lists all new ones.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.outputs.files import (
    NOT_SUPPORTED,
    PREFIX,
    behind_links,
    check_is_path,
    failures_named,
    hidden_folder,
    left_behind,
    remove_hidden,
    serialised,
    sync,
    sync_tree,
)

NEW, OLD, MOVING = "new", "old", "moving"
CURRENT_FOLDER, EXCHANGE = -100, 2  # AT_FDCWD; RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS
# Moved first and removed last, because a folder without it is not recognised as a report.
FIRST_ENTRY = "result.json"


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False if the system or the file system cannot."""
    paths = os.fsencode(one), os.fsencode(other)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = libc.renamex_np(*paths, EXCHANGE)
        else:
            failed = libc.renameat2(CURRENT_FOLDER, paths[0], CURRENT_FOLDER, paths[1], EXCHANGE)
    except (AttributeError, OSError, TypeError):  # another system, or an old one
        return False
    if failed:
        code = ctypes.get_errno()
        if code not in NOT_SUPPORTED:
            raise OSError(code, os.strerror(code), str(other))
    return not failed


def put_in_place(hidden: Path, target: Path) -> None:
    """Make `hidden/new` the target; what was there is then inside `hidden`."""
    new = hidden / NEW
    if not target.exists():
        os.rename(new, target)
    elif not exchange(new, target):
        _rename_twice(hidden, target)


def _rename_twice(hidden: Path, target: Path) -> None:
    """Move the old folder away and the new one into its place; if this fails in between, the old one returns."""
    old = hidden / OLD
    try:
        os.rename(target, old)
        os.rename(hidden / NEW, target)
    finally:
        if old.exists():
            # From now on it is not the only copy, and may be removed.
            os.rename(old, hidden / f"gone-{secrets.token_hex(4)}" if target.exists() else target)


def finish_renames(hidden: Path, target: Path) -> None:
    """Restore the target that a killed writer had moved away, then remove its hidden folder."""
    if (hidden / OLD).exists() and not target.exists():
        # The old one is moved away only when the new one is complete.
        os.rename(hidden / NEW if (hidden / NEW).exists() else hidden / OLD, target)
        sync(target.parent)
    remove_hidden(hidden)


def move_entries(hidden: Path, target: Path) -> None:
    """Replace the entries of `target`, which contains `hidden`, by those of `hidden/new`, one after the other.

    This is for a mount point, which cannot be moved. A run that is killed in between is finished by the next one.
    """
    names = os.listdir(hidden / NEW)
    note = hidden / f"{MOVING}.part"
    note.write_text(json.dumps(names), "utf-8")
    sync(note)
    with serialised(target, target.name):
        _finish_killed(target)  # before this one: the next run would put their older entries over these
        os.rename(note, hidden / MOVING)
        sync(hidden)
        try:
            finish_moving(hidden, target)
        except BaseException:  # a signal or a full disk: the half is worse than either
            if (hidden / MOVING).exists():
                finish_moving(hidden, target)
            raise


def finish_moving(hidden: Path, target: Path) -> None:
    """Move what is not yet moved; what has gone from `hidden/new` is in its place."""
    names = json.loads((hidden / MOVING).read_text("utf-8"))
    for name in sorted(names, key=lambda name: name != FIRST_ENTRY):
        fresh, place = hidden / NEW / name, target / name
        if fresh.exists():
            if place.is_dir() or fresh.is_dir():  # a folder cannot take the place of something else
                _delete(place)
            os.replace(fresh, place)
    for name in sorted(os.listdir(target), key=lambda name: name == FIRST_ENTRY):
        if name not in names and not name.startswith(PREFIX):
            _delete(target / name)
    sync(target)
    os.unlink(hidden / MOVING)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def recover_entries(target: Path) -> None:
    """Finish moves that killed writers began, then remove their hidden folders.

    Nothing is claimed before it is this process's turn: a writer whose turn it is must find all killed ones.
    """
    if _has_begun_to_move(target):
        with serialised(target, target.name):
            _finish_killed(target)
    for hidden in left_behind(target, target.name):
        if not (hidden / MOVING).exists():
            remove_hidden(hidden)


def _has_begun_to_move(target: Path) -> bool:
    """Whether a writer has begun to move entries into a folder, which another one may be replacing at the moment."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return any((target / name / MOVING).exists() for name in os.listdir(target) if name.startswith(PREFIX))
    return False


def _finish_killed(target: Path) -> None:
    """Finish what killed writers had begun to move; only inside `serialised`."""
    for hidden in left_behind(target, target.name):
        if (hidden / MOVING).exists():
            finish_moving(hidden, target)
            remove_hidden(hidden)


ATTEMPTS = 100  # to move into place while other writers do the same; each failed one means that another succeeded


class Mark(NamedTuple):
    """How a folder shows what wrote it: a file that has this text near its start; `what` names it in messages."""

    file: str
    text: bytes
    what: str
    others: tuple[tuple[str, bytes], ...] = ()  # other files and their texts; one of them is enough as well

    @property
    def files(self) -> list[tuple[str, bytes]]:
        return [(self.file, self.text), *self.others]


# A report without a truth names its sides A and B. A report of several predictions has leaderboard.json in its folder,
# and result.json in a folder of each prediction.
OTHER_REPORTS = (("result.json", b'"recipe": "A:'), ("leaderboard.json", b'"kind": "leaderboard"'))
REPORT = Mark("result.json", b'"recipe": "gt:', "report", OTHER_REPORTS)


@contextmanager
def replace_folder(folder: str | os.PathLike[str], own_files: re.Pattern[str], mark: Mark = REPORT) -> Iterator[Path]:
    """Yield an empty folder to write into; it replaces `folder` if the block succeeds and is deleted if it fails.

    `own_files` matches the names of all files that a report, or what else `mark` names, can have.
    """
    check_is_path(folder, "folder")
    target = behind_links(folder)
    with failures_named(folder):
        check_target(target, own_files, mark)
        target.parent.mkdir(parents=True, exist_ok=True)
        for hidden in left_behind(target.parent, target.name):
            finish_renames(hidden, target)
        recover_entries(target)
    inside = target.is_dir() and (os.path.ismount(target) or not os.access(target.parent, os.W_OK))
    with hidden_folder(target if inside else target.parent, target, keep_if=MOVING) as hidden:
        with failures_named(folder):
            os.mkdir(hidden / NEW)
        yield hidden / NEW
        with failures_named(folder):
            with suppress(OSError):  # a folder that others may not read stays so
                os.chmod(hidden / NEW, stat.S_IMODE(target.stat().st_mode) | stat.S_IRWXU)
            sync_tree(hidden)
            if inside:
                check_target(target, own_files, mark)
                move_entries(hidden, target)
            else:
                _replace(hidden, target, own_files, mark)


def _replace(hidden: Path, target: Path, own_files: re.Pattern[str], mark: Mark) -> None:
    """Make `hidden/new` the target, while other writers may do the same."""
    for attempt in range(ATTEMPTS):
        check_target(target, own_files, mark)  # again, because others may have put files into it since the start
        try:
            put_in_place(hidden, target)
            break
        except OSError as error:
            if error.errno in (errno.EBUSY, errno.EXDEV) and target.is_dir():
                _copy_into(hidden / NEW, target)
                return
            overtaken = error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST)  # by another writer
            if not overtaken or attempt == ATTEMPTS - 1:
                raise
    sync(target.parent)


def _copy_into(new: Path, target: Path) -> None:
    """Replace the content of a folder that cannot be moved, and was not known to be one when writing began."""
    with hidden_folder(target, target, keep_if=MOVING) as hidden:
        shutil.copytree(new, hidden / NEW)
        sync_tree(hidden)
        move_entries(hidden, target)


def check_target(folder: Path, own_files: re.Pattern[str], mark: Mark = REPORT) -> None:
    """Raise an InputError unless the folder is missing, empty, or contains only a report (or what `mark` names)."""
    while True:
        try:
            seen = folder.stat()  # once, because another writer may replace it between two questions
        except OSError:
            return  # there is none
        if not stat.S_ISDIR(seen.st_mode):
            raise InputError(str(folder), "", f"this is a file, a {mark.what} needs a folder", "Name a folder.")
        inner = _first_foreign_file(folder, own_files, mark)
        if inner is None:
            return
        with suppress(FileNotFoundError):
            if os.path.samestat(seen, folder.stat()):  # otherwise another writer has replaced it meanwhile
                problem = f"the folder holds {short_repr(inner)}, which no {mark.what} has written"
                hint = f"Name a new or empty folder, or that of an earlier {mark.what}."
                raise InputError(str(folder), "", problem, hint)


def _first_foreign_file(folder: Path, own_files: re.Pattern[str], mark: Mark) -> str | None:
    """The path, relative to the folder, of a file that no report has; hidden files of writers do not count."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(PREFIX))
        for name in (*folders, *sorted(files)):
            path = Path(place, name)
            inner = path.relative_to(folder).as_posix()
            is_plain_folder = name in folders and not path.is_symlink()
            if not (is_plain_folder or name.startswith(PREFIX) or _is_own_file(folder, inner, own_files, mark)):
                return inner
    return None


def _is_own_file(folder: Path, inner: str, own_files: re.Pattern[str], mark: Mark) -> bool:
    """Whether a file is named like a file of a report, and the folder has the mark of one."""
    match = own_files.fullmatch(inner)
    if not match or (folder / inner).is_symlink():
        return False
    return any(_has_text(folder / (match[1] or "") / file, text) for file, text in mark.files)


def _has_text(path: Path, text: bytes) -> bool:
    with suppress(OSError), path.open("rb") as marked:
        return text in marked.read(200)
    return False
