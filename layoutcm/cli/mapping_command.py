"""`layoutcm suggest-mapping`: which label of the ground truth each label of a prediction means."""

from __future__ import annotations

import argparse
from pathlib import Path

from layoutcm.cli.output_checks import check_file_output
from layoutcm.cli.reading import progress_bar, read_gt, read_pred
from layoutcm.cli.streams import say
from layoutcm.outputs.files import write_whole
from layoutcm.wording import without_control_characters


def run_suggest_mapping(options: argparse.Namespace) -> None:
    """Print the table and write the YAML; without -o, print the YAML, which has the table as a comment."""
    from layoutcm.diagnosis.label_mapping import suggest_mapping
    from layoutcm.tables.mapping_texts import mapping_lines, mapping_yaml
    from layoutcm.tables.terminal import finding_lines

    if options.output is not None:
        check_file_output(options.output, options)
    gt = read_gt(options)
    pred = read_pred(gt, options.pred, options)
    chosen = {name: getattr(options, name) for name in ("one_to_one", "prior", "min_score", "pages", "threads")}
    with progress_bar(f"comparing {Path(options.pred).name}") as progress:
        suggested = suggest_mapping(gt, pred, **chosen, progress=progress)
    for line in finding_lines(suggested.findings):
        say(without_control_characters(line))
    if options.output is None:
        print(mapping_yaml(suggested), end="")
        return
    write_whole(options.output, mapping_yaml(suggested).encode("utf-8"))
    print(without_control_characters("\n".join(mapping_lines(suggested))), end="\n\n")
    print(f"mapping written to {options.output}")
