"""The identity of candidates, the rows that decisions choose, and which comparisons can be evidence together."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.models.label_errors import usable_comparisons
from layoutcm.models.suggestions import candidate_keys, chosen_candidates
from support.layouts import build

NAN = np.nan
# page, region, kind, gt_label, suggested, evidence, box of the suggestion
ROWS = [
    ("p1", 3, "label", "Text", "Title", 0.9, 1, 2, 3, 4),
    ("p1", pd.NA, "missing", None, "Text", 0.8, 10.4, 20, 30, 40),
    ("p2", 7, "spurious", "Text", None, 0.7, NAN, NAN, NAN, NAN),
    ("p2", 8, "box", "Text", "Text", 0.6, 5, 6, 7, 8),
]
COLUMNS = ["page", "region", "kind", "gt_label", "suggested", "evidence",
           *(f"suggested_{name}" for name in ("x0", "y0", "x1", "y1"))]  # fmt: skip


def table(rows=ROWS):
    return pd.DataFrame(rows, columns=COLUMNS).astype({"region": "Int64"})


def changed(row, **values):
    return tuple(values.get(name, value) for name, value in zip(COLUMNS, row))


def test_a_key_is_readable_and_does_not_depend_on_the_row():
    keys = candidate_keys(table())
    assert keys == [
        '["p1", "label", 3, "Text", "Title", null]',
        '["p1", "missing", null, null, "Text", [10, 20, 30, 40]]',
        '["p2", "spurious", 7, "Text", null, null]',
        '["p2", "box", 8, "Text", "Text", [5, 6, 7, 8]]',
    ]
    assert candidate_keys(table(ROWS[::-1])) == keys[::-1]


@pytest.mark.parametrize(("row", "values", "same"), [
    (0, {"evidence": 0.1}, True), (0, {"suggested_x0": 0}, True), (0, {"suggested": "List"}, False),
    (0, {"region": 4}, False), (1, {"suggested_x0": 10.1}, True), (1, {"suggested_x0": 12}, False),
    (1, {"page": "p2"}, False), (3, {"suggested_y1": 9}, False), (3, {"kind": "spurious"}, False),
])  # fmt: skip
def test_what_makes_another_candidate(row, values, same):
    before, after = (candidate_keys(table([one])) for one in (ROWS[row], changed(ROWS[row], **values)))
    assert (before == after) is same


def test_candidates_that_are_alike_have_different_keys():
    assert candidate_keys(table([ROWS[1]] * 2)) == [
        '["p1", "missing", null, null, "Text", [10, 20, 30, 40]]',
        '["p1", "missing", null, null, "Text", [10, 20, 30, 40], 2]',
    ]


def test_decisions_choose_rows_in_their_order():
    errors = table()
    first, second, third, _ = candidate_keys(errors)
    made = {third: "accepted", first: "accepted", second: "dismissed", "of another table": "accepted"}
    taken = {
        which: chosen_candidates(errors, made, which).index.tolist() for which in ("all", "accepted", "not dismissed")
    }
    assert taken == {"all": [0, 1, 2, 3], "accepted": [0, 2], "not dismissed": [0, 2, 3]}
    with pytest.raises(lcm.InputError, match="not dismissed"):
        chosen_candidates(errors, made, "some")


def test_only_comparisons_with_the_labels_of_gt_and_the_same_gt_are_used():
    pages, rows = {"p": (50, 50)}, [("p", "Text", 0, 0, 20, 20)]
    gt = build(pages, rows, ["Text"], name="gt")
    other = build(pages, [("p", "prose", 0, 0, 20, 20)], ["prose"], name="other")
    mapped = {"gt": {"Text": "Words"}, "pred": {"prose": "Words"}}
    given = [lcm.compare(gt, other), lcm.compare(gt, gt), lcm.compare(gt, other, mapping=mapped), lcm.compare(gt, gt)]
    usable, problems = usable_comparisons(given)
    assert usable == [1, 3] and list(problems) == [0, 2]
    assert "its labels are not those of gt" in str(problems[0]) and "other labels" in str(problems[2])
    assert problems[0].advice.on_screen == "Map them on the page Data."
    assert len(lcm.label_errors([given[k] for k in usable])) == 0
    assert usable_comparisons([]) == ([], {})
