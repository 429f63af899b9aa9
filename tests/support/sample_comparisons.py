"""Comparisons with the sample data."""

import layoutcm as lcm
from support.paths import SAMPLE

MODELS = {"a": "model-a.json", "b": "model-b.csv", "c": "model-c.json"}


def compare_sample(**options):
    """The first model of the sample data, compared with the ground truth."""
    gt = lcm.read(SAMPLE / "gt.json")
    return lcm.compare(gt, lcm.read(SAMPLE / MODELS["a"], like=gt), **options)


def compare_all_of_sample():
    """{name: comparison} of the three models of the sample data, on one list of labels."""
    gt = lcm.read(SAMPLE / "gt.json")
    preds = {name: lcm.read(SAMPLE / file, like=gt) for name, file in MODELS.items()}
    return {name: lcm.compare(gt, pred, mapping=SAMPLE / "mapping.yaml") for name, pred in preds.items()}
