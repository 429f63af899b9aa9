"""What is special to the files of annotation tools: labels, shapes without area, pages, annotators."""

import base64
import io
import json
import zlib

import numpy as np
from PIL import Image

import layoutcm as lcm
from layoutcm.layouts.shapes import RunMask, run_pixels
from support.reading import codes, pages, read_as, reader, reads, refusal, refused_as, refuser, refuses, regions

SIZE = {"sizes": (100, 200)}
read = reader("a.json")


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


def darwin_file(*annotations, **slot):
    item = {"name": "a.png", "path": "/folder", "slots": [{"slot_name": "0", "width": 50, "height": 60} | slot]}
    return {"version": "2.0", "item": item, "annotations": list(annotations)}


def points(*pairs):
    return [{"x": x, "y": y} for x, y in pairs]


SQUARE = points((0, 0), (10, 0), (10, 10), (0, 10))


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
    layout = read(supervisely_file(one), "a.png.json", shapes="polygon")
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
    assert codes(read(supervisely_file(blank)))["no-coordinates"] == 1


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
    assert codes(read(supervisely_file(other)))["mask-left-out"] == 1
    refusal(json.dumps(supervisely_file() | {"frames": []}), "a video", name="a.json")


def labelbox_row(*labels, name="a.png"):
    found = [{"annotations": {"objects": objects}, "label_details": {"created_by": user}} for user, objects in labels]
    size = {"width": 50, "height": 60}
    projects = {"p": {"name": "layout", "labels": found}}
    return {"data_row": {"id": "r", "global_key": name}, "media_attributes": size, "projects": projects}


def labelbox_box(name="x", **more):
    return {"name": name, "bounding_box": {"top": 2, "left": 1, "height": 4, "width": 3}} | more


def prodigy_line(**more):
    return {"image": "https://x.org/a.png?k", "width": 50, "height": 60, "spans": [], "answer": "accept"} | more


def fiftyone_box(label="x"):
    return {"_cls": "Detection", "label": label, "bounding_box": [0.1, 0.2, 0.3, 0.4], "confidence": 0.5}


def test_turned_boxes_of_supervisely():
    points = {"exterior": [[10, 20], [30, 30]], "interior": []}
    turned = {"classTitle": "T", "geometryType": "oriented_bbox", "points": points, "angle": np.pi / 2}
    layout = read(supervisely_file(turned, turned | {"angle": 0}, turned | {"angle": np.pi / 4}), shapes="polygon")
    half = 15 / np.sqrt(2)
    boxes = [[15, 15, 25, 35], [10, 20, 30, 30], [20 - half, 25 - half, 20 + half, 25 + half]]
    assert np.allclose(layout.region_columns.boxes, boxes) and set(layout.region_columns.shapes) == {2}


RAW_BOX = {"x": 0, "y": 0, "w": 10, "h": 10}
INNER = points((4, 4), (6, 4), (6, 6), (4, 6))
RINGS = {"name": "x", "polygon": {"paths": [SQUARE, INNER]}, "bounding_box": RAW_BOX}
MASKS = {"name": "m", "mask": {}}, {"name": "__raster_layer__", "raster_layer": {"dense_rle": [0, 3000]}}
DARWIN_RINGS = darwin_file(RINGS, {"name": "t", "tag": {}}, *MASKS)
ELLIPSE = {"name": "e", "ellipse": {"center": {"x": 20, "y": 20}, "radius": {"x": 5, "y": 10}, "angle": 0}}
DARWIN_1 = {"dataset": "d", "image": {"filename": "a.png", "width": 50, "height": 60}, "annotations": [
    {"name": "p", "polygon": {"path": SQUARE}}, {"name": "c", "complex_polygon": {"path": [SQUARE]}},
]}  # fmt: skip
FRAMES = {"name": "x", "frames": {"1": {"bounding_box": RAW_BOX}}, "ranges": [[1, 3]]}
SLOTS = darwin_file({"name": "x", "slot_names": ["1"], "bounding_box": {"x": 0, "y": 0, "w": 1, "h": 1}})
SLOTS["item"]["slots"].append({"slot_name": "1", "width": 5, "height": 6, "source_files": [{"file_name": "b.png"}]})
TWO_PEOPLE = labelbox_row(("ann", [labelbox_box("a")]), ("bob", [labelbox_box("b")]))
SECOND = TWO_PEOPLE["projects"] | {"q": {"name": "second", "labels": [{"annotations": {"objects": []}}]}}
IN_PDF = [labelbox_box(page_number=2), {"name": "m", "mask": {"url": "x"}, "page_number": 2}, {"name": "entity"}]
PLACE = labelbox_box()["bounding_box"]
IMPORT = {
    "uuid": "u",
    "dataRow": {"id": "d"},
    "schemaId": "s",
    "page": 0,
    "unit": "POINTS",
    "confidence": 0.5,
    "bbox": PLACE,
}
LABELBOX_1 = {"DataRow ID": "d", "Labeled Data": "https://x.org/a.png", "External ID": None, "Created By": "ann",
              "Label": {"objects": [{"title": "x", "bbox": PLACE}, {"title": "m", "instanceURI": "u"}]}}  # fmt: skip
SKIPPED = {"DataRow ID": "e", "Labeled Data": "https://x.org/b.png", "Label": "Skip"}
ANN = prodigy_line(_session_id="ann", spans=[{"label": "x", "x": 1, "y": 2, "w": 3, "h": 4}])
BOB = prodigy_line(_session_id="bob", spans=[{"label": "y", "points": [[5, 6], [1, 2]]}, {"label": "z"}])
NAMED = prodigy_line(image="data:image/png;base64,A", meta={"file": "c.png"}), prodigy_line(image=None)
CREATEML = [{"label": "x", "coordinates": {"x": 10, "y": 20, "width": 4, "height": 6}}, {"label": "whole"}]
LINE = {"_cls": "Polyline", "label": "l", "points": [[[0, 0], [0.1, 0], [0.1, 0.1]]], "closed": True}
SAMPLE = {"filepath": "a.png", "metadata": None, "predictions": {"_cls": "Detections", "detections": [fiftyone_box()]},
          "ground_truth": {"_cls": "Polylines", "polylines": [LINE, LINE | {"closed": False}]}}  # fmt: skip
RECTANGLE = {"classTitle": "T", "geometryType": "rectangle", "points": {"exterior": [[1, 2], [3, 4]], "interior": []}}
CUBOID = {"classTitle": "T", "geometryType": "cuboid", "points": [[1, 2], [3, 4]], "faces": [[0, 1, 2, 3]]}
DEGREES = RECTANGLE | {"geometryType": "oriented_bbox", "angle": 45}
test_reading = read_as(
    reads("a polygon of Darwin with a box is one region", DARWIN_RINGS, {"shapes": "polygon"},
          regions=[("x", 0, 0, 10, 10)], pages=[("folder/a.png", 50, 60)], some={"mask-left-out": 1, "not-an-area": 1}),
    reads("an ellipse of Darwin", darwin_file(ELLIPSE), boxes=[[15, 10, 25, 30]]),
    reads("version 1 of Darwin", DARWIN_1, regions=[("p", 0, 0, 10, 10), ("c", 0, 0, 10, 10)]),
    reads("frames of Darwin are pages counted from 1", darwin_file(FRAMES, type="pdf", frame_urls=["", "", ""]),
          names=("folder/a_p1", "folder/a_p2", "folder/a_p3"), places=["folder/a_p2"], numbers=[1, 2, 3],
          some={"skipped-frames": 1}),
    reads("frames of a video of Darwin", darwin_file(FRAMES, type="video", frame_urls=["", "", ""]),
          names=("folder/a_p2",)),
    reads("slots of Darwin are pages", SLOTS, pages=[("folder/a.png_0", 50, 60), ("b.png", 5, 6)], places=["b.png"]),
    reads("labels of one row of Labelbox are annotations of several people",
          lines(TWO_PEOPLE, labelbox_row(name="b.png")), "a.jsonl", regions=[("b", 1, 2, 4, 6)],
          annotators=("ann", "bob"), some={"several-annotators": 1, "page-left-out": 1}),
    reads("one annotator of Labelbox", lines(TWO_PEOPLE), "a.jsonl", {"annotator": "ann"}, regions=[("a", 1, 2, 4, 6)]),
    reads("two projects of Labelbox", lines(TWO_PEOPLE | {"projects": SECOND}), "a.jsonl",
          annotators=("layout: ann", "layout: bob", "second: ")),
    reads("pages of a PDF of Labelbox and objects without a box", lines(labelbox_row(("ann", IN_PDF), name="d.pdf")),
          "a.jsonl", SIZE, pages=[("d_p2", 100, 200)], numbers=[2], some={"mask-left-out": 1, "not-an-area": 1}),
    reads("imports of Labelbox count pages from 0", lines(IMPORT), "a.jsonl", SIZE, regions=[("s", 1, 2, 4, 6)],
          pages=[("d_p1", 100, 200)], scores=[0.5]),
    reads("Labelbox 1 groups labels by data row and leaves skipped ones out",
          [LABELBOX_1, LABELBOX_1 | {"Created By": "bob"}, SKIPPED], SIZE, names=("a.png",), annotators=("ann", "bob"),
          regions=[("x", 1, 2, 4, 6)], some={"page-left-out": 1}),
    reads("a blank page of Labelbox 1", [LABELBOX_1 | {"Label": {}}], SIZE, pages=[("a.png", 100, 200)]),
    reads("accepted answers of one session of Prodigy", lines(ANN, BOB, prodigy_line(image="b.png", answer="reject")),
          "a.jsonl", pages=[("a.png", 50, 60)], regions=[("y", 1, 2, 5, 6)],
          some={"several-annotators": 1, "page-left-out": 1, "not-an-area": 1}),
    reads("one session of Prodigy", lines(ANN, BOB), "a.jsonl", {"annotator": "ann"}, regions=[("x", 1, 2, 4, 6)]),
    reads("names of images of Prodigy", lines(*NAMED), "a.jsonl", names=("c.png", "a_2")),
    reads("Create ML has centres and a second spelling", [{"imagefilename": "a.png", "annotation": CREATEML}], SIZE,
          regions=[("x", 8, 17, 12, 23)], some={"not-an-area": 1}),
    reads("FiftyOne has labels by number and images without boxes",
          {"classes": ["x"], "labels": {"a": [fiftyone_box(0), fiftyone_box(7)], "b": None}}, SIZE, names=("a", "b"),
          regions=[("x", 10, 40, 40, 120), ("class 7", 10, 40, 40, 120)]),
    reads("the field of FiftyOne that is read first", {"samples": [SAMPLE]}, SIZE, regions=[("l", 0, 0, 10, 20)],
          annotator="ground_truth", some={"not-an-area": 1}),
    reads("fields of FiftyOne are chosen like annotators", {"samples": [SAMPLE]}, SIZE | {"annotator": "predictions"},
          regions=[("x", 10, 40, 40, 120)]),
    reads("shapes of Supervisely that are no boxes", supervisely_file(RECTANGLE, CUBOID, DEGREES),
          regions=[("T", 1, 2, 3, 4)], codes={"not-an-area": 1, "shape-left-out": 1}),
    read=read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("a frame of Darwin without a number",
            darwin_file({"name": "x", "frames": {"a": {"bounding_box": RAW_BOX}}}), "'a' is not a frame"),
    refuses("another unit of Labelbox", [IMPORT | {"unit": "PERCENT"}], "the unit 'PERCENT'"),
    refuses("a page before the first", [IMPORT | {"page": -1}], "-1 is not a page"),
    refuses("Labelbox 1 without objects", [LABELBOX_1 | {"Label": {"Car": []}}], "there are no objects"),
    refuses("a video of Labelbox 1", [LABELBOX_1 | {"Label": {"frames": {"1": {}}}}], "frames of a video"),
    refuses("FiftyOne with labels of images", {"classes": ["x"], "labels": {"a": "x"}}, "labels of whole images"),
    refuses("FiftyOne without a field", {"samples": [{"filepath": "a.png", "f": {}}]}, "no field of the samples"),
    refuses("a wrong box of FiftyOne", {"samples": [SAMPLE | {"one": {"_cls": "Detection", "bounding_box": ["a"]}}]},
            "samples[0].one"),
    refuse=refuser("a.json", **SIZE),
)  # fmt: skip


def test_rings_of_darwin_are_holes():
    layout = read(DARWIN_RINGS, shapes="polygon")
    assert lcm.compare(layout, layout).confusion().values.diagonal().tolist() == [3000 - 96, 96]
