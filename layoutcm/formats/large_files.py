"""A large JSON file that is not held in memory: its long list was scanned, range by range, while it was read."""

from __future__ import annotations

from functools import cached_property

from layoutcm.formats.content import HEAD, SEARCHED, FileContent
from layoutcm.layouts.file_bytes import StoredFile


class LargeFile(FileContent):
    """A file with its start and what was scanned. Its bytes are read again if something else needs them.

    Its JSON starts at the first byte, and is one object or list.
    """

    file: StoredFile

    def __init__(self, file: StoredFile) -> None:
        # As attributes of a frozen class.
        self.__dict__.update(name=file.path, packed=None, searches_all=False, file=file)

    @cached_property
    def data(self) -> bytes:
        return self.file.read(0, self.file.size)

    @property
    def size(self) -> int:
        return self.file.size

    @cached_property
    def head(self) -> bytes:
        return self.file.read(0, SEARCHED)

    @property
    def json_head(self) -> bytes:
        return self.head[:HEAD]

    def sha256(self) -> str:
        return self.file.sha256()
