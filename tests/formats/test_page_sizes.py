"""Page sizes that are not in the file: given, from images, or from the reference layout."""

import layoutcm as lcm
from support.reading import fails


def test_sizes_of_equal_stems_are_not_mixed_up(tmp_path):
    table = b"page,label,x0,y0,x1,y1\nx/1.png,a,0,0,1,1\ny/1.png,a,0,0,1,1\n"
    layout = lcm.read(("t.csv", table), sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})
    assert layout.pages["width"].tolist() == [10, 20]
    other = ("t.csv", table.replace(b"x/1.png", b"z/1.png"))
    fails("not known", lcm.read, other, sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})


def test_page_sizes_from_a_folder_of_images(tmp_path):
    from PIL import Image

    Image.new("1", (40, 30)).save(tmp_path / "1.png")
    layout = lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)
    assert layout.pages[["width", "height"]].values.tolist() == [[40, 30]]
    (tmp_path / "2.png").write_bytes(b"no image")
    fails(r"2\.png", lcm.read, ("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)


def test_sizes_of_the_reference_layout_are_found_by_the_same_rules():
    gt = lcm.read(("gt.csv", b"page,label,x0,y0,x1,y1,width,height\nimg/a 1.png,t,0,0,1,1,40,30\n"))
    table = "page,label,x0,y0,x1,y1\n{},t,0,0,1,1\n"
    for name in ("img/a 1.png", "a 1.png", "a 1.jpg", "A_1"):
        pred = lcm.read(("pred.csv", table.format(name).encode()), like=gt)
        assert pred.pages[["width", "height"]].values.tolist() == [[40, 30]]
    fails("not known", lcm.read, ("pred.csv", table.format("a 2").encode()), like=gt)


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


def test_numbers_from_0_and_from_1_are_told_apart_by_all_pages():
    shifted = lcm.read(labels(0, 1, 2), like=ground_truth(1, 2, 3))
    assert shifted.pages["width"].tolist() == [11, 12, 40]
    fails(r"report_p0.* no page of this name or number", lcm.read, labels(0, 2), like=ground_truth(1, 2, 4))


def test_a_lone_document_of_another_name_gives_its_sizes_by_number():
    header = b"page,document,number,label,x0,y0,x1,y1\n"
    pred = lcm.read(("pred.csv", header + b"a,scan,4,t,0,0,1,1\nb,scan,3,t,0,0,1,1\n"), like=ground_truth(3, 4))
    assert pred.pages["width"].tolist() == [50, 40]


def test_a_page_that_another_one_has_by_name_gives_no_size():
    gt = lcm.read(("gt.csv", b"page,label,x0,y0,x1,y1,width,height\nr_1.png,t,0,0,1,1,40,30\n"))
    files = [(f"{name}.txt", b"0 0.5 0.5 1 1\n") for name in ("r_1", "r_p1")]
    fails("the size of page 'r_p1' is not known", lcm.read, files, like=gt)
