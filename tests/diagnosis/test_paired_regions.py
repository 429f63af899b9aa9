"""Partners and statuses of all regions, compared with sets of pixels."""

from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis.paired_regions import paired_regions
from layoutcm.diagnosis.pairing_kernel import NO_PARTNER, STATUSES
from support.causes_loop import box_pixels, gt_status_of, pairs, pred_status_of
from support.layouts import build

box = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 9), st.integers(1, 9))
region = st.tuples(st.sampled_from("ab"), box.map(lambda b: (b[0], b[1], min(b[0] + b[2], 12), min(b[1] + b[3], 12))))
side = st.lists(region, max_size=5)
page = st.tuples(side, side, st.lists(region.map(lambda one: one[1]), max_size=2))


def plain(gt, pred, ignored):
    """[(side, number in the file, partner, status)] of the regions of a page that have pixels."""
    hidden = set().union(*(box_pixels(*box) for box in ignored))
    sides = [[(k, label, box_pixels(*box) - hidden) for k, (label, box) in enumerate(own)] for own in (gt, pred)]
    sides = [[one for one in own if one[2]] for own in sides]
    numbers = [[one[0] for one in own] for own in sides]
    regions = [[one[1:] for one in own] for own in sides]
    partners = pairs(*regions)
    rows = []
    for which, status_of in enumerate((gt_status_of, pred_status_of)):
        for i, number in enumerate(numbers[which]):
            partner = partners[which][i]
            status = status_of(i, *regions, *partners) or "paired"
            rows.append((which, number, None if partner is None else numbers[1 - which][partner], status))
    return rows


@settings(max_examples=150, deadline=None)
@given(st.lists(page, min_size=1, max_size=3))
def test_generated_pages_equal_sets_of_pixels(pages):
    sizes = {f"p{i}": (12, 12) for i in range(len(pages))}
    rows = [[], []]
    starts = []
    for i, (gt, pred, ignored) in enumerate(pages):
        starts.append([len(own) for own in rows])
        rows[0] += [(f"p{i}", label, *box) for label, box in gt] + [(f"p{i}", "skip", *box) for box in ignored]
        rows[1] += [(f"p{i}", label, *box) for label, box in pred]
    layouts = [build(sizes, own, ["a", "b", "skip"]) for own in rows]
    c = lcm.compare(*layouts, mapping={"gt": {"skip": "Ignore"}}, taxonomy="same")
    found = paired_regions(c.sources.causes)
    own_row = [int(c.alignment.mapped.rows[which][row]) for which, row in zip(found.side, found.row)]
    expected = [(i, *one) for i, one_page in enumerate(pages) for one in plain(*one_page)]
    actual = []
    for k, status in enumerate(found.status):
        if STATUSES[status] == "empty":
            continue
        i, which, partner = int(found.page[k]), int(found.side[k]), found.partner[k]
        other = None if partner == NO_PARTNER else own_row[partner] - starts[i][1 - which]
        actual.append((i, which, own_row[k] - starts[i][which], other, STATUSES[status]))
    assert actual == expected
