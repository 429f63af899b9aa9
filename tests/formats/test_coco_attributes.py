"""What COCO files say beyond boxes: attributes of pages, several annotators, regions that are not to be judged."""

import json

import pytest

import layoutcm as lcm
from support.coco_files import coco, image, region
from support.reading import fails, reader

read = reader("gt.json")


def test_attributes_of_doclaynet_become_columns_of_pages():
    images = [image(1, doc_category="patents", collection="ann", precedence=0), image(2, doc_category="laws")]
    pages = read(coco(images, [])).pages
    assert pages["doc_category"].tolist() == ["patents", "laws"]
    assert pages["collection"].tolist() == ["ann", ""] and pages["precedence"].tolist() == ["0", ""]
    assert list(read(coco([image(1)], [])).pages) == ["page", "document", "number", "width", "height"]


def two_annotators():
    """Page 1 was annotated twice; page 2 once, without a number."""
    rows = [region(1, bbox=[0, 0, 9, 9], precedence=1), region(1, bbox=[0, 0, 5, 5], precedence=0), region(2)]
    return coco([image(1, precedence=0), image(2)], rows)


def test_the_first_annotator_is_read_and_the_others_are_named():
    layout = read(two_annotators())
    assert (layout.annotator, layout.annotators) == ("0", ("0", "1"))
    assert layout.region_columns.boxes[:, 2].tolist()[0] == 5 and len(layout.region_columns) == 2
    finding = next(one for one in layout.findings if one.code == "other-annotators")
    assert finding.message == "gt.json: the regions of annotator '0' are read; there is also '1'."
    other = read(two_annotators(), annotator="1")
    assert (other.annotator, other.region_columns.boxes[:, 2].tolist()) == ("1", [9])
    assert lcm.compare(layout, other).objects().counts_at(0.2) == {"tp": 1, "fp": 0, "fn": 1}


def test_the_same_page_listed_once_for_each_annotator():
    images = [image(1, file_name="p.png", precedence=0), image(2, file_name="p.png", precedence=1)]
    content = coco(images, [region(1, bbox=[0, 0, 5, 5]), region(2, bbox=[0, 0, 9, 9])])
    assert read(content).region_columns.boxes[:, 2].tolist() == [5]
    assert read(content, annotator="1").region_columns.boxes[:, 2].tolist() == [9]
    assert [len(read(content, annotator=name).page_columns) for name in "01"] == [1, 1]


def test_an_annotator_that_the_file_does_not_have():
    with pytest.raises(lcm.InputError, match=r"gt.json, annotator: there is no annotator '2'. Annotators .* '0', '1'"):
        read(two_annotators(), annotator="2")
    fails(r"there is no annotator 'x'. Annotators in this file: none", read, coco([image(1)], []), annotator="x")


def test_ignored_annotations_are_marked_and_their_pixels_are_not_judged():
    rows = [region(1, bbox=[0, 0, 10, 10], ignore=1), region(1, bbox=[20, 0, 10, 10], ignore=0)]
    gt = read(coco([image(1, width=50, height=50)], rows))
    assert gt.regions["ignore"].tolist() == [True, False]
    c = lcm.compare(gt, read(coco([image(1, width=50, height=50)], [])))
    assert (c.ignored_pixels, c.pixels) == (100, 2400)


def test_annotators_are_only_those_of_annotations():
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "a.png"}]
    rows = [{"id": k, "image_id": 1, "category_id": 1, "bbox": [k, 0, 2, 2], "precedence": k} for k in (1, 2)]
    layout = lcm.read(
        ("a.json", json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "x"}]}).encode())
    )
    assert layout.annotators == ("1", "2") and layout.annotator == "1"
    assert layout.region_columns.boxes.tolist() == [[1, 0, 3, 2]]


def test_ids_of_dropped_images_are_not_read_as_names():
    names = {1: "1.png", 2: "1.png", 3: "2.png"}
    images = [
        {"id": i, "width": 10, "height": 10, "file_name": name, "precedence": int(i == 2)} for i, name in names.items()
    ]
    rows = [{"id": i, "image_id": i, "category_id": 1, "bbox": [0, 0, 2, 2]} for i in (1, 2)]
    layout = lcm.read(
        ("a.json", json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "x"}]}).encode())
    )
    assert layout.page_columns.names == ("1.png", "2.png") and len(layout.region_columns) == 1
    assert {finding.code for finding in layout.findings} == {"other-annotators"}
