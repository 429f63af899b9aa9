"""Session files (.layoutcm): everything that a visitor has loaded and chosen, in one zip that can be opened again.

`session.json` says what the other files are: the layouts in Parquet, as they were read, before repairs and mapping;
page maps; and page images if they were wanted. The file has no paths of the machine on which it was written. Without
Streamlit: writing and reading (`session_reading`) run in another process (`guarded_reading`).
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

import layoutcm
from layoutcm.alignment.taxonomy import PREDS
from layoutcm.drawing.page_images import PDF, Picture
from layoutcm.errors import InputError
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, base_name
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.table_writers import as_parquet
from layoutcm.ui.choice_rules import ChosenMapping
from layoutcm.ui.region_rows import rows_of
from layoutcm.ui.visitor_files import InputFile, read_layout

SUFFIX = ".layoutcm"
VERSION = 1
CONTENTS = "session.json"
OLDEST_DATE = (1980, 1, 1, 0, 0, 0)  # of all members: the same session gives the same bytes
PICTURE_SUFFIXES = (*IMAGE_SUFFIXES, PDF)
Members = dict[str, bytes]  # {name in the zip: content}
_FIRST_NAME = slice(30, 30 + len(CONTENTS))  # in a zip, the name of the first file


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
    """The session without the other predictions: what names predictions by position gets the new positions."""
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
    """The layout under the name that the visitor sees, also in its findings: a folder is read under its path."""
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
    origin = {"name": layout.name, "format": layout.format, "sha256": layout.sha256}
    rows = rows_of(layout)
    if rows:
        origin["rows"] = f"layouts/{name}.rows"
        members[f"layouts/{name}.rows"] = rows
    return {"file": f"layouts/{name}.parquet", **origin}


def _as_json(facts: dict[str, Any]) -> bytes:
    """UTF-8 text that a person can read; bytes of a file name that are no text (lone surrogates) become \\udce9."""
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
