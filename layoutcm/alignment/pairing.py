"""Pages of two sides brought together: which belong to each other, in whose frame, in which document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.page_matching import PageMatches, match_pages
from layoutcm.errors import InputError, shown
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Pages
from layoutcm.layouts.page_maps import PageMap, resolve
from layoutcm.layouts.page_names import natural, split_number

MISSING_PAGES = ("penalise", "ignore")
NAMES_SHOWN = 4
Sources = tuple[NDArray[np.int64], NDArray[np.int64]]


def pair_pages(
    gt: Pages, pred: Pages, missing_pages: str, page_map: PageMap | None = None
) -> tuple[Sources, PageMatches, list[Finding]]:
    """int64[pages] of both sides: gt's pages in their order, then pred's own; -1 where a side lacks the page."""
    if missing_pages not in MISSING_PAGES:
        raise InputError(
            "", "missing_pages", f"{shown(missing_pages)} is not known", f"Use {' or '.join(MISSING_PAGES)}."
        )
    matches, findings = match_pages(gt, pred, resolve(page_map, gt, pred) if page_map else {})
    alone = matches.alone(len(pred))
    for side, pages, names in zip(SIDES, alone, (gt.names, pred.names)):
        findings += _alone(side, [names[i] for i in pages.tolist()], len(names), missing_pages)
    if missing_pages == "ignore":
        kept = np.flatnonzero(matches.partner >= 0)
        return (kept, matches.partner[kept]), matches, findings
    gt_pages = np.concatenate([np.arange(len(gt)), np.full(alone[PRED].size, -1)])
    return (gt_pages, np.concatenate([matches.partner, alone[PRED]])), matches, findings


def _alone(side: str, names: list[str], pages: int, missing_pages: str) -> list[Finding]:
    if not names:
        return []
    first = ", ".join(map(shown, names[:NAMES_SHOWN])) + (" …" if len(names) > NAMES_SHOWN else "")
    message = (
        f"{len(names):,} of {pages:,} pages of {side} {'is' if len(names) == 1 else 'are'} not in the other side "
        f"and {_fate(len(names), missing_pages)}: {first}."
    )
    fix = "Check the page names of both files, say which belong together (pages=, --pages)"
    fix += "." if missing_pages == "ignore" else ", or leave such pages out (missing pages: ignore)."
    return [Finding(f"page-only-in-{side}", message, count=len(names), fix=fix)]


def _fate(count: int, missing_pages: str) -> str:
    verb = "is" if count == 1 else "are"
    return f"{verb} left out" if missing_pages == "ignore" else f"{verb} compared with an empty page"


def joined_pages(gt: Pages, pred: Pages, sources: Sources) -> Pages:
    """The pages in gt's frame; in pred's own where gt has no such page."""
    if np.array_equal(sources[GT], np.arange(len(gt))) and (all(gt.documents) or not any(pred.documents)):
        return gt  # the usual case, and there may be very many pages
    rows = [(gt, i) if i >= 0 else (pred, j) for i, j in zip(*sources)]
    return Pages(
        tuple(side.names[i] if side is gt else _own_name(side.names[i], gt, pred) for side, i in rows),
        np.array([side.widths[i] for side, i in rows], float),
        np.array([side.heights[i] for side, i in rows], float),
        tuple(_document(gt, i) or _document(pred, j) for i, j in zip(*sources)),
        np.array([side.numbers[i] for side, i in rows], np.int32),
    )


def _own_name(name: str, gt: Pages, pred: Pages) -> str:
    """A page map may leave a page of pred alone whose name in gt is another page's."""
    if name in gt.index:
        name += " (pred)"
        while name in gt.index or name in pred.index:
            name += "*"
    return name


def _document(pages: Pages, i: int) -> str:
    return pages.documents[i] if i >= 0 else ""


def name_documents(pages: Pages, documents: str | Mapping[str, str] | None) -> tuple[Pages, list[Finding]]:
    """Every page gets a document: asked for, the format's own, shared by its name, or itself."""
    if isinstance(documents, str):
        return _named_by_pattern(pages, documents)
    if documents is not None:
        return _named_by_table(pages, documents)
    if all(pages.documents):
        return pages, []
    bases = [split_number(name)[0] for name in pages.names]
    shared = Counter(base for base, document in zip(bases, pages.documents) if not document)
    # A name that is also a page of its own must not swallow that page.
    found = {base for base, count in shared.items() if base and count > 1 and base not in pages.index}
    named = tuple(
        document or (base if base in found else name)
        for name, document, base in zip(pages.names, pages.documents, bases)
    )
    pages = replace(pages, documents=named)
    if not found:
        return pages, []
    example = sorted(found)[0]
    finding = Finding(
        "documents-from-names",
        f"{len(found):,} {'document was' if len(found) == 1 else 'documents were'} read off page names that share all "
        f"but their number "
        f"(first: {shown(example)}, {shared[example]} pages).",
        severity="info",
        count=len(found),
        fix="Give documents= a pattern or a table if this is wrong.",
    )
    return pages, [finding]


def neighbours(pages: Pages, by: int) -> NDArray[np.int64]:
    """int64[pages]: the page `by` further on in the same document, -1 where there is none.

    Pages of a document go by number, else by name with numbers in their order: the order in a file may be any.
    """
    documents = name_documents(pages, None)[0].documents
    order = sorted(range(len(pages)), key=lambda i: (documents[i], pages.numbers[i], natural(pages.names[i])))
    found = np.full(len(pages), -1)
    for place, i in enumerate(order):
        if 0 <= place + by < len(order) and documents[order[place + by]] == documents[i]:
            found[i] = order[place + by]
    return found


def _named_by_table(pages: Pages, documents: object) -> tuple[Pages, list[Finding]]:
    if not isinstance(documents, Mapping) or not all(isinstance(name, str) for name in documents.values()):
        raise InputError("", "documents", f"{shown(documents)} is no pattern and no table", "Give {page: document}.")
    own = tuple(documents.get(name) or document or name for name, document in zip(pages.names, pages.documents))
    return replace(pages, documents=own), []


def _named_by_pattern(pages: Pages, pattern: str) -> tuple[Pages, list[Finding]]:
    """The pattern's first group, or all that it matches; a page that it does not match is its own document."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(
            "", "documents", f"the pattern {shown(pattern)} is not a regular expression: {error}", "Repair it."
        ) from None
    found = [compiled.search(name) for name in pages.names]
    named = [(match.group(1 if compiled.groups else 0) or "") if match else "" for match in found]
    lost = [name for name, document in zip(pages.names, named) if not document]
    pages = replace(pages, documents=tuple(document or name for document, name in zip(named, pages.names)))
    if not lost:
        return pages, []
    message = (
        f"The pattern for documents does not match {len(lost):,} of {len(pages):,} pages (first: {shown(lost[0])})."
    )
    return pages, [Finding("documents-pattern", message, count=len(lost), fix="Such a page is its own document.")]
