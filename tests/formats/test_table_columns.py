"""The columns `ignore`, `annotator` and `attr:NAME` of tables in files."""

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.formats import table_columns as columns
from layoutcm.formats.content import FileContent
from layoutcm.formats.readers import table
from support.hostile_formats import parquet_bytes, table_columns, zip_of
from support.reading import fails

HEADER = "page,width,height,label,x0,y0,x1,y1"
BOX = "a,50,50,Text,0,0,10,10"


def read(*lines, **options):
    return lcm.read(("t.csv", "\n".join(lines).encode()), **options)


def read_parquet(**columns):
    rows = len(next(iter(columns.values())))
    return lcm.read(("t.parquet", parquet_bytes(table_columns(rows, **columns))))


@pytest.mark.parametrize(("cell", "ignored"), [
    *((cell, True) for cell in ("1", "true", "TRUE", " yes ", "1.0")),
    *((cell, False) for cell in ("0", "false", "False", "no", "0.0", "", "  ")),
])  # fmt: skip
def test_ignore_is_a_flag(cell, ignored):
    layout = read(HEADER + ",ignore", f"{BOX},{cell}", f"{BOX},1")
    assert layout.region_columns.ignored.tolist() == [ignored, True]


def test_regions_that_are_not_judged_take_their_pixels_out():
    gt = read(HEADER + ",ignore", f"{BOX},1", "a,50,50,Text,20,0,30,10,0")
    assert gt.regions["ignore"].tolist() == [True, False]
    finding = gt.findings[0]
    assert (finding.code, finding.count) == ("ignore-without-crowd", 1)
    c = lcm.compare(gt, read(HEADER, "a,50,50,Text,20,0,30,10"))
    assert (c.ignored_pixels, c.pixels, c.confusion().recall[1, 1]) == (100, 2400, 1)
    crowd = read(HEADER + ",ignore,iscrowd", f"{BOX},1,1")
    assert crowd.findings == () and crowd.region_columns.coco.crowd.tolist() == [True]
    assert read(HEADER + ",ignore", f"{BOX},0").region_columns.ignore is None


@pytest.mark.parametrize("cell", ["maybe", "1,5", "x" * 200, "nan nan"])
def test_another_flag_is_an_error_that_names_the_row(cell):
    with pytest.raises(lcm.InputError, match=r"t.csv, row 3, column ignore: .* is neither 1 nor 0, true nor false"):
        read(HEADER + ",ignore", f"{BOX},1", f'{BOX},"{cell}"')


@pytest.mark.parametrize("flags", [
    pa.array([True, False, None]), pa.array([1, 0, None], pa.int8()), pa.array([1.0, 0.0, None]),
    pa.array(["true", "false", None]), pa.array(["1", "0", ""]).dictionary_encode(),
    pa.array([b"1", b"0", None], pa.binary()),
], ids=lambda column: str(column.type))  # fmt: skip
def test_flags_of_parquet_may_have_any_type(flags):
    assert read_parquet(ignore=flags).region_columns.ignored.tolist() == [True, False, False]


def test_the_first_annotator_is_read_and_every_page_stays():
    lines = [HEADER + ",annotator", f"{BOX},bob", f"{BOX.replace('Text', 'Title')},ann", "b,50,50,,,,,,"]
    layout = read(*lines, "c,50,50,Table,0,0,5,5,ann")
    assert (layout.annotator, layout.annotators) == ("bob", ("bob", "ann"))
    assert layout.pages["page"].tolist() == ["a", "b", "c"] and layout.labels == ["Text", "Title", "Table"]
    assert layout.regions["label"].tolist() == ["Text"]
    assert [finding.message for finding in layout.findings] == [
        "t.csv: the regions of annotator 'bob' are read; there is also 'ann'."
    ]
    other = read(*lines, annotator="ann")
    assert other.regions["label"].tolist() == ["Title"]
    fails(r"t.csv, annotator: there is no annotator 'eve'.* 'bob', 'ann'", read, *lines, annotator="eve")
    fails(r"there is no annotator 'eve'. Annotators in this file: none", read, HEADER, BOX, annotator="eve")
    long = f"{BOX},{'x' * 1001}"
    fails(r"annotator 0: the name of the annotator .* has 1,001 characters", read, HEADER + ",annotator", long)


def test_one_annotator_needs_no_finding():
    layout = read(HEADER + ",annotator", f"{BOX},ann", f"{BOX},")
    assert (layout.annotator, layout.annotators, layout.findings) == ("ann", ("ann",), ())
    assert len(layout.region_columns) == 2


def test_attributes_become_columns_of_pages():
    layout = read(HEADER + ",attr:Doc Category,attr:dpi", f"{BOX},,300", f"{BOX},law,", "b,50,50,,,,,,,200")
    assert layout.pages[["Doc Category", "dpi"]].to_numpy().tolist() == [["law", "300"], ["", "200"]]
    numbers = read_parquet(**{"attr:dpi": pa.array([300, None]), "attr:": pa.array([1, 2])})
    assert numbers.page_columns.attributes == {"dpi": ("300",)}


@pytest.mark.parametrize(("header", "row", "message"), [
    ("attr:a,attr:a", "x,x", "header: the column 'attr:a' occurs twice"),
    (",".join(f"attr:{i}" for i in range(101)), "," * 100, "header: 101 columns of attributes, but at most 100"),
    ("attr:" + "x" * 1001, "y", "attribute 0: the name of the attribute .* has 1,001 characters"),
    ("attr:a", "y" * 1001, "row 2: the attribute 'a' .* has 1,001 characters"),
])  # fmt: skip
def test_attributes_are_limited(header, row, message):
    fails(message, read, f"{HEADER},{header}", f"{BOX},{row}")


def test_columns_of_other_tools_without_a_version_have_no_meaning():
    layout = read_parquet(page_key=pa.array(["["]), area=pa.array([7.0]), iscrowd=pa.array([0]))
    assert layout.keys == {} and layout.region_columns.coco is None


def test_attributes_are_texts_for_pandas(tmp_path):
    lcm.write(read(HEADER + ",attr:kind", f"{BOX},law"), "parquet", tmp_path / "t.parquet")
    assert pd.read_parquet(tmp_path / "t.parquet")["attr:kind"].tolist() == ["law"]


CELLS = st.sampled_from(["", " ", "a", "é\0", "1", "-1.50", "nan", "0,5", "\ufeff", "1e3", '"q"', "#", "NA", "\r"])
LINES = st.lists(st.lists(CELLS, max_size=4).map(",".join) | st.lists(CELLS, min_size=2, max_size=2).map(",".join))


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["", "\n"]), st.sampled_from(["", "\ufeff"]))
def test_a_small_table_has_the_cells_that_arrow_reads(lines, end, mark):
    content = FileContent("a.csv", (mark + "\n".join(["a,b", *lines]) + end).encode())
    found = table._small_table(content)
    if found is not None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "SMALL", -1)
            assert found.equals(table.read_cells(content))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["", "1", "-0", "-1.50", "007", "0.1", "123456789012345.678", "1e3"]), min_size=1))
def test_a_short_column_has_the_numbers_of_a_long_one(cells):
    column = pa.table({"x": pa.array([cell or None for cell in cells], pa.string())})
    short = table_columns_of(column)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "FEW_ROWS", 0)
        assert table_columns_of(column) == short


def table_columns_of(column):
    return columns.number_column("a.csv", column, 0, "row {}".format).tobytes()


def test_many_small_tables_are_the_join_of_each_alone_and_need_no_arrow_reader(monkeypatch):
    monkeypatch.delattr("pyarrow.csv.read_csv")
    row = lambda i: f"p{i},{'ab'[i % 2]},{i},2,30.5,40,100,90"
    files = {f"{i}.csv": f"page,label,x0,y0,x1,y1,width,height\n{row(i)}\np{i},,,,,,100,90\n" for i in range(9)}
    found = lcm.read(("all.zip", zip_of(files)))
    alone = [lcm.read((name, data.encode())) for name, data in files.items()]
    pd.testing.assert_frame_equal(found.regions, pd.concat([one.regions for one in alone], ignore_index=True))
    pd.testing.assert_frame_equal(found.pages, pd.concat([one.pages for one in alone], ignore_index=True))
    assert found.labels == ["a", "b"]
    wrong = files | {"7.csv": files["7.csv"].replace("30.5", "3x")}
    with pytest.raises(lcm.InputError, match=r"7\.csv, row 2, column x1: '3x' is not a number"):
        lcm.read(("all.zip", zip_of(wrong)))
