"""`Evaluator`: the same numbers as `compare`, in any form, in batches, and merged from several processes."""

import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.findings import severe_of
from support.detector_results import Detections, Tensor, ultralytics_result
from support.generated_pages import LABELS, layouts, page
from support.layouts import build
from support.reading import fails
from support.results import full_result

BOXES = np.array([[0.0, 0, 4, 2], [1, 1, 5, 5]])
SCORES = np.array([0.75, 0.5])
NAMES = ["b", "a"]
SIZE = (8, 6)


def dicts(rows):
    """Regions as dicts, from (label, x0, y0, x1, y1)."""
    return [dict(zip(("label", "x0", "y0", "x1", "y1"), row)) for row in rows]


def add(evaluator, pages, numbers):
    for i in numbers:
        size, gt, pred = pages[i]
        evaluator.update(dicts(gt), dicts(pred), page=f"page {i}", size=size)
    return evaluator


@settings(max_examples=40, deadline=None)
@given(st.lists(page, min_size=1, max_size=5), st.data(), st.sampled_from(["outer", "nearest", "exact"]))
def test_numbers_are_those_of_compare_whatever_the_split(pages, data, rounding):
    expected = lcm.compare(*layouts(pages), rounding=rounding)
    part_of = data.draw(st.lists(st.integers(0, 2), min_size=len(pages), max_size=len(pages)))
    empty = lcm.Evaluator(LABELS, rounding=rounding)
    parts = [add(empty.empty(), pages, [i for i, part in enumerate(part_of) if part == k]) for k in range(3)]
    merged = reduce(lcm.Evaluator.merge, [pickle.loads(pickle.dumps(part)) for part in parts])
    found = merged.compute()
    assert len(merged) == len(pages) == sum(map(len, parts)) and len(empty) == 0
    np.testing.assert_allclose(found.confusion().values, expected.confusion().values, rtol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the pages may be empty on one side, which is severe
        logged = merged.as_dict()
    assert logged.pop("severe_findings", 0) == len(severe_of(expected.findings))
    assert logged == pytest.approx(expected.result(intervals=False).figures, abs=1e-12)
    for name in expected.pages:
        np.testing.assert_allclose(found.confusion(page=name).values, expected.confusion(page=name).values, rtol=1e-12)
    # Pair counts add up: those of all pages are those of the parts together.
    sums = {}
    for part in parts:
        for row in part.compute().counts().table().itertuples(index=False):
            sums[row[:2]] = sums.get(row[:2], 0) + row.pixels
    assert {row[:2]: row.pixels for row in found.counts().table().itertuples(index=False)} == pytest.approx(sums)


def test_the_result_is_that_of_compare():
    """Everything else of a Comparison is there, too: objects with scores, documents, findings."""
    sizes, documents = {"p": SIZE, "q": SIZE}, {"p": "one", "q": "two"}
    gt = build(sizes, [("p", "a", 0, 0, 4, 4), ("q", "b", 9, 9, 2, 2)], "ab", "gt", documents)
    pred = build(sizes, [("p", "a", 0, 0, 4, 3, 0.5), ("q", "a", 0, 0, 2, 2, 0.25)], "ab", "pred", documents)
    e = lcm.Evaluator(["a", "b"], min_score=0.3)
    e.update(
        dicts([("a", 0, 0, 4, 4)]),
        [dict(dicts([("a", 0, 0, 4, 3)])[0], score=0.5)],
        page="p",
        size=SIZE,
        document="one",
    )
    e.update(dicts([("b", 9, 9, 2, 2)]), [[0, 0, 2, 2, 0.25, 0]], page="q", size=SIZE, document="two")
    found, expected = (full_result(c, per_page=True) for c in (e.compute(), lcm.compare(gt, pred, min_score=0.3)))
    for result in (found, expected):
        del result["inputs"]
    assert found == expected and found["findings"] and found["objects"]["ap"] is not None


def forms():
    """{form: two regions in it}; label 0 is `a`, label 1 is `b`."""
    ids, table = np.array([1, 0]), np.column_stack([BOXES, SCORES, [1, 0]])
    rows = [dict(zip(("label", "x0", "y0", "x1", "y1", "score"), (n, *b, s))) for n, b, s in zip(NAMES, BOXES, SCORES)]
    boxes = Tensor(BOXES)
    return {
        "dicts": rows,
        "DataFrame": pd.DataFrame(rows),
        "array": table,
        "lists": table.tolist(),
        "stand-in of a tensor on a GPU": Tensor(table),
        "stand-in of a bfloat16 tensor": Tensor(table, bfloat16=True),
        "form of torchmetrics": {"boxes": boxes, "labels": Tensor(ids), "scores": Tensor(SCORES)},
        "form of torchmetrics with names": {"boxes": BOXES, "labels": NAMES, "scores": SCORES},
        "stand-in of Ultralytics": ultralytics_result(BOXES, SCORES, [4, 3], {3: "a", 4: "b"}, SIZE[::-1]),
        "stand-in of boxes of Ultralytics": ultralytics_result(BOXES, SCORES, ids, {}, SIZE[::-1]).boxes,
        "stand-in of supervision with ids": Detections(BOXES, SCORES, ids),
        "stand-in of supervision with names": Detections(BOXES, SCORES, ids + 7, {"class_name": np.array(NAMES)}),
    }


@pytest.mark.parametrize("form", list(forms()))
def test_every_form_is_read(form):
    e = lcm.Evaluator(["a", "b"]).update(forms()["array"][:, [0, 1, 2, 3, 5]], forms()[form], page="p", size=SIZE)
    gt, pred = e.compute().alignment.layouts
    assert gt.regions["label"].tolist() == pred.regions["label"].tolist() == NAMES
    np.testing.assert_array_equal(pred.region_columns.boxes, BOXES)
    np.testing.assert_array_equal(pred.region_columns.scores, SCORES)
    assert np.isnan(gt.region_columns.scores).all()
    assert e.as_dict()["micro.f1"] == 1


def test_the_size_of_a_stand_in_of_ultralytics():
    found = forms()["stand-in of Ultralytics"]
    assert lcm.Evaluator({3: "a", 4: "b"}).update(None, found, page=7).compute().pixels == 48
    fails("Give size=", lcm.Evaluator({3: "a", 4: "b"}).update, None, found.boxes, page="p")


@pytest.mark.parametrize("nothing", [None, [], (), np.empty((0, 6)), np.empty(0), {"boxes": [], "labels": []}])
def test_pages_without_regions(nothing):
    e = lcm.Evaluator(["a"]).update(nothing, [[0, 0, 2, 1, 0]], page="p", size=(4, 4))
    assert e.compute().confusion().values.tolist() == [[14, 2], [0, 0]]


def test_batches():
    batch, single = lcm.Evaluator(["a", "b"]), lcm.Evaluator(["a", "b"])
    gt = [dicts([("a", 0, 0, 2, 2)]), []]
    pred = [[[0, 0, 2, 1, 0.5, 0]], [[0, 0, 1, 1, 0.5, 1]]]
    batch.update(gt, pred, page=["p", "q"], size=SIZE, document=["one", "two"])
    for name, document, *regions in zip("pq", ("one", "two"), gt, pred):
        single.update(*regions, page=name, size=SIZE, document=document)
    assert batch.as_dict() == single.as_dict()
    assert batch.compute().documents == ["one", "two"]
    other = lcm.Evaluator(["a", "b"]).update(gt, pred, page=("p", "q"), size=[SIZE, (4, 4)])
    assert other.compute().pixels == 48 + 16
    ids = lcm.Evaluator(["a", "b"]).update(gt, pred, page=np.array([7, 8]), size=np.array([[8, 6], [4, 4]]))
    assert ids.compute().pages == ["7", "8"] and ids.compute().pixels == 64
    fails("a batch has 2, 1, 2, 2, 2 pages", batch.update, gt[:1], pred, page=["x", "y"], size=SIZE)
    for wrong in ({"gt": None}, {"size": 5}, {"document": 3}):
        given = {"gt": gt, "pred": pred, "size": SIZE, "document": None} | wrong
        with pytest.raises(lcm.InputError, match="is not a list, although `page` is one"):
            batch.update(given.pop("gt"), given.pop("pred"), page=["x", "y"], **given)
    fails("'c' is not known", batch.update, [[], dicts([("c", 0, 0, 1, 1)])], [[], []], page=["x", "y"], size=SIZE)
    assert len(batch) == 2  # a batch that cannot be used adds nothing


def test_a_repeated_page_is_counted_once_if_it_is_the_same():
    """A distributed sampler repeats some pages, so that all processes have equally many."""
    one, two = (lcm.Evaluator(["a"]).update([[0, 0, 2, 2, 0]], [], page="p", size=(4, 4)) for _ in range(2))
    assert one.merge(two).compute().pixels == one.update([[0, 0, 2, 2, 0]], [], page="p", size=(4, 4)).compute().pixels
    fails("'p': it was added before, with other regions", one.update, [[0, 0, 2, 1, 0]], [], page="p", size=(4, 4))
    two.reset()
    assert len(two) == 0 and two.compute().pages == []
    assert two.update([[0, 0, 2, 1, 0]], [], page="p", size=(4, 4)).compute().confusion().values[1, 0] == 2
    fails("it was added before", one.merge, two)


def test_compute_is_kept_until_the_next_update_and_not_pickled():
    e = lcm.Evaluator(["a"]).update([[0, 0, 2, 2, 0]], [], page="p", size=(4, 4))
    c = e.compute()
    assert e.compute() is c
    assert e.update([], [], page="q", size=(4, 4)).compute() is not c
    e.compute()
    assert len(pickle.dumps(e)) < 2_000


def test_as_dict_is_flat_with_a_prefix():
    e = lcm.Evaluator(["a", "b"]).update([[0, 0, 2, 2, 0]], [[0, 0, 2, 1, 0]], page="p", size=(4, 4))
    logged = e.as_dict("val/")
    assert logged["val/macro.recall"] == logged["val/class.a.recall"] == 0.5
    assert logged["val/class.b.f1"] is None and logged["val/objects.ap"] is None
    assert all(value is None or type(value) is float for value in logged.values())


def test_different_labels_and_a_mapping():
    e = lcm.Evaluator(["a"], pred_labels={9: "x"}, mapping={"pred": {"x": "a"}})
    e.update([[0, 0, 2, 2, 0]], [[0, 0, 2, 1, 9]], page="p", size=(4, 4))
    assert e.compute().taxonomy == "mapped" and e.as_dict()["class.a.recall"] == 0.5


def count_in_process(start):
    """The Evaluator of another process: pages `start` and `start + 1`."""
    e = lcm.Evaluator(["a"])
    for i in (start, start + 1):
        e.update([[0, 0, 4, 4, 0]], [[0, 0, 4, i, 0]], page=str(i), size=(4, 4))
    return e


def test_evaluators_of_other_processes_are_merged():
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        parts = list(pool.map(count_in_process, (1, 3)))
    merged = reduce(lcm.Evaluator.merge, parts)
    assert merged.as_dict()["micro.recall"] == (1 + 2 + 3 + 4) / 16


@pytest.mark.parametrize(("labels", "regions", "more", "words"), [
    ("ab", [], {}, "'ab' are not labels"),
    ([], [], {}, "[] are not labels"),
    (["a", "a"], [], {}, "different names"),
    (["a"], [[0, 0, 10**400, 1, 0]], {}, "are not regions"),
    (["a"], {"boxes": [[0, 0, 10**400, 1]], "labels": [0]}, {}, "are not boxes with four numbers each"),
    (["a"], [], {"size": (10**400, 4)}, "is not width and height"),
    ({"x": "a"}, [], {}, "whole ids"),
    (["a"], [{"label": "a", "x0": 1}], {}, "page 'p', pred, region 0: it has no y0"),
    (["a"], [[0, 0, 1, 1, 3]], {}, "page 'p', pred, label: 3.0 is not the id of a label. Ids are like 0 = a."),
    (["a"], [[0, 0, 1, 1, 0.5]], {}, "0.5 is not the id of a label"),
    (["a"], [[0, 0, 1, 1, np.nan]], {}, "page 'p', pred, label: nan is not the id of a label. Ids are like 0 = a."),
    (["a"], [[0, 0, 1, 1, 0.5, -np.inf]], {}, "-inf is not the id of a label. Ids are like 0 = a."),
    (["a"], ultralytics_result(BOXES, SCORES, [0, 7], {0: "a"}, (4, 4)), {},
     "page 'p', pred, label: 7.0 is not an id in the names of this result. They are {0: 'a'}."),
    (["a"], {"boxes": [[0, 0, 1, 1]], "labels": 0}, {},
     "page 'p', pred, labels: 0 is not a list of labels. Give a list with one label for each box."),
    (["a"], {"boxes": [[0, 0, 1, 1]], "labels": [[0], [0, 0]]}, {}, "[[0], [0, 0]] is not a list of labels"),
    (["a"], Detections(BOXES, SCORES, np.array(0)), {}, "array(0) is not a list of labels"),
    (5, [], {}, "labels: 5 are not labels. Give a list of names, or {id: name}."),
    (None, [], {}, "labels: None are not labels"),
    ({"a"}, [], {}, "labels: {'a'} are not labels"),
    (["Table"], [{"label": "Tabel", "x0": 0, "y0": 0, "x1": 1, "y1": 1}], {},
     "'Tabel' is not known. Use one of Table"),
    (["a"], [[0, 0, float("nan"), 1, 0]], {}, "box 0 is [0.0, 0.0, nan, 1.0], not four finite numbers"),
    (["a"], "regions", {}, "'regions' are not regions"),
    (["a"], [[0, 0, 1, 1]], {}, "are not regions"),
    (["a"], {"boxes": [[0, 0, 1, 1]], "labels": []}, {}, "1 boxes, 0 labels and 1 scores do not fit"),
    (["a"], {"boxes": [[0, 0, 1]], "labels": [0]}, {}, "are not boxes with four numbers each"),
    (["a"], [], {"size": (4,)}, "the size (4,) is not width and height"),
    (["a"], [], {"size": (0, 4)}, "is not width and height"),
    (["a"], [], {"size": (float("nan"), 4)}, "is not width and height"),
    (["a"], [], {"page": None}, "None is not the name of a page"),
])  # fmt: skip
def test_wrong_input(labels, regions, more, words):
    with pytest.raises(lcm.InputError) as error:
        lcm.Evaluator(labels).update([], regions, **{"page": "p", "size": (4, 4)} | more)
    assert words in str(error.value)


def test_wrong_options_are_an_error_at_once():
    for options in ({"rounding": "up"}, {"min_score": {"b": 0.5}}, {"mapping": {"pred": 3}}, {"name": None}):
        with pytest.raises(lcm.InputError):
            lcm.Evaluator(["a"], **options)
    fails("other labels or options", lcm.Evaluator(["a"]).merge, lcm.Evaluator(["a"], rounding="exact"))
    fails("it is not an Evaluator", lcm.Evaluator(["a"]).merge, None)
