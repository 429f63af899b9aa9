"""The bytes of a file, and the errors for one that cannot be read or is not text."""

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


def not_utf8(file: str, error: UnicodeDecodeError, offset: int = 0) -> InputError:
    """The error for bytes that are not UTF-8; `offset` is where the decoded piece starts in the file."""
    byte = error.object[error.start]
    return InputError(
        file, f"byte {offset + error.start}", f"0x{byte:02x} is not UTF-8 text", "Save the file as UTF-8."
    )
