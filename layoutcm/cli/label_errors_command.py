"""The command `label-errors`: probable errors of a ground truth as a table, and as a file for correcting them."""

from __future__ import annotations

import argparse

from layoutcm.cli.output_checks import check_file_output
from layoutcm.cli.reading import compare_file, read_gt
from layoutcm.cli.several import check_mapped_models, report_names
from layoutcm.cli.streams import say
from layoutcm.errors import InputError
from layoutcm.models.label_error_files import format_of, write_label_errors
from layoutcm.models.label_errors import label_errors
from layoutcm.tables.label_error_texts import SHOWN, label_errors_summary
from layoutcm.wording import plural, without_control_characters

MOST_TASKS = 100  # candidates that become tasks unless --top says otherwise


def run_label_errors(options: argparse.Namespace) -> None:
    from layoutcm.tables.terminal import finding_lines

    to = _check_output(options)
    names = report_names(options.pred)
    check_mapped_models(options, names)
    gt = read_gt(options)
    errors = label_errors([compare_file(gt, file, options, name) for file, name in zip(options.pred, names)])
    most = options.top or (len(errors) if to == "csv" else MOST_TASKS)
    written = errors.head(most) if to else errors.head(0)
    lost = write_label_errors(written, gt, options.output, to) if len(written) or to == "csv" else ()
    # Printed after the file is written: a closed pipe (`| head`) must not lose it.
    print(without_control_characters(label_errors_summary(errors, len(gt.region_columns), options.top or SHOWN)))
    if len(written) or to == "csv":
        print(f"\n{options.output}: {to}, {plural(len(written), 'candidate')}")
    elif to:
        say("nothing is written, because there is no candidate")
    for line in finding_lines(lost):
        say(line)


def _check_output(options: argparse.Namespace) -> str | None:
    """The format of the output; wrong options are reported before the long work."""
    if options.top is not None and options.top < 1:
        raise InputError("", "--top", f"{options.top} is not a number of candidates", "Use 1 or more.")
    if options.output is None:
        if options.to:
            raise InputError("", "--to", "no file is named", "Name one with -o.")
        return None
    check_file_output(options.output, options)
    return options.to or format_of(options.output)
