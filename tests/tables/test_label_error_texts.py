"""Probable errors in words: the sentence, and the table to read."""

import numpy as np
import pandas as pd
import pytest

from layoutcm.tables.command_texts import candidate_table, label_errors_sentence

KINDS = ["missing", "label", "missing", "spurious", "box"]


def errors(evidence):
    return pd.DataFrame({"kind": KINDS[: len(evidence)], "evidence": evidence})


@pytest.mark.parametrize(("evidence", "sentence"), [
    ([], "No region of the ground truth is probably wrong, of 947 regions."),
    ([0.5, 0.2], "No place of the ground truth, with 947 regions, is probably wrong: no evidence is above 0.5. "
     "By the evidence, there are about 0.7 errors among 2 weaker candidates."),
    ([0.9], "1 place of the ground truth, with 947 regions, is probably wrong (evidence above 0.5): 1 missing. "
     "By the evidence, there are about 0.9 errors among them."),
    ([0.9, 0.8, 0.7, 0.1, 0.02], "3 places of the ground truth, with 947 regions, are probably wrong (evidence above "
     "0.5): 1 label, 2 missing. By the evidence, there are about 2.4 errors among them, and about 0.1 errors among 2 "
     "weaker candidates."),
])  # fmt: skip
def test_the_sentence_counts_likely_errors_and_adds_evidence(evidence, sentence):
    assert label_errors_sentence(errors(evidence), 947) == sentence


def test_the_table_says_what_is_there_and_what_should_be():
    found = pd.DataFrame({
        "page": ["a", "b", "c", "d"], "kind": ["label", "missing", "spurious", "box"], "region": [1, pd.NA, 3, 4],
        "gt_label": ["Text", None, "Table", "Title"], "suggested": ["Title", "Text", None, "Title"],
        "evidence": [0.9, 0.8, 0.7, 0.6], "x_label": ["Title", "Text", None, "Title"],
        "kind_label": ["Text", None, None, "Title"],
    })  # fmt: skip
    table = candidate_table(found, ["x", "kind"])
    assert table.columns.tolist() == ["evidence", "kind", "page", "in gt", "suggested", "x", "kind (2)"]
    assert table["in gt"].tolist() == ["Text", "–", "Table", "Title"]
    assert table["suggested"].tolist() == ["Title", "Text", "nothing", "other borders"]
    np.testing.assert_array_equal(table["evidence"], found["evidence"])
    assert table["x"].tolist() == found["x_label"].tolist()
