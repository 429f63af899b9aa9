"""The four cases have one home: the matrix, the causes and the quick slack add up to a loop over label sets."""

import numpy as np
import pytest

from layoutcm.diagnosis.border_slack import _slack_shares
from layoutcm.diagnosis.cause_kernel import CAUSES, PageRegionsOnTiles, add_causes_of_tile
from layoutcm.metrics.contributions import MATRIX, add_pairs, wrong_cells
from support.pixel_loop import contribution

LABELS = 5
RNG = np.random.default_rng(7)
PAIRS = [tuple(RNG.integers(1, 2**LABELS, 2).tolist()) for _ in range(300)]


def labels_of(word):
    return {label for label in range(LABELS) if word >> label & 1}


def expected(gt, pred):
    """float64[gt, pred]: what a pixel with these label sets adds."""
    found = np.zeros((LABELS, LABELS))
    for cell, value in contribution(labels_of(gt), labels_of(pred)).items():
        found[cell] = value
    return found


def without_diagonal(matrix):
    return matrix * (1 - np.eye(LABELS))


@pytest.mark.parametrize("add", [add_pairs, add_pairs.run_in_python])
def test_matrix(add):
    words, shape = np.array(PAIRS, np.uint64), (len(PAIRS), LABELS)
    found = np.zeros((*shape, LABELS))
    add(words, None, np.ones(len(words)), np.arange(len(words)), MATRIX, found, np.zeros(shape))
    np.testing.assert_allclose(found, [expected(*pair) for pair in PAIRS], atol=1e-15)


def test_causes():
    """One tile of one pixel, with a region for each label of each side."""
    for gt, pred in PAIRS:
        if gt == pred:
            continue
        totals = np.zeros((len(CAUSES), LABELS, LABELS))
        add_causes_of_tile(one_pixel(gt, pred), 0, 0, LABELS, *nothing_paired(), None, totals)
        np.testing.assert_allclose(totals.sum(axis=0), without_diagonal(expected(gt, pred)), atol=1e-15)


def one_pixel(gt, pred):
    edges, labels = np.array([0.0, 1.0]), np.array([*range(LABELS), *range(LABELS)])
    over, sets = np.array([[[gt | pred << LABELS]]], np.uint64), np.array([[[[gt]]], [[[pred]]]], np.uint64)
    return PageRegionsOnTiles(edges, edges, LABELS, labels, over, sets, 0.0)


def nothing_paired():
    """The overlaps, partners and statuses of the regions of `one_pixel`; which cause it is does not matter here."""
    n = 2 * LABELS
    return np.ones((n, n)), np.full(n, -1), np.zeros(n, np.int64)


def test_quick_slack():
    """Every label is near, so each wrong pixel is slack as a whole."""
    pairs = [pair for pair in PAIRS if pair[0] != pair[1]]
    gt, pred = np.array(pairs, np.uint64).T[:, None]
    near = np.full_like(gt, 2**LABELS - 1)
    wrong = [without_diagonal(expected(*pair)).sum() for pair in pairs]
    np.testing.assert_allclose(_slack_shares(gt, pred, near, near), wrong, atol=1e-15)


@pytest.mark.parametrize(
    ("sizes", "cells"),
    [
        ((2, 0, 0), (False, True, 2)),  # equal sets: no row is left, so no cell
        ((2, 0, 1), (True, False, 3)),  # pred has more: hits share with extra labels
        ((2, 1, 0), (False, True, 2)),  # gt has more: missed labels are divided over the hits
        ((2, 1, 3), (False, False, 3)),  # otherwise: missed labels are divided over the extra ones
    ],
)
def test_numbers_and_arrays_have_the_same_cases(sizes, cells):
    assert wrong_cells(*sizes) == cells
    assert [one.tolist() for one in wrong_cells(*(np.array([size, size]) for size in sizes))] == [[c, c] for c in cells]
