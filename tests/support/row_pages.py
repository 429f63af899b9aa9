"""Documents of one page each, on which a label covers some rows: every score can be counted by hand."""

import layoutcm as lcm
from support.layouts import build

ROWS = 10  # of gt, on a page of 10 x 20 pixels


def compare_rows(found, label="a", gt_rows=ROWS, **options):
    """One document for each number of `found`: the rows of gt that pred has, too. Recall is found / ROWS."""
    pages = {f"d{k:02}": (10, 20) for k in range(len(found))}
    documents = {page: page for page in pages}
    gt = build(pages, [(page, label, 0, 0, 10, gt_rows) for page in pages], [label], "gt", documents)
    regions = [(page, label, 0, 0, 10, rows) for page, rows in zip(pages, found) if rows]
    return lcm.compare(gt, build(pages, regions, [label], "pred", documents), **options)
