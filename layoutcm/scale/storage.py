"""Where the files of a partition lie: local folders and, through fsspec if it is installed, object storage.

A place is a path, or an address such as s3://bucket/folder. Files refer to each other by relative paths, so a set
can be moved. A file is written whole: its place has the old bytes or the new ones, never a part of them.

Manifests, parts and results are not trusted: the paths in them may only lead into folders that the user named
(`trusted_place`), and their Parquet and JSON are read under the limits of other files.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.own_parquet import OwnParquet, damaged_errors
from layoutcm.formats.source_files import refuse_unlisted
from layoutcm.layouts import limits
from layoutcm.layouts.page_names import natural_sort_key
from layoutcm.layouts.stored_facts import ATTRIBUTE
from layoutcm.lazy import pa, pq
from layoutcm.outputs.files import open_whole, remove_left_behind

SCHEME, CHAIN = "://", "::"  # the second one is in addresses of fsspec that lead through other addresses
COMPARE_AGAIN = "Run layoutcm compare-parts again: it writes this file again."
TRUST_IT = "If it is yours, name the folder that it is in: --trust DIR (trusted=)."
Place = str | os.PathLike[str]
Columns = Sequence[str] | Callable[[Sequence[str]], Sequence[str]] | None
LONGEST_REASON = 300
# What a column holds; all others hold numbers. Only those in MAY_MISS may have nulls.
TEXTS = ("page", "pred_page", "document", "page_key", "file_document")
WHOLE = ("number", "part", "regions", "gt", "pred", "how", "gt_part", "pred_part")
MAY_MISS = ("pred_page", "page_key", "file_document", "number")
LISTS = ("pair", "pair_pixels")
T = TypeVar("T")


def is_remote(place: Place) -> bool:
    return SCHEME in os.fspath(place)


def join(folder: Place, *names: str) -> str:
    """The place of a file below a folder; `names` may go up with `..`, and an address stays as it is.

    `..` after a link to a folder is the parent of the folder that it leads to, as in `relative_to`.
    """
    if names and (is_remote(names[-1]) or os.path.isabs(names[-1])):
        return names[-1]
    scheme, rest = _split(folder)
    if not scheme and any(name.startswith("..") for name in names):
        rest = Path(os.path.realpath(rest)).as_posix()
    return scheme + posixpath.normpath(posixpath.join(rest or ".", *names))


def absolute(place: Place) -> str:
    """The place as a process in any folder of this host finds it."""
    return os.fspath(place) if is_remote(place) else os.path.abspath(place)


def folder_of(place: Place) -> str:
    scheme, rest = _split(place)
    return scheme + (posixpath.dirname(rest) or ("" if scheme else "."))


def name_of(place: Place) -> str:
    return posixpath.basename(_split(place)[1].rstrip("/"))


def relative_to(place: Place, folder: Place) -> str:
    """The place as seen from a folder; unchanged if one of them lies on another storage."""
    (scheme, rest), (other, start) = _split(place), _split(folder)
    if scheme != other:
        return os.fspath(place) if scheme else os.path.abspath(place)
    if scheme:
        return posixpath.relpath("/" + rest, "/" + start)
    # Folders behind links; a file keeps its name, even if it is a link itself.
    parent, name = os.path.split(os.path.abspath(rest))
    return Path(os.path.relpath(os.path.join(os.path.realpath(parent), name), os.path.realpath(start))).as_posix()


def is_below(place: Place, folder: Place) -> bool:
    """Whether a place is a folder, or inside it."""
    seen = relative_to(place, folder)
    return seen.partition("/")[0] != ".." and not is_remote(seen) and not os.path.isabs(seen)


def trusted_place(folder: Place, name: str, trusted: Sequence[Place], file: str, place: str) -> str:
    """The place that a file names, seen from a folder; an InputError if it is not below one of the trusted folders.

    Links are followed first. `file` and `place` say where the name was read.
    """
    found = "" if "\0" in name or CHAIN in name else join(folder, name)
    if not found or not any(_leads_below(found, one) for one in trusted):
        problem = f"{short_repr(name)} leads out of the folders that were named"
        raise InputError(file, place, problem, TRUST_IT)
    return found


def inside(folder: Place, *names: str) -> str:
    """The place of a file of a result, below its folder; an InputError if a link leads out of it."""
    return trusted_place(folder, posixpath.join(*names), (folder,), os.fspath(folder), "")


def _leads_below(place: str, folder: Place) -> bool:
    (scheme, rest), (other, start) = _split(place), _split(folder)
    if scheme != other:
        return False
    if not scheme:
        rest, start = os.path.realpath(rest), os.path.realpath(start)
        return rest != start and os.path.commonpath((rest, start)) == start
    start = posixpath.normpath(start)
    return not start.startswith(".") and posixpath.normpath(rest).startswith(start.rstrip("/") + "/")


def _split(place: Place) -> tuple[str, str]:
    """("s3://", "bucket/folder") or ("", path)."""
    text = os.fspath(place)
    if not is_remote(text):
        return "", Path(text).as_posix()
    scheme, _, rest = text.partition(SCHEME)
    return scheme + SCHEME, rest


def _filesystem(place: Place) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        problem = "this is not a local path, and fsspec is not installed"
        raise InputError(os.fspath(place), "", problem, "Install layoutcm[dask], or fsspec and s3fs.") from None
    with _failures_named(place):
        filesystem, path = fsspec.core.url_to_fs(os.fspath(place))
        return filesystem, path


@contextmanager
def _failures_named(place: Place, done: str = "read") -> Iterator[None]:
    """Turn what reading or writing raises into an InputError that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(os.fspath(place), "", "there is no such file", "Check the name and the folder.") from None
    except IsADirectoryError:
        raise InputError(os.fspath(place), "", "this is a folder, and not a file", "Name files in it.") from None
    except NotADirectoryError:
        raise InputError(folder_of(place), "", "this is a file, and not a folder", "Name its folder.") from None
    except (OSError, ValueError, ImportError) as error:
        raise InputError(os.fspath(place), "", f"cannot be {done}: {error}", "Check the name and its access.") from None


@contextmanager
def open_input(place: Place) -> Iterator[BinaryIO]:
    """Yield a file to read from, at any position."""
    if is_remote(place):
        filesystem, path = _filesystem(place)
        with _failures_named(place):
            filesystem.invalidate_cache()
            file = filesystem.open(path, "rb")
    else:
        with _failures_named(place):
            if not stat.S_ISREG(os.stat(place).st_mode) and not os.path.isdir(place):
                raise OSError("this is a device or a pipe, and not a file")
            file = open(place, "rb")  # noqa: SIM115 - closed below
    with file:
        yield file


@contextmanager
def open_output(place: Place) -> Iterator[BinaryIO]:
    """Yield a file to write into, which takes its place when all its bytes are written. Makes the folder."""
    if not is_remote(place):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        with open_whole(place, sweep=False) as local:  # `remove_unfinished` is called once for all files
            yield local
        return
    # An object is stored when all its bytes have arrived. A block that fails must not close the file, which stores it.
    import tempfile

    with tempfile.TemporaryFile() as spooled:
        yield spooled
        spooled.seek(0)
        filesystem, path = _filesystem(place)
        with _failures_named(place, "written"), filesystem.open(path, "wb") as remote:
            while data := spooled.read(1 << 24):
                remote.write(data)


def remove_files(folder: Place, names: Iterable[str]) -> None:
    """Remove these files of a folder in a storage, as far as they are there."""
    filesystem, path = _filesystem(folder)
    with _failures_named(folder, "removed"):
        for name in names:
            if filesystem.exists(f"{path}/{name}"):
                filesystem.rm_file(f"{path}/{name}")


def remove_unfinished(folder: Place) -> None:
    """Remove unfinished files of killed processes from a folder and its folders; object storage has no such files."""
    if not is_remote(folder):
        for place in (folder, *(path for path in Path(folder).iterdir() if path.is_dir())):
            remove_left_behind(place)


def read_bytes(place: Place) -> bytes:
    with open_input(place) as file:
        if file.seek(0, io.SEEK_END) > limits.MAX_FILE_BYTES:
            raise InputError(os.fspath(place), "", "the file is too large to be read", "Check what wrote it.")
        file.seek(0)
        return file.read()


@contextmanager
def damage_named(place: Place, hint: str = COMPARE_AGAIN) -> Iterator[None]:
    """Turn what a damaged file raises while it is decoded and used into an InputError that names it."""
    try:
        yield
    except damaged_errors() as error:
        reason = " ".join(str(error).split())[:LONGEST_REASON] or type(error).__name__
        raise InputError(os.fspath(place), "", f"this file is damaged: {reason}", hint) from None


def read_json(place: Place, type: type[T], what: str, hint: str) -> T:
    """A value of this type; an InputError with the hint if the file is not `what` it should be."""
    try:
        return msgspec.json.decode(read_bytes(place), type=type)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(os.fspath(place), "", f"this is not a {what}: {error}", hint) from None


def read_parquet(
    place: Place,
    columns: Columns = None,
    repeated: Columns = (),
    hint: str = COMPARE_AGAIN,
    rows: int | None = None,
    texts: Sequence[str] = TEXTS,
) -> pa.Table:
    """Some or all (None) columns of a Parquet file; columns that repeat their texts become dictionaries.

    A function chooses from the names of all columns. An InputError with the hint if the file is damaged, if a column
    has values of another kind, or if there are not as many `rows`.
    `pyarrow.parquet.read_table` would read ahead on several threads, which takes more memory and no less time.
    """
    with open_input(place) as file, damage_named(place, hint):
        own = OwnParquet(os.fspath(place), file)
        names, codes = (one(own.names) if callable(one) else one for one in (columns, repeated))
        table = own.read(own.names if names is None else names)
        _check_kinds(table, texts)
        if rows is not None and table.num_rows != rows:
            raise ValueError(f"{table.num_rows:,} rows instead of {rows:,}")
        return own.with_plain_texts(table, codes or ())


def _check_kinds(table: pa.Table, texts: Sequence[str]) -> None:
    for name, column in zip(table.column_names, table.columns):
        is_attribute = name.startswith(ATTRIBUTE)
        if not _has_kind(name, column.type, name in texts or is_attribute):
            raise ValueError(f"the column {name} holds {column.type}")
        inner = [chunk.flatten().null_count for chunk in column.chunks] if name in LISTS else []
        if (column.null_count or any(inner)) and not (name in MAY_MISS or is_attribute):
            raise ValueError(f"the column {name} has rows without a value")


def _has_kind(name: str, kind: pa.DataType, has_texts: bool = False) -> bool:
    if has_texts:
        return pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)
    if name in LISTS:
        return pa.types.is_list(kind) and _has_kind("", kind.value_type)
    if name == "split":
        return bool(pa.types.is_boolean(kind))
    return pa.types.is_integer(kind) or (pa.types.is_floating(kind) and name not in WHOLE)


def digest_of(data: bytes) -> str:
    """The digest by which files of a set refer to each other."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def parquet_bytes(table: pa.Table, **options: Any) -> bytes:
    """A table as a Parquet file; the options are those of `pyarrow.parquet.write_table`."""
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def write_bytes(place: Place, data: bytes) -> None:
    with open_output(place) as file:
        file.write(data)


def exists(place: Place) -> bool:
    if is_remote(place):
        filesystem, path = _filesystem(place)
        filesystem.invalidate_cache()
        return bool(filesystem.exists(path))
    return os.path.exists(place)


def list_files(folder: Place, suffix: str) -> list[str]:
    """The names of the files in a folder and below it, relative to it, page 2 before page 10."""
    if is_remote(folder):
        filesystem, path = _filesystem(folder)
        filesystem.invalidate_cache()
        with _failures_named(folder):
            found = [posixpath.relpath(one, path) for one in filesystem.find(path)]
    elif not os.path.isdir(folder):
        raise InputError(os.fspath(folder), "", "there is no such folder", "Check the name.")
    else:
        walked = (Path(where, name) for where, _, names in os.walk(folder, onerror=refuse_unlisted) for name in names)
        found = [path.relative_to(folder).as_posix() for path in walked if path.is_file()]
    visible = (name for name in found if not any(part.startswith((".", "_")) for part in name.split("/")))
    return sorted((name for name in visible if name.lower().endswith(suffix)), key=natural_sort_key)
