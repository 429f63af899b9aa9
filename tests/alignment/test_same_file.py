"""The same file as ground truth and as prediction gets a finding, unless it holds two sides or annotators."""

from dataclasses import replace

import layoutcm as lcm
from layoutcm.layouts.model import Finding
from support.layouts import build
from support.results import codes

TABLE = b"page,label,annotator,x0,y0,x1,y1,width,height\np,a,ann,0,0,5,5,9,9\np,a,bob,0,0,5,5,9,9\n"


def is_same(gt, pred, **options):
    return "same-file" in codes(lcm.compare(gt, pred, **options).findings)


def test_the_same_file_on_both_sides_is_a_warning():
    table = TABLE.replace(b"annotator", b"note")
    gt, again, copy = (lcm.read((name, table)) for name in ("gt.csv", "gt.csv", "pred.csv"))
    (finding,) = (one for one in lcm.compare(gt, again).findings if one.code == "same-file")
    assert finding.severity == "warning" and "same file, 'gt.csv'" in finding.message
    assert is_same(gt, copy) and is_same(gt, copy, mapping={"pred": {"a": "b"}})
    assert is_same(gt, lcm.repair(copy, "flip-y"))
    assert not is_same(gt, lcm.read(("gt.csv", table + b"q,a,,0,0,5,5,9,9\n")))


def test_two_annotators_or_sides_of_a_file_are_not_the_same():
    ann, bob = (lcm.read(("gt.csv", TABLE), annotator=name) for name in ("ann", "bob"))
    assert not is_same(ann, bob) and is_same(ann, ann)
    unread = build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5)])
    assert unread.sha256 is None and not is_same(unread, unread)
    one = replace(unread, sha256="0")
    for code in ("two-documents", "two-sides"):
        gt, pred = (replace(one, findings=(Finding(code, values={"file": "f", "side": side}),)) for side in "ab")
        assert not is_same(gt, pred) and is_same(gt, gt)
    assert is_same(one, one) and not is_same(one, replace(one, format="other"))
