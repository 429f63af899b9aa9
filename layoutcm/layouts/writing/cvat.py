"""CVAT for images 1.1: one XML file with boxes, polygons and masks, coordinates in pixels."""

from __future__ import annotations

import math

import numpy as np

from layoutcm.layouts import limits
from layoutcm.layouts.shapes import RunMask, run_pixels, shape_box
from layoutcm.layouts.writing.names import xml_attribute, xml_name
from layoutcm.layouts.writing.pieces import Fit, Piece, number_text, pieces_of_pages, points_text
from layoutcm.layouts.writing.request import Request

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n'


def as_cvat(request: Request) -> bytes:
    request.leave_out_facts(
        "scores", "ignore flags", "crowd flags", "areas", "documents", "page numbers", "attributes", "annotators"
    )
    labels, names = request.labels(xml_name), request.page_names(xml_name)
    pages = pieces_of_pages(request, Fit(whole_sizes=True, text=True, masks=True))
    parts = [HEAD, _meta(labels)]
    too_long = 0
    for i, (name, pieces) in enumerate(zip(names, pages)):
        width, height = map(math.ceil, request.layout.page_columns.size(i))
        parts.append(f'  <image id="{i}" name={xml_attribute(name)} width="{width}" height="{height}">\n')
        for piece in pieces:
            shape, is_complete = _shape(piece)
            parts.append(f'    <{shape} label={xml_attribute(labels[piece.label])} source="manual" occluded="0"/>\n')
            too_long += not is_complete
        parts.append("  </image>\n")
    request.change("shape-as-box", too_long)
    return "".join([*parts, "</annotations>\n"]).encode("utf-8")


def _meta(labels: list[str]) -> str:
    """The labels of the task; a carriage return would be read as a line feed unless it is escaped."""
    from xml.sax.saxutils import escape

    items = (f"<label><name>{escape(label, {chr(13): '&#13;'})}</name><type>any</type></label>" for label in labels)
    return f"  <meta><task><labels>\n    {''.join(items)}\n  </labels></task></meta>\n"


def _shape(piece: Piece) -> tuple[str, bool]:
    """The name and the coordinates of an element, and whether they are the whole shape, not only its box."""
    if piece.ring is not None:
        return f'polygon points="{points_text(piece.ring, ";")}"', True
    mask = _mask_text(piece.mask) if piece.mask is not None else ""
    if mask:
        return mask, True
    x0, y0, x1, y1 = map(number_text, piece.box)
    return f'box xtl="{x0}" ytl="{y0}" xbr="{x1}" ybr="{y1}"', piece.mask is None


def _mask_text(mask: RunMask) -> str:
    """The runs along the rows of the mask's box, or "" if they are too long to be read again."""
    x0, y0, x1, y1 = map(int, shape_box(mask))
    pixels = run_pixels(mask)[y0:y1, x0:x1].ravel()
    changes = np.flatnonzero(np.diff(pixels, prepend=False))
    runs = np.diff(changes, prepend=0, append=pixels.size)
    text = ", ".join(map(str, runs.tolist()))
    if len(text) > limits.MAX_OUTLINE_TEXT:
        return ""
    return f'mask rle="{text}" left="{x0}" top="{y0}" width="{x1 - x0}" height="{y1 - y0}"'
