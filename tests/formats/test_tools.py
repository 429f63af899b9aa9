"""What is special to the files of annotation tools: labels, shapes without area, pages, annotators."""

import base64
import io
import json
import zlib

import numpy as np
from PIL import Image

import layoutcm as lcm
from layoutcm.layouts.shapes import RunMask, run_pixels
from support.reading import codes, pages, read, refusal, regions

SIZE = {"sizes": (100, 200)}


def read_json(value, name="a.json", **options):
    return read(json.dumps(value), name, **options)


def read_lines(*rows, **options):
    return read("\n".join(map(json.dumps, rows)), "a.jsonl", **options)


def darwin_file(*annotations, **slot):
    item = {"name": "a.png", "path": "/folder", "slots": [{"slot_name": "0", "width": 50, "height": 60} | slot]}
    return {"version": "2.0", "item": item, "annotations": list(annotations)}


def points(*pairs):
    return [{"x": x, "y": y} for x, y in pairs]


SQUARE = points((0, 0), (10, 0), (10, 10), (0, 10))


def test_darwin_polygon_with_a_box_is_one_region_and_rings_are_holes():
    inner = points((4, 4), (6, 4), (6, 6), (4, 6))
    one = {"name": "x", "polygon": {"paths": [SQUARE, inner]}, "bounding_box": {"x": 0, "y": 0, "w": 10, "h": 10}}
    masks = {"name": "m", "mask": {}}, {"name": "__raster_layer__", "raster_layer": {"dense_rle": [0, 3000]}}
    layout = read_json(darwin_file(one, {"name": "t", "tag": {}}, *masks), shapes="polygon")
    assert codes(layout)["mask-left-out"] == 1
    assert regions(layout) == [("x", 0, 0, 10, 10)] and codes(layout)["not-an-area"] == 1
    assert lcm.compare(layout, layout).confusion().values.diagonal().tolist() == [3000 - 96, 96]
    assert pages(layout) == [("folder/a.png", 50, 60)]


def test_darwin_ellipse_and_version_1():
    ellipse = {"name": "e", "ellipse": {"center": {"x": 20, "y": 20}, "radius": {"x": 5, "y": 10}, "angle": 0}}
    assert np.allclose(read_json(darwin_file(ellipse)).region_columns.boxes, [[15, 10, 25, 30]])
    old = {"dataset": "d", "image": {"filename": "a.png", "width": 50, "height": 60}}
    old["annotations"] = [
        {"name": "p", "polygon": {"path": SQUARE}},
        {"name": "c", "complex_polygon": {"path": [SQUARE]}},
    ]
    assert regions(read_json(old)) == [("p", 0, 0, 10, 10), ("c", 0, 0, 10, 10)]


def test_darwin_frames_are_pages_counted_from_1():
    box = {"bounding_box": {"x": 0, "y": 0, "w": 10, "h": 10}}
    frames = {"name": "x", "frames": {"1": box}, "ranges": [[1, 3]]}
    layout = read_json(darwin_file(frames, type="pdf", frame_urls=["", "", ""]))
    assert layout.page_columns.names == ("folder/a_p1", "folder/a_p2", "folder/a_p3")
    assert layout.region_columns.page.tolist() == [1] and layout.page_columns.numbers.tolist() == [1, 2, 3]
    assert codes(layout)["skipped-frames"] == 1
    assert len(read_json(darwin_file(frames, type="video", frame_urls=["", "", ""])).page_columns) == 1
    refusal(json.dumps(darwin_file({"name": "x", "frames": {"a": box}})), "'a' is not a frame", name="a.json")


def test_darwin_slots_are_pages():
    file = darwin_file({"name": "x", "slot_names": ["1"], "bounding_box": {"x": 0, "y": 0, "w": 1, "h": 1}})
    file["item"]["slots"].append({"slot_name": "1", "width": 5, "height": 6, "source_files": [{"file_name": "b.png"}]})
    layout = read_json(file)
    assert pages(layout) == [("folder/a.png_0", 50, 60), ("b.png", 5, 6)]
    assert layout.region_columns.page.tolist() == [1]


def png(mask, mode="L"):
    out = io.BytesIO()
    Image.fromarray(mask).convert(mode).save(out, "PNG")
    return base64.b64encode(zlib.compress(out.getvalue())).decode()


def supervisely_file(*objects):
    return {"size": {"width": 30, "height": 20}, "objects": list(objects)}


def test_supervisely_bitmap_is_cut_to_its_pixels_and_placed_at_its_origin():
    mask = np.zeros((6, 8), np.uint8)
    mask[1:4, 2:5] = 255
    mask[1, 2] = 0
    one = {"classTitle": "x", "geometryType": "bitmap", "bitmap": {"origin": [10, 5], "data": png(mask, "1")}}
    layout = read_json(supervisely_file(one), "a.png.json", shapes="polygon")
    assert pages(layout) == [("a.png", 30, 20)] and regions(layout) == [("x", 12, 6, 15, 9)]
    shape = layout.region_columns.shapes[0]
    assert isinstance(shape, RunMask)
    expected = np.zeros((20, 30), bool)
    expected[5:11, 10:18] = mask > 0
    assert np.array_equal(run_pixels(shape), expected)


def test_supervisely_bad_bitmaps_are_refused(monkeypatch):
    def refused(origin, data, *words):
        one = {"classTitle": "x", "bitmap": {"origin": origin, "data": data}}
        refusal(json.dumps(supervisely_file(one)), "objects[0].bitmap", *words, name="a.json", shapes="polygon")

    mask = np.eye(4, dtype=np.uint8) * 255
    refused([28, 0], png(mask), "a mask of 4 x 4 pixels at 28, 0 does not fit the page")
    refused([0, 0], "!!", "the mask cannot be read")
    refused([0, 0], base64.b64encode(zlib.compress(b"x")).decode(), "it is not a PNG")
    refused([0, 0], png(mask)[:-60], "the mask cannot be read")
    refused([0, 0], base64.b64encode(zlib.compress(b"\x89PNG\r\n\x1a\n" + bytes(99))).decode(), "it is damaged")
    monkeypatch.setattr("layoutcm.layouts.limits.MASK_PIXELS_FLOOR", -(10**6))
    refused([0, 0], png(mask), "too many pixels for the size of the file")
    blank = {"classTitle": "x", "bitmap": {"origin": [0, 0], "data": png(mask * 0)}}
    monkeypatch.undo()
    assert codes(read_json(supervisely_file(blank)))["no-coordinates"] == 1


def test_supervisely_shapes_come_from_the_nearest_settings():
    line = {"classTitle": "x", "points": {"exterior": [[5, 5], [1, 2]], "interior": []}}
    file = json.dumps(supervisely_file(line)).encode()
    refusal(file, "objects[0]", "'x' has 2 points", "meta.json", name="a.json")
    settings = {"a/meta.json": {"classes": [{"title": "x", "shape": "rectangle"}]}}
    settings["b/classes.json"] = [{"title": "x", "shape": "line"}]
    files = [("a/ann/p.png.json", file), ("b/q.png.json", file)]
    layout = lcm.read(files + [(name, json.dumps(value).encode()) for name, value in settings.items()])
    assert regions(layout) == [("x", 1, 2, 5, 5)] and codes(layout)["not-an-area"] == 1
    assert "skipped-file" not in codes(layout)
    other = {"classTitle": "x", "geometryType": "alpha_mask"}
    assert codes(read_json(supervisely_file(other)))["mask-left-out"] == 1
    refusal(json.dumps(supervisely_file() | {"frames": []}), "a video", name="a.json")


def labelbox_row(*labels, name="a.png"):
    found = [{"annotations": {"objects": objects}, "label_details": {"created_by": user}} for user, objects in labels]
    size = {"width": 50, "height": 60}
    projects = {"p": {"name": "layout", "labels": found}}
    return {"data_row": {"id": "r", "global_key": name}, "media_attributes": size, "projects": projects}


def labelbox_box(name="x", **more):
    return {"name": name, "bounding_box": {"top": 2, "left": 1, "height": 4, "width": 3}} | more


def test_labelbox_labels_of_one_row_are_annotations_of_several_people():
    row = labelbox_row(("ann", [labelbox_box("a")]), ("bob", [labelbox_box("b")]))
    layout = read_lines(row, labelbox_row(name="b.png"))
    assert regions(layout) == [("b", 1, 2, 4, 6)] and layout.annotators == ("ann", "bob")
    assert (codes(layout)["several-annotators"], codes(layout)["page-left-out"]) == (1, 1)
    assert regions(read_lines(row, annotator="ann")) == [("a", 1, 2, 4, 6)]
    row["projects"]["q"] = {"name": "second", "labels": [{"annotations": {"objects": []}}]}
    assert read_lines(row).annotators == ("layout: ann", "layout: bob", "second: ")


def test_labelbox_pdf_pages_and_objects_without_a_box():
    objects = [labelbox_box(page_number=2), {"name": "m", "mask": {"url": "x"}, "page_number": 2}, {"name": "entity"}]
    layout = read_lines(labelbox_row(("ann", objects), name="d.pdf"), **SIZE)
    assert pages(layout) == [("d_p2", 100, 200)] and layout.page_columns.numbers.tolist() == [2]
    assert (codes(layout)["mask-left-out"], codes(layout)["not-an-area"]) == (1, 1)


def test_labelbox_import_counts_pages_from_0_and_knows_two_units():
    row = {"uuid": "u", "dataRow": {"id": "d"}, "schemaId": "s", "page": 0, "unit": "POINTS", "confidence": 0.5}
    row["bbox"] = labelbox_box()["bounding_box"]
    layout = read_lines(row, **SIZE)
    assert regions(layout) == [("s", 1, 2, 4, 6)] and pages(layout) == [("d_p1", 100, 200)]
    assert layout.region_columns.scores.tolist() == [0.5]
    refusal(json.dumps([row | {"unit": "PERCENT"}]), "the unit 'PERCENT'", name="a.json", **SIZE)
    refusal(json.dumps([row | {"page": -1}]), "-1 is not a page", name="a.json", **SIZE)


def test_labelbox_v1_groups_labels_by_data_row_and_leaves_skipped_ones_out():
    row = {"DataRow ID": "d", "Labeled Data": "https://x.org/a.png", "External ID": None, "Created By": "ann"}
    row["Label"] = {
        "objects": [{"title": "x", "bbox": labelbox_box()["bounding_box"]}, {"title": "m", "instanceURI": "u"}]
    }
    skipped = {"DataRow ID": "e", "Labeled Data": "https://x.org/b.png", "Label": "Skip"}
    layout = read_json([row, row | {"Created By": "bob"}, skipped], **SIZE)
    assert [name for name, *_ in pages(layout)] == ["a.png"] and layout.annotators == ("ann", "bob")
    assert regions(layout) == [("x", 1, 2, 4, 6)] and codes(layout)["page-left-out"] == 1
    refusal(json.dumps([row | {"Label": {"Car": []}}]), "there are no objects", name="a.json", **SIZE)
    refusal(json.dumps([row | {"Label": {"frames": {"1": {}}}}]), "frames of a video", name="a.json", **SIZE)
    assert pages(read_json([row | {"Label": {}}], **SIZE)) == [("a.png", 100, 200)]


def prodigy_line(**more):
    return {"image": "https://x.org/a.png?k", "width": 50, "height": 60, "spans": [], "answer": "accept"} | more


def test_prodigy_reads_accepted_answers_of_one_session():
    first = prodigy_line(_session_id="ann", spans=[{"label": "x", "x": 1, "y": 2, "w": 3, "h": 4}])
    second = prodigy_line(_session_id="bob", spans=[{"label": "y", "points": [[5, 6], [1, 2]]}, {"label": "z"}])
    layout = read_lines(first, second, prodigy_line(image="b.png", answer="reject"))
    assert pages(layout) == [("a.png", 50, 60)] and regions(layout) == [("y", 1, 2, 5, 6)]
    assert {"several-annotators": 1, "page-left-out": 1, "not-an-area": 1}.items() <= codes(layout).items()
    assert regions(read_lines(first, second, annotator="ann")) == [("x", 1, 2, 4, 6)]
    named = prodigy_line(image="data:image/png;base64,A", meta={"file": "c.png"}), prodigy_line(image=None)
    assert [name for name, *_ in pages(read_lines(*named))] == ["c.png", "a_2"]


def test_createml_has_centres_and_a_second_spelling():
    box = {"label": "x", "coordinates": {"x": 10, "y": 20, "width": 4, "height": 6}}
    layout = read_json([{"imagefilename": "a.png", "annotation": [box, {"label": "whole"}]}], **SIZE)
    assert regions(layout) == [("x", 8, 17, 12, 23)] and codes(layout)["not-an-area"] == 1


def fiftyone_box(label="x"):
    return {"_cls": "Detection", "label": label, "bounding_box": [0.1, 0.2, 0.3, 0.4], "confidence": 0.5}


def test_fiftyone_labels_by_number_and_without_boxes():
    layout = read_json({"classes": ["x"], "labels": {"a": [fiftyone_box(0), fiftyone_box(7)], "b": None}}, **SIZE)
    assert regions(layout) == [("x", 10, 40, 40, 120), ("class 7", 10, 40, 40, 120)]
    assert [name for name, *_ in pages(layout)] == ["a", "b"]
    refusal(json.dumps({"classes": ["x"], "labels": {"a": "x"}}), "labels of whole images", name="a.json", **SIZE)


def test_fiftyone_fields_are_chosen_like_annotators():
    line = {"_cls": "Polyline", "label": "l", "points": [[[0, 0], [0.1, 0], [0.1, 0.1]]], "closed": True}
    sample = {
        "filepath": "a.png", "metadata": None, "predictions": {"_cls": "Detections", "detections": [fiftyone_box()]},
    }  # fmt: skip
    sample["ground_truth"] = {"_cls": "Polylines", "polylines": [line, line | {"closed": False}]}
    layout = read_json({"samples": [sample]}, **SIZE)
    assert regions(layout) == [("l", 0, 0, 10, 20)] and layout.annotator == "ground_truth"
    assert codes(layout)["not-an-area"] == 1
    assert regions(read_json({"samples": [sample]}, annotator="predictions", **SIZE)) == [("x", 10, 40, 40, 120)]
    refusal(json.dumps({"samples": [{"filepath": "a.png", "f": {}}]}), "no field of the samples", name="a.json")
    sample["one"] = {"_cls": "Detection", "bounding_box": ["a"]}
    refusal(json.dumps({"samples": [sample]}), "samples[0].one", name="a.json", **SIZE)


def test_shapes_of_supervisely_that_are_no_boxes_are_left_out():
    box = {"classTitle": "T", "geometryType": "rectangle", "points": {"exterior": [[1, 2], [3, 4]], "interior": []}}
    cuboid = {"classTitle": "T", "geometryType": "cuboid", "points": [[1, 2], [3, 4]], "faces": [[0, 1, 2, 3]]}
    degrees = box | {"geometryType": "oriented_bbox", "angle": 45}
    layout = read_json(supervisely_file(box, cuboid, degrees))
    assert regions(layout) == [("T", 1, 2, 3, 4)] and codes(layout) == {"not-an-area": 1, "shape-left-out": 1}


def test_turned_boxes_of_supervisely():
    points = {"exterior": [[10, 20], [30, 30]], "interior": []}
    turned = {"classTitle": "T", "geometryType": "oriented_bbox", "points": points, "angle": np.pi / 2}
    layout = read_json(supervisely_file(turned, turned | {"angle": 0}, turned | {"angle": np.pi / 4}), shapes="polygon")
    half = 15 / np.sqrt(2)
    boxes = [[15, 15, 25, 35], [10, 20, 30, 30], [20 - half, 25 - half, 20 + half, 25 + half]]
    assert np.allclose(layout.region_columns.boxes, boxes) and set(layout.region_columns.shapes) == {2}
