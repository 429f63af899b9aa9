"""Families counted by a plain loop over samples."""

from collections import defaultdict

import numpy as np
import pytest

OOF = "OOF"


def loop(samples, family_of, count):
    """{family: {(gt, pred): count}}: the rule in plain Python, sample by sample."""
    expected = defaultdict(lambda: defaultdict(float))
    for gt, pred in samples:
        for family in {family_of.get(label, label) for label in gt | pred}:
            members = {label for label in gt | pred if family_of.get(label, label) == family}
            for label in members & gt & pred:
                expected[family][label, label] += 1
            gt_rest, pred_rest = (members & gt) - pred, (members & pred) - gt
            per_pair = {"pairs": 1, "gold": 1 / (len(pred_rest) or 1), "pred": 1 / (len(gt_rest) or 1)}[count]
            for i in gt_rest:
                for j in pred_rest:
                    expected[family][i, j] += per_pair
                if not pred_rest:
                    expected[family][i, OOF] += 1
            for j in pred_rest if not gt_rest else ():
                expected[family][OOF, j] += 1
    return expected


def assert_counted(f, counted):
    total = 0
    for family, table in f.matrices.items():
        assert table.index[-1] == OOF and table.columns[-1] == OOF
        expected = [[counted[family][i, j] for j in table.columns] for i in table.index]
        np.testing.assert_allclose(table.to_numpy(), expected, atol=1e-9, err_msg=family)
        total += table.to_numpy().sum()
    assert total == pytest.approx(sum(sum(cells.values()) for cells in counted.values()))
