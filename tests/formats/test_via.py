"""Details of files of VIA 1, 2 and 3."""

import json

import numpy as np

from support.reading import codes, pages, read, refusal, regions

SIZE = {"sizes": (100, 200)}


def read_json(value, name="a.json", **options):
    return read(json.dumps(value), name, **options)


def via_file(*shapes, attributes=None):
    found = [{"shape_attributes": shape, "region_attributes": attributes or {}} for shape in shapes]
    return {"a.png9": {"filename": "a.png", "size": 9, "regions": found, "file_attributes": {"source": "book"}}}


RECT = {"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4}
LINE = {"all_points_x": [0, 9, 9, 0], "all_points_y": [0, 0, 9, 0]}


def test_via_1_has_a_dict_of_regions():
    file = via_file(RECT)
    file["a.png9"]["regions"] = {"0": file["a.png9"]["regions"][0]}
    layout = read_json(file, **SIZE)
    assert layout.format == "via" and regions(layout) == [("region", 1, 2, 4, 6)]
    assert codes(layout)["no-label"] == 1
    assert layout.pages["source"].tolist() == ["book"]


def test_via_shapes():
    circle, ellipse = {"name": "circle", "cx": 20, "cy": 20, "r": 5}, {"name": "ellipse", "cx": 20, "cy": 20}
    shapes = [circle, ellipse | {"rx": 10, "ry": 2}, ellipse | {"rx": 10, "ry": 2, "theta": np.pi / 2}]
    shapes += [{"name": "polyline"} | LINE, {"name": "point", "cx": 1, "cy": 1}, {"name": "rect", "x": 1}]
    shapes += [{"name": "polyline", "all_points_x": [0, 9], "all_points_y": [0, 9]}]
    layout = read_json(via_file(*shapes, attributes={"type": "x"}), **SIZE)
    assert np.allclose(
        layout.region_columns.boxes, [[15, 15, 25, 25], [10, 18, 30, 22], [18, 10, 22, 30], [0, 0, 9, 9]]
    )
    assert (codes(layout)["not-an-area"], codes(layout)["no-coordinates"]) == (2, 1)


def test_via_label_is_the_likely_attribute_and_checkboxes_are_several_labels():
    layout = read_json(via_file(RECT, attributes={"text": "abc", "Class": {"a": True, "b": False, "c": True}}), **SIZE)
    assert [label for label, *_ in regions(layout)] == ["a", "c"]
    assert read_json(via_file(RECT, attributes={"class": " Text "}), **SIZE).labels == ["Text"]
    assert "attribute 'Class'; regions also have 'text'" in layout.findings[0].message


def test_via_project_declares_the_options_of_the_label():
    settings = {"region": {"kind": {"type": "radio", "options": {"x": "", "y": ""}}}}
    project = {"_via_img_metadata": via_file(RECT, attributes={"kind": "y"}), "_via_attributes": settings}
    assert read_json(project, **SIZE).labels == ["x", "y"]


def test_via_csv():
    header = "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"
    rect = json.dumps(RECT).replace('"', '""')
    rows = f'a.png,9,"{{}}",1,0,"{rect}","{{""type"":""Text""}}"\n\nb.png,8,"{{}}",0,0,"{{}}","{{}}"\n'
    layout = read(header + rows, "via.csv", **SIZE)
    assert layout.format == "via" and regions(layout) == [("Text", 1, 2, 4, 6)]
    assert [name for name, *_ in pages(layout)] == ["a.png", "b.png"]
    refusal(header + 'a.png,9,{},1,0,"{x","{}"\n', "row 2", "not readable", name="via.csv", **SIZE)
    refusal(header + "a.png,9\n", "row 2", "2 cells where the header has 7", name="via.csv", **SIZE)
    refusal(header.replace("file_size", "size"), "'file_size' is missing", name="via.csv", **SIZE)


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


def test_via_3_shapes_options_and_attributes_of_images():
    shapes = [[2, 1, 2, 3, 4], [3, 20, 20, 5], [4, 20, 20, 10, 2], [7, 0, 0, 9, 0, 9, 8], [8, 5, 0, 9, 4, 5, 8, 1, 4]]
    left_out = [[1, 5, 5], [5, 0, 0, 9, 9], [6, 0, 0, 9, 9], [2, 1], [9, 1, 1, 2, 2, 3, 3]]
    left_out += [[7, 0, 0, 9, 0, 9, 8, 1], [2.7, 1, 2, 3, 4]]
    metadata = [{"xy": xy, "av": {"9": "2"}} for xy in shapes + left_out]
    layout = read_json(via3_project(*metadata, {"xy": [], "av": {"8": "done"}}), **SIZE)
    boxes = [(1, 2, 4, 6), (15, 15, 25, 25), (10, 18, 30, 22), (0, 0, 9, 8), (1, 0, 9, 8)]
    assert regions(layout) == [("Table", *box) for box in boxes]
    assert layout.labels == ["Text", "Table"] and layout.pages["state"].tolist() == ["done"]
    assert (codes(layout)["not-an-area"], codes(layout)["no-coordinates"]) == (3, 4)
    assert "unknown shape or without all coordinates" in str([one.message for one in layout.findings])


def test_via_3_extreme_points_are_a_box_and_no_diamond():
    extreme = {"xy": [8, 10, 50, 50, 10, 90, 50, 50, 90], "av": {"9": "2"}}
    layout = read_json(via3_project(extreme), shapes="polygon", **SIZE)
    assert regions(layout) == [("Table", 10, 10, 90, 90)] and not layout.region_columns.shapes


def test_via_3_attributes_of_the_same_name_are_told_apart():
    project = via3_project({"xy": [2, 1, 2, 3, 4], "av": {"7": "1", "9": "2"}})
    project["attribute"]["7"] = project["attribute"]["9"] | {"options": {"1": "other"}}
    layout = read_json(project, **SIZE)
    assert regions(layout) == [("Table", 1, 2, 4, 6)] and "kind (7)" in str(layout.findings)


def test_via_3_checkboxes_are_several_labels():
    checked = {"xy": [2, 1, 2, 3, 4], "av": {"9": "1,2"}}
    layout = read_json(via3_project(checked, attribute={"type": 2}), **SIZE)
    assert [label for label, *_ in regions(layout)] == ["Text", "Table"]


def test_via_3_videos_and_pairs_of_images_are_refused():
    video, image = {"fname": "a.mp4", "type": 4}, {"fname": "a.png", "type": 2}
    for files, found in (((video,), "a video or"), ((image, image), "several files"), ((), "no file")):
        refusal(json.dumps(via3_project(files=files)), "view.'v'", f"not one image: it has {found}", name="v.json")
    project = via3_project() | {"view": {"v": {"fid_list": ["7"]}}}
    refusal(json.dumps(project), "view.'v'", "there is no file '7'", name="v.json", **SIZE)
    refusal(json.dumps(via3_project({"vid": "x"})), "metadata.'m0'", "no view 'x'", name="v.json", **SIZE)


def test_an_error_inside_an_object_names_the_key():
    project = via3_project({"xy": [2, 1, 2, 3, 4]}, {"xy": [2, 1, 2, 3, 4]}, {"xy": [2, "1", 2, 3, 4]}, {"xy": ["2"]})
    refusal(json.dumps(project), "metadata.m2.xy[1]", "'1'", name="v.json", **SIZE)
    images = {key: {"filename": key, "regions": []} for key in "abc"} | {"d": {"filename": 4, "regions": []}}
    refusal(json.dumps(images), "d.filename", name="v.json", **SIZE)


def test_an_attribute_with_choices_is_the_label_and_a_guess_is_a_warning():
    images = via_file(RECT, attributes={"note": "x", "kind": "Title"})
    typed = {"note": {"type": "text"}, "kind": {"type": "dropdown"}}
    for declared, label, severity in ((typed, "Title", "info"), ({}, "x", "warning")):
        layout = read_json({"_via_img_metadata": images, "_via_attributes": {"region": declared}}, **SIZE)
        assert regions(layout)[0][0] == label
        assert [finding.severity for finding in layout.findings if finding.code == "other-attributes"] == [severity]
