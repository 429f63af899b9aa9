"""Repairs of a layout: renumbered pages, kept category ids, and unknown repairs."""

import json

import pytest

import layoutcm as lcm
from support.generated_book import layout
from support.layouts import build
from support.reading import fails


def test_pages_counted_from_0_are_renumbered_without_loss():
    """Two documents of four pages; pred counts from 0, so three of four names belong to a different page."""
    sides = []
    for first in (1, 0):
        pages = {f"{name}_{k + first}.png": (100, 100) for name in ("alpha", "beta") for k in range(4)}
        # The box is at a different height on every page of a document, so only the right page matches.
        rows = [(page, "a", 0, 20 * (i % 4), 100, 20 * (i % 4) + 10) for i, page in enumerate(pages)]
        sides.append(build(pages, rows))
    gt, pred = sides
    assert lcm.compare(gt, pred).average("micro")["f1"] < 0.1
    fixed = lcm.fix(pred, "pages:1")
    assert fixed.page_columns.names == gt.page_columns.names
    c = lcm.compare(gt, fixed)
    assert c.average("micro")["f1"] == 1 and len(c.pages) == 8
    assert not [finding.code for finding in c.findings if finding.severity == "warning"]
    back = lcm.fix(gt, "pages:-1")
    assert back.page_columns.names == pred.page_columns.names


@pytest.mark.parametrize("repair", ["flip", "unit:0", "scale:-1", "pages:x", "", "unit:1e999", 3])
def test_unknown_repair_is_refused(repair):
    fails("fix", lcm.fix, layout(), [repair])


@pytest.mark.parametrize("names", [["Background", "Text"], ["Background"]])
def test_a_repaired_layout_has_no_id_for_the_dropped_background(names, tmp_path):
    path = tmp_path / "gt.json"
    categories = [{"id": 7 + i, "name": name} for i, name in enumerate(names)]
    images = [{"id": 1, "width": 10, "height": 10, "file_name": "p"}]
    path.write_text(json.dumps({"images": images, "categories": categories, "annotations": []}))
    read = lcm.read(path)
    assert read.label_keys == lcm.repair(read, "flip-y").label_keys == {7 + i: i - 1 for i in range(len(names))}
