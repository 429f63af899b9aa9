"""The two vocabularies: both are complete, neither has words of the other, and rendering code asks for nothing else."""

import re
from pathlib import Path
from string import Formatter

import msgspec
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.page_tiles import AGREEMENT
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH, Vocabulary, vocabulary_of
from layoutcm.ui.screen_text import words_of
from support.layouts import build
from support.row_pages import compare_rows

ROOT = Path(__file__).parents[2]
BOTH = {"truth": WITH_TRUTH, "no truth": WITHOUT_TRUTH}
ON_SCREEN = {name: words_of(one) for name, one in BOTH.items()}
# Words that say which side is the truth, or what is right and wrong.
OF_TRUTH = re.compile(
    r"\b(ground truth|truth|gt|pred|predictions?|missed|invented|recall|precision|wrong|right|errors?|confusions?|"
    r"mistakes?|better|worse|worst|found|read as)\b",
    re.IGNORECASE,
)
# With a truth no column has another name and the script of the matrix knows the verdicts; without one nothing else is
# there, and reasons are given.
MAY_BE_EMPTY = {
    "truth": {"columns", "page_columns", "not_in_2x2", "verdicts_in_matrix", "no_ap", "no_pairs", "no_use_of_scores"},
    "no truth": {"parts"},
}
# Reasons why there is nothing to show may name the truth; the names of columns that are left out are not shown.
EXCEPT = {"no_ap", "no_pairs", "no_use_of_scores", "not_in_2x2"}


def texts(value):
    """All texts of a value; of a dict those that are shown, not its keys."""
    if isinstance(value, str):
        return [value]
    return [text for one in (value.values() if isinstance(value, dict) else value) for text in texts(one)]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("words", [BOTH, ON_SCREEN], ids=["of results", "of the dashboard"])
def test_no_word_is_left_out(words, name):
    empty = {field for field, value in msgspec.structs.asdict(words[name]).items() if not value or not all(value)}
    assert empty == MAY_BE_EMPTY[name] & set(words[name].__struct_fields__)


@pytest.mark.parametrize("field", [name for name in Vocabulary.__struct_fields__ if name not in ("columns", "parts")])
def test_both_have_the_same_entries(field):
    first, second = (getattr(one, field) for one in BOTH.values())
    assert type(first) is type(second)
    if isinstance(first, dict):
        assert first.keys() == second.keys()
    elif isinstance(first, tuple):
        assert len(first) == len(second)


@pytest.mark.parametrize("field", sorted({*ON_SCREEN["no truth"].__struct_fields__} - EXCEPT))
def test_without_a_truth_no_word_speaks_of_one(field):
    shown = texts(getattr(ON_SCREEN["no truth"], field))
    assert [text for text in shown if OF_TRUTH.search(re.sub(r"\{\w+\}", "", text))] == []


def test_the_words_of_a_truth_are_found():
    assert OF_TRUTH.search(WITH_TRUTH.named[0]) and OF_TRUTH.search(WITH_TRUTH.only_in[1])
    assert not OF_TRUTH.search("least agreement first")


@pytest.mark.parametrize("field", WITH_TRUTH.__struct_fields__)
def test_patterns_have_places_for_the_same_names(field):
    names = [
        {name for text in texts(getattr(one, field)) for _, name, *_ in Formatter().parse(text) if name}
        for one in BOTH.values()
    ]
    assert names[0] - {"verb"} == names[1]


def test_it_is_a_small_value_of_json():
    for one in BOTH.values():
        assert msgspec.json.decode(msgspec.json.encode(one), type=Vocabulary) == one
    assert len(Vocabulary.__struct_fields__) <= 25


def test_what_only_one_side_has_is_a_kind_of_pixels_in_the_same_words():
    for one in BOTH.values():
        assert one.kinds[2:4] == one.only_in
        assert len(one.kinds) == len(AGREEMENT) == 6


def test_a_comparison_and_its_matrix_have_one_vocabulary():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    for truth, expected in ((True, WITH_TRUTH), (False, WITHOUT_TRUTH)):
        compared = lcm.compare(layout, layout, truth=truth)
        assert compared.vocabulary is compared.confusion().vocabulary is vocabulary_of(truth) is expected
        assert compared.side_names == expected.sides


def test_matrices_made_from_a_matrix_keep_its_vocabulary():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    compared = lcm.compare(layout, layout, truth=False)
    made = [compared.confusion().collapse(), compared.confusion(families={"f": ["a"]})]
    assert [one.vocabulary for one in made] == [WITHOUT_TRUTH, WITHOUT_TRUTH]


def test_without_a_truth_a_notebook_names_cells_after_a_and_b():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    html = lcm.compare(layout, layout, truth=False).show().html
    assert '"cell_name":"{gt} in A, {pred} in B"' in html


def test_few_modules_ask_whether_there_is_a_truth():
    files = [*(ROOT / "layoutcm").rglob("*.py"), *(ROOT / "pages").glob("*.py"), *(ROOT / "layoutcm").rglob("*.js")]
    asking = sorted(str(file.relative_to(ROOT)) for file in files if "has_truth" in file.read_text("utf-8"))
    assert len(files) > 300
    assert "layoutcm/comparison.py" in asking and len(asking) <= 10, asking


@pytest.mark.parametrize("asked", [{"why": True}, {"intervals": True}, {"intervals": 9}, {"slices": True}])
def test_what_needs_a_truth_is_refused_by_results_and_reports(asked, tmp_path):
    both = lcm.compare(*compare_rows([5] * 6).alignment.layouts, truth=False)
    name = next(iter(asked))
    for ask in (both.result, lambda **more: both.write_report(tmp_path / "report", **more)):
        with pytest.raises(lcm.InputError, match=f"{name} needs a ground truth"):
            ask(**asked)
    assert both.result().intervals is None


def test_without_a_truth_no_prediction_is_better():
    both = {name: lcm.compare(*compare_rows([5] * 6).alignment.layouts, truth=False) for name in "xy"}
    with pytest.raises(lcm.InputError, match="leaderboard needs a ground truth"):
        lcm.leaderboard(both)
    with pytest.raises(lcm.InputError, match="difference needs a ground truth"):
        lcm.difference(*both.values())
