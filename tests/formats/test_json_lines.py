"""JSON lines: one JSON object a line is read like an array of these objects."""

import json

import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.formats.content import FileContent
from support.reading import fails
from written import written


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
