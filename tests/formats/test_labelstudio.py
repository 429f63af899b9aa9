"""Details of Label Studio files."""

import numpy as np
import pytest

from support.reading import boxes, codes, read_as, reader, reads, refused_as, refuser, refuses

read = reader("page.json")


def task(*results, **fields):
    data = {"id": 5, "data": {"image": "http://host/data/upload/1/1234abcd-scan 1.png?x=1"}, "annotations": []}
    return data | {"annotations": [{"result": list(results)}]} | fields


def labelled(**value):
    size = {"original_width": 200, "original_height": 100}
    return size | {"type": "rectanglelabels", "value": {"rectanglelabels": ["Text"]} | value}


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


SIZES = {"original_width": 200, "original_height": 100}
MINIMAL = {"image": "/data/upload/1/a.png", "id": 1, "annotator": 1, "annotation_id": 2,
           "label": [PLACE | SIZES | {"rectanglelabels": ["Text"]}]}  # fmt: skip
FIELDS = {"ocr": "/data/upload/1/a.png", "id": 1, "annotator": 1, "annotation_id": 2, "bbox": [PLACE | SIZES],
          "label": [PLACE | SIZES | {"labels": ["Text"]}], "transcription": ["A"]}  # fmt: skip
BOX = [20, 20, 80, 60]
TEXT = result("labels", labels=["Text"])
LATER = pages("pages", TEXT | {"item_index": 1})
LATER["data"] = {"thumb": "https://x/t.jpg"} | LATER["data"]
LOCAL = "/data/local-files/"
ADDRESSES = (f"{LOCAL}?d=scans/a.png", f"{LOCAL}?d=scans%5Cb%201.png&x=1", f"{LOCAL}?x=1&d=a%2Fc.png", "d.png?d=3")


def of(**data):
    return task(labelled(**PLACE)) | {"data": data}


ROTATED = labelled(x=50, y=50, width=10, height=20, rotation=90, rectanglelabels=["Text", "Header"])
test_reading = read_as(
    # 20 x 20 pixels, rotated by 90 degrees clockwise about the upper left corner (100, 50).
    reads("percent, rotation and several labels", [task(labelled(**PLACE), ROTATED)], names=("scan 1.png",),
          regions=[("Text", *BOX), ("Text", 80, 50, 100, 70), ("Header", 80, 50, 100, 70)]),
    reads("strokes are left out", [task(labelled(x=0, y=0, width=5, height=5), labelled() | {"type": "brushlabels"})],
          count=1, codes={"shape-left-out": 1}),
    reads("the minimal export", [MINIMAL | {"created_at": "x", "updated_at": "y", "lead_time": 1.5}], names=("a.png",),
          boxes=[BOX]),
    reads("the minimal export without times", [MINIMAL], format="label-studio", boxes=[BOX]),
    reads("the fields of one region in the minimal export are one region", [FIELDS], labels=["Text"], boxes=[BOX]),
    reads("a list of images beside the image of a task", [of(url="a.png", similar=["b.png", "c.png"])],
          names=("a.png",)),
    reads("a result on a later page shows that the list has the pages", [LATER], {"sizes": (200, 100)},
          names=("a.png", "b.png"), places=["b.png"]),
    reads("a blank page of a task with a size", [pages("pages", TEXT)], {"sizes": (200, 100)},
          names=("a.png", "b.png")),
    reads("the name of an upload with tasks is no name of a page",
          [of(image=f"/d/{k}.png") | {"file_upload": "0a1b2c3d-tasks.json"} for k in "ab"], names=("a.png", "b.png")),
    reads("the name of an upload", [of(n=1) | {"file_upload": "image1"}], names=("image1",)),
    reads("files of a local storage are named in the query", [of(image=address) for address in ADDRESSES],
          names=("a.png", "b 1.png", "c.png", "d.png")),
    reads("a single task as the first versions stored it",
          {"id": 3, "data": {"image": "a.png"}, "completions": [{"result": [labelled(**PLACE)]}]},
          format="label-studio", boxes=[BOX]),
    read=read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("a page after the only one", [LATER | {"data": {"image": "a.png"}}],
            "a result is on page 2, and the task has 1"),
    refuses("a page after the last", [pages("pages", TEXT | {"item_index": 2})],
            "a result is on page 3, and the task has 2"),
    refuses("a list of pages in JSON-MIN",
            [{"id": 1, "pages": ["a.png", "b.png"], "label": [PLACE], "annotator": 1, "annotation_id": 2}],
            "JSON-MIN does not say which page", sizes=(9, 9)),
    refuses("a blank page without a size", [pages("pages", TEXT)], "the size of page 'b.png' is not known"),
    refuse=refuser("page.json"),
)  # fmt: skip
