"""Colours: fixed by the names of labels, and readable numbers on every cell."""

import numpy as np
import pytest

from layoutcm.drawing import palette
from layoutcm.drawing.palette import DARK, LIGHT
from support.contrast import contrast


def test_colours_depend_on_names():
    alone = palette.label_colours(["Text"])["Text"]
    assert palette.label_colours(["zebra", "Text", "Table"])["Text"] == alone
    colours = palette.label_colours(["Page-header", "page_header", "Background", "stamp"])
    assert colours["Page-header"] == colours["page_header"]
    assert colours["Background"] == palette.BACKGROUND_COLOUR
    assert colours["stamp"] == palette.label_colours(["stamp"])["stamp"]


def test_names_with_one_preferred_colour_get_two_colours_in_any_order():
    labels = ["picture", "figure", *(f"label {i}" for i in range(72))]
    colours = palette.label_colours(labels)
    assert len(set(colours.values())) == 74
    assert palette.label_colours(labels[::-1]) == colours
    assert all(len(colour) == 7 and colour[0] == "#" for colour in colours.values())
    assert colours["figure"] == palette.KNOWN_LABELS["figure"] != colours["picture"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_scales_start_with_the_paper_colour(theme):
    for scale in (theme.hit, theme.miss):
        assert scale[0] == (0, theme.background) and scale[-1][0] == 1
        assert palette.scale_colour(scale, 0) == theme.background
        assert palette.scale_colour(scale, 1) == scale[-1][1]
    assert palette.scale_colour(theme.diverging, 0.5) == theme.background


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_numbers_are_readable_on_every_cell(theme):
    for scale in (theme.hit, theme.miss):
        for place in np.linspace(0, 1, 101):
            cell = palette.scale_colour(scale, place)
            assert contrast(cell, palette.text_colour_on(cell)) >= 4.2


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_of_labels_are_seen_on_the_paper(theme):
    for colour in palette.label_colours([f"label {i}" for i in range(74)]).values():
        line = palette.line_colour(colour, theme)
        assert contrast(line, theme.background) >= 3
        assert line == colour or contrast(colour, theme.background) < 3
