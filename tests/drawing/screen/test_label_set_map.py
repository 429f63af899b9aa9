"""The map of label sets: coloured areas equal the counted pixels."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.palette import AGREEMENT_COLOURS, LIGHT, label_colours, rgba
from layoutcm.drawing.screen.label_set_map import TRANSPARENT, bit_text, label_set_map


@pytest.fixture
def first(two_pages):
    return lcm.compare(*two_pages).page_tiles("p1")


def areas(figure):
    """{colour: pixels} of the map, summed over its rectangles."""
    found = {}
    for trace in figure.data:
        x, y = (np.array([v for v in axis if v is not None]).reshape(-1, 5) for axis in (trace.x, trace.y))
        pixels = float(((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 1])).sum())
        found[trace.fillcolor] = found.get(trace.fillcolor, 0) + pixels
    return found


def test_a_side_is_coloured_by_its_labels(first):
    colours = label_colours(first.space.labels[1:])
    assert areas(label_set_map(first, "gt", colours, LIGHT)) == {
        colours["title"]: 80, colours["paragraph"]: 80, colours["list_item"]: 80, colours["picture"]: 160,
    }  # fmt: skip


def test_only_labels_with_a_colour_are_shown(first):
    assert areas(label_set_map(first, "gt", {"title": "#0072b2"}, LIGHT)) == {"#0072b2": 80, LIGHT.background: 320}
    # Where picture and table overlap, only the picture is shown.
    assert areas(label_set_map(first, "pred", {"picture": "#cc79a7"}, LIGHT)) == {"#cc79a7": 80, LIGHT.background: 320}


def test_the_difference_has_a_colour_for_each_kind(first):
    same, other = (rgba(AGREEMENT_COLOURS[kind], 0.8) for kind in (1, 4))
    # The title and the paragraph are right; the list is read as paragraph, the picture as table, half of it as both.
    assert areas(label_set_map(first, "difference", {}, LIGHT)) == {same: 160, other: 240}


def test_only_the_pixels_of_the_chosen_cell_are_highlighted(first):
    lit = first.share_of((first.space.labels.index("list_item"), first.space.labels.index("paragraph")))
    found = areas(label_set_map(first, "cell", {}, LIGHT, lit))
    assert found.pop(TRANSPARENT) == 320 and list(found.values()) == [80]


def test_hover_texts_have_words_and_names(first):
    texts = {trace.text for trace in label_set_map(first, "difference", {}, LIGHT).data}
    assert any("gt 0001 0000 = picture<br>pred 0011 0000 = picture + table" in text for text in texts)
    assert bit_text(0b110, 11) == "0000 0000 0110" and bit_text(1, 3) == "0001"
