"""Details of PAGE-XML, ALTO and Pascal VOC, in the variants that tools write, and tests of all markup formats."""

import pytest

import layoutcm as lcm
from support.reading import codes, pages, read, read_as, reads, refusal, refused_as, refuses, regions

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


def region(id, more="", inside="", name="TextRegion"):
    return f'<{name} id="{id}" {more}><Coords points="{SQUARE}"/>{inside}</{name}>'


TYPES = {
    'type="heading"': "TextRegion:heading",
    'type="other" custom="readingOrder {index:1;} structure {score:1; type:MainZone;}"': "TextRegion:MainZone",
    'custom="structure {type:foot\\u0020note;}"': "TextRegion:foot note",
    'custom="structure {type:;}"': "TextRegion",
}
SCORED = f'<GraphicRegion id="5" type="logo"><Coords points="{SQUARE}" conf="0.5"/></GraphicRegion>'
LINE = '<TextLine id="l"><Coords points="1,1 2,2"/></TextLine>'
IN_TABLE = page_xml(
    region("t", "", region("c", "", LINE) + region("d", name="TableCell"), "TableRegion") + region("o", "", region("i"))
)
EMPTY = ('id="r1"><Coords/>', 'id="r2">', 'id="r3"><Coords points=""/>')
NO_POINTS = "".join(f"<TextRegion {inside}</TextRegion>" for inside in EMPTY)
SIDES = 'HPOS="1.5" VPOS="2" WIDTH="3" HEIGHT="4"'
TAGS = (
    '<Tags><OtherTag ID="T1" TYPE="region" LABEL="MainZone"/><LayoutTag ID="T2" TYPE="Margin"/>'
    '<NamedEntityTag ID="N1" LABEL="Goethe"/></Tags>'
)
TAGGED = "".join(f'<TextBlock TAGREFS="{tags}" {SIDES}/>' for tags in ("T1", "T1 T2", "N1", "gone"))
TAGGED += f'<Illustration ID="e" TYPE="photo" {SIDES}/><GraphicalElement ID="f" {SIDES}/>'
TAGGED_AS = ["MainZone", "MainZone", "Margin", "TextBlock", "TextBlock", "Illustration:photo", "GraphicalElement"]
LANGUAGE = '<Tags><OtherTag ID="M" TYPE="region" LABEL="Main"/><OtherTag ID="L" TYPE="{}" LABEL="deu"/></Tags>'
IN_LANGUAGE = f'<TextBlock TAGREFS="M L" {SIDES}/><TextBlock TAGREFS="L" {SIDES}/>'
CELL = f'<TextBlock ID="cell" {SIDES}><TextLine {SIDES}><String {SIDES}/></TextLine></TextBlock>'
COMPOSED = alto(
    f'<ComposedBlock ID="o" {SIDES}><ComposedBlock ID="t" TYPE="table" {SIDES}>{CELL}</ComposedBlock></ComposedBlock>'
).replace("<PrintSpace>", f'<TopMargin><TextBlock ID="h" {SIDES}/></TopMargin><PrintSpace>')
NESTED = ["TextBlock", "ComposedBlock", "ComposedBlock:table", "TextBlock"]
BLOCK = f"<TextBlock {SIDES}/>"
MILLIMETRES = "<Description><MeasurementUnit>mm10</MeasurementUnit></Description>"
IMAGE = "<fileName>C:\\scans\\7.tif</fileName>"
IMAGE = f"<Description><sourceImageInformation>{IMAGE}</sourceImageInformation></Description>"
PART = "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>"
LOST = "<object><name>lost</name></object>"
test_reading = read_as(
    *(reads(f"the type of a region of PAGE-XML: {more}", page_xml(region("1", more)), regions=[(label, 10, 20, 30, 60)],
            pages=[("a.png", 100, 80)], codes={}, scored=False) for more, label in TYPES.items()),
    reads("a score of PAGE-XML", page_xml(SCORED), scores=[0.5], regions=[("GraphicRegion:logo", 10, 20, 30, 60)],
          codes={}),
    reads("regions of PAGE-XML inside tables", IN_TABLE,
          labels=["TableRegion", "TextRegion", "TableCell", "TextRegion", "TextRegion"]),
    reads("outer regions of PAGE-XML", IN_TABLE, {"nested": False}, labels=["TableRegion", "TextRegion", "TextRegion"]),
    reads("regions of PAGE-XML without coordinates are left out", page_xml(NO_POINTS), regions=[],
          codes={"no-coordinates": 3}, says=["'r1'"]),
    reads("labels of ALTO come from tags or from the element and its type", alto(TAGGED, TAGS),
          regions=[(label, 1.5, 2, 4.5, 6) for label in TAGGED_AS], codes={"unknown-tag": 1}),
    *(reads(f"tags of ALTO of a {kind} are no labels", alto(IN_LANGUAGE, LANGUAGE.format(kind)),
            labels=["Main", "TextBlock"], codes={}) for kind in ("language", "Language")),
    reads("composed blocks of ALTO nest, and margins contain blocks", COMPOSED, labels=NESTED),
    reads("outer blocks of ALTO", COMPOSED, {"nested": False}, labels=NESTED[:3]),
    reads("ALTO without page size in pixels", alto(BLOCK, size=""), {"sizes": (50, 60)}, pages=[("scan", 50, 60)]),
    reads("blocks of ALTO without sides are left out", alto('<TextBlock ID="b1" HPOS="1" VPOS="2" WIDTH="3"/>'),
          codes={"no-coordinates": 1}),
    reads("a page of ALTO is named after its image", alto("", IMAGE), names=("C:\\scans\\7.tif",)),
    reads("pages of ALTO are numbered", alto("", IMAGE).replace("</Page>", '</Page><Page WIDTH="5" HEIGHT="6"/>'),
          "book.xml", pages=[("book_p1", 100, 80), ("book_p2", 5, 6)], documents=("book", "book"), numbers=[1, 2]),
    reads("numbers of VOC may be floats, and parts of objects are left out",
          voc(voc_object("person", (1.5, "2,5", " 30 ", 40), PART) + LOST), regions=[("person", 1.5, 2.5, 30, 40)],
          codes={"no-coordinates": 1}),
    *(reads(f"a page of VOC without a file name: {name!r}", voc("", name), "p7.xml", names=("p7",))
      for name in ("", "<filename/>", "<filename> </filename>")),
)  # fmt: skip
WRONG_POINTS = {"1,2 3": "an x without a y", "1,2 3,b 4,5": "not a list of points", "1,2 nan,3 4,5": "not finite",
                "1,2 1e400,3": "not finite", "1,2 1e12,3 4,4": "at most 1,000,000,000",
                "1,2 " * 300_000: "longer than"}  # fmt: skip
test_refusal = refused_as(
    *(refuses(f"the outline {points[:20]}", page_xml(f'<TextRegion id="r7"><Coords points="{points}"/></TextRegion>'),
              "region 'r7'", problem) for points, problem in WRONG_POINTS.items()),
    refuses("ALTO without page size in millimetres", alto(BLOCK, MILLIMETRES, size=""), "'mm10'", "WIDTH and HEIGHT",
            sizes=(50, 60)),
    refuses("a text in a block of ALTO", alto('<TextBlock ID="b1" HPOS="1" VPOS="2" WIDTH="x" HEIGHT="4"/>'),
            "block 'b1'/WIDTH", "'x'"),
    refuses("an edge of VOC without a number", voc(voc_object("t", (1, "", 3, 4))), "object[0]/ymin"),
)  # fmt: skip


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


@pytest.mark.parametrize("size", ['imageWidth="0" imageHeight="0"', 'imageWidth="unknown" imageHeight="?"', ""])
def test_an_invalid_page_size_is_taken_from_elsewhere_or_an_error(size):
    text = page_xml("", f'imageFilename="img/a.png" {size}')
    refusal(text, "the size of page 'img/a.png' is not known", "--sizes")
    assert pages(read(text, sizes=(7, 9))) == [("img/a.png", 7, 9)]
    like = read(page_xml("", 'imageFilename="a.tif" imageWidth="30" imageHeight="40"'))
    assert pages(read(text, like=like)) == [("img/a.png", 30, 40)]


@pytest.mark.parametrize("unit", ["pixel", "mm10", "inch1200", "px", ""])
def test_alto_keeps_the_unit_because_the_page_has_it_too(unit):
    before = f"<Description><MeasurementUnit>{unit}</MeasurementUnit></Description>"
    text = alto('<TextBlock HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/>', before, 'WIDTH="2100" HEIGHT="2970"')
    assert pages(read(text)) == [("scan", 2100, 2970)]
    # The same page at another resolution: the frames differ, the relative positions do not.
    half = alto('<TextBlock HPOS="5" VPOS="10" WIDTH="15" HEIGHT="20"/>', size='WIDTH="1050" HEIGHT="1485"')
    compared = lcm.compare(read(text), read(half), rounding="exact")
    assert compared.confusion().average("micro")["f1"] == pytest.approx(1)


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


@pytest.mark.parametrize(("files", "names"), [
    ({"p1.xml": voc(voc_object()), "p2.xml": voc(voc_object())}, ("p1", "p2")),
    ({"one/a.xml": page_xml(""), "two/a.xml": page_xml("")}, ("one/a", "two/a")),
], ids=["after their files", "after their path"])  # fmt: skip
def test_pages_that_share_a_name_are_named_otherwise(files, names):
    layout = lcm.read([(name, text.encode()) for name, text in files.items()])
    assert layout.page_columns.names == names and codes(layout) == {"shared-page-name": 2}


def test_an_image_next_to_the_file_decides_which_of_two_names_is_used(tmp_path):
    from PIL import Image

    (tmp_path / "p7.xml").write_text(voc(voc_object(), "<filename>old name.jpg</filename>", ""))
    Image.new("L", (60, 50)).save(tmp_path / "p7.png")
    assert pages(lcm.read(tmp_path)) == [("p7", 60, 50)]
    Image.new("L", (60, 50)).save(tmp_path / "old name.png")
    assert pages(lcm.read(tmp_path)) == [("old name.jpg", 60, 50)]


@pytest.mark.parametrize("format", ["page-xml", "alto", "hocr", "cvat", "doctags", "voc"])
@pytest.mark.parametrize("text", ["<a/>", "<a><b/></a>", "hello", "{}", "<a", "<"])
def test_a_file_that_does_not_have_the_named_format_is_refused(format, text):
    with pytest.raises(lcm.InputError):
        read(text, format=format)


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
