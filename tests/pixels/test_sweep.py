"""The kernel against a loop over all pixels, and invariants, on generated pages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support import pixel_loop
from support.generated_pages import LABELS, SPACE, layouts, page, random_layouts


def loop(pages, rounding, pixel=pixel_loop.contribution):
    """float64[gt, pred]: the confusion matrix from a loop over all pixels."""
    total = np.zeros((len(SPACE), len(SPACE)))
    for (w, h), gt, pred in pages:
        sets = [pixel_loop.pixel_sets(regions, w, h, rounding) for regions in (gt, pred)]
        total += pixel_loop.matrix(*sets, SPACE, pixel)
    return total


def changed(sides, name=str, place=float):
    """The boxes of both sides with other names of labels, or at other places."""
    return [[(name(label), *map(place, corners)) for label, *corners in boxes] for boxes in sides]


@pytest.mark.parametrize("rounding", ["outer", "nearest"])
@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_equal_to_the_pixel_loop(rounding, pages):
    c = lcm.compare(*layouts(pages), rounding=rounding)
    np.testing.assert_allclose(c.confusion().values, loop(pages, rounding), rtol=1e-9, atol=1e-9)
    for i, generated in enumerate(pages):
        expected = loop([generated], rounding)
        np.testing.assert_allclose(c.confusion(page=f"page {i}").values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rounding", ["outer", "nearest"])
def test_a_crowded_page_is_equal_to_the_pixel_loop(rounding):
    """Every pixel is under dozens of boxes. Many boxes share edges, are empty or are outside the page."""
    rng = np.random.default_rng(11)
    corners = np.sort(rng.integers(-8, 88, (2, 150, 2, 2)) / 4, axis=2).reshape(2, 150, 4).tolist()
    sides = [[(LABELS[i % 5], *box) for i, box in enumerate(side)] for side in corners]
    pages = [((20, 17), *sides), ((20, 17), sides[1][:20], sides[0])]
    c = lcm.compare(*layouts(pages), rounding=rounding)
    np.testing.assert_allclose(c.confusion().values, loop(pages, rounding), rtol=1e-9, atol=1e-9)


@given(pages=st.lists(page, min_size=1, max_size=2))
@settings(max_examples=80, deadline=None)
def test_tensor_is_equal_to_the_pixel_loop(pages):
    m = lcm.compare(*layouts(pages)).confusion(method="tensor")
    recall = loop(pages, "outer", lambda g, p: pixel_loop.tensor_contributions(g, p)[0])
    precision = loop(pages, "outer", lambda g, p: pixel_loop.tensor_contributions(g, p)[1])
    np.testing.assert_allclose(m.recall_mass, recall, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(m.precision_mass, precision, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(m.precision_mass.sum(axis=0), m.pred_pixels, rtol=1e-9, atol=1e-9)


@given(pages=st.lists(page, min_size=1, max_size=2))
@settings(max_examples=80, deadline=None)
def test_exact_is_the_loop_on_a_grid_four_times_as_fine(pages):
    fine = [((4 * w, 4 * h), *changed(sides, place=lambda v: 4 * v)) for (w, h), *sides in pages]
    exact = lcm.compare(*layouts(pages), rounding="exact").confusion().values
    np.testing.assert_allclose(exact, loop(fine, "outer") / 16, rtol=1e-9, atol=1e-9)


@given(pages=st.lists(page, min_size=1, max_size=2), order=st.permutations(range(5)))
@settings(max_examples=60, deadline=None)
def test_renaming_and_reordering_labels_permutes(pages, order):
    names = [f"new {i}" for i in range(5)]
    renamed = [(frame, *changed(sides, name=lambda label: names[LABELS.index(label)])) for frame, *sides in pages]
    before = lcm.compare(*layouts(pages)).confusion().values
    after = lcm.compare(*layouts(renamed, [names[i] for i in order])).confusion().values
    place = [0, *(1 + i for i in order)]
    np.testing.assert_allclose(after, before[np.ix_(place, place)], rtol=1e-12, atol=1e-12)


@given(pages=st.lists(page, min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_a_perfect_match_is_diagonal_or_a_block(pages):
    same, _ = layouts([(frame, gt, gt) for frame, gt, _ in pages])
    m = lcm.compare(same, same).confusion()
    assert (m.values == np.diag(np.diag(m.values))).all()
    renamed = [(frame, *changed([gt, []], name="other {}".format)) for frame, gt, _ in pages]
    other, _ = layouts(renamed, [f"other {label}" for label in LABELS])
    block = lcm.compare(same, other, taxonomy="different").confusion().values
    assert block[0, 1:].sum() == 0 and block[1:, 0].sum() == 0
    assert block[:, 1:6].sum() == 0 and block[6:].sum() == 0


@given(pages=st.lists(page, min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_more_words_give_the_same_numbers(pages):
    """Adding unused labels, to both sides or to gt only, moves labels to other words and changes nothing else."""
    plain = lcm.compare(*layouts(pages)).confusion().values
    unused = [f"unused {i}" for i in range(140)]
    many = [[*unused[: n // 2], *LABELS, *unused[n // 2 : n - 5]] for n in (30, 31, 32, 63, 64, 74, 140)]
    for gt_labels, pred_labels in [*zip(many, many), ([*unused[:69], *LABELS], LABELS)]:
        m = lcm.compare(layouts(pages, gt_labels)[0], layouts(pages, pred_labels)[1]).confusion()
        place = [0, *(m.labels.index(label) for label in LABELS)]
        np.testing.assert_array_equal(m.values[np.ix_(place, place)], plain)
        assert m.values.sum() == pytest.approx(plain.sum())


def test_threads_chunks_and_crowded_pages_change_nothing(monkeypatch):
    """So many boxes that the buffers must grow, on one thread and on several, in small chunks."""
    from layoutcm.pixels import counting

    sides = random_layouts(23, 60, (200, 150), LABELS)
    once = lcm.compare(*sides, threads=1)
    for name, value in (("PAGES_PER_CHUNK", 4), ("ROWS_PER_PAGE", 1), ("FIRST_TABLE_SIZE", 8)):
        monkeypatch.setattr(counting, name, value)
    seen = []
    again = lcm.compare(*sides, threads=3, progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(once.all_counts.words, again.all_counts.words)
    np.testing.assert_array_equal(once.all_counts.pixels, again.all_counts.pixels)
    assert seen == [(4, 23), (8, 23), (12, 23), (16, 23), (20, 23), (23, 23)]
