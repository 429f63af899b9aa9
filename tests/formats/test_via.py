"""Details of files of VIA 1, 2 and 3."""

import json

import numpy as np

from support.reading import codes, read_as, reader, reads, refused_as, refuser, refuses, regions

SIZE = {"sizes": (100, 200)}
read = reader("a.json")


def via_file(*shapes, attributes=None):
    found = [{"shape_attributes": shape, "region_attributes": attributes or {}} for shape in shapes]
    return {"a.png9": {"filename": "a.png", "size": 9, "regions": found, "file_attributes": {"source": "book"}}}


RECT = {"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4}
LINE = {"all_points_x": [0, 9, 9, 0], "all_points_y": [0, 0, 9, 0]}


def test_via_shapes():
    circle, ellipse = {"name": "circle", "cx": 20, "cy": 20, "r": 5}, {"name": "ellipse", "cx": 20, "cy": 20}
    shapes = [circle, ellipse | {"rx": 10, "ry": 2}, ellipse | {"rx": 10, "ry": 2, "theta": np.pi / 2}]
    shapes += [{"name": "polyline"} | LINE, {"name": "point", "cx": 1, "cy": 1}, {"name": "rect", "x": 1}]
    shapes += [{"name": "polyline", "all_points_x": [0, 9], "all_points_y": [0, 9]}]
    layout = read(via_file(*shapes, attributes={"type": "x"}), **SIZE)
    assert np.allclose(
        layout.region_columns.boxes, [[15, 15, 25, 25], [10, 18, 30, 22], [18, 10, 22, 30], [0, 0, 9, 9]]
    )
    assert (codes(layout)["not-an-area"], codes(layout)["no-coordinates"]) == (2, 1)


def via3_project(*metadata, attribute=None, files=({"fname": "a.png", "type": 2},)):
    settings = {"aname": "kind", "anchor_id": "FILE1_Z0_XY1", "type": 3, "options": {"1": "Text", "2": "Table"}}
    return {
        "project": {"vid_list": ["v"]},
        "config": {},
        "attribute": {"9": settings | (attribute or {}),
                      "8": {"aname": "state", "anchor_id": "FILE1_Z0_XY0", "type": 1}},
        "file": {str(i): one for i, one in enumerate(files)},
        "view": {"v": {"fid_list": list(range(len(files)))}},
        "metadata": {f"m{i}": {"vid": "v", "z": []} | one for i, one in enumerate(metadata)},
    }  # fmt: skip


FIRST_VERSION = {"a.png9": via_file(RECT)["a.png9"] | {"regions": {"0": via_file(RECT)["a.png9"]["regions"][0]}}}
BOXES = {"text": "abc", "Class": {"a": True, "b": False, "c": True}}
OPTIONS = {"region": {"kind": {"type": "radio", "options": {"x": "", "y": ""}}}}
HEADER = "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"
QUOTED = json.dumps(RECT).replace('"', '""')
ROWS = f'a.png,9,"{{}}",1,0,"{QUOTED}","{{""type"":""Text""}}"\n\nb.png,8,"{{}}",0,0,"{{}}","{{}}"\n'
BOX = [2, 1, 2, 3, 4]
SAME_NAME = via3_project({"xy": BOX, "av": {"7": "1", "9": "2"}})
SAME_NAME["attribute"]["7"] = SAME_NAME["attribute"]["9"] | {"options": {"1": "other"}}
test_reading = read_as(
    reads("VIA 1 has a dict of regions", FIRST_VERSION, SIZE, format="via", regions=[("region", 1, 2, 4, 6)],
          some={"no-label": 1}),
    reads("checkboxes are several labels", via_file(RECT, attributes=BOXES), SIZE, labels=["a", "c"],
          says=["attribute 'Class'; regions also have 'text'"]),
    reads("the label is the likely attribute", via_file(RECT, attributes={"class": " Text "}), SIZE, declared=["Text"]),
    reads("a project declares the options of the label",
          {"_via_img_metadata": via_file(RECT, attributes={"kind": "y"}), "_via_attributes": OPTIONS}, SIZE,
          declared=["x", "y"]),
    reads("a table of VIA", HEADER + ROWS, "via.csv", SIZE, format="via", regions=[("Text", 1, 2, 4, 6)],
          names=("a.png", "b.png")),
    reads("extreme points of VIA 3 are a box and no diamond",
          via3_project({"xy": [8, 10, 50, 50, 10, 90, 50, 50, 90], "av": {"9": "2"}}), SIZE | {"shapes": "polygon"},
          regions=[("Table", 10, 10, 90, 90)], shapes=set()),
    reads("attributes of VIA 3 of the same name are told apart", SAME_NAME, SIZE, regions=[("Table", 1, 2, 4, 6)],
          says=["kind (7)"]),
    reads("checkboxes of VIA 3 are several labels",
          via3_project({"xy": BOX, "av": {"9": "1,2"}}, attribute={"type": 2}), SIZE, labels=["Text", "Table"]),
    read=read,
)  # fmt: skip

VIDEO, IMAGE = {"fname": "a.mp4", "type": 4}, {"fname": "a.png", "type": 2}
WRONG_NUMBER = via3_project({"xy": BOX}, {"xy": BOX}, {"xy": [2, "1", 2, 3, 4]}, {"xy": ["2"]})
WRONG_NAME = {key: {"filename": key, "regions": []} for key in "abc"} | {"d": {"filename": 4, "regions": []}}
test_refusal = refused_as(
    refuses("a table with wrong JSON", HEADER + 'a.png,9,{},1,0,"{x","{}"\n', "row 2", "not readable", name="via.csv"),
    refuses("a short row", HEADER + "a.png,9\n", "row 2", "2 cells where the header has 7", name="via.csv"),
    refuses("a column is missing", HEADER.replace("file_size", "size"), "'file_size' is missing", name="via.csv"),
    *(refuses(f"a view with {found}", via3_project(files=files), "view.'v'", f"not one image: it has {found}")
      for files, found in (((VIDEO,), "a video or"), ((IMAGE, IMAGE), "several files"), ((), "no file"))),
    refuses("a file that is not there", via3_project() | {"view": {"v": {"fid_list": ["7"]}}}, "view.'v'",
            "there is no file '7'"),
    refuses("a view that is not there", via3_project({"vid": "x"}), "metadata.'m0'", "no view 'x'"),
    refuses("an error inside an object names the key", WRONG_NUMBER, "metadata.m2.xy[1]", "'1'"),
    refuses("an error in a name names the key", WRONG_NAME, "d.filename"),
    refuse=refuser("v.json", **SIZE),
)  # fmt: skip


def test_attributes_of_a_file_are_attributes_of_its_page():
    assert read(FIRST_VERSION, **SIZE).pages["source"].tolist() == ["book"]


def test_via_3_shapes_options_and_attributes_of_images():
    shapes = [[2, 1, 2, 3, 4], [3, 20, 20, 5], [4, 20, 20, 10, 2], [7, 0, 0, 9, 0, 9, 8], [8, 5, 0, 9, 4, 5, 8, 1, 4]]
    left_out = [[1, 5, 5], [5, 0, 0, 9, 9], [6, 0, 0, 9, 9], [2, 1], [9, 1, 1, 2, 2, 3, 3]]
    left_out += [[7, 0, 0, 9, 0, 9, 8, 1], [2.7, 1, 2, 3, 4]]
    metadata = [{"xy": xy, "av": {"9": "2"}} for xy in shapes + left_out]
    layout = read(via3_project(*metadata, {"xy": [], "av": {"8": "done"}}), **SIZE)
    boxes = [(1, 2, 4, 6), (15, 15, 25, 25), (10, 18, 30, 22), (0, 0, 9, 8), (1, 0, 9, 8)]
    assert regions(layout) == [("Table", *box) for box in boxes]
    assert layout.labels == ["Text", "Table"] and layout.pages["state"].tolist() == ["done"]
    assert (codes(layout)["not-an-area"], codes(layout)["no-coordinates"]) == (3, 4)
    assert "unknown shape or without all coordinates" in str([one.message for one in layout.findings])


def test_an_attribute_with_choices_is_the_label_and_a_guess_is_a_warning():
    images = via_file(RECT, attributes={"note": "x", "kind": "Title"})
    typed = {"note": {"type": "text"}, "kind": {"type": "dropdown"}}
    for declared, label, severity in ((typed, "Title", "info"), ({}, "x", "warning")):
        layout = read({"_via_img_metadata": images, "_via_attributes": {"region": declared}}, **SIZE)
        assert regions(layout)[0][0] == label
        assert [finding.severity for finding in layout.findings if finding.code == "other-attributes"] == [severity]
