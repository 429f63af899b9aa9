"""PAGE-XML 2019: one file for each page, points in whole pixels.

A label such as "TextRegion:heading" is an element and its type. Any other label is written into `custom`, as
`layoutcm {label:…;}`, in the element that its words suggest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from layoutcm.layouts import limits
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
