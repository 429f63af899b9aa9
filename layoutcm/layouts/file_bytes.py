"""The bytes of a file: reading and writing them, and the errors for one that cannot be read or is not text."""

from __future__ import annotations

import os
from pathlib import Path

from layoutcm.errors import InputError


def read_bytes(path: str | os.PathLike[str], missing_hint: str = "Check the name and the folder.") -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(str(path), "", "there is no such file", missing_hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(str(path), "", f"the file cannot be read: {reason}", "Check its permissions.") from None


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that at any moment its place has the old bytes or the new ones, never a part of them.

    The bytes go to a hidden file beside it, which takes its name after they have reached the disk.
    """
    target = Path(os.path.realpath(path)) if "\0" not in os.fspath(path) else Path()
    if not target.name or (target.exists() and not target.is_file()):
        raise InputError(str(path), "", "this is not the name of a file", "Choose another place.")
    # The name is cut, to stay below the limit on file names.
    unfinished = target.with_name(f".{target.name[:40]}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise InputError(str(path), "", f"cannot be written: {error.strerror}", "Choose another place.") from None


def not_utf8(file: str, error: UnicodeDecodeError, offset: int = 0) -> InputError:
    """The error for bytes that are not UTF-8; `offset` is where the decoded piece starts in the file."""
    byte = error.object[error.start]
    return InputError(
        file, f"byte {offset + error.start}", f"0x{byte:02x} is not UTF-8 text", "Save the file as UTF-8."
    )
