"""How many documents would show a difference: the jackknife of a mean is its plain standard error."""

import math

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from support.one_label_pages import one_label_pages
from support.row_pages import compare_rows
from support.sample_comparisons import compare_sample

SHARES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.5, 0.4, 0.6]
GAINS = [0.1, 0.0, 0.1, 0.0, 0.1, 0.1, -0.1, 0.1]


def pair(gains, shares=SHARES, **options):
    own = shares[: len(gains)]
    better = [round(share + gain, 1) for share, gain in zip(own, gains)]
    return one_label_pages(*own, **options), one_label_pages(*better, **options)


def needed_by_hand(gains, difference, z=2.801585):
    """Recall over pages of one size is the mean of the shares, so the error is that of a mean."""
    error = np.std(gains, ddof=1) / math.sqrt(len(gains))
    return math.ceil(len(gains) * (z * error / difference) ** 2)


@pytest.mark.parametrize("figure", ["micro.recall", "class.a.recall", "over_documents.macro.recall", "content.recall"])
def test_the_number_is_that_of_the_standard_error_of_a_mean(figure):
    assert np.mean(GAINS) == pytest.approx(0.05)
    assert lcm.documents_needed(*pair(GAINS), figure) == needed_by_hand(GAINS, 0.05) == 18
    assert lcm.documents_needed(*pair(GAINS)[::-1], figure) == 18


def test_a_given_difference_and_another_power():
    a, b = pair(GAINS)
    assert lcm.documents_needed(a, b, "micro.recall", difference=0.1) == needed_by_hand(GAINS, 0.1) == 5
    assert lcm.documents_needed(a, b, "micro.recall", difference=-0.01) == needed_by_hand(GAINS, 0.01)
    z = 1.959964 + 1.281552
    assert lcm.documents_needed(a, b, "micro.recall", power=0.9) == needed_by_hand(GAINS, 0.05, z)


def test_it_is_for_any_number_of_documents():
    """Above 100 documents intervals are made from resamples, but the error is still that of the jackknife."""
    gains, shares = GAINS * 15, SHARES * 15
    found = lcm.difference(*pair(gains, shares), n=20)
    assert found.resampling.kind == "percentile"
    assert lcm.documents_needed(*pair(gains, shares), "micro.recall") == needed_by_hand(gains, 0.05)


def test_where_there_is_no_number():
    assert lcm.documents_needed(*pair(GAINS[:5]), "micro.recall") is None  # too few documents
    assert lcm.documents_needed(*pair([0.1, -0.1] * 4), "micro.recall") is None  # the difference is 0
    assert lcm.documents_needed(*pair([0.1] * 8), "micro.recall") is None  # the same in all documents
    assert lcm.documents_needed(*pair([0.1, -0.1] * 4), "micro.recall", difference=0.05) is not None


def test_a_class_in_few_documents_has_none():
    c = compare_sample()
    assert lcm.documents_needed(c, compare_sample(min_score=0.7), "class.Formula.f1") is None


def test_tables_have_it_only_beside_no_difference_shown():
    found = lcm.difference(*pair(GAINS))
    row = found.headline.set_index("figure").loc["micro_recall"]
    assert (row["verdict"], row["documents_needed"]) == ("no difference shown", 18)
    assert row["remark"].startswith("about 18 documents like these would show it")
    same = found.classes().set_index(["label", "score"]).loc[("a", "recall")]
    assert same["documents_needed"] == 18
    shown = lcm.difference(*pair([0.1, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, 0.1])).headline.set_index("figure")
    assert shown.loc["micro_recall", "verdict"] == "better"
    assert math.isnan(shown.loc["micro_recall", "documents_needed"])
    assert "documents_needed" not in one_label_pages(*SHARES).bootstrap(5).headline


def test_a_leaderboard_and_its_json_have_it():
    a, b = pair(GAINS)
    board = lcm.leaderboard({"a": a, "b": b}, figure="micro_f1")
    expected = lcm.documents_needed(a, b, "micro.f1")
    assert board.table.set_index("model").loc["b", "documents_needed"] == expected
    records = {row["model"]: row for row in board.as_dict()["models"]}
    assert records["b"]["documents_needed"] == expected and records["a"]["documents_needed"] is None
    row = next(row for row in board.as_dict()["classes"] if (row["label"], row["model"]) == ("a", "b"))
    assert row["documents_needed"] == lcm.documents_needed(a, b, "class.a.f1")


def test_results_have_the_sums_that_are_needed():
    a, b = pair(GAINS)
    results = [one.result(intervals=False) for one in (a, b)]
    loaded = [lcm.load_result(one.to_json()) for one in results]
    for first, second in (results, loaded, (a, results[1]), (loaded[0], b)):
        assert lcm.documents_needed(first, second, "micro.recall") == 18
    with pytest.raises(InputError, match=r"'over_pages\.macro\.recall' is not a figure with an interval"):
        lcm.documents_needed(*results, "over_pages.macro.recall")
    with pytest.raises(InputError, match="c_a: it has other documents"):
        lcm.documents_needed(results[0], pair(GAINS[:6])[0])
    with pytest.raises(InputError, match="one result has the method matrix, the other has tensor"):
        lcm.documents_needed(results[0], b.result(intervals=False, method="tensor"))
    with pytest.raises(InputError, match="c_b: 3 is not a comparison"):
        lcm.documents_needed(results[0], 3)


def test_pages_of_one_document_are_counted_as_pages():
    documents = {f"page {k:03}": "one" for k in range(8)}
    a, b = pair(GAINS, documents=documents)
    assert lcm.documents_needed(a, b, "micro.recall") == 18
    row = lcm.difference(a, b).headline.set_index("figure").loc["micro_recall"]
    assert row["remark"].startswith("about 18 pages like these would show it")


def test_wrong_options_are_refused():
    a, b = compare_rows([5] * 6), compare_rows([6] * 6)
    with pytest.raises(InputError, match=r"'macro\.f2' is not a figure with an interval\. The closest are macro\.f1"):
        lcm.documents_needed(a, b, "macro.f2")
    with pytest.raises(InputError, match=r"'objects\.ap' is not a figure with an interval\. .*named like macro\.f1"):
        lcm.documents_needed(a, b, "objects.ap")
    with pytest.raises(InputError, match=r"'class\.Background\.f1' is not a figure"):
        lcm.documents_needed(a, b, "class.Background.f1")
    with pytest.raises(InputError, match="difference: 2 is not a share"):
        lcm.documents_needed(a, b, difference=2)
    with pytest.raises(InputError, match=r"power: 1\.0 is not a share from 0\.5 to 1"):
        lcm.documents_needed(a, b, power=1.0)
    with pytest.raises(InputError, match="c_b: 3 is not a comparison"):
        lcm.documents_needed(a, 3)
