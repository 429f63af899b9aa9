"""Group dropped files into layouts with their companions, and guess the role of each: ground truth, prediction, other.

Several files may be several layouts or the pages of one. The formats decide: a COCO file holds a whole layout, a YOLO
file holds one page. The evidence for a ground truth: words in the name of the file, the absence of scores, and a format
in which people annotate rather than tools predict. What the visitor has chosen stays. Without Streamlit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from layoutcm.formats.registry import ANSWER, BY_NAME
from layoutcm.ui.files import file_facts
from layoutcm.ui.files.file_facts import COMPANION, LAYOUTS, PART, SKIPPED, UNKNOWN, FileFacts
from layoutcm.ui.files.input_file import InputFile, join_inputs

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
GT, PRED, UNUSED = "gt", "pred", "unused"
# A file of one of these kinds has the role of this name.
IMAGES, MAPPING, FAMILIES = file_facts.IMAGES, file_facts.MAPPING, file_facts.FAMILIES
PAGE_MAP, ATTRIBUTES, SESSION = file_facts.PAGE_MAP, file_facts.ATTRIBUTES, file_facts.SESSION
ROLES = {
    GT: "Ground truth",
    PRED: "Prediction",
    IMAGES: "Page images or PDF",
    MAPPING: "Mapping",
    FAMILIES: "Families",
    PAGE_MAP: "Page map",
    ATTRIBUTES: "Page attributes",
    SESSION: "Saved session",
    UNUSED: "Not used",
}
RESULTS = "coco-results"  # it has neither page sizes nor label names: never a ground truth
ANNOTATED = frozenset((
    "coco", "voc", "cvat", "labelme", "labelme-xml", "label-studio", "via", "via3", "darwin", "supervisely", "labelbox",
    "labelbox-v1", "labelbox-import", "prodigy", "createml", "ctdar", "docbank", "hf-doclaynet", "omnidocbench",
    "pdffigures2-gt",
))  # fmt: skip
PREDICTED = frozenset((
    RESULTS, "omnidocbench-pred", "docling", "docling-serve", "docling-layout", "doctags", "paddlex", "mineru",
    "mineru-model", "mineru-content", "mineru-content-v2", "mineru-vlm", "mistral-ocr", "upstage", "adobe-extract",
    "opendataloader", "llamaparse", "pdffigures2", "grobid", "abbyy", "unstructured", "surya", "huridocs",
    "layoutparser", "layoutparser-csv", "marker", "azure", "textract", "docai",
))  # fmt: skip
# The weights of the evidence: a name says more than scores, and scores say more than a format.
BY_NAME_OF_FILE, BY_SCORES, BY_FORMAT = 4, 2, 1
LEAST_ALONE, LEAST = 0, -BY_SCORES  # the evidence that a ground truth needs: alone, and beside other layouts


@dataclass(frozen=True)
class DroppedFile:
    """A dropped file and its facts; the number tells files of a session apart, also if one is dropped twice."""

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
    loose_image = kind == IMAGES and not name.lower().endswith((PDF, ZIP, PARQUET))
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
    images = [file for one in groups if one.facts.kind == IMAGES for file in one.files if file.facts.kind == IMAGES]
    names = [file for one in groups if one.facts.kind == COMPANION for file in one.files]
    takes_names = [
        one for one in groups if one.facts.kind == PART or (one.facts.kind in LAYOUTS and _suffix(one) == ZIP)
    ]
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


def _suffix(group: Group) -> str:
    return PurePosixPath(group.files[0].given.name).suffix.lower()


@dataclass(frozen=True)
class Card:
    """A group of files and its role."""

    group: Group
    role: str

    @property
    def number(self) -> int:
        return self.group.number

    @property
    def name(self) -> str:
        return self.group.name


def evidence_for_gt(group: Group) -> int:
    """Above 0: the layout seems to be a ground truth; below 0: a prediction."""
    side, facts = side_by_name(group.files[0].given.name), group.facts
    by_name = {"gt": BY_NAME_OF_FILE, "pred": -BY_NAME_OF_FILE}.get(side, 0)
    predicted = facts.format in PREDICTED or (facts.format in BY_NAME and BY_NAME[facts.format].holds == ANSWER)
    by_format = BY_FORMAT * ((facts.format in ANNOTATED) - predicted)
    return by_name - BY_SCORES * facts.has_scores + by_format


def guess_roles(groups: Sequence[Group], chosen: Mapping[int, str], truth: bool = True) -> list[str]:
    """The role of every group; `chosen` are roles by the number of a group, `truth` says whether one is the truth."""
    usual = dict.fromkeys(LAYOUTS, PRED) | dict(zip(ROLES, ROLES))
    roles = [chosen.get(one.number) or usual.get(one.facts.kind, UNUSED) for one in groups]
    may_be_gt = [
        i for i, one in enumerate(groups)
        if one.facts.kind in LAYOUTS and one.facts.format != RESULTS and one.number not in chosen
    ]  # fmt: skip
    if GT not in roles and may_be_gt:
        best = max(may_be_gt, key=lambda i: (evidence_for_gt(groups[i]), -i))
        if not truth or evidence_for_gt(groups[best]) >= (LEAST_ALONE if roles.count(PRED) == 1 else LEAST):
            roles[best] = GT
    return roles


def make_cards(
    groups: Sequence[Group], chosen: Mapping[int, str], joined: Sequence[str] = (), truth: bool = True
) -> tuple[Card, ...]:
    """A card for each group, in the order of roles; the predictions of formats in `joined` are one prediction."""
    roles = guess_roles(groups, chosen, truth)
    cards: list[Card] = []
    at: dict[str, int] = {}
    for group, role in zip(groups, roles):
        format = group.facts.format
        if role == PRED and format in joined and format in at:
            first = cards[at[format]].group
            companions = tuple(dict.fromkeys((*first.companions, *group.companions)))  # one of both is kept once
            cards[at[format]] = Card(Group((*first.files, *group.files), companions), PRED)
            continue
        if role == PRED:
            at.setdefault(format, len(cards))
        cards.append(Card(group, role))
    order = list(ROLES)
    return tuple(sorted(cards, key=lambda one: order.index(one.role)))


def roles_offered(card: Card) -> list[str]:
    """The roles that a file of this kind can have; a file that is not recognised may be anything."""
    kind, format = card.group.facts.kind, card.group.facts.format
    texts = [MAPPING, FAMILIES, PAGE_MAP]
    if kind in LAYOUTS:
        gt = [] if format == RESULTS else [GT]
        images = [IMAGES] if card.name.lower().endswith(".zip") else []
        offered = [*gt, PRED, *([PAGE_MAP, ATTRIBUTES] if format == "csv" else []), *images]
    else:
        offered = {
            IMAGES: [IMAGES],
            SESSION: [SESSION],
            PAGE_MAP: [*texts, ATTRIBUTES],
            ATTRIBUTES: [PAGE_MAP, ATTRIBUTES, GT, PRED],
            UNKNOWN: [GT, PRED, IMAGES, *texts, ATTRIBUTES],
            SKIPPED: [],
        }.get(kind, texts)
    return [*offered, UNUSED]


def seem_swapped(gt: Card, preds: Sequence[Card], gt_scores: bool, pred_scores: bool) -> str:
    """Say why ground truth and prediction seem to be swapped; "" if they do not."""
    if gt_scores and not pred_scores:
        return "the ground truth has scores, the prediction has none"
    sides = side_by_name(gt.name), [side_by_name(one.name) for one in preds]
    is_named_so = sides[0] == "pred" and "gt" in sides[1]
    return "the names of the files say so" if is_named_so and not pred_scores else ""


def seems_no_truth(gt: Card, gt_scores: bool) -> bool:
    """Whether the assumed ground truth may be a prediction: it has scores, and its name does not say ground truth."""
    return gt_scores and side_by_name(gt.name) != "gt"
