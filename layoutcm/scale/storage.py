"""Where the files of a partition lie: local folders and, through fsspec if it is installed, object storage.

A place is a path, or an address such as s3://bucket/folder. Files refer to each other by relative paths, so a set
can be moved. A file is written whole: its place has the old bytes or the new ones, never a part of them.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.source_files import refuse_unlisted
from layoutcm.layouts.page_names import natural_sort_key
from layoutcm.lazy import pa, pq
from layoutcm.outputs.files import open_whole, remove_left_behind

SCHEME = "://"
Place = str | os.PathLike[str]
Columns = Sequence[str] | Callable[[Sequence[str]], Sequence[str]] | None
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
        return file.read()


def read_json(place: Place, type: type[T], what: str, hint: str) -> T:
    """A value of this type; an InputError with the hint if the file is not `what` it should be."""
    try:
        return msgspec.json.decode(read_bytes(place), type=type)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(os.fspath(place), "", f"this is not a {what}: {error}", hint) from None


def read_parquet(
    place: Place,
    columns: Columns = None,
    repeated: Columns = (),
    hint: str = "Run layoutcm compare-parts again: it writes this file again.",
) -> pa.Table:
    """Some or all (None) columns of a Parquet file; columns that repeat their texts become dictionaries.

    A function chooses from the names of all columns. An InputError with the hint if the file is damaged.
    `pyarrow.parquet.read_table` would read ahead on several threads, which takes more memory and no less time.
    """
    with open_input(place) as file:
        try:
            # The names of all columns are asked for only if they are needed: it takes half of the time of a small file.
            known = pq.read_schema(file).names if callable(columns) or callable(repeated) else []
            names, codes = (one(known) if callable(one) else one for one in (columns, repeated))
            stored = pq.ParquetFile(file, read_dictionary=codes, page_checksum_verification=True)
            table = stored.read(names, use_threads=False)
            return table if names is None else table.select(names)
        except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(os.fspath(place), "", f"this file is damaged: {reason}", hint) from None


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
