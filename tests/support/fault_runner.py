"""Stops a writer at every system call: kills it there, lets the call fail, or lets the disk be full from then on.

`python fault_runner.py MODE FOLDER` prints the number of cases, and a line for each that left a part of an output or a
hidden file. Each case is a forked process: a kill is a real one, and the system releases its locks.
"""

import contextlib
import errno
import fcntl
import io
import os
import re
import shutil
import stat
import sys
from itertools import product
from pathlib import Path

from layoutcm.errors import InputError
from layoutcm.outputs import folders
from layoutcm.outputs.files import open_whole
from layoutcm.outputs.folders import replace_folder

KILLED, FAILED = 77, 78
OWN_FILES = re.compile(r"([^/]+/)?(report\.html|result\.json|pages\.csv|figures/.\.png|tables/.\.tex)")
RESULT = b'{"recipe": "gt:%s"}'
OLD = {"result.json": RESULT % b"old", "pages.csv": b"old", "figures/a.png": b"old", "tables/a.tex": b"old"}
NEW = {"result.json": RESULT % b"new", "report.html": b"new", "figures/a.png": b"new", "figures/b.png": b"new"}
THIRD = {"result.json": RESULT % b"third"}
NEED_ROOM = ("open", "write", "flush", "fsync", "mkdir")  # what fails on a full disk


class Faults:
    """Counts the system calls of a writer, and strikes at one of them."""

    def __init__(self, kind, when, at):
        self.kind, self.when, self.at, self.calls = kind, when, at, 0

    def wrap(self, name, function):
        def call(*arguments, **named):
            self.calls += 1
            full = self.kind == "full" and self.needs_room(name, *arguments)
            here = self.calls >= self.at if full else self.calls == self.at
            if here and self.when == "before":
                self.strike(name, *arguments)
            result = function(*arguments, **named)
            if here and self.when == "after":
                self.strike(name, *arguments)
            return result

        return call

    def needs_room(self, name, first=None, *_):
        """Whether a call fails on a full disk; the list of names in a folder has its place already."""
        return name in NEED_ROOM and not (name == "fsync" and stat.S_ISDIR(os.fstat(first).st_mode))

    def strike(self, name, *arguments):
        if self.kind == "kill":
            os._exit(KILLED)
        if self.kind == "fail" or self.needs_room(name, *arguments):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def install(self):
        for name in ("fsync", "rename", "replace", "unlink", "remove", "mkdir", "rmdir", "chmod", "fchmod", "listdir"):
            setattr(os, name, self.wrap(name, getattr(os, name)))
        plain, plain_io, plain_fdopen = os.open, io.open, os.fdopen
        creating, creating_io = self.wrap("open", plain), self.wrap("open", plain_io)
        os.open = lambda path, flags, *rest, **named: (creating if flags & os.O_CREAT else plain)(
            path, flags, *rest, **named
        )
        io.open = lambda path, mode="r", *rest: (creating_io if "w" in mode else plain_io)(path, mode, *rest)
        os.fdopen = lambda *arguments: CountedFile(plain_fdopen(*arguments), self)
        fcntl.flock = self.wrap("flock", fcntl.flock)
        folders.exchange = self.wrap("exchange", folders.exchange)


class CountedFile:
    def __init__(self, file, faults):
        self.file, self.fileno = file, file.fileno
        self.write, self.flush = faults.wrap("write", file.write), faults.wrap("flush", file.flush)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.file.close()


def write_file(place, files):
    with open_whole(place) as file:
        for data in files.values():
            file.write(data)


def write_folder(place, files):
    with replace_folder(place, OWN_FILES) as new:
        for name, data in files.items():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(data)


def recover(place):
    """A next run that fails before it has written anything."""
    with contextlib.suppress(KeyboardInterrupt), replace_folder(place, OWN_FILES):
        raise KeyboardInterrupt


def content(place):
    if place.is_file():
        return place.read_bytes()
    visible = (path for path in place.rglob("*") if path.is_file())
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in visible}


def hidden_in(folder):
    return [str(path) for path in folder.rglob(".*")]


def refuse_exchange(code):
    def refuse(*_):
        raise OSError(code, os.strerror(code))

    return refuse


def prepare(mode, folder):
    """Remove what the last case has left, and write the old output."""
    place = folder / "r"
    for path in place.iterdir() if mode == "mount" else folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if mode == "file":
        place.write_bytes(b"".join(OLD.values()))
        return place
    for name, data in OLD.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    return place


def run_child(write, place, faults):
    """Write the new output in a process of its own; returns its exit code, and whether it had fewer calls."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = FAILED
    with contextlib.suppress(InputError, OSError):
        faults.install()
        write(place, NEW)
        code = 0 if faults.calls < faults.at else FAILED
    os._exit(code)


def problem_after(mode, folder, place, kind, code):
    """What is wrong after one case, or None."""
    whole = [b"".join(files.values()) if mode == "file" else files for files in (OLD, NEW)]
    by_entries = mode in ("busy", "mount")
    if code not in (0, KILLED, FAILED):
        return f"exit code {code}"
    if kind == "full" and hidden_in(folder):
        return f"hidden files on a full disk: {hidden_in(folder)}"
    # Entries that are moved one by one, and a target between two renames, are restored by the next run.
    needs_next_run = (by_entries or mode == "renames") and kind != "full"
    if not needs_next_run and content(place) not in whole:
        return f"a part: {content(place)}"
    if mode != "file":
        recover(place)
        if content(place) not in whole:
            return f"a part after the next run: {content(place)}"
    write_file(place, THIRD) if mode == "file" else write_folder(place, THIRD)
    return f"hidden files after the next run: {hidden_in(folder)}" if hidden_in(folder) else None


def run_cases(mode, folder):
    """Yield (case, problem or None) for every call of the writer."""
    if mode == "renames":
        folders.exchange = lambda *_: False
    if mode == "busy":
        folders.exchange = refuse_exchange(errno.EBUSY)
    write = write_file if mode == "file" else write_folder
    for kind, when in (*product(("kill", "fail"), ("before", "after")), ("full", "before")):
        at, code = 0, None
        while code != 0:
            at += 1
            place = prepare(mode, folder)
            code = run_child(write, place, Faults(kind, when, at))
            yield f"{kind} {when} call {at}", problem_after(mode, folder, place, kind, code)


if __name__ == "__main__":
    cases = list(run_cases(sys.argv[1], Path(sys.argv[2])))
    for case, problem in cases:
        if problem:
            print(f"{case}: {problem}")
    print(len(cases), "cases")
