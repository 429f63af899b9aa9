"""PAGE-XML, ALTO, hOCR, CVAT, DocTags and Pascal VOC: what each says, spelled the ways that tools spell it."""

import math

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.formats.content import Content
from layoutcm.formats.markup import root_name
from layoutcm.formats.masks import run_pixels

PAGE_2019 = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
SQUARE = "10,20 30,20 30,60 10,60"


def page_xml(inside, attributes='imageFilename="a.png" imageWidth="100" imageHeight="80"'):
    return f'<PcGts xmlns="{PAGE_2019}"><Page {attributes}>{inside}</Page></PcGts>'


def alto(
    inside, before="<Description><MeasurementUnit>pixel</MeasurementUnit></Description>", size='WIDTH="100" HEIGHT="80"'
):
    space = f"<PrintSpace>{inside}</PrintSpace>"
    layout = f"<Layout><Page {size}>{space}</Page></Layout>"
    return f'<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#">{before}{layout}</alto>'


def hocr(inside, title="image 'a.png'; bbox 0 0 100 80"):
    return f'<html><body><div class="ocr_page" title="{title}">{inside}</div></body></html>'


def cvat(inside):
    return f'<annotations><image id="0" name="a.png" width="100" height="80">{inside}</image></annotations>'


def voc(inside, name="<filename>a.png</filename>", size="<size><width>100</width><height>80</height></size>"):
    return f"<annotation>{name}{size}{inside}</annotation>"


def voc_object(label="t", corners=(1, 2, 3, 4), more=""):
    box = "".join(f"<{k}>{v}</{k}>" for k, v in zip(("xmin", "ymin", "xmax", "ymax"), corners))
    return f"<object><name>{label}</name><bndbox>{box}</bndbox>{more}</object>"


def read(text, name="scan.xml", **options):
    return lcm.read((name, text.encode() if isinstance(text, str) else text), **options)


def regions(layout):
    """[(label, x0, y0, x1, y1)] as plain numbers."""
    columns = layout.region_columns
    return [(layout.labels[i], *box) for i, box in zip(columns.label, columns.boxes.tolist())]


def pages(layout):
    columns = layout.page_columns
    return list(zip(columns.names, columns.widths.tolist(), columns.heights.tolist()))


def codes(layout):
    return {finding.code: finding.count for finding in layout.findings}


def refusal(text, *words, name="scan.xml", **options):
    with pytest.raises(lcm.InputError) as caught:
        read(text, name, **options)
    for word in words:
        assert word in str(caught.value)


# --- PAGE-XML


def test_page_xml_takes_the_kind_of_a_region_from_custom_then_from_type():
    layout = read(
        page_xml(
            f'<TextRegion id="1" type="heading"><Coords points="{SQUARE}"/></TextRegion>'
            f'<TextRegion id="2" type="other" custom="readingOrder {{index:1;}} structure {{score:1; type:MainZone;}}">'
            f'<Coords points="{SQUARE}"/></TextRegion>'
            f'<TextRegion id="3" custom="structure {{type:foot\\u0020note;}}"><Coords points="{SQUARE}"/></TextRegion>'
            f'<TextRegion id="4" custom="structure {{type:;}}"><Coords points="{SQUARE}"/></TextRegion>'
            f'<GraphicRegion id="5" type="logo"><Coords points="{SQUARE}" conf="0.5"/></GraphicRegion>'
        )
    )
    labels = ["TextRegion:heading", "TextRegion:MainZone", "TextRegion:foot note", "TextRegion", "GraphicRegion:logo"]
    assert regions(layout) == [(label, 10, 20, 30, 60) for label in labels]
    assert layout.region_columns.scores.tolist()[-1] == 0.5 and math.isnan(layout.region_columns.scores[0])
    assert pages(layout) == [("a.png", 100, 80)] and layout.findings == ()


def test_page_xml_of_2010_has_its_points_as_elements_and_any_prefix_will_do():
    points = "".join(f'<pc:Point x="{x}" y="{y}"/>' for x, y in ((10, 20), (40, 25), (30, 60)))
    text = (
        '<!-- by hand --><pc:PcGts xmlns:pc="http://schema.primaresearch.org/PAGE/gts/pagecontent/2010-03-19">'
        '<pc:Page imageFilename="a.tif" imageWidth="100" imageHeight="80">'
        f"<pc:PrintSpace><pc:Coords>{points}</pc:Coords></pc:PrintSpace>"
        f'<pc:MathsRegion id="m"><pc:Coords>{points}</pc:Coords></pc:MathsRegion></pc:Page></pc:PcGts>'
    )
    assert regions(read(text)) == [("MathsRegion", 10, 20, 40, 60)]
    [outline] = read(text, shapes="polygon").region_columns.shapes.values()
    assert outline.rings[0].tolist() == [[10, 20], [40, 25], [30, 60]]


def test_page_xml_gives_parent_and_child_unless_asked_not_to():
    inside = (
        f'<TableRegion id="t"><Coords points="0,0 90,0 90,70 0,70"/>'
        f'<TextRegion id="c"><Coords points="{SQUARE}"/>'
        '<TextLine id="l"><Coords points="1,1 2,2"/></TextLine></TextRegion>'
        f'<TableCell id="d"><Coords points="{SQUARE}"/></TableCell></TableRegion>'
        f'<TextRegion id="o"><Coords points="{SQUARE}"/>'
        '<TextRegion id="i"><Coords points="1,1 9,1 9,9 1,9"/></TextRegion></TextRegion>'
    )
    labels = [row[0] for row in regions(read(page_xml(inside)))]
    assert labels == ["TableRegion", "TextRegion", "TableCell", "TextRegion", "TextRegion"]
    labels = [row[0] for row in regions(read(page_xml(inside), nested=False))]
    assert labels == ["TableRegion", "TextRegion", "TextRegion"]


def test_page_xml_regions_without_coordinates_are_left_out_and_told():
    empty = '<TextRegion id="r1"><Coords/></TextRegion><TextRegion id="r2"/>'
    inside = f'{empty}<TextRegion id="r3"><Coords points=""/></TextRegion>'
    layout = read(page_xml(inside))
    assert regions(layout) == [] and codes(layout) == {"no-coordinates": 3}
    assert "'r1'" in layout.findings[0].message


@pytest.mark.parametrize("size", ['imageWidth="0" imageHeight="0"', 'imageWidth="unknown" imageHeight="?"', ""])
def test_a_page_size_that_is_none_comes_from_elsewhere_or_is_asked_for(size):
    text = page_xml("", f'imageFilename="img/a.png" {size}')
    refusal(text, "the size of page 'img/a.png' is not known", "--sizes")
    assert pages(read(text, sizes=(7, 9))) == [("img/a.png", 7, 9)]
    like = read(page_xml("", 'imageFilename="a.tif" imageWidth="30" imageHeight="40"'))
    assert pages(read(text, like=like)) == [("img/a.png", 30, 40)]


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ("1,2 3", "an x without a y"),
        ("1,2 3,b 4,5", "not a list of points"),
        ("1,2 nan,3 4,5", "not finite"),
        ("1,2 1e400,3", "not finite"),
        ("1,2 1e12,3 4,4", "at most 1,000,000,000"),
        ("1,2 " * 300_000, "longer than"),
    ],
)
def test_an_outline_that_is_wrong_names_its_region(points, problem):
    refusal(page_xml(f'<TextRegion id="r7"><Coords points="{points}"/></TextRegion>'), "region 'r7'", problem)


# --- ALTO


def test_alto_labels_are_those_of_the_tags_else_the_element_and_its_type():
    sides = 'HPOS="1.5" VPOS="2" WIDTH="3" HEIGHT="4"'
    before = (
        '<Tags><OtherTag ID="T1" TYPE="region" LABEL="MainZone"/><LayoutTag ID="T2" TYPE="Margin"/>'
        '<NamedEntityTag ID="N1" LABEL="Goethe"/></Tags>'
    )
    layout = read(
        alto(
            f'<TextBlock ID="a" TAGREFS="T1" {sides}/><TextBlock ID="b" TAGREFS="T1 T2" {sides}/>'
            f'<TextBlock ID="c" TAGREFS="N1" {sides}/><TextBlock ID="d" TAGREFS="gone" {sides}/>'
            f'<Illustration ID="e" TYPE="photo" {sides}/><GraphicalElement ID="f" {sides}/>',
            before,
        )
    )
    labels = ["MainZone", "MainZone", "Margin", "TextBlock", "TextBlock", "Illustration:photo", "GraphicalElement"]
    assert regions(layout) == [(label, 1.5, 2, 4.5, 6) for label in labels]
    assert codes(layout) == {"unknown-tag": 1}


def test_alto_composed_blocks_nest_and_margins_hold_blocks_too():
    sides = 'HPOS="0" VPOS="0" WIDTH="9" HEIGHT="9"'
    cell = f'<TextBlock ID="cell" {sides}><TextLine {sides}><String {sides}/></TextLine></TextBlock>'
    table = f'<ComposedBlock ID="t" TYPE="table" {sides}>{cell}</ComposedBlock>'
    text = alto(f'<ComposedBlock ID="o" {sides}>{table}</ComposedBlock>').replace(
        "<PrintSpace>", f'<TopMargin><TextBlock ID="h" {sides}/></TopMargin><PrintSpace>'
    )
    nested = ["TextBlock", "ComposedBlock", "ComposedBlock:table", "TextBlock"]
    assert [row[0] for row in regions(read(text))] == nested
    assert [row[0] for row in regions(read(text, nested=False))] == nested[:3]


@pytest.mark.parametrize("unit", ["pixel", "mm10", "inch1200", "px", ""])
def test_alto_keeps_the_unit_because_the_page_has_it_too(unit):
    before = f"<Description><MeasurementUnit>{unit}</MeasurementUnit></Description>"
    text = alto('<TextBlock HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/>', before, 'WIDTH="2100" HEIGHT="2970"')
    assert pages(read(text)) == [("scan", 2100, 2970)]
    # The same page at another resolution: the frames differ, the shares do not.
    half = alto('<TextBlock HPOS="5" VPOS="10" WIDTH="15" HEIGHT="20"/>', size='WIDTH="1050" HEIGHT="1485"')
    compared = lcm.compare(read(text), read(half), rounding="exact")
    assert compared.confusion().average("micro")["f1"] == pytest.approx(1)


def test_alto_without_page_size_is_read_in_pixels_only():
    block = '<TextBlock HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/>'
    assert pages(read(alto(block, size=""), sizes=(50, 60))) == [("scan", 50, 60)]
    millimetres = "<Description><MeasurementUnit>mm10</MeasurementUnit></Description>"
    refusal(alto(block, millimetres, size=""), "'mm10'", "WIDTH and HEIGHT", sizes=(50, 60))


@pytest.mark.parametrize("points", ["10,20 40,25 30,60", "10 20 40 25 30 60"])
def test_alto_polygons_give_the_outline_and_where_nothing_else_does_the_box(points):
    shape = f'<Shape><Polygon POINTS="{points}"/></Shape>'
    without, with_sides = (
        f"<TextBlock>{shape}</TextBlock>",
        f'<TextBlock HPOS="10" VPOS="20" WIDTH="31" HEIGHT="41">{shape}</TextBlock>',
    )
    assert regions(read(alto(without))) == [("TextBlock", 10, 20, 40, 60)]
    assert regions(read(alto(with_sides))) == [("TextBlock", 10, 20, 41, 61)]
    [outline] = read(alto(with_sides), shapes="polygon").region_columns.shapes.values()
    assert outline.rings[0].tolist() == [[10, 20], [40, 25], [30, 60]]


def test_alto_blocks_without_sides_are_left_out_and_wrong_sides_are_named():
    assert codes(read(alto('<TextBlock ID="b1" HPOS="1" VPOS="2" WIDTH="3"/>'))) == {"no-coordinates": 1}
    refusal(alto('<TextBlock ID="b1" HPOS="1" VPOS="2" WIDTH="x" HEIGHT="4"/>'), "block 'b1'/WIDTH", "'x'")


def test_alto_pages_are_named_by_their_image_and_several_by_number():
    name = "<sourceImageInformation><fileName>C:\\scans\\7.tif</fileName></sourceImageInformation>"
    image = f"<Description>{name}</Description>"
    assert read(alto("", image)).page_columns.names == ("C:\\scans\\7.tif",)
    several = read(alto("", image).replace("</Page>", '</Page><Page WIDTH="5" HEIGHT="6"/>'), "book.xml")
    assert pages(several) == [("book_p1", 100, 80), ("book_p2", 5, 6)]
    assert several.page_columns.documents == ("book", "book") and several.page_columns.numbers.tolist() == [1, 2]


# --- hOCR

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
    """Unclosed paragraphs and metas, upper case, values without quotes, a span as an area, two classes on one."""
    text = (
        "<!DOCTYPE HTML><HTML><META charset=utf-8><BODY><DIV CLASS=ocr_page TITLE='bbox 0 0 100 80'><BR>"
        "<P class=ocr_par title='bbox 1 2 3 4'>one<P class=ocr_par title='bbox 5 6 7 8'>two & <b>three</i>"
        "<span class='ocr_carea ocr_caption' title=\"x_bboxes 9 9 9 9; bbox 10 20 30 40\">four</span>"
        "<P class=ocr_par title='bbox 1 2 3 4'/></DIV></BODY></HTML>"
    )
    layout = read(text, "x.html")
    assert pages(layout) == [("x", 100, 80)]
    # The span stands in the second paragraph, which HTML leaves open.
    assert [row[0] for row in regions(layout)] == ["ocr_par"] * 3
    closed = read(text.replace("two", "two</P>"), "x.html")
    assert [row[0] for row in regions(closed)] == ["ocr_par", "ocr_par", "ocr_carea", "ocr_caption", "ocr_par"]


def test_hocr_blocks_without_a_box_have_the_one_around_their_lines():
    line = "<span class='ocr_line' title='bbox {}'>a</span>"
    lines = f"<h3>{line.format('10 20 50 30')}</h3>{line.format('8 30 40 40')}"
    layout = read(hocr(f"<div class='ocr_carea'><p class='ocr_par'>{lines}</p></div><div class='ocr_table'></div>"))
    assert sorted(regions(layout)) == [("ocr_carea", 8, 20, 50, 40), ("ocr_par", 8, 20, 50, 40)]
    assert codes(layout) == {"box-from-content": 2, "no-coordinates": 1}


def test_hocr_tables_can_stay_closed():
    inside = "<div class=ocr_table title='bbox 1 1 9 9'><div class=ocr_carea title='bbox 2 2 3 3'></div></div>"
    assert [row[0] for row in regions(read(hocr(inside)))] == ["ocr_table", "ocr_carea"]
    assert [row[0] for row in regions(read(hocr(inside), nested=False))] == ["ocr_table"]


def test_hocr_pages_of_one_image_are_told_apart_by_number():
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
def test_hocr_pages_without_a_box_need_a_size_and_an_offset_is_told(title, size):
    text = hocr("", title)
    if size is None:
        refusal(text, "the size of page 'a.png' is not known")
    layout = read(text, sizes=(7, 8))
    assert pages(layout) == [("a.png", *(size or (7, 8)))]
    assert ("page-offset" in codes(layout)) == (size is not None)


def test_hocr_says_at_which_line_it_is_wrong():
    refusal(hocr("\n\n<p class=ocr_par title='bbox 1 2 3'>"), "line 3", "four numbers")
    refusal(hocr("\n<p class=ocr_par title='bbox 1 2 3 x'>"), "line 2/y1", "'x'")
    refusal(TESSERACT[:700], "ends before its page does", name="x.hocr")
    refusal(hocr("").replace("a.png", "\udcff").encode("utf-8", "surrogateescape"), "not UTF-8")


# --- CVAT


def test_cvat_takes_boxes_polygons_and_masks_and_tells_what_covers_nothing():
    layout = read(
        cvat(
            '<box label="text" xtl="1.25" ytl="2" xbr="30" ybr="40" z_order="3">'
            '<attribute name="level">1</attribute></box>'
            '<polygon label="table" points="10.00,20.00;40.00,25.00;30.00,60.00" z_order="0"></polygon>'
            '<mask label="seal" rle="1, 2, 1" left="5" top="6" width="2" height="2"></mask>'
            '<ellipse label="stamp" cx="50" cy="40" rx="10" ry="5"></ellipse>'
            '<box label="" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
            '<polyline label="reading_order" points="1,2;3,4"></polyline><points label="p" points="1,2"/>'
            '<tag label="good"/><polygon label="table" points=""></polygon>'
        )
    )
    found = regions(layout)
    assert found[:3] == [("text", 1.25, 2, 30, 40), ("table", 10, 20, 40, 60), ("seal", 5, 6, 7, 8)]
    assert found[3][0] == "stamp" and found[3][1:] == pytest.approx((40, 35, 60, 45))
    assert found[4] == ("(no name)", 1, 2, 3, 4)
    assert codes(layout) == {"not-an-area": 2, "no-coordinates": 1}


def test_cvat_declares_the_labels_that_can_cover_something():
    kinds = {"text": "rectangle", "order": "polyline", "table": "any", "good": "tag"}
    labels = "".join(f"<label><name>{name}</name><type>{kind}</type></label>" for name, kind in kinds.items())
    meta = f"<meta><job><labels>{labels}</labels></job></meta>"
    layout = read(cvat("").replace("<image", f"{meta}<image"))
    assert layout.labels == ["text", "table"] and len(layout.regions) == 0


def test_a_turned_box_reaches_as_far_as_its_corners():
    text = cvat('<box label="t" xtl="40" ytl="30" xbr="60" ybr="50" rotation="45"></box>')
    half = 10 * math.sqrt(2)
    assert regions(read(text))[0][1:] == pytest.approx((50 - half, 40 - half, 50 + half, 40 + half))
    [outline] = read(text, shapes="polygon").region_columns.shapes.values()
    assert sorted(map(tuple, outline.rings[0].round(6).tolist()))[0] == pytest.approx((50 - half, 40))
    quarter = cvat('<box label="t" xtl="40" ytl="30" xbr="60" ybr="34" rotation="90"></box>')
    assert regions(read(quarter))[0][1:] == pytest.approx((48, 22, 52, 42))


def test_a_mask_keeps_its_pixels_where_they_are_on_the_page():
    """Runs go along the rows of the mask's own box: 0 1 1 / 1 1 0."""
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


def test_cvat_names_the_shape_that_is_wrong():
    good = '<box label="t" xtl="1" ytl="2" xbr="3" ybr="4"></box>'
    refusal(cvat(good + good.replace('"3"', '"three"')), "image[0]/shape[1]/xbr", "'three'")
    refusal(cvat(good.replace('xtl="1"', "")), "image[0]/shape[0]/xtl")
    refusal(
        cvat(good.replace("/box", 'x rotation="y"').replace("<box", '<box rotation="y"').replace("<x", "</box")),
        "scan.xml",
    )


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
    closed = read(text, "p.dt", sizes=(1000, 2000), nested=False)
    assert [row[0] for row in regions(closed)] == ["page_header", "picture", "list_item", "otsl"]


def test_doctags_of_several_pages_are_numbered():
    one = "<text><loc_0><loc_0><loc_500><loc_250>a</text>"
    layout = read(f"<doctag>{one}\n<page_break>\n{one}{one}<page_break></doctag>", "book.doctags", sizes=(10, 10))
    assert layout.page_columns.names == ("book_p1", "book_p2", "book_p3")
    assert layout.page_columns.documents == ("book",) * 3 and layout.page_columns.numbers.tolist() == [1, 2, 3]
    assert layout.region_columns.page.tolist() == [0, 1, 1]


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


# --- Pascal VOC


def test_voc_takes_floats_and_leaves_the_parts_of_an_object_out():
    part = "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>"
    layout = read(voc(voc_object("person", (1.5, "2,5", " 30 ", 40), part) + "<object><name>lost</name></object>"))
    assert regions(layout) == [("person", 1.5, 2.5, 30, 40)]
    assert codes(layout) == {"no-coordinates": 1}
    refusal(voc(voc_object("t", (1, "", 3, 4))), "object[0]/ymin")


def test_voc_files_that_share_a_filename_go_by_their_own_name(tmp_path):
    for name in ("p1", "p2"):
        (tmp_path / f"{name}.xml").write_text(voc(voc_object()))
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("p1", "p2") and codes(layout) == {"shared-page-name": 2}


def test_files_that_share_everything_but_their_folder_go_by_their_path(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.xml").write_text(page_xml(""))
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("one/a", "two/a") and codes(layout) == {"shared-page-name": 2}


@pytest.mark.parametrize("name", ["", "<filename/>", "<filename> </filename>"])
def test_voc_without_a_filename_goes_by_the_file(name):
    assert read(voc("", name), "p7.xml").page_columns.names == ("p7",)


def test_an_image_beside_the_file_decides_which_of_two_names_is_meant(tmp_path):
    from PIL import Image

    (tmp_path / "p7.xml").write_text(voc(voc_object(), "<filename>old name.jpg</filename>", ""))
    Image.new("L", (60, 50)).save(tmp_path / "p7.png")
    assert pages(lcm.read(tmp_path)) == [("p7", 60, 50)]
    Image.new("L", (60, 50)).save(tmp_path / "old name.png")
    assert pages(lcm.read(tmp_path)) == [("old name.jpg", 60, 50)]


# --- all of them


@pytest.mark.parametrize("format", ["page-xml", "alto", "hocr", "cvat", "doctags", "voc"])
@pytest.mark.parametrize("text", ["<a/>", "<a><b/></a>", "hello", "{}", "<a", "<"])
def test_a_format_that_is_named_but_not_there_is_refused(format, text):
    with pytest.raises(lcm.InputError):
        read(text, format=format)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE r [<!ELEMENT r ANY>]>\n<x:r/>", "r"),
        ("\ufeff <!doctype html><HTML>", "HTML"),
        ("<!-- never closed <r>", ""),
        ("no markup <r>", ""),
        ("<", ""),
    ],
)
def test_the_root_is_found_behind_whatever_stands_before_it(text, root):
    assert root_name(Content("x", text.encode())) == root


@pytest.mark.parametrize(
    "label", ["<b>", "=1+1", "$x$", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\U0001f600", "a & b"]
)
def test_labels_are_kept_as_typed(label):
    from xml.sax.saxutils import escape, quoteattr

    box = 'xtl="1" ytl="2" xbr="3" ybr="4"'
    assert read(cvat(f"<box label={quoteattr(label)} {box}/>")).labels == [label]
    assert read(voc(voc_object(escape(label)))).labels == [label]
    tags = f'<Tags><OtherTag ID="T" LABEL={quoteattr(label)}/></Tags>'
    assert read(alto('<TextBlock TAGREFS="T" HPOS="1" VPOS="1" WIDTH="1" HEIGHT="1"/>', tags)).labels == [label]
    kind = f"<TextRegion type={quoteattr(label)}><Coords points='1,1 2,1 2,2'/></TextRegion>"
    assert read(page_xml(kind)).labels == [f"TextRegion:{label}"]
