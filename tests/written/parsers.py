"""Writers of the formats of document parsers: MinerU, Upstage, Adobe Extract, OpenDataLoader and others."""

from written.models import as_json, write_file_per_page
from written.vlm import parts_of_page, whole_parts_of_page, with_regions


def mineru_content_v2(pages):
    def write_page(page):
        return [
            [
                {"type": label.lower(), "content": {"level": 1}, "bbox": whole_parts_of_page(page, box, 1000)}
                for label, box, _ in page.regions
            ]
        ]

    files = write_file_per_page(with_regions(pages), write_page)
    return {name.replace(".json", "_content_list_v2.json"): data for name, data in files.items()}


def mineru_vlm(pages):
    def write_page(page):
        return [
            [
                {"type": label.lower(), "bbox": parts_of_page(page, box, 1), "angle": 0, "content": "words"}
                for label, box, _ in page.regions
            ]
        ]

    files = write_file_per_page(with_regions(pages), write_page)
    return {name.replace(".json", "_model.json"): data for name, data in files.items()}


def upstage(pages):
    def write_element(page, label, box):
        x0, y0, x1, y1 = parts_of_page(page, box, 1)
        corners = [{"x": x, "y": y} for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
        return {"coordinates": corners, "category": label, "id": 0, "page": 1, "content": {"text": "words"}}

    documents = {
        f"{page.name}.pdf": {"elements": [write_element(page, label, box) for label, box, _ in page.regions]}
        for page in pages
    }
    return {"reference.json": as_json(documents)}


def adobe_extract(pages):
    """Rows, cells and spans, which are no regions of their own."""
    names = {"Title": "Title", "Text": "P[2]/Sub", "Table": "Table[3]", "Picture": "Figure"}

    def write_page(page):
        elements = []
        for label, (x0, y0, x1, y1), _ in page.regions:
            bounds = [x0, page.height - y1, x1, page.height - y0]
            path = f"//Document/{names[label]}"
            elements.append({"Bounds": bounds, "Page": 0, "Path": path, "Text": "words"})
            if label == "Table":
                elements.append({"Bounds": bounds, "Page": 0, "Path": f"{path}/TR/TD[2]"})
        size = {"width": page.width, "height": page.height, "page_number": 0, "rotation": 0}
        return {"version": {"schema": "1.1.0"}, "elements": elements, "pages": [size]}

    return write_file_per_page(with_regions(pages), write_page)


def opendataloader(pages):
    def write_page(page):
        kids = [
            {"type": label.lower(), "page number": 1, "bounding box": [x0, page.height - y1, x1, page.height - y0]}
            for label, (x0, y0, x1, y1), _ in page.regions
        ]
        for kid in kids:
            if kid["type"] == "table":
                kid["rows"] = [{"type": "table row", "cells": [kid | {"type": "table cell", "kids": []}]}]
        return {"file name": f"{page.name}.pdf", "number of pages": 1, "author": None, "kids": kids}

    return write_file_per_page(pages, write_page)


def llamaparse(pages):
    def write_page(page):
        layout = []
        for label, box, score in page.regions:
            x0, y0, x1, y1 = parts_of_page(page, box, 1)
            corner_and_size = {"x": x0, "y": y0, "w": x1 - x0, "h": y1 - y0}
            layout.append({"bbox": corner_and_size, "confidence": score, "label": label, "isLikelyNoise": False})
        return {"pages": [{"page": 1, "text": "words", "md": "words", "images": [], "layout": layout}]}

    return write_file_per_page(pages, write_page)


def pdffigures2(pages):
    """Texts are captions of figures that were not found."""

    def write_page(page):
        figures = [
            {"regionBoundary" if label != "Text" else "boundary": dict(zip(("x1", "y1", "x2", "y2"), box))}
            | {"figType": label, "page": 0, "renderDpi": 150}
            for label, box, _ in page.regions
        ]
        alone = [figure for figure in figures if "boundary" in figure]
        return {"figures": [figure for figure in figures if figure not in alone], "regionless-captions": alone}

    return write_file_per_page(with_regions(pages), write_page)


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
    return {"annotations.json": as_json(documents)}


def grobid(pages):
    """References and sentences have coordinates, too, and are no regions."""
    names = {"Title": "head", "Text": "p", "Table": 'figure type="table"', "Picture": "figure"}

    def write_page(page):
        body = "".join(
            f'<{names[label]} coords="1,{x0},{y0},{x1 - x0},{y1 - y0}"><ref coords="1,0,0,5,5"/>'
            f"</{names[label].split()[0]}>"
            for label, (x0, y0, x1, y1), _ in page.regions
        )
        surface = f'<facsimile><surface n="1" ulx="0.0" uly="0.0" lrx="{page.width}" lry="{page.height}"/></facsimile>'
        return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{surface}<text><body>{body}</body></text></TEI>'

    return {f"{page.name}.tei.xml": write_page(page).encode() for page in with_regions(pages)}


def abbyy(pages):
    def write_page(page):
        blocks = "".join(
            f'<block blockType="{label}" l="{x0}" t="{y0}" r="{x1}" b="{y1}">'
            '<region><rect l="0" t="0" r="1" b="1"/></region><text><par><line l="0" t="0" r="1" b="1"/></par></text>'
            "</block>"
            for label, (x0, y0, x1, y1), _ in page.regions
        )
        namespace = "http://www.abbyy.com/FineReader_xml/FineReader10-schema-v1.xml"
        page_tag = f'<page width="{page.width}" height="{page.height}" resolution="300">'
        return f'<document xmlns="{namespace}" version="1.0">{page_tag}{blocks}</page></document>'

    return {f"{page.name}.xml": b"\xef\xbb\xbf" + write_page(page).encode() for page in pages}


WRITERS = {
    "mineru-content-v2": mineru_content_v2,
    "mineru-vlm": mineru_vlm,
    "upstage": upstage,
    "adobe-extract": adobe_extract,
    "opendataloader": opendataloader,
    "llamaparse": llamaparse,
    "pdffigures2": pdffigures2,
    "pdffigures2-gt": pdffigures2_gt,
    "grobid": grobid,
    "abbyy": abbyy,
}
