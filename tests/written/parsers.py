"""Writers of the formats of document parsers: MinerU, Upstage, Adobe Extract, OpenDataLoader and others."""

from written import one_file, per_page


@per_page("adobe-extract", blank=False)
def adobe_extract(page):
    """Rows, cells and spans, which are no regions of their own."""
    names = {"Title": "Title", "Text": "P[2]/Sub", "Table": "Table[3]", "Picture": "Figure"}
    elements = []
    for label, (x0, y0, x1, y1), _ in page.regions:
        bounds = [x0, page.height - y1, x1, page.height - y0]
        path = f"//Document/{names[label]}"
        elements.append({"Bounds": bounds, "Page": 0, "Path": path, "Text": "words"})
        if label == "Table":
            elements.append({"Bounds": bounds, "Page": 0, "Path": f"{path}/TR/TD[2]"})
    pages = [{**page.size, "page_number": 0, "rotation": 0}]
    return {"version": {"schema": "1.1.0"}, "elements": elements, "pages": pages}


@per_page("opendataloader")
def opendataloader(page):
    kids = [
        {"type": label.lower(), "page number": 1, "bounding box": [x0, page.height - y1, x1, page.height - y0]}
        for label, (x0, y0, x1, y1), _ in page.regions
    ]
    for kid in kids:
        if kid["type"] == "table":
            kid["rows"] = [{"type": "table row", "cells": [kid | {"type": "table cell", "kids": []}]}]
    return {"file name": f"{page.name}.pdf", "number of pages": 1, "author": None, "kids": kids}


@per_page("pdffigures2", blank=False)
def pdffigures2(page):
    """Texts are captions of figures that were not found."""
    figures = [
        {"regionBoundary" if label != "Text" else "boundary": dict(zip(("x1", "y1", "x2", "y2"), box))}
        | {"figType": label, "page": 0, "renderDpi": 150}
        for label, box, _ in page.regions
    ]
    alone = [figure for figure in figures if "boundary" in figure]
    return {"figures": [figure for figure in figures if figure not in alone], "regionless-captions": alone}


@one_file("pdffigures2-gt", "annotations.json")
def pdffigures2_gt(pages):
    documents = {}
    for page in pages:
        name, _, number = page.name.rpartition("_p")
        document = documents.setdefault(name, {"figures": [], "pages_annotated": []})
        document["pages_annotated"].append(int(number))
        size = {"page": int(number), "page_width": page.width, "page_height": page.height, "dpi": 72.0}
        document["figures"] += [
            {"caption_bb" if label == "Text" else "region_bb": list(box), "figure_type": label} | size
            for label, box, _ in page.regions
        ] or [{"figure_type": "Figure"} | size]
    return documents


@per_page("grobid", "{}.tei.xml", blank=False)
def grobid(page):
    """References and sentences have coordinates, too, and are no regions."""
    names = {"Title": "head", "Text": "p", "Table": 'figure type="table"', "Picture": "figure"}
    body = "".join(
        f'<{names[label]} coords="1,{x0},{y0},{x1 - x0},{y1 - y0}"><ref coords="1,0,0,5,5"/>'
        f"</{names[label].split()[0]}>"
        for label, (x0, y0, x1, y1), _ in page.regions
    )
    surface = f'<facsimile><surface n="1" ulx="0.0" uly="0.0" lrx="{page.width}" lry="{page.height}"/></facsimile>'
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{surface}<text><body>{body}</body></text></TEI>'


@per_page("abbyy", "{}.xml")
def abbyy(page):
    blocks = "".join(
        f'<block blockType="{label}" l="{x0}" t="{y0}" r="{x1}" b="{y1}">'
        '<region><rect l="0" t="0" r="1" b="1"/></region><text><par><line l="0" t="0" r="1" b="1"/></par></text>'
        "</block>"
        for label, (x0, y0, x1, y1), _ in page.regions
    )
    namespace = "http://www.abbyy.com/FineReader_xml/FineReader10-schema-v1.xml"
    page_tag = f'<page width="{page.width}" height="{page.height}" resolution="300">'
    return f'\ufeff<document xmlns="{namespace}" version="1.0">{page_tag}{blocks}</page></document>'
