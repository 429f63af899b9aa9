"""YOLO labels: a text file for each page, and data.yaml with the names of the classes.

Coordinates are fractions of the page, whose size is not written: it is needed again to read the files. A line has a
class number and a box, or the points of a polygon, then the score if there is one.
"""

from __future__ import annotations

from collections import Counter

from layoutcm.layouts.page_names import base_name
from layoutcm.layouts.writing.request import Fit, Piece, Request, pieces_of_pages, safe_paths

FOLDER = "labels/"
LISTS = ("classes", "train", "val", "test")  # text files of these names are lists of classes or of images
README = """written by layoutcm
YOLO labels with one text file for each page below labels
The names of the classes are in data.yaml
Put the page images into a folder named images beside labels to train with them
The files hold no page sizes and these are needed again to read them with layoutcm
"""


def as_yolo(request: Request) -> dict[str, bytes]:
    layout = request.layout
    request.leave_out_facts(
        "ignore flags", "crowd flags", "areas", "documents", "page numbers", "page sizes", "attributes", "annotators"
    )
    request.leave_out_scores()
    paths = safe_paths(layout.page_columns.names, LISTS)
    request.note_page_names(_names_read(paths))
    request.note_page_order([f"{path}.txt" for path in paths])
    pages = pieces_of_pages(request, Fit(inside=True, fractions=True))
    files = {"README.txt": README.encode(), "data.yaml": _data_yaml(layout.labels)}
    for i, (path, pieces) in enumerate(zip(paths, pages)):
        size = layout.page_columns.size(i)
        files[f"{FOLDER}{path}.txt"] = "".join(_line(piece, *size) for piece in pieces).encode()
    return files


def _names_read(paths: list[str]) -> list[str]:
    """The page names that the reader takes from the files: without folders, unless several would be equal."""
    names = list(map(base_name, paths))
    return names if max(Counter(names).values()) == 1 else paths


def _line(piece: Piece, width: float, height: float) -> str:
    if piece.ring is None:
        x0, y0, x1, y1 = piece.box
        numbers = [(x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height]
    else:
        numbers = (piece.ring / (width, height)).ravel().tolist()
    if 0 <= piece.score <= 1:
        numbers.append(piece.score)
    return f"{piece.label} {' '.join(map(repr, numbers))}\n"


def _data_yaml(labels: list[str]) -> bytes:
    names = "".join(f'  {i}: "{"".join(map(_escaped, label))}"\n' for i, label in enumerate(labels))
    return f"path: .\ntrain: images\nval: images\nnames:{' {}' if not names else ''}\n{names}".encode()


def _escaped(character: str) -> str:
    """A character between YAML's double quotes, escaped if a line of YAML cannot hold it."""
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
