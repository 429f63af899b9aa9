"""The leaderboard on the terminal."""

import pytest
from msgspec.structs import replace

import layoutcm as lcm
from layoutcm.tables.leaderboard_tables import best_sentence, leaderboard_summary, shown_table, standing
from layoutcm.wording import percent
from support.one_label_pages import one_label_pages
from support.three_pages import different_labels

TEXT = """\
3 predictions on 8 pages, the best first, by macro F1, without Background
        macro F1       interval  micro F1  content F1  minus half          interval      p  verdict
most       0.889  0.889 – 0.889     0.889       0.889      +0.222  +0.222 to +0.222  0.008  better
half       0.667  0.667 – 0.667     0.667       0.667           –                 –      –  baseline
uneven     0.667  0.404 – 0.855     0.667       0.667       0.000  -0.239 to +0.239  1.000  no difference shown, {}
95 % intervals over 8 documents, by the jackknife; with fewer than 20 documents they are rough
p: paired randomisation test, each figure and prediction by itself

F1 of classes   most     half    uneven
a              0.889 ▲  0.667     0.667
▲ better and ▼ worse than half, by the corrected test
p is corrected for all classes and all predictions of this table (Holm)"""


@pytest.fixture
def board():
    """Eight documents of one page; see docs/intervals.md."""
    shares = {"half": [0.5] * 8, "most": [0.8] * 8, "uneven": [0.8] * 4 + [0.2] * 4}
    return lcm.leaderboard({name: one_label_pages(*found) for name, found in shares.items()})


def test_all_lines(board):
    assert leaderboard_summary(board.shown) == TEXT.format("interval too wide to show 0.02")


def test_causes_follow_the_classes_only_if_asked_for(board):
    text = leaderboard_summary(board.result(objects=False, why=True))
    *_, causes = text.split("\n\n")
    assert text.startswith(leaderboard_summary(board.shown))
    head, *lines, pixels = causes.splitlines()
    assert head.split() == ["causes", "of", "wrong", "pixels", "most", "half", "uneven"]
    found = board.causes().set_index("model")
    totals = found.sum(axis=1)
    for cause, line in zip(found.columns, lines, strict=True):
        assert line.split() == [cause, *" ".join(percent(x) for x in found[cause] / totals).split()]
    assert pixels.split() == ["pixels", *(f"{totals[name]:,.0f}" for name in board.models)]


def test_the_other_figures_have_columns_of_their_own(board):
    """With one label they would be equal."""
    best, *others = board.shown.model_rows
    best = replace(best, measures=best.measures | {"micro.f1": 0.5, "content.f1": 0.25})
    value = replace(board.shown, model_rows=[best, *others])
    assert "most       0.889  0.889 – 0.889     0.500       0.250 " in leaderboard_summary(value)
    first = shown_table(value).data.iloc[0]
    assert (first["micro_f1"], first["content_f1"], first["macro_f1"]) == (0.5, 0.25, pytest.approx(8 / 9))


def test_objects_have_columns_of_their_own(board):
    """A region that is found by half has an IoU of 0.5, which is not above a half."""
    head = leaderboard_summary(board.result()).splitlines()[1]
    assert "content F1  panoptic quality  object F1  minus half" in head
    assert [row.measures["objects.pq"] for row in board.result().model_rows] == [
        pytest.approx(0.8),
        0,
        pytest.approx(0.4),
    ]


def test_few_documents_and_different_labels():
    few = lcm.leaderboard({"half": one_label_pages(0.5, 0.5, 0.5), "most": one_label_pages(0.8, 0.8, 0.8)})
    lines = leaderboard_summary(few.shown).splitlines()
    assert lines[2].endswith("+0.222         –  –  too few documents")
    assert lines[4] == "no intervals: 3 documents are too few, at least 6 are needed"
    different = leaderboard_summary(lcm.leaderboard({name: different_labels() for name in "xy"}).shown)
    assert different.startswith("2 predictions on 1 page, the best first, by content F1, against Background\n")
    assert "\nx       0.667         –        –         –  –  baseline\n" in different and "classes" not in different


def test_names_stay_on_their_line():
    long = "n" * 80
    board = lcm.leaderboard({long: one_label_pages(0.5), "a\nb": one_label_pages(0.8)})
    found = leaderboard_summary(board.shown)
    assert "\na b " in found and long not in found and "n" * 30 in found


def test_the_place_of_a_prediction(board):
    found = standing(board.shown, "uneven")
    assert (found["model"], found["rank"], found["models"]) == ("uneven", 2, 3)  # as good as the second
    assert (found["baseline"], found["figure"], found["verdict"]) == ("half", "macro_f1", "no difference shown")
    assert found["macro_f1"] == pytest.approx(2 / 3) and found["difference"] == pytest.approx(0, abs=1e-12)


def test_one_sentence_says_which_is_best(board):
    start = (
        "most has the highest macro F1 of 3 predictions, 0.889, +0.222 against half (95 % interval +0.222 to +0.222)"
    )
    rough = "with fewer than 20 documents this is rough"
    expected = f"{start}: better, p 0.008 over 8 documents; {rough}."
    assert best_sentence(board) == best_sentence(board.against("uneven")) == expected
    assert best_sentence(board, str.upper).startswith("MOST has") and "against HALF" in best_sentence(board, str.upper)


def test_the_sentence_claims_nothing_that_is_not_shown():
    same = lcm.leaderboard({"half": one_label_pages(*[0.5] * 8), "uneven": one_label_pages(*[0.8] * 4, *[0.2] * 4)})
    assert best_sentence(same) == "half and uneven have the highest macro F1 of 2 predictions, 0.667."
    near = lcm.leaderboard({"half": one_label_pages(*[0.5] * 8), "near": one_label_pages(*[0.8] * 4, *[0.1] * 4)})
    assert best_sentence(near).startswith("half has the highest macro F1 of 2 predictions, 0.667, +0.046 against near")
    assert ": no difference shown, " in best_sentence(near)
    few = lcm.leaderboard({"half": one_label_pages(*[0.5] * 3), "most": one_label_pages(*[0.8] * 3)})
    amount = "most has the highest macro F1 of 2 predictions, 0.889, +0.222 against half"
    assert best_sentence(few) == f"{amount}: 3 documents are too few to say whether the difference is real."


def test_the_sentence_of_predictions_with_other_labels():
    other = different_labels()
    board = lcm.leaderboard({"x": other, "y": other})
    assert "content F1" in best_sentence(board)
    named = lcm.leaderboard({"x": other, "y": other}, figure="macro_f1")
    assert best_sentence(named) == "No prediction has a macro F1."
    assert leaderboard_summary(named.shown).splitlines()[1].split()[:5] == ["macro", "F1", "interval", "content", "F1"]
