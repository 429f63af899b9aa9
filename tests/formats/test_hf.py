"""Hugging Face data sets: columns, names of labels and pages, sizes, shards; only the columns in use are decoded."""

import json

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.formats import parquet_files
from layoutcm.layouts import limits
from support.hostile_formats import parquet_bytes
from support.reading import fails, read_as, reads, refusal, refused_as, refuses, regions
from written import PAGES, written
from written.hf import DOCLAYNET, doclaynet_table, objects_table


def read(table, name="train.parquet", **options):
    return lcm.read((name, parquet_bytes(table)), **options)


def refused(table, *words, **options):
    refusal(parquet_bytes(table), *words, name="train.parquet", **options)


def simple(boxes=((10, 20, 30, 40),), categories=(1,), **more):
    """One page with some objects."""
    objects = {"bbox": [list(box) for box in boxes], "category": list(categories)}
    return {"width": [100], "height": [200], "objects": [objects]} | more


def with_metadata(metadata):
    return pa.table(simple()).replace_schema_metadata({"huggingface": metadata})


def schema(feature):
    return json.dumps({"info": {"features": {"objects": feature}}})


def with_ids(number):
    """DocLayNet with one class number for all regions."""
    table = doclaynet_table(PAGES)
    ids = pa.array([[number] * len(page.regions) for page in PAGES], pa.list_(pa.int64()))
    return table.set_column(table.column_names.index("category_id"), "category_id", ids)


TWO_NAMES = {"names": ["a", "b"]}
FEATURES = [
    {"feature": {"category": TWO_NAMES}, "_type": "Sequence"},
    [{"category": TWO_NAMES | {"_type": "ClassLabel"}}],
    {"category": {"feature": TWO_NAMES, "_type": "List"}},
    {"feature": {"category": {"feature": TWO_NAMES}}, "_type": "List"},
]
COLUMNS = {"width": [9], "height": [9], "bboxes": [[[1.0, 2, 3, 4]]], "labels": [["a"]]}
CORNERS = [{"bbox": [{"xmin": 1.0, "ymin": 2, "xmax": 3, "ymax": 4}], "label": ["a"]}]
ONE_IMAGE = {"image": [{"bytes": None, "path": "a.png"}], "objects": simple()["objects"]}
STRUCTS = [[
    {"category_id": "Text", "bbox": [1.0, 2, 3, 4], "iscrowd": 1, "score": 0.5, "area": 9.0},
    {"category_id": "Table", "bbox": [0.0, 0, 5, 5], "iscrowd": None, "score": None, "area": None},
], [], None]  # fmt: skip
OLDER = pa.table({"image_id": [5, 6, 7], "width": [9] * 3, "height": [9] * 3, "objects": STRUCTS,
                  "doc_name": ["a", "a", "b"], "page_no": [0, 1, -1], "collection": ["c", None, ""]})  # fmt: skip
test_reading = read_as(
    reads("undeclared numbers are shown with a finding", with_ids(12), declared=[*DOCLAYNET, "category 12"],
          codes={"undeclared-category": 6}),
    reads("lists in columns of their own", pa.table(COLUMNS), regions=[("a", 1, 2, 4, 6)]),
    reads("boxes with named corners", pa.table({"width": [9], "height": [9], "objects": CORNERS}),
          regions=[("a", 1, 2, 3, 4)]),
    reads("a size from outside", pa.table(ONE_IMAGE), {"sizes": (50, 60)}, pages=[("a.png", 50, 60)]),
    reads("a list of structs with names, scores and crowds like the older DocLayNet", OLDER, keys={5: 0, 6: 1, 7: 2},
          regions=[("Text", 1, 2, 4, 6), ("Table", 0, 0, 5, 5)], crowds=[True, False], scores=[0.5, None],
          numbers=[0, 1, -1], attributes={"collection": ["c", "", ""]}),
    *(reads(f"names of class labels in the schema, form {i}", with_metadata(schema(feature)), declared=["a", "b"],
            regions=[("b", 10, 20, 40, 60)], codes={}) for i, feature in enumerate(FEATURES)),
    *(reads(f"metadata without names: {metadata}", with_metadata(metadata), declared=["category 1"],
            codes={"unnamed-classes": 1, "undeclared-category": 1})
      for metadata in (b"", b"{", b"[]", b'{"info": 1}', b'{"info": {"features": {"objects": 5}}}', b"\xff")),
    reads("without names numbers are ids of the reference layout", pa.table(simple()),
          {"like": lcm.read(list(written("coco").items()))}, labels=["Text"]),
    read=read,
)  # fmt: skip

OBJECTS = simple()["objects"]
OTHER_TABLE = pa.table({"objects": [1], "bbox": [1.0], "label": ["a"]})
LATE = [
    {"bbox": [[0.0, 0, 1, 1]] * 2, "category": ["a", "b"]}, {"bbox": [], "category": []},
    {"bbox": [[0.0, 0, 1, 1], [0.0, 0, np.inf, 1]], "category": ["a", "b"]},
]  # fmt: skip


def of_objects(what, bbox, category, *words):
    return refuses(what, pa.table(simple(objects=[{"bbox": bbox, "category": category}])), *words)


test_refusal = refused_as(
    refuses("boxes with other corners", pa.table(COLUMNS | {"bboxes": [[{"a": 1}]]}), "column bboxes",
            "usual names such as xmin"),
    refuses("neither size nor image", pa.table(ONE_IMAGE), "train.parquet, row 0",
            "the size of page 'a.png' is not known", "sizes="),
    refuses("a broken image", pa.table(ONE_IMAGE | {"image": [{"bytes": b"no image", "path": "a"}]}),
            "train.parquet, row 0", "this image cannot be read"),
    of_objects("three numbers", [[1.0, 2, 3]], [1], "row 0, objects.bbox[0]",
               "3 numbers, must be x, y, width and height"),
    of_objects("no box", [[1.0, 2, 3, 4], None], [1, 1], "row 0, objects.bbox[1]", "0 numbers"),
    of_objects("two categories", [[1.0, 2, 3, 4]], [1, 2], "row 0", "1 boxes and 2 values of objects.category"),
    of_objects("no category", [[1.0, 2, 3, 4]], [None], "row 0, objects.category[0]", "no category"),
    of_objects("no second category", [[1.0, 2, 3, 4]] * 2, [1, None], "row 0, objects.category[1]", "no category"),
    of_objects("half a category", [[1.0, 2, 3, 4]], [1.5], "objects.category", "not whole"),
    of_objects("texts in a box", [["a"] * 4], [1], "column objects.bbox", "must hold numbers"),
    of_objects("texts as boxes", ["a"], [1], "column objects.bbox", "must hold lists of boxes"),
    of_objects("a missing number", [[None, 2.0, 3, 4]], [1], "row 0, object 0", "x0 is nan"),
    refuses("a row behind pages without objects", pa.table({"width": [9] * 3, "height": [9] * 3, "objects": LATE}),
            "row 2, object 1", "x1 is inf"),
    refuses("boxes of words", pa.table({"bboxes": [[[0, 0, 10, 10]]], "labels": [[1]], "words": [["a"]]}),
            "has boxes in one cell"),
    refuses("another table", OTHER_TABLE, "the column 'bbox' has boxes in one cell"),
    refuses("another table by name", OTHER_TABLE, "no columns of boxes and categories", format="hf-objects"),
    refuses("two columns of one name",
            pa.table([[9], [9], OBJECTS, OBJECTS], ["width", "height", "objects", "objects"]),
            "two of its columns have the same name"),
    refuse=refused,
)  # fmt: skip


def test_doclaynet_has_its_labels_documents_numbers_attributes_and_ids():
    layout = read(doclaynet_table(PAGES))
    assert layout.format == "hf-doclaynet" and layout.labels == DOCLAYNET and layout.findings == ()
    assert layout.pages["document"].tolist() == ["report.pdf"] * 3 + ["letter.pdf"]
    assert layout.pages["number"].tolist() == [1, 2, 3, 1]
    assert set(layout.pages["doc_category"]) == {"financial_reports"} and set(layout.pages["collection"]) == {"reports"}
    assert layout.label_keys == {i + 1: i for i in range(11)} and list(layout.keys.values()) == [0, 1, 2, 3]
    assert layout.region_columns.coco.areas[:2].tolist() == [800 * 50, 400 * 300]


def test_the_first_version_of_doclaynet_calls_the_boxes_bbox_and_later_class_names_are_used():
    table = doclaynet_table(PAGES)
    table = table.rename_columns(["bbox" if name == "bboxes" else name for name in table.column_names])
    assert read(table).format == "hf-doclaynet" and regions(read(table))[0][0] == "Title"
    named = {"feature": {"names": ["no", *(f"L{i}" for i in range(1, 12))], "_type": "ClassLabel"}, "_type": "List"}
    info = json.dumps({"info": {"features": {"category_id": named}}})
    assert regions(read(table.replace_schema_metadata({"huggingface": info})))[0][0] == "L11"


def test_coco_results_find_pages_and_labels_of_doclaynet_by_their_ids():
    gt = read(doclaynet_table(PAGES))
    result = [{"image_id": next(iter(gt.keys)), "category_id": 11, "bbox": [100, 50, 800, 50], "score": 0.5}]
    pred = lcm.read(("pred.json", json.dumps(result).encode()), like=gt)
    assert regions(pred) == [("Title", 100, 50, 900, 100)] and pred.regions["page"][0] == "report_p1"


def test_only_the_columns_in_use_are_decoded(monkeypatch):
    chosen = []
    check = parquet_files._check_columns
    monkeypatch.setattr(parquet_files, "_check_columns", lambda *given: chosen.append(given[2]) or check(*given))
    read(doclaynet_table(PAGES))
    assert len(chosen) == 1
    assert {name.partition(".")[0] for name in chosen[0]} == {"image", "bboxes", "category_id", "area", "metadata"}
    assert "image.path" in chosen[0] and "image.bytes" not in chosen[0]


@pytest.mark.parametrize(("name", "data"), [
    ("id2label.json", b'{"0": "a", "1": "b"}'),
    ("config/classes.json", b'["a", "b"]'),
    ("categories.json", b'{"categories": [{"id": 1, "name": "b"}, {"id": [], "name": "x"}]}'),
    ("classes.txt", b"a\nb\n"),
    ("dataset.yaml", b"names: [a, b]"),
])  # fmt: skip
def test_names_come_from_a_file_beside(name, data):
    layout = lcm.read([("d/train.parquet", parquet_bytes(pa.table(simple()))), (f"d/{name}", data)])
    assert regions(layout) == [("b", 10, 20, 40, 60)] and layout.findings == ()
    lines = b'{"file_name": "p.png", "objects": {"bbox": [[10, 20, 30, 40]], "category": [1]}}'
    layout = lcm.read([("d/metadata.jsonl", lines), (f"d/{name}", data)], sizes=(100, 200))
    assert regions(layout) == [("b", 10, 20, 40, 60)] and layout.findings == ()


def test_pages_are_named_by_names_ids_paths_or_rows():
    images = [{"bytes": None, "path": "a.png"}, {"bytes": None, "path": "b.png"}]
    base = {"width": [9, 9], "height": [9, 9], "objects": [{"bbox": [], "category": []}] * 2, "image": images}
    names = lambda **more: read(pa.table({**base, **more}), "x.parquet").pages["page"].tolist()
    assert names(file_name=["f", "g"], image_id=[1, 2]) == ["f", "g"]
    assert names(image_id=[1, 2]) == ["1", "2"] and names(image_id=["x", None]) == ["a.png", "b.png"]
    assert names(image=[images[0]] * 2) == names(image=[{"bytes": None, "path": ""}] * 2) == ["x_p1", "x_p2"]
    refused(pa.table({**base, "image": [images[0]] * 2, "image_id": [1, 1]}), "row 0 and row 1", "'1' occurs twice")
    like = lcm.read([{"page": "b.jpg", "width": 9, "height": 9, "label": "a", "x0": 0, "y0": 0, "x1": 1, "y1": 1}])
    assert read(pa.table({**base, "image_id": [1, 2]}), like=like).pages["page"].tolist() == ["a.png", "b.png"]


def test_sizes_come_from_the_headers_of_images_where_columns_have_none(monkeypatch):
    table = objects_table(PAGES)
    monkeypatch.setattr(Image.Image, "load", lambda *_: pytest.fail("decoded"))
    assert read(table).pages["width"].tolist() == [1000, 1000, 500, 500]
    sizes = {"width": pa.array([None, 7, None, 8]), "height": pa.array([9, 9, None, 9])}
    for name, column in sizes.items():
        table = table.append_column(name, column)
    assert read(table).pages[["width", "height"]].to_numpy().tolist() == [[1000, 500], [7, 9], [500, 1000], [8, 9]]


def test_headers_of_images_with_very_many_parts_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "HEADER_BYTES", 600)
    monkeypatch.setattr(limits, "READ_RATIO", 0)
    refused(objects_table(PAGES), "row 2", "too many parts")


def test_a_folder_of_shards_is_one_layout_and_messages_name_the_shard(tmp_path):
    for name, data in written("hf-doclaynet").items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "README.md").write_text("a card")
    layout = lcm.read(tmp_path)
    assert layout.pages["page"].tolist() == [page.name for page in PAGES] and len(layout.regions) == 6
    assert len(layout.keys) == 4 and len(layout.label_keys) == 11 and layout.findings == ()
    (tmp_path / "train-00009-of-00010.parquet").write_bytes(written("hf-doclaynet")["train-00001-of-00002.parquet"])
    fails(r"train-00009-of-00010.parquet, row 0: the page 'report_p3' occurs twice", lcm.read, tmp_path)


def test_an_empty_shard_adds_nothing():
    whole = objects_table(PAGES)
    both = lcm.read([("a.parquet", parquet_bytes(whole.slice(0, 0))), ("b.parquet", parquet_bytes(whole))])
    assert len(both.page_columns) == 4
    assert len(read(whole.slice(0, 0)).page_columns) == 0


def test_values_in_lists_are_counted_before_they_are_decoded(monkeypatch):
    """A list of a million equal boxes takes a few bytes."""
    table = pa.table(simple(boxes=[(0.0, 0.0, 1.0, 1.0)] * 100_000, categories=[1] * 100_000))
    data = parquet_bytes(table)
    assert len(data) < 10_000 and len(lcm.read(("a.parquet", data)).regions) == 100_000
    monkeypatch.setattr(limits, "PARQUET_DECODED_FLOOR", 3_000_000)
    monkeypatch.setattr(limits, "PARQUET_DECODED_RATIO", 0)
    monkeypatch.setattr(parquet_files, "_counted", lambda *_: pytest.fail("decoded"))
    refused(table, "unpacks to more than 3,000,000 bytes")


def test_long_words_and_images_are_not_repeated_for_each_row(monkeypatch):
    """Each of these files has some kilobytes, and would take hundreds of megabytes."""
    rows = 20_000
    none = pa.array([[]] * rows, pa.list_(pa.list_(pa.float64())))
    objects = pa.StructArray.from_arrays([none, pa.array([[]] * rows, pa.list_(pa.int64()))], ["bbox", "category"])
    sizes = {"width": [9] * rows, "height": [9] * rows}
    word = pa.array([b"x" * 20_000] * rows)
    refused(pa.table({**sizes, "objects": objects, "doc_name": word}), "has 20,000 characters")
    image = pa.StructArray.from_arrays([word, pa.array(["p"] * rows)], ["bytes", "path"])
    monkeypatch.setattr("layoutcm.formats.huggingface_pages._size_of_image", lambda *_: (9.0, 9.0))
    refused(pa.table({"image": image, "objects": objects}), "its values have more than 67,108,864 bytes")
    labels = pa.array([["x" * 20_000] * rows])
    objects = pa.StructArray.from_arrays([pa.array([[[0, 0, 1, 1]] * rows]), labels], ["bbox", "category"])
    refused(pa.table({"width": [9], "height": [9], "objects": objects}), "the label", "has 20,000 characters")


@pytest.mark.parametrize("options", [{"row_group_size": 1}, {"data_page_version": "2.0"}, {"use_dictionary": False},
                                     {"compression": "zstd", "use_compliant_nested_type": False}], ids=str)  # fmt: skip
def test_files_of_every_kind_give_the_same_layout(options):
    expected = regions(read(doclaynet_table(PAGES)))
    assert regions(lcm.read(("a.parquet", parquet_bytes(doclaynet_table(PAGES), **options)))) == expected


def test_lines_of_metadata_may_have_sizes_names_scores_or_objects_one_by_one(tmp_path):
    lines = [
        {
            "file_name": "a.png", "objects": [{"bbox": [1, 2, 3, 4], "category": "Text", "score": 0.5}], "width": 9,
            "height": 8,
        },
        {"file_name": "b.png", "objects": {"bbox": [], "categories": []}},
        {"file_name": "c.png", "objects": {"bbox": [[0, 0, 1, 1]], "label": ["x"], "scores": [0.25]}, "other": [1]},
        {"file_name": "d.png"},
    ]  # fmt: skip
    for name in "bcd":
        Image.new("L", (20, 30)).save(tmp_path / f"{name}.png")
    (tmp_path / "metadata.jsonl").write_text("\n".join(map(json.dumps, lines)))
    layout = lcm.read(tmp_path)
    assert regions(layout) == [("Text", 1, 2, 4, 6), ("x", 0, 0, 1, 1)] and layout.findings == ()
    assert layout.regions["score"].tolist() == [0.5, 0.25] and layout.pages["width"].tolist() == [9, 20, 20, 20]
    for objects, words in [
        ({"bbox": [[0, 0, 1, 1]], "category": []}, r"\[0\].objects: 1 boxes and 0 categories"),
        ([{"bbox": [0, 0, 1, 1]}], r"\[0\].objects\[0\]: the object has no category"),
    ]:
        line = json.dumps({"file_name": "a.png", "objects": objects}).encode()
        fails(words, lcm.read, ("metadata.jsonl", line), sizes=(9, 9))


def test_a_column_of_images_is_read_in_small_batches(monkeypatch):
    monkeypatch.setattr(parquet_files, "LARGE_BATCH_BYTES", 1)
    assert read(objects_table(PAGES)).pages["width"].tolist() == [1000, 1000, 500, 500]
