"""The bytes of a file, and the errors for one that cannot be read or is not text."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from layoutcm.errors import InputError
from layoutcm.layouts import limits


def read_bytes(path: str | os.PathLike[str], missing_hint: str = "Check the name and the folder.") -> bytes:
    """The bytes of a file or pipe, counted; a device such as /dev/zero may never end."""
    try:
        with open(path, "rb") as file:
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
            if (after.st_size, after.st_mtime_ns, len(data)) != (size, status.st_mtime_ns, size or len(data)):
                raise InputError(str(path), "", "the file changed while it was read", "Read it when it is complete.")
            return data
    except FileNotFoundError:
        raise InputError(str(path), "", "there is no such file", missing_hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(str(path), "", f"the file cannot be read: {reason}", "Check its permissions.") from None


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


def not_utf8(file: str, error: UnicodeDecodeError, offset: int = 0) -> InputError:
    """The error for bytes that are not UTF-8; `offset` is where the decoded piece starts in the file."""
    byte = error.object[error.start]
    return InputError(
        file, f"byte {offset + error.start}", f"0x{byte:02x} is not UTF-8 text", "Save the file as UTF-8."
    )
