"""The commands for sets that are larger than memory: partition, manifest, compare-parts, count and merge."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from layoutcm.cli.output_checks import check_folder_output
from layoutcm.cli.reading import progress_bar, read_layout, repair_file
from layoutcm.cli.streams import say
from layoutcm.errors import InputError
from layoutcm.layouts.model import Layout
from layoutcm.wording import plural, without_control_characters

if TYPE_CHECKING:
    from layoutcm.comparison import Comparison

# The options of `compare-parts` that `compare_partitions` takes as arguments of the same names.
PARTS_OPTIONS = (
    "rounding", "min_score", "missing_pages", "taxonomy", "mapping", "pages", "shapes", "missing_labels", "why",
)  # fmt: skip


def run_partition(options: argparse.Namespace) -> None:
    """Read a layout and write it as parts; --like is a set of parts, or a layout."""
    from layoutcm.cli.file_options import value_for
    from layoutcm.scale.manifest import like_layout, read_manifest
    from layoutcm.scale.partitions import partition
    from layoutcm.scale.places import exists, is_remote, join

    if not is_remote(options.output):
        check_folder_output(options.output, options)
    is_set = bool(options.like) and (is_remote(options.like) or exists(join(options.like, "_manifest.parquet")))
    manifest = read_manifest(options.like) if is_set else None
    like: Layout | None = like_layout(manifest) if manifest else None
    if options.like and not manifest:
        like = read_layout(options.like, options)
    format = value_for(options.file, options, "format")
    layout = read_layout(options.file, options, like=like, format=format, annotator=options.annotator)
    layout = repair_file(layout, options.file, options)
    made = partition(layout, options.output, options.parts, like=manifest, documents=options.documents)
    counts = f"{plural(made.pages, 'page')}, {plural(made.regions, 'region')}"
    print(f"{options.output}: {plural(len(made.facts.parts), 'part')}, {counts}")


def run_manifest(options: argparse.Namespace) -> None:
    from layoutcm.scale.manifest import make_manifest

    made = make_manifest(options.folder, options.output, documents=options.documents, shapes=options.shapes)
    labels = plural(len(made.facts.labels), "label")
    counts = f"{plural(made.pages, 'page')}, {plural(made.regions, 'region')}, {labels}"
    print(f"{made.place}: {plural(len(made.facts.parts), 'part')}, {counts}")


def run_compare_parts(options: argparse.Namespace) -> None:
    """Compare two sets of parts, or with --plan-only only say how."""
    from layoutcm.scale.compare_parts import compare_partitions, plan_partitions
    from layoutcm.scale.engines import dask_client

    chosen: dict[str, Any] = {name: getattr(options, name) for name in PARTS_OPTIONS}
    chosen["truth"] = not options.no_truth
    if options.no_truth and options.why:
        raise InputError("", "--no-truth", "--why needs a ground truth", "Leave out one of the two.")
    fixes = [",".join(given or ()) for given in (options.fix_gt, options.fix_pred)]
    if options.plan_only:
        plan = plan_partitions(options.gt, options.pred, options.output, repairs=tuple(fixes), **chosen)
        for part in range(len(plan.facts.parts)):
            print(plan.list_place(part))
        return
    client = nullcontext("threads") if options.dask is None else dask_client(options.dask, options.threads)
    with client as engine, progress_bar("comparing parts") as progress:
        comparison = compare_partitions(
            options.gt,
            options.pred,
            options.output,
            engine=engine,
            fix_gt=fixes[0],
            fix=fixes[1],
            threads=options.threads,
            progress=progress,
            **chosen,
        )
    _print_result(comparison, options.output)


def run_count(options: argparse.Namespace) -> None:
    """Count parts, one after the other; prints the file with the counts of each."""
    from layoutcm.scale.part_counts import count_part_of, counts_place
    from layoutcm.scale.plan import part_of_list

    for place in options.parts:
        plan, part = part_of_list(place)
        count_part_of(plan, part)
        print(counts_place(plan, part), flush=True)


def run_merge(options: argparse.Namespace) -> None:
    """Merge the counts of all parts into the result, or those of some parts into a file."""
    import msgspec

    from layoutcm.scale.compare_parts import finish_partitions
    from layoutcm.scale.part_counts import merge_counts
    from layoutcm.scale.places import folder_of, write_bytes

    if options.output:
        merged = merge_counts(options.counts)
        write_bytes(options.output, msgspec.json.encode(merged))
        print(f"{options.output}: {plural(len(merged.parts), 'part')}, {plural(merged.pages, 'page')}")
        return
    _print_result(finish_partitions(options.counts), folder_of(folder_of(options.counts[0])))


def _print_result(comparison: Comparison, folder: str) -> None:
    from layoutcm.tables.agreement_texts import agreement_summary
    from layoutcm.tables.terminal import comparison_summary

    summary = comparison_summary if comparison.has_truth else agreement_summary
    print(without_control_characters(summary(comparison)), end="\n\n")
    say(f"result written to {os.path.join(folder, 'result.json')}")
