"""The whole text of every error of matrices, scores, levels and intervals."""

import pytest

import layoutcm as lcm
from layoutcm.metrics.confusion import sample_weights
from support.layouts import build

nan = float("nan")
sets = lcm.label_sets_confusion


def without_regions(sizes):
    layout = build(sizes, [])
    return lcm.compare(layout, layout)


THREE_PAGES = without_regions({"x/a.png": (5, 5), "y/b.png": (5, 5), "z/b.png": (5, 5)})
LARGER_PAGE = without_regions({"x/a.png": (5, 5), "y/b.png": (5, 5), "z/b.png": (5, 6)})
NO_PAGES = without_regions({})
NO_RESAMPLES = "is not a number of resamples. Use 1 to 100,000."
NO_LEVEL = "is not a share between 0 and 1. Use one such as 0.95."
NOT_SQUARE = "must be square. Give float64[gt, pred]."
NO_NUMBERS = "these are not numbers: could not convert string to float: 'x'. Give an array of numbers."
NO_BACKGROUND = "the set is empty and there is no background. Name a background."
NOTHING_TO_COLLAPSE = "the matrix has no Background. Give a background label."
ONE_OF_EACH = "Give one gt set and one pred set per sample."
WEIGHTS = "finite numbers of 0 or more, one per sample. Correct the weights."
NO_DOCUMENT = "document: there is no document 'c'."
METHODS = "is not known. Use one of matrix, tensor."
AVERAGES = "is not known. Use one of micro, macro, weighted."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sets([None], ["a"], "a"), "gt_sets[0]: None is not a set of labels. Give a set of names."),
        (lambda: sets(["a"], [5], "a"), "pred_sets[0]: 5 is not a set of labels. Give a set of names."),
        (lambda: sets(["a", "z"], ["a", "a"], "ab"), "gt_sets[1]: the label 'z' is not in labels. Add it there."),
        (lambda: sets(["a"], ["ayz"], "ab"), "pred_sets[0]: the label 'y' is not in labels. Add it there."),
        (lambda: sets(["a"], [""], "ab", background=None), f"pred_sets[0]: {NO_BACKGROUND}"),
        (lambda: sets(["a"], ["a", "b"], "ab"), f"gt_sets, pred_sets: 1 and 2 samples. {ONE_OF_EACH}"),
        (lambda: sets(["a"], ["a"], "a", weights=["x"]), f"weights: {NO_NUMBERS}"),
        (lambda: sets(["a"], ["a"], "ab", weights=[1, 2]), f"weights: must be 1 {WEIGHTS}"),
        (lambda: sets(["a"], ["a"], "a", weights=[-1]), f"weights: must be 1 {WEIGHTS}"),
        (lambda: sets(["a"], ["a"], "a", method="mean"), f"method: 'mean' {METHODS}"),
        (lambda: sets(["a"], ["a"], "a", background=None).collapse(), f"collapse: {NOTHING_TO_COLLAPSE}"),
        (lambda: lcm.averages([[1, 2]], "micro"), f"matrix: the shape is (1, 2), {NOT_SQUARE}"),
        (lambda: lcm.accuracy([[1, 2]]), f"matrix: the shape is (1, 2), {NOT_SQUARE}"),
        (lambda: lcm.accuracy([1]), f"matrix: the shape is (1,), {NOT_SQUARE}"),
        (lambda: lcm.accuracy([[[1]]]), f"matrix: the shape is (1, 1, 1), {NOT_SQUARE}"),
        (lambda: lcm.averages([["x"]], "micro"), f"matrix: {NO_NUMBERS}"),
        (lambda: lcm.averages([[1]], "median"), f"average: 'median' {AVERAGES}"),
    ],
)
def test_errors_of_matrices_and_scores(call, message):
    assert message_of(call) == message


def message_of(call):
    """The text of the error that the call raises; no file is named."""
    with pytest.raises(lcm.InputError) as caught:
        call()
    assert caught.value.file == ""
    return str(caught.value)


@pytest.mark.parametrize("matrix", [[[-1]], [[nan]], [[float("inf")]]])
def test_a_matrix_has_finite_counts(matrix):
    message = "matrix: all values must be finite and 0 or more. Give counts, not shares with n/a."
    assert message_of(lambda: lcm.accuracy(matrix)) == message


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [[1, 2]], [1, -1], [1, nan], [1, float("inf")]])
def test_there_is_one_finite_weight_per_sample(weights):
    assert message_of(lambda: sample_weights(2, 2, weights)) == f"weights: must be 2 {WEIGHTS}"
    assert sample_weights(2, 2, [0, 1.5]).tolist() == [0, 1.5] and sample_weights(2, 2, None).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: THREE_PAGES.confusion(page=0), "page: 0 is not a page's name. Page names are like 'x/a.png'."),
        (lambda: NO_PAGES.confusion(page=0), "page: 0 is not a page's name. There are no pages."),
        (lambda: THREE_PAGES.confusion(page="b"), "page: 'b' fits 2 pages. Page names are like 'x/a.png'."),
        (lambda: THREE_PAGES.confusion(page="c"), "page: there is no page 'c'. Page names are like 'x/a.png'."),
        (lambda: NO_PAGES.confusion(page="c"), "page: there is no page 'c'. There are no pages."),
        (lambda: THREE_PAGES.confusion(document="c"), f"{NO_DOCUMENT} Document names are like 'x/a.png'."),
        (lambda: NO_PAGES.confusion(document="c"), f"{NO_DOCUMENT} There are no pages."),
        (
            lambda: THREE_PAGES.confusion(page="a", document="a"),
            "page, document: both are given. Give a page or a document, not both.",
        ),
        (lambda: THREE_PAGES.average(over="files"), "over: 'files' is not known. Use one of pixels, pages, documents."),
        (lambda: THREE_PAGES.average("median", over="pages"), f"average: 'median' {AVERAGES}"),
    ],
)
def test_errors_of_levels(call, message):
    assert message_of(call) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, f"n: 0 {NO_RESAMPLES}"),
        ({"n": 100_001}, f"n: 100001 {NO_RESAMPLES}"),
        ({"n": True}, f"n: True {NO_RESAMPLES}"),
        ({"n": 1.5}, f"n: 1.5 {NO_RESAMPLES}"),
        ({"seed": -1}, "seed: -1 is not a seed. Use a whole number of 0 or more."),
        ({"seed": 0.5}, "seed: 0.5 is not a seed. Use a whole number of 0 or more."),
        ({"level": 0}, f"level: 0 {NO_LEVEL}"),
        ({"level": 1}, f"level: 1 {NO_LEVEL}"),
        ({"level": 95}, f"level: 95 {NO_LEVEL}"),
        ({"level": "0.9"}, f"level: '0.9' {NO_LEVEL}"),
        ({"method": "median"}, f"method: 'median' {METHODS}"),
    ],
)
def test_errors_of_intervals(options, message):
    for call in (THREE_PAGES.bootstrap, lambda **given: lcm.difference(THREE_PAGES, THREE_PAGES, **given)):
        assert message_of(lambda call=call: call(**options)) == message


ONE_GT = "Compare both predictions with the same gt, the same rounding and the same mapping of gt."


def test_a_difference_names_the_first_gt_page_with_another_size():
    sizes = "is 5 x 5 in one comparison and 5 x 6 in the other. Compare both predictions with the same gt."
    assert message_of(lambda: lcm.difference(THREE_PAGES, LARGER_PAGE, 1)) == f"c_a, c_b: gt page 'z/b.png' {sizes}"
    pages = [{"a": (5, 5), "b": (5, 5)}, {"a": (5, 5), "b": (5, 6)}]
    in_one_document = [lcm.compare(build(own, []), build(own, []), documents=dict.fromkeys(own, "d")) for own in pages]
    assert message_of(lambda: lcm.difference(*in_one_document, 1)) == f"c_a, c_b: gt page 'b' {sizes}"


def test_labels_of_one_comparison_are_skipped_and_the_next_label_is_checked():
    page = {"p": (10, 10)}
    both = [build(page, [("p", label, 0, 0, 10, 5)], labels) for label, labels in (("a", "za"), ("c", "ac"))]
    assert message_of(lambda: lcm.difference(*(lcm.compare(gt, gt) for gt in both), 1)) == (
        f"c_a, c_b: on page 'p', a has 50 gt pixels in one comparison and 0 in the other. {ONE_GT}"
    )


def test_a_single_pixel_of_a_large_page_makes_another_gt():
    """b is on the whole page in both comparisons, and a on all of its pixels but one in the second."""
    page = {"p": (2000, 1000)}
    whole, most = ("p", "a", 0, 0, 2000, 1000), [("p", "a", 0, 0, 2000, 999), ("p", "a", 0, 999, 1999, 1000)]
    both = [build(page, [*rows, ("p", "b", 0, 0, 2000, 1000)]) for rows in ([whole], most)]
    assert message_of(lambda: lcm.difference(*(lcm.compare(gt, gt) for gt in both), 1)) == (
        "c_a, c_b: on page 'p', a has 2,000,000 gt pixels in one comparison and 1,999,999 in the other. " + ONE_GT
    )
