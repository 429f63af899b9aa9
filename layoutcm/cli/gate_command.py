"""`layoutcm gate`: exit code 3 if a result falls short of a threshold, or is worse than an earlier one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from layoutcm.cli.output_checks import check_file_output
from layoutcm.cli.reading import compare_file, read_gt
from layoutcm.cli.streams import write_json
from layoutcm.errors import InputError
from layoutcm.outputs.files import write_whole
from layoutcm.tables.gate import Gate, gate, one_result, wanted_limits
from layoutcm.tables.stored_result import ResultFile
from layoutcm.wording import without_control_characters

FELL_SHORT = 3


def add_gate_command(
    add_command: Callable[..., argparse.ArgumentParser], add_comparison_arguments: Callable[..., None]
) -> None:
    command = add_command("gate", help="fail if figures are below a threshold, or have dropped; for continuous tests")
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
    command.add_argument("--baseline", metavar="FILE", help="an earlier result.json, which figures must not drop from")
    command.add_argument(
        "--max-drop",
        action="append",
        metavar="[FIGURE=]DROP",
        help="the largest drop from the baseline, of one figure or of all others; may be repeated; 0 unless given",
    )
    command.add_argument("--strict", action="store_true", help="a drop within noise fails, too")
    command.add_argument("--json", metavar="FILE", help="write all checks as JSON; - for standard output")
    command.add_argument("--markdown", metavar="FILE", help="write a comment for a pull request; - for standard output")
    own = vars(command.parse_args([]))
    add_comparison_arguments(command, page_map=("--pages", "--page-map"))
    of_comparison = {name: value for name, value in vars(command.parse_args([])).items() if name not in own}
    command.set_defaults(run=run_gate, of_comparison=of_comparison)


def run_gate(options: argparse.Namespace) -> int:
    from layoutcm.tables.gate_texts import gate_lines, gate_markdown

    _check_options(options)
    # Read before the comparison, so that a wrong baseline is not found after a long time.
    baseline = one_result(options.baseline, "--baseline") if options.baseline else None
    chosen: dict[str, Any] = {"baseline": baseline, "max_drop": options.max_drop, "strict": options.strict}
    found: Gate = gate(_result(options), options.fail_under, **chosen)
    if options.markdown:
        _write_text(gate_markdown(found), options.markdown)
    if options.json:
        write_json(found.as_dict(), options.json)
    if "-" not in (options.json, options.markdown):
        print(without_control_characters("\n".join(gate_lines(found))))
    return 0 if found.passed else FELL_SHORT


def _check_options(options: argparse.Namespace) -> None:
    """Raise an InputError for what can be known before any work."""
    if bool(options.result) == bool(options.gt and options.pred) or bool(options.gt) != bool(options.pred):
        raise InputError("", "gate", "one result is checked", "Give GT and PRED, or --result FILE.")
    for name, default in options.of_comparison.items():
        if options.result and getattr(options, name) != default:
            problem = "the result was made with settings of its own"
            raise InputError("", f"--{name.replace('_', '-')}", problem, "Leave this out, or give GT and PRED.")
    if options.json == options.markdown == "-":
        raise InputError("", "--json", "standard output takes --json or --markdown", "Write one of them to a file.")
    wanted_limits(options.fail_under, options.max_drop, bool(options.baseline), ("--fail-under", "--max-drop"))
    for path in (options.json, options.markdown):
        if path and path != "-":
            check_file_output(path, options)


def _result(options: argparse.Namespace) -> ResultFile:
    from layoutcm.tables.result_json import full_result

    if options.result:
        result: str = options.result
        return result
    comparison = compare_file(read_gt(options), options.pred, options)
    return full_result(comparison, options.method, per_page=len(comparison.documents) < 2)


def _write_text(text: str, target: str) -> None:
    if target == "-":
        print(text, end="")
    else:
        write_whole(target, text.encode("utf-8"))
