"""Pages of two sides brought together: which belong to each other, in whose frame, in which document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, shown
from layoutcm.model import GT, PRED, Finding, Pages, stem

MISSING_PAGES = ("penalise", "ignore")
# Suffixes are short and start with a letter, so that "report.12" keeps its number.
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_PAGE_NUMBER = re.compile(r"(?:(?<![^\W_])(?:page|pg|p))?[\s_.\-]{0,8}\d+$", re.IGNORECASE)


def pair_pages(
    gt: Pages, pred: Pages, missing_pages: str
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], list[Finding]]:
    """int64[pages] of both sides: gt's pages in their order, then pred's own; -1 where a side lacks the page."""
    if missing_pages not in MISSING_PAGES:
        raise InputError(
            "", "missing_pages", f"{shown(missing_pages)} is not known", f"Use {' or '.join(MISSING_PAGES)}."
        )
    if gt.names == pred.names:  # the usual case, and there may be very many pages
        return (np.arange(len(gt)), np.arange(len(gt))), []
    partner = np.fromiter((pred.index.get(name, -1) for name in gt.names), np.int64, len(gt))
    alike = _match_by_stem(gt, pred, partner)
    own = np.ones(len(pred), bool)
    own[partner[partner >= 0]] = False
    only_pred = np.flatnonzero(own)
    findings = [
        Finding(
            f"page-only-in-{side}",
            f"{len(pages):,} of {len(names):,} pages of {side} {'is' if len(pages) == 1 else 'are'} not in the other "
            f"side (first: {shown(names[pages[0]])}) and {_fate(len(pages), missing_pages)}.",
            count=len(pages),
            fix="Check the page names of both files"
            + ("." if missing_pages == "ignore" else ", or leave such pages out (missing pages: ignore)."),
        )
        for side, pages, names in (("gt", np.flatnonzero(partner < 0), gt.names), ("pred", only_pred, pred.names))
        if len(pages)
    ]
    findings = alike + findings
    if missing_pages == "ignore":
        kept = np.flatnonzero(partner >= 0)
        return (kept, partner[kept]), findings
    gt_pages = np.concatenate([np.arange(len(gt)), np.full(only_pred.size, -1)])
    return (gt_pages, np.concatenate([partner, only_pred])), findings


def _match_by_stem(gt: Pages, pred: Pages, partner: NDArray[np.int64]) -> list[Finding]:
    """Fill -1 in `partner` with the one page of pred that has the same name but for folder and suffix."""
    lonely = np.flatnonzero(partner < 0)
    taken = set(partner[partner >= 0].tolist())
    if not lonely.size or len(taken) == len(pred):
        return []
    sides = [[(stem(gt.names[i]), i) for i in lonely.tolist()]]
    sides.append([(stem(name), j) for j, name in enumerate(pred.names) if j not in taken])
    # Only where neither side has a second page of that name: nothing is guessed.
    unique = [
        {name: i for name, i in side if times[name] == 1} for side in sides for times in [Counter(n for n, _ in side)]
    ]
    matched = [(i, unique[PRED][name]) for name, i in unique[GT].items() if name in unique[PRED]]
    for i, j in matched:
        partner[i] = j
    if not matched:
        return []
    i, j = matched[0]
    message = (
        f"{_pages(len(matched))} matched by name without folder and suffix (first: {shown(gt.names[i])} and "
        f"{shown(pred.names[j])})."
    )
    return [Finding("page-matched-by-stem", message, severity="info", count=len(matched))]


def _pages(count: int) -> str:
    return f"{count:,} page was" if count == 1 else f"{count:,} pages were"


def _fate(count: int, missing_pages: str) -> str:
    verb = "is" if count == 1 else "are"
    return f"{verb} left out" if missing_pages == "ignore" else f"{verb} compared with an empty page"


def joined_pages(gt: Pages, pred: Pages, sources: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Pages:
    """The pages in gt's frame; in pred's own where gt has no such page."""
    if np.array_equal(sources[GT], np.arange(len(gt))) and (all(gt.documents) or not any(pred.documents)):
        return gt  # the usual case, and there may be very many pages
    rows = [(gt, i) if i >= 0 else (pred, j) for i, j in zip(*sources)]
    return Pages(
        tuple(side.names[i] for side, i in rows),
        np.array([side.widths[i] for side, i in rows], float),
        np.array([side.heights[i] for side, i in rows], float),
        tuple(_document(gt, i) or _document(pred, j) for i, j in zip(*sources)),
        np.array([side.numbers[i] for side, i in rows], np.int32),
    )


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
    bases = [_base(name) for name in pages.names]
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


def _base(page: str) -> str:
    """The page's name without suffix and trailing page number; "" when nothing else is left."""
    name = page.rpartition(".")[0] if _SUFFIX.search(page) else page
    if not name[-1:].isdigit():
        return ""
    base = _PAGE_NUMBER.sub("", name).rstrip(" _.-")
    return base if base[-1:] not in ("", "/", "\\") else ""
