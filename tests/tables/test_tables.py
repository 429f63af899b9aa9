"""Single tables with their options, the list of averages, and tables as CSV and Parquet."""

import csv
import io
import json
import os

import pandas as pd
import pyarrow.parquet
import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.filling.result_parts import objects_part
from layoutcm.results.measures import OF_PIXELS, grid_rows
from layoutcm.tables.matrix_views import Selection
from layoutcm.tables.report_tables import findings_table
from layoutcm.tables.tables import (
    Table,
    average_table,
    class_table,
    confusions_table,
    family_tables,
    matrix_table,
    object_tables,
)
from layoutcm.tables.written_forms import csv_text, write_parquet
from support.coco_files import coco, region
from support.layouts import build
from support.sample_comparisons import compare_sample
from support.three_pages import different_labels, three_pages

NO_SCORES = (
    "There is no AP. The prediction has no scores, and without them AP would depend on the order in the file. "
    "Panoptic quality, and precision, recall and F1 at one IoU, need no scores."
)
NO_COMMON_LABELS = (
    "There is no AP. The two sides have different labels, so no prediction can be right for its label, and AP has no "
    "meaning. Map labels to each other, or look at the object confusion matrix and the class-blind scores."
)


def assert_table(table, name, title, *rows, note=""):
    assert (table.name, table.title, table.note) == (name, title, note)
    assert [table.headings(), *table.data.to_numpy().tolist()] == list(rows)


def test_objects_without_scores():
    """The boxes of a have an IoU of 8 / 16. The boxes of b have one of 4 / 5."""
    gt = build({"p": (5, 5)}, [("p", "a", 0, 0, 4, 4), ("p", "b", 0, 4, 5, 5)], "abc")
    pred = build({"p": (5, 5)}, [("p", "a", 0, 0, 4, 2), ("p", "b", 0, 4, 4, 5)], "abc")
    scores, classes = object_tables(objects_part(lcm.compare(gt, pred).objects(), 0.75))
    names = [f"object {score}, at IoU 0.75" for score in ("precision", "recall", "F1")]
    names += [f"{name}, whatever the label" for name in names]
    qualities = [["panoptic quality", 0.4], ["segmentation quality", 0.4], ["recognition quality", 0.5]]
    rows = [["measure", "value"], *qualities, *([name, 0.5] for name in names)]
    assert_table(scores, "object_scores", "Objects (boxes)", *rows, note=NO_SCORES)
    rows = [
        ["label", "gt", "pred", "PQ", "SQ", "RQ", "TP", "FP", "FN", "precision", "recall", "F1"],
        ["a", 1, 1, 0.0, 0.0, 0.0, 0, 1, 1, 0.0, 0.0, 0.0],
        ["b", 1, 1, 0.8, 0.8, 1.0, 1, 0, 0, 1.0, 1.0, 1.0],
    ]
    assert_table(classes, "objects", "Objects by class, found at IoU 0.75", *rows, note=NO_SCORES)
    assert list(classes.data.index) == [0, 1]


def test_objects_with_different_labels():
    scores, classes = object_tables(objects_part(different_labels().objects()))
    values = [[f"object {score}, at IoU 0.50, whatever the label", 1.0] for score in ("precision", "recall", "F1")]
    assert_table(scores, "object_scores", "Objects (boxes)", ["measure", "value"], *values, note=NO_COMMON_LABELS)
    rows = [["label", "gt", "pred"], ["a", 1, 0], ["x", 0, 1]]
    assert_table(classes, "objects", "Objects by class, found at IoU 0.50", *rows, note=NO_COMMON_LABELS)


def test_objects_with_masks():
    triangle = json.dumps(coco(annotations=[region(segmentation=[[10, 20, 40, 20, 10, 60]])])).encode()
    layout = lcm.read(("gt.json", triangle), shapes="polygon")
    assert object_tables(objects_part(lcm.compare(layout, layout).objects()))[0].title == "Objects (masks)"


def test_averages_and_largest_cells_with_different_labels():
    c = different_labels()
    rows = [["average", "precision", "recall", "F1"], ["content, against Background", 1.0, 0.5, 2 / 3]]
    assert_table(average_table(result_of(c)), "averages", "Averages", *rows)
    rows = [["gt", "pred", "pixels", "share of gt"], ["a", "Background", 4.0, 0.5], ["a", "x", 4.0, 0.5]]
    assert_table(confusions_table(c.confusion()), "confusions", "Largest cells", *rows)


def test_the_twenty_largest_confusions():
    labels = "abcdefghijklmnopqrstuv"
    confusion = lcm.label_sets_confusion(list(labels), [*labels[1:], "a"], labels)
    assert confusions_table(confusion).data["gt"].tolist() == list("abcdefghijklmnopqrst")
    assert confusions_table(confusion, 2).data["pred"].tolist() == ["b", "c"]


def test_selected_rows_and_columns():
    confusion = three_pages().confusion()
    table = matrix_table(confusion, "pixels", Selection([1, 2], [0, 2, 3]))
    rows = [["gt", "Background", "b", "c"], ["a", 0.0, 4.0, 0.0], ["b", 0.0, 0.0, 0.0]]
    assert_table(table, "confusion", "Pixels, rows gt, columns pred", *rows)
    assert class_table(confusion, Selection([0, 2], [])).data["label"].tolist() == ["Background", "b"]


@pytest.mark.parametrize("label", ["gt", "out of family", "f1"])
def test_labels_named_like_a_column_of_a_family(label):
    layout = build({"p": (4, 4)}, [("p", label, 0, 0, 4, 2)])
    result = result_of(lcm.compare(layout, layout), asked=Asked(families={"F": [label]}))
    table = family_tables(result.families)[-1]
    rows = [["gt", label, "out of family"], [label, 8.0, 0.0], ["out of family", 0.0, 0.0]]
    assert_table(table, "family_2", "Family F", *rows)
    assert table.kinds() == ["text", "pixels", "pixels"]


def test_messages_of_findings_are_on_one_line():
    layout = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 2)] * 2, name="line\nbreak")
    assert findings_table(result_of(lcm.compare(layout, layout))).data.iloc[0].tolist() == [
        "warning",
        "duplicate-box",
        1,
        "line break: 1 region is a duplicate with the same page, box and label as another (first: 'a' on page 'p').",
        "Pixels are not counted twice, but objects are: remove the duplicates.",
    ]


def test_titles_and_figures_of_averages():
    titles = {title: row["f1"].column for title, row in grid_rows(OF_PIXELS).items()}
    assert titles == {
        "content, against Background": "content_f1",
        "micro, without Background": "micro_f1",
        "macro, without Background": "macro_f1",
        "weighted, without Background": "weighted_f1",
        "micro, with Background": "micro_f1_with_background",
        "macro, with Background": "macro_f1_with_background",
        "weighted, with Background": "weighted_f1_with_background",
        "macro, mean over pages": "macro_f1_over_pages",
        "macro, mean over documents": "macro_f1_over_documents",
    }
    left_out = [title for title in titles if title not in grid_rows(OF_PIXELS, brief=True)]
    assert left_out == ["macro, with Background", "weighted, with Background"]


# A file name can contain a lone surrogate, which UTF-8 cannot encode.
DATA = pd.DataFrame({"count": [1, 2], "pixels": [0.1, float("nan")], "f1": [1 / 3, 1.0]}, index=[4, 7])
DATA.insert(0, "page", pd.Series(['a "b"', "c\ud800"], dtype=object, index=[4, 7]))


def test_csv_has_full_precision_and_equal_bytes_on_every_machine(monkeypatch):
    monkeypatch.setattr(os, "linesep", "\r\n")
    assert csv_text(Table("pages", "Pages", DATA)) == (
        '"page","count","pixels","f1"\n"a ""b""",1,0.1,0.3333333333333333\n"c?",2,"",1.0\n'
    )


def test_text_never_becomes_a_formula_in_a_csv_and_numbers_stay_numbers():
    """Oracle: the csv module reads the cells as a spreadsheet does."""
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "a=1", "'=1", "", "–"]
    data = pd.DataFrame({"=page": texts, "f1": [-0.5] * len(texts), "n": [-1] * len(texts)})
    data["mixed"] = pd.Series([-2.5, "=x", *texts[2:]], dtype=object)
    header, *rows = csv.reader(io.StringIO(csv_text(Table("pages", "Pages", data)), newline=""))
    assert header == ["'=page", "f1", "n", "mixed"]
    assert [row[0] for row in rows] == [*(f"'{text}" for text in texts[:8]), *texts[8:]]
    assert {(row[1], row[2]) for row in rows} == {("-0.5", "-1")} and [row[3] for row in rows][:2] == ["-2.5", "'=x"]


def test_parquet_has_the_columns_only(tmp_path):
    write_parquet(Table("pages", "Pages", DATA), tmp_path / "pages.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "pages.parquet", use_threads=False)
    assert found.column_names == ["page", "count", "pixels", "f1"]
    assert found.to_pydict() == {"page": ['a "b"', "c?"], "count": [1, 2], "pixels": [0.1, None], "f1": [1 / 3, 1.0]}


def test_classes_with_intervals_have_both_ends_beside_f1():
    result = compare_sample().result()
    table = class_table(result.confusion(), intervals=result.intervals)
    assert list(table.data)[3:] == ["precision", "recall", "f1", "f1_low", "f1_high", "iou"]
    row = table.data.iloc[1]
    assert row["f1_low"] < row["f1"] < row["f1_high"]
