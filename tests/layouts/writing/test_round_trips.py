"""Every writer and its reader: the layout that is read again differs by what the findings say, and by nothing else."""

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from layoutcm.layouts.writers import FOLDERS, written
from support.layout_differences import differences
from support.writing import odd_layouts, read_again, yolo_names

FORMATS = ("parquet", "csv", "coco", "yolo", "label-studio", "cvat", "page-xml")


def pages_as_written(content, to, again):
    """For each page in the order of writing, its position in the layout that was read."""
    if to not in FOLDERS:
        return list(range(len(again.page_columns)))
    if to == "yolo":
        names = yolo_names(content)
    else:
        files = [data for name, data in content.items() if name.endswith(".xml")]
        names = [ElementTree.fromstring(data)[1].get("imageFilename") for data in files]
    return [again.page_columns.names.index(name) for name in names]


def reported(findings):
    found = Counter()
    for one in findings:
        kind = one.values["what"] if one.code == "not-written" else one.code
        found["scores" if kind.startswith("scores") else kind] += one.count
    return found


@pytest.mark.parametrize("to", FORMATS)
@settings(max_examples=100)
@given(layout=odd_layouts())
def test_the_findings_name_exactly_what_is_lost(to, layout):
    content, findings = written(layout, to)
    again = read_again(content, to, layout)
    expected = differences(layout, again, pages_as_written(content, to, again))
    if to == "yolo":
        expected["page sizes"] = len(layout.page_columns)  # they were given again by the test
    assert reported(findings) == expected
    assert all(one.message and one.values["format"] == to for one in findings)
