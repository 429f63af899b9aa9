"""Find the document of each page, and the next and previous page in that document.

A document comes from the caller (a pattern or a table), else from the file, else from page names that are equal except
for a trailing number. A page without any of these is a document of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Finding, Pages
from layoutcm.layouts.page_names import natural_sort_key, split_number


def name_documents(pages: Pages, documents: str | Mapping[str, str] | None) -> tuple[Pages, list[Finding]]:
    """The pages with a document for every page: from `documents`, the file, the page name, or the page itself."""
    if isinstance(documents, str):
        return _name_by_pattern(pages, documents)
    if documents is not None:
        return _name_by_table(pages, documents)
    if all(pages.documents):
        return pages, []
    bases = [split_number(name)[0] for name in pages.names]
    shared = Counter(base for base, document in zip(bases, pages.documents) if not document)
    # If a page has the shared name itself, it would wrongly join this document.
    found = {base for base, count in shared.items() if base and count > 1 and base not in pages.index}
    named = tuple(
        document or (base if base in found else name)
        for name, document, base in zip(pages.names, pages.documents, bases)
    )
    pages = replace(pages, documents=named)
    if not found:
        return pages, []
    example = sorted(found)[0]
    return pages, [Finding("documents-from-names", len(found), {"first": example, "pages": shared[example]})]


def neighbour_pages(pages: Pages, by: int) -> NDArray[np.int64]:
    """int64[pages]: the page `by` positions later in the same document, -1 where there is none.

    The pages of a document are sorted by number, then by name in natural order; the order in the file is not used.
    """
    documents = name_documents(pages, None)[0].documents
    order = sorted(range(len(pages)), key=lambda i: (documents[i], pages.numbers[i], natural_sort_key(pages.names[i])))
    found = np.full(len(pages), -1)
    for place, i in enumerate(order):
        if 0 <= place + by < len(order) and documents[order[place + by]] == documents[i]:
            found[i] = order[place + by]
    return found


def _name_by_table(pages: Pages, documents: object) -> tuple[Pages, list[Finding]]:
    if not isinstance(documents, Mapping) or not all(isinstance(name, str) for name in documents.values()):
        raise InputError(
            "", "documents", f"{short_repr(documents)} is no pattern and no table", "Give {page: document}."
        )
    named = tuple(documents.get(name) or document or name for name, document in zip(pages.names, pages.documents))
    return replace(pages, documents=named), []


def _name_by_pattern(pages: Pages, pattern: str) -> tuple[Pages, list[Finding]]:
    """The document is the first group of the pattern or the whole match; a page without a match is its own document."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(
            "", "documents", f"the pattern {short_repr(pattern)} is not a regular expression: {error}", "Repair it."
        ) from None
    found = [compiled.search(name) for name in pages.names]
    named = [(match.group(1 if compiled.groups else 0) or "") if match else "" for match in found]
    unmatched = [name for name, document in zip(pages.names, named) if not document]
    pages = replace(pages, documents=tuple(document or name for document, name in zip(named, pages.names)))
    if not unmatched:
        return pages, []
    return pages, [Finding("documents-pattern", len(unmatched), {"pages": len(pages), "first": unmatched[0]})]
