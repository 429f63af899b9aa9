"""Parquet: rows and bytes are counted before and while they are decoded; ordinary files of any kind are read."""

import struct

import numpy as np
import pyarrow as pa
import pytest

import layoutcm as lcm
from layoutcm.formats import parquet_files
from layoutcm.formats.content import FileContent
from layoutcm.formats.parquet_files import read_struct
from layoutcm.layouts import limits
from support import hostile_formats as hostile
from support.reading import fails, refuser

LABELS = ["Text", "Table", "Títle", "Text"] * 300
ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")


def columns(rows=1200, **more):
    numbers = {name: np.arange(rows) % 50 + start for name, start in (("x0", 0), ("y0", 0), ("x1", 51), ("y1", 52))}
    pages = [f"p{i % 7}" for i in range(rows)]
    sizes = {"width": np.full(rows, 200.0), "height": np.full(rows, 300)}
    return {"page": pages, **sizes, "label": LABELS[:rows], **numbers, "other": [[1]] * rows} | more


refused = refuser("a.parquet")


@pytest.mark.parametrize("options", [
    {},
    {"compression": "gzip", "data_page_version": "2.0"},
    {"compression": "zstd", "row_group_size": 100},
    {"compression": "brotli", "data_page_size": 64},
    {"compression": "none", "use_dictionary": False, "version": "1.0"},
    *({"use_dictionary": False, "column_encoding": {"label": encoding}} for encoding in ENCODINGS),
], ids=str)  # fmt: skip
def test_files_of_every_kind_give_the_same_layout(options):
    layout = lcm.read(("a.parquet", hostile.parquet_bytes(columns(), **options)))
    assert [layout.labels[i] for i in layout.region_columns.label] == LABELS
    names = [layout.page_columns.names[i] for i in layout.region_columns.page]
    assert names == columns()["page"] and layout.pages["height"].eq(300).all()
    assert np.array_equal(layout.region_columns.boxes[:, 2], np.arange(1200) % 50 + 51)


def test_a_description_of_lists_in_lists_is_refused(tmp_path):
    refused(hostile.make_parquet_nested_lists(tmp_path).read_bytes(), "nested too deeply")
    with pytest.raises(ValueError, match="nested too deeply"):
        read_struct(b"\x19" * 2_000, 0)


def test_text_may_be_a_dictionary_binary_or_null_and_numbers_may_be_text():
    more = {
        "label": pa.array([b"Text", None] * 600, pa.large_binary()), "page": pa.array(["p"] * 1200).dictionary_encode(),
        "document": pa.array([None, "d"] * 600), "x0": pa.array(["1", "1,5", " 2 ", "3"] * 300),
        "score": pa.array([None, 0.5] * 600, pa.float32()), "number": pa.nulls(1200),
    }  # fmt: skip
    layout = lcm.read(("a.parquet", hostile.parquet_bytes(columns(**more))))
    assert layout.labels == ["Text"] and len(layout.region_columns) == 600
    assert layout.region_columns.boxes[:2, 0].tolist() == [1, 2] and layout.page_columns.documents == ("d",)


def test_rows_are_counted(monkeypatch):
    data = hostile.parquet_bytes(columns())
    monkeypatch.setattr(limits, "PARQUET_ROWS_FLOOR", 1200)
    monkeypatch.setattr(limits, "PARQUET_BYTES_PER_ROW", len(data))
    assert len(lcm.read(("a.parquet", data)).regions) == 1200
    monkeypatch.setattr(limits, "PARQUET_ROWS_FLOOR", 1199)
    refused(data, "more than 1,199 rows", f"{len(data):,} bytes")
    monkeypatch.setattr(limits, "PARQUET_BYTES_PER_ROW", len(data) // 1200)
    assert len(lcm.read(("a.parquet", data)).regions) == 1200


def test_in_an_archive_the_packed_size_counts(monkeypatch):
    monkeypatch.setattr(limits, "PARQUET_ROWS_FLOOR", 1000)
    monkeypatch.setattr(limits, "PARQUET_BYTES_PER_ROW", 20)
    data = hostile.parquet_bytes(columns(), compression="none", use_dictionary=False)
    assert len(lcm.read(("a.parquet", data)).regions) == 1200
    fails("more than 1,000 rows", lcm.read, ("a.zip", hostile.zip_of({"a.parquet": data})))


def test_pages_are_added_up_before_they_are_decoded(monkeypatch):
    monkeypatch.setattr(limits, "PARQUET_DECODED_FLOOR", 4000)
    monkeypatch.setattr(limits, "PARQUET_DECODED_RATIO", 0)
    monkeypatch.setattr(parquet_files, "_counted", lambda *_: pytest.fail("decoded"))
    refused(hostile.parquet_bytes(columns(), use_dictionary=False, compression="gzip"), "unpacks to more than 4,000")


def test_the_same_bytes_are_not_used_by_two_columns():
    """The description of y1 is replaced by that of x1, which lies at the same place in each of four row groups."""
    data = hostile.parquet_bytes(columns(), row_group_size=300, compression="none", use_dictionary=False)
    description, _ = read_struct(data, len(data) - 8 - struct.unpack("<I", data[-8:-4])[0])
    for group in description[parquet_files.ROW_GROUPS]:
        group[parquet_files.COLUMNS][7][parquet_files.COLUMN][parquet_files.PACKED_TOTAL] = len(data)
    with pytest.raises(ValueError, match="is not where the file says"):
        list(parquet_files._parts(FileContent("a.parquet", data), description, ["x1", "y1"]))


@pytest.mark.parametrize("kind", [pa.binary(1000), pa.list_(pa.string()), pa.struct([("a", pa.string())])])
def test_columns_of_another_kind_are_refused_before_they_are_decoded(kind, monkeypatch):
    monkeypatch.setattr(parquet_files, "_counted", lambda *_: pytest.fail("decoded"))
    refused(hostile.parquet_bytes(columns(label=pa.nulls(1200, kind))), "column label", "must be text or numbers")


def test_a_long_description_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "PARQUET_FOOTER_FLOOR", 100)
    refused(hostile.parquet_bytes(columns()), "its description has")


def test_long_words_are_not_repeated_for_each_row():
    word = pa.DictionaryArray.from_arrays(pa.repeat(0, 1200), ["1" * 2000])
    refused(hostile.parquet_bytes(columns(x0=word)), "column x0", "long text")
