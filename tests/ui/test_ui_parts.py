"""Parts of the dashboard that need no page: page images, label order, data folder, dropped files, repairs."""

import ast
import base64
import io
import json

import numpy as np
import pytest
import streamlit as st
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.palette import LIT, rgb
from layoutcm.drawing.screen.matrix import CONFIG
from layoutcm.layouts.repairs import REPAIRS, is_repair
from layoutcm.ui import dropped_files, image_uris, input_files, warm_up
from layoutcm.ui.input_files import ComparisonRequest, data_files, input_from_bytes, input_from_path, layouts_of
from layoutcm.ui.parts import findings, thumbnails
from support.image_files import pdf, png, zipped
from support.layouts import build
from support.paths import ROOT


def shown(picture):
    uri = image_uris.picture_uri(picture, 64)
    return None if uri is None else Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))


def compared(*names, documents=None):
    layout = build(dict.fromkeys(names, (40, 30)), [], documents=documents)
    return lcm.compare(layout, layout)


def uploaded(**files):
    return image_uris.images_of_uploads([input_from_bytes(name, data) for name, data in files.items()])


def frames(sizes, format="TIFF"):
    """An image file with several pages of different sizes."""
    out = io.BytesIO()
    first, *others = (Image.new("RGB", size, "white") for size in sizes)
    first.save(out, format, save_all=True, append_images=others)
    return out.getvalue()


def test_images_are_matched_like_pages():
    scans = {"x/b.png": png((8, 9)), "x/d 1.webp": frames([(6, 7)], "WEBP"), "note.txt": b"no"}
    images = uploaded(**{"scans/a.PNG": png(), "pages.zip": zipped(**scans)})
    c = compared("a.jpg", "img/b", "c", "D%201")
    assert [shown(images.find(c, page)).size for page in (0, 1, 3)] == [(40, 30), (8, 9), (6, 7)]
    assert images.find(c, 2) is None and image_uris.picture_uri(None) is None


def test_an_ambiguous_image_name_is_not_matched():
    images = uploaded(**{"scans.zip": zipped(**{"train/a.png": png((8, 9)), "val/a.png": png()})})
    c = compared("a.tif")
    assert images.find(c, 0) is None and images.unmatched_files(c) == ["train/a.png", "val/a.png"]
    assert shown(images.find(compared("val/a.png", "train/a.png"), 0)).size == (40, 30)


@pytest.mark.parametrize("name", ["report_p2", "report-0002.png", "Report 2", "img/report_page_002.jpg"])
@pytest.mark.parametrize(("file", "data", "size"), [
    ("report.pdf", pdf(), (48, 64)),
    ("report.tiff", frames([(9, 9), (20, 10)]), (20, 10)),
    ("all.zip", zipped(**{"report.tif": frames([(9, 9), (20, 10)])}), (20, 10)),
    ("all.zip", zipped(**{"report.pdf": pdf()}), (48, 64)),
])  # fmt: skip
def test_pages_of_a_pdf_or_a_tiff_are_found_by_number(file, data, size, name):
    images = uploaded(**{file: data})
    c = compared(name, "other")
    assert shown(images.find(c, 0)).size == size and images.find(c, 1) is None
    assert images.unmatched_files(c) == []  # page 1 is not used, but another page of the file is


def test_pages_with_document_and_number_are_found_in_a_pdf():
    images = uploaded(**{"report.pdf": pdf()})
    numbered = compared("first", "second", documents={"first": "report.pdf", "second": "report.pdf"})
    numbered.alignment.layouts[0].page_columns.numbers[:] = [1, 3]
    assert images.find(numbered, 0).page_index == 0 and images.find(numbered, 1) is None


def test_an_image_with_the_page_name_of_pred_is_found():
    gt, pred = (build({name: (40, 30)}, []) for name in ("left", "right"))
    c = lcm.compare(gt, pred, pages={"left": "right"})
    images = uploaded(**{"right.png": png()})
    assert c.pages == ["left"] and images.find(c, 0).file == "right.png"


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.docx", b"x"), ("a.pdf", b"no pdf"), ("a.zip", b"no zip")],
)
def test_a_file_that_is_no_image_is_named_in_the_error(name, data):
    with pytest.raises(lcm.InputError, match=name):
        image_uris.images_of_uploads([input_from_bytes(name, data)])


def test_too_many_or_too_large_members_are_refused(monkeypatch):
    monkeypatch.setattr("layoutcm.drawing.page_images.MAX_MEMBER_BYTES", 10)
    with pytest.raises(lcm.InputError, match=r"a\.png"):
        image_uris.images_of_uploads([input_from_bytes("x.zip", zipped(**{"a.png": png()}))])
    monkeypatch.setattr("layoutcm.drawing.page_images.MAX_MEMBERS", 1)
    with pytest.raises(lcm.InputError, match="2 files"):
        image_uris.images_of_uploads([input_from_bytes("x.zip", zipped(a=b"1", b=b"2"))])


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_a_broken_or_huge_picture_is_not_shown(monkeypatch):
    names = ["a.png", "cut.png", "c.tif", "b.png"]
    broken = uploaded(**dict(zip(names, [b"no image", png()[:-40], b"II*\0no tiff", png((50, 50))])))
    assert [picture.file for picture in broken.pictures] == names
    assert [shown(picture) for picture in broken.pictures[:3]] == [None, None, None]
    monkeypatch.setattr("layoutcm.drawing.page_images.MAX_PIXELS", 100)
    assert shown(broken.pictures[3]) is None


def test_pictures_of_a_folder(tmp_path):
    (tmp_path / "p.png").write_bytes(png())
    (tmp_path / "p.txt").write_text("no")
    images = image_uris.images_of_folder(str(tmp_path))
    assert shown(images.find(compared("p.tif"), 0)).size == (40, 30)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "report.pdf").write_bytes(pdf())
    (tmp_path / "deep" / "locked.pdf").write_bytes(b"no pdf")
    assert shown(image_uris.images_of_folder(str(tmp_path)).find(compared("report_p2"), 0)).size == (48, 64)
    assert not image_uris.images_of_folder("").pictures


@pytest.mark.parametrize("with_picture", [False, True])
def test_a_thumbnail_lights_the_pixels_of_a_cell(two_pages, with_picture):
    c = lcm.compare(*two_pages)
    picture = image_uris.images_of_uploads([input_from_bytes("p1.png", png((20, 20), "black"))]).find(c, 0)
    data = thumbnails.thumbnail("x", c, "p1", ("picture", "table"), "matrix", picture if with_picture else None)
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), int)
    at = lambda x, y: image[round(y * 21), round(x * 21)]
    paper = 140 if with_picture else 250
    assert image.shape == (420, 420, 3)
    np.testing.assert_allclose(at(5, 5), paper, atol=4)
    for y, share in ((8, 0.5), (16, 1.0)):
        strength = 0.45 + 0.4 * share
        np.testing.assert_allclose(at(15, y), np.array(rgb(LIT)) * strength + paper * (1 - strength), atol=4)


def test_the_warm_up_runs():
    warm_up._compare_and_draw()


def test_files_of_the_data_folder_cannot_leave_it(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "gt.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(folder)}))
    labels = folder / "runs" / "labels"
    labels.mkdir(parents=True)
    for name in ("p1.txt", "p2.txt", "p1.png", "p1.pdf"):
        (labels / name).write_text("")
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json", "runs/labels/p1.txt", "runs/labels/p2.txt"]
    monkeypatch.setattr("layoutcm.ui.input_files.FILES_OFFERED", 1)
    st.cache_data.clear()
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json"]
    before = input_from_path(labels)
    assert before.name == "labels" and before.size == 0
    (labels / "p2.txt").write_text("0 .5 .5 .5 .5")
    assert input_from_path(labels).digest != before.digest
    assert input_from_path(folder / "gt.json").source == ("gt.json", b"{}")  # messages must not show the path
    monkeypatch.setenv("LAYOUTCM_APP", "{}")
    assert data_files() == {}


def test_orders_of_labels():
    gt, pred = ["b", "b", "c", "c", "a"], ["b", "c", "c", "c", "a"]
    m = lcm.label_sets_confusion(gt, pred, ["b", "unused", "c", "a"], weights=[5, 2, 9, 9, 1])
    names = lambda order, empty=False: [m.labels[i] for i in order_labels(m, order, empty)[0]]
    assert names("as given") == ["Background", "b", "c", "a"]
    assert names("as given", empty=True) == ["Background", "b", "unused", "c", "a"]
    assert names("by size") == ["Background", "c", "b", "a"]
    assert names("by name") == ["Background", "a", "b", "c"]
    assert names("by similarity") == ["Background", "c", "b", "a"]
    rows, columns = order_labels(m, "by family", False, ["b", "a", "c"])
    assert [m.labels[i] for i in rows] == ["Background", "b", "a", "c"] and rows == columns
    assert [m.labels[i] for i in order_labels(m, "by family", True, ["c"])[0]] == [
        "Background",
        "c",
        "b",
        "unused",
        "a",
    ]
    assert order_labels(m, "by family", False) == order_labels(m, "as given", False)


def test_different_taxonomies_are_ordered_side_by_side():
    gt = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "a", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "z", 0, 0, 5, 10), ("p", "y", 5, 0, 10, 10)])
    m = lcm.compare(gt, pred).confusion()
    rows, columns = order_labels(m, "by name", False)
    assert [m.labels[i] for i in rows] == ["Background", "a", "b"]
    assert [m.labels[j] for j in columns] == ["Background", "y", "z"]
    assert order_labels(m, "by similarity", True)[0][0] == 0 and np.isfinite(m.values).all()


def test_every_chart_can_be_saved_as_an_image():
    root = ROOT
    calls = [
        call
        for path in [*root.glob("pages/*.py"), *root.glob("layoutcm/ui/**/*.py")]
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "plotly_chart"
        and path.name != "warm_up.py"  # a hidden chart that only loads the library
    ]
    configs = {ast.unparse(word.value) for call in calls for word in call.keywords if word.arg == "config"}
    assert len(calls) >= 10 and configs and all(config.startswith("CONFIG") for config in configs)
    assert all(any(word.arg == "config" for word in call.keywords) for call in calls)
    assert "toImage" not in CONFIG["modeBarButtonsToRemove"] and CONFIG["toImageButtonOptions"]["format"] == "svg"


COCO = b'{"images": [], "annotations": [], "categories": []}'
YOLO, VOC, NAMES = b"0 .5 .5 .2 .2", b"<annotation><size/></annotation>", b"names: [a, b]"


def grouped(as_one=None, **files):
    given = [input_from_bytes(name, data) for name, data in files.items()]
    kinds = [dropped_files.kind_of(one.name, one.data) for one in given]
    found = dropped_files.predictions(given, kinds, as_one)
    return [[part.name for part in one.parts] or [one.name] for one in found]


def test_files_of_one_page_each_are_one_prediction_and_whole_files_are_several():
    pages = {"p1.txt": YOLO, "p2.txt": b""}
    assert grouped(**{"data.yaml": NAMES, **pages}) == [["p1.txt", "p2.txt", "data.yaml"]]
    assert grouped(**{"a.json": COCO, "b.json": COCO + b" "}) == [["a.json"], ["b.json"]]
    assert grouped(**{"p1.xml": VOC, "p2.xml": VOC + b" ", "p1.png": png()}) == [["p1.xml", "p2.xml", "p1.png"]]
    assert grouped(**{"a.json": COCO, **pages, "data.yaml": NAMES}) == [
        ["a.json"],
        ["p1.txt", "p2.txt", "data.yaml"],
    ]
    assert grouped(**{"a.zip": zipped(a=YOLO), "b.zip": zipped(b=YOLO), "classes.txt": b"a"}) == [
        ["a.zip", "classes.txt"], ["b.zip", "classes.txt"]
    ]  # fmt: skip
    assert grouped(**{"what.json": b"{}", "a.json": COCO}) == [["what.json"], ["a.json"]]
    assert grouped(**{"p1.png": png(), "readme.md": b"#"}) == [["p1.png", "readme.md"]] and grouped() == []


def test_the_visitor_can_override_the_grouping_by_format():
    pages, models = {"data.yaml": NAMES, "p1.txt": YOLO, "p2.txt": YOLO}, {"a.json": COCO, "b.json": COCO}
    assert grouped(False, **pages) == [["p1.txt", "data.yaml"], ["p2.txt", "data.yaml"]]
    assert grouped(True, **models) == [["a.json", "b.json"]]
    assert grouped(True, **models, **pages) == [["a.json", "b.json", "p1.txt", "p2.txt", "data.yaml"]]


@pytest.mark.parametrize(("repair", "words"), [
    ("flip-y", "flip the y axis"),
    ("unit:1000,flip-y", "read coordinates as 0 to 1000 over the page and flip the y axis"),
    ("scale:2.08333", "multiply coordinates by 2.08333"),
    ("xywh", "read boxes as x, y, width, height"),
    ("xyxy", "read boxes as corners"),
    ("pages:-1", "move page numbers by \u22121"),
    ("images:1", "move regions by +1 page in the order of the file"),
    ("ids:1", "move category ids by +1"),
])  # fmt: skip
def test_repairs_in_words(repair, words):
    assert is_repair(repair) and findings.repair_in_words(repair) == words
    assert not is_repair(repair + ",") and not is_repair("rm -rf") and not is_repair("")


@pytest.mark.parametrize("repair", REPAIRS)
def test_every_repair_has_words(repair):
    assert findings.repair_in_words(repair.replace("N", "1").replace("F", "2"))


def test_a_repaired_gt_is_the_reference_layout_as_on_the_command_line():
    rows = [(k, 5 * k, 5 * k + 5) for k in range(3)]
    gt_data = b"page,label,x0,y0,x1,y1,width,height\n" + b"".join(b"d_%d,a,0,%d,9,%d,20,20\n" % row for row in rows)
    pred_data = b"page,label,x0,y0,x1,y1\n" + b"".join(b"d_%d,a,0,%d,9,%d\n" % (k + 1, *ys) for k, *ys in rows)
    given = [input_from_bytes("gt.csv", gt_data), input_from_bytes("pred.csv", pred_data)]
    gt, pred = layouts_of(ComparisonRequest(*given, gt_repairs=("pages:1",)))
    assert gt.page_columns.names == ("d_1", "d_2", "d_3") == pred.page_columns.names
    assert lcm.compare(gt, pred).average("micro")["f1"] == 1


def test_a_page_map_decides_which_page_provides_the_size_of_an_uploaded_page():
    gt = input_files.input_from_bytes(
        "gt.csv", b"page,label,x0,y0,x1,y1,width,height\na,t,0,0,5,5,40,30\nb,t,0,0,5,5,50,60\n"
    )
    pred = input_files.input_from_bytes("pred.csv", b"page,label,x0,y0,x1,y1\nz,t,0,0,5,5\nb,t,0,0,5,5\n")
    with pytest.raises(lcm.InputError, match="size of page 'z'"):
        input_files.layouts_of(input_files.ComparisonRequest(gt, pred))
    for text, width in (("a,z", 40.0), ("b,z\na,b", 50.0)):
        page_map = input_files.input_from_bytes("pages.csv", f"gt,pred\n{text}\n".encode())
        request = input_files.ComparisonRequest(gt, pred, page_map=page_map)
        assert input_files.layouts_of(request)[1].page_columns.widths[0] == width
        fixed = input_files.layouts_of(
            input_files.ComparisonRequest(gt, pred, pred_repairs=("flip-y",), page_map=page_map)
        )[1]
        assert fixed.page_columns.widths[0] == width
        assert input_files.comparison_of(request, {}).pages[0] == "a"
