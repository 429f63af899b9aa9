"""The one rule that says whether a difference is real, its words, and how many documents would show it."""

import math

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import intervals_part
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
from layoutcm.tables.interval_texts import difference_summary
from layoutcm.tables.leaderboard_tables import class_scores_table, leaderboard_summary, shown_table
from support.one_label_pages import one_label_pages

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
