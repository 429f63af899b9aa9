"""Probable errors of the ground truth: numbers one can count, a loop over all regions, and planted errors."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support.label_errors_loop import plain_label_errors
from support.layouts import build
from support.paths import SAMPLE
from support.planted_errors import Planted, Region, draw_model, found_errors, plant

PAGES = {f"p{i:02}": (100, 100) for i in range(50)}
TITLE, TEXT = ("Title", 10, 10, 60, 30), ("Text", 10, 40, 90, 80)
GOOD = [(page, *region) for page in PAGES for region in (TITLE, TEXT)]
NAMES = ["Text", "Title"]


def errors_of(gt, *preds, **options):
    """The candidates of gt with these predictions, all lists of rows."""
    sides = [build(PAGES, rows, NAMES, name=f"m{k}.json") for k, rows in enumerate((gt, *preds))]
    return lcm.label_errors([lcm.compare(sides[0], pred, **options) for pred in sides[1:]])


def only(table):
    assert len(table) == 1
    return table.iloc[0]


def test_the_worked_page_of_a_wrong_label():
    """All predictions read the title of the first page as text; everything else is as in gt."""
    pred = [("p00", "Text", 10, 10, 60, 30), *GOOD[1:]]
    prior = 1 / 99 * 50.5 / 49.5
    factor = (50.5 / 52) / (0.5 / 51)
    row = only(errors_of(GOOD, pred))
    assert row[["page", "region", "kind", "gt_label", "suggested"]].tolist() == ["p00", 0, "label", "Title", "Text"]
    assert row["evidence"] == pytest.approx(prior * factor / (1 + prior * factor)) == pytest.approx(0.505, abs=5e-4)
    row = only(errors_of(GOOD, pred, pred))
    assert row["evidence"] == pytest.approx(prior * factor**2 / (1 + prior * factor**2))
    assert row["evidence"] == pytest.approx(0.990, abs=5e-4)
    assert row[["m1_label", "m2_label"]].tolist() == ["Text", "Text"]
    assert row["m1_evidence"] == row["m2_evidence"] == pytest.approx(0.505, abs=5e-4)
    row = only(errors_of(GOOD, pred, GOOD))
    assert row["m2_label"] == "Title" and row["evidence"] == pytest.approx(0.010, abs=5e-5)


def test_a_spurious_region():
    extra = [*GOOD, ("p07", "Title", 10, 85, 90, 95)]
    row = only(errors_of(extra, GOOD))
    odds = 1 / 99 / (0.5 / 52)
    assert row["evidence"] == pytest.approx(odds / (1 + odds))
    assert row[["page", "region", "kind", "gt_label"]].tolist() == ["p07", 100, "spurious", "Title"]
    assert row["suggested"] is None and np.isnan(row["suggested_x0"]) and row["m1_label"] is None
    assert row[["x0", "y0", "x1", "y1"]].tolist() == [10, 85, 90, 95]


def test_a_missing_region():
    row = only(errors_of(GOOD[1:], GOOD, GOOD))
    places = 99 + 0.5 * 3
    factor = (49.5 / 51) / (0.5 / places)
    odds = 0.01 * 49.5 / places * factor**2
    assert row["evidence"] == pytest.approx(odds / (1 + odds)) and row["region"] is pd.NA and row["gt_label"] is None
    assert row[["page", "kind", "suggested"]].tolist() == ["p00", "missing", "Title"]
    assert row[["suggested_x0", "suggested_y0", "suggested_x1", "suggested_y1"]].tolist() == [10, 10, 60, 30]


def test_a_wrong_box():
    """The title of the first page is 30 of 50 pixels wide in gt: the IoU with the predictions is 0.6."""
    gt = [("p00", "Title", 10, 10, 40, 30), *GOOD[1:]]
    row = only(errors_of(gt, GOOD, GOOD))
    factor = 49.5 / 0.5
    odds = 1 / 99 / 10 * factor**2
    assert row["evidence"] == pytest.approx(odds / (1 + odds))
    assert row[["page", "region", "kind", "gt_label", "suggested"]].tolist() == ["p00", 0, "box", "Title", "Title"]
    assert row[["x0", "x1", "suggested_x0", "suggested_x1"]].tolist() == [10, 40, 10, 60]


def test_a_systematic_confusion_is_weak_evidence():
    """One title in two is read as text, by both predictions."""
    pred = [(page, "Text" if label == "Title" and page < "p25" else label, *box) for page, label, *box in GOOD]
    found = errors_of(GOOD, pred, pred)
    assert len(found) == 25 and found["evidence"].max() < 0.05


def test_a_wrong_label_with_a_low_score_is_weak_evidence():
    """One title in five is read as text; all others of these have low scores, and the right regions high ones."""
    wrong = [(page, "Text", *box) for page, _, *box in GOOD[::10]]
    rest = [(*row, 0.9) for k, row in enumerate(GOOD) if k % 10]
    weak, strong = (
        errors_of(GOOD, [(*wrong[0], score), *((*row, 0.3) for row in wrong[1:]), *rest]) for score in (0.3, 0.9)
    )
    assert weak.empty and strong["region"].tolist() == [0] and strong["evidence"][0] > 0.3


def test_logits_are_scores_like_others():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.05, 0.95, len(GOOD))
    pred = [("p00", "Text", 10, 10, 60, 30), *GOOD[1:]]
    a, b = (errors_of(GOOD, [(*row, float(s)) for row, s in zip(pred, own)]) for own in (scores, 7 * scores - 20))
    pd.testing.assert_frame_equal(a, b)


def test_pages_that_a_prediction_lacks_are_no_evidence():
    gt = build(PAGES, GOOD, NAMES)
    some = {page: size for page, size in PAGES.items() if page > "p04"}
    pred = build(some, [row for row in GOOD if row[0] in some], NAMES)
    for missing_pages in ("penalise", "ignore"):
        c = lcm.compare(gt, pred, missing_pages=missing_pages)
        assert lcm.label_errors([c]).empty
    blank = build(PAGES, [row for row in GOOD if row[0] in some], NAMES)
    assert len(lcm.label_errors([lcm.compare(gt, blank)])) == 10  # the prediction has these pages, without regions


def test_only_judged_regions_are_candidates():
    labels = [*NAMES, "skip"]
    gt = [*GOOD, ("p03", "Title", 0, 85, 30, 95), ("p03", "skip", 0, 82, 40, 98)]
    sides = [build(PAGES, rows, labels) for rows in (gt, GOOD)]
    assert lcm.label_errors([lcm.compare(*sides)])["region"].tolist() == [100, 101]
    assert lcm.label_errors([lcm.compare(*sides, mapping={"gt": {"skip": "Ignore"}})]).empty


def test_rows_are_those_of_the_file_that_was_given():
    labels = ["gone", *NAMES]
    gt = build(PAGES, [("p00", "gone", 0, 0, 5, 5), *GOOD], labels)
    pred = build(PAGES, [("p00", "Text", 10, 10, 60, 30), *GOOD[1:]], NAMES)
    row = only(lcm.label_errors([lcm.compare(gt, pred, mapping={"gt": {"gone": "Background"}})]))
    assert row["region"] == 1 and gt.regions.loc[1, "label"] == "Title"


def test_a_second_label_of_a_region_is_a_candidate_of_its_own():
    two = [*GOOD, ("p00", "Text", 10, 10, 60, 30)]
    row = only(errors_of(two, GOOD))
    assert row[["region", "kind", "gt_label"]].tolist() == [100, "spurious", "Text"]


@pytest.mark.long
def test_outlines_are_paired_on_their_pixels(tmp_path):
    """The first region of each page is a triangle; on the first page, pred has the other half of its box."""
    images = [{"id": i, "file_name": f"{i}.png", "width": 100, "height": 100} for i in range(30)]
    triangle = {"category_id": 1, "bbox": [10, 10, 50, 50], "segmentation": [[10, 10, 60, 10, 10, 60]]}
    box = {"category_id": 2, "bbox": [10, 70, 50, 20]}
    rows = [{**one, "image_id": i, "id": 2 * i + k} for i in range(30) for k, one in enumerate((triangle, box), 1)]
    other = [rows[0] | {"segmentation": [[60, 60, 60, 10, 10, 60]]}, *rows[1:]]
    names = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
    for name, own in (("gt", rows), ("pred", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"images": images, "annotations": own, "categories": names}))
    found = {}
    for shapes in ("polygon", "box"):
        sides = [lcm.read(tmp_path / f"{name}.json", shapes=shapes) for name in ("gt", "pred")]
        found[shapes] = lcm.label_errors([lcm.compare(*sides)])
    assert found["polygon"][["kind", "page"]].values.tolist() == [["spurious", "0.png"], ["missing", "0.png"]]
    assert found["box"].empty


def test_predictions_have_columns_of_their_own_whatever_their_names():
    sides = [build(PAGES, GOOD, NAMES, name=name) for name in ("gt.json", "gt.csv", "a/m.csv", "b/m.json")]
    table = lcm.label_errors([lcm.compare(sides[0], pred) for pred in sides[1:]])
    assert table.columns[14::2].tolist() == ["gt (2)_label", "m_label", "m (2)_label"] and table.columns.is_unique


@pytest.mark.parametrize("pages", [1, 3, 50])
def test_gt_against_itself_has_no_candidates(pages):
    rows = GOOD[: 2 * pages]
    assert errors_of(rows, rows, rows, rows).empty


def test_empty_layouts_have_no_candidates():
    columns = errors_of(GOOD, GOOD).columns.tolist()
    assert columns[:6] == ["page", "region", "kind", "gt_label", "suggested", "evidence"]
    assert columns[6:] == [*("x0", "y0", "x1", "y1"), *(f"suggested_{n}" for n in ("x0", "y0", "x1", "y1")),
                           "m1_label", "m1_evidence"]  # fmt: skip
    for gt, pred in ((GOOD, []), ([], GOOD), ([], [])):
        assert errors_of(gt, pred).columns.tolist() == columns
    assert errors_of([], []).empty and errors_of([], GOOD).empty


def test_comparisons_that_cannot_be_used_are_errors():
    gt = build(PAGES, GOOD, NAMES)
    c = lcm.compare(gt, gt)
    with pytest.raises(lcm.InputError, match="comparisons: there is no comparison"):
        lcm.label_errors([])
    with pytest.raises(lcm.InputError, match=r"comparisons\[1\]: 'x' is not a comparison"):
        lcm.label_errors([c, "x"])
    with pytest.raises(lcm.InputError, match=r"comparisons\[0\]: 5 is not a comparison"):
        lcm.label_errors(5)
    other = lcm.compare(build(PAGES, GOOD[1:], NAMES), gt)
    with pytest.raises(lcm.InputError, match=r"comparisons\[1\]: its gt has other boxes than that of the first"):
        lcm.label_errors([c, other])
    alien = build(PAGES, [(page, "x", *box) for page, _, *box in GOOD], ["x"], name="alien.json")
    with pytest.raises(lcm.InputError, match=r"alien.json, labels: its labels are not those of gt.*Map them"):
        lcm.label_errors([lcm.compare(gt, alien)])
    mapped = lcm.compare(gt, alien, mapping={"pred": {"x": "Text"}})
    assert lcm.label_errors(mapped) is not None  # a single comparison needs no list
    renamed = lcm.compare(gt, gt, mapping={"gt": {"Title": "Text"}, "pred": {"Title": "Text"}})
    with pytest.raises(lcm.InputError, match=r"its gt has other labels than that of the first comparison"):
        lcm.label_errors([c, renamed])


spot = st.tuples(st.sampled_from("ab"), st.integers(0, 8), st.integers(0, 8), st.integers(1, 6), st.integers(1, 6))
change = st.tuples(*[st.integers(-1, 1)] * 4, st.sampled_from(["a", "b", "", "", "lost"]), st.integers(1, 9))


@st.composite
def small_sets(draw):
    """gt and two predictions of some small pages; predictions have moved, lost, confused and own regions."""
    inside = lambda x0, y0, x1, y1: (max(x0, 0), max(y0, 0), min(x1, 14), min(y1, 14))
    sides = [{}, {}, {}]
    for i in range(draw(st.integers(1, 4))):
        gt = [(label, inside(x, y, x + w, y + h), None) for label, x, y, w, h in draw(st.lists(spot, max_size=4))]
        sides[0][f"p{i}"] = gt
        for side in sides[1:]:
            rows = [(label, inside(x, y, x + w, y + h), 0.5) for label, x, y, w, h in draw(st.lists(spot, max_size=2))]
            for label, (x0, y0, x1, y1), _ in gt:
                a, b, c, d, other, score = draw(change)
                box = inside(x0 + a, y0 + b, x1 + c, y1 + d)
                if other != "lost" and box[0] < box[2] and box[1] < box[3]:
                    rows.append((other or label, box, score / 10))
            side[f"p{i}"] = rows
    return sides


@settings(max_examples=200, deadline=None)
@given(small_sets(), st.booleans())
def test_generated_sets_equal_the_plain_loop(sides, scored):
    pages = dict.fromkeys(sides[0], (14, 14))
    if not scored:
        sides = [{page: [(*row[:2], None) for row in rows] for page, rows in side.items()} for side in sides]
    as_row = lambda page, label, box, score: (page, label, *box, np.nan if score is None else score)
    rows = [[as_row(page, *one) for page, own in side.items() for one in own] for side in sides]
    gt, *preds = (build(pages, own, ["a", "b"]) for own in rows)
    table = lcm.label_errors([lcm.compare(gt, pred) for pred in preds])
    expected = plain_label_errors(sides[0], sides[1:], ["a", "b"])
    starts = {page: sum(len(sides[0][other]) for other in sides[0] if other < page) for page in sides[0]}
    found = {}
    for row in table.itertuples():
        box = (row.suggested_x0, row.suggested_y0, row.suggested_x1, row.suggested_y1)
        place = box if row.kind == "missing" else row.region - starts[row.page]
        found.setdefault((row.kind, row.page, place), []).append((row.suggested, row.evidence))
    assert {key: max(one[1] for one in rows) for key, rows in found.items()} == pytest.approx(
        {key: value[1] for key, value in expected.items()}, rel=1e-9
    )
    assert table["evidence"].is_monotonic_decreasing


@pytest.mark.parametrize("seed", range(3))
def test_planted_errors_come_first(seed):
    """Errors in 5 % of the regions; of as many candidates, at least 80 % are planted ones."""
    rng = np.random.default_rng(seed)
    planted = plant(rng, 120)
    gt = planted.gt
    compared = [lcm.compare(gt, draw_model(rng, planted, f"model {k}")) for k in range(2)]
    assert all(0.85 <= c.confusion().average("micro")["f1"] <= 0.95 for c in compared)
    table = lcm.label_errors(compared)
    assert found_errors(table.head(len(planted.errors)), planted.errors).mean() >= 0.8


def test_the_errors_planted_in_the_sample_are_found():
    """Ten of twelve are among the first twenty; no model has the list item of letter-5, so it cannot be found."""
    gt = lcm.read(SAMPLE / "gt.json")
    compared = [lcm.compare(gt, lcm.read(SAMPLE / f"model-{name}.json", like=gt)) for name in "ac"]
    compared.insert(1, lcm.compare(gt, lcm.read(SAMPLE / "model-b.csv"), mapping=SAMPLE / "mapping.yaml"))
    rows = pd.read_csv(SAMPLE / "planted-errors.csv").astype(object)
    errors = []
    for row in rows.itertuples(index=False):
        written, right = (Region(row.page, one[0], tuple(map(float, one[1:]))) for one in (row[2:7], row[7:]))
        errors.append(Planted(row.kind, written, right))
    assert found_errors(lcm.label_errors(compared).head(20), errors).sum() >= 10
