"""Unpack zip archives that are not trusted: what comes out is counted, and the archive's own sizes are not believed.

Paths must stay inside, links are refused, and no two files may share bytes of the archive: a few kilobytes that are
unpacked again and again are the strongest zip bomb.
"""

from __future__ import annotations

import bz2
import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from layoutcm import hints
from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.layouts import limits

ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"
CHUNK = 1 << 20  # bytes that are unpacked at a time
FEED = 1 << 16  # packed bytes that a decompressor is given at a time; what it does not use yet is copied
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, and the lengths of the name and of the extra field
PACK_AGAIN = "Pack it again."
UNPACKING_ERRORS = (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError, struct.error, NotImplementedError)


@dataclass
class Budget:
    """How many more bytes may be unpacked."""

    left: int


@dataclass(frozen=True, eq=False)
class Archive:
    """The bytes of a zip and its files, without folders."""

    name: str
    data: bytes
    members: tuple[zipfile.ZipInfo, ...] = ()

    def new_budget(self) -> Budget:
        """For one pass over the archive: as many bytes as an archive of this size may unpack to."""
        return Budget(limits.unpacked_limit(len(self.data)))

    def read(self, member: zipfile.ZipInfo, budget: Budget) -> bytes:
        """The bytes of a file, checked against the size and the checksum in the archive."""
        found = b"".join(self.chunks(member, budget))
        if len(found) != member.file_size or zlib.crc32(found) != member.CRC:
            problem = "it does not have the size or the checksum that the archive says"
            raise InputError(self.name, short_repr(member.filename), problem, PACK_AGAIN)
        return found

    def open(self, member: zipfile.ZipInfo, budget: Budget) -> MemberStream:
        """The file as a stream that unpacks only what is read."""
        return MemberStream(self.chunks(member, budget))

    def chunks(self, member: zipfile.ZipInfo, budget: Budget) -> Iterator[bytes]:
        """The bytes of a file, piece by piece; each piece is taken from the budget before it is used."""
        try:
            for chunk in _unpack(_packed_bytes(self.data, member), member.compress_type):
                budget.left -= len(chunk)
                if budget.left < 0:
                    raise self._too_large_error(member)
                yield chunk
        except UNPACKING_ERRORS as error:
            problem = f"cannot be unpacked: {error}"
            raise InputError(self.name, short_repr(member.filename), problem, PACK_AGAIN) from None

    def _too_large_error(self, member: zipfile.ZipInfo) -> InputError:
        limit = limits.unpacked_limit(len(self.data))
        problem = f"it unpacks to more than {limit:,} bytes, the most for an archive of {len(self.data):,}"
        return InputError(self.name, short_repr(member.filename), problem, "Unpack it into a folder.")


class ReadOnlyStream(io.RawIOBase):
    """A stream that can be read and searched."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class MemberStream(ReadOnlyStream):
    """A file of an archive that can be read and searched like a file on disk; keeps what was unpacked so far."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._unpacked = bytearray()
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = 0 if whence == io.SEEK_SET else self._at
        if whence == io.SEEK_END:
            self._unpack_to(None)
            start = len(self._unpacked)
        self._at = max(0, start + offset)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = None if size is None or size < 0 else self._at + size
        self._unpack_to(end)
        found = bytes(self._unpacked[self._at : end])
        self._at += len(found)
        return found

    def _unpack_to(self, end: int | None) -> None:
        while end is None or len(self._unpacked) < end:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            if len(self._unpacked) + len(chunk) > limits.MAX_PICTURE_BYTES:
                raise ValueError(f"it is larger than {limits.MAX_PICTURE_BYTES:,} bytes")
            self._unpacked += chunk


def open_archive(name: str, data: bytes) -> Archive:
    """The files of a zip, without unpacking any of them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [info for info in archive.infolist() if info.filename and not info.is_dir()]
    except (zipfile.BadZipFile, *UNPACKING_ERRORS) as error:
        # The list of its files is at its end.
        is_whole = EMPTY_ZIP_MAGIC in data
        problem = f"this zip cannot be opened: {error}" if is_whole else "this zip has no list of its files at its end"
        raise InputError(name, "", problem, PACK_AGAIN if is_whole else hints.CUT_OFF) from None
    check_count(len(members), limits.MAX_FILES, "files", name, hint="Split the archive.")
    for member in members:
        _check_member(name, member)
    _check_no_overlap(name, members, len(data))
    return Archive(name, data, tuple(members))


def _check_member(name: str, member: zipfile.ZipInfo) -> None:
    parts = member.filename.replace("\\", "/").split("/")
    if parts[-1] in ("", ".") or not parts[0] or ".." in parts or ":" in parts[0]:
        problem, hint = "this name leads out of the archive", PACK_AGAIN
    elif stat.S_ISLNK(member.external_attr >> 16):
        problem, hint = "this is a link, not a file", "Pack the file itself."
    elif member.flag_bits & 1:
        problem, hint = "this file is locked with a password", "Pack it without."
    else:
        return
    raise InputError(name, short_repr(member.filename), problem, hint)


def _check_no_overlap(name: str, members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse files that share bytes or end beyond the archive.

    The packed bytes of all files together may not be more than the archive; names and extra fields are not counted.
    """
    in_order = sorted(members, key=lambda member: member.header_offset)
    starts = [member.header_offset for member in in_order]
    for member, after in zip(in_order, [*starts[1:], size]):
        if member.header_offset + _LOCAL_HEADER.size + member.compress_size > after:
            problem = "its bytes are also those of another file, or lie outside the archive"
            raise InputError(name, short_repr(member.filename), problem, PACK_AGAIN)


def _packed_bytes(data: bytes, member: zipfile.ZipInfo) -> bytes:
    start = member.header_offset
    signature, name_length, extra_length = _LOCAL_HEADER.unpack_from(data, start)
    start += _LOCAL_HEADER.size + name_length + extra_length
    if signature != ZIP_MAGIC or start + member.compress_size > len(data):
        raise ValueError("it is not where the archive says")
    return data[start : start + member.compress_size]


def _unpack(packed: bytes, method: int) -> Iterator[bytes]:
    """The unpacked bytes, at most CHUNK at a time: a few packed bytes may stand for gigabytes."""
    if method == zipfile.ZIP_STORED:
        yield from (packed[at : at + CHUNK] for at in range(0, len(packed), CHUNK))
        return
    decompressor, start = _decompressor(packed, method)
    for at in range(start, len(packed), FEED):
        piece = packed[at : at + FEED]
        while True:
            chunk = decompressor.decompress(piece, CHUNK)
            if chunk:
                yield chunk
            if decompressor.eof:
                return
            # zlib gives back what it did not use; the other two keep it.
            piece = getattr(decompressor, "unconsumed_tail", b"")
            if not piece and (len(chunk) < CHUNK if method == zipfile.ZIP_DEFLATED else decompressor.needs_input):
                break
    raise EOFError("its end is missing")


def _decompressor(packed: bytes, method: int) -> tuple[Any, int]:
    """A decompressor, and where the packed bytes begin."""
    if method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS), 0
    if method == zipfile.ZIP_BZIP2:
        return bz2.BZ2Decompressor(), 0
    if method != zipfile.ZIP_LZMA:
        raise NotImplementedError(f"compression method {method} is not known")
    # Two bytes of version, two of length, then one byte with three small numbers and four with the dictionary's size.
    length, packed_numbers, dictionary = struct.unpack_from("<2xHBI", packed)
    if dictionary > limits.MAX_LZMA_DICTIONARY:
        raise ValueError(f"it needs a dictionary of {dictionary:,} bytes, at most {limits.MAX_LZMA_DICTIONARY:,}")
    rest, lc = divmod(packed_numbers, 9)
    pb, lp = divmod(rest, 5)
    # liblzma refuses impossible numbers.
    numbers = {"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[numbers]), 4 + length
