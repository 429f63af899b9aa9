"""Details of PAGE-XML, ALTO and Pascal VOC, in the variants that tools write, and tests of all markup formats."""

import math

import pytest

import layoutcm as lcm
from layoutcm.formats.content import FileContent
from layoutcm.formats.markup import root_name
from support.reading import codes, labels, pages, read, refusal, regions

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


def cvat(inside):
    return f'<annotations><image id="0" name="a.png" width="100" height="80">{inside}</image></annotations>'


def voc(inside, name="<filename>a.png</filename>", size="<size><width>100</width><height>80</height></size>"):
    return f"<annotation>{name}{size}{inside}</annotation>"


def voc_object(label="t", corners=(1, 2, 3, 4), more=""):
    box = "".join(f"<{k}>{v}</{k}>" for k, v in zip(("xmin", "ymin", "xmax", "ymax"), corners))
    return f"<object><name>{label}</name><bndbox>{box}</bndbox>{more}</object>"


# --- PAGE-XML


def test_page_xml_takes_the_type_of_a_region_from_custom_then_from_type():
    layout = read(page_xml(
        f'<TextRegion id="1" type="heading"><Coords points="{SQUARE}"/></TextRegion>'
        f'<TextRegion id="2" type="other" custom="readingOrder {{index:1;}} structure {{score:1; type:MainZone;}}">'
        f'<Coords points="{SQUARE}"/></TextRegion>'
        f'<TextRegion id="3" custom="structure {{type:foot\\u0020note;}}"><Coords points="{SQUARE}"/></TextRegion>'
        f'<TextRegion id="4" custom="structure {{type:;}}"><Coords points="{SQUARE}"/></TextRegion>'
        f'<GraphicRegion id="5" type="logo"><Coords points="{SQUARE}" conf="0.5"/></GraphicRegion>'
    ))  # fmt: skip
    labels = ["TextRegion:heading", "TextRegion:MainZone", "TextRegion:foot note", "TextRegion", "GraphicRegion:logo"]
    assert regions(layout) == [(label, 10, 20, 30, 60) for label in labels]
    assert layout.region_columns.scores.tolist()[-1] == 0.5 and math.isnan(layout.region_columns.scores[0])
    assert pages(layout) == [("a.png", 100, 80)] and layout.findings == ()


def test_page_xml_of_2010_has_points_as_elements_and_may_have_any_prefix():
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


def test_page_xml_regions_inside_tables_can_be_left_out():
    inside = (
        f'<TableRegion id="t"><Coords points="0,0 90,0 90,70 0,70"/>'
        f'<TextRegion id="c"><Coords points="{SQUARE}"/>'
        '<TextLine id="l"><Coords points="1,1 2,2"/></TextLine></TextRegion>'
        f'<TableCell id="d"><Coords points="{SQUARE}"/></TableCell></TableRegion>'
        f'<TextRegion id="o"><Coords points="{SQUARE}"/>'
        '<TextRegion id="i"><Coords points="1,1 9,1 9,9 1,9"/></TextRegion></TextRegion>'
    )
    everything = ["TableRegion", "TextRegion", "TableCell", "TextRegion", "TextRegion"]
    assert labels(read(page_xml(inside))) == everything
    assert labels(read(page_xml(inside), nested=False)) == ["TableRegion", "TextRegion", "TextRegion"]


def test_page_xml_regions_without_coordinates_are_left_out_and_reported():
    empty = '<TextRegion id="r1"><Coords/></TextRegion><TextRegion id="r2"/>'
    inside = f'{empty}<TextRegion id="r3"><Coords points=""/></TextRegion>'
    layout = read(page_xml(inside))
    assert regions(layout) == [] and codes(layout) == {"no-coordinates": 3}
    assert "'r1'" in layout.findings[0].message


@pytest.mark.parametrize("size", ['imageWidth="0" imageHeight="0"', 'imageWidth="unknown" imageHeight="?"', ""])
def test_an_invalid_page_size_is_taken_from_elsewhere_or_an_error(size):
    text = page_xml("", f'imageFilename="img/a.png" {size}')
    refusal(text, "the size of page 'img/a.png' is not known", "--sizes")
    assert pages(read(text, sizes=(7, 9))) == [("img/a.png", 7, 9)]
    like = read(page_xml("", 'imageFilename="a.tif" imageWidth="30" imageHeight="40"'))
    assert pages(read(text, like=like)) == [("img/a.png", 30, 40)]


@pytest.mark.parametrize(("points", "problem"), [
    ("1,2 3", "an x without a y"),
    ("1,2 3,b 4,5", "not a list of points"),
    ("1,2 nan,3 4,5", "not finite"),
    ("1,2 1e400,3", "not finite"),
    ("1,2 1e12,3 4,4", "at most 1,000,000,000"),
    ("1,2 " * 300_000, "longer than"),
])  # fmt: skip
def test_the_error_for_a_wrong_outline_names_the_region(points, problem):
    refusal(page_xml(f'<TextRegion id="r7"><Coords points="{points}"/></TextRegion>'), "region 'r7'", problem)


# --- ALTO


def test_alto_labels_come_from_tags_or_from_the_element_and_its_type():
    sides = 'HPOS="1.5" VPOS="2" WIDTH="3" HEIGHT="4"'
    before = (
        '<Tags><OtherTag ID="T1" TYPE="region" LABEL="MainZone"/><LayoutTag ID="T2" TYPE="Margin"/>'
        '<NamedEntityTag ID="N1" LABEL="Goethe"/></Tags>'
    )
    layout = read(alto(
        f'<TextBlock ID="a" TAGREFS="T1" {sides}/><TextBlock ID="b" TAGREFS="T1 T2" {sides}/>'
        f'<TextBlock ID="c" TAGREFS="N1" {sides}/><TextBlock ID="d" TAGREFS="gone" {sides}/>'
        f'<Illustration ID="e" TYPE="photo" {sides}/><GraphicalElement ID="f" {sides}/>',
        before,
    ))  # fmt: skip
    labels = ["MainZone", "MainZone", "Margin", "TextBlock", "TextBlock", "Illustration:photo", "GraphicalElement"]
    assert regions(layout) == [(label, 1.5, 2, 4.5, 6) for label in labels]
    assert codes(layout) == {"unknown-tag": 1}


@pytest.mark.parametrize("kind", ["language", "Language"])
def test_alto_tags_of_a_language_are_no_labels(kind):
    tags = f'<OtherTag ID="M" TYPE="region" LABEL="Main"/><OtherTag ID="L" TYPE="{kind}" LABEL="deu"/>'
    sides = 'HPOS="1" VPOS="2" WIDTH="3" HEIGHT="4"'
    blocks = f'<TextBlock TAGREFS="M L" {sides}/><TextBlock TAGREFS="L" {sides}/>'
    layout = read(alto(blocks, f"<Tags>{tags}</Tags>"))
    assert [label for label, *_ in regions(layout)] == ["Main", "TextBlock"] and codes(layout) == {}


def test_alto_composed_blocks_nest_and_margins_also_contain_blocks():
    sides = 'HPOS="0" VPOS="0" WIDTH="9" HEIGHT="9"'
    cell = f'<TextBlock ID="cell" {sides}><TextLine {sides}><String {sides}/></TextLine></TextBlock>'
    table = f'<ComposedBlock ID="t" TYPE="table" {sides}>{cell}</ComposedBlock>'
    text = alto(f'<ComposedBlock ID="o" {sides}>{table}</ComposedBlock>').replace(
        "<PrintSpace>", f'<TopMargin><TextBlock ID="h" {sides}/></TopMargin><PrintSpace>'
    )
    nested = ["TextBlock", "ComposedBlock", "ComposedBlock:table", "TextBlock"]
    assert labels(read(text)) == nested
    assert labels(read(text, nested=False)) == nested[:3]


@pytest.mark.parametrize("unit", ["pixel", "mm10", "inch1200", "px", ""])
def test_alto_keeps_the_unit_because_the_page_has_it_too(unit):
    before = f"<Description><MeasurementUnit>{unit}</MeasurementUnit></Description>"
    text = alto('<TextBlock HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/>', before, 'WIDTH="2100" HEIGHT="2970"')
    assert pages(read(text)) == [("scan", 2100, 2970)]
    # The same page at another resolution: the frames differ, the relative positions do not.
    half = alto('<TextBlock HPOS="5" VPOS="10" WIDTH="15" HEIGHT="20"/>', size='WIDTH="1050" HEIGHT="1485"')
    compared = lcm.compare(read(text), read(half), rounding="exact")
    assert compared.confusion().average("micro")["f1"] == pytest.approx(1)


def test_alto_without_page_size_is_read_in_pixels_only():
    block = '<TextBlock HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/>'
    assert pages(read(alto(block, size=""), sizes=(50, 60))) == [("scan", 50, 60)]
    millimetres = "<Description><MeasurementUnit>mm10</MeasurementUnit></Description>"
    refusal(alto(block, millimetres, size=""), "'mm10'", "WIDTH and HEIGHT", sizes=(50, 60))


@pytest.mark.parametrize("points", ["10,20 40,25 30,60", "10 20 40 25 30 60"])
def test_alto_polygons_give_the_outline_and_the_box_if_there_is_no_other(points):
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


def test_alto_pages_are_named_after_their_image_or_numbered_if_there_are_several():
    name = "<sourceImageInformation><fileName>C:\\scans\\7.tif</fileName></sourceImageInformation>"
    image = f"<Description>{name}</Description>"
    assert read(alto("", image)).page_columns.names == ("C:\\scans\\7.tif",)
    several = read(alto("", image).replace("</Page>", '</Page><Page WIDTH="5" HEIGHT="6"/>'), "book.xml")
    assert pages(several) == [("book_p1", 100, 80), ("book_p2", 5, 6)]
    assert several.page_columns.documents == ("book", "book") and several.page_columns.numbers.tolist() == [1, 2]


# --- Pascal VOC


def test_voc_numbers_may_be_floats_and_parts_of_objects_are_left_out():
    part = "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>"
    layout = read(voc(voc_object("person", (1.5, "2,5", " 30 ", 40), part) + "<object><name>lost</name></object>"))
    assert regions(layout) == [("person", 1.5, 2.5, 30, 40)]
    assert codes(layout) == {"no-coordinates": 1}
    refusal(voc(voc_object("t", (1, "", 3, 4))), "object[0]/ymin")


def test_voc_pages_that_share_a_filename_are_named_after_their_files(tmp_path):
    for name in ("p1", "p2"):
        (tmp_path / f"{name}.xml").write_text(voc(voc_object()))
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("p1", "p2") and codes(layout) == {"shared-page-name": 2}


def test_pages_of_files_that_differ_only_in_their_folder_are_named_after_their_path(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.xml").write_text(page_xml(""))
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("one/a", "two/a") and codes(layout) == {"shared-page-name": 2}


@pytest.mark.parametrize("name", ["", "<filename/>", "<filename> </filename>"])
def test_voc_pages_without_a_filename_are_named_after_the_file(name):
    assert read(voc("", name), "p7.xml").page_columns.names == ("p7",)


def test_an_image_next_to_the_file_decides_which_of_two_names_is_used(tmp_path):
    from PIL import Image

    (tmp_path / "p7.xml").write_text(voc(voc_object(), "<filename>old name.jpg</filename>", ""))
    Image.new("L", (60, 50)).save(tmp_path / "p7.png")
    assert pages(lcm.read(tmp_path)) == [("p7", 60, 50)]
    Image.new("L", (60, 50)).save(tmp_path / "old name.png")
    assert pages(lcm.read(tmp_path)) == [("old name.jpg", 60, 50)]


# --- all markup formats


@pytest.mark.parametrize("format", ["page-xml", "alto", "hocr", "cvat", "doctags", "voc"])
@pytest.mark.parametrize("text", ["<a/>", "<a><b/></a>", "hello", "{}", "<a", "<"])
def test_a_file_that_does_not_have_the_named_format_is_refused(format, text):
    with pytest.raises(lcm.InputError):
        read(text, format=format)


@pytest.mark.parametrize(("text", "root"), [
    ("<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE r [<!ELEMENT r ANY>]>\n<x:r/>", "r"),
    ("\ufeff <!doctype html><HTML>", "HTML"),
    ("<!-- never closed <r>", ""),
    ("no markup <r>", ""),
    ("<", ""),
])  # fmt: skip
def test_the_root_is_found_after_prolog_and_comments(text, root):
    assert root_name(FileContent("x", text.encode())) == root


@pytest.mark.parametrize(
    "label", ["<b>", "=1+1", "$x$", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\U0001f600", "a & b"]
)
def test_labels_are_kept_as_written(label):
    from xml.sax.saxutils import escape, quoteattr

    box = 'xtl="1" ytl="2" xbr="3" ybr="4"'
    assert read(cvat(f"<box label={quoteattr(label)} {box}/>")).labels == [label]
    assert read(voc(voc_object(escape(label)))).labels == [label]
    tags = f'<Tags><OtherTag ID="T" LABEL={quoteattr(label)}/></Tags>'
    assert read(alto('<TextBlock TAGREFS="T" HPOS="1" VPOS="1" WIDTH="1" HEIGHT="1"/>', tags)).labels == [label]
    kind = f"<TextRegion type={quoteattr(label)}><Coords points='1,1 2,1 2,2'/></TextRegion>"
    assert read(page_xml(kind)).labels == [f"TextRegion:{label}"]
