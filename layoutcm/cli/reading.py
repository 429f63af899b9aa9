"""Steps that several commands share: read the layouts, compare them, name several predictions."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from layoutcm.alignment.no_common_pages import NoCommonPages, page_map_csv
from layoutcm.alignment.taxonomy import LabelMapping, check_models, load_mapping
from layoutcm.cli.file_options import check_file_output, file_named, value_for, values_for
from layoutcm.cli.streams import say
from layoutcm.comparison import Comparison, compare
from layoutcm.errors import InputError, short_repr
from layoutcm.filling.result_of import MOST_PAGES
from layoutcm.formats import read
from layoutcm.layouts.model import IGNORE, Layout
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.validation import is_ignore
from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.leaderboard import leaderboard
from layoutcm.outputs.files import write_whole
from layoutcm.results.types import BoardRow
from layoutcm.tables.leaderboard_tables import BOARD_FILES, leaderboard_summary, standing
from layoutcm.wording import one_line

if TYPE_CHECKING:
    from tqdm import tqdm

    from layoutcm.pixels.counting import Progress

# The options of the command that `compare` takes as arguments of the same names.
COMPARE_OPTIONS = ("rounding", "min_score", "missing_pages", "taxonomy", "documents", "mapping", "pages", "threads")

LABELS_SHOWN = 12
MISSING_PAGES_HELP = (
    "pages that the prediction lacks count as empty (penalise) or are left out (ignore); those that the ground truth "
    "lacks are left out, or count against an empty page (penalise-both)"
)
WRITE_PAGE_MAP_HELP = "write how pages are matched as a page map (CSV), in which unmatched pages can be filled in"


def read_gt(options: argparse.Namespace) -> Layout:
    """The ground truth that the command line names, repaired as it says."""
    like = read_layout(options.like, options) if getattr(options, "like", None) else None
    layout = read_layout(options.gt, options, like, options.gt_format, annotator=options.gt_annotator)
    return repair(layout, ",".join(options.fix_gt)) if options.fix_gt else layout


def read_file(file: str, options: argparse.Namespace, like: Layout | None, pages: str | None = None) -> Layout:
    """A file other than gt that the command line names, after all repairs that --fix names for it."""
    given = {"format": value_for(file, options, "format"), "pages": pages, "annotator": options.annotator}
    layout, repairs = read_layout(file, options, like, **given), values_for(file, options, "fix")
    return repair(layout, ",".join(repairs)) if repairs else layout


def compare_file(gt: Layout, file: str, options: argparse.Namespace, name: str = "") -> Comparison:
    """Compare one prediction with gt, with the options of the command line; `name` distinguishes it from others."""
    pred = read_file(file, options, gt, options.pages)
    if name and name != Path(file).resolve().stem:
        pred = replace(pred, name=name + Path(file).suffix)
    chosen = {option: getattr(options, option) for option in COMPARE_OPTIONS}
    chosen["mapping"] = _mapping(gt, options)
    chosen["truth"] = not getattr(options, "no_truth", False)  # `verify` has no such option
    with progress_bar(f"comparing {Path(file).name}") as progress, page_map_written(options) as found:
        compared = compare(gt, pred, **chosen, progress=progress)
        found(compared)
    return compared


@contextmanager
def page_map_written(options: argparse.Namespace) -> Iterator[Callable[[Comparison], None]]:
    """Yields a function that writes the page map of a comparison; if no page has a partner, it is written, too."""
    file = options.write_page_map
    if file:
        if isinstance(options.pred, list) and len(options.pred) > 1:
            problem = "there are several predictions, and a page map is for one"
            raise InputError("", "--write-page-map", problem, "Name one prediction.")
        check_file_output(file, options)

    def write(compared: Comparison) -> None:
        if file:
            table = compared.page_matches()
            rows = [(gt, pred) for gt, pred in zip(table["gt_page"], table["pred_page"]) if gt]
            free = compared.sources.page_matching().only_in_pred  # the first of them in a comparison of parts
            write_whole(Path(file), page_map_csv([*rows, *(("", page) for page in free)]))

    try:
        yield write
    except NoCommonPages as error:
        if file:
            write_whole(Path(file), error.page_map)
            say(f"layoutcm: a page map to fill in was written to {file}")
        raise


def _mapping(gt: Layout, options: argparse.Namespace) -> LabelMapping | str | None:
    """The mapping of the command line; --ignore maps labels of gt to Ignore."""
    if not options.ignore:
        return options.mapping
    mapping = load_mapping(options.mapping) or {}
    own = mapping.get("gt", {})
    for label in options.ignore:
        if label not in gt.labels:
            hint = f"Its labels include {', '.join(map(short_repr, gt.labels[:LABELS_SHOWN]))}."
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
    chosen["strict"] = options.strict
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
    """A progress bar; None if tqdm's environment settings are invalid."""
    try:
        from tqdm import tqdm

        return tqdm(desc=one_line(title), unit=f" {unit}", leave=False)
    except (ValueError, TypeError, KeyError):
        return None


def report_names(files: Sequence[str]) -> list[str]:
    """The name of the folder of each prediction, taken from its file; a single prediction has no folder of its own."""
    if len(files) == 1:
        return [""]
    names: list[str] = []
    taken = {*BOARD_FILES, "figures", "tables"}
    paths = [Path(file).resolve() for file in files]
    for path in paths:
        stem = _distinct_stem(path, paths)
        numbered = (f"{stem}-{k}" for k in range(2, len(files) + 3))
        names.append(next(name for name in (stem, *numbered) if name not in taken))
        taken.add(names[-1])
    return names


def _distinct_stem(path: Path, paths: Sequence[Path]) -> str:
    """The name without suffix, preceded by as many parent folders as make it unique."""
    tails = [(*one.parent.parts[1:], _stem(one)) for one in paths if one != path]
    own = (*path.parent.parts[1:], _stem(path))
    for k in range(1, len(own) + 1):
        if all(tail[-k:] != own[-k:] for tail in tails):
            return "-".join(own[-k:])
    return own[-1]


def _stem(path: Path) -> str:
    """The name without suffix; "prediction" if it consists only of dots, as in "...json", and cannot name a folder."""
    return path.stem if path.stem.strip(".") else "prediction"


def baseline_place(options: argparse.Namespace) -> int:
    """The place of the prediction that --baseline names; the first one without it."""
    if options.baseline is None:
        return 0
    if len(options.pred) == 1:
        problem = "there is only one prediction, so nothing to compare it with"
        raise InputError("", "--baseline", problem, "Name several predictions.")
    return options.pred.index(file_named(options.baseline, options.pred, "--baseline"))


def check_mapped_models(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise an InputError if the mapping has entries for a prediction that was not given."""
    if options.mapping:
        known = names if len(names) > 1 else [Path(options.pred[0]).resolve().stem]
        check_models(load_mapping(options.mapping), known, options.mapping)


class Standings(NamedTuple):
    """What a leaderboard says of each of its predictions, and its text for the terminal."""

    places: dict[str, BoardRow]
    differences: dict[str, Intervals]  # of all but the baseline
    pages: int  # on which all are counted
    texts: list[str]


def compare_models(
    comparisons: Mapping[str, Comparison], baseline: str, folder: Path | None, options: argparse.Namespace
) -> Standings:
    """Build the leaderboard of several predictions, and write its files if there is a folder."""
    if len(comparisons) == 1:
        return Standings({}, {}, 0, [])
    try:
        board = leaderboard(comparisons, baseline, n=options.intervals or RESAMPLES, method=options.method)
    except InputError as error:
        return Standings({}, {}, 0, [f"no leaderboard: {error}"])
    value = board.result(objects=bool(folder) or options.objects or board.page_count <= MOST_PAGES, why=options.why)
    if folder:
        from layoutcm.report.leaderboard_files import write_board_files

        write_board_files(board, value, folder)
    places = {name: standing(value, name) for name in comparisons}
    return Standings(places, board.differences_by_model, board.page_count, [leaderboard_summary(value)])
