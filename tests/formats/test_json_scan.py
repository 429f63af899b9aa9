"""Large COCO files: the scanner equals msgspec to the bit, also where a file is read range by range; and JSON lines."""

from __future__ import annotations

import json
import os
import struct
from decimal import Decimal

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.formats.coco_annotations import open_large_file
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_columns import Field, scan_list
from layoutcm.formats.json_scan import BOX, INTEGER, NUMBER, TRUTH
from layoutcm.layouts.file_bytes import StoredFile
from support.reading import fails
from support.scanner_check import NUMBERS, CocoTexts, difference, facts, scanning, wrongly_scanned
from written import written

FIELDS = [Field("image_id", INTEGER), Field("bbox", BOX), Field("score", NUMBER), Field("iscrowd", TRUTH)]


def test_fields_become_columns():
    text = b'{"a": [1, {"b": "}"}], "items": [{"image_id": 7, "bbox": [1, 2.5, 3, 4e1], "score": 0.25, "iscrowd": true}'
    text += b' , {"x": "},{", "score": null, "image_id": -8}], "z": 1}'
    columns = scan_list(text, FIELDS, "items")
    assert columns is not None
    assert columns.values["image_id"].tolist() == [7, -8]
    np.testing.assert_array_equal(columns.values["bbox"], [[1, 2.5, 3, 40], [np.nan] * 4])
    np.testing.assert_array_equal(columns.values["score"], [0.25, np.nan])
    np.testing.assert_array_equal(columns.values["iscrowd"], [1, np.nan])
    assert columns.rest == b'{"a": [1, {"b": "}"}], "items": [], "z": 1}'


@pytest.mark.parametrize("range_bytes", [1, 2, 5, 20, 1000])
def test_a_border_inside_a_string_or_a_nested_object_is_no_border(range_bytes):
    items = [f'{{"image_id": {i}, "text": "}},{{", "parts": [{{"image_id": 99}}, {{"bbox": 5}}]}}' for i in range(50)]
    with scanning(range_bytes):
        columns = scan_list(f"[{', '.join(items)}]".encode(), [Field("image_id", INTEGER)])
    assert columns is not None and columns.values["image_id"].tolist() == list(range(50))


def test_more_objects_than_expected_in_a_range():
    columns = scan_list(b"[" + b",".join(b'{"a":%d}' % i for i in range(5000)) + b"]", [Field("a", INTEGER)])
    assert columns is not None and columns.values["a"].tolist() == list(range(5000))


def test_the_last_of_repeated_keys_counts():
    columns = scan_list(b'[{"a": 1, "a": 2}, {"a": 3, "a": null}]', [Field("a", NUMBER)])
    assert columns is not None
    np.testing.assert_array_equal(columns.values["a"], [2, np.nan])


INTEGERS = [Field("a", INTEGER)]
NEEDED = [Field("a", INTEGER, True), Field("b", NUMBER)]
WRONG = {  # items with an integer "a"
    "a fraction": '{"a": 1.5}', "not exact as a double, like its neighbour": '{"a": 9007199254740992}',
    "-0": '{"a": -0}', "01": '{"a": 01}', "1e2": '{"a": 1e2}', "a text": '{"a": "1"}', "true": '{"a": true}',
    "a key in codes": '{"\\u0061": 1}', "a last comma": '{"a": 1,}', "no colon": '{"a" 1}', "a list": "[1]",
    "no comma": '{"a": 1} {"a": 2}', "a number": "1", "other brackets": '{"a": 1, "b": [1, 2}',
    "half a word": '{"a": 1, "b": tru}', "a surrogate": '{"a": 1, "b": "\\ud800"}',
    "a control character": '{"a": 1, "b": "\x01"}', "80 levels": '{"a": 1, "b": ' + "[" * 80 + "]" * 80 + "}",
}  # fmt: skip
CUT = (b"", b"[", b"[]", b"{}", b'[{"a":1}', b'[{"a":1', b'{"items":[{"a":1}]', b'{"items":1}')
NOT_TEXT = (b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80")


def of_integers(what, text, is_scanned=False, fields=INTEGERS):
    """A row: a list, or an object with `items`."""
    return pytest.param(text, fields, is_scanned, id=what)


@pytest.mark.parametrize(("text", "fields", "is_scanned"), [
    of_integers("a plain list", b'[{"a": 5}]', True),
    *(of_integers(what, f'[{{"a": 5}}, {item}]'.encode()) for what, item in WRONG.items()),
    *(of_integers(f"cut off: {text}", text) for text in CUT),
    *(of_integers(f"a script: {character}", f'[{{"t": "{character}", "a": 1}}]'.encode(), True)
      for character in ("é", "€", "😀", "\\u00e9", "\\n", "\\\\")),
    *(of_integers(f"no text: {data}", b'[{"t": "' + data + b'", "a": 1}]') for data in NOT_TEXT),
    of_integers("a key that occurs twice", b'{"items": [{"a": 1}], "items": [{"a": 2}]}'),
    of_integers("a key that occurs twice, in codes", b'{"items": [{"a": 1}], "it\\u0065ms": []}'),
    of_integers("all needed keys", b'[{"a": 1}, {"a": 2, "b": 3}]', True, NEEDED),
    of_integers("a needed key is missing", b'[{"a": 1}, {"b": 3}]', False, NEEDED),
    of_integers("a needed key is null", b'[{"a": null}]', False, NEEDED),
    of_integers("a needed key is null, and a number follows", b'[{"a": null, "a": 3}]', False, NEEDED[:1]),
])  # fmt: skip
def test_what_is_unusual_or_wrong_is_left_to_msgspec(text, fields, is_scanned):
    assert (scan_list(text, fields, "items" if text.startswith(b"{") else "") is not None) == is_scanned


@pytest.mark.parametrize("end", [b"]", b" []", b"[", b"\x0b", b"\xc2\xa0", b"1"])
def test_what_follows_a_results_list_is_an_error(end):
    text = b'[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}]'
    assert difference(text, 100) == "" and difference(text + end, 100) == ""
    with scanning(100), pytest.raises(InputError):
        lcm.read(("a.json", text + end), format="coco-results", sizes=(10, 10))


def _scanned_number(text: str) -> float | None:
    columns = scan_list(f'[{{"a": {text}}}]'.encode(), [Field("a", NUMBER)])
    return None if columns is None else float(columns.values["a"][0])


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e40, max_value=1e40))
def test_numbers_as_python_writes_them(value):
    found = _scanned_number(repr(value))
    assert found is None or struct.pack("d", found) == struct.pack("d", value)
    # Coordinates and scores must not need msgspec.
    assert found is not None or not 1e-5 < abs(value) < 1e9


@given(st.integers(0, 10**19 - 1), st.integers(-45, 45))
def test_numbers_of_up_to_19_digits(digits, power):
    found = _scanned_number(f"{digits}e{power}")
    assert found is None or found == float(f"{digits}e{power}")


@given(st.floats(min_value=1e-6, max_value=1e15), st.integers(15, 18))
def test_numbers_near_the_middle_of_two_doubles(value, digits):
    middle = (Decimal(value) + Decimal(float(np.nextafter(value, np.inf)))) / 2
    text = f"{middle:.{digits}e}"
    found = _scanned_number(text)
    assert found is None or found == float(text)


@pytest.mark.parametrize("text", NUMBERS)
def test_special_numbers(text):
    found = _scanned_number(text)
    try:
        expected = msgspec.json.decode(text, type=float)
    except msgspec.MsgspecError:
        assert found is None
    else:
        assert found is None or struct.pack("d", found) == struct.pack("d", expected)


def test_numbers_of_layouts_are_not_left_to_msgspec():
    texts = [
        "0", "7", "12.5", "0.9876543283462524", "1023.4567260742188", "-3.25", "5e-05", "0.00019334548338496466", "1e2",
        "123456789012345678",
    ]  # fmt: skip
    assert [_scanned_number(text) for text in texts] == [float(text) for text in texts]


@pytest.mark.parametrize("seed", range(0, 400, 20))
def test_random_files_are_read_as_msgspec_reads_them(seed):
    for one in range(seed, seed + 20):
        texts = CocoTexts(one)
        for section, text in (("annotations", texts.ground_truth()), ("", texts.results())):
            range_bytes = texts.random.choice([1, 7, 100, 1000])
            assert wrongly_scanned(text, section, range_bytes) == ""
            assert difference(text, range_bytes) == ""


def test_many_random_files_are_scanned():
    """The comparison above would be empty if the scanner gave up on all of them."""
    with scanning(100):
        texts = [CocoTexts(seed).results() for seed in range(200)]
        scanned = [scan_list(text, [Field("image_id", INTEGER)]) for text in texts]
    assert sum(one is not None and one.values["image_id"].size > 4 for one in scanned) > 30


PAGE = {"id": 1, "width": 100, "height": 100, "file_name": "a.png"}
REGION = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "text": "} {"}
FILE = {"images": [PAGE], "categories": [{"id": 1, "name": "Text"}], "annotations": [REGION] * 100}


def read_both_ways(path, text, range_bytes):
    """What is read from a path, where also a small file is large, and from bytes."""
    path.write_bytes(text)
    with scanning(range_bytes):
        return facts_or_error(path), facts_or_error((str(path), text))


def facts_or_error(source):
    try:
        layout = lcm.read(source, sizes=(100, 100))
    except InputError as error:
        return str(error)
    return layout.sha256, layout.format, facts(layout)


@pytest.mark.parametrize("seed", range(0, 100, 20))
def test_random_files_are_read_as_their_bytes_are(tmp_path, seed):
    for one in range(seed, seed + 20):
        texts = CocoTexts(one)
        for text in (texts.ground_truth(), texts.results()):
            from_path, from_bytes = read_both_ways(tmp_path / "a.json", text, texts.random.choice([7, 100, 1000]))
            assert from_path == from_bytes


@pytest.mark.parametrize("keys", [("images", "annotations"), ("annotations", "images")])
@pytest.mark.parametrize("range_bytes", [50, 1000, 1 << 20])
def test_the_bytes_of_a_large_file_are_not_held(tmp_path, keys, range_bytes):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({key: FILE[key] for key in ("categories", *keys)}))
    with scanning(range_bytes):
        content = open_large_file(str(path), Options())
    assert content is not None
    assert len(content.scanned["annotations"].found) == 100 and "data" not in vars(content)
    assert content.data == path.read_bytes()


@pytest.mark.parametrize("text", [
    b"\xef\xbb\xbf" + json.dumps(FILE).encode(), b" " + json.dumps(FILE).encode(),
    b"\n```json\n" + json.dumps(FILE).encode() + b"\n```",
    json.dumps(FILE).encode() + b"\n" + json.dumps(FILE).encode(), json.dumps(FILE).encode() + b"]",
    json.dumps({**FILE, "annotations": []}).encode(), json.dumps({"text": '"annotations": [{', **FILE}).encode(),
    json.dumps({**FILE, "annotations": [{**REGION, "text": "}, {"}] * 9}).encode(),
    json.dumps({"info": {"annotations": [{}]}, **FILE}).encode(),
    json.dumps({**FILE, "annotations": [*FILE["annotations"], {**REGION, "bbox": None}]}).encode(),
    json.dumps(FILE).encode()[:-1], json.dumps(FILE["annotations"]).encode(),
    json.dumps([{**REGION, "file_name": "a.png"}]).encode(),
])  # fmt: skip
def test_unusual_files_are_read_as_their_bytes_are(tmp_path, text):
    for range_bytes in (60, 1 << 20):
        from_path, from_bytes = read_both_ways(tmp_path / "a.json", text, range_bytes)
        assert from_path == from_bytes


@pytest.mark.parametrize("change", ["grow", "touch", "replace", "remove"])
def test_a_file_that_changes_after_it_was_scanned_is_an_error(tmp_path, change):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(FILE))
    with scanning(1 << 20):
        content = open_large_file(str(path), Options())
    assert content is not None
    if change == "grow":
        path.write_text(json.dumps(FILE) + " ")
    elif change == "touch":
        os.utime(path, ns=(1, 1))
    else:
        path.unlink()
    if change == "replace":
        path.write_text(json.dumps(FILE).replace("1", "2"))
    for use in (lambda: content.data, content.sha256):
        fails("no such file" if change == "remove" else "the file changed", use)


def test_a_file_that_changes_while_it_is_scanned_is_loaded(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(FILE))
    old = StoredFile.at(str(path))
    os.utime(path, ns=(1, 1))
    monkeypatch.setattr(StoredFile, "at", lambda path: old)
    with scanning(1 << 20):
        assert open_large_file(str(path), Options()) is None
        assert len(lcm.read(path).region_columns) == 100


def result_lines():
    (data,) = written("coco-results").values()
    return [json.dumps(item) for item in json.loads(data)]


def ground_truth():
    return lcm.read(list(written("coco").items()))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("name", ["results.jsonl", "results.json"])
def test_json_lines_are_read_like_an_array(name, end):
    text = "\ufeff" + end.join(result_lines()) + end
    array = lcm.read(list(written("coco-results").items()), like=ground_truth())
    lines = lcm.read([(name, text.encode())], like=ground_truth())
    assert lines.format == "coco-results" and lines.regions.equals(array.regions)


def test_one_line_is_an_array_only_if_the_suffix_says_so():
    line = result_lines()[0].encode()
    assert FileContent("a.jsonl", line).json_root == "array"
    assert FileContent("a.json", line).json_root == "object"
    assert FileContent("a.json", line + b"\n\n").json_root == "object"


def test_objects_over_several_lines_are_not_json_lines():
    text = "\n".join(json.dumps(json.loads(line), indent=1) for line in result_lines())
    fails("not valid JSON", lcm.read, [("results.jsonl", text.encode())], like=ground_truth())


def test_a_wrong_line_is_named():
    lines = result_lines()
    lines[2] = lines[2].replace('"category_id"', "category_id")
    with pytest.raises(InputError, match=r"results.jsonl, line 3, column 1[0-9]"):
        lcm.read([("results.jsonl", "\n".join(lines).encode())], like=ground_truth())


def test_a_text_that_tells_a_format_may_come_late_in_a_large_file():
    blank = b'{"file_name": "%d.png", "width": 10, "height": 10, "note": "' + b"x" * 1000 + b'"}\n'
    last = (
        b'{"file_name": "z.png", "width": 10, "height": 10, "objects": {"bbox": [[1, 1, 5, 5]], "category": ["a"]}}\n'
    )
    layout = lcm.read(("metadata.jsonl", b"".join(blank % i for i in range(4500)) + last))
    assert layout.format == "hf-imagefolder" and len(layout.region_columns) == 1
