"""Families against a plain loop over samples, scikit-learn and mapped layouts, and on small examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED, Finding
from layoutcm.metrics.family_confusion import COUNTS, FamilyConfusion, FamilyMatrix, family_confusion, names_in_order
from layoutcm.metrics.family_trees import FamilyTree
from support import pixel_loop
from support.generated_pages import LABELS, layouts, page
from support.layouts import build
from support.pixel_loop import OOF, assert_counted, count_families

COUNT_HINT = "Use one of pairs, gold, pred, or None for the usual way."

# "label 4" is in no family; one family has a label that neither side has.
TREE = {"A": {"A1": ["label 0", "label 1"], "A2": ["label 2", "nowhere"]}, "B": ["label 3"]}
FAMILY = {"label 0": "A", "label 1": "A", "label 2": "A", "label 3": "B"}

label_set = st.frozensets(st.sampled_from([*LABELS]), max_size=4)
samples = st.lists(st.tuples(label_set, label_set), max_size=8)


def test_the_worked_example():
    families = {"A": ["A.1", "A.2", "A.3"], "B": ["B.1"]}
    f = lcm.label_sets_families([{"A.1", "A.3"}], [{"A.1", "A.2", "B.1"}], families)
    a, b = f.matrices["A"], f.matrices["B"]
    assert {(i, j): v for i, row in a.iterrows() for j, v in row.items() if v} == {("A.1", "A.1"): 1, ("A.3", "A.2"): 1}
    assert b.to_dict() == {"B.1": {"B.1": 0, OOF: 1}, OOF: {"B.1": 0, OOF: 0}}
    given_gt, given_pred = f.given_gt().set_index("label"), f.given_pred().set_index("label")
    assert f.given_gt().columns.tolist() == ["label", "identity", "in_family", "oof", "total", "preferred"]
    assert given_gt.loc["A.3"].tolist() == [0, 1, 0, 1, "A.2"]
    assert given_pred.loc["A.2"].tolist() == [0, 1, 0, 1, "A.3"]
    assert given_pred.loc["B.1"].tolist() == [0, 0, 1, 1, OOF]
    assert given_gt.loc["A.1"].tolist() == [1, 0, 0, 1, None]
    assert given_gt.loc["B.1", ["identity", "in_family", "oof"]].isna().all() and given_gt.loc["B.1", "total"] == 0


@pytest.mark.parametrize("other", ["b", OOF])  # a label may be named OOF
def test_a_label_is_out_of_family_if_its_family_has_only_hits(other):
    f = lcm.label_sets_families([{other, "a"}], [{"a"}], {"F": ["a", other]})
    assert f.given_gt().set_index("label").loc[other].tolist() == [0, 0, 1, 1, OOF]


@pytest.mark.parametrize("count", COUNTS)
@given(samples=samples)
@settings(max_examples=40, deadline=None)
def test_label_sets_are_equal_to_the_loop(count, samples):
    gt, pred = [pair[0] for pair in samples], [pair[1] for pair in samples]
    assert_counted(lcm.label_sets_families(gt, pred, TREE, count), count_families(samples, FAMILY, count))
    twice = lcm.label_sets_families(gt, pred, TREE, count, weights=[2] * len(gt))
    assert_counted(twice, count_families(samples * 2, FAMILY, count))


def pixel_pairs(pages):
    for (w, h), gt, pred in pages:
        gt_sets, pred_sets = (pixel_loop.pixel_sets(regions, w, h, "outer") for regions in (gt, pred))
        yield from ((frozenset(gt_sets[pixel]), frozenset(pred_sets[pixel])) for pixel in gt_sets)


def page_pairs(pages):
    for generated in pages:
        pixels = list(pixel_pairs([generated]))
        yield tuple(frozenset().union(*(pair[side] for pair in pixels)) - {"Background"} for side in (0, 1))


@pytest.mark.parametrize("count", COUNTS)
@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_both_samples_are_equal_to_the_loop_over_pixels(count, pages):
    c = lcm.compare(*layouts(pages))
    assert_counted(c.families(TREE, "pixel", count), count_families(pixel_pairs(pages), FAMILY, count))
    assert_counted(c.families(TREE, "page", count), count_families(page_pairs(pages), FAMILY, count))
    assert_counted(
        c.families(TREE, "pixel", count, page="page 0"), count_families(pixel_pairs(pages[:1]), FAMILY, count)
    )


@given(samples=samples.filter(len))
@settings(max_examples=40, deadline=None)
def test_identity_is_scikit_learns_multilabel_recall_and_precision(samples):
    y_true, y_pred = (np.array([[label in pair[k] for label in LABELS] for pair in samples], int) for k in (0, 1))
    theirs = precision_recall_fscore_support(y_true, y_pred, average=None, zero_division=np.nan)
    gt, pred = [pair[0] for pair in samples], [pair[1] for pair in samples]
    # the counts of a label add up to 1 per sample, so identity is the share of samples in which it was found
    recall = lcm.label_sets_families(gt, pred, {"all": LABELS}, "gold").given_gt().set_index("label").loc[LABELS]
    precision = lcm.label_sets_families(gt, pred, {"all": LABELS}, "pred").given_pred().set_index("label").loc[LABELS]
    np.testing.assert_allclose(precision["identity"], theirs[0], atol=1e-12)
    np.testing.assert_allclose(recall["identity"], theirs[1], atol=1e-12)
    np.testing.assert_allclose(recall["total"], y_true.sum(axis=0))
    for table in (recall, precision):
        some = table[table["total"] > 0]
        np.testing.assert_allclose(some[["identity", "in_family", "oof"]].sum(axis=1), 1)


MAPPINGS = {
    0: dict.fromkeys(LABELS, "Content"),
    1: FAMILY,
    2: {"label 0": "A1", "label 1": "A1", "label 2": "A2"},
    3: {},
}


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@given(pages=st.lists(page, min_size=1, max_size=2), depth=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_the_matrix_at_a_depth_is_that_of_layouts_mapped_to_their_families(method, pages, depth):
    gt, pred = layouts(pages)
    mapping = {"gt": MAPPINGS[depth], "pred": MAPPINGS[depth]}
    expected = lcm.compare(gt, pred, mapping=mapping, taxonomy="same").confusion(method=method)
    c = lcm.compare(gt, pred)
    m = c.confusion(method=method, families=TREE, depth=depth)
    assert m.labels == expected.labels
    np.testing.assert_allclose(m.recall_mass, expected.recall_mass, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(m.precision_mass, expected.precision_mass, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(m.pred_pixels, expected.pred_pixels)
    if depth == 3:
        np.testing.assert_allclose(m.values, c.confusion(method=method).values, rtol=1e-9, atol=1e-9)


def test_single_families_can_be_expanded(two_pages):
    c = lcm.compare(*two_pages)
    tree = {"Text": {"Headings": ["title"], "Body": ["paragraph", "list_item"]}, "Floats": ["picture", "table"]}
    names = lambda **choice: c.confusion(families=tree, **choice).labels[1:]
    assert names() == ["Text", "Floats", "caption"]
    assert names(expanded=["Text"]) == ["Headings", "Body", "Floats", "caption"]
    assert names(expanded=["Text", "Body"]) == ["Headings", "paragraph", "list_item", "Floats", "caption"]
    assert names(expanded=["Floats"]) == ["Text", "picture", "table", "caption"]
    assert names(depth=2) == ["Headings", "Body", "picture", "table", "caption"]
    assert "families:2 given|depth:1|expanded:Text|" in c.confusion(families=tree, expanded=["Text"]).recipe
    with pytest.raises(lcm.InputError, match="there is no family 'Nope'"):
        names(expanded=["Nope"])


def test_more_labels_than_bits_of_a_word():
    names = [f"n{i}" for i in range(150)]
    strips = [("p", name, 2 * i, 0, 2 * i + 2, 10) for i, name in enumerate(names)]
    shifted = [("p", names[i - i % 2], *row[2:]) for i, row in enumerate(strips)]
    c = lcm.compare(build({"p": (300, 10)}, strips, names), build({"p": (300, 10)}, shifted, names))
    f = c.families({"low": names[:100], "high": names[100:]})
    given_gt = f.given_gt().set_index("label")
    assert given_gt.loc["n149"].tolist() == [0, 1, 0, 20, "n148"] and given_gt.loc["n148", "identity"] == 1
    assert f.shares() == {"identity": 0.5, "in_family": 0.5, "oof": 0}
    m = c.confusion(families={"low": names[:100], "high": names[100:]})
    np.testing.assert_array_equal(m.values, [[0, 0, 0], [0, 2000, 0], [0, 0, 1000]])


def test_shares_of_all_labels_together(two_pages):
    f = lcm.compare(*two_pages).families({"Text": ["title", "paragraph", "list_item", "caption"]})
    # gt labels: 450 pixels; 80 + 80 + 80 + 40 are correct, 80 in family, the rest out of family
    assert f.shares() == pytest.approx({"identity": 280 / 450, "in_family": 80 / 450, "oof": 90 / 450})
    assert f.shares(background=True)["identity"] == pytest.approx(310 / 500)
    assert f.shares(PRED) == pytest.approx({"identity": 280 / 540, "in_family": 80 / 540, "oof": 180 / 540})


def test_no_samples_and_empty_pages():
    f = lcm.label_sets_families([], [], {"A": ["a"]})
    assert f.matrices["A"].to_numpy().tolist() == [[0, 0], [0, 0]]
    assert f.given_gt()["identity"].isna().all() and np.isnan(f.shares()["oof"])
    empty = lcm.compare(build({"p": (5, 5)}, []), build({"p": (5, 5)}, []))
    assert empty.families({}).given_gt()["label"].tolist() == ["Background"]
    assert empty.families({}, "page").matrices == {} and len(empty.families({}, "page").given_gt()) == 0


def test_label_sets_with_a_built_in_tree():
    f = lcm.label_sets_families([{"title"}, {"text", "list"}], [{"text"}, {"list"}], "publaynet", depth=9)
    assert f.tree == FamilyTree(
        "publaynet", {"title": ("Text", "Headings"), "text": ("Text", "Body"), "list": ("Text", "Body")}
    )
    assert {name: table.to_numpy().tolist() for name, table in f.matrices.items()} == {
        "Headings": [[0, 1], [0, 0]],
        "Body": [[0, 0, 1], [0, 1, 0], [1, 0, 0]],
    }
    assert f.findings == (Finding("depth-beyond-tree", values={"depth": 9, "used": 2}),)
    assert (f.sample, f.count, f.depth, f.recipe) == ("set", None, 2, "")
    assert repr(f) == "<FamilyConfusion of 2 families, set samples, counted by side>"


def test_the_same_sets_may_have_different_weights():
    f = lcm.label_sets_families([{"a"}, {"b"}, {"a"}], [{"b"}, {"b"}, {"b"}], {"F": ["a", "b"]}, weights=[0.5, 2, 3])
    assert f.matrices["F"].to_numpy().tolist() == [[0, 3.5, 0], [0, 2, 0], [0, 0, 0]]
    assert lcm.label_sets_families([{"a"}], [{"b"}], {"F": ["a", "b"]}, "gold").count == "gold"


def test_families_of_pair_counts_with_a_built_in_tree(two_pages):
    c = lcm.compare(*two_pages)
    f = family_confusion(c.counts(), True, "docling", "page", "gold", 1)
    assert list(f.tree.paths) == ["title", "paragraph", "list_item", "caption", "picture", "table"]
    assert (f.sample, f.count, f.depth, f.findings, f.recipe) == ("page", "gold", 1, (), "")
    # p1: title, paragraph and picture are found, list_item is not, table is extra; p2: table is found, caption is extra
    assert f.matrices["Floats"].to_numpy().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    given_pred = f.given_pred().set_index("label")
    assert given_pred.loc["table"].tolist() == [0.5, 0, 0.5, 2, OOF]
    assert given_pred.loc["caption"].tolist() == [0, 0, 1, 1, OOF]


@pytest.mark.parametrize(
    ("gt", "pred", "common"),
    [(["a", "b"], ["b", "c"], True), (["a"], ["b"], False), (["Background", "a"], ["Background", "b"], False)],
)
def test_a_prediction_can_be_correct_if_a_family_has_a_common_label(gt, pred, common):
    labels = tuple(dict.fromkeys((*gt, *pred)))
    places = tuple(map(labels.index, gt)), tuple(map(labels.index, pred))
    matrix = FamilyMatrix("F", labels, places, np.zeros((len(gt) + 1, len(pred) + 1)))
    assert FamilyConfusion((matrix,), ((), ()), FamilyTree("", {}), "pixel", "pairs", 1).common_labels is common


@pytest.mark.parametrize(("depth", "expanded", "names"), [
    (0, [], ["Content"]), (1, [], ["A", "B", "d"]), (1, ["A"], ["X", "c", "B", "d"]),
    (2, [], ["A / X", "c", "B / X", "d"]), (3, [], ["a", "c", "b", "d"]),
])  # fmt: skip
def test_names_are_in_the_order_of_the_tree(depth, expanded, names):
    tree = FamilyTree("", {"a": ("A", "X"), "unused": ("A", "Y"), "c": ("A",), "b": ("B", "X")})
    assert names_in_order(["d", "b", "a", "c"], tree, depth, expanded) == names


NAMES = "Give a set of names."
sets = lcm.label_sets_families


@pytest.mark.parametrize(("call", "place", "problem", "hint"), [
    (lambda c: c.families({}, sample="word"), "sample", "'word' is not known", "Use one of pixel, page."),
    (lambda c: c.families({}, count="all"), "count", "'all' is not known", COUNT_HINT),
    (lambda c: c.families({}, depth=0), "depth", "0 is not a depth", "Use a whole number of 1 or more."),
    (lambda c: c.families({}, depth="1"), "depth", "'1' is not a depth", "Use a whole number of 1 or more."),
    (lambda c: c.families({}, depth=True), "depth", "True is not a depth", "Use a whole number of 1 or more."),
    (lambda c: c.confusion(families={}, depth=-1), "depth", "-1 is not a depth",
     "Use a whole number of 0 or more."),
    (lambda c: sets(["ab"], [{"a"}], {}), "gt_sets[0]", "'ab' is not a set of labels", NAMES),
    (lambda c: sets([{"a"}, 3], [{"a"}], {}), "gt_sets[1]", "3 is not a set of labels", NAMES),
    (lambda c: sets([{"a"}], [["a", 1, 2]], {}), "pred_sets[0]", "1 is not a label's name", NAMES),
    (lambda c: sets([{"a"}], [], {}), "gt_sets, pred_sets", "1 and 0 samples",
     "Give one gt set and one pred set per sample."),
    (lambda c: sets([{"a"}], [{"a"}], {}, weights=[-1]), "weights",
     "must be 1 finite numbers of 0 or more, one per sample", "Correct the weights."),
    (lambda c: sets([], [], {}, "x"), "count", "'x' is not known", COUNT_HINT),
    (lambda c: sets([], [], {}, depth=0), "depth", "0 is not a depth", "Use a whole number of 1 or more."),
])  # fmt: skip
def test_wrong_arguments_are_named(call, place, problem, hint, two_pages):
    with pytest.raises(lcm.InputError) as caught:
        call(lcm.compare(*two_pages))
    assert caught.value.args == ("", place, problem, hint)


def test_shares_are_shares_of_pixels():
    """gt has A everywhere; pred has A on the left half, and B and C together on the right half."""
    gt = build({"p": (10, 10)}, [("p", "A", 0, 0, 10, 10)], "ABC")
    pred = build({"p": (10, 10)}, [("p", "A", 0, 0, 5, 10), ("p", "B", 5, 0, 10, 10), ("p", "C", 5, 0, 10, 10)], "ABC")
    c = lcm.compare(gt, pred)
    f = c.families({"F": ["A", "B", "C"]})
    assert f.shares(GT) == {"identity": 0.5, "in_family": 0.5, "oof": 0}
    assert f.given_gt().set_index("label").loc["A", ["identity", "total"]].tolist() == [0.5, 100]
    # 150 label pixels of pred: 50 of A are right, 50 of B and 50 of C are in the family.
    assert f.shares(PRED) == pytest.approx({"identity": 1 / 3, "in_family": 2 / 3, "oof": 0})
    assert f.matrices["F"].loc["A"].tolist() == [50, 50, 50, 0]  # the pairs
    assert c.families({"F": ["A", "B", "C"]}, count="pairs").shares(GT)["identity"] == pytest.approx(1 / 3)
    assert "count:by side" in f.recipe
