"""Details of hOCR, CVAT and DocTags, in the variants that tools write."""

import math

import numpy as np
import pytest

from layoutcm.layouts.shapes import run_pixels
from support.reading import codes, pages, read, read_as, reads, refusal, refused_as, refuses, regions
from support.stored import stored_text


def hocr(inside, title="image 'a.png'; bbox 0 0 100 80"):
    return f'<html><body><div class="ocr_page" title="{title}">{inside}</div></body></html>'


def cvat(inside):
    return f'<annotations><image id="0" name="a.png" width="100" height="80">{inside}</image></annotations>'


TESSERACT = stored_text("tesseract.hocr")


@pytest.mark.parametrize(
    ("title", "size"),
    [("image a.png", None), ("image 'a.png'; bbox 0 0 0 0", None), ("bbox 2 0 50 60; image 'a.png'", (50, 60))],
)
def test_hocr_pages_without_a_box_need_a_size_and_an_offset_is_reported(title, size):
    text = hocr("", title)
    if size is None:
        refusal(text, "the size of page 'a.png' is not known")
    layout = read(text, sizes=(7, 8))
    assert pages(layout) == [("a.png", *(size or (7, 8)))]
    assert ("page-offset" in codes(layout)) == (size is not None)


def test_cvat_boxes_polygons_and_masks_are_read_and_shapes_without_area_reported():
    layout = read(cvat(
        '<box label="text" xtl="1.25" ytl="2" xbr="30" ybr="40" z_order="3">'
        '<attribute name="level">1</attribute></box>'
        '<polygon label="table" points="10.00,20.00;40.00,25.00;30.00,60.00" z_order="0"></polygon>'
        '<mask label="seal" rle="1, 2, 1" left="5" top="6" width="2" height="2"></mask>'
        '<ellipse label="stamp" cx="50" cy="40" rx="10" ry="5"></ellipse>'
        '<box label="" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
        '<polyline label="reading_order" points="1,2;3,4"></polyline><points label="p" points="1,2"/>'
        '<tag label="good"/><polygon label="table" points=""></polygon>'
    ))  # fmt: skip
    found = regions(layout)
    assert found[:3] == [("text", 1.25, 2, 30, 40), ("table", 10, 20, 40, 60), ("seal", 5, 6, 7, 8)]
    assert found[3][0] == "stamp" and found[3][1:] == pytest.approx((40, 35, 60, 45))
    assert found[4] == ("(no name)", 1, 2, 3, 4)
    assert codes(layout) == {"not-an-area": 2, "no-coordinates": 1}


def test_a_rotated_box_is_bounded_by_its_corners():
    text = cvat('<box label="t" xtl="40" ytl="30" xbr="60" ybr="50" rotation="45"></box>')
    half = 10 * math.sqrt(2)
    assert regions(read(text))[0][1:] == pytest.approx((50 - half, 40 - half, 50 + half, 40 + half))
    [outline] = read(text, shapes="polygon").region_columns.shapes.values()
    assert sorted(map(tuple, outline.rings[0].round(6).tolist()))[0] == pytest.approx((50 - half, 40))
    quarter = cvat('<box label="t" xtl="40" ytl="30" xbr="60" ybr="34" rotation="90"></box>')
    assert regions(read(quarter))[0][1:] == pytest.approx((48, 22, 52, 42))


def test_a_mask_keeps_its_pixels_where_they_are_on_the_page():
    """Runs follow the rows of the mask's own box: 0 1 1 / 1 1 0."""
    text = (
        cvat('<mask label="m" rle="1, 4, 1" left="2" top="1" width="3" height="2"></mask>')
        .replace("100", "6")
        .replace('"80"', '"4"')
    )
    [mask] = read(text, shapes="polygon").region_columns.shapes.values()
    expected = np.zeros((4, 6), bool)
    expected[1, 3:5] = expected[2, 2:4] = True
    assert np.array_equal(run_pixels(mask), expected)
    for wrong in ("1, 4", "1, 4, 2", "1, x, 1", "", "7, -1"):
        refusal(text.replace("1, 4, 1", wrong), "image[0]/shape[0]/rle", shapes="polygon")
    refusal(text.replace('left="2"', 'left="4"'), "on the page", shapes="polygon")


# Unclosed paragraphs and metas, upper case, values without quotes, a span as an area, two classes on one tag.
HTML = (
    "<!DOCTYPE HTML><HTML><META charset=utf-8><BODY><DIV CLASS=ocr_page TITLE='bbox 0 0 100 80'><BR>"
    "<P class=ocr_par title='bbox 1 2 3 4'>one<P class=ocr_par title='bbox 5 6 7 8'>two & <b>three</i>"
    "<span class='ocr_carea ocr_caption' title=\"x_bboxes 9 9 9 9; bbox 10 20 30 40\">four</span>"
    "<P class=ocr_par title='bbox 1 2 3 4'/></DIV></BODY></HTML>"
)
HOCR_LINE = "<span class='ocr_line' title='bbox 1 1 9 9'><span class='ocrx_word' title='bbox 1 1 5 9'>a</span></span>"
HOCR_LINES = "".join(
    f"<div class='ocr_page' title='bbox 0 0 9 9'>{inside}</div>" for inside in (HOCR_LINE, "", HOCR_LINE)
)
WITHOUT_BOXES = (
    "<div class='ocr_carea'><p class='ocr_par'><h3><span class='ocr_line' title='bbox 10 20 50 30'>a</span></h3>"
    "<span class='ocr_line' title='bbox 8 30 40 40'>a</span></p></div><div class='ocr_table'></div>"
)
IN_TABLE = "<div class=ocr_table title='bbox 1 1 9 9'><div class=ocr_carea title='bbox 2 2 3 3'></div></div>"
PARAGRAPH = "<p class='ocr_par' title='bbox 1 2 3 4'></p>"
SCAN = f"<div class='ocr_page' title='image \"scan.tif\"; bbox 0 0 {{}} 80'>{PARAGRAPH}</div>"
KINDS = {"text": "rectangle", "order": "polyline", "table": "any", "good": "tag"}
DECLARED = "".join(f"<label><name>{name}</name><type>{kind}</type></label>" for name, kind in KINDS.items())
VIDEO_SIZE = "<meta><task><original_size><width>100</width><height>80</height></original_size></task></meta>"


def track(label, *frames):
    """Frames as (number, outside)."""
    boxes = (
        f'<box frame="{k}" outside="{out}" keyframe="1" xtl="1" ytl="2" xbr="3" ybr="4"></box>' for k, out in frames
    )
    return f'<track label="{label}">{"".join(boxes)}</track>'


TRACKS = track("text", (0, 0), (1, 1), (4, 0), (9, 0)) + track("table", (4, 0))
CVAT_BOX = '<box label="t" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
DOCTAGS = (
    "<doctag><page_header><loc_0><loc_0><loc_500><loc_25>head</page_header>\n"
    "<picture><loc_50><loc_100><loc_250><loc_300><bar_chart><caption><loc_50><loc_310><loc_250><loc_320>C</caption>"
    "</picture>\n<unordered_list><list_item><loc_1><loc_2><loc_3><loc_4>a < b</list_item></unordered_list>"
    "<otsl><loc_5><loc_6><loc_7><loc_8><fcel><loc_5><loc_6><loc_7><loc_7>x<nl></otsl></doctag>"
)
ONE = "<text><loc_0><loc_0><loc_500><loc_250>a</text>"
BROKEN = "<title>b</title><text><loc_1><loc_2><loc_3>c</text>"
TWICE = "<text><loc_0><loc_0><loc_9><loc_9><loc_0><loc_9><loc_9><loc_20>d</text>"
LARGE, SMALL, OUTER = {"sizes": (1000, 2000)}, {"sizes": (10, 10)}, {"nested": False}
test_reading = read_as(
    reads("hOCR with lines and no block", hocr(HOCR_LINE * 3), "a.html", regions=[], codes={"lines-without-block": 1},
          says=["pages have lines (3 on the first) and no block"]),
    reads("hOCR with lines in a block", hocr(f"<p class='ocr_par' title='bbox 1 1 9 9'>{HOCR_LINE}</p>"), "a.html",
          codes={}),
    reads("a blank page of hOCR", hocr(""), "a.html", codes={}),
    reads("pages of hOCR with lines", f"<html><body>{HOCR_LINES}</body></html>", "a.html",
          codes={"lines-without-block": 2}),
    reads("hOCR of Tesseract gives areas, paragraphs and photos", TESSERACT, "x.hocr",
          pages=[("in & out.png", 100, 80)],
          regions=[("ocr_carea", 10, 20, 90, 60), ("ocr_par", 10, 20, 90, 40), ("ocr_photo", 10, 61, 90, 79)],
          codes={}),
    # The span is inside the second paragraph, which is not closed.
    reads("hOCR need not be XML", HTML, "x.html", pages=[("x", 100, 80)], labels=["ocr_par"] * 3),
    reads("hOCR with a paragraph that is closed", HTML.replace("two", "two</P>"), "x.html",
          labels=["ocr_par", "ocr_par", "ocr_carea", "ocr_caption", "ocr_par"]),
    reads("blocks of hOCR without a box get the box around their lines", hocr(WITHOUT_BOXES),
          boxes=[[8, 20, 50, 40]] * 2, labels=["ocr_par", "ocr_carea"],
          codes={"box-from-content": 2, "no-coordinates": 1}),
    reads("regions of hOCR inside tables", hocr(IN_TABLE), labels=["ocr_table", "ocr_carea"]),
    reads("outer regions of hOCR", hocr(IN_TABLE), OUTER, labels=["ocr_table"]),
    reads("pages of hOCR of one image are numbered", f"<html>{SCAN.format(10)}{SCAN.format(20)}</html>", "book.hocr",
          pages=[("book_p1", 10, 80), ("book_p2", 20, 80)], documents=("book", "book"), codes={"shared-page-name": 2},
          places=["book_p1", "book_p2"]),
    reads("CVAT declares the labels of shapes with area",
          cvat("").replace("<image", f"<meta><job><labels>{DECLARED}</labels></job></meta><image"),
          declared=["text", "table"], count=0),
    reads("frames of a video of CVAT are pages", f"<annotations>{VIDEO_SIZE}{TRACKS}</annotations>", numbers=[1, 5, 10],
          pages=[("frame_000000", 100, 80), ("frame_000004", 100, 80), ("frame_000009", 100, 80)],
          places=["frame_000000", "frame_000004", "frame_000009", "frame_000004"], codes={"skipped-frames": 1}),
    reads("DocTags lie on a grid of 500", DOCTAGS, "p.dt", LARGE, pages=[("p", 1000, 2000)], codes={}, regions=[
        ("page_header", 0, 0, 1000, 100), ("picture", 100, 400, 500, 1200), ("caption", 100, 1240, 500, 1280),
        ("list_item", 2, 8, 6, 16), ("otsl", 10, 24, 14, 32)]),
    reads("outer DocTags", DOCTAGS, "p.dt", LARGE | OUTER, labels=["page_header", "picture", "list_item", "otsl"]),
    reads("DocTags of several pages are numbered",
          f"<doctag>{ONE}\n<page_break>\n<page_break>{ONE}{ONE}<page_break></doctag>", "book.doctags", SMALL,
          names=("book_p1", "book_p2", "book_p3"), documents=("book",) * 3, numbers=[1, 2, 3],
          places=["book_p1", "book_p3", "book_p3"]),
    reads("DocTags without locations", f"<doctag>{ONE}{BROKEN}</doctag>", SMALL, count=1, codes={"no-location": 2}),
    reads("DocTags with two locations", f"<doctag>{ONE}{TWICE}</doctag>", SMALL, count=3,
          codes={"several-locations": 1}),
    reads("a blank page of DocTags", "<doctag></doctag>", "blank.dt", SMALL, pages=[("blank", 10, 10)]),
)  # fmt: skip
test_refusal = refused_as(
    refuses("numbers of hOCR with other blanks", hocr('<div class="ocr_carea" title="bbox 1\x1c0 2 30 40"></div>'),
            "line", "not a finite number", name="a.hocr"),
    refuses("three numbers of hOCR", hocr("\n\n<p class=ocr_par title='bbox 1 2 3'>"), "line 3", "four numbers"),
    refuses("a text in a box of hOCR", hocr("\n<p class=ocr_par title='bbox 1 2 3 x'>"), "line 2/y1", "'x'"),
    refuses("hOCR that is cut off", TESSERACT[:700], "ends before its page does", name="x.hocr"),
    refuses("hOCR in another encoding", hocr("").replace("a.png", "\udcff").encode("utf-8", "surrogateescape"),
            "not UTF-8"),
    refuses("a video of CVAT without size", f"<annotations>{TRACKS}</annotations>",
            "the size of page 'frame_000000' is not known"),
    *(refuses(f"the frame {frame}", f"<annotations>{VIDEO_SIZE}{track('t', (frame, 0))}</annotations>",
              "track[0]/shape[0]/frame") for frame in ("-1", "1.5", "99999999999", "x", "nan")),
    refuses("a text in a box of CVAT", cvat(CVAT_BOX + CVAT_BOX.replace('"3"', '"three"')), "image[0]/shape[1]/xbr",
            "'three'"),
    refuses("a box of CVAT without an edge", cvat(CVAT_BOX.replace('xtl="1"', "")), "image[0]/shape[0]/xtl"),
    refuses("a wrong rotation", cvat(CVAT_BOX.replace("<box", '<box rotation="y"')), "image[0]/shape[0]/rotation",
            "'y'"),
    refuses("DocTags without size", f"<doctag>{ONE}</doctag>", "the size of page 'scan' is not known", "like="),
    refuses("DocTags without any location", "<doctag><text>a</text><title>b</title></doctag>", "no locations", "Export",
            **SMALL),
    refuses("DocTags in another encoding", b"<doctag><text>\xff</text></doctag>", "byte 14", "0xff is not UTF-8",
            **SMALL),
)  # fmt: skip
