"""Details of files of document parsers: MinerU, Upstage, Adobe, LlamaParse, pdffigures2, GROBID and others."""

import pytest

import layoutcm as lcm
from support.reading import fails, read_as, reader, reads, refused_as, refuser, refuses

read, refuse = reader("doc.json"), refuser("doc.json")
SMALL = {"sizes": (50, 80)}
WIDE = {"sizes": (100, 80)}
OUTER = {"nested": False}


def model(*found):
    return [{"layout_dets": list(found), "page_info": {"page_no": 0, "width": 100, "height": 80}}]


TITLE = {"type": "title", "content": {"title_content": [], "level": 1}, "bbox": [100, 250, 500, 500]}
VLM_BLOCK = {"type": "text", "bbox": [0, 0, 1, 1], "content": "words", "merge_prev": True}


def element(x0, y0, x1, y1, key="coordinates", **fields):
    points = [{"x": x, "y": y} for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    return {key: points, "category": "paragraph", "id": 0, "page": 1} | fields


NOWHERE = element(0, 0, 1, 1) | {"coordinates": []}


def adobe(*elements, **page):
    size = {"page_number": 0, "width": 100, "height": 200, "rotation": 0} | page
    return {"version": {}, "extended_metadata": {}, "elements": list(elements), "pages": [size]}


def at(path, **fields):
    return {"Path": f"//Document/{path}", "Bounds": [10, 150, 30, 190], "Page": 0} | fields


PATHS = ["P[2]/Sub[3]", "L/LI[4]/LBody/StyleSpan[2]", "H1", "Table/TR[2]/TD/P", "Table/TR[2]/TD", "Table/TR[2]"]
CROPPED = {"boxes": {"CropBox": [100, 50, 500, 650], "MediaBox": [0, 0, 612, 792]}}


def node(kind, box=(10, 150, 30, 190), **fields):
    return {"type": kind, "page number": 1, "bounding box": box} | fields


def opendataloader(*kids):
    return {"file name": "a.pdf", "number of pages": 2, "kids": list(kids)}


ITEMS = [node("list item", kids=[node("paragraph")])]
CELLS = [node("table cell", kids=[node("list", **{"list items": ITEMS})])]
TABLE = node("table", rows=[{"type": "table row", "row number": 1, "cells": CELLS}])
OF_100_X_200 = {"sizes": (100, 200)}

ENTRY = {"bbox": {"x": 0.1, "y": 0.25, "w": 0.4, "h": 0.25}, "confidence": 0.5, "label": "text"}
LLAMA_PAGE = {"page": 1, "md": "", "layout": [ENTRY, ENTRY | {"isLikelyNoise": True}, ENTRY | {"bbox": None}]}
# The list of layout is there, and empty.
LLAMA_ITEMS = {"page": 1, "text": "x", "md": "x", "layout": [], "items": [{"type": "heading", "bBox": {"x": 1}}]}

BOX = {"x1": 1, "y1": 2, "x2": 30, "y2": 40}
FIGURE = {"figType": "Table", "page": 2, "regionBoundary": BOX, "captionBoundary": BOX | {"y1": 5}}
CAPTIONS = [{"figType": "Table", "page": 0, "boundary": BOX}]
ANNOTATED = {"page": 2, "page_width": 100, "page_height": 80, "figure_type": "Figure",
             "region_bb": [1, 2, 3, 4], "region_bb2": [5, 6, 7, 8], "caption_bb": [1, 5, 3, 9]}  # fmt: skip


def tei(body, surface='<surface n="1" lrx="100" lry="80"/>'):
    head = f'<teiHeader><application ident="GROBID"/></teiHeader><facsimile>{surface}</facsimile>'
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{head}<text><body>{body}</body></text></TEI>'


TEI_BODY = (
    '<p coords="1,1,2,10,5;1,50,2.5,10,5"><s coords="1,1,2,3,4">a</s></p>'
    '<figure type="table" coords="1,5,5,5,5"><head coords="1,6,6,1,1"/><table coords="1,7,7,1,1"/></figure>'
)
TEI_TITLE = '<title coords="1,1,2,10,5">a</title>'
SENTENCES = (
    '<div><p><s coords="1,50,10,30,1">a</s><s coords="1,50,12,30,1">b</s></p>\n'
    '<p coords="1,50,20,30,1"><s coords="1,50,20,30,1">c</s></p></div>'
)

test_reading = read_as(
    reads("MinerU 3 leaves lines and inline formulas out", model(
        {"cls_id": 22, "label": "text", "score": 0.5, "bbox": [1, 2, 30, 40]},
        {"label": "ocr_text", "score": 1.0, "bbox": [1, 2, 30, 10], "text": ""},
        {"cls_id": 3, "label": "inline_formula", "score": 1.0, "bbox": [1, 2, 5, 10]},
    ), "d_model.json", regions=[("text", 1, 2, 30, 40)], codes={"inline-detection": 2}),
    reads("a content list of MinerU leaves an entry without type out",
          [{"page_idx": 0, "bbox": [0, 0, 9, 9]}, {"type": "text", "page_idx": 0, "bbox": [100, 250, 500, 500]}],
          "d_content_list.json", SMALL, regions=[("text", 5, 20, 25, 40)], codes={"no-place": 1}),
    reads("a content list 2 of MinerU has pages in their order and blank ones",
          [[], [TITLE, {"bbox": [1, 2, 3, 4]}, {"type": "list"}]], "d_content_list_v2.json", SMALL,
          format="mineru-content-v2", names=("d_p1", "d_p2"), numbers=[1, 2], places=["d_p2"],
          regions=[("title", 5, 20, 25, 40)], some={"no-place": 2}),
    reads("MinerU's VLM has fractions and is told by its angles",
          [[VLM_BLOCK | {"angle": 90}]], "d_model.json", SMALL, format="mineru-vlm", regions=[("text", 0, 0, 50, 80)]),
    reads("without angles it is a content list 2", [[VLM_BLOCK | {"bbox": [0, 0, 1, 3]}]], "d.content_list_v2.json",
          {"sizes": (1000, 1000)}, format="mineru-content-v2", regions=[("text", 0, 0, 1, 3)], names=("d",)),
    reads("answers of Upstage have a document and pages",
          {"api": "2.0", "model": "document-parse",
           "elements": [element(0.1, 0.25, 0.5, 0.5, page=2), element(0, 0, 1, 1), NOWHERE]}, SMALL,
          names=("doc_p1", "doc_p2"), codes={"no-place": 1},
          regions=[("paragraph", 5, 20, 25, 40), ("paragraph", 0, 0, 50, 80)]),
    reads("the layout analysis of Upstage has pixels and sizes",
          {"api": "1.0", "elements": [element(1, 2, 30, 40, "bounding_box")],
           "metadata": {"pages": [{"page": 1, "width": 50, "height": 80}, {"page": 2, "width": 40, "height": 80}]}},
          regions=[("paragraph", 1, 2, 30, 40)], pages=[("doc_p1", 50, 80), ("doc_p2", 40, 80)]),
    reads("labels of Adobe are the last names of paths, and y points up", adobe(*map(at, PATHS)),
          regions=[(label, 10, 10, 30, 50) for label in ("P", "LBody", "H1", "P")], pages=[("doc", 100, 200)]),
    reads("paths of Adobe outside of tables", adobe(*map(at, PATHS)), OUTER, labels=["P", "LBody", "H1"]),
    reads("elements of Adobe without place, and rotated pages",
          adobe(at("P"), at("P", Bounds=None), at("P", Page=None), rotation=90),
          count=1, codes={"no-place": 2, "rotated-page": 1}),
    reads("a blank page of Adobe", adobe(), names=("doc",)),
    reads("a page of Adobe that is cropped begins at its crop box",
          adobe(at("H1", Bounds=[120, 600, 480, 640]), width=400, height=600, **CROPPED),
          boxes=[[20, 10, 380, 50]], codes={}),
    reads("a page of Adobe without a crop box", adobe(at("H1", Bounds=[20, 500, 380, 540]), width=400, height=600),
          boxes=[[20, 60, 380, 100]]),
    reads("tables of OpenDataLoader hold regions, but rows and cells are none",
          opendataloader(TABLE, node("image", None)), OF_100_X_200, names=("a_p1", "a_p2"),
          regions=[(label, 10, 10, 30, 50) for label in ("table", "list", "list item", "paragraph")],
          codes={"size-in-points": 2, "no-place": 1}),
    reads("tables of OpenDataLoader alone", opendataloader(TABLE, node("image", None)), OUTER | OF_100_X_200,
          labels=["table"]),
    reads("LlamaParse leaves noise out", {"pages": [LLAMA_PAGE], "job_metadata": {}}, SMALL,
          regions=[("text", 5, 20, 25, 40)], codes={"likely-noise": 1, "no-place": 1}),
    reads("LlamaParse with sizes in the file", [{"pages": [LLAMA_PAGE | {"width": 50, "height": 80}], "job_id": "1"}],
          regions=[("text", 5, 20, 25, 40)]),
    reads("pdffigures2 counts pages from 0 and has captions", [FIGURE], WIDE, numbers=[3],
          regions=[("Table", 1, 2, 30, 40), ("Caption", 1, 5, 30, 40)], codes={"size-in-points": 1}),
    reads("pdffigures2 with captions of no region", {"figures": [FIGURE], "regionless-captions": CAPTIONS}, WIDE,
          labels=["Table", "Caption", "Caption"], names=("doc_p1", "doc_p3")),
    reads("the only page of pdffigures2 is not numbered if it is the first", [FIGURE | {"page": 0}], "paper.json", WIDE,
          names=("paper",)),
    reads("annotations of pdffigures2 have blank pages and second parts",
          {"a": {"figures": [ANNOTATED], "pages_annotated": [1, 2]}, "b": {"figures": [], "pages_annotated": [4]}},
          labels=["Figure", "Figure", "Caption"], pages=[("a_p1", 100, 80), ("a_p2", 100, 80)],
          codes={"size-of-document": 1, "no-place": 1}),
    reads("GROBID has a region for each rectangle", tei(TEI_BODY), "a.tei.xml", pages=[("a", 100, 80)],
          regions=[("p", 1, 2, 11, 7), ("p", 50, 2.5, 60, 7.5), ("figure:table", 5, 5, 10, 10), ("head", 6, 6, 7, 7),
                   ("table", 7, 7, 8, 8)]),
    reads("GROBID outside of tables", tei(TEI_BODY), OUTER, labels=["p", "p", "figure:table"]),
    reads("titles of GROBID inside a reference are part of it",
          tei(f'{TEI_TITLE}<biblStruct coords="1,1,2,10,5">{TEI_TITLE}</biblStruct>'), "a.tei.xml",
          labels=["title", "biblStruct"]),
    reads("GROBID without page sizes", tei('<p coords="2,1,2,10,5"/>', ""), "a.tei.xml", WIDE,
          numbers=[2], codes={"size-in-points": 1}),
    reads("a paragraph of GROBID without coordinates has those of its sentences", tei(SENTENCES), "d.tei.xml",
          regions=[("p", 50, 10, 80, 11), ("p", 50, 12, 80, 13), ("p", 50, 20, 80, 21)]),
    read=read,
)  # fmt: skip

test_refusal = refused_as(
    refuses("Upstage without coordinates", {"api": "2.0", "elements": [NOWHERE]}, "coordinates=true"),
    refuses("Upstage with pixels", {"a.pdf": {"elements": [element(100, 250, 500, 500)]}},
            "a.pdf.elements[0].coordinates", "100 is not a fraction", **SMALL),
    refuses("Adobe without places", adobe(at("P", Bounds=None)), "no element has Bounds"),
    refuses("OpenDataLoader without places", opendataloader(node("image", None)), "bounding box", **OF_100_X_200),
    refuses("LlamaParse without layout", {"pages": [{"page": 1, "md": ""}], "job_metadata": {}}, "extract_layout=True"),
    refuses("LlamaParse with an empty layout", {"pages": [LLAMA_ITEMS], "job_metadata": {}}, "no page has a layout",
            **SMALL),
    refuses("annotations of pdffigures2 without figures", {"a": {"figures": [], "pages_annotated": [1]}},
            "no page has a size"),
    refuses("GROBID without coordinates", tei("<p/>"), "no paragraph", "teiCoordinates", name="a.xml"),
    *(refuses(f"GROBID: {wrong}", tei(f'<p coords="{wrong}"/>'), wrong, "page, x, y, width and height", name="a.xml")
      for wrong in ("1,2,3,4", "1,x,3,4,5", "-1,2,3,4,5")),
    refuse=refuse,
)  # fmt: skip


def abbyy(pages, version=6):
    namespace = f"http://www.abbyy.com/FineReader_xml/FineReader{version}-schema-v1.xml"
    return f'<?xml version="1.0" encoding="UTF-8"?><document xmlns="{namespace}" pagesCount="2">{pages}</document>'


ABBYY_PAGE = (
    '<page width="100" height="80" resolution="300"><block blockType="Table" l="1" t="2" r="30" b="40"><row><cell>'
    '<text><par><line l="1" t="1" r="2" b="2"/></par></text></cell></row></block>'
    "<block blockType='Text'/><pageSection/></page>"
)
ABBYY_VERSIONS = (6, 8, 9, 10)
test_abbyy_pages_are_numbered_and_lines_and_cells_are_no_regions = read_as(
    *(reads(f"version {version}", abbyy(ABBYY_PAGE + ABBYY_PAGE.replace("100", "200"), version), "book.xml",
            pages=[("book_p1", 100, 80), ("book_p2", 200, 80)], regions=[("Table", 1, 2, 30, 40)] * 2,
            codes={"no-coordinates": 2}) for version in ABBYY_VERSIONS)
)  # fmt: skip


@pytest.mark.parametrize("version", ABBYY_VERSIONS)
def test_wrong_files_of_abbyy(version):
    refuse(abbyy("", version), "no page", name="a.xml")
    refuse(abbyy(ABBYY_PAGE.replace('l="1"', 'l="x"', 1), version), "block 1/l", "'x'", name="a.xml")


def test_the_only_pages_of_two_files_are_not_matched_if_their_numbers_differ():
    gt, pred = (read([FIGURE | {"page": page}], "paper.json", sizes=(612, 792)) for page in (2, 4))
    assert (gt.page_columns.names, pred.page_columns.names) == (("paper_p3",), ("paper_p5",))
    fails("no page of pred is a page of gt", lcm.compare, gt, pred)
