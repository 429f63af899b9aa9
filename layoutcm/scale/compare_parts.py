"""`compare_partitions`: two sets of parts become a result that is read from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import LabelMapping
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.filling.level_records import write_documents
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.page_maps import PageMapLike
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.pixels.counting import check_counting_options
from layoutcm.scale.engines import Progress, count_parts, merge_in_tree
from layoutcm.scale.manifest import read_manifest
from layoutcm.scale.part_counts import Counts, merge_counts, read_counts
from layoutcm.scale.plan import PLAN_FILE, RESULT_FILE, TOTAL_FILE, Plan, read_plan
from layoutcm.scale.planning import Phase, PlanOptions, make_plan, plan_options
from layoutcm.scale.storage import Place, exists, folder_of, join, open_output, remove_unfinished, write_bytes
from layoutcm.scale.stored_comparison import open_plan

if TYPE_CHECKING:
    from distributed import Client


def compare_partitions(
    gt_dir: Place,
    pred_dir: Place,
    out: Place,
    *,
    engine: str | Client = "threads",
    rounding: str = "outer",
    min_score: MinScore = None,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    mapping: LabelMapping | str | os.PathLike[str] | None = None,
    pages: PageMapLike = None,
    shapes: str = "box",
    fix_gt: str | Sequence[str] = "",
    fix: str | Sequence[str] = "",
    missing_labels: str = "error",
    why: bool = False,
    truth: bool = True,
    trusted: Sequence[Place] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two sets of Parquet parts, which have manifests, and write the result into the folder `out`.

    A run that was stopped continues where it was: parts that are finished are not counted again.

    Parameters
    ----------
    gt_dir, pred_dir : path or address
    out : path or address
    engine : {"threads", "dask"} or client of Dask
        "dask" starts a cluster on this machine.
    rounding, min_score, missing_pages, taxonomy, mapping, pages
        As in `compare`.
    shapes : {"box", "polygon"}
    fix_gt, fix : str or sequence of str
        Repairs of gt and of pred, as in `repair`.
    missing_labels : {"error", "add"}
        What to do about labels that the manifest does not know.
    why : bool
        Adds causes and score curves.
    truth : bool
        With False neither side is the truth, as in `compare`.
    trusted : sequence of paths or addresses, optional
        Folders of parts that are not below the folders of their manifests.
    threads : int, optional
        Threads, or local workers of Dask.
    progress : callable, optional
        Called with the number of pages done and the number of all pages; first with those of an earlier run.

    Returns
    -------
    Comparison
        It reads its files when they are needed.

    Examples
    --------
    >>> import tempfile
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> pred = lcm.read("sample_data/model-a.json", like=gt)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = lcm.partition(gt, f"{folder}/gt", 2)
    ...     _ = lcm.partition(pred, f"{folder}/pred", like=f"{folder}/gt")
    ...     c = lcm.compare_partitions(f"{folder}/gt", f"{folder}/pred", f"{folder}/out")
    ...     print(round(c.confusion().average("macro")["f1"], 3))
    0.81
    """
    options = PlanOptions(
        rounding, min_score, missing_pages, taxonomy, mapping, pages, shapes, fix_gt, fix, missing_labels, why, truth
    )
    return plan_and_count(gt_dir, pred_dir, out, options, engine, threads, progress, trusted=trusted)


def plan_and_count(
    gt_dir: Place,
    pred_dir: Place,
    out: Place,
    options: PlanOptions,
    engine: str | Client = "threads",
    threads: int | None = None,
    progress: Progress | None = None,
    phase: Phase = lambda text: None,
    trusted: Sequence[Place] = (),
) -> Comparison:
    """`compare_partitions` with its options in one value; `phase` is called with the name of each step."""
    check_counting_options(options.rounding, threads)
    plan = make_plan(read_manifest(gt_dir, trusted), read_manifest(pred_dir, trusted), out, options, phase)
    phase("comparing parts")
    total = count_parts(plan, engine, threads, progress)
    phase("finishing")
    return finish(plan, total)


def plan_partitions(
    gt_dir: Place, pred_dir: Place, out: Place, *, trusted: Sequence[Place] = (), **options: object
) -> Plan:
    """Only write the plan: its parts are counted by `count_part`, and `finish_partitions` merges their counts.

    Parameters
    ----------
    gt_dir, pred_dir, out : path or address
    trusted : sequence of paths or addresses, optional
        As in `compare_partitions`.
    **options
        Those of `compare_partitions` that decide what is compared: all but engine, threads and progress.

    Returns
    -------
    Plan
    """
    return make_plan(read_manifest(gt_dir, trusted), read_manifest(pred_dir, trusted), out, plan_options(options))


def finish_partitions(
    counts: Sequence[Place], out: Place | None = None, *, trusted: Sequence[Place] = ()
) -> Comparison:
    """Merge the counts of all parts, or of groups of them, and write the result.

    Parameters
    ----------
    counts : sequence of paths or addresses
        The files of the folder `counts`, or files into which some of them were merged.
    out : path or address, optional
        The folder of the plan; the one above the folder of the first file unless given.
    trusted : sequence of paths or addresses, optional
        Folders of the parts of both sides, as in `open_comparison`.

    Returns
    -------
    Comparison
    """
    if not counts:
        raise InputError("", "counts", "there is nothing to merge", "Name the files of the folder counts.")
    plan = read_plan(folder_of_plan(counts[0]) if out is None else out, trusted)
    places = sorted(map(str, counts))
    return finish(plan, merge_in_tree(map(read_counts, places), len(places), merge_counts))


def folder_of_plan(counts: Place) -> str:
    """The folder above that of a file with counts; an InputError if it has no plan."""
    read_counts(counts)  # else a wrong name would be a missing plan
    folder = join(folder_of(counts), "..")
    if not exists(join(folder, PLAN_FILE)):
        problem = f"the folder above it has no {PLAN_FILE}"
        raise InputError(str(counts), "", problem, "Name the folder of the plan: out=DIR (--result DIR).")
    return folder


def finish(plan: Plan, total: Counts) -> Comparison:
    """Write the sums of all parts and result.json, and open the result."""
    there = set(total.parts)
    missing = [part.name for part in plan.facts.parts if part.name not in there]
    if total.plan != plan.digest:
        raise InputError(plan.folder, "", "the counts are those of another plan", "Count the parts again.")
    if missing:
        problem = f"{len(missing):,} of {len(plan.facts.parts):,} parts are missing, first {missing[0]}"
        raise InputError(plan.folder, "", problem, "Count them: layoutcm count.")
    write_bytes(plan.place(TOTAL_FILE), msgspec.json.encode(total))
    comparison = open_plan(plan)
    with open_output(plan.place(DOCUMENTS_FILE)) as file:
        write_documents(comparison, "matrix", file)
    asked = Asked(why=plan.facts.why, documents_file=DOCUMENTS_FILE)
    write_bytes(plan.place(RESULT_FILE), result_of(comparison, asked=asked).to_json())
    remove_unfinished(plan.folder)
    return comparison
