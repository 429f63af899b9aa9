"""Several annotators in files of Label Studio and CVAT, and in several files that are read together."""

import json

import pytest

import layoutcm as lcm
from support.coco_files import boxes, coco, image, region
from support.reading import fails, read_as, reader, reads, refused_as, refuser, refuses

read = reader("gt.json")


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


def test_two_annotators_of_one_file_can_be_compared():
    tasks = [task(1, made(0, "a"), made(5, "b")), task(2, made(0, "b"), made(0, "a"))]
    one, two = (read(tasks, annotator=name) for name in "ab")
    assert lcm.compare(one, two).objects().counts_at(0.9) == {"tp": 1, "fp": 1, "fn": 1}
    assert [read(tasks).annotator, read(tasks[:1]).annotator] == ["", "b"]


def minimal(k, x, by):
    value = {"x": x, "y": 0, "width": 10, "height": 10, "rectanglelabels": ["Text"]}
    label = [value | {"original_width": 100, "original_height": 100}] if x is not None else []
    return {"id": k, "image": f"/{k}.png", "label": label, "annotator": by, "annotation_id": k, "kind": "letter"}


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


def cvat_project(people, *images):
    """Two tasks; images are (subset, name, x, task)."""
    text = "".join(cvat_image(f"{name}.png", x, task_id=k, subset=subset) for subset, name, x, k in images)
    return cvat(text, "project", tasks=[(1, "one", people[0]), (2, "two", people[1])])


def boxes_at(*xs):
    return [[x, 0, x + 10, 10] for x in xs]


def by(name, **options):
    return {"annotator": name, **options}


ALL = ("1.png", "2.png", "3.png")  # also pages that an annotator did not annotate
BOTH = [task(1, made(0, 1), predictions=[made(60, model_version="v1", score=0.5)])]
ROWS = [minimal(1, 0, 4), minimal(2, 20, 4), minimal(1, 40, "b@x"), minimal(2, None, "b@x")]
ANN_AND_BOB = [task(1, made(0, "ann"), made(9, "bob"))]
SUBSETS = (("Train", "a", 0, 1), ("Train", "b", 20, 1), ("Test", "a", 40, 2), ("Test", "c", 60, 2))
TASKS_OF_ONE_SUBSET = (("Train", "a", 0, 1), ("Train", "a", 40, 2))
TRACK = cvat('<track label="Text"><box frame="0" xtl="0" ytl="0" xbr="5" ybr="5"/></track>', "task", "anna")
SIZE = "<original_size><width>90</width><height>60</height></original_size>"
PEOPLE = "".join(
    f"<task><id>{i}</id><assignee><username>{who}</username></assignee>{SIZE}</task>"
    for i, who in ((1, "ann"), (2, "bob"))
)
TRACKS = "".join(
    f'<track label="Text" task_id="{i}"><box frame="{frame}" xtl="{x}" ytl="0" xbr="{x + 10}" ybr="10" outside="0"/>'
    "</track>"
    for i, frame, x in ((1, 0, 0), (2, 0, 50), (2, 3, 20))
)
VIDEO = (
    f"<annotations><version>1.1</version><meta><project><tasks>{PEOPLE}</tasks></project></meta>{TRACKS}</annotations>"
)
PRECEDENCES = [
    image(i, file_name=name, precedence=p) for i, (name, p) in enumerate([("a", 0), ("a", 1), ("b", 2), ("b", 1)])
]
LISTED_TWICE = coco([image(k + 1, file_name="p.png", precedence=k) for k in (0, 1)],
                    [region(1, bbox=[0, 0, 5, 5]), region(2, bbox=[0, 0, 9, 9])])  # fmt: skip
# Page 1 was annotated twice; page 2 once, without a number.
TWICE = coco([image(1, precedence=0), image(2)], [
    region(1, bbox=[0, 0, 9, 9], precedence=1), region(1, bbox=[0, 0, 5, 5], precedence=0), region(2),
])  # fmt: skip
NAMES = ((1, "1.png"), (2, "1.png"), (3, "2.png"))
DROPPED = coco([image(i, file_name=name, precedence=int(i == 2)) for i, name in NAMES], [region(1), region(2)])
CHOICE = {"type": "choices", "from_name": "quality", "value": {"choices": ["good", "old"]}}
WITH_FIELDS = [
    task(1, made(0), kind="letter", pages=3, url="https://x/y", text="x" * 101, version="v1.2", scan="a.pdf"),
    task(2, made(0) | {"result": [*made(0)["result"], CHOICE]}),
]
CVAT_PAGES = {"subset": ["Train"] * 3, "tag": ["letter"] * 3}
DOCLAYNET = [image(1, doc_category="patents", collection="ann", precedence=0), image(2, doc_category="laws")]
test_reading = read_as(
    reads("the last annotation of each task, and all annotators are named", TASKS, boxes=boxes_at(20, 40, 60),
          annotator="", annotators=("2", "anna@x.org", "model: v1"), some={"several-annotators": 1},
          says=["gt.json: one annotation of each page is read, by any annotator; named annotators: '2', 'anna@x.org', "
                "'model: v1'."]),
    reads("fields and choices of a task are attributes", WITH_FIELDS, attributes={"kind": ["letter", ""],
          "pages": ["3", ""], "version": ["v1.2", ""], "quality": ["", "good, old"]}),
    reads("fields of JSON-MIN are attributes", ROWS, attributes={"kind": ["letter"] * 2}),
    reads("subset, task and tags of CVAT are attributes", PROJECT, "gt.xml",
          attributes=CVAT_PAGES | {"task": ["first round", "first round", "second round"]}),
    reads("the task of another annotator", PROJECT, "gt.xml", by("ben"),
          attributes=CVAT_PAGES | {"tag": ["letter", "", "letter"],
                                   "task": ["second round", "first round", "second round"]}),
    reads("attributes of DocLayNet", coco(DOCLAYNET, []), attributes={"doc_category": ["patents", "laws"],
          "collection": ["ann", ""], "precedence": ["0", ""]}),
    reads("no attributes", coco([image(1)], []), attributes={}),
    reads("the first annotator of COCO is read and the others are named", TWICE, annotator="0", annotators=("0", "1"),
          boxes=[[0, 0, 5, 5], [10, 20, 40, 60]],
          says=["gt.json: the regions of annotator '0' are read; there is also '1'."]),
    reads("the second annotator of COCO", TWICE, by("1"), annotator="1", boxes=[[0, 0, 9, 9]]),
    *(reads(f"annotator {name} of Label Studio", TASKS, by(name), boxes=boxes_at(*xs), annotator=name, names=ALL,
            says=[f"gt.json: the regions of annotator '{name}' are read; there are also {others}"])
      for name, xs, others in (("2", [0, 40], "'anna@x.org', 'model: v1'"), ("anna@x.org", [20], "'2', 'model: v1'"),
                               ("model: v1", [60], "'2'"))),
    reads("scores of predictions are kept", BOTH, by("model: v1"), scores=[0.5]),
    reads("annotations have no scores", BOTH, scored=False, annotator="1"),
    *(reads(f"an annotator without a usable name: {name}", [task(1, made(0, name))], annotators=(), count=1, codes={})
      for name in (None, [1], {}, {"id": None}, 1.5, True)),
    reads("annotators of JSON-MIN have a row each", ROWS, boxes=boxes_at(40), names=("1.png", "2.png"), annotator="b@x",
          annotators=("4", "b@x"), some={"several-annotators": 2}),
    reads("one annotator of JSON-MIN", ROWS, by("4"), boxes=boxes_at(0, 20)),
    reads("the last annotation", ANN_AND_BOB, some={"several-annotators": 1}),
    reads("an annotation that was asked for is not called the last", ANN_AND_BOB, by("ann"),
          some={"several-annotators": None}),
    reads("the first annotator of each page of CVAT", PROJECT, "gt.xml", names=("a.png", "b.png", "c.png"),
          annotator="", boxes=boxes_at(0, 20, 60), annotators=("anna", "ben"), some={"other-annotators": 2}),
    *(reads(f"annotator {name} of CVAT", PROJECT, "gt.xml", by(name), boxes=boxes_at(*xs),
            names=("a.png", "b.png", "c.png"))
      for name, xs in (("anna", (0, 20)), ("ben", (40, 60)))),
    *(reads(f"one name in two subsets of CVAT: {people}", cvat_project(people, *SUBSETS), "gt.xml",
            names=("Train/a.png", "b.png", "Test/a.png", "c.png"), boxes=boxes_at(0, 20, 40, 60),
            some={"shared-page-name": 2}) for people in (("", ""), ("anna", "anna"), ("anna", "ben"))),
    *(reads(f"one name in two tasks of CVAT: {people}", cvat_project(people, *TASKS_OF_ONE_SUBSET), "gt.xml",
            names=("Train/a.png", "Train/task 2/a.png"), boxes=boxes_at(0, 40), some={"shared-page-name": 2})
      for people in (("", ""), ("anna", "anna"), ("", "ben"))),
    reads("tracks of an annotator", TRACK, "v.xml", by("anna", sizes=(9, 9)), count=1),
    reads("tracks of several annotators are those of the first on each frame", VIDEO, "a.xml", boxes=boxes_at(0, 20)),
    reads("tracks of the second annotator", VIDEO, "a.xml", by("bob"), boxes=boxes_at(50, 20)),
    reads("a page that only two others annotated is one page without regions",
          coco(PRECEDENCES, [region(0), region(2), region(3)]), names=("a", "b"), places=["a"]),
    reads("the lowest number is the first annotator",
          coco([image(1, precedence=-1), image(2, precedence=2)], [region(1), region(2)]), annotator="-1"),
    reads("the same page listed once for each annotator", LISTED_TWICE, boxes=[[0, 0, 5, 5]], names=("p.png",)),
    reads("the second annotator of such a page", LISTED_TWICE, by("1"), boxes=[[0, 0, 9, 9]], names=("p.png",)),
    reads("annotators that only annotations name",
          coco([image(1)], [region(1, bbox=[k, 0, 2, 2], precedence=k) for k in (1, 2)]), annotators=("1", "2"),
          annotator="1", boxes=[[1, 0, 3, 2]]),
    reads("ids of dropped images are not read as names", DROPPED, names=("1.png", "2.png"), count=1,
          codes={"other-annotators": 1}),
    read=read,
)  # fmt: skip
NOBODY = "Annotators in this file: none"
test_refusal = refused_as(
    refuses("an annotator that no task has", TASKS, "gt.json, annotator: there is no annotator '9'.",
            "'2', 'anna@x.org'", annotator="9"),
    refuses("tasks without annotators", [task(1, made(0))], NOBODY, annotator="9"),
    refuses("an image twice in one task of CVAT",
            cvat_project(("", ""), ("", "a", 0, 1), ("", "a", 0, 1), ("", "b", 0, 2)),
            "the page 'a.png' occurs twice", name="gt.xml"),
    refuses("tracks of nobody", TRACK, "no annotator 'ben'. Annotators in this file: 'anna'", name="v.xml",
            sizes=(9, 9), annotator="ben"),
    refuses("an annotator that COCO does not have", TWICE, "gt.json, annotator: there is no annotator '2'. Annotators",
            "'0', '1'", annotator="2"),
    refuses("COCO without annotators", coco([image(1)], []), f"there is no annotator 'x'. {NOBODY}", annotator="x"),
    refuse=refuser("gt.json"),
)  # fmt: skip


def test_tasks_of_a_cvat_project_may_be_listed_after_the_images():
    start, rest = PROJECT.split(b"<meta>")
    meta, images = rest.split(b"</meta>")
    late = start + images.replace(b"</annotations>", b"<meta>" + meta + b"</meta></annotations>")
    first, second = read(PROJECT, "gt.xml"), read(late, "gt.xml")
    assert second.annotators == ("anna", "ben") and second.pages.equals(first.pages) and boxes(second) == boxes(first)


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


def test_tables_of_several_annotators_say_that_all_are_read(tmp_path):
    for who in ("x", "y"):
        rows = [
            {"page": who, "label": "T", "x0": 0, "y0": 0, "x1": 5, "y1": 5, "width": 9, "height": 9, "annotator": who}
        ]
        lcm.write(lcm.read(rows), "parquet", tmp_path / f"{who}.parquet")
    layout = lcm.read(tmp_path)
    text = " ".join(finding.message for finding in layout.findings)
    assert len(layout.regions) == 2 and "by any annotator; named annotators: 'x', 'y'" in text


def test_two_annotators_of_one_label_studio_file_have_the_same_labels():
    file = [task(1, made(0, "ann", label="Text"), made(9, "bob", label="Table"))]
    ann, bob = (read(file, annotator=name) for name in ("ann", "bob"))
    assert ann.labels == bob.labels == ["Text", "Table"]
    assert lcm.compare(ann, bob).taxonomy == "same"


def test_ignored_annotations_are_marked_and_their_pixels_are_not_judged():
    rows = [region(1, bbox=[0, 0, 10, 10], ignore=1), region(1, bbox=[20, 0, 10, 10], ignore=0)]
    gt = read(coco([image(1, width=50, height=50)], rows))
    assert gt.regions["ignore"].tolist() == [True, False]
    c = lcm.compare(gt, read(coco([image(1, width=50, height=50)], [])))
    assert (c.ignored_pixels, c.pixels) == (100, 2400)
