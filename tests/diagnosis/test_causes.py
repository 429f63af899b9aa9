"""The causes of a cell of the matrix: small examples, and a loop over all pixels."""

import pytest
from hypothesis import given, settings

import layoutcm as lcm
from layoutcm.diagnosis.causes import CellCauses, cell_causes
from support import pixel_loop
from support.generated_pages import LABELS, SPACE, layouts, page
from support.layouts import build

PAGE = {"p": (100, 100)}  # a tolerance of 0.02 is 2 px


def causes(gt, pred, cell, rounding="outer", tolerance=0.02):
    rows = [[("p", *row) for row in side] for side in (gt, pred)]
    labels = ["a", "b", "c"]
    c = lcm.compare(*(build(PAGE, side, labels) for side in rows), rounding=rounding)
    found = cell_causes([c.page_tiles("p")], c.cell(*cell), tolerance=tolerance)
    assert found.pixels == pytest.approx(c.confusion().values[c.cell(*cell)])
    return found


def test_a_box_a_little_too_narrow_is_border_slack():
    found = causes([("a", 10, 10, 50, 50)], [("a", 10, 10, 48, 50)], ("a", "Background"))
    assert found == CellCauses(slack=2 * 40, wrong=0, merged=0)


def test_in_a_box_far_too_narrow_only_two_corners_are_slack():
    # At both ends of pred's right border, where it meets the border of gt, 2 x 2 pixels are near both borders.
    found = causes([("a", 10, 10, 50, 50)], [("a", 10, 10, 30, 50)], ("a", "Background"))
    assert found == CellCauses(slack=2 * 4, wrong=20 * 40 - 2 * 4, merged=0)


def test_in_a_strip_a_little_wider_than_the_tolerance_the_middle_is_slack():
    # Of the three columns of the strip, only the middle one and the ends of the first are within 2 px of both borders.
    found = causes([("a", 10, 10, 50, 50)], [("a", 10, 10, 47, 50)], ("a", "Background"))
    assert found == CellCauses(slack=40 + 2 * 2, wrong=2 * 40 - 2 * 2, merged=0)


def test_a_missed_box_is_wrong_up_to_its_border():
    found = causes([("a", 10, 10, 50, 12)], [], ("a", "Background"))
    assert found == CellCauses(slack=0, wrong=2 * 40, merged=0)


def test_a_wrong_label_is_wrong_up_to_its_border_and_a_moved_border_is_slack():
    gt = [("a", 0, 0, 50, 10), ("b", 50, 0, 100, 10), ("a", 0, 50, 100, 60)]
    pred = [("a", 0, 0, 48, 10), ("b", 48, 0, 100, 10), ("b", 0, 50, 100, 60)]
    assert causes(gt, pred, ("a", "b")) == CellCauses(slack=2 * 10, wrong=100 * 10, merged=0)


def test_pixels_with_several_labels_are_merged_and_count_in_part():
    gt, pred = [("a", 0, 0, 10, 10)], [("b", 0, 0, 10, 5), ("c", 0, 0, 10, 5), ("b", 0, 5, 10, 10)]
    assert causes(gt, pred, ("a", "b")) == CellCauses(slack=0, wrong=50, merged=25)


def test_the_area_outside_the_page_is_background():
    found = causes([("a", 50, 0, 100, 100)], [("a", 50, 0, 98, 100)], ("a", "Background"))
    assert found == CellCauses(slack=2 * 100, wrong=0, merged=0)


def test_exact_areas_have_an_exact_tolerance():
    found = causes([("a", 10, 10, 50, 50)], [("a", 10, 10, 48.5, 50)], ("a", "Background"), "exact", tolerance=0.01)
    # The strip is 1.5 wide. Only its middle 0.5 and the ends (1 high) of its first 0.5 are within 1 px of both borders.
    assert (found.slack, found.wrong) == pytest.approx((0.5 * 40 + 2 * 0.5, 1 * 40 - 2 * 0.5))


def test_pages_add_up(two_pages):
    c = lcm.compare(*two_pages)
    found = cell_causes(map(c.page_tiles, c.pages), c.cell("picture", "table"))
    assert found == CellCauses(slack=0, wrong=80, merged=40)  # merged: 80 pixels with two pred labels, half each
    assert cell_causes([], c.cell("picture", "table")).pixels == 0


def causes_by_loop(generated, cell, distance):
    (width, height), *sides = generated
    gt, pred = (pixel_loop.pixel_sets(side, width, height, "outer") for side in sides)
    i, j = cell
    found = {"slack": 0.0, "wrong": 0.0, "merged": 0.0}
    for (x, y), labels in gt.items():
        value = pixel_loop.contribution(labels, pred[x, y]).get(cell, 0)
        offsets = range(-distance, distance + 1)
        square = [(x + dx, y + dy) for dx in offsets for dy in offsets]
        near = [set().union(*(side.get(pixel, {"Background"}) for pixel in square)) for side in (gt, pred)]
        single = len(labels) == len(pred[x, y]) == 1
        slack = single and j in near[0] and i in near[1]
        found["slack" if slack else "wrong" if single else "merged"] += value
    return found


@given(generated=page)
@settings(max_examples=40, deadline=None)
def test_equal_to_a_loop_over_pixels(generated):
    c = lcm.compare(*layouts([generated]))
    for cell in [(LABELS[0], LABELS[1]), (LABELS[0], SPACE[0]), (SPACE[0], LABELS[1])]:
        for tolerance in (0.0, 0.3):
            distance = max(int(tolerance * max(generated[0]) + 0.5), 1)
            found = cell_causes([c.page_tiles("page 0")], c.cell(*cell), tolerance=tolerance)
            assert vars(found) == pytest.approx(causes_by_loop(generated, cell, distance))
