"""Scores of pages and documents, and the pages that add most to each cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import layoutcm as lcm
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.levels import (
    document_matrices,
    document_pixels,
    document_sizes,
    levels_of_pages,
    page_matrices,
    pages_at,
)
from layoutcm.metrics.matrix_blocks import GroupMatrices, _largest_columns, largest_groups
from support.layouts import build

nan = float("nan")
LEVEL_SCORES = ["precision", "recall", "f1", "micro_f1", "content_precision", "content_recall", "content_f1"]


@pytest.fixture
def five_pages():
    """Pages of three documents in mixed order, with labels x and y; page c is blank.

    a1: x is found. a2: half of x is found. b1: x is predicted as y. b2: half of x is predicted as y, half is missed.
    """
    pages = {"a1": (10, 10), "b1": (10, 10), "a2": (10, 10), "c": (4, 5), "b2": (10, 10)}
    gt = [("a1", "x", 0, 0, 10, 5), ("b1", "x", 0, 0, 10, 5), ("a2", "x", 0, 0, 10, 10), ("b2", "x", 0, 0, 10, 5)]
    pred = [("a1", "x", 0, 0, 10, 5), ("b1", "y", 0, 0, 10, 5), ("a2", "x", 0, 0, 5, 10), ("b2", "y", 0, 0, 5, 5)]
    documents = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c": "C"}
    return lcm.compare(build(pages, gt, "xy"), build(pages, pred, "xy"), documents=documents)


def assert_rows(table, columns, rows):
    """Compare a whole table: the columns, and each row with its scores."""
    assert list(table) == [*columns, *LEVEL_SCORES] and table.index.tolist() == list(range(len(rows)))
    names, scores = [row[: len(columns)] for row in rows], [row[len(columns) :] for row in rows]
    assert table[columns].values.tolist() == [list(row) for row in names]
    np.testing.assert_allclose(table[LEVEL_SCORES].to_numpy(), scores)


def test_the_page_table_has_the_worst_page_first_and_undefined_scores_last(five_pages):
    rows = [
        ("b2", "B", 100, 0, 0, 0, 0, 1, 1 / 2, 2 / 3),
        ("b1", "B", 100, 0, 0, 0, 0, 1, 1, 1),
        ("a2", "A", 100, 1, 1 / 2, 2 / 3, 2 / 3, 1, 1 / 2, 2 / 3),
        ("a1", "A", 100, 1, 1, 1, 1, 1, 1, 1),
        ("c", "C", 20, nan, nan, nan, nan, nan, nan, nan),
    ]
    assert_rows(five_pages.page_table(), ["page", "document", "pixels"], rows)


def test_the_document_table_sums_the_pages_of_a_document(five_pages):
    rows = [
        ("B", 2, 200, 0, 0, 0, 0, 1, 3 / 4, 6 / 7),
        ("A", 2, 200, 1, 2 / 3, 4 / 5, 4 / 5, 1, 2 / 3, 4 / 5),
        ("C", 1, 20, nan, nan, nan, nan, nan, nan, nan),
    ]
    assert_rows(five_pages.document_table(), ["document", "pages", "pixels"], rows)


def test_tables_with_different_labels_are_sorted_by_the_content_score():
    pages = {"p": (10, 10), "q": (10, 10), "r": (10, 10)}
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in pages])
    pred = build(pages, [("p", "b", 0, 0, 10, 10), ("q", "b", 0, 0, 10, 5)])
    c = lcm.compare(gt, pred, documents={page: page for page in pages})
    rows = [
        ("r", "r", 100, nan, nan, nan, nan, nan, 0, 0),
        ("q", "q", 100, nan, nan, nan, nan, 1, 1 / 2, 2 / 3),
        ("p", "p", 100, nan, nan, nan, nan, 1, 1, 1),
    ]
    assert_rows(c.page_table(), ["page", "document", "pixels"], rows)
    for over in ("pixels", "pages", "documents"):
        found = c.average(over=over)
        assert list(found) == ["precision", "recall", "f1"] and np.isnan(list(found.values())).all()


@pytest.mark.parametrize(("options", "expected"), [
    # without Background: x has 100 hits of 250 in gt and 100 in pred, y 0 of 75 in pred
    ({"kind": "micro"}, (100 / 175, 100 / 250, 200 / 425)),
    ({"kind": "macro"}, (1 / 2, 100 / 250 / 2, 200 / 350 / 2)),
    # 170 pixels of Background and 100 of x are correct, of 420
    ({"kind": "micro", "background": True}, (270 / 420, 270 / 420, 270 / 420)),
    ({"kind": "macro", "over": "pages"}, (2 / 4, 1.5 / 4, (1 + 2 / 3) / 4)),
    ({"kind": "macro", "over": "documents"}, (1 / 2, 2 / 3 / 2, 4 / 5 / 2)),
    # with Background: a1 1, b1 1/3, a2 as in the matrix [[0, 0], [50, 50]], c 1, b2 with 50 of 75 pred pixels
    ({"kind": "macro", "over": "pages", "background": True},
     ((1 + 1 / 3 + 1 / 2 + 1 + 2 / 9) / 5, (1 + 1 / 3 + 1 / 4 + 1 + 1 / 3) / 5,
      (1 + 1 / 3 + 1 / 3 + 1 + 4 / 15) / 5)),
    # correct pixels of the pages: 1, 1/2, 1/2, 1, 1/2
    ({"kind": "micro", "over": "pages", "background": True}, (0.7, 0.7, 0.7)),
])  # fmt: skip
def test_averages_over_pixels_pages_and_documents(five_pages, options, expected):
    assert five_pages.average(**options) == pytest.approx(dict(zip(("precision", "recall", "f1"), expected)))


def test_averages_use_the_method():
    """Two pages with a, one of them predicted as a and b: recall of a is 1 only with method tensor."""
    pages = {"p": (10, 10), "q": (10, 10)}
    rows = [(page, "a", 0, 0, 10, 10) for page in pages]
    c = lcm.compare(build(pages, rows, "ab"), build(pages, [*rows, ("p", "b", 0, 0, 10, 10)], "ab"))
    for over, matrix, tensor in (("pixels", 150 / 200, 1), ("pages", 3 / 4, 1), ("documents", 3 / 4, 1)):
        assert c.average("micro", over=over)["recall"] == matrix
        assert c.average("micro", over=over, method="tensor")["recall"] == tensor
    assert c.page_table("tensor")["micro_f1"].tolist() == [2 / 3, 1] and c.page_table()["micro_f1"].tolist() == [0.5, 1]
    assert c.document_table("tensor")["micro_f1"].tolist() == [2 / 3, 1]


def test_pages_behind_a_cell_in_descending_order():
    pages = {"a": (4, 4), "b": (4, 4), "c": (4, 4), "d": (4, 4)}
    gt = build(pages, [(page, "x", 0, 0, 4, 4) for page in pages], "xyz")
    # one pixel on a, where z is also predicted, two on b, four on c, none on d
    rows = [("a", "y", 0, 0, 1, 1), ("a", "z", 0, 0, 1, 1), ("b", "y", 0, 0, 1, 2), ("c", "y", 0, 0, 4, 1)]
    pred = build(pages, [*rows, ("d", "x", 0, 0, 4, 4)], "xyz")
    c = lcm.compare(gt, pred, documents={"a": "A", "b": "B", "c": "B", "d": "B"})
    behind = c.pages_behind("x", "y")
    assert behind.values.tolist() == [["c", "B", 4, 4 / 6.5], ["b", "B", 2, 2 / 6.5], ["a", "A", 0.5, 0.5 / 6.5]]
    assert list(behind) == ["page", "document", "pixels", "share"] and behind.index.tolist() == [0, 1, 2]
    assert c.pages_behind("x", "z")[["page", "pixels"]].values.tolist() == [["a", 0.5]]


def test_pages_and_documents_are_found_by_name(five_pages):
    levels = five_pages.levels
    assert (levels.page_names, levels.documents) == (["a1", "b1", "a2", "c", "b2"], ["A", "B", "C"])
    assert levels.document_of_page.tolist() == [0, 1, 0, 2, 1] and document_sizes(levels).tolist() == [2, 2, 1]
    assert levels.page_pixels.tolist() == [100, 100, 100, 20, 100]
    assert document_pixels(levels).tolist() == [200, 200, 20]
    assert pages_at(levels, None, None) is None and levels.counts_at(None, None) is levels.counts
    assert pages_at(levels, "b2", None).tolist() == [4] and pages_at(levels, None, "B").tolist() == [1, 4]
    assert levels.counts_at("c", None).total == 20 and levels.counts_at(None, "B").total == 200


def test_levels_of_chosen_pages_have_their_order(five_pages):
    chosen = levels_of_pages(five_pages.levels, np.array([4, 3, 0]))
    assert (chosen.page_names, chosen.documents) == (["b2", "c", "a1"], ["B", "C", "A"])
    assert chosen.page_pixels.tolist() == [100, 20, 100]
    assert (np.diff(chosen.counts.page) >= 0).all()
    own = [confusion_of(chosen.counts_at(page, None), chosen.space, "matrix").values for page in chosen.page_names]
    np.testing.assert_array_equal(own, [five_pages.confusion(page=page).values for page in chosen.page_names])


@pytest.mark.parametrize(
    ("most_values", "method", "sizes"),
    [
        # three labels, so 9 values per matrix; method tensor has two matrices per page
        (36, "matrix", [4, 1]),
        (36, "tensor", [2, 2, 1]),
        (1, "matrix", [1] * 5),
    ],
)
def test_matrices_come_in_blocks(five_pages, monkeypatch, most_values, method, sizes):
    whole = five_pages.confusion(method=method)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", most_values)
    blocks = list(page_matrices(five_pages.levels, method))
    assert [len(pages) for pages, _ in blocks] == sizes and [i for pages, _ in blocks for i in pages] == list(range(5))
    found = np.concatenate([matrices.recall_mass for _, matrices in blocks])
    assert found[:, 1, 1].tolist() == [50, 0, 50, 0, 0] and found[:, 1, 2].tolist() == [0, 50, 0, 0, 25]
    np.testing.assert_array_equal(found.sum(axis=0), whole.recall_mass)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_matrices_of_the_labels_that_occur_are_those_of_all_labels(method, monkeypatch):
    draws = np.random.default_rng(5)
    pages, labels = {f"d{i // 3}_{i}": (30, 30) for i in range(12)}, [f"l{i}" for i in range(90)]
    both = [
        build(pages, [(page, labels[k], *low, *(low + 9)) for page in list(pages)[:-1] for k, low in
                      zip(draws.integers(0, 90, 6).tolist(), draws.integers(0, 20, (6, 2)))], labels)
        for _ in range(2)
    ]  # fmt: skip
    c = lcm.compare(*both)
    whole = [(c.page_table(method), c.average("weighted", over="documents", method=method))]
    behind = c.pages_behind("Background", "l5", method)
    expected = np.concatenate([one.recall_mass for _, one in page_matrices(c.levels, method)])
    largest = largest_groups(page_matrices(c.levels, method), [0, 5, 7], 2)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.MOST_WHOLE", 10)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.CHOSEN_VALUES", 900)
    blocks = list(page_matrices(c.levels, method))
    assert [i for pages, _ in blocks for i in pages] == list(range(12))
    # The work is that of the labels of a page, not of all labels.
    assert sum(one.recall_mass.size for _, one in blocks) < expected.size / 20
    every = range(len(c.labels))
    np.testing.assert_array_equal(np.concatenate([one.mass_of(every, every) for _, one in blocks]), expected)
    pred_pixels = np.concatenate([one.of_all_labels(one.pred_pixels) for _, one in blocks])
    assert pred_pixels.shape == (12, 91) and pred_pixels[-1].tolist() == [900, *[0] * 90]
    table, averages = whole[0]
    np.testing.assert_allclose(c.page_table(method)[LEVEL_SCORES], table[LEVEL_SCORES], rtol=1e-13)
    assert c.average("weighted", over="documents", method=method) == pytest.approx(averages, rel=1e-13)
    assert c.pages_behind("Background", "l5", method).equals(behind)
    for one, other in zip(largest_groups(page_matrices(c.levels, method), [0, 5, 7], 2), largest):
        np.testing.assert_array_equal(one, other)


def test_matrices_of_documents(five_pages):
    ((documents, matrices),) = document_matrices(five_pages.levels)
    assert documents == range(3) and matrices.precision_mass is matrices.recall_mass
    assert matrices.recall_mass.tolist() == [
        [[50, 0, 0], [50, 100, 0], [0, 0, 0]],
        [[100, 0, 0], [25, 0, 75], [0, 0, 0]],
        [[20, 0, 0], [0, 0, 0], [0, 0, 0]],
    ]
    assert matrices.pred_pixels.tolist() == [[100, 100, 0], [125, 0, 75], [20, 0, 0]]


def test_the_largest_groups_of_a_cell():
    """Five groups in two blocks add 3, 0, 3, 1, 5 pixels to the only cell."""
    blocks = [(range(3), [3, 0, 3]), (range(3, 5), [1, 5])]
    mass = lambda values: np.array(values, float).reshape(-1, 1, 1)
    matrices = lambda: [(groups, GroupMatrices(mass(own), mass(own), mass(own)[:, 0])) for groups, own in blocks]
    for blocks_given, most, groups, added, adding in (
        (matrices(), 1, [4], [5], 4),
        (matrices(), 3, [4, 0, 2], [5, 3, 3], 4),
        (matrices(), 6, [4, 0, 2, 3, -1, -1], [5, 3, 3, 1, 0, 0], 4),
        ([], 2, [-1, -1], [0, 0], 0),
    ):
        found = largest_groups(blocks_given, [0], most)
        assert [part.tolist() for part in found] == [[[groups]], [[added]], [[adding]]]
        assert [part.dtype for part in found] == [np.int64, np.float64, np.int64]


@pytest.mark.parametrize("label", ["a", "b"])
def test_equal_pages_and_documents_stay_in_the_order_of_the_file(label):
    """In the tables, and behind a cell."""
    pages = {f"page {i}": (4, 4) for i in range(40)}
    gt = build(pages, [(page, "a", 0, 0, 4, 4) for page in pages])
    pred = build(pages, [(page, label, 0, 0, 4, 2 + i % 2) for i, page in enumerate(pages)])
    c = lcm.compare(gt, pred, documents={page: page for page in pages})
    assert c.taxonomy == ("same" if label == "a" else "different")
    half, more = list(pages)[::2], list(pages)[1::2]
    assert c.page_table()["page"].tolist() == c.document_table()["document"].tolist() == half + more
    assert c.pages_behind("a", label)["page"].tolist() == more + half


def test_largest_groups_equals_pages_behind_for_every_cell(sample, monkeypatch):
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", 5 * 12 * 12)  # four blocks of pages
    group, best, page_counts = largest_groups(page_matrices(sample.levels), range(len(sample.labels)), 3)
    for i, gt in enumerate(sample.labels):
        for j, pred in enumerate(sample.labels):
            wanted = sample.pages_behind(gt, pred)
            assert page_counts[i, j] == len(wanted)
            np.testing.assert_array_equal(best[i, j][: len(wanted)], wanted["pixels"][:3])
            found = [sample.pages[page] for page in group[i, j] if page >= 0]
            assert found == wanted["page"].tolist()[:3]


@given(arrays(float, st.tuples(st.integers(1, 4), st.integers(3, 9)), elements=st.integers(0, 3).map(float)))
@settings(max_examples=60, deadline=None)
def test_largest_columns_are_those_of_a_plain_sort(values):
    found = _largest_columns(values, 3)
    expected = [sorted(sorted(range(len(row)), key=lambda i: (-row[i], i))[:3]) for row in values.tolist()]
    assert found.tolist() == expected
