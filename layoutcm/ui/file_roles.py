"""Guess the role of every dropped file: which layout is the ground truth, which are predictions, what else there is.

The evidence for a ground truth: words in the name of the file, the absence of scores, and a format in which people
annotate rather than tools predict. What the visitor has chosen stays. Without Streamlit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from layoutcm.formats.registry import ANSWER, BY_NAME
from layoutcm.ui import file_facts
from layoutcm.ui.dropped_files import Group, join_groups, side_by_name
from layoutcm.ui.file_facts import LAYOUTS

GT, PRED, IMAGES, MAPPING = "gt", "pred", "images", "mapping"
FAMILIES, PAGE_MAP, ATTRIBUTES = "families", "page map", "attributes"
SESSION, UNUSED = "session", "unused"
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
WITHOUT_TRUTH = {**ROLES, GT: "A", PRED: "B"}
_BY_KIND = {
    file_facts.IMAGE: IMAGES,
    file_facts.MAPPING: MAPPING,
    file_facts.FAMILIES: FAMILIES,
    file_facts.PAGE_MAP: PAGE_MAP,
    file_facts.ATTRIBUTES: ATTRIBUTES,
    file_facts.SESSION: SESSION,
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
LEAST_ALONE, LEAST = 0, -BY_SCORES  # that a ground truth needs: alone, and beside other layouts


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
    roles = [chosen.get(one.number) or _BY_KIND.get(one.facts.kind, UNUSED) for one in groups]
    open_ones = [i for i, one in enumerate(groups) if one.facts.kind in LAYOUTS and one.number not in chosen]
    for i in open_ones:
        roles[i] = PRED
    if GT not in roles and open_ones:
        best = max(open_ones, key=lambda i: (groups[i].facts.format != RESULTS, evidence_for_gt(groups[i]), -i))
        if _may_be_gt(groups[best], alone=roles.count(PRED) == 1, truth=truth):
            roles[best] = GT
    return roles


def _may_be_gt(group: Group, alone: bool, truth: bool) -> bool:
    if group.facts.format == RESULTS:
        return False
    return not truth or evidence_for_gt(group) >= (LEAST_ALONE if alone else LEAST)


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
            cards[at[format]] = Card(join_groups(cards[at[format]].group, group), PRED)
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
        offered = [
            *gt,
            PRED,
            *([PAGE_MAP, ATTRIBUTES] if format == "csv" else []),
            *images,
        ]
    else:
        offered = {
            file_facts.IMAGE: [IMAGES],
            file_facts.SESSION: [SESSION],
            file_facts.PAGE_MAP: [*texts, ATTRIBUTES],
            file_facts.ATTRIBUTES: [PAGE_MAP, ATTRIBUTES, GT, PRED],
            file_facts.UNKNOWN: [GT, PRED, IMAGES, *texts, ATTRIBUTES],
            file_facts.SKIPPED: [],
        }.get(kind, texts)
    return [*offered, UNUSED]


def seem_swapped(gt: Card, preds: Sequence[Card], gt_scores: bool, pred_scores: bool) -> str:
    """Why ground truth and prediction seem to be swapped; "" if they do not."""
    if gt_scores and not pred_scores:
        return "the ground truth has scores, the prediction has none"
    sides = side_by_name(gt.name), [side_by_name(one.name) for one in preds]
    is_named_so = sides[0] == "pred" and "gt" in sides[1]
    return "the names of the files say so" if is_named_so and not pred_scores else ""


def seems_no_truth(gt: Card, gt_scores: bool) -> bool:
    """Whether the file that was taken for the ground truth may be a prediction: it has scores, and no such name."""
    return gt_scores and side_by_name(gt.name) != "gt"
