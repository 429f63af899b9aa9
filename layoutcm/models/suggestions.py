"""Suggested changes of the ground truth, which of them a person takes, and files for making them.

Probable errors are written as CSV, or as tasks of Label Studio or CVAT. Tasks have the pages with candidates, those
with the strongest evidence first, and the regions as gt has them. In Label Studio, a prediction has the regions after
all suggested changes. In CVAT, every suggestion is a box with its own label.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Finding, Layout, Regions, concatenate_regions
from layoutcm.layouts.table_writers import csv_bytes
from layoutcm.layouts.writing.label_studio import label_studio_tasks, tasks_text
from layoutcm.layouts.writing.request import Request, distinct
from layoutcm.layouts.writing.xml_files import as_cvat
from layoutcm.lazy import pd
from layoutcm.outputs.files import write_whole
from layoutcm.wording import as_text_cell, score_text

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


ACCEPTED, DISMISSED = DECISIONS = ("accepted", "dismissed")
WHICH = ("all", "accepted", "not dismissed")


def candidate_keys(errors: pd.DataFrame) -> list[str]:
    """A text for each row that identifies the candidate in every order of the table.

    It is JSON of the page, the kind, the region and what is suggested. The evidence is not part of it, so a candidate
    stays the same if another prediction supports it. The suggested box, in whole pixels, is part of it only if the
    candidate is about this box: a missing region, or wrong borders.
    """
    columns = ["page", "kind", "region", "gt_label", "suggested", *BOX]
    given = [_identity(*row) for row in errors[columns].astype(object).itertuples(index=False, name=None)]
    seen: Counter[str] = Counter()
    keys = []
    for identity in given:
        text = json.dumps(identity, ensure_ascii=False)
        seen[text] += 1
        # A prediction may have the same region twice.
        keys.append(text if seen[text] == 1 else json.dumps([*identity, seen[text]], ensure_ascii=False))
    return keys


def _identity(page: str, kind: str, region: Any, gt_label: Any, suggested: Any, *box: float) -> list[Any]:
    place = [int(np.rint(value)) for value in box] if kind in ("missing", "box") else None
    row = None if kind == "missing" else int(region)
    names = [name if isinstance(name, str) else None for name in (gt_label, suggested)]
    return [page, kind, row, *names, place]


def chosen_candidates(errors: pd.DataFrame, decisions: Mapping[str, str], which: str = "all") -> pd.DataFrame:
    """The rows to take: all, those that were accepted, or those that were not dismissed; in the order of the table.

    `decisions` is {key of a candidate: "accepted" or "dismissed"}.
    """
    check_choice("which", which, WHICH)
    if which == "all":
        return errors
    made = [decisions.get(key) for key in candidate_keys(errors)]
    return errors[[one == ACCEPTED if which == "accepted" else one != DISMISSED for one in made]]


SUFFIXES = {".csv": "csv", ".json": "label-studio", ".xml": "cvat"}
SUGGESTION = "Suggestion"  # the label of suggestions in CVAT
MODEL = "layoutcm suggestion"  # the model version of predictions in Label Studio
Written = tuple[bytes, tuple[Finding, ...]]


def write_label_errors(
    errors: pd.DataFrame, gt: Layout, path: str | os.PathLike[str], to: str | None = None
) -> tuple[Finding, ...]:
    """Write what `label_errors` returned, or some rows of it, to correct the ground truth with.

    Parameters
    ----------
    errors : DataFrame
    gt : Layout
        The layout that was compared.
    path : path
    to : {"csv", "label-studio", "cvat"}, optional
        By default, the suffix of the path decides: .csv, .json or .xml.

    Returns
    -------
    tuple of Finding
        What the format cannot hold.
    """
    to = format_of(path) if to is None else to
    check_choice("to", to, WRITERS)
    if not isinstance(gt, Layout):
        raise InputError("", "gt", f"{short_repr(gt)} is not a layout", "Read the file first: layoutcm.read(path).")
    content, findings = WRITERS[to](errors, gt)
    write_whole(path, content)
    return findings


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that belongs to the suffix of a path."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in SUFFIXES:
        problem = f"the suffix {short_repr(suffix)} belongs to no format" if suffix else "its name has no suffix"
        raise InputError(os.fspath(path), "", problem, "Use .csv, .json or .xml, or name the format (to=, --to).")
    return SUFFIXES[suffix]


def _as_csv(errors: pd.DataFrame, _: Layout) -> Written:
    texts = [name for name, dtype in zip(errors, errors.dtypes) if dtype.kind not in "iufb"]
    return csv_bytes(errors.assign(**{str(name): errors[name].map(as_text_cell) for name in texts})), ()


def _as_label_studio(errors: pd.DataFrame, gt: Layout) -> Written:
    pages = chosen_pages(errors, gt)
    request = Request(pages.layout, "label-studio", predictions=False)
    tasks = label_studio_tasks(request)
    layout, notes = corrected(pages)
    others = label_studio_tasks(Request(layout, "label-studio", predictions=True, notes=notes))
    of_page: list[list[Suggestion]] = [[] for _ in tasks]
    for one in pages.suggestions:
        of_page[one.page].append(one)
    for task, other, own in zip(tasks, others, of_page):
        task["data"]["suggestions"] = "; ".join(f"{one.text} ({score_text(one.evidence)})" for one in own)
        score = max(one.evidence for one in own)
        task["predictions"] = [other["predictions"][0] | {"model_version": MODEL, "score": score}]
    return tasks_text(tasks), tuple(request.findings)


def _as_cvat(errors: pd.DataFrame, gt: Layout) -> Written:
    pages = chosen_pages(errors, gt)
    labels, regions = distinct([*pages.layout.labels, SUGGESTION]), pages.layout.region_columns
    marks = boxes_of(pages.suggestions, [len(labels) - 1] * len(pages.suggestions))
    layout = replace(pages.layout, labels=labels, region_columns=concatenate_regions([regions, marks]))
    notes = {len(regions) + k: one.note for k, one in enumerate(pages.suggestions)}
    request = Request(layout, "cvat", notes=notes)
    return as_cvat(request), tuple(request.findings)


WRITERS: dict[str, Callable[[pd.DataFrame, Layout], Written]] = {
    "csv": _as_csv,
    "label-studio": _as_label_studio,
    "cvat": _as_cvat,
}
