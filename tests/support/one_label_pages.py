"""Pages with one label; pred finds a given share of its pixels."""

import layoutcm as lcm
from support.layouts import build


def one_label_pages(*shares, documents=None):
    """One page of 10 x 10 pixels per share: gt is `a` on the whole page, pred finds that share of it."""
    pages = {f"page {i:03}": (10, 10) for i in range(len(shares))}
    gt = build(pages, [(page, "a", 0, 0, 10, 10) for page in pages])
    pred = build(pages, [(page, "a", 0, 0, 10 * share, 10) for page, share in zip(pages, shares) if share])
    return lcm.compare(gt, pred, documents=documents or {page: page for page in pages}, taxonomy="same")
