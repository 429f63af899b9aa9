"""Session files (.layoutcm): everything that a visitor has loaded and chosen, in one zip that can be opened again.

`session.json` says what the other files are: the layouts in Parquet, as they were read, before repairs and mapping;
page maps; and page images if they were wanted. The file has no paths of the machine on which it was written. A file
that is read is not trusted: all of it is checked before anything is returned. Without Streamlit: writing and reading
run in another process (`guarded_reading`).
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Annotated, Any

import msgspec

import layoutcm
from layoutcm.alignment.taxonomy import PREDS
from layoutcm.drawing.page_images import PDF, ImageFile, Picture, images_from_files
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.archives import Archive, Budget, open_archive
from layoutcm.formats.content import FileContent
from layoutcm.formats.parquet_files import MAGIC
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, base_name
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.table_writers import as_parquet
from layoutcm.ui.files.input_file import (
    InputFile,
    Origin,
    input_from_bytes,
    read_layout,
    read_page_map,
    rows_of,
    stored_input,
)
from layoutcm.ui.files.repairs_and_mapping import ChosenMapping, are_repairs, checked_mapping

SUFFIX = ".layoutcm"
VERSION = 1
CONTENTS = "session.json"
OLDEST_DATE = (1980, 1, 1, 0, 0, 0)  # of all members: the same session gives the same bytes
PICTURE_SUFFIXES = (*IMAGE_SUFFIXES, PDF)
Members = dict[str, bytes]  # {name in the zip: content}
_FIRST_NAME = slice(30, 30 + len(CONTENTS))  # in a zip, the name of the first file
LARGEST_CONTENTS = 16 << 20  # bytes of session.json; a decision about a region takes about a hundred
MOST_PREDICTIONS = 100
SAVE_AGAIN = "Save the session again."
UPDATE = "Update layoutcm, or ask for a session that was saved with an earlier version."

Name = Annotated[str, msgspec.Meta(max_length=limits.MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=1 << 16)]  # of a choice; the longest are families
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class SessionContents:
    """What a session file holds; `choices` are texts as in an address."""

    gt: InputFile
    preds: tuple[InputFile, ...]
    page_maps: tuple[InputFile | None, ...]  # of every prediction
    sizes: str = ""  # a page size for files that have none; a stored layout has its sizes
    mapping: ChosenMapping = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    choices: dict[str, str] = field(default_factory=dict)
    decisions: dict[str, Any] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()
    left_out: tuple[str, ...] = ()  # predictions that could not be read when the session was saved
    attributes: InputFile | None = None  # of the pages of gt; a stored layout has them

    @property
    def size(self) -> int:
        """The bytes of the files that are read."""
        files = (self.gt, *self.preds, *(one for one in self.page_maps if one))
        return sum(one.size for one in files) + picture_bytes(self.pictures)


def is_session_file(name: str, data: bytes = b"") -> bool:
    """Whether a file is a session by its suffix, or by the first file in it, if a program has renamed it."""
    return name.lower().endswith(SUFFIX) or data[_FIRST_NAME] == CONTENTS.encode()


def write_session(contents: SessionContents) -> bytes:
    """The session as a zip. A prediction that cannot be read is left out; only its name is kept."""
    gt = read_layout(contents.gt, None, None, contents.sizes, contents.attributes)
    like = repair(gt, _repairs_of(contents.repairs, "gt"))
    layouts: dict[int, Layout] = {}
    for i, (given, page_map) in enumerate(zip(contents.preds, contents.page_maps)):
        try:
            layouts[i] = read_layout(given, like, page_map, contents.sizes)
        except InputError:
            continue
    kept = _only_predictions(contents, list(layouts))
    stored = [_without_paths(gt, kept.gt), *map(_without_paths, layouts.values(), kept.preds)]
    return _zipped(kept, stored)


def _repairs_of(repairs: Iterable[str], side: str) -> list[str]:
    named = (text.partition("=") for text in repairs)
    return [one for own, _, several in named if own == side for one in several.split(",")]


def _only_predictions(contents: SessionContents, kept: list[int]) -> SessionContents:
    """The session with only these predictions; mapping, repairs and choices name them by their new positions."""
    if len(kept) == len(contents.preds):
        return contents
    if not kept:
        raise InputError("", "", "no prediction of this session can be read", "Load files that can be read.")
    new = {str(old): str(i) for i, old in enumerate(kept)}
    sides = [text.partition("=") for text in contents.repairs]
    own = {new[i]: names for i, names in contents.mapping.get(PREDS, {}).items() if i in new}
    positions = {name: new.get(contents.choices.get(name, "")) for name in ("pred", "baseline", "other")}
    others = {name: value for name, value in contents.choices.items() if name not in positions}
    return replace(
        contents,
        preds=tuple(contents.preds[i] for i in kept),
        page_maps=tuple(contents.page_maps[i] for i in kept),
        repairs=tuple(f"{new.get(side, side)}={one}" for side, _, one in sides if side == "gt" or side in new),
        mapping={side: own if side == PREDS else names for side, names in contents.mapping.items()},
        choices=others | {name: value for name, value in positions.items() if value is not None},
        left_out=tuple(one.name for i, one in enumerate(contents.preds) if i not in kept),
    )


def _without_paths(layout: Layout, given: InputFile) -> Layout:
    """The layout, with names that the visitor knows in place of paths, which a folder has in its findings."""
    paths = [one.path for one in (given, *given.parts) if one.path]
    findings = tuple(replace(one, values=_renamed(dict(one.values), paths)) for one in layout.findings)
    return replace(layout, name=given.name, findings=findings if paths else layout.findings)


def _renamed(value: Any, paths: list[str]) -> Any:
    """The value of a finding, with the base name in place of every path."""
    match value:
        case str():
            for path in paths:
                value = value.replace(path, base_name(path))
            return value
        case dict():
            return {name: _renamed(one, paths) for name, one in value.items()}
        case list() | tuple():
            return [_renamed(one, paths) for one in value]
    return value


def _zipped(contents: SessionContents, layouts: list[Layout]) -> bytes:
    names = ["gt", *(f"pred-{i}" for i in range(len(contents.preds)))]
    texts: Members = {}  # what packs well
    described = [_describe(name, layout, texts) for name, layout in zip(names, layouts)]
    for i, page_map in enumerate(contents.page_maps):
        if page_map:
            file = f"page-maps/{i}{suffix_of(page_map.name)}"
            described[i + 1]["page_map"] = {"file": file, "name": page_map.name}
            texts[file] = page_map.data
    pictures = {
        f"images/{i}{suffix_of(_picture_name(one))}": one for i, one in enumerate(_one_of_each_file(contents.pictures))
    }
    facts = {
        "version": VERSION,
        "written_by": f"layoutcm {layoutcm.__version__}",
        "gt": described[0],
        "predictions": described[1:],
        "mapping": contents.mapping,
        "repairs": contents.repairs,
        "families": contents.choices.get("families", ""),
        "choices": {name: text for name, text in contents.choices.items() if name != "families"},
        "decisions": contents.decisions,
        "images": [
            {"file": file, "name": _picture_name(one), "other_names": _other_names(one)}
            for file, one in pictures.items()
        ],
        "left_out": contents.left_out,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for file, data in ({CONTENTS: _as_json(facts)} | texts).items():
            _add(archive, file, data, zipfile.ZIP_DEFLATED)
        for description, layout in zip(described, layouts):
            _add(archive, description["file"], as_parquet(layout), zipfile.ZIP_STORED)
        for file, picture in pictures.items():
            _add(archive, file, picture.file_bytes(), zipfile.ZIP_STORED)
    return out.getvalue()


def _describe(name: str, layout: Layout, members: Members) -> dict[str, Any]:
    """What session.json says about a layout; the rows of its regions become a member of the zip, if they are needed."""
    file = f"layouts/{name}.parquet"
    described = {"file": file, "name": layout.name, "format": layout.format, "sha256": layout.sha256}
    if rows := rows_of(layout):
        described["rows"] = file = f"layouts/{name}.rows"
        members[file] = rows
    return described


def _as_json(facts: dict[str, Any]) -> bytes:
    """UTF-8 text that a person can read; bytes of a file name that are not text (lone surrogates) become \\udce9."""
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1)
    return re.sub(r"[\ud800-\udfff]", lambda found: rf"\\u{ord(found[0]):04x}", text).encode()


def _add(archive: zipfile.ZipFile, name: str, data: bytes, method: int) -> None:
    member = zipfile.ZipInfo(name, OLDEST_DATE)
    member.create_system, member.external_attr, member.compress_type = 3, 0o644 << 16, method
    archive.writestr(member, data)


def _one_of_each_file(pictures: Iterable[Picture]) -> list[Picture]:
    """One picture for each image file; a PDF has one for each page."""
    found: dict[object, Picture] = {}
    for one in pictures:
        found.setdefault((one.file, one.digest, one.member, one.row, one.place_in_row), one)
    return list(found.values())


def picture_bytes(pictures: Iterable[Picture]) -> int:
    """The bytes of the image files; of images in a Parquet file, those of the whole file."""
    sizes: dict[object, int] = {}
    for one in _one_of_each_file(pictures):
        size = os.path.getsize(one.path) if one.path else len(one.data)
        key = one.digest if one.row >= 0 else (one.digest, one.file)
        sizes[key] = one.place_in_zip.file_size if one.place_in_zip else size
    return sum(sizes.values())


def _picture_name(picture: Picture) -> str:
    """The name of the image file. One from a row of a Parquet file has only the name of its page."""
    name = picture.name if picture.row >= 0 else picture.file
    return name if picture.row < 0 and suffix_of(name) in PICTURE_SUFFIXES else f"{name}.png"


def _other_names(picture: Picture) -> list[str]:
    return [picture.name, *picture.other_names] if picture.row >= 0 else []


def suffix_of(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


class StoredFile(msgspec.Struct):
    file: Name
    name: Name


class StoredLayout(StoredFile):
    format: Name
    sha256: Digest | None = None
    rows: Name = ""
    page_map: StoredFile | None = None


class StoredImage(StoredFile):
    other_names: list[Name] = []


class StoredSession(msgspec.Struct):
    """session.json; fields that are not known are ignored."""

    gt: StoredLayout
    predictions: Annotated[list[StoredLayout], msgspec.Meta(min_length=1, max_length=MOST_PREDICTIONS)]
    mapping: dict[str, dict[str, Any]] = {}
    repairs: list[str] = []
    families: Text = ""
    choices: dict[Name, Text] = {}
    decisions: dict[str, Any] = {}
    images: Annotated[list[StoredImage], msgspec.Meta(max_length=limits.MAX_PICTURES)] = []
    left_out: list[Name] = []


class StoredVersion(msgspec.Struct):
    """Decoded first: the rest of a later version may look different."""

    version: int


@dataclass(frozen=True)
class ReadMembers:
    """The files of a session file; all together are unpacked within one budget."""

    archive: Archive
    by_name: dict[str, zipfile.ZipInfo]
    budget: Budget

    def read(self, name: str, most: int = limits.MAX_UNPACKED) -> bytes:
        member = self.by_name.get(name)
        if member is None:
            raise InputError(self.archive.name, short_repr(name), "this file is missing in the session", SAVE_AGAIN)
        if member.file_size > most:
            problem = f"{member.file_size:,} bytes, but at most {most:,} can be read"
            raise InputError(self.archive.name, short_repr(name), problem, SAVE_AGAIN)
        return self.archive.read(member, self.budget)


def read_session(given: InputFile) -> SessionContents:
    """Everything that a session file holds; raises InputError."""
    data = read_bytes(given.path) if given.path else given.data
    archive = open_archive(given.name, data)
    members = ReadMembers(archive, {one.filename: one for one in archive.members}, archive.new_budget())
    stored = _decode(given.name, members)
    mapping, repairs = _check_choices(given.name, stored)
    gt = _layout(members, stored.gt)
    return SessionContents(
        gt,
        tuple(_layout(members, one) for one in stored.predictions),
        tuple(_page_map(members, one.page_map) for one in stored.predictions),
        mapping=mapping,
        repairs=repairs,
        choices=stored.choices | ({"families": stored.families} if stored.families else {}),
        decisions=stored.decisions,
        pictures=_pictures(members, stored.images),
        left_out=tuple(map(base_name, stored.left_out)),
    )


def _decode(file: str, members: ReadMembers) -> StoredSession:
    if CONTENTS not in members.by_name:
        raise InputError(file, "", f"this is not a session of layoutcm: it has no {CONTENTS}", "Drop a saved session.")
    content = FileContent(CONTENTS, members.read(CONTENTS, LARGEST_CONTENTS))
    with _inside(file):
        version = content.decode(StoredVersion).version
    if version > VERSION:
        problem = f"this session was written by a newer version of layoutcm (format {version}, known up to {VERSION})"
        raise InputError(file, "", problem, UPDATE)
    if version < VERSION:
        raise InputError(file, f"{CONTENTS}, version", f"{version} is not a version of a session", SAVE_AGAIN)
    with _inside(file):
        return content.decode(StoredSession)


@contextmanager
def _inside(file: str, member: str = "") -> Iterator[None]:
    """Name the session file in an error about one of its files."""
    try:
        yield
    except InputError as error:
        place = ", ".join(part for part in (member or error.file, error.place) if part)
        raise InputError(file, place, error.problem, error.advice) from None


def _check_choices(file: str, stored: StoredSession) -> tuple[ChosenMapping, tuple[str, ...]]:
    """The mapping and the repairs, which change numbers: what is wrong is refused, not ignored."""
    mapping = checked_mapping(stored.mapping, file)
    positions = [*mapping.get(PREDS, {}), *(text.partition("=")[0] for text in stored.repairs)]
    unknown = next((one for one in positions if one.isdecimal() and int(one) >= len(stored.predictions)), None)
    if unknown is not None or not are_repairs(stored.repairs):
        place = f"{CONTENTS}, mapping and repairs"
        problem = "these are not repairs" if unknown is None else f"there is no prediction {unknown}"
        raise InputError(file, place, problem, SAVE_AGAIN)
    return mapping, tuple(stored.repairs)


def _layout(members: ReadMembers, stored: StoredLayout) -> InputFile:
    """One layout, read once to know that it can be read."""
    with _inside(members.archive.name, stored.file):
        data = members.read(stored.file)
        if not data.startswith(MAGIC):
            raise InputError("", "", "this is not a Parquet file", SAVE_AGAIN)
        rows = members.read(stored.rows) if stored.rows else b""
        given = stored_input(base_name(stored.name), data, Origin(stored.format, stored.sha256, rows))
        read_layout(given, None, None, "")
        return given


def _page_map(members: ReadMembers, stored: StoredFile | None) -> InputFile | None:
    if stored is None:
        return None
    with _inside(members.archive.name, stored.file):
        given = input_from_bytes(base_name(stored.name), members.read(stored.file))
        read_page_map(given)
        return given


def _pictures(members: ReadMembers, images: list[StoredImage]) -> tuple[Picture, ...]:
    files, other_names = [], {}
    for image in images:
        with _inside(members.archive.name, image.file):
            if suffix_of(image.name) not in PICTURE_SUFFIXES:
                raise InputError("", "", f"{short_repr(image.name)} is not a page image", SAVE_AGAIN)
            given = input_from_bytes(image.name, members.read(image.file, limits.MAX_PICTURE_BYTES))
        files.append(ImageFile(given.name, given.digest, given.data))
        other_names[given.name, given.digest] = tuple(image.other_names)
    with _inside(members.archive.name):
        found = images_from_files(files).pictures
    return tuple(replace(one, other_names=other_names[one.file, one.digest]) for one in found)
