"""cTDaR, LabelMe XML, DocBank, and the tables of OpenImages, NVIDIA and Kaggle; Create ML files with corners."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from support.generated_book import layout as generated_layout
from support.reading import codes, pages, read, refusal, regions

SIZE = {"sizes": (100, 200)}


def test_ctdar_tables_and_blank_pages():
    table = '<table><Coords points="{}"/><cell><Coords points="0,0 9,9"/></cell></table>'
    text = '<document filename="a.jpg">' + table.format("1,2,1,6,4,6,4,2") + table.format("") + "<table/></document>"
    layout = read(text, **SIZE)
    assert layout.format == "ctdar" and regions(layout) == [("table", 1, 2, 4, 6)]
    assert codes(layout)["no-coordinates"] == 2 and pages(layout) == [("a.jpg", 100, 200)]
    assert len(read('<?xml version="1.0"?><document filename="b.jpg"></document>', **SIZE).page_columns) == 1
    refusal('<document><block l="1"/></document>', "not recognised")


LABELME = (
    "<annotation><filename>a.jpg</filename>{}<imagesize><nrows>60</nrows><ncols>50</ncols></imagesize></annotation>"
)


def labelme_object(*pairs, deleted=0, name="x"):
    points = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in pairs)
    return f"<object><name>{name}</name><deleted>{deleted}</deleted><polygon>{points}</polygon></object>"


@pytest.mark.parametrize("point", [
    "<pt><x>{}</x><y>{}</y></pt>", "<pt>\n<x>\n{}\n</x>\n<y>{}</y>\n</pt>", "<pt><x>{}</x><y>{}</y><time>3</time></pt>",
    "<pt><x>{}</x> <y>{}</y></pt>", "<!-- <pt><x> --><pt><x>{}</x><y>{}</y></pt>",
])  # fmt: skip
def test_points_of_labelme_xml_may_be_written_in_several_ways(point):
    points = "".join(point.format(x, y) for x, y in ((1, 2), ("30,5", 2), (30, 4)))
    layout = read(
        f"<annotation><filename>a.png</filename><object><name>x</name><polygon>{points}</polygon></object></annotation>",
        "a.xml",
        **SIZE,
    )
    assert regions(layout) == [("x", 1, 2, 30.5, 4)]


def test_a_wrong_point_of_labelme_xml_is_named():
    text = "<annotation><object>\n<polygon><pt><x>1</x><y>{}</y></pt></polygon></object></annotation>"
    refusal(text.format("b"), "object[0]/polygon/pt/y", "'b' is not a finite number", name="a.xml", **SIZE)
    refusal(text.format("2") + "</", "line 2", name="a.xml", **SIZE)


@pytest.mark.parametrize("mixed", ["1;90", "1|90", "1&#124;90"])
def test_two_numbers_in_one_coordinate_of_labelme_xml_are_refused(mixed):
    refusal(
        LABELME.format(labelme_object((mixed, 5), (7, 8), (9, 1))), "object[0]/polygon/pt/x", "is not a finite number"
    )


def test_tags_in_the_name_of_labelme_xml_may_be_text():
    named = labelme_object((1, 2), (5, 2), (5, 6), name="<![CDATA[<pt><x>a</x><y>b</y></pt>]]>")
    assert regions(read(LABELME.format(named))) == [("<pt><x>a</x><y>b</y></pt>", 1, 2, 5, 6)]


def test_labelme_xml_is_not_pascal_voc():
    square = ((1, 2), (5, 2), (5, 6), (1, 6))
    box = "<box><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></box>"
    mask = f"<object><name>m</name><segm>{box}</segm></object>"
    objects = labelme_object(*square) + labelme_object(*square, deleted=1) + labelme_object((1, 1)) + mask
    layout = read(LABELME.format(objects + "<object><name>y</name></object>"))
    assert layout.format == "labelme-xml" and pages(layout) == [("a.jpg", 50, 60)]
    assert regions(layout) == [("x", 1, 2, 5, 6), ("m", 1, 2, 3, 4)]
    assert (codes(layout)["deleted-object"], codes(layout)["not-an-area"]) == (1, 2)
    wrong = labelme_object(*square).replace("<y>6</y>", "", 1)
    refusal(LABELME.format(wrong), "object[0]", "a point has no x or no y")
    refusal(LABELME.format(labelme_object(*square, ("a", 1))), "object[0]/polygon/pt/x")


def test_pascal_voc_with_polygons_stays_pascal_voc():
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox>"
    voc = f"<object><name>x</name><polygon><x1>1</x1></polygon><deleted>0</deleted>{box}</object>"
    size = "<size><width>50</width><height>60</height></size>"
    assert read(f"<annotation><filename>a.jpg</filename>{size}{voc}</annotation>").format == "voc"


def docbank_line(token, *box, label="paragraph"):
    return "\t".join(map(str, (token, *box, 0, 0, 0, "Times", label))) + "\n"


def test_docbank_tokens_are_regions_and_an_empty_file_is_a_blank_page(tmp_path):
    text = docbank_line("a b\u2028c", 100, 200, 300, 400) + docbank_line("##LTLine##", 0, 500, 1000, 500, label="table")
    for name, content in (("a.txt", text), ("b.txt", "")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    layout = lcm.read(tmp_path, **SIZE)
    assert layout.format == "docbank" and pages(layout) == [("a", 100, 200), ("b", 100, 200)]
    assert regions(layout) == [("paragraph", 10, 40, 30, 80), ("table", 0, 100, 100, 100)]
    assert codes(layout)["token-regions"] == 2
    images = lcm.read(tmp_path / "a.txt", sizes={"a_ori.jpg": (50, 60)})
    assert pages(images) == [("a", 50, 60)]
    refusal(text + "x\t1\n", "line 3", "2 columns, must be 10", name="a.txt", **SIZE)
    refusal(text.encode() + b"\xff", "UTF-8", name="a.txt", **SIZE)
    refusal(text + docbank_line("x", "a", 1, 1, 1), "line 3/x0", name="a.txt", **SIZE)


def test_openimages_columns_mean_fractions():
    header = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded\n"
    layout = read(header + "b,xclick,/m/0,1,0.2,1,0.3,0.5,-1\n", "boxes.csv", **SIZE)
    assert regions(layout) == [("/m/0", 20, 60, 100, 100)] and pages(layout) == [("b", 100, 200)]
    assert layout.region_columns.scores.tolist() == [1]
    refusal(header + "b,x,/m/0,1,20,90,3,5,-1\n", "row 2", "90 is not a fraction", name="boxes.csv", **SIZE)


def test_nvidia_columns_have_page_sizes_and_fractions():
    header = "chart,h,w,left,upper,right,lower,label,conf,image,pdf,page\n"
    layout = read(header + "c,200,100,0.1,0.2,0.3,0.4,chart,0.5,x/7_15.jpg,7,15\n", "boxes.csv")
    assert pages(layout) == [("x/7_15.jpg", 100, 200)] and regions(layout) == [("chart", 10, 40, 30, 80)]
    assert layout.page_columns.documents == ("7",) and layout.page_columns.numbers.tolist() == [15]
    pixels = read("image,label,left,upper,right,lower\na,x,1,2,3,4\n", "boxes.csv", **SIZE)
    assert regions(pixels) == [("x", 1, 2, 3, 4)]


def test_kaggle_and_tensorflow_tables():
    kaggle = read("image_name,label_name,x1,y1,w,h\n1.jpg,dog,1,2,3,4\n", "a.csv", **SIZE)
    assert regions(kaggle) == [("dog", 1, 2, 4, 6)]
    tensorflow = read("filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,50,60,dog,1,2,3,4\n", "a.csv")
    assert regions(tensorflow) == [("dog", 1, 2, 3, 4)] and pages(tensorflow) == [("a.jpg", 50, 60)]
    wheat = 'image_id,width,height,bbox,label\na,50,60,"[1, 2, 3, 4]",x\n'
    refusal(wheat, "the column 'bbox' has boxes in one cell", "x0, y0, x1, y1, or x, y, w, h", name="a.csv")


def test_createml_with_corners_is_found_and_repaired():
    gt = generated_layout()
    columns, names = gt.region_columns, gt.page_columns.names
    images = [{"image": name, "annotations": []} for name in names]
    for page, label, (x0, y0, x1, y1) in zip(columns.page, columns.label, columns.boxes.tolist()):
        coordinates = {"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0}
        images[page]["annotations"].append({"label": gt.labels[label], "coordinates": coordinates})
    pred = read(json.dumps(images), "createml.json", like=gt)
    found = [one for one in lcm.compare(gt, pred).findings if one.code == "corner-as-centre"]
    assert [one.repair for one in found] == ["corner"]
    assert np.allclose(lcm.repair(pred, "corner").region_columns.boxes, columns.boxes)
