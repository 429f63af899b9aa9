"""Image ids that are file names or numbers written as text, and category ids that are class numbers."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from support.coco_files import coco, found, image, region

LABELS = ("Text", "Title", "Table")


def categories(*ids):
    return [{"id": id, "name": name} for id, name in zip(ids, LABELS)]


def truth(names, ids=None, category_ids=(1, 2, 3)):
    """A ground truth with one region of each label on each page, and page ids from 10 if they are not given."""
    ids = ids or range(10, 10 + len(names))
    images = [image(id, file_name=name) for id, name in zip(ids, names)]
    annotations = [region(id, category) for id in ids for category in category_ids]
    return coco(images, annotations, categories(*category_ids))


def places(layout):
    return layout.regions[["page", "label"]].to_numpy().tolist()


@pytest.mark.parametrize(("listed", "used"), [("2299", 2299), (2299, "2299"), ("0007", 7), (7, "007")])
def test_a_number_written_as_text_is_the_same_image(read, listed, used):
    gt = read(coco([image(listed, file_name="a.png")], [region(used)]))
    assert len(gt.regions) == 1 and found(gt) == {"image-ids-respelt": 1}
    pred = read([region(used)], like=read(coco([image(listed, file_name="a.png")], [region(listed)])))
    assert len(pred.regions) == 1 and found(pred) == {"image-ids-respelt": 1}


def test_two_ids_that_are_the_same_number_are_not_confused(read):
    gt = read(coco([image(7, file_name="a.png"), image("7", file_name="b.png")], [region("7"), region(7)]))
    assert gt.regions["page"].tolist() == ["b.png", "a.png"] and found(gt) == {}
    pred = read([region("007")], like=gt)
    assert len(pred.regions) == 0 and found(pred) == {"unknown-page": 1}


def test_a_category_id_written_as_text_is_the_same_label(read):
    layout = read(coco(annotations=[region(category_id="1"), region(category_id="4")]))
    assert layout.regions["label"].tolist() == ["Text", "category 4"] and found(layout) == {"undeclared-category": 1}


@pytest.mark.parametrize("written", ["scan a.jpg", "scan a", "scans/scan a.jpg", "SCAN_A"])
def test_results_find_pages_by_file_name(read, written):
    gt = read(truth(["img/scan a.jpg", "img/b.jpg"]))
    pred = read([region(written, 3, score=0.5), region("b", 1, score=0.5)], like=gt)
    assert places(pred) == [["img/scan a.jpg", "Table"], ["img/b.jpg", "Text"]]
    assert found(pred) == {"image-ids-are-names": 2, "class-numbers": 2}
    assert f"(first: {written!r} is page 'img/scan a.jpg')" in pred.findings[0].message


def test_all_image_ids_of_a_file_are_read_in_one_way(read):
    """Pages 1 and 2 have the ids 2 and 3, so that 1 is only a name, 3 only an id, and 2 both."""
    gt = read(truth(["0001.jpg", "0002.jpg"], ids=(2, 3)))
    by_name = read([region(1), region(2)], like=gt)
    assert by_name.regions["page"].tolist() == ["0001.jpg", "0002.jpg"]
    assert found(by_name) == {"image-ids-are-names": 2, "class-numbers": 1}
    by_id = read([region(2), region(3)], like=gt)
    assert by_id.regions["page"].tolist() == ["0001.jpg", "0002.jpg"] and found(by_id) == {}


def test_ids_that_may_be_file_names_are_read_as_ids_with_a_warning(read):
    gt = read(truth(["0002.jpg", "0001.jpg"], ids=(1, 2)))
    pred = read([region(1), region(2)], like=gt)
    assert pred.regions["page"].tolist() == ["0002.jpg", "0001.jpg"]
    assert found(pred) == {"image-ids-like-names": 2} and pred.findings[0].severity == "warning"
    named = read([region(1, file_name="0001.jpg"), region(2, file_name="0002.jpg")], like=gt)
    assert named.regions["page"].tolist() == ["0001.jpg", "0002.jpg"]
    assert found(named) == {"image-ids-are-names": 2, "class-numbers": 1}
    assert found(gt) == {}  # in its own file an id is an id


def test_file_names_beside_true_ids_change_nothing(read):
    gt = read(truth(["a.jpg", "b.jpg"], category_ids=(0, 1, 2)))
    pred = read([region(11, 1, file_name="b.jpg"), region(10, 2, file_name="a.jpg")], like=gt)
    assert places(pred) == [["b.jpg", "Title"], ["a.jpg", "Table"]] and "image-ids-are-names" not in found(pred)


def test_file_names_name_the_pages_of_results_without_ground_truth(read):
    pred = read([region(7, file_name="0007.jpg")], sizes={"0007.png": (50, 60)})
    assert pred.pages[["page", "width"]].to_numpy().tolist() == [["0007.jpg", 50]]


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
def test_class_numbers_of_results_with_file_names(read, declared, written, named, reading):
    gt = read(truth(["a.jpg"], category_ids=declared))
    more = {"file_name": "a.jpg"} if named else {}
    pred = read([region("a", number, **more) for number in written], like=gt)
    assert pred.regions["label"].tolist() == list(LABELS)
    message = next(finding.message for finding in pred.findings if finding.code == "class-numbers")
    assert reading in message


def test_with_file_names_classes_count_from_1_even_if_the_last_is_not_found(read):
    gt = read(truth(["a.jpg"], category_ids=(0, 1, 2)))
    pred = read([region("a", number, file_name="a.jpg") for number in (1, 2)], like=gt)
    assert pred.regions["label"].tolist() == ["Text", "Title"]


def test_category_0_without_regions_is_no_class(read):
    """Roboflow adds it for the group of all classes."""
    group = [{"id": 0, "name": "things"}, *categories(1, 2, 3)]
    gt = read(coco([image(10, file_name="a.jpg")], [region(10, number) for number in (1, 2, 3)], group))
    for numbers, more in (((0, 1, 2), {}), ((1, 2, 3), {"file_name": "a.jpg"})):
        pred = read([region("a", number, **more) for number in numbers], like=gt)
        assert pred.regions["label"].tolist() == list(LABELS)


def test_class_numbers_that_fit_no_reading_are_undeclared(read):
    gt = read(truth(["a.jpg"], category_ids=(4, 7, 9)))
    pred = read([region("a", number) for number in (1, 2)], like=gt)
    assert pred.regions["label"].tolist() == ["category 1", "category 2"]
    assert found(pred) == {"image-ids-are-names": 2, "undeclared-category": 2}


def test_with_ids_of_images_ids_of_categories_are_ids(read):
    gt = read(truth(["a.jpg"]))
    pred = read([region(10, number) for number in (0, 1, 2)], like=gt)
    assert pred.regions["label"].tolist() == ["category 0", "Text", "Title"]


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
    assert "class-numbers" in found(pred) and "unknown-page" not in found(pred)


@pytest.mark.parametrize(
    ("field", "value"),
    [("bbox", "x"), ("bbox", [1, 2, 3]), ("score", "high"), ("iscrowd", "false"), ("ignore", "no"), ("image_id", None)],
)
@pytest.mark.parametrize("segmentation", [[], [[1, 1, 9, 1, 9, 9]], {"counts": [1], "size": [1, 1]}])
def test_an_error_names_its_own_field_wherever_the_segmentation_stands(read, field, value, segmentation):
    good = {"segmentation": segmentation, **region()}
    for wrong in (good | {field: value}, {**region(), field: value, "segmentation": segmentation}):
        with pytest.raises(lcm.InputError) as error:
            read(coco(annotations=[good, good, wrong]))
        assert error.value.place == f"annotations[2].{field}"
        assert value is None or repr(value) in error.value.problem
