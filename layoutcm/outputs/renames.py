"""Move a complete new folder into place: in one step where the system can, else so that the next run can finish it.

A hidden folder contains `new`; these names in it say how far a writer came:

- `old`: the folder that was at the target, and is not yet replaced (only where two folders cannot be exchanged);
- `moving`: entries are being moved one by one, because the target itself cannot be moved; it lists all new ones.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import secrets
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from layoutcm.outputs.hidden import NOT_SUPPORTED, PREFIX, left_behind, remove_hidden, serialised, sync

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
    """Finish what killed writers had begun to move, then remove their hidden folders.

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


def cannot_be_moved(error: OSError) -> bool:
    return error.errno in (errno.EBUSY, errno.EXDEV)


def was_overtaken(error: OSError) -> bool:
    """Whether another writer has just changed the same place."""
    return error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST)
