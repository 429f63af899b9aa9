"""A layout with everything that it can hold is the same after writing and reading it as Parquet; as CSV nearly so."""

import io
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts import limits
from layoutcm.layouts.model import CocoFacts, Finding
from layoutcm.layouts.stored_facts import METADATA_KEY, VERSION
from layoutcm.layouts.table_writers import as_csv, as_parquet
from layoutcm.layouts.writing.coco import segmentation
from support.coco_files import coco, image, region
from support.full_layouts import NAMES, full_layouts, page_facts, region_facts
from support.hostile_formats import parquet_bytes
from support.layouts import build
from support.one_layout import one_full_layout
from support.paths import ROOT
from support.reading import fails

STORED = ROOT / "tests" / "stored"  # written by the version before the metadata
FLIPPED = {"reading": "r", "found": 0.5, "before": 0.0, "regions": 7}


def read_parquet(data, **options):
    return lcm.read(("stored.parquet", data), shapes="polygon", **options)


def areas(layout):
    """Page, box and shape of the ignore areas, page by page as in a table."""
    found = layout.ignore_areas
    if not found:
        return []
    shapes = [segmentation(found.shapes[i]) if i in found.shapes else None for i in range(len(found))]
    return sorted(zip(found.page.tolist(), found.boxes.tolist(), shapes), key=lambda area: area[0])


@settings(max_examples=150)
@given(full_layouts())
def test_parquet_holds_the_whole_layout(layout):
    again = read_parquet(as_parquet(layout))
    assert page_facts(again) == page_facts(layout) and again.labels == layout.labels
    assert region_facts(again.region_columns) == region_facts(layout.region_columns)
    assert region_facts(again.dropped) == region_facts(layout.dropped)
    assert areas(again) == areas(layout)
    assert (again.annotator, again.annotators) == (layout.annotator, layout.annotators)
    assert (again.keys, again.label_keys, again.repairs) == (layout.keys, layout.label_keys, layout.repairs)
    assert again.findings == layout.findings
    assert [one.message for one in again.findings] == [one.message for one in layout.findings]
    assert as_parquet(again) == as_parquet(replace(layout, name=again.name, format=again.format))


def only_crowds(layout):
    """The layout as a CSV can hold it: COCO's areas only beside crowds, and no sizes."""
    facts = layout.region_columns.coco
    if facts is not None:
        nan = np.full_like(facts.sizes, np.nan)
        facts = CocoFacts(facts.crowd, facts.areas, nan) if facts.crowd.any() else None
    return replace(layout.region_columns, coco=facts)


@settings(max_examples=150)
@given(full_layouts())
def test_csv_holds_pages_labels_and_regions(layout):
    again = lcm.read(("stored.csv", as_csv(layout)), shapes="polygon")
    assert page_facts(again) == page_facts(layout) and again.labels == layout.labels
    assert region_facts(again.region_columns) == region_facts(only_crowds(layout))
    assert areas(again) == areas(layout)
    assert again.annotator == (layout.annotator if len(layout.region_columns) or areas(layout) else "")


def some_layout(**changes):
    layout = build({"a": (50, 60), "b": (50, 60)}, [("a", "Text", 1, 2, 30, 40)], ["Title", "Text", "Table"])
    return replace(layout, **changes)


def metadata(data):
    return json.loads(pq.read_schema(io.BytesIO(data)).metadata[METADATA_KEY])


def with_metadata(facts, data=None):
    """A Parquet file with these facts instead of its own."""
    table = pq.read_table(io.BytesIO(as_parquet(some_layout()) if data is None else data))
    text = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    return parquet_bytes(table.replace_schema_metadata({METADATA_KEY: text}))


def test_the_metadata_names_version_and_origin():
    facts = metadata(as_parquet(some_layout()))
    assert (facts["version"], facts["name"], facts["format"]) == (VERSION, "x", "test") == (2, "x", "test")
    assert facts["labels"] == ["Title", "Text", "Table"]


def test_labels_survive_a_choice_of_rows():
    table = pq.read_table(io.BytesIO(as_parquet(some_layout())))
    for rows in (table.slice(0, 1), table.slice(1), table.slice(0, 0)):
        assert read_parquet(parquet_bytes(rows)).labels == ["Title", "Text", "Table"]


def test_other_programs_see_texts_and_numbers():
    frame = pq.read_table(io.BytesIO(as_parquet(some_layout()))).to_pandas()
    assert frame["page"].tolist() == ["a", "b"] and frame["label"].tolist()[0] == "Text"
    assert list(frame) == ["page", "document", "width", "height", "label", "x0", "y0", "x1", "y1", "score"]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_that_were_written_before_there_was_a_version_are_read(kind):
    layout = lcm.read(STORED / f"version-1.{kind}", shapes="polygon")
    assert layout.labels == ["Text", "Table", "Unused"] and layout.page_columns.names == ("a.png", "b.png")
    assert layout.region_columns.boxes.tolist() == [[10, 20, 40.5, 60], [0, 0, 5, 5]]
    assert layout.region_columns.coco.crowd.tolist() == [False, True] and list(layout.region_columns.shapes) == [0]
    assert layout.findings == ()


def test_a_stored_layout_that_is_read_without_its_outlines_says_so():
    data = as_parquet(one_full_layout())
    assert [one.count for one in lcm.read(("a.parquet", data)).findings if one.code == "outlines-as-boxes"] == [1]
    assert "outlines-as-boxes" not in {one.code for one in read_parquet(data).findings}


def test_an_arrow_table_of_a_stored_layout_still_is_that_layout():
    layout = one_full_layout()
    again = lcm.read(pq.read_table(io.BytesIO(as_parquet(layout))), shapes="polygon")
    assert (again.label_keys, again.repairs, again.findings) == (layout.label_keys, layout.repairs, layout.findings)


def test_crowds_stay_if_another_table_has_none(tmp_path):
    for name, crowd in (("a", 1), ("b", 0)):
        (tmp_path / f"{name}.csv").write_text(
            f"page,width,height,label,x0,y0,x1,y1,iscrowd\n{name},9,9,Text,0,0,5,5,{crowd}\n"
        )
    assert lcm.read(tmp_path).region_columns.coco.crowd.tolist() == [True, False]


@settings(max_examples=30)
@given(full_layouts())
def test_version_1_has_no_metadata_and_labels_in_rows(layout):
    table = pq.read_table(io.BytesIO(as_parquet(replace(layout, dropped=None, annotator="", annotators=()))))
    names = [name for name in table.column_names if not name.startswith(("attr:", "coco_", "page_key", "ignore"))]
    declared = pa.table({"label": layout.labels})
    old = pa.concat_tables([declared, table.select(names).replace_schema_metadata(None)], promote_options="default")
    again = read_parquet(parquet_bytes(old))
    bare = replace(layout, page_columns=replace(layout.page_columns, attributes={}))
    assert page_facts(again) == page_facts(bare) and again.labels == layout.labels
    expected = replace(only_crowds(layout), ignore=None)
    assert region_facts(again.region_columns) == region_facts(expected)
    assert (again.repairs, again.annotator, again.keys) == ((), "", {})


@pytest.mark.parametrize(("facts", "message"), [
    ({"version": 3, "labels": 7}, "metadata, version: this is version 3 of a layout table, and this program"),
    ({"version": 1}, "metadata, version: 1 is not a version with metadata"),
    ({"labels": []}, "metadata: object missing required field `version`"),
    (b"{", "metadata, line 1, column 2: the JSON ends too early"),
    (b"\xff", "metadata, byte 0: 0xff is not UTF-8 text"),
    (b"[" * 10_000, "metadata"),
    ({"version": 2, "labels": [7]}, r"metadata, labels\[0\]: expected `str`, got `int`"),
    ({"version": 2, "labels": ["x" * 1001]}, "has 1,001 characters, at most 1,000"),
    ({"version": 2, "annotators": ["x" * 1001]}, "metadata: the name of the annotator .* has 1,001 characters"),
    ({"version": 2, "repairs": ["rm -rf"]}, "metadata, repairs: 'rm -rf' is not a repair"),
    ({"version": 2, "label_keys": [[5, 9]]}, "metadata, label_keys: 5 has no label"),
    ({"version": 2, "findings": [{"code": "fixed", "severity": "fatal"}]}, r"metadata, findings\[0\].severity"),
    ({"version": 2, "findings": [{"code": "fixed", "severity": "info", "count": -1}]}, r"findings\[0\].count"),
    ({"version": 2, "name": "x" * limits.MAX_METADATA}, "metadata: 196,634 bytes, but at most 196,608 can be read"),
])  # fmt: skip
def test_wrong_metadata_is_refused(facts, message):
    with pytest.raises(lcm.InputError, match=message) as error:
        read_parquet(with_metadata(facts))
    assert str(error.value).startswith("stored.parquet")


@pytest.mark.parametrize("finding", [
    {"code": "of a later version"},
    {"code": "fixed"},
    {"code": "fixed", "values": {"file": "f", "repair": "flip-y", "lost": "many"}},
    {"code": "fixed", "values": {"n": 1, "file": "f", "repair": "flip-y", "lost": 0}},
    {"code": "empty-box", "values": {"file": "f", "inverted": 0, "place": "p", "box": ["x"]}},
    {"code": "page-matched-by-stem", "values": {"how": "magic", "gt": "a", "pred": "b"}},
    {"code": "fixed", "values": {"file": "f" * 20_000, "repair": "flip-y", "lost": 0}},
    {"code": "y-flipped", "values": FLIPPED, "repair": "format c:"},
    {"code": "y-flipped", "values": FLIPPED, "repair": "pages:x"},
])  # fmt: skip
def test_a_finding_that_cannot_be_worded_is_counted(finding):
    facts = {"version": 2, "findings": [{"severity": "info"} | finding]}
    found = read_parquet(with_metadata(facts)).findings
    assert [(one.code, one.count) for one in found] == [("findings-left-out", 1)]
    assert found[0].message == "stored.parquet: 1 finding was not kept when the file was written or read."


def test_findings_that_do_not_fit_are_counted():
    values = {"file": "é" * 200, "repair": "flip-y", "lost": 0}
    findings = tuple(Finding("fixed", i, values) for i in range(1000))
    odd = Finding("fixed", 1, values | {"lost": float("nan")})
    layout = some_layout(findings=(odd, *findings))
    data = as_parquet(layout)
    again = read_parquet(data).findings
    assert again[:-1] == findings[: len(again) - 1] and again[-1].code == "findings-left-out"
    assert again[-1].count == 1001 - (len(again) - 1) and len(again) > 20
    assert len(pq.read_schema(io.BytesIO(data)).metadata[METADATA_KEY]) < limits.MAX_METADATA


def test_labels_that_are_too_long_for_metadata_are_in_rows():
    labels = [f"{i:04} {'é' * 900}" for i in range(400)]
    layout = build({"a": (50, 60)}, [("a", labels[7], 1, 2, 30, 40)], labels)
    layout = replace(layout, label_keys={i: i for i in range(400)})
    data = as_parquet(layout)
    assert metadata(data)["labels"] == [] and len(data) < 1 << 20
    again = read_parquet(data)
    assert again.labels == labels and again.label_keys == layout.label_keys and len(again.region_columns) == 1


def test_names_that_are_not_text_are_written_as_codes():
    finding = Finding("empty-side", 1, {"file": "a\udce9.json"})
    again = read_parquet(as_parquet(some_layout(name="a\udce9.json", findings=(finding,))))
    assert again.findings[0].message == r"a\udce9.json has no region at all, so every score with it is 0 or n/a."


def test_results_find_their_pages_and_labels_in_a_stored_ground_truth():
    images = [image("x7"), image(10**20)]
    source = coco(images, [region("x7", 4)], [{"id": 0, "name": "Background"}, {"id": 4, "name": "Text"}])
    gt = lcm.read(("gt.json", json.dumps(source).encode()))
    again = read_parquet(as_parquet(gt))
    assert again.keys == gt.keys and again.label_keys == gt.label_keys == {0: -1, 4: 0}
    results = ("r.json", json.dumps([region("x7", 4, score=0.5), region("x7", 0)]).encode())
    first, second = (lcm.read(results, like=one) for one in (gt, again))
    assert region_facts(first.region_columns) == region_facts(second.region_columns) != []


def test_a_wrong_page_key_is_refused():
    table = pq.read_table(io.BytesIO(as_parquet(some_layout(keys={1: 0, "b": 1}))))
    at = table.column_names.index("page_key")
    assert table.column(at).to_pylist() == ["1", '"b"']
    data = parquet_bytes(table.set_column(at, "page_key", [["1", "[2]"]]))
    fails(r"row 1, column page_key: '\[2\]' is neither a number nor a text", read_parquet, data)


@given(st.lists(NAMES, min_size=1, max_size=3, unique=True), st.integers(0, 3))
def test_attributes_with_any_name_do_not_change_the_separator(names, repeats):
    pages = {"a": (50, 60)}
    layout = build(pages, [("a", "Text", 1, 2, 30, 40)])
    attributes = {name + ";\t" * 10 * repeats: ("x;y",) for name in names}
    layout = replace(layout, page_columns=replace(layout.page_columns, attributes=attributes))
    assert page_facts(lcm.read(("t.csv", as_csv(layout)))) == page_facts(layout)


def test_parts_of_a_stored_layout_are_one_layout_again():
    layout = one_full_layout()
    table = pq.read_table(io.BytesIO(as_parquet(layout)))
    rows_of = lambda page: parquet_bytes(table.filter(pc.field("page") == page))
    parts = [(f"{page}.parquet", rows_of(page)) for page in layout.page_columns.names]
    again = lcm.read(parts, shapes="polygon")
    assert page_facts(again) == page_facts(layout) and again.labels == layout.labels
    assert region_facts(again.region_columns) == region_facts(layout.region_columns)
    assert again.findings == layout.findings
    assert (again.annotator, again.annotators, again.repairs) == ("0", ("0", "1"), ("scale:2",))


def test_files_of_two_annotators_are_by_neither():
    files = [(f"{name}.csv", as_csv(replace(of_page(name), annotator=name))) for name in ("ann", "bob")]
    layout = lcm.read([*files, ("z.csv", as_csv(of_page("z")))])
    assert (layout.annotator, layout.annotators) == ("", ("ann", "bob"))


def of_page(name):
    return build({name: (50, 60)}, [(name, "Text", 1, 2, 30, 40)])


def test_stored_areas_and_sizes_give_the_same_objects():
    """Areas decide which objects are small; before, they were stored only beside crowds."""
    rows = [region(1, bbox=[0.1, 0.2, 30.3, 30.7], area=area, score=score) for area, score in ((5, 0.5), (2000, 0.9))]
    layout = lcm.read(("gt.json", json.dumps(coco(annotations=rows)).encode()))
    again = read_parquet(as_parquet(layout))
    first, second = (lcm.compare(one, one).objects().summary for one in (layout, again))
    assert repr(first) == repr(second)
    assert region_facts(again.region_columns) == region_facts(layout.region_columns)


@pytest.mark.parametrize("folder", ["/home/someone/", "C:\\Users\\someone\\"])
def test_the_folders_of_a_source_are_not_written(folder):
    """Pages and labels that look like paths stay as they are."""
    findings = (
        Finding("damaged-file", 1, {"file": f"{folder}gt", "names": [f"{folder}b.json"], "why": "the file is empty"}),
        Finding("renamed-labels", 1, {"format": "coco", "first": "/a/b", "now": "b"}),
    )
    again = read_parquet(as_parquet(replace(build({"a": (9, 9)}, []), name=f"{folder}gt.json", findings=findings)))
    facts = json.loads(
        pq.read_schema(io.BytesIO(as_parquet(replace(again, name=f"{folder}gt.json")))).metadata[METADATA_KEY]
    )
    assert facts["name"] == "gt.json"
    assert again.findings[0].values == {"file": "gt", "names": ["b.json"], "why": "the file is empty"}
    assert again.findings[1].values["first"] == "/a/b"
