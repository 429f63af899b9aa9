"""Details of files of document parsers: MinerU, Upstage, Adobe, LlamaParse, pdffigures2, GROBID and others."""

import json

import pytest

import layoutcm as lcm
from support.reading import codes, labels, pages, reader, refuser, regions

read, refuse = reader("doc.json"), refuser("doc.json")


def test_mineru_3_model_leaves_lines_and_inline_formulas_out():
    found = [
        {"cls_id": 22, "label": "text", "score": 0.5, "bbox": [1, 2, 30, 40]},
        {"label": "ocr_text", "score": 1.0, "bbox": [1, 2, 30, 10], "text": ""},
        {"cls_id": 3, "label": "inline_formula", "score": 1.0, "bbox": [1, 2, 5, 10]},
    ]
    layout = read([{"layout_dets": found, "page_info": {"page_no": 0, "width": 100, "height": 80}}], "d_model.json")
    assert regions(layout) == [("text", 1, 2, 30, 40)] and codes(layout) == {"inline-detection": 2}


def test_mineru_content_list_leaves_an_entry_without_type_out():
    entries = [
        {"page_idx": 0, "bbox": [0, 0, 9, 9]},
        {"type": "text", "page_idx": 0, "bbox": [100, 250, 500, 500]},
    ]
    layout = read(entries, "d_content_list.json", sizes=(50, 80))
    assert regions(layout) == [("text", 5, 20, 25, 40)] and codes(layout) == {"no-place": 1}


def test_mineru_content_list_v2_has_pages_in_their_order_and_blank_ones():
    title = {"type": "title", "content": {"title_content": [], "level": 1}, "bbox": [100, 250, 500, 500]}
    layout = read([[], [title, {"bbox": [1, 2, 3, 4]}, {"type": "list"}]], "d_content_list_v2.json", sizes=(50, 80))
    assert layout.format == "mineru-content-v2" and layout.page_columns.names == ("d_p1", "d_p2")
    assert layout.page_columns.numbers.tolist() == [1, 2] and layout.region_columns.page.tolist() == [1]
    assert regions(layout) == [("title", 5, 20, 25, 40)] and codes(layout)["no-place"] == 2


def test_mineru_vlm_model_has_fractions_and_is_told_by_its_angles_alone():
    block = {"type": "text", "bbox": [0, 0, 1, 1], "angle": 90, "content": "words", "merge_prev": True}
    layout = read([[block]], "d_model.json", sizes=(50, 80))
    assert layout.format == "mineru-vlm" and regions(layout) == [("text", 0, 0, 50, 80)]
    del block["angle"]
    layout = read([[block | {"bbox": [0, 0, 1, 3]}]], "d.content_list_v2.json", sizes=(1000, 1000))
    assert layout.format == "mineru-content-v2" and regions(layout) == [("text", 0, 0, 1, 3)]
    assert layout.page_columns.names == ("d",)


def element(x0, y0, x1, y1, key="coordinates", **fields):
    points = [{"x": x, "y": y} for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    return {key: points, "category": "paragraph", "id": 0, "page": 1} | fields


def test_upstage_answers_have_a_document_and_pages():
    file = {"api": "2.0", "model": "document-parse", "elements": [element(0.1, 0.25, 0.5, 0.5, page=2)]}
    file["elements"] += [element(0, 0, 1, 1), element(0, 0, 1, 1) | {"coordinates": []}]
    layout = read(file, sizes=(50, 80))
    assert layout.page_columns.names == ("doc_p1", "doc_p2") and codes(layout) == {"no-place": 1}
    assert regions(layout) == [("paragraph", 5, 20, 25, 40), ("paragraph", 0, 0, 50, 80)]


def test_upstage_without_coordinates_or_with_pixels_is_refused():
    refuse({"api": "2.0", "elements": [element(0, 0, 1, 1) | {"coordinates": []}]}, "coordinates=true")
    file = {"a.pdf": {"elements": [element(100, 250, 500, 500)]}}
    refuse(file, "a.pdf.elements[0].coordinates", "100 is not a fraction", sizes=(50, 80))


def test_upstage_layout_analysis_has_pixels_and_sizes():
    sizes = {"pages": [{"page": 1, "width": 50, "height": 80}, {"page": 2, "width": 40, "height": 80}]}
    layout = read({"api": "1.0", "elements": [element(1, 2, 30, 40, "bounding_box")], "metadata": sizes})
    assert regions(layout) == [("paragraph", 1, 2, 30, 40)] and pages(layout) == [
        ("doc_p1", 50, 80),
        ("doc_p2", 40, 80),
    ]


def adobe(*elements, **page):
    size = {"page_number": 0, "width": 100, "height": 200, "rotation": 0} | page
    return {"version": {}, "extended_metadata": {}, "elements": list(elements), "pages": [size]}


def at(path, **fields):
    return {"Path": f"//Document/{path}", "Bounds": [10, 150, 30, 190], "Page": 0} | fields


def test_adobe_labels_are_the_last_names_of_paths_and_y_points_up():
    paths = ["P[2]/Sub[3]", "L/LI[4]/LBody/StyleSpan[2]", "H1", "Table/TR[2]/TD/P", "Table/TR[2]/TD", "Table/TR[2]"]
    layout = read(adobe(*map(at, paths)))
    assert labels(layout) == ["P", "LBody", "H1", "P"]
    assert regions(layout)[0] == ("P", 10, 10, 30, 50) and pages(layout) == [("doc", 100, 200)]
    assert [label for label, *_ in regions(read(adobe(*map(at, paths)), nested=False))] == ["P", "LBody", "H1"]


def test_adobe_elements_without_place_and_rotated_pages():
    layout = read(adobe(at("P"), at("P", Bounds=None), at("P", Page=None), rotation=90))
    assert len(regions(layout)) == 1 and codes(layout) == {"no-place": 2, "rotated-page": 1}
    refuse(adobe(at("P", Bounds=None)), "no element has Bounds")
    assert len(read(adobe()).page_columns) == 1


def node(kind, box=(10, 150, 30, 190), **fields):
    return {"type": kind, "page number": 1, "bounding box": box} | fields


def test_opendataloader_tables_hold_regions_but_rows_and_cells_are_none():
    items = [node("list item", kids=[node("paragraph")])]
    cells = [node("table cell", kids=[node("list", **{"list items": items})])]
    table = node("table", rows=[{"type": "table row", "row number": 1, "cells": cells}])
    file = {"file name": "a.pdf", "number of pages": 2, "kids": [table, node("image", None)]}
    layout = read(file, sizes=(100, 200))
    assert labels(layout) == ["table", "list", "list item", "paragraph"]
    assert regions(layout)[0] == ("table", 10, 10, 30, 50) and layout.page_columns.names == ("a_p1", "a_p2")
    assert codes(layout) == {"size-in-points": 2, "no-place": 1}
    assert labels(read(file, sizes=(100, 200), nested=False)) == ["table"]
    refuse(file | {"kids": [node("image", None)]}, "bounding box", sizes=(100, 200))


def test_llamaparse_leaves_noise_out_and_needs_a_layout():
    entry = {"bbox": {"x": 0.1, "y": 0.25, "w": 0.4, "h": 0.25}, "confidence": 0.5, "label": "text"}
    page = {"page": 1, "md": "", "layout": [entry, entry | {"isLikelyNoise": True}, entry | {"bbox": None}]}
    layout = read({"pages": [page], "job_metadata": {}}, sizes=(50, 80))
    assert regions(layout) == [("text", 5, 20, 25, 40)] and codes(layout) == {"likely-noise": 1, "no-place": 1}
    in_file = read([{"pages": [page | {"width": 50, "height": 80}], "job_id": "1"}])
    assert regions(in_file) == regions(layout)
    refuse({"pages": [{"page": 1, "md": ""}], "job_metadata": {}}, "extract_layout=True")


BOX = {"x1": 1, "y1": 2, "x2": 30, "y2": 40}


def test_pdffigures2_output_counts_pages_from_0_and_has_captions():
    figure = {"figType": "Table", "page": 2, "regionBoundary": BOX, "captionBoundary": BOX | {"y1": 5}}
    layout = read([figure], sizes=(100, 80))
    assert regions(layout) == [("Table", 1, 2, 30, 40), ("Caption", 1, 5, 30, 40)]
    assert layout.page_columns.numbers.tolist() == [3] and codes(layout) == {"size-in-points": 1}
    both = read({"figures": [figure], "regionless-captions": [{"figType": "Table", "page": 0, "boundary": BOX}]},
                sizes=(100, 80))  # fmt: skip
    assert labels(both) == ["Table", "Caption", "Caption"]
    assert both.page_columns.names == ("doc_p1", "doc_p3")


def test_pdffigures2_annotations_have_blank_pages_and_second_parts():
    figure = {"page": 2, "page_width": 100, "page_height": 80, "figure_type": "Figure"}
    figure |= {"region_bb": [1, 2, 3, 4], "region_bb2": [5, 6, 7, 8], "caption_bb": [1, 5, 3, 9]}
    file = {"a": {"figures": [figure], "pages_annotated": [1, 2]}, "b": {"figures": [], "pages_annotated": [4]}}
    layout = read(file)
    assert labels(layout) == ["Figure", "Figure", "Caption"]
    assert pages(layout) == [("a_p1", 100, 80), ("a_p2", 100, 80)]
    assert codes(layout) == {"size-of-document": 1, "no-place": 1}
    refuse({"a": {"figures": [], "pages_annotated": [1]}}, "no page has a size")


def tei(body, surface='<surface n="1" lrx="100" lry="80"/>'):
    head = f'<teiHeader><application ident="GROBID"/></teiHeader><facsimile>{surface}</facsimile>'
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{head}<text><body>{body}</body></text></TEI>'


def test_grobid_has_a_region_for_each_rectangle():
    body = '<p coords="1,1,2,10,5;1,50,2.5,10,5"><s coords="1,1,2,3,4">a</s></p>'
    body += '<figure type="table" coords="1,5,5,5,5"><head coords="1,6,6,1,1"/><table coords="1,7,7,1,1"/></figure>'
    layout = read(tei(body), "a.tei.xml")
    assert regions(layout)[:2] == [("p", 1, 2, 11, 7), ("p", 50, 2.5, 60, 7.5)] and pages(layout) == [("a", 100, 80)]
    assert labels(layout)[2:] == ["figure:table", "head", "table"]
    assert labels(read(tei(body), nested=False)) == ["p", "p", "figure:table"]


def test_grobid_titles_inside_a_reference_are_part_of_it():
    title = '<title coords="1,1,2,10,5">a</title>'
    layout = read(tei(f'{title}<biblStruct coords="1,1,2,10,5">{title}</biblStruct>'), "a.tei.xml")
    assert labels(layout) == ["title", "biblStruct"]


def test_grobid_without_page_sizes_or_coordinates():
    layout = read(tei('<p coords="2,1,2,10,5"/>', ""), "a.tei.xml", sizes=(100, 80))
    assert layout.page_columns.numbers.tolist() == [2] and codes(layout) == {"size-in-points": 1}
    refuse(tei("<p/>"), "no paragraph", "teiCoordinates", name="a.xml")
    for wrong in ("1,2,3,4", "1,x,3,4,5", "-1,2,3,4,5"):
        refuse(tei(f'<p coords="{wrong}"/>'), wrong, "page, x, y, width and height", name="a.xml")


def abbyy(pages, version=6):
    namespace = f"http://www.abbyy.com/FineReader_xml/FineReader{version}-schema-v1.xml"
    return f'<?xml version="1.0" encoding="UTF-8"?><document xmlns="{namespace}" pagesCount="2">{pages}</document>'


@pytest.mark.parametrize("version", [6, 8, 9, 10])
def test_abbyy_pages_are_numbered_and_lines_and_cells_are_no_regions(version):
    block = '<block blockType="Table" l="1" t="2" r="30" b="40"><row><cell><text><par><line l="1" t="1" r="2" b="2"/>'
    block += "</par></text></cell></row></block><block blockType='Text'/><pageSection/>"
    page = f'<page width="100" height="80" resolution="300">{block}</page>'
    layout = read(abbyy(page + page.replace("100", "200"), version), "book.xml")
    assert pages(layout) == [("book_p1", 100, 80), ("book_p2", 200, 80)]
    assert regions(layout) == [("Table", 1, 2, 30, 40)] * 2 and codes(layout) == {"no-coordinates": 2}
    refuse(abbyy("", version), "no page", name="a.xml")
    refuse(abbyy(page.replace('l="1"', 'l="x"', 1), version), "block 1/l", "'x'", name="a.xml")


def test_the_only_pages_of_two_files_are_not_matched_if_their_numbers_differ():
    def figures(page):
        box = {"x1": 50, "x2": 300, "y1": 100, "y2": 300}
        return json.dumps([{"figType": "Figure", "name": "1", "page": page, "regionBoundary": box}]).encode()

    gt, pred = (lcm.read(("paper.json", figures(page)), sizes=(612, 792)) for page in (2, 4))
    assert (gt.page_columns.names, pred.page_columns.names) == (("paper_p3",), ("paper_p5",))
    assert lcm.compare(gt, pred).pages == ["paper_p3", "paper_p5"]
    first = lcm.read(("paper.json", figures(0)), sizes=(612, 792))
    assert first.page_columns.names == ("paper",)


def test_a_paragraph_of_grobid_without_coordinates_has_those_of_its_sentences():
    text = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><facsimile><surface n="1" lrx="612" lry="792"/></facsimile>
      <text><body><div><p><s coords="1,50,100,300,10">a</s><s coords="1,50,112,300,10">b</s></p>
      <p coords="1,50,200,300,10"><s coords="1,50,200,300,10">c</s></p></div></body></text></TEI>"""
    layout = lcm.read(("d.tei.xml", text.encode()))
    assert layout.labels == ["p"]
    assert layout.region_columns.boxes.tolist() == [[50, 100, 350, 110], [50, 112, 350, 122], [50, 200, 350, 210]]


def adobe_page(bounds, **page):
    element = {"Path": "//Document/H1", "Page": 0, "Bounds": bounds, "Text": "x"}
    pages = [{"page_number": 0, "width": 400, "height": 600, "rotation": 0, **page}]
    return lcm.read(("s.json", json.dumps({"version": {}, "pages": pages, "elements": [element]}).encode()))


def test_a_page_of_adobe_that_is_cropped_begins_at_its_crop_box():
    cropped = adobe_page([120, 600, 480, 640], boxes={"CropBox": [100, 50, 500, 650], "MediaBox": [0, 0, 612, 792]})
    assert cropped.region_columns.boxes.tolist() == [[20, 10, 380, 50]] and cropped.findings == ()
    assert adobe_page([20, 500, 380, 540]).region_columns.boxes.tolist() == [[20, 60, 380, 100]]


def test_llamaparse_without_layout_is_refused_also_if_the_list_is_there():
    page = {"page": 1, "text": "x", "md": "x", "layout": [], "items": [{"type": "heading", "bBox": {"x": 1}}]}
    with pytest.raises(lcm.InputError, match="no page has a layout"):
        lcm.read(("r.json", json.dumps({"pages": [page], "job_metadata": {}}).encode()), sizes=(10, 10))
