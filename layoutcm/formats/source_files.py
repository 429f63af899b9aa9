"""Load a source into memory: one file, a folder, a zip, (name, bytes), or a list of these.

Archives are untrusted: sizes are limited before anything is unpacked, paths must stay inside, links are refused.
Only the size of a page image is read; it is used as page size for formats that have none.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, natural_sort_key

OneSource = str | os.PathLike[str] | tuple[str, bytes]
Source = OneSource | list[OneSource]
Size = tuple[float, float]

MAX_FILES = 500_000
MAX_UNPACKED = 4 << 30
# Text is compressed to about a twentieth; an archive with a much higher ratio is a zip bomb.
MAX_RATIO = 200
RATIO_CHECKED_ABOVE = 64 << 20  # bytes
ZIP_MAGIC = b"PK\x03\x04"
# Files that often accompany annotations and contain no layout; they are skipped.
OTHER_SUFFIXES = (".pdf", ".md", ".svg", ".ds_store")


@dataclass(frozen=True)
class Bundle:
    """The files of one source; `images` holds the sizes of the page images among them."""

    name: str
    contents: tuple[FileContent, ...]
    images: dict[str, Size]


def load_source(source: Source) -> Bundle:
    match source:
        case list():
            return _join_bundles([_load_image_or_skip(one) or load_source(one) for one in source])
        case str() | os.PathLike() if os.path.isdir(source):
            return _from_folder(Path(source))
        case str() | os.PathLike():
            return _from_bytes(os.fspath(source), read_bytes(os.fspath(source)))
        case (str() as name, bytes() as data):
            return _from_bytes(name, data)
    raise InputError(
        "", "source", f"{short_repr(source)} is no input", "Give a path, (name, bytes) or a list of these."
    )


def _load_image_or_skip(one: OneSource) -> Bundle | None:
    """For one item of a list: the bundle of a page image or of a file to skip, or None for any other file."""
    match one:
        case (str() as name, bytes() as data):
            source: str | io.BytesIO = io.BytesIO(data)
        case str() | os.PathLike() if not os.path.isdir(one):
            name = source = os.fspath(one)
        case _:
            return None
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        return Bundle(name, (), {name: image_size(name, source)})
    return Bundle(name, (), {}) if suffix in OTHER_SUFFIXES else None


def _from_bytes(name: str, data: bytes) -> Bundle:
    if data.startswith(ZIP_MAGIC):
        return _from_zip(name, data)
    content = FileContent(name, data)
    # isspace stops at the first other byte; strip would copy a large file.
    blank = not content.data_without_bom or content.data_without_bom.isspace()
    if blank and not name.lower().endswith(".txt"):  # an empty label file is a page without regions
        raise InputError(name, "", "the file is empty", "Export it again.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(name, "byte 0", "this is UTF-16 text", "Save the file as UTF-8.")
    return Bundle(name, (content,), {})


def _join_bundles(bundles: list[Bundle]) -> Bundle:
    if not bundles:
        raise InputError("", "source", "the list of files is empty", "Give at least one file.")
    name = bundles[0].name if len(bundles) == 1 else f"{bundles[0].name} and {len(bundles) - 1} more"
    contents = [content for bundle in bundles for content in bundle.contents]
    if not contents:
        raise InputError(name, "", "there is no annotation file among these", "Add the files that hold the regions.")
    return Bundle(name, _sort_by_name(contents), {k: v for bundle in bundles for k, v in bundle.images.items()})


def _sort_by_name(contents: Iterable[FileContent]) -> tuple[FileContent, ...]:
    """Sort by name, page 2 before page 10: the order in an archive or an upload has no meaning."""
    return tuple(sorted(contents, key=lambda one: natural_sort_key(one.name)))


def _from_folder(folder: Path) -> Bundle:
    paths = list(files_below(folder))
    if len(paths) > MAX_FILES:
        raise InputError(str(folder), "", f"{len(paths):,} files, at most {MAX_FILES:,} are read", "Name a subfolder.")
    return _load_files(
        str(folder),
        [(path.relative_to(folder).as_posix(), partial(read_bytes, str(path)), str(path)) for path in paths],
    )


def files_below(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for where, folders, names in os.walk(folder, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        for name in names:
            path = Path(where, name)
            # A link out of the folder may point to private files.
            if path.is_file() and not (path.is_symlink() and not path.resolve().is_relative_to(root)):
                yield path


def _from_zip(name: str, data: bytes) -> Bundle:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [info for info in archive.infolist() if info.filename and not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(name, "", f"this zip cannot be opened: {error}", "Pack it again.") from None
    check_zip_members(name, members)
    return _load_files(name, [(info.filename, partial(_unpack, name, archive, info), None) for info in members])


def check_zip_members(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive that is too large, or has links or paths that lead out of it."""
    if len(members) > MAX_FILES:
        raise InputError(name, "", f"{len(members):,} files, at most {MAX_FILES:,} are read", "Split the archive.")
    total = sum(info.file_size for info in members)
    if total > max(RATIO_CHECKED_ABOVE, MAX_RATIO * sum(info.compress_size for info in members)):
        raise InputError(name, "", f"unpacks to {total:,} bytes, over {MAX_RATIO} times its size", "Pack it again.")
    if total > MAX_UNPACKED:
        raise InputError(name, "", f"unpacks to {total:,} bytes, at most {MAX_UNPACKED:,}", "Unpack it into a folder.")
    for info in members:
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0]:
            raise InputError(name, short_repr(info.filename), "this name leads out of the archive", "Pack it again.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise InputError(name, short_repr(info.filename), "this is a link, not a file", "Pack the file itself.")
        if info.flag_bits & 1:
            raise InputError(name, short_repr(info.filename), "this file is locked with a password", "Pack it without.")


def _unpack(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as member:
            data = member.read(info.file_size + 1)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(name, short_repr(info.filename), f"cannot be unpacked: {error}", "Pack it again.") from None
    except Exception as error:  # zlib, bz2 and lzma have their own errors
        raise InputError(name, short_repr(info.filename), f"cannot be unpacked: {error}", "Pack it again.") from None
    if len(data) > info.file_size:
        raise InputError(name, short_repr(info.filename), "unpacks to more than the archive says", "Pack it again.")
    return data


def _load_files(name: str, files: Iterable[tuple[str, Callable[[], bytes], str | None]]) -> Bundle:
    """Load files given as (name, function that returns the bytes, path if on disk); of images only the size."""
    contents: list[FileContent] = []
    images: dict[str, Size] = {}
    for file, get, path in files:
        parts = PurePosixPath(file.replace("\\", "/"))
        suffix = parts.suffix.lower()
        if any(part.startswith((".", "__MACOSX")) for part in parts.parts) or suffix in OTHER_SUFFIXES:
            continue
        if suffix in IMAGE_SUFFIXES:
            images[file] = image_size(file, path or io.BytesIO(get()))
        else:
            contents.append(FileContent(file, get()))
    if not contents:
        raise InputError(name, "", "there is no annotation file in it", "Name the folder or archive that has them.")
    return Bundle(name, _sort_by_name(contents), images)


def image_size(name: str, source: str | io.BytesIO) -> Size:
    """Width and height; only the header is read, so a huge image needs no memory."""
    from PIL import Image, UnidentifiedImageError

    try:
        with (
            warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning),
            Image.open(source) as image,
        ):
            return float(image.width), float(image.height)
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(name, "", f"this image cannot be read: {error}", "Remove or replace it.") from None
