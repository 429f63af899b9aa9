"""Files of no known format: what the message shows, the likeliest formats, and files of tools that have no places."""

import json

import pytest

from layoutcm.cli.main import main
from layoutcm.formats.content import FileContent
from layoutcm.formats.needs import OneOf
from layoutcm.formats.recognition import find_candidates, likeliest_formats
from layoutcm.formats.registry import BY_NAME, FORMATS, never
from support.reading import refusal
from written import writers, written


def content(value, name="file"):
    return FileContent(name, (value if isinstance(value, str) else json.dumps(value)).encode())


@pytest.mark.parametrize(("value", "likeliest"), [
    ({"images": [], "categories": [{}]}, {"coco": "the key 'annotations'"}),
    ([{"image_id": 1, "bbox": [1, 2, 3, 4]}], {"coco-results": "the key 'category_id'"}),
    ({"image_id": 1, "category_id": 1}, {"coco-results": "a JSON list around it"}),
    ({"shapes": [], "imageWidth": 9}, {"labelme": "the key 'imagePath'"}),
    ([{"type": "Title", "element_id": "1"}], {"unstructured": "the key 'metadata'"}),
    ({"x": {"bboxes": []}}, {"surya": "'image_bbox' inside"}),
    ({"data_row": {"id": "a"}, "media_attributes": {}}, {"labelbox": "the key 'projects'"}),
    ({"pages": [{"index": 0, "markdown": "a"}], "model": "m"}, {"mistral-ocr": "'dimensions' inside"}),
    ({"item": {"name": "a.png"}, "annotations": []}, {"darwin": "the key 'version'"}),
    ({"item": {}, "schema_ref": "x"}, {"darwin": "the key 'annotations'"}),
    ([{"layout_dets": [{"category_type": "title"}], "extra": {}}], {"omnidocbench": "the key 'page_info'"}),
    ({"_via_settings": {}, "_via_attributes": {}}, {"via": "the key '_via_img_metadata'"}),
    ("<html><body><p>words</p></body></html>", {"hocr": "'ocr_page' inside"}),
    ("<pages><Page/><TextRegion/><Coords/></pages>", {"page-xml": "the root element <PcGts>"}),
    ("<set><object><bndbox/></object></set>", {"voc": "the root element <annotation>"}),
])  # fmt: skip
def test_the_likeliest_format_and_what_is_missing(value, likeliest):
    found = likeliest_formats(content(value))
    assert dict([next(iter(found.items()))]) == likeliest and len(found) == 2
    words = [f"{name} it lacks {missing}" for name, missing in found.items()]
    text = value if isinstance(value, str) else json.dumps(value)
    refusal(text, "is not recognised", *words, "`layoutcm formats` lists all", name="file")


@pytest.mark.parametrize(("text", "shown"), [
    ('<?xml version="1.0"?>\n<!-- a --><a:Foo b="c" xmlns:a="http://x/y" xmlns="z"/>', "<Foo> of 'http://x/y'"),
    ("\ufeff<Foo xmlns = 'http://x/y'><Bar/></Foo>", "<Foo> of 'http://x/y'"),
    ("<Foo><Bar xmlns='http://x/y'/></Foo>", "<Foo>. "),
    ('{"b": 1, "a": []}', "a JSON object with keys 'a', 'b'"),
    ('[{"b": 1}]', "a JSON list with keys 'b'"),
    ("[1, 2]", "a JSON list with no keys"),
    ("hello", "'hello'. For csv it lacks a header"),
])  # fmt: skip
def test_the_message_shows_what_the_file_is(text, shown):
    refusal(text, shown, name="file")


def test_the_message_does_not_list_all_formats():
    refusal('{"a": 1}', "not recognised", name="file")
    mentioned = [format.name for format in FORMATS if f"for {format.name} " in likeliest_text('{"a": 1}').lower()]
    assert len(mentioned) == 2


def likeliest_text(text):
    return " ".join(f"for {name} {missing}" for name, missing in likeliest_formats(content(text)).items())


@pytest.mark.parametrize(("value", "words"), [
    ({"table_of_contents": [], "page_stats": [], "debug_data_path": ""}, ("Marker", "--output_format json")),
    ({"request_id": "x", "text": "", "confidence_rate": 0.9}, ("Mathpix", "lines.json")),
    ('{\n"request_id": "x",\n"confidence_rate": 1\n}\n{\n"request_id": "y"\n}', ("Mathpix", "lines.json")),
    ([{"text": "a", "spans": [{"start": 0, "end": 1}], "_task_hash": 1, "answer": "accept"}], ("Prodigy", "image")),
    ({"texts": [{"text": "a"}]}, ("docling", "schema_name", "save_as_json")),
    ({"paper1": ["1 Introduction"], "paper2": ["Abstract", "References"]}, ("pdffigures2", "no places")),
    ({"recipe": "", "recipe_fields": {}, "labels": []}, ("a result of layoutcm",)),
    ([{"type": "Title", "element_id": "1", "metadata": {}}], ("none of the 1 elements has coordinates", "hi_res")),
])  # fmt: skip
def test_files_without_places_are_refused_by_the_name_of_their_tool(value, words):
    refusal(value if isinstance(value, str) else json.dumps(value), *words, name="file.json")


@pytest.mark.parametrize("format", sorted(writers()))
def test_recognised_files_have_what_their_format_needs(format):
    """So that messages never ask for something that files of the format do not have."""
    needs = BY_NAME[format].needs
    files = [FileContent(name, data) for name, data in written(format).items()]
    recognised = [file for file in files if format in [kind.name for kind in find_candidates(file)]]
    assert recognised and (not needs or any(needs(file) for file in recognised))


def test_every_format_but_plain_text_and_parquet_says_what_it_needs():
    plain_text = {"csv", "yolo", "docbank", "layoutparser-csv", "deepseek-ocr"}
    parquet = {"parquet", "hf-doclaynet", "hf-objects", "docling-eval"}
    recognised = {format.name for format in FORMATS if format.recognises is not never}
    assert {name for name in recognised if BY_NAME[name].needs is None} == plain_text | parquet


@pytest.mark.parametrize("format", sorted(name for name in writers() if BY_NAME[name].needs))
def test_a_file_that_lacks_one_name_is_told_its_format(format):
    needs = BY_NAME[format].needs
    choices = needs.choices if isinstance(needs, OneOf) else (needs,)
    files = [FileContent(name, data) for name, data in written(format).items()]
    file, met = next((file, one) for one in choices for file in files if one(file))
    for name in (*met.names, *met.inside, *met.words):
        renamed = FileContent(file.name, file.data.replace(name.encode(), b"other"))
        assert find_candidates(renamed) or format in likeliest_formats(renamed), name


def test_the_command_formats_lists_each_format_once(capsys):
    assert main(["formats"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(BY_NAME)
    assert "coco               COCO ground truth" in lines
