"""Group files that were dropped together into layouts with their companions (page images, lists of names).

Several files may be several layouts or the pages of one. The formats decide: a COCO file holds a whole layout, a YOLO
file holds one page. Where this is wrong, the visitor can change it. Without Streamlit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from layoutcm.ui.file_facts import COMPANION, IMAGE, LAYOUTS, PART, UNKNOWN, FileFacts
from layoutcm.ui.visitor_files import InputFile, join_inputs

PDF, ZIP, PARQUET = ".pdf", ".zip", ".parquet"
_SHARD = re.compile(r"[-_.]?(?:part[-_.]?)?\d++[-_]of[-_]\d++")  # a data set in several files
GT_WORDS = frozenset((
    "gt", "gts", "groundtruth", "truth", "gold", "golden", "reference", "ref", "annotation", "annotations",
    "annotated", "annot", "annotator", "target", "targets", "human", "instances",
))  # fmt: skip
PRED_WORDS = frozenset((
    "pred", "preds", "predicted", "prediction", "predictions", "predict", "model", "models", "result", "results",
    "detection", "detections", "det", "dets", "output", "outputs", "inference", "infer", "run", "hyp", "hypothesis",
    "system", "candidate", "checkpoint", "ckpt", "epoch",
))  # fmt: skip


@dataclass(frozen=True)
class DroppedFile:
    """A file with what it is; its number is its own in a session, because the same file may be dropped twice."""

    given: InputFile
    facts: FileFacts
    number: int


@dataclass(frozen=True)
class Group:
    """Files that belong together: a layout with its companions, all loose page images, or one other file."""

    files: tuple[DroppedFile, ...]
    companions: tuple[DroppedFile, ...] = ()

    @property
    def facts(self) -> FileFacts:
        return self.files[0].facts

    @property
    def number(self) -> int:
        return self.files[0].number

    @property
    def name(self) -> str:
        return self.input.name

    @property
    def input(self) -> InputFile:
        """All files as one input, named after those that have regions."""
        own = join_inputs([one.given for one in self.files])
        if not self.companions:
            return own
        return replace(join_inputs([one.given for one in (*self.files, *self.companions)]), name=own.name)


def join_groups(one: Group, other: Group) -> Group:
    """Both as one layout; a companion of both is kept once."""
    return Group((*one.files, *other.files), tuple(dict.fromkeys((*one.companions, *other.companions))))


def side_by_name(name: str) -> str:
    """ "gt" or "pred" if the words of a file's name say so; "" if they say nothing, or both."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    words |= set(re.findall(r"[a-z]+", PurePosixPath(name.replace("\\", "/")).stem.lower()))
    found = [side for side, known in (("gt", GT_WORDS), ("pred", PRED_WORDS)) if words & known]
    return found[0] if len(found) == 1 else ""


def group_files(files: Sequence[DroppedFile], separate: Collection[str] = ()) -> list[Group]:
    """The groups, in the order of their first files; the parts of formats in `separate` are layouts of their own."""
    members: dict[object, list[DroppedFile]] = {}
    seen: Counter[object] = Counter()
    for one in files:
        key = _group_key(one, separate)
        if one.facts.kind == PART and key != one.number:  # a name that comes again is a page of another layout
            seen[key, one.given.name] += 1
            key = (key, seen[key, one.given.name])
        members.setdefault(key, []).append(one)
    groups = [Group(tuple(found)) for found in members.values()]
    return _with_companions(_with_unknown_pages(groups))


def _group_key(one: DroppedFile, separate: Collection[str]) -> object:
    """Files with the same key are one group."""
    kind, format, name = one.facts.kind, one.facts.format, one.given.name
    if kind == PART and format not in separate:
        return kind, format, side_by_name(name)
    if kind in LAYOUTS and _SHARD.search(name):
        return kind, format, _SHARD.sub("", name)
    loose_image = kind == IMAGE and not name.lower().endswith((PDF, ZIP, PARQUET))
    return kind if kind == COMPANION or loose_image else one.number


def _with_unknown_pages(groups: list[Group]) -> list[Group]:
    """Files that are not recognised go with pages of the same suffix, as in a folder."""
    found: list[Group] = []
    several = [one for one in groups if one.facts.kind == PART and len(one.files) > 1]
    for group in groups:
        if group.facts.kind == UNKNOWN and any(_suffix(group) == _suffix(one) for one in several):
            continue
        if group in several:
            others = [one for one in groups if one.facts.kind == UNKNOWN and _suffix(one) == _suffix(group)]
            group = replace(group, companions=tuple(file for one in others for file in one.files))
        found.append(group)
    return found


def _with_companions(groups: list[Group]) -> list[Group]:
    """Page images give sizes to layouts that may have none; a list of names is for formats without label names."""
    images = [file for one in groups if one.facts.kind == IMAGE for file in one.files if file.facts.kind == IMAGE]
    names = [file for one in groups if one.facts.kind == COMPANION for file in one.files]
    takes_names = [one for one in groups if one.facts.kind == PART or _is_zip(one)]
    found = []
    for group in groups:
        if group.facts.kind == COMPANION and takes_names:
            continue
        if group.facts.kind in LAYOUTS:
            sizes = [one for one in images if not one.given.name.lower().endswith((PDF, ZIP))]
            more = (*(() if group.facts.has_sizes else sizes), *(names if group in takes_names else ()))
            group = replace(group, companions=(*group.companions, *more))
        found.append(group)
    return found


def _is_zip(group: Group) -> bool:
    return group.facts.kind in LAYOUTS and _suffix(group) == ZIP


def _suffix(group: Group) -> str:
    return PurePosixPath(group.files[0].given.name).suffix.lower()
