"""XML files: CVAT for images 1.1 and PAGE-XML 2019.

- CVAT: one file with boxes, polygons and masks, coordinates in pixels.
- PAGE-XML: one file for each page, points in whole pixels. A label such as "TextRegion:heading" is an element and its
  type. Any other label is written into `custom`, as `layoutcm {label:…;}`, in the element that its words suggest.
"""

from __future__ import annotations

import math
import re
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
    safe_paths,
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


FOLDER = "page/"
PAGE_ATTRIBUTES = ("type", "primaryLanguage", "primaryScript")  # what the reader takes as attributes of a page
A_DATE = "1970-01-01T00:00:00Z"  # instead of the time of writing, because equal layouts give equal files
NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
README = """written by layoutcm
PAGE-XML with one file for each page below page
"""
_KINDS = "Text Image LineDrawing Graphic Table Chart Map Separator Maths Chem Music Advert Noise Unknown"
ELEMENTS = frozenset(f"{kind}Region" for kind in _KINDS.split(" "))
# The values of `type` that the schema allows.
TYPES = {
    "TextRegion": "paragraph heading caption header footer page-number drop-capital credit floating signature-mark "
    "catch-word marginalia footnote footnote-continued endnote TOC-entry list-label other",
    "GraphicRegion": "logo letterhead decoration frame handwritten-annotation stamp signature barcode paper-grow "
    "punch-hole other",
    "ChartRegion": "bar line pie scatter surface other",
}
# The first pattern that is found in a label decides; a text is the most usual region.
WORDS = (
    (re.compile("caption|title|head|foot|list|text|paragraph|code|reference", re.IGNORECASE), "TextRegion"),
    (re.compile("table", re.IGNORECASE), "TableRegion"),
    (re.compile("chart|plot", re.IGNORECASE), "ChartRegion"),
    (re.compile("picture|image|photo|figure", re.IGNORECASE), "ImageRegion"),
    (re.compile("formula|equation|math", re.IGNORECASE), "MathsRegion"),
)
_STRUCTURAL = frozenset("\\{};:")


def as_page_xml(request: Request) -> dict[str, bytes]:
    request.leave_out_facts(
        "ignore flags", "crowd flags", "areas", "documents", "page numbers", "annotators", "unused labels"
    )
    attributes = _page_attributes(request)
    request.leave_out_scores()
    names = request.page_names(xml_name)
    paths = safe_paths(request.layout.page_columns.names)
    request.note_page_order([f"{path}.xml" for path in paths])
    pages = pieces_of_pages(request, Fit(inside=True, whole=True, whole_sizes=True, text=True))
    starts = list(map(_element, request.layout.labels))
    head = _head()
    files = {"README.txt": README.encode()}
    for i, (path, name, pieces) in enumerate(zip(paths, names, pages)):
        width, height = map(math.ceil, request.layout.page_columns.size(i))
        size = f'imageWidth="{width}" imageHeight="{height}"'
        regions = "".join(_region(k, piece, *starts[piece.label]) for k, piece in enumerate(pieces))
        page = f"  <Page imageFilename={xml_attribute(name)} {size}{attributes[i]}>\n{regions}  </Page>\n"
        files[f"{FOLDER}{path}.xml"] = f"{head}{page}</PcGts>\n".encode()
    return files


def _page_attributes(request: Request) -> list[str]:
    """The attributes of each Page element; a finding reports those that PAGE-XML does not have."""
    columns = request.layout.page_columns
    kept = {name: texts for name, texts in columns.attributes.items() if _fits(name, texts)}
    lost = [name for name, texts in columns.attributes.items() if name not in kept and any(texts)]
    request.leave_out("attributes", len(lost), lost)
    return [
        "".join(f" {name}={xml_attribute(texts[i])}" for name, texts in kept.items() if texts[i])
        for i in range(len(columns))
    ]


def _fits(name: str, texts: Sequence[str]) -> bool:
    short = max(map(len, texts)) <= limits.MAX_ATTRIBUTE_TEXT
    return name in PAGE_ATTRIBUTES and short and all(xml_name(text) == text for text in texts if text)


def _head() -> str:
    dates = f"<Created>{A_DATE}</Created><LastChange>{A_DATE}</LastChange>"
    metadata = f"  <Metadata><Creator>layoutcm</Creator>{dates}</Metadata>\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<PcGts xmlns="{NAMESPACE}">\n{metadata}'


def _region(number: int, piece: Piece, element: str, attributes: str) -> str:
    x0, y0, x1, y1 = piece.box
    if piece.ring is not None:
        points = points_text(piece.ring, " ")
    else:  # a box without area is two points, because four would be a polygon of no width
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] if x0 < x1 and y0 < y1 else [(x0, y0), (x1, y1)]
        points = " ".join(f"{number_text(x)},{number_text(y)}" for x, y in corners)
    score = f' conf="{piece.score!r}"' if 0 <= piece.score <= 1 else ""
    return f'    <{element} id="r{number}"{attributes}><Coords points="{points}"{score}/></{element}>\n'


def _element(label: str) -> tuple[str, str]:
    """The element of a label, and its attributes, from which the reader makes the label again."""
    element, _, kind = label.partition(":")
    if element not in ELEMENTS or (":" in label and not kind):
        found = next((name for pattern, name in WORDS if pattern.search(label)), "UnknownRegion")
        return found, f" custom={xml_attribute(f'layoutcm {{label:{_escaped(label)};}}')}"
    if not kind:
        return element, ""
    if kind in TYPES.get(element, "").split():
        return element, f' type="{kind}"'
    return element, f" custom={xml_attribute(f'structure {{type:{_escaped(kind)};}}')}"


def _escaped(text: str) -> str:
    """The text with blanks, brackets and what cannot be printed as in \\u0020, which is usual in `custom`."""
    is_plain = (c not in _STRUCTURAL and not c.isspace() and (c.isprintable() or c > "\uffff") for c in text)
    return "".join(c if plain else f"\\u{ord(c):04x}" for c, plain in zip(text, is_plain))
