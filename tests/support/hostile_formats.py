"""Small files that attack a reader: each would take very much memory or time if it were believed.

`HOSTILE` lists them by name; each function writes one file into a folder and returns its path.
"""

import bz2
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from support.hostile_files import write

ROW = b"page,width,height,label,x0,y0,x1,y1\na,100,80,Text,1,1,5,5\n"
MILLION = 1_000_000


def zip_of(members, sizes=None, method=zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of {name: data}; `sizes` replaces the packed and the unpacked size of its last file in the directory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    data = bytearray(out.getvalue())
    if sizes is not None:
        at = data.rindex(b"PK\1\2") + 20
        data[at : at + 8] = struct.pack("<2I", *sizes)
    return bytes(data)


def raw_zip(entries, shared_offset=None) -> bytes:
    """A zip of (name, method, packed bytes, size, checksum); with `shared_offset`, all files are at this place."""
    body, directory = [], []
    at = 0
    for name, method, packed, size, checksum in entries:
        numbers = struct.pack("<4H3I", 0, method, 0, 33, checksum, len(packed), size)
        local = b"PK\3\4" + struct.pack("<H", 20) + numbers + struct.pack("<2H", len(name), 0) + name + packed
        place = at if shared_offset is None else shared_offset
        directory.append(
            b"PK\1\2"
            + struct.pack("<2H", 20, 20)
            + numbers
            + struct.pack("<5H2I", len(name), 0, 0, 0, 0, 0, place)
            + name
        )
        if shared_offset is None or not body:
            body.append(local)
            at += len(local)
    listed, n = b"".join(directory), len(directory)
    # The 64-bit form of the end, for more than 65,535 files.
    end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, n, n, len(listed), at)
    end += struct.pack("<4sIQI", b"PK\6\7", 0, at + len(listed), 1)
    end += struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return b"".join(body) + listed + end


def png_of_tiny_chunks(number: int) -> bytes:
    """A PNG with very many empty parts before its picture."""
    size = struct.pack(">II5B", 10, 10, 8, 2, 0, 0, 0)
    header = struct.pack(">I", 13) + b"IHDR" + size + struct.pack(">I", zlib.crc32(b"IHDR" + size))
    empty = struct.pack(">I", 0) + b"tEXt" + struct.pack(">I", zlib.crc32(b"tEXt"))
    return b"\x89PNG\r\n\x1a\n" + header + empty * number


def tiff_of_large_tags(tags: int = 60_000, length: int = 200_000) -> bytes:
    """A TIFF whose tags all point to the same 200 kB."""
    start = 8 + 2 + 12 * tags + 4
    entries = b"".join(struct.pack("<HHLL", tag, 1, length, start) for tag in range(2000, 2000 + tags))
    return b"II*\0" + struct.pack("<LH", 8, tags) + entries + bytes(4 + length)


def tiff_of_many_pages(number: int) -> bytes:
    out = io.BytesIO()
    Image.new("1", (8, 8)).save(out, "TIFF")
    one = out.getvalue()
    first = struct.unpack_from("<L", one, 4)[0]
    entries = struct.unpack_from("<H", one, first)[0]
    page = one[first : first + 2 + 12 * entries]
    pages = b"".join(page + struct.pack("<L", len(one) + (len(page) + 4) * (i + 1)) for i in range(number))
    return one[:4] + struct.pack("<L", len(one)) + one[8:] + pages[:-4] + bytes(4)


def pdf_of_many_pages(number: int) -> bytes:
    """A PDF that says that it has so many pages."""
    objects = (
        b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
        b"2 0 obj<</Type/Pages/Count %d/Kids[3 0 R]>>endobj\n" % number,
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n",
    )
    return b"%PDF-1.4\n" + b"".join(objects) + b"trailer<</Root 1 0 R/Size 4>>\n%%EOF\n"


def table_columns(rows: int, **columns) -> dict:
    """Columns of a table with equal rows, on one page."""
    same = {"page": "a", "width": 100.0, "height": 80.0, "label": "Text", "x0": 1.0, "y0": 2.0, "x1": 30.0, "y1": 40.0}
    return {name: pa.repeat(value, rows) for name, value in same.items()} | columns


def parquet_bytes(table: pa.Table | dict, **options) -> bytes:
    """A Parquet file with a table, or with these columns."""
    out = io.BytesIO()
    pq.write_table(pa.table(table) if isinstance(table, dict) else table, out, **options)
    return out.getvalue()


def make_parquet_nested_lists(folder: Path) -> Path:
    """The description is a list in a list, 2,000 levels deep."""
    description = b"\x19" * 2_000
    return write(folder, "lists.parquet", b"PAR1" + description + struct.pack("<I", len(description)) + b"PAR1")


def make_many_labels_of_one_outline(folder: Path) -> Path:
    """Each of 40,000 labels has the outline of 40,000 points."""
    value = {"points": [[i % 90, i % 80] for i in range(40_000)], "polygonlabels": [f"{i}" for i in range(40_000)]}
    result = {"type": "polygonlabels", "original_width": 100, "original_height": 80, "value": value}
    task = {"id": 1, "data": {"image": "a.png"}, "annotations": [{"result": [result]}]}
    return write(folder, "labels.json", json.dumps([task], separators=(",", ":")))


def make_many_documents(folder: Path) -> Path:
    """A list of elements, each on a page of its own."""
    points = {"points": [[1, 1], [5, 5]], "layout_width": 9, "layout_height": 9}
    items = [
        {"type": "T", "element_id": "", "metadata": {"page_number": i, "coordinates": points}} for i in range(7_000)
    ]
    return write(folder, "documents.json", json.dumps(items, separators=(",", ":")))


def make_huge_mask(folder: Path) -> Path:
    """A mask that says that it has 10^12 pixels, and one that is as large as masks may be."""
    image = {"id": 1, "file_name": "a", "width": 16_384, "height": 16_384}
    whole = {"size": [16_384, 16_384], "counts": [0, 1 << 28]}
    masks = [whole, {"size": [MILLION, MILLION], "counts": "0" * 100}]
    annotations = [{"image_id": 1, "category_id": 1, "segmentation": mask} for mask in masks]
    file = {"images": [image], "annotations": annotations, "categories": [{"id": 1, "name": "Text"}]}
    return write(folder, "mask.json", json.dumps(file))


def make_yaml_aliases(folder: Path) -> Path:
    """Lists of aliases to lists of aliases, beside a label file."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    members = {"data.yaml": "\n".join([*lines, "names: *a11"]), "p1.txt": "0 0.5 0.5 0.2 0.2\n"}
    return write(folder, "aliases.zip", zip_of(members))


def _file(name: str, make: Callable[[], bytes | str]) -> Callable[[Path], Path]:
    """A function that writes a file into a folder."""
    return lambda folder: write(folder, name, make())


def _packed(name: bytes, method: int, data: bytes, pack: Callable[[bytes], bytes]) -> tuple:
    """An entry of `raw_zip`."""
    return name, method, pack(data), len(data), zlib.crc32(data)


def _overlapping(number: int) -> bytes:
    """A zip of many files that are all at one place."""
    entry = _packed(b"", 8, bytes(10 << 20), lambda data: zlib.compress(data, 9, -15))
    return raw_zip([(b"%05d.txt" % i, *entry[1:]) for i in range(number)], shared_offset=0)


def _parquet(label, **options) -> bytes:
    """A table of many rows with this column of labels."""
    return parquet_bytes(table_columns(len(label), label=label), **options)


_ONE_PAGE = {"use_dictionary": False, "data_page_size": 1 << 30}
_PREFIXED = _ONE_PAGE | {"column_encoding": {"label": "DELTA_BYTE_ARRAY"}, "write_statistics": False}
_MB, _YOLO = 1 << 20, b"0 .5 .5 .5 .5"
HOSTILE = {
    # Ten numbers with no end: a regular expression with overlapping repeats tries 20^10 ways to split them.
    "overlapping repeats of digits": _file("digits.bin", lambda: b"1" + (b" " + b"1" * 20) * 10 + b"x"),
    "JSON nested 200,000 deep": _file("deep.json", lambda: '{"images":' + "[" * 200_000 + "]" * 200_000 + "}"),
    "TIFF of 100,000 frames": _file("frames.tif", lambda: tiff_of_many_pages(100_000)),
    # A hundred PDFs that say they have a million pages each.
    "PDFs of 100,000,000 pages": _file(
        "pdfs.zip", lambda: zip_of({f"{i}.pdf": pdf_of_many_pages(MILLION) for i in range(100)})
    ),
    "bz2 bomb": _file("bz2.zip", lambda: raw_zip([_packed(b"a.csv", 12, bytes(90 * MILLION), bz2.compress)])),
    "deflate bomb": _file("deflate.zip", lambda: zip_of({"a.csv": bytes(60 * _MB)})),
    "lzma bomb": _file("lzma.zip", lambda: zip_of({"a.csv": bytes(40 * _MB)}, method=zipfile.ZIP_LZMA)),
    # Packed data that ask for a dictionary of 4 GB.
    "lzma dictionary": _file(
        "dictionary.zip",
        lambda: raw_zip([(b"a.csv", 14, struct.pack("<2BHBI", 9, 4, 5, 93, 0xFFFFFFFF) + bytes(20), 100, 0)]),
    ),
    # The archive says that 4 MB were packed to 4 MB; really 60 kB become 60 MB.
    "false sizes in a zip": _file("sizes.zip", lambda: zip_of({"a.csv": bytes(60 * _MB)}, sizes=(4 * _MB, 4 * _MB))),
    "300,000 empty files in a zip": _file(
        "empty.zip", lambda: raw_zip((b"%d.json" % i, 0, b"", 0, 0) for i in range(300_000))
    ),
    # Eight million empty objects in 24 kB.
    "eight million empty objects": _file(
        "objects.zip", lambda: zip_of({"a.json": b'{"apiVersion":1,"pages":[' + b"{}," * 8 * MILLION + b"{}]}"})
    ),
    "PNG of tiny chunks": _file(
        "chunks.zip", lambda: zip_of({"a.txt": _YOLO} | dict.fromkeys(("a.png", "b.png"), png_of_tiny_chunks(MILLION)))
    ),
    "Parquet rows": _file("rows.parquet", lambda: parquet_bytes(table_columns(5 * MILLION), compression="zstd")),
    "XML attributes": _file(
        "attributes.xml",
        lambda: "<annotations><image " + " ".join(f'a{i}=""' for i in range(90_000)) + "/></annotations>",
    ),
    # Each closing tag has to be looked for among 390 open ones.
    "HTML without closing tags": _file(
        "tags.hocr", lambda: "<html><div class='ocr_page'>" + "<i>" * 390 + "</b>" * 240_000
    ),
    # A number to base 60 with 400,000 digits, in the list of names of a YOLO set.
    "YAML number to base 60": _file(
        "base60.zip", lambda: zip_of({"data.yaml": b"names: [" + b"1:" * 400_000 + b"1]", "a.txt": _YOLO})
    ),
    "CSV columns": _file(
        "columns.csv", lambda: f"page,label,x0,y0,x1,y1,{','.join(f'c{i}' for i in range(120_000))}\n"
    ),
    "overlapping files in a zip": _file("overlap.zip", lambda: _overlapping(5_000)),
    "TIFF of large tags": _file("tags.zip", lambda: zip_of({"a.txt": _YOLO, "a.tif": tiff_of_large_tags()})),
    # Numbers that are not encoded, but packed very well: 200 MB in a few kB.
    "Parquet page bomb": _file(
        "page.parquet", lambda: _parquet(pa.repeat("x" * 500, 400_000), compression="zstd", **_ONE_PAGE)
    ),
    # One text of 500 kB in each of 400,000 rows, stored once.
    "Parquet long word": _file(
        "word.parquet",
        lambda: _parquet(
            pa.DictionaryArray.from_arrays(pa.repeat(0, 400_000), ["x" * 500_000]),
            dictionary_pagesize_limit=1 << 30, compression="none",
        ),
    ),
    # Each of 50,000 values repeats the 20 kB of the one before.
    "Parquet prefixes": _file("prefixes.parquet", lambda: _parquet(pa.repeat("x" * 20_000, 50_000), **_PREFIXED)),
    # Each of 60,000 empty elements gets an attribute of 30 kB.
    "XML default values": _file(
        "defaults.xml",
        lambda: f'<!DOCTYPE annotations [<!ATTLIST box a CDATA "{"x" * 30_000}">]>'
        f"<annotations><image >{'<box/>' * 60_000}</image></annotations>",
    ),
    # The parser repeats the namespace of 100 kB in each of 100,000 names.
    "XML namespace": _file(
        "namespace.xml",
        lambda: f'<annotations xmlns="{"x" * 100_000}"><image />'
        f"{''.join(f'<a{i}/>' for i in range(100_000))}</annotations>",
    ),
    # Blocks at the end of 300 levels: the place of each is a long text.
    "deep tree": _file(
        "tree.json",
        lambda: b'{"block_type":"Page","bbox":[0,0,9,9],"children":[' * 300
        + b",".join([b'{"block_type":"T","bbox":[0,0,1,1]}'] * 25_000) + b"]}" * 300,
    ),
    "many labels and Background": _file("background.json", lambda: json.dumps({
        "images": [], "annotations": [],
        "categories": [{"id": i, "name": name} for i, name in enumerate([*map(str, range(20_000)), "Background"])],
    })),
    "CSV label": _file("label.csv", lambda: ROW.replace(b"Text", b"x" * (MILLION - 100))),
    "YAML aliases": make_yaml_aliases,
    "Parquet nested lists": make_parquet_nested_lists,
    "many labels of one outline": make_many_labels_of_one_outline,
    "many documents": make_many_documents,
    "huge mask": make_huge_mask,
}  # fmt: skip
