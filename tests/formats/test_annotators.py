"""Several annotators in files of Label Studio and CVAT, and in several files that are read together."""

import json

import pytest

import layoutcm as lcm
from support.coco_files import boxes, coco, found, image, region
from support.reading import fails, reader

read = reader("gt.json")


def text_of(layout, code="other-annotators"):
    return next(finding.message for finding in layout.findings if finding.code == code)


def made(x, by=None, label="Text", **fields):
    """An annotation or a prediction with one box of 10 x 10 % at x of a page of 100 x 100 pixels."""
    value = {"x": x, "y": 0, "width": 10, "height": 10, "rectanglelabels": [label]}
    result = {"type": "rectanglelabels", "original_width": 100, "original_height": 100, "value": value}
    return {"result": [result]} | ({} if by is None else {"completed_by": by}) | fields


def task(k, *annotations, predictions=(), **data):
    given = {"image": f"/data/{k}.png", **data}
    return {"id": k, "data": given, "annotations": list(annotations), "predictions": list(predictions)}


ANNA = {"id": 7, "email": "anna@x.org", "first_name": "Anna"}
TASKS = [
    task(1, made(0, 2), made(20, ANNA)),
    task(2, made(40, 2)),
    task(3, predictions=[made(60, model_version="v1", score=0.5)]),
]


def test_the_last_annotation_of_each_task_is_read_and_all_annotators_are_named():
    layout = read(TASKS)
    assert [box[0] for box in boxes(layout)] == [20, 40, 60]
    assert layout.annotator == "" and layout.annotators == ("2", "anna@x.org", "model: v1")
    assert text_of(layout) == (
        "gt.json: one annotation of each page is read, by any annotator; named annotators: '2', 'anna@x.org', "
        "'model: v1'."
    )
    assert found(layout)["several-annotators"] == 1


@pytest.mark.parametrize(
    ("annotator", "xs", "others"),
    [("2", [0, 40], "'anna@x.org', 'model: v1'"), ("anna@x.org", [20], "'2', 'model: v1'"), ("model: v1", [60], "'2'")],
)
def test_one_annotator_of_label_studio(annotator, xs, others):
    layout = read(TASKS, annotator=annotator)
    assert [box[0] for box in boxes(layout)] == xs and layout.annotator == annotator
    assert layout.page_columns.names == ("1.png", "2.png", "3.png")  # also pages that this one did not annotate
    assert text_of(layout).startswith(
        f"gt.json: the regions of annotator '{annotator}' are read; there are also {others}"
    )


def test_two_annotators_of_one_file_can_be_compared():
    tasks = [task(1, made(0, "a"), made(5, "b")), task(2, made(0, "b"), made(0, "a"))]
    one, two = (read(tasks, annotator=name) for name in "ab")
    assert lcm.compare(one, two).objects().counts_at(0.9) == {"tp": 1, "fp": 1, "fn": 1}
    assert [read(tasks).annotator, read(tasks[:1]).annotator] == ["", "b"]


def test_scores_of_predictions_are_kept_and_annotations_have_none():
    both = [task(1, made(0, 1), predictions=[made(60, model_version="v1", score=0.5)])]
    assert read(both, annotator="model: v1").regions["score"].tolist() == [0.5]
    assert not read(both).has_scores and read(both).annotator == "1"


@pytest.mark.parametrize("by", [None, [1], {}, {"id": None}, 1.5, True])
def test_an_annotator_without_a_usable_name_is_unknown(by):
    layout = read([task(1, made(0, by))])
    assert layout.annotators == () and len(layout.regions) == 1 and found(layout) == {}


def test_an_annotator_that_no_task_has():
    fails(r"gt.json, annotator: there is no annotator '9'. .* '2', 'anna@x.org'", read, TASKS, annotator="9")
    fails("Annotators in this file: none", read, [task(1, made(0))], annotator="9")


def minimal(k, x, by):
    value = {"x": x, "y": 0, "width": 10, "height": 10, "rectanglelabels": ["Text"]}
    label = [value | {"original_width": 100, "original_height": 100}] if x is not None else []
    return {"id": k, "image": f"/{k}.png", "label": label, "annotator": by, "annotation_id": k, "kind": "letter"}


def test_annotators_of_json_min_have_a_row_each():
    rows = [minimal(1, 0, 4), minimal(2, 20, 4), minimal(1, 40, "b@x"), minimal(2, None, "b@x")]
    layout = read(rows)
    assert [box[0] for box in boxes(layout)] == [40] and layout.page_columns.names == ("1.png", "2.png")
    assert (layout.annotator, layout.annotators) == ("b@x", ("4", "b@x")) and found(layout)["several-annotators"] == 2
    assert [box[0] for box in boxes(read(rows, annotator="4"))] == [0, 20]
    assert layout.pages["kind"].tolist() == ["letter", "letter"]


def test_fields_and_choices_of_a_task_are_attributes():
    choice = {"type": "choices", "from_name": "quality", "value": {"choices": ["good", "old"]}}
    one = task(1, made(0), kind="letter", pages=3, url="https://x/y", text="x" * 101, version="v1.2", scan="a.pdf")
    two = task(2, made(0) | {"result": [*made(0)["result"], choice]})
    pages = read([one, two]).pages
    assert list(pages)[5:] == ["kind", "pages", "version", "quality"]
    assert pages["kind"].tolist() == ["letter", ""] and pages["quality"].tolist() == ["", "good, old"]


def cvat_image(name, x, **given):
    shown = " ".join(f'{key}="{value}"' for key, value in given.items())
    box = f'<box label="Text" xtl="{x}" ytl="0" xbr="{x + 10}" ybr="10"/>'
    return f'<image name="{name}" width="100" height="100" {shown}>{box}<tag label="letter"/></image>'


def cvat(images, kind="job", assignee="", tasks=()):
    """`tasks` are (id, name, assignee) of a project."""
    listed = "".join(
        f"<task><id>{k}</id><name>{name}</name><assignee><username>{who}</username></assignee></task>"
        for k, name, who in tasks
    )
    person = f"<assignee><username>{assignee}</username></assignee>" if assignee else "<assignee/>"
    labels = "<labels><label><name>Text</name></label></labels>"
    meta = f"<meta><{kind}>{f'<tasks>{listed}</tasks>' if tasks else person}{labels}</{kind}></meta>"
    return f"<annotations><version>1.1</version>{meta}{images}</annotations>".encode()


PROJECT = cvat(
    cvat_image("a.png", 0, task_id=1, subset="Train")
    + cvat_image("b.png", 20, task_id=1, subset="Train")
    + cvat_image("a.png", 40, task_id=2, subset="Train")
    + cvat_image("c.png", 60, task_id=2, subset="Train"),
    "project",
    tasks=[(1, "first round", "anna"), (2, "second round", "ben")],
)


def test_assignees_of_the_tasks_of_a_cvat_project_are_annotators():
    layout = read(PROJECT, "gt.xml")
    assert layout.page_columns.names == ("a.png", "b.png", "c.png")
    assert [box[0] for box in boxes(layout)] == [0, 20, 60]  # the first annotator of each page
    assert layout.annotator == "" and layout.annotators == ("anna", "ben") and found(layout)["other-annotators"] == 2
    ben = read(PROJECT, "gt.xml", annotator="ben")
    assert [box[0] for box in boxes(ben)] == [40, 60] and ben.page_columns.names == layout.page_columns.names
    assert [box[0] for box in boxes(read(PROJECT, "gt.xml", annotator="anna"))] == [0, 20]


def test_tasks_of_a_cvat_project_may_be_listed_after_the_images():
    start, rest = PROJECT.split(b"<meta>")
    meta, images = rest.split(b"</meta>")
    late = start + images.replace(b"</annotations>", b"<meta>" + meta + b"</meta></annotations>")
    first, second = read(PROJECT, "gt.xml"), read(late, "gt.xml")
    assert second.annotators == ("anna", "ben") and second.pages.equals(first.pages) and boxes(second) == boxes(first)


def test_subset_task_and_tags_of_cvat_are_attributes():
    pages = read(PROJECT, "gt.xml").pages
    assert pages["subset"].tolist() == ["Train"] * 3 and pages["tag"].tolist() == ["letter"] * 3
    assert pages["task"].tolist() == ["first round", "first round", "second round"]
    ben = read(PROJECT, "gt.xml", annotator="ben").pages
    assert ben["task"].tolist() == ["second round", "first round", "second round"]


@pytest.mark.parametrize("people", [("", ""), ("anna", "anna"), ("anna", "ben")])
def test_images_of_the_same_name_in_two_subsets_of_cvat_are_two_pages(people):
    images = [("Train", "a", 0, 1), ("Train", "b", 20, 1), ("Test", "a", 40, 2), ("Test", "c", 60, 2)]
    text = "".join(cvat_image(f"{name}.png", x, task_id=k, subset=subset) for subset, name, x, k in images)
    layout = read(cvat(text, "project", tasks=[(1, "one", people[0]), (2, "two", people[1])]), "gt.xml")
    assert layout.page_columns.names == ("Train/a.png", "b.png", "Test/a.png", "c.png")
    assert [box[0] for box in boxes(layout)] == [0, 20, 40, 60] and found(layout)["shared-page-name"] == 2


@pytest.mark.parametrize("people", [("", ""), ("anna", "anna"), ("", "ben")])
def test_images_of_the_same_name_in_two_tasks_of_cvat_are_two_pages(people):
    tasks = [(1, "one", people[0]), (2, "two", people[1])]
    text = cvat_image("a.png", 0, task_id=1, subset="Train") + cvat_image("a.png", 40, task_id=2, subset="Train")
    layout = read(cvat(text, "project", tasks=tasks), "gt.xml")
    assert layout.page_columns.names == ("Train/a.png", "Train/task 2/a.png")
    assert [box[0] for box in boxes(layout)] == [0, 40] and found(layout)["shared-page-name"] == 2


def test_an_image_twice_in_one_task_of_cvat_is_an_error():
    text = 2 * cvat_image("a.png", 0, task_id=1)
    with pytest.raises(lcm.InputError, match=r"the page 'a.png' occurs twice"):
        read(
            cvat(text + cvat_image("b.png", 0, task_id=2), "project", tasks=[(1, "one", ""), (2, "two", "")]), "gt.xml"
        )


def test_jobs_of_cvat_in_several_files():
    people = {"anna": 0, "ben": 40}
    jobs = [(f"{who}.xml", cvat(cvat_image("a.png", x), assignee=who)) for who, x in people.items()]
    assert lcm.read(jobs).annotators == ("anna", "ben") and boxes(lcm.read(jobs)) == [[0, 0, 10, 10]]
    assert boxes(lcm.read(jobs, annotator="ben")) == [[40, 0, 50, 10]]
    assert read(jobs[0][1], "anna.xml").annotator == "anna"


@pytest.mark.parametrize("people", [("", ""), ("anna", "anna"), ("anna", ""), ("", "ben")])
def test_the_same_page_twice_by_one_or_an_unknown_annotator_is_an_error(people):
    jobs = [(f"{k}.xml", cvat(cvat_image("a.png", 0), assignee=who)) for k, who in enumerate(people)]
    fails(r"the page 'a.png' occurs twice", lcm.read, jobs)


def test_tracks_of_another_annotator_are_not_read():
    track = '<track label="Text"><box frame="0" xtl="0" ytl="0" xbr="5" ybr="5"/></track>'
    content = cvat(track, "task", "anna")
    assert len(read(content, "v.xml", sizes=(9, 9), annotator="anna").regions) == 1
    fails(r"no annotator 'ben'. Annotators in this file: 'anna'", read, content, "v.xml", sizes=(9, 9), annotator="ben")


def files(*precedences):
    """One COCO file for each number; file k has page k."""
    images = [image(k, precedence=number, doc_category=f"kind {k}") for k, number in enumerate(precedences)]
    rows = [coco([one], [region(one["id"])]) for one in images]
    return [(f"{k}.json", json.dumps(one).encode()) for k, one in enumerate(rows)]


def test_annotators_of_several_files_are_joined():
    both = lcm.read(files(0, 1))
    assert both.annotators == ("0", "1") and both.annotator == "" and len(both.regions) == 2
    assert both.pages["doc_category"].tolist() == ["kind 0", "kind 1"]
    assert lcm.read(files(0, 0)).annotator == "0"


def test_a_file_without_the_annotator_has_pages_but_no_regions():
    one = lcm.read(files(0, 1, None), annotator="1")
    assert one.regions["page"].tolist() == ["1.png"] and len(one.page_columns) == 3
    assert (one.annotator, one.annotators) == ("1", ("0", "1"))
    fails(r"annotator '2'. Annotators in this file: '0', '1'", lcm.read, files(0, 1), annotator="2")


def test_tracks_of_several_annotators_are_those_of_the_first_on_each_frame():
    meta = "<meta><project><tasks>" + "".join(
        f"<task><id>{i}</id><assignee><username>{who}</username></assignee>"
        "<original_size><width>90</width><height>60</height></original_size></task>"
        for i, who in ((1, "ann"), (2, "bob"))
    )
    tracks = "".join(
        f'<track label="Text" task_id="{i}">'
        f'<box frame="{frame}" xtl="{x}" ytl="0" xbr="{x + 9}" ybr="9" outside="0"/></track>'
        for i, frame, x in ((1, 0, 0), (2, 0, 50), (2, 3, 20))
    )
    file = f"<annotations><version>1.1</version>{meta}</tasks></project></meta>{tracks}</annotations>".encode()
    assert read(file, "a.xml").regions["x0"].tolist() == [0, 20]
    assert read(file, "a.xml", annotator="bob").regions["x0"].tolist() == [50, 20]


def test_a_page_that_only_two_others_annotated_is_one_page_without_regions():
    images = [
        image(i, file_name=name, precedence=p) for i, (name, p) in enumerate([("a", 0), ("a", 1), ("b", 2), ("b", 1)])
    ]
    layout = read(coco(images, [region(0), region(2), region(3)]))
    assert layout.page_columns.names == ("a", "b") and layout.region_columns.page.tolist() == [0]
    low = read(coco([image(1, precedence=-1), image(2, precedence=2)], [region(1), region(2)]))
    assert low.annotator == "-1"


def test_tables_of_several_annotators_say_that_all_are_read(tmp_path):
    for who in ("x", "y"):
        rows = [
            {"page": who, "label": "T", "x0": 0, "y0": 0, "x1": 5, "y1": 5, "width": 9, "height": 9, "annotator": who}
        ]
        lcm.write(lcm.read(rows), "parquet", tmp_path / f"{who}.parquet")
    layout = lcm.read(tmp_path)
    assert len(layout.regions) == 2 and "by any annotator; named annotators: 'x', 'y'" in text_of(layout)


def test_an_annotation_that_was_asked_for_is_not_called_the_last():
    file = [task(1, made(0, "ann"), made(9, "bob"))]
    assert found(read(file)).get("several-annotators") == 1
    assert "several-annotators" not in found(read(file, annotator="ann"))


def test_two_annotators_of_one_label_studio_file_have_the_same_labels():
    file = [task(1, made(0, "ann", label="Text"), made(9, "bob", label="Table"))]
    ann, bob = (read(file, annotator=name) for name in ("ann", "bob"))
    assert ann.labels == bob.labels == ["Text", "Table"]
    assert lcm.compare(ann, bob).taxonomy == "same"


# What COCO files say beyond boxes: attributes of pages, several annotators, regions that are not to be judged.


def test_attributes_of_doclaynet_become_columns_of_pages():
    images = [image(1, doc_category="patents", collection="ann", precedence=0), image(2, doc_category="laws")]
    pages = read(coco(images, [])).pages
    assert pages["doc_category"].tolist() == ["patents", "laws"]
    assert pages["collection"].tolist() == ["ann", ""] and pages["precedence"].tolist() == ["0", ""]
    assert list(read(coco([image(1)], [])).pages) == ["page", "document", "number", "width", "height"]


def two_annotators():
    """Page 1 was annotated twice; page 2 once, without a number."""
    rows = [region(1, bbox=[0, 0, 9, 9], precedence=1), region(1, bbox=[0, 0, 5, 5], precedence=0), region(2)]
    return coco([image(1, precedence=0), image(2)], rows)


def test_the_first_annotator_is_read_and_the_others_are_named():
    layout = read(two_annotators())
    assert (layout.annotator, layout.annotators) == ("0", ("0", "1"))
    assert layout.region_columns.boxes[:, 2].tolist()[0] == 5 and len(layout.region_columns) == 2
    finding = next(one for one in layout.findings if one.code == "other-annotators")
    assert finding.message == "gt.json: the regions of annotator '0' are read; there is also '1'."
    other = read(two_annotators(), annotator="1")
    assert (other.annotator, other.region_columns.boxes[:, 2].tolist()) == ("1", [9])
    assert lcm.compare(layout, other).objects().counts_at(0.2) == {"tp": 1, "fp": 0, "fn": 1}


def test_the_same_page_listed_once_for_each_annotator():
    images = [image(1, file_name="p.png", precedence=0), image(2, file_name="p.png", precedence=1)]
    content = coco(images, [region(1, bbox=[0, 0, 5, 5]), region(2, bbox=[0, 0, 9, 9])])
    assert read(content).region_columns.boxes[:, 2].tolist() == [5]
    assert read(content, annotator="1").region_columns.boxes[:, 2].tolist() == [9]
    assert [len(read(content, annotator=name).page_columns) for name in "01"] == [1, 1]


def test_an_annotator_that_the_file_does_not_have():
    with pytest.raises(lcm.InputError, match=r"gt.json, annotator: there is no annotator '2'. Annotators .* '0', '1'"):
        read(two_annotators(), annotator="2")
    fails(r"there is no annotator 'x'. Annotators in this file: none", read, coco([image(1)], []), annotator="x")


def test_ignored_annotations_are_marked_and_their_pixels_are_not_judged():
    rows = [region(1, bbox=[0, 0, 10, 10], ignore=1), region(1, bbox=[20, 0, 10, 10], ignore=0)]
    gt = read(coco([image(1, width=50, height=50)], rows))
    assert gt.regions["ignore"].tolist() == [True, False]
    c = lcm.compare(gt, read(coco([image(1, width=50, height=50)], [])))
    assert (c.ignored_pixels, c.pixels) == (100, 2400)


def test_annotators_are_only_those_of_annotations():
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "a.png"}]
    rows = [{"id": k, "image_id": 1, "category_id": 1, "bbox": [k, 0, 2, 2], "precedence": k} for k in (1, 2)]
    layout = lcm.read(
        ("a.json", json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "x"}]}).encode())
    )
    assert layout.annotators == ("1", "2") and layout.annotator == "1"
    assert layout.region_columns.boxes.tolist() == [[1, 0, 3, 2]]


def test_ids_of_dropped_images_are_not_read_as_names():
    names = {1: "1.png", 2: "1.png", 3: "2.png"}
    images = [
        {"id": i, "width": 10, "height": 10, "file_name": name, "precedence": int(i == 2)} for i, name in names.items()
    ]
    rows = [{"id": i, "image_id": i, "category_id": 1, "bbox": [0, 0, 2, 2]} for i in (1, 2)]
    layout = lcm.read(
        ("a.json", json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "x"}]}).encode())
    )
    assert layout.page_columns.names == ("1.png", "2.png") and len(layout.region_columns) == 1
    assert {finding.code for finding in layout.findings} == {"other-annotators"}
