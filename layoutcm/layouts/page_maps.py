"""What a person says about which pages belong together: {gt page: pred page}, or a file of it.

CSV has the columns gt and pred (or just two columns); YAML and JSON are one mapping. A pair that lacks a side is passed
over, so that a listing of all pages can be filled in by hand and given back.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.handwritten import check_expanded_size
from layoutcm.layouts.model import GT, PRED, SIDES, Pages, find_page

HINT = "Write a CSV with the columns gt and pred, or YAML or JSON: {gt page: pred page}."
_COLUMNS = tuple({side, f"{side}_page", f"{side} page"} for side in SIDES)

PagePair = tuple[str, str, str]  # gt page, pred page, where it stands


@dataclass(frozen=True)
class PageMap:
    """The pairs as given, with the file and the places that a message can name."""

    file: str
    entries: tuple[PagePair, ...]


PageMapLike = Mapping[str, str] | str | os.PathLike[str] | PageMap | None


def load_page_map(pages: PageMapLike) -> PageMap | None:
    """The map in a file or a dictionary; None stays None, and so does a map."""
    if pages is None or isinstance(pages, PageMap):
        return pages
    if isinstance(pages, Mapping):
        return _check_entries("", ((gt, pred, f"pages[{short_repr(gt)}]") for gt, pred in pages.items()))
    if not isinstance(pages, str | os.PathLike):
        raise InputError(
            "", "pages", f"{short_repr(pages)} is no page map", "Give {gt page: pred page} or a file's path."
        )
    try:
        data = Path(pages).read_bytes()
    except FileNotFoundError:
        raise InputError(str(pages), "", "there is no such file", "Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(str(pages), "", f"the file cannot be read: {reason}", "Check its permissions.") from None
    return parse_page_map(str(pages), data)


def parse_page_map(file: str, data: bytes) -> PageMap:
    """The map in the bytes of a file; its suffix says what it is."""
    suffix = PurePosixPath(file.replace("\\", "/")).suffix.lower()
    readers = {".csv": _csv, ".tsv": _csv, ".json": _mapping, ".yaml": _mapping, ".yml": _mapping}
    if suffix not in readers:
        raise InputError(file, "", f"a page map cannot be {suffix or 'without suffix'}", "Use .csv, .yaml or .json.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            file, f"byte {error.start}", f"0x{data[error.start]:02x} is not UTF-8 text", "Save it as UTF-8."
        ) from None
    return _check_entries(file, readers[suffix](file, text))


def _check_entries(file: str, entries: Iterator[tuple[object, object, str]]) -> PageMap:
    kept: list[PagePair] = []
    for gt, pred, place in entries:
        if not isinstance(gt, str) or not isinstance(pred, str | None):
            wrong = pred if isinstance(gt, str) else gt
            raise InputError(file, place, f"{short_repr(wrong)} is not a page's name", f"Names are text. {HINT}")
        if gt and pred:
            kept.append((gt, pred, place))
    return PageMap(file, tuple(kept))


def _csv(file: str, text: str) -> Iterator[PagePair]:
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first and "," not in first), ",")
    rows = enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
    try:
        yield from _pairs(file, [(row, cells) for row, cells in rows if any(cells)])
    except csv.Error as error:
        raise InputError(file, "", f"this is not a readable CSV: {error}", HINT) from None


def _pairs(file: str, rows: list[tuple[int, list[str]]]) -> Iterator[PagePair]:
    if not rows:
        return
    number, header = rows[0]
    named = [[k for k, cell in enumerate(header) if cell.strip().lower() in names] for names in _COLUMNS]
    if all(named):
        columns, rows = (named[GT][0], named[PRED][0]), rows[1:]
    elif len(header) == 2:
        columns = (GT, PRED)
    else:
        problem = f"the columns gt and pred are missing (found: {', '.join(map(short_repr, header[:6]))})"
        raise InputError(file, f"row {number}", problem, HINT)
    for number, cells in rows:
        if len(cells) <= max(columns):
            problem = f"there are {len(cells)} cells where the first row has {len(header)}"
            raise InputError(file, f"row {number}", problem, "Put quotes around names with commas.")
        yield cells[columns[GT]], cells[columns[PRED]], f"row {number}"


def _mapping(file: str, text: str) -> Iterator[tuple[object, object, str]]:
    """Pair by pair, so that a name that stands twice is seen; JSON first, because YAML takes long for large files."""
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        yield from _yaml(file, text)
        return
    # An object is now a tuple of pairs; a list is still a list.
    if not isinstance(pairs, tuple):
        raise InputError(file, "", f"{short_repr(pairs)} is not a mapping of pages", HINT)
    yield from ((gt, pred, f"pages[{short_repr(gt)}]") for gt, pred in pairs)


def _yaml(file: str, text: str) -> Iterator[tuple[object, object, str]]:
    """From the text's own nodes: 0001 and no stay the names they are, and every pair knows its line."""
    import yaml

    try:
        check_expanded_size(text)
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise InputError(file, "", f"this cannot be read: {' '.join(str(error).split())}", HINT) from None
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise InputError(file, "line 1", "this is not a mapping of pages", HINT)
    for gt, pred in root.value:
        yield _scalar(gt), _scalar(pred), f"line {gt.start_mark.line + 1}"


def _scalar(node: Any) -> object:
    """The text of a node, None for an empty one, a list for anything that is no name."""
    if not isinstance(node.value, str):
        return ["…"]
    return None if node.tag == "tag:yaml.org,2002:null" else node.value


def resolve_page_map(page_map: PageMap, gt: Pages, pred: Pages) -> dict[int, int]:
    """{gt page: pred page}; a page that a side has not, or that stands twice, is an error."""
    found: list[dict[int, str]] = [{}, {}]
    for *names, place in page_map.entries:
        for side, (name, pages) in enumerate(zip(names, (gt, pred))):
            page = find_page(name, pages)
            if page is None:
                raise _unknown(page_map.file, place, name, SIDES[side], pages)
            if page in found[side]:
                raise InputError(
                    page_map.file,
                    f"{found[side][page]} and {place}",
                    f"the page {short_repr(pages.names[page])} of {SIDES[side]} stands twice",
                    "A page has one partner: keep one of the two.",
                )
            found[side][page] = place
    return dict(zip(*found))


def pages_under_pred_names(gt: Pages, page_map: PageMap | None) -> Pages:
    """gt's pages by the names that pred has for them, then by their own where the map gives these to no other page."""
    if page_map is None:
        return gt
    named: dict[str, int] = {}
    for name, pred, place in page_map.entries:
        page = find_page(name, gt)
        if page is None:
            raise _unknown(page_map.file, place, name, SIDES[GT], gt)
        named.setdefault(pred, page)
    named = gt.index | named
    at = list(named.values())
    documents = tuple(gt.documents[i] for i in at)
    return Pages(tuple(named), gt.widths[at], gt.heights[at], documents, gt.numbers[at])


def _unknown(file: str, place: str, name: str, side: str, pages: Pages) -> InputError:
    like = f"Page names of {side} are like {short_repr(pages.names[0])}." if len(pages) else f"{side} has no pages."
    return InputError(file, place, f"{side} has no page {short_repr(name)}, or several that are alike", like)
