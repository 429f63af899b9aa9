"""The arguments of every command. argparse checks names and `choices`; other values are checked where they are used.

`errors.unknown_choice` words the message for an unknown value.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from layoutcm import __version__
from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.cli import commands
from layoutcm.cli.compare_command import run_compare
from layoutcm.cli.file_options import OPTION, label_score
from layoutcm.cli.parts_commands import add_parts_commands
from layoutcm.cli.reading import MISSING_PAGES_HELP, WRITE_PAGE_MAP_HELP
from layoutcm.layouts.model import ROUNDINGS
from layoutcm.layouts.repairs import REPAIRS
from layoutcm.layouts.writers import WRITERS
from layoutcm.metrics.bootstrap import MOST_JACKKNIFE, RESAMPLES
from layoutcm.metrics.family_confusion import COUNTS, SAMPLES
from layoutcm.metrics.family_trees import BUILT_IN
from layoutcm.metrics.matrix_blocks import METHODS
from layoutcm.models.suggestions import WRITERS as LABEL_ERROR_WRITERS
from layoutcm.tables.command_texts import SHOWN
from layoutcm.verification import PAGES


def argument_parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="layoutcm", description="How good is a document layout model, and where does it go wrong?"
    )
    top.add_argument("--version", action="version", version=f"layoutcm {__version__}")
    # Options are not abbreviated, because several values may follow --min-score only under its full name.
    add_command = partial(top.add_subparsers(required=True, metavar="COMMAND").add_parser, allow_abbrev=False)
    _compare_arguments(add_command("compare", help="compare predictions with a ground truth"))
    commands.add_gate_command(partial(add_command, conflict_handler="resolve"), _comparison_arguments)
    _verify_arguments(add_command("verify", help="recount random pages by drawing their regions on pixels"))
    _label_errors_arguments(add_command("label-errors", help="what is probably wrong in a ground truth"))
    _suggest_mapping_arguments(add_command("suggest-mapping", help="which gt label each pred label means"))
    _inspect_arguments(add_command("inspect", help="what a file is and what it holds"))
    add_command("formats", help="all formats that are read").set_defaults(run=commands.run_formats)
    _app_arguments(add_command("app", help="the dashboard in the browser"))
    _convert_arguments(add_command("convert", help="write a layout in another format"))
    add_parts_commands(add_command, _reading_arguments)
    return top


def _compare_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth (or model A)")
    add("pred", metavar="PRED", nargs="+", help="one or more predictions")
    add("-o", "--output", metavar="DIR", help="write a report: HTML, XLSX, JSON, figures, tables")
    add("--images", metavar="FOLDER", help="page images (or a zip, PDF or Parquet file) for the report's pages")
    add("--json", metavar="FILE", help="write all numbers as JSON; - for standard output")
    add(
        "--why",
        action="store_true",
        help="why pixels are wrong: causes, F1 with forgiven borders, best score thresholds",
    )
    add("--no-truth", action="store_true", help="both are predictions, A and B: how far they agree, and where not")
    add("--like", metavar="FILE", help="with --no-truth: page sizes and labels for files without them")
    add("--objects", action="store_true", help="objects and centroids also of very many pages")
    add("--per-page", action="store_true", help="add every page's matrix to the JSON, also that of a report")
    add(
        "--intervals",
        type=partial(_whole_number, problem=f"a number: write --intervals={RESAMPLES}, or put --intervals last"),
        nargs="?",
        const=RESAMPLES,
        metavar="N",
        help=f"add 95 %% intervals over documents; N resamples ({RESAMPLES:,}) if there are over {MOST_JACKKNIFE:,}",
    )
    add(
        "--slices",
        nargs="?",
        const="",
        metavar="ATTRIBUTE",
        help="add F1 by an attribute of pages, each value against the rest; without ATTRIBUTE, the worst of all",
    )
    add("--baseline", metavar="NAME", help="the prediction that others are compared with; the first unless given")
    _family_arguments(command)
    _comparison_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=run_compare)


def _verify_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth (or model A)")
    add("pred", metavar="PRED", help="the prediction")
    add(
        "--pages",
        dest="recounted",
        type=partial(_whole_number, problem="a number of pages; a page map is given with --page-map"),
        default=PAGES,
        metavar="N",
        help=f"how many random pages are recounted ({PAGES} unless given)",
    )
    add("--seed", type=int, default=0, metavar="N", help="another number chooses other pages")
    _comparison_arguments(command, page_map=("--page-map",))
    command.set_defaults(run=commands.run_verify)


def _label_errors_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth")
    add("pred", metavar="PRED", nargs="+", help="one or more predictions")
    add("-o", "--output", metavar="FILE", help="write a file to correct the ground truth with")
    add("--to", choices=list(LABEL_ERROR_WRITERS), help="format of the file; by default from .csv, .json or .xml")
    add(
        "--top",
        type=int,
        metavar="N",
        help=f"how many candidates are printed ({SHOWN}) and written (all in csv, {commands.MOST_TASKS} in tasks)",
    )
    _comparison_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=commands.run_label_errors)


def _suggest_mapping_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth")
    add("pred", metavar="PRED", help="the prediction whose labels are mapped")
    add("-o", "--output", metavar="FILE", help="write the mapping as YAML, for compare --mapping")
    add("--one-to-one", action="store_true", help="give each gt label to at most one pred label")
    add("--no-prior", dest="prior", action="store_false", help="compare the spelling of names only, without synonyms")
    _min_score_argument(command)
    _side_arguments(command, page_map=("--pages", "--page-map"))
    command.set_defaults(run=commands.run_suggest_mapping)


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
    add = command.add_argument
    add("--write-page-map", metavar="FILE", help=WRITE_PAGE_MAP_HELP)
    add("--method", choices=METHODS, default="matrix")
    add("--rounding", choices=ROUNDINGS, default="outer")
    _min_score_argument(command)
    add("--missing-pages", choices=MISSING_PAGES, default="penalise", help=MISSING_PAGES_HELP)
    add("--taxonomy", choices=TAXONOMIES, default="auto")
    add("--mapping", metavar="FILE", help="YAML or JSON: {gt: {old: new}, pred: {old: new}, preds: {NAME: {old: new}}}")
    add(
        "--ignore",
        action="append",
        default=[],
        metavar="LABEL",
        help="pixels of this label of the ground truth are not judged; may be repeated",
    )
    add("--documents", metavar="PATTERN", help="regular expression that finds the document in a page name")
    _side_arguments(command, page_map)


def _side_arguments(command: argparse.ArgumentParser, page_map: Sequence[str]) -> None:
    """The options that decide how a ground truth and predictions are read; `page_map` are the names of that option."""
    add = command.add_argument
    add(
        *page_map,
        dest="pages",
        metavar="FILE",
        help="page map in CSV, YAML or JSON: which pred page belongs to which gt page",
    )
    add("--threads", type=int, metavar="N")
    _fix_argument(command, "repair predictions, as a finding says")
    add("--fix-gt", action="append", metavar="REPAIR", help="the same for the ground truth")
    add("--gt-format", metavar="NAME", help="format of the ground truth; --format is for predictions")
    add("--gt-annotator", metavar="NAME", help="as --annotator, for the ground truth")
    _reading_arguments(command)


def _whole_number(text: str, problem: str) -> int:
    """The number after an option; `problem` says what to write if another argument follows it."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {problem}") from None


def _family_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    built_in = ", ".join(BUILT_IN)
    add("--families", metavar="FILE", help=f"families of labels: YAML or JSON {{family: [labels]}}, or {built_in}")
    add("--family-sample", choices=SAMPLES, default="pixel", help="what counts as one sample for the families")
    add("--family-count", choices=COUNTS, help="how a pair inside a family counts everywhere")
    add("--family-depth", type=int, default=1, metavar="N", help="depth of the families in a nested tree")


def _inspect_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("files", metavar="FILE", nargs="+")
    add("--json", metavar="FILE", help="write as JSON; - for standard output")
    add("--like", metavar="FILE", help="reference layout: page sizes and labels for files without them")
    _reading_arguments(command)
    command.set_defaults(run=commands.run_inspect)


def _app_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "files",
        metavar="GT PRED",
        nargs="*",
        help="a ground truth and predictions to open: files, folders or zips; or one saved session (.layoutcm); or "
        "the folders of one or more results of compare-parts",
    )
    add("--port", type=int, default=8501)
    add("--address", help="127.0.0.1 unless given; 0.0.0.0 accepts connections from other machines")
    add("--host", action="append", default=[], metavar="NAME", help="a name of this server; may be repeated")
    embedding = "an origin whose pages may show the dashboard in a frame, as https://huggingface.co; may be repeated"
    add("--embed-in", action="append", default=[], metavar="ORIGIN", help=embedding)
    add("--public", action="store_true", help="for strangers on the network: all addresses, lower limits")
    add("--data", metavar="DIR", help="a folder whose files and folders can be opened without upload")
    add("--images", metavar="DIR", help="a folder of page images, or a Parquet file that has them")
    trust = "a folder with the parts of given results, if they are not beside them; may be repeated"
    add("--trust", action="append", default=[], metavar="DIR", help=trust)
    add("--browser", action="store_true", help="open a browser window")
    command.set_defaults(run=commands.run_app)


def _convert_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("file", metavar="FILE", help="a file, a folder or a zip")
    add("--to", choices=list(WRITERS), required=True)
    add(
        "-o", "--output", metavar="OUT", required=True, help="a file; for yolo and page-xml a folder, or a name in .zip"
    )
    add(
        "--as",
        dest="written_as",
        choices=("predictions", "annotations"),
        help="for label-studio; predictions if there are scores, unless given",
    )
    add("--like", metavar="FILE", help="reference layout: page sizes and labels for files without them")
    _fix_argument(command, "repair it first")
    _reading_arguments(command)
    command.set_defaults(run=commands.run_convert)


def _fix_argument(command: argparse.ArgumentParser, purpose: str) -> None:
    command.add_argument(
        "--fix", action="append", metavar="[FILE=]REPAIR", help=f"{purpose}: {', '.join(REPAIRS)}; may be repeated"
    )


def _reading_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--format",
        action="append",
        metavar="[FILE=]NAME",
        help="format of the files, or of one; otherwise detected from their content",
    )
    add("--annotator", metavar="NAME", help="whose regions are read, if the file has several annotators")
    add("--attributes", metavar="FILE", help="attributes of pages: CSV with a column page or document, and others")
    add(
        "--sizes",
        action="append",
        metavar="[FILE=]WxH|FOLDER",
        help="page size, or page images, for files without sizes, or for one of them",
    )
    add("--shapes", choices=("box", "polygon"), default="box")
    add("--outer-only", action="store_true", help="drop regions inside pictures and tables")
    add("--strict", action="store_true", help="a damaged file in a folder or zip is an error, not left out")
