"""Details of Label Studio files."""

import numpy as np
import pytest

import layoutcm as lcm
from support.reading import boxes, codes, fails, reader

read = reader("page.json")


def task(*results, **fields):
    data = {"id": 5, "data": {"image": "http://host/data/upload/1/1234abcd-scan 1.png?x=1"}, "annotations": []}
    return data | {"annotations": [{"result": list(results)}]} | fields


def labelled(**value):
    size = {"original_width": 200, "original_height": 100}
    return size | {"type": "rectanglelabels", "value": {"rectanglelabels": ["Text"]} | value}


def test_percent_rotation_and_several_labels():
    rotated = labelled(x=50, y=50, width=10, height=20, rotation=90, rectanglelabels=["Text", "Header"])
    layout = read([task(labelled(x=10, y=20, width=30, height=40, rotation=0), rotated)])
    assert layout.page_columns.names == ("scan 1.png",)
    assert boxes(layout)[0] == [20, 20, 80, 60]
    # 20 x 20 pixels, rotated by 90 degrees clockwise about the upper left corner (100, 50).
    assert boxes(layout)[1] == boxes(layout)[2] == [80, 50, 100, 70]
    assert layout.regions["label"].tolist() == ["Text", "Text", "Header"]


def test_takes_the_last_annotation_not_cancelled_and_else_predictions():
    one, two = (labelled(x=x, y=0, width=10, height=10) for x in (0, 50))
    cancelled = {"result": [labelled(x=80, y=0, width=10, height=10)], "was_cancelled": True}
    predictions = [{"result": [two], "score": 0.4}]
    several = task(annotations=[{"result": [one]}, {"result": [two]}, cancelled], predictions=predictions)
    layout = read([several])
    assert boxes(layout) == [[100, 0, 120, 10]] and codes(layout) == {"several-annotators": 1}
    assert layout.findings[0].message.endswith(": tasks have several annotations (1 time, at [0]).")
    many = read([several | {"file_upload": f"{k}.png"} for k in range(3)])
    assert many.findings[0].message.endswith(" (3 times, first at [0]).")
    assert np.isnan(layout.regions["score"][0])
    predicted = read([task(annotations=[], predictions=predictions)])
    assert predicted.regions["score"].tolist() == [0.4]


def test_a_skipped_task_is_no_page():
    shape = labelled(x=80, y=0, width=10, height=10)
    cancelled = {"result": [shape], "was_cancelled": True}
    predictions = [{"result": [shape], "score": 0.4, "model_version": "v1"}]
    named = lambda name, **fields: task(**fields) | {"file_upload": name}
    tasks = [
        named("a.png", annotations=[{"result": [shape]}]),
        named("skipped.png", annotations=[cancelled]),
        named("predicted.png", annotations=[cancelled, cancelled], predictions=predictions),
        named("again.png", annotations=[cancelled, {"result": [shape]}]),
    ]
    layout = read(tasks)
    assert layout.page_columns.names == ("a.png", "again.png") and codes(layout) == {"skipped-task": 2}
    assert "skipped, with cancelled annotations only" in layout.findings[0].message
    assert "predicted.png" in read(tasks, annotator="model: v1").page_columns.names
    empty = {"data": {"image": "blank.png"}, "annotations": [{"result": []}]}
    assert read([tasks[0], empty], sizes=(9, 9)).page_columns.names == ("a.png", "blank.png")


def test_strokes_are_left_out_and_reported():
    layout = read([task(labelled(x=0, y=0, width=5, height=5), labelled() | {"type": "brushlabels"})])
    assert len(layout.region_columns) == 1 and codes(layout) == {"shape-left-out": 1}


def test_minimal_export():
    shape = {"x": 10, "y": 20, "width": 30, "height": 40, "rectanglelabels": ["Text"], "original_width": 200}
    item = {"image": "/data/upload/1/a.png", "id": 1, "label": [shape | {"original_height": 100}]}
    layout = read([item | {"annotator": 1, "annotation_id": 2, "created_at": "x", "updated_at": "y", "lead_time": 1.5}])
    assert layout.page_columns.names == ("a.png",) and boxes(layout) == [[20, 20, 80, 60]]
    trimmed = read([item | {"annotator": 1, "annotation_id": 2}])
    assert trimmed.format == "label-studio" and boxes(trimmed) == boxes(layout)


PLACE = {"x": 10, "y": 20, "width": 30, "height": 40, "rotation": 0}


def result(type, name="r1", **value):
    size = {"original_width": 200, "original_height": 100}
    return size | {"id": name, "type": type, "value": PLACE | value, "from_name": type, "to_name": "image"}


@pytest.mark.parametrize(("results", "labels"), [
    ([result("rectanglelabels", rectanglelabels=["Title"]), result("textarea", text=["A"])], ["Title"]),
    ([result("rectangle"), result("labels", labels=["Text"]), result("textarea", text=["A"])], ["Text"]),
    ([result("rectanglelabels", rectanglelabels=["Title"]), result("taxonomy", taxonomy=[["x"]])], ["Title"]),
    ([result("rectangle"), result("choices", choices=["Table"])], ["Table"]),
    ([result("choices", choices=["odd"]), result("labels", labels=["Text", "List"])], ["Text", "List"]),
    ([result("rectangle"), result("textarea", text=["A"])], ["(no name)"]),
    ([result("rectangle"), result("rectangle", "r2")], ["(no name)"] * 2),
    ([result("labels", labels=["Text"]), result("labels", "r2", labels=["Text"])], ["Text"] * 2),
    ([result("rectangle"), result("labels", labels="Text")], ["Text"]),
    ([result("rectangle", rotation=None, x=10.000000000000002), result("labels", labels=["Text"])], ["Text"]),
])  # fmt: skip
def test_the_results_of_one_region_are_one_region(results, labels):
    layout = read([task(*results)])
    assert layout.regions["label"].tolist() == labels
    assert boxes(layout) == [[20, 20, 80, 60]] * len(labels)


def test_the_fields_of_one_region_in_the_minimal_export_are_one_region():
    place = PLACE | {"original_width": 200, "original_height": 100}
    row = {"ocr": "/data/upload/1/a.png", "id": 1, "annotator": 1, "annotation_id": 2}
    layout = read([row | {"bbox": [place], "label": [place | {"labels": ["Text"]}], "transcription": ["A"]}])
    assert layout.regions["label"].tolist() == ["Text"] and boxes(layout) == [[20, 20, 80, 60]]


def pages(key, *results, images=("https://x/a.png?s=1", "https://x/b.png")):
    return {"id": 7, "data": {key: list(images)}, "annotations": [{"result": list(results)}], "file_upload": "t.json"}


@pytest.mark.parametrize("on_second", [{"item_index": 1}, {"to_name": "page_1"}])
def test_a_task_with_a_list_of_images_has_several_pages(on_second):
    first, second = result("labels", labels=["Text"]), result("labels", "r2", labels=["Table"]) | on_second
    larger = second | {"original_width": 400}
    layout = read([pages("pages", first, larger)])
    assert layout.pages[["page", "document", "number", "width"]].to_numpy().tolist() == [
        ["a.png", "task 7", 1, 200],
        ["b.png", "task 7", 2, 400],
    ]
    assert layout.regions[["page", "label"]].to_numpy().tolist() == [["a.png", "Text"], ["b.png", "Table"]]
    objects = [{"url": "https://x/a.png"}, {"url": "https://x/b.png"}]
    assert read([pages("images", first, larger, images=objects)]).page_columns.names == ("a.png", "b.png")


def test_a_list_of_images_beside_the_image_of_a_task_is_no_list_of_pages():
    one = task(labelled(**PLACE)) | {"data": {"url": "a.png", "similar": ["b.png", "c.png"]}}
    assert read([one]).page_columns.names == ("a.png",)


def test_a_result_on_a_later_page_shows_that_the_list_has_the_pages():
    one = pages("pages", result("labels", labels=["Text"]) | {"item_index": 1})
    one["data"] = {"thumb": "https://x/t.jpg"} | one["data"]
    layout = read([one], sizes=(200, 100))
    assert layout.page_columns.names == ("a.png", "b.png") and layout.regions["page"].tolist() == ["b.png"]
    fails(r"a result is on page 2, and the task has 1", read, [one | {"data": {"image": "a.png"}}])


def test_a_page_that_a_task_does_not_have_is_refused():
    with pytest.raises(lcm.InputError, match=r"a result is on page 3, and the task has 2"):
        read([pages("pages", result("labels", labels=["Text"]) | {"item_index": 2})])
    with pytest.raises(lcm.InputError, match=r"JSON-MIN does not say which page"):
        read(
            [{"id": 1, "pages": ["a.png", "b.png"], "label": [PLACE], "annotator": 1, "annotation_id": 2}], sizes=(9, 9)
        )


def test_a_blank_page_of_a_task_needs_a_size():
    file = [pages("pages", result("labels", labels=["Text"]))]
    fails(r"the size of page 'b.png' is not known", read, file)
    assert len(read(file, sizes=(200, 100)).page_columns) == 2


def test_the_name_of_an_upload_with_tasks_is_no_name_of_a_page():
    shape = labelled(**PLACE)
    uploaded = [task(shape) | {"file_upload": "0a1b2c3d-tasks.json", "data": {"image": f"/d/{k}.png"}} for k in "ab"]
    assert read(uploaded).page_columns.names == ("a.png", "b.png")
    assert read([task(shape) | {"file_upload": "image1", "data": {"n": 1}}]).page_columns.names == ("image1",)


def test_files_of_a_local_storage_are_named_in_the_query():
    local = "/data/local-files/"
    addresses = (f"{local}?d=scans/a.png", f"{local}?d=scans%5Cb%201.png&x=1", f"{local}?x=1&d=a%2Fc.png", "d.png?d=3")
    tasks = [task(labelled(**PLACE)) | {"data": {"image": address}} for address in addresses]
    assert read(tasks).page_columns.names == ("a.png", "b 1.png", "c.png", "d.png")


def test_a_single_task_is_read_as_the_first_versions_stored_it():
    one = {"id": 3, "data": {"image": "a.png"}, "completions": [{"result": [labelled(**PLACE)]}]}
    layout = read(one)
    assert layout.format == "label-studio" and boxes(layout) == [[20, 20, 80, 60]]
