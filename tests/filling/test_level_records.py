"""The JSON of documents and pages: their matrices, shares, class values; large matrices and very many documents."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.filling import level_records
from layoutcm.results.encoding import json_text
from support.comparisons import different_labels, three_pages
from support.layouts import build
from support.results import full_result

SHARES = ("recall", "precision", "f1")
CLASS_KEYS = ["label", "gt_pixels", "pred_pixels", "precision", "recall", "f1", "iou"]


def array(matrix):
    """A matrix of the JSON as an array, in either form."""
    if not isinstance(matrix, dict):
        return np.array(matrix, float)
    dense = np.zeros(matrix["shape"])
    dense[matrix["row"], matrix["column"]] = matrix["value"]
    return dense


def assert_record_is_of(confusion, record):
    """Every number of a record is that of the matrix which the comparison gives for the same pages."""
    assert array(record["confusion"]) == pytest.approx(confusion.values)
    for name in SHARES:
        assert array(record[name]) == pytest.approx(getattr(confusion, name), nan_ok=True)
    assert array(record["collapsed"]) == pytest.approx(confusion.collapse().values)
    assert record["pred_pixels"] == pytest.approx(confusion.pred_pixels)
    assert list(record["content_pixels"].values()) == pytest.approx(confusion.content_pixels)
    numbers = [(record["right"], confusion.right), *((record["content"][k], v) for k, v in confusion.content().items())]
    for found, expected in numbers:
        assert np.isnan(expected) if found is None else found == pytest.approx(expected)
    if confusion.diagonal:
        rows = [[np.nan if value is None else value for value in row.values()] for row in record["classes"]]
        pd.testing.assert_frame_equal(pd.DataFrame(rows, columns=CLASS_KEYS), confusion.classes())
    else:
        assert record["classes"] is None
    masses = {name: array(record[name]) for name in ("recall_mass", "precision_mass") if name in record}
    assert list(masses) == ([] if confusion.method == "matrix" else ["recall_mass", "precision_mass"])
    for name, mass in masses.items():
        assert mass == pytest.approx(getattr(confusion, name))


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_records_of_all_levels(method, two_pages):
    for c in (three_pages(), different_labels(), lcm.compare(*two_pages), lcm.compare(build({}, []), build({}, []))):
        found = full_result(c, method, per_page=True)
        json_text(found)
        assert_record_is_of(c.confusion(method=method), found | {"collapsed": found["collapsed"]["confusion"]})
        assert [record["document"] for record in found["by_document"]] == c.documents
        assert [record["page"] for record in found["by_page"]] == c.pages
        for record in found["by_document"]:
            assert_record_is_of(c.confusion(document=record["document"], method=method), record)
        for record in found["by_page"]:
            assert_record_is_of(c.confusion(page=record["page"], method=method), record)


def test_documents_in_several_blocks(monkeypatch):
    whole = full_result(three_pages(), per_page=True)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", 1)
    assert full_result(three_pages(), per_page=True) == whole


def many_labels(count):
    """One page with two labels in use, of as many as wanted (without Background)."""
    labels = [f"label {k}" for k in range(count)]
    gt = build({"p": (4, 2)}, [("p", labels[0], 0, 0, 2, 1), ("p", labels[-1], 2, 0, 4, 1)], labels)
    return lcm.compare(gt, build({"p": (4, 2)}, [("p", labels[-1], 1, 0, 4, 1)], labels))


def test_a_large_matrix_is_written_as_its_cells_that_are_not_0():
    c = many_labels(200)  # with Background, 201 rows
    tree = {"Family": c.labels[1:101], "Other": c.labels[101:]}
    for method in ("matrix", "tensor"):
        found = full_result(c, method, per_page=True)
        for record in (found, *found["by_document"], *found["by_page"]):
            assert record["confusion"] == {
                "shape": [201, 201], "row": [0, 1, 1, 200], "column": [0, 0, 200, 200], "value": [4, 1, 1, 2],
            }  # fmt: skip
            assert not set(SHARES) & set(record) and len(record["pred_pixels"]) == 201
            classes = [one["label"] for one in record["classes"]]
            assert classes == (c.labels if record is found else [c.labels[0], c.labels[1], c.labels[-1]])
            assert ("precision_mass" in record) == (method == "tensor")
        assert found["collapsed"]["recall"] == [[1, 0], [0.25, 0.75]]
        assert found["objects"]["at_iou"]["confusion"]["values"]["shape"] == [201, 201]
        families = full_result(c, method, families=tree)["families"]
        assert families["at_depth"][0]["confusion"] == [[4, 0, 0], [1, 0, 1], [0, 0, 2]]
        assert len(families["matrices"]["Other"]["values"]) == 101
    all_in_one = full_result(c, families={"Family": c.labels[1:]})["families"]
    assert all_in_one["matrices"]["Family"]["values"]["shape"] == [201, 201]
    assert isinstance(full_result(many_labels(199))["confusion"], list)


PAGES = "page,document,width,height,label,x0,y0,x1,y1\n"


@pytest.fixture
def two_documents(tmp_path, monkeypatch):
    """Two files with two documents, of which only one may be listed in a result."""
    (tmp_path / "gt.csv").write_text(f"{PAGES}p,A,4,4,a,0,0,4,2\nq,B,2,2,b,0,0,2,2\n")
    (tmp_path / "pred.csv").write_text(f"{PAGES}p,A,4,4,a,0,0,4,1\nq,B,2,2,a,0,0,2,2\nq,B,2,2,b,0,0,1,2\n")
    shutil.copy(tmp_path / "pred.csv", tmp_path / "again.csv")
    monkeypatch.setattr(level_records, "MOST_DOCUMENTS", 1)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", 1)  # two blocks
    return tmp_path


def left_out(result):
    return [(one["message"], one["fix"]) for one in result["findings"] if one["code"] == "documents-left-out"]


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_very_many_documents_are_written_beside_the_json(two_documents, method, printed):
    gt, pred, target = (str(two_documents / name) for name in ("gt.csv", "pred.csv", "result.json"))
    assert "Write the result to a file" not in printed(["compare", gt, pred, "--method", method, "--json", target])
    found = json.loads((two_documents / "result.json").read_text())
    assert found["by_document"] is None and found["documents"] == 2
    assert "'documents.parquet' beside this file" in left_out(found)[0][0]
    table = pd.read_parquet(two_documents / "documents.parquet")
    c = lcm.compare(lcm.read(gt), lcm.read(pred))
    assert list(table["document"]) == ["A", "B"]
    scores = c.document_table(method).set_index("document")
    pd.testing.assert_frame_equal(table.set_index("document")[list(scores)].sort_index(), scores.sort_index())
    for row in table.to_dict("records"):
        m = c.confusion(document=row["document"], method=method)
        cells = {"row": row["row"], "column": row["column"], "shape": m.values.shape}
        assert (array({**cells, "value": row["value"]}) == m.recall_mass).all()
        assert (array({**cells, "value": row.get("precision_mass", row["value"])}) == m.precision_mass).all()
        assert (row["pred_pixels"] == m.pred_pixels).all()


def test_very_many_documents_without_a_file(two_documents, printed):
    gt, pred = str(two_documents / "gt.csv"), str(two_documents / "pred.csv")
    found = json.loads(printed(["compare", gt, pred, "--json", "-"]))
    hint = "Write the result to a file: the documents are then written beside it."
    assert found["by_document"] is None and left_out(found)[0][1] == hint
    assert not list(two_documents.glob("*.parquet"))


@pytest.mark.long
def test_very_many_documents_of_several_predictions_and_reports(two_documents):
    gt, pred, again = (str(two_documents / name) for name in ("gt.csv", "pred.csv", "again.csv"))
    target, report = two_documents / "result.json", two_documents / "report"
    for _ in range(2):  # the second report replaces the first
        assert main(["compare", gt, pred, again, "--json", str(target), "-o", str(report)]) == 0
    found = json.loads(target.read_text())
    for result, name in zip(found, ("pred", "again"), strict=True):
        assert f"'documents-{name}.parquet'" in left_out(result)[0][0]
        written = pd.read_parquet(two_documents / f"documents-{name}.parquet")
        pd.testing.assert_frame_equal(written, pd.read_parquet(report / name / "documents.parquet"))
        assert "'documents.parquet'" in left_out(json.loads((report / name / "result.json").read_text()))[0][0]


def test_documents_do_not_replace_an_input(two_documents, capsys):
    gt, pred = two_documents / "gt.csv", (two_documents / "pred.csv").rename(two_documents / "documents.parquet")
    before = pred.read_bytes()
    assert main(["compare", str(gt), str(pred), "--json", str(two_documents / "result.json")]) == 2
    assert "documents.parquet: the output would replace this input" in capsys.readouterr().err
    assert pred.read_bytes() == before and not (two_documents / "result.json").exists()


def test_documents_that_cannot_be_written(two_documents, capsys):
    gt, pred = str(two_documents / "gt.csv"), str(two_documents / "pred.csv")
    (two_documents / "documents.parquet").mkdir()
    assert main(["compare", gt, pred, "--json", str(two_documents / "result.json")]) == 2
    assert "documents.parquet: this is not the name of a file" in capsys.readouterr().err
