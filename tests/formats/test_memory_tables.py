"""Tables in memory give the same layout as the same table in a CSV file; wrong values are named by row and column."""

import math
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support.full_layouts import full_layouts, page_facts, region_facts
from support.reading import fails, read_as, reads

ROW = {"page": "a", "label": "Text", "x0": 1, "y0": 2, "x1": 30, "y1": 40, "width": 50, "height": 60}
SMALL = {"page": "a", "label": "T", "x0": 0, "y0": 0, "x1": 5, "y1": 5, "width": 9, "height": 9}
SPELLINGS = [
    ("page", "image_id"), ("label", "category"), ("score", "confidence"), ("width", "page_width"), ("document", "doc"),
]  # fmt: skip
missing = st.sampled_from([None, math.nan, pd.NA])
rows = st.fixed_dictionaries(
    {
        "page": st.sampled_from(["a", "b", "0001"]), "label": st.sampled_from(["Text", "NA", "Títle"]),
        "x0": st.integers(0, 9) | st.floats(0, 9, allow_subnormal=False), "y0": st.integers(0, 9).map(np.int32),
        "x1": st.integers(10, 49).map(np.float32), "y1": st.floats(10, 49, allow_subnormal=False).map(np.float64),
    },
    optional={
        "score": st.floats(0, 1, allow_subnormal=False) | missing, "document": st.just("d") | missing,
        "number": st.just(3) | missing, "ignore": st.booleans() | missing, "attr:kind": st.just("law") | missing,
        "iscrowd": st.sampled_from([0, 1]),
    },
)  # fmt: skip


def as_csv(items):
    names = list(dict.fromkeys(name for item in items for name in item))
    cells = [["" if pd.isna(item.get(name)) else str(item.get(name)) for name in names] for item in items]
    return "\n".join(",".join(row) for row in [names, *cells]).encode()


def assert_same(one, other):
    assert page_facts(one) == page_facts(other) and one.labels == other.labels
    assert region_facts(one.region_columns) == region_facts(other.region_columns)
    assert (one.annotator, [f.code for f in one.findings]) == (other.annotator, [f.code for f in other.findings])


@settings(max_examples=80)
@given(st.lists(rows, min_size=1, max_size=6), st.sets(st.sampled_from(SPELLINGS)))
def test_a_table_in_memory_equals_the_same_table_in_a_csv(items, spellings):
    renamed = [{dict(spellings).get(name, name): value for name, value in item.items()} for item in items]
    expected = lcm.read(("t.csv", as_csv(renamed)), sizes=(50, 60))
    assert_same(lcm.read(renamed, sizes=(50, 60)), expected)
    assert_same(lcm.read(pd.DataFrame(renamed), sizes=(50, 60)), expected)
    assert_same(lcm.read(pd.DataFrame(renamed).convert_dtypes(), sizes=(50, 60)), expected)
    table = pa.Table.from_pandas(pd.DataFrame(renamed).convert_dtypes(), preserve_index=False)
    assert_same(lcm.read(table, sizes=(50, 60)), expected)


@settings(max_examples=60)
@given(full_layouts())
def test_the_tables_of_a_layout_can_be_read(layout):
    """Pages with regions come back; `regions` has outlines as shapes."""
    table = layout.pages.drop(columns=list(layout.page_columns.attributes)).merge(layout.regions, on="page")
    if len(table):
        again = lcm.read(table, shapes="polygon")
        assert len(again.region_columns.shapes) == len(layout.region_columns.shapes)
        assert sorted(again.region_columns.boxes.tolist()) == sorted(layout.region_columns.boxes.tolist())


def test_names_formats_and_digests():
    items = [ROW]
    for source, name in ((items, "list of dicts"), (pd.DataFrame(items), "DataFrame"), (pa.table([]), "Table")):
        source = pa.Table.from_pylist(items) if name == "Table" else source
        layout = lcm.read(source)
        assert (layout.name, layout.format, layout.sha256, layout.findings) == (name, "table", None, ())
        assert lcm.read(("model a", source)).name == "model a"
        assert lcm.read(source, format="table").labels == ["Text"]
        fails("format: 'csv' is not known", lcm.read, source, format="csv")


def test_a_table_is_compared_like_a_file(tmp_path):
    gt = lcm.read([ROW, ROW | {"page": "b", "label": None, "x0": None, "y0": None, "x1": None, "y1": None}])
    pred = lcm.read(pd.DataFrame([ROW | {"x1": 20}]).drop(columns=["width", "height"]), like=gt)
    assert gt.pages["page"].tolist() == ["a", "b"] and len(gt.region_columns) == 1
    c = lcm.compare(gt, pred)
    assert c.confusion().recall[1, 1] == pytest.approx(19 / 29)
    lcm.write(gt, "parquet", tmp_path / "gt.parquet")
    assert_same(lcm.read(tmp_path / "gt.parquet"), gt)


BARE = {name: value for name, value in ROW.items() if name not in ("page", "width", "height")}
TRIANGLE = [[1.0, 2, 30, 2, 1, 40]]
NUMBERS = ROW | {"page": 7, "x0": Decimal("1.5"), "score": "0,25"}
CATEGORIES = pd.DataFrame([ROW, ROW]).astype({"page": "category", "label": "category"})
WITH_NAN = pa.Table.from_pylist([ROW | {"score": math.nan}, ROW | {"score": 0.5}])
PEOPLE = [ROW | {"annotator": name, "x1": x1} for name, x1 in (("ann", 5), ("bob", 6), (None, 7), ("ann", 8))]
KINDS = [ROW | {"attr:kind": kind} for kind in (None, "law", "law", "report")]
TWO_PAGES = pd.DataFrame([SMALL | {"page": page} for page in "ab"])
EMPTY_LISTS = pd.array([None], dtype=pd.ArrowDtype(pa.list_(pa.float64())))
test_reading = read_as(
    reads("a page without a name", [BARE], {"sizes": (9, 9)}, names=("list of dicts",)),
    reads("a page named like the table", ("scan 7", [BARE]), {"sizes": (9, 9)}, names=("scan 7",)),
    *(reads(f"an outline as {type(outline).__name__}", [ROW | {"outline": outline}, ROW | {"outline": None}],
            {"shapes": "polygon"}, shapes={0})
      for outline in (TRIANGLE, str(TRIANGLE), {"size": [60, 50], "counts": [0, 3000]})),
    reads("numbers of other types", [NUMBERS], names=("7",), boxes=[[1.5, 2, 30, 40]], scores=[0.25]),
    reads("categories of pandas", CATEGORIES, declared=["Text"]),
    reads("a page that is a float", pd.DataFrame([ROW | {"page": 7.0}]), names=("7",)),
    reads("other columns may hold anything", pd.DataFrame([ROW | {"note": object(), "picture": np.zeros(3)}]), count=1),
    reads("nan is missing in Arrow", WITH_NAN, scores=[None, 0.5]),
    reads("the first annotator", PEOPLE, annotator="ann", annotators=("ann", "bob"),
          boxes=[[1, 2, x1, 40] for x1 in (5, 7, 8)],
          says=["list of dicts: the regions of annotator 'ann' are read; there is also 'bob'."]),
    reads("the second annotator", PEOPLE, {"annotator": "bob"}, boxes=[[1, 2, x1, 40] for x1 in (6, 7)]),
    reads("an attribute has one value for each page", KINDS[:3], attributes={"kind": ["law"]}),
    *(reads(f"named levels of an index are columns: {index}", TWO_PAGES.set_index(index), names=("a", "b"),
            declared=["T"]) for index in ("page", ["page", "label"])),
    reads("a column of empty lists is empty", pd.DataFrame([SMALL]).assign(score=EMPTY_LISTS), scores=[None]),
    read=lcm.read,
)  # fmt: skip


@pytest.mark.parametrize("kind", [list, pd.DataFrame])
@pytest.mark.parametrize(("change", "message"), [
    ({"x0": "wide"}, r"row 1, column x0: 'wide' is not a number"),
    ({"x0": [1, 2]}, r"row 1, column x0: \[1, 2\] is neither text nor a number"),
    ({"label": {"a": 1}}, r"row 1, column label: \{'a': 1\} is neither text nor a number"),
    ({"x0": math.inf}, r"row 1, column x0: the value is inf"),
    ({"x0": None}, r"row 1: x0 is nan"),
    ({"page": None}, r"row 1, column page: the page has no name"),
    ({"ignore": "maybe"}, r"row 1, column ignore: 'maybe' is neither 1 nor 0, true nor false"),
    ({"width": 51}, r"row 0 and row 1: page 'a' is 50 x 60 and then 51 x 60"),
    ({"outline": {1: object()}}, r"row 1, column outline"),
    ({"x0": 10**400}, r"row 1, column x0"),
    ({"x0": object()}, r"row 1, column x0: '<object object at .*' is not a number"),
])  # fmt: skip
def test_a_wrong_value_is_named_by_row_and_column(kind, change, message):
    with pytest.raises(lcm.InputError, match=message) as error:
        lcm.read(kind([ROW, ROW | change]), shapes="polygon")
    assert error.value.file in ("list of dicts", "DataFrame") and error.value.hint


@pytest.mark.parametrize(("source", "message"), [
    ([{"page": "a"}], "list of dicts, header: the column 'x0' is missing"),
    ([ROW, 5], "list of dicts, row 1: 5 is not a dict"),
    ([{1: 2}], "the key 1 is not a text"),
    ([ROW, ROW | {"page": "\ud800"}], "row 1, column page: .* is neither text nor a number"),
    (pd.DataFrame([ROW]).assign(Label="x"), "DataFrame, header: the column 'label' occurs twice"),
    (pa.table({"page": [[1]], "label": ["a"], "x0": [1], "y0": [1], "x1": [2], "y1": [2]}), "Table, column page"),
    (("a", 5), r"\('a', 5\) is not an input.*Table or a list of dicts"),
    (pd.DataFrame([BARE]), "DataFrame, row 0: the size of page 'DataFrame' is not known"),
    (KINDS, "row 1 and row 3: the attribute 'kind' of page 'a' is 'law' and then 'report'"),
    ([ROW | {f"attr:{i}": "x" for i in range(101)}], "header: 101 columns of attributes, but at most 100 can be read"),
])  # fmt: skip
def test_what_is_no_table_is_refused(source, message):
    fails(message, lcm.read, source)


def test_an_empty_list_is_a_prediction_without_regions():
    gt = lcm.read([ROW])
    assert lcm.compare(gt, lcm.read([], like=gt)).confusion().average("micro")["recall"] == 0


def test_an_annotator_that_a_table_does_not_have_is_refused():
    fails(r"there is no annotator 'eve'. Annotators in this file: 'ann', 'bob'", lcm.read, PEOPLE, annotator="eve")


def test_neither_pandas_nor_pyarrow_is_loaded_to_find_out_what_a_source_is():
    code = "import sys, layoutcm\ntry: layoutcm.read(5)\nexcept layoutcm.InputError: print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'layoutcm'" in loaded and "'pandas'" not in loaded and "'pyarrow'" not in loaded


def test_outlines_of_numpy_and_arrow_and_missing_numbers_of_dictionaries():
    ring = [0.0, 0, 5, 0, 5, 5]
    frame = pd.DataFrame([SMALL, SMALL]).assign(outline=[np.array([ring], np.float32), [np.array(ring)]])
    table = pa.table({name: [value] * 2 for name, value in SMALL.items()})
    arrow = table.append_column("outline", pa.array([[ring], [ring]]))
    for source in (frame, arrow):
        shapes = lcm.read(source, shapes="polygon").region_columns.shapes
        assert [shape.rings[0].ravel().tolist() for shape in shapes.values()] == [ring, ring]
    scores = pa.array([0.5, math.nan]).dictionary_encode()
    assert np.isnan(lcm.read(table.append_column("score", scores)).region_columns.scores).tolist() == [False, True]


def test_crowds_and_areas_that_are_not_judged_survive_the_way_through_pandas():
    layout = lcm.read([SMALL | {"iscrowd": 1}, SMALL])
    assert layout.regions["iscrowd"].tolist() == [True, False]
    again = lcm.read(layout.regions, like=layout)
    assert again.region_columns.coco.crowd.tolist() == [True, False]
    area = lcm.read([SMALL, SMALL | {"label": None, "ignore": 1}])
    assert area.findings == () and len(area.ignore_areas) == 1
