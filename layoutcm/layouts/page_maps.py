"""Page maps, in which the user states which pages belong together: {gt page: pred page}, or a file.

A CSV has the columns gt and pred (or just two columns); YAML and JSON hold one mapping. Pairs with an empty side are
skipped: an exported table of all pages can be completed by hand and read again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.file_bytes import csv_rows, decoded, read_bytes
from layoutcm.layouts.handwritten import UNWRAPPED_ERRORS, check_expanded_size
from layoutcm.layouts.model import GT, PRED, SIDES, Pages, find_page
from layoutcm.lazy import yaml
from layoutcm.wording import without_text_mark

HINT = "Write a CSV with the columns gt and pred, or YAML or JSON: {gt page: pred page}."
_COLUMNS = tuple({side, f"{side}_page", f"{side} page"} for side in SIDES)

PagePair = tuple[str, str, str]  # gt page, pred page, place in the file


@dataclass(frozen=True)
class PageMap:
    """The pairs as given, with the file and the places in it, for messages."""

    file: str
    entries: tuple[PagePair, ...]


PageMapLike = Mapping[str, str] | str | os.PathLike[str] | PageMap | None


def load_page_map(pages: PageMapLike) -> PageMap | None:
    """The page map in a file or a dictionary; None and a PageMap are returned unchanged."""
    if pages is None or isinstance(pages, PageMap):
        return pages
    if isinstance(pages, Mapping):
        return _check_entries("", ((gt, pred, f"pages[{short_repr(gt)}]") for gt, pred in pages.items()))
    if not isinstance(pages, str | os.PathLike):
        problem = f"{short_repr(pages)} is not a page map"
        raise InputError("", "pages", problem, "Give {gt page: pred page} or a file's path.")
    return parse_page_map(str(pages), read_bytes(pages))


def parse_page_map(file: str, data: bytes) -> PageMap:
    """The page map in the bytes of a file; the suffix of the file gives the format."""
    suffix = PurePosixPath(file.replace("\\", "/")).suffix.lower()
    readers: dict[str, Any] = dict.fromkeys((".csv", ".tsv"), _read_csv)
    readers |= dict.fromkeys((".json", ".yaml", ".yml"), _read_mapping)
    if suffix not in readers:
        raise InputError(file, "", f"a page map cannot be {suffix or 'without suffix'}", "Use .csv, .yaml or .json.")
    return _check_entries(file, readers[suffix](file, decoded(file, data)))


def _check_entries(file: str, entries: Iterator[tuple[object, object, str]]) -> PageMap:
    kept: list[PagePair] = []
    for gt, pred, place in entries:
        if not isinstance(gt, str) or not isinstance(pred, str | None):
            wrong = pred if isinstance(gt, str) else gt
            raise InputError(file, place, f"{short_repr(wrong)} is not a page's name", f"Names are text. {HINT}")
        if gt and pred:
            kept.append((gt, pred, place))
    return PageMap(file, tuple(kept))


def _read_csv(file: str, text: str) -> Iterator[PagePair]:
    yield from _pairs_from_rows(file, [(row, cells) for row, cells in csv_rows(file, text, HINT) if any(cells)])


def _pairs_from_rows(file: str, rows: list[tuple[int, list[str]]]) -> Iterator[PagePair]:
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


def _read_mapping(file: str, text: str) -> Iterator[tuple[object, object, str]]:
    """The pairs of a mapping, including repeated names; JSON is tried first, because YAML is slow for large files."""
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        yield from _read_yaml(file, text)
        return
    # object_pairs_hook has turned objects into tuples of pairs; lists are still lists.
    if not isinstance(pairs, tuple):
        raise InputError(file, "", f"{short_repr(pairs)} is not a mapping of pages", HINT)
    yield from ((gt, pred, f"pages[{short_repr(gt)}]") for gt, pred in pairs)


def _read_yaml(file: str, text: str) -> Iterator[tuple[object, object, str]]:
    """The pairs from YAML nodes, not from loaded values: 0001 and no stay text, and each pair has a line number."""
    try:
        check_expanded_size(text)
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, *UNWRAPPED_ERRORS) as error:
        raise InputError(file, "", f"this cannot be read: {' '.join(str(error).split())}", HINT) from None
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise InputError(file, "line 1", "this is not a mapping of pages", HINT)
    for gt, pred in root.value:
        yield _scalar_text(gt), _scalar_text(pred), f"line {gt.start_mark.line + 1}"


def _scalar_text(node: Any) -> object:
    """The text of a node, None for an empty node; a list for anything else, which is then refused as a name."""
    if not isinstance(node.value, str):
        return ["…"]
    return None if node.tag == "tag:yaml.org,2002:null" else node.value


def resolve_page_map(page_map: PageMap, gt: Pages, pred: Pages) -> dict[int, int]:
    """{gt page: pred page}; an unknown page, or one that occurs twice, is an error."""
    found: list[dict[int, str]] = [{}, {}]
    for *names, place in page_map.entries:
        for side, (name, pages) in enumerate(zip(names, (gt, pred))):
            page = _find_page(name, pages)
            if page is None:
                raise _unknown_page(page_map.file, place, name, SIDES[side], pages)
            if page in found[side]:
                problem = f"the page {short_repr(pages.names[page])} of {SIDES[side]} occurs twice"
                hint = "A page has one partner: keep one of the two."
                raise InputError(page_map.file, f"{found[side][page]} and {place}", problem, hint)
            found[side][page] = place
    return dict(zip(*found))


def pages_under_pred_names(gt: Pages, page_map: PageMap | None) -> Pages:
    """The pages of gt under the names that the map gives for pred; also under their own, unless the map uses these."""
    if page_map is None:
        return gt
    named: dict[str, int] = {}
    for name, pred, place in page_map.entries:
        page = _find_page(name, gt)
        if page is None:
            raise _unknown_page(page_map.file, place, name, SIDES[GT], gt)
        named.setdefault(pred, page)
        named.setdefault(without_text_mark(pred), page)
    named = {**gt.index, **named}
    return replace(gt.take(list(named.values())), names=tuple(named))


def _find_page(name: str, pages: Pages) -> int | None:
    """The page; a file that was made to be filled in may have marked its name as text for spreadsheets."""
    page = find_page(name, pages)
    return find_page(without_text_mark(name), pages) if page is None else page


def _unknown_page(file: str, place: str, name: str, side: str, pages: Pages) -> InputError:
    like = f"Page names of {side} are like {short_repr(pages.names[0])}." if len(pages) else f"{side} has no pages."
    return InputError(file, place, f"{side} has no page {short_repr(name)}, or several that are alike", like)
