"""Replace a folder as a whole: write a hidden folder next to it, then move it into place.

A mount point cannot be moved, so its entries are replaced one by one; a killed run is finished by the next one.
An existing folder is replaced only if all its files were written by a report, or by what else a `Mark` names.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.outputs.files import behind_links
from layoutcm.outputs.hidden import PREFIX, failures_named, hidden_folder, left_behind, sync, sync_tree
from layoutcm.outputs.renames import (
    MOVING,
    NEW,
    cannot_be_moved,
    finish_renames,
    move_entries,
    put_in_place,
    recover_entries,
    was_overtaken,
)

ATTEMPTS = 100  # to move into place while other writers do the same; each failed one means that another succeeded


class Mark(NamedTuple):
    """How a folder shows what wrote it: a file that has this text near its start; `what` names it in messages."""

    file: str
    text: bytes
    what: str
    others: tuple[tuple[str, bytes], ...] = ()  # other files and their texts, of which one is enough as well

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
            if cannot_be_moved(error) and target.is_dir():
                _copy_into(hidden / NEW, target)
                return
            if not was_overtaken(error) or attempt == ATTEMPTS - 1:
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
