"""The summary of the files on the start page: attributes, annotators and ignored pixels, a line each."""

import json

from layoutcm.ui.files import input_files
from support.app_runner import drop, on_data, opened, texts
from support.coco_files import coco, image, region


def start(gt):
    app = opened()
    contents = {"gt.json": gt, "pred.json": coco([image(1)], [region(1)])}
    drop(app, *((name, json.dumps(content).encode()) for name, content in contents.items()))
    assert not app.exception
    return on_data(app)


def captions(app):
    return [one.value for one in app.caption]


def test_attributes_annotators_and_ignored_pixels_have_a_line_each():
    images = [image(1, doc_category="*laws*", precedence=0), image(2, doc_category="patents", precedence=0)]
    rows = [region(1, ignore=1), region(1, precedence=1)]
    app = start(coco(images, rows))
    shown = texts(app)
    assert "category: *laws* 1, patents 1" in shown
    assert "annotators: 0, 1; read: 0" in shown
    assert "not judged if this is the ground truth: 1,200 pixels under 1 region" in shown
    assert any(r"\*laws\*" in caption for caption in captions(app))  # shown as typed, not in italics


def test_files_without_such_facts_have_no_further_lines():
    shown = texts(start(coco([image(1)], [region(1)])))
    assert "annotators" not in shown and "not judged" not in shown


def test_very_many_attributes_are_not_all_shown():
    info = {"width": 50, "height": 50, "image_path": "1.png", "page_attribute": {f"name{i}": "x" for i in range(11)}}
    detection = {"category_type": "Text", "poly": [0, 0, 9, 0, 9, 9, 0, 9], "ignore": True}
    shown = texts(start([{"page_info": info, "layout_dets": [detection]}]))
    assert "name7: x 1" in shown and "name8" not in shown and "… and 3 more attributes" in shown
    assert "81 pixels under 1 region" in shown


def test_the_facts_of_a_layout_are_found_once(monkeypatch):
    counted = []
    facts = input_files.annotation_facts
    monkeypatch.setattr(input_files, "annotation_facts", lambda layout: counted.append(layout) or facts(layout))
    app = start(coco([image(1, doc_category="once")], [region(1, bbox=[1, 2, 3, 4])]))
    app.run()
    app.run()
    assert 1 <= len(counted) == len(set(map(id, counted))) <= 2
