"""Load a source into memory: one file, a folder, a zip, (name, bytes), or a list of these.

`archives` unpacks what is not trusted. Only the size of a page image is read; it is used as page size for formats that
have none.
"""

from __future__ import annotations

import codecs
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.formats.archives import EMPTY_ZIP_MAGIC, Archive, Budget, open_archive
from layoutcm.formats.archives import ZIP_MAGIC as ZIP_MAGIC
from layoutcm.formats.content import FileContent
from layoutcm.formats.image_files import Size, image_size
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, natural_sort_key
from layoutcm.layouts.stored_facts import MANIFEST_FILE

OneSource = str | os.PathLike[str] | tuple[str, bytes]
Source = OneSource | list[OneSource]

# Files that often accompany annotations and contain no layout; they are skipped.
OTHER_SUFFIXES = (".pdf", ".md", ".svg", ".ds_store")
MARKDOWN = ".md"
ABOUT_THE_FOLDER = "readme.md"  # never an answer of a model
BOX_IN_MARKDOWN = b"<|det|>"  # models write it before each box; other Markdown has no layout


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
    hint = "Give a path, (name, bytes), a list of these, a DataFrame, a Table or a list of dicts."
    raise InputError("", "source", f"{short_repr(source)} is not an input", hint)


def holds_no_layout(suffix: str, data: bytes) -> bool:
    """Whether a file with this suffix is skipped; Markdown with boxes is not."""
    return suffix in OTHER_SUFFIXES and not (suffix == MARKDOWN and BOX_IN_MARKDOWN in data)


def _load_image_or_skip(one: OneSource) -> Bundle | None:
    """For one item of a list: the bundle of a page image or of a file to skip, or None for any other file."""
    match one:
        case (str() as name, bytes() as data):
            source: str | bytes = data
        case str() | os.PathLike() if not os.path.isdir(one):
            name = source = os.fspath(one)
        case _:
            return None
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        return Bundle(name, (), {name: image_size(name, source)})
    if suffix not in OTHER_SUFFIXES:
        return None
    data = b"" if suffix != MARKDOWN else source if isinstance(source, bytes) else read_bytes(source)
    return Bundle(name, (), {}) if holds_no_layout(suffix, data) else None


def _from_bytes(name: str, data: bytes) -> Bundle:
    if data.startswith((ZIP_MAGIC, EMPTY_ZIP_MAGIC)):
        return _from_zip(open_archive(name, data))
    content = FileContent(name, data)
    if content.is_blank and not name.lower().endswith(".txt"):  # an empty label file is a page without regions
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


class LazyFile(NamedTuple):
    """A file of a folder or an archive: its name, and what reads its bytes, or its size if it is an image."""

    name: str
    read: Callable[[], FileContent]
    read_size: Callable[[], Size]


def _from_folder(folder: Path) -> Bundle:
    paths = list(files_below(folder))
    check_count(len(paths), limits.MAX_FILES, "files", str(folder), hint="Name a subfolder.")
    return _load_files(str(folder), [_file_on_disk(path.relative_to(folder).as_posix(), str(path)) for path in paths])


def _file_on_disk(name: str, path: str) -> LazyFile:
    return LazyFile(name, lambda: FileContent(name, read_bytes(path)), lambda: image_size(name, path))


def refuse_unlisted(error: OSError) -> None:
    """A folder that cannot be listed is not skipped: its files would be missing without a word."""
    problem = f"this folder cannot be listed: {error.strerror}"
    raise InputError(str(error.filename), "", problem, "Check its permissions, or name another folder.") from None


def files_below(folder: Path, unlisted: Callable[[OSError], None] = refuse_unlisted) -> Iterator[Path]:
    root = folder.resolve()
    for where, folders, names in os.walk(folder, onerror=unlisted, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        for name in names:
            path = Path(where, name)
            if _is_inner_file(path, root):
                yield path


def _is_inner_file(path: Path, root: Path) -> bool:
    """Whether this is a file, and not a link out of the folder, which may point to private files."""
    try:
        return path.is_file() and not (path.is_symlink() and not path.resolve().is_relative_to(root))
    except OSError as error:
        problem = f"this entry of the folder cannot be looked at: {error.strerror}"
        raise InputError(str(path), "", problem, "Check its permissions, or name another folder.") from None


def _from_zip(archive: Archive) -> Bundle:
    # Of all files together.
    budget = archive.new_budget()
    reads = Budget(limits.HEADER_BYTES + limits.READ_RATIO * len(archive.data))
    parts = Budget(limits.PARTS_FLOOR + len(archive.data) // limits.PACKED_BYTES_PER_PART)
    files = (
        LazyFile(
            member.filename,
            partial(_unpack, archive, member, budget, parts),
            partial(_unpack_size, archive, member, budget, reads),
        )
        for member in archive.members
    )
    return _load_files(archive.name, files)


def _unpack(archive: Archive, member: zipfile.ZipInfo, budget: Budget, parts: Budget) -> FileContent:
    content = FileContent(member.filename, archive.read(member, budget), member.compress_size)
    is_markup = content.data[:1024].removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"<"
    # Each class of an hOCR tag makes a region; all these classes begin with "ocr".
    signs = (b"{", b"[") if content.json_root else (b"<", b"ocr") if is_markup else (b"\n", b"\r")
    parts.left -= sum(map(content.data.count, signs))
    if parts.left < 0:
        problem = "with it, the archive has too many values, tags or lines for its size"
        raise InputError(archive.name, short_repr(member.filename), problem, "Unpack it into a folder.")
    return content


def _unpack_size(archive: Archive, member: zipfile.ZipInfo, budget: Budget, reads: Budget) -> Size:
    own_reads = Budget(limits.HEADER_BYTES)
    size = image_size(member.filename, archive.open(member, budget), own_reads)
    reads.left -= limits.HEADER_BYTES - own_reads.left
    if reads.left < 0:
        problem = "with it, the headers of the images have too many parts for the size of the archive"
        raise InputError(archive.name, short_repr(member.filename), problem, "Unpack it into a folder.")
    return size


def _load_files(name: str, files: Iterable[LazyFile]) -> Bundle:
    """Load all files; of images only the size."""
    contents: list[FileContent] = []
    images: dict[str, Size] = {}
    markdown: list[FileContent] = []
    for file in files:
        parts = file.name.replace("\\", "/").split("/")
        suffix = os.path.splitext(parts[-1])[1].lower()
        if any(part.startswith((".", "__MACOSX")) for part in parts):
            continue
        if suffix in IMAGE_SUFFIXES:
            images[file.name] = file.read_size()
        elif parts[-1].lower() in (ABOUT_THE_FOLDER, MANIFEST_FILE):
            continue
        elif suffix == MARKDOWN:
            markdown.append(file.read())
        elif suffix not in OTHER_SUFFIXES:
            contents.append(file.read())
    if not all(holds_no_layout(MARKDOWN, content.data) for content in markdown):
        contents += markdown  # also answers without boxes, which a finding counts
    if not contents:
        raise InputError(name, "", "there is no annotation file in it", "Name the folder or archive that has them.")
    return Bundle(name, _sort_by_name(contents), images)
