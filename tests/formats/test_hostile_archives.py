"""Zips and Parquet files: what they unpack to is counted, whatever they say; ordinary files are read."""

import io
import struct
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pytest

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from layoutcm.formats import parquet_files
from layoutcm.formats.archives import Budget, open_archive
from layoutcm.formats.content import FileContent
from layoutcm.formats.image_files import CountedFile, tiff_pages
from layoutcm.formats.parquet_files import read_struct
from layoutcm.layouts import limits
from support import hostile_formats as hostile
from support.image_files import png
from support.reading import fails, refusal, refuser

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
ROWS = hostile.ROW + b"".join(b"p%d,100,80,Text,1,1,5,%d\n" % (i, i % 70 + 2) for i in range(70_000))


class Pipe(io.BytesIO):
    """What a program writes to that packs into a pipe: zipfile then puts the sizes behind the data."""

    def seekable(self):
        return False

    def tell(self):
        raise OSError


def refused(data, *words):
    refusal(data, *words, name="a.zip", sizes=(10, 10))


@pytest.mark.parametrize("method", METHODS)
def test_zips_of_every_method_are_read(method):
    assert len(ROWS) > 1 << 20  # more than one chunk
    data = hostile.zip_of({"a.csv": ROWS}, method=method)
    assert len(lcm.read(("a.zip", data)).regions) == 70_001
    archive = open_archive("a.zip", data)
    assert archive.read(archive.members[0], archive.new_budget()) == ROWS
    stream = archive.open(archive.members[0], archive.new_budget())
    assert (stream.read(4), stream.tell()) == (b"page", 4)
    assert stream.seek(-5, io.SEEK_END) == len(ROWS) - 5 and stream.read() == ROWS[-5:]
    assert stream.seek(1) == 1 and stream.seek(2, io.SEEK_CUR) == 3 and stream.read(9) == ROWS[3:12]


@pytest.mark.parametrize("method", METHODS[:2])
def test_sizes_behind_the_data_and_64_bit_sizes_are_read(method):
    out = Pipe()
    with zipfile.ZipFile(out, "w", method) as archive, archive.open("a.csv", "w", force_zip64=True) as member:
        member.write(hostile.ROW)
    assert b"PK\7\x08" in out.getvalue()
    assert len(lcm.read(("a.zip", out.getvalue())).regions) == 1
    entries = [(b"a.csv", 0, hostile.ROW, len(hostile.ROW), zlib.crc32(hostile.ROW))]
    assert len(lcm.read(("a.zip", hostile.raw_zip(entries))).regions) == 1


@pytest.mark.parametrize("method", METHODS[1:])
def test_unpacking_stops_at_the_limit(method):
    archive = open_archive("a.zip", hostile.zip_of({"a.csv": bytes(10 << 20)}, method=method))
    chunks = archive.chunks(archive.members[0], Budget(3 << 20))
    assert sum(len(next(chunks)) for _ in range(3)) == 3 << 20
    fails("unpacks to more than", next, chunks)


def test_the_limit_is_for_all_files_together(monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_FLOOR", 5_000)
    files = {f"{i}.txt": b"0 .5 .5 .5 .5" + b" " * 2_000 for i in range(2)}
    assert len(lcm.read(("a.zip", hostile.zip_of(files)), sizes=(10, 10)).pages) == 2
    refused(hostile.zip_of(files | {"2.txt": bytes(2_000)}), "2.txt", "more than 5,000 bytes")


@pytest.mark.parametrize(("name", "data"), [
    ("a.json", b'{"apiVersion": 1, "pages": [' + b"{}," * 100 + b"{}]}"),
    ("a.json", b"[" + b"[]," * 100 + b"[]]"),
    ("a.xml", b"\xef\xbb\xbf\n<alto>" + b"<a/>" * 100 + b"</alto>"),
    ("a.html", b'<html><p class="' + b"ocr_a " * 100 + b'"></p></html>'),
    ("a.txt", b"0 0 0 0 0\r" * 100),
    ("a.csv", hostile.ROW + b"\n" * 100),
])  # fmt: skip
def test_values_tags_and_lines_are_counted(name, data, monkeypatch):
    monkeypatch.setattr(limits, "PARTS_FLOOR", 50)
    monkeypatch.setattr(limits, "PACKED_BYTES_PER_PART", 1000)
    refused(hostile.zip_of({name: data}), name, "too many values, tags or lines")
    refused(hostile.zip_of({f"{i}-{name}": data[:100] for i in range(20)}), name, "too many values, tags or lines")


def test_a_large_archive_may_unpack_to_a_hundred_times_its_size():
    assert limits.unpacked_limit(10) == limits.unpacked_limit(1 << 20) == 24 << 20
    assert limits.unpacked_limit(11 << 20) == (24 + 1_000) << 20
    assert limits.unpacked_limit(1 << 40) == 4 << 30


@pytest.mark.parametrize("sizes", [(10, 10), (4 << 20, 4 << 20), (0, 0), (60, 10), (10, 4 << 20)])
def test_false_sizes_are_refused(sizes):
    refused(hostile.zip_of({"a.csv": ROWS[:3_000]}, sizes=sizes), "a.csv")


def test_a_wrong_checksum_is_refused():
    refused(hostile.raw_zip([(b"a.csv", 0, hostile.ROW, len(hostile.ROW), 7)]), "a.csv", "checksum")


def test_files_that_share_bytes_are_refused():
    entries = [(b"%d.csv" % i, 0, hostile.ROW, len(hostile.ROW), zlib.crc32(hostile.ROW)) for i in range(2)]
    refused(hostile.raw_zip(entries, shared_offset=0), "csv", "another file")


@pytest.mark.parametrize("method", [9, 93, 255])
def test_an_unknown_method_is_refused(method):
    refused(hostile.raw_zip([(b"a.csv", method, b"abc", 3, 0)]), "a.csv", f"method {method} is not known")


@pytest.mark.parametrize("packed", [b"", b"\x09", b"\x09\x04\x05\x00", b"\x09\x04\x05\x00\xff\0\0\0\1" + bytes(9)])
@pytest.mark.parametrize("method", [8, 12, 14])
def test_broken_packed_data_is_refused(method, packed):
    refused(hostile.raw_zip([(b"a.csv", method, packed, 100, 0)]), "a.csv", "cannot be unpacked")


def test_of_an_image_in_a_zip_only_the_header_is_unpacked():
    picture = png() + bytes(100 << 20)  # what follows the picture is never read
    data = hostile.zip_of({"a.txt": b"0 .5 .5 .5 .5", "a.png": picture})
    assert lcm.read(("a.zip", data)).pages.loc[0, ["width", "height"]].tolist() == [40, 30]
    images = images_from_files([ImageFile("a.zip", "digest", data)])
    assert load_shrunk(images.pictures[0], 100).size == (40, 30)


def test_headers_of_images_in_a_zip_share_one_limit(monkeypatch):
    """Each header takes 200 kB of reads, and 12 kB of the bytes that the archive may unpack to."""
    image = hostile.png_of_tiny_chunks(1_000) + struct.pack(">I", 0) + b"IDAT" + bytes(8)
    one = {"a.txt": b"0 .5 .5 .5 .5", "a.png": image}
    nine = hostile.zip_of(one | {f"b{i}.png": image for i in range(9)})
    monkeypatch.setattr(limits, "UNPACKED_FLOOR", 200_000)
    assert len(lcm.read(("a.zip", nine)).pages) == 1
    monkeypatch.setattr(limits, "HEADER_BYTES", 1 << 20)
    assert len(lcm.read(("a.zip", hostile.zip_of(one))).pages) == 1
    refused(nine, ".png", "with it, the headers of the images have too many parts")
    monkeypatch.setattr(limits, "HEADER_BYTES", 1 << 16)
    refused(hostile.zip_of(one), "a.png", "its header has too many parts")


def test_a_tiff_with_too_many_pages_is_not_taken_for_one_that_ends():
    data = hostile.tiff_of_many_pages(50)
    assert len(tiff_pages(CountedFile(io.BytesIO(data), Budget(10_000)), 1_000)[0]) == 50
    assert len(tiff_pages(CountedFile(io.BytesIO(data[:-1000]), Budget(10_000)), 1_000)[0]) < 50
    with pytest.raises(ValueError, match="too many parts"):
        tiff_pages(CountedFile(io.BytesIO(data), Budget(5_000)), 1_000)


LABELS = ["Text", "Table", "Títle", "Text"] * 300
ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")


def columns(rows=1200, **more):
    numbers = {name: np.arange(rows) % 50 + start for name, start in (("x0", 0), ("y0", 0), ("x1", 51), ("y1", 52))}
    pages = [f"p{i % 7}" for i in range(rows)]
    sizes = {"width": np.full(rows, 200.0), "height": np.full(rows, 300)}
    return {"page": pages, **sizes, "label": LABELS[:rows], **numbers, "other": [[1]] * rows} | more


refused_table = refuser("a.parquet")


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
    refused_table(hostile.make_parquet_nested_lists(tmp_path).read_bytes(), "nested too deeply")
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
    refused_table(data, "more than 1,199 rows", f"{len(data):,} bytes")
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
    packed = hostile.parquet_bytes(columns(), use_dictionary=False, compression="gzip")
    refused_table(packed, "unpacks to more than 4,000")


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
    refused_table(hostile.parquet_bytes(columns(label=pa.nulls(1200, kind))), "column label", "must be text or numbers")


def test_a_long_description_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "PARQUET_FOOTER_FLOOR", 100)
    refused_table(hostile.parquet_bytes(columns()), "its description has")


def test_long_words_are_not_repeated_for_each_row():
    word = pa.DictionaryArray.from_arrays(pa.repeat(0, 1200), ["1" * 2000])
    refused_table(hostile.parquet_bytes(columns(x0=word)), "column x0", "long text")
