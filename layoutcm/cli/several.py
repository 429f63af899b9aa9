"""Several predictions on the command line: their names, the baseline, and the leaderboard."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from layoutcm.alignment.taxonomy import check_models, load_mapping
from layoutcm.cli.file_options import file_named
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.models.leaderboard import leaderboard
from layoutcm.tables.leaderboard_tables import BOARD_FILES, standing


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
    """The name without suffix, after as many of its folders as tell it from the other paths."""
    tails = [(*one.parent.parts[1:], _stem(one)) for one in paths if one != path]
    own = (*path.parent.parts[1:], _stem(path))
    for k in range(1, len(own) + 1):
        if all(tail[-k:] != own[-k:] for tail in tails):
            return "-".join(own[-k:])
    return own[-1]


def _stem(path: Path) -> str:
    """The name without suffix; one of points only, such as that of "...json", is no name of a folder."""
    return path.stem if path.stem.strip(".") else "prediction"


def baseline_place(options: argparse.Namespace) -> int:
    """The place of the prediction that --baseline names; the first one without it."""
    if options.baseline is None:
        return 0
    if len(options.pred) == 1:
        problem = "there is one prediction, which nothing is compared with"
        raise InputError("", "--baseline", problem, "Name several predictions.")
    return options.pred.index(file_named(options.baseline, options.pred, "--baseline"))


def check_mapped_models(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise an InputError if the mapping has labels of a prediction that is not given."""
    if options.mapping:
        known = names if len(names) > 1 else [Path(options.pred[0]).resolve().stem]
        check_models(load_mapping(options.mapping), known, options.mapping)


def compare_models(
    comparisons: Mapping[str, Comparison], baseline: str, folder: Path | None, options: argparse.Namespace
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """{name: its place on the leaderboard} for the JSON, and texts for the terminal; also writes its files."""
    from layoutcm.tables.leaderboard_texts import leaderboard_summary

    if len(comparisons) == 1:
        return {}, []
    try:
        board = leaderboard(comparisons, baseline, n=options.intervals or RESAMPLES, method=options.method)
    except InputError as error:
        return {}, [f"no leaderboard: {error}"]
    if folder:
        from layoutcm.report.leaderboard_files import write_board_files

        write_board_files(board, folder, options.why)
    standings = {name: standing(board, name) for name in comparisons}
    return standings, [leaderboard_summary(board, options.why)]
