"""What the files of each writer look like, read without this package: by pycocotools, xml.etree, json and by hand."""

import contextlib
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from pycocotools import mask as masks
from pycocotools.coco import COCO

import layoutcm as lcm
from layoutcm.layouts.model import CocoFacts, Pages, Regions
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.validation import make_layout
from layoutcm.layouts.writers import written
from support.coco_files import coco, image, read_coco, region
from support.layouts import build, with_shapes
from support.reading import fails
from support.writing import odd_layouts, read_again

LABELS = ["Text", "TextRegion:heading", "Figure"]
TRIANGLE = np.array([[10.0, 10], [50, 10], [10, 90]])


def small_layout(**options):
    """A page of 100 x 200 with a box, a triangle and a mask, and a page of 50 x 50 without regions."""
    pages = Pages(
        ("x/a.png", "b.png"),
        np.array([100.0, 50]),
        np.array([200.0, 50]),
        ("d", "d"),
        np.array([1, 2], np.int32),
        {"doc_category": ("laws", ""), "precedence": ("0", "0"), "language": ("en", "de")},
    )
    mask = RunMask(200, 100, np.array([200 * 4 + 3, 5, 195, 5, 200 * 95 - 8]))
    boxes = np.array([[20.0, 40, 60, 80], [10, 10, 50, 90], [4, 3, 6, 8]])
    ignore, crowd = np.array([False, True, False]), np.array([False, False, True])
    facts = CocoFacts(crowd, np.array([1600.0, 1600, 10]), np.full((3, 2), np.nan))
    scores = np.array(options.get("scores", [np.nan] * 3))
    shapes = {1: Outline((TRIANGLE,)), 2: mask}
    label = np.array([0, 1, 2], np.int32)
    regions = Regions(np.zeros(3, np.int32), label, boxes, scores, shapes, facts, ignore)
    return make_layout("made", "test", [*LABELS, "Unused"], pages, regions)


def losses(to, **options):
    findings = written(small_layout(), to, **options)[1]
    return [one.values["what"] if one.code == "not-written" else one.code for one in findings]


CHANGES = ["renamed-pages", "page-order", "shape-as-box"]
FLAGS = ["ignore flags", "crowd flags", "areas"]


@pytest.mark.parametrize(("to", "lost"), [
    ("parquet", []),
    ("csv", []),
    ("coco", ["attributes"]),
    ("yolo", [*FLAGS, "documents", "page numbers", "page sizes", "attributes", *CHANGES]),
    ("label-studio", [*FLAGS, "unused labels", "shape-as-box"]),
    ("cvat", [*FLAGS, "documents", "page numbers", "attributes"]),
    ("page-xml", [*FLAGS, "documents", "page numbers", "unused labels", "attributes", "page-order", "shape-as-box"]),
])  # fmt: skip
def test_what_each_format_cannot_hold(to, lost):
    assert losses(to) == lost


def test_csv_names_areas_without_crowds_and_boxes_with_inverted_corners_as_lost():
    layout = small_layout()
    regions = layout.region_columns
    no_crowds = replace(regions, coco=replace(regions.coco, crowd=np.zeros(3, bool)))
    layout = replace(layout, region_columns=no_crowds, dropped=regions.take(np.array([True, False, False])))
    for to, lost in (("parquet", {}), ("csv", {"areas": 1, "boxes with inverted corners": 1})):
        assert {one.values["what"]: one.count for one in written(layout, to)[1]} == lost
    assert "boxes with inverted corners" in [one.values.get("what") for one in written(layout, "coco")[1]]


def test_parquet_names_ids_of_labels_as_lost_that_do_not_fit_into_its_metadata():
    layout = small_layout()
    layout = replace(layout, label_keys={f"{'long' * 20}{i}": 0 for i in range(2000)})
    content, findings = written(layout, "parquet")
    assert [(one.values["what"], one.count) for one in findings] == [("the ids of labels", 2000)]
    assert lcm.read(("a.parquet", content)).label_keys == {}


def test_coco_keeps_the_ids_of_a_coco_file_so_that_results_still_fit():
    categories = [{"id": 7, "name": "Text"}, {"id": 2, "name": "Table"}]
    layout = read_coco(coco([image(30), image(10)], [region(10, 7, id=1)], categories))
    again = json.loads(written(layout, "coco")[0])
    assert [one["id"] for one in again["images"]] == [30, 10] and again["categories"] == categories
    assert [(one["image_id"], one["category_id"]) for one in again["annotations"]] == [(10, 7)]


@pytest.mark.parametrize("to", ["label-studio", "page-xml"])
def test_attributes_that_the_reader_of_a_format_knows_are_written(to):
    names = ("type", "primaryLanguage") if to == "page-xml" else ("kind", "image")
    layout = small_layout()
    attributes = {names[0]: ("cover", ""), names[1]: ("", "German")}
    layout = replace(layout, page_columns=replace(layout.page_columns, attributes=attributes))
    content, findings = written(layout, to)
    files = list(content.items()) if isinstance(content, dict) else [("a.json", content)]
    again = lcm.read(files)
    assert {name: sorted(texts) for name, texts in again.page_columns.attributes.items()} == {
        name: sorted(texts) for name, texts in attributes.items()
    }
    assert "attributes" not in [one.values.get("what") for one in findings]


def test_equal_layouts_give_equal_page_xml():
    content, _ = written(small_layout(), "page-xml")
    assert all(b"<Created>1970-01-01T00:00:00Z</Created>" in data for name, data in content.items() if "xml" in name)


def test_coco_is_read_by_pycocotools():
    content, findings = written(small_layout(), "coco")
    assert [one.message for one in findings] == ["coco has no place for attributes: 1 is left out ('language')."]
    file = COCO()
    file.dataset = json.loads(content)
    with contextlib.redirect_stdout(io.StringIO()):
        file.createIndex()
    assert file.imgs[0] == {
        "id": 0, "file_name": "x/a.png", "width": 100, "height": 200, "doc_name": "d", "page_no": 1,
        "doc_category": "laws", "precedence": 0,
    }  # fmt: skip
    assert [file.anns[i].get("ignore", 0) for i in range(3)] == [0, 1, 0]
    assert [(file.anns[i]["iscrowd"], file.anns[i]["area"]) for i in range(3)] == [(0, 1600), (0, 1600), (1, 10)]
    assert file.annToMask(file.anns[2])[3:8, 4:6].sum() == masks.area(file.annToRLE(file.anns[2])) == 10
    again = lcm.read(("c.json", content), shapes="polygon")
    assert again.region_columns.ignored.tolist() == [False, True, False]
    assert dict(again.page_columns.attributes) == {"doc_category": ("laws", ""), "precedence": ("0", "0")}


def layout_of_annotators(precedence, annotator):
    images = [image(i, precedence=number) for i, number in enumerate(precedence)]
    return read_coco(coco(images, [region(i, id=i) for i in range(len(precedence))]), annotator=annotator)


@pytest.mark.parametrize(("annotator", "lost"), [("0", []), ("1", ["attributes", "annotators"])])
def test_no_region_is_lost_to_the_annotator_that_is_read_first(annotator, lost):
    layout = layout_of_annotators([0, 1], annotator)
    content, findings = written(layout, "coco")
    again = lcm.read(("again.json", content))
    assert again.regions.equals(layout.regions) and len(again.regions) == 1
    assert [one.values["what"] for one in findings] == lost
    assert (again.annotators == layout.annotators) is not bool(lost)


def test_yolo_is_read_by_hand():
    files = written(small_layout(scores=[0.5, np.nan, 0.25]), "yolo")[0]
    assert list(files) == ["README.txt", "data.yaml", "labels/x/a.txt", "labels/b.txt"]
    assert yaml.safe_load(files["data.yaml"])["names"] == dict(enumerate([*LABELS, "Unused"]))
    assert files["labels/b.txt"] == b""
    box, triangle, mask = [line.split() for line in files["labels/x/a.txt"].decode().splitlines()]
    assert box == ["0", "0.4", "0.3", "0.4", "0.2", "0.5"]
    assert triangle[0] == "1" and np.allclose(np.array(triangle[1:], float).reshape(-1, 2) * (100, 200), TRIANGLE)
    assert mask[0] == "2" and np.allclose(np.array(mask[1:], float), [0.05, 5.5 / 200, 0.02, 5 / 200, 0.25])


@settings(max_examples=50)
@given(layout=odd_layouts())
def test_any_label_is_in_the_yaml_of_yolo(layout):
    names = yaml.safe_load(written(layout, "yolo")[0]["data.yaml"])["names"]
    assert list(names.values()) == layout.labels


@pytest.mark.parametrize(("scores", "predictions", "key"), [
    ([np.nan] * 3, None, "annotations"),
    ([0.5, 0.25, np.nan], None, "predictions"),
    ([0.5, 0.25, np.nan], False, "annotations"),
    ([np.nan] * 3, True, "predictions"),
])  # fmt: skip
def test_label_studio_has_percentages_in_annotations_or_predictions(scores, predictions, key):
    content, _ = written(small_layout(scores=scores), "label-studio", predictions=predictions)
    first, second = json.loads(content)
    assert list(first) == ["id", "data", key] and second[key][0]["result"] == []
    box, triangle, _ = first[key][0]["result"]
    assert (box["type"], box["original_width"], box["original_height"]) == ("rectanglelabels", 100, 200)
    assert box["value"] == {
        "x": 20, "y": 20, "width": 40, "height": 20, "rotation": 0, "rectanglelabels": ["Text"]
    }  # fmt: skip
    assert triangle["value"]["points"] == [[10, 5], [50, 5], [10, 45]]
    assert triangle["value"]["polygonlabels"] == ["TextRegion:heading"]
    again = lcm.read(("t.json", content))
    assert np.array_equal(again.region_columns.scores, scores, equal_nan=True)
    assert again.page_columns.names == ("x/a.png", "b.png") and again.page_columns.size(1) == (50, 50)
    assert again.page_columns.documents == ("d", "d") and again.page_columns.numbers.tolist() == [1, 2]


def test_the_page_of_a_label_studio_task_must_be_a_text():
    task = {"data": {"image": "a.png", "layoutcm": {"page": 3}}, "annotations": [{"result": []}]}
    with pytest.raises(lcm.InputError, match=re.escape("t.json, [0].data.layoutcm: 'Expected `str`, got `int`")):
        lcm.read(("t.json", json.dumps([task]).encode()), sizes=(9, 9))


def test_cvat_has_boxes_polygons_and_masks():
    root = ElementTree.fromstring(written(small_layout(), "cvat")[0])
    assert [name.text for name in root.iter("name")] == [*LABELS, "Unused"]
    image, empty = root.iter("image")
    assert image.attrib == {"id": "0", "name": "x/a.png", "width": "100", "height": "200"} and len(empty) == 0
    box, polygon, mask = image
    assert [box.get(side) for side in ("xtl", "ytl", "xbr", "ybr")] == ["20", "40", "60", "80"]
    assert polygon.get("points") == "10,10;50,10;10,90" and polygon.get("label") == "TextRegion:heading"
    assert [mask.get(key) for key in ("left", "top", "width", "height")] == ["4", "3", "2", "5"]
    assert mask.get("rle") == "0, 10"


def test_page_xml_has_whole_points_and_known_types():
    files = written(small_layout(scores=[0.5, np.nan, 87.5]), "page-xml")[0]
    assert list(files) == ["README.txt", "page/x/a.xml", "page/b.xml"]
    metadata, page = ElementTree.fromstring(files["page/x/a.xml"])
    assert metadata[0].text == "layoutcm" and page.get("imageFilename") == "x/a.png"
    assert (page.get("imageWidth"), page.get("imageHeight")) == ("100", "200")
    text, heading, figure = page
    assert text.tag.endswith("}TextRegion") and text.get("custom") == "layoutcm {label:Text;}"
    assert heading.tag.endswith("}TextRegion") and heading.get("type") == "heading" and not heading.get("custom")
    assert figure.tag.endswith("}ImageRegion") and figure[0].get("conf") is None
    assert text[0].attrib == {"points": "20,40 60,40 60,80 20,80", "conf": "0.5"}
    assert heading[0].get("points") == "10,10 50,10 10,90"


@settings(max_examples=80)
@given(layout=odd_layouts())
def test_points_of_page_xml_are_those_of_its_schema(layout):
    files = written(layout, "page-xml")[0]
    pages = [ElementTree.fromstring(data)[1] for name, data in files.items() if name.endswith(".xml")]
    for coords in (element[0] for page in pages for element in page):
        assert re.fullmatch(r"([0-9]+,[0-9]+ )+([0-9]+,[0-9]+)", coords.get("points"))
        assert 0 <= float(coords.get("conf", 0)) <= 1
    assert all(re.fullmatch("[1-9][0-9]*", page.get(side)) for page in pages for side in ("imageWidth", "imageHeight"))


@pytest.mark.parametrize("to", ["yolo", "label-studio", "cvat", "page-xml"])
def test_a_layout_without_pages_is_refused(to):
    empty = lcm.read(("gt.json", b'{"images": [], "annotations": [], "categories": []}'))
    fails(f"gt.json: there is no page in it, which {to} cannot hold. Use one of", written, empty, to)


@pytest.mark.parametrize("to", ["parquet", "csv", "coco", "yolo", "label-studio", "cvat", "page-xml"])
def test_boxes_alone_are_read_from_outlines(to):
    layout = small_layout()
    again = read_again(written(layout, to)[0], to, layout, shapes="box")
    assert not again.region_columns.shapes
    assert np.allclose(again.region_columns.boxes, layout.region_columns.boxes)


def test_shapes_that_are_too_long_to_be_read_again_become_boxes():
    angles = np.linspace(0, 6, 60_000)
    ring = 500 + 400 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    dots = np.zeros((1000, 1000), bool)
    dots[::2, ::2] = dots[-1, -1] = True
    changes = np.flatnonzero(np.diff(dots.T.ravel(), prepend=False))
    mask = RunMask(1000, 1000, np.diff(changes, prepend=0, append=dots.size))
    rows = [("a", "Text", *ring.min(axis=0), *ring.max(axis=0)), ("a", "Text", 0, 0, 1000, 1000)]
    layout = with_shapes(build({"a": (1000, 1000)}, rows), {0: Outline((ring,)), 1: mask})
    for to, boxed in (("cvat", 2), ("page-xml", 1), ("yolo", 1), ("label-studio", 1)):
        content, findings = written(layout, to)
        assert sum(one.count for one in findings if one.code == "shape-as-box") == boxed
        assert len(read_again(content, to, layout).region_columns.shapes) == 2 - boxed
