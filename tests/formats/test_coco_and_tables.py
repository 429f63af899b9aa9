"""Reading valid files: COCO ground truth and results, CSV and Parquet tables."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import layoutcm as lcm
from support.coco_files import boxes, coco, image, region
from support.hostile_formats import parquet_bytes
from support.reading import fails, read_as, reader, reads, refused_as, refuser, refuses

HEADER = "page,document,width,height,label,x0,y0,x1,y1,score\n"
ROWS = "0001,d,100,80,Text,1,2,3,4,.5\n0002,d,100,80,,,,,,\n0001,d,100,80,NA, 5 ,6,7,8,\n"
TABLES = {
    "as it is": HEADER + ROWS,
    "BOM": "\ufeff" + HEADER + ROWS,
    "CRLF": (HEADER + ROWS).replace("\n", "\r\n"),
    "upper case": HEADER.upper() + ROWS,
    "blank lines": (HEADER + ROWS).replace("\n", "\n\n"),
    "no last newline": (HEADER + ROWS).rstrip(),
}
USUAL = {
    "image,label,x1,y1,x2,y2": "a.png,Text,1,2,4,6",
    "file_name;category;xmin;ymin;xmax;ymax": "a.png;Text;1;2;4;6",
    "Image Name\tClass\tleft\ttop\tright\tbottom": "a.png\tText\t1\t2\t4\t6",
    "filename,class_name,x,y,w,h": "a.png,Text,1,2,3,4",
    "page,type,left,top,width,height": "a.png,Text,1,2,3,4",
    "image_id,label,x_center,y_center,width,height": "a.png,Text,2.5,4,3,4",
}
DECIMAL = 'image;label;left;top;width;height;page_width;page_height;conf\na;Text;0,5;1;2,25;3;100;80;"0,358"\n'
UNLISTED = [region(7), region(), region(7), region(8)]
BACKGROUND = [{"id": 1, "name": "background"}, {"id": 2, "name": "Text"}]
GIVEN = [[10, 10, 5, 5], [2.5, 2.5, 0, 0], [9, 9, -4, 2], [9, 9, -4, 0], [3, 4, 0, 5], [0, 0, 1, 1]]


def named(*names):
    return [{"id": i, "name": name} for i, name in enumerate(names)]


IDS = {10: "ten", 0: "zero", 9999999999: "far", -3: "minus", "x7": "text", 10**400: "huge"}
OPAQUE = coco(
    [image(id, file_name=f"{name}.png") for id, name in IDS.items()],
    [region(id, id) for id in reversed(IDS)],
    [{"id": id, "name": name} for id, name in IDS.items()],
)
read = reader("file")
GT = read(coco([image(5), image(9)], [region(5, 4)], [{"id": 4, "name": "Text"}]))
GT_TABLE = read(HEADER + "p1,,100,80,Table,1,1,9,9,\np1,,100,80,Text,1,1,9,9,\n")
GT_BACKGROUND = read(coco(categories=[{"id": 0, "name": "Background"}, {"id": 1, "name": "Text"}]))
GT_A = read(HEADER + "a,,100,80,Text,1,2,3,4,\n")
SHORT = "page,label,x0,y0,x1,y1\na,Text,1,2,3,4\n"
BEYOND = [region(), region(bbox=[-3, 0, 9, 9]), region(bbox=[90, 70, 30, 9])]
test_reading = read_as(
    reads("ids are opaque", OPAQUE, declared=list(IDS.values()), labels=list(IDS.values())[::-1], codes={},
          places=[f"{name}.png" for name in reversed(IDS.values())]),
    reads("documents, numbers, scores and missing names",
          coco([image(1, doc_name="a.pdf", page_no=4), image(2, file_name=None, page_no=3.0)],
               [region(score=0.25), region(2)]),
          names=("1.png", "2"), documents=("a.pdf", ""), numbers=[4, 3], scores=[0.25, None], scored=True),
    reads("boxes beyond the page are reported", coco(annotations=BEYOND), count=3, codes={"clipped-box": 2},
          severities=["warning"], says=["by up to 20", "annotations[1].bbox"]),
    reads("half a pixel beyond the page", coco(annotations=[region(bbox=[-0.5, 0, 9, 9])]), severities=["info"]),
    reads("results take pages and labels from the reference layout",
          [region(9, 4, score=0.5), region(77, 4), region(5, 6)], {"like": GT}, format="coco-results",
          names=("5.png", "9.png", "image_id 77"), places=["9.png", "image_id 77", "5.png"],
          labels=["Text", "Text", "category 6"], codes={"page-without-size": 1, "undeclared-category": 1}),
    reads("results with a table as reference layout are matched by name only", [region("p1", "Text"), region("p1", 1)],
          {"like": GT_TABLE}, labels=["Text", "category 1"], codes={"undeclared-category": 1}),
    reads("results in the background category of the reference layout are dropped", [region(1, 0), region(1, 1)],
          {"like": GT_BACKGROUND}, labels=["Text"], codes={"background-region": 1}),
    reads("results with one size", [region(3, 2)], {"sizes": (60, 70)}, pages=[("3", 60, 70)], declared=["category 2"]),
    reads("results with sizes of pages", [region(3)], {"sizes": {"3.png": (50, 70)}}, pages=[("3", 50, 70)]),
    reads("a table with one size", SHORT, {"sizes": (50, 60)}, pages=[("a", 50, 60)]),
    reads("a table with a reference layout", SHORT, {"like": GT_A}, pages=[("a", 100, 80)]),
    reads("COCO ground truth", coco(), format="coco", declared=["Text"], pages=[("1.png", 100, 80)], places=["1.png"],
          regions=[("Text", 10, 20, 40, 60)], scored=False, codes={}),
    reads("two ids with one name are one label", coco(annotations=[region(category_id=i) for i in (2, 1, 0)],
          categories=named("Text", " ", "Text")), declared=["Text", "(no name)"], labels=["Text", "(no name)", "Text"]),
    reads("an undeclared category", coco(annotations=[region(category_id=i) for i in (1, 3, 3)]),
          labels=["Text", "category 3", "category 3"], codes={"undeclared-category": 2}),
    reads("annotations on unlisted images are dropped", coco(annotations=UNLISTED), count=1,
          codes={"unlisted-image": 3}, says=["annotations[0]: image_id 7", "3 regions on 2 images"]),
    reads("background regions are dropped",
          coco(annotations=[region(), region(category_id=2), region()], categories=BACKGROUND), declared=["Text"],
          labels=["Text"], codes={"background-region": 2}),
    reads("inverted boxes are dropped, and boxes without area stay",
          coco(annotations=[region(bbox=box) for box in GIVEN]), codes={"empty-box": 4},
          boxes=[[10, 10, 15, 15], [2.5, 2.5, 2.5, 2.5], [3, 4, 3, 9], [0, 0, 1, 1]],
          dropped=[[9, 9, 5, 11], [9, 9, 5, 9]], says=["4 boxes", "2 with inverted corners are dropped, 2 without area",
                "annotations[1].bbox: x0, y0, x1, y1 = 2.5, 2.5, 2.5, 2.5"]),
    *(reads(f"CSV, {change}", text, format="csv", codes={}, names=("0001", "0002"), documents=("d", "d"),
            scores=[0.5, None],
            regions=[("Text", 1, 2, 3, 4), ("NA", 5, 6, 7, 8)]) for change, text in TABLES.items()),
    reads("a header alone", HEADER, names=()),
    reads("a header alone without newline", HEADER.rstrip(), names=()),
    reads("quotes", HEADER + '"a, b",,100,80,"one ""two"",\nthree",1,2,3,4,\n', names=("a, b",),
          declared=['one "two",\nthree']),
    reads("a row without label", HEADER + "a,,100,80,,1,2,3,4,\na,,100,80,  ,1,2,3,4,\na,,100,80,T,1,2,3,4,\n",
          declared=["T"], codes={"unlabelled-row": 2}, says=["row 2"]),
    reads("size and document may be on any row of a page", HEADER + "a,,,,T,1,2,3,4,\na,d,100,80,T,5,6,7,8,\n",
          pages=[("a", 100, 80)], documents=("d",)),
    *(reads(f"the usual names {header!r}", f"{header}\n{row}\n", "t.csv", {"sizes": (100, 80)}, places=["a.png"],
            regions=[("Text", 1, 2, 4, 6)], names=("a.png",)) for header, row in USUAL.items()),
    reads("decimal commas, and page sizes beside box sizes", DECIMAL, "t.csv", boxes=[[0.5, 1, 2.75, 4]],
          scores=[0.358], pages=[("a", 100, 80)]),
    reads("a table without pages is one page named like the file", "x_1,y_1,x_2,y_2,type\n1,2,3,4,Text\n", "scan7.csv",
          {"sizes": (10, 10)}, names=("scan7",), boxes=[[1, 2, 3, 4]]),
    reads("the format overrides detection", {"images": [image()]}, {"format": "coco"}, names=("1.png",)),
    read=read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("COCO without annotations", {"images": [image()]}, "'images'", "For coco it lacks the key 'annotations'",
            "format="),
    refuses("results without sizes", [region()], "res.json", "like=", "sizes=FOLDER", "sizes=(1025, 1025)",
            name="res.json"),
    refuses("an unknown format", coco(), "file", "'zzz' is not known", "layoutcm formats", format="zzz"),
    refuse=refuser("file"),
)  # fmt: skip


@pytest.mark.parametrize("text", ["[]", " [ \n ] "])
def test_an_empty_results_list_has_no_regions(text):
    gt = read(coco())
    pred = read(text, like=gt)
    assert len(pred.regions) == 0 and len(pred.pages) == 1 and pred.findings == ()
    assert lcm.compare(gt, pred).confusion().values[1, 0] == 30 * 40
    assert len(read(text).pages) == 0


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_parquet(text):
    columns = {
        "Page": pa.array(["0001", "0001", "b"], pa.string()).cast(text), "width": [100, 100, 90],
        "height": [80, 80, 70], "label": pa.array(["Text", "NA", None], pa.string()).cast(text),
        **{name: [i + 0.5, i + 1.5, None] for i, name in enumerate(("x0", "y0", "x1", "y1"))},
    }  # fmt: skip
    layout = read(parquet_bytes(columns))
    assert layout.format == "parquet" and layout.findings == ()
    assert layout.pages[["page", "width"]].to_numpy().tolist() == [["0001", 100], ["b", 90]]
    assert layout.labels == ["Text", "NA"] and boxes(layout) == [[0.5, 1.5, 2.5, 3.5], [1.5, 2.5, 3.5, 4.5]]


def test_a_process_that_has_read_parquet_keeps_its_exit_code(tmp_path):
    """With the threads of Arrow, a process that ends soon after reading may end with SIGABRT instead."""
    objects = [{"bbox": [[1.0, 2.0, 3.0, 4.0]], "category": [1]}] * 2
    pq.write_table(pa.table({"image_id": [1, 2], "width": [9, 9], "objects": objects}), tmp_path / "t.parquet")
    command = [sys.executable, "-m", "layoutcm", "inspect", tmp_path / "t.parquet"]
    exits = [subprocess.run(command, capture_output=True, check=False).returncode for _ in range(4)]
    assert exits == [2] * 4


def test_a_csv_with_a_very_long_outline_is_read_back(tmp_path):
    angles = np.linspace(0, 2 * np.pi, 60_000, endpoint=False)
    ring = (50 + 40 * np.stack([np.cos(angles), np.sin(angles)], axis=1)).ravel().tolist()
    (tmp_path / "a.json").write_text(json.dumps(coco(annotations=[region() | {"segmentation": [ring]}])))
    layout = lcm.read(tmp_path / "a.json", shapes="polygon")
    lcm.write(layout, "csv", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").stat().st_size > 1 << 20
    again = lcm.read(tmp_path / "a.csv", shapes="polygon")
    assert len(again.region_columns.shapes[0].rings[0]) == 60_000


def test_parquet_may_have_unused_columns_of_one_name():
    columns = {"page": "p", "width": 9, "height": 9, "label": "Text", "x0": 1, "y0": 1, "x1": 5, "y1": 5}
    table = pa.table([[value] for value in (*columns.values(), "x", "y")], names=[*columns, "note", "note"])
    assert read(parquet_bytes(table)).labels == ["Text"]
    fails("the column 'label' occurs twice", read, parquet_bytes(table.append_column("label", [["b"]])))
