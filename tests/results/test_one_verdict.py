"""Leaderboard, differences, gate, slices and cell differences have one rule, and never contradict each other."""

import itertools

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.web.matrix_data import difference_data
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.metrics import intervals
from layoutcm.models.cell_differences import cell_differences
from layoutcm.models.differences import difference_of_pages
from layoutcm.results.verdict import BETTER, NO_DIFFERENCE, WORSE, decide
from layoutcm.tables.gate import one_result
from support.layouts import build

SIZES = (6, 7, 8, 9, 11, 14, 20, 30)  # documents
FEW, MANY = 6, 23  # predictions of each size: 8 x 15 pairs, and 8 x 253
FIGURES = {"micro.f1": "micro_f1", "macro.f1": "macro_f1", "content.f1": "content_f1"}
OPPOSITE = {BETTER: WORSE, WORSE: BETTER}


def random_comparisons(documents, models, seed):
    """Predictions of pages with two labels; some models are better than others, and all are better on some pages."""
    rng = np.random.default_rng(seed)
    pages = {f"d{k:02}": (20, 10) for k in range(documents)}
    own = {page: page for page in pages}
    boxes = [(page, label, 0, y, 20, y + 4) for page in pages for label, y in (("a", 0), ("b", 5))]
    gt = build(pages, boxes, "ab", "gt", own)
    gt = add_attributes(gt, load_attributes({page: {"kind": "xy"[k % 2]} for k, page in enumerate(pages)}))
    ease = rng.integers(4, 12, len(boxes))
    found = {}
    for k in range(models):
        widths = np.clip(ease + rng.integers(0, 8) + rng.integers(-3, 4, len(boxes)), 1, 20)
        regions = [(page, label, x, y, int(w), y1) for (page, label, x, y, _, y1), w in zip(boxes, widths)]
        found[f"m{k}"] = lcm.compare(gt, build(pages, regions, "ab", f"m{k}", own))
    return found


def check_numbers(row, units, verdict):
    """A verdict is what `decide` says of the numbers beside it; no "better" has an interval that contains 0."""
    value, low, high, p = row
    assert verdict == decide(value, low, high, p, units)
    if verdict in (BETTER, WORSE):
        assert not low <= 0 <= high


def check_pair(pair, names, boards, results):
    """All that is said of the second prediction against the first; returns the verdict on macro F1."""
    first, second = names
    found = lcm.difference(*pair, n=5)
    for row in (*found.figure_rows.values(), *found.class_rows.values()):
        check_numbers([row[name] for name in ("value", "low", "high", "p")], row["documents"], row["verdict"])
    row, back = (boards[one].table.set_index("model").loc[other] for one, other in (names, names[::-1]))
    assert row["verdict"] == found.verdict("macro_f1")
    assert row["difference_low"] == found.figures["macro_f1"][1]
    assert back["verdict"] == OPPOSITE.get(row["verdict"], row["verdict"])
    # What drops passes, unless the second one is called worse.
    for check in lcm.gate(results[second], baseline=results[first], max_drop=0).checks:
        assert check.passed == (found.verdict(FIGURES[check.figure]) != WORSE)
    return found.verdict("macro_f1")


def check_cells(pair):
    found = cell_differences(*pair, n=5)
    for i, j in np.ndindex(found.values.shape):
        numbers = [float(one[i, j]) for one in (found.values, found.low, found.high, found.p)]
        more_is_better = found.verdicts[i, j] if i == j else OPPOSITE.get(found.verdicts[i, j], found.verdicts[i, j])
        check_numbers(numbers, found.units[i, j], more_is_better)
        assert found.noise[i, j] == (found.verdicts[i, j] not in OPPOSITE)


def check_slices(compared):
    smaller = len(compared.pages) // 2  # every other page is of the other kind
    for row in compared.slices("kind").to_dict("records"):
        numbers = [row[name] for name in ("difference", "difference_low", "difference_high", "p")]
        check_numbers(numbers, smaller, row["verdict"])


@pytest.mark.parametrize("models", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("size", SIZES)
def test_all_agree_on_random_pairs_of_predictions(size, models, monkeypatch):
    monkeypatch.setattr(intervals, "MOST_SWAPS", 300)
    monkeypatch.setattr(intervals, "FEWEST_SWAPS", 300)
    compared = random_comparisons(size, models, seed=size)
    results = {name: one_result(c, "result") for name, c in compared.items()}
    board = lcm.leaderboard(compared, n=5)
    boards = {name: board.against(name) for name in compared}
    said = []
    for names in itertools.combinations(compared, 2):
        pair = [compared[name] for name in names]
        said.append(check_pair(pair, names, boards, results))
        check_cells(pair)
    for one in compared.values():
        check_slices(one)
    assert NO_DIFFERENCE in said and {BETTER, WORSE} & set(said)


@pytest.mark.parametrize("word", [BETTER, WORSE, NO_DIFFERENCE])
def test_whoever_says_that_a_difference_is_real_asks_the_one_function(word, monkeypatch):
    """If `decide` has one answer to everything, all have it. Prediction b has fewer pixels than a on some pages."""
    compared = random_comparisons(12, 2, seed=1)
    answer = {BETTER: lambda *_, **more: "better", WORSE: lambda *_, **more: "worse",
              NO_DIFFERENCE: lambda *_, **more: "no difference shown"}[word]  # fmt: skip
    monkeypatch.setattr(decide, "__code__", answer.__code__)
    a, b = compared.values()
    found = lcm.difference(a, b)
    assert {*found.headline["verdict"], *found.classes()["verdict"]} == {word}
    assert found.verdict("macro_f1") == word
    assert lcm.leaderboard(compared).table.set_index("model").loc["m1", "verdict"] == word
    assert set(lcm.leaderboard(compared).classes.query("model == 'm1' and label != 'Background'")["verdict"]) == {word}
    drops = [lcm.gate(one, baseline=other, max_drop=0).passed for one, other in ((a, b), (b, a))]
    assert all(drops) == (word != WORSE)
    assert set(a.slices("kind")["verdict"]) == {word}
    assert set(difference_of_pages(a, a.pages[:6], a.pages[6:])["verdict"]) == {word}
    cells = cell_differences(a, b)
    assert set(cells.verdicts.ravel().tolist()) == {word}
    assert (cells.noise == (word == NO_DIFFERENCE)).all()
    assert difference_data(cells)["verdicts"] == cells.verdicts.tolist()
