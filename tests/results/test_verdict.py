"""The verdict on a difference, and that there is only one."""

import itertools
import math

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.web.matrix_data import difference_data
from layoutcm.filling.result_of import intervals_part
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.metrics import intervals
from layoutcm.models.cell_differences import cell_differences
from layoutcm.models.differences import difference_of_pages
from layoutcm.results.verdict import (
    BETTER,
    NO_DIFFERENCE,
    TOO_FEW,
    WORSE,
    Evidence,
    decide,
    documents_needed,
    needed_text,
    smallest_difference,
    verdict_text,
    verdict_words,
)
from layoutcm.results.vocabulary import WITHOUT_TRUTH
from layoutcm.tables.gate import one_result
from layoutcm.tables.interval_texts import difference_summary
from layoutcm.tables.leaderboard_tables import class_scores_table, leaderboard_summary, shown_table
from support.comparisons import one_label_pages
from support.layouts import build

NAN = math.nan


@pytest.mark.parametrize(
    ("difference", "low", "high", "p", "units", "verdict"),
    [
        (0.1, 0.02, 0.18, 0.01, 6, BETTER),
        (-0.1, -0.18, -0.02, 0.01, 6, WORSE),
        (0.1, 0.02, 0.18, 0.05, 6, BETTER),
        (0.1, 0.02, 0.18, 0.05 + 1e-13, 6, BETTER),  # 1 - 0.95 is not exactly 0.05 either
        (0.1, 0.02, 0.18, 0.0501, 6, NO_DIFFERENCE),
        (0.1, -0.01, 0.21, 0.01, 6, NO_DIFFERENCE),
        (-0.1, -0.21, 0.01, 0.01, 6, NO_DIFFERENCE),
        (0.1, 0.0, 0.2, 0.01, 6, NO_DIFFERENCE),
        (-0.1, -0.2, 0.0, 0.01, 6, NO_DIFFERENCE),
        (0.1, -0.3, -0.1, 0.01, 6, NO_DIFFERENCE),  # an interval on the other side does not show it
        (0.1, 0.1, 0.1, 0.01, 6, BETTER),
        (1e-14, 1e-14, 1e-14, 0.0, 6, NO_DIFFERENCE),
        (0.0, 0.0, 0.0, 1.0, 6, NO_DIFFERENCE),
        (0.1, NAN, NAN, 0.01, 6, BETTER),
        (0.1, NAN, NAN, 0.2, 6, NO_DIFFERENCE),
        (0.1, 0.02, 0.18, NAN, 6, NO_DIFFERENCE),
        (0.1, NAN, NAN, 0.01, 5, TOO_FEW),
        (0.1, 0.02, 0.18, 0.01, 0, TOO_FEW),
        (NAN, NAN, NAN, NAN, 6, None),
        (NAN, NAN, NAN, NAN, 2, None),
    ],
)
def test_the_rule(difference, low, high, p, units, verdict):
    assert decide(difference, low, high, p, units) == verdict


def test_less_can_be_better():
    assert decide(0.1, 0.02, 0.18, 0.01, 6, higher_is_better=False) == WORSE
    assert decide(-0.1, -0.18, -0.02, 0.01, 6, higher_is_better=False) == BETTER


def test_the_level():
    assert decide(0.1, 0.02, 0.18, 0.02, 6, level=0.99) == NO_DIFFERENCE
    assert decide(0.1, 0.02, 0.18, 0.08, 6, level=0.9) == BETTER


@pytest.mark.parametrize(
    ("ends", "p", "more", "remark"),
    [
        ((0.1, 0.02, 0.18), 0.01, {}, ""),
        ((0.0, -0.01, 0.01), 1.0, {}, ""),
        ((0.0, -0.03, 0.03), 1.0, {}, "interval too wide to show 0.02"),
        ((0.01, -0.01, 0.03), 0.3, {"documents_needed": 1172}, "about 1,172 documents like these would show it"),
        ((0.1, 0.02, 0.18), 0.3, {"documents_needed": 12, "unit": "page"},
         "a few more pages like these would show it; the test is stricter than the interval here"),
        ((0.1, 0.02, 0.18), 0.3, {"tests": 24},
         "the interval is of this one alone, the verdict is corrected for 24 tests"),
        ((0.1, -0.02, 0.22), 0.01, {"tests": 24}, "p alone would show it, but the interval contains 0"),
        ((0.1, NAN, NAN), 0.3, {}, "undefined without one of the documents"),
        ((0.1, NAN, NAN), NAN, {"units": 1}, "in 1 document only"),
        ((0.1, NAN, NAN), NAN, {"units": 5, "unit_count": 5}, "fewer than 6 documents"),
        ((NAN, NAN, NAN), NAN, {}, ""),
    ],
)  # fmt: skip
def test_the_words_beside_it(ends, p, more, remark):
    assert Evidence(*ends, p, **({"units": 30, "unit_count": 30} | more)).remark == remark


def test_a_remark_that_a_verdict_says_already_is_left_out():
    assert verdict_text(NO_DIFFERENCE, "why") == "no difference shown, why"
    assert verdict_text(TOO_FEW, "fewer than 6 documents") == "too few documents"
    assert verdict_text(BETTER, "") == "better"
    assert verdict_text(None, "") == ""


@pytest.mark.parametrize(
    ("units", "error", "difference", "needed"),
    [
        (30, 0.0211, 0.0247, 172),
        (30, 0.0211, -0.0247, 172),
        (30, 0.02, 0.02, 236),
        (5, 0.02, 0.02, None),
        (6, 0.02, 0.02, 48),
        (30, 0.02, 0.0, None),
        (30, 0.0, 0.02, None),
        (30, NAN, 0.02, None),
        (30, 0.02, NAN, None),
    ],
)
def test_how_many_documents(units, error, difference, needed):
    assert documents_needed(units, error, difference) == needed


def test_power_and_level_of_the_number_of_documents():
    """z(.975) + z(.9) = 3.24152, and z(.95) + z(.8) = 2.48647; the error is the difference, over 100 documents."""
    assert documents_needed(100, 0.02, 0.02, power=0.9) == math.ceil(100 * 3.24152**2)
    assert documents_needed(100, 0.02, 0.02, level=0.9) == math.ceil(100 * 2.48647**2)


def test_the_smallest_difference_is_the_one_that_so_many_documents_show():
    assert smallest_difference(0.02) == pytest.approx(2.80159 * 0.02, rel=1e-5)
    assert documents_needed(30, 0.02, 1.0000001 * smallest_difference(0.02)) == 30


def test_no_more_documents_than_there_are_are_never_asked_for():
    assert needed_text(31, "document", 30) == "about 31 documents like these would show it"
    assert needed_text(30, "document", 30) == "a few more documents like these would show it"
    assert needed_text(None, "document", 30) == ""
    assert needed_text(100_000, "document", 30) == "about 100,000 documents like these would show it"
    assert needed_text(3_183_015, "document", 30) == "more than 100,000 documents like these would show it"
    assert needed_text(300_000, "page", 200_000) == "more than 200,000 pages like these would show it"
    assert needed_text(150_000, "page", 200_000) == "a few more pages like these would show it"


@pytest.mark.parametrize(
    ("verdict", "more", "words"),
    [
        (BETTER, {}, "better"),
        (BETTER, {"vocabulary": WITHOUT_TRUTH}, "more agreement"),
        (WORSE, {"vocabulary": WITHOUT_TRUTH}, "less agreement"),
        (NO_DIFFERENCE, {"unit": "page"}, "no difference shown"),
        (TOO_FEW, {}, "too few documents"),
        (TOO_FEW, {"unit": "page"}, "too few pages"),
        (None, {}, ""),
    ],
)
def test_words_of_a_verdict(verdict, more, words):
    assert verdict_words(verdict, **more) == words


def test_pages_of_one_document_are_called_pages_and_have_no_p():
    few = {name: one_label_pages(*[share] * 4, documents="page") for name, share in (("half", 0.5), ("most", 0.8))}
    found = lcm.difference(*few.values())
    assert (found.verdict("macro.f1"), found.headline["p"].notna().any()) == (TOO_FEW, False)
    board = lcm.leaderboard(few).shown
    assert "too few pages" in leaderboard_summary(board) and "too few documents" not in leaderboard_summary(board)
    assert shown_table(board).data["verdict"].tolist() == ["too few pages", "baseline"]
    assert class_scores_table(board).data["verdict: most"].tolist() == ["too few pages"]
    lines = difference_summary(intervals_part(found), "half", "Background")
    assert "too few pages" in lines and "too few documents" not in lines
    check = lcm.gate(few["half"], baseline=few["most"], max_drop={"micro.f1": 0}).checks[0]
    assert check.remark.endswith("; too few pages for a verdict, so every drop counts")


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
    # On a leaderboard p is corrected for all predictions, so it shows the same difference or none.
    for one, alone in ((row, found.verdict("macro_f1")), (back, OPPOSITE.get(found.verdict("macro_f1")))):
        ends = [one[name] for name in ("difference", "difference_low", "difference_high", "p")]
        check_numbers(ends, found.figure_rows["macro_f1"]["documents"], one["verdict"])
        assert one["verdict"] in (alone, NO_DIFFERENCE)
        assert one["p"] >= found.figures["macro_f1"][4] - 1e-12
    assert row["difference_low"] == found.figures["macro_f1"][1]
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
