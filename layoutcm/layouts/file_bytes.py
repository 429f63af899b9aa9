"""The bytes of a file, its text and rows, and the errors for one that cannot be read or is not text."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from typing import BinaryIO, NamedTuple

from layoutcm.errors import InputError
from layoutcm.layouts import limits


def read_bytes(path: str | os.PathLike[str], missing_hint: str = "Check the name and the folder.") -> bytes:
    """The bytes of a file or pipe, counted; a device such as /dev/zero may never end."""
    with _named_errors(str(path), missing_hint), open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            raise InputError(str(path), "", "this is a device, not a file", "Give a file or a pipe.")
        if not stat.S_ISREG(status.st_mode):
            return _read_pipe(str(path), file)
        if status.st_size > limits.MAX_FILE_BYTES:
            raise _too_large(str(path), limits.MAX_FILE_BYTES)
        # Files of the kernel, such as those in /proc, state no size.
        data = _read_regular(file) if status.st_size else _read_pipe(str(path), file)
        after, size = os.fstat(file.fileno()), status.st_size
        if (_version(after), len(data)) != (_version(status), size or len(data)):
            raise _changed(str(path))
        return data


class StoredFile(NamedTuple):
    """A regular file that is read piece by piece; it is an error if it changes between two pieces."""

    path: str
    version: tuple[int, int, int]

    @classmethod
    def at(cls, path: str) -> StoredFile | None:
        """The file at a path, if it is a regular one of a size that is read."""
        with suppress(OSError, ValueError):
            status = os.stat(path)
            if stat.S_ISREG(status.st_mode) and status.st_size <= limits.MAX_FILE_BYTES:
                return cls(path, _version(status))
        return None

    @property
    def size(self) -> int:
        return self.version[0]

    def read_into(self, buffer: memoryview, at: int) -> None:
        """Fill a buffer with the bytes from a position on."""
        with self._opened() as file:
            file.seek(at)
            while buffer and (count := file.readinto(buffer)):
                buffer = buffer[count:]

    def read(self, at: int, stop: int) -> bytes:
        with self._opened() as file:
            file.seek(at)
            return file.read(stop - at)

    def sha256(self) -> str:
        with self._opened() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @contextmanager
    def _opened(self) -> Iterator[BufferedReader]:
        with _named_errors(self.path), open(self.path, "rb") as file:
            yield file
            if _version(os.fstat(file.fileno())) != self.version:
                raise _changed(self.path)


@contextmanager
def _named_errors(path: str, missing_hint: str = "Check the name and the folder.") -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(path, "", "there is no such file", missing_hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(path, "", f"the file cannot be read: {reason}", "Check its permissions.") from None


def _version(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(path: str) -> InputError:
    return InputError(path, "", "the file changed while it was read", "Read it when it is complete.")


def _read_regular(file: BinaryIO) -> bytes:
    """The bytes of a file. It is not mapped: a mapped file that becomes shorter ends the process."""
    return file.read()


def _read_pipe(path: str, file: BinaryIO) -> bytes:
    found = bytearray()
    while chunk := file.read(1 << 20):
        found += chunk
        if len(found) > limits.MAX_PIPE_BYTES:
            raise _too_large(path, limits.MAX_PIPE_BYTES)
    return bytes(found)


def _too_large(path: str, limit: int) -> InputError:
    return InputError(path, "", f"more than {limit:,} bytes, which is the most that is read", "Split the file.")


def decoded(file: str, data: bytes) -> str:
    """The text of a file, which must be UTF-8 with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(file, error) from None


def csv_rows(file: str, text: str, hint: str) -> Iterator[tuple[int, list[str]]]:
    """(number from 1, cells) of the rows of a CSV with commas, semicolons or tabs, which its first line shows."""
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first and "," not in first), ",")
    try:
        yield from enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
    except csv.Error as error:
        raise InputError(file, "", f"this is not a readable CSV: {error}", hint) from None


def not_utf8(file: str, error: UnicodeDecodeError, offset: int = 0) -> InputError:
    """The error for bytes that are not UTF-8; `offset` is where the decoded piece starts in the file."""
    byte = error.object[error.start]
    problem = f"0x{byte:02x} is not UTF-8 text"
    return InputError(file, f"byte {offset + error.start}", problem, "Save the file as UTF-8.")
