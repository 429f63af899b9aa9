"""One result: written and read back, from parts and from an Evaluator it is the same value."""

import random

import pytest

import layoutcm as lcm
from layoutcm.results.result import Result
from support.layouts import build
from support.parts import compared

TRUTHS = [True, True, True, False]


def random_layout(rng, pages, labels, scored, name):
    """A layout of small pages in documents of two, with boxes of the labels."""
    sizes = {f"page {k}": (20, 20) for k in range(pages)}
    rows = []
    for page in sizes:
        for _ in range(rng.randrange(6)):
            x, y = rng.randrange(16), rng.randrange(16)
            box = (x, y, x + rng.randrange(1, 9), y + rng.randrange(1, 9))
            rows.append((page, rng.choice(labels), *box, *([rng.randrange(1, 10) / 10] if scored else [])))
    return build(sizes, rows, labels, name, {page: f"document {k // 2}" for k, page in enumerate(sizes)})


def random_pair(seed):
    """Two layouts and options: same, different or mapped labels, with and without scores, documents, truth, ignore."""
    rng, kind = random.Random(seed), seed % 3
    options = {"truth": TRUTHS[seed % 4], "rounding": ("outer", "nearest", "exact")[seed % 5 % 3]}
    mapping = {"pred": {"u": "a", "v": "b", "w": "c"}} if kind == 2 else {}
    mapping |= {"gt": {"c": "Ignore"}} if seed % 7 == 0 else {}
    options |= {"mapping": mapping} if mapping else {}
    options |= {"missing_pages": "ignore"} if seed % 2 else {}
    pages = rng.randrange(1, 16)
    gt = random_layout(rng, pages, "abc", False, "gt")
    return gt, random_layout(rng, pages, ("abc", "xyz", "uvw")[kind], seed % 5 > 1, "pred"), options


def asked_of(seed, compared):
    extra = {"slices": True, "families": {"one": ["a", "b"], "two": ["x", "u"]}} if compared.has_truth else {}
    return {"why": compared.has_truth and seed % 2 == 0, "per_page": seed % 3 == 0, **(extra if seed % 4 == 0 else {})}


def differing_fields(one, other):
    return [name for name in Result.__struct_fields__ if getattr(one, name) != getattr(other, name)]


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("block", range(10))
def test_a_result_that_is_read_back_is_equal_field_by_field(block, method):
    """200 pairs in all."""
    for seed in range(10 * block, 10 * block + 10):
        *layouts, options = random_pair(seed)
        found = lcm.compare(*layouts, **options)
        result = found.result(method, **asked_of(seed, found))
        again = lcm.load_result(result.to_json())
        assert differing_fields(again, result) == [], seed
        assert again == result and again.to_json() == result.to_json()


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_an_evaluator_has_the_same_result(seed):
    gt, pred, _ = random_pair(seed)
    e = lcm.Evaluator(list(gt.labels), pred_labels=list(pred.labels), name=pred.name)
    regions = lambda layout, page: layout.regions[layout.regions["page"] == page].to_dict("records")
    for row in gt.pages.to_dict("records"):
        sides = (regions(gt, row["page"]), regions(pred, row["page"]))
        e.update(*sides, page=row["page"], size=(20, 20), document=row["document"])
    found, expected = e.result(), lcm.compare(gt, pred).result()
    assert type(found) is type(expected) is Result
    same = {"inputs", "recipe", "recipe_fields", "headline", "intervals", "findings"}  # which name the files
    assert set(differing_fields(found, expected)) <= same
    assert [row.value for row in found.headline] == [row.value for row in expected.headline]
    assert found.intervals.headline == expected.intervals.headline


def close(one, other):
    """Equal, numbers to 1e-12 of their size."""
    if isinstance(one, float) and isinstance(other, float | int):
        return one == pytest.approx(other, rel=1e-12, abs=1e-12)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


COUNTED = [
    "labels", "pages", "documents", "pixels", "ignored_pixels", "confusion", "recall", "precision", "f1", "classes",
    "averages", "averages_with_background", "averages_over_pages", "averages_over_documents", "pred_pixels", "content",
    "content_pixels", "right", "collapsed", "page_matching", "agreement", "by_document", "page_scores", "taxonomy",
]  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 9, 12, 15])
def test_a_comparison_of_parts_has_the_same_result(seed, tmp_path):
    assert_parts_agree(seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_200_comparisons_of_parts_have_the_same_result(seed, tmp_path):
    assert_parts_agree(seed, tmp_path)


def assert_parts_agree(seed, tmp_path):
    gt, pred, options = random_pair(seed)
    whole = lcm.compare(gt, pred, **options).result().as_dict()
    found = compared(tmp_path, gt, pred, 1 + seed % 3, 1 + seed % 2, **options).result()
    assert type(found) is Result
    own = found.as_dict()
    for key in COUNTED:
        if key in whole and key != "page_matching":
            assert close(sorted_rows(own[key]), sorted_rows(whole[key])), (seed, key)
    figures = {name: value for name, value in found.measures.items() if value is not None}
    expected = lcm.compare(gt, pred, **options).result(intervals=False).measures
    assert {name: pytest.approx(expected[name], rel=1e-12) for name in figures} == figures
    assert ("intervals" in own) == ("intervals" in whole) == options["truth"]
    if options["truth"]:
        assert close(own["intervals"]["headline"], whole["intervals"]["headline"])


def sorted_rows(value):
    """Rows in the order of their names: documents and pages of parts have the order of the parts."""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "document" in value[0]:
        return sorted(value, key=lambda row: (row["document"], row.get("page", "")))
    if isinstance(value, dict) and "pages_to_review" in value:  # equal ones are in the order of pages
        rows = sorted(value["pages_to_review"], key=lambda row: (row["label"], row["page"]))
        return value | {"pages_to_review": rows}
    if isinstance(value, dict) and "scores" in value and "page" in value:
        order = sorted(range(len(value["page"])), key=value["page"].__getitem__)
        columns = {name: [value[name][i] for i in order] for name in ("page", "document", "pixels")}
        return columns | {"scores": {name: [one[i] for i in order] for name, one in value["scores"].items()}}
    return value
