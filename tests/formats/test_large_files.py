"""A large COCO file is read range by range: the layout, the digest and the errors are those of its bytes."""

from __future__ import annotations

import json
import os

import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.formats.coco_annotations import open_large_file
from layoutcm.formats.content import Options
from layoutcm.layouts.file_bytes import StoredFile
from support.reading import fails
from support.scanner_check import CocoTexts, facts, scanning

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
