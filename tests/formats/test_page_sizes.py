"""Page sizes that are not in the file: given, from images, or from the reference layout."""

import layoutcm as lcm
from support.reading import fails, read_as, reads, refused, refused_as, refuses


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
    read=lcm.read,
)  # fmt: skip
YOLO = [(f"{name}.txt", b"0 0.5 0.5 1 1\n") for name in ("r_1", "r_p1")]
test_refusal = refused_as(
    refuses("an equal stem in another folder", table("z/1.png", "y/1.png"), "not known", **FOLDERS),
    refuses("another number", table("a 2"), "not known", like=sized("img/a 1.png")),
    refuses("numbers that do not fit", labels(0, 2), "report_p0", "no page of this name or number",
            like=ground_truth(1, 2, 4)),
    refuses("a page that another one has by name", YOLO, "the size of page 'r_p1' is not known", like=sized("r_1.png")),
    refuse=refused,
)  # fmt: skip
