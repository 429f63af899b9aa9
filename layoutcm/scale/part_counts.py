"""Compare one part, and merge the counts of several: `count_part` and `merge_counts`, which every engine calls.

A part becomes two files. pages/part-00000.parquet has a row for each page with its scores and its pair counts, and
counts/part-00000.json the sums of the part. The second is written last, with the digest of the plan and of the first:
a part is finished if both fit together.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import msgspec
import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import TOLERANCE, TOLERANCES
from layoutcm.diagnosis.pixels_by_score import score_areas
from layoutcm.errors import InputError
from layoutcm.layouts.model import PRED, Floats
from layoutcm.lazy import pa
from layoutcm.metrics.levels import Levels, document_matrices, level_averages, page_matrices
from layoutcm.metrics.scores import AVERAGES, SCORES
from layoutcm.metrics.unit_sums import MEANS_OVER
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.scale import storage
from layoutcm.scale.kernel_cache import prepare_kernel
from layoutcm.scale.manifest import page_columns
from layoutcm.scale.part_comparison import PartFindings, findings_of_part, merge_findings, part_comparison
from layoutcm.scale.plan import Plan, part_of_list
from layoutcm.scale.storage import Place

VERSION = 1
COUNTS_FOLDER, PAGES_FOLDER, SCORES_FOLDER, CAUSES_FOLDER = "counts", "pages", "scores", "causes"
PAGES_IN_GROUP = 4096
CAUSE_TOLERANCES = sorted({TOLERANCE, *TOLERANCES} - {0})
COUNT_AGAIN = "Count the part again."
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
MOST_PIXELS = 2.0**80
Pixels = Annotated[float, msgspec.Meta(ge=0, le=MOST_PIXELS)]
Sum = tuple[float, Number]  # of scores, and how many of them are defined


class Counts(msgspec.Struct, frozen=True):
    """The sums of one or more parts."""

    version: int
    plan: str  # its digest
    parts: list[str]
    pages: Number
    words: list[list[Annotated[int, msgspec.Meta(ge=0)]]]  # one row for each distinct pair, as in `PairCounts`
    pixels: list[Pixels]
    ignored: Pixels
    means: dict[str, dict[str, dict[str, Sum]]]  # {over: {average: {score: sum}}}, without split documents
    causes: dict[str, list[tuple[Number, Pixels]]] = {}  # {tolerance: cells of float64[cause, gt, pred] that are not 0}
    files: dict[str, str] = {}  # {file of the part: digest}
    findings: PartFindings = {}  # on single regions and pages


def count_part(part: Place, *, trusted: Sequence[Place] = ()) -> Counts:
    """Compare a part, which a file of the folder `plan` lists, and write its counts; a finished part is only read.

    Parameters
    ----------
    part : path or address
    trusted : sequence of paths or addresses, optional
        Folders of the parts of both sides, if they are not below the folder that contains the result.

    Returns
    -------
    Counts
    """
    plan, number = part_of_list(part, trusted)
    return count_part_of(plan, number)


def count_part_of(plan: Plan, part: int) -> Counts:
    """Compare a part of a plan that is in memory, and write its counts; a finished part is only read."""
    done = finished_counts(plan, part)
    if done is not None:
        return done
    prepare_kernel(plan.facts.why)
    comparison = part_comparison(plan, part)
    whole = ~plan.page_table(part)["split"].to_numpy()
    merged, pair = _distinct_pairs(comparison.all_counts)
    name = plan.facts.parts[part].name
    files = {f"{PAGES_FOLDER}/{name}.parquet": _parquet(_page_rows(comparison, pair))}
    if plan.facts.why:
        found = {SCORES_FOLDER: _score_rows(comparison, plan), CAUSES_FOLDER: _cause_rows(comparison)}
        files |= {f"{folder}/{name}.parquet": _parquet(rows) for folder, rows in found.items() if rows is not None}
    for file, data in files.items():
        storage.write_bytes(plan.place(file), data)
    counts = Counts(
        VERSION,
        plan.digest,
        [name],
        len(comparison.pages),
        merged.words.tolist(),
        merged.pixels.tolist(),
        merged.ignored_total,
        _means(comparison.levels, whole),
        _causes(comparison) if plan.facts.why else {},
        {file: storage.digest_of(data) for file, data in files.items()},
        findings_of_part(plan, part, comparison),
    )
    storage.write_bytes(counts_place(plan, part), msgspec.json.encode(counts))
    return counts


def counts_place(plan: Plan, part: int) -> str:
    return plan.place(COUNTS_FOLDER, f"{plan.facts.parts[part].name}.json")


def begun_parts(plan: Plan) -> set[str]:
    """The names of the parts that have counts of any plan; `finished_counts` says whether they are of this one."""
    folder = plan.place(COUNTS_FOLDER)
    files = storage.list_files(folder, ".json") if storage.exists(folder) else []
    return {name.removesuffix(".json") for name in files}


def finished_counts(plan: Plan, part: int) -> Counts | None:
    """The counts of a part that is finished; None if any of its files is missing, or is not of this plan."""
    place = counts_place(plan, part)
    if not storage.exists(place):
        return None
    try:
        counts = read_counts(place)
    except InputError:
        return None
    if counts.plan != plan.digest or counts.parts != [plan.facts.parts[part].name]:
        return None
    for file, digest in counts.files.items():
        if file.partition("/")[2] != f"{plan.facts.parts[part].name}.parquet":
            return None
        path = plan.place(file)
        if not storage.exists(path) or storage.digest_of(storage.read_bytes(path)) != digest:
            return None
    return counts


def read_counts(place: Place) -> Counts:
    return checked_counts(place, storage.read_json(place, Counts, "file of counts", COUNT_AGAIN), COUNT_AGAIN)


def checked_counts(place: Place, counts: Counts, hint: str) -> Counts:
    """The counts of a file; an InputError if they contradict themselves, so they could not be merged."""
    if counts.version != VERSION:
        raise InputError(str(place), "", f"version {counts.version} of counts is not known", hint)
    words, means = counts.words, counts.means
    as_summed = {over: {kind: list(SCORES) for kind in AVERAGES} for over in MEANS_OVER}
    named = {over: {kind: list(scores) for kind, scores in kinds.items()} for over, kinds in means.items()}
    fits = [
        ("words", len({len(row) for row in words}) <= 1 and all(max(row, default=0) < 2**64 for row in words)),
        ("pixels", len(counts.pixels) == len(words)),
        ("parts", len(set(counts.parts)) == len(counts.parts) > 0),
        ("means", not means or named == as_summed),
        ("causes", set(counts.causes) <= set(map(repr, CAUSE_TOLERANCES))),
    ]
    for name, is_right in fits:
        if not is_right:
            raise InputError(str(place), name, "this does not fit to the rest of the counts", hint)
    return counts


def _parquet(table: pa.Table) -> bytes:
    return storage.parquet_bytes(
        table, row_group_size=PAGES_IN_GROUP, use_dictionary=["document"], write_page_checksum=True
    )


def _distinct_pairs(counts: PairCounts) -> tuple[PairCounts, np.ndarray]:
    """The counts summed over all pages, and int32[rows]: which distinct pair each row has."""
    merged = counts.merged()
    if not len(counts):
        return merged, np.zeros(0, np.int32)
    order = np.lexsort(counts.words.T[::-1])
    words = counts.words[order]
    pair = np.empty(len(counts), np.int32)
    pair[order] = np.concatenate([[0], np.cumsum((words[1:] != words[:-1]).any(axis=1))])
    return merged, pair


def _page_rows(comparison: Comparison, pair: np.ndarray) -> pa.Table:
    """One row per page: its columns, its scores with method matrix, and its pairs with their pixels."""
    levels, counts = comparison.levels, comparison.all_counts
    ends = pa.array(np.searchsorted(counts.page, np.arange(len(levels.pages) + 1)), pa.int32())
    both, gt, pred = levels.page_content.T
    # Whole numbers take four bytes, and are the same when they are read.
    narrow = counts.pixels.clip(max=2**31 - 1).astype(np.int32)
    is_whole = np.array_equal(narrow, counts.pixels)
    return pa.table(
        {
            **page_columns(levels.pages),
            "pixels": levels.page_pixels,
            "ignored": levels.page_ignored,
            **levels.page_scores("matrix"),
            **{"content_both": both, "content_gt": gt, "content_pred": pred},
            "pair": pa.ListArray.from_arrays(ends, pa.array(pair)),
            "pair_pixels": pa.ListArray.from_arrays(ends, pa.array(narrow if is_whole else counts.pixels)),
        }
    )


def _means(levels: Levels, whole: np.ndarray) -> dict[str, dict[str, dict[str, Sum]]]:
    """The sums of the scores of pages and of documents; `whole` is bool[pages], whether all of its document is here."""
    if not levels.space.shared:
        return {}
    kept = np.zeros(len(levels.documents), bool)
    kept[levels.document_of_page[whole]] = True
    blocks = {"pages": page_matrices(levels), "documents": document_matrices(levels)}
    chosen = {"pages": slice(None), "documents": kept}
    return {over: score_sums(level_averages(blocks[over], AVERAGES, False), chosen[over]) for over in MEANS_OVER}


def score_sums(averages: dict[str, dict[str, Floats]], chosen: Any) -> dict[str, dict[str, Sum]]:
    """{average: {score: (sum, number of defined values)}} of the chosen groups."""
    of = lambda values: (float(np.nansum(values)), int(np.isfinite(values).sum()))
    return {kind: {name: of(values[name][chosen]) for name in SCORES} for kind, values in averages.items()}


def _causes(comparison: Comparison) -> dict[str, list[tuple[int, float]]]:
    """The cells of the causes at every tolerance of `forgiveness`; {} if the labels differ."""
    if not comparison.space.shared:
        return {}
    found = {}
    for tolerance in CAUSE_TOLERANCES:
        values = comparison.causes(tolerance=tolerance).values.ravel()
        cells = np.flatnonzero(values)
        found[repr(tolerance)] = list(zip(cells.tolist(), values[cells].tolist()))
    return found


def _score_rows(comparison: Comparison, plan: Plan) -> pa.Table | None:
    """The pixels of every label by score, for score curves; None if the set has no scores, or one outside 0..1.

    A part without scores has pixels of gt, which count in the curves of the set.
    """
    alignment = comparison.alignment
    has_scores = plan.facts.sides[PRED].has_scores or alignment.layouts[PRED].has_scores
    rows = score_areas(alignment, comparison.rounding, comparison.min_score, 1, has_scores)
    return None if rows is None else pa.table(rows._asdict())


def _cause_rows(comparison: Comparison) -> pa.Table | None:
    """The pixels of every page by cause and cell, with the usual tolerance; None if the labels differ."""
    parts = comparison.sources.all_regions.causes.of_all_pages().parts
    if parts is None:
        return None
    (rows,) = parts()
    return pa.table({name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()})


def merge_counts(counts: Sequence[Counts | Place]) -> Counts:
    """The sums of several parts, which may be sums themselves; each part may occur once.

    Parameters
    ----------
    counts : sequence of Counts, paths or addresses

    Returns
    -------
    Counts
    """
    parts = [one if isinstance(one, Counts) else read_counts(one) for one in counts]
    if not parts:
        raise InputError("", "counts", "there is nothing to merge", "Name the files of the folder counts.")
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    for one in parts[1:]:
        if one.plan != first.plan:
            problem = f"it is of another comparison than {first.parts[0]} before it"
            raise InputError(one.parts[0], "", problem, "Merge the counts of one plan.")
    names = [name for one in parts for name in one.parts]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(twice, "", "this part is there twice", "Name each part once.")
    if len({len(row) for one in parts for row in one.words}) > 1:
        raise InputError(first.parts[0], "words", "its label sets are longer or shorter than others", COUNT_AGAIN)
    words, pixels = _sum_pairs([(one.words, one.pixels) for one in parts])
    return Counts(
        VERSION,
        first.plan,
        names,
        sum(one.pages for one in parts),
        words,
        pixels,
        sum(one.ignored for one in parts),
        _sum_means([one.means for one in parts]),
        _sum_cells([one.causes for one in parts]),
        findings=merge_findings([one.findings for one in parts]),
    )


def check_merged_output(place: Place, counts: Sequence[Place]) -> None:
    """Raise an InputError if merged counts would replace one of these files, or anything but merged counts."""
    if not storage.exists(place):
        return
    problem = "the output would replace this file, which is not an older merge"
    local = [one for one in counts if not storage.is_remote(one) and storage.exists(one)]
    if storage.is_remote(place):
        is_input = str(place) in map(str, counts)
    else:
        is_input = any(os.path.samefile(place, one) for one in local)
    if is_input:
        problem = "the output would replace this input"
    else:
        with suppress(InputError):
            if not read_counts(place).files:  # those of one part name its files
                return
    raise InputError(str(place), "", problem, "Choose another name.")


def _sum_pairs(parts: Sequence[tuple[list[list[int]], list[float]]]) -> tuple[list[list[int]], list[float]]:
    width = max((len(row) for words, _ in parts for row in words[:1]), default=1)
    words = np.concatenate([np.array(words, np.uint64).reshape(-1, width) for words, _ in parts])
    pixels = np.concatenate([np.array(pixels, float) for _, pixels in parts])
    merged = PairCounts(((), ()), np.zeros(len(words), np.int32), words, pixels).merged()
    return merged.words.tolist(), merged.pixels.tolist()


def _sum_means(parts: Sequence[dict[str, dict[str, dict[str, Sum]]]]) -> dict[str, dict[str, dict[str, Sum]]]:
    known = [part for part in parts if part]
    if not known:
        return {}

    def total(over: str, kind: str, name: str) -> Sum:
        values, counts = zip(*(part[over][kind][name] for part in known))
        return sum(values), sum(counts)

    return {
        over: {kind: {name: total(over, kind, name) for name in SCORES} for kind in AVERAGES} for over in MEANS_OVER
    }


def _sum_cells(parts: Sequence[dict[str, list[tuple[int, float]]]]) -> dict[str, list[tuple[int, float]]]:
    summed: dict[str, dict[int, float]] = {}
    for part in parts:
        for tolerance, cells in part.items():
            own = summed.setdefault(tolerance, {})
            for cell, pixels in cells:
                own[cell] = own.get(cell, 0.0) + pixels
    return {tolerance: sorted(cells.items()) for tolerance, cells in summed.items()}
