"""Suggested changes of the ground truth, and the ground truth after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Layout, Regions, concatenate_regions
from layoutcm.wording import score_text

if TYPE_CHECKING:
    import pandas as pd

CHANGES = {
    "label": "{gt_label} should be {suggested}",
    "missing": "{suggested} is missing",
    "spurious": "{gt_label} should be removed",
    "box": "{gt_label} has wrong borders",
}
BOX = ("suggested_x0", "suggested_y0", "suggested_x1", "suggested_y1")
Notes = dict[int, dict[str, str]]  # {region: {name: text}}


@dataclass(frozen=True)
class Suggestion:
    """A change of gt. The page is one of the chosen pages, the row a region of gt, -1 if it is missing."""

    kind: str
    page: int
    row: int
    label: str
    box: tuple[float, ...]  # of the suggestion, or of the region if it should be removed
    evidence: float
    text: str

    @property
    def note(self) -> dict[str, str]:
        return {"suggestion": self.text, "evidence": score_text(self.evidence)}


@dataclass(frozen=True, eq=False)
class ChosenPages:
    """The pages of gt with suggestions, in the order of the suggestions, and {region of gt: region of these pages}."""

    layout: Layout
    row_of: dict[int, int]
    suggestions: list[Suggestion]


def chosen_pages(errors: pd.DataFrame, gt: Layout) -> ChosenPages:
    """The pages that a table of `label_errors` names; gt must be the layout that was compared."""
    if not len(errors):
        hint = "Only csv can hold an empty table."
        raise InputError("", "errors", "there is no candidate, so there is no page to correct", hint)
    records: list[dict[str, Any]] = errors.to_dict("records")  # type: ignore[assignment]
    index = gt.page_columns.index
    for k, record in enumerate(records):
        _check_record(k, record, gt)
    pages = list(dict.fromkeys(index[record["page"]] for record in records))
    place = {gt.page_columns.names[page]: k for k, page in enumerate(pages)}
    new_page = np.full(len(gt.page_columns), -1, np.int32)
    new_page[pages] = np.arange(len(pages))
    regions = gt.region_columns
    kept = new_page[regions.page] >= 0
    own = regions.take(kept)
    layout = replace(gt, page_columns=gt.page_columns.take(pages), region_columns=replace(own, page=new_page[own.page]))
    layout = replace(layout, keys={}, findings=(), dropped=None, ignore_areas=None)
    row_of = {int(row): k for k, row in enumerate(np.flatnonzero(kept))}
    return ChosenPages(layout, row_of, [_suggestion(record, place[record["page"]], gt) for record in records])


def _check_record(k: int, record: dict[str, Any], gt: Layout) -> None:
    page, region = record["page"], record["region"]
    problem = ""
    if page not in gt.page_columns.index:
        problem = f"there is no page {short_repr(page)} in gt"
    elif record["kind"] != "missing" and not 0 <= region < len(gt.region_columns):
        problem = f"there is no region {region} in gt"
    elif record["kind"] != "missing" and gt.region_columns.page[region] != gt.page_columns.index[page]:
        problem = f"region {region} of gt is not on page {short_repr(page)}"
    if problem:
        raise InputError(gt.name, f"errors[{k}]", problem, "Give the gt that was compared.")


def _suggestion(record: dict[str, Any], page: int, gt: Layout) -> Suggestion:
    kind = record["kind"]
    row = -1 if kind == "missing" else int(record["region"])
    box = gt.region_columns.boxes[row].tolist() if kind == "spurious" else [record[name] for name in BOX]
    label = "" if kind == "spurious" else record["suggested"]
    return Suggestion(kind, page, row, label, tuple(box), float(record["evidence"]), CHANGES[kind].format(**record))


def corrected(pages: ChosenPages) -> tuple[Layout, Notes]:
    """The pages after all suggested changes, and notes on the regions that changed."""
    new_names = [one.label for one in pages.suggestions if one.label]
    labels = list(dict.fromkeys([*pages.layout.labels, *new_names]))
    regions = pages.layout.region_columns
    label, boxes, shapes = regions.label.copy(), regions.boxes.copy(), dict(regions.shapes)
    keep, notes = np.ones(len(regions), bool), Notes()
    for one in pages.suggestions:
        if one.kind == "missing":
            continue
        row = pages.row_of[one.row]
        keep[row], notes[row] = one.kind != "spurious", one.note
        if one.kind == "label":
            label[row] = labels.index(one.label)
        elif one.kind == "box":
            boxes[row] = one.box
            shapes.pop(row, None)
    changed = replace(regions, label=label, boxes=boxes, shapes=shapes, coco=None).take(keep)
    missing = [one for one in pages.suggestions if one.kind == "missing"]
    position = np.cumsum(keep) - 1
    notes = {int(position[row]): note for row, note in notes.items() if keep[row]}
    notes |= {len(changed) + k: one.note for k, one in enumerate(missing)}
    added = boxes_of(missing, [labels.index(one.label) for one in missing])
    return replace(pages.layout, labels=labels, region_columns=concatenate_regions([changed, added])), notes


def boxes_of(suggestions: Sequence[Suggestion], labels: Sequence[int]) -> Regions:
    """The suggestions as regions with these labels."""
    boxes = np.array([one.box for one in suggestions], float).reshape(-1, 4)
    page = np.array([one.page for one in suggestions], np.int32)
    return Regions(page, np.array(labels, np.int32), boxes, np.full(len(boxes), np.nan))
