"""Details of YOLO, LabelMe, Azure, Textract and Document AI files."""

from dataclasses import replace

import layoutcm as lcm
from support.layouts import build
from support.reading import read_as, reader, reads, refused_as, refuser, refuses

read = reader("page.json")


def read_yolo(value, **options):
    """The labels of one page, or these and a file of names."""
    text, *others = value if isinstance(value, tuple) else (value,)
    return lcm.read([("a.txt", text), *others], **{"sizes": (100, 200)} | options)


NAMES = [
    ("data.yaml", b"nc: 2\nnames: [Text, Table]\n"),
    ("data.yaml", b"names:\n  0: Text\n  1: Table\n"),
    ("classes.txt", b"Text\nTable\n"),
    ("obj.names", b"Text\r\nTable\r\n"),
]
IMAGES = [{"id": 1, "file_name": "a.png", "width": 100, "height": 200}]
CATEGORIES = [{"id": 3, "name": "Table"}, {"id": 0, "name": "Text"}]
GT = read({"images": IMAGES, "annotations": [], "categories": CATEGORIES})
OUTLINES = (
    b"0 0.5 0.5 0.2 0.1 0.75\n0 0.1 0.1 0.5 0.1 0.5 0.3\n0 0.1 0.1 0.3 0.1 0.3 0.2 0.1 0.2\n"
    b"0 0.1 0.1 0.5 0.1 0.5 0.3 .5\n"
)
SCORE_FIRST = [b"0 0.9 0.5 0.5 0.4 0.2", b"1 0.35 0.2 0.9 0.1 0.1"]  # class score cx cy w h
test_yolo = read_as(
    *(reads(f"names in a file next to the labels: {names}", (b"1 0.5 0.5 0.2 0.1\n", names), codes={},
            declared=["Text", "Table"], labels=["Table"], boxes=[[40, 90, 60, 110]]) for names in NAMES),
    *(reads(f"a name whose key is not a class number: {key}",
            (b"0 0.5 0.5 0.2 0.1\n", ("data.yaml", f'names:\n  "0": Text\n  "{key}": Table\n'.encode())),
            declared=["Text"]) for key in ("x", "²", "٣", "-1")),
    reads("without names, the ids of the ground truth", b"3 0.5 0.5 0.2 0.1\n7 0.5 0.5 1 1\n",
          {"like": GT, "sizes": None}, labels=["Table", "class 7"], some={"unnamed-classes": 1}),
    # The third is a rectangle, so it stays a box.
    reads("confidence, outlines and corners", OUTLINES, {"shapes": "polygon"}, scores=[0.75, None, None, 0.5],
          shapes={1, 3}, boxes=[[40, 90, 60, 110], [10, 20, 50, 60], [10, 20, 30, 40], [10, 20, 50, 60]]),
    # In the order of SCORE_FIRST, the box of the last line is outside its page, so that the usual order is as good.
    reads("a score that may be before or after the box", b"\n".join([*SCORE_FIRST, b"1 0.9 0.9 0.2 0.6 0.1"]), count=3),
    reads("a score after the box", b"0 0.5 0.5 0.4 0.2 0.9\n1 0.2 0.9 0.1 0.1 0.35\n", scores=[0.9, 0.35]),
    read=read_yolo,
)  # fmt: skip
WRONG_LINES = {b"0 45.5 0.5 0.5 0.5": "not a fraction", b"0 0.5 x 0.5 0.5": "number 2",
               b"0.5 0.5 0.5 0.5 0.5": "not whole", b"0 0.5 0.5": "has no box"}  # fmt: skip
test_wrong_yolo = refused_as(
    refuses("a score after the class", b"\n".join(SCORE_FIRST), "class cx cy w h score",
            "class score cx cy w h", "line 1"),
    *(refuses(f"a wrong line: {line}", b"0 0.5 0.5 0.2 0.1\n" + line + b"\n", words, "line 2")
      for line, words in WRONG_LINES.items()),
    refuse=refuser("a.txt", sizes=(100, 200)),
)  # fmt: skip


def test_yolo_that_counts_classes_from_another_number_is_found_and_repaired():
    """COCO counts from 1; the YOLO files have the same boxes, counted from 0."""
    labels, corners = ["a", "b", "c"], [(0, 0), (40, 0), (80, 0), (0, 40), (40, 40), (80, 40)]
    rows = [("p", labels[k % 3], x, y, x + 20, y + 20) for k, (x, y) in enumerate(corners)]
    gt = replace(build({"p": (100, 100)}, rows, labels), label_keys={1: 0, 2: 1, 3: 2})
    lines = "".join(f"{k % 3} {(x + 10) / 100} {(y + 10) / 100} 0.2 0.2\n" for k, (x, y) in enumerate(corners))
    pred = lcm.read([("p.txt", lines.encode())], like=gt)
    assert pred.labels == ["a", "b", "c", "class 0"] and pred.label_keys == {0: 3, 1: 0, 2: 1, 3: 2}
    assert "ids:1" in {finding.repair for finding in lcm.compare(gt, pred).findings}
    assert lcm.compare(gt, lcm.repair(pred, "ids:1")).confusion().average("micro")["f1"] == 1


def test_yolo_pages_with_the_same_name_in_two_folders_stay_separate():
    files = [("train/labels/a.txt", b"0 .5 .5 1 1\n"), ("val/labels/a.txt", b"")]
    assert lcm.read(files, sizes=(10, 10)).page_columns.names == ("train/a", "val/a")


SHAPES = [
    {"label": "Text", "points": [[30, 40], [10, 20]], "shape_type": "rectangle"},
    {"label": "Seal", "points": [[50, 50], [53, 54]], "shape_type": "circle"},
    {"label": "Picture", "points": [[0, 0], [10, 0], [0, 10]], "shape_type": "polygon", "group_id": 1},
    {"label": "Rule", "points": [[0, 0], [10, 0]], "shape_type": "line"},
    {"label": "__ignore__", "points": [[0, 0], [9, 9]], "shape_type": "rectangle"},
]
LABELME = {
    "shapes": SHAPES,
    "imagePath": "..\\scans\\p1.jpg",
    "imageWidth": 100,
    "imageHeight": 100,
    "imageData": "A" * 99,
}


def azure(box, page=1, **fields):
    x0, y0, x1, y1 = box
    return {"boundingRegions": [{"pageNumber": page, "polygon": [x0, y0, x1, y0, x1, y1, x0, y1]}]} | fields


CAPTION = azure((1, 1, 2, 2))
CAPTIONED = {"boundingRegions": azure((1, 2, 5, 6))["boundingRegions"] + CAPTION["boundingRegions"], "caption": CAPTION}
AZURE = {"analyzeResult": {
    "pages": [{"pageNumber": 1, "width": 8.5, "height": 11, "unit": "inch"}],
    "paragraphs": [azure((1, 1, 2, 2), role="sectionHeading"), azure((6, 6, 7, 7))],
    "tables": [CAPTIONED],
    "figures": [azure((5, 5, 8, 8), elements=["/paragraphs/1"])],
}}  # fmt: skip
AZURE_2 = {"status": "succeeded", "analyzeResult": {
    "version": "2.1.0",
    "readResults": [{"page": 1, "width": 8.5, "height": 11, "unit": "inch", "lines": []}],
    "pageResults": [{"page": 1, "tables": [{"boundingBox": [1, 1, 4, 1, 4, 3, 1, 3]}]}],
}}  # fmt: skip
SNAKE = {"page_number": 2, "polygon": [{"x": 1, "y": 1}, {"x": 3, "y": 1}, {"x": 3, "y": 2}, {"x": 1, "y": 2}]}
AZURE_PYTHON = {"api_version": "1", "pages": [{"page_number": n, "width": 8, "height": 11} for n in (1, 2)],
                "paragraphs": [{"role": "title", "bounding_regions": [SNAKE]}]}  # fmt: skip


def block(kind, box=(0, 0, 1, 1), **fields):
    where = dict(zip(("Left", "Top", "Width", "Height"), box))
    return {"BlockType": kind, "Geometry": {"BoundingBox": where}} | fields


PARTS = [{"Type": "CHILD", "Ids": ["t"]}]
BLOCKS = [
    block("PAGE", Page=1),
    block("PAGE", Page=2),
    block("LAYOUT_LIST", (0.1, 0.2, 0.5, 0.5), Page=2, Confidence=80, Id="l", Relationships=PARTS),
    block("LAYOUT_TEXT", (0.1, 0.2, 0.5, 0.1), Page=2, Confidence=50, Id="t"),
    block("WORD", (0.1, 0.2, 0.1, 0.1), Page=2),
]
FLAT = {"vertices": [{}, {"x": 40}, {"x": 40, "y": 10}, {"y": 10}]}
PART = {"normalizedVertices": [{"x": x, "y": y} for x, y in ((0.5, 0.25), (1, 0.25), (1, 0.5), (0.5, 0.5))]}
PLACES = [{"layout": {"boundingPoly": poly, "confidence": 0.5}} for poly in (FLAT, PART)]
PAGE = {"pageNumber": 1, "dimension": {"width": 100, "height": 80}, "blocks": PLACES}
SMALL = {"sizes": (100, 200)}
test_reading = read_as(
    reads("fractions of YOLO of six digits do not add a row of pixels", "0 0.333333 0.500000 0.666667 1.000000\n",
          "a.txt", {"sizes": (3, 3)}, boxes=[[0, 0, 2, 3]]),
    reads("shapes of LabelMe of all kinds", LABELME, {"shapes": "polygon"}, shapes={2},
          boxes=[[10, 20, 30, 40], [45, 45, 55, 55], [0, 0, 10, 10]], declared=["Text", "Seal", "Picture"],
          codes={"shape-left-out": 1, "ignored-shape": 1}),
    reads("captions of Azure and paragraphs inside figures", AZURE, "scan.json",
          labels=["sectionHeading", "paragraph", "table", "table caption", "figure"],
          pages=[("scan", 8.5, 11)], documents=("scan",)),
    reads("outer regions of Azure", AZURE, "scan.json", {"nested": False},
          labels=["sectionHeading", "table", "table caption", "figure"]),
    reads("Azure as written by its Python package", AZURE_PYTHON, places=["page_p2"], regions=[("title", 1, 1, 3, 2)]),
    reads("version 2 of Azure has tables only", AZURE_2, declared=["table"], regions=[("table", 1, 1, 4, 3)]),
    reads("Textract has fractions, percent and pages", [{"Blocks": BLOCKS[:3]}, {"Blocks": BLOCKS[3:]}], "scan.json",
          SMALL,
          names=("scan_p1", "scan_p2"), numbers=[1, 2], boxes=[[10, 40, 60, 140], [10, 40, 60, 60]], scores=[0.8, 0.5]),
    reads("outer regions of Textract", [{"Blocks": BLOCKS}], "scan.json", SMALL | {"nested": False},
          declared=["LAYOUT_LIST"]),
    reads("Document AI leaves zeros out and has blocks and fractions", {"mimeType": "x", "text": "t", "pages": [PAGE]},
          boxes=[[0, 0, 40, 10], [50, 20, 100, 40]], declared=["block"]),
    reads("paragraphs of Document AI replace blocks",
          {"mimeType": "x", "text": "t", "pages": [PAGE | {"paragraphs": PLACES[:1]}]}, declared=["paragraph"],
          count=1),
    read=read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("Textract without layout", {"Blocks": [block("PAGE"), block("WORD")]}, "no LAYOUT block", "FeatureTypes",
            sizes=(10, 10)),
    refuses("the layout parser of Document AI", {"documentLayout": {"blocks": []}, "mimeType": "application/pdf"},
            "without coordinates"),
    refuse=refuser("page.json"),
)  # fmt: skip
