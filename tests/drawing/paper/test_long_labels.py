"""Many and long labels on paper: work is counted in characters and texts, not in seconds."""

import pytest

import layoutcm as lcm
from layoutcm.drawing.paper import matrix, printing
from layoutcm.drawing.paper.matrix_grid import SMALLEST_FONT, plan_grid
from support.layouts import build
from support.paper_texts import drawn_texts


def compared(labels, score=None):
    boxes = [
        ("p", name, 5 * (i % 20), 5 * (i // 20), 5 * (i % 20) + 4, 5 * (i // 20) + 4) for i, name in enumerate(labels)
    ]
    layout = build({"p": (100, 100)}, boxes)
    return lcm.compare(layout, layout)


@pytest.mark.parametrize("length", [50, 990])
def test_the_characters_of_all_labels_are_limited(length):
    figure = matrix.matrix_figure(compared([f"{i} {'x' * length}" for i in range(140)]).confusion(), caption=False)
    labels = [text for text in drawn_texts(figure) if "x" in text]
    assert 100 < sum(map(len, labels)) <= 2 * printing.MOST_LABEL_CHARACTERS


def test_a_long_text_is_never_measured_whole(monkeypatch):
    measured = []
    monkeypatch.setattr(printing, "text_width", lambda text, size: measured.append(text) or size * len(text) / 2)
    assert len(printing.shorten_to_width("x" * 1000, 1, 1e6)) == printing.MOST_CHARACTERS
    assert len(printing.shorten_to_width("\u4e00" * 1000, 1, 1e6)) == printing.MOST_CHARACTERS // 3
    assert printing.shorten_to_width("x" * 60, 1, 1e6) == "x" * 60
    assert max(map(len, measured)) == printing.MOST_CHARACTERS


@pytest.mark.parametrize(("rows", "every"), [(100, 1), (150, 2)])
def test_row_labels_are_large_enough_or_every_second_is_left_out(rows, every):
    names = [f"label {i}" for i in range(rows)]
    grid = plan_grid(names, names, 504)
    assert grid.every_row == every and grid.row_font >= SMALLEST_FONT


def test_a_pdf_with_many_different_characters_has_outlines():
    def figure_of(text):
        figure = printing.new_figure(200, 200)
        printing.draw_text(figure, 1, 1, text, 5)
        return figure

    many = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    assert printing._needs_outlines(figure_of(many)) and not printing._needs_outlines(figure_of("abc"))
