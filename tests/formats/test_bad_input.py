"""A bad file raises an InputError that names file, place, value and hint, and never a warning."""

import json
import warnings
from zipfile import ZIP_STORED

import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from support.hostile_formats import parquet_bytes, table_columns, zip_of

HEADER = "page,document,width,height,label,x0,y0,x1,y1,score\n"
ROW = "a,d,100,80,Text,1,2,30,40,.5\n"
HUGE = 10**400
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def coco(image=None, annotation=None, category=None, **sections):
    """A small valid COCO file; the arguments replace fields of its second entries or whole sections."""
    images = [{"id": 1, "file_name": "a.png", "width": 100, "height": 80}, {"id": 2, "width": 100, "height": 80}]
    images[1] |= image or {}
    box = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20]}
    annotations = [box, box | {"image_id": 2} | (annotation or {})]
    categories = [{"id": 1, "name": "Text"}, {"id": 2, "name": "Table"} | (category or {})]
    return {"images": images, "annotations": annotations, "categories": categories} | sections


def bbox(*numbers):
    return coco(annotation={"bbox": list(numbers)})


def table(**columns):
    return parquet_bytes(table_columns(2, **columns))


def as_bytes(content):
    if isinstance(content, dict | list):
        content = json.dumps(content)
    return content if isinstance(content, bytes) else content.encode()


def replace_in(content, old, new):
    return as_bytes(content).replace(as_bytes(old), as_bytes(new))


def nested(depth):
    return "[" * depth + "]" * depth


def with_extra_field(value):
    return as_bytes(coco())[:-1] + b', "info": ' + as_bytes(value) + b"}"


WHOLE_FILES = {
    "empty": (b"", "empty", "Export"),
    "whitespace": (b" \n\t ", "empty"),
    "byte order mark only": (b"\xef\xbb\xbf\n", "empty"),
    "truncated": (as_bytes(coco())[:-30], "line 1, column", "ends too early", "export it again"),
    "truncated in the first name": (as_bytes(coco())[:38], "line 1, column", "ends too early"),
    "extra data": (as_bytes(coco()) + b"x", "line 1, column", "not valid JSON", "Export"),
    "single quotes": (str(coco()), "line 1, column 2", "double quotes"),
    "plain text": ("hello", "not recognised", "'hello'", "format="),
    "binary": (b"\x7fELF\xff\xfe" + bytes(40), "binary data", "7f 45 4c 46", "format="),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(40), "a picture", "annotations"),
    "other JSON": ('{"pages": []}', "not recognised", "'pages'", "format="),
    "UTF-16": (json.dumps(coco()).encode("utf-16"), "UTF-16", "Save the file as UTF-8"),
    "not UTF-8, in a name": (replace_in(coco(), "Table", b"T\xe9ble"), "byte ", "0xe9 is not UTF-8", "UTF-8"),
    "half a surrogate pair": (replace_in(coco(), "Table", rb"\ud800"), "categories[1].name", "surrogate"),
    **{f"nested {n}": (nested(n), "nested too deeply") for n in (10_000, 100_000)},
    **{f"nested {n} in a skipped field": (with_extra_field(nested(n)), "nested too deeply") for n in (10_000, 100_000)},
    "nested bbox": (replace_in(coco(), "[10, 10, 20, 20]", nested(100_000)), "annotations[0].bbox"),
    "NaN next to nesting": (with_extra_field(nested(600) + ', "more": NaN'), "more: the value is nan"),
}
JSON_VALUES = {
    "bbox as text": (coco(annotation={"bbox": "1,2,3,4"}), "annotations[1].bbox", "'1,2,3,4'", "Repair"),
    "bbox of 3": (bbox(1, 2, 3), "annotations[1].bbox", "[1, 2, 3]", "length 4", "Repair"),
    "bbox of text": (bbox(1, 2, "3", 4), "annotations[1].bbox[2]", "'3'"),
    "bbox missing": (coco(annotation={"bbox": None}), "annotations[1]", "neither a bbox nor a segmentation", "Add"),
    "NaN": (bbox(1, NAN, 1, 1), "annotations[1].bbox[1]", "nan", "finite", "Remove"),
    "Infinity": (bbox(INF, 1, 1, 1), "annotations[1].bbox[0]", "inf", "finite"),
    "-Infinity": (bbox(1, 1, 1, -INF), "annotations[1].bbox[3]", "-inf", "finite"),
    "1e400": (replace_in(bbox(1, 1, 7, 7), "7, 7", "7, 1e400"), "annotations[1].bbox[3]", "inf", "finite"),
    "huge integer": (bbox(1, 1, HUGE, 1), "annotations[1].bbox[2]", "out of range", "1000", "Repair"),
    "5000 digits": (replace_in(bbox(1, 1, 7, 1), "7", "7" * 5000), "annotations", "bbox", "out of range"),
    "1e300": (bbox(1, 1e300, 1, 1), "annotations[1].bbox", "y0 is 1e+300", "1,000,000,000", "repair"),
    "sum overflows": (bbox(1e308, 1, 1e308, 1), "annotations[1].bbox", "1e+308"),
    "image id null": (coco(image={"id": None}), "images[1].id", "null", "Repair"),
    "image id list": (coco(image={"id": [1]}), "images[1].id", "[1]"),
    "image id of 5000 digits": (replace_in(coco(image={"id": 777}), "777", "7" * 5000), "images", "id", "out of range"),
    "width as text": (coco(image={"width": "100"}), "images[1].width", "'100'", "Repair"),
    "width huge": (coco(image={"width": HUGE}), "images[1].width", "1000", "out of range"),
    "width zero": (coco(image={"width": 0}), "images[1]", "width is 0", "above 0", "Repair"),
    "height negative": (coco(image={"height": -5}), "images[1]", "height is -5"),
    "height NaN": (coco(image={"height": NAN}), "images[1].height", "nan", "finite"),
    "width 1e12": (coco(image={"width": 1e12}), "images[1]", "width is 1,000,000,000,000", "1,000,000"),
    "width missing": (coco(image={"width": None}), "images[1]", "size of page '2'", "like=", "sizes="),
    "page number huge": (coco(image={"page_no": HUGE}), "images[1].page_no", "out of range"),
    "page number 2**40": (coco(image={"page_no": 2**40}), "images[1].page_no", "1.09951e+12", "2,147,483,647"),
    "page number broken": (coco(image={"page_no": 1.5}), "images[1].page_no", "1.5", "whole"),
    "score as text": (coco(annotation={"score": "high"}), "annotations[1].score", "'high'"),
    "category null": (coco(annotation={"category_id": None}), "annotations[1].category_id", "null"),
    "name null": (coco(category={"name": None}), "categories[1].name", "null"),
    "categories object": (coco(categories={"a": 1}), "categories", "array", "{'a': 1}"),
    "annotations object": (coco(annotations={"a": 1}), "annotations", "array", "{'a': 1}"),
    "images null": (coco(images=None), "images", "null"),
    "image id twice": (coco(image={"id": 1}), "images[0] and images[1]", "id 1 occurs twice", "remove or renumber"),
    "page twice": (coco(image={"file_name": "a.png"}), "images[0] and images[1]", "'a.png' occurs twice", "rename"),
    "category id twice": (coco(category={"id": 1}), "categories[0] and categories[1]", "id 1 occurs twice"),
}
CSV = {
    "text in a number": (HEADER + ROW + ROW.replace("30", "x30"), "row 3, column x1", "'x30'", "Repair"),
    "two commas": (HEADER + ROW.replace("30", '"3,5,1"'), "row 2, column x1", "'3,5,1'"),
    "underscore": (HEADER + ROW + ROW.replace("30", "3_0"), "row 3, column x1", "'3_0'"),
    "row after blank lines": (HEADER + "\n\n" + ROW + "\n" + ROW.replace("30", "x"), "row 6, column x1"),
    "row after a quoted newline": (HEADER + ROW.replace("Text", '"T\n\nt"') + ROW.replace("30", "x"),
                                   "row 3, column x1"),
    "short row": (HEADER + ROW + "a,d,100\n", "row 3", "3 cells", "10", "Repair"),
    "long row": (HEADER + ROW + ROW.replace("30", "3,5"), "row 3", "11 cells", "quotes"),
    "NaN": (HEADER + ROW.replace("30", "NaN"), "row 2, column x1", "nan", "finite"),
    "inf": (HEADER + ROW.replace(".5", "-inf"), "row 2, column score", "-inf", "finite"),
    "1e400": (HEADER + ROW.replace("30", "1e400"), "row 2, column x1", "inf"),
    "1e300": (HEADER + ROW.replace("30", "1e300"), "row 2", "x1 is 1e+300"),
    "corner missing": (HEADER + ROW.replace("30", ""), "row 2", "x1 is nan"),
    "width zero": (HEADER + ROW.replace("100", "0"), "row 2:", "width is 0", "Repair"),
    "two sizes": (HEADER + ROW + ROW.replace("80", "90"), "row 2 and row 3", "'a'", "100 x 80", "100 x 90", "rename"),
    "two documents": (HEADER + ROW + ROW.replace(",d,", ",e,"), "row 2 and row 3", "'d'", "'e'", "unique"),
    "no size": (HEADER + ROW.replace("100", ""), "row 2", "size of page 'a'", "like=", "sizes="),
    "page without name": (HEADER + ROW + " " + ROW[1:], "row 3, column page", "no name"),
    "column missing": (HEADER.replace(",y1", ""), "header", "'y1' is missing", "The columns are"),
    "column twice": (HEADER.replace("score", "Page") + ROW, "header", "'page' occurs twice", "Remove"),
    "not UTF-8": ((HEADER + ROW.replace("Text", "T\xe9xt")).encode("latin-1"), "byte ", "0xe9", "UTF-8"),
}  # fmt: skip
PARQUET = {
    "garbage": (b"PAR1" + b"garbage" * 10, "not a readable Parquet", "cut off"),
    "garbage between marks": (b"PAR1" + b"garbage" * 10 + b"PAR1", "not a readable Parquet"),
    "truncated": (table()[:-9], "not a readable Parquet", "cut off"),
    "text that is not UTF-8": (replace_in(table(), "Text", b"T\xe9xt"), "not a readable Parquet", "UTF8"),
    "column name that is not UTF-8": (replace_in(table(), "label", b"lab\xe9l"), "not a readable Parquet"),
    "list as label": (table(label=[["Text"], []]), "column label", "list", "must be text", "Convert"),
    "bytes as label": (table(label=[b"ok", b"\xff"]), "column label", "binary", "must be text"),
    "text as number": (table(x0=["1", "x"]), "row 1, column x0", "'x'", "Repair"),
    "list as number": (table(x0=[[1], [2]]), "column x0", "holds lists", "must be text or numbers"),
    "NaN": (table(x0=[1.0, NAN]), "row 1, column x0", "nan", "finite"),
    "two sizes": (table(width=[100, 90]), "row 0 and row 1", "100 x 80", "90 x 80"),
}
SEGMENTATIONS = {
    "too few points": ([[1, 2, 3, 4]], "segmentation[0]", "4 numbers", "at least 3 points"),
    "x without y": ([[1, 2, 3, 4, 5, 6, 7]], "segmentation[0]", "7 numbers"),
    "far away": ([[1e10, 2, 3, 4, 5, 6]], "segmentation[0]", "too large"),
    "text": ("x", "neither a list of polygons nor a run-length mask", "Repair"),
    "runs too short": ({"size": [2, 3], "counts": [1, 2]}, "segmentation.counts", "[1, 2]", "6 pixels"),
    "negative run": ({"size": [2, 3], "counts": [7, -1]}, "segmentation.counts", "[7, -1]"),
    "invalid run character": ({"size": [2, 3], "counts": "é"}, "segmentation.counts", "'é'"),
    "unterminated run": ({"size": [2, 3], "counts": "o" * 99}, "segmentation.counts", "not a compressed mask"),
    "no pixels": ({"size": [0, 3], "counts": []}, "(0, 3)"),
    "too many pixels": ({"size": [10**9, 10**9], "counts": [10**18]}, "1000000000", "268,435,456"),
}
SEGMENTATION_FILES = {
    name: (coco(annotation={"segmentation": value}), "annotations[1].segmentation", *words)
    for name, (value, *words) in SEGMENTATIONS.items()
}
GROUPS = {"whole": WHOLE_FILES, "json": JSON_VALUES, "csv": CSV, "parquet": PARQUET, "outline": SEGMENTATION_FILES}
CASES = [(group, name) for group, cases in GROUPS.items() for name in cases]


@pytest.mark.parametrize(("group", "name"), CASES)
def test_bad_file(tmp_path, group, name):
    content, *words = GROUPS[group][name]
    path = tmp_path / "bad.file"
    path.write_bytes(as_bytes(content))
    with pytest.raises(lcm.InputError) as error:
        lcm.read(path, shapes="polygon" if group == "outline" else "box")
    message = str(error.value)
    assert message.startswith(str(path))
    assert [word for word in words if word not in message] == [], message
    assert len(message) < 1000 and error.value.hint


def test_a_skipped_field_may_hold_anything():
    for value in (b'"\xff"', "9" * 400, nested(300)):
        assert len(lcm.read(("f", with_extra_field(value))).regions) == 2


def test_unreadable_paths_are_refused(tmp_path):
    for source, word in (
        (tmp_path / "none.json", "no such file"),
        (tmp_path, "folder"),
        (tmp_path / ("x" * 999), "read"),
    ):
        with pytest.raises(lcm.InputError, match=word) as error:
            lcm.read(source)
        assert str(error.value).startswith(str(source)) and error.value.hint


@pytest.mark.parametrize("source", [None, 5, ("name",), ("name", "text"), (1, b"x"), "a\0b"])
def test_invalid_sources_are_refused(source):
    with pytest.raises(lcm.InputError):
        lcm.read(source)


OPTIONS = [
    ({"shapes": "x"}, "shapes", "'x'", "box, polygon"),
    ({"format": "coco-result"}, "'coco-result'", "coco-results", "layoutcm formats"),
    ({"format": ["coco"]}, "['coco']"),
    ({"like": "gt.json"}, "like", "'gt.json'"),
    ({"sizes": "/no/such/folder"}, "/no/such/folder", "page images"),
    *(
        ({"sizes": size}, "sizes", "(1025, 1025)")
        for size in ((1,), 5, ("a", 2), (0, 5), (NAN, 5), (HUGE, 5), (None, 1))
    ),
    ({"sizes": {"p": (1, "x")}}, "sizes['p']", "(1, 'x')"),
]


@pytest.mark.parametrize(("options", "words"), [(options, words) for options, *words in OPTIONS])
def test_bad_option(options, words):
    with pytest.raises(lcm.InputError) as error:
        lcm.read(("f", as_bytes(coco())), **options)
    assert [word for word in words if word not in str(error.value)] == []


# A file that lacks its end is named as such, whatever its format.

CUT = "The file seems cut off: copy or export it again."
TABLE = b"page,width,height,label,x0,y0,x1,y1\na,9,9,Text,0,0,5,5\nb,9,9,Text,0,0,5,5"
XML = b"<annotations><meta><task/></meta><image name='a' width='9' height='9'></image></annotations>"
STORED = parquet_bytes({"page": ["a"] * 50, "label": ["Text"] * 50})
PACKED = zip_of({"a.csv": TABLE}, method=ZIP_STORED)


@pytest.mark.parametrize(("name", "data", "is_cut"), [
    ("a.parquet", STORED[:-9], True),
    ("a.zip", PACKED[:60], True),
    ("a.xml", XML[:30], True),
    ("a.xml", XML[:80], True),
    ("a.csv", TABLE[:-5], True),
    ("a.parquet", STORED[:9] + STORED[-4:], False),
    ("a.zip", PACKED[:4] + PACKED[8:], False),
    ("a.xml", b"<annotations><other/></annotations>", False),
    ("a.xml", b"<x:annotations xmlns:x='u'><other/></x:annotations>", False),
    ("a.xml", b"<annotations/>", False),
    ("a.csv", TABLE[:-5] + b"\nc,9,9,Text,0,0,5,5\n", False),
])  # fmt: skip
def test_only_a_file_without_its_end_is_called_cut_off(name, data, is_cut):
    with pytest.raises(InputError) as caught:
        lcm.read((name, data))
    assert (caught.value.hint == CUT) == is_cut
