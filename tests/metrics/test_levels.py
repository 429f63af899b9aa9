"""Scores of pages and documents, and the pages that add most to each cell."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.levels import largest_groups
from support.layouts import build


def test_tables_have_separate_recall_and_precision_and_weigh_pages_by_size():
    pages = {"d_1": (10, 10), "d_2": (20, 20)}
    gt = build(pages, [("d_1", "x", 0, 0, 10, 10), ("d_2", "x", 0, 0, 20, 5)])
    pred = build(pages, [("d_1", "x", 0, 0, 5, 10), ("d_2", "x", 0, 0, 20, 20)])
    c = lcm.compare(gt, pred)
    table = c.page_table().set_index("page")
    assert table.loc["d_1", ["content_precision", "content_recall"]].tolist() == [1, 0.5]
    assert table.loc["d_2", ["content_precision", "content_recall", "precision", "recall"]].tolist() == [
        0.25,
        1,
        0.25,
        1,
    ]
    assert c.document_table()[["document", "pages", "pixels"]].values.tolist() == [["d", 2, 500]]
    # hits 50 + 100, gt 200, pred 450
    assert c.confusion().classes()["iou"].tolist()[1] == pytest.approx(150 / (200 + 450 - 150))


def test_largest_groups_equals_pages_behind_for_every_cell(sample, monkeypatch):
    monkeypatch.setattr("layoutcm.metrics.levels.BLOCK_VALUES", 5 * 12 * 12)  # four blocks of pages
    group, best, page_counts = largest_groups(sample.levels.page_matrices(), len(sample.labels), 3)
    for i, gt in enumerate(sample.labels):
        for j, pred in enumerate(sample.labels):
            wanted = sample.pages_behind(gt, pred)
            assert page_counts[i, j] == len(wanted)
            np.testing.assert_array_equal(best[i, j][: len(wanted)], wanted["pixels"][:3])
            found = [sample.pages[page] for page in group[i, j] if page >= 0]
            assert found == wanted["page"].tolist()[:3]
