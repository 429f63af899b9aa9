"""Files for correcting the ground truth: the readers read them, with gt as it is and with the suggestions."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.layouts.shapes import Outline
from support.layouts import build

PAGES = {f"p{i}.png": (100, 100) for i in range(60)}
TITLE, TEXT = ("Title", 10, 10, 60, 30), ("Text", 10, 40, 90, 80)
GOOD = [(page, *region) for page in PAGES for region in (TITLE, TEXT)]
LABELS = ["Text", "Title"]
# A label on p0, a missing region on p1, a box on p2, a spurious region on p3.
WRONG = [
    ("p0.png", "Text", 10, 10, 60, 30), GOOD[1], GOOD[3], ("p2.png", "Title", 10, 10, 40, 30), *GOOD[5:],
    ("p3.png", "Title", 10, 85, 60, 95),
]  # fmt: skip


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
