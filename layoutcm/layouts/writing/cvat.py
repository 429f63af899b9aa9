"""CVAT for images 1.1: one XML file with boxes, polygons and masks, coordinates in pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from layoutcm.layouts import limits
from layoutcm.layouts.shapes import RunMask, run_pixels, shape_box
from layoutcm.layouts.writing.request import (
    Fit,
    Piece,
    Request,
    number_text,
    pieces_of_pages,
    points_text,
    xml_attribute,
    xml_name,
)

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n'
TEXT_ATTRIBUTE = (
    "<attribute><name>{}</name><mutable>False</mutable><input_type>text</input_type>"
    "<default_value></default_value><values></values></attribute>"
)


def as_cvat(request: Request) -> bytes:
    request.leave_out_facts(
        "scores", "ignore flags", "crowd flags", "areas", "documents", "page numbers", "attributes", "annotators"
    )
    labels, names = request.labels(xml_name), request.page_names(xml_name)
    pages = pieces_of_pages(request, Fit(whole_sizes=True, text=True, masks=True))
    noted = {request.layout.region_columns.label[row]: tuple(notes) for row, notes in request.notes.items()}
    parts = [HEAD, _meta(labels, noted)]
    too_long = 0
    for i, (name, pieces) in enumerate(zip(names, pages)):
        width, height = map(math.ceil, request.layout.page_columns.size(i))
        parts.append(f'  <image id="{i}" name={xml_attribute(name)} width="{width}" height="{height}">\n')
        for piece in pieces:
            shape, is_complete = _shape(piece)
            element = f'{shape} label={xml_attribute(labels[piece.label])} source="manual" occluded="0"'
            parts.append(f"    <{element}{_attributes(shape, request.notes.get(piece.row, {}))}\n")
            too_long += not is_complete
        parts.append("  </image>\n")
    request.change("shape-as-box", too_long)
    return "".join([*parts, "</annotations>\n"]).encode("utf-8")


def _meta(labels: list[str], noted: Mapping[int, Sequence[str]]) -> str:
    """The labels of the task; `noted` are the names of notes on regions, which are attributes of their label."""
    items = []
    for k, label in enumerate(labels):
        attributes = "".join(map(TEXT_ATTRIBUTE.format, map(_text, noted.get(k, ()))))
        attributes = attributes and f"<attributes>{attributes}</attributes>"
        items.append(f"<label><name>{_text(label)}</name><type>any</type>{attributes}</label>")
    return f"  <meta><task><labels>\n    {''.join(items)}\n  </labels></task></meta>\n"


def _attributes(shape: str, notes: Mapping[str, str]) -> str:
    """The end of an element, after its notes."""
    if not notes:
        return "/>"
    attributes = (
        f"<attribute name={xml_attribute(name)}>{_text(xml_name(text))}</attribute>" for name, text in notes.items()
    )
    return f">{''.join(attributes)}</{shape.split()[0]}>"


def _text(text: str) -> str:
    """The text of an element; a carriage return would be read as a line feed unless it is escaped."""
    from xml.sax.saxutils import escape

    return escape(text, {"\r": "&#13;"})


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
