"""Pixels under ignore regions of gt are no samples: a loop that skips them gives the same numbers."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.model import CocoFacts
from layoutcm.layouts.shapes import Outline
from layoutcm.verification.recount import verify
from support import pixel_loop
from support.layouts import build, with_shapes
from support.pixel_loop import LABELS, assert_counted, count_families, score_map, scores_of_pairs

AVERAGES = ["micro", "macro", "weighted", "samples", None]
quarters = st.integers(-8, 40).map(lambda n: n / 4)
# The last value: how the region is marked in gt.
region = st.tuples(
    st.sampled_from(LABELS), quarters, quarters, quarters, quarters, st.sampled_from(["", "", "ignore", "crowd"])
)
page = st.tuples(
    st.tuples(st.integers(1, 8), st.integers(1, 8)), st.lists(region, max_size=6), st.lists(region, max_size=6)
)
pages = st.lists(page, min_size=1, max_size=3)


def layouts(generated, labels=LABELS):
    """gt and pred of pages [(size, gt regions, pred regions)]; both have the marks, which only gt may use."""
    sizes = {f"page {i}": size for i, (size, _, _) in enumerate(generated)}
    sides = []
    for k in (1, 2):
        rows = [(f"page {i}", *one[:5]) for i, sides_of_page in enumerate(generated) for one in sides_of_page[k]]
        marks = [one[5] for sides_of_page in generated for one in sides_of_page[k]]
        sides.append(marked(build(sizes, rows, labels), rows, marks))
    return sides


def marked(layout, rows, marks):
    """The layout with ignore and crowd flags; `build` drops boxes with inverted corners."""
    kept = [mark for row, mark in zip(rows, marks) if row[2] <= row[4] and row[3] <= row[5]]
    n = len(layout.region_columns)
    assert n == len(kept)
    facts = CocoFacts(np.array([mark == "crowd" for mark in kept], bool), np.full(n, np.nan), np.full((n, 2), np.nan))
    regions = replace(layout.region_columns, ignore=np.array([mark == "ignore" for mark in kept], bool), coco=facts)
    return replace(layout, region_columns=regions)


def judged_pixels(generated, rounding, hides=lambda one: one[5] != ""):
    """For each page {pixel: (gt set, pred set)}, without those under marked regions of gt; and the number of these."""
    sets, ignored = [], 0
    for size, gt, pred in generated:
        hidden = pixel_loop.pixel_sets([one[:5] for one in gt if hides(one)], *size, rounding)
        gt_sets = pixel_loop.pixel_sets([one[:5] for one in gt if not hides(one)], *size, rounding)
        pred_sets = pixel_loop.pixel_sets([one[:5] for one in pred], *size, rounding)
        judged = [pixel for pixel, labels in hidden.items() if labels == {"Background"}]
        ignored += len(hidden) - len(judged)
        sets.append({pixel: (frozenset(gt_sets[pixel]), frozenset(pred_sets[pixel])) for pixel in judged})
    return sets, ignored


def pair_table(counts):
    pairs = zip(counts.sets(0), counts.sets(1), counts.pixels)
    table = Counter()
    for gt, pred, pixels in pairs:
        table[gt, pred] += pixels
    return table


@settings(max_examples=60, deadline=None)
@given(pages, st.sampled_from(["outer", "nearest"]))
def test_everything_equals_a_loop_that_skips_ignored_pixels(generated, rounding):
    gt, pred = layouts(generated)
    c = lcm.compare(gt, pred, rounding=rounding, taxonomy="same")
    sets, ignored = judged_pixels(generated, rounding)
    assert pair_table(c.all_counts) == Counter(pair for page in sets for pair in page.values())
    assert (c.pixels, c.ignored_pixels) == (sum(map(len, sets)), ignored)
    for method, pixel in (("matrix", pixel_loop.contribution), ("tensor", None)):
        pixel = pixel or (lambda gt, pred: pixel_loop.tensor_contributions(gt, pred)[0])
        expected = np.zeros((4, 4))
        for one in sets:
            gt_sets, pred_sets = ({at: pair[k] for at, pair in one.items()} for k in (0, 1))
            expected += pixel_loop.matrix(gt_sets, pred_sets, ["Background", *LABELS], pixel)
        np.testing.assert_allclose(c.confusion(method=method).recall_mass, expected)
    content = [sum({"Background"} != pair[k] for page in sets for pair in page.values()) for k in (0, 1)]
    both = sum({"Background"} not in pair for page in sets for pair in page.values())
    found = c.content()
    assert [found["recall"], found["precision"]] == pytest.approx(
        [both / n if n else np.nan for n in content], nan_ok=True
    )
    table = c.page_table().set_index("page")["pixels"]
    assert [table[f"page {i}"] for i in range(len(sets))] == [len(one) for one in sets]
    assert [f.count for f in c.findings if f.code == "ignored-pixels"] == ([ignored] if ignored else [])


@pytest.mark.parametrize("count", ["pairs", "gold", "pred"])
@settings(max_examples=30, deadline=None)
@given(generated=pages)
def test_families_of_pixels_and_of_pages_are_those_of_the_judged_pixels(generated, count):
    tree, family = {"A": ["a", "b"], "C": ["c"]}, {"a": "A", "b": "A", "c": "C"}
    c = lcm.compare(*layouts(generated), taxonomy="same")
    sets = [list(page.values()) for page in judged_pixels(generated, "outer")[0]]
    assert_counted(
        c.families(tree, "pixel", count), count_families([pair for page in sets for pair in page], family, count)
    )
    on_pages = [tuple(frozenset().union(*(pair[k] for pair in page)) - {"Background"} for k in (0, 1)) for page in sets]
    assert_counted(c.families(tree, "page", count), count_families(on_pages, family, count))


@settings(max_examples=30, deadline=None)
@given(pages)
def test_tiles_of_a_page_have_the_same_pairs_and_one_for_pixels_that_are_not_judged(generated):
    gt, pred = layouts(generated)
    c = lcm.compare(gt, pred, taxonomy="same")
    sets, _ = judged_pixels(generated, "outer")
    for name, expected, (size, _, _) in zip(c.pages, sets, generated):
        tiles = c.page_tiles(name)
        empty = ~tiles.pairs.words.any(axis=1)
        assert pair_table(tiles.pairs.select(~empty)) == Counter(expected.values())
        assert empty.sum() <= 1 and tiles.pairs.pixels.sum() == size[0] * size[1]
        assert (tiles.agreement() == 5).tolist() == empty.tolist()
        matrix = sum(
            tiles.share_of((i, j)) @ tiles.pairs.pixels * np.eye(16)[4 * i + j] for i in range(4) for j in range(4)
        )
        np.testing.assert_allclose(matrix.reshape(4, 4), c.confusion(page=name).recall_mass)


@settings(max_examples=30, deadline=None)
@given(pages, st.sampled_from(["outer", "nearest", "exact"]), st.booleans())
def test_soft_scores_of_regions_without_scores_are_those_of_the_judged_pixels(generated, rounding, outlines):
    """Without scores soft precision and recall of a label are shares of pixels; `exact` against verification."""
    gt, pred = layouts(generated)
    if outlines:
        gt, pred = with_outlines(gt), with_outlines(pred)
    c = lcm.compare(gt, pred, rounding=rounding, taxonomy="same")
    counts, found = c.all_counts, c.soft(average=None)
    for k, label in enumerate(LABELS):
        in_gt, in_pred = (np.array([label in labels for labels in counts.sets(side)], bool) for side in (0, 1))
        both, *alone = (counts.pixels[rows].sum() for rows in (in_gt & in_pred, in_pred, in_gt))
        expected = [both / n if n else np.nan for n in alone]
        assert [found["precision"][k], found["recall"][k]] == pytest.approx(expected, nan_ok=True, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    pages, st.lists(st.sampled_from([0.0, 0.125, 0.5, 0.9, 1.0]), min_size=40, max_size=40), st.sampled_from(AVERAGES)
)
def test_soft_scores_with_scores_equal_maps_of_the_judged_pixels(generated, scores, average):
    gt, pred = layouts(generated)
    given = iter(scores)
    scored = [[[(*one[:5], next(given)) for one in sides[k]] for _, *sides in generated] for k in (0, 1)]
    layouts_with_scores = []
    for layout, side in zip((gt, pred), scored):
        kept = [one[5] for page in side for one in page if one[1] <= one[3] and one[2] <= one[4]]
        regions = replace(layout.region_columns, scores=np.array(kept, float))
        layouts_with_scores.append(replace(layout, region_columns=regions))
    c = lcm.compare(*layouts_with_scores, taxonomy="same")
    pairs = []
    for i, (size, marked_gt, _) in enumerate(generated):
        hidden = pixel_loop.pixel_sets([one[:5] for one in marked_gt if one[5]], *size, "outer")
        judged = [one for one, (*_, mark) in zip(scored[0][i], marked_gt) if not mark]
        maps = [score_map(side, *size, "outer") for side in (judged, scored[1][i])]
        for x, y in (pixel for pixel, labels in hidden.items() if labels != {"Background"}):
            maps[0][:, y, x] = maps[1][:, y, x] = 0  # a pixel without scores adds nothing to any sum
        pairs.append(maps)
    found = c.soft(average, beta=2.0)
    expected = scores_of_pairs(pairs, average, 2.0)
    np.testing.assert_allclose(
        [found[name] for name in ("precision", "recall", "f_beta", "dice")], expected, rtol=1e-9, atol=1e-9
    )


def with_outlines(layout):
    """Every second box as an outline of the same four corners and one point more inside it."""
    shapes = {
        i: Outline((np.array([[x0, y0], [x1, y0], [(x0 + x1) / 2, (y0 + y1) / 2], [x1, y1], [x0, y1]]),))
        for i, (x0, y0, x1, y1) in enumerate(layout.region_columns.boxes.tolist())
        if i % 2 == 0 and x0 < x1 and y0 < y1
    }
    return with_shapes(layout, shapes)


@settings(max_examples=20, deadline=None)
@given(pages, st.sampled_from(["outer", "nearest", "exact"]), st.sampled_from(LABELS))
def test_verification_recounts_outlines_roundings_and_mapped_labels(generated, rounding, mapped):
    gt, pred = (with_outlines(side) for side in layouts(generated))
    c = lcm.compare(gt, pred, rounding=rounding, taxonomy="same", mapping={"gt": {mapped: "Ignore"}})
    assert mapped not in c.alignment.layouts[0].labels and "Ignore" not in c.labels
    assert verify(c).agrees


@settings(max_examples=20, deadline=None)
@given(pages, st.sampled_from(LABELS))
def test_a_label_of_gt_mapped_to_ignore_hides_its_pixels_and_is_no_object(generated, mapped):
    gt, pred = layouts([(size, [(*one[:5], "") for one in gt], pred) for size, gt, pred in generated])
    c = lcm.compare(gt, pred, taxonomy="same", mapping={"gt": {mapped: "ignore"}})
    sets, ignored = judged_pixels(generated, "outer", hides=lambda one: one[0] == mapped)
    assert pair_table(c.all_counts) == Counter(pair for page in sets for pair in page.values())
    kept = [row for row, label in enumerate(gt.regions["label"]) if label != mapped]
    assert c.objects().sides[0].row.tolist() == kept and c.ignored_pixels == ignored
    assert mapped not in c.alignment.layouts[0].labels


def test_a_label_of_pred_mapped_to_ignore_is_dropped():
    sizes = {"p": (10, 10)}
    gt, pred = build(sizes, [("p", "a", 0, 0, 5, 5)]), build(sizes, [("p", "a", 0, 0, 5, 5), ("p", "b", 0, 0, 9, 9)])
    c = lcm.compare(gt, pred, mapping={"pred": {"b": "Ignore"}})
    assert c.labels == ["Background", "a"] and c.average("micro")["f1"] == 1 and c.ignored_pixels == 0
    assert [f.message for f in c.findings if f.code == "ignored-pred"] == [
        "x: 1 region is mapped to Ignore and is left out."
    ]
    assert c.objects().sides[1].row.tolist() == [0]


def test_a_page_whose_only_table_is_not_judged_has_no_recall_of_tables():
    gt, pred = layouts([((10, 10), [("a", 0, 0, 5, 10, "ignore")], [])])
    c = lcm.compare(gt, pred, taxonomy="same")
    classes = c.confusion().classes().set_index("label")
    assert np.isnan(classes.loc["a", "recall"]) and c.pixels == c.ignored_pixels == 50
    assert c.objects().gt_counts.tolist() == [1, 0, 0]  # COCO knows only crowds


@pytest.mark.parametrize("n_labels", [3, 62, 63, 64, 127, 128])
def test_the_mark_may_need_a_word_of_its_own(n_labels):
    """Label sets of 64 bits: Background, the labels, and the mark."""
    labels = [f"label {i}" for i in range(n_labels)]
    generated = [
        ((9, 4), [(labels[-1], 0, 0, 9, 2, ""), (labels[0], 0, 0, 3, 4, "ignore")], [(labels[-1], 0, 0, 9, 4, "")])
    ]
    gt, pred = layouts(generated, labels)
    c = lcm.compare(gt, pred)
    last, nothing = frozenset([labels[-1]]), frozenset(["Background"])
    assert pair_table(c.all_counts) == {(last, last): 12, (nothing, last): 12} and c.ignored_pixels == 12
    tiles = c.page_tiles("page 0")
    assert sorted(tiles.pairs.pixels.tolist()) == [12, 12, 12] and tiles.agreement().tolist().count(5) == 1


def test_ignored_outlines_on_a_page_without_other_shapes():
    """A triangle of gt over half of a page is not judged."""
    rows = [("p", "a", 0, 0, 8, 8)]
    triangle = Outline((np.array([[0, 0], [8, 0], [0, 8]], float),))
    gt = with_shapes(marked(build({"p": (8, 8)}, rows), rows, ["ignore"]), {0: triangle})
    pred = build({"p": (8, 8)}, [("p", "a", 0, 0, 8, 8, 0.5)])
    c = lcm.compare(gt, pred)
    inside = sum(x + 0.5 + y + 0.5 <= 8 for x in range(8) for y in range(8))
    assert c.ignored_pixels in (inside, inside - 8) and c.pixels == 64 - c.ignored_pixels
    assert c.soft(average="micro")["precision"] == 0 and verify(c).agrees


def pixels_of(comparison, label):
    """Pixels of gt and recall of a label."""
    classes = comparison.confusion().classes().set_index("label")
    return classes.loc[label, "gt_pixels"], classes.loc[label, "recall"]


def test_only_what_a_mapping_calls_ignore_is_not_judged():
    """A label whose own name is Ignore is a label like any other, also beside a mapping of other labels."""
    rows = [("p", "Ignore", 0, 0, 5, 5), ("p", "Text", 5, 5, 9, 9), ("p", "Noise", 0, 9, 9, 10)]
    layout = build({"p": (10, 10)}, rows)
    c = lcm.compare(layout, layout, mapping={"gt": {"Text": "Paragraph"}, "pred": {"Text": "Paragraph"}})
    assert c.ignored_pixels == 0 and pixels_of(c, "Ignore") == (25, 1)
    assert [len(rows) for rows in c.alignment.mapped.rows] == [3, 3]
    c = lcm.compare(layout, build({"p": (10, 10)}, [("p", "ignore", 0, 0, 5, 5)]), taxonomy="match-names")
    assert pixels_of(c, "Ignore") == (25, 1) and len(c.alignment.mapped.rows[1]) == 1
    c = lcm.compare(layout, layout, mapping={"gt": {"Noise": "ignore"}})
    assert c.ignored_pixels == 9 and [len(rows) for rows in c.alignment.mapped.rows] == [2, 3]
    assert "ignored_labels:1" in c.recipe and "mapped_labels" not in c.recipe and "taxonomy:same" in c.recipe


def test_the_counts_of_a_page_have_its_own_ignored_pixels():
    generated = [((4, 4), [("a", 0, 0, 2, 2, "ignore")], []), ((4, 4), [("a", 0, 0, 3, 1, "ignore")], [])]
    c = lcm.compare(*layouts(generated))
    assert [c.counts(page=page).ignored_total for page in c.pages] == [4, 3] and c.counts().ignored_total == 7
    assert c.counts(page="page 1").merged().ignored_total == 3
