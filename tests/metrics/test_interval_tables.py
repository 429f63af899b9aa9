"""Tables of intervals, written out in full, and the steps that lead to them."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics import bootstrap
from support.one_label_pages import one_label_pages

SCORES = ("precision", "recall", "f1")


def test_the_whole_table_of_two_equal_pages():
    """Half of label a is found on both pages, so the values of all resamples are equal.

    Background is on no gt pixel and on half of the pred pixels.
    """
    found_half, low_macro = (1, 1 / 2, 2 / 3), (1 / 2, 1 / 4, 1 / 3)
    figures = {
        **dict.fromkeys(["micro_{}", "macro_{}", "weighted_{}"], found_half),
        "micro_{}_with_background": (1 / 2, 1 / 2, 1 / 2),
        "macro_{}_with_background": low_macro,
        **dict.fromkeys(["weighted_{}_with_background", "macro_{}_over_pages", "macro_{}_over_documents"], found_half),
        "content_{}": found_half,
    }
    expected = {name.format(s): value for name, values in figures.items() for s, value in zip(SCORES, values)}
    headline = one_label_pages(0.5, 0.5).bootstrap(3).headline
    assert list(headline) == ["figure", "value", "low", "high"] and headline["figure"].tolist() == list(expected)
    for column in ("value", "low", "high"):
        assert headline[column].tolist() == pytest.approx(list(expected.values()))


def test_the_class_table_of_two_equal_pages():
    table = one_label_pages(0.5, 0.5).bootstrap(3).classes()
    assert list(table) == ["label", "score", "value", "low", "high"]
    assert table["label"].tolist() == ["Background"] * 4 + ["a"] * 4
    assert table["score"].tolist() == ["precision", "recall", "f1", "iou"] * 2
    for column in ("value", "low", "high"):
        assert table[column].tolist() == pytest.approx([0, np.nan, 0, 0, 1, 1 / 2, 2 / 3, 1 / 2], nan_ok=True)


def test_intervals_as_json_values():
    c = one_label_pages(0.5, 0.5)
    found = c.bootstrap(3, seed=1, level=0.9, method="tensor")
    recipe = c.recipe_for("tensor", resamples=3, of="documents", seed=1, level=0.9)
    assert repr(found) == f"<Intervals {recipe}>" and (found.resampling.unit, found.method) == ("document", "tensor")
    values = found.as_dict()
    headline, classes = values.pop("headline"), values.pop("classes")
    assert values == {"units": "documents", "unit_count": 2, "n": 3, "seed": 1, "level": 0.9, "recipe": recipe}
    assert len(headline) == 27 and len(classes) == 8
    assert headline[0] == {"figure": "micro_precision", "value": 1, "low": 1, "high": 1}
    assert classes[5] == {"label": "a", "score": "recall", "value": 0.5, "low": 0.5, "high": 0.5}


def test_a_difference_names_both_recipes_and_has_the_share_of_the_other_side():
    one_document = {"page 000": "d", "page 001": "d"}
    half, b = (one_label_pages(share, share, documents=one_document) for share in (0.5, 1))
    a = lcm.compare(*half.alignment.layouts, documents=one_document, taxonomy="same", min_score=0.3)
    found = lcm.difference(a, b, 3, seed=2, level=0.5)
    recipe_a, recipe_b = (c.recipe_for("matrix", resamples=3, of="pages", seed=2, level=0.5) for c in (a, b))
    assert found.recipe == f"{recipe_b} minus {recipe_a}" and recipe_a != recipe_b
    assert (found.resampling.units, found.resampling.unit, found.resampling.unit_count) == ("pages", "page", 2)
    assert found.columns == ("value", "low", "high", "other_side")
    assert found.figures["micro_recall"].tolist() == [0.5, 0.5, 0.5, 0]
    assert list(found.headline) == ["figure", "value", "low", "high", "other_side"]
    assert found.whiskers()["recall"].tolist()[1] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("value", "resamples", "expected"),
    [
        (2, range(101), [2, 5, 95, 1 / 101]),
        (2, [-1, 0, 1, 3, np.nan], [2, -0.85, 2.7, 2 / 4]),
        (-2, [-1, 0, 1, 3, np.nan], [-2, -0.85, 2.7, 3 / 4]),
        (0, [-1, 1], [0, -0.9, 0.9, np.nan]),
        (1, [np.nan, np.nan], [1, np.nan, np.nan, np.nan]),
    ],
)
def test_ends_of_an_interval(value, resamples, expected):
    values = np.array([value, *resamples], float)[:, None]
    found = bootstrap.interval_ends(values, 0.9, ("value", "low", "high", "other_side"))
    np.testing.assert_allclose(found, [expected])
    np.testing.assert_allclose(bootstrap.interval_ends(values, 0.9, ("value", "low", "high")), [expected[:3]])


def test_each_resample_draws_as_many_units_as_there_are(monkeypatch):
    monkeypatch.setattr(bootstrap, "BLOCK_WEIGHTS", 12)
    first, *blocks = bootstrap.resample_weights(4, 7, 0)
    assert first.tolist() == [[1, 1, 1, 1]] and [len(block) for block in blocks] == [3, 3, 1]
    # The draws of NumPy's generator, one resample after the other.
    generator = np.random.default_rng(0)
    drawn = [np.bincount(generator.integers(4, size=4), minlength=4).tolist() for _ in range(7)]
    assert np.concatenate(blocks).tolist() == drawn
    assert [block.shape for block in bootstrap.resample_weights(0, 2, 0)] == [(1, 0), (2, 0)]
    assert [len(block) for block in bootstrap.resample_weights(1, 13, 0)] == [1, 12, 1]
    assert [len(block) for block in bootstrap.resample_weights(100, 2, 0)] == [1, 1, 1]


def test_sums_are_rounded_to_52_bits_of_the_largest_sum():
    # Three units: the sums are at most 1, so the values are multiples of 2**-51.
    found = bootstrap.round_for_exact_sums(np.array([[1 / 3, 5.0], [1 / 3, 0.0], [1 / 7, 7.0]]))
    assert found[:, 0].tolist() == [round(share * 2**51) / 2**51 for share in (1 / 3, 1 / 3, 1 / 7)]
    assert found[:, 1].tolist() == [5, 0, 7]


@pytest.mark.parametrize("options", [{"n": 1}, {"n": np.int64(2)}, {"seed": np.int64(3)}, {"level": 0.001}])
def test_options_at_their_limits_are_accepted(options):
    bootstrap.check_resampling(**{"n": 100_000} | options)
