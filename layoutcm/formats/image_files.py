"""The size, the number of pages and the pixels of image files that are not trusted.

Reads are counted, because a few bytes of a header can ask to read the same part of a file a million times.
"""

from __future__ import annotations

import io
import os
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from layoutcm.errors import InputError
from layoutcm.formats.archives import Budget, ReadOnlyStream
from layoutcm.layouts import limits

Size = tuple[float, float]
# Pillow would also try dozens of formats that page images do not have.
FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
FIRST_BYTES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")  # of images, except WebP
# What Pillow raises for damaged images: a TIFF without a width is a TypeError, an unknown compression a KeyError.
DECODING_ERRORS = (OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, EOFError, SyntaxError,
                   struct.error)  # fmt: skip
WEBP_SIZES = {b"VP8 ": (26, 4), b"VP8L": (21, 4), b"VP8X": (24, 6)}  # where they are in the file, and their bytes


def is_image(data: bytes) -> bool:
    """Whether a file begins like an image."""
    return data.startswith(FIRST_BYTES) or (data[:4], data[8:12]) == (b"RIFF", b"WEBP")


class TooManyParts(ValueError):
    """A header that asks to read too much."""


class CountedFile(ReadOnlyStream):
    """A file with a limit on the bytes that are read; one read counts at least `limits.READ_COST` bytes.

    `first_page` is where a TIFF should begin instead of at its first page.
    """

    def __init__(self, file: Any, budget: Budget, first_page: tuple[int, bytes] | None = None) -> None:
        self._file, self._budget, self._first_page = file, budget, first_page

    def tell(self) -> int:
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def fileno(self) -> int:
        return int(self._file.fileno())

    def read(self, size: int | None = -1) -> bytes:
        start = self.tell()
        found: bytes = self._file.read(-1 if size is None else size)
        self._budget.left -= max(limits.READ_COST, len(found))
        if self._budget.left < 0:
            raise TooManyParts("its header has too many parts")
        return found if self._first_page is None else _overwrite(found, start, *self._first_page)


def _overwrite(found: bytes, start: int, at: int, value: bytes) -> bytes:
    """The bytes read from `start`, with those of `value` from `at`."""
    changed = bytearray(found)
    for i, byte in enumerate(value, at - start):
        if 0 <= i < len(changed):
            changed[i] = byte
    return bytes(changed)


@contextmanager
def opened(source: str | bytes | io.RawIOBase) -> Iterator[tuple[Any, int]]:
    """An image file on disk, in memory or in an archive, and its size in bytes if that is known, else 0."""
    if isinstance(source, str):
        with open(source, "rb") as file:
            yield file, os.fstat(file.fileno()).st_size
    elif isinstance(source, bytes):
        yield io.BytesIO(source), len(source)
    else:
        yield source, 0


def image_size(name: str, source: str | bytes | io.RawIOBase, budget: Budget | None = None) -> Size:
    """Width and height; only the header is read, so a huge image needs no memory. `budget` is for these reads."""
    from PIL import Image, UnidentifiedImageError

    try:
        with opened(source) as (file, size):
            counted = CountedFile(file, budget or Budget(limits.HEADER_BYTES + size))
            found = _webp_size(counted)
            if found is None:
                with open_image(counted) as image:
                    found = (float(image.width), float(image.height))
            return found
    except (Image.DecompressionBombError, MemoryError, OverflowError) as error:
        problem = f"this image is too large: {error}"
    except UnidentifiedImageError:  # its text has the address of an object, not the name of the file
        problem = f"this image cannot be read: it is damaged, or none of {', '.join(FORMATS)}"
    except DECODING_ERRORS as error:
        problem = f"this image cannot be read: {error}"
    raise InputError(name, "", problem, "Remove or replace it.")


def open_image(file: Any) -> Any:
    """A Pillow image; its pixels are not decoded yet. The code that decodes it checks its size."""
    from PIL import Image

    with warnings.catch_warnings(action="ignore"):  # large images, and damaged parts of headers that are not used
        return Image.open(file, formats=FORMATS)


def _webp_size(file: CountedFile) -> Size | None:
    """The size of a WebP image, None for other files: Pillow would allocate the whole picture to find its size."""
    head = file.read(30)
    file.seek(0)
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP":
        return None
    at, length = WEBP_SIZES.get(head[12:16], (0, 0))
    if not length or len(head) < at + length:
        raise ValueError("its header is incomplete")
    sides = int.from_bytes(head[at : at + length], "little")
    if head[12:16] == b"VP8 ":
        return float(sides & 0x3FFF), float(sides >> 16 & 0x3FFF)
    bits = 14 if head[12:16] == b"VP8L" else 24
    return float((sides & (1 << bits) - 1) + 1), float((sides >> bits & (1 << bits) - 1) + 1)


def tiff_pages(file: Any, most: int) -> tuple[list[int], int, str]:
    """Where the pages of a TIFF are described, at most `most`; and where and how the first of these places is stored.

    Pillow would read the descriptions themselves, which takes a minute for 100,000 pages. Raises TooManyParts.
    """
    file.seek(0)
    head = file.read(16)
    order = {b"II": "<", b"MM": ">"}.get(head[:2])
    if order is None:
        return [], 0, ""
    is_big = struct.unpack_from(f"{order}H", head, 2)[0] == 43
    at, offset, count, entry = (8, f"{order}Q", f"{order}Q", 20) if is_big else (4, f"{order}L", f"{order}H", 12)
    pages: dict[int, None] = {}  # in order; a page may name an earlier one as the next
    page = struct.unpack_from(offset, head, at)[0]
    while page and page not in pages and len(pages) < most:
        try:
            file.seek(page)
            entries = struct.unpack(count, file.read(struct.calcsize(count)))[0]
            file.seek(page + struct.calcsize(count) + entry * entries)
            after = struct.unpack(offset, file.read(struct.calcsize(offset)))[0]
        except TooManyParts:
            raise
        except (struct.error, OSError, ValueError, OverflowError):  # the file ends within this page
            break
        pages[page] = None
        page = after
    return list(pages), at, offset


def from_page(file: Any, budget: Budget, page: int) -> CountedFile:
    """An image file that begins at this page, for a TIFF; Pillow would read all pages before it."""
    pages, at, offset = tiff_pages(CountedFile(file, budget), page + 1) if page else ([], 0, "")
    file.seek(0)
    if page and len(pages) <= page:
        raise EOFError("the image has no such page")
    return CountedFile(file, budget, (at, struct.pack(offset, pages[page])) if page else None)
