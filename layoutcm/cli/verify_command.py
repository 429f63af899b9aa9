"""The command `verify`: recount random pages of a comparison, and say whether all numbers agree."""

from __future__ import annotations

import argparse

from layoutcm.cli.reading import compare_file, progress_bar, read_gt
from layoutcm.wording import without_control_characters

WRONG_NUMBER = 1


def run_verify(options: argparse.Namespace) -> int:
    """0 if all numbers agree, else 1."""
    from layoutcm.tables.verification_texts import verification_summary
    from layoutcm.verification.recount import check_recounting, verify

    check_recounting(options.recounted, options.seed)  # before the long work, so that a mistake is reported at once
    comparison = compare_file(read_gt(options), options.pred, options)
    with progress_bar("recounting") as progress:
        result = verify(comparison, options.recounted, options.seed, method=options.method, progress=progress)
    print(without_control_characters(verification_summary(result, comparison.findings)))
    return 0 if result.agrees else WRONG_NUMBER
