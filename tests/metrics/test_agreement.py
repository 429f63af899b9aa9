"""Agreement without a truth: pages one can count, the coincidence matrix, scikit-learn."""

import math
from collections import Counter, defaultdict
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import layoutcm as lcm
from support.layouts import build
from support.pixel_loop import pixel_sets

LABELS = ["a", "b", "c"]
TWO_PAGES = {"p1": (10, 10), "p2": (10, 10)}


def two_pages():
    """On p1, B has two of the ten columns of A's region; on p2 both have the same region, B with another label."""
    a = build(TWO_PAGES, [("p1", "a", 0, 0, 10, 10), ("p2", "a", 0, 0, 5, 10)], LABELS)
    b = build(TWO_PAGES, [("p1", "a", 0, 0, 8, 10), ("p2", "a", 0, 0, 5, 10), ("p2", "b", 0, 0, 5, 10)], LABELS)
    return a, b


def test_two_pages_that_one_can_count():
    c = lcm.compare(*two_pages())
    found = c.agreement()
    # p1: 80 pixels a-a, 20 a-Background. p2: 50 pixels a-ab, 50 Background-Background.
    assert found["observed"] == (80 + 50) / 200
    # By chance: A has a on 150 and Background on 50 pixels; B has a on 80, ab on 50, Background on 70.
    by_chance = (150 * 80 + 50 * 70) / 200**2
    assert found["kappa"] == pytest.approx((0.65 - by_chance) / (1 - by_chance))
    # a and ab are half apart, all else wholly. Pooled: a 230, Background 120, ab 50.
    observed = (20 * 1 + 50 * 0.5) / 200
    expected = 2 * (230 * 120 * 1 + 230 * 50 * 0.5 + 120 * 50 * 1) / (400 * 399)
    assert found["alpha"] == pytest.approx(1 - observed / expected)
    assert [round(found[name], 4) for name in ("kappa", "alpha")] == [0.4286, 0.5437]
    assert c.agreement(page="p1") == {"observed": 0.8, "kappa": 0.0, "alpha": pytest.approx(1 - 0.2 / (7200 / 39800))}
    assert lcm.agreement(two_pages()) == pytest.approx(found)


def test_layouts_that_agree_and_layouts_without_pixels_in_common():
    a, _ = two_pages()
    assert lcm.agreement([a, a, a]) == {"observed": 1, "kappa": 1, "alpha": 1}
    empty = build({"p1": (10, 10)}, [], LABELS)
    found = lcm.compare(empty, empty).agreement()
    assert found["observed"] == 1 and math.isnan(found["kappa"]) and math.isnan(found["alpha"])
    assert math.isnan(lcm.compare(build({}, [], LABELS), build({}, [], LABELS)).agreement()["observed"])


def test_different_labels_have_no_agreement():
    layouts = [build({"p": (9, 9)}, [("p", label, 0, 0, 9, 9)], [label]) for label in "xy"]
    assert np.isnan(list(lcm.agreement(layouts).values())).all()
    assert lcm.agreement(layouts, taxonomy="same")["observed"] == 0


def test_three_layouts_on_the_pages_that_all_have():
    a, b = two_pages()
    # Of the same page in half the size: the region covers the left half. p2 is not there.
    c = build({"p1": (5, 5)}, [("p1", "a", 0, 0, 2.5, 5)], ["a"])
    found = lcm.agreement([a, b, c])
    # The ten columns: A has a on all, B on 8, C on 5.
    assert found["observed"] == pytest.approx((0.8 + 0.5 + 0.7) / 3)
    sets = [
        [frozenset({"a"} if x < end else {"Background"}) for x in range(10) for _ in range(10)] for end in (10, 8, 5)
    ]
    assert found["alpha"] == pytest.approx(alpha(list(zip(*sets))))
    # With the size of C first, its 2.5 of 5 columns touch 3 pixels, B's cover 4.
    assert lcm.agreement([c, b, a])["observed"] == pytest.approx((0.8 + 0.6 + 0.8) / 3)


def test_ignore_regions_of_the_first_layout_are_left_out_for_all():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 4, 10), ("p", "skip", 4, 0, 10, 10)], ["a", "skip"])
    first = lcm.compare(gt, gt, mapping={"gt": {"skip": "Ignore"}}).alignment.layouts[0]
    others = [build({"p": (10, 10)}, [("p", "a", 0, 0, end, 10)], ["a"]) for end in (4, 8)]
    # They differ from each other only where the first layout is not to be judged.
    assert lcm.agreement([first, *others])["observed"] == 1
    assert lcm.agreement([*others])["observed"] == 0.6


def test_low_scores_are_left_out_of_all_layouts():
    rows = [("p", "a", 0, 0, 5, 10, 0.9), ("p", "b", 5, 0, 10, 10, 0.2)]
    a, b = build({"p": (10, 10)}, rows, LABELS), build({"p": (10, 10)}, rows[:1], LABELS)
    assert lcm.agreement([a, b])["observed"] == 0.5
    assert lcm.agreement([a, b], min_score=0.5)["observed"] == lcm.agreement([b, a], min_score=0.5)["observed"] == 1


@pytest.mark.parametrize(
    ("layouts", "words"),
    [
        *((given, "layout") for given in ([], "ab", [two_pages()[0]], [two_pages()[0], 1])),
        ([two_pages()[0], build({"other": (5, 5)}, [], LABELS)], "no page that all"),
    ],
)
def test_anything_but_layouts_with_a_common_page_is_an_input_error(layouts, words):
    with pytest.raises(lcm.InputError, match=words):
        lcm.agreement(layouts)


def test_pages_to_review_have_the_worst_page_of_every_label_first():
    table = lcm.compare(*two_pages()).pages_to_review()
    rows = table.to_dict("records")
    assert rows == [
        {"page": "p2", "document": "p2", "label": "b", "pixels": 50, "share": 1},
        {"page": "p1", "document": "p1", "label": "a", "pixels": 20, "share": 1},
    ]
    sizes = {f"d_{k}": (10, 10) for k in range(3)}
    a = build(sizes, [("d_0", "a", 0, 0, 2, 10), ("d_1", "a", 0, 0, 6, 10), ("d_1", "b", 9, 0, 10, 10)], LABELS)
    table = lcm.compare(a, build(sizes, [], LABELS)).pages_to_review()
    assert table[["page", "label", "pixels", "share"]].values.tolist() == [
        ["d_1", "a", 60, 0.75],
        ["d_1", "b", 10, 1],
        ["d_0", "a", 20, 0.25],
    ]


boxes = st.lists(
    st.tuples(st.sampled_from(LABELS), st.integers(0, 5), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4)),
    max_size=4,
).map(lambda found: [(label, x, y, x + w, y + h) for label, x, y, w, h in found])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(boxes, boxes), min_size=2, max_size=3), st.integers(3, 9), st.integers(3, 9))
def test_generated_pages_equal_the_coincidence_matrix_and_scikit_learn(coders, width, height):
    sizes = {"p0": (width, height), "p1": (height, width)}
    layouts, values = [], []
    for pages in coders:
        rows = [(f"p{k}", *box) for k, page in enumerate(pages) for box in page]
        layouts.append(build(sizes, rows, LABELS))
        sets = [pixel_sets(page, *size, "outer") for page, size in zip(pages, sizes.values())]
        values.append([frozenset(one[pixel]) for one in sets for pixel in sorted(one)])
    found = lcm.agreement(layouts)
    codes = as_codes(*values)
    assert found["observed"] == pytest.approx(mean_over_pairs(codes, lambda a, b: np.mean(np.equal(a, b))))
    assert found["alpha"] == pytest.approx(alpha(list(zip(*values))), nan_ok=True, abs=1e-9)
    kappas = [cohen_kappa_score(a, b) for a, b in combinations(codes, 2) if len({*a, *b}) > 1]
    assert found["kappa"] == pytest.approx(np.mean(kappas) if kappas else math.nan, nan_ok=True, abs=1e-9)
    if len(layouts) == 2:
        assert lcm.compare(*layouts).agreement() == pytest.approx(found, nan_ok=True)


def jaccard(one, other):
    return 1 - len(one & other) / len(one | other)


def alpha(units, distance=jaccard):
    """Units are lists of values, one of each coder; nan if no two values differ."""
    coincidences = defaultdict(float)
    for values in units:
        for pair in permutations(values, 2):
            coincidences[pair] += 1 / (len(values) - 1)
    totals = Counter()
    for (one, _), count in coincidences.items():
        totals[one] += count
    n = sum(totals.values())
    observed = sum(count * distance(*pair) for pair, count in coincidences.items()) / n
    pairs = sum(totals[a] * totals[b] * distance(a, b) for a in totals for b in totals)
    return 1 - observed / (pairs / (n * (n - 1))) if pairs else float("nan")


def mean_over_pairs(coders, score):
    """The mean of a score of two lists of values, over all pairs of lists."""
    found = [score(*pair) for pair in combinations(coders, 2)]
    return sum(found) / len(found)


def as_codes(*lists):
    """The label sets of the lists as numbers, the same set as the same number."""
    known = {}
    return [[known.setdefault(value, len(known)) for value in values] for values in lists]
