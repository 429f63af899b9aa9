"""The worked numbers of docs/discussion.md."""

import pytest

import layoutcm as lcm
from support.layouts import build
from support.paths import ROOT

TEXT = (ROOT / "docs" / "discussion.md").read_text("utf-8")
CAPTIONS = [("Caption", 0, 50 + 3 * i, 40, 52 + 3 * i) for i in range(10)]


def compared(gt, pred, labels):
    gt, pred = (build({"p": (100, 100)}, [("p", *row) for row in rows], labels) for rows in (gt, pred))
    return lcm.compare(gt, pred)


def micro_f1(c, method="matrix"):
    return c.confusion(method=method).average("micro")["f1"]


def test_matrix_against_tensor():
    c = compared([("A", 0, 0, 10, 10)], [("A", 0, 0, 10, 10), ("B", 0, 0, 10, 10)], "AB")
    matrix, tensor = (c.confusion(method=method) for method in ("matrix", "tensor"))
    assert matrix.values[1].tolist() == [0, 50, 50]
    assert tensor.recall_mass[1].tolist() == [0, 100, 0] and tensor.precision_mass[1].tolist() == [0, 100, 100]
    assert matrix.average("micro") == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert tensor.average("micro") == pytest.approx({"precision": 0.5, "recall": 1, "f1": 2 / 3})
    assert matrix.right == 1
    missing = compared([("A", 0, 0, 10, 10), ("B", 0, 0, 10, 10)], [("A", 0, 0, 10, 10)], "AB")
    matrix, tensor = (missing.confusion(method=method) for method in ("matrix", "tensor"))
    assert matrix.average("micro") == {"precision": 0.5, "recall": 0.5, "f1": 0.5} and matrix.right == 0.5
    assert tensor.average("micro") == pytest.approx({"precision": 1, "recall": 0.5, "f1": 2 / 3})
    assert "| `matrix` | 0.5, 0.5, 0.5 | 0.5, 0.5, 0.5 |" in TEXT
    assert "| `tensor` | 1, 0.5, 0.667 | 0.5, 1, 0.667 |" in TEXT


@pytest.mark.parametrize(
    ("row", "gt", "pred", "pixels", "precision_recall", "ap"),
    [
        ("| 1 | 0.5, 1 | 0.1 |", [("Text", 0, 0, 100, 40)],
         [("Text", 0, 0, 100, 20, 0.9), ("Text", 0, 20, 100, 40, 0.8)], 1, (0.5, 1), 0.1),
        ("| 0.974 | 1, 0.5 | 0.050 |", [("Text", 0, 0, 100, 20), ("Text", 0, 22, 100, 40)],
         [("Text", 0, 0, 100, 40, 0.9)], 0.974, (1, 0.5), 0.050),
        ("| 0.947 | 1, 1 | 0.9 |", [("Table", 0, 0, 100, 50)], [("Table", 0, 0, 100, 45, 0.9)], 0.947, (1, 1), 0.9),
        ("| 0.909 | 1, 0.091 | n/a without scores |", [("Table", 0, 0, 80, 50), *CAPTIONS],
         [("Table", 0, 0, 80, 50)], 0.909, (1, 0.091), None),
    ],
)  # fmt: skip
def test_pixels_against_objects(row, gt, pred, pixels, precision_recall, ap):
    c = compared(gt, pred, ["Text", "Table", "Caption"])
    scores = c.objects().scores_at(0.5)
    assert row in TEXT
    assert micro_f1(c) == pytest.approx(pixels, abs=5e-4)
    assert (scores["precision"], scores["recall"]) == pytest.approx(precision_recall, abs=5e-4)
    assert c.objects().ap == (None if ap is None else pytest.approx(ap, abs=6e-4))


def test_micro_and_macro_of_missed_captions():
    c = compared([("Table", 0, 0, 80, 50), *CAPTIONS], [("Table", 0, 0, 80, 50)], ["Table", "Caption"])
    assert c.confusion().average("macro")["f1"] == 0.5


def test_content_is_found_with_another_label():
    c = compared([("A", 0, 0, 100, 40)], [("B", 0, 0, 100, 40)], "AB")
    assert c.content()["f1"] == 1 and micro_f1(c) == 0
