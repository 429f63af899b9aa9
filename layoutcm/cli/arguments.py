"""The arguments of every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from layoutcm import __version__
from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.cli.commands import run_app, run_convert, run_formats, run_inspect
from layoutcm.cli.compare_command import run_compare
from layoutcm.cli.gate_command import add_gate_command
from layoutcm.cli.label_errors_command import MOST_TASKS, run_label_errors
from layoutcm.cli.mapping_command import run_suggest_mapping
from layoutcm.cli.min_score_option import OPTION, label_score
from layoutcm.cli.parts_arguments import add_parts_commands
from layoutcm.cli.verify_command import run_verify
from layoutcm.layouts.model import ROUNDINGS
from layoutcm.layouts.repairs import REPAIRS
from layoutcm.layouts.writers import WRITERS
from layoutcm.metrics.bootstrap import MOST_JACKKNIFE, RESAMPLES
from layoutcm.metrics.confusion import METHODS
from layoutcm.metrics.family_confusion import COUNTS, SAMPLES
from layoutcm.metrics.family_trees import BUILT_IN
from layoutcm.models.label_error_files import WRITERS as LABEL_ERROR_WRITERS
from layoutcm.tables.label_error_texts import SHOWN
from layoutcm.verification import PAGES


def argument_parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="layoutcm", description="How good is a document layout model, and where does it go wrong?"
    )
    top.add_argument("--version", action="version", version=f"layoutcm {__version__}")
    # Options are not abbreviated, because several values may follow --min-score only under its full name.
    add_command = partial(top.add_subparsers(required=True, metavar="COMMAND").add_parser, allow_abbrev=False)
    _compare_arguments(add_command("compare", help="compare predictions with a ground truth"))
    add_gate_command(add_command, _comparison_arguments)
    _verify_arguments(add_command("verify", help="recount random pages by drawing their regions on pixels"))
    _label_errors_arguments(add_command("label-errors", help="what is probably wrong in a ground truth"))
    _suggest_mapping_arguments(add_command("suggest-mapping", help="which gt label each pred label means"))
    _inspect_arguments(add_command("inspect", help="what a file is and what it holds"))
    add_command("formats", help="all formats that are read").set_defaults(run=run_formats)
    _app_arguments(add_command("app", help="the dashboard in the browser"))
    _convert_arguments(add_command("convert", help="write a layout in another format"))
    add_parts_commands(add_command, _reading_arguments)
    return top


def _compare_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("gt", metavar="GT", help="ground truth (or model A)")
    command.add_argument("pred", metavar="PRED", nargs="+", help="one or more predictions")
    command.add_argument("-o", "--output", metavar="DIR", help="write a report: HTML, XLSX, JSON, figures, tables")
    command.add_argument(
        "--images", metavar="FOLDER", help="page images (or a zip, PDF or Parquet file) for the report's pages"
    )
    command.add_argument("--json", metavar="FILE", help="write all numbers as JSON; - for standard output")
    command.add_argument(
        "--why",
        action="store_true",
        help="why pixels are wrong: causes, F1 with forgiven borders, best score thresholds",
    )
    command.add_argument(
        "--no-truth", action="store_true", help="both are predictions, A and B: how far they agree, and where not"
    )
    command.add_argument("--like", metavar="FILE", help="with --no-truth: page sizes and labels for files without them")
    command.add_argument("--objects", action="store_true", help="objects and centroids also of very many pages")
    command.add_argument(
        "--per-page", action="store_true", help="add every page's matrix to the JSON, also that of a report"
    )
    command.add_argument(
        "--intervals",
        type=_resamples,
        nargs="?",
        const=RESAMPLES,
        metavar="N",
        help=f"add 95 %% intervals over documents, from N resamples ({RESAMPLES:,}) if there are over {MOST_JACKKNIFE}",
    )
    command.add_argument(
        "--slices",
        nargs="?",
        const="",
        metavar="ATTRIBUTE",
        help="add F1 by an attribute of pages, each value against the rest; without ATTRIBUTE, the worst of all",
    )
    command.add_argument(
        "--baseline", metavar="NAME", help="the prediction that others are compared with; the first unless given"
    )
    _family_arguments(command)
    _comparison_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=run_compare)


def _verify_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("gt", metavar="GT", help="ground truth (or model A)")
    command.add_argument("pred", metavar="PRED", help="the prediction")
    command.add_argument(
        "--pages",
        dest="recounted",
        type=_page_number,
        default=PAGES,
        metavar="N",
        help=f"how many random pages are recounted ({PAGES} unless given)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="another number chooses other pages")
    _comparison_arguments(command, page_map=("--page-map",))
    command.set_defaults(run=run_verify)


def _label_errors_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("gt", metavar="GT", help="ground truth")
    command.add_argument("pred", metavar="PRED", nargs="+", help="one or more predictions")
    command.add_argument("-o", "--output", metavar="FILE", help="write a file to correct the ground truth with")
    command.add_argument(
        "--to", choices=list(LABEL_ERROR_WRITERS), help="format of the file; by default from .csv, .json or .xml"
    )
    command.add_argument(
        "--top",
        type=int,
        metavar="N",
        help=f"how many candidates are printed ({SHOWN}) and written (all in csv, {MOST_TASKS} in tasks)",
    )
    _comparison_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=run_label_errors)


def _suggest_mapping_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("gt", metavar="GT", help="ground truth")
    command.add_argument("pred", metavar="PRED", help="the prediction whose labels are mapped")
    command.add_argument("-o", "--output", metavar="FILE", help="write the mapping as YAML, for compare --mapping")
    command.add_argument("--one-to-one", action="store_true", help="give each gt label to at most one pred label")
    command.add_argument(
        "--no-prior", dest="prior", action="store_false", help="compare the spelling of names only, without synonyms"
    )
    _min_score_argument(command)
    _side_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=run_suggest_mapping)


def _page_number(text: str) -> int:
    """The number after --pages, which is a page map in other commands."""
    try:
        return int(text)
    except ValueError:
        problem = f"{text!r} is not a number of pages; a page map is given with --page-map"
        raise argparse.ArgumentTypeError(problem) from None


def _min_score_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        OPTION,
        action="append",
        type=label_score,
        metavar="[LABEL=]S",
        help="drop predicted regions with a lower score, of all labels or of some; several may follow",
    )


def _comparison_arguments(command: argparse.ArgumentParser, page_map: Sequence[str]) -> None:
    """The options that decide what is compared and how it is counted; `page_map` are the names of that option."""
    command.add_argument("--method", choices=METHODS, default="matrix")
    command.add_argument("--rounding", choices=ROUNDINGS, default="outer")
    _min_score_argument(command)
    command.add_argument("--missing-pages", choices=MISSING_PAGES, default="penalise")
    command.add_argument("--taxonomy", choices=TAXONOMIES, default="auto")
    command.add_argument(
        "--mapping", metavar="FILE", help="YAML or JSON: {gt: {old: new}, pred: {old: new}, preds: {NAME: {old: new}}}"
    )
    command.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="LABEL",
        help="pixels of this label of the ground truth are not judged; may be repeated",
    )
    command.add_argument(
        "--documents", metavar="PATTERN", help="regular expression that finds the document in a page name"
    )
    _side_arguments(command, page_map)


def _side_arguments(command: argparse.ArgumentParser, page_map: Sequence[str]) -> None:
    """The options that decide how a ground truth and predictions are read; `page_map` are the names of that option."""
    command.add_argument(
        *page_map,
        dest="pages",
        metavar="FILE",
        help="page map in CSV, YAML or JSON: which pred page belongs to which gt page",
    )
    command.add_argument("--threads", type=int, metavar="N")
    _fix_argument(command, "repair predictions, as a finding says")
    command.add_argument("--fix-gt", action="append", metavar="REPAIR", help="the same for the ground truth")
    command.add_argument("--gt-format", metavar="NAME", help="format of the ground truth; --format is for predictions")
    command.add_argument("--gt-annotator", metavar="NAME", help="as --annotator, for the ground truth")
    _reading_arguments(command)


def _resamples(text: str) -> int:
    """The number after --intervals. It is optional, so argparse may pass the next argument instead."""
    try:
        return int(text)
    except ValueError:
        problem = f"{text!r} is not a number: write --intervals={RESAMPLES}, or put --intervals last"
        raise argparse.ArgumentTypeError(problem) from None


def _family_arguments(command: argparse.ArgumentParser) -> None:
    built_in = ", ".join(BUILT_IN)
    command.add_argument(
        "--families", metavar="FILE", help=f"families of labels: YAML or JSON {{family: [labels]}}, or {built_in}"
    )
    command.add_argument(
        "--family-sample", choices=SAMPLES, default="pixel", help="what counts as one sample for the families"
    )
    command.add_argument("--family-count", choices=COUNTS, help="how a pair inside a family counts everywhere")
    command.add_argument(
        "--family-depth", type=int, default=1, metavar="N", help="depth of the families in a nested tree"
    )


def _inspect_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILE", nargs="+")
    command.add_argument("--json", metavar="FILE", help="write as JSON; - for standard output")
    command.add_argument(
        "--like", metavar="FILE", help="reference layout: page sizes and labels for files without them"
    )
    _reading_arguments(command)
    command.set_defaults(run=run_inspect)


def _app_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        metavar="GT PRED",
        nargs="*",
        help="a ground truth and predictions to open: files, folders or zips; or one saved session (.layoutcm); or "
        "the folders of one or more results of compare-parts",
    )
    command.add_argument("--port", type=int, default=8501)
    command.add_argument("--address", help="127.0.0.1 unless given; 0.0.0.0 accepts connections from other machines")
    command.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="a name of this server; may be repeated"
    )
    command.add_argument(
        "--public", action="store_true", help="for strangers on the network: all addresses, lower limits"
    )
    command.add_argument("--data", metavar="DIR", help="a folder whose files and folders can be opened without upload")
    command.add_argument("--images", metavar="DIR", help="a folder of page images, or a Parquet file that has them")
    command.add_argument("--browser", action="store_true", help="open a browser window")
    command.set_defaults(run=run_app)


def _convert_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="a file, a folder or a zip")
    command.add_argument("--to", choices=list(WRITERS), required=True)
    command.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="a file; for yolo and page-xml a folder, or a name in .zip"
    )
    command.add_argument(
        "--as",
        dest="written_as",
        choices=("predictions", "annotations"),
        help="for label-studio; predictions if there are scores, unless given",
    )
    command.add_argument(
        "--like", metavar="FILE", help="reference layout: page sizes and labels for files without them"
    )
    _fix_argument(command, "repair it first")
    _reading_arguments(command)
    command.set_defaults(run=run_convert)


def _fix_argument(command: argparse.ArgumentParser, purpose: str) -> None:
    command.add_argument(
        "--fix",
        action="append",
        metavar="[FILE=]REPAIR",
        help=f"{purpose}: {', '.join(REPAIRS)}; may be repeated",
    )


def _reading_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        action="append",
        metavar="[FILE=]NAME",
        help="format of the files, or of one; otherwise detected from their content",
    )
    command.add_argument(
        "--annotator", metavar="NAME", help="whose regions are read, if the file has several annotators"
    )
    command.add_argument(
        "--attributes", metavar="FILE", help="attributes of pages: CSV with a column page or document, and others"
    )
    command.add_argument(
        "--sizes",
        action="append",
        metavar="[FILE=]WxH|FOLDER",
        help="page size, or page images, for files without sizes, or for one of them",
    )
    command.add_argument("--shapes", choices=("box", "polygon"), default="box")
    command.add_argument("--outer-only", action="store_true", help="drop regions inside pictures and tables")
