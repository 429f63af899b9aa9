"""All commands except `compare` and the commands on parts. Each reads files, and prints text or writes a file."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from layoutcm.cli import reading
from layoutcm.cli.file_options import check_file_output, check_folder_output
from layoutcm.cli.streams import say, write_output
from layoutcm.diagnosis.label_mapping import suggest_mapping
from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.model import Layout
from layoutcm.layouts.writers import FOLDERS, is_zip, write
from layoutcm.models.label_errors import label_errors
from layoutcm.models.suggestions import format_of, write_label_errors
from layoutcm.outputs.files import write_whole
from layoutcm.results.encoding import json_text
from layoutcm.results.result import Result
from layoutcm.tables.command_texts import SHOWN, label_errors_summary, mapping_lines, mapping_yaml, verification_summary
from layoutcm.tables.gate import Gate, gate, gate_lines, gate_markdown, gated_result, one_result, wanted_limits
from layoutcm.tables.layout_facts import layout_result
from layoutcm.tables.terminal import finding_lines, further_facts, layout_summary
from layoutcm.wording import plural, without_control_characters

WRONG_NUMBER = 1
MOST_TASKS = 100  # candidates that become tasks unless --top says otherwise
FELL_SHORT = 3


def run_formats(options: argparse.Namespace) -> None:
    """Print the name of each format, for --format, and what it is."""
    width = max(map(len, BY_NAME))
    for format in sorted(BY_NAME.values(), key=lambda format: format.name):
        print(f"{format.name:{width}}  {format.title}")


def run_inspect(options: argparse.Namespace) -> None:
    if options.json and options.json != "-":
        check_file_output(options.json, options)
    like = reading.read_layout(options.like, options, format=None) if options.like else None
    layouts: list[Layout] = []
    for file in options.files:
        # Without --like, the first file is the reference layout of the others.
        layouts.append(reading.read_file(file, options, like or next(iter(layouts), None)))
        if options.json != "-":
            print(without_control_characters(layout_summary(layouts[-1])), end="\n\n")
    if options.json:
        write_output(json_text([layout_result(layout) for layout in layouts]), options.json)


def run_convert(options: argparse.Namespace) -> None:
    is_folder = options.to in FOLDERS and not is_zip(options.output)
    (check_folder_output if is_folder else check_file_output)(options.output, options)
    like = reading.read_layout(options.like, options) if options.like else None
    layout = reading.read_file(options.file, options, like)
    predictions = options.written_as and options.written_as == "predictions"
    lost = write(layout, options.to, options.output, predictions=predictions)
    pages, regions = len(layout.page_columns), len(layout.region_columns)
    counts = f"{plural(pages, 'page')}, {plural(regions, 'region')}"
    print(without_control_characters(f"{options.output}: {options.to}, {counts}"))
    for line in (*further_facts(layout_result(layout)), *finding_lines((*layout.findings, *lost))):
        say(without_control_characters(line))


def run_app(options: argparse.Namespace) -> None:
    """Run the server of the dashboard until it ends."""
    from layoutcm.scale.storage import is_remote

    for file in options.files:
        if not is_remote(file) and not os.path.exists(file):  # unlike Path.exists, accepts any name
            raise InputError(file, "", "there is no such file", "Check the name and the folder.")
    for given, kinds in ((options.data, "folder"), (options.images, "folder or Parquet file")):
        is_parquet = given == options.images and bool(given) and Path(given).suffix.lower() == ".parquet"
        if given and not (Path(given).is_dir() or (is_parquet and Path(given).is_file())):
            raise InputError(given, "", f"there is no such {kinds}", "Check the name.")
    from layoutcm.ui.launch import check_files, launch
    from layoutcm.ui.server.serving import address_of

    check_files(options.files)
    _check_port(address_of(options), options.port)
    launch(options)


def _check_port(address: str, port: int) -> None:
    """Raise an InputError if the port cannot be used; otherwise the browser could open the page of another server."""
    import socket

    if not 0 < port < 65536:
        raise InputError("", "--port", f"{port} is not a port", "Use one from 1 to 65535, such as 8501.")
    try:
        with socket.create_server((address, port)):
            pass
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "Use 127.0.0.1, 0.0.0.0, or an address of this machine."
            raise InputError("", "--address", f"{address} is not an address of this machine", hint) from None
        problem = f"the server cannot listen on {address}:{port}: {error.strerror or error}"
        hint = "Choose another address, or another port, such as 8501."
        if error.errno == errno.EADDRINUSE:
            hint = f"Stop the other server, or choose another port: --port {port % 65535 + 1}."
        raise InputError("", "--port", problem, hint) from None


def run_verify(options: argparse.Namespace) -> int:
    """0 if all numbers agree, else 1."""
    from layoutcm.verification.recount import check_recounting, verify

    check_recounting(options.recounted, options.seed)  # before the long work: a mistake is reported at once
    comparison = reading.compare_file(reading.read_gt(options), options.pred, options)
    with reading.progress_bar("recounting") as progress:
        result = verify(comparison, options.recounted, options.seed, method=options.method, progress=progress)
    print(without_control_characters(verification_summary(result, comparison.findings)))
    return 0 if result.agrees else WRONG_NUMBER


def run_suggest_mapping(options: argparse.Namespace) -> None:
    """Print the table and write the YAML; without -o, print the YAML, which has the table as a comment."""
    if options.output is not None:
        check_file_output(options.output, options)
    gt = reading.read_gt(options)
    pred = reading.read_file(options.pred, options, gt, options.pages)
    chosen = {name: getattr(options, name) for name in ("one_to_one", "prior", "min_score", "pages", "threads")}
    with reading.progress_bar(f"comparing {Path(options.pred).name}") as progress:
        suggested = suggest_mapping(gt, pred, **chosen, progress=progress)
    for line in finding_lines(suggested.findings):
        say(without_control_characters(line))
    if options.output is None:
        print(mapping_yaml(suggested), end="")
        return
    write_whole(options.output, mapping_yaml(suggested).encode("utf-8"))
    print(without_control_characters("\n".join(mapping_lines(suggested))), end="\n\n")
    print(f"mapping written to {options.output}")


def run_label_errors(options: argparse.Namespace) -> None:
    to = _check_output(options)
    names = reading.report_names(options.pred)
    reading.check_mapped_models(options, names)
    gt = reading.read_gt(options)
    errors = label_errors([reading.compare_file(gt, file, options, name) for file, name in zip(options.pred, names)])
    most = options.top or (len(errors) if to == "csv" else MOST_TASKS)
    written = errors.head(most) if to else errors.head(0)
    lost = write_label_errors(written, gt, options.output, to) if len(written) or to == "csv" else ()
    # Printed after the file is written: a closed pipe (`| head`) must not lose it.
    print(without_control_characters(label_errors_summary(errors, len(gt.region_columns), options.top or SHOWN)))
    if len(written) or to == "csv":
        print(f"\n{options.output}: {to}, {plural(len(written), 'candidate')}")
    elif to:
        say("no candidates, so no file was written")
    for line in finding_lines(lost):
        say(line)


def _check_output(options: argparse.Namespace) -> str | None:
    """The format of the output; wrong options are reported before the long work."""
    if options.top is not None and options.top < 1:
        raise InputError("", "--top", f"{options.top} is less than 1", "Use 1 or more.")
    if options.output is None:
        if options.to:
            raise InputError("", "--to", "no file is named", "Name one with -o.")
        return None
    check_file_output(options.output, options)
    return options.to or format_of(options.output)


def add_gate_command(
    add_command: Callable[..., argparse.ArgumentParser], add_comparison_arguments: Callable[..., None]
) -> None:
    command = add_command("gate", help="fail if figures are below a threshold, or have dropped; for CI")
    command.add_argument("gt", metavar="GT", nargs="?", help="ground truth")
    command.add_argument("pred", metavar="PRED", nargs="?", help="the prediction")
    command.add_argument("--result", metavar="FILE", help="a result.json instead of GT and PRED")
    command.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="FIGURE=VALUE",
        help='a figure and its least value, such as "macro.f1=0.8" or "class.Table.f1=0.7"; may be repeated',
    )
    command.add_argument("--baseline", metavar="FILE", help="an earlier result.json; figures must not fall below it")
    command.add_argument(
        "--max-drop",
        action="append",
        metavar="[FIGURE=]DROP",
        help="the largest allowed drop from the baseline, of one figure or of all others; may be repeated; default: 0",
    )
    severe = "pass although a severe finding says that the numbers say nothing about a model"
    command.add_argument("--allow-severe", action="store_true", help=severe)
    command.add_argument("--json", metavar="FILE", help="write all checks as JSON; - for standard output")
    command.add_argument("--markdown", metavar="FILE", help="write a comment for a pull request; - for standard output")
    own = vars(command.parse_args([]))
    add_comparison_arguments(command, page_map=("--pages", "--page-map"))
    # Beside its meaning for the files that are read.
    strict = "fail on every drop beyond the limit, even if no difference is shown; refuse damaged files"
    command.add_argument("--strict", action="store_true", help=strict)
    of_comparison = {
        name: value for name, value in vars(command.parse_args([])).items() if name not in (*own, "strict")
    }
    command.set_defaults(run=run_gate, of_comparison=of_comparison)


def run_gate(options: argparse.Namespace) -> int:
    _check_options(options)
    # Read before the comparison, which takes long: a wrong baseline is reported at once.
    baseline = one_result(options.baseline, "--baseline") if options.baseline else None
    result: Result | str = options.result or gated_result(
        reading.compare_file(reading.read_gt(options), options.pred, options), options.method
    )
    chosen: dict[str, Any] = {"baseline": baseline, "max_drop": options.max_drop, "strict": options.strict}
    found: Gate = gate(result, options.fail_under, **chosen, allow_severe=options.allow_severe)
    if options.markdown:
        write_output(gate_markdown(found).encode("utf-8"), options.markdown)
    if options.json:
        write_output(json_text(found.as_dict()), options.json)
    if "-" not in (options.json, options.markdown):
        print(without_control_characters("\n".join(gate_lines(found))))
    return 0 if found.passed else FELL_SHORT


def _check_options(options: argparse.Namespace) -> None:
    """Raise an InputError for what can be known before any work."""
    if bool(options.result) == bool(options.gt and options.pred) or bool(options.gt) != bool(options.pred):
        raise InputError("", "gate", "exactly one result is needed", "Give GT and PRED, or --result FILE.")
    for name, default in options.of_comparison.items():
        if options.result and getattr(options, name) != default:
            problem = "this option cannot change a finished result"
            raise InputError("", f"--{name.replace('_', '-')}", problem, "Leave it out, or give GT and PRED.")
    if options.json == options.markdown == "-":
        problem = "only one of --json and --markdown can go to standard output"
        raise InputError("", "--json", problem, "Write the other to a file.")
    wanted_limits(options.fail_under, options.max_drop, bool(options.baseline), ("--fail-under", "--max-drop"))
    for path in (options.json, options.markdown):
        if path and path != "-":
            check_file_output(path, options)
