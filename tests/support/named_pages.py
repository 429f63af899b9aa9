"""Layouts without regions, for tests of page names, documents and page numbers."""

import numpy as np

import layoutcm as lcm
from layoutcm.alignment.page_matching import WAYS, match_pages
from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.validation import make_layout

NO_REGIONS = Regions(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 4)), np.empty(0))


def pages_of(*pages):
    """Pages from names, or from (name, document, number)."""
    rows = [page if isinstance(page, tuple) else (page, "", -1) for page in pages]
    names, documents, numbers = zip(*rows) if rows else ((), (), ())
    sizes = np.full(len(rows), 10.0)
    return Pages(tuple(names), sizes, sizes, tuple(documents), np.array(numbers, np.int32))


def layout(*pages, name="x"):
    """A layout without regions."""
    return make_layout(name, "test", ["a"], pages_of(*pages), NO_REGIONS)


def compared(gt, pred, **options):
    return lcm.compare(layout(*gt), layout(*pred), **options)


def matched(comparison):
    """{gt page: (pred page, how)} and the unmatched pages of pred."""
    rows = comparison.page_matches().values.tolist()
    return {gt: (pred, how) for gt, pred, how in rows if gt}, [pred for gt, pred, _ in rows if not gt]


def matched_by_rules(gt, pred):
    """What `matched` returns, also if no page has a partner."""
    gt, pred = pages_of(*gt), pages_of(*pred)
    matches, _ = match_pages(gt, pred, {})
    partners = zip(gt.names, matches.partner.tolist(), matches.how.tolist())
    found = {page: (pred.names[j] if j >= 0 else "", WAYS[how]) for page, j, how in partners}
    return found, [pred.names[j] for j in matches.unmatched(len(pred))[1].tolist()]


def page_codes(comparison):
    """{code: count} of the findings about pages."""
    return {finding.code: finding.count for finding in comparison.findings if finding.code.startswith("page-")}


def in_document(document, numbers, name="{}-{}"):
    """Pages (name, document, number) of one document."""
    return [(name.format(document, number), document, number) for number in numbers]
