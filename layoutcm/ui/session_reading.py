"""Read a session file that is not trusted: all of it is checked before anything is returned.

Without Streamlit: it runs in another process (`guarded_reading`).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec

from layoutcm.alignment.taxonomy import PREDS
from layoutcm.drawing.page_images import ImageFile, Picture, images_from_files
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.archives import Archive, Budget, open_archive
from layoutcm.formats.content import FileContent
from layoutcm.formats.parquet_files import MAGIC
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.page_names import base_name
from layoutcm.ui.choice_rules import ChosenMapping, are_repairs, checked_mapping
from layoutcm.ui.session_files import CONTENTS, PICTURE_SUFFIXES, VERSION, SessionContents, suffix_of
from layoutcm.ui.visitor_files import InputFile, Origin, input_from_bytes, read_layout, read_page_map, stored_input

LARGEST_CONTENTS = 16 << 20  # bytes of session.json; a decision about a region takes about a hundred
MOST_PREDICTIONS = 100
SAVE_AGAIN = "Save the session again."
UPDATE = "Update layoutcm, or ask for a session that was saved with an earlier version."

Name = Annotated[str, msgspec.Meta(max_length=limits.MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=1 << 16)]  # of a choice; the longest are families
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class StoredFile(msgspec.Struct):
    file: Name
    name: Name


class StoredLayout(msgspec.Struct):
    file: Name
    name: Name
    format: Name
    sha256: Digest | None = None
    rows: Name = ""
    page_map: StoredFile | None = None


class StoredImage(msgspec.Struct):
    file: Name
    name: Name
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
class Members:
    """The files of a session file; all together are unpacked within one budget."""

    archive: Archive
    by_name: dict[str, zipfile.ZipInfo]
    budget: Budget

    def read(self, name: str, most: int = limits.MAX_UNPACKED) -> bytes:
        member = self.by_name.get(name)
        if member is None:
            raise InputError(self.archive.name, short_repr(name), "this file is missing in the session", SAVE_AGAIN)
        if member.file_size > most:
            problem = f"{member.file_size:,} bytes, at most {most:,} are read"
            raise InputError(self.archive.name, short_repr(name), problem, SAVE_AGAIN)
        return self.archive.read(member, self.budget)


def read_session(given: InputFile) -> SessionContents:
    """Everything that a session file holds; raises InputError."""
    data = read_bytes(given.path) if given.path else given.data
    archive = open_archive(given.name, data)
    members = Members(archive, {one.filename: one for one in archive.members}, archive.new_budget())
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


def _decode(file: str, members: Members) -> StoredSession:
    if CONTENTS not in members.by_name:
        raise InputError(file, "", f"this is no session of layoutcm: it has no {CONTENTS}", "Drop a saved session.")
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


def _layout(members: Members, stored: StoredLayout) -> InputFile:
    """One layout, read once to know that it can be read."""
    with _inside(members.archive.name, stored.file):
        data = members.read(stored.file)
        if not data.startswith(MAGIC):
            raise InputError("", "", "this is not a Parquet file", SAVE_AGAIN)
        rows = members.read(stored.rows) if stored.rows else b""
        given = stored_input(base_name(stored.name), data, Origin(stored.format, stored.sha256, rows))
        read_layout(given, None, None, "")
        return given


def _page_map(members: Members, stored: StoredFile | None) -> InputFile | None:
    if stored is None:
        return None
    with _inside(members.archive.name, stored.file):
        given = input_from_bytes(base_name(stored.name), members.read(stored.file))
        read_page_map(given)
        return given


def _pictures(members: Members, images: list[StoredImage]) -> tuple[Picture, ...]:
    files, other_names = [], {}
    for image in images:
        with _inside(members.archive.name, image.file):
            if suffix_of(image.name) not in PICTURE_SUFFIXES:
                raise InputError("", "", f"{short_repr(image.name)} is no page image", SAVE_AGAIN)
            given = input_from_bytes(image.name, members.read(image.file, limits.MAX_PICTURE_BYTES))
        files.append(ImageFile(given.name, given.digest, given.data))
        other_names[given.name, given.digest] = tuple(image.other_names)
    with _inside(members.archive.name):
        found = images_from_files(files).pictures
    return tuple(replace(one, other_names=other_names[one.file, one.digest]) for one in found)
