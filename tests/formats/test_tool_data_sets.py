"""cTDaR, LabelMe XML, DocBank, and the tables of OpenImages, NVIDIA and Kaggle; Create ML files with corners."""

import json

import numpy as np

import layoutcm as lcm
from support.generated_book import layout as generated_layout
from support.reading import codes, pages, read, read_as, reads, refusal, refused_as, refuses, regions

SIZE = {"sizes": (100, 200)}


LABELME = (
    "<annotation><filename>a.jpg</filename>{}<imagesize><nrows>60</nrows><ncols>50</ncols></imagesize></annotation>"
)


def labelme_object(*pairs, deleted=0, name="x"):
    points = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in pairs)
    return f"<object><name>{name}</name><deleted>{deleted}</deleted><polygon>{points}</polygon></object>"


CTDAR = '<table><Coords points="{}"/><cell><Coords points="0,0 9,9"/></cell></table>'
POINTS = ["<pt><x>{}</x><y>{}</y></pt>", "<pt>\n<x>\n{}\n</x>\n<y>{}</y>\n</pt>",
          "<pt><x>{}</x><y>{}</y><time>3</time></pt>", "<pt><x>{}</x> <y>{}</y></pt>",
          "<!-- <pt><x> --><pt><x>{}</x><y>{}</y></pt>"]  # fmt: skip
POINT = "<annotation><object>\n<polygon><pt><x>1</x><y>{}</y></pt></polygon></object></annotation>"
SQUARE = ((1, 2), (5, 2), (5, 6), (1, 6))
CORNERS = "<xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax>"
MASK = f"<object><name>m</name><segm><box>{CORNERS}</box></segm></object>"
OBJECTS = labelme_object(*SQUARE) + labelme_object(*SQUARE, deleted=1) + labelme_object((1, 1)) + MASK
VOC = f"<object><name>x</name><polygon><x1>1</x1></polygon><deleted>0</deleted><bndbox>{CORNERS}</bndbox></object>"
VOC_SIZE = "<size><width>50</width><height>60</height></size>"
OPENIMAGES = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded\n"
NVIDIA = (
    "chart,h,w,left,upper,right,lower,label,conf,image,pdf,page\nc,200,100,0.1,0.2,0.3,0.4,chart,0.5,x/7_15.jpg,7,15\n"
)
test_reading = read_as(
    reads("tables of cTDaR",
          f'<document filename="a.jpg">{CTDAR.format("1,2,1,6,4,6,4,2")}{CTDAR.format("")}<table/></document>',
          SIZE, format="ctdar", regions=[("table", 1, 2, 4, 6)], some={"no-coordinates": 2},
          pages=[("a.jpg", 100, 200)]),
    reads("a blank page of cTDaR", '<?xml version="1.0"?><document filename="b.jpg"></document>', SIZE,
          names=("b.jpg",)),
    *(reads(f"points of LabelMe XML: {point!r}", "<annotation><filename>a.png</filename><object><name>x</name><polygon>"
            + "".join(point.format(x, y) for x, y in ((1, 2), ("30,5", 2), (30, 4)))
            + "</polygon></object></annotation>", "a.xml", SIZE, regions=[("x", 1, 2, 30.5, 4)]) for point in POINTS),
    reads("tags in the name of LabelMe XML may be text", LABELME.format(
        labelme_object((1, 2), (5, 2), (5, 6), name="<![CDATA[<pt><x>a</x><y>b</y></pt>]]>")),
        regions=[("<pt><x>a</x><y>b</y></pt>", 1, 2, 5, 6)]),
    reads("LabelMe XML is not Pascal VOC", LABELME.format(OBJECTS + "<object><name>y</name></object>"),
          format="labelme-xml", pages=[("a.jpg", 50, 60)], regions=[("x", 1, 2, 5, 6), ("m", 1, 2, 3, 4)],
          some={"deleted-object": 1, "not-an-area": 2}),
    reads("Pascal VOC with polygons stays Pascal VOC",
          f"<annotation><filename>a.jpg</filename>{VOC_SIZE}{VOC}</annotation>", format="voc"),
    reads("a table of Kaggle", "image_name,label_name,x1,y1,w,h\n1.jpg,dog,1,2,3,4\n", "a.csv", SIZE,
          regions=[("dog", 1, 2, 4, 6)]),
    reads("a table of TensorFlow", "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,50,60,dog,1,2,3,4\n",
          "a.csv", regions=[("dog", 1, 2, 3, 4)], pages=[("a.jpg", 50, 60)]),
    reads("columns of OpenImages are fractions", OPENIMAGES + "b,xclick,/m/0,1,0.2,1,0.3,0.5,-1\n", "boxes.csv", SIZE,
          regions=[("/m/0", 20, 60, 100, 100)], pages=[("b", 100, 200)], scores=[1]),
    reads("columns of NVIDIA are page sizes and fractions", NVIDIA, "boxes.csv", pages=[("x/7_15.jpg", 100, 200)],
          regions=[("chart", 10, 40, 30, 80)], documents=("7",), numbers=[15]),
    reads("some of these columns in pixels", "image,label,left,upper,right,lower\na,x,1,2,3,4\n", "boxes.csv", SIZE,
          regions=[("x", 1, 2, 3, 4)]),
)  # fmt: skip
test_refusal = refused_as(
    refuses("blocks in a document", '<document><block l="1"/></document>', "not recognised"),
    refuses("a wrong point of LabelMe XML", POINT.format("b"), "object[0]/polygon/pt/y", "'b' is not a finite number",
            name="a.xml", **SIZE),
    refuses("LabelMe XML that ends in a tag", POINT.format("2") + "</", "line 2", name="a.xml", **SIZE),
    *(refuses(f"two numbers in one coordinate: {mixed}", LABELME.format(labelme_object((mixed, 5), (7, 8), (9, 1))),
              "object[0]/polygon/pt/x", "is not a finite number") for mixed in ("1;90", "1|90", "1&#124;90")),
    refuses("a point without y", LABELME.format(labelme_object(*SQUARE).replace("<y>6</y>", "", 1)), "object[0]",
            "a point has no x or no y"),
    refuses("a point with a text", LABELME.format(labelme_object(*SQUARE, ("a", 1))), "object[0]/polygon/pt/x"),
    refuses("boxes in one cell", 'image_id,width,height,bbox,label\na,50,60,"[1, 2, 3, 4]",x\n',
            "the column 'bbox' has boxes in one cell", "x0, y0, x1, y1, or x, y, w, h", name="a.csv"),
    refuses("pixels in the columns of OpenImages", OPENIMAGES + "b,x,/m/0,1,20,90,3,5,-1\n", "row 2",
            "90 is not a fraction", name="boxes.csv", **SIZE),
)  # fmt: skip


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
