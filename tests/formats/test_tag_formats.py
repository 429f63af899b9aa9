"""Details of hOCR, CVAT and DocTags, in the variants that tools write."""

import math

import numpy as np
import pytest

from layoutcm.layouts.shapes import run_pixels
from support.reading import codes, labels, pages, read, refusal, regions


def hocr(inside, title="image 'a.png'; bbox 0 0 100 80"):
    return f'<html><body><div class="ocr_page" title="{title}">{inside}</div></body></html>'


def cvat(inside):
    return f'<annotations><image id="0" name="a.png" width="100" height="80">{inside}</image></annotations>'


# --- hOCR


def test_hocr_with_lines_and_no_block_says_so():
    line = "<span class='ocr_line' title='bbox 1 1 9 9'><span class='ocrx_word' title='bbox 1 1 5 9'>a</span></span>"
    layout = read(hocr(line * 3), "a.html")
    assert regions(layout) == [] and codes(layout) == {"lines-without-block": 1}
    assert "pages have lines (3 on the first) and no block" in layout.findings[0].message
    assert codes(read(hocr(f"<p class='ocr_par' title='bbox 1 1 9 9'>{line}</p>"), "a.html")) == {}
    assert codes(read(hocr(""), "a.html")) == {}
    pages = "".join(f"<div class='ocr_page' title='bbox 0 0 9 9'>{inside}</div>" for inside in (line, "", line))
    assert codes(read(f"<html><body>{pages}</body></html>", "a.html")) == {"lines-without-block": 2}


TESSERACT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head><meta name='ocr-capabilities' content='ocr_page ocr_carea ocr_par ocr_line ocrx_word'/></head>
<body>
 <!-- <div class='ocr_photo' title="bbox 0 0 1 1"></div> -->
 <div class='ocr_page' id='page_1' title='image "in &amp; out.png"; bbox 0 0 100 80; ppageno 0; scan_res 70 70'>
  <div class='ocr_carea' id='block_1_1' title="bbox 10 20 90 60">
   <p class='ocr_par' id='par_1_1' lang='eng' title="bbox 10 20 90 40">
    <span class='ocr_header' id='line_1_1' title="bbox 10 20 90 30; baseline 0 0">
     <span class='ocrx_word' id='word_1_1' title='bbox 10 20 50 30; x_wconf 96'>Words</span>
    </span>
   </p>
  </div>
  <div class='ocr_photo' id='block_1_2' title="bbox 10 61 90 79"></div>
 </div>
</body></html>
"""


def test_hocr_of_tesseract_gives_areas_paragraphs_and_photos():
    layout = read(TESSERACT, "x.hocr")
    assert pages(layout) == [("in & out.png", 100, 80)] and layout.findings == ()
    assert regions(layout) == [
        ("ocr_carea", 10, 20, 90, 60),
        ("ocr_par", 10, 20, 90, 40),
        ("ocr_photo", 10, 61, 90, 79),
    ]


def test_hocr_need_not_be_xml():
    """Unclosed paragraphs and metas, upper case, values without quotes, a span as an area, two classes on one tag."""
    text = (
        "<!DOCTYPE HTML><HTML><META charset=utf-8><BODY><DIV CLASS=ocr_page TITLE='bbox 0 0 100 80'><BR>"
        "<P class=ocr_par title='bbox 1 2 3 4'>one<P class=ocr_par title='bbox 5 6 7 8'>two & <b>three</i>"
        "<span class='ocr_carea ocr_caption' title=\"x_bboxes 9 9 9 9; bbox 10 20 30 40\">four</span>"
        "<P class=ocr_par title='bbox 1 2 3 4'/></DIV></BODY></HTML>"
    )
    layout = read(text, "x.html")
    assert pages(layout) == [("x", 100, 80)]
    # The span is inside the second paragraph, which is not closed.
    assert labels(layout) == ["ocr_par"] * 3
    closed = read(text.replace("two", "two</P>"), "x.html")
    assert labels(closed) == ["ocr_par", "ocr_par", "ocr_carea", "ocr_caption", "ocr_par"]


def test_hocr_blocks_without_a_box_get_the_box_around_their_lines():
    line = "<span class='ocr_line' title='bbox {}'>a</span>"
    lines = f"<h3>{line.format('10 20 50 30')}</h3>{line.format('8 30 40 40')}"
    layout = read(hocr(f"<div class='ocr_carea'><p class='ocr_par'>{lines}</p></div><div class='ocr_table'></div>"))
    assert sorted(regions(layout)) == [("ocr_carea", 8, 20, 50, 40), ("ocr_par", 8, 20, 50, 40)]
    assert codes(layout) == {"box-from-content": 2, "no-coordinates": 1}


def test_hocr_numbers_are_separated_by_html_spaces_only():
    block = '<div class="ocr_carea" title="bbox 1\x1c0 2 30 40"></div>'
    refusal(hocr(block), "line", "not a finite number", name="a.hocr")


def test_hocr_regions_inside_tables_can_be_left_out():
    inside = "<div class=ocr_table title='bbox 1 1 9 9'><div class=ocr_carea title='bbox 2 2 3 3'></div></div>"
    assert labels(read(hocr(inside))) == ["ocr_table", "ocr_carea"]
    assert labels(read(hocr(inside), nested=False)) == ["ocr_table"]


def test_hocr_pages_of_one_image_are_numbered():
    paragraph = "<p class='ocr_par' title='bbox 1 2 3 4'></p>"
    page = "<div class='ocr_page' title='image \"scan.tif\"; bbox 0 0 {} 80'>" + paragraph + "</div>"
    layout = read(f"<html>{page.format(10)}{page.format(20)}</html>", "book.hocr")
    assert pages(layout) == [("book_p1", 10, 80), ("book_p2", 20, 80)]
    assert layout.page_columns.documents == ("book", "book") and codes(layout) == {"shared-page-name": 2}
    assert layout.region_columns.page.tolist() == [0, 1]


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


def test_hocr_errors_name_the_line():
    refusal(hocr("\n\n<p class=ocr_par title='bbox 1 2 3'>"), "line 3", "four numbers")
    refusal(hocr("\n<p class=ocr_par title='bbox 1 2 3 x'>"), "line 2/y1", "'x'")
    refusal(TESSERACT[:700], "ends before its page does", name="x.hocr")
    refusal(hocr("").replace("a.png", "\udcff").encode("utf-8", "surrogateescape"), "not UTF-8")


# --- CVAT


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


def test_cvat_declares_the_labels_of_shapes_with_area():
    kinds = {"text": "rectangle", "order": "polyline", "table": "any", "good": "tag"}
    labels = "".join(f"<label><name>{name}</name><type>{kind}</type></label>" for name, kind in kinds.items())
    meta = f"<meta><job><labels>{labels}</labels></job></meta>"
    layout = read(cvat("").replace("<image", f"{meta}<image"))
    assert layout.labels == ["text", "table"] and len(layout.regions) == 0


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


def test_cvat_frames_of_a_video_are_pages():
    size = "<meta><task><original_size><width>100</width><height>80</height></original_size></task></meta>"
    box = '<box frame="{}" outside="{}" keyframe="1" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
    track = (
        f'<track id="0" label="text">{box.format(0, 0)}{box.format(1, 1)}{box.format(4, 0)}{box.format(9, 0)}</track>'
    )
    other = f'<track id="1" label="table">{box.format(4, 0)}</track>'
    layout = read(f"<annotations>{size}{track}{other}</annotations>")
    assert pages(layout) == [("frame_000000", 100, 80), ("frame_000004", 100, 80), ("frame_000009", 100, 80)]
    assert layout.page_columns.numbers.tolist() == [1, 5, 10]
    assert layout.region_columns.page.tolist() == [0, 1, 2, 1]
    assert codes(layout) == {"skipped-frames": 1}
    refusal(f"<annotations>{track}</annotations>", "the size of page 'frame_000000' is not known")
    for frame in ("-1", "1.5", "99999999999", "x", "nan"):
        refusal(
            f'<annotations>{size}<track label="t">{box.format(frame, 0)}</track></annotations>',
            "track[0]/shape[0]/frame",
        )


def test_cvat_errors_name_the_shape():
    good = '<box label="t" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
    refusal(cvat(good + good.replace('"3"', '"three"')), "image[0]/shape[1]/xbr", "'three'")
    refusal(cvat(good.replace('xtl="1"', "")), "image[0]/shape[0]/xtl")
    refusal(cvat(good.replace("<box", '<box rotation="y"')), "image[0]/shape[0]/rotation", "'y'")


# --- DocTags


def test_doctags_lie_on_a_grid_of_500():
    text = (
        "<doctag><page_header><loc_0><loc_0><loc_500><loc_25>head</page_header>\n"
        "<picture><loc_50><loc_100><loc_250><loc_300><bar_chart><caption><loc_50><loc_310><loc_250><loc_320>C</caption></picture>\n"
        "<unordered_list><list_item><loc_1><loc_2><loc_3><loc_4>a < b</list_item></unordered_list>"
        "<otsl><loc_5><loc_6><loc_7><loc_8><fcel><loc_5><loc_6><loc_7><loc_7>x<nl></otsl></doctag>"
    )
    layout = read(text, "p.dt", sizes=(1000, 2000))
    assert pages(layout) == [("p", 1000, 2000)] and layout.findings == ()
    assert regions(layout) == [
        ("page_header", 0, 0, 1000, 100),
        ("picture", 100, 400, 500, 1200),
        ("caption", 100, 1240, 500, 1280),
        ("list_item", 2, 8, 6, 16),
        ("otsl", 10, 24, 14, 32),
    ]
    outer = read(text, "p.dt", sizes=(1000, 2000), nested=False)
    assert labels(outer) == ["page_header", "picture", "list_item", "otsl"]


def test_doctags_of_several_pages_are_numbered():
    one = "<text><loc_0><loc_0><loc_500><loc_250>a</text>"
    text = f"<doctag>{one}\n<page_break>\n<page_break>{one}{one}<page_break></doctag>"
    layout = read(text, "book.doctags", sizes=(10, 10))
    assert layout.page_columns.names == ("book_p1", "book_p2", "book_p3")
    assert layout.page_columns.documents == ("book",) * 3 and layout.page_columns.numbers.tolist() == [1, 2, 3]
    assert layout.region_columns.page.tolist() == [0, 2, 2]


def test_doctags_need_a_page_size_and_locations():
    one = "<doctag><text><loc_0><loc_0><loc_500><loc_250>a</text>{}</doctag>"
    refusal(one.format(""), "the size of page 'scan' is not known", "like=")
    broken = read(one.format("<title>b</title><text><loc_1><loc_2><loc_3>c</text>"), sizes=(10, 10))
    assert len(broken.regions) == 1 and codes(broken) == {"no-location": 2}
    twice = read(one.format("<text><loc_0><loc_0><loc_9><loc_9><loc_0><loc_9><loc_9><loc_20>d</text>"), sizes=(10, 10))
    assert len(twice.regions) == 3 and codes(twice) == {"several-locations": 1}
    refusal("<doctag><text>a</text><title>b</title></doctag>", "no locations", "Export", sizes=(10, 10))
    assert pages(read("<doctag></doctag>", "blank.dt", sizes=(10, 10))) == [("blank", 10, 10)]
    refusal(b"<doctag><text>\xff</text></doctag>", "byte 14", "0xff is not UTF-8", sizes=(10, 10))
