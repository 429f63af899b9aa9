"""The commands that compare a set too large for memory in parts, and their arguments."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.cli.compare_command import result_sections
from layoutcm.cli.file_options import OPTION, check_folder_output, label_score
from layoutcm.cli.reading import (
    MISSING_PAGES_HELP,
    WRITE_PAGE_MAP_HELP,
    new_bar,
    page_map_written,
    read_file,
    read_layout,
)
from layoutcm.cli.streams import say
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.formats import SHAPES
from layoutcm.layouts.model import ROUNDINGS, Layout
from layoutcm.wording import plural, without_control_characters

if TYPE_CHECKING:
    from layoutcm.comparison import Comparison
    from layoutcm.scale.engines import Progress
    from layoutcm.scale.planning import Phase

# The options of `compare-parts` that `compare_partitions` takes as arguments of the same names.
PARTS_OPTIONS = (
    "rounding", "min_score", "missing_pages", "taxonomy", "mapping", "pages", "shapes", "missing_labels", "why",
)  # fmt: skip
Parser = argparse.ArgumentParser
DOCUMENTS = "regular expression that finds the document in a page name"


def run_partition(options: argparse.Namespace) -> None:
    """Read a layout and write it as parts; --like is a set of parts, or a layout."""
    from layoutcm.scale.manifest import like_layout, read_manifest
    from layoutcm.scale.partitions import partition
    from layoutcm.scale.storage import exists, is_remote, join

    if not is_remote(options.output):
        check_folder_output(options.output, options)
    is_set = bool(options.like) and (is_remote(options.like) or exists(join(options.like, "_manifest.parquet")))
    manifest = read_manifest(options.like) if is_set else None
    like: Layout | None = like_layout(manifest) if manifest else None
    if options.like and not manifest:
        like = read_layout(options.like, options)
    layout = read_file(options.file, options, like)
    chosen: dict[str, Any] = {"like": manifest, "documents": options.documents, "overwrite": options.overwrite}
    made = partition(layout, options.output, options.parts, **chosen)
    counts = f"{plural(made.pages, 'page')}, {plural(made.regions, 'region')}"
    print(f"{options.output}: {plural(len(made.facts.parts), 'part')}, {counts}")


def run_manifest(options: argparse.Namespace) -> None:
    from layoutcm.scale.manifest import make_manifest

    made = make_manifest(options.folder, options.output, documents=options.documents, shapes=options.shapes)
    labels = plural(len(made.facts.labels), "label")
    counts = f"{plural(made.pages, 'page')}, {plural(made.regions, 'region')}, {labels}"
    print(f"{made.place}: {plural(len(made.facts.parts), 'part')}, {counts}")


def run_compare_parts(options: argparse.Namespace) -> None:
    """Compare two sets of parts; with --plan-only, write the plan and print its parts."""
    from layoutcm.scale.compare_parts import plan_and_count, plan_partitions
    from layoutcm.scale.engines import GO_ON, dask_client
    from layoutcm.scale.planning import PlanOptions

    chosen: dict[str, Any] = {name: getattr(options, name) for name in PARTS_OPTIONS}
    chosen |= {"truth": not options.no_truth, "fix_gt": options.fix_gt or (), "fix": options.fix_pred or ()}
    folders, trusted = (options.gt, options.pred, options.output), tuple(options.trust)
    if options.plan_only:
        with page_map_written(options):
            plan = plan_partitions(*folders, trusted=trusted, **chosen)
        for part in range(len(plan.facts.parts)):
            print(plan.list_place(part))
        return
    client = nullcontext("threads") if options.dask is None else dask_client(options.dask, options.threads)
    try:
        with client as engine, _parts_bar() as (progress, phase), page_map_written(options) as found:
            plan_options = PlanOptions(**chosen)
            comparison = plan_and_count(*folders, plan_options, engine, options.threads, progress, phase, trusted)
            found(comparison)
    except KeyboardInterrupt:
        say(f"layoutcm: {GO_ON}")
        raise
    _print_result(comparison, options.output)


@contextmanager
def _parts_bar() -> Iterator[tuple[Progress | None, Phase]]:
    """Yield a progress function and one that announces each phase; nothing is drawn unless stderr is a terminal."""
    bar = new_bar("planning", "pages") if sys.stderr.isatty() else None
    if bar is None:
        yield None, lambda text: None
        return
    with bar:

        def show(done: int, total: int) -> None:
            if bar.total is None:  # pages counted by an earlier run must not distort the time estimate
                bar.reset(total)
                bar.initial = bar.n = bar.last_print_n = done
            bar.update(done - bar.n)

        yield show, bar.set_description_str


def run_count(options: argparse.Namespace) -> None:
    """Count parts, one after the other; prints the file with the counts of each."""
    from layoutcm.scale.part_counts import count_part_of, counts_place
    from layoutcm.scale.plan import part_of_list

    for place in options.parts:
        plan, part = part_of_list(place, options.trust)
        count_part_of(plan, part)
        print(counts_place(plan, part), flush=True)


def run_merge(options: argparse.Namespace) -> None:
    """Merge the counts of all parts into the result, or the counts of some parts into a file."""
    import msgspec

    from layoutcm.scale.compare_parts import finish_partitions, folder_of_plan
    from layoutcm.scale.part_counts import check_merged_output, merge_counts
    from layoutcm.scale.storage import write_bytes

    if options.output:
        check_merged_output(options.output, options.counts)
        merged = msgspec.structs.replace(merge_counts(options.counts), files={})
        write_bytes(options.output, msgspec.json.encode(merged))
        print(f"{options.output}: {plural(len(merged.parts), 'part')}, {plural(merged.pages, 'page')}")
        return
    folder = options.result or folder_of_plan(options.counts[0])
    _print_result(finish_partitions(options.counts, folder), folder)


def _print_result(comparison: Comparison, folder: str) -> None:
    from layoutcm.scale.plan import read_plan

    asked = Asked(why=read_plan(folder).facts.why, parts=("findings", "means", "agreement", "slack"))
    for text in result_sections(result_of(comparison, asked=asked)):
        print(without_control_characters(text), end="\n\n")
    say(f"result written to {os.path.join(folder, 'result.json')}")


def add_parts_commands(add_command: Callable[..., Parser], add_reading_arguments: Callable[[Parser], None]) -> None:
    partition = add_command("partition", help="write a layout as Parquet parts, by document")
    _partition_arguments(partition)
    add_reading_arguments(partition)
    _manifest_arguments(add_command("manifest", help="describe a folder of Parquet files, to compare it"))
    _compare_parts_arguments(add_command("compare-parts", help="compare two sets of parts; a stopped run continues"))
    count = add_command("count", help="count single parts of a plan")
    count.add_argument("parts", metavar="PART", nargs="+", help="files of the folder `plan` of a result")
    _trust_argument(count)
    count.set_defaults(run=run_count)
    _merge_arguments(add_command("merge", help="merge the counts of parts into a result"))


def _partition_arguments(command: Parser) -> None:
    add = command.add_argument
    add("file", metavar="FILE", help="a file, a folder or a zip")
    add("-o", "--output", metavar="DIR", required=True, help="folder of the parts")
    add("--parts", type=int, metavar="N", help="number of parts; default: as in --like")
    like = "the other side: page sizes and labels; if it is a set of parts, pages go to the same part as there"
    add("--like", metavar="GT", help=like)
    add("--documents", metavar="PATTERN", help=DOCUMENTS)
    add("--fix", action="append", metavar="REPAIR", help="repair it first; may be repeated")
    add("--overwrite", action="store_true", help="replace another set of parts in this folder")
    command.set_defaults(run=run_partition)


def _manifest_arguments(command: Parser) -> None:
    add = command.add_argument
    add("folder", metavar="DIR", help="layout tables in Parquet, or shards of Hugging Face")
    add("-o", "--output", metavar="FILE", help="where to write the manifest; default: in the folder")
    add("--documents", metavar="PATTERN", help=DOCUMENTS)
    add("--shapes", choices=SHAPES, default="box")
    command.set_defaults(run=run_manifest)


def _compare_parts_arguments(command: Parser) -> None:
    add = command.add_argument
    add("gt", metavar="GT_DIR", help="ground truth: a folder of parts, or its manifest")
    add("pred", metavar="PRED_DIR", help="prediction: a folder of parts, or its manifest")
    add("-o", "--output", metavar="DIR", required=True, help="folder of the result")
    add("--dask", metavar="local|ADDRESS", help="count with Dask: here, or at this scheduler")
    add("--threads", type=int, metavar="N", help="threads, or workers of --dask local")
    add("--plan-only", action="store_true", help="write the plan and print its parts, for `count`")
    add("--why", action="store_true", help="add causes, F1 with forgiven borders, score curves")
    add("--no-truth", action="store_true", help="both are predictions, A and B: how far they agree")
    missing = "what to do with labels missing from the manifest"
    add("--missing-labels", choices=("error", "add"), default="error", help=missing)
    add("--rounding", choices=ROUNDINGS, default="outer")
    add(
        OPTION, action="append", type=label_score, metavar="[LABEL=]S", help="drop predicted regions with a lower score"
    )
    add("--missing-pages", choices=MISSING_PAGES, default="penalise", help=MISSING_PAGES_HELP)
    add("--taxonomy", choices=TAXONOMIES, default="auto")
    add("--mapping", metavar="FILE", help="YAML or JSON: {gt: {old: new}, pred: {old: new}}")
    add("--pages", metavar="FILE", help="page map: which pred page belongs to which gt page")
    add("--write-page-map", metavar="FILE", help=WRITE_PAGE_MAP_HELP)
    add("--shapes", choices=SHAPES, default="box")
    add("--fix", dest="fix_pred", action="append", metavar="REPAIR", help="repair the prediction; may be repeated")
    add("--fix-gt", action="append", metavar="REPAIR", help="the same for the ground truth")
    _trust_argument(command)
    command.set_defaults(run=run_compare_parts)


def _trust_argument(command: Parser) -> None:
    trust = "a folder of parts that are not below those of the manifests, or not beside the result; may be repeated"
    command.add_argument("--trust", action="append", default=[], metavar="DIR", help=trust)


def _merge_arguments(command: Parser) -> None:
    add = command.add_argument
    add("counts", metavar="COUNTS", nargs="+", help="files of the folder `counts`, or merged ones")
    add("-o", "--output", metavar="FILE", help="write an intermediate merge of these files")
    add("--result", metavar="DIR", help="folder of the plan; default: found from the first file's path")
    command.set_defaults(run=run_merge)
