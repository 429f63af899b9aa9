"""Outlines and masks of COCO files: when they are kept, and the box of a region that has one."""

import json

import numpy as np
import pytest
from pycocotools import mask as coco_mask

import layoutcm as lcm
from layoutcm.layouts.shapes import run_pixels
from support.coco_files import boxes, coco, found, region
from support.finding_codes import codes
from support.reading import fails

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
