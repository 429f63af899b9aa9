"""Files for correcting the ground truth: probable errors as CSV, or as tasks of Label Studio or CVAT.

Tasks have the pages with candidates, those with the strongest evidence first, and the regions as gt has them. In Label
Studio, a prediction has the regions after all suggested changes. In CVAT, every suggestion is a box with its own label.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Finding, Layout, concatenate_regions
from layoutcm.layouts.table_writers import csv_bytes
from layoutcm.layouts.writing.cvat import as_cvat
from layoutcm.layouts.writing.label_studio import label_studio_tasks, tasks_text
from layoutcm.layouts.writing.names import distinct
from layoutcm.layouts.writing.request import Request
from layoutcm.models.suggestions import Suggestion, boxes_of, chosen_pages, corrected
from layoutcm.outputs.files import write_whole
from layoutcm.wording import as_text_cell, score_text

if TYPE_CHECKING:
    import pandas as pd

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
