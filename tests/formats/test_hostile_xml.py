"""Untrusted markup gives a layout or an InputError, in bounded time and memory."""

import gc
import socket
from xml.etree.ElementTree import Element

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.formats import markup
from layoutcm.formats.content import FileContent
from layoutcm.layouts import limits
from support.reading import fails
from written import written

XML = ("page-xml", "alto", "cvat", "voc")
MARKUP = (*XML, "hocr", "doctags")
PAGE = '<PcGts xmlns="x"><Page imageFilename="a.png" imageWidth="100" imageHeight="80">{}</Page></PcGts>'
REGION = '<TextRegion id="r"><Coords points="1,1 9,1 9,9 1,9"/></TextRegion>'
HOCR = "<html><body><div class='ocr_page' title='bbox 0 0 100 80'>{}</div></body></html>"
MANY, DEEP = 30_000, 100_000


def read(data, name="x.xml", **options):
    return lcm.read((name, data.encode() if isinstance(data, str) else data), sizes=(100, 100), **options)


def refusal(data, *words, **options):
    with pytest.raises(lcm.InputError) as caught:
        read(data, **options)
    for word in words:
        assert word in str(caught.value)


def count_elements():
    return sum(isinstance(thing, Element) for thing in gc.get_objects())


def first_file(format):
    return next(iter(written(format).items()))


@pytest.mark.parametrize("declared", [
    '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">',
    '<!ENTITY c SYSTEM "file:///etc/hostname">',
    '<!ENTITY % remote SYSTEM "http://127.0.0.1:1/a.dtd"> %remote;',
])  # fmt: skip
@pytest.mark.parametrize("format", XML)
def test_entities_are_refused_before_anything_is_parsed(declared, format, monkeypatch):
    monkeypatch.setattr(markup.ElementTree, "fromstring", lambda data: pytest.fail("parsed"))
    name, data = first_file(format)
    prolog, root = data.split(b"?>\n", 1) if data.startswith(b"<?xml") else (b"<?xml version='1.0'", data)
    doctype = f"<!DOCTYPE r [{declared}]>".encode()
    refusal(prolog + b"?>\n" + doctype + root, "line 2", "entities", name=name, format=format)


def test_nothing_outside_the_file_is_fetched(monkeypatch):
    monkeypatch.setattr(socket, "socket", lambda *_: pytest.fail("the network was used"))
    doctype = '<!DOCTYPE PcGts SYSTEM "http://127.0.0.1:1/page.dtd">'
    assert len(read(doctype + PAGE.format(REGION)).regions) == 1
    refusal(doctype + PAGE.format("&outside;"), "undefined entity")


def test_default_values_of_attributes_are_refused_and_other_document_types_read():
    doctype = "<?xml version='1.0'?>\n<!DOCTYPE PcGts {}>"
    declared = '[<!ELEMENT a EMPTY>\n<!ATTLIST a b CDATA "default">]'
    refusal(doctype.format(declared) + PAGE.format(REGION), "line 3", "default values of attributes", "Remove them")
    assert len(read(doctype.format("[<!ELEMENT PcGts ANY>]") + PAGE.format(REGION)).regions) == 1
    assert len(read(doctype.format('PUBLIC "-//X//EN" "x.dtd"') + PAGE.format(REGION)).regions) == 1


@pytest.mark.parametrize("name", ["xmlns", "xmlns:a", "xmlns:" + "b" * 5000])
@pytest.mark.parametrize("equals", ["=", " \n = \t" + " " * 5000])
@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_long_namespace_is_refused_and_a_usual_one_read(name, equals, quote):
    page = PAGE.replace('xmlns="x"', f"\n{name}{equals}{quote}{{}}{quote}")
    refusal(page.replace("{}", "x" * 1001, 1).format(""), "line 2", "namespace", "too long")
    if len(name) < 10:
        assert len(read(page.replace("{}", "x" * 1000, 1).format(REGION)).regions) == 1


@pytest.mark.parametrize(("start", "root"), [
    ("<?xml?><!-- <b> --><!DOCTYPE html><html>", "html"),
    ("\ufeff \n<!doctype html [<!ELEMENT a ANY>]\n><?a > ?><x:html>", "html"),
    ("<?a ?><!-- b", ""),
    ("<!DOCTYPE html [<html>", ""),
    ("<!DOCTYPE html [ ] <html", ""),
    ("<?xml" * MANY, ""),
    (" " * MANY + "<a>", "a"),
    ("<a.b-c>", "a.b-c"),
    ("<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE r [<!ELEMENT r ANY>]>\n<x:r/>", "r"),
    ("\ufeff <!doctype html><HTML>", "HTML"),
    ("<!-- never closed <r>", ""),
    ("no markup <r>", ""),
    ("<", ""),
])  # fmt: skip
def test_the_name_of_the_root_is_found_after_the_prologue(start, root):
    assert markup.root_name(FileContent("x", start.encode())) == root


@pytest.mark.parametrize("encoding", ["cp037", "utf-7", "utf-16", "utf-32", "no such thing"])
def test_an_encoding_that_could_hide_an_entity_is_refused_even_after_many_blanks(encoding):
    blanks = " " * 5000
    refusal(f'<?xml version="1.0"{blanks}encoding="{encoding}"?>{PAGE.format("")}', "encoding", encoding[:7])


def test_the_error_for_text_that_is_not_utf_8_names_the_byte():
    place = f"byte {PAGE.index('{}')}"
    refusal(PAGE.format("\udcff").encode("utf-8", "surrogateescape"), place, "0xff is not UTF-8")
    refusal(PAGE.format("").encode("utf-16-le"), "not", format="page-xml")


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "us-ascii", "UTF-8"])
def test_declared_single_byte_encodings_are_read(encoding):
    label = "text" if encoding == "us-ascii" else "r\xe9sum\xe9"
    box = f'<box label="{label}" xtl="1" ytl="2" xbr="3" ybr="4"/>'
    text = f'<?xml version="1.0" encoding="{encoding}"?><annotations><image name="a">{box}</image></annotations>'
    assert read(text.encode(encoding)).labels == [label]


@pytest.mark.parametrize(("before", "level", "after"), [
    (PAGE.split("{}")[0], "TextRegion", PAGE.split("{}")[1]),
    ('<alto><Layout><Page WIDTH="9" HEIGHT="9">', "ComposedBlock", "</Page></Layout></alto>"),
    ('<annotations><image name="a">', "box", "</image></annotations>"),
    ("<annotation>", "object", "</annotation>"),
    (HOCR.split("{}")[0], "div", HOCR.split("{}")[1]),
], ids=["page-xml", "alto", "cvat", "voc", "hocr"])  # fmt: skip
@pytest.mark.parametrize("closed", [True, False])
def test_a_hundred_thousand_levels_are_too_deep(before, level, after, closed):
    end = f"</{level}>" * DEEP + after if closed else ""
    refusal(before + f"<{level}>" * DEEP + end, "nested too deeply" if closed else "")


@pytest.mark.parametrize("streamed", [True, False])
def test_depth_is_bounded_in_files_of_any_size(streamed, monkeypatch):
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0 if streamed else 1 << 30)
    refusal(PAGE.format("<a>" * DEEP + "</a>" * DEEP), "nested too deeply")
    assert len(read(PAGE.format("<a>" * 300 + "</a>" * 300 + REGION)).regions) == 1


@pytest.mark.parametrize("format", MARKUP)
@pytest.mark.parametrize("streamed", [True, False])
def test_a_truncated_file_is_refused_or_has_lost_no_region(format, streamed, monkeypatch):
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0 if streamed else 1 << 30)
    name, data = first_file(format)
    whole = read(data, name)
    for length in range(1, len(data) - 1, 7):
        try:
            layout = read(data[:length], name, format=format)
        except lcm.InputError as error:
            assert str(error)
        else:  # truncated DocTags are valid up to the cut; HTML may end between two pages
            may_be_incomplete = format == "doctags" or "cut-off" in {finding.code for finding in layout.findings}
            assert may_be_incomplete or len(layout.regions) == len(whole.regions)


@pytest.mark.parametrize("streamed", [True, False])
def test_one_huge_value_is_read_or_refused(streamed, monkeypatch):
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0 if streamed else 1 << 30)
    monkeypatch.setattr(markup, "CHUNK", 1 << 12)
    huge = "7" * 3_000_000
    assert len(read(PAGE.format(REGION.replace('"r"', f'"{huge}"'))).regions) == 1
    assert len(read(PAGE.format(f"<!--{huge}-->{huge}<![CDATA[{huge}]]>{REGION}")).regions) == 1
    refusal(PAGE.format(REGION.replace("1,1", f"1,{huge}")), "longer than")
    assert len(read(PAGE.replace("100", huge).format(REGION)).regions) == 1, "the size comes from `sizes`"
    kinds = read(PAGE.format(REGION.replace("id=", f'custom="{"structure {" * MANY}" id='))).labels
    assert kinds == ["TextRegion"]


@pytest.mark.parametrize("format", XML)
@pytest.mark.parametrize("chunk", [1 << 20, 64])
def test_a_streamed_file_gives_the_same_layout_as_a_tree(format, chunk, monkeypatch):
    files = list(written(format).items())
    like = lcm.read(list(written("coco").items()))
    tree = lcm.read(files, like=like)
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0)
    monkeypatch.setattr(markup, "CHUNK", chunk)
    streamed = lcm.read(files, like=like)
    assert streamed.page_columns.names == tree.page_columns.names and streamed.labels == tree.labels
    assert np.array_equal(streamed.region_columns.boxes, tree.region_columns.boxes)


def test_a_streamed_file_is_never_completely_in_memory(monkeypatch):
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0)
    monkeypatch.setattr(markup, "CHUNK", 1 << 10)
    image = "<image>" + "<box><attribute>1</attribute></box>" * 5 + "</image>"
    content = FileContent("x.xml", f"<annotations><meta><a/><a/></meta>{image * 500}</annotations>".encode())
    before, most = count_elements(), 0
    for i, element in enumerate(markup.elements(content, "image", skipping={"attribute"})):
        assert len(element) == 5 and not any(len(box) for box in element)
        if i % 100 == 0:
            most = max(most, count_elements() - before)
    assert i == 499
    # A chunk of 1 kB has about 30 elements, the whole file 5,500.
    assert most < 200


def test_a_page_with_too_many_elements_is_refused(monkeypatch):
    monkeypatch.setattr(markup, "STREAM_ABOVE", 0)
    monkeypatch.setattr(limits, "MAX_XML_ELEMENTS", 1000)
    refusal(PAGE.format("<a/>" * 2000), "over 1,000 elements")
    lines = "<TextLine><Word/></TextLine>" * 2000
    assert len(read(PAGE.format(REGION + lines)).regions) == 1, "lines and words do not count"


@pytest.mark.parametrize("inside", [
    "<a '" * MANY, "<" + "a" * 300_000, "<p class=" + " " * MANY, "<" * MANY, "<!--" * MANY, "<p>" * MANY,
    "</b>" * MANY, "<b " + "a" * MANY + ">", "<b " + "a " * MANY + ">", "<p class='" + "ocr_par " * MANY + "'>",
    "<p class=ocr_par title='" + "bbox " * MANY + "'></p>", "<p class=ocr_par title='" + '"' * MANY + "'></p>",
    "class=" * MANY, "<br>" * MANY,
])  # fmt: skip
def test_malformed_tags_take_linear_time(inside):
    """Each of these would take minutes with a parser that starts again from every position."""
    try:
        layout = read(HOCR.format(inside), "x.hocr")
    except lcm.InputError as error:
        assert str(error)
    else:
        assert len(layout.page_columns) == 1


@pytest.mark.parametrize(
    "inside", ["<loc_1>" * MANY, "<picture>" * MANY, "<text>" + " " * MANY, "</otsl><picture>" * MANY, "<text" * MANY]
)
def test_malformed_doctags_take_linear_time(inside):
    fails("no locations", read, f"<doctag><text>a</text>{inside}", "x.dt")


@pytest.mark.parametrize(("name", "start"), [("x.hocr", HOCR.split("{}")[0]), ("x.dt", "<doctag>")])
def test_a_file_with_too_many_tags_is_refused(name, start, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TAGS", 1000)
    refusal(start + "<b>" * 2000, "at most 1,000", name=name)


def test_too_many_pages_are_refused():
    refusal("<doctag>" + "<page_break>" * 200_000, "at most 100,000", name="x.dt")
