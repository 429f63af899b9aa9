"""Attributes of pages in files other than COCO, regions that are not to be judged, and page sizes from elsewhere."""

import layoutcm as lcm
from layoutcm.layouts import limits
from layoutcm.layouts.writers import written
from support.reading import codes, fails, read_as, reader, reads, refused, refused_as, refuses

read = reader("gt.json")


def compared_with_nothing(gt):
    """The samples and ignored pixels of a comparison with an empty page of the same size."""
    page = gt.pages.iloc[0]
    empty = {"images": [{"id": 1, "file_name": page["page"], "width": page["width"], "height": page["height"]}]}
    c = lcm.compare(gt, read(empty | {"annotations": [], "categories": []}, "pred.json"))
    return c.pixels, c.ignored_pixels


def omnidocbench(*pages):
    """Pages as (attributes, regions); regions are (label, x0, y0, x1, y1, ignore)."""
    return [{
        "page_info": {"page_attribute": given, "width": 100, "height": 80, "image_path": f"{i}.jpg", "page_no": i},
        "layout_dets": [
            {"category_type": label, "poly": [x0, y0, x1, y0, x1, y1, x0, y1], "ignore": ignore}
            for label, x0, y0, x1, y1, ignore in regions
        ],
    } for i, (given, regions) in enumerate(pages)]  # fmt: skip


def test_omnidocbench_ignore_is_a_mark_of_the_region():
    regions = [("title", 0, 0, 10, 10, False), ("mask", 50, 0, 60, 20, True)]
    layout = read(omnidocbench(({}, regions)))
    assert layout.regions["ignore"].tolist() == [False, True] and codes(layout) == {"ignored-region": 1}
    assert compared_with_nothing(layout) == (100 * 80 - 200, 200)


def voc(*difficult):
    marks = [f"<difficult>{mark}</difficult>" if mark else "" for mark in difficult]
    objects = "".join(
        f"<object><name>table</name>{mark}<bndbox><xmin>{10 * i}</xmin><ymin>0</ymin><xmax>{10 * i + 10}</xmax>"
        f"<ymax>10</ymax></bndbox></object>"
        for i, mark in enumerate(marks)
    )
    size = "<size><width>100</width><height>50</height></size>"
    return f"<annotation><filename>p.png</filename>{size}{objects}</annotation>".encode()


def test_difficult_objects_of_pascal_voc_are_not_judged():
    layout = read(voc("1", "0", "", " 1 "), "p.xml")
    assert layout.regions["ignore"].tolist() == [True, False, False, True] and codes(layout) == {"ignored-region": 2}
    assert compared_with_nothing(layout) == (5000 - 200, 200)
    assert "ignore" not in read(voc("0", ""), "p.xml").regions


def labelme(*shapes, **fields):
    """Shapes as (label, points, kind)."""
    listed = [{"label": label, "points": points, "shape_type": kind} for label, points, kind in shapes]
    return {"shapes": listed, "imagePath": "p.png", "imageWidth": 50, "imageHeight": 40, **fields}


def test_shapes_that_labelme_ignores_are_areas_without_a_label():
    ignored = ("__ignore__", [[0, 0], [10, 10]], "rectangle")
    layout = read(labelme(ignored, ("Text", [[20, 0], [30, 10]], "rectangle"), ("__ignore__", [[5, 5]], "polygon")))
    assert layout.labels == ["Text"] and layout.regions["x0"].tolist() == [20] and codes(layout) == {"ignored-shape": 2}
    assert compared_with_nothing(layout) == (2000 - 100, 100)
    assert len(lcm.compare(layout, layout).objects().per_class) == 1


def test_ignored_shapes_move_with_a_repair_and_have_no_effect_in_pred():
    ignored = ("__ignore__", [[0, 0], [10, 10]], "rectangle")
    layout = read(labelme(("Text", [[20, 0], [30, 10]], "rectangle"), ignored))
    flipped = lcm.repair(layout, "flip-y")
    assert flipped.ignore_areas.boxes.tolist() == [[0, 30, 10, 40]]
    assert lcm.repair(layout, "scale:2").ignore_areas.boxes.tolist() == [[0, 0, 20, 20]]
    assert lcm.repair(layout, "ids:1").ignore_areas.boxes.tolist() == [[0, 0, 10, 10]]
    gt = read(labelme(("Text", [[20, 0], [30, 10]], "rectangle")))
    assert lcm.compare(gt, layout).ignored_pixels == 0
    mapped = lcm.compare(gt, layout, mapping={"pred": {"Text": "Text"}})
    assert "ignored-pred" not in {finding.code for finding in mapped.findings}


def page_xml(regions="", **given):
    shown = " ".join(f'{name}="{value}"' for name, value in given.items())
    page = f'<Page imageFilename="p.png" imageWidth="100" imageHeight="50" {shown}>{regions}</Page>'
    return f'<PcGts xmlns="http://x">{page}</PcGts>'.encode()


FLAT = {"data_source": "book", "language": "en", "special_issue": ["fuzzy_scan", "watermark"], "deep": {"a": 1}}
LONGEST = limits.MAX_ATTRIBUTE_TEXT
VALUES = [("  two\n words ", "two words"), (3, "3"), (2.5, "2.5"), (1e16, "1e+16"), (True, "true"), (None, ""),
          (["a", 1, ["b"], None], "a, 1"), ({"a": "b"}, ""), ("x" * LONGEST, "x" * LONGEST), ("x" * (LONGEST + 1), ""),
          (10**40, "")]  # fmt: skip


def has(what, file, expected, name="gt.json"):
    return reads(what, file, name, attributes=expected)


test_attributes_are_short_texts = read_as(
    has("flat texts of OmniDocBench",
        omnidocbench((FLAT, []), ({"data_source": "note", "special_issue": []}, []), (None, []), (3, [])),
        {"data_source": ["book", "note", "", ""], "language": ["en", "", "", ""],
         "special_issue": ["fuzzy_scan, watermark", "", "", ""]}),
    *(has(f"{str(given)[:20]!r}, {len(text)}", omnidocbench(({"name": given, "other": "x"}, [])),
          ({"name": [text]} if text else {}) | {"other": ["x"]}) for given, text in VALUES),
    has("names of columns", omnidocbench(({"page": "x", "width": "y", " ": "z", "Width": "wide"}, [])),
        {"Width": ["wide"]}),
    has("flags of LabelMe", labelme(flags={"scanned": True, "old": False, "note": "no flag"}),
        {"scanned": ["true"], "old": ["false"]}),
    has("no flags of LabelMe", labelme(flags=None), {}),
    has("flags of LabelMe that are a list", labelme(flags=[1]), {}),
    has("type and language of PAGE-XML",
        page_xml(type="front-cover", primaryLanguage="German", readingDirection="left-to-right"),
        {"type": ["front-cover"], "primaryLanguage": ["German"]}, "p.xml"),
    has("PAGE-XML without type", page_xml(), {}, "p.xml"),
    read=read,
)  # fmt: skip


def test_noise_of_page_xml_is_ignored_on_request():
    noise = '<NoiseRegion id="n"><Coords points="0,0 10,0 10,10 0,10"/></NoiseRegion>'
    gt = read(page_xml(noise), "p.xml")
    assert compared_with_nothing(gt) == (5000, 0)
    c = lcm.compare(gt, read(page_xml(), "q.xml"), mapping={"gt": {"NoiseRegion": "Ignore"}})
    assert (c.pixels, c.ignored_pixels) == (4900, 100)


def test_very_many_attributes_are_left_out():
    pages = [({f"name {i}": "x"}, []) for i in range(limits.MAX_ATTRIBUTES + 7)]
    layout = read(omnidocbench(*pages))
    assert len(layout.page_columns.attributes) == limits.MAX_ATTRIBUTES and codes(layout) == {"attributes-left-out": 7}


def test_a_long_attribute_of_a_coco_file_is_refused():
    images = [{"id": 1, "width": 5, "height": 5, "doc_category": "x" * (limits.MAX_NAME + 1)}]
    file = {"images": images, "annotations": [], "categories": []}
    fails(r"gt.json, images\[0\]: the attribute 'doc_category' .* 1,001 characters", read, file)


def test_ignored_shapes_are_kept_by_tables_and_named_as_lost_by_other_formats():
    ignored = ("__ignore__", [[0, 0], [10, 10]], "rectangle")
    layout = read(labelme(("Text", [[20, 0], [30, 10]], "rectangle"), ignored))
    for format in ("parquet", "csv"):
        data, findings = written(layout, format)
        again = lcm.read((f"stored.{format}", data))
        assert not findings and again.labels == ["Text"] and compared_with_nothing(again) == (2000 - 100, 100)
    for format in ("coco", "yolo", "label-studio", "cvat", "page-xml"):
        lost = {one.values.get("what"): one.count for one in written(layout, format)[1]}
        assert lost["ignore areas" if format == "coco" else "ignore flags"] == 1


def test_page_sizes_from_a_folder_of_images(tmp_path):
    from PIL import Image

    Image.new("1", (40, 30)).save(tmp_path / "1.png")
    layout = lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)
    assert layout.pages[["width", "height"]].values.tolist() == [[40, 30]]
    (tmp_path / "2.png").write_bytes(b"no image")
    fails(r"2\.png", lcm.read, ("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)


SIZES = {1: (11, 11), 2: (12, 12), 3: (40, 30), 4: (50, 60)}


def ground_truth(*numbers):
    """Pages of one document, whose names have no number."""
    header = "page,document,number,label,x0,y0,x1,y1,width,height\n"
    rows = "".join(f"hash{'x' * n},report.pdf,{n},t,0,0,1,1,{SIZES[n][0]},{SIZES[n][1]}\n" for n in numbers)
    return lcm.read(("gt.csv", (header + rows).encode()))


def labels(*numbers):
    """Files of YOLO, which have no sizes."""
    return [(f"report_p{n}.txt", b"0 0.5 0.5 1 1\n") for n in numbers]


def test_sizes_of_the_reference_layout_are_found_by_page_number_as_in_a_comparison():
    gt = ground_truth(3, 4)
    pred = lcm.read(labels(3, 4), like=gt)
    assert pred.pages[["width", "height"]].values.tolist() == [[40, 30], [50, 60]]
    assert pred.regions[["x0", "y0", "x1", "y1"]].values.tolist() == [[0, 0, 40, 30], [0, 0, 50, 60]]
    c = lcm.compare(gt, pred)
    assert c.page_matches()["how"].tolist() == ["number", "number"] and c.pages == list(gt.page_columns.names)
    table = {"page": ["report_4"], "label": ["t"], "x0": [0], "y0": [0], "x1": [1], "y1": [1]}
    in_memory = lcm.read([dict(zip(table, row)) for row in zip(*table.values())], like=gt)
    assert in_memory.pages[["width", "height"]].values.tolist() == [[50, 60]]


def table(*pages, head="page,label,x0,y0,x1,y1"):
    """A table with a region on each page; further columns come before or after the box."""
    return "t.csv", "\n".join([head, *(page if "," in page else f"{page},t,0,0,1,1" for page in pages)]).encode()


def sized(page):
    return lcm.read(table(f"{page},t,0,0,1,1,40,30", head="page,label,x0,y0,x1,y1,width,height"))


FOLDERS = {"sizes": {"x/1.png": (10, 10), "y/1.png": (20, 20)}}
YOLO = [(f"{name}.txt", b"0 0.5 0.5 1 1\n") for name in ("r_1", "r_p1")]
SCAN = table("a,scan,4,t,0,0,1,1", "b,scan,3,t,0,0,1,1", head="page,document,number,label,x0,y0,x1,y1")
test_reading = read_as(
    reads("equal stems are not mixed up", table("x/1.png", "y/1.png"), FOLDERS,
          pages=[("x/1.png", 10, 10), ("y/1.png", 20, 20)]),
    *(reads(f"the page of the reference layout that is named {name}", table(name), {"like": sized("img/a 1.png")},
            pages=[(name, 40, 30)]) for name in ("img/a 1.png", "a 1.png", "a 1.jpg", "A_1")),
    reads("numbers from 0 and from 1 are told apart by all pages", labels(0, 1, 2), {"like": ground_truth(1, 2, 3)},
          pages=[("report_p0", 11, 11), ("report_p1", 12, 12), ("report_p2", 40, 30)]),
    reads("a lone document of another name gives its sizes by number", SCAN, {"like": ground_truth(3, 4)},
          pages=[("a", 50, 60), ("b", 40, 30)]),
    # A page without a size gets the median size of the reference layout, and can be left out of a comparison.
    reads("another number", table("a 2"), {"like": sized("img/a 1.png")}, codes={"page-without-size": 1}),
    reads("numbers that do not fit", labels(0, 2), {"like": ground_truth(1, 2, 4)},
          codes={"unnamed-classes": 1, "page-without-size": 2}, pages=[("report_p0", 12, 12), ("report_p2", 12, 12)]),
    reads("a page that another one has by name", YOLO, {"like": sized("r_1.png")},
          codes={"unnamed-classes": 1, "page-without-size": 1},
          says=["the size of 1 of 2 pages is not known", "(first: 'r_p1')"]),
    read=lcm.read,
)  # fmt: skip
test_refusal = refused_as(
    refuses("an equal stem in another folder", table("z/1.png", "y/1.png"), "not known", **FOLDERS),
    refuse=refused,
)  # fmt: skip
