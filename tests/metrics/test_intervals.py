"""The paired randomisation test: against all swaps in plain Python, and Holm's correction by hand."""

import itertools

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics import intervals
from layoutcm.metrics.unit_sums import FIGURES, paired_sums, unit_sums
from support.layouts import build
from support.one_label_pages import one_label_pages


def paired(a, b):
    return paired_sums(*(unit_sums(c.levels, "matrix") for c in (a, b)))


def p_of(sums, figure, seed=0):
    return intervals.p_values(sums, seed)[FIGURES.index(figure)]


def test_all_swaps_of_seven_pages():
    a, b = [0.1, 0.3, 0.5, 0.4, 0.6, 0.9, 0.5], [0.2, 0.5, 0.4, 0.8, 0.6, 1, 0.8]
    observed = abs(sum(b) - sum(a))
    large = 0
    for swaps in itertools.product([1, -1], repeat=7):
        large += abs(sum(sign * (y - x) for sign, x, y in zip(swaps, a, b))) >= observed - 1e-9
    found = p_of(paired(one_label_pages(*a), one_label_pages(*b)), "micro_recall")
    assert found == pytest.approx(large / 2**7) and 0.03 < found < 0.2


def test_a_ratio_is_computed_again_for_every_swap():
    """F1 of pages of different sizes is no mean over pages, so its swaps are computed from sums of pixels."""
    sizes, labels = [4, 8, 12, 20, 6, 10], ["a"]
    pages = {f"p{i}": (size, 10) for i, size in enumerate(sizes)}
    gt = build(pages, [(page, "a", 0, 0, size[0], 10) for page, size in pages.items()], labels)
    heights = [[3, 5, 2, 9, 4, 4], [4, 4, 6, 8, 9, 7]]
    preds = [
        build(pages, [(page, "a", 0, 0, size[0], h) for (page, size), h in zip(pages.items(), own)], labels)
        for own in heights
    ]
    documents = {page: page for page in pages}
    a, b = (lcm.compare(gt, pred, documents=documents) for pred in preds)

    def f1(own):
        hit, all_gt = sum(s * h for s, h in zip(sizes, own)), 10 * sum(sizes)
        return 2 * hit / (all_gt + hit)

    observed = abs(f1(heights[1]) - f1(heights[0]))
    differences = []
    for swaps in itertools.product([False, True], repeat=6):
        first = [y if swap else x for swap, x, y in zip(swaps, *heights)]
        second = [x if swap else y for swap, x, y in zip(swaps, *heights)]
        differences.append(abs(f1(second) - f1(first)))
    expected = np.mean(np.array(differences) >= observed - 1e-9)
    assert p_of(paired(a, b), "micro_f1") == pytest.approx(expected) and 0 < expected < 1


def test_random_swaps_come_close_to_all_swaps(monkeypatch):
    rng = np.random.default_rng(1)
    shares = rng.integers(2, 9, 14) / 10
    sums = paired(one_label_pages(*shares), one_label_pages(*(shares + rng.choice([-0.1, 0, 0.1, 0.1], 14))))
    random = [p_of(sums, "micro_recall", seed) for seed in (0, 0, 1)]
    assert random[0] == random[1] != random[2]
    monkeypatch.setattr(intervals, "MOST_EXHAUSTIVE", 14)
    exact = p_of(sums, "micro_recall")
    assert random == pytest.approx([exact] * 3, abs=0.02) and 0.05 < exact < 0.95


def test_equal_predictions_have_p_value_1():
    a = one_label_pages(*[0.4, 0.8] * 10)
    found = intervals.p_values(paired(a, a))
    assert set(found[np.isfinite(found)]) == {1.0}


def test_the_number_of_swaps(monkeypatch):
    assert np.concatenate(list(intervals.swap_blocks(3, 0))).tolist() == [
        [0, 0, 0],
        [0, 0, 1],
        [0, 1, 0],
        [0, 1, 1],
    ]
    assert [len(block) for block in intervals.swap_blocks(1, 0)] == [1]
    assert sum(len(block) for block in intervals.swap_blocks(14, 0)) == 9_999
    assert sum(len(block) for block in intervals.swap_blocks(4_000, 0)) == 5_000
    monkeypatch.setattr(intervals, "BLOCK_SIGNS", 100_000 * 700)
    assert [len(block) for block in intervals.swap_blocks(100_000, 0)] == [700, 700, 599]


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, np.nan, 0.01], [0.5, np.nan, 0.02]),
        ([0.6, 0.7], [1, 1]),
        ([np.nan], [np.nan]),
        ([], []),
    ],
)
def test_holm_by_hand(p, expected):
    np.testing.assert_allclose(intervals.holm(np.array(p, float)), expected)


def test_chance_is_seldom_called_a_difference():
    """Two predictions whose pages are drawn from one distribution, 200 times: at most 8 % are called different."""
    called = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        skill = rng.beta(5, 2, 8)
        a, b = (one_label_pages(*np.round(np.clip(skill + rng.normal(0, 0.1, 8), 0, 1), 1)) for _ in range(2))
        called += p_of(paired(a, b), "micro_f1") <= 0.05
    assert 1 <= called <= 16
