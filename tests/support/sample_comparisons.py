"""Comparisons with the sample data."""

import layoutcm as lcm
from support.paths import SAMPLE


def compare_sample(**options):
    """The first model of the sample data, compared with the ground truth."""
    gt = lcm.read(SAMPLE / "gt.json")
    return lcm.compare(gt, lcm.read(SAMPLE / "model-a.json", like=gt), **options)
