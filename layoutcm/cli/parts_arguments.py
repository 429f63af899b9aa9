"""The arguments of the commands for sets that are larger than memory."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.cli.min_score_option import OPTION, label_score
from layoutcm.cli.parts_commands import run_compare_parts, run_count, run_manifest, run_merge, run_partition
from layoutcm.formats import SHAPES
from layoutcm.layouts.model import ROUNDINGS

Parser = argparse.ArgumentParser
DOCUMENTS = "regular expression that finds the document in a page name"


def add_parts_commands(add_command: Callable[..., Parser], add_reading_arguments: Callable[[Parser], None]) -> None:
    partition = add_command("partition", help="write a layout as Parquet parts, by document")
    _partition_arguments(partition)
    add_reading_arguments(partition)
    _manifest_arguments(add_command("manifest", help="describe a folder of Parquet files, so that it can be compared"))
    _compare_parts_arguments(add_command("compare-parts", help="compare two sets of parts; a stopped run continues"))
    _count_arguments(add_command("count", help="count single parts of a plan"))
    _merge_arguments(add_command("merge", help="merge the counts of parts into a result"))


def _partition_arguments(command: Parser) -> None:
    command.add_argument("file", metavar="FILE", help="a file, a folder or a zip")
    command.add_argument("-o", "--output", metavar="DIR", required=True, help="folder of the parts")
    command.add_argument("--parts", type=int, metavar="N", help="number of parts; that of --like unless given")
    command.add_argument(
        "--like",
        metavar="GT",
        help="the other side: page sizes and labels; of a set of parts also the part of a page",
    )
    command.add_argument("--documents", metavar="PATTERN", help=DOCUMENTS)
    command.add_argument("--fix", action="append", metavar="REPAIR", help="repair it first; may be repeated")
    command.set_defaults(run=run_partition)


def _manifest_arguments(command: Parser) -> None:
    command.add_argument("folder", metavar="DIR", help="layout tables in Parquet, or shards of Hugging Face")
    command.add_argument("-o", "--output", metavar="FILE", help="place of the manifest; in the folder unless given")
    command.add_argument("--documents", metavar="PATTERN", help=DOCUMENTS)
    command.add_argument("--shapes", choices=SHAPES, default="box")
    command.set_defaults(run=run_manifest)


def _compare_parts_arguments(command: Parser) -> None:
    command.add_argument("gt", metavar="GT_DIR", help="ground truth: a folder of parts, or its manifest")
    command.add_argument("pred", metavar="PRED_DIR", help="prediction: a folder of parts, or its manifest")
    command.add_argument("-o", "--output", metavar="DIR", required=True, help="folder of the result")
    command.add_argument("--dask", metavar="local|ADDRESS", help="count with Dask: here, or at this scheduler")
    command.add_argument("--threads", type=int, metavar="N", help="threads, or workers of --dask local")
    command.add_argument("--plan-only", action="store_true", help="write the plan and print its parts, for `count`")
    command.add_argument("--why", action="store_true", help="add causes, F1 with forgiven borders, score curves")
    command.add_argument("--no-truth", action="store_true", help="both are predictions, A and B: how far they agree")
    command.add_argument(
        "--missing-labels", choices=("error", "add"), default="error", help="labels that the manifest does not know"
    )
    command.add_argument("--rounding", choices=ROUNDINGS, default="outer")
    command.add_argument(
        OPTION, action="append", type=label_score, metavar="[LABEL=]S", help="drop predicted regions with a lower score"
    )
    command.add_argument("--missing-pages", choices=MISSING_PAGES, default="penalise")
    command.add_argument("--taxonomy", choices=TAXONOMIES, default="auto")
    command.add_argument("--mapping", metavar="FILE", help="YAML or JSON: {gt: {old: new}, pred: {old: new}}")
    command.add_argument("--pages", metavar="FILE", help="page map: which pred page belongs to which gt page")
    command.add_argument("--shapes", choices=SHAPES, default="box")
    command.add_argument(
        "--fix", dest="fix_pred", action="append", metavar="REPAIR", help="repair the prediction; may be repeated"
    )
    command.add_argument("--fix-gt", action="append", metavar="REPAIR", help="the same for the ground truth")
    command.set_defaults(run=run_compare_parts)


def _count_arguments(command: Parser) -> None:
    command.add_argument("parts", metavar="PART", nargs="+", help="files of the folder `plan` of a result")
    command.set_defaults(run=run_count)


def _merge_arguments(command: Parser) -> None:
    command.add_argument("counts", metavar="COUNTS", nargs="+", help="files of the folder `counts`, or merged ones")
    command.add_argument("-o", "--output", metavar="FILE", help="only merge these, for a later merge")
    command.add_argument("--result", metavar="DIR", help="folder of the plan; else above that of the first file")
    command.set_defaults(run=run_merge)
