"""Files of label errors, choices of candidates, and unusual arguments."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.reading import report_names
from layoutcm.layouts.shapes import Outline
from layoutcm.models.label_errors import usable_comparisons
from layoutcm.models.suggestions import candidate_keys, chosen_candidates
from support.layouts import build
from support.paths import SAMPLE
from support.truth_files import GOOD, LABELS, PAGES, WRONG


@pytest.fixture(scope="module")
def found():
    """A gt with four errors, and the candidates against two predictions without errors."""
    gt, good = build(PAGES, WRONG, LABELS, name="gt"), build(PAGES, GOOD, LABELS, name="good")
    errors = lcm.label_errors([lcm.compare(gt, good)] * 2)
    assert sorted(errors["kind"]) == ["box", "label", "missing", "spurious"]
    return gt, errors


def regions_of(layout):
    """The rows of a layout by page, in any order."""
    columns = ["page", "label", "x0", "y0", "x1", "y1"]
    return sorted(map(tuple, layout.regions[columns].astype(dict.fromkeys(columns[2:], float)).values.tolist()))


def on_pages(rows, pages):
    return sorted((page, label, *map(float, box)) for page, label, *box in rows if page in pages)


def test_csv_marks_text_that_a_spreadsheet_would_compute(found, tmp_path):
    gt, errors = found
    lcm.write_label_errors(errors.assign(page="=1+1"), gt, tmp_path / "e.csv")
    assert set(pd.read_csv(tmp_path / "e.csv")["page"]) == {"'=1+1"}


def test_csv_has_the_table(found, tmp_path):
    gt, errors = found
    assert lcm.write_label_errors(errors, gt, tmp_path / "e.csv") == ()
    again = pd.read_csv(tmp_path / "e.csv")
    assert again.columns.tolist() == errors.columns.tolist()
    np.testing.assert_allclose(again["evidence"], errors["evidence"])
    assert again["region"].fillna(-1).tolist() == errors["region"].fillna(-1).tolist()


def test_label_studio_has_gt_as_annotation_and_the_corrected_page_as_prediction(found, tmp_path):
    gt, errors = found
    lcm.write_label_errors(errors, gt, tmp_path / "e.json")
    pages = errors["page"].tolist()
    assert regions_of(lcm.read(tmp_path / "e.json")) == on_pages(WRONG, pages)
    assert regions_of(lcm.read(tmp_path / "e.json", annotator="model: layoutcm suggestion")) == on_pages(GOOD, pages)
    tasks = json.loads((tmp_path / "e.json").read_text())
    assert [task["data"]["image"] for task in tasks] == pages  # the strongest evidence first
    of_page = {task["data"]["image"]: task for task in tasks}
    assert of_page["p0.png"]["data"]["suggestions"].startswith("Text should be Title (0.")
    evidence = dict(zip(pages, errors["evidence"]))
    assert all(task["predictions"][0]["score"] == evidence[page] for page, task in of_page.items())
    changed = [one["meta"]["text"] for one in of_page["p1.png"]["predictions"][0]["result"] if "meta" in one]
    assert len(changed) == 1 and changed[0][0].startswith("suggestion: Title is missing, evidence: 0.")


def test_cvat_has_gt_and_a_box_for_each_suggestion(found, tmp_path):
    gt, errors = found
    lcm.write_label_errors(errors, gt, tmp_path / "e.xml")
    marks = [("p0.png", 10, 10, 60, 30), ("p1.png", 10, 10, 60, 30), ("p2.png", 10, 10, 60, 30)]
    marks = [(page, "Suggestion", *box) for page, *box in [*marks, ("p3.png", 10, 85, 60, 95)]]
    layout = lcm.read(tmp_path / "e.xml")
    assert regions_of(layout) == on_pages([*WRONG, *marks], errors["page"].tolist())
    assert layout.labels == ["Text", "Title", "Suggestion"]
    root = ElementTree.parse(tmp_path / "e.xml").getroot()
    texts = lambda image: {one.get("name"): one.text for one in image.iter("attribute")}
    notes = {image.get("name"): texts(image) for image in root.iter("image")}
    assert notes["p3.png"]["suggestion"] == "Title should be removed" and notes["p3.png"]["evidence"].startswith("0.")
    declared = root.findall("meta/task/labels/label/attributes/attribute")
    assert [one.findtext("name") for one in declared] == ["suggestion", "evidence"]
    assert {one.findtext("input_type") for one in declared} == {"text"}


def test_a_label_that_is_called_suggestion_stays_apart(tmp_path):
    names = ["Suggestion", "Text"]
    rename = lambda rows: [(page, "Suggestion" if label == "Title" else label, *box) for page, label, *box in rows]
    gt, good = (build(PAGES, rename(rows), names) for rows in (WRONG, GOOD))
    lcm.write_label_errors(lcm.label_errors(lcm.compare(gt, good)), gt, tmp_path / "e.xml")
    assert lcm.read(tmp_path / "e.xml").labels == ["Suggestion", "Text", "Suggestion-2"]


def test_a_wrong_outline_becomes_a_box_and_others_stay(tmp_path):
    gt = build(PAGES, WRONG, LABELS)
    ring = np.array([[10, 10], [40, 10], [40, 30], [12, 30]], float)
    row = WRONG.index(("p2.png", "Title", 10, 10, 40, 30))
    gt.region_columns.shapes.update({row: Outline([ring]), 0: Outline([ring + 1])})
    errors = lcm.label_errors([lcm.compare(build(PAGES, WRONG, LABELS), build(PAGES, GOOD, LABELS))] * 2)
    lcm.write_label_errors(errors, gt, tmp_path / "e.json")
    layout = lcm.read(tmp_path / "e.json", shapes="polygon", annotator="model: layoutcm suggestion")
    kept = {layout.regions.loc[i, "page"] for i in layout.region_columns.shapes}
    assert kept == {"p0.png"}
    assert ("p2.png", "Title", 10.0, 10.0, 60.0, 30.0) in regions_of(layout)


def test_wrong_arguments_are_input_errors(found, tmp_path):
    gt, errors = found
    with pytest.raises(lcm.InputError, match=r"to: 'coco' is not known\. Use one of csv, label-studio, cvat"):
        lcm.write_label_errors(errors, gt, tmp_path / "e.json", to="coco")
    with pytest.raises(lcm.InputError, match=r"the suffix '.txt' belongs to no format. Use .csv, .json or .xml"):
        lcm.write_label_errors(errors, gt, tmp_path / "e.txt")
    with pytest.raises(lcm.InputError, match="its name has no suffix"):
        lcm.write_label_errors(errors, gt, tmp_path / "e")
    with pytest.raises(lcm.InputError, match="gt: 'gt' is not a layout"):
        lcm.write_label_errors(errors, "gt", tmp_path / "e.csv")
    with pytest.raises(lcm.InputError, match="there is no candidate, so there is no page to correct"):
        lcm.write_label_errors(errors.head(0), gt, tmp_path / "e.json")
    lcm.write_label_errors(errors.head(0), gt, tmp_path / "e.csv")
    other = build({"p0.png": (100, 100), "p9.png": (9, 9)}, WRONG[:2], LABELS)
    wrong = [
        ({"page": "x"}, "there is no page 'x' in gt"),
        ({"region": 99, "page": "p0.png"}, "there is no region 99 in gt"),
        ({"region": 0, "page": "p9.png"}, "region 0 of gt is not on page 'p9.png'"),
    ]
    for changed, problem in wrong:
        table = errors[errors["kind"] == "label"].assign(**changed)
        with pytest.raises(lcm.InputError, match=rf"errors\[0\]: {problem}\. Give the gt that was compared"):
            lcm.write_label_errors(table, other, tmp_path / "e.json")


def test_corrected_pages_replace_those_of_gt(found, tmp_path):
    """The lines of docs/correcting.md; without the candidate on p3, its spurious region stays."""
    gt, errors = found
    lcm.write_label_errors(errors[errors["page"] != "p3.png"], gt, tmp_path / "e.json")
    fixed = lcm.read(tmp_path / "e.json", annotator="model: layoutcm suggestion")

    def table(layout):
        sizes = layout.pages[["page", "width", "height"]]
        return layout.regions.merge(sizes, on="page", how="right")

    old, new = table(gt), table(fixed)
    corrected = lcm.read(pd.concat([old[~old["page"].isin(new["page"])], new]))
    assert regions_of(corrected) == on_pages([*GOOD, WRONG[-1]], PAGES)


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
    expected = {"all": [0, 1, 2, 3], "accepted": [0, 2], "not dismissed": [0, 2, 3]}
    assert {which: chosen_candidates(errors, made, which).index.tolist() for which in expected} == expected
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


GT, MODEL_A = str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json")
ODD_ROWS = [{"page": "p", "label": "a", "x0": 0, "y0": 0, "x1": 5, "y1": 5}]


@pytest.fixture(scope="module")
def layout():
    return lcm.read(ODD_ROWS, sizes=(10, 10))


@pytest.fixture(scope="module")
def compared(layout):
    return lcm.compare(layout, lcm.read(ODD_ROWS, sizes=(10, 10)))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda c: c.pages_behind("a", "a", cause="nope"), "'nope' is not known"),
        (lambda c: c.forgiveness(0.1), "0.1 is not a list"),
        (lambda c: c.forgiveness(None), "None is not a list"),
        (lambda c: c.causes(tolerance=True), "True is not a share"),
        (lambda c: lcm.suggest_mapping(c.alignment.layouts[0], None), "None is not a layout"),
        (lambda c: lcm.compare(*c.alignment.layouts, min_score={"a": True}), "True is not a finite number"),
    ],
    ids=["cause", "tolerance alone", "no tolerances", "tolerance True", "no layout", "score True"],
)
def test_wrong_arguments_are_explained(compared, call, problem):
    with pytest.raises(lcm.InputError, match=problem):
        call(compared)


def test_numbers_of_numpy_are_numbers(compared):
    assert compared.causes(tolerance=np.float32(0.25)).tolerance == 0.25
    assert lcm.compare(*compared.alignment.layouts, min_score={"a": np.float32(0.5)}).pixels == 100


def test_causes_of_equal_layouts_are_zeros_of_floats(compared):
    values = compared.causes().values
    assert values.dtype == np.float64 and not values.any()


def test_two_scores_for_one_label_are_refused(refusal):
    twice = ["--min-score", "Table=0.1", "Table=0.2"]
    assert "two minimum scores for the label 'Table'" in refusal(["compare", GT, MODEL_A, *twice])
    assert "two minimum scores for all labels" in refusal(["compare", GT, MODEL_A, "--min-score", "0.1", "0.2"])


def test_label_errors_without_a_common_page(layout):
    other = lcm.read([{**ODD_ROWS[0], "page": "q"}], sizes=(10, 10))
    with pytest.raises(lcm.InputError, match="no page of pred is a page of gt"):
        lcm.label_errors([lcm.compare(layout, other)])


def test_a_name_of_points_is_no_folder(tmp_path):
    files = [str(tmp_path / name) for name in ("...json", "..json", "a.json")]
    assert report_names(files) == ["prediction", "prediction-2", "a"]
