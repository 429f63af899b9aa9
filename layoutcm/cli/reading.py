"""What several commands do with their options: read the layouts, compare them, show progress."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.taxonomy import LabelMapping, load_mapping
from layoutcm.cli.file_options import value_for, values_for
from layoutcm.comparing import compare
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.formats import read
from layoutcm.layouts.model import IGNORE, Layout
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.validation import is_ignore
from layoutcm.wording import one_line

if TYPE_CHECKING:
    from tqdm import tqdm

    from layoutcm.pixels.counting import Progress

# The options of the command that `compare` takes as arguments of the same names.
COMPARE_OPTIONS = ("rounding", "min_score", "missing_pages", "taxonomy", "documents", "mapping", "pages", "threads")

LABELS_SHOWN = 12


def read_gt(options: argparse.Namespace) -> Layout:
    """The ground truth that the command line names, repaired as it says."""
    like = read_layout(options.like, options) if getattr(options, "like", None) else None
    layout = read_layout(options.gt, options, like, options.gt_format, annotator=options.gt_annotator)
    return _repair_all(layout, options.fix_gt or ())


def read_pred(gt: Layout, file: str, options: argparse.Namespace) -> Layout:
    """A prediction that the command line names, repaired as it says."""
    given = {"format": value_for(file, options, "format"), "pages": options.pages, "annotator": options.annotator}
    return repair_file(read_layout(file, options, like=gt, **given), file, options)


def compare_file(gt: Layout, file: str, options: argparse.Namespace, name: str = "") -> Comparison:
    """Compare one prediction with gt, with the options of the command line; `name` tells it from other predictions."""
    pred = read_pred(gt, file, options)
    if name and name != Path(file).resolve().stem:
        pred = replace(pred, name=name + Path(file).suffix)
    chosen = {option: getattr(options, option) for option in COMPARE_OPTIONS}
    chosen["mapping"] = _mapping(gt, options)
    chosen["truth"] = not getattr(options, "no_truth", False)  # `verify` has no such option
    with progress_bar(f"comparing {Path(file).name}") as progress:
        return compare(gt, pred, **chosen, progress=progress)


def repair_file(layout: Layout, file: str, options: argparse.Namespace) -> Layout:
    """The layout of a file after all repairs that --fix names for it."""
    return _repair_all(layout, values_for(file, options, "fix"))


def _repair_all(layout: Layout, repairs: Sequence[str]) -> Layout:
    """Each text may hold several repairs, separated by commas."""
    return repair(layout, ",".join(repairs)) if repairs else layout


def _mapping(gt: Layout, options: argparse.Namespace) -> LabelMapping | str | None:
    """The mapping of the command line; --ignore maps labels of gt to Ignore."""
    if not options.ignore:
        return options.mapping
    mapping = load_mapping(options.mapping) or {}
    own = mapping.get("gt", {})
    for label in options.ignore:
        if label not in gt.labels:
            hint = f"Its labels are {', '.join(map(short_repr, gt.labels[:LABELS_SHOWN]))}."
            raise InputError(gt.name, "--ignore", f"there is no label {short_repr(label)}", hint)
        if not is_ignore(own.get(label, IGNORE)):
            problem = f"the mapping renames the label {short_repr(label)} of gt to {short_repr(own[label])}"
            raise InputError("", "--ignore", problem, "Leave it out of the mapping.")
    return {**mapping, "gt": {**own, **dict.fromkeys(options.ignore, IGNORE)}}


def read_layout(
    file: str,
    options: argparse.Namespace,
    like: Layout | None = None,
    format: str | None = None,
    pages: str | None = None,
    annotator: str | None = None,
) -> Layout:
    """One file, folder or zip, read with the options of the command line."""
    sizes: Any = value_for(file, options, "sizes")
    if sizes and (pair := re.fullmatch(r"(\d+(?:\.\d+)?)[xX,](\d+(?:\.\d+)?)", sizes)):
        sizes = (float(pair[1]), float(pair[2]))
    chosen = {"shapes": options.shapes, "nested": not options.outer_only, "annotator": annotator}
    return read(file, like=like, pages=pages, format=format, sizes=sizes, attributes=options.attributes, **chosen)


@contextmanager
def progress_bar(title: str, unit: str = "pages") -> Iterator[Progress | None]:
    """Yields a function that draws a progress bar, or None if standard error is not a terminal."""
    bar = new_bar(title, unit) if sys.stderr.isatty() else None
    if bar is None:
        yield None
        return
    with bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def new_bar(title: str, unit: str) -> tqdm | None:
    """A progress bar; None if the user's settings of tqdm, in the environment, cannot be used."""
    try:
        from tqdm import tqdm

        return tqdm(desc=one_line(title), unit=f" {unit}", leave=False)
    except (ValueError, TypeError, KeyError):
        return None
