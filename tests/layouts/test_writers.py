"""Writing a layout and reading it back gives the same layout."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.shapes import Outline
from layoutcm.layouts.validation import make_layout
from support.reading import fails
from support.writing import FULL_WRITERS as WRITERS

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda name: name.strip() == name and name.casefold() != "background"
)
EDGES = st.floats(0, 500, allow_subnormal=False)


@st.composite
def layouts(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    labels = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    n = draw(st.integers(0, 8))
    corners = [sorted(draw(st.tuples(EDGES, EDGES))) for _ in range(2 * n)]
    far = [low if draw(st.integers(0, 4)) == 0 else high + 1 for low, high in corners]  # some boxes have no area
    near = [low for low, _ in corners]
    boxes = list(zip(near[::2], near[1::2], far[::2], far[1::2]))
    has_documents = draw(st.booleans())
    scores = st.floats(0, 1) if draw(st.booleans()) else st.just(np.nan)
    pages = Pages(
        tuple(names), np.full(len(names), 640.5), np.full(len(names), 800.0),
        tuple(["a document" if has_documents else ""] * len(names)),
        np.arange(1, len(names) + 1, dtype=np.int32) if has_documents else np.full(len(names), -1, np.int32),
    )  # fmt: skip
    regions = Regions(
        np.array(sorted(draw(st.integers(0, len(names) - 1)) for _ in range(n)), np.int32),
        np.array([draw(st.integers(0, len(labels) - 1)) for _ in range(n)], np.int32),
        np.array(boxes, float).reshape(-1, 4),
        np.array([draw(scores) for _ in range(n)], float),
    )
    return make_layout("made", "test", labels, pages, regions)


def assert_same_layout(one, other):
    pages, other_pages = one.page_columns, other.page_columns
    assert one.labels == other.labels
    assert (pages.names, pages.documents) == (other_pages.names, other_pages.documents)
    assert np.array_equal(pages.widths, other_pages.widths) and np.array_equal(pages.numbers, other_pages.numbers)
    left, right = (
        one.regions.drop(columns="outline", errors="ignore"),
        other.regions.drop(columns="outline", errors="ignore"),
    )
    assert left[["page", "label"]].to_numpy().tolist() == right[["page", "label"]].to_numpy().tolist()
    numbers = ["x0", "y0", "x1", "y1", "score"]
    error = 1e-12 if other.format == "coco" else 0  # COCO stores widths, not edges
    assert np.allclose(left[numbers].to_numpy(float), right[numbers].to_numpy(float), error, error, equal_nan=True)


@pytest.mark.parametrize("to", WRITERS)
@settings(max_examples=40)
@given(layout=layouts())
def test_reading_back_gives_the_same_layout(to, layout):
    assert_same_layout(layout, lcm.read((f"file.{to}", WRITERS[to](layout))))


ODD = ["", " ", "\t", "\n", "\r", "a\rb", "a\nb", "a\r\nb", '"', 'a"b', "a,b", "a;b", "=1+1", "-1", "@x", "x" * 1_000]
ODD += ["/a/b", "\\", "'", "nan", "NA", "0001", "1e5", "true", "\0", "\ufeff", "\u2028", "\x85", " a ", "\udce9"]
ODD_NAMES = st.sampled_from(ODD) | st.text(st.characters(), max_size=5)


@pytest.mark.parametrize("to", WRITERS)
@settings(max_examples=60)
@given(
    names=st.lists(ODD_NAMES, min_size=1, max_size=3, unique_by=lambda name: name.strip()),
    documents=st.lists(ODD_NAMES, min_size=3, max_size=3),
    label=ODD_NAMES,
)
@example(names=[" "], documents=["", "", ""], label="Text")
def test_layouts_with_odd_names_can_be_read_back(to, names, documents, label):
    n = len(names)
    pages = Pages(tuple(names), np.full(n, 9.0), np.full(n, 9.0), tuple(documents[:n]), np.full(n, -1, np.int32))
    box = np.array([[0, 0, 5, 5.0]])
    regions = Regions(np.zeros(1, np.int32), np.zeros(1, np.int32), box, np.array([np.nan]))
    layout = make_layout("made", "test", [label], pages, regions)
    assert_same_layout(layout, lcm.read((f"file.{to}", WRITERS[to](layout))))


def test_a_blank_page_name_becomes_a_name():
    coco = {"images": [{"id": 1, "file_name": " ", "width": 9, "height": 9, "doc_name": " "}], "annotations": []}
    layout = lcm.read(("x.json", json.dumps(coco).encode()))
    assert layout.page_columns.names == ("(no name)",) and layout.page_columns.documents == ("",)


@pytest.mark.parametrize("to", WRITERS)
def test_outlines_are_kept(to):
    triangle = Outline((np.array([[0.0, 0], [10, 0], [0, 10.5]]),))
    pages = Pages(("a.png",), np.array([20.0]), np.array([20.0]), ("",), np.array([-1], np.int32))
    regions = Regions(
        np.zeros(2, np.int32), np.zeros(2, np.int32), np.array([[0, 0, 10, 10.5], [1, 1, 2, 2]]), np.full(2, np.nan),
        {0: triangle},
    )  # fmt: skip
    layout = make_layout("made", "test", ["Text"], pages, regions)
    assert not lcm.read((f"file.{to}", WRITERS[to](layout))).region_columns.shapes
    again = lcm.read((f"file.{to}", WRITERS[to](layout)), shapes="polygon")
    assert (
        np.array_equal(again.region_columns.shapes[0].rings[0], triangle.rings[0])
        and 1 not in again.region_columns.shapes
    )


def test_convert_command_writes_and_prints_a_summary(tmp_path, capsys):
    source, target = tmp_path / "in.csv", tmp_path / "out.json"
    source.write_text("page,width,height,label,x0,y0,x1,y1\na,10,10,Text,1,1,5,5\nb,10,10,,,,,\n")
    assert main(["convert", str(source), "--to", "coco", "-o", str(target)]) == 0
    assert capsys.readouterr().out.strip() == f"{target}: coco, 2 pages, 1 region"
    assert_same_layout(lcm.read(source), lcm.read(target))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["in.csv", "out.json"]


def test_path_that_cannot_be_written_is_an_error(tmp_path, capsys):
    source = tmp_path / "in.csv"
    source.write_text("page,width,height,label,x0,y0,x1,y1\na,10,10,Text,1,1,5,5\n")
    assert main(["convert", str(source), "--to", "csv", "-o", str(tmp_path / "no" / "out.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("to", WRITERS)
def test_unused_labels_keep_their_order(to, tmp_path):
    pages = Pages(("a", "b"), np.full(2, 9.0), np.full(2, 9.0), ("d", "d"), np.array([1, 2], np.int32))
    regions = Regions(np.array([0], np.int32), np.array([1], np.int32), np.array([[0, 0, 5, 5.0]]), np.array([np.nan]))
    layout = make_layout("made", "test", ["Title", "Text", "Table"], pages, regions)
    path = tmp_path / "out.any"
    lcm.write(layout, to, path)
    again = lcm.read(path)
    assert_same_layout(layout, again)
    other = lcm.read(("o.csv", b"page,width,height,label,x0,y0,x1,y1\na,9,9,Table,0,0,5,5\nb,9,9,,,,,\n"))
    assert lcm.compare(again, other).taxonomy == lcm.compare(layout, other).taxonomy == "same"


def test_row_with_only_a_label_declares_the_label():
    table = b"page,width,height,label,x0,y0,x1,y1\n,,,Title,,,,\na,9,9,Text,0,0,5,5\n,,,Table,,,,\n"
    layout = lcm.read(("t.csv", table))
    assert layout.labels == ["Title", "Text", "Table"] and layout.page_columns.names == ("a",)
    assert layout.labels_in_use == {"Text"}


@pytest.mark.parametrize("row", [b",9,9,Text,0,0,5,5", b",9,9,Text,,,,", b",,,,,,,"])
def test_row_without_page_and_not_only_a_label_is_an_error(row):
    table = b"page,width,height,label,x0,y0,x1,y1\n,,,Title,,,,\n" + row + b"\n"
    fails("row 3, column page: the page has no name", lcm.read, ("t.csv", table))


def test_file_name_of_maximum_length_can_be_written(tmp_path):
    layout = lcm.read(("t.csv", b"page,width,height,label,x0,y0,x1,y1\na,9,9,Text,0,0,5,5\n"))
    lcm.write(layout, "csv", tmp_path / ("x" * 255))
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]
