"""COCO files: ids that are names or class numbers, and outlines and masks."""

import json

import numpy as np
import pytest
from pycocotools import mask as coco_mask

import layoutcm as lcm
from layoutcm.layouts.shapes import run_pixels
from support.coco_files import boxes, coco, found, image, region
from support.reading import fails, read_as, reader, reads
from support.results import codes

read = reader("file")
LABELS = ("Text", "Title", "Table")


def categories(*ids):
    return [{"id": id, "name": name} for id, name in zip(ids, LABELS)]


def truth(names, ids=None, category_ids=(1, 2, 3)):
    """A ground truth with one region of each label on each page, and page ids from 10 if they are not given."""
    ids = ids or range(10, 10 + len(names))
    images = [image(id, file_name=name) for id, name in zip(ids, names)]
    annotations = [region(id, category) for id in ids for category in category_ids]
    return coco(images, annotations, categories(*category_ids))


def like(file):
    return {"like": read(file)}


def in_file(name, *numbers):
    return [region("a", number, file_name=name) for number in numbers]


TWO_IDS = coco([image(7, file_name="a.png"), image("7", file_name="b.png")], [region("7"), region(7)])
# Pages 1 and 2 have the ids 2 and 3: 1 is only a name, 3 only an id, and 2 both.
SHIFTED = truth(["0001.jpg", "0002.jpg"], ids=(2, 3))
SWAPPED = truth(["0002.jpg", "0001.jpg"], ids=(1, 2))
NAMES = {"image-ids-are-names": 2, "class-numbers": 1}
# Roboflow adds category 0 for the group of all classes.
GROUP = coco([image(10, file_name="a.jpg")], [region(10, number) for number in (1, 2, 3)],
             [{"id": 0, "name": "things"}, *categories(1, 2, 3)])  # fmt: skip
test_reading = read_as(
    reads("two ids that are the same number", TWO_IDS, places=["b.png", "a.png"], codes={}),
    reads("an id that is one of two as a number", [region("007")], like(TWO_IDS), places=["image_id 007"],
          codes={"page-without-size": 1}),
    reads("a category id written as text", coco(annotations=[region(category_id="1"), region(category_id="4")]),
          labels=["Text", "category 4"], codes={"undeclared-category": 1}),
    *(reads(f"results find pages by file name: {written}", [region(written, 3, score=0.5), region("b", 1, score=0.5)],
            like(truth(["img/scan a.jpg", "img/b.jpg"])), places=["img/scan a.jpg", "img/b.jpg"],
            labels=["Table", "Text"], codes={"image-ids-are-names": 2, "class-numbers": 2},
            says=[f"(first: {written!r} is page 'img/scan a.jpg')"])
      for written in ("scan a.jpg", "scan a", "scans/scan a.jpg", "SCAN_A")),
    reads("all image ids of a file are names", [region(1), region(2)], like(SHIFTED), places=["0001.jpg", "0002.jpg"],
          codes=NAMES),
    reads("all image ids of a file are ids", [region(2), region(3)], like(SHIFTED), places=["0001.jpg", "0002.jpg"],
          codes={}),
    reads("ids that may be file names are read as ids", [region(1), region(2)], like(SWAPPED),
          places=["0002.jpg", "0001.jpg"], codes={"image-ids-like-names": 2}, severities=["warning"]),
    reads("file names beside such ids", [region(1, file_name="0001.jpg"), region(2, file_name="0002.jpg")],
          like(SWAPPED), places=["0001.jpg", "0002.jpg"], codes=NAMES),
    reads("in its own file an id is an id", SWAPPED, codes={}),
    reads("file names beside true ids change nothing",
          [region(11, 1, file_name="b.jpg"), region(10, 2, file_name="a.jpg")],
          like(truth(["a.jpg", "b.jpg"], category_ids=(0, 1, 2))), places=["b.jpg", "a.jpg"], labels=["Title", "Table"],
          some={"image-ids-are-names": None}),
    reads("file names name the pages of results without ground truth", [region(7, file_name="0007.jpg")],
          {"sizes": {"0007.png": (50, 60)}}, pages=[("0007.jpg", 50, 60)]),
    reads("with file names classes count from 1 even if the last is not found", in_file("a.jpg", 1, 2),
          like(truth(["a.jpg"], category_ids=(0, 1, 2))), labels=["Text", "Title"]),
    reads("category 0 without regions, classes counted from 0", [region("a", number) for number in (0, 1, 2)],
          like(GROUP), labels=list(LABELS)),
    reads("category 0 without regions, classes counted from 1", in_file("a.jpg", 1, 2, 3), like(GROUP),
          labels=list(LABELS)),
    reads("class numbers that fit no reading", [region("a", number) for number in (1, 2)],
          like(truth(["a.jpg"], category_ids=(4, 7, 9))), labels=["category 1", "category 2"],
          codes={"image-ids-are-names": 2, "undeclared-category": 2}),
    reads("with ids of images ids of categories are ids", [region(10, number) for number in (0, 1, 2)],
          like(truth(["a.jpg"])), labels=["category 0", "Text", "Title"]),
    read=read,
)  # fmt: skip


@pytest.mark.parametrize(("listed", "used"), [("2299", 2299), (2299, "2299"), ("0007", 7), (7, "007")])
def test_a_number_written_as_text_is_the_same_image(listed, used):
    gt = read(coco([image(listed, file_name="a.png")], [region(used)]))
    assert len(gt.regions) == 1 and found(gt) == {"image-ids-respelt": 1}
    pred = read([region(used)], like=read(coco([image(listed, file_name="a.png")], [region(listed)])))
    assert len(pred.regions) == 1 and found(pred) == {"image-ids-respelt": 1}


@pytest.mark.parametrize(("declared", "written", "named", "reading"), [
    ((1, 2, 3), (0, 1, 2), False, "counted from 0"),
    ((1, 2, 3), (1, 2, 3), False, "ids of the ground truth"),
    ((1, 2, 3), (1, 2, 3), True, "ids of the ground truth"),
    ((0, 1, 2), (0, 1, 2), False, "ids of the ground truth"),
    ((0, 1, 2), (1, 2, 3), False, "counted from 1"),
    ((0, 1, 2), (1, 2, 3), True, "counted from 1"),
    ((4, 7, 9), (0, 1, 2), False, "counted from 0"),
    ((4, 7, 9), (1, 2, 3), True, "counted from 1"),
])  # fmt: skip
def test_class_numbers_of_results_with_file_names(declared, written, named, reading):
    gt = read(truth(["a.jpg"], category_ids=declared))
    more = {"file_name": "a.jpg"} if named else {}
    pred = read([region("a", number, **more) for number in written], like=gt)
    assert pred.regions["label"].tolist() == list(LABELS)
    message = next(finding.message for finding in pred.findings if finding.code == "class-numbers")
    assert reading in message


def yolo_truth(with_names):
    lines = b"".join(b"%d 0.25 0.5 0.3 0.5\n" % number for number in range(3))
    names = [("data.yaml", json.dumps({"names": LABELS}).encode())] if with_names else []
    return lcm.read([("labels/0007.txt", lines), ("labels/scan.txt", lines), *names], sizes=(100, 80))


@pytest.mark.parametrize("with_names", [True, False])
@pytest.mark.parametrize("start", [0, 1])
def test_results_of_ultralytics_against_its_labels(with_names, start):
    gt = yolo_truth(with_names)
    more = lambda name: {"file_name": name} if start else {}
    rows = [
        region(id, number + start, score=0.5, **more(name))
        for id, name in ((7, "0007.jpg"), ("scan", "scan.jpg"))
        for number in range(3)
    ]
    pred = lcm.read(("predictions.json", json.dumps(rows).encode()), like=gt)
    matrix = lcm.compare(gt, pred).confusion(method="tensor")
    assert len(pred.regions) == 6 and np.nanmin(np.diag(matrix.recall)) == 1
    assert "class-numbers" in found(pred) and "page-without-size" not in found(pred)


@pytest.mark.parametrize(
    ("field", "value"),
    [("bbox", "x"), ("bbox", [1, 2, 3]), ("score", "high"), ("iscrowd", "false"), ("ignore", "no"), ("image_id", None)],
)
@pytest.mark.parametrize("segmentation", [[], [[1, 1, 9, 1, 9, 9]], {"counts": [1], "size": [1, 1]}])
def test_an_error_names_its_own_field_wherever_the_segmentation_stands(field, value, segmentation):
    good = {"segmentation": segmentation, **region()}
    for wrong in (good | {field: value}, {**region(), field: value, "segmentation": segmentation}):
        with pytest.raises(lcm.InputError) as error:
            read(coco(annotations=[good, good, wrong]))
        assert error.value.place == f"annotations[2].{field}"
        assert value is None or repr(value) in error.value.problem


L_SHAPE = [10, 10, 30, 10, 30, 20, 20, 20, 20, 40, 10, 40]


@pytest.mark.parametrize("corners", [[10, 20, 40, 20, 40, 60, 10, 60], [10, 20, 10, 60, 40, 60, 40, 20, 10, 20]])
def test_a_rectangle_is_a_box(read, corners):
    layout = read(coco(annotations=[region(segmentation=[corners])]), shapes="polygon")
    assert boxes(layout) == [[10, 20, 40, 60]] and "outline" not in layout.regions


def test_a_polygon_that_retraces_an_edge_is_not_a_box(read):
    spike = [10, 10, 30, 10, 30, 40, 30, 10]
    assert "outline" in read(coco(annotations=[region(segmentation=[spike])]), shapes="polygon").regions


def test_outlines_are_kept_only_if_requested(read):
    file = coco(annotations=[region(segmentation=[L_SHAPE]), region(segmentation=[])])
    assert "outline" not in read(file).regions
    kept = read(file, shapes="polygon").regions["outline"]
    assert kept[0].rings[0].tolist() == np.reshape(L_SHAPE, (-1, 2)).tolist() and kept[1] is None


@pytest.mark.parametrize("shapes", ["box", "polygon"])
def test_segmentation_alone_gives_the_box(read, shapes):
    gt = read(coco())
    part = region(bbox=None, segmentation=[L_SHAPE])
    assert boxes(read([part], like=gt, shapes=shapes)) == [[10, 10, 30, 40]]


def random_mask(seed, height=37, width=23):
    rng = np.random.default_rng(seed)
    mask = np.zeros((height, width), np.uint8)
    for _ in range(seed % 4):
        (y0, y1), (x0, x1) = (np.sort(rng.integers(0, side + 1, 2)) for side in (height, width))
        mask[y0:y1, x0:x1] ^= 1
    return mask


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_run_length_masks_equal_pycocotools(read, seed, compressed):
    mask = random_mask(seed)
    runs = coco_mask.encode(np.asfortranarray(mask))
    x, y, width, height = coco_mask.toBbox(runs)
    counts = runs["counts"].decode()
    if not compressed:
        flat = mask.T.ravel()
        edges = np.flatnonzero(np.diff(np.concatenate([[0], flat])))
        counts = np.diff([0, *edges, flat.size]).tolist()
    part = region(bbox=None, segmentation={"size": [37, 23], "counts": counts})
    layout = read([part], sizes=(23, 37), shapes="polygon")
    if not mask.any():
        assert found(layout)["empty-box"] == 1
        return
    assert boxes(layout) == [[x, y, x + width, y + height]]
    assert (run_pixels(layout.regions["outline"][0]) == mask).all()


def test_an_outline_replaces_its_box(tmp_path):
    path = tmp_path / "gt.json"
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 0, 0]}
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "p"}]
    document = {"images": images, "categories": [{"id": 1, "name": "a"}]}
    polygon = annotation | {"segmentation": [[0, 0, 8, 0, 8, 8, 4, 9, 0, 8]]}
    path.write_text(json.dumps(document | {"annotations": [polygon]}))
    assert lcm.read(path, shapes="polygon").regions[["x0", "y0", "x1", "y1"]].values.tolist() == [[0, 0, 8, 9]]
    assert codes(lcm.read(path).findings) == {"empty-box": 1}
    small = annotation | {"segmentation": {"size": [2, 2], "counts": [0, 4]}}
    path.write_text(json.dumps(document | {"annotations": [small]}))
    fails("the mask is 2 x 2, its page 10 x 10", lcm.read, path, shapes="polygon")


def test_the_error_for_an_outline_in_a_table_names_row_and_polygon(tmp_path):
    """Row 4 of a spreadsheet: the blank line counts."""
    path = tmp_path / "gt.csv"
    good, bad = ('"[[0,0,8,0,8,8]]"', '"[[0,0,8,0,8,8],[1,2]]"')
    rows = [f"p,10,10,a,0,0,8,8,{text}" for text in (good, bad)]
    path.write_text(f"page,width,height,label,x0,y0,x1,y1,outline\n\n{rows[0]}\n{rows[1]}\n")
    fails(r"row 4, column outline\[1\]: a polygon of 2 numbers", lcm.read, path, shapes="polygon")
